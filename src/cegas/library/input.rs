//! What comes from outside: arguments, the environment, numbers and lines that are read.

use crate::cegas::address::Base;
use crate::cegas::machine::{Machine, Source, Step, gap, object};
use crate::cegas::memory::{Background, Life, Origin};
use crate::cegas::state::State;
use crate::cegas::value::Value;
use crate::ir::{List, Operand, TypeId};
use crate::library::accesses;
use crate::library::format::Use;
use crate::smt::{ExprId, Op, VarId};

/// A text from outside is at most this long: what the system lets a program be given.
const LONGEST: u64 = 1 << 17;

/// More arguments do not fit: Linux gives them six megabytes at most, and each takes a pointer and its end.
const MOST_ARGUMENTS: u64 = 1 << 20;

impl Machine<'_> {
    /// What `main` is given: the number of arguments, the arguments, and pointers we know nothing of.
    pub(in crate::cegas) fn main_argument(
        &mut self,
        state: &mut State,
        before: &[Value],
        ty: TypeId,
    ) -> Step<Value> {
        match before {
            [] => {
                let value = self.arbitrary(state, ty, Source::Input)?;
                if let Value::Bits(count) = value {
                    // At least the program's name.
                    let width = self.smt.pool.width(count);
                    let one = self.smt.pool.constant(1, width);
                    let most = self.smt.pool.constant(u128::from(MOST_ARGUMENTS), width);
                    let enough = self.smt.pool.sle(one, count);
                    let not_too_many = self.smt.pool.sle(count, most);
                    self.assume(state, enough)?;
                    self.assume(state, not_too_many)?;
                }
                Ok(value)
            }
            [Value::Bits(count)] if self.is_pointer_type(ty) => {
                let count = self.smt.pool.resize(*count, self.pointer_bits, true);
                let one = self.pointer_const(1);
                let slots = self.smt.pool.add(count, one);
                let width = self.pointer_const(u64::from(self.pointer_bits / 8));
                let size = self.smt.pool.mul(slots, width);
                let made = object(Origin::Argument, size, Background::Arguments { count });
                let instance = state.memory.push(made);
                Ok(Value::Bits(self.address(instance)))
            }
            _ => self.arbitrary(state, ty, Source::Input),
        }
    }

    /// A text of any length and content.
    pub(in crate::cegas) fn text(&mut self, state: &mut State) -> Step<ExprId> {
        self.text_from(state, Origin::Argument)
    }

    /// The same from somebody.
    pub(in crate::cegas) fn text_from(
        &mut self,
        state: &mut State,
        origin: Origin,
    ) -> Step<ExprId> {
        let size = self.fresh(state, self.pointer_bits, Source::Input);
        let one = self.pointer_const(1);
        let most = self.pointer_const(LONGEST);
        let has_end = self.smt.pool.ule(one, size);
        let is_short = self.smt.pool.ule(size, most);
        self.assume(state, has_end)?;
        self.assume(state, is_short)?;
        let instance = state.memory.push(object(origin, size, Background::Text));
        Ok(self.address(instance))
    }

    /// A text from outside, or null.
    pub(super) fn some_text(&mut self, state: &mut State) -> Step<Value> {
        let text = self.text(state)?;
        let exists = self.fresh(state, 1, Source::Input);
        let null = self.pointer_const(0);
        Ok(Value::Bits(self.smt.pool.ite(exists, text, null)))
    }

    /// An open stream, or null. Nobody looks into it.
    pub(super) fn stream(&mut self, state: &mut State) -> Value {
        let size = self.pointer_const(1);
        let made = object(Origin::Argument, size, Background::Outside);
        let instance = state.memory.push(made);
        let stream = self.address(instance);
        let is_open = self.fresh(state, 1, Source::Input);
        let null = self.pointer_const(0);
        Value::Bits(self.smt.pool.ite(is_open, stream, null))
    }

    /// A stream is closed: it is no longer there. One of another's making is left as it is.
    pub(super) fn close(&mut self, state: &mut State, args: List<Operand>) -> Step<()> {
        self.tell_apart(state, args, 0)?;
        let stream = self.argument(state, args, 0)?;
        for place in self.places(stream) {
            let instance = match place.base {
                Base::Object(instance) => instance,
                Base::Number if self.smt.pool.as_const(place.offset).is_none() => {
                    return gap("a stream that is not known");
                }
                Base::Number | Base::Junk | Base::Mixed => continue,
            };
            if let Some(object) = state.memory.get_mut(instance)
                && matches!(object.origin, Origin::Argument | Origin::Given(_))
            {
                object.life = Life::Ended;
            }
        }
        Ok(())
    }

    /// The number of characters before the first zero.
    pub(super) fn text_length(
        &mut self,
        state: &mut State,
        text: ExprId,
        unit: u64,
    ) -> Step<ExprId> {
        let (instance, start) = self.single_target(state, text, unit)?;
        let Some(object) = state.memory.get(instance) else { return gap("an object that is not") };
        let size = object.size;
        if unit == 1 && self.is_untouched_text(state, instance) {
            let before = self.pointer_const(start.saturating_add(1));
            return Ok(self.smt.pool.sub(size, before));
        }
        let Some(size) = self.smt.pool.as_const(size) else {
            return gap("the length of a text in an object of unknown size");
        };
        let mut ends = Vec::new();
        let mut at = start;
        let mut is_ended = false;
        while !is_ended && at + unit <= size as u64 {
            let character = self.read(state, instance, at, unit, false)?;
            let zero = self.smt.pool.constant(0, self.smt.pool.width(character));
            let here = self.smt.pool.eq(character, zero);
            is_ended = self.smt.pool.as_const(here) == Some(1);
            ends.push(here);
            at += unit;
        }
        if !is_ended && self.is_open(state, instance) {
            return gap("the length of a text that the caller gives");
        }
        let mut length = self.pointer_const(ends.len() as u64);
        let mut has_end = self.smt.pool.bool(false);
        for (index, here) in ends.into_iter().enumerate().rev() {
            let index = self.pointer_const(index as u64);
            length = self.smt.pool.ite(here, index, length);
            has_end = self.smt.pool.or(here, has_end);
        }
        self.assume(state, has_end)?;
        Ok(length)
    }

    /// Whether a text is input that nobody has looked at yet: then it may be any number, and need not be
    /// taken apart character by character.
    pub(super) fn is_number(&mut self, state: &State, text: ExprId) -> Value {
        let is_number = self.unread(state, text).is_some();
        Value::Bits(self.smt.pool.constant(u128::from(is_number), 32))
    }

    /// The unread characters at `text` up to the end, or the size of a text from outside.
    fn unread(&mut self, state: &State, text: ExprId) -> Option<(Vec<VarId>, Option<u32>)> {
        let places = self.places(text);
        let [place] = places[..] else { return None };
        let Base::Object(instance) = place.base else { return None };
        let start = self.smt.pool.as_const(place.offset)? as u64;
        if self.stride(state, instance).is_some() {
            return None;
        }
        let object = state.memory.get(instance).filter(|object| object.life == Life::Live)?;
        let seen = self.smt.pool.free_vars(&state.assumed.iter().copied().collect::<Vec<_>>());
        let is_unread = |var: &VarId| {
            seen.binary_search(var).is_err()
                && !state.uncertain.contains(var)
                && matches!(self.source_of(*var), Some((_, Source::Input)))
        };
        let var_of = |e: ExprId| {
            let node = self.smt.pool.node(e);
            (node.op == Op::Var).then(|| node.var())
        };
        if object.background == Background::Text {
            let is_fresh = start == 0 && object.cells.is_empty();
            return var_of(object.size).filter(|_| is_fresh).map(|size| (vec![size], None));
        }
        let size = self.smt.pool.as_const(object.size)? as u64;
        let mut vars = Vec::new();
        for at in start..size {
            let cell = object.cells.get(&at).filter(|cell| cell.bytes == 1)?;
            if self.smt.pool.as_const(cell.value) == Some(0) {
                let count = vars.len() as u32;
                return (count > 0).then_some((vars, Some(count)));
            }
            vars.push(var_of(cell.value).filter(is_unread)?);
        }
        None
    }

    /// The number that unread input spells. Its characters are used up: what depends on them and on
    /// the number is in doubt.
    pub(super) fn number(&mut self, state: &mut State, text: ExprId) -> Step<Value> {
        let Some((vars, characters)) = self.unread(state, text) else {
            return gap("a number in a text that was looked at");
        };
        state.uncertain.extend(vars);
        let number = self.fresh(state, self.pointer_bits, Source::Input);
        // With `n` characters: n digits, or a sign and n - 1 of them.
        let digits = characters.filter(|&n| n <= 9 || (n <= 18 && self.pointer_bits == 64));
        if let Some(n) = digits {
            let high = self.pointer_const(10u64.pow(n) - 1);
            let low = self.pointer_const(1u64.wrapping_sub(10u64.pow(n - 1)));
            let below = self.smt.pool.sle(number, high);
            let above = self.smt.pool.sle(low, number);
            self.assume(state, below)?;
            self.assume(state, above)?;
        }
        Ok(Value::Bits(number))
    }

    /// `printf` and its like only write to the outside, but read what the format says.
    pub(super) fn print(&mut self, name: &str, args: List<Operand>) -> Step<()> {
        let operands = self.program.operands(args);
        match accesses::formatted(self.program, name, operands) {
            // It may write through any pointer that it is given.
            None if operands.iter().skip(1).any(|&arg| self.program.is_pointer(arg)) => {
                gap(format!("the format of a call of `{name}`"))
            }
            Some((_, uses)) if uses.iter().any(|used| matches!(used, Use::Number { .. })) => {
                gap("a number written by `%n`")
            }
            _ => Ok(()),
        }
    }

    /// `scanf` and its like: some of the arguments, from the first on, are given values.
    pub(super) fn scan(
        &mut self,
        state: &mut State,
        name: &str,
        args: List<Operand>,
        result: Option<TypeId>,
    ) -> Step<Value> {
        let operands = self.program.operands(args);
        let Some((index, uses)) = accesses::formatted(self.program, name, operands) else {
            return gap(format!("the format of a call of `{name}`"));
        };
        let Some(ty) = result else { return gap("a scanf without a result") };
        let Some(count) = self.arbitrary(state, ty, Source::Input)?.bits() else {
            return gap("a scanf without a result");
        };
        // What a text of the program says is not any number.
        let is_inner = accesses::TEXT_SCANS.iter().any(|(known, _)| *known == name);
        if is_inner {
            state.uncertain.extend(self.smt.pool.free_vars(&[count]));
        }
        let width = self.smt.pool.width(count);
        let least = self.smt.pool.constant(crate::smt::value::mask(width), width);
        let most = self.smt.pool.constant(uses.len() as u128, width);
        let above = self.smt.pool.sle(least, count);
        let below = self.smt.pool.sle(count, most);
        self.assume(state, above)?;
        self.assume(state, below)?;
        for (number, used) in uses.into_iter().enumerate() {
            let Some(&target) = operands.get(index + 1 + number) else {
                return gap("a scanf with too few arguments");
            };
            let target = self.bits(state, target)?;
            let number = self.smt.pool.constant(number as u128, width);
            let is_read = self.smt.pool.slt(number, count);
            let bytes = match used {
                Use::Number { bytes, .. } => bytes,
                Use::Characters { count, .. } if count <= 16 => count,
                Use::Value | Use::Text { .. } | Use::Part => return gap("a format of `printf`"),
                Use::Line { .. } | Use::Characters { .. } => {
                    return gap("a text read by a format");
                }
            };
            let old = self.load_bits(state, target, bytes, false)?;
            let input = self.fresh(state, bytes as u32 * 8, Source::Input);
            let is_few =
                matches!(used, Use::Number { few: true, .. } | Use::Characters { few: true, .. });
            if is_inner || is_few {
                state.uncertain.extend(self.smt.pool.free_vars(&[input]));
            }
            let new = self.smt.pool.ite(is_read, input, old);
            self.store_bits(state, target, bytes, new)?;
        }
        Ok(Value::Bits(count))
    }
}
