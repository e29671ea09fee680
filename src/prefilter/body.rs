//! What holds at each place of one function: a forward analysis that keeps what is true on every way. What callers
//! know comes in by the parameters; [`super::steps`] says what an instruction adds and takes away.

use super::Asked;
use super::facts::{Fact, Set, Universe};
use super::guards::Guards;
use super::known::{Known, Summary};
use super::lives::Lives;
use super::memory::Memory;
use super::numbers::{Number, Numbers};
use super::range::Range;
use super::ranges::Leaves;
use super::useful::Useful;
use super::whole::{Whole, insts};
use crate::ir::cfg::Cfg;
use crate::ir::{BlockId, FuncId, Inst, InstId, Operand, Program, ValueId};
use crate::pta::ObjectKind;
use rustc_hash::FxHashMap;
use std::cell::RefCell;

/// Passes over a function after which loops no longer carry bounds of pointers …
const BOUNDED: usize = 6;
/// … and after which nothing is known of it.
const MOST_PASSES: usize = 60;

pub struct Body<'a> {
    pub program: &'a Program,
    pub whole: Option<&'a Whole>,
    pub func: FuncId,
    pub numbers: Numbers,
    pub universe: Universe,
    cfg: Cfg,
    order: Vec<usize>,
    useful: Useful,
    pub(super) asked: &'a Asked,
    pub(super) may_fail: bool,
    pub(super) lives: Lives,
    pub(super) guards: Guards,
    pub(super) leaves: Leaves,
    /// How far behind the start of their object pointers lie that come from elsewhere.
    pub(super) placed: Leaves,
    /// The same of those that several ways bring, as far as it was asked for.
    pub(super) joined: RefCell<Leaves>,
    /// What branches always decide, as far as it was asked.
    decided: FxHashMap<BlockId, Option<bool>>,
    /// What memory is known to hold where it is loaded.
    pub(super) loaded: FxHashMap<InstId, Known>,
    /// It may come back to a place with what it freed since.
    pub(super) twice: bool,
    outs: Vec<Option<Set>>,
    pub ins: Vec<Option<Set>>,
}

pub type Summaries = FxHashMap<FuncId, Summary>;

impl<'a> Body<'a> {
    pub fn new(
        program: &'a Program,
        whole: Option<&'a Whole>,
        func: FuncId,
        asked: &'a Asked,
        may_fail: bool,
    ) -> Self {
        let cfg = Cfg::new(program, func);
        let mut numbers = Numbers::new(program, func, &cfg, whole);
        let order = super::numbers::order(&cfg);
        let useful = Useful::new(program, func, &cfg, &order, &mut numbers);
        let (universe, lives) = (Universe::default(), Lives::default());
        let (ins, outs) = (vec![None; cfg.len()], vec![None; cfg.len()]);
        Body {
            program,
            whole,
            func,
            numbers,
            universe,
            cfg,
            order,
            useful,
            asked,
            may_fail,
            lives,
            guards: Guards::new(program, func, asked),
            leaves: Leaves::default(),
            placed: Leaves::default(),
            joined: RefCell::default(),
            decided: FxHashMap::default(),
            loaded: FxHashMap::default(),
            twice: super::numbers::returns_twice(program, func),
            outs,
            ins,
        }
    }

    /// What holds where the function returns.
    pub fn at_end(&mut self, summaries: &Summaries) -> (Vec<Known>, Known) {
        let params = self.program.funcs[self.func].params;
        let mut exit = vec![Known::ALL; params.iter().count()];
        let mut result = Known::ALL;
        for number in self.order.clone() {
            let Some(last) = self.program.terminator(self.cfg.block(number)) else { continue };
            let Inst::Return { value } = self.program.insts[last].inst else { continue };
            let Some(set) = self.before(last, summaries) else { continue };
            for (known, param) in exit.iter_mut().zip(params.iter()) {
                let here = self.facts(Operand::Value(param), last, &set);
                *known = known.meet(Known { offset: Range::ANY, ..here });
            }
            if let Some(value) = value {
                let mut known = self.known(value, last, &set);
                // Its own variables are gone then.
                known.live &= !self.may_be_own(value);
                result = result.meet(known);
            }
        }
        (exit, result)
    }

