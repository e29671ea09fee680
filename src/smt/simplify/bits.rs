//! `not`, `and`, `or`, `xor`, for vectors and truth values alike.

use super::MAX_CHAIN;
use crate::smt::expr::{ExprId, Op, Pool};
use crate::smt::known::mask64;
use crate::smt::range;
use crate::smt::value::mask;

impl Pool {
    pub fn not(&mut self, a: ExprId) -> ExprId {
        let n = self.node(a);
        if n.op == Op::Not {
            return n.child(0);
        }
        self.finish(Op::Not, n.width(), 0, &[a])
    }

    pub(super) fn is_not_of(&self, a: ExprId, b: ExprId) -> bool {
        let (x, y) = (self.node(a), self.node(b));
        (x.op == Op::Not && x.child(0) == b) || (y.op == Op::Not && y.child(0) == a)
    }

    pub fn and(&mut self, a: ExprId, b: ExprId) -> ExprId {
        self.lattice(Op::And, a, b)
    }

    pub fn or(&mut self, a: ExprId, b: ExprId) -> ExprId {
        self.lattice(Op::Or, a, b)
    }

    /// The conjunction of all; true if there are none.
    pub fn and_all(&mut self, all: &[ExprId]) -> ExprId {
        let start = self.bool(true);
        all.iter().fold(start, |acc, &e| self.and(acc, e))
    }

    /// The disjunction of all; false if there are none.
    pub fn or_all(&mut self, all: &[ExprId]) -> ExprId {
        let start = self.bool(false);
        all.iter().fold(start, |acc, &e| self.or(acc, e))
    }

    /// `a` implies `b`, as an expression.
    pub fn implication(&mut self, a: ExprId, b: ExprId) -> ExprId {
        let not_a = self.not(a);
        self.or(not_a, b)
    }

    /// `and` and `or` are each other's mirror: `zero` absorbs, `unit` does nothing.
    fn lattice(&mut self, op: Op, a: ExprId, b: ExprId) -> ExprId {
        let w = self.same_width(a, b);
        let (a, b) = self.ordered(a, b);
        let (zero, unit) = if op == Op::And { (0, mask(w)) } else { (mask(w), 0) };
        if a == b {
            return a;
        }
        if self.is_not_of(a, b) {
            return self.constant(zero, w);
        }
        if let Some(k) = self.as_const(b) {
            if k == zero {
                return b;
            }
            if k == unit {
                return a;
            }
            if let Some(e) = self.lattice_constant(op, a, k, w) {
                return e;
            }
        }
        if let (Some(x), Some(y)) = (self.facts(a), self.facts(b)) {
            // Where one of them can only be the operation's unit, the other decides.
            let (a_holds, b_holds) = match op {
                Op::And => (x.zeros | y.ones, y.zeros | x.ones),
                _ => (x.ones | y.zeros, y.ones | x.zeros),
            };
            if a_holds == mask64(w) {
                return a;
            }
            if b_holds == mask64(w) {
                return b;
            }
        }
        if let Some(e) = self.absorbed(op, a, b, w).or_else(|| self.absorbed(op, b, a, w)) {
            return e;
        }
        self.finish(op, w, 0, &[a, b])
    }

    fn lattice_constant(&mut self, op: Op, a: ExprId, k: u128, w: u32) -> Option<ExprId> {
        let n = self.node(a);
        if n.op == op
            && let Some(k2) = self.as_const(n.child(1))
        {
            let both = if op == Op::And { k & k2 } else { k | k2 };
            let both = self.constant(both, w);
            return Some(self.lattice(op, n.child(0), both));
        }
        // A mask of low bits is an extraction.
        if op == Op::And && k & k.wrapping_add(1) == 0 {
            let low = self.extract(a, 0, k.count_ones());
            return Some(self.zext(low, w));
        }
        None
    }

