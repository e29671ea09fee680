//! Calls along a path: who is called, and what functions without a body do. One that is not known well enough is
//! where the walk is lost.

use super::memory::Origin;
use super::value::{Target, Value};
use super::walk::{Next, State, Stop, Walk};
use crate::ir::{Callee, FuncId, Inst, InstId, List, Operand};
use crate::library::summaries::{self, Effect};
use crate::svfg::externals::{self, Writes};

impl Walk<'_> {
    pub(super) fn call(
        &mut self,
        state: &mut State,
        at: InstId,
        callee: Callee,
        args: List<Operand>,
    ) -> Result<Next, Stop> {
        let callees = match callee {
            Callee::Direct(func) => vec![func],
            Callee::Indirect(target) => match self.operand(state, target).targets() {
                Some(targets) => self.called(state, &targets)?,
                None if self.answer.callees(at).unknown => return Err(Stop::Lost),
                None => self.answer.callees(at).funcs.clone(),
            },
        };
        match callees[..] {
            [] => Err(Stop::End),
            [func] if self.program.funcs[func].blocks.is_empty() => {
                self.external(state, at, func, args)?;
                self.advance(state);
                Ok(Next::On)
            }
            _ if callees.iter().any(|&func| self.program.funcs[func].blocks.is_empty()) => {
                Err(Stop::Lost)
            }
            _ => Ok(Next::Calls(callees)),
        }
    }

    fn called(&self, state: &State, targets: &[Target]) -> Result<Vec<FuncId>, Stop> {
        let mut found = Vec::new();
        for target in targets {
            match *target {
                Target::Null => {}
                Target::At(instance, 0) => match state.memory.origin(instance) {
                    Origin::Func(func) => found.push(func),
                    Origin::Global(_) | Origin::Local { .. } | Origin::Heap { .. } => {}
                },
                Target::At(..) | Target::In(_) => return Err(Stop::Lost),
            }
        }
        Ok(found)
    }

    /// A function without a body.
    fn external(
        &mut self,
        state: &mut State,
        at: InstId,
        func: FuncId,
        args: List<Operand>,
    ) -> Result<(), Stop> {
        let function = &self.program.funcs[func];
        let name = function.name.as_str();
        if function.attrs.noreturn || matches!(name, "exit" | "abort" | "_exit" | "__assert_fail") {
            return Err(Stop::End);
        }
        let effects = summaries::effects(name).ok_or(Stop::Lost)?;
        let args = self.program.operands(args);
        let writes = externals::writes_of(self.program, name, args);
        if writes != Writes::Nothing {
            for &arg in args {
                if !self.program.is_pointer(arg) {
                    continue;
                }
                // Functions that reach further than their arguments are not followed.
                if writes == Writes::Reach {
                    return Err(Stop::Lost);
                }
                let pointer = self.operand(state, arg);
                self.spoil(state, arg, &pointer);
            }
        }
        let mut value = None;
        for effect in effects {
            value = match *effect {
                Effect::Allocates(_) => {
                    let made = state.memory.heap(at, name == "calloc");
                    Some(Value::points(vec![Target::At(made, 0)]))
                }
                Effect::Returns(index) => {
                    args.get(usize::from(index)).map(|&arg| self.operand(state, arg))
                }
                _ => return Err(Stop::Lost),
            };
        }
        if let (Some(result), Some(frame)) =
            (self.program.insts[at].result.expand(), state.frames.last_mut())
        {
            let value = value.unwrap_or_else(|| self.symbols.fresh());
            frame.values.insert(result, value);
        }
        Ok(())
    }

    /// The arguments of a call, in the caller's context.
    pub fn arguments(&mut self, state: &State, call: InstId) -> Vec<Value> {
        let Inst::Call { args, .. } = *self.program.inst(call) else { return Vec::new() };
        let args = self.program.operands(args);
        args.iter().map(|&arg| self.operand(state, arg)).collect()
    }
}
