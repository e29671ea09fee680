//! What every operation does with concrete values: the one place that gives the operations their
//! meaning (SMT-LIB's, where SMT-LIB has one). Constant folding and evaluation both come here.

use super::expr::{Node, Op};
use super::float::{self, Binary};
use super::value::{mask, sign_bit, signed};
use std::cmp::Ordering;

/// The value of `node` from its children's values; `width` is the first child's.
/// `None` where there is no exact answer here: variables, bytes, some square roots.
pub fn fold(node: &Node, args: [u128; 3], width: u32) -> Option<u128> {
    let [a, b, c] = args;
    let w = node.width();
    let value = match node.op {
        Op::Const | Op::Var | Op::Select | Op::Store | Op::ConstBytes => return None,
        Op::Not => !a,
        Op::And => a & b,
        Op::Or => a | b,
        Op::Xor => a ^ b,
        Op::Add => a.wrapping_add(b),
        Op::Mul => a.wrapping_mul(b),
        Op::UDiv => a.checked_div(b).unwrap_or(u128::MAX),
        Op::URem => a.checked_rem(b).unwrap_or(a),
        Op::SDiv => match (signed(a, width), signed(b, width)) {
            (x, 0) if x >= 0 => u128::MAX,
            (_, 0) => 1,
            (x, y) => x.wrapping_div(y) as u128,
        },
        Op::SRem => match (signed(a, width), signed(b, width)) {
            (x, 0) => x as u128,
            (x, y) => x.wrapping_rem(y) as u128,
        },
        Op::Shl => if b >= u128::from(w) { 0 } else { a << b },
        Op::LShr => if b >= u128::from(w) { 0 } else { a >> b },
        Op::AShr => (signed(a, w) >> b.min(u128::from(w) - 1)) as u128,
        // The second child is as wide as what the first leaves; the first is at least one bit.
        Op::Concat => a << (w - width) | b,
        Op::Extract => a >> node.low(),
        Op::ZExt => a,
        Op::SExt => signed(a, width) as u128,
        Op::Ite => if a != 0 { b } else { c },
        Op::Eq => u128::from(a == b),
        Op::Ult => u128::from(a < b),
        Op::Slt => u128::from(signed(a, width) < signed(b, width)),
        Op::UMulO => u128::from(a.checked_mul(b).is_none_or(|p| p > mask(width))),
        Op::SMulO => u128::from(smul_overflows(a, b, width)),
        Op::FAdd => float::binary(Binary::Add, node.float().format, a, b),
        Op::FMul => float::binary(Binary::Mul, node.float().format, a, b),
        Op::FDiv => float::binary(Binary::Div, node.float().format, a, b),
        Op::FRem => float::binary(Binary::Rem, node.float().format, a, b),
        Op::FFma => float::fma(node.float().format, a, b, c),
        Op::FSqrt => float::sqrt(node.float().format, a)?,
        Op::FRound => float::round(node.float().format, node.float().rounding, a),
        Op::FEq => order(node, a, b, &[Ordering::Equal]),
        Op::FLt => order(node, a, b, &[Ordering::Less]),
        Op::FLe => order(node, a, b, &[Ordering::Less, Ordering::Equal]),
        Op::FConvert => float::convert(node.float().from, node.float().format, a),
        Op::SToF => float::from_integer(node.float().format, a, width, true),
        Op::UToF => float::from_integer(node.float().format, a, width, false),
        Op::FToS => float::to_integer(node.float().format, a, w, true),
        Op::FToU => float::to_integer(node.float().format, a, w, false),
    };
    Some(value & mask(w))
}

fn order(node: &Node, a: u128, b: u128, wanted: &[Ordering]) -> u128 {
    let found = float::compare(node.float().format, a, b);
    u128::from(found.is_some_and(|o| wanted.contains(&o)))
}

pub fn smul_overflows(a: u128, b: u128, width: u32) -> bool {
    let lowest = signed(sign_bit(width), width);
    let highest = signed(mask(width - 1), width.max(2));
    match signed(a, width).checked_mul(signed(b, width)) {
        None => true,
        Some(p) => p < lowest || (width > 1 && p > highest) || (width == 1 && p > 0),
    }
}
