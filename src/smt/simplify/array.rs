//! Bytes: reading through stores whose place is known to be the same or another.

use super::MAX_STORES;
use crate::smt::expr::{ExprId, Op, Pool, Sort};

impl Pool {
    fn index_width(&self, bytes: ExprId) -> u32 {
        match self.sort(bytes) {
            Sort::Bytes { index } => index,
            Sort::Bits(w) => panic!("{w} bits where bytes are expected"),
        }
    }

    /// The byte `value` everywhere.
    pub fn const_bytes(&mut self, index: u32, value: ExprId) -> ExprId {
        assert!(self.width(value) == 8, "a byte of {} bits", self.width(value));
        self.raw(Op::ConstBytes, 0, index as u16, &[value])
    }

    pub fn select(&mut self, bytes: ExprId, index: ExprId) -> ExprId {
        assert!(self.index_width(bytes) == self.width(index), "an index of another width");
        let mut at = bytes;
        for _ in 0..MAX_STORES {
            let n = self.node(at);
            match n.op {
                Op::ConstBytes => return n.child(0),
                Op::Store if n.child(1) == index => return n.child(2),
                Op::Store if self.surely_differ(n.child(1), index) => at = n.child(0),
                _ => break,
            }
        }
        self.raw(Op::Select, 8, 0, &[at, index])
    }

    pub fn store(&mut self, bytes: ExprId, index: ExprId, value: ExprId) -> ExprId {
        let w = self.index_width(bytes);
        assert!(w == self.width(index) && self.width(value) == 8, "a store of other widths");
        let v = self.node(value);
        if v.op == Op::Select && v.child(0) == bytes && v.child(1) == index {
            return bytes;
        }
        let n = self.node(bytes);
        match n.op {
            Op::ConstBytes if n.child(0) == value => return bytes,
            Op::Store if n.child(1) == index => return self.store(n.child(0), index, value),
            _ => {}
        }
        self.raw(Op::Store, 0, w as u16, &[bytes, index, value])
    }

    /// The two never have the same value.
    pub fn surely_differ(&self, a: ExprId, b: ExprId) -> bool {
        if let (Some(x), Some(y)) = (self.as_const(a), self.as_const(b)) {
            return x != y;
        }
        if let (Some(x), Some(y)) = (self.facts(a), self.facts(b))
            && x.disjoint(y)
        {
            return true;
        }
        (self.is_sum(a) || self.is_sum(b))
            && self.difference(a, b).is_some_and(|d| d.terms.is_empty() && d.constant != 0)
    }
}
