//! The states of a proof as text.
//!
//! Invariant: a text covers the state that it is made of. Values that nothing reads any more, objects that nothing
//! reaches and conditions on variables that nothing else speaks of are left out.

use super::LIVES;
use crate::cegas::cover::Prover;
use crate::cegas::machine::Machine;
use crate::cegas::memory::{Background, Instance, Life, Object, Origin};
use crate::cegas::state::State;
use crate::cegas::summary::Summary;
use crate::cegas::value::Value;
use crate::cegas::wide::Spot;
use crate::ir::FuncId;
use crate::smt::{ExprId, Op, Operation, Sort, VarId};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;
use std::fmt::Write;

/// States of one proof.
const MOST_STATES: usize = 400;

/// Joins of paths that are followed apart all the same.
const FEW_JOINS: usize = 12;

/// Longer texts are not written.
const LONGEST: usize = 8 << 20;

impl Prover<'_, '_, '_> {
    /// What the attempt that has just come to its end rests on; nothing if something in it cannot be written.
    pub(in crate::cegas) fn written(&mut self) -> Option<String> {
        let mut generals: Vec<(State, u32)> = {
            let met = self.met.iter().filter(|met| met.is_general);
            met.map(|met| (met.state.clone(), met.turns)).collect()
        };
        let contracts = self.summaries.told();
        if generals.len() > MOST_STATES {
            return None;
        }
        // Paths that meet more often are too many to be followed apart. Where turns are judged behind others, they must be;
        // and with lists, to compare two states takes longer than to follow both.
        let joins = std::mem::take(&mut self.joins);
        let is_many = joins.len() > FEW_JOINS && joins.len() + generals.len() <= MOST_STATES;
        if is_many && self.hypotheses == 0 && self.classes.is_empty() {
            generals.extend(joins.into_iter().map(|state| (state, 0)));
        }
        let mut terms = Terms::default();
        let mut rest = String::new();
        for (func, summary) in &contracts {
            terms.contract(self.machine, *func, summary, &mut rest)?;
        }
        for (mut state, turns) in generals {
            self.forget_values(&mut state);
            _ = writeln!(rest, "state\nturns {turns}");
            terms.state(self.machine, &state, &mut rest)?;
        }
        let mut text = String::new();
        if let Some(ghosts) = &self.machine.ghosts {
            let mut arrays: Vec<_> = ghosts.strides.iter().collect();
            arrays.sort();
            for (at, stride) in arrays {
                _ = match ghosts.parts.get(at) {
                    Some((from, to)) => {
                        writeln!(text, "array {} {stride} {from} {to}", origin(*at)?)
                    }
                    None => writeln!(text, "array {} {stride}", origin(*at)?),
                };
            }
            _ = match ghosts.most {
                Some(most) => writeln!(text, "elements {most}"),
                None => writeln!(text, "elements any"),
            };
        }
        text += &terms.lines;
        text += &rest;
        (text.len() <= LONGEST).then_some(text)
    }
}

/// The expressions that were written so far.
#[derive(Default)]
struct Terms {
    lines: String,
    known: FxHashMap<ExprId, usize>,
}

