//! Whether what seems to be violated is: the solver finds inputs, and the path is walked again with them.

use super::explore::Explorer;
use super::library::what_it_does;
use super::replay::Target;
use super::state::State;
use super::story::Walked;
use super::verdict::{Counterexample, Reason};
use crate::rules::{Demand, Extent};
use crate::smt::{Answer, ExprId};

impl Explorer<'_> {
    /// A violation was walked to.
    pub(super) fn confirmed(&mut self, index: usize, (steps, related): Walked) {
        let obligation = self.ledger.get(index);
        self.found.iter().for_each(|found| found(&obligation));
        self.violated[index] = Some(Counterexample { at: obligation.at, steps, related });
    }

    pub(super) fn decide(
        &mut self,
        state: &State,
        target: Target,
        index: usize,
        violation: ExprId,
    ) {
        let is_uncertain = self.is_uncertain(state, violation);
        let is_assumed = self.machine.rests_on_assumed(violation);
        if (is_uncertain || is_assumed) && matches!(self.ask(state, violation), Answer::Unsat(_)) {
            return;
        }
        let reason = if self.machine.speaks_of_addresses(violation) {
            Reason::Doubt { why: "where objects lie in memory".into() }
        } else if is_uncertain {
            let why = match self.ledger.get(index).demand {
                Demand::Access { extent: Extent::Open { .. } | Extent::Hidden, .. } => {
                    "how much a library function reads or writes there"
                }
                _ => "a value that executions may not have",
            };
            Reason::Doubt { why: why.into() }
        } else if is_assumed && !self.is_decided(state, violation) || self.is_promise(state, index)
        {
            Reason::Doubt { why: "whether a pointer that is given may be null".into() }
        } else {
            match self.ask(state, violation) {
                Answer::Unsat(_) => return,
                Answer::Unknown(why) => Reason::Solver { why },
                Answer::Sat(_) if self.ledger.get(index).demand.is_debatable() => {
                    let why = match self.ledger.get(index).rule {
                        "null-deref" => "whether an allocation fails that is checked after its use",
                        _ => "whether what C defines or another rule forbids counts",
                    };
                    let why = why.to_owned();
                    Reason::Doubt { why }
                }
                Answer::Sat(_) if let Some(why) = self.is_after_unknown(state, index) => {
                    Reason::Doubt { why }
                }
                Answer::Sat(_) if state.doubt.is_some() => {
                    let why = state.doubt.as_deref().unwrap_or_default().to_owned();
                    Reason::Doubt { why }
                }
                Answer::Sat(inputs) => {
                    let kept = state.uncertain.clone();
                    match self.machine.evidence(self.entry, inputs, kept, target) {
                        Some(walked) => return self.confirmed(index, walked),
                        None => Reason::Replay,
                    }
                }
            }
        };
        if self.doubtful[index].is_none() {
            self.doubtful[index] = Some(reason);
        }
    }

    /// Why it is not certain behind functions that nobody knows: one of them may not come back where the code says
    /// that this is never reached, and may have kept what seems to be lost.
    fn is_after_unknown(&self, state: &State, index: usize) -> Option<String> {
        let first = state.trusted.front()?;
        let name = &self.machine.program.funcs[*first].name;
        match self.ledger.get(index).demand {
            Demand::NotReached | Demand::Arguable(_) | Demand::Kept => Some(what_it_does(name)),
            Demand::NonZero(_)
            | Demand::Equal(..)
            | Demand::Fits { .. }
            | Demand::Wraps { .. }
            | Demand::Access { .. }
            | Demand::Free { .. }
            | Demand::Set(_) => None,
        }
    }

    /// Whether it is an assertion that a pointer is given: that is what callers promise.
    fn is_promise(&mut self, state: &State, index: usize) -> bool {
        let last = state.assumed.last().copied();
        matches!(self.ledger.get(index).demand, Demand::NotReached)
            && last.is_some_and(|condition| self.machine.rests_on_assumed(condition))
    }

    /// Whether the code itself has made sure of the violation on its way: nothing is left to choose.
    fn is_decided(&mut self, state: &State, violation: ExprId) -> bool {
        let holds = self.machine.smt.pool.not(violation);
        matches!(self.ask(state, holds), Answer::Unsat(_))
    }

    /// Whether the violation depends on a value that a real execution may not have.
    fn is_uncertain(&self, state: &State, violation: ExprId) -> bool {
        let mut conditions: Vec<ExprId> = state.assumed.iter().copied().collect();
        conditions.push(violation);
        state.is_uncertain(&self.machine.smt.pool, &conditions)
    }
}
