//! `use-after-free`: no memory is used after its life has ended.

use super::{Fault, Obligation, Rule, Severity, memory};
use crate::ir::Program;

pub const RULE: Rule = Rule {
    id: "use-after-free",
    summary: "memory is used after its lifetime ended",
    doc: "Memory is read or written through a pointer to an object that was freed, or to a local variable whose block or function has ended.",
    bad: r#"free(node);
list = node->next;"#,
    good: r#"list = node->next;
free(node);"#,
    cwe: &[416, 562, 825],
    severity: Severity::High,
    default: true,
    mark,
};

/// Marks every access to memory.
fn mark(program: &Program) -> Vec<Obligation> {
    memory::accesses(program, RULE.id, Fault::Dead)
}
