//! What is left to ask when some verdicts are known, and which obligations a path that was left can still touch.
//!
//! Invariants: a path is dropped only if no obligation that is asked about can be violated on it; an obligation is called
//! safe although a path was left only if that path can no longer come to it ([`Order`]), or, for lost memory,
//! neither that nor holds any that was allocated there.

use super::explore::Explorer;
use super::memory::{Instance, Origin};
use super::state::State;
use super::verdict::Reason;
use crate::ir::{BlockId, FuncId, Program};
use crate::order::{FuncSet, Order, Ways};
use crate::rules::Demand;
use rustc_hash::FxHashSet;

/// More places where paths were left are not told apart.
const MOST_LEFT: usize = 64;

/// What is asked about.
#[derive(Debug)]
pub struct Rest<'a> {
    order: &'a Order,
    /// The functions whose obligations are asked about; none: all.
    asked: Option<Asked>,
}

#[derive(Debug)]
struct Asked {
    /// Those that hold or not where they stand, and those about memory allocated there.
    points: FuncSet,
    kept: FuncSet,
    ways: Ways,
}

impl<'a> Rest<'a> {
    pub fn everything(order: &'a Order) -> Self {
        Rest { order, asked: None }
    }

    /// Obligations of the functions `points`, and of `kept` those about lost memory.
    pub fn of(order: &'a Order, program: &Program, points: FuncSet, kept: FuncSet) -> Self {
        let mut all = points.clone();
        all.add(&kept);
        let ways = order.ways(program, &all);
        Rest { order, asked: Some(Asked { points, kept, ways }) }
    }
}

/// Where a path was left.
#[derive(Debug)]
pub(super) struct Left {
    reason: Reason,
    place: Place,
}

#[derive(Debug, Default)]
struct Place {
    /// The functions that may still be come to; none: all.
    ahead: Option<FuncSet>,
    /// The functions where memory was allocated that there is.
    holds: FuncSet,
}

impl Place {
    fn touches(&self, func: FuncId, is_kept: bool) -> bool {
        self.ahead.as_ref().is_none_or(|ahead| ahead.contains(func))
            || is_kept && self.holds.contains(func)
    }
}

impl Explorer<'_> {
    /// Marks the obligations that nobody asks about.
    pub(super) fn mark_known(&mut self) {
        let asked = self.rest.and_then(|rest| rest.asked.as_ref());
        for index in self.known.len()..self.ledger.len() {
            let is_other = self.only.is_some_and(|only| only != self.ledger.get(index));
            self.known.push(
                is_other
                    || asked.is_some_and(|asked| {
                        let obligation = self.ledger.get(index);
                        let func = self.machine.program.func_of(obligation.at);
                        match obligation.demand {
                            Demand::Kept => !asked.kept.contains(func),
                            Demand::NotReached
                            | Demand::NonZero(_)
                            | Demand::Equal(..)
                            | Demand::Access { .. }
                            | Demand::Free { .. }
                            | Demand::Set(_)
                            | Demand::Arguable(_)
                            | Demand::Fits { .. }
                            | Demand::Wraps { .. } => !asked.points.contains(func),
                        }
                    }),
            );
        }
    }

    /// Whether something that is asked about can still happen.
    pub(super) fn leads_on(&self, state: &State) -> bool {
        let Some(asked) = self.rest.and_then(|rest| rest.asked.as_ref()) else {
            return true;
        };
        state.frames.iter().rev().any(|frame| asked.ways.lead_from(frame.block))
            || state.pending.iter().chain(&state.closing).any(|&f| asked.ways.lead_through(f))
            || !asked.kept.is_empty() && self.held(state).meets(&asked.kept)
    }

    /// The functions in which the memory was allocated that there is.
    fn held(&self, state: &State) -> FuncSet {
        let instances = (0..state.memory.len() as u32).map(Instance);
        let objects = instances.filter_map(|instance| state.memory.get(instance));
        let sites = objects.filter_map(|object| match object.origin {
            Origin::Heap(at) => Some(self.machine.program.func_of(at)),
            Origin::Global(_)
            | Origin::Func(_)
            | Origin::Local(_)
            | Origin::Varargs(_)
            | Origin::Argument
            | Origin::Given(_) => None,
        });
        sites.collect()
    }

    /// A path is not followed to its end.
    pub(super) fn leave(&mut self, state: &State, reason: Reason) {
        if self.left.len() <= MOST_LEFT {
            let is_last = self.left.len() == MOST_LEFT;
            let place = if is_last { Place::default() } else { self.place([state].into_iter()) };
            let is_new =
                |left: &Left| left.place.ahead != place.ahead || left.place.holds != place.holds;
            if self.left.iter().all(is_new) {
                self.left.push(Left { reason: reason.clone(), place });
            }
        }
        self.cut(reason);
    }

    /// What these states may still come to.
    fn place<'s>(&self, states: impl Iterator<Item = &'s State>) -> Place {
        let Some(rest) = self.rest else { return Place::default() };
        let mut blocks: FxHashSet<BlockId> = FxHashSet::default();
        let (mut funcs, mut holds) = (FuncSet::default(), FuncSet::default());
        for state in states {
            blocks.extend(state.frames.iter().map(|frame| frame.block));
            let to_run = state.pending.iter().chain(&state.closing);
            to_run.for_each(|&func| _ = funcs.insert(func));
            holds.add(&self.held(state));
        }
        let ahead = rest.order.ahead(self.machine.program, blocks, funcs.iter());
        Place { ahead: Some(ahead), holds }
    }

    /// Why an obligation is open, if paths were left that may come to it.
    pub(super) fn why_open(&self, open: &Waiting, index: usize) -> Option<Reason> {
        let obligation = self.ledger.get(index);
        let func = self.machine.program.func_of(obligation.at);
        let is_kept = matches!(obligation.demand, Demand::Kept);
        if let Some((reason, place)) = &open.0
            && place.touches(func, is_kept)
        {
            return Some(reason.clone());
        }
        let mut left = self.left.iter().filter(|left| left.place.touches(func, is_kept));
        left.next().map(|left| left.reason.clone())
    }

    /// What waits although the work has ended, and why.
    pub(super) fn still_waiting(&self) -> Waiting {
        let reason = match &self.incomplete {
            _ if self.is_paused => Reason::Time,
            Some(Reason::Memory) => Reason::Memory,
            _ => return Waiting(None),
        };
        Waiting(Some((
            reason,
            self.place(self.waiting.values().flatten().chain(&self.interrupted)),
        )))
    }

    /// The functions that may be come to on paths that were left or wait.
    pub(super) fn all_ahead(&self) -> Option<FuncSet> {
        let mut all = FuncSet::default();
        let waiting = self.still_waiting().0.map(|(_, place)| place);
        for place in self.left.iter().map(|left| &left.place).chain(&waiting) {
            all.add(place.ahead.as_ref()?);
        }
        self.rest.is_some().then_some(all)
    }
}

/// Paths that nobody followed.
pub(super) struct Waiting(Option<(Reason, Place)>);