    fn may_be_own(&self, pointer: Operand) -> bool {
        let Some(whole) = self.whole else { return true };
        let set = whole.points_to.set_of(pointer);
        whole.points_to.members(set).any(|at| {
            let object = whole.points_to.locations[at].object;
            match whole.points_to.objects[object].kind {
                ObjectKind::Alloca { site, .. } => self.program.func_of(site) == self.func,
                ObjectKind::Varargs { func, .. } => func == self.func,
                ObjectKind::Unknown
                | ObjectKind::Literals
                | ObjectKind::Arguments
                | ObjectKind::ArgumentStrings
                | ObjectKind::Global(_)
                | ObjectKind::Func(_)
                | ObjectKind::Heap { .. }
                | ObjectKind::Static(_) => false,
            }
        })
    }

    /// What holds right before an instruction, unless it is never reached.
    pub fn before(&mut self, at: InstId, summaries: &Summaries) -> Option<Set> {
        let block = self.program.insts[at].block;
        let mut set = self.entered(block)?.clone();
        for inst in self.program.blocks[block].insts.iter().take_while(|&inst| inst != at) {
            if self.is_end(inst) {
                return None;
            }
            self.step(inst, &mut set, summaries);
        }
        Some(set)
    }

    /// Whether nothing behind an instruction is executed because of it. In a function that is come back to by a jump, that is
    /// not said of anything.
    pub fn is_end(&self, inst: InstId) -> bool {
        !self.twice && self.whole.is_some_and(|whole| whole.is_end(self.program, inst))
    }

    pub fn number(&mut self, operand: Operand) -> Number {
        self.numbers.of(self.program, operand)
    }

    /// What holds where `block` is entered, unless it never is.
    pub fn entered(&self, block: BlockId) -> Option<&Set> {
        self.ins[self.cfg.number(block)].as_ref()
    }

    /// Takes over what is known of values that come from elsewhere.
    fn take_over(&mut self, summaries: &Summaries, memory: Option<&Memory<'_>>) {
        self.leaves.clear();
        self.placed.clear();
        self.joined.borrow_mut().clear();
        self.decided.clear();
        self.loaded.clear();
        let params = self.program.funcs[self.func].params;
        if let Some(summary) = summaries.get(&self.func) {
            let ranges = summary.entry.iter().map(|known| known.range);
            self.leaves.extend(params.iter().zip(ranges));
            let offsets = summary.entry.iter().map(|known| known.offset);
            self.placed.extend(params.iter().zip(offsets));
        }
        let (Some(memory), false) = (memory, self.twice) else { return };
        for inst in insts(self.program, self.func) {
            let Some(result) = self.program.insts[inst].result.expand() else { continue };
            match self.program.insts[inst].inst {
                Inst::Load { access, .. } if !access.volatile && !access.atomic => {
                    let known = memory.loaded(inst);
                    self.takes(result, known);
                    self.loaded.insert(inst, known);
                }
                Inst::Call { .. } => {
                    if let Some(known) = self.returned(inst, summaries) {
                        self.takes(result, known);
                    }
                }
                _ => {}
            }
        }
    }

    fn takes(&mut self, value: ValueId, known: Known) {
        match self.program.is_pointer(Operand::Value(value)) {
            true => self.placed.insert(value, known.offset),
            false => self.leaves.insert(value, known.range),
        };
    }

    /// What all bodies that a call may run return.
    fn returned(&self, call: InstId, summaries: &Summaries) -> Option<Known> {
        let bodies = self.callees(call)?;
        let known = bodies.iter().filter_map(|func| summaries.get(func)).map(|s| s.result);
        Some(known.fold(Known::ALL, Known::meet))
    }

    /// The functions a call may run, if all of them have a body.
    pub(super) fn callees(&self, call: InstId) -> Option<Vec<FuncId>> {
        let whole = self.whole?;
        let callees = whole.points_to.callees(call);
        let bodies = whole.bodies(self.program, call);
        let result = self.program.insts[call].result.expand().map(|v| self.program.values[v].ty);
        let is_alike =
            |func: &FuncId| result.is_none_or(|result| result == self.program.funcs[*func].result);
        let is_known = !callees.unknown
            && bodies.len() == callees.funcs.len()
            && !bodies.is_empty()
            && bodies.iter().all(is_alike);
        is_known.then_some(bodies)
    }

