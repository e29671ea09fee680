//! The story of the rounds, for `--dump=cegas`: each counterexample path, why it was refuted, what joined the
//! precision.

use super::algorithm1::Refinement;
use super::model::Model;
use super::newton::Newton;
use super::precision::{Location, Precision, Variable};
use super::predicates::Term;
use super::segment::Way;
use super::table::{ContextId, Table};
use crate::cegas::memory::{Instance, Origin};
use crate::cegas::state::State;
use crate::cegas::verdict::{Reason, Verdict};
use crate::ir::{Inst, InstId, Operand, ValueId};
use crate::smt::{CInt, CName, ExprId, Sort, VarId};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// Branches of one path that are told; of a longer one the first and the last.
const MOST_BRANCHES: usize = 40;

/// Writes down what happens, if somebody wants to read it.
pub(super) struct Story {
    pub text: String,
    is_told: bool,
    rounds: u32,
}

impl Story {
    pub fn new(is_told: bool) -> Story {
        Story { text: String::new(), is_told, rounds: 0 }
    }

    pub fn rounds(&self) -> u32 {
        self.rounds
    }

    fn line(&mut self, line: impl AsRef<str>) {
        let _ = writeln!(self.text, "{}", line.as_ref());
    }

    pub fn begin(&mut self, precision: &Precision) {
        self.rounds += 1;
        if self.is_told {
            let tracked = match (precision.count(), precision.count_asked()) {
                (0, 0) => "the precision is empty".to_owned(),
                (count, 0) => {
                    format!("{count} pairs of a location and a variable in the precision")
                }
                (count, asked) => format!(
                    "{count} pairs of a location and a variable in the precision, {asked} of a location and a predicate"
                ),
            };
            self.line(format!("round {}: {tracked}", self.rounds));
        }
    }

    pub fn tell_path(&mut self, model: &mut Model<'_>, first: &State, ways: &[Way]) {
        if !self.is_told {
            return;
        }
        self.line("  counterexample:");
        let branches = branches(model, first, ways);
        let skipped = branches.len().saturating_sub(MOST_BRANCHES);
        let half = MOST_BRANCHES / 2;
        for (number, line) in branches.iter().enumerate() {
            if skipped > 0 && number == half {
                self.line(format!("    … {skipped} more …"));
            }
            if skipped == 0 || number < half || number >= half + skipped {
                self.line(format!("    {line}"));
            }
        }
        let end = model.machine.place(model.target.at);
        self.line(format!("    {end}: the obligation"));
    }

    pub fn tell_refinement(
        &mut self,
        model: &mut Model<'_>,
        refined: &Refinement,
        precision: &Precision,
    ) {
        if !self.is_told {
            return;
        }
        let why = match refined.at {
            Some(at) => {
                let place = model.machine.place(at);
                let what = match model.machine.program.inst(at) {
                    Inst::Branch { .. } | Inst::Switch { .. } | Inst::IndirectJump { .. } => {
                        "it goes another way there"
                    }
                    Inst::Call { .. } if at == model.target.at => "the obligation holds there",
                    Inst::Call { .. } => "another function is called there",
                    _ => "the execution ends there",
                };
                format!("  refuted at {place}: {what}")
            }
            None => "  refuted: it violates the obligation before".to_owned(),
        };
        self.line(why);
        for (at, range) in &refined.strong {
            let place = model.machine.place(*at);
            let written = written(model, *at);
            let may: Vec<String> =
                written.map_or_else(Vec::new, |pointer| may_reach(model, pointer));
            let state =
                refined.states.iter().rev().find(|s| s.memory.get(range.instance).is_some());
            let one = state.and_then(|state| cell_name(model, state, range.instance, range.offset));
            if let Some(one) = one {
                let may = may.join(", ");
                self.line(format!(
                    "  strong update at {place}: {one}, one of {{{may}}} in the model"
                ));
            }
        }
        let mut names: BTreeMap<String, Vec<Location>> = BTreeMap::new();
        for &(location, variable) in &refined.joins {
            if !precision.tracks(location, variable) {
                let name = variable_name(model, &refined.states, variable);
                names.entry(name).or_default().push(location);
            }
        }
        if names.is_empty() {
            self.line("  nothing new joins the precision, but older states have to know it");
        }
        for (name, locations) in names {
            let places: Vec<String> =
                locations.into_iter().map(|location| location_name(model, location)).collect();
            self.line(format!("  joins the precision: {name} at {}", places.join(", ")));
        }
    }

