//! `div-by-zero`: no integer is divided by zero.

use super::{Demand, Obligation, Rule, Severity, checks, memory};
use crate::ir::{CheckKind, Program};

pub const RULE: Rule = Rule {
    id: "div-by-zero",
    summary: "an integer is divided by zero",
    doc: "The divisor of an integer division or remainder is zero on some execution. The behaviour is undefined; on most machines the program is stopped.",
    bad: r#"int share(int total, int n) { return total / n; }   // n may be 0"#,
    good: r#"int share(int total, int n) { return n ? total / n : 0; }"#,
    cwe: &[369],
    severity: Severity::High,
    default: true,
    mark,
};

/// Library functions that divide by their second argument.
const DIVIDES: &[&str] = &["div", "ldiv", "lldiv", "imaxdiv"];

/// Marks every such check that the compiler put into the program, and the calls of functions that divide.
fn mark(program: &Program) -> Vec<Obligation> {
    let mut found = checks(program, RULE.id, |kind| matches!(kind, CheckKind::DivByZero));
    for (at, name, args) in memory::library_calls(program) {
        if let (true, &[_, by]) = (DIVIDES.contains(&name), args) {
            found.push(Obligation { rule: RULE.id, at, demand: Demand::NonZero(by) });
        }
    }
    found
}
