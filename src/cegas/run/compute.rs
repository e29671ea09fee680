//! What instructions compute from numbers of up to 64 bits.

use crate::ir::{
    BinaryOp, CastOp, FloatKind, FloatPredicate, IntPredicate, OverflowOp, PureOp, Type,
};

pub fn cut(value: u64, bits: u32) -> u64 {
    if bits >= 64 { value } else { value & ((1 << bits) - 1) }
}

pub fn signed(value: u64, bits: u32) -> i64 {
    let unused = 64 - bits;
    ((value << unused) as i64) >> unused
}

/// `None` where the machine traps, or for what is left to others.
pub fn binary(op: BinaryOp, a: u64, b: u64, bits: u32, ty: &Type) -> Option<u64> {
    let (sa, sb) = (signed(a, bits), signed(b, bits));
    let amount = || (b & u64::from(bits - 1)) as u32;
    let value = match op {
        BinaryOp::Add => a.wrapping_add(b),
        BinaryOp::Sub => a.wrapping_sub(b),
        BinaryOp::Mul => a.wrapping_mul(b),
        BinaryOp::UDiv => a.checked_div(b)?,
        BinaryOp::URem => a.checked_rem(b)?,
        BinaryOp::SDiv => sa.checked_div(sb)? as u64,
        BinaryOp::SRem => sa.checked_rem(sb)? as u64,
        BinaryOp::And => a & b,
        BinaryOp::Or => a | b,
        BinaryOp::Xor => a ^ b,
        BinaryOp::Shl | BinaryOp::LShr | BinaryOp::AShr if !bits.is_power_of_two() => return None,
        BinaryOp::Shl => a << amount(),
        BinaryOp::LShr => a >> amount(),
        BinaryOp::AShr => (sa >> amount()) as u64,
        BinaryOp::FAdd | BinaryOp::FSub | BinaryOp::FMul | BinaryOp::FDiv | BinaryOp::FRem => {
            return float_binary(op, a, b, ty);
        }
    };
    Some(cut(value, bits))
}

fn float_binary(op: BinaryOp, a: u64, b: u64, ty: &Type) -> Option<u64> {
    let both = (to_f64(a, ty)?, to_f64(b, ty)?);
    // A double has bits enough to round to a float only once.
    let value = match op {
        BinaryOp::FAdd => both.0 + both.1,
        BinaryOp::FSub => both.0 - both.1,
        BinaryOp::FMul => both.0 * both.1,
        BinaryOp::FDiv => both.0 / both.1,
        BinaryOp::FRem => both.0 % both.1,
        _ => return None,
    };
    from_f64(value, ty)
}

fn to_f64(bits: u64, ty: &Type) -> Option<f64> {
    match ty {
        Type::Float(FloatKind::F64) => Some(f64::from_bits(bits)),
        Type::Float(FloatKind::F32) => Some(f64::from(f32::from_bits(bits as u32))),
        _ => None,
    }
}

/// Nothing for what is no number: which one it is, nobody knows.
fn from_f64(value: f64, ty: &Type) -> Option<u64> {
    match ty {
        _ if value.is_nan() => None,
        Type::Float(FloatKind::F64) => Some(value.to_bits()),
        Type::Float(FloatKind::F32) => Some(u64::from((value as f32).to_bits())),
        _ => None,
    }
}

pub fn overflows(op: OverflowOp, a: u64, b: u64, bits: u32) -> bool {
    let wide = |value: u64, is_signed: bool| {
        if is_signed { i128::from(signed(value, bits)) } else { i128::from(value) }
    };
    let is_signed = matches!(op, OverflowOp::SAdd | OverflowOp::SSub | OverflowOp::SMul);
    let (a, b) = (wide(a, is_signed), wide(b, is_signed));
    let exact = match op {
        OverflowOp::SAdd | OverflowOp::UAdd => a + b,
        OverflowOp::SSub | OverflowOp::USub => a - b,
        OverflowOp::SMul | OverflowOp::UMul => a.saturating_mul(b),
    };
    let (least, most) = if is_signed {
        (-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1)
    } else {
        (0, (1i128 << bits) - 1)
    };
    exact < least || exact > most
}

pub fn compare(pred: IntPredicate, a: u64, b: u64, bits: u32) -> bool {
    pred.holds(a.cmp(&b), signed(a, bits).cmp(&signed(b, bits)))
}

