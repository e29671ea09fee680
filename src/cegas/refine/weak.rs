//! Weak updates: what an instruction does to memory that goes through a pointer which is not known.
//!
//! Invariant: whatever the instruction may have written, on any execution, is ⊤ afterwards.

use super::model::Model;
use crate::cegas::memory::{Background, Instance, Origin};
use crate::cegas::persistent::OrdMap;
use crate::cegas::state::State;
use crate::ir::{Operand, Program};
use crate::library;
use crate::pta::ObjectKind;
use std::collections::BTreeSet;

impl Model<'_> {
    /// SU/WU of Table 1 where the target is not one instance: nothing is killed, and every object that the pointer may
    /// reach holds ⊤ from here on.
    pub fn weak_update(&mut self, state: &mut State, pointer: Operand) {
        if let Ok(value) = self.machine.operand(state, pointer)
            && let Some(bits) = value.bits()
            && let Some((instance, _)) = self.pointed(bits)
        {
            return self.forget(state, instance);
        }
        let kinds = self.reached(pointer);
        self.written.add(&kinds);
        for number in 0..state.memory.len() as u32 {
            let origin = state.memory.get(Instance(number)).map(|object| object.origin);
            if origin.is_some_and(|origin| self.may_be(&kinds, origin)) {
                self.forget(state, Instance(number));
            }
        }
    }

    /// What a pointer may reach, as Andersen's analysis has it.
    pub fn reached(&self, pointer: Operand) -> BTreeSet<ObjectKind> {
        let set = self.points_to.set_of(pointer);
        let locations = self.points_to.members(set);
        let object = |location| self.points_to.locations[location].object;
        locations.map(|location| self.points_to.objects[object(location)].kind).collect()
    }

    /// Whether an object of that origin may be one of these.
    pub fn may_be(&self, kinds: &BTreeSet<ObjectKind>, origin: Origin) -> bool {
        let program = self.machine.program;
        kinds.iter().any(|kind| match (*kind, origin) {
            (ObjectKind::Unknown, _) => true,
            (ObjectKind::Global(a), Origin::Global(b)) => a == b,
            (ObjectKind::Literals, Origin::Global(b)) => program.globals[b].constant,
            (ObjectKind::Alloca { site, .. }, Origin::Local(at)) => site == at,
            // The machine names the call in the user's code, the analysis the one in the model.
            (ObjectKind::Heap { site, .. }, Origin::Heap(at)) => {
                site == at || library::is_model(program, program.func_of(site))
            }
            // A library function that allocates is no allocation to one of the two.
            (ObjectKind::Heap { .. }, Origin::Local(_) | Origin::Argument)
            | (ObjectKind::Static(_), Origin::Heap(_) | Origin::Argument)
            | (ObjectKind::Varargs { .. }, Origin::Varargs(_))
            | (ObjectKind::Arguments | ObjectKind::ArgumentStrings, Origin::Argument) => true,
            (
                ObjectKind::Literals
                | ObjectKind::Arguments
                | ObjectKind::ArgumentStrings
                | ObjectKind::Global(_)
                | ObjectKind::Func(_)
                | ObjectKind::Alloca { .. }
                | ObjectKind::Heap { .. }
                | ObjectKind::Static(_)
                | ObjectKind::Varargs { .. },
                _,
            ) => false,
        })
    }

    pub fn forget_all(&mut self, state: &mut State) {
        self.written.add_all();
        for number in 0..state.memory.len() as u32 {
            self.forget(state, Instance(number));
        }
    }

    /// The object holds ⊤ everywhere.
    pub fn forget(&mut self, state: &mut State, instance: Instance) {
        let program = self.machine.program;
        let Some(object) = state.memory.get(instance) else { return };
        if is_fixed(program, object.origin) {
            return;
        }
        if let Some(lazily) = &mut self.lazily {
            lazily.open.remove(&instance);
        }
        if object.cells.is_empty() && object.background == Background::Uninit {
            return;
        }
        if let Some(object) = state.memory.get_mut(instance) {
            object.cells = OrdMap::new();
            object.background = Background::Uninit;
        }
    }
}

/// Whether nothing can be written there.
pub(super) fn is_fixed(program: &Program, origin: Origin) -> bool {
    match origin {
        Origin::Func(_) => true,
        Origin::Global(global) => program.globals[global].constant,
        Origin::Local(_) | Origin::Heap(_) | Origin::Varargs(_) => false,
        Origin::Argument | Origin::Given(_) => false,
    }
}
