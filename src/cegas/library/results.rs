//! What functions return that only act on the outside, or ask it for a number.
//!
//! Invariant: whatever a real call can return is said here; and what is said here can be returned by a real call, unless it
//! is uncertain: then nothing is called violated that depends on it.

use crate::cegas::machine::{Machine, Source, Step};
use crate::cegas::state::State;
use crate::cegas::value::Value;
use crate::ir::{List, Operand, TypeId};
use crate::library::accesses;

/// The numbers that a function returns, if it returns any.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::cegas) enum Returns {
    Any,
    Between(i64, i64),
    AtLeast(i64),
    /// No more than the argument says, without a sign.
    UpTo(usize),
    /// The same, or -1 for a failure.
    DoneUpTo(usize),
    /// The argument as a character, or that it failed.
    Written(usize),
    /// Something that follows from what nobody looks at here.
    Uncertain,
    /// The same, a number of so many bits and not less than this.
    Vague(u32, i64),
}

use Returns::{Any, AtLeast, Between, DoneUpTo, Uncertain, UpTo, Vague, Written};

/// 0, or -1 for a failure.
const DONE: Returns = Between(-1, 0);

const NATURAL: Returns = Between(0, i32::MAX as i64);

/// Functions that only act on the outside. Descriptors and process numbers are as Linux has them.
const ACTS: &[(&str, Returns)] = &[
    ("putchar", Written(0)),
    ("fputc", Written(0)),
    ("putc", Written(0)),
    ("putwchar", Uncertain),
    ("puts", AtLeast(-1)),
    ("fputs", AtLeast(-1)),
    ("fputws", AtLeast(-1)),
    ("perror", Any),
    ("fflush", DONE),
    ("vprintf", Uncertain),
    ("vfprintf", Uncertain),
    ("srand", Any),
    ("srandom", Any),
    ("srand48", Any),
    ("sleep", UpTo(0)),
    ("usleep", DONE),
    ("fclose", DONE),
    ("pclose", Any),
    ("close", DONE),
    ("remove", DONE),
    ("unlink", DONE),
    ("fwrite", UpTo(2)),
    ("write", DoneUpTo(2)),
    ("send", DoneUpTo(2)),
    ("bind", DONE),
    ("connect", DONE),
    ("listen", DONE),
    ("socket", AtLeast(-1)),
    ("accept", AtLeast(-1)),
    ("inet_addr", Uncertain),
    ("open", AtLeast(-1)),
    ("fileno", AtLeast(-1)),
    ("ferror", Vague(1, 0)),
    ("feof", Vague(1, 0)),
    ("clearerr", Any),
    ("rewind", Any),
    ("fseek", DONE),
    ("shutdown", DONE),
    ("setsockopt", DONE),
    ("getuid", Uncertain),
    ("geteuid", Uncertain),
    ("isatty", Between(0, 1)),
    ("system", Any),
    ("alarm", Uncertain),
    ("closelog", Any),
    ("openlog", Any),
    ("__VERIFIER_print_hull", Any),
];

/// Functions that only ask the outside for a number.
const ASKS: &[(&str, Returns)] = &[
    ("getchar", Between(-1, 255)),
    ("fgetc", Between(-1, 255)),
    ("getc", Between(-1, 255)),
    ("getwchar", Uncertain),
    ("fgetwc", Uncertain),
    ("clock", Uncertain),
    ("rand", NATURAL),
    ("random", NATURAL),
    ("lrand48", NATURAL),
    ("mrand48", Between(i32::MIN as i64, i32::MAX as i64)),
    ("getpid", Vague(22, 1)),
    // For models: what they do not say.
    ("__cegas_unknown_int", Uncertain),
    ("__cegas_unknown_long", Uncertain),
];

/// What a function returns that touches no memory but what it reads to tell the outside.
pub(in crate::cegas) fn returns(name: &str) -> Option<Returns> {
    let in_table = |table: &[(&str, Returns)]| {
        table.iter().find(|(known, _)| *known == name).map(|&(_, returns)| returns)
    };
    let counts = || accesses::PRINTS.iter().any(|(known, _)| *known == name).then_some(Uncertain);
    in_table(ACTS).or_else(|| in_table(ASKS)).or_else(counts)
}

