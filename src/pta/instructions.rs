//! What each instruction means as constraints. Every instruction is named: one that moves pointers and
//! is forgotten here would make the analysis wrong.
//!
//! Numbers are tracked like pointers, because compiled C moves pointers as integers: every integer may
//! carry the pointer (or part of it) that it was loaded or converted from. At a pointer's width any
//! arithmetic keeps it, as a pointer to anywhere in the same object; in a narrower number only copying
//! and bit operations do, since the sum or product of a pointer's fragments is just a number (see
//! [`fragments`](super::fragments) for what happens when it is stored). The difference of two pointers is
//! a number; what was widened from a narrower number and is added to another is an offset. An array index adds nothing to the pointer it moves: C lets arithmetic on a pointer stay
//! in its object only.

use super::assembly;
use super::calls::{self, transfer};
use super::constraints::{Nodes, Role, Sink};
use super::generate::{Frame, Generator};
use super::objects::{ObjectKind, Step};
use crate::ir::{
    BinaryOp, CastOp, Const, Def, GepTerm, Inst, InstId, List, Operand, Program, PureOp, RmwOp,
    TypeId, ValueId,
};

impl<'p> Generator<'p> {
    pub(super) fn bits(&self, ty: TypeId) -> u32 {
        self.program.types.scalar_bits(ty, self.program.machine.pointer_bits).unwrap_or(u32::MAX)
    }

    /// Copies the pointers in `from` to the instruction's result, moved by `step`.
    fn flow(&mut self, frame: &mut Frame<'_>, from: Operand, to: Option<Nodes>, step: &Step) {
        let Some(to) = to else {
            return;
        };
        let from = self.operand(frame, from);
        if step.is_nothing() {
            transfer(self, from, Some(to));
        } else {
            for a in from.into_iter().flat_map(Nodes::iter) {
                to.iter().for_each(|b| self.step(a, b, step.clone()));
            }
        }
    }

    fn binary(&mut self, frame: &mut Frame<'_>, result: ValueId, op: BinaryOp, args: [Operand; 2]) {
        let ty = self.program.values[result].ty;
        let wide = self.bits(ty) >= self.program.machine.pointer_bits;
        let to = self.value(frame, result);
        let constant = |at: usize| match self.program.consts.get(args[at].constant()?) {
            Const::Int(bits) => i64::try_from(sign_extend(*bits, self.bits(ty))).ok(),
            _ => None,
        };
        let step = match op {
            // C's difference of two pointers is a number.
            BinaryOp::Sub if args.iter().all(|&arg| self.is_address(arg)) => return,
            BinaryOp::FAdd | BinaryOp::FSub | BinaryOp::FMul | BinaryOp::FDiv | BinaryOp::FRem => {
                return;
            }
            BinaryOp::Add if wide => match (constant(0), constant(1)) {
                (Some(by), _) | (_, Some(by)) => Step::by(by),
                (None, None) => Step::anywhere(),
            },
            BinaryOp::Sub if wide => match constant(1).and_then(i64::checked_neg) {
                Some(by) => Step::by(by),
                None => Step::anywhere(),
            },
            BinaryOp::Add
            | BinaryOp::Sub
            | BinaryOp::Mul
            | BinaryOp::UDiv
            | BinaryOp::SDiv
            | BinaryOp::URem
            | BinaryOp::SRem
                if !wide =>
            {
                return;
            }
            BinaryOp::Add
            | BinaryOp::Sub
            | BinaryOp::Mul
            | BinaryOp::UDiv
            | BinaryOp::SDiv
            | BinaryOp::URem
            | BinaryOp::SRem
            | BinaryOp::And
            | BinaryOp::Xor => Step::anywhere(),
            // Fragments are shifted and joined back to the pointer they came from.
            BinaryOp::Shl | BinaryOp::LShr | BinaryOp::AShr | BinaryOp::Or => {
                if wide {
                    Step::anywhere()
                } else {
                    Step::default()
                }
            }
        };
        let moves = wide && matches!(op, BinaryOp::Add | BinaryOp::Sub);
        let offsets = args.map(|arg| moves && self.is_widened(arg, 0));
        for (arg, offset) in args.into_iter().zip(offsets) {
            // What is added to a whole number is an offset; two pieces may make a pointer.
            if !offset || offsets == [true, true] {
                self.flow(frame, arg, to, &step);
            }
        }
    }

