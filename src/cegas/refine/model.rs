//! The spatial flow model M = {Gc, Gs} of Definition 1, as an abstract machine: control flow is the program's, the
//! flow of addresses is Andersen's, and what is not tracked is ⊤.
//!
//! There is no second semantics of instructions here. A value is *explicit* if it is a number or an address in one
//! object; whatever else an operand is, it becomes an arbitrary value, and the exact machine executes the instruction on
//! it. Only where an instruction goes through a pointer that is not explicit is something else done: a load gives ⊤, a
//! store is a weak update of all that Andersen's analysis says the pointer may reach.
//!
//! Invariant: every execution of the exact machine is one of this one's. An execution ends here only where the
//! explicit values alone end it.

use super::Limit;
use super::lazily::Lazily;
use super::precision::{Precision, Variable};
use super::predicates::Terms;
use super::table::Written;
use crate::cegas::address::{Base, Place};
use crate::cegas::demand::is_unset;
use crate::cegas::liveness::Liveness;
use crate::cegas::machine::{Machine, Source, Step, gap};
use crate::cegas::memory::{Instance, Origin};
use crate::cegas::state::{Frame, State};
use crate::cegas::step::Flow;
use crate::cegas::value::Value;
use crate::ir::{BlockId, Callee, FuncId, Inst, InstId, List, Operand, ValueId};
use crate::library::accesses;
use crate::pta::PointsTo;
use crate::rules::Obligation;
use crate::sfg::{
    self,
    before::{Before, Callers},
};
use crate::smt::ExprId;
use cranelift_entity::EntitySet;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use std::rc::Rc;

pub(super) struct Model<'a> {
    pub machine: Machine<'a>,
    pub points_to: &'a PointsTo,
    pub entry: FuncId,
    /// φ: what must not be violated.
    pub target: Obligation,
    pub limit: Limit<'a>,
    /// The blocks from which the obligation may still be reached.
    before: EntitySet<BlockId>,
    callers: Callers,
    liveness: FxHashMap<FuncId, Rc<Liveness>>,
    /// Whether calls are tabulated by their entry states.
    pub tabulates: bool,
    /// What was written through addresses that are not explicit since somebody last asked.
    pub written: Written,
    /// The objects that the running call was entered with: their numbers mean something to its callers.
    pub passed: usize,
    pub terms: Terms,
    /// A walk that makes terms, see `lazily`.
    pub lazily: Option<Lazily>,
    /// What such walks read that had its first value, where numbers are kept.
    pub initials: BTreeSet<Variable>,
    /// Whether conditions are asked of the solver, since predicates may exclude them.
    pub asks: bool,
    /// Predicates that refuted paths of other obligations.
    pub known: Precision,
}

/// Library functions that look at memory through their arguments.
const LOOKS: &[&str] = &[
    "free",
    "cfree",
    "realloc",
    "strlen",
    "wcslen",
    "memset",
    "__memset_chk",
    "memcpy",
    "memmove",
    "__memcpy_chk",
    "__memmove_chk",
];

impl<'a> Model<'a> {
    pub fn new(
        machine: Machine<'a>,
        points_to: &'a PointsTo,
        entry: FuncId,
        target: Obligation,
        limit: Limit<'a>,
    ) -> Self {
        let callers = sfg::callers(machine.program, points_to);
        Model {
            machine,
            points_to,
            entry,
            target,
            limit,
            before: EntitySet::new(),
            callers,
            liveness: FxHashMap::default(),
            tabulates: true,
            written: Written::default(),
            passed: 0,
            terms: Terms::default(),
            lazily: None,
            initials: BTreeSet::new(),
            asks: false,
            known: Precision::default(),
        }
    }

    /// Turns to an obligation.
    pub fn aim(&mut self, target: Obligation, limit: Limit<'a>) {
        let program = self.machine.program;
        self.before = Before::new(program, &self.callers, target.at, &program.constructors).blocks;
        (self.target, self.limit) = (target, limit);
        (self.tabulates, self.asks, self.lazily) = (true, false, None);
        (self.written, self.passed) = (Written::default(), 0);
    }

    /// Whether the obligation may still be reached. What waits for the program's end may reach it from anywhere.
    pub fn may_arrive(&self, state: &State) -> bool {
        let is_before = |frame: &Frame| self.before.contains(frame.block);
        !state.closing.is_empty() || state.top().is_none_or(is_before)
    }

    pub fn liveness(&mut self, func: FuncId) -> Rc<Liveness> {
        let program = self.machine.program;
        let new = || Rc::new(Liveness::new(program, func));
        Rc::clone(self.liveness.entry(func).or_insert_with(new))
    }

    /// The one place that an address means, if it means one.
    pub fn pointed(&mut self, e: ExprId) -> Option<(Instance, u64)> {
        if !self.machine.speaks_of_addresses(e) {
            return None;
        }
        let places = self.machine.places(e);
        let [Place { guard, base: Base::Object(instance), offset }] = places[..] else {
            return None;
        };
        let offset = self.machine.smt.pool.as_const(offset)?;
        (self.machine.smt.pool.as_const(guard) == Some(1)).then_some((instance, offset as u64))
    }

