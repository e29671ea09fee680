//! Variables that pointers are made from: whether they are there, their sizes, and the texts in them.

use crate::ir::{
    CastOp, Const, ConstId, Function, Global, GlobalId, Inst, InstId, Linkage, Program, TypeId,
};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Base {
    Global(GlobalId),
    Local(InstId),
}

/// Whether a global variable is in every execution: only one that is declared weak may be missing.
pub fn is_there(global: &Global) -> bool {
    global.init.is_some() || (global.linkage != Linkage::Weak && global.size > 0)
}

/// The same of a function.
pub fn has_address(function: &Function) -> bool {
    !function.blocks.is_empty() || function.linkage != Linkage::Weak
}

/// Whether a constant points into something that nobody ever writes to, with a zero byte behind it.
pub fn is_text(program: &Program, constant: ConstId) -> bool {
    let Const::Global { global, offset } = *program.consts.get(constant) else { return false };
    let global = &program.globals[global];
    // Another definition may be linked in the place of a weak one.
    let is_sure = global.constant && global.linkage != Linkage::Weak;
    let Some(init) = global.init.as_ref().filter(|_| is_sure) else { return false };
    let Some(start) = u64::try_from(offset).ok().filter(|&start| start < global.size) else {
        return false;
    };
    // Behind the bytes that are written down there are only zeros.
    let written = init.bytes.len() as u64;
    let has_zero = || init.bytes.iter().skip(start as usize).any(|&byte| byte == 0);
    init.relocs.is_empty() && (written < global.size || has_zero())
}

/// Whether a cast loses nothing of what it is given.
pub fn keeps_all(op: CastOp) -> bool {
    match op {
        CastOp::ZExt | CastOp::SExt | CastOp::Bitcast => true,
        CastOp::Trunc
        | CastOp::FpTrunc
        | CastOp::FpExt
        | CastOp::FpToUi
        | CastOp::FpToSi
        | CastOp::UiToFp
        | CastOp::SiToFp
        | CastOp::PtrToInt
        | CastOp::IntToPtr => false,
    }
}

/// The size of a scalar all of whose bits are its value.
pub fn full_bytes(program: &Program, ty: TypeId) -> Option<u64> {
    let bits = program.types.scalar_bits(ty, program.machine.pointer_bits)?;
    let size = program.types.store_size(ty);
    (u64::from(bits) == size * 8).then_some(size)
}

/// The size of a variable, if it is the same in every execution.
pub fn size(program: &Program, base: Base) -> Option<u64> {
    match base {
        Base::Global(global) => Some(program.globals[global].size),
        Base::Local(made) => {
            let Inst::Alloca { elem, count, .. } = program.insts[made].inst else { return None };
            let Const::Int(count) = program.consts.get(count.constant()?) else { return None };
            program.types.size(elem).checked_mul(u64::try_from(*count).ok()?)
        }
    }
}
