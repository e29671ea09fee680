//! What moves or ends whole ranges of memory: copies, fills, lifetimes, variable arguments.

use super::machine::{Machine, Step, Stop, gap, object};
use super::memory::{Background, Cell, Instance, Life, Origin, Piece, part};
use super::state::State;
use super::stretch::Start;
use super::value::Value;
use crate::ir::{InstId, Operand};
use crate::smt::ExprId;

/// Ranges longer than this are not copied byte by byte.
const LONGEST: u64 = 1 << 20;

impl Machine<'_> {
    fn length(&mut self, len: ExprId) -> Step<u64> {
        match self.smt.pool.as_const(len) {
            Some(len) if len <= u128::from(LONGEST) => Ok(len as u64),
            Some(_) => gap("a copy of more than a megabyte"),
            None => gap("a copy of unknown length"),
        }
    }

    /// `memcpy` and `memmove`: what is copied is read before anything is written.
    pub(super) fn copy_range(
        &mut self,
        state: &mut State,
        dst: ExprId,
        src: ExprId,
        len: ExprId,
    ) -> Step<()> {
        let len = self.length(len)?;
        if len == 0 {
            return Ok(());
        }
        let (from, source) = self.range_target(state, src, len)?;
        let (to, target) = self.range_target(state, dst, len)?;
        let has_part = self.part(state, from).is_some();
        match (self.stride(state, to), self.stride(state, from)) {
            (_, Some(_)) if has_part => return gap("a copy of a struct with an array"),
            (Some(stride), other) => {
                self.note_write(state, to, true);
                for (at, len, is_array) in self.sides_of(state, to, target, len) {
                    let from = (from, source + (at - target));
                    match is_array {
                        true => self.ghost_copy(state, (to, at), stride, from, len)?,
                        false if other.is_some() => {
                            return gap("a copy of an array of which one element is followed");
                        }
                        false => self.copy_cells(state, (to, at), from, len)?,
                    }
                }
                return Ok(());
            }
            (None, Some(stride)) => {
                self.wish_like(state, to, stride);
                return gap("a copy of an array of which one element is followed");
            }
            (None, None) => {}
        }
        self.note_write(state, to, true);
        self.copy_cells(state, (to, target), (from, source), len)
    }

    fn copy_cells(
        &mut self,
        state: &mut State,
        (to, target): Start,
        (from, source): Start,
        len: u64,
    ) -> Step<()> {
        let cells = self.cells_of(state, from, source, len)?;
        let Some(object) = state.memory.get_mut(to) else { return gap("an object that is not") };
        object.clear(&mut self.smt.pool, target, len);
        for (at, cell) in cells {
            object.cells.insert(target + at, cell);
        }
        Ok(())
    }

    /// The content of a range as cells, relative to its start.
    fn cells_of(
        &mut self,
        state: &mut State,
        instance: Instance,
        offset: u64,
        len: u64,
    ) -> Step<Vec<(u64, Cell)>> {
        let Some(object) = state.memory.get(instance) else { return gap("an object that is not") };
        let mut cells = Vec::new();
        let mut at = 0;
        for piece in object.pieces(offset, len) {
            match piece {
                Piece::Of { cell, from, bytes } => {
                    let value = part(&mut self.smt.pool, cell, from, bytes);
                    cells.push((at, Cell { bytes, value }));
                    at += u64::from(bytes);
                }
                Piece::Background { offset, bytes } => {
                    // Words where they are aligned, so that pointers stay whole.
                    let (mut offset, end) = (offset, offset + u64::from(bytes));
                    while offset < end {
                        let word = u64::from(self.pointer_bits / 8);
                        let whole = offset % word == 0 && offset + word <= end;
                        let bytes = if whole { word } else { 1 };
                        let value = self.read(state, instance, offset, bytes, false)?;
                        cells.push((at, Cell { bytes: bytes as u32, value }));
                        at += bytes;
                        offset += bytes;
                    }
                }
            }
        }
        Ok(cells)
    }

    pub(super) fn fill_range(
        &mut self,
        state: &mut State,
        dst: ExprId,
        byte: ExprId,
        len: ExprId,
    ) -> Step<()> {
        let len = self.length(len)?;
        if len == 0 {
            return Ok(());
        }
        let (to, target) = self.range_target(state, dst, len)?;
        self.note_write(state, to, true);
        let byte = self.smt.pool.extract(byte, 0, 8);
        let size = state.memory.get(to).and_then(|object| self.smt.pool.as_const(object.size));
        let is_whole = target == 0 && size == Some(u128::from(len));
        // Zeros everywhere are zeros in the array, too.
        let is_cleared =
            is_whole && self.part(state, to).is_some() && self.smt.pool.as_const(byte) == Some(0);
        let Some(stride) = self.stride(state, to).filter(|_| !is_cleared) else {
            return self.fill_cells(state, (to, target), (byte, len));
        };
        for (at, len, is_array) in self.sides_of(state, to, target, len) {
            match is_array {
                true => self.ghost_fill(state, (to, at), stride, (byte, len))?,
                false => self.fill_cells(state, (to, at), (byte, len))?,
            }
        }
        Ok(())
    }

    fn fill_cells(
        &mut self,
        state: &mut State,
        (to, target): Start,
        (byte, len): (ExprId, u64),
    ) -> Step<()> {
        let Some(object) = state.memory.get_mut(to) else { return gap("an object that is not") };
        object.clear(&mut self.smt.pool, target, len);
        let is_whole = target == 0 && self.smt.pool.as_const(object.size) == Some(u128::from(len));
        if is_whole && self.smt.pool.as_const(byte) == Some(0) {
            object.background = Background::Zero;
            return Ok(());
        }
        for at in target..target + len {
            object.cells.insert(at, Cell { bytes: 1, value: byte });
        }
        Ok(())
    }

    /// Something is written. What cannot be, such as a literal, is all the same: a real machine would stop there.
    pub(super) fn note_write(&self, state: &mut State, instance: Instance, is_sure: bool) {
        if let Some(Origin::Global(global)) = state.memory.get(instance).map(|object| object.origin)
            && self.program.globals[global].constant
            && is_sure
        {
            state.doubt("what a write to a constant does");
        }
    }

    /// A variable's life begins anew or ends.
    pub(super) fn rebirth(&mut self, state: &mut State, which: Operand, life: Life) -> Step<()> {
        let pointer = self.bits(state, which)?;
        let places = self.places(pointer);
        let [place] = places[..] else { return gap("the lifetime of one of several objects") };
        let super::address::Base::Object(instance) = place.base else {
            return gap("the lifetime of no object");
        };
        if life == Life::Live {
            self.entered_again(state, which, instance);
        }
        if let Some(object) = state.memory.get_mut(instance) {
            object.renew(life);
            self.lives_again(instance);
        }
        Ok(())
    }

    /// Ends the locals of the running function after the first `keep`.
    pub(super) fn end_locals(&mut self, state: &mut State, keep: usize) {
        let Some(frame) = state.top_mut() else { return };
        let ended = frame.locals.split_off(keep.min(frame.locals.len()));
        for instance in ended {
            if let Some(object) = state.memory.get_mut(instance) {
                object.renew(Life::Ended);
            }
        }
    }

    /// As the head of `ir` says: all extra arguments lie in one area, the registers are used up.
    pub(super) fn va_start(&mut self, state: &mut State, at: InstId, list: ExprId) -> Step<()> {
        let Some(frame) = state.top() else { return Err(Stop::End) };
        if frame.call.is_none() && self.given.is_some() {
            return gap("the variable arguments that the caller gives");
        }
        let args: Vec<Value> = frame.varargs.iter().cloned().collect();
        let slot = u64::from(self.pointer_bits / 8);
        let mut cells = Vec::new();
        let mut end = 0u64;
        for arg in &args {
            let Value::Bits(value) = arg else { return gap("a struct among variable arguments") };
            let bytes = u64::from(self.smt.pool.width(*value).div_ceil(8));
            // The 32-bit convention aligns no argument to more than a word.
            if bytes > 8 && slot == 8 {
                end = end.next_multiple_of(16);
            }
            let bytes = bytes.next_multiple_of(slot);
            let wide = self.smt.pool.zext(*value, bytes as u32 * 8);
            cells.push((end, Cell { bytes: bytes as u32, value: wide }));
            end += bytes;
        }
        let size = self.pointer_const(end);
        let mut area = object(Origin::Varargs(at), size, Background::Uninit);
        area.cells = cells.into_iter().collect();
        let instance = state.memory.push(area);
        if let Some(frame) = state.top_mut() {
            frame.locals.push_back(instance);
        }
        let area = self.address(instance);
        if self.pointer_bits == 32 {
            return self.store_bits(state, list, 4, area);
        }
        let used = self.smt.pool.constant(48, 32);
        let float_used = self.smt.pool.constant(176, 32);
        let none = self.pointer_const(0);
        self.store_bits(state, list, 4, used)?;
        let at = self.shifted(list, 4);
        self.store_bits(state, at, 4, float_used)?;
        let at = self.shifted(list, 8);
        self.store_bits(state, at, 8, area)?;
        let at = self.shifted(list, 16);
        self.store_bits(state, at, 8, none)
    }
}