impl Terms {
    /// What a function returns and leaves; nothing if that is an address.
    fn contract(
        &mut self,
        machine: &Machine<'_>,
        func: FuncId,
        summary: &Summary,
        text: &mut String,
    ) -> Option<()> {
        let (mut given, mut finds, mut leaves) = (Vec::new(), String::new(), String::new());
        let mut names: Vec<ExprId> = Vec::new();
        for param in machine.program.funcs[func].params.iter() {
            given.push(match summary.head.spots.get(&Spot::Value(param)) {
                Some(wide) => {
                    names.push(wide.number()?);
                    self.term(machine, wide.number()?)?
                }
                None => "-".to_owned(),
            });
        }
        for (&spot, wide) in &summary.head.spots {
            if let Spot::Cell(instance, offset, bytes) = spot {
                names.push(wide.number()?);
                let (at, var) = (place(summary, instance)?, self.term(machine, wide.number()?)?);
                _ = writeln!(finds, "finds {at} {offset} {bytes} {var}");
            }
        }
        let before = self.facts(machine, &summary.before, &names)?;
        let mut returns = String::new();
        if let Some(result) = &summary.result {
            names.push(result.number()?);
            returns = format!("returns {}\n", self.term(machine, result.number()?)?);
        }
        for (&spot, wide) in &summary.left {
            let Spot::Cell(instance, offset, bytes) = spot else { return None };
            names.push(wide.number()?);
            let (at, var) = (place(summary, instance)?, self.term(machine, wide.number()?)?);
            _ = writeln!(leaves, "leaves {at} {offset} {bytes} {var}");
        }
        let after = self.facts(machine, &summary.after, &names)?;
        _ = writeln!(text, "contract f{}\ngiven {}", func.as_u32(), given.join(" "));
        _ = writeln!(text, "{finds}{returns}{leaves}before {before}\nafter {after}");
        Some(())
    }

    /// Those facts that speak of these variables only: what holds of this call of the program says nothing of others.
    fn facts(
        &mut self,
        machine: &Machine<'_>,
        facts: &[ExprId],
        names: &[ExprId],
    ) -> Option<String> {
        let pool = &machine.smt.pool;
        let known = pool.free_vars(names);
        let is_general =
            |fact: &&ExprId| pool.free_vars(&[**fact]).iter().all(|var| known.contains(var));
        let terms = facts.iter().filter(is_general).map(|&fact| self.term(machine, fact));
        Some(terms.collect::<Option<Vec<String>>>()?.join(" "))
    }

    fn state(&mut self, machine: &mut Machine<'_>, state: &State, text: &mut String) -> Option<()> {
        _ = writeln!(text, "fresh {}", state.fresh);
        let mut said: Vec<ExprId> = Vec::new();
        for frame in &state.frames {
            let call = frame.call.map_or("-".to_owned(), |call| format!("i{}", call.as_u32()));
            let (func, block, at) = (frame.func.as_u32(), frame.block.as_u32(), frame.at.as_u32());
            let name = &machine.program.funcs[frame.func].name;
            let name: String = name.chars().filter(char::is_ascii_graphic).collect();
            _ = writeln!(text, "frame f{func} b{block} i{at} {call} # {name}");
            let mut values: Vec<_> = frame.values.iter().collect();
            values.sort_by_key(|(id, _)| **id);
            for (id, value) in values {
                let value = self.value(machine, value, &mut said)?;
                _ = writeln!(text, "value v{} {value}", id.as_u32());
            }
            for value in &frame.varargs {
                let value = self.value(machine, value, &mut said)?;
                _ = writeln!(text, "vararg {value}");
            }
            for local in &frame.locals {
                _ = writeln!(text, "local o{}", local.0);
            }
        }
        let mut list = |name: &str, words: Vec<String>| {
            if !words.is_empty() {
                _ = writeln!(text, "{name} {}", words.join(" "));
            }
        };
        let func = |func: &FuncId| format!("f{}", func.as_u32());
        list("pending", state.pending.iter().map(func).collect());
        list("closing", state.closing.iter().map(func).collect());
        list("trusted", state.trusted.iter().map(func).collect());
        let mut handled: Vec<u128> = state.handled.iter().copied().collect();
        handled.sort_unstable();
        list("handled", handled.iter().map(u128::to_string).collect());
        let mut exposed: Vec<Instance> = state.exposed.iter().copied().collect();
        exposed.sort_unstable();
        list("exposed", exposed.iter().map(|instance| format!("o{}", instance.0)).collect());

        let kept = kept(machine, state, &said);
        let before = machine.initial_memory();
        for instance in kept {
            let object = state.memory.get(instance)?;
            if before.get(instance) != Some(object) {
                self.object(machine, instance, object, &mut said, text)?;
            }
        }
        if let Some(last_read) = state.last_read {
            said.push(last_read);
            _ = writeln!(text, "last-read {}", self.term(machine, last_read)?);
        }
        for condition in connected(machine, state, &said) {
            _ = writeln!(text, "holds {}", self.term(machine, condition)?);
        }
        Some(())
    }

