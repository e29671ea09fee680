//! Functions that only compute: they are given numbers, return a number, and neither they nor what they call touch
//! memory. What such a call returns depends on what it is given alone, so calls with known numbers are tabulated.
//!
//! Invariant: a row of the table stands for a call that came back without any choice or input on the way. A call that
//! violates an obligation does not come back, so nothing is missed by using the row.

use super::library::{Effect, effect};
use super::machine::{Inputs, Machine, Replay, Step};
use super::state::{Frame, State};
use super::value::Value;
use crate::ir::{Callee, FuncId, Inst, List, Operand, Program, Type};
use crate::smt::ExprId;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use std::rc::Rc;

/// More functions than this are not looked through.
const MOST_FUNCTIONS: usize = 16;

/// Rows of the table: each is a few words.
const MOST_ROWS: usize = 1 << 20;

/// What is known of a function that only computes.
#[derive(Debug)]
pub(super) struct Plain {
    /// Inputs of the program, or values that were never set, decide beside what it is given.
    pub(super) reads_inputs: bool,
    /// The functions that call it and that it calls, with itself; none if it is not recursive.
    pub(super) group: BTreeSet<FuncId>,
}

/// The functions looked at so far, and the calls that came back.
#[derive(Debug, Default)]
pub(super) struct Plains {
    known: FxHashMap<FuncId, Option<Rc<Plain>>>,
    rows: FxHashMap<(FuncId, Box<[ExprId]>), ExprId>,
    /// Paths are followed that no execution takes, so what comes back on them says nothing.
    pub(super) is_off: bool,
}

impl Machine<'_> {
    /// What is known of `func` if it only computes.
    pub(super) fn plain(&mut self, func: FuncId) -> Option<Rc<Plain>> {
        if let Some(known) = self.plains.known.get(&func) {
            return known.clone();
        }
        let plain = self.look_through(func).map(Rc::new);
        self.plains.known.insert(func, plain.clone());
        plain
    }

    fn look_through(&self, func: FuncId) -> Option<Plain> {
        let mut calls: FxHashMap<FuncId, BTreeSet<FuncId>> = FxHashMap::default();
        let mut reads_inputs = false;
        let mut waiting = vec![func];
        while let Some(next) = waiting.pop() {
            if calls.contains_key(&next) {
                continue;
            }
            if calls.len() == MOST_FUNCTIONS || !self.takes_numbers(next) {
                return None;
            }
            let mut callees = BTreeSet::new();
            let program = self.program;
            let insts =
                program.funcs[next].blocks.iter().flat_map(|b| program.blocks[b].insts.iter());
            for inst in insts {
                let inst = &program.insts[inst].inst;
                reads_inputs |= matches!(inst, Inst::Uninit | Inst::Freeze { .. });
                match callee(program, inst)? {
                    None => {}
                    Some(callee) if !program.funcs[callee].blocks.is_empty() => {
                        callees.insert(callee);
                    }
                    Some(callee) => match effect(&program.funcs[callee].name)? {
                        Effect::None => {}
                        Effect::Input => reads_inputs = true,
                    },
                }
            }
            waiting.extend(&callees);
            calls.insert(next, callees);
        }
        let reaches = |from: FuncId| {
            let mut seen = BTreeSet::new();
            let mut waiting: Vec<FuncId> = calls[&from].iter().copied().collect();
            while let Some(next) = waiting.pop() {
                if seen.insert(next) {
                    waiting.extend(&calls[&next]);
                }
            }
            seen
        };
        let ahead = reaches(func);
        let group = ahead.into_iter().filter(|&other| reaches(other).contains(&func)).collect();
        Some(Plain { reads_inputs, group })
    }

    /// Whether all parameters and the result are numbers.
    fn takes_numbers(&self, func: FuncId) -> bool {
        let function = &self.program.funcs[func];
        let is_number = |ty| self.scalar_bits(ty).is_some() && !self.is_pointer_type(ty);
        !function.variadic
            && function.params.iter().all(|param| is_number(self.program.values[param].ty))
            && (is_number(function.result)
                || self.program.types.get(function.result) == &Type::Void)
    }

    /// What a call returns that came back before.
    pub(super) fn tabulated(
        &mut self,
        state: &mut State,
        func: FuncId,
        args: List<Operand>,
    ) -> Step<Option<ExprId>> {
        if self.plains.is_off || self.plains.rows.is_empty() || !self.is_passed(func) {
            return Ok(None);
        }
        let mut given = Vec::new();
        for &arg in self.program.operands(args) {
            given.push(self.bits(state, arg)?);
        }
        Ok(self.plains.rows.get(&(func, given.into())).copied())
    }

    /// Whether calls are passed that came back before. Whoever reads a trace wants to see them, unless they nest
    /// deeper and deeper; and a path that is known by how many steps it has must be walked step by step.
    fn is_passed(&mut self, func: FuncId) -> bool {
        let is_counted = |replay: &Replay| matches!(replay.inputs, Inputs::Drawn(_));
        if self.replay.as_ref().is_some_and(is_counted) {
            return false;
        }
        let is_walked = self.replay.is_some();
        self.plain(func).is_some_and(|plain| !is_walked || !plain.group.is_empty())
    }

    /// A call comes back.
    pub(super) fn tabulate(&mut self, frame: &Frame, value: Option<&Value>) {
        let Some(&Value::Bits(value)) = value.filter(|_| !self.plains.is_off) else { return };
        let is_known = |e: ExprId| self.smt.pool.as_const(e).is_some();
        if self.replay.is_some() || self.plains.rows.len() >= MOST_ROWS || !is_known(value) {
            return;
        }
        let given: Option<Box<[ExprId]>> =
            frame.entry.args.iter().map(|arg| arg.bits().filter(|&e| is_known(e))).collect();
        let Some(given) = given else { return };
        if self.plain(frame.func).is_some_and(|plain| !plain.reads_inputs) {
            self.plains.rows.insert((frame.func, given), value);
        }
    }

    /// Tells apart what a recursive function is given, if the path allows only a few numbers.
    pub(super) fn settle_recursion(
        &mut self,
        state: &mut State,
        func: FuncId,
        args: List<Operand>,
    ) -> Step<()> {
        if self.replay.is_some() || self.ghosts.is_some() {
            return Ok(());
        }
        if self.plain(func).is_some_and(|plain| !plain.reads_inputs && !plain.group.is_empty()) {
            for &arg in self.program.operands(args) {
                self.settle_if_near(state, arg)?;
            }
        }
        Ok(())
    }
}

