//! LLVM's types to ours, with the layout the target gives them.

use super::Lowering;
use crate::frontend::llvm::{Ty, TypeKind};
use crate::ir::{Field, FloatKind, Layout, Type, TypeId};

impl<'m> Lowering<'m> {
    pub(super) fn ty(&mut self, ty: Ty<'m>) -> TypeId {
        if let Some(&id) = self.types.get(&ty) {
            return id;
        }
        let ours = self.convert(ty);
        let layout = match ours {
            Type::Void | Type::Opaque(_) => Layout { size: 0, store_size: 0, align: 1 },
            _ => {
                let (size, store_size, align) = self.reader.layout_of(ty);
                Layout { size, store_size, align }
            }
        };
        let id = self.program.types.intern(ours, layout);
        self.types.insert(ty, id);
        id
    }

    fn convert(&mut self, ty: Ty<'m>) -> Type {
        match ty.kind() {
            TypeKind::LLVMVoidTypeKind => Type::Void,
            TypeKind::LLVMIntegerTypeKind => Type::Int(ty.int_bits()),
            TypeKind::LLVMPointerTypeKind if ty.address_space() == 0 => Type::Ptr,
            TypeKind::LLVMHalfTypeKind => Type::Float(FloatKind::F16),
            TypeKind::LLVMBFloatTypeKind => Type::Float(FloatKind::BF16),
            TypeKind::LLVMFloatTypeKind => Type::Float(FloatKind::F32),
            TypeKind::LLVMDoubleTypeKind => Type::Float(FloatKind::F64),
            TypeKind::LLVMX86_FP80TypeKind => Type::Float(FloatKind::X87),
            TypeKind::LLVMFP128TypeKind => Type::Float(FloatKind::F128),
            TypeKind::LLVMPPC_FP128TypeKind => Type::Float(FloatKind::PpcDouble),
            TypeKind::LLVMArrayTypeKind => {
                Type::Array { elem: self.ty(ty.element()), len: ty.array_len() }
            }
            TypeKind::LLVMVectorTypeKind => {
                Type::Vector { elem: self.ty(ty.element()), len: u64::from(ty.vector_len()) }
            }
            TypeKind::LLVMStructTypeKind if ty.is_sized() => {
                let fields = (0..ty.field_count())
                    .map(|i| Field {
                        ty: self.ty(ty.field(i)),
                        offset: self.reader.offset_of(ty, i),
                    })
                    .collect();
                Type::Struct { fields }
            }
            TypeKind::LLVMPointerTypeKind
            | TypeKind::LLVMStructTypeKind
            | TypeKind::LLVMLabelTypeKind
            | TypeKind::LLVMFunctionTypeKind
            | TypeKind::LLVMMetadataTypeKind
            | TypeKind::LLVMTokenTypeKind
            | TypeKind::LLVMScalableVectorTypeKind
            | TypeKind::LLVMX86_AMXTypeKind
            | TypeKind::LLVMTargetExtTypeKind
            | TypeKind::LLVMX86_MMXTypeKind => Type::Opaque(ty.print().into()),
        }
    }

    /// The integer type of that width, whether or not the module has it.
    pub(super) fn int_type(&mut self, bits: u32) -> TypeId {
        let bytes = u64::from(bits.div_ceil(8)).next_power_of_two();
        let layout = Layout {
            size: bytes,
            store_size: u64::from(bits.div_ceil(8)),
            align: bytes.min(16) as u32,
        };
        self.program.types.intern(Type::Int(bits), layout)
    }

    pub(super) fn void_type(&mut self) -> TypeId {
        self.program.types.intern(Type::Void, Layout { size: 0, store_size: 0, align: 1 })
    }
}
