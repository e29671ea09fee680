//! What the demand query adds to the judging of alias annotations: all paths to each annotation, within a bound.
//!
//! Invariant: an answer is given only if every path of the program was walked to its end; where a bound was met or
//! something has no model, the query adds nothing.

use super::value::{Symbols, Target, Value};
use super::walk::{Next, State, Stop, Walk};
use crate::ir::{Callee, Inst, InstId, Operand, Program};
use crate::pta::PointsTo;
use crate::pta::alias_checks::Check;
use rustc_hash::FxHashMap;
use std::fmt;

/// Paths walked at most.
const MOST_PATHS: usize = 3000;
/// Instructions executed at most, over all paths, with what is copied where paths part.
const MOST_STEPS: usize = 300_000;

/// What two pointers are to each other whenever control gets there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Relation {
    /// Never the same place.
    Apart,
    /// Always the same place.
    Same,
    /// Neither could be shown, on paths that may exist.
    Either,
    /// Control does not get there.
    Unreached,
    /// Not all paths were walked.
    Open,
}

impl fmt::Display for Relation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Relation::Apart => "apart",
            Relation::Same => "same",
            Relation::Either => "either",
            Relation::Unreached => "unreached",
            Relation::Open => "open",
        })
    }
}

/// What one path says.
fn relation(walk: &Walk<'_>, a: (Operand, Value), b: (Operand, Value)) -> Relation {
    if a.0 == b.0 || (a.1 == b.1 && matches!(a.1, Value::Symbol(_))) {
        return Relation::Same;
    }
    let junk = |value: &Value| walk.symbols.is_junk(value);
    if (junk(&a.1) && b.1.targets().is_some()) || (junk(&b.1) && a.1.targets().is_some()) {
        return Relation::Apart;
    }
    let (Some(xs), Some(ys)) = (a.1.targets(), b.1.targets()) else {
        let may = walk.answer.may_alias(a.0, 1, b.0, 1);
        return if may { Relation::Either } else { Relation::Apart };
    };
    if let ([x @ Target::At(..)], [y]) = (&xs[..], &ys[..])
        && x == y
    {
        return Relation::Same;
    }
    let meets = |x: Target, y: Target| match (x, y) {
        (Target::Null, _) | (_, Target::Null) => false,
        (Target::At(i, a), Target::At(j, b)) => i == j && a == b,
        (Target::At(i, _) | Target::In(i), Target::At(j, _) | Target::In(j)) => i == j,
    };
    match xs.iter().any(|&x| ys.iter().any(|&y| meets(x, y))) {
        true => Relation::Either,
        false => Relation::Apart,
    }
}

fn joined(a: Relation, b: Relation) -> Relation {
    match (a, b) {
        (Relation::Unreached, other) | (other, Relation::Unreached) => other,
        (a, b) if a == b => a,
        _ => Relation::Either,
    }
}

/// What holds at each of the checks, in their order.
pub fn judge(program: &Program, answer: &PointsTo, checks: &[Check]) -> Vec<Relation> {
    let mut found: FxHashMap<InstId, Relation> =
        checks.iter().map(|check| (check.inst, Relation::Unreached)).collect();
    let complete = !checks.is_empty() && explore(program, answer, &mut found);
    let of = |check: &Check| match complete {
        true => found.get(&check.inst).copied().unwrap_or(Relation::Open),
        false => Relation::Open,
    };
    checks.iter().map(of).collect()
}

/// Walks all paths; `false` if some were left out.
fn explore(program: &Program, answer: &PointsTo, found: &mut FxHashMap<InstId, Relation>) -> bool {
    let mut walk = Walk { program, answer, symbols: Symbols::default(), wanted: None };
    // What runs before `main` is not followed.
    if !program.constructors.is_empty() {
        return false;
    }
    let Some(main) = program.func_by_name("main") else { return false };
    let Some(start) = walk.start(main) else { return false };
    let mut waiting = vec![start];
    let (mut paths, mut steps) = (0, 0);
    while let Some(mut state) = waiting.pop() {
        while let Some(at) = state.frames.last().map(|frame| frame.at) {
            steps += 1;
            if steps > MOST_STEPS || paths + waiting.len() > MOST_PATHS {
                return false;
            }
            if let Some(known) = found.get(&at).copied() {
                let here = at_check(&mut walk, &state, at);
                found.insert(at, joined(known, here));
            }
            match walk.step(&mut state, at) {
                Ok(Next::On | Next::Returned) => {}
                Ok(Next::Blocks(value, ways)) => {
                    let size = state.memory.count();
                    let mut open = branches(&walk, state, &value, &ways);
                    steps += size * open.len().saturating_sub(1);
                    let jumped =
                        |walk: &mut Walk<'_>, state: &mut State, to| walk.jump(state, to).is_ok();
                    let last = open.pop();
                    for (mut other, to) in open {
                        if !jumped(&mut walk, &mut other, to) {
                            return false;
                        }
                        waiting.push(other);
                    }
                    let Some((next, to)) = last else { break };
                    state = next;
                    if !jumped(&mut walk, &mut state, to) {
                        return false;
                    }
                }
                Ok(Next::Calls(funcs)) => {
                    let args = walk.arguments(&state, at);
                    let Some((&first, others)) = funcs.split_first() else { return false };
                    for &func in others {
                        steps += state.memory.count();
                        let mut next = state.clone();
                        if walk.enter(&mut next, func, args.clone(), Some(at)).is_err() {
                            return false;
                        }
                        waiting.push(next);
                    }
                    if walk.enter(&mut state, first, args, Some(at)).is_err() {
                        return false;
                    }
                }
                Err(Stop::End) => break,
                Err(Stop::Lost) => return false,
            }
        }
        paths += 1;
    }
    true
}

/// The ways that are open, each with what taking it says.
fn branches(
    walk: &Walk<'_>,
    state: State,
    value: &Value,
    ways: &[(Option<u128>, crate::ir::BlockId)],
) -> Vec<(State, crate::ir::BlockId)> {
    if let Value::Number(number) = walk.symbols.resolved(&state.facts, value) {
        let taken = ways.iter().find(|way| way.0 == Some(number)).or(ways.last());
        return taken.map(|way| (state, way.1)).into_iter().collect();
    }
    let mut open = Vec::new();
    for &(number, to) in ways {
        let mut next = state.clone();
        if number.is_none_or(|number| walk.symbols.learn(&mut next.facts, value, number)) {
            open.push((next, to));
        }
    }
    open
}

fn at_check(walk: &mut Walk<'_>, state: &State, at: InstId) -> Relation {
    let Inst::Call { callee: Callee::Direct(_), args } = *walk.program.inst(at) else {
        return Relation::Either;
    };
    let &[a, b] = walk.program.operands(args) else { return Relation::Either };
    let (x, y) = (walk.operand(state, a), walk.operand(state, b));
    relation(walk, (a, x), (b, y))
}
