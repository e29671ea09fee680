//! What holds at each place of one function: a forward analysis that keeps what is true on every way.
//!
//! An execution ends where it accesses memory that is not there, so behind an access its pointer is good: into
//! an object, the bytes inside it, and alive until something may end its life. What was demanded before needs not be
//! demanded again. What callers know comes in by the parameters, what callees found out by what
//! they were given.

use super::facts::{Fact, Set, Universe};
use super::guards::Guards;
use super::known::{Known, Summary};
use super::lives::Lives;
use super::memory::Memory;
use super::numbers::{Made, Number, Numbers};
use super::ranges::Leaves;
use super::useful::Useful;
use super::whole::{Whole, external, insts};
use super::{Asked, objects};
use crate::ir::cfg::Cfg;
use crate::ir::{BlockId, Const, Def, FuncId, Inst, InstId, Operand, Program, ValueId};
use crate::library::accesses::Extent;
use crate::pta::ObjectKind;
use crate::rules::Demand;
use crate::rules::memory::touched;
use rustc_hash::FxHashMap;

/// Passes over a function after which loops no longer carry bounds of pointers …
const BOUNDED: usize = 6;
/// … and after which nothing is known of it.
const MOST_PASSES: usize = 60;

/// Allocations that succeed unless the user says otherwise.
const GRANTS: &[&str] = &["malloc", "calloc", "__builtin_malloc", "valloc", "strdup"];

/// Those and others return the start of something allocated, or null.
const ALLOCATES: &[&str] = &["realloc", "aligned_alloc", "memalign"];