    /// Whether the operand is made of numbers narrower than a pointer alone.
    fn is_widened(&self, operand: Operand, depth: u32) -> bool {
        let def = match operand.value().map(|value| self.program.values[value].def) {
            None => return matches!(self.const_of(operand), Some(Const::Int(_))),
            Some(def) => def,
        };
        let inst = match def {
            Def::Inst(inst) if depth < 8 => inst,
            Def::Inst(_) | Def::Param { .. } => return false,
        };
        match *self.program.inst(inst) {
            Inst::Cast { op: CastOp::ZExt | CastOp::SExt, value } => {
                self.bits(self.program.operand_type(value)) < self.program.machine.pointer_bits
            }
            Inst::Cast { op: CastOp::Bitcast, value } | Inst::Freeze { value } => {
                self.is_widened(value, depth + 1)
            }
            Inst::Binary { lhs, rhs, .. } => {
                self.is_widened(lhs, depth + 1) && self.is_widened(rhs, depth + 1)
            }
            _ => false,
        }
    }

    fn const_of(&self, operand: Operand) -> Option<&Const> {
        operand.constant().map(|constant| self.program.consts.get(constant))
    }

    pub(super) fn instruction(&mut self, frame: &mut Frame<'_>, id: InstId) {
        let program = self.program;
        let data = &program.insts[id];
        let result = data.result.expand();
        // Who asks where an address points to asks of all of them, also of those that move no pointer.
        program.for_each_operand(&data.inst, |operand| {
            if operand.constant().is_some() && program.is_pointer(operand) {
                self.operand(frame, operand);
            }
        });
        let same = Step::default();
        match data.inst {
            Inst::Binary { op, lhs, rhs } => {
                if let Some(result) = result {
                    self.binary(frame, result, op, [lhs, rhs]);
                }
            }
            Inst::Cast { op, value } => match op {
                CastOp::Trunc
                | CastOp::ZExt
                | CastOp::SExt
                | CastOp::PtrToInt
                | CastOp::IntToPtr
                | CastOp::Bitcast => {
                    let to = result.and_then(|result| self.value(frame, result));
                    self.flow(frame, value, to, &same);
                    if let (CastOp::IntToPtr, Some(to), Operand::Value(_)) = (op, to, value) {
                        self.open(Some(to));
                        self.int_to_ptr.push((id, to.first));
                    }
                }
                CastOp::FpTrunc
                | CastOp::FpExt
                | CastOp::FpToUi
                | CastOp::FpToSi
                | CastOp::UiToFp
                | CastOp::SiToFp => {}
            },
            Inst::Pure { op, args } => self.pure(frame, op, result, args),
            Inst::Select { then, els, .. } => {
                let to = result.and_then(|result| self.value(frame, result));
                self.flow(frame, then, to, &same);
                self.flow(frame, els, to, &same);
            }
            Inst::Freeze { value } => {
                let to = result.and_then(|result| self.value(frame, result));
                self.flow(frame, value, to, &same);
            }
            Inst::Phi { incoming } => {
                let to = result.and_then(|result| self.value(frame, result));
                for &(_, value) in program.phi_pool.get(incoming) {
                    self.flow(frame, value, to, &same);
                }
            }
            Inst::Extract { aggregate, path } => {
                let to = result.and_then(|result| self.value(frame, result));
                let from = self.operand(frame, aggregate);
                let part = self.part(aggregate, path);
                transfer(self, from.map(|from| inside(from, part)), to);
            }
            Inst::Insert { aggregate, value, path } => {
                let to = result.and_then(|result| self.value(frame, result));
                let from = self.operand(frame, aggregate);
                let part = self.part(aggregate, path);
                if let (Some(from), Some(to)) = (from, to) {
                    for leaf in (0..from.len).filter(|leaf| !part.is_some_and(|p| covers(p, *leaf)))
                    {
                        if let (Some(a), Some(b)) = (from.get(leaf), to.get(leaf)) {
                            self.copy(a, b);
                        }
                    }
                }
                let value = self.operand(frame, value);
                transfer(self, value, to.map(|to| inside(to, part)));
            }
            Inst::ExtractElement { vector, .. } => {
                let to = result.and_then(|result| self.value(frame, result));
                self.flow(frame, vector, to, &same);
            }
            Inst::InsertElement { vector: lhs, value: rhs, .. }
            | Inst::Shuffle { lhs, rhs, .. } => {
                let to = result.and_then(|result| self.value(frame, result));
                self.flow(frame, lhs, to, &same);
                self.flow(frame, rhs, to, &same);
            }
            Inst::Alloca { elem, count, .. } => {
                let single =
                    count.constant().map(|c| program.consts.get(c)) == Some(&Const::Int(1));
                let kind = ObjectKind::Alloca { site: id, context: frame.context };
                let object = self.objects.typed(kind, elem, !single);
                let location = self.objects.at(object, 0);
                if let Some(to) = result.and_then(|result| self.value(frame, result)) {
                    self.address(to.first, location);
                }
            }
            Inst::Load { ptr, .. } => {
                if let Some(result) = result {
                    let to = self.value(frame, result);
                    self.read(frame, ptr, program.values[result].ty, to);
                }
            }
            Inst::Store { ptr, value, .. }
                if frame.is_silent(program, ptr, self.bits(program.operand_type(value))) => {}
            Inst::Store { ptr, value, .. } => {
                if self.bits(program.operand_type(value)) < program.machine.pointer_bits {
                    self.write_fragment(frame, ptr, value);
                } else if !self.copies_words(frame, ptr, value) {
                    self.write(frame, ptr, value);
                }
            }
            Inst::Gep { base, offset, terms, .. } => {
                let to = result.and_then(|result| self.value(frame, result));
                self.gep(frame, to, base, offset, program.term_pool.get(terms));
            }
            Inst::MemCopy { dst, .. } if frame.is_silent(program, dst, u32::MAX) => {}
            Inst::MemCopy { dst, src, len, .. } => {
                if let (Some(to), Some(from)) = (self.pointer(frame, dst), self.pointer(frame, src))
                {
                    self.copy_memory(to, from, number(program, len));
                }
            }
            Inst::AtomicRmw { op, ptr, value } => {
                if let Some(result) = result {
                    let to = self.value(frame, result);
                    self.read(frame, ptr, program.values[result].ty, to);
                    self.write(frame, ptr, value);
                    if op != RmwOp::Xchg {
                        // What was there, changed by arithmetic.
                        let ty = program.values[result].ty;
                        if let (Some(old), Some(ptr)) = (to, self.pointer(frame, ptr)) {
                            let new = self.stepped(old.first, Step::anywhere());
                            self.store(new, ptr, program.types.store_size(ty) as u32);
                        }
                    }
                }
            }
            Inst::CmpXchg { ptr, new, .. } => {
                let to = result.and_then(|result| self.value(frame, result));
                let old = to.map(|to| Nodes { first: to.first, len: 1 });
                self.read(frame, ptr, program.operand_type(new), old);
                self.write(frame, ptr, new);
            }
            Inst::VaStart { list } => {
                if let (Some(object), Some(list)) = (frame.varargs, self.pointer(frame, list)) {
                    let location = self.objects.any(object);
                    let area = self.fresh(Role::Inner);
                    self.address(area, location);
                    let place = self.stepped(list, self.overflow_area());
                    self.store(area, place, self.word());
                }
            }
            Inst::VaCopy { dst, src } => {
                if let (Some(to), Some(from)) = (self.pointer(frame, dst), self.pointer(frame, src))
                {
                    self.copy_memory(to, from, Some(3 * u64::from(self.word())));
                }
            }
            Inst::VaArg { list } => {
                let to = result.and_then(|result| self.value(frame, result));
                if let (Some(list), Some(to)) = (self.pointer(frame, list), to) {
                    let place = self.stepped(list, self.overflow_area());
                    let area = self.fresh(Role::Inner);
                    self.load(place, area, self.word());
                    to.iter().for_each(|to| self.load(area, to, self.word()));
                }
            }
            Inst::Call { callee, args } => self.call_inst(frame, id, callee, args),
            Inst::Unsupported { what, args } if assembly::is_known(program, what) => {
                let to = result.and_then(|result| self.value(frame, result));
                for &arg in program.operands(args) {
                    self.flow(frame, arg, to, &Step::anywhere());
                }
            }
            Inst::Unsupported { args, .. } => {
                let call = self.call_record(frame, id, args, false);
                calls::unknown(self, &call);
                self.open(call.result);
            }
            Inst::Return { value } => {
                if let Some(value) = value {
                    let value = self.operand(frame, value);
                    transfer(self, value, frame.result);
                }
            }
            // Truth values, what holds no pointer, and what moves none.
            Inst::Overflow { .. }
            | Inst::IntCmp { .. }
            | Inst::FloatCmp { .. }
            | Inst::Uninit
            | Inst::MemSet { .. }
            | Inst::Fence
            | Inst::LifetimeStart { .. }
            | Inst::LifetimeEnd { .. }
            | Inst::StackSave
            | Inst::StackRestore { .. }
            | Inst::VaEnd { .. }
            | Inst::Check { .. }
            | Inst::Assume { .. }
            | Inst::Jump { .. }
            | Inst::Branch { .. }
            | Inst::Switch { .. }
            | Inst::IndirectJump { .. }
            | Inst::Unreachable => {}
        }
    }
}

