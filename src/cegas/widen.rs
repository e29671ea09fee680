//! The general state of a loop head, and what it takes for it to cover another.
//!
//! A [`Head`] begins as the state with which the loop was entered. Where a state that comes back differs,
//! the *spot* (a phi of the head or some bytes of an object) is widened: its value becomes one of several
//! *leaves*, each an object's address or a number plus an offset that is kept or arbitrary. Which leaf it is
//! and the offsets are fresh variables; candidates ([`super::invariant`]) constrain them.
//!
//! Invariant: a state that [`Head::cover`] accepts is an instance of the general state: everything that
//! can still be read is equal to it once its variables are given the values that `cover` returns. Values
//! computed inside the loop need no look: every path from the head to a use computes them anew. Objects made
//! since the head was entered can be forgotten, since nothing that is compared mentions them.

use super::address::Base;
use super::loops::Body;
use super::machine::{Machine, Source};
use super::memory::{Instance, Life, Origin};
use super::merge::differences;
use super::state::State;
use super::value::Value;
use crate::ir::ValueId;
use crate::smt::{ExprId, VarId};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Spot {
    Value(ValueId),
    /// Bytes of an object: the offset and how many.
    Cell(Instance, u64, u32),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Leaf {
    /// The address that `offset` is added to; none for a number.
    object: Option<Instance>,
    offset: ExprId,
    /// The offset is a variable of the head. Otherwise it is made of what was there before the loop: what a turn makes
    /// is another number in the next one, even if it has the same name.
    is_wide: bool,
}

/// What a widened spot may hold.
#[derive(Debug, Clone)]
pub(super) struct Wide {
    leaves: Vec<Leaf>,
    /// Says which leaf it is, if there are several.
    tag: Option<ExprId>,
}

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

const TAG_BITS: u32 = 8;
const MOST_LEAVES: usize = 12;

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
    pub fn new(machine: &mut Machine<'_>, body: &Body, mut entry: State) -> Head {
        let program = machine.program;
        let stable = entry.fresh;
        let last_read = machine.has_ghosts().then(|| machine.fresh(&mut entry, 1, Source::Widened));
        let phis = program.phis(body.head).collect();
        Head { entry, spots: BTreeMap::new(), phis, last_read, stable, put_in: BTreeMap::new() }
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
                found
                    .extend(wide.leaves.iter().filter(|leaf| leaf.is_wide).map(|leaf| leaf.offset));
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
        for number in 0..known {
            let instance = Instance(number);
            let (Some(a), Some(b)) = (general.memory.get(instance), state.memory.get(instance))
            else {
                return shape("an object that is gone");
            };
            if std::ptr::eq(a, b) {
                continue;
            }
            if (a.life, a.size, a.background, a.origin) != (b.life, b.size, b.background, b.origin)
            {
                return shape("objects whose life changes in a loop");
            }
            if (a.chain.is_some() || b.chain.is_some()) && a != b {
                return shape("a list that changes in a loop");
            }
            let ranges = differences(a, b).into_iter();
            spots.extend(ranges.map(|(offset, bytes)| Spot::Cell(instance, offset, bytes)));
        }
        Ok(spots)
    }

    /// A new spot, with what it held at the entry; those it overlaps with are gone.
    fn add(&mut self, machine: &mut Machine<'_>, spot: Spot) -> Result<(), Misfit> {
        if let Spot::Cell(instance, offset, bytes) = spot {
            let end = offset + u64::from(bytes);
            self.spots.retain(|other, _| match *other {
                Spot::Cell(i, o, b) => i != instance || o + u64::from(b) <= offset || end <= o,
                Spot::Value(_) => true,
            });
        }
        let Some(value) = get(machine, &mut self.entry, spot) else {
            return shape("a value that is no scalar");
        };
        put(machine, &mut self.entry, spot, value);
        let mut wide = Wide { leaves: Vec::new(), tag: None };
        let known = self.entry.memory.len() as u32;
        wide.widen(machine, &mut self.entry, value, (known, u32::MAX))?;
        self.spots.insert(spot, wide);
        Ok(())
    }
}

