//! Forms written with the others: `<=` and `>`, overflow of sums, counting bits, reversing bytes.

use crate::smt::expr::{ExprId, MAX_WIDTH, Op, Pool};
use crate::smt::value::mask;

impl Pool {
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

    pub fn uadd_overflow(&mut self, a: ExprId, b: ExprId) -> ExprId {
        let limit = self.not(b);
        self.ult(limit, a)
    }

    pub fn usub_overflow(&mut self, a: ExprId, b: ExprId) -> ExprId {
        self.ult(a, b)
    }

    pub fn sadd_overflow(&mut self, a: ExprId, b: ExprId) -> ExprId {
        let sum = self.add(a, b);
        self.signed_overflow(a, b, sum, |x, y| x.checked_add(y))
    }

    pub fn ssub_overflow(&mut self, a: ExprId, b: ExprId) -> ExprId {
        let difference = self.sub(a, b);
        self.signed_overflow(a, b, difference, |x, y| x.checked_sub(y))
    }

    /// The result does not lie on the side of `a` that `b` points to. `exact` computes on the ends
    /// of what is known about the operands; it decides most cases at once.
    fn signed_overflow(
        &mut self,
        a: ExprId,
        b: ExprId,
        result: ExprId,
        exact: impl Fn(i128, i128) -> Option<i128>,
    ) -> ExprId {
        let w = self.same_width(a, b);
        let minus = exact(0, 1) == Some(-1);
        if let (Some(x), Some(y)) = (self.facts(a).copied(), self.facts(b).copied()) {
            let (ylow, yhigh) = if minus { (y.smax, y.smin) } else { (y.smin, y.smax) };
            let low = exact(x.smin.into(), ylow.into());
            let high = exact(x.smax.into(), yhigh.into());
            let limit = 1i128 << (w - 1);
            if low.is_some_and(|v| v >= -limit) && high.is_some_and(|v| v < limit) {
                return self.bool(false);
            }
        }
        // With a constant it is one comparison.
        if let Some(k) = self.as_const(b) {
            let negative = (k >> (w - 1) & 1 == 1) != minus;
            return if negative { self.slt(a, result) } else { self.slt(result, a) };
        }
        let zero = self.constant(0, w);
        let falls = self.slt(result, a);
        let down = if minus { self.slt(zero, b) } else { self.slt(b, zero) };
        self.xor(falls, down)
    }

    pub fn umul_overflow(&mut self, a: ExprId, b: ExprId) -> ExprId {
        self.mul_overflow(Op::UMulO, a, b)
    }

    pub fn smul_overflow(&mut self, a: ExprId, b: ExprId) -> ExprId {
        self.mul_overflow(Op::SMulO, a, b)
    }

    fn mul_overflow(&mut self, op: Op, a: ExprId, b: ExprId) -> ExprId {
        let w = self.same_width(a, b);
        // Of one bit, 1 is -1, and only -1 * -1 does not fit. (Z3 is wrong here: it must not see it.)
        if w == 1 {
            return if op == Op::SMulO { self.and(a, b) } else { self.bool(false) };
        }
        let (a, b) = self.ordered(a, b);
        if let Some(0 | 1) = self.as_const(b) {
            return self.bool(false);
        }
        self.finish(op, 1, 0, &[a, b])
    }

    /// The number of ones.
    pub fn ctpop(&mut self, a: ExprId) -> ExprId {
        let w = self.width(a);
        let wide = w.next_power_of_two().min(MAX_WIDTH);
        let mut sums = self.zext(a, wide);
        // Neighbouring fields of 1, 2, 4 … bits are added, all at once.
        let mut field = 1;
        while field < wide {
            let pattern =
                (0..wide / (2 * field)).fold(0, |m, i| m | mask(field) << (2 * field * i));
            let (pattern, by) = (self.constant(pattern, wide), self.constant(field.into(), wide));
            let even = self.and(sums, pattern);
            let odd = self.lshr(sums, by);
            let odd = self.and(odd, pattern);
            sums = self.add(even, odd);
            field *= 2;
        }
        self.extract(sums, 0, w)
    }

    /// The number of zeros above the highest one; the width for zero.
    pub fn clz(&mut self, a: ExprId) -> ExprId {
        let w = self.width(a);
        let mut smeared = a;
        let mut by = 1;
        while by < w {
            let k = self.constant(by.into(), w);
            let shifted = self.lshr(smeared, k);
            smeared = self.or(smeared, shifted);
            by *= 2;
        }
        let above = self.not(smeared);
        self.ctpop(above)
    }

