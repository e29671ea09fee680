//! When a demand is not met, as a condition on the values of the state. It is the engine's whole
//! knowledge of rules.
//!
//! Invariant: asking may read memory that was never written, which makes arbitrary values; whoever walks
//! the same path again asks the same demands, so that the values keep their numbers.

use super::address::{Base, Place};
use super::machine::{Machine, Source, Step, gap};
use super::memory::{Background, Cell, Instance, Life, Origin};
use super::reentry::REPLACED;
use super::state::State;
use crate::ir::{IntPredicate, Operand};
use crate::rules::{Demand, Extent, Fault, FreeFault};
use crate::smt::{ExprId, Op};
use rustc_hash::FxHashMap;

/// Below this address lies what is reached from null, also a member far into a struct: systems put no object there
/// (`mmap_min_addr`).
pub(super) const NULL_PAGE: u64 = 1 << 16;

/// A string longer than this is not followed to its end.
const LONGEST_TEXT: u64 = 1 << 16;

/// Nor is it asked of more characters than this whether each was set.
const LONGEST_UNSET: u64 = 1 << 10;

/// Whether such a value was never set.
pub(super) fn is_unset(source: Source) -> bool {
    match source {
        Source::Uninit | Source::Junk => true,
        Source::Input | Source::Unspecified | Source::Assumed => false,
        Source::Widened | Source::Selected => false,
    }
}

const NOBODY_KNOWS: &str = "whether an address that is not known is one of an object";

