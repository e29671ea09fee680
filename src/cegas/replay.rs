//! Walking a path again with the values the solver found: every value is concrete now, so each branch
//! decides itself. If the walk does not end in the violation, nothing was found. What happens on the way
//! is the counterexample's story (`story.rs`).

use super::draw::Draw;
use super::known::Known;
use super::leap::{Leap, Leaps};
use super::machine::{Inputs, Machine, Replay, Step, Stop};
use super::reachable::Values;
use super::related::Past;
use super::state::State;
use super::step::{Flow, Outcome};
use super::story::{Story, Walked};
use crate::cegas::persistent::HashSet;
use crate::ir::{FuncId, Inst, InstId};
use crate::rules::{Demand, Fault};
use crate::smt::{ExprId, VarId};
use crate::watch::Deadline;
use std::ops::Range;

/// A walk longer than this is given up; it took the explorer as many steps to get there.
const MOST_STEPS: u64 = 100_000_000;

/// Of a path that is known to be long, so many steps at both ends are told.
const TOLD: u64 = 10_000;

/// Steps until the next look at the clock.
const STEPS_PER_LOOK: u64 = 1 << 14;

/// The violation that a walk must end in.
#[derive(Debug, Clone, Copy)]
pub(super) enum Target {
    /// The demand of this number at an instruction, reached from this place of the user's code.
    At { at: InstId, number: usize, site: InstId },
    /// The end of the execution, where memory allocated here is lost.
    End { lost: InstId },
}

