//! What arrives at a loop's head under the names of the general state, once its objects are matched
//! ([`super::arrive`]), and what a pointer says about allocated objects.

use super::arrive::{Matching, Met};
use super::cover::Prover;
use super::memory::{Cell, Instance, Origin};
use super::state::State;
use super::value::Value;
use crate::smt::ExprId;
use std::collections::BTreeMap;

impl Prover<'_, '_, '_> {
    /// What a pointer says about allocated objects.
    pub(super) fn allocated(&mut self, state: &State, value: ExprId) -> Pointer {
        if !self.machine.speaks_of_addresses(value) {
            return Pointer::None;
        }
        let vars = self.machine.smt.pool.free_vars(&[value]);
        let is_heap = |instance: Instance| {
            let object = state.memory.get(instance);
            object.is_none_or(|object| matches!(object.origin, Origin::Heap(_)))
        };
        let any = vars.into_iter().filter_map(|v| self.machine.instance_of(v)).any(is_heap);
        match self.machine.pointee(value) {
            _ if !any => Pointer::None,
            Some((instance, offset)) => Pointer::To(instance, offset),
            None => Pointer::Other,
        }
    }

    /// What arrived, with the names and, where they stand for it, the values of the general state.
    pub(super) fn renamed(&mut self, general: &State, state: &State, matching: &Matching) -> State {
        let mut new = state.clone();
        for depth in 0..new.frames.len().min(general.frames.len()) {
            let mut frame = new.frames[depth].clone();
            for (id, value) in &general.frames[depth].values {
                let is_ours = match (value, frame.values.get(id)) {
                    (Value::Bits(ours), Some(&Value::Bits(theirs))) => {
                        self.is_matched(general, *ours) || self.is_matched(state, theirs)
                    }
                    (_, Some(_)) => false,
                    // Nothing reads it any more.
                    (_, None) => true,
                };
                if is_ours {
                    frame.values.insert(*id, value.clone());
                }
            }
            new.frames.set(depth, frame);
        }
        let from: BTreeMap<Instance, Instance> = matching
            .met
            .iter()
            .filter_map(|(arrived, met)| match met {
                Met::Known(general) => Some((*general, *arrived)),
                Met::New(_) => None,
            })
            .collect();
        for instance in (0..general.memory.len() as u32).map(Instance) {
            let Some(ours) = general.memory.get(instance) else { continue };
            let theirs = if matches!(ours.origin, Origin::Heap(_)) {
                let own = from.get(&instance).and_then(|&arrived| state.memory.get(arrived));
                own.filter(|_| ours.chain.is_none()).unwrap_or(ours)
            } else {
                state.memory.get(instance).unwrap_or(ours)
            };
            let mut object = theirs.clone();
            for (&offset, &cell) in &theirs.cells {
                let held = ours.cells.get(&offset).map(|cell| cell.value);
                let is_ours = held.is_some_and(|value| self.is_matched(general, value));
                if (is_ours || self.is_matched(state, cell.value))
                    && let Some(value) = held
                {
                    object.cells.insert(offset, Cell { value, ..cell });
                }
            }
            new.memory.put(instance, object);
        }
        new.memory.truncate(general.memory.len());
        new.memory.forget_reads();
        new
    }

    fn is_matched(&mut self, state: &State, value: ExprId) -> bool {
        self.allocated(state, value) != Pointer::None
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Pointer {
    /// It is none to an allocated object.
    None,
    To(Instance, i64),
    /// It is one of several, or something computed.
    Other,
}

impl Pointer {
    pub(super) fn object(self) -> Option<(Instance, i64)> {
        match self {
            Pointer::To(instance, offset) => Some((instance, offset)),
            Pointer::None | Pointer::Other => None,
        }
    }
}
