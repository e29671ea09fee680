//! Table 1 along a path, instruction by instruction: ADDR, COPY, PHI (the operand of the block the path came
//! from), GEP (by bytes), STORE and LOAD through the targets found, strong updates where there is one.
//!
//! Invariant: the state covers every execution of the path; what is not modelled makes the walk give up
//! ([`Stop::Lost`]), which is never taken for an end.

use super::memory::{Memory, constant};
use super::value::{Facts, Instance, Op, Symbols, Target, Value};
use crate::ir::{
    BlockId, Callee, CheckKind, FuncId, Inst, InstId, List, Operand, Program, TypeId, ValueId,
};
use crate::library::summaries::{self, Effect};
use crate::pta::{ObjectKind, PointsTo};
use crate::svfg::externals::{self, Writes};
use cranelift_entity::EntitySet;
use rustc_hash::FxHashMap;

/// Why a path does not go on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stop {
    /// The execution ends.
    End,
    /// Something without a model: the path may go anywhere.
    Lost,
}

#[derive(Debug, Clone)]
pub struct Frame {
    pub func: FuncId,
    pub block: BlockId,
    pub at: InstId,
    pub values: FxHashMap<ValueId, Value>,
    pub call: Option<InstId>,
}

/// Where a path is.
#[derive(Debug, Clone)]
pub struct State {
    pub frames: Vec<Frame>,
    pub memory: Memory,
    pub facts: Facts,
}

/// Where control may go.
#[derive(Debug)]
pub enum Next {
    On,
    /// To one of these blocks, each if the value is the number; the last if it is none.
    Blocks(Value, Vec<(Option<u128>, BlockId)>),
    Calls(Vec<FuncId>),
    Returned,
}

/// What all paths share.
#[derive(Debug)]
pub struct Walk<'a> {
    pub program: &'a Program,
    pub answer: &'a PointsTo,
    pub symbols: Symbols,
    /// Only these instructions are needed, if given: the rest is not computed.
    pub wanted: Option<EntitySet<InstId>>,
}

/// Calls nest at most this deep.
const DEEPEST: usize = 100;

