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
const MOST_STATES: usize = 8;

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
        for ((func, head), met) in by_head {
            if met.len() > MOST_STATES || self.is_over() {
                continue;
            }
            let (loops, liveness) = (self.loops(func), self.liveness(func));
            let named = scope::at_head(self.machine.program, &loops, func, &met[0].body);
            let mut ways: Vec<Vec<String>> = Vec::new();
            for met in &met {
                let live = met.state.top().map(|frame| {
                    let live = liveness.at(self.machine.program, head, frame.at);
                    live.into_iter().map(Operand::Value).collect()
                });
                let said = self.machine.said(&met.state, &named, &live.unwrap_or_default());
                if !ways.contains(&said) {
                    ways.push(said);
                }
            }
            let conditions = joined(ways);
            if !conditions.is_empty() {
                all.push(LoopInvariant { func, head, conditions });
            }
        }
        all
    }
}

/// What holds whichever way it is.
fn joined(mut ways: Vec<Vec<String>>) -> Vec<String> {
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
    /// What a state says of the variables that can be named; those in `live` are used later.
    fn said(
        &mut self,
        state: &State,
        named: &[Named],
        live: &FxHashSet<Operand>,
    ) -> Vec<String> {
        let mut parts: Vec<Part> = Vec::new();
        for named in named {
            self.parts_of(state, named, live, &mut parts);
        }
        parts.sort_by_key(|part| !part.is_carried);
        let mut names: FxHashMap<VarId, CName> = FxHashMap::default();
        let mut conditions: Vec<ExprId> = Vec::new();
        for Part { name, value, is_carried } in parts {
            let node = self.smt.pool.node(value);
            if node.op == Op::Var && !names.contains_key(&node.var()) {
                names.insert(node.var(), name);
            } else if is_carried {
                let var = format!("the variable {}", name.text);
                let var = self.smt.pool.var(&var, Sort::Bits(name.ty.bits));
                names.insert(self.smt.pool.node(var).var(), name);
                conditions.push(self.smt.pool.eq(var, value));
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
        let name = |var: VarId| names.get(&var).cloned();
        let mut said: Vec<(ExprId, String)> = Vec::new();
        for condition in conditions {
            let is_new = said.iter().all(|(known, _)| *known != condition);
            if is_new && let Some(text) = self.smt.pool.c_condition(condition, &name) {
                said.push((condition, text));
            }
        }
        self.shortened(&mut said);
        said.into_iter().map(|(_, text)| text).collect()
    }

    /// Leaves out what the others say.
    fn shortened(&mut self, said: &mut Vec<(ExprId, String)>) {
        if said.len() > MOST_CONDITIONS {
            return;
        }
        let limits = Limits { work: 200_000, milliseconds: 50, ..Limits::default() };
        let mut index = 0;
        // What is long is given up first.
        let mut order: Vec<ExprId> = said.iter().map(|(condition, _)| *condition).collect();
        order.sort_by_key(|condition| {
            let text = said.iter().find(|(known, _)| known == condition);
            std::cmp::Reverse(text.map_or(0, |(_, text)| text.len()))
        });
        while let Some(&condition) = order.get(index) {
            index += 1;
            let others = said.iter().map(|(known, _)| *known).filter(|&known| known != condition);
            let mut question: Vec<ExprId> = others.collect();
            question.push(self.smt.pool.not(condition));
            if matches!(self.smt.check(&question, &limits), Answer::Unsat(_)) {
                said.retain(|(known, _)| *known != condition);
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
        let Operand::Value(value) = operand else { return false };
        match self.program.values[value].def {
            crate::ir::Def::Inst(inst) => {
                matches!(self.program.insts[inst].inst, crate::ir::Inst::Phi { .. })
            }
            crate::ir::Def::Param { .. } => false,
        }
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
