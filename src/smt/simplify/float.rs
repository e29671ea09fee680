//! Floats. Sign operations and tests are plain bit operations; arithmetic is folded when constant and
//! otherwise left to the solver, rounded to nearest, ties to even.

use crate::smt::expr::{ExprId, FloatAux, Op, Pool};
use crate::smt::float::{Format, Rounding};
use crate::smt::value::{mask, sign_bit};

impl FloatAux {
    fn of(format: Format) -> FloatAux {
        FloatAux { format, from: Format::F16, rounding: Rounding::NearestEven }
    }
}

impl Pool {
    pub(super) fn float_node(
        &mut self,
        op: Op,
        width: u32,
        aux: FloatAux,
        children: &[ExprId],
    ) -> ExprId {
        self.finish(op, width, aux.pack(), children)
    }

    fn float_arithmetic(&mut self, op: Op, format: Format, children: &[ExprId]) -> ExprId {
        for &e in children {
            self.check_float(format, e);
        }
        self.float_node(op, format.width(), FloatAux::of(format), children)
    }

    fn check_float(&self, format: Format, e: ExprId) {
        let w = self.width(e);
        assert!(w == format.width(), "{w} bits as {format:?}");
    }

    pub fn fadd(&mut self, format: Format, a: ExprId, b: ExprId) -> ExprId {
        let (a, b) = self.ordered(a, b);
        self.float_arithmetic(Op::FAdd, format, &[a, b])
    }

    pub fn fsub(&mut self, format: Format, a: ExprId, b: ExprId) -> ExprId {
        let minus = self.fneg(format, b);
        self.fadd(format, a, minus)
    }

    pub fn fmul(&mut self, format: Format, a: ExprId, b: ExprId) -> ExprId {
        let (a, b) = self.ordered(a, b);
        self.float_arithmetic(Op::FMul, format, &[a, b])
    }

    pub fn fdiv(&mut self, format: Format, a: ExprId, b: ExprId) -> ExprId {
        self.float_arithmetic(Op::FDiv, format, &[a, b])
    }

    /// C's `fmod`. The solver has no such operation: only constants are decided.
    pub fn frem(&mut self, format: Format, a: ExprId, b: ExprId) -> ExprId {
        self.float_arithmetic(Op::FRem, format, &[a, b])
    }

    /// `a * b + c`, rounded once.
    pub fn ffma(&mut self, format: Format, a: ExprId, b: ExprId, c: ExprId) -> ExprId {
        self.float_arithmetic(Op::FFma, format, &[a, b, c])
    }

    pub fn fsqrt(&mut self, format: Format, a: ExprId) -> ExprId {
        self.float_arithmetic(Op::FSqrt, format, &[a])
    }

    /// To an integral value: `floor` is `Down`, `ceil` is `Up`, `trunc` is `Zero`, `round` is
    /// `NearestAway`, `rint` is `NearestEven`.
    pub fn fround(&mut self, format: Format, rounding: Rounding, a: ExprId) -> ExprId {
        self.check_float(format, a);
        let aux = FloatAux { rounding, ..FloatAux::of(format) };
        self.float_node(Op::FRound, format.width(), aux, &[a])
    }

    /// Flips the sign, also a NaN's.
    pub fn fneg(&mut self, format: Format, a: ExprId) -> ExprId {
        let sign = self.constant(sign_bit(format.width()), format.width());
        self.xor(a, sign)
    }

    pub fn fabs(&mut self, format: Format, a: ExprId) -> ExprId {
        let w = format.width();
        let rest = self.constant(mask(w - 1), w);
        self.and(a, rest)
    }

    pub fn copysign(&mut self, magnitude: ExprId, sign: ExprId) -> ExprId {
        let w = self.same_width(magnitude, sign);
        let sign = self.extract(sign, w - 1, 1);
        let rest = self.extract(magnitude, 0, w - 1);
        self.concat(sign, rest)
    }

    /// A test of the bits; x87's invalid encodings count as NaN.
    pub fn is_nan(&mut self, format: Format, a: ExprId) -> ExprId {
        self.check_float(format, a);
        if format == Format::X87 {
            let exponent = self.extract(a, 64, 15);
            let leading = self.extract(a, 63, 1);
            let fraction = self.extract(a, 0, 63);
            let (zero, ones) = (self.constant(0, 15), self.constant(0x7fff, 15));
            let nothing = self.constant(0, 63);
            let special = self.eq(exponent, ones);
            let payload = self.ne(fraction, nothing);
            let nan = self.and(special, payload);
            let not_zero = self.ne(exponent, zero);
            let missing = self.not(leading);
            let invalid = self.and(not_zero, missing);
            return self.or(nan, invalid);
        }
        let magnitude = self.extract(a, 0, format.width() - 1);
        let infinity = self.constant(format.infinity(), format.width() - 1);
        self.ult(infinity, magnitude)
    }