impl Walk<'_> {
    /// Before the entry function's first instruction.
    pub fn start(&mut self, entry: FuncId) -> Option<State> {
        let memory = Memory::start(self.program);
        let mut state = State { frames: Vec::new(), memory, facts: Facts::default() };
        let count = self.program.funcs[entry].params.len();
        let args = (0..count).map(|_| self.symbols.fresh()).collect();
        self.enter(&mut state, entry, args, None).ok()?;
        Some(state)
    }

    pub fn enter(
        &mut self,
        state: &mut State,
        func: FuncId,
        args: Vec<Value>,
        call: Option<InstId>,
    ) -> Result<(), Stop> {
        let function = &self.program.funcs[func];
        let block = function.blocks.first().ok_or(Stop::Lost)?;
        let at = self.program.blocks[block].insts.first().ok_or(Stop::Lost)?;
        if state.frames.len() >= DEEPEST || args.len() < function.params.len() {
            return Err(Stop::Lost);
        }
        let values = function.params.iter().zip(args).collect();
        state.frames.push(Frame { func, block, at, values, call });
        Ok(())
    }

    /// The value of an operand; what was not computed is not known.
    pub fn operand(&mut self, state: &State, operand: Operand) -> Value {
        let value = match operand {
            Operand::Const(id) => constant(self.program, id),
            Operand::Value(value) => {
                let known = state.frames.last().and_then(|frame| frame.values.get(&value));
                known.map(|known| self.symbols.resolved(&state.facts, known))
            }
        };
        value.unwrap_or_else(|| self.symbols.fresh())
    }

    fn bits(&self, ty: TypeId) -> u32 {
        let pointer = self.program.machine.pointer_bits;
        self.program.types.scalar_bits(ty, pointer).unwrap_or(0)
    }

    pub fn advance(&self, state: &mut State) {
        if let Some(frame) = state.frames.last_mut() {
            frame.at = InstId::from_u32(frame.at.as_u32() + 1);
        }
    }

    /// `PHI`: goes to `to`, with the operands of where it comes from.
    pub fn jump(&mut self, state: &mut State, to: BlockId) -> Result<(), Stop> {
        let from = state.frames.last().ok_or(Stop::End)?.block;
        let mut found = Vec::new();
        let mut first = None;
        for inst in self.program.blocks[to].insts.iter() {
            let Inst::Phi { incoming } = *self.program.inst(inst) else {
                first = Some(inst);
                break;
            };
            let incoming = self.program.phi_pool.get(incoming);
            let operand = incoming.iter().find(|(pred, _)| *pred == from).ok_or(Stop::Lost)?.1;
            let value = self.operand(state, operand);
            found.extend(self.program.insts[inst].result.expand().map(|result| (result, value)));
        }
        let frame = state.frames.last_mut().ok_or(Stop::End)?;
        frame.values.extend(found);
        frame.block = to;
        frame.at = first.ok_or(Stop::Lost)?;
        Ok(())
    }

    /// Leaves the running function.
    pub fn leave(&mut self, state: &mut State, value: Option<Value>) -> Result<(), Stop> {
        let frame = state.frames.pop().ok_or(Stop::End)?;
        let (Some(call), Some(caller)) = (frame.call, state.frames.last_mut()) else {
            return Err(Stop::End);
        };
        if let Some(result) = self.program.insts[call].result.expand() {
            let value = value.unwrap_or_else(|| self.symbols.fresh());
            caller.values.insert(result, value);
        }
        self.advance(state);
        Ok(())
    }

    /// One instruction.
    pub fn step(&mut self, state: &mut State, at: InstId) -> Result<Next, Stop> {
        let data = self.program.insts[at];
        let is_wanted = self.wanted.as_ref().is_none_or(|wanted| wanted.contains(at));
        let value = match data.inst {
            Inst::Jump { to } => return Ok(Next::Blocks(Value::Number(0), vec![(None, to)])),
            Inst::Branch { cond, then, els } => {
                let cond = self.operand(state, cond);
                return Ok(Next::Blocks(cond, vec![(Some(1), then), (Some(0), els)]));
            }
            Inst::Switch { value, cases, default } => {
                let value = self.operand(state, value);
                let mut ways = Vec::new();
                for &(case, block) in self.program.case_pool.get(cases) {
                    let Some(Value::Number(number)) = constant(self.program, case) else {
                        return Err(Stop::Lost);
                    };
                    ways.push((Some(number), block));
                }
                ways.push((None, default));
                return Ok(Next::Blocks(value, ways));
            }
            Inst::Return { value } => {
                let value = value.map(|value| self.operand(state, value));
                self.leave(state, value)?;
                return Ok(Next::Returned);
            }
            Inst::Unreachable => return Err(Stop::End),
            Inst::IndirectJump { .. } | Inst::Unsupported { .. } => return Err(Stop::Lost),
            Inst::Call { callee, args } => return self.call(state, at, callee, args),
            _ if !is_wanted => None,
            ref other => self.compute(state, at, other)?,
        };
        if let (Some(result), Some(frame)) = (data.result.expand(), state.frames.last_mut()) {
            let value = value.unwrap_or_else(|| self.symbols.fresh());
            frame.values.insert(result, value);
        }
        self.advance(state);
        Ok(Next::On)
    }

    fn compute(
        &mut self,
        state: &mut State,
        at: InstId,
        inst: &Inst,
    ) -> Result<Option<Value>, Stop> {
        let result = self.program.insts[at].result.expand();
        let ty = result.map(|result| self.program.values[result].ty);
        let bits = ty.map_or(0, |ty| self.bits(ty));
        Ok(match *inst {
            Inst::Binary { op, lhs, rhs } => {
                let args = vec![self.operand(state, lhs), self.operand(state, rhs)];
                Some(self.symbols.apply(&state.facts, Op::Binary(op, bits), args))
            }
            Inst::IntCmp { pred, lhs, rhs } => {
                let width = self.bits(self.program.operand_type(lhs));
                let args = vec![self.operand(state, lhs), self.operand(state, rhs)];
                Some(self.symbols.apply(&state.facts, Op::Compare(pred, width), args))
            }
            Inst::Cast { op, value } => {
                let from = self.bits(self.program.operand_type(value));
                let args = vec![self.operand(state, value)];
                Some(self.symbols.apply(&state.facts, Op::Cast(op, from, bits), args))
            }
            Inst::Freeze { value } => Some(self.operand(state, value)),
            Inst::Select { cond, then, els } => {
                let cond = self.operand(state, cond);
                let (then, els) = (self.operand(state, then), self.operand(state, els));
                match cond {
                    Value::Number(0) => Some(els),
                    Value::Number(_) => Some(then),
                    Value::Points(_) | Value::Symbol(_) => self.either(then, els),
                }
            }
            Inst::Alloca { .. } => Some(Value::points(vec![Target::At(state.memory.local(at), 0)])),
            Inst::Gep { base, offset, terms, .. } => self.gep(state, base, offset, terms),
            Inst::Load { ptr, access } => {
                let size = ty.map_or(0, |ty| self.program.types.store_size(ty));
                let scalar = bits > 0 && u64::from(bits) == size * 8;
                match scalar && !access.volatile {
                    true => self.load(state, ptr, size)?,
                    false => None,
                }
            }
            Inst::Store { ptr, value, .. } => {
                let size = self.program.types.store_size(self.program.operand_type(value));
                let value = self.operand(state, value);
                self.store(state, ptr, size, value)?;
                None
            }
            Inst::MemCopy { dst, src, len, .. } => {
                let len = self.operand(state, len);
                let (to, from) = (self.operand(state, dst), self.operand(state, src));
                let one = |value: &Value| match value.targets()?[..] {
                    [Target::At(instance, offset)] => Some((instance, offset)),
                    _ => None,
                };
                match (one(&to), one(&from), len) {
                    (Some(to), Some(from), Value::Number(len)) if len < 1 << 20 => {
                        state.memory.copy(self.program, to, from, len as u64);
                    }
                    _ => self.spoil(state, dst, &to),
                }
                None
            }
            Inst::MemSet { dst, .. } | Inst::VaStart { list: dst } => {
                let to = self.operand(state, dst);
                self.spoil(state, dst, &to);
                None
            }
            Inst::LifetimeStart { object } => {
                let to = self.operand(state, object);
                match to.targets().as_deref() {
                    Some(&[Target::At(instance, 0)]) => state.memory.begin(instance),
                    _ => self.spoil(state, object, &to),
                }
                None
            }
            Inst::Uninit => Some(self.symbols.fresh_junk()),
            Inst::AtomicRmw { ptr, .. } | Inst::CmpXchg { ptr, .. } => {
                let to = self.operand(state, ptr);
                self.spoil(state, ptr, &to);
                None
            }
            Inst::Check { cond, kind } => {
                let ends = matches!(
                    kind,
                    CheckKind::DivByZero
                        | CheckKind::VlaBound
                        | CheckKind::Unreachable
                        | CheckKind::Trap
                );
                let cond = self.operand(state, cond);
                if ends && !self.symbols.learn(&mut state.facts, &cond, 1) {
                    return Err(Stop::End);
                }
                None
            }
            Inst::Assume { cond } => {
                let cond = self.operand(state, cond);
                if !self.symbols.learn(&mut state.facts, &cond, 1) {
                    return Err(Stop::End);
                }
                None
            }
            Inst::VaCopy { .. } | Inst::VaArg { .. } => return Err(Stop::Lost),
            Inst::Overflow { .. }
            | Inst::FloatCmp { .. }
            | Inst::Pure { .. }
            | Inst::Extract { .. }
            | Inst::Insert { .. }
            | Inst::ExtractElement { .. }
            | Inst::InsertElement { .. }
            | Inst::Shuffle { .. }
            | Inst::Fence
            | Inst::LifetimeEnd { .. }
            | Inst::StackSave
            | Inst::StackRestore { .. }
            | Inst::VaEnd { .. } => None,
            Inst::Phi { .. }
            | Inst::Call { .. }
            | Inst::Unsupported { .. }
            | Inst::Jump { .. }
            | Inst::Branch { .. }
            | Inst::Switch { .. }
            | Inst::IndirectJump { .. }
            | Inst::Return { .. }
            | Inst::Unreachable => return Err(Stop::Lost),
        })
    }

    /// One of two values.
    fn either(&mut self, a: Value, b: Value) -> Option<Value> {
        if a == b {
            return Some(a);
        }
        let (mut a, b) = (a.targets()?, b.targets()?);
        a.extend(b);
        Some(Value::points(a))
    }

    fn gep(
        &mut self,
        state: &State,
        base: Operand,
        offset: i64,
        terms: List<crate::ir::GepTerm>,
    ) -> Option<Value> {
        let targets = self.operand(state, base).targets()?;
        let mut sum = Some(offset);
        for term in self.program.term_pool.get(terms) {
            let bits = self.bits(self.program.operand_type(term.index));
            let index = match self.operand(state, term.index) {
                Value::Number(number) => {
                    let shift = 128 - bits.clamp(1, 128);
                    i64::try_from(((number << shift) as i128) >> shift).ok()
                }
                Value::Points(_) | Value::Symbol(_) => None,
            };
            let bytes = index.and_then(|index| index.checked_mul(i64::try_from(term.stride).ok()?));
            sum = sum.and_then(|sum| sum.checked_add(bytes?));
        }
        let moved = |target: Target| match (target, sum) {
            (Target::Null, Some(0)) => Some(Target::Null),
            (Target::Null, _) => None,
            (Target::At(instance, at), Some(sum)) => Some(
                at.checked_add(sum).map_or(Target::In(instance), |at| Target::At(instance, at)),
            ),
            (Target::At(instance, _) | Target::In(instance), _) => Some(Target::In(instance)),
        };
        let moved: Option<Vec<Target>> = targets.into_iter().map(moved).collect();
        moved.map(Value::points)
    }

    /// `LOAD`.
    fn load(&mut self, state: &mut State, ptr: Operand, size: u64) -> Result<Option<Value>, Stop> {
        let pointer = self.operand(state, ptr);
        let Some(targets) = pointer.targets() else { return Ok(None) };
        let mut found: Option<Value> = None;
        for target in targets {
            let value = match target {
                Target::Null => continue,
                Target::At(instance, offset) => {
                    let place = (instance, offset);
                    state.memory.load(self.program, &mut self.symbols, place, size)
                }
                Target::In(_) => return Ok(None),
            };
            let value = self.symbols.resolved(&state.facts, &value);
            found = match found {
                None => Some(value),
                Some(other) => match self.either(other, value) {
                    Some(both) => Some(both),
                    None => return Ok(None),
                },
            };
        }
        // Through null alone, the execution ends.
        found.map(Some).ok_or(Stop::End)
    }

    /// `STORE` with `SU/WU`: one target is overwritten, several are each perhaps.
    fn store(
        &mut self,
        state: &mut State,
        ptr: Operand,
        size: u64,
        value: Value,
    ) -> Result<(), Stop> {
        let pointer = self.operand(state, ptr);
        let Some(mut targets) = pointer.targets() else {
            self.spoil(state, ptr, &pointer);
            return Ok(());
        };
        targets.retain(|target| *target != Target::Null);
        match targets[..] {
            [] => return Err(Stop::End),
            [Target::At(instance, offset)] => state.memory.store((instance, offset), size, value),
            _ => {
                for target in targets {
                    match target {
                        Target::Null => {}
                        Target::In(instance) => state.memory.forget(instance),
                        Target::At(instance, offset) => {
                            let place = (instance, offset);
                            let (program, symbols) = (self.program, &mut self.symbols);
                            let old = state.memory.load(program, symbols, place, size);
                            let new = self.either(old, value.clone());
                            let new = new.unwrap_or_else(|| self.symbols.fresh());
                            state.memory.store(place, size, new);
                        }
                    }
                }
            }
        }
        Ok(())
    }

    /// What `pointer` points to holds something that is not known.
    fn spoil(&mut self, state: &mut State, operand: Operand, pointer: &Value) {
        if let Some(targets) = pointer.targets() {
            for target in targets {
                match target {
                    Target::Null => {}
                    Target::At(instance, _) | Target::In(instance) => state.memory.forget(instance),
                }
            }
            return;
        }
        // All that Andersen's analysis says it may point to.
        let answer = self.answer;
        let kinds: Vec<ObjectKind> = answer
            .members(answer.set_of(operand))
            .map(|at| answer.objects[answer.locations[at].object].kind)
            .collect();
        let spoilt: Vec<Instance> = state
            .memory
            .instances()
            .filter(|(_, origin)| kinds.iter().any(|&kind| stands_for(kind, *origin)))
            .map(|(instance, _)| instance)
            .collect();
        spoilt.into_iter().for_each(|instance| state.memory.forget(instance));
    }

    fn call(
        &mut self,
        state: &mut State,
        at: InstId,
        callee: Callee,
        args: List<Operand>,
    ) -> Result<Next, Stop> {
        let callees = match callee {
            Callee::Direct(func) => vec![func],
            Callee::Indirect(target) => match self.operand(state, target).targets() {
                Some(targets) => self.called(state, &targets)?,
                None if self.answer.callees(at).unknown => return Err(Stop::Lost),
                None => self.answer.callees(at).funcs.clone(),
            },
        };
        match callees[..] {
            [] => Err(Stop::End),
            [func] if self.program.funcs[func].blocks.is_empty() => {
                self.external(state, at, func, args)?;
                self.advance(state);
                Ok(Next::On)
            }
            _ if callees.iter().any(|&func| self.program.funcs[func].blocks.is_empty()) => {
                Err(Stop::Lost)
            }
            _ => Ok(Next::Calls(callees)),
        }
    }

    fn called(&self, state: &State, targets: &[Target]) -> Result<Vec<FuncId>, Stop> {
        let mut found = Vec::new();
        for target in targets {
            match *target {
                Target::Null => {}
                Target::At(instance, 0) => match state.memory.origin(instance) {
                    super::Origin::Func(func) => found.push(func),
                    super::Origin::Global(_)
                    | super::Origin::Local { .. }
                    | super::Origin::Heap { .. } => {}
                },
                Target::At(..) | Target::In(_) => return Err(Stop::Lost),
            }
        }
        Ok(found)
    }

    /// A function without a body.
    fn external(
        &mut self,
        state: &mut State,
        at: InstId,
        func: FuncId,
        args: List<Operand>,
    ) -> Result<(), Stop> {
        let function = &self.program.funcs[func];
        let name = function.name.as_str();
        if function.attrs.noreturn || matches!(name, "exit" | "abort" | "_exit" | "__assert_fail") {
            return Err(Stop::End);
        }
        let effects = summaries::effects(name).ok_or(Stop::Lost)?;
        let args = self.program.operands(args);
        if externals::writes(name) != Writes::Nothing {
            for &arg in args {
                if !self.program.is_pointer(arg) {
                    continue;
                }
                // Functions that reach further than their arguments are not followed.
                if externals::writes(name) == Writes::Reach {
                    return Err(Stop::Lost);
                }
                let pointer = self.operand(state, arg);
                self.spoil(state, arg, &pointer);
            }
        }
        let mut value = None;
        for effect in effects {
            value = match *effect {
                Effect::Allocates(_) => {
                    let made = state.memory.heap(at, name == "calloc");
                    Some(Value::points(vec![Target::At(made, 0)]))
                }
                Effect::Returns(index) => {
                    args.get(usize::from(index)).map(|&arg| self.operand(state, arg))
                }
                _ => return Err(Stop::Lost),
            };
        }
        if let (Some(result), Some(frame)) =
            (self.program.insts[at].result.expand(), state.frames.last_mut())
        {
            let value = value.unwrap_or_else(|| self.symbols.fresh());
            frame.values.insert(result, value);
        }
        Ok(())
    }

    /// The arguments of a call, in the caller's context.
    pub fn arguments(&mut self, state: &State, call: InstId) -> Vec<Value> {
        let Inst::Call { args, .. } = *self.program.inst(call) else { return Vec::new() };
        let args = self.program.operands(args);
        args.iter().map(|&arg| self.operand(state, arg)).collect()
    }
}

/// Whether the abstract object may be this instance.
fn stands_for(kind: ObjectKind, origin: super::Origin) -> bool {
    use super::Origin;
    match (kind, origin) {
        (ObjectKind::Global(a), Origin::Global(b)) => a == b,
        (ObjectKind::Func(a), Origin::Func(b)) => a == b,
        (ObjectKind::Alloca { site, .. }, Origin::Local { site: other, .. }) => site == other,
        (ObjectKind::Heap { site, .. }, Origin::Heap { site: other, .. }) => site == other,
        // It may be anything that unknown code was given.
        (ObjectKind::Unknown, _) => true,
        (
            ObjectKind::Global(_)
            | ObjectKind::Func(_)
            | ObjectKind::Alloca { .. }
            | ObjectKind::Heap { .. }
            | ObjectKind::Literals
            | ObjectKind::Arguments
            | ObjectKind::ArgumentStrings
            | ObjectKind::Static(_)
            | ObjectKind::Varargs { .. },
            _,
        ) => false,
    }
}
