//! `signed-overflow`: signed arithmetic stays within its type.

use super::bad_shift::{self, Amount, Shift};
use super::{Demand, Obligation, Rule, Severity, checks};
use crate::ir::debug::Encoding;
use crate::ir::{
    BinaryOp, CType, CastOp, CheckKind, Inst, InstId, Operand, OverflowOp, Program, ValueId,
};
use rustc_hash::FxHashSet;

pub const RULE: Rule = Rule {
    id: "signed-overflow",
    summary: "signed arithmetic overflows",
    doc: "The result of signed integer arithmetic does not fit its type. C leaves the behaviour undefined: compilers assume that it does not happen and drop code that depends on it. A signed value that loses bits when it is shifted left by a constant counts, too.",
    bad: r#"int next(int id) { return id + 1; }   // id may be INT_MAX"#,
    good: r#"int next(int id) { return id < INT_MAX ? id + 1 : 0; }"#,
    cwe: &[190, 191],
    severity: Severity::Medium,
    default: true,
    mark,
};

/// Marks every such check that the compiler put into the program, and arithmetic in `char` and `short`,
/// which is done in `int` and then cut.
fn mark(program: &Program) -> Vec<Obligation> {
    let mut found = checks(program, RULE.id, |kind| matches!(kind, CheckKind::SignedOverflow));
    found.extend(left_shifts(program));
    let unsigned = unsigned_values(program);
    for (at, data) in &program.insts {
        if let Some((op, lhs, rhs)) = narrow_step(program, &unsigned, at) {
            let demand = Demand::Wraps { op, lhs, rhs };
            found.push(Obligation { rule: RULE.id, at, demand });
        }
        let Inst::Cast { op: CastOp::Trunc, value } = data.inst else { continue };
        let bits = data.result.expand().and_then(|result| {
            program.types.scalar_bits(program.values[result].ty, program.machine.pointer_bits)
        });
        if let Some(bits) =
            bits.filter(|&bits| bits > 1 && is_narrow_arithmetic(program, value, bits))
        {
            found.push(Obligation { rule: RULE.id, at, demand: Demand::Fits { value, bits } });
        }
    }
    found
}

/// A signed value that loses bits to the left overflows, too. The compiler checks it together with the
/// amount; only where the amount is a constant is it certain which of the two is wrong.
fn left_shifts(program: &Program) -> Vec<Obligation> {
    let mut found = Vec::new();
    for (at, data) in &program.insts {
        let Inst::Check { cond, kind: CheckKind::Shift } = data.inst else { continue };
        let demand = match bad_shift::checked(program, at) {
            Some(Shift { op: BinaryOp::Shl, amount: Amount::Fits, .. }) => Demand::NonZero(cond),
            Some(Shift { op: BinaryOp::Shl, amount: Amount::Open, .. }) => Demand::Arguable(cond),
            _ => continue,
        };
        found.push(Obligation { rule: RULE.id, at, demand });
    }
    found
}

/// `++` and `--` of a `char` or `short`, which compilers do without widening. Of those that are known to
/// be unsigned nobody expects anything.
fn narrow_step(
    program: &Program,
    unsigned: &FxHashSet<ValueId>,
    at: InstId,
) -> Option<(OverflowOp, Operand, Operand)> {
    let data = &program.insts[at];
    let (op, lhs, rhs) = match data.inst {
        Inst::Binary { op: BinaryOp::Add, lhs, rhs } => (OverflowOp::SAdd, lhs, rhs),
        Inst::Binary { op: BinaryOp::Sub, lhs, rhs } => (OverflowOp::SSub, lhs, rhs),
        _ => return None,
    };
    let result = data.result.expand()?;
    let ty = program.values[result].ty;
    let bits = program.types.scalar_bits(ty, program.machine.pointer_bits)?;
    let is_step = matches!(bits, 8 | 16) && rhs.constant().is_some() && !unsigned.contains(&result);
    is_step.then_some((op, lhs, rhs))
}

/// The values that are bound to a variable of an unsigned type.
fn unsigned_values(program: &Program) -> FxHashSet<ValueId> {
    let debug = &program.debug;
    let is_unsigned = |ty| {
        let plain = debug.plain(ty).map(|ty| &debug.ctypes[ty]);
        matches!(plain, Some(CType::Base { encoding, .. })
            if matches!(encoding, Encoding::Unsigned | Encoding::UnsignedChar | Encoding::Bool))
    };
    let bound = debug.bindings.iter().filter(|binding| !binding.address);
    bound
        .filter(|binding| debug.vars[binding.var].ty.expand().is_some_and(is_unsigned))
        .filter_map(|binding| binding.value.value())
        .collect()
}

/// Whether the value is a sum, difference or product of signed values of `bits` bits or constants.
fn is_narrow_arithmetic(program: &Program, value: Operand, bits: u32) -> bool {
    let Some(&Inst::Binary { op: BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul, lhs, rhs }) =
        program.defined_by(value)
    else {
        return false;
    };
    let narrow = |operand| match program.defined_by(operand) {
        Some(&Inst::Cast { op: CastOp::SExt, value }) => {
            let ty = program.operand_type(value);
            program.types.scalar_bits(ty, program.machine.pointer_bits) == Some(bits)
        }
        _ => false,
    };
    let constant = |operand: Operand| operand.constant().is_some();
    (narrow(lhs) && (narrow(rhs) || constant(rhs))) || (constant(lhs) && narrow(rhs))
}