    /// Whether this is an integer or an address: an element of Z, where everything else is ⊤.
    pub fn is_explicit(&mut self, e: ExprId) -> bool {
        self.machine.smt.pool.as_const(e).is_some() || self.pointed(e).is_some()
    }

    pub fn is_explicit_value(&mut self, value: &Value) -> bool {
        match value {
            Value::Bits(bits) => self.is_explicit(*bits),
            Value::Parts(parts) => parts.iter().all(|part| self.is_explicit_value(part)),
        }
    }

    /// Whether an operand is explicit in the running function.
    pub fn is_known(&mut self, state: &mut State, operand: Operand) -> bool {
        match self.machine.operand(state, operand) {
            Ok(value) => self.is_explicit_value(&value),
            Err(_) => false,
        }
    }

    pub fn operands(&self, inst: &Inst) -> Vec<Operand> {
        let mut found = Vec::new();
        self.machine.program.for_each_operand(inst, |operand| found.push(operand));
        found
    }

    /// Gives each operand that is ⊤ an arbitrary value, the same until the block ends.
    pub fn fill(&mut self, state: &mut State, operands: &[Operand]) -> Step<()> {
        for operand in operands {
            let Operand::Value(value) = *operand else { continue };
            if state.top().is_some_and(|frame| !frame.values.contains_key(&value)) {
                self.set_any(state, value)?;
                self.name_missing(state, value);
            }
        }
        Ok(())
    }

    fn set_any(&mut self, state: &mut State, value: ValueId) -> Step<()> {
        let ty = self.machine.program.values[value].ty;
        let any = self.machine.arbitrary(state, ty, Source::Widened)?;
        state.set(value, any);
        Ok(())
    }

    /// Executes `at`: the exact machine does, unless the instruction goes through ⊤.
    pub fn step(&mut self, state: &mut State, at: InstId) -> Step<Flow> {
        let data = self.machine.program.insts[at];
        let operands = self.operands(&data.inst);
        self.fill(state, &operands)?;
        let result = data.result.expand();
        match data.inst {
            Inst::Load { ptr, .. } if !self.is_known(state, ptr) => self.any_result(state, result),
            Inst::Load { ptr, .. } => {
                let ty = result.map(|value| self.machine.program.values[value].ty);
                let bytes = ty.map_or(0, |ty| self.machine.program.types.store_size(ty));
                self.look(state, ptr, bytes);
                let flow = self.machine.step(state, at)?;
                self.scrub(state, result)?;
                Ok(flow)
            }
            Inst::Store { ptr, .. } if !self.is_known(state, ptr) => {
                self.weak_update(state, ptr);
                Ok(Flow::Next)
            }
            // A compare of what is read needs more than that it is arbitrary: it may be an address.
            Inst::AtomicRmw { ptr, .. } | Inst::CmpXchg { ptr, .. } => {
                self.weak_update(state, ptr);
                self.any_result(state, result)
            }
            Inst::MemCopy { dst, .. } | Inst::MemSet { dst, .. } => {
                if operands.iter().all(|&operand| self.is_known(state, operand)) {
                    return self.machine.step(state, at);
                }
                self.weak_update(state, dst);
                Ok(Flow::Next)
            }
            Inst::VaStart { list: ptr }
            | Inst::VaCopy { dst: ptr, .. }
            | Inst::LifetimeStart { object: ptr }
                if !operands.iter().all(|&operand| self.is_known(state, operand)) =>
            {
                self.weak_update(state, ptr);
                Ok(Flow::Next)
            }
            Inst::LifetimeEnd { object: ptr } if !self.is_known(state, ptr) => Ok(Flow::Next),
            // What is saved is always known, see `abstraction`.
            Inst::StackRestore { saved } if !self.is_known(state, saved) => {
                gap("a stack that is not known")
            }
            Inst::IntCmp { lhs, rhs, .. } if self.is_of_heap(state, lhs, rhs) => {
                self.any_result(state, result)
            }
            Inst::IndirectJump { address, targets } if !self.is_known(state, address) => {
                let targets = self.machine.program.block_pool.get(targets);
                let any = self.machine.fresh(state, 1, Source::Widened);
                Ok(Flow::Blocks(targets.iter().map(|&to| (any, to)).collect()))
            }
            Inst::Call { callee, args } => self.call(state, at, callee, args),
            Inst::Store { .. }
            | Inst::VaStart { .. }
            | Inst::VaCopy { .. }
            | Inst::LifetimeStart { .. }
            | Inst::LifetimeEnd { .. }
            | Inst::StackRestore { .. }
            | Inst::IntCmp { .. }
            | Inst::IndirectJump { .. }
            | Inst::Binary { .. }
            | Inst::Overflow { .. }
            | Inst::FloatCmp { .. }
            | Inst::Cast { .. }
            | Inst::Pure { .. }
            | Inst::Select { .. }
            | Inst::Freeze { .. }
            | Inst::Phi { .. }
            | Inst::Extract { .. }
            | Inst::Insert { .. }
            | Inst::ExtractElement { .. }
            | Inst::InsertElement { .. }
            | Inst::Shuffle { .. }
            | Inst::Uninit
            | Inst::Alloca { .. }
            | Inst::Gep { .. }
            | Inst::Fence
            | Inst::StackSave
            | Inst::VaEnd { .. }
            | Inst::VaArg { .. }
            | Inst::Check { .. }
            | Inst::Assume { .. }
            | Inst::Unsupported { .. }
            | Inst::Jump { .. }
            | Inst::Branch { .. }
            | Inst::Switch { .. }
            | Inst::Return { .. }
            | Inst::Unreachable => self.machine.step(state, at),
        }
    }

