//! Instructions that compute values and those that end a block.

use super::cfg::Exit;
use super::negated::is_negated;
use super::ops::{binary_op, cast_op, float_predicate, int_predicate};
use super::{Lowering, Overflow};
use crate::frontend::llvm::{Blk, Opcode, Val, ValueKind};
use crate::ir::{BinaryOp, BlockId, CheckKind, Const, Inst, InstId, Operand, PureOp, Type};

impl<'m> Lowering<'m> {
    /// One block of ours: a straight line of LLVM's.
    pub(super) fn lower_chain(&mut self, chain: &[Blk<'m>]) {
        for (i, &block) in chain.iter().enumerate() {
            let is_last = i + 1 == chain.len();
            for inst in block.instructions() {
                let next = self.program.insts.next_key();
                self.bindings(inst, next);
                self.current_loc = self.loc(inst);
                if is_terminator(inst.opcode()) {
                    self.terminator(inst, block, is_last);
                } else {
                    self.instruction(inst);
                }
            }
        }
    }

    fn terminator(&mut self, inst: Val<'m>, block: Blk<'m>, is_last: bool) {
        if inst.opcode() == Opcode::LLVMInvoke {
            self.call(inst);
        }
        match self.exit(block) {
            Exit::Jump(to) => {
                if is_last {
                    self.jump(to);
                }
            }
            Exit::Check { cond, expected, kind, to } => {
                self.check(cond, expected, kind);
                if is_last {
                    self.jump(to);
                }
            }
            Exit::Other => self.branching_terminator(inst),
        }
    }

    fn jump(&mut self, to: Blk<'m>) {
        let Some(to) = self.target(to) else { return };
        self.emit(Inst::Jump { to });
    }

    /// The block that control goes to; every target of a reachable block has one.
    fn target(&mut self, block: Blk<'m>) -> Option<BlockId> {
        let target = self.labels.get(&block).copied();
        debug_assert!(target.is_some());
        target
    }

    fn branching_terminator(&mut self, inst: Val<'m>) {
        let ours = match inst.opcode() {
            Opcode::LLVMRet => {
                let value = (inst.operand_count() > 0).then(|| self.operand(inst.operand(0)));
                Some(Inst::Return { value })
            }
            Opcode::LLVMBr => {
                let cond = self.operand(inst.operand(0));
                let then = self.target(inst.successor(0));
                let els = self.target(inst.successor(1));
                // The last operands are the blocks, the second one first.
                let negated = is_negated(&inst.operand(2).name(), &inst.operand(1).name());
                then.zip(els).map(|(then, els)| Inst::Branch { cond, then, els, negated })
            }
            Opcode::LLVMSwitch => self.switch(inst),
            Opcode::LLVMIndirectBr => {
                let address = self.operand(inst.operand(0));
                let mut targets: Vec<BlockId> = (0..inst.successor_count())
                    .filter_map(|i| self.target(inst.successor(i)))
                    .collect();
                let mut seen = rustc_hash::FxHashSet::default();
                targets.retain(|&target| seen.insert(target));
                let targets = self.program.block_pool.push(targets);
                Some(Inst::IndirectJump { address, targets })
            }
            Opcode::LLVMUnreachable => {
                self.check_unreachable(inst);
                Some(Inst::Unreachable)
            }
            other => {
                self.unsupported(inst, &format!("{other:?}"));
                Some(Inst::Unreachable)
            }
        };
        self.emit(ours.unwrap_or(Inst::Unreachable));
    }

    fn switch(&mut self, inst: Val<'m>) -> Option<Inst> {
        let value = self.operand(inst.operand(0));
        // Operands: the value, the default, then a constant and a block for each case.
        let default = self.target(inst.successor(0))?;
        let mut cases = Vec::with_capacity(inst.successor_count() as usize);
        for i in 1..inst.successor_count() {
            let constant = self.constant(inst.operand(2 * i));
            cases.push((constant, self.target(inst.successor(i))?));
        }
        let cases = self.program.case_pool.push(cases);
        Some(Inst::Switch { value, cases, default })
    }

    /// A sanitizer's check; clang joins two questions about a division into one, we ask them apart.
    fn check(&mut self, cond: Val<'m>, expected: bool, kind: CheckKind) {
        let is_instruction = cond.kind() == ValueKind::LLVMInstructionValueKind;
        if kind == CheckKind::SignedOverflow && self.overflow == Overflow::Wraps {
            return;
        }
        if kind == CheckKind::DivByZero && expected && is_instruction {
            self.asked(cond);
            match cond.opcode() {
                Opcode::LLVMAnd => {
                    self.check_one(cond.operand(0), true, CheckKind::DivByZero);
                    self.check_one(cond.operand(1), true, CheckKind::SignedOverflow);
                    return;
                }
                Opcode::LLVMOr => {
                    self.check_one(cond, true, CheckKind::SignedOverflow);
                    return;
                }
                _ => {}
            }
        }
        self.check_one(cond, expected, kind);
    }

    fn check_one(&mut self, cond: Val<'m>, expected: bool, kind: CheckKind) {
        if cond.is_const_int() && (cond.const_u64() != 0) == expected {
            return;
        }
        let mut cond = self.operand(cond);
        if !expected {
            let (lhs, rhs) = (cond, self.int_const(1, 1));
            let bool_type = self.int_type(1);
            let negated = Inst::Binary { op: BinaryOp::Xor, lhs, rhs };
            cond = Operand::Value(self.emit_value(negated, bool_type));
        }
        self.emit(Inst::Check { cond, kind });
    }

    /// What an instruction reads: a value lowered before, or a constant.
    pub(super) fn operand(&mut self, value: Val<'m>) -> Operand {
        if let Some(&operand) = self.values.get(&value) {
            return operand;
        }
        if let Some(&(first, second)) = self.pairs.get(&value) {
            return self.whole_pair(value, first, second);
        }
        match value.kind() {
            ValueKind::LLVMInstructionValueKind | ValueKind::LLVMArgumentValueKind => {
                debug_assert!(false, "a use before its definition: {}", value.name());
                let ty = self.ty(value.ty());
                Operand::Const(self.unsupported_const(ty, "a use before its definition"))
            }
            _ => Operand::Const(self.constant(value)),
        }
    }

    /// As `operand`, if the value has been lowered or needs not to be.
    pub(super) fn known_operand(&mut self, value: Val<'m>) -> Option<Operand> {
        match value.kind() {
            ValueKind::LLVMInstructionValueKind | ValueKind::LLVMArgumentValueKind => {
                self.values.get(&value).copied()
            }
            ValueKind::LLVMMetadataAsValueValueKind | ValueKind::LLVMBasicBlockValueKind => None,
            _ => Some(Operand::Const(self.constant(value))),
        }
    }

    /// The struct that an operation with overflow yields, where it is used as a whole.
    fn whole_pair(&mut self, value: Val<'m>, first: Operand, second: Operand) -> Operand {
        let ty = self.ty(value.ty());
        let mut whole = Operand::Const(self.program.consts.intern(ty, Const::Undef));
        for (i, part) in [(0, first), (1, second)] {
            let path = self.program.index_pool.push([i]);
            let insert = Inst::Insert { aggregate: whole, value: part, path };
            whole = Operand::Value(self.emit_value(insert, ty));
        }
        whole
    }

    /// Appends `ours` as the meaning of `inst`.
    pub(super) fn define(&mut self, inst: Val<'m>, ours: Inst) {
        let ty = self.ty(inst.ty());
        if matches!(self.program.types.get(ty), Type::Void) {
            self.emit(ours);
        } else {
            let value = self.emit_value(ours, ty);
            self.program.values[value].name = self.name_of(inst);
            self.values.insert(inst, Operand::Value(value));
        }
    }

    pub(super) fn unsupported(&mut self, inst: Val<'m>, what: &str) {
        // An assembler template stands in the text already.
        let is_value = |operand: &Val<'m>| operand.kind() != ValueKind::LLVMInlineAsmValueKind;
        let operands = (0..inst.operand_count()).map(|i| inst.operand(i)).filter(is_value);
        let args: Vec<Operand> =
            operands.filter_map(|operand| self.known_operand(operand)).collect();
        let what = self.program.texts.intern(what);
        let args = self.program.operand_pool.push(args);
        self.define(inst, Inst::Unsupported { what, args });
    }

    fn instruction(&mut self, inst: Val<'m>) {
        let opcode = inst.opcode();
        if let Some(op) = binary_op(opcode) {
            self.check_division(inst, op);
            let (lhs, rhs) = self.two(inst);
            return self.define(inst, Inst::Binary { op, lhs, rhs });
        }
        if let Some(op) = cast_op(opcode) {
            let value = self.operand(inst.operand(0));
            return self.define(inst, Inst::Cast { op, value });
        }
        match opcode {
            Opcode::LLVMICmp => {
                let (lhs, rhs) = self.two(inst);
                let pred = int_predicate(inst.int_predicate());
                self.define(inst, Inst::IntCmp { pred, lhs, rhs });
            }
            Opcode::LLVMFCmp => {
                let (lhs, rhs) = self.two(inst);
                let pred = float_predicate(inst.float_predicate());
                self.define(inst, Inst::FloatCmp { pred, lhs, rhs });
            }
            Opcode::LLVMFNeg => {
                let value = self.operand(inst.operand(0));
                let args = self.program.operand_pool.push([value]);
                self.define(inst, Inst::Pure { op: PureOp::FNeg, args });
            }
            Opcode::LLVMFreeze => {
                let value = self.operand(inst.operand(0));
                self.define(inst, Inst::Freeze { value });
            }
            Opcode::LLVMSelect => {
                let cond = self.operand(inst.operand(0));
                let then = self.operand(inst.operand(1));
                let els = self.operand(inst.operand(2));
                self.define(inst, Inst::Select { cond, then, els });
            }
            Opcode::LLVMPHI => self.phi(inst),
            Opcode::LLVMExtractValue => self.extract(inst),
            Opcode::LLVMInsertValue => {
                let (aggregate, value) = self.two(inst);
                let path = self.program.index_pool.push(inst.indices().iter().copied());
                self.define(inst, Inst::Insert { aggregate, value, path });
            }
            Opcode::LLVMExtractElement => {
                let (vector, index) = self.two(inst);
                self.define(inst, Inst::ExtractElement { vector, index });
            }
            Opcode::LLVMInsertElement => {
                let (vector, value) = self.two(inst);
                let index = self.operand(inst.operand(2));
                self.define(inst, Inst::InsertElement { vector, value, index });
            }
            Opcode::LLVMShuffleVector => {
                let (lhs, rhs) = self.two(inst);
                // LLVM's undefined lane is -1, which is `u32::MAX` here.
                let mask = inst.shuffle_mask().into_iter().map(|lane| lane as u32);
                let mask = self.program.index_pool.push(mask);
                self.define(inst, Inst::Shuffle { lhs, rhs, mask });
            }
            Opcode::LLVMAlloca
            | Opcode::LLVMLoad
            | Opcode::LLVMStore
            | Opcode::LLVMGetElementPtr
            | Opcode::LLVMAtomicRMW
            | Opcode::LLVMAtomicCmpXchg
            | Opcode::LLVMFence
            | Opcode::LLVMVAArg => self.memory_instruction(inst),
            Opcode::LLVMCall => self.call(inst),
            other => self.unsupported(inst, &format!("{other:?}")),
        }
    }

    pub(super) fn two(&mut self, inst: Val<'m>) -> (Operand, Operand) {
        (self.operand(inst.operand(0)), self.operand(inst.operand(1)))
    }

    fn extract(&mut self, inst: Val<'m>) {
        let indices = inst.indices();
        if let Some(&(first, second)) = self.pairs.get(&inst.operand(0)) {
            let part = if indices == [0] { first } else { second };
            self.values.insert(inst, part);
            return;
        }
        let aggregate = self.operand(inst.operand(0));
        let path = self.program.index_pool.push(indices.iter().copied());
        self.define(inst, Inst::Extract { aggregate, path });
    }

    /// The operands come once all blocks are lowered; a phi of one predecessor is just its operand.
    fn phi(&mut self, inst: Val<'m>) {
        let incoming = self.live_incoming(inst);
        if let [(_, value)] = incoming[..] {
            let operand = self.operand(value);
            self.values.insert(inst, operand);
            return;
        }
        let ty = self.ty(inst.ty());
        let placeholder = Operand::Const(self.program.consts.intern(ty, Const::Undef));
        let edges = incoming.into_iter().map(|(block, _)| (block, placeholder));
        let incoming = self.program.phi_pool.push(edges);
        let id: InstId = self.program.insts.next_key();
        self.define(inst, Inst::Phi { incoming });
        self.phis.push((id, inst));
    }

    /// A phi's operands over the edges that are left, one for each predecessor.
    fn live_incoming(&self, phi: Val<'m>) -> Vec<(BlockId, Val<'m>)> {
        let mut seen = rustc_hash::FxHashSet::default();
        // Not the block it is lowered into: a chain may begin with where a folded branch goes instead.
        let here = phi.block();
        phi.incoming()
            .filter_map(|(pred, value)| {
                let block = *self.labels.get(&pred)?;
                let taken = match self.exit(pred) {
                    Exit::Jump(to) | Exit::Check { to, .. } => to == here,
                    Exit::Other => true,
                };
                // Inside a chain the predecessor is this block itself, and no other is left.
                (taken && seen.insert(block)).then_some((block, value))
            })
            .collect()
    }

    pub(super) fn finish_phis(&mut self) {
        for (id, phi) in std::mem::take(&mut self.phis) {
            self.block = self.program.insts[id].block;
            let values: Vec<Operand> = self
                .live_incoming(phi)
                .into_iter()
                .map(|(_, value)| match self.known_operand(value) {
                    Some(operand) => operand,
                    None => {
                        let ty = self.ty(phi.ty());
                        Operand::Const(self.unsupported_const(ty, "an overflow pair in a phi"))
                    }
                })
                .collect();
            if let Inst::Phi { incoming } = self.program.insts[id].inst {
                let edges = self.program.phi_pool.get_mut(incoming);
                for (edge, value) in edges.iter_mut().zip(values) {
                    edge.1 = value;
                }
            }
        }
    }
}

fn is_terminator(opcode: Opcode) -> bool {
    matches!(
        opcode,
        Opcode::LLVMRet
            | Opcode::LLVMBr
            | Opcode::LLVMSwitch
            | Opcode::LLVMIndirectBr
            | Opcode::LLVMInvoke
            | Opcode::LLVMUnreachable
            | Opcode::LLVMCallBr
            | Opcode::LLVMResume
            | Opcode::LLVMCleanupRet
            | Opcode::LLVMCatchRet
            | Opcode::LLVMCatchSwitch
    )
}
