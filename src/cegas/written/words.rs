//! The words of a text of states: numbers, expressions, and names of what a program has.

use crate::cegas::machine::Machine;
use crate::cegas::memory::Origin;
use crate::ir::{FuncId, GlobalId, InstId};
use crate::smt::{MAX_WIDTH, Operation};

/// Arbitrary values are counted in 32 bits; a path makes fewer than the rest.
pub(super) const MOST_FRESH: u32 = 1 << 30;

/// Larger objects have no cells behind this.
pub(super) const LARGEST: u64 = 1 << 40;

/// A line of the table of expressions.
pub(super) enum Term {
    Const(u32, u128),
    Var(u32, Option<u32>, String),
    Address(u32),
    Element,
    Node(u64, u32),
    Made(Operation, Vec<usize>),
}

/// The number behind a name.
pub(super) fn number(word: &str, name: &str) -> Option<u32> {
    let digits = word.strip_prefix(name)?;
    let is_plain = digits.bytes().all(|byte| byte.is_ascii_digit());
    digits.parse().ok().filter(|_| is_plain)
}

/// What stands behind the name of an expression, of which so many are known.
pub(super) fn term(words: &[&str], known: usize) -> Option<Term> {
    let bits = |word: &str| word.parse().ok().filter(|bits| (1..=MAX_WIDTH).contains(bits));
    Some(match *words {
        ["const", width, value] => Term::Const(bits(width)?, value.parse().ok()?),
        ["var", width, "-", name] => Term::Var(bits(width)?, None, name.to_owned()),
        ["var", width, number, name] => {
            let number = number.parse().ok().filter(|number| *number < MOST_FRESH)?;
            Term::Var(bits(width)?, Some(number), name.to_owned())
        }
        ["address", object] => Term::Address(number(object, "o")?),
        ["element"] => Term::Element,
        ["node", offset, bytes] => {
            let bytes = bytes.parse().ok().filter(|bytes| (1..=16).contains(bytes))?;
            Term::Node(offset.parse().ok().filter(|offset| *offset < LARGEST)?, bytes)
        }
        _ => {
            let mut words = words.iter().copied();
            let operation = Operation::read(&mut words)?;
            let of = |word| number(word, "t").map(|at| at as usize).filter(|at| *at < known);
            Term::Made(operation, words.map(of).collect::<Option<Vec<usize>>>()?)
        }
    })
}

/// Where an object comes from.
pub(super) fn origin(machine: &Machine<'_>, word: &str) -> Option<Origin> {
    let program = machine.program;
    let inst = |name: &str| {
        let at = number(word, name).filter(|at| (*at as usize) < program.insts.len())?;
        Some(InstId::from_u32(at))
    };
    if word == "argument" {
        return Some(Origin::Argument);
    }
    if let Some(global) = number(word, "global") {
        let is_there = (global as usize) < program.globals.len();
        return is_there.then(|| Origin::Global(GlobalId::from_u32(global)));
    }
    if let Some(func) = number(word, "function") {
        return func_id(machine, func).map(Origin::Func);
    }
    inst("local")
        .map(Origin::Local)
        .or_else(|| inst("heap").map(Origin::Heap))
        .or_else(|| inst("varargs").map(Origin::Varargs))
}

pub(super) fn func_id(machine: &Machine<'_>, func: u32) -> Option<FuncId> {
    ((func as usize) < machine.program.funcs.len()).then(|| FuncId::from_u32(func))
}
