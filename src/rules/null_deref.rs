//! `null-deref`: no null pointer is dereferenced.

use super::{Fault, Obligation, Rule, Severity, memory};
use crate::ir::Program;

pub const RULE: Rule = Rule {
    id: "null-deref",
    summary: "a null pointer is dereferenced",
    doc: "Memory is read or written through a pointer that is null, directly or at an offset from it (`p->next` with `p` null). Results of functions that may return null, and with `--malloc-may-fail` those of allocations, must be checked before use.",
    bad: r#"char *colon = strchr(line, ':');
*colon = 0;"#,
    good: r#"char *colon = strchr(line, ':');
if (colon) *colon = 0;"#,
    cwe: &[476, 690],
    severity: Severity::High,
    default: true,
    mark,
};

/// Marks every access to memory.
fn mark(program: &Program) -> Vec<Obligation> {
    memory::accesses(program, RULE.id, Fault::Null)
}
