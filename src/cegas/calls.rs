//! Calls and returns: frames, arguments, and recursion that repeats itself.

use super::address::Base;
use super::machine::{Machine, Step, Stop, gap};
use super::memory::Origin;
use super::state::{Entry, Frame, State};
use super::step::Flow;
use super::value::Value;
use crate::cegas::persistent::{HashMap, Vector};
use crate::entries;
use crate::ir::{BlockId, Callee, FuncId, Inst, InstId, Linkage, List, Operand, TypeId};
use std::rc::Rc;

/// Calls nest at most this deep; real programs need a few dozen.
pub const DEEPEST: usize = 4000;

impl Machine<'_> {
    /// Finds out who is called. A function without a body is done here.
    pub(super) fn call(
        &mut self,
        state: &mut State,
        at: InstId,
        callee: Callee,
        args: List<Operand>,
        result: Option<TypeId>,
    ) -> Step<Flow> {
        let func = match callee {
            Callee::Direct(func) => func,
            Callee::Indirect(target) => return self.indirect_call(state, target),
        };
        let function = &self.program.funcs[func];
        if function.may_be_nowhere() {
            return gap("a weak reference that nothing defines");
        }
        if function.linkage == Linkage::Weak && self.given.as_ref().is_some_and(|e| e.of_library) {
            return gap(format!("`{}`, which is weak: others may replace it", function.name));
        }
        if function.blocks.is_empty() {
            return self.external(state, at, func, args, result);
        }
        if let Some(value) = self.tabulated(state, func, args)? {
            let result = self.program.insts[at].result.expand();
            result.into_iter().for_each(|result| state.set(result, Value::Bits(value)));
            return Ok(Flow::Next);
        }
        self.settle_recursion(state, func, args)?;
        let always = self.smt.pool.bool(true);
        Ok(Flow::Call(vec![(always, func)]))
    }

    fn indirect_call(&mut self, state: &mut State, target: Operand) -> Step<Flow> {
        let target = self.bits(state, target)?;
        let mut callees = Vec::new();
        for place in self.places(target) {
            let Base::Object(instance) = place.base else {
                match place.base {
                    Base::Junk | Base::Object(_) => continue,
                    Base::Number if self.smt.pool.as_const(place.offset).is_some() => continue,
                    Base::Number | Base::Mixed => return gap("a call of a computed address"),
                }
            };
            let origin = state.memory.get(instance).map(|object| object.origin);
            if let Some(Origin::Given(_)) = origin {
                return gap("a call of a function that the caller gives");
            }
            if let Some(Origin::Func(func)) = origin
                && self.smt.pool.as_const(place.offset) == Some(0)
            {
                callees.push((place.guard, func));
            }
        }
        if callees.is_empty() { Err(Stop::End) } else { Ok(Flow::Call(callees)) }
    }

    /// Enters `func` from the call at `at`.
    pub fn enter(&mut self, state: &mut State, at: InstId, func: FuncId) -> Step<()> {
        let data = self.program.insts[at];
        let Inst::Call { args, .. } = data.inst else { return gap("a call") };
        if self.program.funcs[func].blocks.is_empty() {
            let result = data.result.expand().map(|value| self.program.values[value].ty);
            return match self.external(state, at, func, args, result)? {
                Flow::Next => self.advance(state),
                Flow::Stay => Ok(()),
                _ => gap("a library function called through a pointer"),
            };
        }
        let args: Step<Vec<Value>> = self
            .program
            .operands(args)
            .iter()
            .map(|&operand| self.operand(state, operand))
            .collect();
        self.push_frame(state, func, args?, Some(at))
    }

    /// Enters a function that nobody calls: `main`, a constructor, an entry.
    pub fn enter_first(&mut self, state: &mut State, func: FuncId) -> Step<()> {
        if let Some(args) = self.given_arguments(state, func) {
            return self.push_frame(state, func, args?, None);
        }
        let mut args = Vec::new();
        let params: Vec<TypeId> = self.program.funcs[func]
            .params
            .iter()
            .map(|param| self.program.values[param].ty)
            .collect();
        for ty in params {
            let arg = self.main_argument(state, &args, ty)?;
            args.push(arg);
        }
        self.push_frame(state, func, args, None)
    }

    fn push_frame(
        &mut self,
        state: &mut State,
        func: FuncId,
        args: Vec<Value>,
        call: Option<InstId>,
    ) -> Step<()> {
        let function = &self.program.funcs[func];
        if args.len() < function.params.len() {
            return gap(format!("a call of `{}` with too few arguments", function.name));
        }
        if state.frames.len() >= DEEPEST {
            return gap(format!("calls nested deeper than {DEEPEST}"));
        }
        if self.repeats(state, func, &args) {
            // It calls itself with all it can see unchanged, and nothing was chosen on the way: for ever.
            return Err(Stop::Exit);
        }
        let mut values = HashMap::new();
        for (param, arg) in function.params.iter().zip(&args) {
            let fits = match (arg, self.scalar_bits(self.program.values[param].ty)) {
                (Value::Bits(bits), Some(width)) => self.smt.pool.width(*bits) == width,
                (Value::Parts(_), None) => true,
                _ => false,
            };
            if !fits {
                return gap(format!("a call of `{}` with arguments of other types", function.name));
            }
            values.insert(param, arg.clone());
        }
        let varargs: Vector<Value> = args.iter().skip(function.params.len()).cloned().collect();
        let Some(block) = function.blocks.first() else { return gap("a function without a body") };
        let Some(at) = self.program.blocks[block].insts.first() else {
            return gap("an empty block");
        };
        let entry = Entry { args, memory: state.memory.clone(), choices: state.choices };
        state.frames.push_back(Frame {
            func,
            block,
            at,
            values,
            locals: Vector::new(),
            varargs,
            call,
            entry: Rc::new(entry),
        });
        Ok(())
    }

    /// Whether a running call of `func` was entered with the same arguments and the same memory, and
    /// the path since then had no choice. Objects made since then cannot be seen from here: they are
    /// not in the arguments, and what lies in the older objects is older, too.
    fn repeats(&mut self, state: &State, func: FuncId, args: &[Value]) -> bool {
        state.frames.iter().rev().filter(|frame| frame.func == func).any(|frame| {
            let entry = &frame.entry;
            entry.choices == state.choices
                && entry.args == args
                && state.memory.same_prefix(&entry.memory, entry.memory.len())
        })
    }

    /// Leaves the running function; `false` if nobody called it.
    pub fn leave(&mut self, state: &mut State, value: Option<Value>) -> Step<bool> {
        self.end_locals(state, 0);
        let Some(frame) = state.frames.pop_back() else { return Err(Stop::End) };
        self.tabulate(&frame, value.as_ref());
        let Some(call) = frame.call else {
            self.hand_out(state, value.as_ref());
            return Ok(false);
        };
        let data = self.program.insts[call];
        if let Some(result) = data.result.expand() {
            let wanted = self.scalar_bits(self.program.values[result].ty);
            let value = match value {
                Some(Value::Bits(bits)) if Some(self.smt.pool.width(bits)) != wanted => None,
                other => other,
            };
            match value {
                Some(value) => state.set(result, value),
                None => {
                    let ty = self.program.values[result].ty;
                    let value = self.arbitrary(state, ty, super::machine::Source::Unspecified)?;
                    state.set(result, value);
                }
            }
        }
        self.advance(state)?;
        Ok(true)
    }

    /// To the next instruction of the running function.
    pub(super) fn advance(&mut self, state: &mut State) -> Step<()> {
        match state.top_mut() {
            Some(frame) => {
                frame.at = InstId::from_u32(frame.at.as_u32() + 1);
                Ok(())
            }
            None => Err(Stop::End),
        }
    }

    /// Takes the edge to `to`: its phis read before any is written.
    pub(super) fn jump(&mut self, state: &mut State, to: BlockId) -> Step<()> {
        let program = self.program;
        let Some(from) = state.top().map(|frame| frame.block) else { return Err(Stop::End) };
        let mut values = Vec::new();
        let mut first = None;
        for inst in program.blocks[to].insts.iter() {
            let Inst::Phi { incoming } = program.insts[inst].inst else {
                first = Some(inst);
                break;
            };
            let edge = program.phi_pool.get(incoming).iter().find(|(pred, _)| *pred == from);
            let Some(&(_, operand)) = edge else {
                return Err(Stop::Gap("a phi without an operand for its predecessor".into()));
            };
            let value = self.operand(state, operand)?;
            values.extend(program.insts[inst].result.expand().map(|result| (result, value)));
        }
        for (result, value) in values {
            state.set(result, value);
        }
        if let (Some(frame), Some(first)) = (state.top_mut(), first) {
            frame.block = to;
            frame.at = first;
        }
        Ok(())
    }

    /// Before anything has run.
    pub(super) fn start(&mut self, entry: FuncId) -> State {
        let memory = self.initial_memory();
        if self.given.as_ref().is_some_and(entries::Entry::is_called_later) {
            let pending = Vector::unit(entry);
            return State::new(memory, pending, Vector::new());
        }
        let first = self.program.constructors.iter().copied().chain([entry]);
        let last = self.program.destructors.iter().copied();
        State::new(memory, first.rev().collect(), last.rev().collect())
    }
}
