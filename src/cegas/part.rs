//! One element of an array that lies beside other members in its object, such as a stack in a struct that also has its height.
//!
//! The array is the bytes `from..to` of the object, a multiple of its elements' size. The cells in the first element's bytes are those of the
//! element that is followed ([`super::ghost`]), and no other cell lies in the array. All other cells are the object's own.
//!
//! Why that is sound. An access is shown to lie inside the array or beside it, with all its bytes. One of which neither is
//! shown reads anything, and if it writes, all that is known of the object is forgotten.

use super::machine::{Machine, Source};
use super::memory::{Background, Instance};
use super::state::State;
use crate::smt::ExprId;

/// Where an array begins and ends in its object.
pub(super) type Part = (u64, u64);

/// Where an access lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    Inside,
    Beside,
    Either,
}

impl Machine<'_> {
    /// The array of which one element is followed, if it is not all of the object.
    pub(super) fn part(&self, state: &State, instance: Instance) -> Option<Part> {
        let parts = &self.ghosts.as_ref()?.parts;
        if parts.is_empty() {
            return None;
        }
        parts.get(&state.memory.get(instance)?.origin).copied()
    }

    /// Where the cells of the element lie in the object.
    pub(super) fn base(&self, state: &State, instance: Instance) -> u64 {
        self.part(state, instance).map_or(0, |(from, _)| from)
    }

    /// Whether a cell there is one of the element that is followed.
    pub(super) fn is_of_element(&self, state: &State, instance: Instance, offset: u64) -> bool {
        let Some(stride) = self.stride(state, instance) else { return false };
        self.part(state, instance).is_none_or(|(from, _)| (from..from + stride).contains(&offset))
    }

    /// Where an access lies in an object with such an array, if it is one to this object at all (`guard`).
    pub(super) fn side_of_array(
        &mut self,
        state: &State,
        instance: Instance,
        (offset, bytes): (ExprId, u64),
        guard: ExprId,
    ) -> Side {
        let Some((from, to)) = self.part(state, instance) else { return Side::Inside };
        let (start, end) = (self.pointer_const(from), self.pointer_const(to));
        if bytes <= to - from {
            let last = self.pointer_const(to - bytes);
            let (is_low, is_high) =
                (self.smt.pool.ult(offset, start), self.smt.pool.ult(last, offset));
            let outside = self.smt.pool.or(is_low, is_high);
            if self.never(state, guard, outside) {
                return Side::Inside;
            }
        }
        // The first offset from which on the access touches the array.
        let first = self.pointer_const((from + 1).saturating_sub(bytes));
        let (reaches, begins) = (self.smt.pool.ule(first, offset), self.smt.pool.ult(offset, end));
        let touches = self.smt.pool.and(reaches, begins);
        if self.never(state, guard, touches) { Side::Beside } else { Side::Either }
    }

    fn never(&mut self, state: &State, guard: ExprId, what: ExprId) -> bool {
        let both = self.smt.pool.and(guard, what);
        match self.smt.pool.as_const(both) {
            Some(value) => value == 0,
            None => self.is_soon_excluded(state, both),
        }
    }

    /// What is left of a range in such an object: pieces with their length, and whether they lie in the array.
    pub(super) fn sides_of(
        &self,
        state: &State,
        instance: Instance,
        start: u64,
        len: u64,
    ) -> Vec<(u64, u64, bool)> {
        let Some((from, to)) = self.part(state, instance) else { return vec![(start, len, true)] };
        let end = start.saturating_add(len);
        let pieces = [
            (start, end.min(from), false),
            (start.max(from), end.min(to), true),
            (start.max(to), end, false),
        ];
        let is_any = pieces.into_iter().filter(|(start, end, _)| start < end);
        is_any.map(|(start, end, is_array)| (start, end - start, is_array)).collect()
    }

    /// Something was written to the array, nobody knows where.
    pub(super) fn forget_element(&mut self, state: &mut State, instance: Instance) {
        let (Some((from, _)), Some(stride)) =
            (self.part(state, instance), self.stride(state, instance))
        else {
            return self.ghost_forget(state, instance);
        };
        let word = stride.min(8);
        for at in (0..stride).step_by(word as usize) {
            let value = self.fresh(state, word as u32 * 8, Source::Widened);
            self.write(state, instance, from + at, word, value);
        }
    }

    /// What lies at an offset where nothing was written, in an object of which one element is followed.
    pub(super) fn background_of(
        &self,
        state: &State,
        instance: Instance,
        (offset, background): (u64, Background),
    ) -> Background {
        match self.part(state, instance) {
            _ if !self.is_of_element(state, instance, offset) => background,
            None => self.ghost_background(background, 0..u64::MAX),
            Some((from, to)) => self.ghost_background(background, from..to),
        }
    }
}
