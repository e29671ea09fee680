//! `==` and the two `<`. Comparisons are made narrower and constants moved to one side until the
//! term that decides stands alone.

use super::arith::{Sum, inverse};
use crate::smt::expr::{ExprId, Op, Pool};
use crate::smt::value::{mask, sign_bit, signed};

impl Pool {
    pub fn eq(&mut self, a: ExprId, b: ExprId) -> ExprId {
        let w = self.same_width(a, b);
        if a == b {
            return self.bool(true);
        }
        if w == 1 {
            let differ = self.xor(a, b);
            return self.not(differ);
        }
        let (a, b) = self.ordered(a, b);
        if self.surely_differ(a, b) {
            return self.bool(false);
        }
        let simpler = match self.as_const(b) {
            Some(k) => self.eq_constant(a, k, w),
            None => self.eq_alike(a, b),
        };
        if let Some(e) = simpler {
            return e;
        }
        if self.is_sum(a) || self.is_sum(b) {
            if let Some(e) = self.eq_sums(a, b, w) {
                return e;
            }
        }
        self.finish(Op::Eq, 1, 0, &[a, b])
    }

    fn eq_constant(&mut self, a: ExprId, k: u128, w: u32) -> Option<ExprId> {
        let n = self.node(a);
        match n.op {
            Op::Not => {
                let inverse = self.constant(!k, w);
                Some(self.eq(n.child(0), inverse))
            }
            Op::Xor => {
                let k2 = self.as_const(n.child(1));
                match k2 {
                    Some(k2) => {
                        let k = self.constant(k ^ k2, w);
                        Some(self.eq(n.child(0), k))
                    }
                    None if k == 0 => Some(self.eq(n.child(0), n.child(1))),
                    None => None,
                }
            }
            Op::ZExt | Op::SExt => {
                let from = self.width(n.child(0));
                let cut = k & mask(from);
                let back = if n.op == Op::SExt { signed(cut, from) as u128 & mask(w) } else { cut };
                if back != k {
                    return Some(self.bool(false));
                }
                let cut = self.constant(cut, from);
                Some(self.eq(n.child(0), cut))
            }
            Op::Concat => {
                let at = self.width(n.child(1));
                let (high, low) = (self.constant(k >> at, w - at), self.constant(k, at));
                let high = self.eq(n.child(0), high);
                if self.as_const(high) == Some(0) {
                    return Some(high);
                }
                let low = self.eq(n.child(1), low);
                Some(self.and(high, low))
            }
            Op::Ite => {
                let k = self.constant(k, w);
                self.compare_choice(&n, |p, e| p.eq(e, k))
            }
            _ => None,
        }
    }

    /// A comparison of `ite` where one branch is a constant is a condition or the other branch's.
    fn compare_choice(
        &mut self,
        choice: &crate::smt::expr::Node,
        mut compare: impl FnMut(&mut Pool, ExprId) -> ExprId,
    ) -> Option<ExprId> {
        let (c, t, e) = (choice.child(0), choice.child(1), choice.child(2));
        if self.op(t) != Op::Const && self.op(e) != Op::Const {
            return None;
        }
        self.deeper(|p| {
            let (t, e) = (compare(p, t), compare(p, e));
            Some(p.ite(c, t, e))
        })
    }