    /// The number of zeros below the lowest one; the width for zero.
    pub fn ctz(&mut self, a: ExprId) -> ExprId {
        let w = self.width(a);
        let one = self.constant(1, w);
        let less = self.sub(a, one);
        let not = self.not(a);
        let below = self.and(not, less);
        self.ctpop(below)
    }

    /// The bytes in the other order; the width must be a multiple of 8.
    pub fn bswap(&mut self, a: ExprId) -> ExprId {
        let w = self.width(a);
        assert!(w.is_multiple_of(8), "{w} bits are not whole bytes");
        let mut swapped = self.extract(a, 0, 8);
        for at in (8..w).step_by(8) {
            let byte = self.extract(a, at, 8);
            swapped = self.concat(swapped, byte);
        }
        swapped
    }

    /// The bits in the other order.
    pub fn bit_reverse(&mut self, a: ExprId) -> ExprId {
        let bits: Vec<ExprId> = (0..self.width(a)).map(|at| self.extract(a, at, 1)).collect();
        let (&first, rest) = bits.split_first().expect("a width is not zero");
        rest.iter().fold(first, |reversed, &bit| self.concat(reversed, bit))
    }

    /// The higher half of `high` and `low`, put together and shifted left, by `by` modulo the width.
    pub fn funnel_left(&mut self, high: ExprId, low: ExprId, by: ExprId) -> ExprId {
        let (by, rest, one) = self.funnel_amounts(high, by);
        let upper = self.shl(high, by);
        let lower = self.lshr(low, one);
        let lower = self.lshr(lower, rest);
        self.or(upper, lower)
    }

    /// The lower half of `high` and `low`, put together and shifted right, by `by` modulo the width.
    pub fn funnel_right(&mut self, high: ExprId, low: ExprId, by: ExprId) -> ExprId {
        let (by, rest, one) = self.funnel_amounts(high, by);
        let upper = self.shl(high, one);
        let upper = self.shl(upper, rest);
        let lower = self.lshr(low, by);
        self.or(upper, lower)
    }

    /// The amount, what is left of the width after one more, and one. Neither amount is the width.
    fn funnel_amounts(&mut self, a: ExprId, by: ExprId) -> (ExprId, ExprId, ExprId) {
        let w = self.width(a);
        let last = self.constant(u128::from(w - 1), w);
        let by = if w.is_power_of_two() {
            self.and(by, last)
        } else {
            let width = self.constant(u128::from(w), w);
            self.urem(by, width)
        };
        (by, self.sub(last, by), self.constant(1, w))
    }

    /// The sum, or the largest number where it is larger.
    pub fn uadd_saturating(&mut self, a: ExprId, b: ExprId) -> ExprId {
        let (over, sum) = (self.uadd_overflow(a, b), self.add(a, b));
        let most = self.constant(mask(self.width(a)), self.width(a));
        self.ite(over, most, sum)
    }

    /// The difference, or zero where it is negative.
    pub fn usub_saturating(&mut self, a: ExprId, b: ExprId) -> ExprId {
        let (over, difference) = (self.usub_overflow(a, b), self.sub(a, b));
        let zero = self.constant(0, self.width(a));
        self.ite(over, zero, difference)
    }

    /// The signed sum, or the bound that it passes.
    pub fn sadd_saturating(&mut self, a: ExprId, b: ExprId) -> ExprId {
        let (over, sum) = (self.sadd_overflow(a, b), self.add(a, b));
        self.saturated(a, over, sum)
    }

    /// The signed difference, or the bound that it passes.
    pub fn ssub_saturating(&mut self, a: ExprId, b: ExprId) -> ExprId {
        let (over, difference) = (self.ssub_overflow(a, b), self.sub(a, b));
        self.saturated(a, over, difference)
    }

    /// A sum or difference leaves the range on the side of its first operand.
    fn saturated(&mut self, a: ExprId, over: ExprId, result: ExprId) -> ExprId {
        let w = self.width(a);
        let least = self.constant(1 << (w - 1), w);
        let most = self.constant(mask(w) >> 1, w);
        let zero = self.constant(0, w);
        let is_negative = self.slt(a, zero);
        let bound = self.ite(is_negative, least, most);
        self.ite(over, bound, result)
    }
}
