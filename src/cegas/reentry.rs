//! Scopes that are entered again. In C, a variable of a loop's body is another one in each turn: who kept the address of
//! the last one must not use it, although a new one lies in its place.
//!
//! As long as nobody has the old address, the same object is used again, so that the states of two turns can be equal.
//! Otherwise the old object stays dead, and the variable becomes a new one.

use super::liveness::Liveness;
use super::machine::Machine;
use super::memory::{Instance, Life, Origin};
use super::state::State;
use super::value::Value;
use crate::ir::{FuncId, Inst, Operand, Program, ValueId};
use crate::smt::ExprId;
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

/// What was found out about functions and variables.
#[derive(Debug, Default)]
pub(super) struct Reentries {
    liveness: FxHashMap<FuncId, Rc<Liveness>>,
    /// Whether the address of a variable goes anywhere.
    is_passed_on: FxHashMap<ValueId, bool>,
}

impl Machine<'_> {
    /// The scope of a variable is entered: the object that it is now.
    pub(super) fn entered_again(
        &mut self,
        state: &mut State,
        variable: Operand,
        instance: Instance,
    ) -> Instance {
        let Some(object) = state.memory.get(instance) else { return instance };
        let Operand::Value(value) = variable else { return instance };
        if object.life != Life::Ended
            || !matches!(object.origin, Origin::Local(_))
            || !self.is_kept(state, value, instance)
        {
            return instance;
        }
        let mut object = object.clone();
        object.renew(Life::Live);
        let new = state.memory.push(object);
        if let Some(frame) = state.top_mut()
            && let Some(place) = frame.locals.iter_mut().find(|local| **local == instance)
        {
            *place = new;
        }
        let address = self.address(new);
        state.set(value, Value::Bits(address));
        new
    }

    /// Whether anything that can still be read has the address of the variable `value`.
    fn is_kept(&mut self, state: &State, value: ValueId, instance: Instance) -> bool {
        let program = self.program;
        let known = self.reentries.is_passed_on.entry(value);
        if !*known.or_insert_with(|| is_passed_on(program, value)) {
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

/// Whether the address of a variable may come to be anywhere but where the variable is accessed.
fn is_passed_on(program: &Program, variable: ValueId) -> bool {
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
