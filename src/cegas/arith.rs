//! What the instructions compute: integers, floats, comparisons, casts.

use super::machine::{Machine, Step, gap};
use super::state::State;
use crate::ir::{
    BinaryOp, CastOp, FloatKind, FloatPredicate, IntPredicate, OverflowOp, PureOp, Type, TypeId,
};
use crate::smt::ExprId;
use crate::smt::float::{Format, Rounding};

impl Machine<'_> {
    pub(super) fn format(&self, ty: TypeId) -> Step<Format> {
        match self.program.types.get(ty) {
            Type::Float(FloatKind::F16) => Ok(Format::F16),
            Type::Float(FloatKind::BF16) => Ok(Format::BF16),
            Type::Float(FloatKind::F32) => Ok(Format::F32),
            Type::Float(FloatKind::F64) => Ok(Format::F64),
            Type::Float(FloatKind::X87) => Ok(Format::X87),
            Type::Float(FloatKind::F128) => Ok(Format::F128),
            _ => gap("a floating-point format that is not modelled"),
        }
    }

    /// An operation of two scalars of type `ty`; the execution ends where the machine traps.
    pub(super) fn binary(
        &mut self,
        state: &mut State,
        op: BinaryOp,
        a: ExprId,
        b: ExprId,
        ty: TypeId,
    ) -> Step<ExprId> {
        match op {
            BinaryOp::UDiv | BinaryOp::URem => self.assume_nonzero(state, b)?,
            BinaryOp::SDiv | BinaryOp::SRem => {
                self.assume_nonzero(state, b)?;
                let overflows = self.smt.pool.sdiv_overflow(a, b);
                let fine = self.smt.pool.not(overflows);
                self.assume(state, fine)?;
            }
            BinaryOp::FAdd | BinaryOp::FSub | BinaryOp::FMul | BinaryOp::FDiv | BinaryOp::FRem => {
                let format = self.format(ty)?;
                let pool = &mut self.smt.pool;
                let exact = match op {
                    BinaryOp::FAdd => pool.fadd(format, a, b),
                    BinaryOp::FSub => pool.fsub(format, a, b),
                    BinaryOp::FMul => pool.fmul(format, a, b),
                    BinaryOp::FDiv => pool.fdiv(format, a, b),
                    _ => pool.frem(format, a, b),
                };
                return Ok(self.any_nan(state, format, exact));
            }
            _ => {}
        }
        self.int_binary(op, a, b)
    }

    /// The sign and payload of a NaN that an operation makes are the machine's choice.
    pub(super) fn any_nan(&mut self, state: &mut State, format: Format, value: ExprId) -> ExprId {
        let is_nan = self.smt.pool.is_nan(format, value);
        if self.smt.pool.as_const(is_nan) == Some(0) {
            return value;
        }
        let bits = self.smt.pool.width(value);
        let choice = self.fresh(state, bits, super::machine::Source::Unspecified);
        self.smt.pool.float_any_nan(format, value, choice)
    }

    fn assume_nonzero(&mut self, state: &mut State, divisor: ExprId) -> Step<()> {
        let zero = self.smt.pool.constant(0, self.smt.pool.width(divisor));
        let fine = self.smt.pool.ne(divisor, zero);
        self.assume(state, fine)
    }

    pub(super) fn int_binary(&mut self, op: BinaryOp, a: ExprId, b: ExprId) -> Step<ExprId> {
        let pool = &mut self.smt.pool;
        Ok(match op {
            BinaryOp::Add => pool.add(a, b),
            BinaryOp::Sub => pool.sub(a, b),
            BinaryOp::Mul => pool.mul(a, b),
            BinaryOp::UDiv => pool.udiv(a, b),
            BinaryOp::SDiv => pool.sdiv(a, b),
            BinaryOp::URem => pool.urem(a, b),
            BinaryOp::SRem => pool.srem(a, b),
            BinaryOp::And => pool.and(a, b),
            BinaryOp::Or => pool.or(a, b),
            BinaryOp::Xor => pool.xor(a, b),
            BinaryOp::Shl | BinaryOp::LShr | BinaryOp::AShr => {
                let width = pool.width(a);
                let fits = pool.as_const(b).is_some_and(|amount| amount < u128::from(width));
                let amount = if fits {
                    b
                } else if width.is_power_of_two() {
                    // As x86 does: only the low bits of the amount count.
                    let low = pool.constant(u128::from(width - 1), width);
                    pool.and(b, low)
                } else {
                    return gap("a shift of an odd width");
                };
                match op {
                    BinaryOp::Shl => pool.shl(a, amount),
                    BinaryOp::LShr => pool.lshr(a, amount),
                    _ => pool.ashr(a, amount),
                }
            }
            BinaryOp::FAdd | BinaryOp::FSub | BinaryOp::FMul | BinaryOp::FDiv | BinaryOp::FRem => {
                return gap("a floating-point constant expression");
            }
        })
    }

    pub(super) fn overflow(&mut self, op: OverflowOp, a: ExprId, b: ExprId) -> ExprId {
        let pool = &mut self.smt.pool;
        match op {
            OverflowOp::SAdd => pool.sadd_overflow(a, b),
            OverflowOp::UAdd => pool.uadd_overflow(a, b),
            OverflowOp::SSub => pool.ssub_overflow(a, b),
            OverflowOp::USub => pool.usub_overflow(a, b),
            OverflowOp::SMul => pool.smul_overflow(a, b),
            OverflowOp::UMul => pool.umul_overflow(a, b),
        }
    }

    /// Two scalars that may be pointers.
    pub(super) fn compare(
        &mut self,
        state: &mut State,
        pred: IntPredicate,
        a: ExprId,
        b: ExprId,
    ) -> ExprId {
        if self.speaks_of_addresses(a) || self.speaks_of_addresses(b) {
            self.compare_addresses(state, pred, a, b)
        } else {
            self.int_compare(pred, a, b)
        }
    }

    pub(super) fn int_compare(&mut self, pred: IntPredicate, a: ExprId, b: ExprId) -> ExprId {
        let pool = &mut self.smt.pool;
        match pred {
            IntPredicate::Eq => pool.eq(a, b),
            IntPredicate::Ne => pool.ne(a, b),
            IntPredicate::UGt => pool.ugt(a, b),
            IntPredicate::UGe => pool.uge(a, b),
            IntPredicate::ULt => pool.ult(a, b),
            IntPredicate::ULe => pool.ule(a, b),
            IntPredicate::SGt => pool.sgt(a, b),
            IntPredicate::SGe => pool.sge(a, b),
            IntPredicate::SLt => pool.slt(a, b),
            IntPredicate::SLe => pool.sle(a, b),
        }
    }

    pub(super) fn float_compare(
        &mut self,
        pred: FloatPredicate,
        a: ExprId,
        b: ExprId,
        format: Format,
    ) -> ExprId {
        use FloatPredicate as P;
        let pool = &mut self.smt.pool;
        let unordered = pool.funordered(format, a, b);
        let ordered = match pred {
            P::False => return pool.bool(false),
            P::True => return pool.bool(true),
            P::Ord => return pool.not(unordered),
            P::Uno => return unordered,
            P::OEq | P::UEq => pool.feq(format, a, b),
            P::OGt | P::UGt => pool.flt(format, b, a),
            P::OGe | P::UGe => pool.fle(format, b, a),
            P::OLt | P::ULt => pool.flt(format, a, b),
            P::OLe | P::ULe => pool.fle(format, a, b),
            P::ONe | P::UNe => {
                let equal = pool.feq(format, a, b);
                let differ = pool.not(equal);
                let comparable = pool.not(unordered);
                pool.and(differ, comparable)
            }
        };
        match pred {
            P::UEq | P::UGt | P::UGe | P::ULt | P::ULe | P::UNe => pool.or(ordered, unordered),
            _ => ordered,
        }
    }

    /// `value` of type `from` as something `bits` wide; float targets go through `cast_value`.
    pub(super) fn cast(
        &mut self,
        op: CastOp,
        value: ExprId,
        from: TypeId,
        bits: u32,
    ) -> Step<ExprId> {
        let pool = &mut self.smt.pool;
        Ok(match op {
            CastOp::Trunc => pool.extract(value, 0, bits),
            CastOp::ZExt => pool.zext(value, bits),
            CastOp::SExt => pool.sext(value, bits),
            CastOp::PtrToInt | CastOp::IntToPtr => pool.resize(value, bits, false),
            CastOp::Bitcast if pool.width(value) == bits => value,
            CastOp::FpToSi | CastOp::FpToUi => {
                let format = self.format(from)?;
                self.smt.pool.float_to_int(format, value, op == CastOp::FpToSi, bits)
            }
            CastOp::Bitcast | CastOp::FpTrunc | CastOp::FpExt | CastOp::UiToFp | CastOp::SiToFp => {
                return gap("a cast of a constant");
            }
        })
    }

    pub(super) fn cast_value(
        &mut self,
        op: CastOp,
        value: ExprId,
        from: TypeId,
        to: TypeId,
    ) -> Step<ExprId> {
        match op {
            CastOp::FpTrunc | CastOp::FpExt => {
                let (from, to) = (self.format(from)?, self.format(to)?);
                Ok(self.smt.pool.fconvert(from, to, value))
            }
            CastOp::UiToFp | CastOp::SiToFp => {
                let to = self.format(to)?;
                Ok(self.smt.pool.int_to_float(value, op == CastOp::SiToFp, to))
            }
            _ => match self.scalar_bits(to) {
                Some(bits) => self.cast(op, value, from, bits),
                None => gap("a cast to an aggregate"),
            },
        }
    }

    pub(super) fn pure(&mut self, op: PureOp, args: &[ExprId], ty: TypeId) -> Step<ExprId> {
        use PureOp as P;
        let a = args.first().copied();
        let Some(a) = a else { return gap("an operation without operands") };
        let b = args.get(1).copied().unwrap_or(a);
        let c = args.get(2).copied().unwrap_or(a);
        let round = |rounding| (Some(rounding), ());
        let (rounding, ()) = match op {
            P::FFloor => round(Rounding::Down),
            P::FCeil => round(Rounding::Up),
            P::FTrunc => round(Rounding::Zero),
            P::FRound => round(Rounding::NearestAway),
            P::FRint => round(Rounding::NearestEven),
            _ => (None, ()),
        };
        if let Some(rounding) = rounding {
            let format = self.format(ty)?;
            return Ok(self.smt.pool.fround(format, rounding, a));
        }
        Ok(match op {
            P::FNeg => {
                let format = self.format(ty)?;
                self.smt.pool.fneg(format, a)
            }
            P::FAbs => {
                let format = self.format(ty)?;
                self.smt.pool.fabs(format, a)
            }
            P::FSqrt => {
                let format = self.format(ty)?;
                self.smt.pool.fsqrt(format, a)
            }
            P::FMulAdd => {
                let format = self.format(ty)?;
                self.smt.pool.ffma(format, a, b, c)
            }
            P::FCopySign => self.smt.pool.copysign(a, b),
            P::SMin | P::SMax | P::UMin | P::UMax => {
                let pool = &mut self.smt.pool;
                let less =
                    if matches!(op, P::SMin | P::SMax) { pool.slt(a, b) } else { pool.ult(a, b) };
                let (then, other) = if matches!(op, P::SMin | P::UMin) { (a, b) } else { (b, a) };
                pool.ite(less, then, other)
            }
            P::Abs => {
                let pool = &mut self.smt.pool;
                let zero = pool.constant(0, pool.width(a));
                let negative = pool.slt(a, zero);
                let negated = pool.neg(a);
                pool.ite(negative, negated, a)
            }
            P::BSwap => self.smt.pool.bswap(a),
            P::CtPop => self.smt.pool.ctpop(a),
            P::Ctlz => self.smt.pool.clz(a),
            P::Cttz => self.smt.pool.ctz(a),
            P::BitReverse => self.smt.pool.bit_reverse(a),
            P::FShl => self.smt.pool.funnel_left(a, b, c),
            P::FShr => self.smt.pool.funnel_right(a, b, c),
            P::SAddSat => self.smt.pool.sadd_saturating(a, b),
            P::UAddSat => self.smt.pool.uadd_saturating(a, b),
            P::SSubSat => self.smt.pool.ssub_saturating(a, b),
            P::USubSat => self.smt.pool.usub_saturating(a, b),
            P::PtrMask if self.smt.pool.width(b) == self.smt.pool.width(a) => {
                self.smt.pool.and(a, b)
            }
            P::FIsClass | P::FMin | P::FMax | P::PtrMask => {
                return gap(format!("the operation {op:?}"));
            }
            P::FFloor | P::FCeil | P::FTrunc | P::FRound | P::FRint => a,
        })
    }
}
