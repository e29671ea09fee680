//! Calls: of functions, through pointers, of LLVM's intrinsics, and inline assembly. An argument
//! that C passes by value in memory (`byval`) becomes a copy that the caller makes.

use super::Lowering;
use super::cfg::Plan;
use super::ops::{Intrinsic, check_kind};
use crate::frontend::llvm::{Opcode, Val, ValueKind};
use crate::ir::{
    Access, BinaryOp, Callee, CheckKind, Const, FuncId, Inst, Operand, OverflowOp, PureOp, Type,
    TypeId, verify,
};

impl<'m> Lowering<'m> {
    /// Makes room in the entry block for the copies of `byval` arguments, one for each call: a copy is
    /// dead when its call returns, so a loop can use the same one again.
    pub(super) fn make_copies(&mut self, plan: &Plan<'m>) {
        self.current_loc = None.into();
        for block in plan.chains().flatten() {
            for call in block.instructions() {
                if !matches!(call.opcode(), Opcode::LLVMCall | Opcode::LLVMInvoke) {
                    continue;
                }
                for arg in 0..fixed_args(call) {
                    let Some(ty) = call.byval_type(arg, self.attributes.byval) else { continue };
                    let elem = self.ty(ty);
                    let align = self.program.types.layout(elem).align;
                    let count = self.int_const(32, 1);
                    let ptr = self.ty(call.operand(arg).ty());
                    let copy = self.emit_value(Inst::Alloca { elem, count, align }, ptr);
                    self.copies.insert((call, arg), Operand::Value(copy));
                }
            }
        }
    }

    pub(super) fn call(&mut self, inst: Val<'m>) {
        let callee = inst.callee();
        if let Some(&intrinsic) = self.intrinsics.get(&callee) {
            return self.intrinsic(inst, intrinsic, callee);
        }
        if callee.kind() == ValueKind::LLVMInlineAsmValueKind {
            return self.inline_asm(inst, callee);
        }
        let args: Vec<Operand> = (0..inst.arg_count()).map(|i| self.argument(inst, i)).collect();
        let result = self.ty(inst.ty());
        let callee = match self.operand(callee) {
            Operand::Const(constant) => match *self.program.consts.get(constant) {
                Const::Func(func) if self.binds(func, &args, result) => Callee::Direct(func),
                _ => Callee::Indirect(Operand::Const(constant)),
            },
            target => Callee::Indirect(target),
        };
        let args = self.program.operand_pool.push(args);
        self.define(inst, Inst::Call { callee, args });
        // What was passed by value was the callee's.
        for i in 0..fixed_args(inst) {
            if let Some(&object) = self.copies.get(&(inst, i)) {
                self.emit(Inst::LifetimeEnd { object });
            }
        }
    }

    /// Whether the call fits its callee. Old-style declarations and files that disagree make calls
    /// that do not; those are calls of the function's address.
    fn binds(&self, callee: FuncId, args: &[Operand], result: TypeId) -> bool {
        let program = &self.program;
        let args = args.iter().map(|&arg| program.operand_type(arg));
        let result = Some(result).filter(|&result| *program.types.get(result) != Type::Void);
        verify::binds(program, callee, args, result).is_ok()
    }

    fn argument(&mut self, call: Val<'m>, i: u32) -> Operand {
        let value = self.operand(call.operand(i));
        if let Some(&copy) = self.copies.get(&(call, i)) {
            if let Some(ty) = call.byval_type(i, self.attributes.byval) {
                let size = self.reader.layout_of(ty).0;
                let len = self.int_const(64, u128::from(size));
                let (dst, src) = (copy, value);
                self.emit(Inst::LifetimeStart { object: copy });
                self.emit(Inst::MemCopy { dst, src, len, overlap: false, volatile: false });
            }
            return copy;
        }
        // A struct among the variable arguments lies in the argument area itself.
        match call.byval_type(i, self.attributes.byval) {
            Some(ty) => {
                let ty = self.ty(ty);
                let align = self.program.types.layout(ty).align;
                let access = Access { align, ..Access::default() };
                Operand::Value(self.emit_value(Inst::Load { ptr: value, access }, ty))
            }
            None => value,
        }
    }