impl Wide {
    fn value(&self, machine: &mut Machine<'_>) -> ExprId {
        let mut whole: Option<ExprId> = None;
        for (index, leaf) in self.leaves.iter().enumerate().rev() {
            let value = match leaf.object {
                Some(instance) => {
                    let base = machine.address(instance);
                    machine.smt.pool.add(base, leaf.offset)
                }
                None => leaf.offset,
            };
            whole = Some(match (whole, self.tag) {
                (Some(other), Some(tag)) => {
                    let index = machine.smt.pool.constant(index as u128, TAG_BITS);
                    let is_this = machine.smt.pool.eq(tag, index);
                    machine.smt.pool.ite(is_this, value, other)
                }
                _ => value,
            });
        }
        // Every spot has a leaf for its value at the entry.
        whole.unwrap_or_else(|| machine.smt.pool.bool(false))
    }

    /// Makes room for `value`; tells whether there was none. Objects and variables before these numbers were there
    /// before the loop.
    fn widen(
        &mut self,
        machine: &mut Machine<'_>,
        counter: &mut State,
        value: ExprId,
        (known, stable): (u32, u32),
    ) -> Result<bool, Misfit> {
        let mut is_widened = false;
        for (object, offset, _) in leaves(machine, value)? {
            if object.is_some_and(|instance| instance.0 >= known) {
                return shape("a pointer to something made in the loop");
            }
            match self.leaves.iter_mut().find(|leaf| leaf.object == object) {
                Some(leaf) if leaf.is_wide || leaf.offset == offset => {}
                Some(leaf) => {
                    let bits = machine.smt.pool.width(offset);
                    leaf.offset = machine.fresh(counter, bits, Source::Widened);
                    leaf.is_wide = true;
                    is_widened = true;
                }
                None => {
                    let is_wide = !machine.is_stable(offset, stable);
                    let offset = if is_wide {
                        let bits = machine.smt.pool.width(offset);
                        machine.fresh(counter, bits, Source::Widened)
                    } else {
                        offset
                    };
                    self.leaves.push(Leaf { object, offset, is_wide });
                    is_widened = true;
                }
            }
        }
        if self.leaves.len() > MOST_LEAVES {
            return shape("a pointer to one of many objects");
        }
        if self.leaves.len() > 1 && self.tag.is_none() {
            self.tag = Some(machine.fresh(counter, TAG_BITS, Source::Widened));
        }
        Ok(is_widened)
    }

    /// What the variables have to be for the spot to hold `value`; `None` if there is no room for it.
    fn fit(&self, machine: &mut Machine<'_>, value: ExprId) -> Option<Vec<(ExprId, ExprId)>> {
        let mut bound: Vec<(ExprId, ExprId)> = Vec::new();
        let mut tag = self.tag;
        for (object, offset, guard) in leaves(machine, value).ok()? {
            let index = self.leaves.iter().position(|leaf| leaf.object == object)?;
            let leaf = self.leaves[index];
            if leaf.is_wide {
                let old = bound.iter_mut().find(|(var, _)| *var == leaf.offset);
                match old {
                    Some((_, known)) => *known = machine.smt.pool.ite(guard, offset, *known),
                    None => bound.push((leaf.offset, offset)),
                }
            } else if leaf.offset != offset {
                return None;
            }
            if let Some(known) = tag {
                let index = machine.smt.pool.constant(index as u128, TAG_BITS);
                tag = Some(machine.smt.pool.ite(guard, index, known));
            }
        }
        if let (Some(var), Some(tag)) = (self.tag, tag) {
            bound.push((var, tag));
        }
        Some(bound)
    }
}

fn shape<T>(what: &str) -> Result<T, Misfit> {
    Err(Misfit::Shape(what.to_owned()))
}

/// The objects or the number that a value may be, with the offset and when it is that.
fn leaves(
    machine: &mut Machine<'_>,
    value: ExprId,
) -> Result<Vec<(Option<Instance>, ExprId, ExprId)>, Misfit> {
    if !machine.speaks_of_addresses(value) {
        let always = machine.smt.pool.bool(true);
        return Ok(vec![(None, value, always)]);
    }
    let mut found = Vec::new();
    for place in machine.places(value) {
        let object = match place.base {
            Base::Object(instance) => Some(instance),
            Base::Number | Base::Junk => None,
            Base::Mixed => return shape("something computed from addresses"),
        };
        if machine.speaks_of_addresses(place.guard) || machine.speaks_of_addresses(place.offset) {
            return shape("something computed from addresses");
        }
        found.push((object, place.offset, place.guard));
    }
    Ok(found)
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
