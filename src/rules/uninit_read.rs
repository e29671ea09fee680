//! `uninit-read`: the program's behaviour depends on no value that was never set.

use super::{Demand, Obligation, Rule, Severity, memory};
use crate::ir::Program;

pub const RULE: Rule = Rule {
    id: "uninit-read",
    summary: "the program's behaviour depends on an uninitialised value",
    doc: "A value that was never set decides where control goes, which address is accessed, what a function is given, what is written out, or what `main` returns. Copying such a value is no violation.",
    bad: r#"int sum;
for (int i = 0; i < n; i++) sum += a[i];
return sum > 0;"#,
    good: r#"int sum = 0;
for (int i = 0; i < n; i++) sum += a[i];
return sum > 0;"#,
    cwe: &[457, 908],
    severity: Severity::Medium,
    default: true,
    mark,
};

/// Marks branches, addresses, arguments and what `main` returns.
fn mark(program: &Program) -> Vec<Obligation> {
    memory::deciding(program)
        .into_iter()
        .map(|(at, value)| Obligation { rule: RULE.id, at, demand: Demand::Set(value) })
        .collect()
}
