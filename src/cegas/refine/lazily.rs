//! Walks from a cut of a path on which nothing is known but where pointers lead: a value or a cell that is looked at and
//! was there at the cut is a term. What comes out are conditions on terms and on what is read later.

use super::model::Model;
use super::precision::Variable;
use super::predicates::{Term, only};
use super::segment::{End, Way};
use crate::cegas::machine::Source;
use crate::cegas::memory::{Background, Cell, Instance, Object, Piece};
use crate::cegas::persistent::OrdMap;
use crate::cegas::state::State;
use crate::cegas::value::Value;
use crate::ir::{Operand, ValueId};
use crate::smt::ExprId;
use std::collections::BTreeSet;

/// Bytes of a cell that is a term.
const WIDEST: u64 = 8;

/// Bytes of an initialiser that is searched for pointers.
const MOST_INITIAL: u64 = 1 << 14;

/// A walk from a cut on which terms are made when they are looked at.
pub(super) struct Lazily {
    /// The objects that hold what they held at the cut, where nothing was written since.
    pub open: BTreeSet<Instance>,
    /// Calls at the cut, and the fewest since: what is missing in a frame below is from the cut.
    depth: usize,
    fewest: usize,
    /// Whether the obligation is passed here, not violated.
    pub is_passing: bool,
}