impl Machine<'_> {
    /// When the demand is not met.
    pub(super) fn violation(&mut self, state: &mut State, demand: Demand) -> Step<ExprId> {
        self.doubted = None;
        match demand {
            Demand::NotReached => Ok(self.smt.pool.bool(true)),
            Demand::NonZero(operand) | Demand::Arguable(operand) => {
                let value = self.bits(state, operand)?;
                let zero = self.smt.pool.constant(0, self.smt.pool.width(value));
                Ok(self.compare(state, IntPredicate::Eq, value, zero))
            }
            Demand::Equal(a, b) => {
                let (a, b) = (self.bits(state, a)?, self.bits(state, b)?);
                Ok(self.compare(state, IntPredicate::Ne, a, b))
            }
            Demand::Access { pointer, extent, fault } => {
                let pointer = self.bits(state, pointer)?;
                self.access_fault(state, pointer, extent, fault)
            }
            Demand::Free { pointer, fault } => {
                let pointer = self.bits(state, pointer)?;
                self.free_fault(state, pointer, fault)
            }
            // Asked when the execution ends, see `reachable`.
            Demand::Kept => Ok(self.smt.pool.bool(false)),
            Demand::Set(operand) => self.unset(state, operand),
            Demand::Fits { value, bits } => {
                let value = self.bits(state, value)?;
                let cut = self.smt.pool.extract(value, 0, bits);
                let back = self.smt.pool.sext(cut, self.smt.pool.width(value));
                Ok(self.smt.pool.ne(value, back))
            }
            Demand::Wraps { op, lhs, rhs } => {
                let (a, b) = (self.bits(state, lhs)?, self.bits(state, rhs)?);
                Ok(self.overflow(op, a, b))
            }
        }
    }

    fn access_fault(
        &mut self,
        state: &mut State,
        pointer: ExprId,
        extent: Extent,
        fault: Fault,
    ) -> Step<ExprId> {
        // Made whatever the rest says: who walks the same path again must make it, too.
        let open = match extent {
            Extent::Open { .. } | Extent::Hidden => self.perhaps(state),
            _ if fault == Fault::Unset => self.perhaps(state),
            Extent::Bytes(_) | Extent::Times(..) | Extent::Text { .. } => self.smt.pool.bool(true),
        };
        let mut wrong = self.smt.pool.bool(false);
        let length = match extent {
            Extent::Hidden => return Ok(open),
            Extent::Bytes(bytes) => Some(self.pointer_const(bytes)),
            Extent::Open { least, .. } => Some(self.pointer_const(least)),
            Extent::Times(operand, factor) => {
                let count = self.bits(state, operand)?;
                let count = self.smt.pool.resize(count, self.pointer_bits, false);
                let factor = self.pointer_const(factor);
                Some(self.smt.pool.mul(count, factor))
            }
            Extent::Text { .. } => None,
        };
        for place in self.places(pointer) {
            let here = match (place.base, fault) {
                (Base::Number, Fault::Outside)
                    if state.is_uncertain(&self.smt.pool, &[place.offset]) =>
                {
                    return gap("what a pointer from outside the program points to");
                }
                (Base::Number | Base::Junk, Fault::Null) => self.is_in_null_page(place.offset),
                (Base::Number | Base::Junk, Fault::Outside) => {
                    let null = self.is_in_null_page(place.offset);
                    self.smt.pool.not(null)
                }
                (Base::Number, Fault::Dead) if !self.is_known(state, place) => {
                    return gap(NOBODY_KNOWS);
                }
                (Base::Number | Base::Junk, Fault::Dead | Fault::Unset)
                | (Base::Object(_), Fault::Null) => continue,
                (Base::Object(instance), Fault::Unset) => {
                    self.reads_unset(state, instance, (place.offset, length), extent, open)?
                }
                (Base::Object(instance), Fault::Outside) => {
                    let leaves = match length {
                        Some(length) => self.leaves(state, instance, place.offset, length),
                        None => self.text_leaves(state, instance, place.offset, extent)?,
                    };
                    self.stays_inside(state, instance, place.guard, leaves)?;
                    match extent {
                        Extent::Open { most, .. } => {
                            let most = self.pointer_const(most.unwrap_or(u64::MAX));
                            let may_leave = self.leaves(state, instance, place.offset, most);
                            let may_leave = self.smt.pool.and(may_leave, open);
                            self.smt.pool.or(leaves, may_leave)
                        }
                        _ => leaves,
                    }
                }
                (Base::Object(instance), Fault::Dead) => {
                    let life = state.memory.get(instance).map(|object| object.life);
                    if life == Some(Life::Replaced) {
                        return gap(REPLACED);
                    }
                    self.smt.pool.bool(life != Some(Life::Live))
                }
                (Base::Mixed, _) => return gap("an address that was computed from integers"),
            };
            let here = self.smt.pool.and(place.guard, here);
            wrong = self.smt.pool.or(wrong, here);
        }
        if matches!(extent, Extent::Open { least: 0, .. }) {
            wrong = self.smt.pool.and(wrong, open);
        }
        // An access of no bytes touches nothing.
        if let (Some(length), Extent::Times(..)) = (length, extent) {
            let none = self.pointer_const(0);
            let some = self.smt.pool.ne(length, none);
            wrong = self.smt.pool.and(wrong, some);
        }
        Ok(wrong)
    }

    /// A condition of which nobody knows whether it holds in an execution.
    fn perhaps(&mut self, state: &mut State) -> ExprId {
        let bit = self.fresh(state, 1, Source::Unspecified);
        let vars = self.smt.pool.free_vars(&[bit]);
        self.doubted = vars.first().copied();
        state.uncertain.extend(vars);
        bit
    }

    /// The part of the last violation of which nothing is in doubt. Where it does not hold, the execution goes on.
    pub(super) fn certain(&mut self, violation: ExprId) -> ExprId {
        let Some(doubted) = self.doubted else { return violation };
        let no = self.smt.pool.bool(false);
        self.smt.pool.substitute(violation, &[(doubted, no)].into_iter().collect())
    }

    /// The execution goes on where the demand that was last asked about is met, or may be.
    pub(super) fn go_on_where_met(&mut self, state: &mut State, violation: ExprId) -> Step<()> {
        let certain = self.certain(violation);
        let holds = self.smt.pool.not(certain);
        self.assume(state, holds)
    }

    fn is_in_null_page(&mut self, address: ExprId) -> ExprId {
        let end = self.smt.pool.constant(u128::from(NULL_PAGE), self.smt.pool.width(address));
        self.smt.pool.ult(address, end)
    }

    /// When `length` bytes at `offset` are not inside a live object.
    fn leaves(
        &mut self,
        state: &State,
        instance: Instance,
        offset: ExprId,
        length: ExprId,
    ) -> ExprId {
        match state.memory.get(instance) {
            Some(object) if object.life == Life::Live => {
                let size = object.size;
                let fits = self.smt.pool.ule(length, size);
                let last = self.smt.pool.sub(size, length);
                let inside = self.smt.pool.ule(offset, last);
                let inside = self.smt.pool.and(fits, inside);
                self.smt.pool.not(inside)
            }
            // Another rule's matter.
            _ => self.smt.pool.bool(false),
        }
    }

    /// When a string that starts at `offset` has no end inside its object.
    fn text_leaves(
        &mut self,
        state: &mut State,
        instance: Instance,
        offset: ExprId,
        extent: Extent,
    ) -> Step<ExprId> {
        let Extent::Text { unit, limit } = extent else { return gap("no string") };
        let Some(object) = state.memory.get(instance).filter(|o| o.life == Life::Live) else {
            return Ok(self.smt.pool.bool(false));
        };
        let size = object.size;
        if self.stride(state, instance).is_some() {
            return gap("a string in an array of which one element is followed");
        }
        let unit_length = self.pointer_const(unit);
        let starts_outside = self.leaves(state, instance, offset, unit_length);
        let Some(start) = self.smt.pool.as_const(offset) else {
            return gap("a string at an unknown offset");
        };
        if self.smt.pool.as_const(starts_outside) == Some(1) {
            return Ok(starts_outside);
        }
        if unit == 1 && self.is_untouched_text(state, instance) {
            // It ends where the object does.
            return Ok(starts_outside);
        }
        // Every character so far is not zero.
        let mut goes_on = self.smt.pool.bool(true);
        let mut wrong = starts_outside;
        let mut at = start as u64;
        for index in 0..LONGEST_TEXT {
            if limit.is_some_and(|limit| index >= limit) {
                return Ok(wrong);
            }
            let end = self.pointer_const(at.saturating_add(unit));
            let outside = self.smt.pool.ult(size, end);
            let leaves = self.smt.pool.and(goes_on, outside);
            wrong = self.smt.pool.or(wrong, leaves);
            if self.smt.pool.as_const(outside) == Some(1) {
                return Ok(wrong);
            }
            let character = self.read(state, instance, at, unit, false)?;
            let zero = self.smt.pool.constant(0, self.smt.pool.width(character));
            let more = self.smt.pool.ne(character, zero);
            goes_on = self.smt.pool.and(goes_on, more);
            if self.smt.pool.as_const(goes_on) == Some(0) {
                return Ok(wrong);
            }
            at = at.saturating_add(unit);
        }
        gap("a string that is too long to follow")
    }

    /// When bytes that were never set are read from an object: a string up to its end, or as many as are written out. Of
    /// these, only the first is certain, since others may lie between the members of a struct; where it is not known how
    /// many they are, `open` says that nobody knows.
    fn reads_unset(
        &mut self,
        state: &mut State,
        instance: Instance,
        (offset, length): (ExprId, Option<ExprId>),
        extent: Extent,
        open: ExprId,
    ) -> Step<ExprId> {
        let Some(object) = state.memory.get(instance).filter(|o| o.life == Life::Live) else {
            return Ok(self.smt.pool.bool(false));
        };
        let size = object.size;
        if self.is_untouched_text(state, instance) {
            return Ok(self.smt.pool.bool(false));
        }
        let (unit, most, is_text) = match extent {
            Extent::Text { unit, limit } => (unit, limit.unwrap_or(u64::MAX), true),
            Extent::Times(..) => {
                let length = length.and_then(|length| self.smt.pool.as_const(length));
                let Some(length) = length.and_then(|length| u64::try_from(length).ok()) else {
                    return Ok(open);
                };
                (1, length, false)
            }
            Extent::Bytes(_) | Extent::Open { .. } | Extent::Hidden => return Ok(open),
        };
        let places = (self.smt.pool.as_const(offset), self.smt.pool.as_const(size));
        let (Some(start), Some(size)) = places else { return Ok(open) };
        if self.stride(state, instance).is_some() || self.is_open(state, instance) {
            return Ok(open);
        }
        let mut goes_on = self.smt.pool.bool(true);
        let mut wrong = self.smt.pool.bool(false);
        let (mut at, size) = (start as u64, size as u64);
        for index in 0..most {
            // What lies outside is another rule's matter.
            if at.saturating_add(unit) > size || self.smt.pool.as_const(goes_on) == Some(0) {
                return Ok(wrong);
            }
            if index >= LONGEST_UNSET {
                return Ok(self.smt.pool.or(wrong, open));
            }
            let read = self.read(state, instance, at, unit, false)?;
            let mut here = self.is_unset_value(read);
            if !is_text && index > 0 {
                here = self.smt.pool.and(here, open);
            }
            here = self.smt.pool.and(goes_on, here);
            wrong = self.smt.pool.or(wrong, here);
            if is_text {
                let zero = self.smt.pool.constant(0, self.smt.pool.width(read));
                let more = self.smt.pool.ne(read, zero);
                goes_on = self.smt.pool.and(goes_on, more);
            }
            at += unit;
        }
        Ok(wrong)
    }

    /// Whether an object is a text from outside that nobody has written to.
    pub(super) fn is_untouched_text(&self, state: &State, instance: Instance) -> bool {
        let Some(object) = state.memory.get(instance) else { return false };
        let is_read = |cell: &Cell| self.smt.pool.op(cell.value) == Op::Var;
        object.background == Background::Text && object.cells.values().all(is_read)
    }

    fn free_fault(&mut self, state: &State, pointer: ExprId, fault: FreeFault) -> Step<ExprId> {
        let mut wrong = self.smt.pool.bool(false);
        for place in self.places(pointer) {
            let Place { guard, base, offset } = place;
            let zero = self.smt.pool.constant(0, self.smt.pool.width(offset));
            let object = match base {
                Base::Object(instance) => state.memory.get(instance),
                Base::Number | Base::Junk | Base::Mixed => None,
            };
            // An input is no address.
            let is_input =
                state.doubt.is_none() && !state.is_uncertain(&self.smt.pool, &[place.offset]);
            if base == Base::Number && !is_input && !self.is_known(state, place) {
                return gap(NOBODY_KNOWS);
            }
            let here = match (object.map(|object| (object.origin, object.life)), fault) {
                (Some((Origin::Heap(_) | Origin::Given(_), Life::Freed)), FreeFault::Twice) => {
                    self.smt.pool.bool(true)
                }
                (Some((Origin::Heap(_), Life::Freed)), FreeFault::Foreign)
                | (_, FreeFault::Twice) => continue,
                // What a caller gives to be freed was allocated, and perhaps not where the pointer points to.
                (Some((Origin::Given(_), _)), FreeFault::Foreign) => continue,
                (Some((Origin::Heap(_), _)) | None, FreeFault::Foreign) => {
                    self.smt.pool.ne(offset, zero)
                }
                (Some(_), FreeFault::Foreign) => self.smt.pool.bool(true),
            };
            let here = self.smt.pool.and(guard, here);
            wrong = self.smt.pool.or(wrong, here);
        }
        Ok(wrong)
    }

    /// Whether an address that speaks of no object is none of an object: it is a constant, or null on this path.
    fn is_known(&mut self, state: &State, Place { guard, offset, .. }: Place) -> bool {
        let zero = self.smt.pool.constant(0, self.smt.pool.width(offset));
        let is_other = self.smt.pool.ne(offset, zero);
        let is_other = self.smt.pool.and(guard, is_other);
        self.smt.pool.as_const(offset).is_some() || self.is_never(state, is_other)
    }

    /// When the value would be another if what was never set were another: each arbitrary value
    /// that nobody set gets a twin, and both versions are compared.
    fn unset(&mut self, state: &mut State, operand: Operand) -> Step<ExprId> {
        match self.operand(state, operand)?.bits() {
            Some(value) => Ok(self.is_unset_value(value)),
            None => Ok(self.smt.pool.bool(false)),
        }
    }

    /// When a value depends on one that was never set.
    fn is_unset_value(&mut self, value: ExprId) -> ExprId {
        let mut twins = FxHashMap::default();
        for var in self.smt.pool.free_vars(&[value]) {
            if self.source_of(var).is_some_and(|(_, source)| is_unset(source)) {
                twins.insert(var, self.twin(var));
            }
        }
        if twins.is_empty() {
            return self.smt.pool.bool(false);
        }
        let other = self.smt.pool.substitute(value, &twins);
        self.smt.pool.ne(value, other)
    }
}
