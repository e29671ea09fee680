//! What is printed of a path: for each step the constraint that it adds, and the variables of the current calling
//! context with their values.

use super::{Enumerator, Path};
use crate::cegas::address::Base;
use crate::cegas::persistent::{OrdMap, Vector};
use crate::cegas::state::State;
use crate::cegas::value::Value;
use crate::ir::{Inst, InstId};
use crate::smt::ExprId;
use std::fmt::Write;

/// Steps kept of one path; a longer one is told from its start.
const MOST_STEPS: usize = 400;

/// An expression longer than this is cut.
const LONGEST: usize = 200;

/// What was told of a path so far.
#[derive(Clone, Default)]
pub(super) struct Account {
    lines: Vector<String>,
    /// The values of each frame's variables, by the frame's depth and the C name.
    table: OrdMap<(usize, String), String>,
}

impl Account {
    /// A step with its constraint, and the table of the current context after it.
    fn step(&mut self, place: &str, context: &str, constraint: &str, depth: usize) {
        if self.lines.len() >= MOST_STEPS {
            return;
        }
        self.lines.push_back(format!("  {place} {context} {constraint}"));
        let here = self.table.iter().filter(|((at, _), _)| *at == depth);
        let row: Vec<String> = here.map(|((_, name), value)| format!("{name} = {value}")).collect();
        if !row.is_empty() {
            self.lines.push_back(format!("      {}", row.join(", ")));
        }
        if self.lines.len() >= MOST_STEPS {
            self.lines.push_back("  … the rest is left out …".to_owned());
        }
    }

    fn leave(&mut self, depth: usize) {
        let gone: Vec<(usize, String)> =
            self.table.keys().filter(|(at, _)| *at > depth).cloned().collect();
        gone.iter().for_each(|key| _ = self.table.remove(key));
    }
}

