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
use crate::ir::{Callee, FuncId, Inst, InstId, Operand, Program, Type, ValueId};
use crate::rules::Demand;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::VecDeque;

/// Each function is looked at so often at most; then nothing is known at its borders.
const MOST_VISITS: u32 = 24;
/// After so many, ranges no longer grow step by step.
const WIDENED: u32 = 4;

/// What callers outside the program give to functions.
pub type Given = FxHashMap<FuncId, Vec<Known>>;

pub fn solve<'a>(
    program: &'a Program,
    whole: &'a Whole,
    asked: &'a Asked,
    may_fail: bool,
    given: &Given,
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
    solver.run(given);
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
    fn run(&mut self, given: &Given) {
        for &func in &self.whole.points_to.reachable {
            let params = self.program.funcs[func].params.iter().count();
            let mut summary = Summary::all(params);
            if self.whole.outside.contains(&func) || given.contains_key(&func) {
                summary.entry = match given.get(&func) {
                    Some(entry) => entry.clone(),
                    None => self.given_outside(func),
                };
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

    /// What code outside the program gives to a function that it calls: arbitrary values, but they are set.
    fn given_outside(&self, func: FuncId) -> Vec<Known> {
        let params = self.program.funcs[func].params;
        let is_main = self.program.funcs[func].name == "main";
        let word = i64::from(self.program.machine.pointer_bits / 8);
        let given = |(index, param): (usize, ValueId)| match index {
            // The arrays that `main` gets have at least the null pointer at their ends.
            1 | 2 if is_main && self.program.is_pointer(Operand::Value(param)) => Known {
                object: true,
                or_null: true,
                bytes: (0, word),
                live: true,
                set: true,
                ..Known::NOTHING
            },
            _ => Known { set: true, ..Known::NOTHING },
        };
        params.iter().enumerate().map(given).collect()
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
                if set.is_dead() {
                    break;
                }
                self.look_at(inst, &mut body, &set);
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
            Inst::Call { args, callee } => {
                // What a function of the library hands to one that it calls back is arbitrary, but set.
                let by_library = match callee {
                    Callee::Direct(func) if program.funcs[func].blocks.is_empty() => {
                        Known { set: true, ..Known::NOTHING }
                    }
                    Callee::Direct(_) | Callee::Indirect(_) => Known::NOTHING,
                };
                let callees = self.whole.points_to.callees(inst);
                // What a library function calls back gets other arguments.
                let is_plain = !callees.unknown
                    && callees.funcs.iter().all(|&f| !program.funcs[f].blocks.is_empty());
                let args = program.operands(args);
                // What is not set is a violation of the call, before anything else is one.
                let asked = self.asked.get(&inst).map_or(&[][..], Vec::as_slice);
                let is_asked = |arg| asked.iter().any(|o| o.demand == Demand::Set(arg));
                let known = |&arg: &Operand| {
                    let known = body.known(arg, inst, set);
                    Known { set: known.set || is_asked(arg), ..known }
                };
                let known: Vec<Known> = args.iter().map(known).collect();
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
                            _ => by_library,
                        })
                        .collect();
                    self.enter(callee, body.func, &given);
                }
                self.enter_garbled(inst, body.func, args, &known);
            }
            _ => {}
        }
    }

    /// A call with too few arguments hands over those that there are, and else what happens to lie there. Where
    /// something is passed in another way than numbers and pointers are, nobody knows what arrives where.
    fn enter_garbled(&mut self, call: InstId, caller: FuncId, args: &[Operand], known: &[Known]) {
        let (program, whole) = (self.program, self.whole);
        for &callee in whole.garbled.get(&call).into_iter().flatten() {
            let params = program.funcs[callee].params;
            let is_plain = |ty| {
                let bits = program.types.scalar_bits(ty, program.machine.pointer_bits);
                bits.is_some_and(|bits| bits <= program.machine.pointer_bits)
                    && !matches!(program.types.get(ty), Type::Float(_))
            };
            let is_plain = args.iter().all(|&arg| is_plain(program.operand_type(arg)))
                && params.iter().all(|param| is_plain(program.values[param].ty));
            let given = params.iter().enumerate().map(|(index, param)| match args.get(index) {
                Some(&arg) if is_plain && program.operand_type(arg) == program.values[param].ty => {
                    known[index]
                }
                _ => Known::NOTHING,
            });
            let given: Vec<Known> = given.collect();
            self.enter(callee, caller, &given);
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