    /// An empty template is a compiler barrier: no instruction runs, and what lies in the register of an input is what
    /// the output there is.
    fn inline_asm(&mut self, inst: Val<'m>, asm: Val<'m>) {
        let (text, constraints) = asm.inline_asm();
        let ty = self.ty(inst.ty());
        if text.trim().is_empty() && ty == self.void_type() {
            self.emit(Inst::Fence);
            return;
        }
        if text.trim().is_empty()
            && let Some(input) = tied_input(&constraints)
            && input < inst.arg_count()
        {
            let value = self.argument(inst, input);
            if self.program.operand_type(value) == ty {
                self.emit(Inst::Fence);
                self.values.insert(inst, value);
                return;
            }
        }
        self.unsupported(inst, &format!("inline assembly `{}`", text.trim()));
    }

    fn intrinsic(&mut self, inst: Val<'m>, intrinsic: Intrinsic, callee: Val<'m>) {
        match intrinsic {
            Intrinsic::Nothing => {
                let ty = self.ty(inst.ty());
                if ty != self.void_type() {
                    let undef = self.program.consts.intern(ty, Const::Undef);
                    self.values.insert(inst, Operand::Const(undef));
                }
            }
            Intrinsic::Identity => {
                let value = self.operand(inst.operand(0));
                self.values.insert(inst, value);
            }
            Intrinsic::IsConstant => {
                let no = self.int_const(1, 0);
                self.values.insert(inst, no);
            }
            Intrinsic::ObjectSize => {
                // What unoptimised code gets: 0 if the least size was asked for, else "unknown".
                let ty = self.ty(inst.ty());
                let bits = self.scalar_bits(ty);
                let least = inst.operand(1).const_u64() != 0;
                let size = if least { 0 } else { u128::MAX >> (128 - bits.clamp(1, 128)) };
                let size = self.int_const(bits, size);
                self.values.insert(inst, size);
            }
            Intrinsic::Overflow(op) => self.with_overflow(inst, op),
            Intrinsic::Pure(op, arity) => self.pure(inst, op, arity),
            Intrinsic::MemCopy | Intrinsic::MemMove => {
                let (dst, src) = self.two(inst);
                let len = self.operand(inst.operand(2));
                let volatile = inst.operand(3).const_u64() != 0;
                let overlap = intrinsic == Intrinsic::MemMove;
                self.emit(Inst::MemCopy { dst, src, len, overlap, volatile });
            }
            Intrinsic::MemSet => {
                let (dst, byte) = self.two(inst);
                let len = self.operand(inst.operand(2));
                let volatile = inst.operand(3).const_u64() != 0;
                self.emit(Inst::MemSet { dst, byte, len, volatile });
            }
            Intrinsic::LifetimeStart => {
                let object = self.operand(inst.operand(1));
                self.emit(Inst::LifetimeStart { object });
            }
            Intrinsic::LifetimeEnd => {
                let object = self.operand(inst.operand(1));
                self.emit(Inst::LifetimeEnd { object });
            }
            Intrinsic::StackSave => self.define(inst, Inst::StackSave),
            Intrinsic::StackRestore => {
                let saved = self.operand(inst.operand(0));
                self.emit(Inst::StackRestore { saved });
            }
            Intrinsic::VaStart => {
                let list = self.operand(inst.operand(0));
                self.emit(Inst::VaStart { list });
            }
            Intrinsic::VaEnd => {
                let list = self.operand(inst.operand(0));
                self.emit(Inst::VaEnd { list });
            }
            Intrinsic::VaCopy => {
                let (dst, src) = self.two(inst);
                self.emit(Inst::VaCopy { dst, src });
            }
            Intrinsic::Assume => {
                // A promise to the compiler: without a check, a proof would rest on it.
                let cond = self.operand(inst.operand(0));
                if !inst.operand(0).is_const_int() || inst.operand(0).const_u64() == 0 {
                    self.emit(Inst::Check { cond, kind: CheckKind::Unreachable });
                }
                self.emit(Inst::Assume { cond });
            }
            Intrinsic::UbsanTrap => {
                let kind = check_kind(inst.operand(0).const_u64());
                let cond = self.int_const(1, 0);
                self.emit(Inst::Check { cond, kind });
            }
            Intrinsic::Trap => {
                let cond = self.int_const(1, 0);
                self.emit(Inst::Check { cond, kind: CheckKind::Trap });
            }
            Intrinsic::Uninit => {
                if inst.has_uses() {
                    self.define(inst, Inst::Uninit);
                }
            }
            Intrinsic::Kept => {
                let what = self.program.texts.intern("the address of a temporary, kept");
                let args = self.program.operand_pool.push([]);
                self.emit(Inst::Unsupported { what, args });
            }
            Intrinsic::Unsupported => self.unsupported(inst, &callee.name()),
        }
    }

