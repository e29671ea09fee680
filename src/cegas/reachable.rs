//! What can still be reached when an execution ends: allocated memory that cannot is lost.
//!
//! An object is reached under a condition, because a pointer may be a choice between objects. Memory
//! that was lost earlier is lost at the end, too: nobody can free what nobody can name. So one look at
//! the end of each execution sees every loss.

use super::address::Base;
use super::machine::Machine;
use super::memory::{Instance, Life, Origin};
use super::state::State;
use super::step::is_trap;
use crate::ir::{Inst, InstId};
use crate::smt::{ExprId, Op};
use std::collections::BTreeMap;

/// A condition that changed this often is taken to be true, or changes no more.
const MOST_VISITS: u32 = 6;

/// Memory that an execution loses.
#[derive(Debug, Clone, Copy)]
pub(super) struct Lost {
    /// Where it was allocated.
    pub allocated: InstId,
    /// When it is lost, whatever counts as holding it.
    pub when: ExprId,
    /// When nothing holds it for sure: only a value that C code may no longer be able to name, a part of its address, a list
    /// that may be empty.
    pub perhaps: ExprId,
}

/// What values that are not in memory say of an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Values {
    /// No function is running.
    None,
    /// C code may no longer be able to name them.
    MayHold,
    /// All of them are read again.
    Hold,
}

#[derive(Default)]
struct Reached {
    /// When each object is reached.
    when: BTreeMap<Instance, (ExprId, u32)>,
    waiting: Vec<Instance>,
    /// Only what holds an object for sure counts: what is reached is never more than what is. Otherwise it is never less.
    surely: bool,
}

impl Machine<'_> {
    /// The allocated objects that nothing reaches at the end of the execution, or that nothing may reach.
    pub(super) fn lost(&mut self, state: &State, values: Values) -> Vec<Lost> {
        let most = self.reached(state, values, false);
        let least = self.reached(state, values, true);
        let no = self.smt.pool.bool(false);
        let mut lost = Vec::new();
        for number in 0..state.memory.len() as u32 {
            let instance = Instance(number);
            let Some(object) = state.memory.get(instance) else { continue };
            let (Origin::Heap(allocated), Life::Live) = (object.origin, object.life) else {
                continue;
            };
            let mut unreached = |reached: &Reached| {
                let when = reached.when.get(&instance).map_or(no, |&(when, _)| when);
                self.smt.pool.not(when)
            };
            let (when, perhaps) = (unreached(&most), unreached(&least));
            if self.smt.pool.as_const(perhaps) != Some(0) {
                lost.push(Lost { allocated, when, perhaps });
            }
        }
        lost
    }

    fn reached(&mut self, state: &State, values: Values, surely: bool) -> Reached {
        let mut reached = Reached { surely, ..Reached::default() };
        let always = self.smt.pool.bool(true);
        let running = values != Values::None;
        for number in 0..state.memory.len() as u32 {
            let instance = Instance(number);
            let Some(object) = state.memory.get(instance) else { continue };
            let is_root = match object.origin {
                Origin::Global(_) | Origin::Argument | Origin::Given(_) => true,
                // A temporary is gone with the expression, though its memory is not.
                Origin::Local(made) if surely && !self.marks.variables.contains(&made) => false,
                Origin::Varargs(_) if surely => false,
                Origin::Local(_) | Origin::Varargs(_) => running && object.life == Life::Live,
                Origin::Func(_) | Origin::Heap(_) => false,
            };
            if is_root {
                self.reach(&mut reached, instance, always);
            }
        }
        if values == Values::Hold || values == Values::MayHold && !surely {
            self.reach_values(state, &mut reached);
        }
        self.follow_pointers(state, &mut reached);
        reached
    }

    /// The executions that end at an instruction because a trap is there, if that depends on values.
    pub(super) fn trapped(&mut self, state: &State, at: InstId) -> Option<State> {
        let Inst::Check { cond, kind } = *self.program.inst(at) else { return None };
        self.marks.kept.filter(|_| is_trap(kind))?;
        let mut other = state.clone();
        let holds = self.bits(&mut other, cond).ok()?;
        self.smt.pool.as_const(holds).is_none().then_some(())?;
        let fails = self.smt.pool.not(holds);
        self.assume(&mut other, fails).ok()?;
        Some(other)
    }

    /// Where memory was allocated that is not lost, but that nobody freed before the program returned
    /// from `main`, or ended if that counts: neither a leak nor its absence.
    pub(super) fn still_reachable(
        &self,
        state: &State,
        lost: &[Lost],
        values: Values,
    ) -> Vec<InstId> {
        if values != Values::None && !self.options.frees_all {
            return Vec::new();
        }
        let is_lost = |at: &InstId| lost.iter().any(|lost| lost.allocated == *at);
        state
            .memory
            .objects()
            .filter_map(|object| match (object.origin, object.life) {
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
            new = if reached.surely { old } else { self.smt.pool.bool(true) };
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
            let may_be_empty = object.chain.as_ref().is_some_and(|chain| chain.may_be_empty);
            let cells = object.cells.values().map(|cell| cell.value);
            let mut cells: Vec<ExprId> =
                cells.filter(|_| !(reached.surely && may_be_empty)).collect();
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
        if reached.surely {
            return;
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
