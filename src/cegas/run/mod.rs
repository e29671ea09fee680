//! Executions of the model with concrete numbers, a hundred times as fast as states that share what they have in
//! common: what lies behind millions of steps is found this way or not at all.
//!
//! Invariant: what comes out is only a hint where to look; the path is walked again with the same inputs
//! ([`super::replay`]) before anything is said of it. So whatever is rare is left out here: the execution ends.

mod compute;
mod judge;
mod memory;
mod natives;

use super::draw::Draw;
use super::marks::Marks;
use super::replay::Target;
use crate::ir::{
    BlockId, Callee, Const, ConstExpr, ConstId, FuncId, Inst, InstId, List, Operand, Program,
    TypeId, ValueId,
};
use crate::watch::Deadline;
use compute::cut;
use memory::Memory;

/// Steps until the next look at the clock.
const STEPS_PER_LOOK: u64 = 1 << 16;

/// Calls nest at most this deep.
const DEEPEST: usize = 3000;

/// How an execution ended.
pub(super) enum End {
    Violation(Target),
    /// That of the program.
    Done,
    /// That of the time, or something that is not done here.
    Other,
}

/// Why it does not go on.
enum Stop {
    Violation(Target),
    Beyond,
}

type Step<T> = Result<T, Stop>;

fn beyond<T>(value: Option<T>) -> Step<T> {
    value.ok_or(Stop::Beyond)
}

struct Frame {
    func: FuncId,
    block: BlockId,
    at: InstId,
    call: Option<InstId>,
    /// Where its values begin.
    values: usize,
    /// Objects of the stack before the call.
    depth: usize,
}

/// The values of a function: its first, and how many.
type Span = (u32, usize);

pub(super) struct Runner<'p> {
    program: &'p Program,
    marks: &'p Marks,
    memory: Memory,
    frames: Vec<Frame>,
    values: Vec<u64>,
    spans: Vec<Option<Span>>,
    /// As far as they are plain numbers.
    constants: Vec<Option<u64>>,
    draw: Draw,
    inputs: u32,
}

