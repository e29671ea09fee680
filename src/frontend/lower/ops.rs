//! LLVM's operation names to ours: tables, nothing else.

use crate::frontend::llvm::{LLVMIntPredicate, LLVMRealPredicate, Opcode, RmwBinOp};
use crate::ir::{
    BinaryOp, CastOp, CheckKind, FloatPredicate, IntPredicate, OverflowOp, PureOp, RmwOp,
};

pub(super) fn binary_op(opcode: Opcode) -> Option<BinaryOp> {
    Some(match opcode {
        Opcode::LLVMAdd => BinaryOp::Add,
        Opcode::LLVMSub => BinaryOp::Sub,
        Opcode::LLVMMul => BinaryOp::Mul,
        Opcode::LLVMUDiv => BinaryOp::UDiv,
        Opcode::LLVMSDiv => BinaryOp::SDiv,
        Opcode::LLVMURem => BinaryOp::URem,
        Opcode::LLVMSRem => BinaryOp::SRem,
        Opcode::LLVMShl => BinaryOp::Shl,
        Opcode::LLVMLShr => BinaryOp::LShr,
        Opcode::LLVMAShr => BinaryOp::AShr,
        Opcode::LLVMAnd => BinaryOp::And,
        Opcode::LLVMOr => BinaryOp::Or,
        Opcode::LLVMXor => BinaryOp::Xor,
        Opcode::LLVMFAdd => BinaryOp::FAdd,
        Opcode::LLVMFSub => BinaryOp::FSub,
        Opcode::LLVMFMul => BinaryOp::FMul,
        Opcode::LLVMFDiv => BinaryOp::FDiv,
        Opcode::LLVMFRem => BinaryOp::FRem,
        _ => return None,
    })
}

pub(super) fn cast_op(opcode: Opcode) -> Option<CastOp> {
    Some(match opcode {
        Opcode::LLVMTrunc => CastOp::Trunc,
        Opcode::LLVMZExt => CastOp::ZExt,
        Opcode::LLVMSExt => CastOp::SExt,
        Opcode::LLVMFPTrunc => CastOp::FpTrunc,
        Opcode::LLVMFPExt => CastOp::FpExt,
        Opcode::LLVMFPToUI => CastOp::FpToUi,
        Opcode::LLVMFPToSI => CastOp::FpToSi,
        Opcode::LLVMUIToFP => CastOp::UiToFp,
        Opcode::LLVMSIToFP => CastOp::SiToFp,
        Opcode::LLVMPtrToInt => CastOp::PtrToInt,
        Opcode::LLVMIntToPtr => CastOp::IntToPtr,
        Opcode::LLVMBitCast => CastOp::Bitcast,
        _ => return None,
    })
}

pub(super) fn int_predicate(pred: LLVMIntPredicate) -> IntPredicate {
    match pred {
        LLVMIntPredicate::LLVMIntEQ => IntPredicate::Eq,
        LLVMIntPredicate::LLVMIntNE => IntPredicate::Ne,
        LLVMIntPredicate::LLVMIntUGT => IntPredicate::UGt,
        LLVMIntPredicate::LLVMIntUGE => IntPredicate::UGe,
        LLVMIntPredicate::LLVMIntULT => IntPredicate::ULt,
        LLVMIntPredicate::LLVMIntULE => IntPredicate::ULe,
        LLVMIntPredicate::LLVMIntSGT => IntPredicate::SGt,
        LLVMIntPredicate::LLVMIntSGE => IntPredicate::SGe,
        LLVMIntPredicate::LLVMIntSLT => IntPredicate::SLt,
        LLVMIntPredicate::LLVMIntSLE => IntPredicate::SLe,
    }
}

pub(super) fn float_predicate(pred: LLVMRealPredicate) -> FloatPredicate {
    match pred {
        LLVMRealPredicate::LLVMRealPredicateFalse => FloatPredicate::False,
        LLVMRealPredicate::LLVMRealOEQ => FloatPredicate::OEq,
        LLVMRealPredicate::LLVMRealOGT => FloatPredicate::OGt,
        LLVMRealPredicate::LLVMRealOGE => FloatPredicate::OGe,
        LLVMRealPredicate::LLVMRealOLT => FloatPredicate::OLt,
        LLVMRealPredicate::LLVMRealOLE => FloatPredicate::OLe,
        LLVMRealPredicate::LLVMRealONE => FloatPredicate::ONe,
        LLVMRealPredicate::LLVMRealORD => FloatPredicate::Ord,
        LLVMRealPredicate::LLVMRealUNO => FloatPredicate::Uno,
        LLVMRealPredicate::LLVMRealUEQ => FloatPredicate::UEq,
        LLVMRealPredicate::LLVMRealUGT => FloatPredicate::UGt,
        LLVMRealPredicate::LLVMRealUGE => FloatPredicate::UGe,
        LLVMRealPredicate::LLVMRealULT => FloatPredicate::ULt,
        LLVMRealPredicate::LLVMRealULE => FloatPredicate::ULe,
        LLVMRealPredicate::LLVMRealUNE => FloatPredicate::UNe,
        LLVMRealPredicate::LLVMRealPredicateTrue => FloatPredicate::True,
    }
}

