//! Algorithm 1, `Refine(ρ, M)`, value part: what must join the precision so that an infeasible path is not found
//! again.
//!
//! Table 1 along ρ leaves every address that matters with one instance, so the strong updates of lines 7–8 are done by the
//! time the contradiction is seen. The interpolants of lines 10–14 are sets of assignments: a smallest set, as far as
//! leaving out one variable at a time finds it, that keeps the rest of the path infeasible.

use super::model::Model;
use super::precision::{Location, Precision, Variable};
use super::segment::{Range, Way};
use super::trace::Walked;
use crate::cegas::state::State;
use crate::ir::InstId;
use std::collections::BTreeSet;

/// Leaving out variables one at a time costs a walk each; for longer paths all that BackReachability found is taken.
const MOST_WALKED: usize = 20_000;

/// Why a path is infeasible, and what shows it.
pub(super) struct Refinement {
    /// The first step that is unsatisfiable (lines 3–5).
    pub at: Option<InstId>,
    pub joins: BTreeSet<(Location, Variable)>,
    pub strong: Vec<(InstId, Range)>,
    /// The states of the walk at full precision, for names.
    pub states: Vec<State>,
    /// The first node at which something has to be known.
    pub pivot: usize,
}

impl Model<'_> {
    /// What refutes the path at full precision; `None` if explicit values do not.
    pub fn refine(
        &mut self,
        first: &State,
        ways: &[Way],
        precision: &Precision,
    ) -> Option<Refinement> {
        // Lines 3–9: the first contradiction on ρ, with strong updates.
        let mut start = first.clone();
        self.abstraction(&mut start, None);
        let trace = self.trace(&start, ways, None);
        let Walked::Refuted { at, depth, ref by } = trace.outcome else { return None };
        // Lines 10–19: what is needed at each location before it, pointers included.
        let found = self.back_reachability(&trace, depth, by);
        let mut joins: BTreeSet<(Location, Variable)> =
            found.cuts.iter().flatten().copied().collect();
        if !self.is_refuted(first, ways, precision, &joins) {
            return None;
        }
        let variables: BTreeSet<Variable> = joins.iter().map(|(_, variable)| *variable).collect();
        if variables.len().saturating_mul(trace.events.len()) <= MOST_WALKED {
            for variable in variables {
                let mut fewer = joins.clone();
                fewer.retain(|(_, other)| *other != variable);
                if self.is_refuted(first, ways, precision, &fewer) {
                    joins = fewer;
                }
            }
        }
        let is_kept = |cut: &BTreeSet<(Location, Variable)>| !cut.is_disjoint(&joins);
        let pivot = found.cuts.iter().position(is_kept).unwrap_or(0);
        let states = trace.cuts.into_iter().map(|(_, state)| state).collect();
        Some(Refinement { at, joins, strong: found.strong, states, pivot })
    }

    /// Whether the path is infeasible in the abstract model with this precision.
    pub fn is_refuted(
        &mut self,
        first: &State,
        ways: &[Way],
        precision: &Precision,
        more: &BTreeSet<(Location, Variable)>,
    ) -> bool {
        let mut precision = precision.clone();
        precision.join(more.iter().copied());
        let mut first = first.clone();
        self.abstraction(&mut first, Some(&precision));
        let trace = self.trace(&first, ways, Some(&precision));
        matches!(trace.outcome, Walked::Refuted { .. })
    }
}