/// The function that an instruction calls, if any; `None` if it does more than compute.
fn callee(program: &Program, inst: &Inst) -> Option<Option<FuncId>> {
    match *inst {
        Inst::Call { callee: Callee::Direct(func), args } => {
            let is_number = |&operand: &Operand| !program.is_pointer(operand);
            let is_defined = !program.funcs[func].blocks.is_empty();
            (!is_defined || program.operands(args).iter().all(is_number)).then_some(Some(func))
        }
        Inst::Binary { .. }
        | Inst::Overflow { .. }
        | Inst::IntCmp { .. }
        | Inst::FloatCmp { .. }
        | Inst::Cast { .. }
        | Inst::Pure { .. }
        | Inst::Select { .. }
        | Inst::Freeze { .. }
        | Inst::Phi { .. }
        | Inst::Uninit
        | Inst::Extract { .. }
        | Inst::Insert { .. }
        | Inst::Check { .. }
        | Inst::Assume { .. }
        | Inst::Jump { .. }
        | Inst::Branch { .. }
        | Inst::Switch { .. }
        | Inst::Return { .. }
        | Inst::Unreachable => Some(None),
        Inst::Call { callee: Callee::Indirect(_), .. }
        | Inst::ExtractElement { .. }
        | Inst::InsertElement { .. }
        | Inst::Shuffle { .. }
        | Inst::Alloca { .. }
        | Inst::Load { .. }
        | Inst::Store { .. }
        | Inst::Gep { .. }
        | Inst::MemCopy { .. }
        | Inst::MemSet { .. }
        | Inst::AtomicRmw { .. }
        | Inst::CmpXchg { .. }
        | Inst::Fence
        | Inst::LifetimeStart { .. }
        | Inst::LifetimeEnd { .. }
        | Inst::StackSave
        | Inst::StackRestore { .. }
        | Inst::VaStart { .. }
        | Inst::VaEnd { .. }
        | Inst::VaCopy { .. }
        | Inst::VaArg { .. }
        | Inst::IndirectJump { .. }
        | Inst::Unsupported { .. } => None,
    }
}
