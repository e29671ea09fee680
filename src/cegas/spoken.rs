//! The general states of a proof as C conditions: what holds each time the head of a loop is met.
//!
//! Invariant: a condition follows from the states it is made of, and every state in which the proof met the head is
//! among them, whatever the calls that led there. What C cannot say, or cannot name there, is left out.

use super::cover::{Met, Prover};
use super::machine::Machine;
use super::memory::{Instance, Life};
use super::scope::{self, Home, Named};
use super::state::State;
use crate::ir::debug::Encoding;
use crate::ir::{BlockId, CType, CTypeId, FuncId, Operand};
use crate::smt::{Answer, CInt, CName, ExprId, Limits, Op, Sort, VarId};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;

/// What holds each time the head of a loop is met.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoopInvariant {
    pub func: FuncId,
    pub head: BlockId,
    /// Conditions in C, all of which hold.
    pub conditions: Vec<String>,
}

/// States of one head that are told apart.
const MOST_STATES: usize = 40;

/// What is not known in a moment is left as it is.
const QUICK: Limits = Limits { work: 200_000, milliseconds: 50, megabytes: 1_000 };

/// Conditions of a state among which those are looked for that the others say already.
const MOST_CONDITIONS: usize = 120;

impl Prover<'_, '_, '_> {
    /// What the attempt that has just come to its end knows of the heads that it met.
    pub(super) fn spoken(&mut self) -> Vec<LoopInvariant> {
        let mut by_head: BTreeMap<(FuncId, BlockId), Vec<Met>> = BTreeMap::new();
        for met in std::mem::take(&mut self.met) {
            if let Some(func) = met.state.top().map(|frame| frame.func) {
                by_head.entry((func, met.body.head)).or_default().push(met);
            }
        }
        let mut all = Vec::new();
        for ((func, head), mut met) in by_head {
            // A loop that was followed turn by turn can be followed again.
            let is_general = met.iter().any(|met| met.is_general);
            if !is_general || self.is_over() {
                continue;
            }
            met.sort_by_key(|met| !met.is_general);
            let generals = met.iter().filter(|met| met.is_general).count();
            let (loops, liveness) = (self.loops(func), self.liveness(func));
            let named = scope::at_head(self.machine.program, &loops, func, &met[0].body);
            let met_many = met.len() > MOST_STATES;
            let mut ways: Vec<Vec<Said>> = Vec::new();
            for (index, met) in met.iter().enumerate() {
                let live = met.state.top().map(|frame| {
                    let live = liveness.at(self.machine.program, head, frame.at);
                    live.into_iter().map(Operand::Value).collect()
                });
                let parts = self.machine.numbers(&met.state, &named, &live.unwrap_or_default());
                if let [only] = &mut ways[..]
                    && index >= generals
                    && met_many
                {
                    // After many first turns: what holds in them, too.
                    self.machine.weaken(only, &parts);
                } else if !ways.iter().any(|way| self.machine.surely_covers(way, &parts)) {
                    let said = self.machine.said(&met.state, parts);
                    self.machine.add_way(&mut ways, said);
                }
                if ways.len() > MOST_STATES {
                    break;
                }
            }
            if ways.len() > MOST_STATES {
                continue;
            }
            ways.iter_mut().for_each(|way| self.machine.shorten(way));
            let mut conditions = joined(ways);
            if conditions.is_empty() {
                // That nothing needs to be said is worth saying.
                conditions.push("1".to_owned());
            }
            all.push(LoopInvariant { func, head, conditions });
        }
        all
    }
}

/// A condition on what the program's variables are, and its text.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Said {
    condition: ExprId,
    text: String,
}

