//! `uninit-read`: the program's behaviour depends on no value that was never set.

use super::{Demand, Fault, Obligation, Rule, Severity, memory};
use crate::ir::Program;

pub const RULE: Rule = Rule {
    id: "uninit-read",
    summary: "the program's behaviour depends on an uninitialised value",
    doc: "A value that was never set decides where control goes, which address is accessed, what a function that is called by its name is given for a parameter, what is written out, or what `main` returns. Copying such a value is no violation.",
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

/// Marks branches, addresses, arguments, what library functions read, and what `main` returns.
fn mark(program: &Program) -> Vec<Obligation> {
    let deciding = memory::deciding(program).into_iter();
    let values = deciding.map(|(at, value)| (at, Demand::Set(value)));
    let read = memory::read_outside(program)
        .into_iter()
        .map(|(at, pointer, extent)| (at, Demand::Access { pointer, extent, fault: Fault::Unset }));
    values.chain(read).map(|(at, demand)| Obligation { rule: RULE.id, at, demand }).collect()
}
