//! Walking one path of the abstract reachability graph again with another precision: does it still get to the
//! obligation? At full precision this is Table 1 along ρ, since every address that is known is one instance.

use super::model::Model;
use super::precision::Precision;
use super::predicates::Label;
use super::segment::{End, Event, Way};
use crate::cegas::state::State;
use crate::ir::{InstId, Operand};
use crate::rules::Demand;

/// A walk along a path.
pub(super) struct Trace {
    pub events: Vec<Event>,
    /// For each node of the path, how many events come before it, and the state there.
    pub cuts: Vec<(usize, State)>,
    /// What is known of the predicates at each node but the first.
    pub labels: Vec<Label>,
    pub outcome: Walked,
}

pub(super) enum Walked {
    /// It gets to the obligation, or to an earlier violation of it, as far as this precision tells.
    Arrived,
    /// It cannot go on as the path does. These operands say so, in the frame of this depth.
    Refuted { at: Option<InstId>, depth: usize, by: Vec<Operand> },
    /// It leaves what the model knows.
    Left,
}

impl Model<'_> {
    /// Follows `ways` from `first`; with a precision, each state on the way is abstracted.
    pub fn trace(&mut self, first: &State, ways: &[Way], precision: Option<&Precision>) -> Trace {
        let mut trace = Trace {
            events: Vec::new(),
            cuts: vec![(0, first.clone())],
            labels: Vec::new(),
            outcome: Walked::Arrived,
        };
        let mut state = first.clone();
        self.asks = precision.is_some_and(Precision::has_predicates);
        for step in 0..=ways.len() {
            if self.limit.is_late() {
                trace.outcome = Walked::Left;
                return trace;
            }
            let depth = state.frames.len();
            let from = state.top().map(|frame| frame.block);
            let call = state.top().and_then(|frame| frame.call);
            let before = trace.events.len();
            let end = self.run(state, Some(&mut trace.events));
            let wanted = ways.get(step).copied();
            // What comes behind the obligation has no part in whether it holds.
            let is_it =
                |event: &Event| matches!(event, Event::Ran { at, .. } if *at == self.target.at);
            let passed = trace.events.iter().skip(before).position(is_it);
            let (at, next) = match (end, wanted, passed) {
                (End::Target(_), _, _) => return trace,
                // A path has all its calls in it.
                (End::Left(_) | End::Return(..), _, _) => {
                    trace.outcome = Walked::Left;
                    return trace;
                }
                (End::Ways(..) | End::Over(_) | End::Finished, None, Some(passed)) => {
                    trace.events.truncate(before + passed);
                    let (at, by) = (Some(self.target.at), demanded(self.target.demand));
                    trace.outcome = Walked::Refuted { at, depth, by };
                    return trace;
                }
                (End::Ways(at, open), Some(way), _) => {
                    (at, open.into_iter().find(|(open, _)| *open == way).map(|(_, state)| state))
                }
                (End::Over(at), _, _) => (Some(at), None),
                (End::Ways(..) | End::Finished, _, _) => (None, None),
            };
            let (Some(mut next), Some(way)) = (next, wanted) else {
                let by = at.map(|at| self.operands(self.machine.program.inst(at)));
                // The instruction itself is what refutes.
                if let Some(Event::Ran { at: last, .. }) = trace.events.last()
                    && Some(*last) == at
                {
                    trace.events.pop();
                }
                trace.outcome = Walked::Refuted { at, depth, by: by.unwrap_or_default() };
                return trace;
            };
            trace.events.push(Event::Took { at, way, depth, from, call });
            let label = match precision {
                Some(precision) => self.abstracted(&mut next, precision),
                None => {
                    self.abstraction(&mut next, None);
                    Some(Label::default())
                }
            };
            let Some(label) = label else {
                trace.outcome = Walked::Refuted { at, depth, by: Vec::new() };
                return trace;
            };
            trace.cuts.push((trace.events.len(), next.clone()));
            state = next;
            if self.assume_label(&mut state, &label).is_err() {
                trace.outcome = Walked::Refuted { at, depth, by: Vec::new() };
                return trace;
            }
            trace.labels.push(label);
        }
        trace
    }
}

/// What a demand looks at.
fn demanded(demand: Demand) -> Vec<Operand> {
    match demand {
        Demand::NonZero(value) | Demand::Arguable(value) | Demand::Set(value) => vec![value],
        Demand::Equal(a, b) | Demand::Wraps { lhs: a, rhs: b, .. } => vec![a, b],
        Demand::Access { pointer, .. } | Demand::Free { pointer, .. } => vec![pointer],
        Demand::Fits { value, .. } => vec![value],
        Demand::NotReached | Demand::Kept => vec![],
    }
}
