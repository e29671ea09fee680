//! LLVM's constants to ours, and initialisers to bytes with relocations.

use super::Lowering;
use super::ops::{binary_op, cast_op};
use crate::frontend::llvm::{Opcode, Ty, TypeKind, Val, ValueKind};
use crate::ir::{Const, ConstExpr, ConstId, Init, Operand, Type, TypeId};

/// Constants nest at most this deep before we call them unsupported; C reaches a few dozen.
const MAX_DEPTH: u32 = 500;

impl<'m> Lowering<'m> {
    pub(super) fn constant(&mut self, value: Val<'m>) -> ConstId {
        if let Some(&id) = self.consts.get(&value) {
            return id;
        }
        let id = self.convert_const(value, 0);
        self.consts.insert(value, id);
        id
    }

    fn nested(&mut self, value: Val<'m>, depth: u32) -> ConstId {
        if let Some(&id) = self.consts.get(&value) {
            return id;
        }
        self.convert_const(value, depth + 1)
    }

    fn convert_const(&mut self, value: Val<'m>, depth: u32) -> ConstId {
        let ty = self.ty(value.ty());
        if depth > MAX_DEPTH {
            return self.unsupported_const(ty, "a constant nested too deeply");
        }
        let ours = match value.kind() {
            ValueKind::LLVMConstantIntValueKind => {
                if self.scalar_bits(ty) <= 64 {
                    Const::Int(u128::from(value.const_u64()))
                } else {
                    let words = value.const_words();
                    match words[..] {
                        [low, high] => Const::Int(u128::from(low) | u128::from(high) << 64),
                        _ => Const::Wide(words.into()),
                    }
                }
            }
            ValueKind::LLVMConstantFPValueKind => {
                let words = value.const_words();
                let word = |i: usize| u128::from(words.get(i).copied().unwrap_or(0));
                Const::Float(word(0) | word(1) << 64)
            }
            ValueKind::LLVMConstantPointerNullValueKind => Const::Null,
            ValueKind::LLVMConstantAggregateZeroValueKind => Const::Zero,
            ValueKind::LLVMUndefValueValueKind => Const::Undef,
            ValueKind::LLVMPoisonValueKind => Const::Poison,
            ValueKind::LLVMGlobalVariableValueKind => match self.global(value) {
                Some(global) => Const::Global { global, offset: 0 },
                None => return self.unsupported_const(ty, "address of a compiler-made variable"),
            },
            ValueKind::LLVMFunctionValueKind => match self.funcs.get(&value) {
                Some(&func) => Const::Func(func),
                None => return self.unsupported_const(ty, "address of an intrinsic"),
            },
            ValueKind::LLVMGlobalAliasValueKind => {
                match (self.funcs.get(&value), self.globals.get(&value)) {
                    (Some(&func), _) => Const::Func(func),
                    (None, Some(&global)) => Const::Global { global, offset: 0 },
                    (None, None) => return self.unsupported_const(ty, "alias without a target"),
                }
            }
            ValueKind::LLVMConstantArrayValueKind
            | ValueKind::LLVMConstantStructValueKind
            | ValueKind::LLVMConstantVectorValueKind
            | ValueKind::LLVMConstantDataArrayValueKind
            | ValueKind::LLVMConstantDataVectorValueKind => {
                let elements: Option<Box<[ConstId]>> = (0..self.element_count(ty))
                    .map(|i| value.aggregate_element(i).map(|e| self.nested(e, depth)))
                    .collect();
                match elements {
                    Some(elements) => Const::Aggregate(elements),
                    None => return self.unsupported_const(ty, "constant aggregate"),
                }
            }
            ValueKind::LLVMBlockAddressValueKind => {
                let (func, block) = value.block_address();
                match (self.funcs.get(&func), self.label(func, block)) {
                    (Some(&func), Some(block)) => Const::Block { func, block },
                    _ => return self.unsupported_const(ty, "address of a label never reached"),
                }
            }
            ValueKind::LLVMConstantExprValueKind => return self.const_expr(value, ty, depth),
            ValueKind::LLVMGlobalIFuncValueKind => {
                return self.unsupported_const(ty, "an ifunc, whose code is chosen at run time");
            }
            ValueKind::LLVMConstantTokenNoneValueKind
            | ValueKind::LLVMConstantTargetNoneValueKind
            | ValueKind::LLVMConstantPtrAuthValueKind
            | ValueKind::LLVMArgumentValueKind
            | ValueKind::LLVMBasicBlockValueKind
            | ValueKind::LLVMMemoryUseValueKind
            | ValueKind::LLVMMemoryDefValueKind
            | ValueKind::LLVMMemoryPhiValueKind
            | ValueKind::LLVMMetadataAsValueValueKind
            | ValueKind::LLVMInlineAsmValueKind
            | ValueKind::LLVMInstructionValueKind => {
                return self.unsupported_const(ty, &format!("{:?}", value.kind()));
            }
        };
        self.program.consts.intern(ty, ours)
    }

