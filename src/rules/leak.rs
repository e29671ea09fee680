//! `leak`: what is allocated is freed or stays reachable.

use super::{Obligation, Rule, Severity, memory};
use crate::ir::Program;

pub const RULE: Rule = Rule {
    id: "leak",
    summary: "allocated memory is lost without being freed",
    doc: "The last pointer to a block of memory is lost before the block was freed: overwritten, or gone with the function that held it. What globals still reach when the program ends is no leak.",
    bad: r#"char *copy = strdup(s);
if (!valid(copy)) return -1;
…"#,
    good: r#"char *copy = strdup(s);
if (!valid(copy)) { free(copy); return -1; }
…"#,
    cwe: &[401],
    severity: Severity::Medium,
    default: true,
    mark,
};

/// Marks every call that allocates.
fn mark(program: &Program) -> Vec<Obligation> {
    memory::allocations(program, RULE.id)
}
