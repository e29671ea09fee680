//! The story of an execution that is walked again: inputs, variables that change, calls and branches, each at the
//! instruction where it happens.
//!
//! A value is told in the words of its type; what a number is as data, for programs that read the story, stands
//! beside the text.

use super::address::{Base, Place};
use super::machine::Machine;
use super::memory::{Instance, Origin};
use super::related::{Past, Related};
use super::state::State;
use super::verdict::{Change, TraceStep};
use crate::ir::{self, CTypeId, Callee, Def, Inst, InstId, Operand, ValueId, VarKind};
use rustc_hash::FxHashMap;
use std::collections::VecDeque;

/// Of a long story the beginning and the end are kept, so many steps of each; what stands for the others is one of them.
const KEPT: usize = 500;

/// Said of a value that nobody gave.
const NEVER_SET: &str = " (never set)";

/// How the story of lost memory ends.
const LOST: &str = "the program ends here, and nothing leads to the allocated memory any more";

/// The story of a walk, and what explains its end.
pub(super) type Walked = (Vec<TraceStep>, Vec<Related>);

#[derive(Default)]
pub(super) struct Story {
    first: Vec<TraceStep>,
    last: VecDeque<TraceStep>,
    /// Steps between the two that were not kept.
    pub dropped: usize,
    /// What each variable was when last told.
    told: FxHashMap<(usize, ir::VarId), String>,
    /// Whether anything looks at a result.
    used: FxHashMap<ValueId, bool>,
}

impl Story {
    pub fn tell(&mut self, at: InstId, depth: usize, text: String) {
        self.push(TraceStep {
            at,
            depth: depth as u32,
            text,
            change: None,
            input: None,
            left_out: 0,
        });
    }

    fn tell_change(&mut self, at: InstId, depth: usize, change: Change) {
        let arrow = if change.value.starts_with('&') { "->" } else { "=" };
        let text = format!("{} {arrow} {}", change.name, change.value);
        let (depth, change) = (depth as u32, Some(change));
        self.push(TraceStep { at, depth, text, change, input: None, left_out: 0 });
    }

    fn tell_input(&mut self, at: InstId, depth: usize, shown: &str, input: Option<String>) {
        let text = format!("input: {shown}");
        let depth = depth as u32;
        self.push(TraceStep { at, depth, text, change: None, input, left_out: 0 });
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

    /// The story of an execution that came to its end behind this instruction, and lost something.
    pub fn ended(mut self, last: Option<InstId>) -> Walked {
        if let Some(at) = last {
            self.tell(at, 1, LOST.to_owned());
        }
        (self.into_steps(), Vec::new())
    }

    pub fn into_steps(mut self) -> Vec<TraceStep> {
        // What says that steps are missing takes the place of one more.
        if self.dropped > 0
            && let Some(TraceStep { at, depth, .. }) = self.last.pop_front()
        {
            let left_out = self.dropped + 1;
            let text = format!("… {left_out} steps left out …");
            self.first.push(TraceStep { at, depth, text, change: None, input: None, left_out });
        }
        self.first.extend(self.last);
        self.first
    }
}

impl Machine<'_> {
    /// Variables that live in values and changed before `next`.
    pub(super) fn tell_bindings(
        &mut self,
        story: &mut Story,
        past: &mut Past,
        state: &State,
        next: InstId,
    ) {
        // Looking at an undefined value makes an arbitrary one, which must not shift the others.
        let state = &mut state.clone();
        let mut before = None;
        for binding in self.program.debug.bindings_at(next) {
            if binding.address {
                continue;
            }
            let Ok(value) = self.operand(state, binding.value) else { continue };
            let var = &self.program.debug.vars[binding.var];
            let Some(mut shown) = self.show(state, &value, var.ty.expand()) else { continue };
            if matches!(self.program.defined_by(binding.value), Some(Inst::Uninit)) {
                match var.kind {
                    // Its argument comes next.
                    VarKind::Param(_) => continue,
                    VarKind::Local | VarKind::Global => shown += NEVER_SET,
                }
            }
            // What is a copy of the value before it was made later than that.
            let is_copy = before.replace(binding.value) == Some(binding.value);
            let at = self.assigned(binding.value, next).filter(|_| !is_copy).unwrap_or(next);
            let depth = state.frames.len();
            if story.told.insert((depth, binding.var), shown.clone()) != Some(shown.clone()) {
                past.bind(binding.value, at);
                let (name, func) = (var.name.clone(), Some(self.program.func_of(at)));
                story.tell_change(at, depth, Change { name, value: shown, object: None, func });
            }
        }
    }

