//! Scopes that are entered again. In C, a variable of a loop's body is another one in each turn: who kept the address of
//! the last one must not use it, although a new one lies in its place.
//!
//! The variable's object is used again, so that the states of two turns can be equal, and whoever still has its
//! address gets that of an object that stands for all earlier ones. What an access to that one does is not known here: a
//! jump back to before a declaration looks the same but does not leave the block, so the variable is still that one.

use super::liveness::Liveness;
use super::machine::Machine;
use super::memory::{Instance, Life, Origin};
use super::state::State;
use super::value::Value;
use crate::ir::{Callee, FuncId, Inst, Operand, Program, ValueId};
use crate::library::summaries::effects;
use crate::smt::ExprId;
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

/// Why an access through an address from before is not followed.
pub(super) const REPLACED: &str = "a variable whose scope was entered again";

/// Calls are looked into this deep for what becomes of an address.
const DEEPEST: u32 = 4;

/// What was found out about functions and variables.
#[derive(Debug, Default)]
pub(super) struct Reentries {
    liveness: FxHashMap<FuncId, Rc<Liveness>>,
    /// Whether the address of a variable goes anywhere.
    is_passed_on: FxHashMap<ValueId, bool>,
}

impl Machine<'_> {
    /// The scope of a variable is entered: who has its address from before has that of another object now.
    pub(super) fn entered_again(
        &mut self,
        state: &mut State,
        variable: Operand,
        instance: Instance,
    ) {
        let Some(object) = state.memory.get(instance) else { return };
        let Operand::Value(value) = variable else { return };
        if object.life != Life::Ended
            || !matches!(object.origin, Origin::Local(_))
            || !self.is_kept(state, value, instance)
        {
            return;
        }
        let is_old = |&number: &u32| {
            let other = state.memory.get(Instance(number));
            other.is_some_and(|o| o.origin == object.origin && o.life == Life::Replaced)
        };
        let old = match (0..state.memory.len() as u32).find(is_old) {
            Some(number) => Instance(number),
            None => {
                let mut old = object.clone();
                old.renew(Life::Replaced);
                state.memory.push(old)
            }
        };
        let (own, old) = (self.address(instance), self.address(old));
        let var = self.smt.pool.node(own).var();
        self.replace_everywhere(state, &[(var, old)].into_iter().collect());
        state.set(value, Value::Bits(own));
    }

    /// Whether anything that can still be read has the address of the variable `value`.
    fn is_kept(&mut self, state: &State, value: ValueId, instance: Instance) -> bool {
        let program = self.program;
        let known = self.reentries.is_passed_on.entry(value);
        if !*known.or_insert_with(|| is_passed_on(program, value, DEEPEST)) {
            return false;
        }
        let Some(frame) = state.top() else { return false };
        let new = || Rc::new(Liveness::new(program, frame.func));
        let liveness = Rc::clone(self.reentries.liveness.entry(frame.func).or_insert_with(new));
        let mut held: Vec<ExprId> = Vec::new();
        for live in liveness.at(program, frame.block, frame.at) {
            if let Some(known) = frame.values.get(&live).filter(|_| live != value) {
                known.scalars(&mut held);
            }
        }
        for number in 0..state.memory.len() as u32 {
            let Some(object) = state.memory.get(Instance(number)) else { continue };
            if object.life == Life::Live {
                held.extend(object.cells.values().map(|cell| cell.value));
                held.extend(object.chain.as_ref().map(|chain| chain.tail));
            }
        }
        let address = self.address(instance);
        let address = self.smt.pool.node(address).var();
        held.retain(|&value| self.speaks_of_addresses(value));
        self.smt.pool.free_vars(&held).contains(&address)
    }
}

/// Whether the address of a variable may come to be anywhere but where the variable is accessed, here and in functions
/// that are given it.
fn is_passed_on(program: &Program, variable: ValueId, depth: u32) -> bool {
    let blocks = program.funcs[program.func_of_value(variable)].blocks;
    let insts = || blocks.iter().flat_map(|block| program.blocks[block].insts.iter());
    let mut derived: FxHashSet<Operand> = [Operand::Value(variable)].into_iter().collect();
    loop {
        let before = derived.len();
        for at in insts() {
            let data = &program.insts[at];
            let passes_on = match data.inst {
                Inst::Load { .. }
                | Inst::MemCopy { .. }
                | Inst::MemSet { .. }
                | Inst::LifetimeStart { .. }
                | Inst::LifetimeEnd { .. }
                | Inst::IntCmp { .. } => false,
                Inst::Store { value, .. } => derived.contains(&value),
                Inst::Call { callee: Callee::Direct(func), args } => {
                    let args = program.operands(args).iter().enumerate();
                    let mut given = args.filter(|(_, arg)| derived.contains(arg));
                    given.any(|(index, _)| is_kept_by(program, func, index, depth))
                }
                Inst::Gep { base, .. } => {
                    if derived.contains(&base) {
                        derived.extend(data.result.expand().map(Operand::Value));
                    }
                    false
                }
                _ => {
                    let mut is_used = false;
                    program.for_each_operand(&data.inst, |operand| {
                        is_used |= derived.contains(&operand);
                    });
                    is_used
                }
            };
            if passes_on {
                return true;
            }
        }
        if derived.len() == before {
            return false;
        }
    }
}

/// Whether a function may keep or return what it is given there.
fn is_kept_by(program: &Program, func: FuncId, index: usize, depth: u32) -> bool {
    let function = &program.funcs[func];
    if function.blocks.is_empty() {
        return !effects(&function.name).is_some_and(|effects| effects.is_empty());
    }
    let param = function.params.iter().nth(index).filter(|_| depth > 0);
    param.is_none_or(|param| is_passed_on(program, param, depth - 1))
}