/// Whether all that a function does is to return something from outside.
pub(in crate::cegas) fn is_asked(name: &str) -> bool {
    ASKS.iter().any(|(known, _)| *known == name)
}

impl Returns {
    /// Whether a number is among them, by the arguments of the call.
    pub(in crate::cegas) fn allows(self, value: i64, args: &[u64]) -> bool {
        match self {
            Any | Uncertain => true,
            Vague(bits, least) => (least..1 << bits).contains(&value),
            Between(least, most) => (least..=most).contains(&value),
            AtLeast(least) => least <= value,
            UpTo(arg) => args.get(arg).is_some_and(|&most| value as u64 <= most),
            DoneUpTo(arg) => {
                value == -1 || value >= 0 && args.get(arg).is_some_and(|&most| value as u64 <= most)
            }
            Written(arg) => {
                value == -1 || args.get(arg).is_some_and(|&given| value == i64::from(given as u8))
            }
        }
    }
}

impl Machine<'_> {
    /// A number that such a function returns.
    pub(super) fn returned(
        &mut self,
        state: &mut State,
        returns: Returns,
        args: List<Operand>,
        ty: Option<TypeId>,
    ) -> Step<Option<Value>> {
        let Some(ty) = ty else { return Ok(None) };
        let value = self.arbitrary(state, ty, Source::Input)?;
        let Value::Bits(bits) = value else { return Ok(Some(value)) };
        let width = self.smt.pool.width(bits);
        let number = |machine: &mut Self, n: i64| {
            machine.smt.pool.constant(n as u128 & crate::smt::value::mask(width), width)
        };
        match returns {
            Any => {}
            // Nothing is assumed of it: every violation behind that would depend on it.
            Uncertain => state.uncertain.extend(self.smt.pool.free_vars(&[bits])),
            Vague(few, least) => {
                state.uncertain.extend(self.smt.pool.free_vars(&[bits]));
                let few = self.smt.pool.extract(bits, 0, few.min(width));
                let few = self.smt.pool.resize(few, width, false);
                let least = number(self, least);
                let is_less = self.smt.pool.slt(few, least);
                return Ok(Some(Value::Bits(self.smt.pool.ite(is_less, least, few))));
            }
            Between(least, most) => {
                let (least, most) = (number(self, least), number(self, most));
                let above = self.smt.pool.sle(least, bits);
                let below = self.smt.pool.sle(bits, most);
                self.assume(state, above)?;
                self.assume(state, below)?;
            }
            AtLeast(least) => {
                let least = number(self, least);
                let holds = self.smt.pool.sle(least, bits);
                self.assume(state, holds)?;
            }
            UpTo(arg) | DoneUpTo(arg) => {
                let most = self.argument(state, args, arg)?;
                let most = self.smt.pool.resize(most, width, false);
                // A size may be larger than any signed number.
                let mut holds = self.smt.pool.ule(bits, most);
                if let DoneUpTo(_) = returns {
                    let (zero, failed) = (number(self, 0), number(self, -1));
                    let natural = self.smt.pool.sle(zero, bits);
                    let failed = self.smt.pool.eq(bits, failed);
                    let done = self.smt.pool.and(natural, holds);
                    holds = self.smt.pool.or(failed, done);
                }
                self.assume(state, holds)?;
            }
            Written(arg) => {
                let given = self.argument(state, args, arg)?;
                let given = self.smt.pool.resize(given, 8, false);
                let given = self.smt.pool.resize(given, width, false);
                let failed = number(self, -1);
                let failed = self.smt.pool.eq(bits, failed);
                let written = self.smt.pool.eq(bits, given);
                let holds = self.smt.pool.or(failed, written);
                self.assume(state, holds)?;
            }
        }
        Ok(Some(value))
    }
}
