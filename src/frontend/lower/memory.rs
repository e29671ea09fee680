//! Instructions that touch memory or compute addresses.

use super::Lowering;
use super::ops::rmw_op;
use crate::frontend::llvm::{Opcode, Ty, TypeKind, Val};
use crate::ir::{Access, GepTerm, Inst, Member};

impl<'m> Lowering<'m> {
    pub(super) fn memory_instruction(&mut self, inst: Val<'m>) {
        match inst.opcode() {
            Opcode::LLVMAlloca => {
                let elem = self.ty(inst.allocated_type());
                let count = self.operand(inst.operand(0));
                self.define(inst, Inst::Alloca { elem, count, align: inst.alignment() });
            }
            Opcode::LLVMLoad => {
                let ptr = self.operand(inst.operand(0));
                self.define(inst, Inst::Load { ptr, access: access(inst) });
            }
            Opcode::LLVMStore => {
                let (value, ptr) = self.two(inst);
                self.define(inst, Inst::Store { ptr, value, access: access(inst) });
            }
            Opcode::LLVMGetElementPtr => self.gep(inst),
            Opcode::LLVMAtomicRMW => {
                let (ptr, value) = self.two(inst);
                self.define(inst, Inst::AtomicRmw { op: rmw_op(inst.rmw_op()), ptr, value });
            }
            Opcode::LLVMAtomicCmpXchg => {
                let (ptr, expected) = self.two(inst);
                let new = self.operand(inst.operand(2));
                let weak = inst.is_weak_cmpxchg();
                self.define(inst, Inst::CmpXchg { ptr, expected, new, weak });
            }
            Opcode::LLVMFence => self.define(inst, Inst::Fence),
            Opcode::LLVMVAArg => {
                let list = self.operand(inst.operand(0));
                self.define(inst, Inst::VaArg { list });
            }
            other => self.unsupported(inst, &format!("{other:?}")),
        }
    }

    fn gep(&mut self, inst: Val<'m>) {
        match self.gep_parts(inst) {
            Some((offset, terms)) => {
                let base = self.operand(inst.operand(0));
                let terms = self.program.term_pool.push(terms);
                let inbounds = inst.is_inbounds();
                let member = self.member(inst);
                self.define(inst, Inst::Gep { base, offset, terms, inbounds, member });
            }
            None => self.unsupported(inst, "address computation on a vector"),
        }
    }

    /// Where in which struct the address is, if the computation is nothing but a way from a struct to a member.
    fn member(&self, gep: Val<'m>) -> Option<Member> {
        let outer = gep.gep_source_type();
        let index = gep.operand(1);
        if !index.is_const_int() || index.const_i64() != 0 || gep.operand_count() < 3 {
            return None;
        }
        let (mut ty, mut offset) = (outer, 0);
        for i in 2..gep.operand_count() {
            if ty.kind() != TypeKind::LLVMStructTypeKind {
                return None;
            }
            let field = gep.operand(i).const_u64() as u32;
            offset += self.reader.offset_of(ty, field);
            ty = ty.field(field);
        }
        let (size, _, align) = self.reader.layout_of(outer);
        let mut array = None;
        if ty.kind() == TypeKind::LLVMArrayTypeKind {
            let (count, bytes) = (ty.array_len(), self.reader.layout_of(ty.element()).0);
            let end = offset.saturating_add(count.saturating_mul(bytes));
            // An array at the end may have been given more room than its type has.
            let is_last = end.saturating_add(u64::from(align)) > size;
            let count = if is_last || count < 2 { None } else { Some(u32::try_from(count).ok()?) };
            array = Some((count, u32::try_from(bytes).ok().filter(|&bytes| bytes > 0)?));
        }
        Some(Member { size: u32::try_from(size).ok()?, array })
    }

    /// The constant byte offset of an address computation and its variable terms.
    pub(super) fn gep_parts(&mut self, gep: Val<'m>) -> Option<(i64, Vec<GepTerm>)> {
        if gep.ty().kind() != TypeKind::LLVMPointerTypeKind {
            return None;
        }
        let mut offset = 0i64;
        let mut terms = Vec::new();
        let mut ty = gep.gep_source_type();
        let mut step = Step { stride: self.reader.layout_of(ty).0, count: None };
        for i in 1..gep.operand_count() {
            let index = gep.operand(i);
            if i > 1 {
                if ty.kind() == TypeKind::LLVMStructTypeKind {
                    let field = index.const_u64() as u32;
                    offset = offset.wrapping_add(self.reader.offset_of(ty, field) as i64);
                    ty = ty.field(field);
                    continue;
                }
                (ty, step) = self.element_step(ty)?;
            }
            if index.is_const_int() && index.ty().int_bits() <= 64 {
                let bytes = index.const_i64().wrapping_mul(step.stride as i64);
                offset = offset.wrapping_add(bytes);
            } else {
                let index = self.operand(index);
                terms.push(GepTerm { index, stride: step.stride, count: step.count });
            }
        }
        Some((offset, terms))
    }

    fn element_step(&self, ty: Ty<'m>) -> Option<(Ty<'m>, Step)> {
        let count = match ty.kind() {
            TypeKind::LLVMArrayTypeKind => ty.array_len(),
            TypeKind::LLVMVectorTypeKind => u64::from(ty.vector_len()),
            _ => return None,
        };
        let element = ty.element();
        let stride = self.reader.layout_of(element).0;
        // `[0 x T]` is C's flexible array: it has no bound of its own.
        Some((element, Step { stride, count: (count > 0).then_some(count) }))
    }
}

struct Step {
    stride: u64,
    count: Option<u64>,
}

fn access(inst: Val<'_>) -> Access {
    Access { volatile: inst.is_volatile(), atomic: inst.is_atomic(), align: inst.alignment() }
}