/// What holds whichever way it is.
fn joined(ways: Vec<Vec<Said>>) -> Vec<String> {
    let texts = |way: Vec<Said>| way.into_iter().map(|said| said.text).collect();
    let mut ways: Vec<Vec<String>> = ways.into_iter().map(texts).collect();
    if ways.len() == 1 {
        return ways.pop().unwrap_or_default();
    }
    let mut common = ways.first().cloned().unwrap_or_default();
    common.retain(|condition| ways.iter().all(|way| way.contains(condition)));
    let bracketed = |condition: &String| format!("({condition})");
    let rest: Vec<String> = ways
        .iter()
        .map(|way| {
            let own = way.iter().filter(|condition| !common.contains(condition));
            own.map(bracketed).collect::<Vec<_>>().join(" && ")
        })
        .collect();
    if rest.iter().all(|way| !way.is_empty()) {
        let ways: Vec<String> = rest.iter().map(bracketed).collect();
        common.extend((!ways.is_empty()).then(|| ways.join(" || ")));
    }
    common
}

/// A number that C can name.
struct Part {
    name: CName,
    value: ExprId,
    /// It may change from turn to turn.
    is_carried: bool,
}

impl Machine<'_> {
    /// The numbers that C can name in a state; the values in `live` are used later.
    fn numbers(&mut self, state: &State, named: &[Named], live: &FxHashSet<Operand>) -> Vec<Part> {
        let mut parts: Vec<Part> = Vec::new();
        for named in named {
            self.parts_of(state, named, live, &mut parts);
        }
        parts.sort_by_key(|part| !part.is_carried);
        parts
    }

    /// The variable that stands for one of C.
    fn variable(&mut self, name: &CName) -> ExprId {
        self.smt.pool.var(&format!("the variable {}", name.text), Sort::Bits(name.ty.bits))
    }

    fn now(&mut self, parts: &[Part]) -> FxHashMap<VarId, ExprId> {
        let mut values: FxHashMap<VarId, ExprId> = FxHashMap::default();
        for part in parts {
            let var = self.variable(&part.name);
            values.insert(self.smt.pool.node(var).var(), part.value);
        }
        values
    }

    fn surely_holds(&mut self, said: &Said, values: &FxHashMap<VarId, ExprId>) -> bool {
        let now = self.smt.pool.substitute(said.condition, values);
        self.smt.pool.as_const(now) == Some(1)
    }

    /// Whether all that a way says holds of these numbers at once.
    fn surely_covers(&mut self, way: &[Said], parts: &[Part]) -> bool {
        let values = self.now(parts);
        way.iter().all(|said| self.surely_holds(said, &values))
    }

    /// Drops what does not hold of these numbers.
    fn weaken(&mut self, way: &mut Vec<Said>, parts: &[Part]) {
        let values = self.now(parts);
        way.retain(|said| self.surely_holds(said, &values));
    }

    /// What a state says of the numbers that can be named.
    fn said(&mut self, state: &State, parts: Vec<Part>) -> Vec<Said> {
        // By the names of C, so that all states speak of the same variables.
        let mut names: FxHashMap<VarId, CName> = FxHashMap::default();
        let mut meaning: FxHashMap<VarId, ExprId> = FxHashMap::default();
        let mut conditions: Vec<ExprId> = Vec::new();
        let mut equations: Vec<(ExprId, ExprId)> = Vec::new();
        for Part { name, value, is_carried } in parts {
            let var = self.variable(&name);
            let node = self.smt.pool.node(value);
            if node.op == Op::Var && !meaning.contains_key(&node.var()) {
                meaning.insert(node.var(), var);
            } else if is_carried {
                equations.push((var, value));
            } else {
                continue;
            }
            names.insert(self.smt.pool.node(var).var(), name);
        }
        for (var, value) in equations {
            let said = self.smt.pool.eq(var, value);
            let rest = self.smt.pool.sub(var, value);
            meaning.insert(self.smt.pool.node(var).var(), var);
            if !self.defines(rest, &mut meaning) {
                conditions.push(said);
            }
        }
        let mut stack: Vec<ExprId> =
            state.assumed.iter().chain(&state.deferred).rev().copied().collect();
        while let Some(condition) = stack.pop() {
            let node = self.smt.pool.node(condition);
            match node.op {
                Op::And => stack.extend([node.child(1), node.child(0)]),
                _ => conditions.push(condition),
            }
        }
        // Neither is less than the other.
        let order = |pool: &crate::smt::Pool, e: ExprId| {
            let inner = (pool.op(e) == Op::Not).then(|| pool.node(pool.node(e).child(0)))?;
            (inner.op == Op::Slt).then(|| (inner.child(0), inner.child(1)))
        };
        let ordered: FxHashSet<(ExprId, ExprId)> =
            conditions.iter().filter_map(|&e| order(&self.smt.pool, e)).collect();
        let is_both = |(a, b): &&(ExprId, ExprId)| a < b && ordered.contains(&(*b, *a));
        let mut equal: Vec<&(ExprId, ExprId)> = ordered.iter().filter(is_both).collect();
        equal.sort_unstable();
        for &(a, b) in equal {
            conditions.push(self.smt.pool.eq(a, b));
        }
        // What is equal to something that can be named can be named.
        conditions.retain(|&condition| {
            let node = self.smt.pool.node(condition);
            if node.op != Op::Eq || self.smt.pool.width(node.child(0)) == 1 {
                return true;
            }
            let rest = self.smt.pool.sub(node.child(0), node.child(1));
            !self.defines(rest, &mut meaning)
        });
        let name = |var: VarId| names.get(&var).cloned();
        let mut said: Vec<Said> = Vec::new();
        for condition in conditions {
            let condition = self.smt.pool.substitute(condition, &meaning);
            let is_new = said.iter().all(|known| known.condition != condition);
            if is_new && let Some(text) = self.smt.pool.c_condition(condition, &name) {
                said.push(Said { condition, text });
            }
        }
        said
    }

    /// Whether that the sum is zero says what its only part is that has no name yet: then it is the rest of it.
    pub(super) fn defines(&mut self, sum: ExprId, meaning: &mut FxHashMap<VarId, ExprId>) -> bool {
        let vars = self.smt.pool.free_vars(&[sum]);
        let unknown: Vec<VarId> =
            vars.into_iter().filter(|var| !meaning.contains_key(var)).collect();
        let [unknown] = unknown[..] else { return false };
        let (part, width) = (self.smt.pool.var_expr(unknown), self.smt.pool.width(sum));
        if self.smt.pool.var_sort(unknown) != Sort::Bits(width) {
            return false;
        }
        let zero = self.smt.pool.constant(0, width);
        let rest = self.smt.pool.substitute(sum, &FxHashMap::from_iter([(unknown, zero)]));
        let named = self.smt.pool.substitute(rest, meaning);
        let value = if self.smt.pool.add(part, rest) == sum {
            self.smt.pool.neg(named)
        } else if self.smt.pool.sub(rest, part) == sum {
            named
        } else {
            return false;
        };
        meaning.insert(unknown, value);
        true
    }

    /// Adds a way, unless another one says less and so covers it.
    fn add_way(&mut self, ways: &mut Vec<Vec<Said>>, way: Vec<Said>) {
        if ways.iter().any(|known| self.covers(known, &way)) {
            return;
        }
        ways.retain(|known| !self.covers(&way, known));
        ways.push(way);
    }

    /// Whether all that `general` says follows from `special`.
    fn covers(&mut self, general: &[Said], special: &[Said]) -> bool {
        let mut question: Vec<ExprId> = special.iter().map(|said| said.condition).collect();
        let nots: Vec<ExprId> =
            general.iter().map(|said| self.smt.pool.not(said.condition)).collect();
        question.push(self.smt.pool.or_all(&nots));
        matches!(self.smt.check(&question, &QUICK), Answer::Unsat(_))
    }

    /// Leaves out what the others say.
    fn shorten(&mut self, said: &mut Vec<Said>) {
        if said.len() > MOST_CONDITIONS {
            return;
        }
        // What is long is given up first.
        let mut order = said.clone();
        order.sort_by_key(|said| std::cmp::Reverse(said.text.len()));
        for Said { condition, .. } in order {
            let others =
                said.iter().map(|known| known.condition).filter(|&known| known != condition);
            let mut question: Vec<ExprId> = others.collect();
            question.push(self.smt.pool.not(condition));
            if matches!(self.smt.check(&question, &QUICK), Answer::Unsat(_)) {
                said.retain(|known| known.condition != condition);
            }
        }
    }

    /// The numbers that make up a variable.
    fn parts_of(
        &mut self,
        state: &State,
        named: &Named,
        live: &FxHashSet<Operand>,
        parts: &mut Vec<Part>,
    ) {
        let mut copy = state.clone();
        let instance = match named.home {
            Home::Value(operand) => {
                let Ok(value) = self.operand(&mut copy, operand) else { return };
                let (Some(value), Some(ty)) = (value.bits(), self.c_int(named.ty)) else { return };
                let is_live = live.contains(&operand);
                let is_named = is_live || self.is_parameter(operand);
                if is_named && self.smt.pool.width(value) == ty.bits {
                    let name = CName { text: named.name.clone(), ty };
                    let is_carried = is_live && self.is_phi(operand);
                    self.add_part(name, value, is_carried, parts);
                }
                return;
            }
            Home::Memory(address) => {
                let Ok(address) = self.bits(&mut copy, address) else { return };
                let Some((instance, 0)) = self.pointee(address) else { return };
                instance
            }
            Home::Global(global) => self.global_instance(global),
        };
        self.numbers_in(state, instance, &named.name, parts);
    }

    /// The numbers that were written to an object.
    fn numbers_in(&mut self, state: &State, instance: Instance, name: &str, parts: &mut Vec<Part>) {
        let Some(object) = state.memory.get(instance) else { return };
        if object.life != Life::Live || self.stride(state, instance).is_some() {
            return;
        }
        for (&offset, cell) in &object.cells.clone() {
            let Some((part, ty)) = self.part_at(state, instance, offset) else { continue };
            if let Some(ty) = self.c_int(Some(ty)).filter(|ty| ty.bits == cell.bytes * 8) {
                let name = CName { text: format!("{name}{part}"), ty };
                self.add_part(name, cell.value, true, parts);
            }
        }
    }

    fn add_part(&mut self, name: CName, value: ExprId, is_carried: bool, parts: &mut Vec<Part>) {
        if !self.speaks_of_addresses(value) {
            parts.push(Part { name, value, is_carried });
        }
    }

    fn is_parameter(&self, operand: Operand) -> bool {
        let Operand::Value(value) = operand else { return false };
        matches!(self.program.values[value].def, crate::ir::Def::Param { .. })
    }

    fn is_phi(&self, operand: Operand) -> bool {
        matches!(self.program.defined_by(operand), Some(crate::ir::Inst::Phi { .. }))
    }

    /// The type, if it is an integer.
    pub(super) fn c_int(&self, ty: Option<CTypeId>) -> Option<CInt> {
        let ty = self.program.debug.plain(ty?)?;
        Some(match &self.program.debug.ctypes[ty] {
            CType::Base { bits, encoding, .. } => {
                let is_signed = match encoding {
                    Encoding::Signed | Encoding::SignedChar => true,
                    Encoding::Unsigned | Encoding::UnsignedChar => false,
                    Encoding::Bool | Encoding::Float | Encoding::Other => return None,
                };
                CInt { bits: u32::try_from(*bits).ok()?, is_signed }
            }
            CType::Enum { bits, values, .. } => {
                let is_signed = values.iter().any(|(_, value)| *value < 0);
                CInt { bits: u32::try_from(*bits).ok()?, is_signed }
            }
            _ => return None,
        })
    }
}
