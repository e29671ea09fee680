//! `bad-shift`: shift amounts fit the shifted type.

use super::{Obligation, Rule, Severity, checks};
use crate::ir::{CheckKind, Program};

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
