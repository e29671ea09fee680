//! `bad-shift`: shift amounts fit the shifted type.

use super::{Obligation, Rule, Severity, checks};
use crate::ir::{BinaryOp, CheckKind, Inst, InstId, Operand, Program};

pub const RULE: Rule = Rule {
    id: "bad-shift",
    summary: "a shift amount is negative or too large",
    doc: "A value is shifted by a negative amount, by as many bits as it has, or by more; or a bit is shifted into or over the sign of a signed value. The result is undefined and differs between machines.",
    bad: r#"uint32_t bit(int i) { return 1u << i; }   // i may be 32"#,
    good: r#"uint32_t bit(unsigned i) { return i < 32 ? 1u << i : 0; }"#,
    cwe: &[1335, 758],
    severity: Severity::Medium,
    default: true,
    mark,
};

/// Marks every such check that the compiler put into the program.
fn mark(program: &Program) -> Vec<Obligation> {
    checks(program, RULE.id, |kind| matches!(kind, CheckKind::Shift))
}

/// The shift that a check is of: how, what, and by how much.
pub fn checked(program: &Program, check: InstId) -> Option<(BinaryOp, Operand, Operand)> {
    /// It stands this close behind.
    const NEAR: usize = 4;
    let block = program.blocks[program.insts[check].block].insts.iter();
    let mut behind = block.skip_while(|&inst| inst <= check).take(NEAR);
    behind.find_map(|inst| match program.insts[inst].inst {
        Inst::Binary { op: op @ (BinaryOp::Shl | BinaryOp::LShr | BinaryOp::AShr), lhs, rhs } => {
            Some((op, lhs, rhs))
        }
        _ => None,
    })
}