    /// Finds what holds where each block begins.
    pub fn solve(&mut self, summaries: &Summaries, memory: Option<&Memory<'_>>) {
        self.take_over(summaries, memory);
        self.outs.fill(None);
        self.ins.fill(None);
        for pass in 0..MOST_PASSES {
            let mut changed = false;
            for index in 0..self.order.len() {
                let number = self.order[index];
                // No way comes here, as far as was seen.
                let Some(mut set) = self.arriving(number, summaries, pass) else { continue };
                self.ins[number] = Some(set.clone());
                let mut insts = self.program.blocks[self.cfg.block(number)].insts.iter();
                let is_left = insts.all(|inst| {
                    self.step(inst, &mut set, summaries);
                    !self.is_end(inst)
                });
                if !is_left {
                    continue;
                }
                self.useful.trim(&self.universe, index, &mut set);
                if self.outs[number].as_ref() != Some(&set) {
                    self.outs[number] = Some(set);
                    changed = true;
                }
            }
            if !changed {
                return;
            }
        }
        self.ins.fill(Some(Set::default()));
        self.outs.fill(Some(Set::default()));
    }

    fn arriving(&mut self, number: usize, summaries: &Summaries, pass: usize) -> Option<Set> {
        let here = self.cfg.block(number);
        let mut sum: Option<Set> = None;
        if number == 0 {
            sum = Some(self.at_entry(summaries));
        }
        let mut ways: Vec<(BlockId, Set)> = Vec::new();
        for index in 0..self.cfg.predecessors(number).len() {
            let from = self.cfg.predecessors(number)[index];
            let Some(mut set) = self.outs[from].clone() else { continue };
            let from = self.cfg.block(from);
            let last = self.program.terminator(from).map(|last| self.program.insts[last].inst);
            if let Some(Inst::Branch { cond, then, els, .. }) = last
                && then != els
            {
                // Nothing takes a way that contradicts what is known before it.
                let holds = then == here;
                if self.decided(cond, from) == Some(!holds) {
                    continue;
                }
                let cond = self.number(cond);
                if !self.implied(cond, holds, from, &mut set) {
                    continue;
                }
                set.add(self.universe.intern(Fact::Holds(cond, holds)));
            }
            match &mut sum {
                Some(sum) => sum.meet(&set),
                None => sum = Some(set.clone()),
            }
            ways.push((from, set));
        }
        let mut sum = sum?;
        if number != 0 {
            self.phis(here, &ways, pass, &mut sum);
        }
        Some(sum)
    }

    /// The value that a branch's condition has whenever its block runs, as far as ranges tell: they are the same in each pass.
    fn decided(&mut self, cond: Operand, block: BlockId) -> Option<bool> {
        if let Some(&known) = self.decided.get(&block) {
            return known;
        }
        let found = self.ranges().truth(cond, block);
        self.decided.insert(block, found);
        found
    }

    /// What is known of a value on each way is known where the ways meet.
    fn phis(&mut self, here: BlockId, ways: &[(BlockId, Set)], pass: usize, sum: &mut Set) {
        for inst in self.program.blocks[here].insts.iter() {
            let data = self.program.insts[inst];
            let Inst::Phi { incoming } = data.inst else { break };
            let Some(result) = data.result.expand() else { continue };
            let mut known = Known::ALL;
            for &(from, operand) in self.program.phi_pool.get(incoming) {
                let Some((_, set)) = ways.iter().find(|(block, _)| *block == from) else {
                    continue;
                };
                let Some(last) = self.program.terminator(from) else { continue };
                known = known.meet(self.facts(operand, last, set));
            }
            if pass >= BOUNDED {
                known.bytes = (0, 0);
            }
            self.learn(Operand::Value(result), known, sum);
        }
    }

    fn at_entry(&mut self, summaries: &Summaries) -> Set {
        let mut set = Set::default();
        let Some(summary) = summaries.get(&self.func) else { return set };
        for (param, known) in self.program.funcs[self.func].params.iter().zip(&summary.entry) {
            self.learn(Operand::Value(param), *known, &mut set);
        }
        set
    }
}
