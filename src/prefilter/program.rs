//! What callers know of what they give and callees find out about it, over the whole program.
//!
//! Every function begins with all facts at its borders and loses those that some call or return does not have; what
//! is left holds by induction over the length of executions.

use super::Asked;
use super::body::{Body, Summaries};
use super::facts::Set;
use super::known::{Known, Summary};
use super::memory::Memory;
use super::whole::Whole;
use crate::ir::{FuncId, Inst, InstId, Program};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::VecDeque;

/// Each function is looked at so often at most; then nothing is known at its borders.
const MOST_VISITS: u32 = 24;
/// After so many, ranges no longer grow step by step.
const WIDENED: u32 = 4;

pub fn solve<'a>(
    program: &'a Program,
    whole: &'a Whole,
    asked: &'a Asked,
    may_fail: bool,
) -> (FxHashMap<FuncId, Body<'a>>, Summaries) {
    let mut solver = Solver {
        program,
        whole,
        asked,
        may_fail,
        bodies: FxHashMap::default(),
        summaries: Summaries::default(),
        memory: Memory::new(program, whole),
        callers: FxHashMap::default(),
        visits: FxHashMap::default(),
        waiting: VecDeque::new(),
        is_waiting: FxHashSet::default(),
    };
    solver.run();
    (solver.bodies, solver.summaries)
}

struct Solver<'a> {
    program: &'a Program,
    whole: &'a Whole,
    asked: &'a Asked,
    may_fail: bool,
    bodies: FxHashMap<FuncId, Body<'a>>,
    summaries: Summaries,
    memory: Memory<'a>,
    /// As far as they were looked at.
    callers: FxHashMap<FuncId, FxHashSet<FuncId>>,
    visits: FxHashMap<FuncId, u32>,
    waiting: VecDeque<FuncId>,
    is_waiting: FxHashSet<FuncId>,
}

impl<'a> Solver<'a> {
    fn run(&mut self) {
        for &func in &self.whole.points_to.reachable {
            let params = self.program.funcs[func].params.iter().count();
            let mut summary = Summary::all(params);
            if self.whole.starts.contains(&func) {
                summary.entry.fill(Known::NOTHING);
                self.wait(func);
            }
            self.summaries.insert(func, summary);
        }
        while let Some(func) = self.waiting.pop_front() {
            self.is_waiting.remove(&func);
            self.visit(func);
        }
        // What was never reached by a call has facts that nobody confirmed.
        for &func in &self.whole.points_to.reachable {
            if !self.visits.contains_key(&func) {
                if let Some(summary) = self.summaries.get_mut(&func) {
                    summary.entry.fill(Known::NOTHING);
                }
                self.visit(func);
            }
        }
        while let Some(func) = self.waiting.pop_front() {
            self.is_waiting.remove(&func);
            self.visit(func);
        }
    }

    fn wait(&mut self, func: FuncId) {
        if !self.program.funcs[func].blocks.is_empty() && self.is_waiting.insert(func) {
            self.waiting.push_back(func);
        }
    }

    fn visit(&mut self, func: FuncId) {
        let visits = self.visits.entry(func).or_default();
        *visits += 1;
        let is_tired = *visits > MOST_VISITS;
        let (program, whole) = (self.program, self.whole);
        let mut body = self
            .bodies
            .remove(&func)
            .unwrap_or_else(|| Body::new(program, Some(whole), func, self.asked, self.may_fail));
        body.solve(&self.summaries, Some(&self.memory));
        for block in program.funcs[func].blocks.iter() {
            let Some(mut set) = body.entered(block).cloned() else { continue };
            for inst in program.blocks[block].insts.iter() {
                self.look_at(inst, &mut body, &set);
                if body.is_end(inst) {
                    break;
                }
                body.step(inst, &mut set, &self.summaries);
            }
        }
        let (exit, result) = body.at_end(&self.summaries);
        self.bodies.insert(func, body);
        let Some(summary) = self.summaries.get_mut(&func) else { return };
        let (mut exit, mut result) = (exit, result);
        for (new, old) in exit.iter_mut().zip(&summary.exit) {
            *new = new.meet(*old);
        }
        result = result.meet(summary.result);
        if self.visits.get(&func).is_some_and(|&visits| visits > WIDENED) {
            result = result.widened(summary.result);
        }
        if is_tired {
            exit.fill(Known::NOTHING);
            result = Known::NOTHING;
        }
        if summary.exit != exit || summary.result != result {
            summary.exit = exit;
            summary.result = result;
            let mut callers: Vec<FuncId> =
                self.callers.get(&func).into_iter().flatten().copied().collect();
            callers.sort_unstable();
            callers.into_iter().for_each(|caller| self.wait(caller));
        }
    }

    /// Hands on what a function stores or gives to others.
    fn look_at(&mut self, inst: InstId, body: &mut Body<'a>, set: &Set) {
        let program = self.program;
        match program.insts[inst].inst {
            Inst::Store { value: stored, .. } | Inst::MemSet { byte: stored, .. } => {
                let known = body.known(stored, inst, set);
                for func in self.memory.stored(inst, known) {
                    self.wait(func);
                }
            }
            Inst::Call { args, .. } => {
                let callees = self.whole.points_to.callees(inst);
                // What a library function calls back gets other arguments.
                let is_plain = !callees.unknown
                    && callees.funcs.iter().all(|&f| !program.funcs[f].blocks.is_empty());
                let args = program.operands(args);
                // What is demanded of an argument answers for what the callee does with it.
                let mut demanded = set.clone();
                body.demanded(inst, &mut demanded);
                let known: Vec<Known> =
                    args.iter().map(|&arg| body.known(arg, inst, &demanded)).collect();
                for callee in self.whole.bodies(program, inst) {
                    let params = program.funcs[callee].params.iter();
                    let given: Vec<Known> = params
                        .enumerate()
                        .map(|(index, param)| match (args.get(index), known.get(index)) {
                            (Some(&arg), Some(&known))
                                if is_plain
                                    && program.operand_type(arg) == program.values[param].ty =>
                            {
                                known
                            }
                            _ => Known::NOTHING,
                        })
                        .collect();
                    self.enter(callee, body.func, &given);
                }
            }
            _ => {}
        }
    }

    /// A call with what is known of its arguments.
    fn enter(&mut self, callee: FuncId, caller: FuncId, args: &[Known]) {
        self.callers.entry(callee).or_default().insert(caller);
        let visits = self.visits.get(&callee).copied();
        let Some(summary) = self.summaries.get_mut(&callee) else { return };
        let mut changed = false;
        for (index, entry) in summary.entry.iter_mut().enumerate() {
            let mut met = entry.meet(args.get(index).copied().unwrap_or(Known::NOTHING));
            if visits.is_some_and(|visits| visits > WIDENED) {
                met = met.widened(*entry);
            }
            if visits.is_some_and(|visits| visits > MOST_VISITS / 2) {
                met.bytes = if met.bytes == entry.bytes { met.bytes } else { (0, 0) };
            }
            if visits.is_some_and(|visits| visits > MOST_VISITS) && met != *entry {
                met = Known::NOTHING;
            }
            changed |= met != *entry;
            *entry = met;
        }
        if changed || visits.is_none() {
            self.wait(callee);
        }
    }
}
