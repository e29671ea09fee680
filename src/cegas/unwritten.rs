//! What lies in memory where nothing was written: zeros, an initialiser, what somebody outside has put there.

use super::machine::{Machine, Source, Step, gap};
use super::memory::{Background, Instance, Origin};
use super::state::State;
use crate::ir::{Const, GlobalId};
use crate::smt::ExprId;

impl Machine<'_> {
    pub(super) fn background(
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
}
