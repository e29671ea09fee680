//! Walking a path again with the values the solver found: every value is concrete now, so each branch
//! decides itself. If the walk does not end in the violation, nothing was found. What happens on the way
//! is the counterexample's story.

use super::address::{Base, Place};
use super::draw::Draw;
use super::machine::{Inputs, Machine, Replay, Step, Stop};
use super::memory::{Instance, Origin};
use super::related::{Past, Related};
use super::state::State;
use super::step::{Flow, Outcome};
use super::verdict::{Change, TraceStep};
use crate::cegas::persistent::HashSet;
use crate::ir::{self, FuncId, Inst, InstId};
use crate::rules::Demand;
use crate::smt::{ExprId, VarId};
use rustc_hash::FxHashMap;
use std::collections::VecDeque;
use std::ops::Range;

/// A walk longer than this is given up; it took the explorer as many steps to get there.
const MOST_STEPS: u64 = 100_000_000;

/// Of a path that is known to be long, so many steps at both ends are told.
const TOLD: u64 = 10_000;

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
        inputs: Inputs,
        kept: HashSet<VarId>,
        target: Target,
    ) -> Option<Walked> {
        let keeps_unset = match target {
            Target::At { at, number, .. } => {
                matches!(self.marks.at(at).get(number)?.demand, Demand::Set(_))
            }
            Target::End { .. } => false,
        };
        self.replay = Some(Replay { inputs, drawn: 0, keeps_unset, kept });
        let story = self.walk(entry, target, 0..0);
        self.replay = None;
        story
    }

    /// The same with drawn inputs, for a path of so many steps.
    pub(super) fn replay_drawn(
        &mut self,
        entry: FuncId,
        draw: Draw,
        target: Target,
        steps: u64,
    ) -> Option<Walked> {
        let inputs = Inputs::Drawn(draw);
        self.replay =
            Some(Replay { inputs, drawn: 0, keeps_unset: false, kept: HashSet::default() });
        let story = self.walk(entry, target, TOLD..steps.saturating_sub(TOLD));
        self.replay = None;
        story
    }

    /// Nothing is told of the steps in `quiet`.
    fn walk(&mut self, entry: FuncId, target: Target, quiet: Range<u64>) -> Option<Walked> {
        let mut state = self.start(entry);
        let mut story = Story::default();
        let mut past = Past::default();
        for step in 0..MOST_STEPS {
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
            if tells {
                self.tell_flow(&mut story, &state, at, &flow)?;
            }
            match self.go(&mut state, at, flow) {
                Ok(()) => {}
                Err(Stop::Exit) => {
                    return self.loses(&state, target, true).then(|| story.ended());
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
                let Inst::Branch { then, .. } = self.program.insts[at].inst else {
                    return Some(());
                };
                format!("the condition is {}", to == then)
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
    fn loses(&mut self, state: &State, target: Target, running: bool) -> bool {
        let Target::End { lost: meant } = target else { return false };
        let lost = self.lost(state, running);
        let is_it = |when| self.value_now(when).is_some_and(|value| value != 0);
        state.doubt.is_none()
            && self.all_hold(state)
            && lost.iter().any(|lost| lost.allocated == meant && !lost.held && is_it(lost.when))
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
            let Some(mut shown) = self.show(state, &value, var.ty.expand()) else { continue };
            if matches!(self.program.defined_by(binding.value), Some(Inst::Uninit)) {
                match var.kind {
                    // Its argument comes next.
                    ir::VarKind::Param(_) => continue,
                    ir::VarKind::Local | ir::VarKind::Global => shown += " (never set)",
                }
            }
            let depth = state.frames.len();
            if story.told.insert((depth, binding.var), shown.clone()) != Some(shown.clone()) {
                past.bind(binding.value, at);
                let (name, func) = (var.name.clone(), Some(self.program.func_of(at)));
                story.tell_change(at, depth, Change { name, value: shown, object: None, func });
            }
        }
    }

    /// A place in memory as C writes it, and the object it is in.
    fn named_place(
        &mut self,
        state: &mut State,
        pointer: ir::Operand,
    ) -> Option<(Instance, String)> {
        let pointer = self.bits(state, pointer).ok()?;
        let places = self.places(pointer);
        let [Place { base: Base::Object(instance), offset, .. }] = places[..] else { return None };
        let offset = self.smt.pool.as_const(offset)?;
        let name = self.object_name(state, instance)?;
        let part = self.member(state, instance, offset as u64);
        let part = part.unwrap_or_else(|| format!(" + {offset} bytes"));
        Some((instance, format!("{name}{part}")))
    }

    /// Inputs that were read and variables in memory that changed.
    fn tell_step(&mut self, story: &mut Story, state: &State, at: InstId, fresh: u32) {
        let depth = state.frames.len();
        match self.program.insts[at].inst {
            Inst::Store { ptr, value, .. } => {
                let mut state = state.clone();
                let Some((instance, name)) = self.named_place(&mut state, ptr) else { return };
                let Ok(value) = self.operand(&mut state, value) else { return };
                if let Some(value) = self.show(&state, &value, None) {
                    let func = match state.memory.get(instance).map(|object| object.origin) {
                        Some(Origin::Local(made)) => Some(self.program.func_of(made)),
                        _ => None,
                    };
                    let object = Some(instance.0);
                    story.tell_change(at, depth, Change { name, value, object, func });
                }
            }
            Inst::Load { ptr, .. } if state.fresh > fresh && self.given.is_some() => {
                let mut state = state.clone();
                let Some((_, name)) = self.named_place(&mut state, ptr) else { return };
                let result = self.program.insts[at].result.expand();
                let value = result.and_then(|r| state.top()?.values.get(&r).cloned());
                if let Some(shown) = value.and_then(|value| self.show(&state, &value, None)) {
                    story.tell(at, depth, format!("given: {name} = {shown}"));
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
