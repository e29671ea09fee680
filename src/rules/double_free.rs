//! `double-free`: nothing is freed twice.

use super::{FreeFault, Obligation, Rule, Severity, memory};
use crate::ir::Program;

pub const RULE: Rule = Rule {
    id: "double-free",
    summary: "memory is freed twice",
    doc: "`free` or `realloc` is given memory that was freed before. The allocator's own data are corrupted, which attackers use.",
    bad: r#"if (error) free(buffer);
…
free(buffer);"#,
    good: r#"if (error) { free(buffer); buffer = NULL; }
…
free(buffer);"#,
    cwe: &[415],
    severity: Severity::High,
    default: true,
    mark,
};

/// Marks every call that frees.
fn mark(program: &Program) -> Vec<Obligation> {
    memory::frees(program, RULE.id, FreeFault::Twice)
}
