//! `unreachable`: what the programmer called unreachable is.

use super::{Obligation, Rule, Severity, checks};
use crate::ir::{CheckKind, Program};

pub const RULE: Rule = Rule {
    id: "unreachable",
    summary: "a point declared unreachable is reached",
    doc: "Control comes to a `__builtin_unreachable()`, to a `__builtin_assume()` that does not hold, or to a `__builtin_trap()`. The first two are promises to the compiler that are broken; the third stops the program.",
    bad: r#"switch (kind) { case A: return 1; case B: return 2; default: __builtin_unreachable(); }"#,
    good: r#"switch (kind) { case A: return 1; case B: return 2; default: return -1; }"#,
    cwe: &[758],
    severity: Severity::Medium,
    default: true,
    mark,
};

/// Marks every such check that the compiler put into the program.
fn mark(program: &Program) -> Vec<Obligation> {
    checks(program, RULE.id, |kind| matches!(kind, CheckKind::Unreachable | CheckKind::Trap))
}
