//! Where in the source the loops stand that a proof speaks of.

use crate::cegas::LoopInvariant;
use crate::cegas::inductive::{self, Claims, Condition, Conditions};
use crate::config::{Given, GivenCondition, Settings};
use crate::ir::cfg::Cfg;
use crate::ir::dominators::Dominators;
use crate::ir::{BlockId, FuncId, Inst, InstId, Program};
use crate::report;
use std::path::Path;

/// The invariants as reports have them.
pub(super) fn told(
    program: &Program,
    invariants: Vec<LoopInvariant>,
    settings: &Settings,
) -> Vec<report::Invariant> {
    let one = |invariant: LoopInvariant| {
        let LoopInvariant { func, head, conditions } = invariant;
        let at = statements(program, func, head);
        let places = at.into_iter().map(|at| super::location(program, at, settings)).collect();
        report::Invariant { target: program.name.clone(), places, conditions }
    };
    invariants.into_iter().map(one).collect()
}

/// Sets of states as reports have them.
pub(super) fn states(program: &Program, written: Vec<String>) -> Vec<report::States> {
    let one = |lines| report::States { target: program.name.clone(), lines };
    written.into_iter().map(one).collect()
}

/// The jumps of which one carries the place of the loop's keyword: those that go back without a condition, as at the
/// end of `while` and `for`, and those that come to the loop from before, as at the beginning of `do`.
pub fn statements(program: &Program, func: FuncId, head: BlockId) -> Vec<InstId> {
    let cfg = Cfg::new(program, func);
    let dominators = Dominators::new(&cfg);
    let head = cfg.number(head);
    let (back, before): (Vec<usize>, Vec<usize>) =
        cfg.predecessors(head).iter().partition(|&&from| dominators.dominates(head, from));
    if back.is_empty() {
        return Vec::new();
    }
    let jump = |&from: &usize| {
        let end = program.terminator(cfg.block(from))?;
        matches!(program.insts[end].inst, Inst::Jump { .. }).then_some(end)
    };
    back.iter().chain(&before).filter_map(jump).collect()
}

/// What a witness says of a program.
pub(super) fn given<'g>(program: &Program, given: &'g Given, settings: &Settings) -> Claims<'g> {
    let conditions = conditions(program, &given.conditions, settings);
    Claims { conditions, states: given.states.iter().map(String::as_str).collect() }
}

/// The conditions that it gives for the loops.
fn conditions(program: &Program, given: &[GivenCondition], settings: &Settings) -> Conditions {
    let mut conditions = Conditions::new();
    for (func, function) in &program.funcs {
        for head in function.blocks.iter() {
            for at in statements(program, func, head) {
                let place = super::location(program, at, settings);
                let same_file = |file: &str| {
                    Path::new(file).file_name() == Path::new(place.file.as_str()).file_name()
                };
                let is_here = |given: &&GivenCondition| {
                    given.line == place.line
                        && given.column.is_none_or(|column| column == place.column)
                        && same_file(&given.file)
                };
                for given in given.iter().filter(is_here) {
                    // What cannot be read is known nowhere, so nothing will be proved with it.
                    let unknown = || vec![Condition::Name(given.condition.clone())];
                    let here = conditions.entry((func, head)).or_default();
                    for condition in inductive::read(&given.condition).unwrap_or_else(unknown) {
                        if !here.contains(&condition) {
                            here.push(condition);
                        }
                    }
                }
            }
        }
    }
    conditions
}