    /// `b` against the operands of the chain `a`: known already, contradicted, or swallowed.
    fn absorbed(&mut self, op: Op, a: ExprId, b: ExprId, w: u32) -> Option<ExprId> {
        let dual = if op == Op::And { Op::Or } else { Op::And };
        let n = self.node(b);
        // a & (a | x) = a;  a & (!a | x) = a & x
        if n.op == dual {
            let (x, y) = (n.child(0), n.child(1));
            if x == a || y == a {
                return Some(a);
            }
            for (one, other) in [(x, y), (y, x)] {
                if self.is_not_of(one, a) {
                    return self.deeper(|p| Some(p.lattice(op, a, other)));
                }
            }
        }
        let mut chain = [a; MAX_CHAIN];
        let len = self.chain(op, a, &mut chain);
        let arc = if w == 1 { range::of_condition(self, b) } else { None };
        for &leaf in &chain[..len] {
            if leaf == b && leaf != a {
                return Some(a);
            }
            if self.is_not_of(leaf, b) {
                let zero = if op == Op::And { 0 } else { mask(w) };
                return Some(self.constant(zero, w));
            }
            let Some((term, b_arc)) = arc else { continue };
            let Some((leaf_term, leaf_arc)) = range::of_condition(self, leaf) else { continue };
            if leaf_term != term {
                continue;
            }
            // For `and`, values in both; for `or`, values in neither must exist.
            let none = match op {
                Op::And => b_arc.disjoint(&leaf_arc),
                _ => match (b_arc.complement(), leaf_arc.complement()) {
                    (Some(x), Some(y)) => x.disjoint(&y),
                    _ => true,
                },
            };
            if none {
                return Some(self.bool(op == Op::Or));
            }
            let redundant =
                if op == Op::And { leaf_arc.within(&b_arc) } else { b_arc.within(&leaf_arc) };
            if redundant {
                return Some(a);
            }
        }
        None
    }

    /// The operands of a chain of one operation, the first few.
    fn chain(&self, op: Op, e: ExprId, out: &mut [ExprId; MAX_CHAIN]) -> usize {
        let (mut len, mut next) = (1, 0);
        out[0] = e;
        while next < len {
            let n = self.node(out[next]);
            if n.op == op && len < MAX_CHAIN {
                out[next] = n.child(0);
                out[len] = n.child(1);
                len += 1;
            } else {
                next += 1;
            }
        }
        len
    }

    pub fn xor(&mut self, a: ExprId, b: ExprId) -> ExprId {
        let w = self.same_width(a, b);
        let (a, b) = self.ordered(a, b);
        if a == b {
            return self.constant(0, w);
        }
        if self.is_not_of(a, b) {
            return self.constant(mask(w), w);
        }
        let (x, y) = (self.node(a), self.node(b));
        if let Some(k) = self.as_const(b) {
            if k == 0 {
                return a;
            }
            if k == mask(w) {
                return self.not(a);
            }
            if x.op == Op::Xor
                && let Some(k2) = self.as_const(x.child(1))
            {
                let both = self.constant(k ^ k2, w);
                return self.xor(x.child(0), both);
            }
            if x.op == Op::Not {
                let inverse = self.constant(!k, w);
                return self.xor(x.child(0), inverse);
            }
        } else if x.op == Op::Not || y.op == Op::Not {
            let negations = u32::from(x.op == Op::Not) + u32::from(y.op == Op::Not);
            let a = if x.op == Op::Not { x.child(0) } else { a };
            let b = if y.op == Op::Not { y.child(0) } else { b };
            let plain = self.xor(a, b);
            return if negations == 1 { self.not(plain) } else { plain };
        }
        for (one, other) in [(x, b), (y, a)] {
            if one.op == Op::Xor {
                if one.child(0) == other {
                    return one.child(1);
                }
                if one.child(1) == other {
                    return one.child(0);
                }
            }
        }
        self.finish(Op::Xor, w, 0, &[a, b])
    }
}