    fn object(
        &mut self,
        machine: &Machine<'_>,
        instance: Instance,
        object: &Object,
        said: &mut Vec<ExprId>,
        text: &mut String,
    ) -> Option<()> {
        let background = match object.background {
            Background::Zero => "zero".to_owned(),
            Background::Uninit => "unset".to_owned(),
            Background::Init(global) => format!("init{}", global.as_u32()),
            Background::Outside => "outside".to_owned(),
            Background::Text => "text".to_owned(),
            Background::Arguments { count } => {
                said.push(count);
                format!("arguments {}", self.term(machine, count)?)
            }
            Background::Given { .. } | Background::Code => return None,
        };
        said.push(object.size);
        let size = self.term(machine, object.size)?;
        let life = LIVES.iter().find(|(life, _)| *life == object.life).map(|(_, name)| *name)?;
        let origin = origin(object.origin)?;
        _ = writeln!(text, "object o{} {origin} {life} {size} {background}", instance.0);
        for (offset, cell) in &object.cells {
            said.push(cell.value);
            let value = self.term(machine, cell.value)?;
            _ = writeln!(text, "cell {offset} {} {value}", cell.bytes);
        }
        if let Some(chain) = &object.chain {
            said.push(chain.tail);
            said.extend(&chain.facts);
            let tail = self.term(machine, chain.tail)?;
            let many = if chain.may_be_empty { "any" } else { "some" };
            let facts: Option<Vec<String>> =
                chain.facts.iter().map(|&fact| self.term(machine, fact)).collect();
            _ = writeln!(text, "list {} {many} {tail} {}", chain.link, facts?.join(" "));
        }
        Some(())
    }

    fn value(
        &mut self,
        machine: &Machine<'_>,
        value: &Value,
        said: &mut Vec<ExprId>,
    ) -> Option<String> {
        match value {
            Value::Bits(bits) => {
                said.push(*bits);
                self.term(machine, *bits)
            }
            Value::Parts(parts) => {
                let parts: Option<Vec<String>> =
                    parts.iter().map(|part| self.value(machine, part, said)).collect();
                Some(format!("( {} )", parts?.join(" ")))
            }
        }
    }

    /// The name of an expression, written when it is needed first.
    fn term(&mut self, machine: &Machine<'_>, e: ExprId) -> Option<String> {
        if self.lines.len() > LONGEST {
            return None;
        }
        let pool = &machine.smt.pool;
        if !self.known.contains_key(&e) {
            for part in pool.reachable(&[e]) {
                if self.known.contains_key(&part) {
                    continue;
                }
                let line = self.line(machine, part)?;
                let number = self.known.len();
                self.known.insert(part, number);
                _ = writeln!(self.lines, "t{number} = {line}");
            }
        }
        Some(format!("t{}", self.known.get(&e)?))
    }

    fn line(&self, machine: &Machine<'_>, e: ExprId) -> Option<String> {
        let pool = &machine.smt.pool;
        let node = pool.node(e);
        Some(match node.op {
            Op::Const => format!("const {} {}", node.width(), pool.as_const(e)?),
            Op::Var => variable(machine, node.var())?,
            _ => {
                let operation = Operation::of(&node)?;
                let mut line = operation.name().to_owned();
                operation.numbers().iter().for_each(|number| _ = write!(line, " {number}"));
                for child in node.children() {
                    _ = write!(line, " t{}", self.known.get(&child)?);
                }
                line
            }
        })
    }
}

