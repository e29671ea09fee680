//! Functions without a body that the machine knows: inputs, memory, and those without an effect that
//! an assertion can see. Any other ends what is known about the path.

mod heap;
mod input;
mod outside;
mod results;
mod signals;

pub(super) use outside::what_it_does;
pub(super) use results::returns;

use super::machine::{Machine, Source, Step, Stop, gap};
use super::memory::Origin;
use super::state::State;
use super::step::Flow;
use super::value::Value;
use crate::ir::{FuncId, InstId, List, Operand, TypeId};
use crate::library::{accesses, summaries};
use crate::smt::{ExprId, Op};

/// Functions that return a stream or null.
const STREAMS: &[&str] = &["fopen", "fopen64", "fdopen", "popen", "freopen"];

/// Functions that end the program.
const ENDS: &[&str] = &[
    "abort",
    "_exit",
    "_Exit",
    "__assert_fail",
    "__assert",
    "__assert_rtn",
    "__VERIFIER_error",
    "reach_error",
    "quick_exit",
];

/// Functions that return nothing.
const NOTHING: &[&str] = &["__VERIFIER_assume", "assume_abort_if_not", "__VERIFIER_assert", "free"];

/// Whether a function gives an input because of its name.
pub(super) fn is_nondet(name: &str) -> bool {
    name.starts_with("__VERIFIER_nondet_") || name.starts_with("nondet_")
}

/// What a function does that touches no memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Effect {
    None,
    /// Its result is an input.
    Input,
}

/// The effect of a function without a body, if it touches no memory and runs nothing.
pub(super) fn effect(name: &str) -> Option<Effect> {
    if is_nondet(name) || results::is_asked(name) {
        return Some(Effect::Input);
    }
    let is_silent = ENDS.contains(&name)
        || matches!(name, "__VERIFIER_assume" | "assume_abort_if_not" | "__VERIFIER_assert")
        || matches!(name, "svf_assert" | "svf_assert_eq");
    is_silent.then_some(Effect::None)
}

fn is_allocation(name: &str) -> bool {
    matches!(name, "malloc" | "__builtin_malloc" | "calloc" | "realloc" | "valloc")
        || matches!(name, "aligned_alloc" | "memalign")
}

/// Functions of the C library that paths end at: what they do to where control goes, to memory or to arithmetic is not
/// modelled.
const LEFT: &[&str] = &[
    "longjmp",
    "_longjmp",
    "siglongjmp",
    "setjmp",
    "_setjmp",
    "sigsetjmp",
    "fork",
    "vfork",
    "pthread_create",
    "on_exit",
    "at_quick_exit",
    "reallocarray",
    "tmpfile",
    "div",
    "ldiv",
    "lldiv",
    "imaxdiv",
    "fesetround",
    "fesetenv",
    "feupdateenv",
    "feenableexcept",
    // They write later to what they are given.
    "fmemopen",
    "open_memstream",
    "open_wmemstream",
    "aio_read",
];

/// Further functions that are known by name, see [`Machine::external`].
const NAMED: &[&str] = &[
    "svf_assert",
    "svf_assert_eq",
    "exit",
    "atexit",
    "cfree",
    "strlen",
    "wcslen",
    "getenv",
    "secure_getenv",
    "memset",
    "__memset_chk",
    "memcpy",
    "memmove",
    "__memcpy_chk",
    "__memmove_chk",
    "abs",
    "labs",
    "llabs",
    "imaxabs",
    "alloca",
    "__builtin_alloca",
    "putenv",
    "setbuf",
    "setvbuf",
    "setbuffer",
];

/// Whether nothing has to be assumed of a function without a body: it is known, or paths end at it.
pub fn is_known(name: &str) -> bool {
    let lists = [STREAMS, ENDS, NOTHING, NAMED, LEFT, signals::HANDLERS];
    let prefixes = ["__VERIFIER_", "nondet_", "__cegas_"];
    lists.iter().any(|list| list.contains(&name))
        || prefixes.iter().any(|prefix| name.starts_with(prefix))
        || is_allocation(name)
        || is_in(accesses::SCANS, name)
        || is_in(accesses::TEXT_SCANS, name)
        || returns(name).is_some()
        || summaries::calls_back(name)
}

