//! Functions without a body that the machine knows: inputs, memory, and those without an effect that
//! an assertion can see. Any other ends what is known about the path.

use super::address::{Base, Place};
use super::machine::{Machine, Source, Step, Stop, gap, object};
use super::memory::{Background, Life, Origin};
use super::state::State;
use super::value::Value;
use crate::ir::{FuncId, InstId, List, Operand, TypeId};
use crate::smt::ExprId;

/// Functions that only write to the outside, and return some number.
const OUTPUT: &[&str] = &[
    "printf",
    "fprintf",
    "puts",
    "putchar",
    "fputs",
    "fputc",
    "putc",
    "perror",
    "fflush",
    "vprintf",
    "vfprintf",
    "srand",
    "srandom",
    "sleep",
    "usleep",
    "__VERIFIER_print_hull",
];

/// Functions that end the program.
const ENDS: &[&str] = &[
    "abort",
    "exit",
    "_exit",
    "_Exit",
    "__assert_fail",
    "__assert",
    "__assert_rtn",
    "__VERIFIER_error",
    "reach_error",
    "quick_exit",
];

/// Functions whose result is any number, and that touch nothing.
const NUMBERS: &[&str] = &["rand", "random", "getpid", "clock"];

impl Machine<'_> {
    pub(super) fn external(
        &mut self,
        state: &mut State,
        at: InstId,
        func: FuncId,
        args: List<Operand>,
        result: Option<TypeId>,
    ) -> Step<()> {
        let program = self.program;
        let name = program.funcs[func].name.as_str();
        let value = match name {
            _ if name.starts_with("__VERIFIER_nondet_") => self.nondet(state, name, result)?,
            "__VERIFIER_assume" | "assume_abort_if_not" => {
                let cond = self.argument(state, args, 0)?;
                let zero = self.smt.pool.constant(0, self.smt.pool.width(cond));
                let holds = self.smt.pool.ne(cond, zero);
                self.assume(state, holds)?;
                None
            }
            // Their obligations were looked at before.
            "__VERIFIER_assert" | "svf_assert" | "svf_assert_eq" => None,
            _ if ENDS.contains(&name) => return Err(Stop::End),
            _ if OUTPUT.contains(&name) || NUMBERS.contains(&name) => match result {
                Some(ty) => Some(self.arbitrary(state, ty, Source::Input)?),
                None => None,
            },
            "malloc" | "__builtin_malloc" => {
                let size = self.argument(state, args, 0)?;
                Some(self.allocate(state, at, size, Background::Uninit))
            }
            "calloc" => {
                let (count, size) =
                    (self.argument(state, args, 0)?, self.argument(state, args, 1)?);
                let overflows = self.smt.pool.umul_overflow(count, size);
                if self.smt.pool.as_const(overflows) != Some(0) {
                    return gap("a calloc whose size may overflow");
                }
                let size = self.smt.pool.mul(count, size);
                Some(self.allocate(state, at, size, Background::Zero))
            }
            "realloc" => {
                let (old, size) = (self.argument(state, args, 0)?, self.argument(state, args, 1)?);
                Some(self.reallocate(state, at, old, size)?)
            }
            "free" => {
                let pointer = self.argument(state, args, 0)?;
                self.release(state, pointer)?;
                None
            }
            "memset" => {
                let (dst, byte) = (self.argument(state, args, 0)?, self.argument(state, args, 1)?);
                let len = self.argument(state, args, 2)?;
                self.fill_range(state, dst, byte, len)?;
                Some(Value::Bits(dst))
            }
            "memcpy" | "memmove" => {
                let (dst, src) = (self.argument(state, args, 0)?, self.argument(state, args, 1)?);
                let len = self.argument(state, args, 2)?;
                self.copy_range(state, dst, src, len)?;
                Some(Value::Bits(dst))
            }
            "abs" | "labs" | "llabs" => {
                let value = self.argument(state, args, 0)?;
                let zero = self.smt.pool.constant(0, self.smt.pool.width(value));
                let negative = self.smt.pool.slt(value, zero);
                let negated = self.smt.pool.neg(value);
                Some(Value::Bits(self.smt.pool.ite(negative, negated, value)))
            }
            _ => return gap(format!("the function `{name}`, which has no body")),
        };
        let call = self.program.insts[at];
        if let Some(wanted) = call.result.expand() {
            let ty = self.program.values[wanted].ty;
            let fits = |value: &Value| match value {
                Value::Bits(bits) => Some(self.smt.pool.width(*bits)) == self.scalar_bits(ty),
                Value::Parts(_) => true,
            };
            match value {
                Some(value) if fits(&value) => state.set(wanted, value),
                _ => return gap(format!("`{name}` declared with an unusual type")),
            }
        }
        Ok(())
    }

    fn argument(&mut self, state: &mut State, args: List<Operand>, index: usize) -> Step<ExprId> {
        match self.program.operands(args).get(index) {
            Some(&operand) => self.bits(state, operand),
            None => gap("a library function with too few arguments"),
        }
    }

    fn nondet(&mut self, state: &mut State, name: &str, ty: Option<TypeId>) -> Step<Option<Value>> {
        let Some(ty) = ty else { return Ok(None) };
        if self.is_pointer_type(ty) {
            return gap("an arbitrary pointer as input");
        }
        let value = self.arbitrary(state, ty, Source::Input)?;
        if name == "__VERIFIER_nondet_bool"
            && let Value::Bits(bits) = value
        {
            let width = self.smt.pool.width(bits);
            let one = self.smt.pool.constant(1, width);
            let is_bool = self.smt.pool.ule(bits, one);
            self.assume(state, is_bool)?;
        }
        Ok(Some(value))
    }

    fn allocate(
        &mut self,
        state: &mut State,
        at: InstId,
        size: ExprId,
        background: Background,
    ) -> Value {
        let size = self.smt.pool.resize(size, self.pointer_bits, false);
        let instance = state.memory.push(object(Origin::Heap(at), size, background));
        Value::Bits(self.address(instance))
    }

    /// `realloc`: a new object with what the old one held; the old one is gone.
    fn reallocate(
        &mut self,
        state: &mut State,
        at: InstId,
        old: ExprId,
        size: ExprId,
    ) -> Step<Value> {
        let Some(bytes) = self.smt.pool.as_const(size).filter(|&bytes| bytes > 0) else {
            return gap("a realloc to an unknown size or to nothing");
        };
        let new = self.allocate(state, at, size, Background::Uninit);
        if self.smt.pool.as_const(old) == Some(0) {
            return Ok(new);
        }
        let places = self.places(old);
        let [Place { base: Base::Object(instance), .. }] = places[..] else {
            return gap("a realloc of one of several objects");
        };
        let held = state.memory.get(instance).map(|object| object.size);
        let Some(held) = held.and_then(|held| self.smt.pool.as_const(held)) else {
            return gap("a realloc of an object of unknown size");
        };
        if let (Value::Bits(to), true) =
            (&new, state.memory.get(instance).is_some_and(|o| o.life == Life::Live))
        {
            let len = self.pointer_const(held.min(bytes) as u64);
            self.copy_range(state, *to, old, len)?;
        }
        self.release(state, old)?;
        Ok(new)
    }

    /// `free`: of null it is nothing, of anything but the start of a live heap object it is the end.
    fn release(&mut self, state: &mut State, pointer: ExprId) -> Step<()> {
        let places = self.places(pointer);
        let [place] = places[..] else { return gap("a free of one of several objects") };
        match place.base {
            Base::Object(instance) => {
                let at_start = self.smt.pool.as_const(place.offset) == Some(0);
                let Some(object) = state.memory.get_mut(instance) else { return Err(Stop::End) };
                let is_heap = matches!(object.origin, Origin::Heap(_));
                if !is_heap || !at_start || object.life != Life::Live {
                    return Err(Stop::End);
                }
                object.life = Life::Freed;
                object.cells.clear();
                Ok(())
            }
            Base::Number if self.smt.pool.as_const(place.offset) == Some(0) => Ok(()),
            Base::Number | Base::Junk => Err(Stop::End),
            Base::Mixed => gap("a free of a computed address"),
        }
    }

    /// What `main` is given: any number of arguments, and pointers we know nothing of.
    pub(super) fn main_argument(
        &mut self,
        state: &mut State,
        index: usize,
        ty: TypeId,
    ) -> Step<Value> {
        let value = self.arbitrary(state, ty, Source::Input)?;
        if let (0, Value::Bits(count)) = (index, &value) {
            // At least the program's name.
            let width = self.smt.pool.width(*count);
            let one = self.smt.pool.constant(1, width);
            let enough = self.smt.pool.sle(one, *count);
            self.assume(state, enough)?;
        }
        Ok(value)
    }
}
