//! What must hold though the compiler put in no check: bitcode from outside has none, and a function of C can ask for none
//! (`no_sanitize`). A division by zero and a broken promise to the compiler are violations whoever compiled the code.
//!
//! Invariant: what the compiler checks is not checked twice. Sums and shifts that nobody checks wrap, as on the machine.

use super::Lowering;
use super::ops::Intrinsic;
use crate::frontend::llvm::{Opcode, Place, Val, ValueKind};
use crate::ir::{BinaryOp, CheckKind, Inst, IntPredicate, Operand, Type};

impl<'m> Lowering<'m> {
    /// Remembers which divisor the compiler's own check asks about.
    pub(super) fn asked(&mut self, cond: Val<'m>) {
        let is_inst = |value: Val<'m>| value.kind() == ValueKind::LLVMInstructionValueKind;
        let first = match cond.opcode() {
            Opcode::LLVMAnd => cond.operand(0),
            _ => cond,
        };
        if is_inst(first) && first.opcode() == Opcode::LLVMICmp {
            self.divisors.insert((self.block, first.operand(0)));
        }
    }

    /// Before a division by a value that nobody asked about: it is not zero, and the quotient fits.
    pub(super) fn check_division(&mut self, inst: Val<'m>, op: BinaryOp) {
        let signed = match op {
            BinaryOp::SDiv | BinaryOp::SRem => true,
            BinaryOp::UDiv | BinaryOp::URem => false,
            _ => return,
        };
        let divisor = inst.operand(1);
        let harmless = divisor.is_const_int() && divisor.const_u64() != 0;
        let ty = self.ty(inst.ty());
        let &Type::Int(bits) = self.program.types.get(ty) else { return };
        if harmless || self.divisors.contains(&(self.block, divisor)) {
            return;
        }
        let (lhs, rhs) = self.two(inst);
        let not_zero = self.differs(rhs, bits, 0);
        self.emit(Inst::Check { cond: not_zero, kind: CheckKind::DivByZero });
        if signed {
            let all = u128::MAX >> (128 - bits);
            let not_least = self.differs(lhs, bits, 1 << (bits - 1));
            let not_minus_one = self.differs(rhs, bits, all);
            let either = Inst::Binary { op: BinaryOp::Or, lhs: not_least, rhs: not_minus_one };
            let bool_type = self.int_type(1);
            let cond = Operand::Value(self.emit_value(either, bool_type));
            self.emit(Inst::Check { cond, kind: CheckKind::SignedOverflow });
        }
    }

    fn differs(&mut self, value: Operand, bits: u32, from: u128) -> Operand {
        let rhs = self.int_const(bits, from);
        let compare = Inst::IntCmp { pred: IntPredicate::Ne, lhs: value, rhs };
        let bool_type = self.int_type(1);
        Operand::Value(self.emit_value(compare, bool_type))
    }

    /// Before the end of a block that the programmer promised is never reached. After a call that does not return,
    /// it is the call's promise.
    pub(super) fn check_unreachable(&mut self, end: Val<'m>) {
        let before = end.block().instructions().take_while(|&inst| inst != end).last();
        let ended = before.is_some_and(|last| self.does_not_return(last));
        // clang branches around its own trap to a block that ends at once.
        let asked = self.program.insts.values().next_back().is_some_and(|last| {
            last.block == self.block
                && matches!(last.inst, Inst::Check { kind: CheckKind::Unreachable, .. })
        });
        if !(ended || before.is_none() && asked) {
            let cond = self.int_const(1, 0);
            self.emit(Inst::Check { cond, kind: CheckKind::Unreachable });
        }
    }
    /// A trap, which is a check already, or a call of what is said not to return.
    fn does_not_return(&self, inst: Val<'m>) -> bool {
        if !matches!(inst.opcode(), Opcode::LLVMCall | Opcode::LLVMInvoke) {
            return false;
        }
        let callee = inst.callee();
        let traps = self.intrinsics.get(&callee);
        let traps = matches!(traps, Some(Intrinsic::UbsanTrap | Intrinsic::Trap));
        let said = |of: Val<'m>| of.attribute(Place::Function, self.attributes.noreturn).is_some();
        let named = callee.kind() == ValueKind::LLVMFunctionValueKind;
        traps || said(inst) || (named && said(callee))
    }
}
