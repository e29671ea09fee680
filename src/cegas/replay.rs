//! Walking a path again with the values the solver found: every value is concrete now, so each branch
//! decides itself. If the walk does not end in the violation, nothing was found. What happens on the way
//! is the counterexample's story.

use super::address::Base;
use super::machine::{Machine, Replay, Stop};
use super::memory::Origin;
use super::related::{Past, Related};
use super::state::State;
use super::step::{Flow, Outcome};
use super::verdict::{Change, TraceStep};
use crate::ir::{self, FuncId, Inst, InstId};
use crate::rules::Demand;
use crate::smt::{ExprId, Model, VarId};
use imbl::HashSet;
use rustc_hash::FxHashMap;
use std::collections::VecDeque;

/// A walk longer than this is given up; it took the explorer as many steps to get there.
const MOST_STEPS: u64 = 100_000_000;

/// Of a long story the beginning and the end are kept.
const KEPT: usize = 500;

/// The violation that a walk must end in.
#[derive(Debug, Clone, Copy)]
pub(super) enum Target {
    /// The demand of this number at an instruction, reached from this place of the user's code.
    At { at: InstId, number: usize, site: InstId },
    /// The end of the execution, where memory allocated here is lost.
    End { lost: InstId },
}

/// The story of a walk, and what explains its end.
pub(super) type Walked = (Vec<TraceStep>, Vec<Related>);

#[derive(Default)]
struct Story {
    first: Vec<TraceStep>,
    last: VecDeque<TraceStep>,
    /// Steps between the two that were not kept.
    dropped: usize,
    /// What each variable was when last told.
    told: FxHashMap<(usize, ir::VarId), String>,
}

impl Story {
    fn tell(&mut self, at: InstId, depth: usize, text: String) {
        self.push(TraceStep { at, depth: depth as u32, text, change: None });
    }

    fn tell_change(&mut self, at: InstId, depth: usize, change: Change) {
        let arrow = if change.value.starts_with('&') { "->" } else { "=" };
        let text = format!("{} {arrow} {}", change.name, change.value);
        self.push(TraceStep { at, depth: depth as u32, text, change: Some(change) });
    }

    fn push(&mut self, step: TraceStep) {
        if self.first.len() < KEPT {
            self.first.push(step);
        } else {
            self.last.push_back(step);
            if self.last.len() > KEPT {
                self.last.pop_front();
                self.dropped += 1;
            }
        }
    }

    /// The story of an execution that came to its end.
    fn ended(self) -> Walked {
        (self.into_steps(), Vec::new())
    }

    fn into_steps(mut self) -> Vec<TraceStep> {
        if let Some(next) = self.last.front().filter(|_| self.dropped > 0) {
            let text = format!("… {} steps left out …", self.dropped);
            self.first.push(TraceStep { at: next.at, depth: next.depth, text, change: None });
        }
        self.first.extend(self.last);
        self.first
    }
}

