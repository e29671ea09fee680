//! `assertion`: what the program itself says must hold. `assert`, `__VERIFIER_assert`, `svf_assert` and
//! the functions that verifiers agree to call error.

use super::{Demand, Obligation, Rule, Severity};
use crate::ir::{Callee, Const, Inst, InstId, Program};

pub const RULE: Rule = Rule {
    id: "assertion",
    summary: "an assertion of the program does not hold",
    doc: "An `assert` fails, or one of the functions by which programs tell verifiers what must hold: \
          `__VERIFIER_assert`, `svf_assert`, `svf_assert_eq`, `__VERIFIER_error`, `reach_error`, and \
          those that `--assertions` names.",
    bad: r#"assert(count > 0);
average = sum / count;   // count comes from the user"#,
    good: r#"if (count <= 0) return EINVAL;
assert(count > 0);
average = sum / count;"#,
    cwe: &[617],
    severity: Severity::Medium,
    default: true,
    mark,
};

/// Functions that must not be called.
const ERRORS: &[&str] =
    &["__assert_fail", "__assert", "__assert_rtn", "__VERIFIER_error", "reach_error"];

/// Functions whose first argument must not be zero, if they have no body that says so.
const ASSERTS: &[&str] = &["__VERIFIER_assert", "svf_assert"];

/// Functions whose first two arguments must be equal.
const EQUALS: &[&str] = &["svf_assert_eq"];

/// Marks every assertion of the program.
fn mark(program: &Program) -> Vec<Obligation> {
    let mut found = Vec::new();
    for (at, data) in &program.insts {
        let Inst::Call { callee: Callee::Direct(func), args } = data.inst else { continue };
        let function = &program.funcs[func];
        let name = function.name.as_str();
        let has_body = !function.blocks.is_empty();
        let args = program.operands(args);
        let demand = if ERRORS.contains(&name) {
            Demand::NotReached
        } else if ASSERTS.contains(&name) && !has_body {
            match args {
                [cond, ..] => Demand::NonZero(*cond),
                [] => continue,
            }
        } else if EQUALS.contains(&name) && !has_body {
            match args {
                [a, b, ..] => Demand::Equal(*a, *b),
                _ => continue,
            }
        } else {
            continue;
        };
        found.push(Obligation { rule: RULE.id, at, demand });
    }
    found
}

/// Marks the calls of functions that the user calls assertions: the first argument must not be zero; one that is
/// given nothing must not be called.
pub fn named(program: &Program, names: &[String]) -> Vec<Obligation> {
    let mut found = Vec::new();
    for (at, data) in &program.insts {
        let Inst::Call { callee: Callee::Direct(func), args } = data.inst else { continue };
        let name = &program.funcs[func].name;
        let is_known = [ERRORS, ASSERTS, EQUALS].iter().any(|names| names.contains(&name.as_str()));
        if names.contains(name) && !is_known {
            let demand = match program.operands(args) {
                [cond, ..] => Demand::NonZero(*cond),
                [] => Demand::NotReached,
            };
            found.push(Obligation { rule: RULE.id, at, demand });
        }
    }
    found
}

/// What `assert` was given, as the C library is told when it fails.
pub fn text(program: &Program, at: InstId) -> Option<String> {
    let Inst::Call { callee: Callee::Direct(func), args } = program.insts[at].inst else {
        return None;
    };
    if program.funcs[func].name != "__assert_fail" {
        return None;
    }
    let constant = program.operands(args).first()?.constant()?;
    let Const::Global { global, offset: 0 } = program.consts.get(constant) else { return None };
    let bytes = &program.globals[*global].init.as_ref()?.bytes;
    let text = bytes.split(|&byte| byte == 0).next()?;
    Some(String::from_utf8_lossy(text).into_owned())
}