pub fn float_compare(pred: FloatPredicate, a: u64, b: u64, ty: &Type) -> Option<bool> {
    let (a, b) = (to_f64(a, ty)?, to_f64(b, ty)?);
    let is_open = a.is_nan() || b.is_nan();
    Some(match pred {
        FloatPredicate::False => false,
        FloatPredicate::True => true,
        FloatPredicate::Ord => !is_open,
        FloatPredicate::Uno => is_open,
        FloatPredicate::OEq => a == b,
        FloatPredicate::OGt => a > b,
        FloatPredicate::OGe => a >= b,
        FloatPredicate::OLt => a < b,
        FloatPredicate::OLe => a <= b,
        FloatPredicate::ONe => !is_open && a != b,
        FloatPredicate::UEq => is_open || a == b,
        FloatPredicate::UGt => is_open || a > b,
        FloatPredicate::UGe => is_open || a >= b,
        FloatPredicate::ULt => is_open || a < b,
        FloatPredicate::ULe => is_open || a <= b,
        FloatPredicate::UNe => a != b,
    })
}

/// From one type to another, with their bits.
pub fn cast(op: CastOp, value: u64, from: (&Type, u32), to: (&Type, u32)) -> Option<u64> {
    let fits = |value: f64, least: f64, most: f64| value > least && value < most;
    Some(match op {
        CastOp::Trunc | CastOp::ZExt => cut(value, to.1),
        CastOp::SExt => cut(signed(value, from.1) as u64, to.1),
        CastOp::PtrToInt | CastOp::IntToPtr => cut(value, to.1),
        CastOp::Bitcast if from.1 == to.1 => value,
        CastOp::Bitcast => return None,
        CastOp::FpTrunc | CastOp::FpExt => return from_f64(to_f64(value, from.0)?, to.0),
        CastOp::UiToFp => return exact(i128::from(value), to.0),
        CastOp::SiToFp => return exact(i128::from(signed(value, from.1)), to.0),
        CastOp::FpToSi => {
            let number = to_f64(value, from.0)?;
            let most = (1u128 << (to.1 - 1)) as f64;
            fits(number, -most - 1.0, most).then(|| cut(number as i64 as u64, to.1))?
        }
        CastOp::FpToUi => {
            let number = to_f64(value, from.0)?;
            fits(number, -1.0, (1u128 << to.1) as f64).then(|| cut(number as u64, to.1))?
        }
    })
}

/// An integer as a float, rounded once.
fn exact(value: i128, ty: &Type) -> Option<u64> {
    match ty {
        Type::Float(FloatKind::F64) => Some((value as f64).to_bits()),
        Type::Float(FloatKind::F32) => Some(u64::from((value as f32).to_bits())),
        _ => None,
    }
}

pub fn pure(op: PureOp, args: &[u64], bits: u32, ty: &Type) -> Option<u64> {
    let (a, b) = (*args.first()?, args.get(1).copied().unwrap_or(0));
    let (sa, sb) = (signed(a, bits), signed(b, bits));
    let value = match op {
        PureOp::SMin => {
            if sa < sb {
                a
            } else {
                b
            }
        }
        PureOp::SMax => {
            if sa > sb {
                a
            } else {
                b
            }
        }
        PureOp::UMin => a.min(b),
        PureOp::UMax => a.max(b),
        PureOp::Abs => sa.wrapping_abs() as u64,
        PureOp::CtPop => u64::from(a.count_ones()),
        PureOp::Ctlz => u64::from(a.leading_zeros() - (64 - bits)),
        PureOp::Cttz => u64::from(a.trailing_zeros().min(bits)),
        PureOp::BSwap => a.swap_bytes() >> (64 - bits),
        PureOp::BitReverse => a.reverse_bits() >> (64 - bits),
        PureOp::FShl | PureOp::FShr => {
            let both = u128::from(a) << bits | u128::from(b);
            let by = args.get(2)? % u64::from(bits);
            match op {
                PureOp::FShl => (both << by >> bits) as u64,
                _ => (both >> by) as u64,
            }
        }
        PureOp::UAddSat => a.saturating_add(b).min(u64::MAX >> (64 - bits)),
        PureOp::USubSat => a.saturating_sub(b),
        PureOp::FNeg => return from_f64(-to_f64(a, ty)?, ty),
        PureOp::FAbs => return from_f64(to_f64(a, ty)?.abs(), ty),
        PureOp::FSqrt => return from_f64(to_f64(a, ty)?.sqrt(), ty),
        PureOp::FFloor => return from_f64(to_f64(a, ty)?.floor(), ty),
        PureOp::FCeil => return from_f64(to_f64(a, ty)?.ceil(), ty),
        PureOp::FTrunc => return from_f64(to_f64(a, ty)?.trunc(), ty),
        PureOp::FRound
        | PureOp::FRint
        | PureOp::FMin
        | PureOp::FMax
        | PureOp::FCopySign
        | PureOp::FMulAdd
        | PureOp::FIsClass
        | PureOp::SAddSat
        | PureOp::SSubSat
        | PureOp::PtrMask => return None,
    };
    Some(cut(value, bits))
}