pub(super) fn rmw_op(op: RmwBinOp) -> RmwOp {
    match op {
        RmwBinOp::LLVMAtomicRMWBinOpXchg => RmwOp::Xchg,
        RmwBinOp::LLVMAtomicRMWBinOpAdd => RmwOp::Add,
        RmwBinOp::LLVMAtomicRMWBinOpSub => RmwOp::Sub,
        RmwBinOp::LLVMAtomicRMWBinOpAnd => RmwOp::And,
        RmwBinOp::LLVMAtomicRMWBinOpNand => RmwOp::Nand,
        RmwBinOp::LLVMAtomicRMWBinOpOr => RmwOp::Or,
        RmwBinOp::LLVMAtomicRMWBinOpXor => RmwOp::Xor,
        RmwBinOp::LLVMAtomicRMWBinOpMax => RmwOp::Max,
        RmwBinOp::LLVMAtomicRMWBinOpMin => RmwOp::Min,
        RmwBinOp::LLVMAtomicRMWBinOpUMax => RmwOp::UMax,
        RmwBinOp::LLVMAtomicRMWBinOpUMin => RmwOp::UMin,
        RmwBinOp::LLVMAtomicRMWBinOpFAdd => RmwOp::FAdd,
        RmwBinOp::LLVMAtomicRMWBinOpFSub => RmwOp::FSub,
        RmwBinOp::LLVMAtomicRMWBinOpFMax => RmwOp::FMax,
        RmwBinOp::LLVMAtomicRMWBinOpFMin => RmwOp::FMin,
        RmwBinOp::LLVMAtomicRMWBinOpUIncWrap => RmwOp::UIncWrap,
        RmwBinOp::LLVMAtomicRMWBinOpUDecWrap => RmwOp::UDecWrap,
    }
}

/// What `llvm.ubsantrap(number)` reports; the numbers are clang's `SanitizerHandler`.
pub(super) fn check_kind(number: u64) -> CheckKind {
    match number {
        0 | 12 | 13 | 21 => CheckKind::SignedOverflow,
        1 => CheckKind::Unreachable,
        3 => CheckKind::DivByZero,
        5 => CheckKind::FloatCast,
        8 => CheckKind::Builtin,
        18 => CheckKind::ArrayBounds,
        20 => CheckKind::Shift,
        24 => CheckKind::VlaBound,
        other => CheckKind::Other(other as u8),
    }
}

/// An LLVM intrinsic, as far as we tell them apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Intrinsic {
    /// No effect that C can see.
    Nothing,
    /// Its first operand.
    Identity,
    /// The constant that code compiled without optimisation gets.
    IsConstant,
    ObjectSize,
    Overflow(OverflowOp),
    Pure(PureOp, u32),
    MemCopy,
    MemMove,
    MemSet,
    LifetimeStart,
    LifetimeEnd,
    StackSave,
    StackRestore,
    VaStart,
    VaEnd,
    VaCopy,
    Assume,
    UbsanTrap,
    Trap,
    /// What an uninitialised variable holds; made by `prepare`.
    Uninit,
    /// An address is kept of which nobody knows how long it is one; made by `scopes.cpp`.
    Kept,
    Unsupported,
}

/// The name of the functions that `prepare` puts where a variable is born.
pub(in crate::frontend) const UNINIT_PREFIX: &str = "cegas.uninit.";

const KEPT: &str = "cegas.kept";