impl<'p> Runner<'p> {
    pub fn new(program: &'p Program, marks: &'p Marks, draw: Draw) -> Option<Runner<'p>> {
        let memory = Memory::new(program)?;
        let constants =
            program.consts.iter().map(|(id, ..)| constant(program, &memory, id)).collect();
        Some(Runner {
            program,
            marks,
            memory,
            frames: Vec::new(),
            values: Vec::new(),
            spans: vec![None; program.funcs.len()],
            constants,
            draw,
            inputs: 0,
        })
    }

    /// Whether anything was drawn that callers or users give.
    pub fn has_inputs(&self) -> bool {
        self.inputs > 0
    }

    /// Runs constructors and the entry, for about so many steps at most. How many it took stands beside.
    pub fn run(&mut self, entry: FuncId, most: u64, deadline: Deadline) -> (End, u64) {
        let mut steps = 0;
        for func in self.program.constructors.iter().copied().chain([entry]) {
            let started = self.start(func);
            let stop = started.and_then(|()| {
                loop {
                    for _ in 0..STEPS_PER_LOOK {
                        if self.frames.is_empty() {
                            return Ok(true);
                        }
                        self.step()?;
                        steps += 1;
                    }
                    if steps >= most || deadline.is_over() {
                        return Ok(false);
                    }
                }
            });
            match stop {
                Ok(true) => {}
                Ok(false) | Err(Stop::Beyond) => return (End::Other, steps),
                Err(Stop::Violation(target)) => return (End::Violation(target), steps),
            }
        }
        (End::Done, steps)
    }

    fn start(&mut self, func: FuncId) -> Step<()> {
        let params: Vec<TypeId> =
            self.program.funcs[func].params.iter().map(|p| self.program.values[p].ty).collect();
        let args = match params[..] {
            [] => Vec::new(),
            [count, ..] if params.len() <= 2 => {
                let count = self.input(count)?;
                let slots = count.wrapping_add(1).wrapping_mul(8);
                let texts = beyond(self.memory.allocate(slots.min(1 << 16), 0))?;
                [count, texts][..params.len()].to_vec()
            }
            _ => return Err(Stop::Beyond),
        };
        self.enter(func, None, &args)
    }

    fn span(&mut self, func: FuncId) -> Span {
        if let Some(span) = self.spans[func.as_u32() as usize] {
            return span;
        }
        let function = &self.program.funcs[func];
        let insts = function.blocks.iter().flat_map(|b| self.program.blocks[b].insts.iter());
        let results = insts.filter_map(|inst| self.program.insts[inst].result.expand());
        let all = function.params.iter().chain(results).map(|value| value.as_u32());
        let (first, last) = all.fold((u32::MAX, 0), |(lo, hi), v| (lo.min(v), hi.max(v)));
        let span = if first > last { (0, 0) } else { (first, (last - first + 1) as usize) };
        self.spans[func.as_u32() as usize] = Some(span);
        span
    }

    fn enter(&mut self, func: FuncId, call: Option<InstId>, args: &[u64]) -> Step<()> {
        let function = &self.program.funcs[func];
        if args.len() != function.params.len() || self.frames.len() >= DEEPEST {
            return Err(Stop::Beyond);
        }
        let (_, count) = self.span(func);
        let block = beyond(function.blocks.first())?;
        let at = beyond(self.program.blocks[block].insts.first())?;
        let (values, depth) = (self.values.len(), self.memory.depth());
        self.values.resize(values + count, 0);
        self.frames.push(Frame { func, block, at, call, values, depth });
        for (param, &arg) in function.params.iter().zip(args) {
            self.set(param, arg);
        }
        Ok(())
    }

    fn frame(&self) -> Step<&Frame> {
        beyond(self.frames.last())
    }

    fn slot(&self, value: ValueId) -> Option<usize> {
        let frame = self.frames.last()?;
        let (first, _) = self.spans[frame.func.as_u32() as usize]?;
        Some(frame.values + (value.as_u32() - first) as usize)
    }

    fn set(&mut self, value: ValueId, to: u64) {
        if let Some(slot) = self.slot(value).and_then(|slot| self.values.get_mut(slot)) {
            *slot = to;
        }
    }

    fn get(&self, operand: Operand) -> Step<u64> {
        let value = match operand {
            Operand::Value(value) => {
                self.slot(value).and_then(|slot| self.values.get(slot)).copied()
            }
            Operand::Const(id) => self.constants[id.as_u32() as usize],
        };
        beyond(value)
    }

    fn bits(&self, ty: TypeId) -> Step<u32> {
        let bits = self.program.types.scalar_bits(ty, self.program.machine.pointer_bits);
        beyond(bits.filter(|&bits| bits <= 64))
    }

    fn typed(&self, operand: Operand) -> Step<(u64, u32)> {
        Ok((self.get(operand)?, self.bits(self.program.operand_type(operand))?))
    }

    fn input(&mut self, ty: TypeId) -> Step<u64> {
        let bits = self.bits(ty)?;
        let number = self.inputs;
        self.inputs += 1;
        Ok(cut(self.draw.bits(number, bits) as u64, bits))
    }

    fn step(&mut self) -> Step<()> {
        let at = self.frame()?.at;
        self.judge(at)?;
        let data = self.program.insts[at];
        let ty = data.result.expand().map(|value| self.program.values[value].ty);
        let value = match data.inst {
            Inst::Jump { to } => return self.jump(to),
            Inst::Branch { cond, then, els, .. } => {
                let to = if self.get(cond)? != 0 { then } else { els };
                return self.jump(to);
            }
            Inst::Switch { value, cases, default } => {
                let value = self.get(value)?;
                let cases = self.program.case_pool.get(cases);
                let is_it = |&&(case, _): &&(ConstId, BlockId)| {
                    self.constants[case.as_u32() as usize] == Some(value)
                };
                let to = cases.iter().find(is_it).map_or(default, |&(_, to)| to);
                return self.jump(to);
            }
            Inst::Return { value } => {
                let value = value.map(|value| self.get(value)).transpose()?;
                return self.leave(value);
            }
            Inst::Call { callee, args } => return self.call(at, callee, args, ty),
            other => self.compute(&other, ty)?,
        };
        if let (Some(result), Some(value)) = (data.result.expand(), value) {
            self.set(result, value);
        }
        self.advance()
    }

    fn compute(&mut self, inst: &Inst, ty: Option<TypeId>) -> Step<Option<u64>> {
        let program = self.program;
        let types = &program.types;
        Ok(match *inst {
            Inst::Binary { op, lhs, rhs } => {
                let ty = beyond(ty)?;
                let (a, b) = (self.get(lhs)?, self.get(rhs)?);
                Some(beyond(compute::binary(op, a, b, self.bits(ty)?, types.get(ty)))?)
            }
            Inst::Overflow { op, lhs, rhs } => {
                let ((a, bits), b) = (self.typed(lhs)?, self.get(rhs)?);
                Some(u64::from(compute::overflows(op, a, b, bits)))
            }
            Inst::IntCmp { pred, lhs, rhs } => {
                let ((a, bits), b) = (self.typed(lhs)?, self.get(rhs)?);
                Some(u64::from(compute::compare(pred, a, b, bits)))
            }
            Inst::FloatCmp { pred, lhs, rhs } => {
                let (a, b) = (self.get(lhs)?, self.get(rhs)?);
                let ty = types.get(program.operand_type(lhs));
                Some(u64::from(beyond(compute::float_compare(pred, a, b, ty))?))
            }
            Inst::Cast { op, value } => {
                let (from, to) = (program.operand_type(value), beyond(ty)?);
                let (from, to) =
                    ((types.get(from), self.bits(from)?), (types.get(to), self.bits(to)?));
                Some(beyond(compute::cast(op, self.get(value)?, from, to))?)
            }
            Inst::Pure { op, args } => {
                let ty = beyond(ty)?;
                let args = program.operands(args).iter().map(|&arg| self.get(arg));
                let args: Step<Vec<u64>> = args.collect();
                Some(beyond(compute::pure(op, &args?, self.bits(ty)?, types.get(ty)))?)
            }
            Inst::Select { cond, then, els } => {
                Some(self.get(if self.get(cond)? != 0 { then } else { els })?)
            }
            Inst::Freeze { value } => Some(self.get(value)?),
            Inst::Uninit => Some(self.draw.unset(self.bits(beyond(ty)?)?) as u64),
            Inst::Alloca { elem, count, .. } => {
                let size = self.get(count)?.checked_mul(types.size(elem));
                Some(beyond(size.and_then(|size| self.memory.local(size, self.draw.unset)))?)
            }
            Inst::Load { ptr, access } => {
                let ty = beyond(ty)?;
                if access.volatile {
                    return Err(Stop::Beyond);
                }
                let bits = self.bits(ty)?;
                let loaded = self.memory.load(self.get(ptr)?, types.store_size(ty));
                Some(cut(beyond(loaded.ok())?, bits))
            }
            Inst::Store { ptr, value, .. } => {
                let ty = program.operand_type(value);
                self.bits(ty)?;
                let (to, value) = (self.get(ptr)?, self.get(value)?);
                beyond(self.memory.store(to, types.store_size(ty), value).ok())?;
                None
            }
            Inst::Gep { base, offset, terms, .. } => {
                let mut sum = self.get(base)?.wrapping_add(offset as u64);
                for term in program.term_pool.get(terms) {
                    let (index, bits) = self.typed(term.index)?;
                    let moved = compute::signed(index, bits).wrapping_mul(term.stride as i64);
                    sum = sum.wrapping_add(moved as u64);
                }
                Some(cut(sum, program.machine.pointer_bits))
            }
            Inst::MemCopy { dst, src, len, .. } => {
                let (dst, src, len) = (self.get(dst)?, self.get(src)?, self.get(len)?);
                self.copy(dst, src, len)?;
                None
            }
            Inst::MemSet { dst, byte, len, .. } => {
                let (dst, byte, len) = (self.get(dst)?, self.get(byte)?, self.get(len)?);
                beyond(self.memory.slice(dst, len).ok())?.fill(byte as u8);
                None
            }
            Inst::LifetimeStart { .. } | Inst::LifetimeEnd { .. } | Inst::Fence => None,
            Inst::StackSave => Some(self.memory.depth() as u64),
            Inst::StackRestore { saved } => {
                let depth = self.get(saved)? as usize;
                self.memory.unwind(depth);
                None
            }
            Inst::Check { .. } => None,
            Inst::Assume { cond } => {
                if self.get(cond)? == 0 {
                    return Err(Stop::Beyond);
                }
                None
            }
            Inst::Phi { .. }
            | Inst::Extract { .. }
            | Inst::Insert { .. }
            | Inst::ExtractElement { .. }
            | Inst::InsertElement { .. }
            | Inst::Shuffle { .. }
            | Inst::AtomicRmw { .. }
            | Inst::CmpXchg { .. }
            | Inst::VaStart { .. }
            | Inst::VaEnd { .. }
            | Inst::VaCopy { .. }
            | Inst::VaArg { .. }
            | Inst::Unsupported { .. }
            | Inst::Call { .. }
            | Inst::Jump { .. }
            | Inst::Branch { .. }
            | Inst::Switch { .. }
            | Inst::IndirectJump { .. }
            | Inst::Return { .. }
            | Inst::Unreachable => return Err(Stop::Beyond),
        })
    }

    fn copy(&mut self, dst: u64, src: u64, len: u64) -> Step<()> {
        if len > 0 {
            let bytes = beyond(self.memory.slice(src, len).ok())?.to_vec();
            beyond(self.memory.slice(dst, len).ok())?.copy_from_slice(&bytes);
        }
        Ok(())
    }

    fn call(
        &mut self,
        at: InstId,
        callee: Callee,
        args: List<Operand>,
        ty: Option<TypeId>,
    ) -> Step<()> {
        let func = match callee {
            Callee::Direct(func) => func,
            Callee::Indirect(target) => beyond(Memory::func_at(self.program, self.get(target)?))?,
        };
        let args = self.program.operands(args).iter().map(|&arg| self.get(arg));
        let args: Vec<u64> = args.collect::<Step<_>>()?;
        if !self.program.funcs[func].blocks.is_empty() {
            return self.enter(func, Some(at), &args);
        }
        let value = self.native(at, func, &args, ty)?;
        if let Some(result) = self.program.insts[at].result.expand() {
            self.set(result, value);
        }
        self.advance()
    }

    fn leave(&mut self, value: Option<u64>) -> Step<()> {
        let frame = beyond(self.frames.pop())?;
        self.values.truncate(frame.values);
        self.memory.unwind(frame.depth);
        let Some(call) = frame.call else { return Ok(()) };
        if let Some(result) = self.program.insts[call].result.expand() {
            self.set(result, value.unwrap_or(0));
        }
        self.advance()
    }

    fn advance(&mut self) -> Step<()> {
        let frame = beyond(self.frames.last_mut())?;
        frame.at = InstId::from_u32(frame.at.as_u32() + 1);
        Ok(())
    }

    fn jump(&mut self, to: BlockId) -> Step<()> {
        let program = self.program;
        let from = self.frame()?.block;
        let mut moved: smallvec::SmallVec<[(ValueId, u64); 8]> = smallvec::SmallVec::new();
        let mut first = None;
        for inst in program.blocks[to].insts.iter() {
            let data = program.insts[inst];
            let Inst::Phi { incoming } = data.inst else {
                first = Some(inst);
                break;
            };
            let edge = program.phi_pool.get(incoming).iter().find(|(pred, _)| *pred == from);
            let &(_, operand) = beyond(edge)?;
            let value = self.get(operand)?;
            moved.extend(data.result.expand().map(|result| (result, value)));
        }
        for (result, value) in moved {
            self.set(result, value);
        }
        let (frame, first) = (beyond(self.frames.last_mut())?, beyond(first)?);
        (frame.block, frame.at) = (to, first);
        Ok(())
    }
}