impl Model<'_> {
    /// The conditions under which control goes these ways and violates the obligation at their end, by step, up to the
    /// `last` one; nothing if the walk leaves what the model knows.
    pub fn walk(
        &mut self,
        mut state: State,
        ways: &[Way],
        last: usize,
    ) -> Option<Vec<(usize, ExprId)>> {
        let open = (0..state.memory.len() as u32).map(Instance).collect();
        let depth = state.frames.len();
        self.lazily = Some(Lazily { open, depth, fewest: depth, is_passing: true });
        self.asks = false;
        let mut found = Vec::new();
        let mut told = (0, 0);
        let mut is_known = true;
        for step in 0..=last {
            if let Some(lazily) = &mut self.lazily {
                lazily.fewest = lazily.fewest.min(state.frames.len());
                lazily.is_passing = step < ways.len();
            }
            let next = match (self.run(state, None), ways.get(step)) {
                (End::Ways(_, open), Some(way)) => {
                    open.into_iter().find(|(open, _)| open == way).map(|(_, state)| state)
                }
                (End::Target(state), None) => Some(*state),
                (End::Left(_) | End::Return(..), _) => {
                    is_known = false;
                    break;
                }
                _ => None,
            };
            let Some(next) = next else {
                // Already what was computed on the way excludes it.
                found.push((step, self.machine.smt.pool.bool(false)));
                break;
            };
            let new = next.assumed.iter().skip(told.0).chain(next.deferred.iter().skip(told.1));
            found.extend(new.map(|&condition| (step, condition)));
            told = (next.assumed.len(), next.deferred.len());
            state = next;
        }
        self.lazily = None;
        (is_known && !self.limit.is_late()).then_some(found)
    }

    pub fn is_kept(&mut self, value: &Value, keeps_numbers: bool) -> bool {
        match value {
            Value::Bits(bits) => {
                self.pointed(*bits).is_some() || (keeps_numbers && self.is_explicit(*bits))
            }
            Value::Parts(_) => keeps_numbers && self.is_explicit_value(value),
        }
    }

    /// Forgets what is no pointer.
    pub fn forget_numbers(&mut self, state: &mut State, keeps_numbers: bool) {
        for depth in 0..state.frames.len() {
            let Some(frame) = state.frames.get_mut(depth) else { continue };
            let values = std::mem::take(&mut frame.values);
            let mut kept = values.clone();
            for (id, value) in &values {
                if !self.is_address(*id) && !self.is_kept(value, keeps_numbers) {
                    kept.remove(id);
                }
            }
            if let Some(frame) = state.frames.get_mut(depth) {
                frame.values = kept;
            }
        }
        for number in 0..state.memory.len() as u32 {
            let instance = Instance(number);
            let Some(object) = state.memory.get(instance).cloned() else { continue };
            if super::weak::is_fixed(self.machine.program, object.origin) {
                continue;
            }
            let is_only = only(state, object.origin) == Some(instance);
            let mut cells = match keeps_numbers {
                true => OrdMap::new(),
                false => self.initial_pointers(state, instance, &object),
            };
            for (&offset, &cell) in &object.cells {
                if self.is_kept(&Value::Bits(cell.value), keeps_numbers) {
                    cells.insert(offset, cell);
                } else if keeps_numbers && is_only && u64::from(cell.bytes) <= WIDEST {
                    let bytes = cell.bytes;
                    let term = Term::Cell { object: object.origin, offset, bytes };
                    cells.insert(offset, Cell { bytes, value: self.term(term, bytes * 8) });
                } else if keeps_numbers {
                    cells.insert(offset, cell);
                }
            }
            if let Some(object) = state.memory.get_mut(instance) {
                object.cells = cells;
                if !keeps_numbers {
                    object.background = Background::Uninit;
                }
            }
        }
    }

    /// The pointers in an initialiser, where nothing was written since.
    fn initial_pointers(
        &mut self,
        state: &mut State,
        instance: Instance,
        object: &Object,
    ) -> OrdMap<u64, Cell> {
        let mut cells = OrdMap::new();
        let size = self.machine.smt.pool.as_const(object.size).map_or(0, |size| size as u64);
        if !matches!(object.background, Background::Init(_)) || size > MOST_INITIAL {
            return cells;
        }
        for offset in (0..size / WIDEST).map(|number| number * WIDEST) {
            let pieces = object.pieces(offset, WIDEST);
            if matches!(pieces[..], [Piece::Background { .. }])
                && let Ok(value) = self.machine.read(state, instance, offset, WIDEST, true)
                && self.pointed(value).is_some()
            {
                cells.insert(offset, Cell { bytes: WIDEST as u32, value });
            }
        }
        cells
    }

    /// Makes a term of a value that was missing in the running function, if it is from the cut.
    pub fn name_missing(&mut self, state: &mut State, value: ValueId) {
        let Some(lazily) = &self.lazily else { return };
        let depth = state.frames.len().checked_sub(1).filter(|&depth| depth < lazily.fewest);
        let any = state.top().and_then(|frame| frame.values.get(&value)).and_then(Value::bits);
        let (Some(depth), Some(any)) = (depth, any) else { return };
        let term = Term::Value { up: lazily.depth - 1 - depth, value };
        let bits = self.machine.smt.pool.width(any);
        let own = self.term(term, bits);
        state.set(value, Value::Bits(own));
    }

    /// What is about to be read and is not known is chosen now and stays. What was there at a cut is a term.
    pub fn look(&mut self, state: &mut State, pointer: Operand, bytes: u64) {
        if (!self.asks && self.lazily.is_none()) || bytes > WIDEST {
            return;
        }
        let Ok(bits) = self.machine.bits(state, pointer) else { return };
        let Some((instance, offset)) = self.pointed(bits) else { return };
        let Some(object) = state.memory.get(instance) else { return };
        let origin = object.origin;
        let size = self.machine.smt.pool.as_const(object.size).unwrap_or(0);
        let is_inside = u128::from(offset) + u128::from(bytes) <= size;
        if is_inside && matches!(object.background, Background::Init(_) | Background::Zero) {
            self.initials.insert(Variable::Cell { object: origin, offset, bytes });
        }
        if !is_inside || object.background != Background::Uninit {
            return;
        }
        let is_open = self.lazily.as_ref().is_some_and(|lazily| lazily.open.contains(&instance))
            && only(state, origin) == Some(instance);
        for piece in object.pieces(offset, bytes) {
            let Piece::Background { offset, bytes } = piece else { continue };
            let value = match is_open {
                true => self.term(Term::Cell { object: origin, offset, bytes }, bytes * 8),
                false => self.machine.fresh(state, bytes * 8, Source::Widened),
            };
            if let Some(object) = state.memory.get_mut(instance) {
                object.cells.insert(offset, Cell { bytes, value });
            }
        }
    }
}