    /// Both sides are made the same way.
    fn eq_alike(&mut self, a: ExprId, b: ExprId) -> Option<ExprId> {
        let (x, y) = (self.node(a), self.node(b));
        if x.op == y.op {
            match x.op {
                Op::Not => return Some(self.eq(x.child(0), y.child(0))),
                Op::ZExt | Op::SExt => {
                    let (p, q) = (x.child(0), y.child(0));
                    let to = self.width(p).max(self.width(q));
                    let signed = x.op == Op::SExt;
                    let (p, q) = (self.resize(p, to, signed), self.resize(q, to, signed));
                    return Some(self.eq(p, q));
                }
                Op::Concat if self.width(x.child(1)) == self.width(y.child(1)) => {
                    let high = self.eq(x.child(0), y.child(0));
                    let low = self.eq(x.child(1), y.child(1));
                    return Some(self.and(high, low));
                }
                _ => {}
            }
        }
        for (choice, other) in [(x, b), (y, a)] {
            if choice.op == Op::Ite {
                let (c, t, e) = (choice.child(0), choice.child(1), choice.child(2));
                if t == other {
                    let rest = self.deeper(|p| Some(p.eq(e, other)))?;
                    return Some(self.or(c, rest));
                }
                if e == other {
                    let rest = self.deeper(|p| Some(p.eq(t, other)))?;
                    let not = self.not(c);
                    return Some(self.or(not, rest));
                }
            }
        }
        None
    }

    /// `a == b` as `a - b == 0`, solved for its one term or with the common terms gone.
    fn eq_sums(&mut self, a: ExprId, b: ExprId, w: u32) -> Option<ExprId> {
        let d = self.difference(a, b)?;
        let right = d.constant.wrapping_neg() & mask(w);
        match d.terms[..] {
            [] => Some(self.bool(d.constant == 0)),
            // k*x == c: x is unique in the bits that k leaves.
            [(x, k)] => {
                let zeros = k.trailing_zeros();
                if right & mask(zeros) != 0 {
                    return Some(self.bool(false));
                }
                let left = w - zeros;
                let value = (right >> zeros).wrapping_mul(inverse(k >> zeros));
                let part = self.extract(x, 0, left);
                let value = self.constant(value, left);
                Some(self.eq(part, value))
            }
            _ => {
                // The first term to the left, what has the other sign to the right: one form for
                // the equation and for the same multiplied by -1.
                let (mut l, mut r) = (Sum::new(w), Sum::new(w));
                let positive = |k: u128| k <= mask(w - 1);
                let flip = !d.terms.first().is_some_and(|t| positive(t.1));
                let sign = |k: u128| if flip { k.wrapping_neg() & mask(w) } else { k };
                for &(x, k) in &d.terms {
                    if positive(sign(k)) {
                        l.terms.push((x, sign(k)));
                    } else {
                        r.terms.push((x, sign(k).wrapping_neg() & mask(w)));
                    }
                }
                r.constant = sign(right);
                let (l, r) = (l.build(self), r.build(self));
                let (l, r) = self.ordered(l, r);
                Some(self.finish(Op::Eq, 1, 0, &[l, r]))
            }
        }
    }

    pub fn ne(&mut self, a: ExprId, b: ExprId) -> ExprId {
        let equal = self.eq(a, b);
        self.not(equal)
    }

    pub fn ult(&mut self, a: ExprId, b: ExprId) -> ExprId {
        let w = self.same_width(a, b);
        if a == b {
            return self.bool(false);
        }
        if w == 1 {
            let not = self.not(a);
            return self.and(not, b);
        }
        match (self.as_const(a), self.as_const(b)) {
            (_, Some(0)) => return self.bool(false),
            (Some(k), _) if k == mask(w) => return self.bool(false),
            (None, Some(1)) => {
                let zero = self.constant(0, w);
                return self.eq(a, zero);
            }
            (None, Some(k)) if k == mask(w) => return self.ne(a, b),
            (Some(0), None) => return self.ne(b, a),
            (Some(k), None) if k == mask(w) - 1 => {
                let highest = self.constant(mask(w), w);
                return self.eq(b, highest);
            }
            _ => {}
        }
        if let Some(e) = self.narrowed(a, b, w, false) {
            return e;
        }
        self.finish(Op::Ult, 1, 0, &[a, b])
    }