    fn any_result(&mut self, state: &mut State, result: Option<ValueId>) -> Step<Flow> {
        if let Some(result) = result {
            self.set_any(state, result)?;
        }
        Ok(Flow::Next)
    }

    /// What was read where nothing is known must not pass for a pointer that was never set.
    fn scrub(&mut self, state: &mut State, result: Option<ValueId>) -> Step<()> {
        let Some(result) = result else { return Ok(()) };
        let value = state.top().and_then(|frame| frame.values.get(&result)).cloned();
        let Some(value) = value else { return Ok(()) };
        if self.holds_unset(&value) { self.set_any(state, result) } else { Ok(()) }
    }

    fn holds_unset(&self, value: &Value) -> bool {
        match value {
            Value::Bits(bits) => {
                let unset = |var| self.machine.source_of(var).is_some_and(|(_, s)| is_unset(s));
                self.machine.smt.pool.free_vars(&[*bits]).into_iter().any(unset)
            }
            Value::Parts(parts) => parts.iter().any(|part| self.holds_unset(part)),
        }
    }

    /// Whether two addresses are compared of which one may be of an object that was freed: a free of ⊤ is
    /// not seen here.
    fn is_of_heap(&mut self, state: &mut State, lhs: Operand, rhs: Operand) -> bool {
        let mut objects = Vec::new();
        for operand in [lhs, rhs] {
            let Ok(value) = self.machine.operand(state, operand) else { return true };
            let Some(bits) = value.bits() else { return true };
            objects.extend(self.pointed(bits).map(|(instance, _)| instance));
        }
        let is_heap = |i: &Instance| {
            state.memory.get(*i).is_some_and(|o| matches!(o.origin, Origin::Heap(_)))
        };
        matches!(objects[..], [a, b] if a != b) && objects.iter().any(is_heap)
    }

    fn call(
        &mut self,
        state: &mut State,
        at: InstId,
        callee: Callee,
        args: List<Operand>,
    ) -> Step<Flow> {
        match callee {
            Callee::Direct(func) if self.machine.program.funcs[func].blocks.is_empty() => {
                self.external(state, at, func, args)
            }
            Callee::Indirect(target) if !self.is_known(state, target) => {
                let callees = self.points_to.callees(at);
                if callees.unknown {
                    return gap("a call of code that is not in the program");
                }
                let any = self.machine.fresh(state, 1, Source::Widened);
                Ok(Flow::Call(callees.funcs.iter().map(|&func| (any, func)).collect()))
            }
            Callee::Direct(_) | Callee::Indirect(_) => self.machine.step(state, at),
        }
    }

    /// A function without a body, as the machine does it; one that would look at memory through ⊤ may have
    /// changed anything.
    pub fn external(
        &mut self,
        state: &mut State,
        at: InstId,
        func: FuncId,
        args: List<Operand>,
    ) -> Step<Flow> {
        let program = self.machine.program;
        let name = program.funcs[func].name.as_str();
        let result = program.insts[at].result.expand();
        let looks = looks_at_memory(name);
        let mut args_known = true;
        for &arg in program.operands(args) {
            args_known &= self.is_known(state, arg);
        }
        if looks && !args_known {
            // An object that is freed unseen stays: more executions go on than there are.
            if !matches!(name, "free" | "cfree") {
                self.forget_all(state);
            }
            return self.any_result(state, result);
        }
        state.doubt = None;
        let ty = result.map(|value| program.values[value].ty);
        let flow = self.machine.external(state, at, func, args, ty)?;
        // What a function that nobody knows may have kept is not told apart here.
        let is_unknown = state.doubt.take().is_some() || !state.trusted.is_empty();
        (state.trusted, state.exposed) = Default::default();
        if is_unknown {
            self.forget_all(state);
        }
        self.scrub(state, result)?;
        Ok(flow)
    }
}

/// Whether a library function reads or writes memory through its arguments.
pub(super) fn looks_at_memory(name: &str) -> bool {
    LOOKS.contains(&name)
        || accesses::SCANS.iter().any(|(known, _)| *known == name)
        || name.starts_with("__cegas_")
}
