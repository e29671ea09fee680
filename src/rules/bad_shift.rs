//! `bad-shift`: shift amounts fit the shifted type.

use super::{Obligation, Rule, Severity, checks};
use crate::ir::{BinaryOp, CheckKind, Const, Inst, InstId, Operand, Program};

pub const RULE: Rule = Rule {
    id: "bad-shift",
    summary: "a shift amount is negative or too large",
    doc: "A value is shifted by a negative amount, by as many bits as it has, or by more; or a bit is shifted into or over the sign of a signed value by an amount that is no constant (else that is `signed-overflow`). The result is undefined and differs between machines.",
    bad: r#"uint32_t bit(int i) { return 1u << i; }   // i may be 32"#,
    good: r#"uint32_t bit(unsigned i) { return i < 32 ? 1u << i : 0; }"#,
    cwe: &[1335, 758],
    severity: Severity::Medium,
    default: true,
    mark,
};

/// Marks every such check that the compiler put into the program, but where the amount is certainly good: what is wrong
/// then is `signed-overflow`.
fn mark(program: &Program) -> Vec<Obligation> {
    let mut found = checks(program, RULE.id, |kind| matches!(kind, CheckKind::Shift));
    found.retain(|obligation| {
        let shift = checked(program, obligation.at);
        !shift.is_some_and(|shift| shift.op == BinaryOp::Shl && shift.amount == Amount::Fits)
    });
    found
}

/// A shift that the compiler checks.
#[derive(Debug, Clone, Copy)]
pub struct Shift {
    pub op: BinaryOp,
    pub value: Operand,
    pub by: Operand,
    pub amount: Amount,
}

/// What is known of the amount by which a value is shifted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Amount {
    Open,
    /// It is a constant below the number of bits.
    Fits,
    /// It is a constant that is not.
    Large,
}

/// The shift that a check is of.
pub fn checked(program: &Program, check: InstId) -> Option<Shift> {
    /// It stands this close behind.
    const NEAR: usize = 4;
    let block = program.blocks[program.insts[check].block].insts.iter();
    let mut behind = block.skip_while(|&inst| inst <= check).take(NEAR);
    behind.find_map(|inst| match program.insts[inst].inst {
        Inst::Binary { op: op @ (BinaryOp::Shl | BinaryOp::LShr | BinaryOp::AShr), lhs, rhs } => {
            Some(Shift { op, value: lhs, by: rhs, amount: amount(program, rhs) })
        }
        _ => None,
    })
}

fn amount(program: &Program, amount: Operand) -> Amount {
    let Some(constant) = amount.constant() else { return Amount::Open };
    let bits =
        program.types.scalar_bits(program.operand_type(amount), program.machine.pointer_bits);
    match (program.consts.get(constant), bits) {
        (&Const::Int(number), Some(bits)) if number < u128::from(bits) => Amount::Fits,
        (Const::Int(_), _) => Amount::Large,
        _ => Amount::Open,
    }
}