    /// Two plain values instead of LLVM's pair; on vectors it stays unsupported.
    fn with_overflow(&mut self, inst: Val<'m>, op: OverflowOp) {
        let (lhs, rhs) = self.two(inst);
        let ty: TypeId = self.program.operand_type(lhs);
        if self.scalar_bits(ty) == 0 {
            return self.unsupported(inst, "overflow of a vector operation");
        }
        let wrapping = match op {
            OverflowOp::SAdd | OverflowOp::UAdd => BinaryOp::Add,
            OverflowOp::SSub | OverflowOp::USub => BinaryOp::Sub,
            OverflowOp::SMul | OverflowOp::UMul => BinaryOp::Mul,
        };
        let result = self.emit_value(Inst::Binary { op: wrapping, lhs, rhs }, ty);
        let bool_type = self.int_type(1);
        let overflow = self.emit_value(Inst::Overflow { op, lhs, rhs }, bool_type);
        self.pairs.insert(inst, (Operand::Value(result), Operand::Value(overflow)));
    }

    fn pure(&mut self, inst: Val<'m>, op: PureOp, arity: u32) {
        let args: Vec<Operand> = (0..arity).map(|i| self.operand(inst.operand(i))).collect();
        let args = self.program.operand_pool.push(args);
        self.define(inst, Inst::Pure { op, args });
    }
}

/// The arguments that the call's own type names, before the variable ones.
fn fixed_args(call: Val<'_>) -> u32 {
    call.fixed_arg_count().min(call.arg_count())
}

/// The argument that lies where the only result of an assembler template does.
fn tied_input(constraints: &str) -> Option<u32> {
    let (mut outputs, mut args, mut results) = (0u32, 0u32, Vec::new());
    let mut tied = None;
    for constraint in constraints.split(',').filter(|one| !one.starts_with('~')) {
        if let Some(output) = constraint.strip_prefix('=') {
            if output.starts_with('*') {
                args += 1;
            } else {
                results.push(outputs);
            }
            outputs += 1;
            continue;
        }
        if let Ok(output) = constraint.parse::<u32>()
            && results == [output]
        {
            tied = Some(args);
        }
        args += 1;
    }
    tied.filter(|_| results.len() == 1)
}

#[cfg(test)]
mod tests {
    use super::tied_input;

    #[test]
    fn the_input_in_the_register_of_the_result() {
        assert_eq!(tied_input("=r,0,~{memory},~{dirflag}"), Some(0));
        assert_eq!(tied_input("=&r,r,0"), Some(1));
        assert_eq!(tied_input("=*m,=r,r,1,*m"), Some(2));
        assert_eq!(tied_input("=r,r"), None);
        assert_eq!(tied_input("=r,=r,0,1"), None);
        assert_eq!(tied_input("r,~{memory}"), None);
    }
}
