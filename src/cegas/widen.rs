//! The general state of a loop head, and what it takes for it to cover another.
//!
//! A [`Head`] begins as the state with which the loop was entered. Where a state that comes back differs,
//! the *spot* (a phi of the head or some bytes of an object) is widened ([`super::wide`]): its value is made of fresh variables,
//! which candidates ([`super::invariant`]) constrain. The first instruction of a recursive function has such a state, too
//! ([`super::summary`]).
//!
//! Invariant: a state that [`Head::cover`] accepts is an instance of the general state: everything that
//! can still be read is equal to it once its variables are given the values that `cover` returns. Values
//! computed inside the loop need no look: every path from the head to a use computes them anew. Objects made
//! since the head was entered can be forgotten, since nothing that is compared mentions them.

use super::loops::Body;
use super::machine::{Machine, Source};
use super::memory::{Instance, Life, Origin};
use super::merge::differences;
use super::state::State;
use super::value::Value;
use super::wide::{Spot, Wide};
use crate::ir::{FuncId, ValueId};
use crate::smt::{ExprId, VarId};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// Values for variables of the head.
pub(super) type Binding = FxHashMap<VarId, ExprId>;

/// Why a head does not cover a state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Misfit {
    /// It was widened for it: look again.
    Widened,
    /// Objects began or ended: another turn may help.
    Shape(String),
}

/// Wider numbers are not made general before they have to be.
const WIDEST: u32 = 64;

#[derive(Debug, Clone)]
pub(super) struct Head {
    /// The state at the entry; also the counter for the variables of the head.
    pub entry: State,
    pub spots: BTreeMap<Spot, Wide>,
    phis: Vec<ValueId>,
    /// Whether the last read from an array of which one element is followed was of that element.
    pub last_read: Option<ExprId>,
    /// Variables before this number were there before the loop.
    pub stable: u32,
    /// The addresses of the lists that were put in, by what they were made for.
    pub put_in: BTreeMap<Instance, ExprId>,
}

impl Head {
    pub fn new(machine: &mut Machine<'_>, body: &Body, entry: State) -> Head {
        let phis = machine.program.phis(body.head).collect();
        Head::of(machine, phis, entry)
    }

    fn of(machine: &mut Machine<'_>, phis: Vec<ValueId>, mut entry: State) -> Head {
        let stable = entry.fresh;
        let last_read = machine.has_ghosts().then(|| machine.fresh(&mut entry, 1, Source::Widened));
        Head { entry, spots: BTreeMap::new(), phis, last_read, stable, put_in: BTreeMap::new() }
    }

    /// The same of a function that was just entered: its parameters are what the phis of a loop are. Numbers may be any
    /// from the start.
    pub fn of_call(machine: &mut Machine<'_>, func: FuncId, entry: State) -> Head {
        let program = machine.program;
        let params: Vec<ValueId> = program.funcs[func].params.iter().collect();
        let mut head = Head::of(machine, params.clone(), entry);
        for param in params {
            let ty = program.values[param].ty;
            let bits = machine.scalar_bits(ty).filter(|_| !machine.is_pointer_type(ty));
            if let Some(bits) = bits.filter(|&bits| bits <= WIDEST) {
                let wide = Wide::any_number(machine, &mut head.entry, bits);
                head.spots.insert(Spot::Value(param), wide);
            }
        }
        head
    }

    /// What is not known in memory may be any number, too: so much of it at most.
    pub fn open_memory(&mut self, machine: &mut Machine<'_>, most: usize) {
        let mut open = Vec::new();
        for number in 0..self.entry.memory.len() as u32 {
            let Some(object) = self.entry.memory.get(Instance(number)) else { continue };
            if object.life != Life::Live || object.chain.is_some() {
                continue;
            }
            for (&offset, cell) in &object.cells {
                let is_narrow = 8 * cell.bytes <= WIDEST;
                if is_narrow
                    && machine.is_open_number(cell.value)
                    && !machine.speaks_of_addresses(cell.value)
                {
                    open.push((Spot::Cell(Instance(number), offset, cell.bytes), 8 * cell.bytes));
                }
            }
        }
        for (spot, bits) in open.into_iter().take(most) {
            let wide = Wide::any_number(machine, &mut self.entry, bits);
            self.spots.insert(spot, wide);
        }
    }