pub struct Body<'a> {
    pub program: &'a Program,
    pub whole: Option<&'a Whole>,
    pub func: FuncId,
    pub numbers: Numbers,
    pub universe: Universe,
    cfg: Cfg,
    order: Vec<usize>,
    useful: Useful,
    asked: &'a Asked,
    may_fail: bool,
    pub(super) lives: Lives,
    pub(super) guards: Guards,
    pub(super) leaves: Leaves,
    /// What memory is known to hold where it is loaded.
    loaded: FxHashMap<InstId, Known>,
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
            guards: Guards::new(program, func),
            leaves: Leaves::default(),
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
                *known = known.meet(self.facts(Operand::Value(param), last, &set));
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
            self.step(inst, &mut set, summaries);
        }
        Some(set)
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
        self.loaded.clear();
        let params = self.program.funcs[self.func].params;
        if let Some(summary) = summaries.get(&self.func) {
            let ranges = summary.entry.iter().map(|known| known.range);
            self.leaves.extend(params.iter().zip(ranges));
        }
        let (Some(memory), false) = (memory, self.twice) else { return };
        for inst in insts(self.program, self.func) {
            let Some(result) = self.program.insts[inst].result.expand() else { continue };
            match self.program.insts[inst].inst {
                Inst::Load { access, .. } if !access.volatile && !access.atomic => {
                    let known = memory.loaded(inst);
                    self.leaves.insert(result, known.range);
                    self.loaded.insert(inst, known);
                }
                Inst::Call { .. } => {
                    if let Some(known) = self.returned(inst, summaries) {
                        self.leaves.insert(result, known.range);
                    }
                }
                _ => {}
            }
        }
    }

    /// What all bodies that a call may run return.
    fn returned(&self, call: InstId, summaries: &Summaries) -> Option<Known> {
        let bodies = self.callees(call)?;
        let known = bodies.iter().filter_map(|func| summaries.get(func)).map(|s| s.result);
        Some(known.fold(Known::ALL, Known::meet))
    }

    /// The functions a call may run, if all of them have a body.
    fn callees(&self, call: InstId) -> Option<Vec<FuncId>> {
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
                let mut set = self.arriving(number, summaries, pass);
                self.ins[number] = Some(set.clone());
                for inst in self.program.blocks[self.cfg.block(number)].insts.iter() {
                    self.step(inst, &mut set, summaries);
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

    fn arriving(&mut self, number: usize, summaries: &Summaries, pass: usize) -> Set {
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
                let cond = self.number(cond);
                set.add(self.universe.intern(Fact::Holds(cond, then == here)));
            }
            match &mut sum {
                Some(sum) => sum.meet(&set),
                None => sum = Some(set.clone()),
            }
            ways.push((from, set));
        }
        let mut sum = sum.unwrap_or_default();
        if number != 0 {
            self.phis(here, &ways, pass, &mut sum);
        }
        sum
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

    /// Adds what is known of a value.
    fn learn(&mut self, operand: Operand, known: Known, set: &mut Set) {
        let number = self.number(operand);
        if self.program.is_pointer(operand) {
            let source = self.numbers.source(number);
            if known.object {
                set.add(self.universe.intern(Fact::Object(source)));
            }
            if known.live {
                set.add(self.universe.intern(Fact::Live(source)));
            }
            if known.start {
                set.add(self.universe.intern(Fact::Start(number)));
            }
            let (root, offset) = self.numbers.place(number);
            let range = (known.bytes.0.checked_add(offset), known.bytes.1.checked_add(offset));
            if let ((Some(lo), Some(hi)), true) = (range, known.bytes.0 < known.bytes.1) {
                set.add(self.universe.intern(Fact::Bytes(root, lo, hi)));
            }
        }
        if known.set {
            self.was_set(number, set);
        }
    }

    /// A sum with a constant is set exactly if the other part is.
    fn was_set(&mut self, number: Number, set: &mut Set) {
        let mut number = number;
        loop {
            set.add(self.universe.intern(Fact::Set(number)));
            match self.numbers.made[number] {
                Made::Behind(root, _) => number = root,
                Made::Cast(op, _, from) if objects::keeps_all(op) => number = from,
                _ => break,
            }
        }
    }

    /// What holds behind an instruction.
    pub fn step(&mut self, inst: InstId, set: &mut Set, summaries: &Summaries) {
        let data = self.program.insts[inst];
        let asked: &'a Asked = self.asked;
        for obligation in asked.get(&inst).map_or(&[][..], Vec::as_slice) {
            match obligation.demand {
                Demand::Set(operand) => {
                    let number = self.number(operand);
                    self.was_set(number, set);
                }
                Demand::NonZero(cond) => {
                    let cond = self.number(cond);
                    set.add(self.universe.intern(Fact::Holds(cond, true)));
                }
                Demand::NotReached
                | Demand::Equal(..)
                | Demand::Access { .. }
                | Demand::Free { .. }
                | Demand::Kept
                | Demand::Arguable(_)
                | Demand::Fits { .. }
                | Demand::Wraps { .. } => {}
            }
        }
        match data.inst {
            Inst::Call { .. } => self.call(inst, set, summaries),
            Inst::Unsupported { .. } => self.end_lives(inst, set),
            Inst::LifetimeEnd { object } => self.end_variable(object, set),
            Inst::StackRestore { .. } => self.end_all(set),
            Inst::Assume { cond } => {
                let cond = self.number(cond);
                set.add(self.universe.intern(Fact::Holds(cond, true)));
            }
            _ => {
                for (pointer, extent) in touched(self.program, inst) {
                    self.accessed(pointer, extent, set);
                }
                if let (Some(&known), Some(result)) = (self.loaded.get(&inst), data.result.expand())
                {
                    self.learn(Operand::Value(result), known, set);
                }
            }
        }
    }

    fn accessed(&mut self, pointer: Operand, extent: Extent, set: &mut Set) {
        let bytes = match extent {
            Extent::Bytes(bytes) => i64::try_from(bytes).unwrap_or(0),
            Extent::Times(count, unit) => {
                let count = count.constant().map(|count| self.program.consts.get(count));
                let Some(Const::Int(count)) = count else { return };
                let bytes = count.checked_mul(u128::from(unit));
                bytes.and_then(|bytes| i64::try_from(bytes).ok()).unwrap_or(0)
            }
            Extent::Open { least, .. } => i64::try_from(least).unwrap_or(0),
            Extent::Text { .. } | Extent::Hidden => return,
        };
        // An access of no bytes asks nothing.
        if bytes > 0 {
            let known = Known { bytes: (0, bytes), start: false, set: false, ..Known::ALL };
            self.learn(pointer, known, set);
        }
    }

    fn call(&mut self, inst: InstId, set: &mut Set, summaries: &Summaries) {
        self.end_lives(inst, set);
        let Inst::Call { args, .. } = self.program.insts[inst].inst else { return };
        let args = self.program.operands(args);
        let result = self.program.insts[inst].result.expand().map(Operand::Value);
        if let Some(name) = external(self.program, inst) {
            let Some(result) = result else { return };
            if GRANTS.contains(&name) && !self.may_fail {
                let known = Known { bytes: self.granted(name, args), set: false, ..Known::ALL };
                self.learn(result, known, set);
            } else if GRANTS.contains(&name) || ALLOCATES.contains(&name) {
                self.learn(result, Known { start: true, ..Known::NOTHING }, set);
            }
            return;
        }
        let Some(bodies) = self.callees(inst) else { return };
        let summary = |func: &FuncId| summaries.get(func);
        let met = |each: &dyn Fn(&Summary) -> Known| {
            let all = bodies.iter().filter_map(summary).map(each);
            all.fold(Known::ALL, Known::meet)
        };
        for (index, &arg) in args.iter().enumerate() {
            let known = met(&|s| s.exit.get(index).copied().unwrap_or(Known::NOTHING));
            self.learn(arg, Known { set: false, ..known }, set);
        }
        if let Some(result) = result {
            self.learn(result, met(&|summary| summary.result), set);
        }
    }

    fn granted(&self, name: &str, args: &[Operand]) -> (i64, i64) {
        let number = |index: usize| {
            let constant = args.get(index)?.constant()?;
            match self.program.consts.get(constant) {
                Const::Int(value) => i64::try_from(*value).ok(),
                _ => None,
            }
        };
        let size = match name {
            "calloc" => number(0).zip(number(1)).and_then(|(a, b)| a.checked_mul(b)),
            "strdup" => Some(1),
            _ => number(0),
        };
        (0, size.unwrap_or(0))
    }

    /// Forgets the lives that an instruction may end.
    fn end_lives(&mut self, inst: InstId, set: &mut Set) {
        let Some(whole) = self.whole else { return self.end_all(set) };
        let freed = whole.freed(self.program, inst);
        if freed.is_nothing() {
            return;
        }
        self.end(set, |value| whole.may_be(value, &freed));
    }

    fn end_variable(&mut self, variable: Operand, set: &mut Set) {
        let site = variable.value().and_then(|value| match self.program.values[value].def {
            Def::Inst(site) => Some(site),
            Def::Param { .. } => None,
        });
        let (Some(whole), Some(site)) = (self.whole, site) else { return self.end_all(set) };
        self.end(set, |value| {
            whole.objects(value).any(|object| {
                let kind = whole.points_to.objects[object].kind;
                matches!(kind, ObjectKind::Alloca { site: at, .. } if at == site)
            })
        });
    }

    fn end_all(&self, set: &mut Set) {
        self.end(set, |_| true);
    }

    /// Forgets the lives of what pointers such as these may point to.
    fn end(&self, set: &mut Set, may_be: impl Fn(ValueId) -> bool) {
        set.retain(|id| match self.universe.fact(id) {
            Fact::Live(source) => !self.numbers.value(source).is_none_or(&may_be),
            Fact::Object(_) | Fact::Bytes(..) | Fact::Start(_) | Fact::Set(_) | Fact::Holds(..) => {
                true
            }
        });
    }
}