/// The leaves `part` (first and number) of an aggregate's nodes; all of them if it is not split.
fn inside(nodes: Nodes, part: Option<(u32, u32)>) -> Nodes {
    match part.and_then(|(first, len)| Some((nodes.get(first)?, len))) {
        Some((first, len)) => Nodes { first, len },
        None => nodes,
    }
}

fn covers((first, len): (u32, u32), leaf: u32) -> bool {
    (first..first + len).contains(&leaf)
}

fn sign_extend(bits: u128, width: u32) -> i128 {
    let unused = 128u32.saturating_sub(width);
    ((bits << unused) as i128) >> unused
}

/// The value of an integer constant.
pub(super) fn number(program: &Program, operand: Operand) -> Option<u64> {
    match program.consts.get(operand.constant()?) {
        Const::Int(bits) => u64::try_from(*bits).ok(),
        _ => None,
    }
}

impl<'p> Generator<'p> {
    pub(super) fn word(&self) -> u32 {
        self.program.machine.pointer_bits / 8
    }

    /// Where in a `va_list` the pointer to the extra arguments lies.
    fn overflow_area(&self) -> Step {
        Step::by(if self.program.machine.triple.starts_with("x86_64") { 8 } else { 0 })
    }

    /// Whether the operand is a pointer just made an integer.
    fn is_address(&self, operand: Operand) -> bool {
        let Some(Def::Inst(inst)) = operand.value().map(|value| self.program.values[value].def)
        else {
            return false;
        };
        matches!(self.program.inst(inst), Inst::Cast { op: CastOp::PtrToInt, .. })
    }