impl Machine<'_> {
    /// The story of the path from `entry` to the violation that `target` says, with arbitrary values as
    /// `inputs` says, but for those in `kept`; `None` if the path does not get there.
    pub(super) fn replay(
        &mut self,
        entry: FuncId,
        inputs: Model,
        kept: HashSet<VarId>,
        target: Target,
    ) -> Option<Walked> {
        let keeps_unset = match target {
            Target::At { at, number, .. } => {
                matches!(self.marks.at(at).get(number)?.demand, Demand::Set(_))
            }
            Target::End { .. } => false,
        };
        self.replay = Some(Replay { inputs, keeps_unset, kept });
        let story = self.walk(entry, target);
        self.replay = None;
        story
    }

    fn walk(&mut self, entry: FuncId, target: Target) -> Option<Walked> {
        let mut state = self.start(entry);
        let mut story = Story::default();
        let mut past = Past::default();
        for _ in 0..MOST_STEPS {
            let Some(at) = state.top().map(|frame| frame.at) else {
                let Some(func) = state.next_function() else {
                    return self.loses(&state, target, false).then(|| story.ended());
                };
                self.enter_first(&mut state, func).ok()?;
                continue;
            };
            if self.is_violated(&mut state, at, target)? {
                let holds = state.doubt.is_none() && self.all_hold(&state);
                let related = match target {
                    Target::At { number, .. } => self.related(&past, &state, at, number),
                    Target::End { .. } => Vec::new(),
                };
                return holds.then(|| (story.into_steps(), related));
            }
            // What the models of library functions do inside is nobody's business.
            let tells = !self.is_library(at);
            if tells {
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
                    return self.loses(&state, target, true).then(|| story.ended());
                }
                Err(Stop::End | Stop::Gap(_) | Stop::Split(..)) => return None,
            };
            if tells {
                self.tell_step(&mut story, &state, at, fresh);
            }
            match flow {
                Flow::Next => self.advance(&mut state).ok()?,
                Flow::Stay => {}
                Flow::Return(value) => {
                    let _called = self.leave(&mut state, value).ok()?;
                }
                Flow::Blocks(targets) => {
                    let to = self.only(&targets)?;
                    if let Inst::Branch { then, .. } = self.program.insts[at].inst
                        && tells
                    {
                        let answer = if to == then { "true" } else { "false" };
                        story.tell(at, state.frames.len(), format!("the condition is {answer}"));
                    }
                    self.jump(&mut state, to).ok()?;
                }
                Flow::Call(callees) => {
                    let func = self.only(&callees)?;
                    let name = &self.program.funcs[func].name;
                    if tells {
                        story.tell(at, state.frames.len(), format!("call of {name}"));
                    }
                    match self.enter(&mut state, at, func) {
                        Ok(()) => {}
                        Err(Stop::Exit) => {
                            return self.loses(&state, target, true).then(|| story.ended());
                        }
                        Err(Stop::End | Stop::Gap(_) | Stop::Split(..)) => return None,
                    }
                }
                Flow::Outcomes(outcomes) => {
                    let outcome = self.only(&outcomes)?;
                    if outcome == Outcome::Refused && tells {
                        story.tell(at, state.frames.len(), "the allocation fails".to_owned());
                    }
                    self.finish(&mut state, at, outcome).ok()?;
                }
            }
        }
        None
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
    fn loses(&mut self, state: &State, target: Target, running: bool) -> bool {
        let Target::End { lost: meant } = target else { return false };
        let lost = self.lost(state, running);
        let is_it = |when| self.value_now(when).is_some_and(|value| value != 0);
        state.doubt.is_none()
            && self.all_hold(state)
            && lost.iter().any(|lost| lost.allocated == meant && !lost.held && is_it(lost.when))
    }

    /// A condition's value: all is concrete, but for what was never set.
    fn value_now(&self, e: ExprId) -> Option<u128> {
        let replay = self.replay.as_ref()?;
        self.smt.pool.as_const(e).or_else(|| self.smt.pool.eval(e, &replay.inputs))
    }

    fn all_hold(&self, state: &State) -> bool {
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

    /// Variables that live in values and changed here.
    fn tell_bindings(&mut self, story: &mut Story, past: &mut Past, state: &State, at: InstId) {
        // Looking at an undefined value makes an arbitrary one, which must not shift the others.
        let state = &mut state.clone();
        for binding in self.program.debug.bindings_at(at) {
            if binding.address {
                continue;
            }
            let Ok(value) = self.operand(state, binding.value) else { continue };
            let var = &self.program.debug.vars[binding.var];
            let Some(shown) = self.show(state, &value, var.ty.expand()) else { continue };
            let depth = state.frames.len();
            if story.told.insert((depth, binding.var), shown.clone()) != Some(shown.clone()) {
                past.bind(binding.value, at);
                let (name, func) = (var.name.clone(), Some(self.program.func_of(at)));
                story.tell_change(at, depth, Change { name, value: shown, object: None, func });
            }
        }
    }

    /// Inputs that were read and variables in memory that changed.
    fn tell_step(&mut self, story: &mut Story, state: &State, at: InstId, fresh: u32) {
        let depth = state.frames.len();
        match self.program.insts[at].inst {
            Inst::Store { ptr, value, .. } => {
                let mut state = state.clone();
                let (Ok(pointer), Ok(value)) =
                    (self.bits(&mut state, ptr), self.operand(&mut state, value))
                else {
                    return;
                };
                let places = self.places(pointer);
                let [place] = places[..] else { return };
                let Base::Object(instance) = place.base else { return };
                let Some(offset) = self.smt.pool.as_const(place.offset) else { return };
                let Some(name) = self.object_name(&state, instance) else { return };
                let part = self.member(&state, instance, offset as u64);
                let part = part.unwrap_or_else(|| format!(" + {offset} bytes"));
                if let Some(value) = self.show(&state, &value, None) {
                    let func = match state.memory.get(instance).map(|object| object.origin) {
                        Some(Origin::Local(made)) => Some(self.program.func_of(made)),
                        _ => None,
                    };
                    let (name, object) = (format!("{name}{part}"), Some(instance.0));
                    story.tell_change(at, depth, Change { name, value, object, func });
                }
            }
            Inst::Load { ptr, .. } if state.fresh > fresh && self.given.is_some() => {
                let mut state = state.clone();
                let Ok(pointer) = self.bits(&mut state, ptr) else { return };
                let places = self.places(pointer);
                let [place] = places[..] else { return };
                let Base::Object(instance) = place.base else { return };
                let Some(offset) = self.smt.pool.as_const(place.offset) else { return };
                let Some(name) = self.object_name(&state, instance) else { return };
                let part = self.member(&state, instance, offset as u64);
                let part = part.unwrap_or_else(|| format!(" + {offset} bytes"));
                let result = self.program.insts[at].result.expand();
                let value = result.and_then(|r| state.top()?.values.get(&r).cloned());
                if let Some(shown) = value.and_then(|value| self.show(&state, &value, None)) {
                    story.tell(at, depth, format!("given: {name}{part} = {shown}"));
                }
            }
            Inst::Call { .. } if state.fresh > fresh => {
                let result = self.program.insts[at].result.expand();
                let value = result.and_then(|r| state.top()?.values.get(&r).cloned());
                if let Some(shown) = value.and_then(|value| self.show(state, &value, None)) {
                    story.tell(at, depth, format!("input: {shown}"));
                }
            }
            _ => {}
        }
    }
}
