//! The one door to Z3. A question goes in as conditions of a [`Pool`], an answer comes out in our own
//! types, and no object of Z3 lives longer than the question: so everything outside is `Send`, and a
//! question's cost does not depend on those before it. Z3's context is the thread's own, or the question's ([`Memory`]).
//!
//! An answer here is Z3's word. [`solver`](super::solver) evaluates the model before it believes it.

mod filter;
#[cfg(lazy_z3)]
mod lazy;
mod term;

pub use filter::filter;

use super::expr::{ExprId, Op, Pool, Sort};
use super::query::Limits;
use super::value::{Bytes, Model};
use std::panic::{AssertUnwindSafe, catch_unwind};
use term::Terms;
use z3::ast::{Ast, BV, Bool};

/// What Z3 said.
#[derive(Debug)]
pub enum Reply {
    Sat(Model),
    /// The conditions it used, as indices.
    Unsat(Vec<usize>),
    Unknown(String),
}

/// Where Z3 keeps the terms of a question.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Memory {
    /// With those of all questions of this thread.
    #[default]
    Thread,
    /// Apart from all others. It costs about a millisecond.
    Own,
}

/// Asks whether the conditions can hold together.
pub fn ask(pool: &Pool, conditions: &[ExprId], limits: &Limits, memory: Memory) -> Reply {
    let ask = || ask_solver(pool, conditions, limits);
    // The bindings panic where Z3 runs out of memory while a term is made.
    let attempt = catch_unwind(AssertUnwindSafe(|| match memory {
        Memory::Thread => ask(),
        Memory::Own => z3::with_z3_config(&z3::Config::new(), ask),
    }));
    attempt.unwrap_or_else(|_| Reply::Unknown("the solver failed on the query".into()))
}

fn ask_solver(pool: &Pool, conditions: &[ExprId], limits: &Limits) -> Reply {
    let terms = match Terms::new(pool, conditions) {
        Ok(terms) => terms,
        Err(what) => return Reply::Unknown(format!("the solver has no {what}")),
    };
    let solver = strategy().solver();
    let mut params = z3::Params::new();
    interruptible(&mut params);
    // The work limit comes first, because it gives the same answer on every machine.
    if limits.work > 0 {
        params.set_u32("rlimit", limits.work);
    }
    if limits.milliseconds > 0 {
        params.set_u32("timeout", limits.milliseconds);
    }
    if limits.megabytes > 0 {
        params.set_u32("max_memory", limits.megabytes);
    }
    solver.set_params(&params);
    // Variables are named by numbers, so these names are free.
    let marks: Vec<Bool> =
        (0..conditions.len()).map(|i| Bool::new_const(format!("c{i}"))).collect();
    for (&e, mark) in conditions.iter().zip(&marks) {
        solver.assert_and_track(terms.truth(e), mark);
    }
    match solver.check() {
        z3::SatResult::Sat => match read_model(pool, &terms, conditions, &solver) {
            Some(model) => Reply::Sat(model),
            None => Reply::Unknown("the solver gave no model".into()),
        },
        z3::SatResult::Unsat => Reply::Unsat(read_core(&solver, &marks)),
        z3::SatResult::Unknown => {
            let reason = solver.get_reason_unknown();
            Reply::Unknown(reason.unwrap_or_else(|| "the solver gave up".into()))
        }
    }
}

/// Ctrl-C ends the scan: Z3 would catch it while it works, and end but the question.
fn interruptible(params: &mut z3::Params) {
    params.set_bool("ctrl_c", false);
}

/// Of Z3's ways to solve, its core behind a little preprocessing: on small queries several times faster
/// than the default solver, with bytes and floats, and with unsatisfiable cores at no cost. Constants
/// go in first, because newer versions would lay out a float operation on constants as a circuit.
/// (The solver for `QF_BV` is wrong on bytes. One kept from question to question gains a tenth, and
/// makes answers depend on what was asked before.)
fn strategy() -> z3::Tactic {
    let steps = ["propagate-values", "solve-eqs", "smt"];
    steps.iter().fold(z3::Tactic::new("simplify"), |all, step| all.and_then(&z3::Tactic::new(step)))
}

fn read_core(solver: &z3::Solver, marks: &[Bool]) -> Vec<usize> {
    let core: Vec<_> = solver.get_unsat_core().iter().map(Ast::get_z3_ast).collect();
    let used = marks.iter().enumerate().filter(|(_, m)| core.contains(&m.get_z3_ast()));
    let used: Vec<usize> = used.map(|(i, _)| i).collect();
    // No core at all: then all of them are one.
    if used.is_empty() { (0..marks.len()).collect() } else { used }
}

fn read_model(
    pool: &Pool,
    terms: &Terms<'_>,
    conditions: &[ExprId],
    solver: &z3::Solver,
) -> Option<Model> {
    let found = solver.get_model()?;
    let read = |bits: &BV, width: u32| -> Option<u128> {
        let part = |high, low| found.eval(&bits.extract(high, low), true)?.as_u64();
        let low = part(width.min(64) - 1, 0)?;
        let high = if width > 64 { part(width - 1, 64)? } else { 0 };
        Some(u128::from(high) << 64 | u128::from(low))
    };
    let nodes = pool.reachable(conditions);
    // Bytes are read where the query reads them; it says nothing about the others.
    let mut places = Vec::new();
    for n in nodes.iter().map(|&e| pool.node(e)).filter(|n| n.op == Op::Select) {
        let width = pool.width(n.child(1));
        places.push((width, read(&terms.bits(n.child(1)), width)?));
    }
    places.sort_unstable();
    places.dedup();
    let mut model = Model::new();
    for &e in nodes.iter().filter(|&&e| pool.op(e) == Op::Var) {
        let var = pool.node(e).var();
        match pool.sort(e) {
            Sort::Bits(1) => {
                let value = found.eval(&terms.truth(e), true)?.as_bool()?;
                model.set_bits(var, u128::from(value));
            }
            Sort::Bits(width) => model.set_bits(var, read(&terms.bits(e), width)?),
            Sort::Bytes { index } => {
                let mut bytes = Bytes::default();
                for &(width, place) in places.iter().filter(|p| p.0 == index) {
                    let cell = terms.bytes(e).select(&term::constant(place, width)).as_bv()?;
                    bytes.cells.insert(place, read(&cell, 8)? as u8);
                }
                model.set_bytes(var, bytes);
            }
        }
    }
    Some(model)
}