    pub fn tell_predicates(
        &mut self,
        model: &mut Model<'_>,
        newton: &Newton,
        precision: &Precision,
    ) {
        if !self.is_told {
            return;
        }
        let again = if newton.is_known { ", by predicates that were found before" } else { "" };
        self.line(format!("  infeasible: its conditions exclude each other{again}"));
        let new = |&&(at, predicate): &&_| !precision.asks(at, predicate);
        let mut lines = BTreeSet::new();
        for &(at, predicate) in newton.asked.iter().filter(new) {
            let text = predicate_text(model, predicate);
            let place = model.machine.place(at);
            lines.insert(format!("  joins the precision: {text} at {place}"));
        }
        lines.into_iter().for_each(|line| self.line(line));
    }

    /// The calls that need not be explored again.
    pub fn tell_kept(&mut self, model: &Model<'_>, table: &Table, stay: &BTreeSet<ContextId>) {
        if !self.is_told || stay.is_empty() {
            return;
        }
        let mut calls: BTreeMap<&str, usize> = BTreeMap::new();
        for &context in stay {
            let func = table.get(context).func;
            *calls.entry(&model.machine.program.funcs[func].name).or_default() += 1;
        }
        let calls = calls.iter().map(|(name, count)| match count {
            1 => (*name).to_owned(),
            _ => format!("{name} in {count} states"),
        });
        let calls = calls.collect::<Vec<_>>().join(", ");
        self.line(format!("  calls that stay: {calls}"));
    }

    pub fn tell_verdict(&mut self, verdict: &Verdict) {
        if !self.is_told {
            return;
        }
        match verdict {
            Verdict::Safe(_) => self.line("  no path leads to a violation\nsafe"),
            Verdict::Unsafe(_) => self.line("  the path is feasible\nunsafe"),
            Verdict::Unknown(reason @ Reason::Relation) => {
                self.line(format!("  the path is infeasible\nunknown: {reason}"));
            }
            Verdict::Unknown(reason) => self.line(format!("unknown: {reason}")),
        }
    }
}

/// The decisions of a path in user code, with their places.
fn branches(model: &mut Model<'_>, first: &State, ways: &[Way]) -> Vec<String> {
    // The path is walked without values: all that matters is where it goes.
    let mut lines = Vec::new();
    let mut first = first.clone();
    let nothing = Precision::default();
    model.abstraction(&mut first, Some(&nothing));
    let trace = model.trace(&first, ways, Some(&nothing));
    for event in &trace.events {
        let super::segment::Event::Took { at: Some(at), way, .. } = event else { continue };
        if model.machine.marks.is_model(model.machine.program.func_of(*at)) {
            continue;
        }
        let place = model.machine.place(*at);
        match (*model.machine.program.inst(*at), way) {
            (Inst::Branch { then, els, negated, .. }, Way::Block(to)) if then != els => {
                let answer = (*to == then) != negated;
                lines.push(format!("{place}: the condition is {answer}"));
            }
            (Inst::Switch { default, .. }, Way::Block(to)) => {
                let answer = if *to == default { "the default" } else { "a case" };
                lines.push(format!("{place}: {answer} of the switch"));
            }
            (Inst::Call { .. }, Way::Enter(func)) => {
                lines.push(format!("{place}: call of {}", model.machine.program.funcs[*func].name));
            }
            _ => {}
        }
    }
    lines
}