fn is_in(table: &[(&str, usize)], name: &str) -> bool {
    table.iter().any(|(known, _)| *known == name)
}

impl Machine<'_> {
    pub(super) fn external(
        &mut self,
        state: &mut State,
        at: InstId,
        func: FuncId,
        args: List<Operand>,
        result: Option<TypeId>,
    ) -> Step<Flow> {
        let program = self.program;
        let name = program.funcs[func].name.as_str();
        let value = match name {
            _ if is_nondet(name) => self.nondet(state, name, result)?,
            _ if self.allocates_unseen(state, name, args)? => {
                return gap(format!("the memory that `{name}` allocates"));
            }
            "__VERIFIER_assume" | "assume_abort_if_not" => {
                let cond = self.argument(state, args, 0)?;
                let zero = self.smt.pool.constant(0, self.smt.pool.width(cond));
                let holds = self.smt.pool.ne(cond, zero);
                self.assume(state, holds)?;
                None
            }
            // Their obligations were looked at before.
            "__VERIFIER_assert" | "svf_assert" | "svf_assert_eq" => None,
            "exit" => return self.exit(state),
            "atexit" => Some(self.at_exit(state, args)?),
            _ if ENDS.contains(&name) => return Err(Stop::Exit),
            _ if is_in(accesses::SCANS, name) || is_in(accesses::TEXT_SCANS, name) => {
                Some(self.scan(state, name, args, result)?)
            }
            _ if STREAMS.contains(&name) => Some(self.stream(state)),
            // It writes whose call it is.
            "accept" if self.is_given_buffer(state, args)? => {
                self.unknown_function(state, func, args, result)?
            }
            _ if let Some(returns) = returns(name) => {
                if is_in(accesses::PRINTS, name) {
                    self.print(name, args)?;
                }
                if accesses::CLOSES.contains(&name) {
                    self.close(state, args)?;
                }
                self.returned(state, returns, args, result)?
            }
            _ if is_allocation(name) => {
                self.settle_sizes(state, name, args)?;
                return self.allocation(state, at, name == "realloc");
            }
            "free" | "cfree" => {
                self.tell_apart(state, args, 0)?;
                let pointer = self.argument(state, args, 0)?;
                self.release(state, pointer)?;
                None
            }
            "strlen" | "wcslen" => {
                let unit = if name == "strlen" { 1 } else { 4 };
                self.tell_apart(state, args, 0)?;
                let text = self.argument(state, args, 0)?;
                Some(Value::Bits(self.text_length(state, text, unit)?))
            }
            "getenv" | "secure_getenv" => Some(self.some_text(state)?),
            "__cegas_is_number" => {
                let text = self.argument(state, args, 0)?;
                Some(self.is_number(state, text))
            }
            "__cegas_number" => {
                let text = self.argument(state, args, 0)?;
                Some(self.number(state, text)?)
            }
            // Said of inputs only when a violation is looked for: until then they count as unread.
            "__cegas_assume_later" => {
                let cond = self.argument(state, args, 0)?;
                let zero = self.smt.pool.constant(0, self.smt.pool.width(cond));
                let holds = self.smt.pool.ne(cond, zero);
                if self.smt.pool.as_const(holds).is_none() {
                    state.deferred.push_back(holds);
                }
                None
            }
            "__cegas_gap" => return gap("a conversion of a format"),
            "memset" | "__memset_chk" => {
                if let [dst, _, len, ..] = *program.operands(args) {
                    self.settle_range(state, &[dst], len)?;
                }
                let (dst, byte) = (self.argument(state, args, 0)?, self.argument(state, args, 1)?);
                let len = self.argument(state, args, 2)?;
                self.fill_range(state, dst, byte, len)?;
                Some(Value::Bits(dst))
            }
            "memcpy" | "memmove" | "__memcpy_chk" | "__memmove_chk" => {
                if let [dst, src, len, ..] = *program.operands(args) {
                    self.settle_range(state, &[dst, src], len)?;
                }
                let (dst, src) = (self.argument(state, args, 0)?, self.argument(state, args, 1)?);
                let len = self.argument(state, args, 2)?;
                self.copy_range(state, dst, src, len)?;
                Some(Value::Bits(dst))
            }
            "abs" | "labs" | "llabs" | "imaxabs" => {
                let value = self.argument(state, args, 0)?;
                let zero = self.smt.pool.constant(0, self.smt.pool.width(value));
                let negative = self.smt.pool.slt(value, zero);
                let negated = self.smt.pool.neg(value);
                Some(Value::Bits(self.smt.pool.ite(negative, negated, value)))
            }
            "alloca" | "__builtin_alloca" => {
                let size = self.argument(state, args, 0)?;
                Some(self.local(state, at, size))
            }
            _ if LEFT.contains(&name) => return gap(format!("the function `{name}`")),
            "putenv" => return gap("what the environment keeps"),
            "setbuf" | "setvbuf" | "setbuffer" if self.is_given_buffer(state, args)? => {
                return gap("a buffer that a stream keeps");
            }
            _ if signals::HANDLERS.contains(&name) => self.handler(state, name, args, result)?,
            _ if summaries::calls_back(name) => return gap(format!("the function `{name}`")),
            _ if program.funcs[func].attrs.noreturn => return Err(Stop::Exit),
            // One that the user calls an assertion.
            _ if self.marks.asserts(at) => match result {
                Some(ty) => Some(self.arbitrary(state, ty, Source::Unspecified)?),
                None => None,
            },
            _ => self.unknown_function(state, func, args, result)?,
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
                // Undeclared, such a function is said to return a number, which nobody uses.
                None if NOTHING.contains(&name) => {
                    let unset = self.arbitrary(state, ty, Source::Unspecified)?;
                    state.set(wanted, unset);
                }
                _ => return gap(format!("`{name}` declared with an unusual type")),
            }
        }
        Ok(Flow::Next)
    }

    /// `exit`: what was registered runs, and nothing else.
    fn exit(&mut self, state: &mut State) -> Step<Flow> {
        if state.closing.is_empty() {
            return Err(Stop::Exit);
        }
        if self.marks.kept.is_some() {
            state.doubt("what the functions that `exit` leaves still held");
        }
        state.frames.clear();
        state.pending.clear();
        Ok(Flow::Stay)
    }

    fn at_exit(&mut self, state: &mut State, args: List<Operand>) -> Step<Value> {
        let handler = self.argument(state, args, 0)?;
        let node = self.smt.pool.node(handler);
        let instance = (node.op == Op::Var).then(|| self.instance_of(node.var())).flatten();
        match instance.and_then(|instance| state.memory.get(instance)).map(|object| object.origin) {
            Some(Origin::Func(func)) => state.closing.push_back(func),
            _ => return gap("`atexit` with one of several functions"),
        }
        Ok(Value::Bits(self.smt.pool.constant(0, 32)))
    }

    /// Whether the second argument is anything but null.
    fn is_given_buffer(&mut self, state: &mut State, args: List<Operand>) -> Step<bool> {
        let buffer = self.argument(state, args, 1)?;
        Ok(self.smt.pool.as_const(buffer) != Some(0))
    }

    /// An argument that is one of several objects: the execution is followed for each.
    fn tell_apart(&mut self, state: &mut State, args: List<Operand>, index: usize) -> Step<()> {
        let Some(&Operand::Value(value)) = self.program.operands(args).get(index) else {
            return Ok(());
        };
        self.split(state, value)
    }

    pub(super) fn argument(
        &mut self,
        state: &mut State,
        args: List<Operand>,
        index: usize,
    ) -> Step<ExprId> {
        match self.program.operands(args).get(index) {
            Some(&operand) => self.bits(state, operand),
            None => gap("a library function with too few arguments"),
        }
    }

    fn nondet(&mut self, state: &mut State, name: &str, ty: Option<TypeId>) -> Step<Option<Value>> {
        let Some(ty) = ty else { return Ok(None) };
        let value = self.arbitrary(state, ty, Source::Input)?;
        if name.ends_with("nondet_bool")
            && let Value::Bits(bits) = value
        {
            let width = self.smt.pool.width(bits);
            let one = self.smt.pool.constant(1, width);
            let is_bool = self.smt.pool.ule(bits, one);
            self.assume(state, is_bool)?;
        }
        Ok(Some(value))
    }
}
