//! Variables that pointers are made from, and their sizes.

use crate::ir::{CastOp, Const, GlobalId, Inst, InstId, Program};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Base {
    Global(GlobalId),
    Local(InstId),
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
