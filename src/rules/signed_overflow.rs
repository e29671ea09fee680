//! `signed-overflow`: signed arithmetic stays within its type.

use super::{Obligation, Rule, Severity, checks};
use crate::ir::{CheckKind, Program};

pub const RULE: Rule = Rule {
    id: "signed-overflow",
    summary: "signed arithmetic overflows",
    doc: "The result of signed integer arithmetic does not fit its type. C leaves the behaviour undefined: compilers assume that it does not happen and drop code that depends on it.",
    bad: r#"int next(int id) { return id + 1; }   // id may be INT_MAX"#,
    good: r#"int next(int id) { return id < INT_MAX ? id + 1 : 0; }"#,
    cwe: &[190, 191],
    severity: Severity::Medium,
    default: true,
    mark,
};

/// Marks every such check that the compiler put into the program.
fn mark(program: &Program) -> Vec<Obligation> {
    checks(program, RULE.id, |kind| matches!(kind, CheckKind::SignedOverflow))
}
