//! Table 1 along a path, instruction by instruction: ADDR, COPY, PHI (the operand of the block the path came
//! from), GEP (by bytes), STORE and LOAD through the targets found, strong updates where there is one.
//!
//! Invariant: the state covers every execution of the path; what is not modelled makes the walk give up
//! ([`Stop::Lost`]), which is never taken for an end.

use super::memory::{Memory, constant};
use super::value::{Facts, Op, Symbols, Target, Value};
use crate::ir::{BlockId, CheckKind, FuncId, Inst, InstId, Operand, Program, TypeId, ValueId};
use crate::pta::PointsTo;
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

    pub(super) fn bits(&self, ty: TypeId) -> u32 {
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
            Inst::Branch { cond, then, els, .. } => {
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
}