/// A constant as a number, if it is one.
fn constant(program: &Program, memory: &Memory, id: ConstId) -> Option<u64> {
    let bits = program.types.scalar_bits(program.consts.ty(id), program.machine.pointer_bits)?;
    if bits > 64 {
        return None;
    }
    let value = match program.consts.get(id) {
        Const::Int(value) | Const::Float(value) => *value as u64,
        Const::Null | Const::Zero | Const::Undef | Const::Poison => 0,
        _ if program.may_be_nowhere(id) => return None,
        Const::Global { global, offset } => memory.global(*global).wrapping_add(*offset as u64),
        Const::Func(func) => Memory::func(*func),
        Const::Expr(ConstExpr::Offset { base, offset }) => {
            constant(program, memory, *base)?.wrapping_add(*offset as u64)
        }
        Const::Expr(ConstExpr::Cast { op, value }) => {
            let from = program.consts.ty(*value);
            let from_bits = program.types.scalar_bits(from, program.machine.pointer_bits)?;
            let from = (program.types.get(from), from_bits);
            let to = (program.types.get(program.consts.ty(id)), bits);
            compute::cast(*op, constant(program, memory, *value)?, from, to)?
        }
        Const::Expr(ConstExpr::Binary { .. })
        | Const::Wide(_)
        | Const::Aggregate(_)
        | Const::Block { .. }
        | Const::Unsupported(_) => return None,
    };
    Some(cut(value, bits))
}
