//! One instruction at a time: the transfer function. It changes the state in place and says where
//! control goes; where the values known do not decide, the explorer does.

use super::machine::{Machine, Source, Step, Stop, gap, label_address, object};
use super::memory::{Background, Life, Origin};
use super::state::State;
use super::value::Value;
use crate::ir::{
    BlockId, CastOp, CheckKind, Inst, InstId, IntPredicate, List, Operand, PureOp, RmwOp, TypeId,
};
use crate::smt::ExprId;

/// Where control goes after an instruction.
#[derive(Debug)]
pub enum Flow {
    /// To the next instruction.
    Next,
    /// Where the state stands now.
    Stay,
    /// To one of these blocks, each under its condition; the conditions exclude each other and one
    /// of them holds.
    Blocks(Vec<(ExprId, BlockId)>),
    /// Into a function; the callees come with their conditions.
    Call(Vec<(ExprId, crate::ir::FuncId)>),
    Return(Option<Value>),
    /// To the next instruction, with one of these outcomes of a library function.
    Outcomes(Vec<(ExprId, Outcome)>),
}

/// How an allocation ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    Granted,
    Refused,
}

impl Machine<'_> {
    /// Executes `at` in `state`.
    pub fn step(&mut self, state: &mut State, at: InstId) -> Step<Flow> {
        let data = self.program.insts[at];
        let ty = data.result.expand().map(|value| self.program.values[value].ty);
        let value = match data.inst {
            Inst::Jump { to } => {
                let always = self.smt.pool.bool(true);
                return Ok(Flow::Blocks(vec![(always, to)]));
            }
            Inst::Branch { cond, then, els, .. } => {
                let cond = self.bits(state, cond)?;
                let not = self.smt.pool.not(cond);
                return Ok(Flow::Blocks(vec![(cond, then), (not, els)]));
            }
            Inst::Switch { value, cases, default } => {
                return self.switch(state, value, self.program.case_pool.get(cases), default);
            }
            Inst::IndirectJump { address, targets } => {
                let address = self.bits(state, address)?;
                let targets = self.program.block_pool.get(targets);
                let number = self.smt.pool.as_const(address);
                let to = targets.iter().find(|b| Some(label_address(b.as_u32())) == number);
                let always = self.smt.pool.bool(true);
                return match to {
                    Some(&to) => Ok(Flow::Blocks(vec![(always, to)])),
                    None => gap("a computed goto with an unknown target"),
                };
            }
            Inst::Return { value } => {
                let value = value.map(|value| self.operand(state, value)).transpose()?;
                return Ok(Flow::Return(value));
            }
            // A trap, or behind a function that does not come back.
            Inst::Unreachable => return Err(Stop::Exit),
            Inst::Call { callee, args } => return self.call(state, at, callee, args, ty),
            _ => self.compute(state, at, &data.inst, ty)?,
        };
        if let (Some(result), Some(value)) = (data.result.expand(), value) {
            state.set(result, value);
        }
        Ok(Flow::Next)
    }

    fn switch(
        &mut self,
        state: &mut State,
        value: Operand,
        cases: &[(crate::ir::ConstId, BlockId)],
        default: BlockId,
    ) -> Step<Flow> {
        let value = self.bits(state, value)?;
        let mut others = self.smt.pool.bool(true);
        let mut targets: Vec<(ExprId, BlockId)> = Vec::new();
        for &(case, block) in cases {
            let Some(case) = self.constant(state, case)?.bits() else { return gap("a switch") };
            let here = self.smt.pool.eq(value, case);
            let not = self.smt.pool.not(here);
            others = self.smt.pool.and(others, not);
            match targets.iter_mut().find(|(_, target)| *target == block) {
                Some((cond, _)) => *cond = self.smt.pool.or(*cond, here),
                None => targets.push((here, block)),
            }
        }
        match targets.iter_mut().find(|(_, target)| *target == default) {
            Some((cond, _)) => *cond = self.smt.pool.or(*cond, others),
            None => targets.push((others, default)),
        }
        Ok(Flow::Blocks(targets))
    }

    /// Instructions that go on to the next one.
    fn compute(
        &mut self,
        state: &mut State,
        at: InstId,
        inst: &Inst,
        ty: Option<TypeId>,
    ) -> Step<Option<Value>> {
        let result = ty.map_or_else(|| gap("a result without a type"), Ok);
        Ok(match *inst {
            Inst::Binary { op, lhs, rhs } => {
                let (a, b, ty) = (self.bits(state, lhs)?, self.bits(state, rhs)?, result?);
                Some(Value::Bits(self.binary(state, op, a, b, ty)?))
            }
            Inst::Overflow { op, lhs, rhs } => {
                let (a, b) = (self.bits(state, lhs)?, self.bits(state, rhs)?);
                Some(Value::Bits(self.overflow(op, a, b)))
            }
            Inst::IntCmp { pred, lhs, rhs } => {
                let (a, b) = (self.bits(state, lhs)?, self.bits(state, rhs)?);
                Some(Value::Bits(self.compare(state, pred, a, b)))
            }
            Inst::FloatCmp { pred, lhs, rhs } => {
                let format = self.format(self.program.operand_type(lhs))?;
                let (a, b) = (self.bits(state, lhs)?, self.bits(state, rhs)?);
                Some(Value::Bits(self.float_compare(pred, a, b, format)))
            }
            Inst::Cast { op, value } => {
                let (from, to) = (self.program.operand_type(value), result?);
                let value = self.bits(state, value)?;
                let mut cast = self.cast_value(op, value, from, to)?;
                if matches!(op, CastOp::FpTrunc | CastOp::FpExt) {
                    cast = self.any_nan(state, self.format(to)?, cast);
                }
                Some(Value::Bits(cast))
            }
            Inst::Pure { op, args } => {
                let args = self.all_bits(state, args)?;
                let ty = result?;
                let mut value = self.pure(op, &args, ty)?;
                if matches!(op, PureOp::FSqrt | PureOp::FMulAdd) {
                    value = self.any_nan(state, self.format(ty)?, value);
                }
                Some(Value::Bits(value))
            }
            Inst::Select { cond, then, els } => {
                let cond = self.bits(state, cond)?;
                let then = self.operand(state, then)?;
                let els = self.operand(state, els)?;
                Some(self.choose(cond, then, els)?)
            }
            Inst::Freeze { value } => Some(self.operand(state, value)?),
            Inst::Phi { .. } => return gap("a phi inside a block"),
            Inst::Extract { aggregate, path } => {
                let aggregate = self.operand(state, aggregate)?;
                let path = self.program.index_pool.get(path);
                match aggregate.part(path) {
                    Some(part) => Some(part.clone()),
                    None => return gap("a part of a value that has none"),
                }
            }
            Inst::Insert { aggregate, value, path } => {
                let aggregate = self.operand(state, aggregate)?;
                let value = self.operand(state, value)?;
                match aggregate.with_part(self.program.index_pool.get(path), value) {
                    Some(whole) => Some(whole),
                    None => return gap("a part of a value that has none"),
                }
            }
            Inst::ExtractElement { vector, index } => {
                let vector = self.operand(state, vector)?;
                let index = self.bits(state, index)?;
                match self.smt.pool.as_const(index).and_then(|i| vector.part(&[i as u32]).cloned())
                {
                    Some(part) => Some(part),
                    None => return gap("a vector lane that is not known"),
                }
            }
            Inst::InsertElement { vector, value, index } => {
                let vector = self.operand(state, vector)?;
                let value = self.operand(state, value)?;
                let index = self.bits(state, index)?;
                let lane = self.smt.pool.as_const(index);
                match lane.and_then(|i| vector.with_part(&[i as u32], value)) {
                    Some(whole) => Some(whole),
                    None => return gap("a vector lane that is not known"),
                }
            }
            Inst::Shuffle { .. } => return gap("a vector shuffle"),
            Inst::Uninit => Some(self.arbitrary(state, result?, Source::Uninit)?),
            Inst::Alloca { elem, count, .. } => {
                let count = self.bits(state, count)?;
                let count = self.smt.pool.resize(count, self.pointer_bits, false);
                let size = self.pointer_const(self.program.types.size(elem));
                let size = self.smt.pool.mul(size, count);
                // A stack that is asked for a negative size has none.
                let zero = self.pointer_const(0);
                let is_there = self.smt.pool.sle(zero, size);
                self.assume(state, is_there)?;
                let made = object(Origin::Local(at), size, Background::Uninit);
                let instance = state.memory.push(made);
                if let Some(frame) = state.top_mut() {
                    frame.locals.push_back(instance);
                }
                Some(Value::Bits(self.address(instance)))
            }
            Inst::Load { ptr, access } => {
                self.settle_pointer(state, ptr)?;
                let ptr = self.bits(state, ptr)?;
                let ty = result?;
                let value = self.load(state, ptr, ty)?;
                if access.volatile {
                    // Somebody else may have written it.
                    state.doubt("what a volatile variable holds");
                    Some(self.arbitrary(state, ty, Source::Input)?)
                } else {
                    Some(value)
                }
            }
            Inst::Store { ptr, value, .. } => {
                self.settle_pointer(state, ptr)?;
                let ty = self.program.operand_type(value);
                let ptr = self.bits(state, ptr)?;
                let value = self.operand(state, value)?;
                self.store(state, ptr, &value, ty)?;
                None
            }
            Inst::Gep { base, offset, terms, .. } => {
                let mut sum = self.bits(state, base)?;
                sum = self.shifted(sum, offset);
                for term in self.program.term_pool.get(terms) {
                    let index = self.bits(state, term.index)?;
                    let index = self.smt.pool.resize(index, self.pointer_bits, true);
                    let stride = self.pointer_const(term.stride);
                    let bytes = self.smt.pool.mul(index, stride);
                    sum = self.smt.pool.add(sum, bytes);
                }
                Some(Value::Bits(sum))
            }
            Inst::MemCopy { dst, src, len, .. } => {
                self.settle_range(state, &[dst, src], len)?;
                let (dst, src) = (self.bits(state, dst)?, self.bits(state, src)?);
                let len = self.bits(state, len)?;
                self.copy_range(state, dst, src, len)?;
                None
            }
            Inst::MemSet { dst, byte, len, .. } => {
                self.settle_range(state, &[dst], len)?;
                let (dst, byte) = (self.bits(state, dst)?, self.bits(state, byte)?);
                let len = self.bits(state, len)?;
                self.fill_range(state, dst, byte, len)?;
                None
            }
            Inst::AtomicRmw { op, ptr, value } => {
                let ptr = self.bits(state, ptr)?;
                let value = self.bits(state, value)?;
                let ty = result?;
                let Some(old) = self.load(state, ptr, ty)?.bits() else { return gap("an atomic") };
                let new = self.rmw(op, old, value)?;
                self.store(state, ptr, &Value::Bits(new), ty)?;
                Some(Value::Bits(old))
            }
            Inst::CmpXchg { ptr, expected, new, weak } => {
                if weak {
                    return gap("a compare-and-swap that may fail for no reason");
                }
                let ty = self.program.operand_type(new);
                let ptr = self.bits(state, ptr)?;
                let (expected, new) = (self.bits(state, expected)?, self.bits(state, new)?);
                let Some(old) = self.load(state, ptr, ty)?.bits() else { return gap("an atomic") };
                let equal = self.compare(state, IntPredicate::Eq, old, expected);
                let kept = self.smt.pool.ite(equal, new, old);
                self.store(state, ptr, &Value::Bits(kept), ty)?;
                Some(Value::Parts([Value::Bits(old), Value::Bits(equal)].into()))
            }
            Inst::LifetimeStart { object } => {
                self.rebirth(state, object, Life::Live)?;
                None
            }
            Inst::LifetimeEnd { object } => {
                self.rebirth(state, object, Life::Ended)?;
                None
            }
            Inst::StackSave => {
                let count = state.top().map_or(0, |frame| frame.locals.len());
                Some(Value::Bits(self.pointer_const(count as u64)))
            }
            Inst::StackRestore { saved } => {
                let saved = self.bits(state, saved)?;
                let Some(count) = self.smt.pool.as_const(saved) else { return gap("the stack") };
                self.end_locals(state, count as usize);
                None
            }
            Inst::VaStart { list } => {
                let list = self.bits(state, list)?;
                self.va_start(state, at, list)?;
                None
            }
            Inst::VaEnd { .. } | Inst::Fence => None,
            Inst::VaCopy { dst, src } => {
                let (dst, src) = (self.bits(state, dst)?, self.bits(state, src)?);
                let bytes = if self.pointer_bits == 64 { 24 } else { 4 };
                let len = self.pointer_const(bytes);
                self.copy_range(state, dst, src, len)?;
                None
            }
            Inst::VaArg { .. } => return gap("a variable argument on this machine"),
            Inst::Check { cond, kind } => {
                let cond = self.bits(state, cond)?;
                if self.smt.pool.as_const(cond) == Some(0) && is_trap(kind) {
                    return Err(Stop::Exit);
                } else if ends_execution(kind) {
                    self.assume(state, cond)?;
                } else if kind == CheckKind::FloatCast && self.smt.pool.as_const(cond) != Some(1) {
                    // What a machine makes of it depends on the instruction it chose.
                    state.doubt("the conversion of a float that does not fit");
                }
                None
            }
            Inst::Assume { cond } => {
                let cond = self.bits(state, cond)?;
                self.assume(state, cond)?;
                None
            }
            Inst::Unsupported { what, .. } => return gap(self.program.texts.get(what)),
            Inst::Call { .. }
            | Inst::Jump { .. }
            | Inst::Branch { .. }
            | Inst::Switch { .. }
            | Inst::IndirectJump { .. }
            | Inst::Return { .. }
            | Inst::Unreachable => return gap("control flow inside a block"),
        })
    }

    pub(super) fn all_bits(&mut self, state: &mut State, list: List<Operand>) -> Step<Vec<ExprId>> {
        self.program.operands(list).iter().map(|&operand| self.bits(state, operand)).collect()
    }

    fn choose(&mut self, cond: ExprId, then: Value, els: Value) -> Step<Value> {
        match (then, els) {
            (Value::Bits(a), Value::Bits(b)) => Ok(Value::Bits(self.smt.pool.ite(cond, a, b))),
            (Value::Parts(a), Value::Parts(b)) if a.len() == b.len() => {
                let parts: Step<Vec<Value>> = a
                    .iter()
                    .zip(b.iter())
                    .map(|(a, b)| self.choose(cond, a.clone(), b.clone()))
                    .collect();
                Ok(Value::Parts(parts?.into()))
            }
            _ => gap("a choice between values of different shape"),
        }
    }

    fn rmw(&mut self, op: RmwOp, old: ExprId, value: ExprId) -> Step<ExprId> {
        let pool = &mut self.smt.pool;
        Ok(match op {
            RmwOp::Xchg => value,
            RmwOp::Add => pool.add(old, value),
            RmwOp::Sub => pool.sub(old, value),
            RmwOp::And => pool.and(old, value),
            RmwOp::Or => pool.or(old, value),
            RmwOp::Xor => pool.xor(old, value),
            RmwOp::Nand
            | RmwOp::Max
            | RmwOp::Min
            | RmwOp::UMax
            | RmwOp::UMin
            | RmwOp::FAdd
            | RmwOp::FSub
            | RmwOp::FMax
            | RmwOp::FMin
            | RmwOp::UIncWrap
            | RmwOp::UDecWrap => return gap(format!("the atomic operation {op:?}")),
        })
    }
}

/// Whether the program ends itself where the check fails: by a trap, or in a function that does not come back.
pub(super) fn is_trap(kind: CheckKind) -> bool {
    matches!(kind, CheckKind::Trap | CheckKind::Unreachable)
}

/// Whether the machine stops where the check fails. Overflow and shifts wrap and go on.
fn ends_execution(kind: CheckKind) -> bool {
    match kind {
        CheckKind::SignedOverflow
        | CheckKind::Shift
        | CheckKind::ArrayBounds
        | CheckKind::FloatCast
        | CheckKind::Builtin
        | CheckKind::VlaBound
        | CheckKind::Other(_) => false,
        CheckKind::DivByZero | CheckKind::Unreachable | CheckKind::Trap => true,
    }
}
