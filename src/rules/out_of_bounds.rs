//! `out-of-bounds`: every access stays inside its object.

use super::{Fault, Obligation, Rule, Severity, checks, memory};
use crate::ir::{CheckKind, Program};

pub const RULE: Rule = Rule {
    id: "out-of-bounds",
    summary: "memory is accessed outside its object",
    doc: "A read or write begins before an object or ends behind it: on the stack, on the heap, in a global, or an index leaves the array it is written for. It also covers pointers to no object at all, and what library functions read and write for the caller (`memcpy`, `strcpy`, `fgets` and their like).",
    bad: r#"char name[8];
strcpy(name, argv[1]);"#,
    good: r#"char name[8];
snprintf(name, sizeof name, "%s", argv[1]);"#,
    cwe: &[787, 125, 121, 122, 124, 126, 127],
    severity: Severity::High,
    default: true,
    mark,
};

/// Marks every access to memory and every index into an array of known size.
fn mark(program: &Program) -> Vec<Obligation> {
    let mut found = checks(program, RULE.id, |kind| kind == CheckKind::ArrayBounds);
    found.extend(memory::accesses(program, RULE.id, Fault::Outside));
    found
}