fn variable(machine: &Machine<'_>, var: VarId) -> Option<String> {
    let pool = &machine.smt.pool;
    let Sort::Bits(bits) = pool.var_sort(var) else { return None };
    if let Some(instance) = machine.instance_of(var) {
        return Some(format!("address o{}", instance.0));
    }
    let is_it = |e: &ExprId| pool.node(*e).var() == var;
    if machine.ghosts.as_ref().is_some_and(|ghosts| is_it(&ghosts.index)) {
        return Some("element".to_owned());
    }
    if let Some(((offset, bytes), _)) = machine.placeholders.iter().find(|(_, e)| is_it(e)) {
        return Some(format!("node {offset} {bytes}"));
    }
    Some(match machine.source_of(var) {
        Some((number, source)) => format!("var {bits} {number} {source:?}").to_lowercase(),
        None => format!("var {bits} - x{}", var.as_u32()),
    })
}

pub(super) fn origin(origin: Origin) -> Option<String> {
    Some(match origin {
        Origin::Global(global) => format!("global{}", global.as_u32()),
        Origin::Func(func) => format!("function{}", func.as_u32()),
        Origin::Local(at) => format!("local{}", at.as_u32()),
        Origin::Heap(at) => format!("heap{}", at.as_u32()),
        Origin::Varargs(at) => format!("varargs{}", at.as_u32()),
        Origin::Argument => "argument".to_owned(),
        Origin::Given(_) => return None,
    })
}

/// The objects that can still be reached.
fn kept(machine: &mut Machine<'_>, state: &State, said: &[ExprId]) -> BTreeSet<Instance> {
    let first = machine.program.globals.len() + machine.program.funcs.len();
    let mut kept: BTreeSet<Instance> = (0..first as u32).map(Instance).collect();
    let mut waiting: Vec<Instance> = kept.iter().copied().collect();
    for instance in state.frames.iter().flat_map(|frame| &frame.locals).chain(&state.exposed) {
        if kept.insert(*instance) {
            waiting.push(*instance);
        }
    }
    let mut values = said.to_vec();
    loop {
        for value in std::mem::take(&mut values) {
            if !machine.speaks_of_addresses(value) {
                continue;
            }
            for var in machine.smt.pool.free_vars(&[value]) {
                if let Some(instance) = machine.instance_of(var)
                    && kept.insert(instance)
                {
                    waiting.push(instance);
                }
            }
        }
        let Some(instance) = waiting.pop() else { return kept };
        if let Some(object) = state.memory.get(instance) {
            values.extend(object.cells.values().map(|cell| cell.value));
            values.extend(object.chain.as_ref().map(|chain| chain.tail));
        }
    }
}

/// The conditions of a state that have to do with what is said.
fn connected(machine: &mut Machine<'_>, state: &State, said: &[ExprId]) -> Vec<ExprId> {
    let mut vars: FxHashSet<VarId> = machine.smt.pool.free_vars(said).into_iter().collect();
    if let Some(ghosts) = &machine.ghosts {
        vars.insert(machine.smt.pool.node(ghosts.index).var());
    }
    let mut open: Vec<ExprId> = state.conditions();
    open.retain(|&condition| !machine.speaks_of_addresses(condition));
    let mut seen: FxHashSet<ExprId> = FxHashSet::default();
    open.retain(|&condition| seen.insert(condition));
    let of: FxHashMap<ExprId, Vec<VarId>> =
        open.iter().map(|&e| (e, machine.smt.pool.free_vars(&[e]).into_iter().collect())).collect();
    let mut found: FxHashSet<ExprId> = FxHashSet::default();
    loop {
        let is_new = |e: &&ExprId| !found.contains(*e) && of[*e].iter().any(|v| vars.contains(v));
        let new: Vec<ExprId> = open.iter().filter(is_new).copied().collect();
        if new.is_empty() {
            open.retain(|condition| found.contains(condition));
            return open;
        }
        for condition in new {
            vars.extend(&of[&condition]);
            found.insert(condition);
        }
    }
}

/// The object by what made it, if there is no other.
fn place(summary: &Summary, instance: Instance) -> Option<String> {
    let memory = &summary.general.memory;
    let at = memory.get(instance)?.origin;
    let is_other = |o: &&Object| o.origin == at && o.life == Life::Live;
    (memory.objects().filter(is_other).count() == 1).then_some(())?;
    origin(at)
}
