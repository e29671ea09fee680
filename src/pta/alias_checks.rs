//! `--dump=alias-checks`: a test program calls `MUSTALIAS(p, q)`, `MAYALIAS`, `PARTIALALIAS` or `NOALIAS`
//! to say what holds there; each call is judged against the analysis.
//!
//! `MUSTALIAS` and `PARTIALALIAS` say that an execution exists in which the two point to the same place:
//! denying it would be wrong. `MAYALIAS` says that it cannot be excluded by looking at variables and
//! objects as wholes (the suites that use it claim it of pointers that an exact look tells apart): it
//! fails only if even that look denies it. `NOALIAS` says that there is no such execution: not
//! seeing that is only imprecise, but fails the check as well. `EXPECTEDFAIL_…` marks what the test's
//! author knew some analysis to get wrong; either answer is accepted. In code that cannot run, every
//! claim holds.

use super::result::PointsTo;
use crate::ir::{Callee, Inst, InstId, Operand, Program, VarId};
use std::fmt;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Claim {
    Must,
    May,
    Partial,
    No,
    /// Known to be hard.
    Expected,
}

impl Claim {
    fn named(name: &str) -> Option<Claim> {
        match name {
            "MUSTALIAS" => Some(Claim::Must),
            "MAYALIAS" => Some(Claim::May),
            "PARTIALALIAS" => Some(Claim::Partial),
            "NOALIAS" => Some(Claim::No),
            _ => name.starts_with("EXPECTEDFAIL_").then_some(Claim::Expected),
        }
    }

    /// Whether an answer agrees with the claim.
    fn accepts(self, may_alias: bool, coarsely: impl FnOnce() -> bool) -> bool {
        match self {
            Claim::Must | Claim::Partial => may_alias,
            Claim::May => may_alias || coarsely(),
            Claim::No => !may_alias,
            Claim::Expected => true,
        }
    }
}

/// One judged call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Check {
    pub inst: InstId,
    pub claim: Claim,
    /// The function's name, as called.
    pub kind: String,
    pub ok: bool,
    /// `file:line`, or the instruction if the program has no locations.
    pub place: String,
    pub pointers: [Operand; 2],
}

impl fmt::Display for Check {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} {}", if self.ok { "ok" } else { "FAIL" }, self.kind, self.place)
    }
}

fn place(program: &Program, inst: InstId) -> String {
    match program.loc(inst) {
        Some(loc) => format!("{}:{}", program.debug.files[loc.file].name, loc.line),
        None => format!("{inst}"),
    }
}

/// The values that the source's variables have which have this value.
fn variants(program: &Program, operand: Operand) -> Vec<Operand> {
    let bound = || program.debug.bindings.iter().filter(|binding| !binding.address);
    let vars: Vec<VarId> =
        bound().filter(|binding| binding.value == operand).map(|binding| binding.var).collect();
    let mut values: Vec<Operand> = bound()
        .filter(|binding| vars.contains(&binding.var))
        .map(|binding| binding.value)
        .collect();
    values.push(operand);
    values
}

/// All such calls in the program's order, judged.
pub fn judge(program: &Program, answer: &PointsTo) -> Vec<Check> {
    let mut checks = Vec::new();
    let mut wholes: Option<PointsTo> = None;
    for (inst, data) in program.insts.iter() {
        let Inst::Call { callee: Callee::Direct(func), args } = data.inst else {
            continue;
        };
        let kind = &program.funcs[func].name;
        let (Some(claim), &[a, b]) = (Claim::named(kind), program.operands(args)) else {
            continue;
        };
        let runs = answer.reachable.binary_search(&program.func_of(inst)).is_ok();
        // Two equal operands need no analysis of objects.
        let may_alias = a == b || answer.may_alias(a, 1, b, 1);
        let coarsely = || {
            let wholes = wholes.get_or_insert_with(|| super::by_objects(program));
            let others = variants(program, b);
            let meets = |a: &Operand| others.iter().any(|b| wholes.may_alias(*a, 1, *b, 1));
            variants(program, a).iter().any(meets)
        };
        let ok = !runs || claim.accepts(may_alias, coarsely);
        let place = place(program, inst);
        checks.push(Check { inst, claim, kind: kind.clone(), ok, place, pointers: [a, b] });
    }
    checks
}