    fn part(&mut self, aggregate: Operand, path: List<u32>) -> Option<(u32, u32)> {
        let program = self.program;
        let ty = program.operand_type(aggregate);
        self.leaves.at(program, ty, program.index_pool.get(path))
    }

    /// Loads a value of type `ty`, leaf by leaf.
    fn read(&mut self, frame: &mut Frame<'_>, ptr: Operand, ty: TypeId, to: Option<Nodes>) {
        let leaves = self.leaves.of(self.program, ty);
        if let (Some(ptr), Some(to)) = (self.pointer(frame, ptr), to) {
            for (leaf, to) in leaves.iter().zip(to.iter()) {
                let place = self.stepped(ptr, Step::by(leaf.offset));
                self.load(place, to, leaf.width);
            }
        }
    }

    fn write(&mut self, frame: &mut Frame<'_>, ptr: Operand, value: Operand) {
        let leaves = self.leaves.of(self.program, self.program.operand_type(value));
        if let (Some(ptr), Some(value)) = (self.pointer(frame, ptr), self.operand(frame, value)) {
            for (leaf, from) in leaves.iter().zip(value.iter()) {
                let place = self.stepped(ptr, Step::by(leaf.offset));
                self.store(from, place, leaf.width);
            }
        }
    }

    fn gep(
        &mut self,
        frame: &mut Frame<'_>,
        to: Option<Nodes>,
        base: Operand,
        offset: i64,
        terms: &[GepTerm],
    ) {
        let Some(to) = to else {
            return;
        };
        let mut step = Step::by(offset);
        for term in terms {
            let known = term.index.constant().and_then(|index| {
                let bits = self.bits(self.program.consts.ty(index));
                match self.program.consts.get(index) {
                    Const::Int(value) => i64::try_from(sign_extend(*value, bits)).ok(),
                    _ => None,
                }
            });
            let moved = known
                .and_then(|index| index.checked_mul(i64::try_from(term.stride).ok()?))
                .and_then(|by| step.offset.checked_add(by));
            match moved {
                Some(offset) => step.offset = offset,
                None => step.terms.push((term.stride, term.count)),
            }
        }
        match self.operand(frame, base) {
            Some(base) => {
                for from in base.iter() {
                    to.iter().for_each(|to| self.step(from, to, step.clone()));
                }
            }
            // `(char *)0 + address`.
            None => {
                for term in terms {
                    self.flow(frame, term.index, Some(to), &Step::anywhere());
                }
            }
        }
    }

    fn pure(
        &mut self,
        frame: &mut Frame<'_>,
        op: PureOp,
        result: Option<ValueId>,
        args: List<Operand>,
    ) {
        let step = match op {
            PureOp::SMin | PureOp::SMax | PureOp::UMin | PureOp::UMax => Step::default(),
            PureOp::BSwap | PureOp::BitReverse | PureOp::FShl | PureOp::FShr => Step::default(),
            PureOp::Abs
            | PureOp::SAddSat
            | PureOp::UAddSat
            | PureOp::SSubSat
            | PureOp::USubSat
            | PureOp::PtrMask => Step::anywhere(),
            PureOp::FNeg
            | PureOp::FAbs
            | PureOp::FSqrt
            | PureOp::FFloor
            | PureOp::FCeil
            | PureOp::FTrunc
            | PureOp::FRound
            | PureOp::FRint
            | PureOp::FMin
            | PureOp::FMax
            | PureOp::FCopySign
            | PureOp::FMulAdd
            | PureOp::FIsClass
            | PureOp::CtPop
            | PureOp::Ctlz
            | PureOp::Cttz => return,
        };
        let to = result.and_then(|result| self.value(frame, result));
        for &arg in self.program.operands(args) {
            self.flow(frame, arg, to, &step);
        }
    }
}