/// What the function of that name is, if it is no ordinary one.
pub(super) fn intrinsic(name: &str) -> Option<Intrinsic> {
    use Intrinsic::{Overflow, Pure};
    if name.starts_with(UNINIT_PREFIX) {
        return Some(Intrinsic::Uninit);
    }
    if name == KEPT {
        return Some(Intrinsic::Kept);
    }
    let name = name.strip_prefix("llvm.")?;
    let is = |stem: &str| {
        name.strip_prefix(stem).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    };
    const TABLE: &[(&str, Intrinsic)] = &[
        ("memcpy", Intrinsic::MemCopy),
        ("memmove", Intrinsic::MemMove),
        ("memset", Intrinsic::MemSet),
        ("lifetime.start", Intrinsic::LifetimeStart),
        ("lifetime.end", Intrinsic::LifetimeEnd),
        ("stacksave", Intrinsic::StackSave),
        ("stackrestore", Intrinsic::StackRestore),
        ("va_start", Intrinsic::VaStart),
        ("va_end", Intrinsic::VaEnd),
        ("va_copy", Intrinsic::VaCopy),
        ("assume", Intrinsic::Assume),
        ("ubsantrap", Intrinsic::UbsanTrap),
        ("trap", Intrinsic::Trap),
        ("expect", Intrinsic::Identity),
        ("annotation", Intrinsic::Identity),
        ("ptr.annotation", Intrinsic::Identity),
        ("threadlocal.address", Intrinsic::Identity),
        ("launder.invariant.group", Intrinsic::Identity),
        ("strip.invariant.group", Intrinsic::Identity),
        ("ssa.copy", Intrinsic::Identity),
        ("is.constant", Intrinsic::IsConstant),
        ("objectsize", Intrinsic::ObjectSize),
        ("sadd.with.overflow", Overflow(OverflowOp::SAdd)),
        ("uadd.with.overflow", Overflow(OverflowOp::UAdd)),
        ("ssub.with.overflow", Overflow(OverflowOp::SSub)),
        ("usub.with.overflow", Overflow(OverflowOp::USub)),
        ("smul.with.overflow", Overflow(OverflowOp::SMul)),
        ("umul.with.overflow", Overflow(OverflowOp::UMul)),
        ("fabs", Pure(PureOp::FAbs, 1)),
        ("sqrt", Pure(PureOp::FSqrt, 1)),
        ("floor", Pure(PureOp::FFloor, 1)),
        ("ceil", Pure(PureOp::FCeil, 1)),
        ("trunc", Pure(PureOp::FTrunc, 1)),
        ("round", Pure(PureOp::FRound, 1)),
        ("rint", Pure(PureOp::FRint, 1)),
        ("nearbyint", Pure(PureOp::FRint, 1)),
        ("roundeven", Pure(PureOp::FRint, 1)),
        ("minnum", Pure(PureOp::FMin, 2)),
        ("maxnum", Pure(PureOp::FMax, 2)),
        ("copysign", Pure(PureOp::FCopySign, 2)),
        ("fma", Pure(PureOp::FMulAdd, 3)),
        ("is.fpclass", Pure(PureOp::FIsClass, 2)),
        ("smin", Pure(PureOp::SMin, 2)),
        ("smax", Pure(PureOp::SMax, 2)),
        ("umin", Pure(PureOp::UMin, 2)),
        ("umax", Pure(PureOp::UMax, 2)),
        ("abs", Pure(PureOp::Abs, 1)),
        ("sadd.sat", Pure(PureOp::SAddSat, 2)),
        ("uadd.sat", Pure(PureOp::UAddSat, 2)),
        ("ssub.sat", Pure(PureOp::SSubSat, 2)),
        ("usub.sat", Pure(PureOp::USubSat, 2)),
        ("bswap", Pure(PureOp::BSwap, 1)),
        ("bitreverse", Pure(PureOp::BitReverse, 1)),
        ("ctpop", Pure(PureOp::CtPop, 1)),
        ("ctlz", Pure(PureOp::Ctlz, 1)),
        ("cttz", Pure(PureOp::Cttz, 1)),
        ("fshl", Pure(PureOp::FShl, 3)),
        ("fshr", Pure(PureOp::FShr, 3)),
        ("ptrmask", Pure(PureOp::PtrMask, 2)),
        ("dbg", Intrinsic::Nothing),
        ("donothing", Intrinsic::Nothing),
        ("sideeffect", Intrinsic::Nothing),
        ("prefetch", Intrinsic::Nothing),
        ("debugtrap", Intrinsic::Nothing),
        ("var.annotation", Intrinsic::Nothing),
        ("invariant.start", Intrinsic::Nothing),
        ("invariant.end", Intrinsic::Nothing),
        ("experimental.noalias.scope.decl", Intrinsic::Nothing),
        ("pseudoprobe", Intrinsic::Nothing),
    ];
    let found = TABLE.iter().find(|(stem, _)| is(stem)).map(|&(_, intrinsic)| intrinsic);
    Some(found.unwrap_or(Intrinsic::Unsupported))
}
