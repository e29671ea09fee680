//! Reading and writing memory through pointers, byte-exact.

use super::address::{Base, Place};
use super::machine::{Machine, Source, Step, Stop, gap};
use super::memory::{Background, Cell, Instance, Life, Origin, Piece, part};
use super::part::Side;
use super::reentry::REPLACED;
use super::state::State;
use super::value::Value;
use crate::ir::{Type, TypeId};
use crate::smt::ExprId;

/// An index that may have more values than this in one object is not taken apart.
pub(super) const MOST_OFFSETS: u64 = 600;

/// A place that an access may touch, known to be valid under its guard.
pub(super) struct Target {
    guard: ExprId,
    pub(super) instance: Instance,
    pub(super) offset: ExprId,
}

impl Machine<'_> {
    pub(super) fn load(&mut self, state: &mut State, pointer: ExprId, ty: TypeId) -> Step<Value> {
        if let Some(bits) = self.scalar_bits(ty) {
            let bytes = self.program.types.store_size(ty);
            let is_pointer = self.is_pointer_type(ty);
            let stored = self.load_bits(state, pointer, bytes, is_pointer)?;
            return Ok(Value::Bits(self.smt.pool.extract(stored, 0, bits)));
        }
        let mut parts = Vec::new();
        for (part, offset) in self.parts(ty)?.into_iter().zip(self.part_offsets(ty)) {
            let at = self.shifted(pointer, offset as i64);
            parts.push(self.load(state, at, part)?);
        }
        Ok(Value::Parts(parts.into()))
    }

    pub(super) fn store(
        &mut self,
        state: &mut State,
        pointer: ExprId,
        value: &Value,
        ty: TypeId,
    ) -> Step<()> {
        match value {
            Value::Bits(bits) => {
                let bytes = self.program.types.store_size(ty);
                let wide = self.smt.pool.zext(*bits, bytes as u32 * 8);
                self.store_bits(state, pointer, bytes, wide)
            }
            Value::Parts(values) => {
                let types = self.parts(ty)?;
                let offsets = self.part_offsets(ty);
                for ((value, part), offset) in values.iter().zip(types).zip(offsets) {
                    let at = self.shifted(pointer, offset as i64);
                    self.store(state, at, value, part)?;
                }
                Ok(())
            }
        }
    }

    pub(super) fn part_offsets(&self, ty: TypeId) -> Vec<u64> {
        match self.program.types.get(ty) {
            Type::Struct { fields } => fields.iter().map(|field| field.offset).collect(),
            Type::Array { elem, len } | Type::Vector { elem, len } => {
                let size = self.program.types.size(*elem);
                (0..*len).map(|i| i * size).collect()
            }
            _ => Vec::new(),
        }
    }

    /// The objects that `bytes` bytes at `pointer` may lie in. The execution ends where it is none. Where
    /// it surely leaves an object, a real machine often goes on: then there is no target, and the path goes
    /// on in doubt, so that nothing behind the access is called proved or violated lightly.
    fn targets(&mut self, state: &mut State, pointer: ExprId, bytes: u64) -> Step<Vec<Target>> {
        let mut targets = Vec::new();
        let mut valid = self.smt.pool.bool(false);
        let mut is_near_object = false;
        for place in self.places(pointer) {
            match place.base {
                Base::Object(instance) => {
                    is_near_object = true;
                    let Some(guard) = self.valid(state, place, instance, bytes)? else { continue };
                    valid = self.smt.pool.or(valid, guard);
                    targets.push(Target { guard, instance, offset: place.offset });
                }
                Base::Junk => {}
                Base::Number if self.smt.pool.as_const(place.offset).is_some() => {}
                Base::Number | Base::Mixed => {
                    return gap("an address that was computed from integers");
                }
            }
        }
        if targets.is_empty() && is_near_object {
            state.doubt("what an access outside its object does");
            return Ok(targets);
        }
        self.assume(state, valid)?;
        Ok(targets)
    }

    /// When the access at `place` is inside a live object; `None` if never.
    fn valid(
        &mut self,
        state: &State,
        place: Place,
        instance: Instance,
        bytes: u64,
    ) -> Step<Option<ExprId>> {
        let object = state.memory.get(instance);
        if object.is_some_and(|object| object.life == Life::Replaced) {
            return gap(REPLACED);
        }
        let object = object.filter(|object| object.life == Life::Live);
        let Some(size) = object.map(|object| object.size) else { return Ok(None) };
        let bytes = self.pointer_const(bytes);
        let fits = self.smt.pool.ule(bytes, size);
        let last = self.smt.pool.sub(size, bytes);
        let inside = self.smt.pool.ule(place.offset, last);
        let inside = self.smt.pool.and(fits, inside);
        let outside = self.smt.pool.not(inside);
        self.stays_inside(state, instance, place.guard, outside)?;
        let guard = self.smt.pool.and(place.guard, inside);
        Ok((self.smt.pool.as_const(guard) != Some(0)).then_some(guard))
    }

    pub(super) fn load_bits(
        &mut self,
        state: &mut State,
        pointer: ExprId,
        bytes: u64,
        is_pointer: bool,
    ) -> Step<ExprId> {
        let mut result: Option<ExprId> = None;
        if bytes <= 16 && self.is_ended_local(state, pointer) {
            // The stack is still there, but what it holds is anybody's guess.
            let value = self.fresh(state, bytes as u32 * 8, Source::Unspecified);
            let vars = self.smt.pool.free_vars(&[value]);
            if vars.is_empty() {
                state.doubt("what a variable holds whose scope has ended");
            }
            state.uncertain.extend(vars);
            return Ok(value);
        }
        let targets = self.targets(state, pointer, bytes)?;
        let is_only = targets.len() == 1;
        for target in targets {
            let (instance, offset) = (target.instance, target.offset);
            let stride = self.stride(state, instance);
            let side = match stride {
                Some(_) => self.side_of_array(state, instance, (offset, bytes), target.guard),
                None => Side::Beside,
            };
            if let (Some(stride), Side::Inside | Side::Either) = (stride, side) {
                let value = if side == Side::Inside {
                    self.ghost_load(state, (instance, is_only), stride, offset, bytes)?
                } else if bytes <= 16 {
                    self.must_be_numbers(state, instance)?;
                    self.fresh(state, bytes as u32 * 8, Source::Widened)
                } else {
                    return gap("a read of more than 16 bytes from an array");
                };
                result = Some(match result {
                    None => value,
                    Some(other) => self.smt.pool.ite(target.guard, value, other),
                });
                continue;
            }
            for (offset, here) in self.offsets(state, &target, bytes)? {
                let value = self.read(state, target.instance, offset, bytes, is_pointer)?;
                result = Some(match result {
                    None => value,
                    Some(other) => self.smt.pool.ite(here, value, other),
                });
            }
        }
        Ok(match result {
            Some(value) => value,
            None if bytes <= 16 => self.fresh(state, bytes as u32 * 8, Source::Uninit),
            None => return Err(Stop::End),
        })
    }

    fn is_ended_local(&mut self, state: &State, pointer: ExprId) -> bool {
        let places = self.places(pointer);
        let [Place { base: Base::Object(instance), .. }] = places[..] else { return false };
        let object = state.memory.get(instance);
        object.is_some_and(|o| matches!(o.origin, Origin::Local(_)) && o.life == Life::Ended)
    }

    pub(super) fn store_bits(
        &mut self,
        state: &mut State,
        pointer: ExprId,
        bytes: u64,
        value: ExprId,
    ) -> Step<()> {
        let targets = self.targets(state, pointer, bytes)?;
        let alone = targets.len() == 1;
        for target in targets {
            self.note_write(state, target.instance, alone);
            let (instance, offset) = (target.instance, target.offset);
            let stride = self.stride(state, instance);
            let side = match stride {
                Some(_) => self.side_of_array(state, instance, (offset, bytes), target.guard),
                None => Side::Beside,
            };
            if side != Side::Beside {
                self.must_be_number(value)?;
            }
            if let (Some(stride), Side::Inside) = (stride, side) {
                // That it is the only one was assumed.
                let guard = if alone { self.smt.pool.bool(true) } else { target.guard };
                let place = (target.instance, guard);
                self.ghost_store(state, place, stride, target.offset, (bytes, value))?;
                continue;
            }
            if side == Side::Either {
                self.must_be_numbers(state, instance)?;
                self.ghost_forget(state, instance);
                continue;
            }
            if self.is_crowded(state, target.instance, bytes) {
                return gap("an array with too many elements");
            }
            let offsets = self.offsets(state, &target, bytes)?;
            let strong = alone && offsets.len() == 1;
            self.wish_one_of_few(state, &target, bytes, offsets.len());
            for (offset, here) in offsets {
                let new = if strong {
                    value
                } else {
                    let old = self.read(state, target.instance, offset, bytes, false)?;
                    self.smt.pool.ite(here, value, old)
                };
                self.write(state, target.instance, offset, bytes, new);
            }
        }
        Ok(())
    }

    /// The offsets an access may have in its object, each with when it has it.
    fn offsets(&mut self, state: &State, target: &Target, bytes: u64) -> Step<Vec<(u64, ExprId)>> {
        if let Some(offset) = self.smt.pool.as_const(target.offset) {
            return Ok(vec![(offset as u64, target.guard)]);
        }
        let offsets = self.few_offsets(state, target, bytes);
        if let Err(Stop::Gap(_)) = offsets {
            self.wish_ghost(state, target.instance, target.offset, bytes);
        }
        offsets
    }

    fn few_offsets(
        &mut self,
        state: &State,
        target: &Target,
        bytes: u64,
    ) -> Step<Vec<(u64, ExprId)>> {
        let size = state.memory.get(target.instance).map(|object| object.size);
        let Some(size) = size.and_then(|size| self.smt.pool.as_const(size)) else {
            return gap("an index into an object of unknown size");
        };
        let facts = self.smt.pool.facts(target.offset);
        let (mut low, mut high, mut step) = (0, (size as u64).saturating_sub(bytes), 1);
        if let Some(facts) = facts {
            low = low.max(facts.umin);
            high = high.min(facts.umax);
            step = 1u64 << facts.zeros.trailing_ones().min(16);
        }
        low = low.next_multiple_of(step);
        if low > high {
            return Err(Stop::End);
        }
        if matches!(
            state.memory.get(target.instance).map(|o| o.background),
            Some(Background::Given { .. })
        ) {
            (low, high) = self.narrowed(state, target.offset, (low, high, step));
        }
        if (high - low) / step >= MOST_OFFSETS {
            return gap("an index with too many possible values");
        }
        let mut offsets = Vec::new();
        let array = self.part(state, target.instance);
        for offset in (low..=high).step_by(step as usize) {
            // Such an access is beside the array.
            if array.is_some_and(|(from, to)| offset < to && from < offset + bytes) {
                continue;
            }
            let at = self.pointer_const(offset);
            let equal = self.smt.pool.eq(target.offset, at);
            let here = self.smt.pool.and(target.guard, equal);
            if self.smt.pool.as_const(here) != Some(0) {
                offsets.push((offset, here));
            }
        }
        Ok(offsets)
    }

    /// What lies in an object; what was never written is chosen now and stays.
    pub(super) fn read(
        &mut self,
        state: &mut State,
        instance: Instance,
        offset: u64,
        bytes: u64,
        is_pointer: bool,
    ) -> Step<ExprId> {
        let Some(object) = state.memory.get(instance) else { return gap("an object that is not") };
        let background = object.background;
        let mut whole: Option<ExprId> = None;
        for piece in object.pieces(offset, bytes) {
            let low = match piece {
                Piece::Of { cell, from, bytes } => part(&mut self.smt.pool, cell, from, bytes),
                Piece::Background { offset, bytes } => {
                    let background = self.background_of(state, instance, (offset, background));
                    let before = self.look_at(instance, offset);
                    let there =
                        self.background(state, instance, background, offset, bytes, is_pointer);
                    self.looked_away(before);
                    there?
                }
            };
            whole = Some(match whole {
                None => low,
                Some(rest) => self.smt.pool.concat(low, rest),
            });
        }
        whole.map_or_else(|| gap("an access of no bytes"), Ok)
    }

    pub(super) fn write(
        &mut self,
        state: &mut State,
        instance: Instance,
        offset: u64,
        bytes: u64,
        value: ExprId,
    ) {
        if let Some(object) = state.memory.get_mut(instance) {
            object.write(&mut self.smt.pool, offset, Cell { bytes: bytes as u32, value });
        }
    }

    /// One object, all of which is followed, and one offset, or a gap.
    pub(super) fn single_target(
        &mut self,
        state: &mut State,
        pointer: ExprId,
        bytes: u64,
    ) -> Step<(Instance, u64)> {
        let (instance, offset) = self.range_target(state, pointer, bytes)?;
        if self.stride(state, instance).is_some() {
            return gap("a range of an array of which one element is followed");
        }
        Ok((instance, offset))
    }

    /// One object and one offset, or a gap: for what moves whole ranges.
    pub(super) fn range_target(
        &mut self,
        state: &mut State,
        pointer: ExprId,
        bytes: u64,
    ) -> Step<(Instance, u64)> {
        let targets = self.targets(state, pointer, bytes)?;
        match &targets[..] {
            [target] => match self.smt.pool.as_const(target.offset) {
                Some(offset) => Ok((target.instance, offset as u64)),
                None => gap("a range of memory at an unknown offset"),
            },
            [] => gap("a range of memory outside its object"),
            _ => gap("a range of memory in one of several objects"),
        }
    }
}
