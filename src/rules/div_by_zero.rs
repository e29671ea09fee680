//! `div-by-zero`: no integer is divided by zero.

use super::{Obligation, Rule, Severity, checks};
use crate::ir::{CheckKind, Program};

pub const RULE: Rule = Rule {
    id: "div-by-zero",
    summary: "an integer is divided by zero",
    doc: "The divisor of an integer division or remainder is zero on some execution. The behaviour is undefined; on most machines the program is stopped.",
    bad: r#"int share(int total, int n) { return total / n; }   // n may be 0"#,
    good: r#"int share(int total, int n) { return n ? total / n : 0; }"#,
    cwe: &[369],
    severity: Severity::High,
    default: true,
    mark,
};

/// Marks every such check that the compiler put into the program.
fn mark(program: &Program) -> Vec<Obligation> {
    checks(program, RULE.id, |kind| matches!(kind, CheckKind::DivByZero))
}
