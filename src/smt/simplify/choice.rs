//! `ite`.

use crate::smt::expr::{ExprId, Op, Pool, Sort};
use crate::smt::value::mask;

impl Pool {
    pub fn ite(&mut self, condition: ExprId, then: ExprId, other: ExprId) -> ExprId {
        assert!(self.width(condition) == 1, "a condition of {} bits", self.width(condition));
        let sort = self.sort(then);
        assert!(sort == self.sort(other), "a choice between {sort:?} and {:?}", self.sort(other));
        if then == other {
            return then;
        }
        match self.as_const(condition) {
            Some(0) => return other,
            Some(_) => return then,
            None => {}
        }
        let c = self.node(condition);
        if c.op == Op::Not {
            return self.ite(c.child(0), other, then);
        }
        // The condition is known inside the branches.
        let (t, o) = (self.node(then), self.node(other));
        if t.op == Op::Ite && t.child(0) == condition {
            return self.ite(condition, t.child(1), other);
        }
        if o.op == Op::Ite && o.child(0) == condition {
            return self.ite(condition, then, o.child(2));
        }
        if c.op == Op::Eq {
            let (x, y) = (c.child(0), c.child(1));
            if (x, y) == (then, other) || (x, y) == (other, then) {
                return other;
            }
        }
        // Two choices that share an outcome are one.
        if t.op == Op::Ite && t.child(2) == other {
            let both = self.and(condition, t.child(0));
            return self.ite(both, t.child(1), other);
        }
        if t.op == Op::Ite && t.child(1) == other {
            let negated = self.not(t.child(0));
            let both = self.and(condition, negated);
            return self.ite(both, t.child(2), other);
        }
        if o.op == Op::Ite && o.child(1) == then {
            let either = self.or(condition, o.child(0));
            return self.ite(either, then, o.child(2));
        }
        if o.op == Op::Ite && o.child(2) == then {
            let negated = self.not(o.child(0));
            let either = self.or(condition, negated);
            return self.ite(either, then, o.child(1));
        }
        match sort {
            Sort::Bits(1) => self.bool_ite(condition, then, other),
            Sort::Bits(w) => {
                if let Some(e) = self.ite_of_constants(condition, then, other, w) {
                    return e;
                }
                self.finish(Op::Ite, w, 0, &[condition, then, other])
            }
            Sort::Bytes { index } => {
                self.finish(Op::Ite, 0, index as u16, &[condition, then, other])
            }
        }
    }

    fn bool_ite(&mut self, c: ExprId, then: ExprId, other: ExprId) -> ExprId {
        if then == c {
            return self.or(c, other);
        }
        if other == c {
            return self.and(c, then);
        }
        let not_c = self.not(c);
        match (self.as_const(then), self.as_const(other)) {
            (Some(0), _) => self.and(not_c, other),
            (Some(_), _) => self.or(c, other),
            (_, Some(0)) => self.and(c, then),
            (_, Some(_)) => self.or(not_c, then),
            _ if self.is_not_of(then, other) => self.xor(c, other),
            _ => self.finish(Op::Ite, 1, 0, &[c, then, other]),
        }
    }

    /// 1 and 0, or all ones and 0, are the condition extended.
    fn ite_of_constants(&mut self, c: ExprId, t: ExprId, o: ExprId, w: u32) -> Option<ExprId> {
        match (self.as_const(t)?, self.as_const(o)?) {
            (1, 0) => Some(self.zext(c, w)),
            (0, 1) => {
                let n = self.not(c);
                Some(self.zext(n, w))
            }
            (k, 0) if k == mask(w) => Some(self.sext(c, w)),
            (0, k) if k == mask(w) => {
                let n = self.not(c);
                Some(self.sext(n, w))
            }
            _ => None,
        }
    }
}