    fn const_expr(&mut self, value: Val<'m>, ty: TypeId, depth: u32) -> ConstId {
        let opcode = value.const_opcode();
        let expr = match opcode {
            Opcode::LLVMGetElementPtr => match self.const_gep(value, ty, depth) {
                Some(id) => return id,
                None => return self.unsupported_const(ty, "address constant"),
            },
            _ => {
                if let Some(op) = binary_op(opcode) {
                    let lhs = self.nested(value.operand(0), depth);
                    let rhs = self.nested(value.operand(1), depth);
                    ConstExpr::Binary { op, lhs, rhs }
                } else if let Some(op) = cast_op(opcode) {
                    ConstExpr::Cast { op, value: self.nested(value.operand(0), depth) }
                } else {
                    return self.unsupported_const(ty, &format!("constant {opcode:?}"));
                }
            }
        };
        self.program.consts.intern(ty, Const::Expr(expr))
    }

    fn const_gep(&mut self, value: Val<'m>, ty: TypeId, depth: u32) -> Option<ConstId> {
        let base = self.nested(value.operand(0), depth);
        let (offset, terms) = self.gep_parts(value)?;
        if !terms.is_empty() {
            return None;
        }
        let ours = match *self.program.consts.get(base) {
            Const::Global { global, offset: start } => {
                Const::Global { global, offset: start.wrapping_add(offset) }
            }
            _ if offset == 0 => return Some(base),
            _ => Const::Expr(ConstExpr::Offset { base, offset }),
        };
        Some(self.program.consts.intern(ty, ours))
    }

    pub(super) fn unsupported_const(&mut self, ty: TypeId, what: &str) -> ConstId {
        let text = self.program.texts.intern(what);
        self.program.consts.intern(ty, Const::Unsupported(text))
    }

    pub(super) fn int_const(&mut self, bits: u32, value: u128) -> Operand {
        let ty = self.int_type(bits);
        Operand::Const(self.program.consts.intern(ty, Const::Int(value)))
    }

    fn element_count(&self, ty: TypeId) -> u32 {
        match self.program.types.get(ty) {
            Type::Array { len, .. } | Type::Vector { len, .. } => {
                u32::try_from(*len).unwrap_or(u32::MAX)
            }
            Type::Struct { fields } => fields.len() as u32,
            _ => 0,
        }
    }

    pub(super) fn scalar_bits(&self, ty: TypeId) -> u32 {
        self.program.types.scalar_bits(ty, self.program.machine.pointer_bits).unwrap_or(0)
    }

    /// A global's initial content.
    pub(super) fn initializer(&mut self, value: Val<'m>) -> Init {
        let mut image = Image::default();
        self.write_init(value, 0, &mut image, 0);
        let used = image.bytes.iter().rposition(|&b| b != 0).map_or(0, |last| last + 1);
        image.bytes.truncate(used);
        Init { bytes: image.bytes.into(), relocs: image.relocs.into() }
    }

    fn write_init(&mut self, value: Val<'m>, at: u64, image: &mut Image, depth: u32) {
        if value.is_null() || depth > MAX_DEPTH {
            return;
        }
        let ty = value.ty();
        match value.kind() {
            ValueKind::LLVMConstantDataArrayValueKind
            | ValueKind::LLVMConstantDataVectorValueKind
                if self.plain_bytes(ty) =>
            {
                if let Some(bytes) = value.const_bytes() {
                    image.write(at, bytes);
                }
            }
            ValueKind::LLVMConstantIntValueKind | ValueKind::LLVMConstantFPValueKind => {
                let mut bytes: Vec<u8> =
                    value.const_words().into_iter().flat_map(u64::to_le_bytes).collect();
                bytes.resize(self.reader.layout_of(ty).1 as usize, 0);
                if self.program.machine.big_endian {
                    bytes.reverse();
                }
                image.write(at, &bytes);
            }
            ValueKind::LLVMConstantArrayValueKind
            | ValueKind::LLVMConstantVectorValueKind
            | ValueKind::LLVMConstantDataArrayValueKind
            | ValueKind::LLVMConstantDataVectorValueKind => {
                let id = self.ty(ty);
                let stride = self.reader.layout_of(ty.element()).0;
                for i in 0..self.element_count(id) {
                    if let Some(element) = value.aggregate_element(i) {
                        self.write_init(element, at + u64::from(i) * stride, image, depth + 1);
                    }
                }
            }
            ValueKind::LLVMConstantStructValueKind => {
                for i in 0..ty.field_count() {
                    if let Some(element) = value.aggregate_element(i) {
                        let offset = self.reader.offset_of(ty, i);
                        self.write_init(element, at + offset, image, depth + 1);
                    }
                }
            }
            _ => {
                let id = self.constant(value);
                image.relocs.push((at, id));
            }
        }
    }

    /// Whether LLVM's raw data of this type are the bytes in the target's memory.
    fn plain_bytes(&self, ty: Ty<'m>) -> bool {
        let element = ty.element();
        let one_byte = element.kind() == TypeKind::LLVMIntegerTypeKind && element.int_bits() == 8;
        one_byte || self.program.machine.big_endian == cfg!(target_endian = "big")
    }
}

#[derive(Default)]
struct Image {
    bytes: Vec<u8>,
    relocs: Vec<(u64, ConstId)>,
}

impl Image {
    fn write(&mut self, at: u64, bytes: &[u8]) {
        let at = at as usize;
        let end = at + bytes.len();
        if self.bytes.len() < end {
            self.bytes.resize(end, 0);
        }
        self.bytes[at..end].copy_from_slice(bytes);
    }
}
