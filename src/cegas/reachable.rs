//! What can still be reached when an execution ends: allocated memory that cannot is lost.
//!
//! An object is reached under a condition, because a pointer may be a choice between objects. Memory
//! that was lost earlier is lost at the end, too: nobody can free what nobody can name. So one look at
//! the end of each execution sees every loss.

use super::address::Base;
use super::machine::Machine;
use super::memory::{Instance, Life, Origin};
use super::state::State;
use crate::ir::InstId;
use crate::smt::{ExprId, Op};
use std::collections::BTreeMap;

/// A condition that changed this often is taken to be true: it only makes more be reached.
const MOST_VISITS: u32 = 6;

/// Memory that an execution loses.
#[derive(Debug, Clone, Copy)]
pub(super) struct Lost {
    /// Where it was allocated.
    pub allocated: InstId,
    /// When it is lost.
    pub when: ExprId,
    /// Only a value that C code may no longer be able to name still holds it.
    pub held: bool,
}

#[derive(Default)]
struct Reached {
    /// When each object is reached.
    when: BTreeMap<Instance, (ExprId, u32)>,
    waiting: Vec<Instance>,
}

impl Machine<'_> {
    /// The allocated objects that nothing reaches at the end of the execution. With `running`, functions
    /// have not returned, and what their variables hold counts.
    pub(super) fn lost(&mut self, state: &State, running: bool) -> Vec<Lost> {
        let mut reached = Reached::default();
        let always = self.smt.pool.bool(true);
        for number in 0..state.memory.len() as u32 {
            let instance = Instance(number);
            let Some(object) = state.memory.get(instance) else { continue };
            let is_root = match object.origin {
                Origin::Global(_) | Origin::Argument | Origin::Given(_) => true,
                Origin::Local(_) | Origin::Varargs(_) => running && object.life == Life::Live,
                Origin::Func(_) | Origin::Heap(_) => false,
            };
            if is_root {
                self.reach(&mut reached, instance, always);
            }
        }
        self.follow_pointers(state, &mut reached);
        let certain: BTreeMap<Instance, ExprId> =
            reached.when.iter().map(|(&instance, &(when, _))| (instance, when)).collect();
        if running {
            self.reach_values(state, &mut reached);
            self.follow_pointers(state, &mut reached);
        }
        let mut lost = Vec::new();
        for number in 0..state.memory.len() as u32 {
            let instance = Instance(number);
            let Some(object) = state.memory.get(instance) else { continue };
            let (Origin::Heap(allocated), Life::Live) = (object.origin, object.life) else {
                continue;
            };
            let no = self.smt.pool.bool(false);
            let named = reached.when.get(&instance).map_or(no, |&(when, _)| when);
            let sure = certain.get(&instance).copied().unwrap_or(no);
            let when = self.smt.pool.not(named);
            if self.smt.pool.as_const(when) != Some(0) {
                lost.push(Lost { allocated, when, held: false });
            } else if named != sure && self.smt.pool.as_const(sure) != Some(1) {
                let when = self.smt.pool.not(sure);
                lost.push(Lost { allocated, when, held: true });
            }
        }
        lost
    }

    /// Where memory was allocated that is not lost, but that nobody freed before the program returned
    /// from `main`: neither a leak nor its absence.
    pub(super) fn still_reachable(
        &self,
        state: &State,
        lost: &[Lost],
        running: bool,
    ) -> Vec<InstId> {
        if running {
            return Vec::new();
        }
        let is_lost = |at: &InstId| lost.iter().any(|lost| lost.allocated == *at);
        let all = (0..state.memory.len() as u32).filter_map(|n| state.memory.get(Instance(n)));
        all.filter_map(|object| match (object.origin, object.life) {
            (Origin::Heap(allocated), Life::Live) => Some(allocated),
            _ => None,
        })
        .filter(|allocated| !is_lost(allocated))
        .collect()
    }

    fn reach(&mut self, reached: &mut Reached, instance: Instance, when: ExprId) {
        let no = self.smt.pool.bool(false);
        let (old, visits) = reached.when.get(&instance).copied().unwrap_or((no, 0));
        let mut new = self.smt.pool.or(old, when);
        if visits >= MOST_VISITS {
            new = self.smt.pool.bool(true);
        }
        if new != old {
            reached.when.insert(instance, (new, visits + 1));
            reached.waiting.push(instance);
        }
    }

    /// What the variables of running functions hold.
    fn reach_values(&mut self, state: &State, reached: &mut Reached) {
        let always = self.smt.pool.bool(true);
        let mut values: Vec<ExprId> = Vec::new();
        for frame in &state.frames {
            let mut held: Vec<_> = frame.values.iter().collect();
            held.sort_by_key(|(id, _)| **id);
            held.into_iter().for_each(|(_, value)| value.scalars(&mut values));
            frame.varargs.iter().for_each(|value| value.scalars(&mut values));
        }
        for value in values {
            self.reach_from(reached, value, always);
        }
    }

    fn follow_pointers(&mut self, state: &State, reached: &mut Reached) {
        while let Some(instance) = reached.waiting.pop() {
            let Some(&(when, _)) = reached.when.get(&instance) else { continue };
            let Some(object) = state.memory.get(instance) else { continue };
            if object.life != Life::Live {
                continue;
            }
            let mut cells: Vec<ExprId> = object.cells.values().map(|cell| cell.value).collect();
            cells.extend(object.chain.as_ref().map(|chain| chain.tail));
            for value in cells {
                self.reach_from(reached, value, when);
            }
        }
    }

    fn reach_from(&mut self, reached: &mut Reached, value: ExprId, when: ExprId) {
        if !self.speaks_of_addresses(value) {
            return;
        }
        if self.smt.pool.width(value) == self.pointer_bits {
            let places = self.places(value);
            if places.iter().all(|place| place.base != Base::Mixed) {
                for place in places {
                    if let Base::Object(instance) = place.base {
                        let when = self.smt.pool.and(when, place.guard);
                        self.reach(reached, instance, when);
                    }
                }
                return;
            }
        }
        // Part of an address, or an address inside something larger: it may be put together again.
        for e in self.smt.pool.reachable(&[value]) {
            let node = self.smt.pool.node(e);
            if node.op == Op::Var
                && let Some(instance) = self.instance_of(node.var())
            {
                self.reach(reached, instance, when);
            }
        }
    }
}