    /// The general state, constrained by `candidates`.
    pub fn general(&self, machine: &mut Machine<'_>, candidates: &[ExprId]) -> State {
        let mut state = self.entry.clone();
        for (&spot, wide) in &self.spots {
            let value = wide.value(machine);
            put(machine, &mut state, spot, value);
        }
        state.assumed.extend(candidates.iter().copied());
        state.last_read = self.last_read;
        state.memory.forget_reads();
        // Whatever repeats behind here does not repeat the entry.
        state.choices += 1;
        state.doubt("a loop that was generalised");
        state
    }

    /// The variables of the head that are plain numbers, with their values at the entry.
    pub fn scalars(&self, machine: &mut Machine<'_>) -> Vec<(ExprId, ExprId)> {
        let mut state = self.entry.clone();
        let mut scalars = Vec::new();
        for (&spot, wide) in &self.spots {
            let Some(value) = get(machine, &mut state, spot) else { continue };
            let Some(bound) = wide.fit(machine, value) else { continue };
            for (var, value) in bound {
                scalars.push((var, value));
            }
        }
        scalars
    }

    /// The variables of the head that are the content of an element that is followed.
    pub fn elements(&self, machine: &Machine<'_>) -> Vec<ExprId> {
        let mut found = Vec::new();
        for (&spot, wide) in &self.spots {
            if let Spot::Cell(instance, offset, _) = spot
                && machine.is_of_element(&self.entry, instance, offset)
            {
                found.extend(wide.offsets());
            }
        }
        found
    }

    /// What the head's variables are at the entry.
    pub fn at_entry(&self, machine: &mut Machine<'_>) -> Binding {
        let vars = self.scalars(machine).into_iter();
        let mut binding: Binding =
            vars.map(|(var, value)| (machine.smt.pool.node(var).var(), value)).collect();
        self.bind_last_read(machine, &self.entry, &mut binding);
        binding
    }

    fn bind_last_read(&self, machine: &mut Machine<'_>, state: &State, binding: &mut Binding) {
        if let Some(last_read) = self.last_read {
            let value = state.last_read.unwrap_or_else(|| machine.smt.pool.bool(true));
            binding.insert(machine.smt.pool.node(last_read).var(), value);
        }
    }

    /// What the head's variables are in `state`, which came back to it from `general`.
    pub fn cover(
        &mut self,
        machine: &mut Machine<'_>,
        general: &State,
        state: &State,
    ) -> Result<Binding, Misfit> {
        let mut state = state.clone();
        let exposed = self.entry.exposed.clone().union(state.exposed.clone());
        if exposed != general.exposed {
            // What functions that nobody knows may change in the next turn.
            self.entry.exposed = exposed;
            return Err(Misfit::Widened);
        }
        let spots = self.differing(general, &state)?;
        let mut binding = Binding::default();
        self.bind_last_read(machine, &state, &mut binding);
        let mut is_widened = false;
        for spot in spots {
            let Some(value) = get(machine, &mut state, spot) else {
                return shape("a value that is no scalar");
            };
            if !self.spots.contains_key(&spot) {
                is_widened = true;
                self.add(machine, spot)?;
            }
            let Some(wide) = self.spots.get_mut(&spot) else { continue };
            let known = self.entry.memory.len() as u32;
            is_widened |= wide.widen(machine, &mut self.entry, value, (known, self.stable))?;
            if let Some(bound) = wide.fit(machine, value) {
                binding.extend(
                    bound.into_iter().map(|(var, value)| (machine.smt.pool.node(var).var(), value)),
                );
            } else {
                return shape("a pointer that is not understood");
            }
        }
        if is_widened { Err(Misfit::Widened) } else { Ok(binding) }
    }