    /// Where a value was computed that a variable has from `next` on: assignments are no instructions, so it is that of the
    /// line just before `next`, if the value comes from there.
    fn assigned(&self, value: Operand, next: InstId) -> Option<InstId> {
        let Def::Inst(made) = self.program.values[value.value()?].def else { return None };
        let here = self.program.blocks[self.program.insts[next].block].insts;
        let before = here.iter().rev().find(|&at| at < next)?;
        let line = |at| self.program.loc(at).map(|loc| (loc.file, loc.line, loc.inlined_at));
        let is_phi = matches!(self.program.insts[made].inst, Inst::Phi { .. } | Inst::Uninit);
        let is_it = here.contains(made) && !is_phi && line(made) == line(before);
        (is_it && line(made)?.1 > 0).then_some(made)
    }

    /// A place in memory as C writes it, the object it is in and its type.
    fn named_place(
        &mut self,
        state: &mut State,
        pointer: Operand,
    ) -> Option<(Instance, String, Option<CTypeId>)> {
        let pointer = self.bits(state, pointer).ok()?;
        let places = self.places(pointer);
        let [Place { base: Base::Object(instance), offset, .. }] = places[..] else { return None };
        let offset = self.smt.pool.as_const(offset)?;
        let name = self.object_name(state, instance)?;
        let (part, ty) = match self.part_at(state, instance, offset as u64) {
            Some((part, ty)) => (part, Some(ty)),
            None => (format!(" + {offset} bytes"), None),
        };
        Some((instance, format!("{name}{part}"), ty))
    }

    /// Inputs that were read and variables in memory that changed.
    pub(super) fn tell_step(&mut self, story: &mut Story, state: &State, at: InstId, fresh: u32) {
        match self.program.insts[at].inst {
            Inst::Store { ptr, value, .. } => self.tell_store(story, state, at, ptr, value),
            Inst::Load { ptr, .. } if state.fresh > fresh && self.given.is_some() => {
                let mut state = state.clone();
                let Some((_, name, ty)) = self.named_place(&mut state, ptr) else { return };
                let result = self.program.insts[at].result.expand();
                let value = result.and_then(|r| Some((r, state.top()?.values.get(&r)?.clone())));
                let shown = value.and_then(|(result, value)| {
                    let kind = self.program.values[result].ty;
                    self.show_as(&state, &value, kind, ty)
                });
                if let Some(shown) = shown {
                    story.tell(at, state.frames.len(), format!("given: {name} = {shown}"));
                }
            }
            Inst::Call { callee, .. } if state.fresh > fresh => {
                self.tell_result(story, state, at, callee);
            }
            _ => {}
        }
    }

    fn tell_store(
        &mut self,
        story: &mut Story,
        state: &State,
        at: InstId,
        ptr: Operand,
        operand: Operand,
    ) {
        let mut state = state.clone();
        let Some((instance, name, ty)) = self.named_place(&mut state, ptr) else { return };
        let Ok(value) = self.operand(&mut state, operand) else { return };
        let kind = self.program.operand_type(operand);
        let Some(mut value) = self.show_as(&state, &value, kind, ty) else { return };
        let made = match state.memory.get(instance).map(|object| object.origin) {
            Some(Origin::Local(made)) => Some(made),
            _ => None,
        };
        if matches!(self.program.defined_by(operand), Some(Inst::Uninit)) {
            let var = made.and_then(|made| self.local_var(made));
            let kind = var.map(|var| self.program.debug.vars[var].kind);
            if matches!(kind, Some(VarKind::Param(_))) {
                return;
            }
            value += NEVER_SET;
        }
        let func = made.map(|made| self.program.func_of(made));
        let change = Change { name, value, object: Some(instance.0), func };
        story.tell_change(at, state.frames.len(), change);
    }

    /// What a call gave that nobody knew before.
    fn tell_result(&mut self, story: &mut Story, state: &State, at: InstId, callee: Callee) {
        let Some(result) = self.program.insts[at].result.expand() else { return };
        let used = story.used.entry(result).or_insert_with(|| self.program.is_used(result));
        let value = state.top().and_then(|frame| frame.values.get(&result)).cloned();
        let Some(value) = value.filter(|_| *used) else { return };
        let name = match callee {
            Callee::Direct(func) => self.program.funcs[func].name.as_str(),
            Callee::Indirect(_) => "",
        };
        let ty = self.bound_type(at, result);
        let kind = self.program.values[result].ty;
        let Some(shown) = self.show_as(state, &value, kind, ty) else { return };
        let input = self.c_constant(&value, kind, self.is_unsigned(name, ty));
        // A function that says its type in its name is believed before the variable that takes the value.
        let shown = input.clone().filter(|_| ty.is_none()).unwrap_or(shown);
        story.tell_input(at, state.frames.len(), &shown, input);
    }

    /// The type of the variable that a result goes to at once.
    fn bound_type(&self, at: InstId, result: ValueId) -> Option<CTypeId> {
        let last = self.program.terminator(self.program.insts[at].block)?;
        let bindings = self.program.debug.bindings_between(at, last).iter();
        let mut its = bindings.filter(|b| !b.address && b.value == Operand::Value(result));
        self.program.debug.vars[its.next()?.var].ty.expand()
    }
}