impl Enumerator<'_> {
    /// A value as C would write it, or the expression that it is.
    fn shown(&mut self, state: &State, value: &Value) -> String {
        if let Some(shown) = self.machine.show(state, value, None) {
            return shown;
        }
        match value.bits() {
            Some(bits) => self.written(bits),
            None => "…".to_owned(),
        }
    }

    fn written(&self, e: ExprId) -> String {
        let text = self.machine.smt.pool.infix(e).to_string();
        match text.char_indices().nth(LONGEST) {
            Some((end, _)) => format!("{} …", &text[..end]),
            None => text,
        }
    }

    /// The call string: `[main:12 → foo]`.
    fn context(&self, state: &State) -> String {
        let program = self.machine.program;
        let mut text = String::from("[");
        for (index, frame) in state.frames.iter().enumerate() {
            if index > 0 {
                let line = frame.call.and_then(|call| program.loc(call)).map_or(0, |loc| loc.line);
                let _ = write!(text, ":{line} → ");
            }
            text += &program.funcs[frame.func].name;
        }
        text + "]"
    }

    /// Whether a step in this function is told.
    fn tells(&self, path: &Path, at: InstId) -> bool {
        path.account.is_some() && !self.machine.marks.is_model(self.machine.program.func_of(at))
    }

    fn say(&mut self, path: &mut Path, at: InstId, constraint: &str) {
        let place = self.machine.place(at);
        let context = self.context(&path.state);
        let depth = path.state.frames.len();
        if let Some(account) = &mut path.account {
            account.step(&place, &context, constraint, depth);
        }
    }

    /// Variables that live in values and change here.
    pub(super) fn tell_bindings(&mut self, path: &mut Path, at: InstId) {
        if !self.tells(path, at) {
            return;
        }
        let program = self.machine.program;
        let depth = path.state.frames.len();
        for binding in program.debug.bindings_at(at).iter().filter(|binding| !binding.address) {
            // Looking at an undefined value makes an arbitrary one, which must not shift the others.
            let mut state = path.state.clone();
            let Ok(value) = self.machine.operand(&mut state, binding.value) else { continue };
            let name = program.debug.vars[binding.var].name.clone();
            let shown = self.shown(&state, &value);
            self.record(path, at, depth, name, shown);
        }
    }

    fn record(&mut self, path: &mut Path, at: InstId, depth: usize, name: String, shown: String) {
        let constraint = format!("{name} == {shown}");
        let Some(account) = &mut path.account else { return };
        if account.table.insert((depth, name), shown.clone()) != Some(shown) {
            self.say(path, at, &constraint);
        }
    }

    /// Variables that live in memory and change here.
    pub(super) fn tell_store(&mut self, path: &mut Path, at: InstId) {
        let Inst::Store { ptr, value, .. } = self.machine.program.insts[at].inst else { return };
        if !self.tells(path, at) {
            return;
        }
        let mut state = path.state.clone();
        let (Ok(pointer), Ok(value)) =
            (self.machine.bits(&mut state, ptr), self.machine.operand(&mut state, value))
        else {
            return;
        };
        let places = self.machine.places(pointer);
        let [place] = places[..] else { return };
        let (Base::Object(instance), Some(offset)) =
            (place.base, self.machine.smt.pool.as_const(place.offset))
        else {
            return;
        };
        let Some(mut name) = self.machine.object_name(&state, instance) else { return };
        match self.machine.member(&state, instance, offset as u64) {
            Some(member) => name += &member,
            None if offset == 0 => {}
            None => name += &format!(" + {offset} bytes"),
        }
        let shown = self.shown(&state, &value);
        let depth = state.frames.len();
        self.record(path, at, depth, name, shown);
    }

    /// A condition that the path assumes.
    pub(super) fn tell_constraint(&mut self, path: &mut Path, at: InstId, cond: ExprId) {
        let is_decision = matches!(
            self.machine.program.insts[at].inst,
            Inst::Branch { .. } | Inst::Switch { .. } | Inst::Call { .. }
        );
        let is_plain = self.machine.smt.pool.as_const(cond).is_some()
            && !matches!(self.machine.program.insts[at].inst, Inst::Branch { .. });
        if !is_decision || is_plain || !self.tells(path, at) {
            return;
        }
        let written = self.written(cond);
        self.say(path, at, &format!("assume {written}"));
    }

    /// A call: the formals are bound to what the actuals were in the caller's context.
    pub(super) fn tell_entry(&mut self, path: &mut Path, at: Option<InstId>) {
        let Some(frame) = path.state.top() else { return };
        let (func, first) = (frame.func, frame.at);
        if frame.call != at || !self.tells(path, first) {
            return;
        }
        let depth = path.state.frames.len();
        if let Some(account) = &mut path.account {
            account.leave(depth.saturating_sub(1));
        }
        let name = self.machine.program.funcs[func].name.clone();
        self.say(path, at.unwrap_or(first), &format!("enter {name}"));
    }

    pub(super) fn tell_return(&mut self, path: &mut Path) {
        let depth = path.state.frames.len();
        if let Some(account) = &mut path.account {
            account.leave(depth);
        }
        let Some(at) = path.state.top().map(|frame| frame.at) else { return };
        if self.tells(path, at) {
            self.say(path, at, "return");
        }
    }

    /// The path as it got to an assertion.
    pub(super) fn tell_arrival(
        &mut self,
        path: &Path,
        index: usize,
        violation: ExprId,
        said: &str,
    ) {
        let (Some(account), Some(obligation)) = (&path.account, self.meant.get(index)) else {
            return;
        };
        let place = self.machine.place(obligation.at);
        let number = self.found.get(index).map_or(0, |found| found.paths + 1);
        let mut text = format!("path {number} to {place}\n");
        for line in &account.lines {
            let _ = writeln!(text, "{line}");
        }
        let context = self.context(&path.state);
        let _ = writeln!(text, "  {place} {context} check {}", self.written(violation));
        let _ = writeln!(text, "  {said}");
        self.text += &text;
    }
}
