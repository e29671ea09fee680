//! Division, remainder and shifts.

use crate::smt::expr::{ExprId, Op, Pool};
use crate::smt::value::{mask, sign_bit};

impl Pool {
    fn both_non_negative(&self, a: ExprId, b: ExprId) -> bool {
        let non_negative = |e: ExprId| self.facts(e).is_some_and(|f| f.smin >= 0);
        non_negative(a) && non_negative(b)
    }

    /// `x / 0` is all ones.
    pub fn udiv(&mut self, a: ExprId, b: ExprId) -> ExprId {
        let w = self.same_width(a, b);
        match self.as_const(b) {
            Some(0) => return self.constant(mask(w), w),
            Some(1) => return a,
            Some(k) if k.is_power_of_two() => return self.shift_right(a, k.trailing_zeros()),
            _ => {}
        }
        self.finish(Op::UDiv, w, 0, &[a, b])
    }

    /// `x % 0` is `x`.
    pub fn urem(&mut self, a: ExprId, b: ExprId) -> ExprId {
        let w = self.same_width(a, b);
        match self.as_const(b) {
            Some(0) => return a,
            Some(k) if k.is_power_of_two() => {
                let low = self.constant(k - 1, w);
                return self.and(a, low);
            }
            _ => {}
        }
        let smaller = match (self.facts(a), self.facts(b)) {
            (Some(x), Some(y)) => x.umax < y.umin,
            _ => false,
        };
        if smaller {
            return a;
        }
        self.finish(Op::URem, w, 0, &[a, b])
    }

    /// Truncates; `x / 0` is -1 for `x >= 0`, else 1; `MIN / -1` is `MIN`.
    pub fn sdiv(&mut self, a: ExprId, b: ExprId) -> ExprId {
        let w = self.same_width(a, b);
        // Of one bit, 1 is -1: not the case below.
        if w > 1 {
            match self.as_const(b) {
                Some(1) => return a,
                Some(k) if k == mask(w) => return self.neg(a),
                _ => {}
            }
        }
        if self.both_non_negative(a, b) {
            return self.udiv(a, b);
        }
        self.finish(Op::SDiv, w, 0, &[a, b])
    }

    /// The dividend's sign; `x % 0` is `x`.
    pub fn srem(&mut self, a: ExprId, b: ExprId) -> ExprId {
        let w = self.same_width(a, b);
        match self.as_const(b) {
            Some(0) => return a,
            Some(k) if k == 1 || k == mask(w) => return self.constant(0, w),
            _ => {}
        }
        if self.both_non_negative(a, b) {
            return self.urem(a, b);
        }
        self.finish(Op::SRem, w, 0, &[a, b])
    }

    /// A shift by the width or more gives zero.
    pub fn shl(&mut self, a: ExprId, b: ExprId) -> ExprId {
        let w = self.same_width(a, b);
        match self.as_const(b) {
            Some(k) if k >= u128::from(w) => return self.constant(0, w),
            Some(k) => return self.scale(a, 1 << k),
            None => {}
        }
        if self.as_const(a) == Some(0) {
            return a;
        }
        self.finish(Op::Shl, w, 0, &[a, b])
    }

    /// A shift by the width or more gives zero.
    pub fn lshr(&mut self, a: ExprId, b: ExprId) -> ExprId {
        let w = self.same_width(a, b);
        match self.as_const(b) {
            Some(k) if k >= u128::from(w) => return self.constant(0, w),
            Some(k) => return self.shift_right(a, k as u32),
            None => {}
        }
        self.finish(Op::LShr, w, 0, &[a, b])
    }

    /// A shift by the width or more fills with the sign.
    pub fn ashr(&mut self, a: ExprId, b: ExprId) -> ExprId {
        let w = self.same_width(a, b);
        if let Some(k) = self.as_const(b) {
            let k = k.min(u128::from(w) - 1) as u32;
            let high = self.extract(a, k, w - k);
            return self.sext(high, w);
        }
        if self.facts(a).is_some_and(|f| f.smin >= 0) {
            return self.lshr(a, b);
        }
        self.finish(Op::AShr, w, 0, &[a, b])
    }

    fn shift_right(&mut self, a: ExprId, by: u32) -> ExprId {
        let w = self.width(a);
        let high = self.extract(a, by, w - by);
        self.zext(high, w)
    }

    /// `-x` would overflow.
    pub fn neg_overflow(&mut self, a: ExprId) -> ExprId {
        let w = self.width(a);
        let lowest = self.constant(sign_bit(w), w);
        self.eq(a, lowest)
    }

    /// `a / b`, signed, would overflow: `MIN / -1`.
    pub fn sdiv_overflow(&mut self, a: ExprId, b: ExprId) -> ExprId {
        let w = self.same_width(a, b);
        let lowest = self.neg_overflow(a);
        let minus_one = self.constant(mask(w), w);
        let by_minus_one = self.eq(b, minus_one);
        self.and(lowest, by_minus_one)
    }
}