    pub fn is_infinite(&mut self, format: Format, a: ExprId) -> ExprId {
        self.check_float(format, a);
        let magnitude = self.extract(a, 0, format.width() - 1);
        let infinity = self.constant(format.infinity(), format.width() - 1);
        self.eq(magnitude, infinity)
    }

    /// `a`, but a NaN takes its sign and payload from `choice`: a machine's NaN, whatever it is, if
    /// `choice` is a fresh variable.
    pub fn float_any_nan(&mut self, format: Format, a: ExprId, choice: ExprId) -> ExprId {
        let w = self.same_width(a, choice);
        let nan = self.constant(format.nan(), w);
        let other = self.or(choice, nan);
        let is_nan = self.is_nan(format, a);
        self.ite(is_nan, other, a)
    }

    fn float_compare(&mut self, op: Op, format: Format, a: ExprId, b: ExprId) -> ExprId {
        self.check_float(format, a);
        self.check_float(format, b);
        self.float_node(op, 1, FloatAux::of(format), &[a, b])
    }

    /// Ordered and equal; the zeros are equal, a NaN equals nothing.
    pub fn feq(&mut self, format: Format, a: ExprId, b: ExprId) -> ExprId {
        let (a, b) = self.ordered(a, b);
        if a == b {
            let nan = self.is_nan(format, a);
            return self.not(nan);
        }
        self.float_compare(Op::FEq, format, a, b)
    }

    /// Ordered and less.
    pub fn flt(&mut self, format: Format, a: ExprId, b: ExprId) -> ExprId {
        if a == b {
            return self.bool(false);
        }
        self.float_compare(Op::FLt, format, a, b)
    }

    /// Ordered and less or equal.
    pub fn fle(&mut self, format: Format, a: ExprId, b: ExprId) -> ExprId {
        if a == b {
            return self.feq(format, a, b);
        }
        self.float_compare(Op::FLe, format, a, b)
    }

    /// Either is not a number.
    pub fn funordered(&mut self, format: Format, a: ExprId, b: ExprId) -> ExprId {
        let (x, y) = (self.is_nan(format, a), self.is_nan(format, b));
        self.or(x, y)
    }

    pub fn fconvert(&mut self, from: Format, to: Format, a: ExprId) -> ExprId {
        self.check_float(from, a);
        if from == to {
            return a;
        }
        let aux = FloatAux { from, ..FloatAux::of(to) };
        self.float_node(Op::FConvert, to.width(), aux, &[a])
    }

    pub fn int_to_float(&mut self, a: ExprId, is_signed: bool, to: Format) -> ExprId {
        let op = if is_signed { Op::SToF } else { Op::UToF };
        self.float_node(op, to.width(), FloatAux::of(to), &[a])
    }

    /// Towards zero. What does not fit gives the highest bit alone; ask [`Pool::float_fits`] first
    /// where that matters.
    pub fn float_to_int(
        &mut self,
        from: Format,
        a: ExprId,
        is_signed: bool,
        width: u32,
    ) -> ExprId {
        self.check_float(from, a);
        let op = if is_signed { Op::FToS } else { Op::FToU };
        self.float_node(op, width, FloatAux::of(from), &[a])
    }

    /// Truncated, the value is an integer of that width.
    pub fn float_fits(&mut self, from: Format, a: ExprId, is_signed: bool, width: u32) -> ExprId {
        let w = from.width();
        let whole = self.fround(from, Rounding::Zero, a);
        let limit = from.power_of_two(if is_signed { width - 1 } else { width });
        let lowest = if is_signed { limit | sign_bit(w) } else { 0 };
        let (high, low) = (self.constant(limit, w), self.constant(lowest, w));
        let below = self.flt(from, whole, high);
        // Where the limit is beyond the format, all finite values fit; minus infinity does not.
        let above = if limit == from.infinity() && is_signed {
            self.flt(from, low, whole)
        } else {
            self.fle(from, low, whole)
        };
        self.and(below, above)
    }
}
