//! `invalid-free`: only what was allocated is freed.

use super::{FreeFault, Obligation, Rule, Severity, memory};
use crate::ir::Program;

pub const RULE: Rule = Rule {
    id: "invalid-free",
    summary: "something that was not allocated is freed",
    doc: "`free` or `realloc` is given a pointer that is not the start of a block from `malloc` and its family: a local or global variable, a string literal, the middle of a block, or a value that was never set.",
    bad: r#"char *p = malloc(9);
while (*p == ' ') p++;
free(p);"#,
    good: r#"char *start = malloc(9), *p = start;
while (*p == ' ') p++;
free(start);"#,
    cwe: &[590, 761, 763],
    severity: Severity::High,
    default: true,
    mark,
};

/// Marks every call that frees.
fn mark(program: &Program) -> Vec<Obligation> {
    memory::frees(program, RULE.id, FreeFault::Foreign)
}