fn written(model: &Model<'_>, at: InstId) -> Option<Operand> {
    match *model.machine.program.inst(at) {
        Inst::Store { ptr, .. } => Some(ptr),
        Inst::MemCopy { dst, .. } | Inst::MemSet { dst, .. } => Some(dst),
        _ => None,
    }
}

fn may_reach(model: &Model<'_>, pointer: Operand) -> Vec<String> {
    let set = model.points_to.set_of(pointer);
    let mut names: Vec<String> = model
        .points_to
        .members(set)
        .map(|location| {
            let object = model.points_to.locations[location].object;
            crate::pta::dump::object_name(model.machine.program, model.points_to, object)
        })
        .collect();
    names.sort();
    names.dedup();
    names
}

fn location_name(model: &Model<'_>, location: Location) -> String {
    let Some(block) = location else { return "the start".to_owned() };
    let insts = model.machine.program.blocks[block].insts;
    let with_line =
        insts.iter().find(|&at| model.machine.program.loc(at).is_some_and(|l| l.line > 0));
    match with_line.or(insts.first()) {
        Some(at) => model.machine.place(at),
        None => "an empty block".to_owned(),
    }
}

fn cell_name(
    model: &mut Model<'_>,
    state: &State,
    instance: Instance,
    offset: u64,
) -> Option<String> {
    let name = model.machine.object_name(state, instance)?;
    let member = model.machine.member(state, instance, offset);
    Some(match member {
        Some(member) => format!("{name}{member}"),
        None if offset == 0 => name,
        None => format!("{name} + {offset} bytes"),
    })
}

fn variable_name(model: &mut Model<'_>, states: &[State], variable: Variable) -> String {
    match variable {
        Variable::Value(value) => value_name(model, value),
        Variable::Cell { object, offset, .. } => {
            cell_of(model, states, object, offset).unwrap_or_else(|| "an object".to_owned())
        }
    }
}

fn value_name(model: &Model<'_>, value: ValueId) -> String {
    let program = model.machine.program;
    let meant = |binding: &&crate::ir::debug::Binding| {
        !binding.address && binding.value == Operand::Value(value)
    };
    if let Some(binding) = program.debug.bindings.iter().find(meant) {
        return program.debug.vars[binding.var].name.clone();
    }
    let name = program.values[value].name.expand();
    name.map_or_else(|| value.to_string(), |name| program.texts.get(name).to_owned())
}

/// A predicate as C would say it, or at least what it is about.
fn predicate_text(model: &mut Model<'_>, predicate: ExprId) -> String {
    let mut names: BTreeMap<VarId, CName> = BTreeMap::new();
    for var in model.machine.smt.pool.free_vars(&[predicate]) {
        let Sort::Bits(bits) = model.machine.smt.pool.var_sort(var) else { continue };
        let text = match model.terms.of(var) {
            Some(Term::Value { value, .. }) => value_name(model, value),
            Some(Term::Cell { object: Origin::Global(global), offset, .. }) => {
                let name = &model.machine.program.globals[global].name;
                if offset == 0 { name.clone() } else { format!("{name}+{offset}") }
            }
            Some(Term::Cell { .. }) | None => "an object".to_owned(),
        };
        names.insert(var, CName { text, ty: CInt { bits, is_signed: true } });
    }
    let text = model.machine.smt.pool.c_condition(predicate, &|var| names.get(&var).cloned());
    text.unwrap_or_else(|| {
        let names: Vec<String> = names.into_values().map(|name| name.text).collect();
        format!("a predicate over {}", names.join(", "))
    })
}

fn cell_of(model: &mut Model<'_>, states: &[State], origin: Origin, offset: u64) -> Option<String> {
    let state = states.iter().rev().find(|state| find(state, origin).is_some())?;
    let instance = find(state, origin)?;
    cell_name(model, state, instance, offset)
}

fn find(state: &State, origin: Origin) -> Option<Instance> {
    let has = |i: &Instance| state.memory.get(*i).is_some_and(|object| object.origin == origin);
    (0..state.memory.len() as u32).map(Instance).find(has)
}