    /// The spots where the two differ.
    fn differing(&self, general: &State, state: &State) -> Result<Vec<Spot>, Misfit> {
        let mut spots = Vec::new();
        let (Some(ours), Some(theirs)) = (general.top(), state.top()) else {
            return shape("a loop outside functions");
        };
        let same_locals = general.frames.iter().zip(&state.frames).all(|(a, b)| {
            (a.func, a.call) == (b.func, b.call) && a.locals == b.locals && a.varargs == b.varargs
        });
        if general.frames.len() != state.frames.len() || !same_locals {
            return shape("variables made anew in each turn of a loop");
        }
        if general.pending != state.pending
            || general.closing != state.closing
            || ours.at != theirs.at
        {
            return shape("another place in the program");
        }
        for &phi in &self.phis {
            if ours.values.get(&phi) != theirs.values.get(&phi) {
                spots.push(Spot::Value(phi));
            }
        }
        let known = self.entry.memory.len() as u32;
        for number in known..state.memory.len() as u32 {
            let made = state.memory.get(Instance(number));
            if made.is_some_and(|o| o.life == Life::Live && matches!(o.origin, Origin::Heap(_))) {
                return shape("memory allocated in each turn of a loop");
            }
        }
        spots.extend(changed_cells(general, state, known)?);
        Ok(spots)
    }

    /// A new spot, with what it held at the entry; those it overlaps with are gone.
    fn add(&mut self, machine: &mut Machine<'_>, spot: Spot) -> Result<(), Misfit> {
        self.spots.retain(|other, _| !other.overlaps(spot));
        let Some(value) = get(machine, &mut self.entry, spot) else {
            return shape("a value that is no scalar");
        };
        put(machine, &mut self.entry, spot, value);
        let mut wide = Wide::nothing();
        let known = self.entry.memory.len() as u32;
        wide.widen(machine, &mut self.entry, value, (known, u32::MAX))?;
        self.spots.insert(spot, wide);
        Ok(())
    }
}

/// Where the first so many objects hold something else.
pub(super) fn changed_cells(
    general: &State,
    state: &State,
    known: u32,
) -> Result<Vec<Spot>, Misfit> {
    let mut spots = Vec::new();
    for number in 0..known {
        let instance = Instance(number);
        let (Some(a), Some(b)) = (general.memory.get(instance), state.memory.get(instance)) else {
            return shape("an object that is gone");
        };
        if std::ptr::eq(a, b) {
            continue;
        }
        if (a.life, a.size, a.background, a.origin) != (b.life, b.size, b.background, b.origin) {
            return shape("objects whose life changes");
        }
        if (a.chain.is_some() || b.chain.is_some()) && a != b {
            return shape("a list that changes");
        }
        let ranges = differences(a, b).into_iter();
        spots.extend(ranges.map(|(offset, bytes)| Spot::Cell(instance, offset, bytes)));
    }
    Ok(spots)
}

pub(super) fn shape<T>(what: &str) -> Result<T, Misfit> {
    Err(Misfit::Shape(what.to_owned()))
}

pub(super) fn get(machine: &mut Machine<'_>, state: &mut State, spot: Spot) -> Option<ExprId> {
    match spot {
        Spot::Value(value) => state.top()?.values.get(&value)?.bits(),
        Spot::Cell(instance, offset, bytes) => {
            machine.read(state, instance, offset, u64::from(bytes), false).ok()
        }
    }
}

pub(super) fn put(machine: &mut Machine<'_>, state: &mut State, spot: Spot, value: ExprId) {
    match spot {
        Spot::Value(id) => state.set(id, Value::Bits(value)),
        Spot::Cell(instance, offset, bytes) => {
            machine.write(state, instance, offset, u64::from(bytes), value);
        }
    }
}
