//! From a path that seems to violate a demand to the evidence: the solver is asked for values, and the path is walked
//! again with them. What speaks against it is said.

use super::library::what_it_does;
use super::machine::Machine;
use super::replay::Target;
use super::state::State;
use super::verdict::{Counterexample, Reason};
use crate::ir::{FuncId, InstId};
use crate::smt::{Answer, ExprId, Limits};

/// Whether a path that violates a demand is there.
pub(super) enum Violation {
    /// It was walked again with the values found.
    Real(Counterexample),
    /// The conditions on the way and the violation exclude each other.
    Excluded,
    Unknown(Reason),
}

impl Machine<'_> {
    /// Whether an execution from `entry` gets to `state` and violates the obligation at `site` there.
    pub(super) fn confirm(
        &mut self,
        entry: FuncId,
        state: &State,
        target: Target,
        site: InstId,
        violation: ExprId,
        limits: &Limits,
    ) -> Violation {
        if self.smt.pool.as_const(violation) == Some(0) {
            return Violation::Excluded;
        }
        if self.speaks_of_addresses(violation) {
            return Violation::Unknown(doubt("where objects lie in memory"));
        }
        let mut conditions: Vec<ExprId> = state.assumed.iter().copied().collect();
        conditions.push(violation);
        let is_uncertain = state.is_uncertain(&self.smt.pool, &conditions);
        conditions.extend(state.deferred.iter());
        match self.smt.check(&conditions, limits) {
            Answer::Unsat(_) => Violation::Excluded,
            Answer::Unknown(why) => Violation::Unknown(Reason::Solver { why }),
            Answer::Sat(_) if is_uncertain => {
                Violation::Unknown(doubt("a value that executions may not have"))
            }
            Answer::Sat(_) if let Some(&func) = state.trusted.front() => {
                Violation::Unknown(doubt(&what_it_does(&self.program.funcs[func].name)))
            }
            Answer::Sat(inputs) => match &state.doubt {
                Some(why) => Violation::Unknown(doubt(why)),
                None => match self.evidence(entry, inputs, state.uncertain.clone(), target) {
                    Some((steps, related)) => {
                        Violation::Real(Counterexample { at: site, steps, related })
                    }
                    None => Violation::Unknown(Reason::Replay),
                },
            },
        }
    }
}

fn doubt(why: &str) -> Reason {
    Reason::Doubt { why: why.to_owned() }
}