    pub fn slt(&mut self, a: ExprId, b: ExprId) -> ExprId {
        let w = self.same_width(a, b);
        if a == b {
            return self.bool(false);
        }
        if w == 1 {
            let not = self.not(b);
            return self.and(a, not);
        }
        let (lowest, highest) = (sign_bit(w), mask(w - 1));
        match (self.as_const(a), self.as_const(b)) {
            (_, Some(k)) if k == lowest => return self.bool(false),
            (Some(k), _) if k == highest => return self.bool(false),
            (None, Some(k)) if k == lowest + 1 => {
                let lowest = self.constant(lowest, w);
                return self.eq(a, lowest);
            }
            (None, Some(k)) if k == highest => return self.ne(a, b),
            (Some(k), None) if k == lowest => return self.ne(b, a),
            (Some(k), None) if k == highest - 1 => {
                let highest = self.constant(highest, w);
                return self.eq(b, highest);
            }
            _ => {}
        }
        if let (Some(x), Some(y)) = (self.facts(a), self.facts(b)) {
            // Of one sign, both orders agree.
            if (x.smin >= 0 && y.smin >= 0) || (x.smax < 0 && y.smax < 0) {
                return self.ult(a, b);
            }
        }
        if let Some(e) = self.narrowed(a, b, w, true) {
            return e;
        }
        self.finish(Op::Slt, 1, 0, &[a, b])
    }

    fn less(&mut self, a: ExprId, b: ExprId, is_signed: bool) -> ExprId {
        if is_signed { self.slt(a, b) } else { self.ult(a, b) }
    }

    /// The rules that `<` has in both readings.
    fn narrowed(&mut self, a: ExprId, b: ExprId, w: u32, is_signed: bool) -> Option<ExprId> {
        let (x, y) = (self.node(a), self.node(b));
        match (x.op, y.op) {
            (Op::Not, Op::Not) => return Some(self.less(y.child(0), x.child(0), is_signed)),
            (Op::Not, Op::Const) => {
                let k = self.not(b);
                return Some(self.less(k, x.child(0), is_signed));
            }
            (Op::Const, Op::Not) => {
                let k = self.not(a);
                return Some(self.less(y.child(0), k, is_signed));
            }
            (Op::ZExt, Op::ZExt) => {
                let to = self.width(x.child(0)).max(self.width(y.child(0)));
                let (p, q) = (self.zext(x.child(0), to), self.zext(y.child(0), to));
                return Some(self.ult(p, q));
            }
            (Op::SExt, Op::SExt) => {
                let to = self.width(x.child(0)).max(self.width(y.child(0)));
                let (p, q) = (self.sext(x.child(0), to), self.sext(y.child(0), to));
                return Some(self.less(p, q, is_signed));
            }
            (Op::ZExt | Op::SExt, Op::Const) => {
                if let Some(e) = self.narrowed_constant(&x, b, w, is_signed, false) {
                    return Some(e);
                }
            }
            (Op::Const, Op::ZExt | Op::SExt) => {
                if let Some(e) = self.narrowed_constant(&y, a, w, is_signed, true) {
                    return Some(e);
                }
            }
            (Op::Concat, Op::Concat) if x.child(0) == y.child(0) => {
                if self.width(x.child(1)) == self.width(y.child(1)) {
                    return Some(self.ult(x.child(1), y.child(1)));
                }
            }
            (Op::Concat, Op::Const) | (Op::Const, Op::Concat) => {
                if let Some(e) = self.high_part_decides(a, b, is_signed) {
                    return Some(e);
                }
            }
            (Op::Ite, Op::Const) => {
                return self.compare_choice(&x, |p, e| p.less(e, b, is_signed));
            }
            (Op::Const, Op::Ite) => {
                return self.compare_choice(&y, |p, e| p.less(a, e, is_signed));
            }
            (Op::Add, Op::Const) | (Op::Const, Op::Add) => {
                return self.without_offset(a, b, w, is_signed);
            }
            _ => {}
        }
        None
    }

