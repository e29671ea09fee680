//! Reading and writing memory through pointers, byte-exact.

use super::address::{Base, Place};
use super::machine::{Machine, Source, Step, Stop, gap};
use super::memory::{Background, Cell, Instance, Life, Origin, Piece, part};
use super::reentry::REPLACED;
use super::state::State;
use super::value::Value;
use crate::ir::{Const, GlobalId, Type, TypeId};
use crate::smt::ExprId;

/// An index that may have more values than this in one object is not taken apart.
pub(super) const MOST_OFFSETS: u64 = 600;

/// A place that an access may touch, known to be valid under its guard.
struct Target {
    guard: ExprId,
    instance: Instance,
    offset: ExprId,
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
            if let Some(stride) = self.stride(state, target.instance) {
                let (instance, offset) = (target.instance, target.offset);
                let value = self.ghost_load(state, (instance, is_only), stride, offset, bytes)?;
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
            if let Some(stride) = self.stride(state, target.instance) {
                // That it is the only one was assumed.
                let guard = if alone { self.smt.pool.bool(true) } else { target.guard };
                let place = (target.instance, guard);
                self.ghost_store(state, place, stride, target.offset, (bytes, value))?;
                continue;
            }
            if self.is_crowded(state, target.instance, bytes) {
                return gap("an array with too many elements");
            }
            let offsets = self.offsets(state, &target, bytes)?;
            let strong = alone && offsets.len() == 1;
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
        for offset in (low..=high).step_by(step as usize) {
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
        let mut background = object.background;
        if self.stride(state, instance).is_some() {
            background = self.ghost_background(background);
        }
        let mut whole: Option<ExprId> = None;
        for piece in object.pieces(offset, bytes) {
            let low = match piece {
                Piece::Of { cell, from, bytes } => part(&mut self.smt.pool, cell, from, bytes),
                Piece::Background { offset, bytes } => {
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

    fn background(
        &mut self,
        state: &mut State,
        instance: Instance,
        background: Background,
        offset: u64,
        bytes: u32,
        is_pointer: bool,
    ) -> Step<ExprId> {
        let mut is_outside = false;
        let source = match background {
            Background::Zero => return Ok(self.smt.pool.constant(0, bytes * 8)),
            Background::Init(global) => return self.initial(state, global, offset, bytes),
            Background::Uninit if is_pointer => Source::Junk,
            Background::Uninit => Source::Uninit,
            Background::Outside => {
                if let Some(stream) = self.standard_stream(state, instance) {
                    return Ok(stream);
                }
                is_outside = true;
                Source::Input
            }
            Background::Text => return self.text_bytes(state, instance, offset, bytes),
            Background::Given { ty, sure, .. } => {
                let at = (offset, bytes);
                return self.given_content(state, instance, (ty, sure), at, is_pointer);
            }
            Background::Code => return gap("the code of a function"),
            Background::Arguments { count } => {
                return self.argument_pointer(state, instance, count, offset, bytes);
            }
        };
        if bytes > 16 {
            return gap("a read of more than 16 bytes that were never written");
        }
        let value = self.fresh(state, bytes * 8, source);
        if is_outside {
            let vars = self.smt.pool.free_vars(&[value]);
            if vars.is_empty() {
                // It was drawn: nobody sees any more what depends on it.
                state.doubt("what is defined outside the program");
            }
            state.uncertain.extend(vars);
        }
        self.write(state, instance, offset, u64::from(bytes), value);
        Ok(value)
    }

    /// `stdin` and its like are pointers nobody looks behind: each points to itself.
    fn standard_stream(&mut self, state: &State, instance: Instance) -> Option<ExprId> {
        let Origin::Global(global) = state.memory.get(instance)?.origin else { return None };
        let name = self.program.globals[global].name.as_str();
        matches!(name, "stdin" | "stdout" | "stderr").then(|| self.address(instance))
    }

    /// Bytes of a text from outside: the last one is zero, the others are not.
    fn text_bytes(
        &mut self,
        state: &mut State,
        instance: Instance,
        offset: u64,
        bytes: u32,
    ) -> Step<ExprId> {
        let Some(size) = state.memory.get(instance).map(|object| object.size) else {
            return gap("an object that is not");
        };
        let mut whole: Option<ExprId> = None;
        for at in offset..offset + u64::from(bytes) {
            let byte = self.fresh(state, 8, Source::Input);
            self.write(state, instance, at, 1, byte);
            let zero = self.smt.pool.constant(0, 8);
            let is_zero = self.smt.pool.eq(byte, zero);
            let end = self.pointer_const(at.saturating_add(1));
            let is_last = self.smt.pool.eq(size, end);
            let holds = self.smt.pool.eq(is_zero, is_last);
            self.assume(state, holds)?;
            whole = Some(match whole {
                None => byte,
                Some(rest) => self.smt.pool.concat(byte, rest),
            });
        }
        whole.map_or_else(|| gap("an access of no bytes"), Ok)
    }

    /// One of the pointers that `main` is given.
    fn argument_pointer(
        &mut self,
        state: &mut State,
        instance: Instance,
        count: ExprId,
        offset: u64,
        bytes: u32,
    ) -> Step<ExprId> {
        let width = u64::from(self.pointer_bits / 8);
        if u64::from(bytes) != width || !offset.is_multiple_of(width) {
            return gap("a part of an argument's address");
        }
        let text = self.text(state)?;
        let null = self.pointer_const(0);
        let index = self.pointer_const(offset / width);
        let is_given = self.smt.pool.ult(index, count);
        let pointer = self.smt.pool.ite(is_given, text, null);
        self.write(state, instance, offset, width, pointer);
        Ok(pointer)
    }

    fn initial(
        &mut self,
        state: &mut State,
        global: GlobalId,
        offset: u64,
        bytes: u32,
    ) -> Step<ExprId> {
        let program = self.program;
        let Some(init) = &program.globals[global].init else { return gap("no initialiser") };
        let end = offset + u64::from(bytes);
        let size = |constant| program.types.store_size(program.consts.ty(constant));
        let first = init.relocs.partition_point(|&(at, constant)| at + size(constant) <= offset);
        let mut whole: Option<ExprId> = None;
        let mut at = offset;
        let mut append = |machine: &mut Self, low: ExprId| {
            whole = Some(match whole {
                None => low,
                Some(rest) => machine.smt.pool.concat(low, rest),
            });
        };
        for &(start, constant) in init.relocs[first..].iter().take_while(|&&(s, _)| s < end) {
            if matches!(program.consts.get(constant), Const::Undef | Const::Poison) {
                // Padding: the compiler writes zeros, as the plain bytes have them.
                continue;
            }
            if at < start {
                let plain = self.plain_bytes(&init.bytes, at, start);
                append(self, plain);
                at = start;
            }
            let Some(value) = self.constant(state, constant)?.bits() else {
                return gap("an initialiser that is an aggregate");
            };
            let stop = end.min(start + size(constant));
            let wide = self.smt.pool.zext(value, size(constant) as u32 * 8);
            let low = self.smt.pool.extract(wide, (at - start) as u32 * 8, (stop - at) as u32 * 8);
            append(self, low);
            at = stop;
        }
        if at < end {
            let plain = self.plain_bytes(&init.bytes, at, end);
            append(self, plain);
        }
        whole.map_or_else(|| gap("an access of no bytes"), Ok)
    }

    fn plain_bytes(&mut self, bytes: &[u8], from: u64, to: u64) -> ExprId {
        let byte = |i: u64| bytes.get(i as usize).copied().unwrap_or(0);
        let mut result = self.smt.pool.constant(u128::from(byte(from)), 8);
        for i in from + 1..to {
            let next = self.smt.pool.constant(u128::from(byte(i)), 8);
            result = self.smt.pool.concat(next, result);
        }
        result
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

    /// One object and one offset, or a gap: for what moves whole ranges.
    pub(super) fn single_target(
        &mut self,
        state: &mut State,
        pointer: ExprId,
        bytes: u64,
    ) -> Step<(Instance, u64)> {
        let targets = self.targets(state, pointer, bytes)?;
        match &targets[..] {
            [target] if self.stride(state, target.instance).is_some() => {
                gap("a range of an array of which one element is followed")
            }
            [target] => match self.smt.pool.as_const(target.offset) {
                Some(offset) => Ok((target.instance, offset as u64)),
                None => gap("a range of memory at an unknown offset"),
            },
            [] => gap("a range of memory outside its object"),
            _ => gap("a range of memory in one of several objects"),
        }
    }
}