impl Machine<'_> {
    /// The story of the path from `entry` to the violation that `target` says, with arbitrary values as
    /// `inputs` says of the variables that are `known`, but for those in `kept`; `None` if the path does not get there.
    pub(super) fn replay(
        &mut self,
        entry: FuncId,
        inputs: Inputs,
        known: Option<Known>,
        kept: HashSet<VarId>,
        target: Target,
    ) -> Option<Walked> {
        let keeps_unset = match target {
            Target::At { at, number, .. } => {
                let demand = self.marks.at(at).get(number)?.demand;
                matches!(demand, Demand::Set(_) | Demand::Access { fault: Fault::Unset, .. })
            }
            Target::End { .. } => false,
        };
        self.replay = Some(Replay { inputs, drawn: 0, keeps_unset, known, kept });
        let story = self.walk(entry, target, 0..0, None);
        self.replay = None;
        story
    }

    /// The same with drawn inputs, for a path of so many steps, which is given up when the time is over.
    pub(super) fn replay_drawn(
        &mut self,
        entry: FuncId,
        draw: Draw,
        target: Target,
        steps: u64,
        deadline: Deadline,
    ) -> Option<Walked> {
        let inputs = Inputs::Drawn(draw);
        let kept = HashSet::default();
        self.replay = Some(Replay { inputs, drawn: 0, keeps_unset: false, known: None, kept });
        let quiet = TOLD..steps.saturating_sub(TOLD);
        let story = self.walk(entry, target, quiet, Some(deadline));
        self.replay = None;
        story
    }

    /// Nothing is told of the steps in `quiet`.
    fn walk(
        &mut self,
        entry: FuncId,
        target: Target,
        quiet: Range<u64>,
        deadline: Option<Deadline>,
    ) -> Option<Walked> {
        let mut state = self.start(entry);
        let mut story = Story::default();
        let mut past = Past::default();
        let mut last = None;
        let mut leaps = Leaps::default();
        // Those of turns that were not followed one by one count, too.
        let mut step = 0;
        for taken in 0..MOST_STEPS {
            step += 1;
            if taken % STEPS_PER_LOOK == 0 && deadline.is_some_and(|end| end.is_over()) {
                return None;
            }
            let Some(at) = state.top().map(|frame| frame.at) else {
                let Some(func) = state.next_function() else {
                    return self.loses(&state, target, Values::None).then(|| story.ended(last));
                };
                self.enter_first(&mut state, func).ok()?;
                continue;
            };
            if self.is_violated(&mut state, at, target)? {
                let holds = state.doubt.is_none() && self.all_hold(&state);
                let related = match target {
                    Target::At { number, .. } => {
                        if let Some(text) = self.missed(&state, at, number) {
                            story.tell(self.site(&state, at), state.frames.len(), text);
                        }
                        self.related(&past, &state, at, number)
                    }
                    Target::End { .. } => Vec::new(),
                };
                return holds.then(|| (story.into_steps(), related));
            }
            // What the models of library functions do inside is nobody's business.
            let is_quiet = quiet.contains(&step);
            if is_quiet {
                story.dropped += 1;
            }
            let tells = !is_quiet && !self.is_library(at);
            if tells {
                last = Some(at);
                self.tell_bindings(&mut story, &mut past, &state, at);
            }
            if let Some(freed) = self.take_down(&mut past, &state, at)
                && tells
            {
                story.tell(at, state.frames.len(), format!("free of {freed}"));
            }
            let fresh = state.fresh;
            let flow = match self.step(&mut state, at) {
                Ok(flow) => flow,
                Err(Stop::Exit) => {
                    return self.loses(&state, target, Values::MayHold).then(|| story.ended(last));
                }
                Err(Stop::End | Stop::Gap(_) | Stop::Split(..)) => return None,
            };
            if tells {
                self.tell_step(&mut story, &state, at, fresh);
            }
            if tells {
                self.tell_flow(&mut story, &state, at, &flow)?;
            }
            let has_landed = matches!(flow, Flow::Blocks(_));
            match self.go(&mut state, at, flow) {
                Ok(()) if has_landed => match leaps.landed(self, &state) {
                    Some(Leap::To { state: later, turns, length }) => {
                        let text = format!("the loop turns {turns} times");
                        story.tell(at, state.frames.len(), text);
                        state = *later;
                        step += turns.saturating_mul(length);
                    }
                    Some(Leap::ForEver) => {
                        return self
                            .loses(&state, target, Values::MayHold)
                            .then(|| story.ended(last));
                    }
                    None => {}
                },
                Ok(()) => {}
                Err(Stop::Exit) => {
                    return self.loses(&state, target, Values::MayHold).then(|| story.ended(last));
                }
                Err(Stop::End | Stop::Gap(_) | Stop::Split(..)) => return None,
            }
        }
        None
    }

    /// Goes the one way that the values leave open.
    pub(super) fn go(&mut self, state: &mut State, at: InstId, flow: Flow) -> Step<()> {
        match flow {
            Flow::Next => self.advance(state),
            Flow::Stay => Ok(()),
            Flow::Return(value) => self.leave(state, value).map(|_| ()),
            Flow::Blocks(targets) => {
                let to = self.only(&targets).ok_or(Stop::End)?;
                self.jump(state, to)
            }
            Flow::Call(callees) => {
                let func = self.only(&callees).ok_or(Stop::End)?;
                self.enter(state, at, func)
            }
            Flow::Outcomes(outcomes) => {
                let outcome = self.only(&outcomes).ok_or(Stop::End)?;
                self.finish(state, at, outcome)
            }
        }
    }

    /// Which way it goes from here.
    fn tell_flow(&self, story: &mut Story, state: &State, at: InstId, flow: &Flow) -> Option<()> {
        let text = match flow {
            Flow::Next | Flow::Stay | Flow::Return(_) => return Some(()),
            Flow::Blocks(targets) => {
                let to = self.only(targets)?;
                let Inst::Branch { then, negated, .. } = self.program.insts[at].inst else {
                    return Some(());
                };
                format!("the condition is {}", (to == then) != negated)
            }
            Flow::Call(callees) => {
                format!("call of {}", self.program.funcs[self.only(callees)?].name)
            }
            Flow::Outcomes(outcomes) => match self.only(outcomes)? {
                Outcome::Refused => "the allocation fails".to_owned(),
                Outcome::Granted => return Some(()),
            },
        };
        story.tell(at, state.frames.len(), text);
        Some(())
    }

    /// Asks every demand of `at`, as the explorer did, and says whether the one that is meant is violated.
    fn is_violated(&mut self, state: &mut State, at: InstId, target: Target) -> Option<bool> {
        for here in 0..self.marks.at(at).len() {
            let demand = self.marks.at(at)[here].demand;
            let violation = self.violation(state, demand).ok()?;
            if let Target::At { at: meant, number, site } = target
                && (meant, number) == (at, here)
                && self.site(state, at) == site
            {
                return Some(self.value_now(violation)? != 0);
            }
            // The explorer went on only where the others are met.
            let goes_on = demand.is_debatable();
            if !goes_on && self.value_now(violation)? != 0 {
                return None;
            }
        }
        Some(false)
    }

    /// Whether what the target means is lost at the end.
    fn loses(&mut self, state: &State, target: Target, values: Values) -> bool {
        let Target::End { lost: meant } = target else { return false };
        let lost = self.lost(state, values);
        let is_it = |when| self.value_now(when).is_some_and(|value| value != 0);
        state.doubt.is_none()
            && self.all_hold(state)
            && lost.iter().any(|lost| lost.allocated == meant && is_it(lost.when))
    }

    /// A condition's value: all is concrete, but for what was never set.
    pub(super) fn value_now(&self, e: ExprId) -> Option<u128> {
        let replay = self.replay.as_ref()?;
        self.smt.pool.as_const(e).or_else(|| match &replay.inputs {
            Inputs::Found(model) => self.smt.pool.eval(e, model),
            Inputs::Drawn(_) => None,
        })
    }

    pub(super) fn all_hold(&self, state: &State) -> bool {
        state
            .assumed
            .iter()
            .chain(&state.deferred)
            .all(|&cond| self.value_now(cond).is_some_and(|value| value != 0))
    }

    /// Whether the instruction belongs to a model of a library function.
    fn is_library(&self, at: InstId) -> bool {
        self.marks.is_model(self.program.func_of(at))
    }

    /// The way whose condition holds; with concrete values there is exactly one.
    fn only<T: Copy>(&self, ways: &[(ExprId, T)]) -> Option<T> {
        let mut open = None;
        for &(cond, to) in ways {
            match self.value_now(cond)? {
                0 => {}
                _ if open.is_some() => return None,
                _ => open = Some(to),
            }
        }
        open
    }
}