    /// An extended value against a constant that it can have before it was extended.
    fn narrowed_constant(
        &mut self,
        extended: &crate::smt::expr::Node,
        constant: ExprId,
        w: u32,
        is_signed: bool,
        constant_first: bool,
    ) -> Option<ExprId> {
        let inner = extended.child(0);
        let from = self.width(inner);
        let k = self.as_const(constant)?;
        let cut = k & mask(from);
        let fits = match extended.op {
            Op::ZExt => cut == k,
            _ => signed(cut, from) == signed(k, w),
        };
        if !fits {
            return None;
        }
        // What was extended with zeros is not negative: its order is the unsigned one.
        let is_signed = is_signed && extended.op == Op::SExt;
        let cut = self.constant(cut, from);
        Some(if constant_first {
            self.less(cut, inner, is_signed)
        } else {
            self.less(inner, cut, is_signed)
        })
    }

    /// `h:l < k:0` is `h < k`, and `k:11…1 < h:l` is `k < h`.
    fn high_part_decides(&mut self, a: ExprId, b: ExprId, is_signed: bool) -> Option<ExprId> {
        let (x, y) = (self.node(a), self.node(b));
        let joined = if x.op == Op::Concat { x } else { y };
        let (high, at) = (joined.child(0), self.width(joined.child(1)));
        let w = self.width(high);
        if let Some(k) = self.as_const(b) {
            let k = (k & mask(at) == 0).then(|| self.constant(k >> at, w))?;
            return Some(self.less(high, k, is_signed));
        }
        let k = self.as_const(a)?;
        let k = (k & mask(at) == mask(at)).then(|| self.constant(k >> at, w))?;
        Some(self.less(k, high, is_signed))
    }

    /// `x + c < k` is `x < k - c` if `x + c` never wraps; so, too, with the sides exchanged.
    fn without_offset(&mut self, a: ExprId, b: ExprId, w: u32, is_signed: bool) -> Option<ExprId> {
        if w > 64 {
            return None;
        }
        let (sum, k, sum_first) = match self.as_const(b) {
            Some(k) => (self.node(a), k, true),
            None => (self.node(b), self.as_const(a)?, false),
        };
        let x = sum.child(0);
        let c = self.as_const(sum.child(1))?;
        let f = *self.facts(x)?;
        // In the order's own numbers; an unsigned offset may go up or down.
        let read = |v: u128| if is_signed { signed(v, w) } else { v as i128 };
        let (least, most) = if is_signed {
            (-(1i128 << (w - 1)), (1i128 << (w - 1)) - 1)
        } else {
            (0, mask(w) as i128)
        };
        let (low, high) = if is_signed {
            (i128::from(f.smin), i128::from(f.smax))
        } else {
            (i128::from(f.umin), i128::from(f.umax))
        };
        let never_wraps = |c: i128| low + c >= least && high + c <= most;
        let offset = [read(c), signed(c, w)].into_iter().find(|&c| never_wraps(c))?;
        let moved = read(k) - offset;
        if moved < least || moved > most {
            // The constant lies beyond everything x can be.
            let below = moved > most;
            return Some(self.bool(below == sum_first));
        }
        let moved = self.constant(moved as u128, w);
        Some(if sum_first { self.less(x, moved, is_signed) } else { self.less(moved, x, is_signed) })
    }

    pub fn ule(&mut self, a: ExprId, b: ExprId) -> ExprId {
        let greater = self.ult(b, a);
        self.not(greater)
    }

    pub fn sle(&mut self, a: ExprId, b: ExprId) -> ExprId {
        let greater = self.slt(b, a);
        self.not(greater)
    }

    pub fn ugt(&mut self, a: ExprId, b: ExprId) -> ExprId {
        self.ult(b, a)
    }

    pub fn sgt(&mut self, a: ExprId, b: ExprId) -> ExprId {
        self.slt(b, a)
    }

    pub fn uge(&mut self, a: ExprId, b: ExprId) -> ExprId {
        self.ule(b, a)
    }

    pub fn sge(&mut self, a: ExprId, b: ExprId) -> ExprId {
        self.sle(b, a)
    }
}
