//! Instructions. At most one result each; what needs a variable number of parts has a [`List`] into
//! the program's pools. A block ends with its only terminator. Every match over [`Inst`] names all
//! variants, so that a new one cannot be forgotten anywhere.

use super::ids::{BlockId, ConstId, FuncId, List, TextId, TypeId, ValueId};
use serde::{Deserialize, Serialize};
use std::cmp::Ordering;

/// What an instruction reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Operand {
    Value(ValueId),
    Const(ConstId),
}

impl Operand {
    pub fn value(self) -> Option<ValueId> {
        match self {
            Operand::Value(value) => Some(value),
            Operand::Const(_) => None,
        }
    }

    pub fn constant(self) -> Option<ConstId> {
        match self {
            Operand::Value(_) => None,
            Operand::Const(constant) => Some(constant),
        }
    }
}

/// Integer operations wrap: that a signed one must not overflow is an [`Inst::Check`] of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum BinaryOp {
    Add,
    Sub,
    Mul,
    UDiv,
    SDiv,
    URem,
    SRem,
    Shl,
    LShr,
    AShr,
    And,
    Or,
    Xor,
    FAdd,
    FSub,
    FMul,
    FDiv,
    FRem,
}

/// The operation whose overflow [`Inst::Overflow`] asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum OverflowOp {
    SAdd,
    UAdd,
    SSub,
    USub,
    SMul,
    UMul,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum IntPredicate {
    Eq,
    Ne,
    UGt,
    UGe,
    ULt,
    ULe,
    SGt,
    SGe,
    SLt,
    SLe,
}

impl IntPredicate {
    /// The predicate that holds of the same two numbers the other way round.
    pub fn mirrored(self) -> IntPredicate {
        match self {
            IntPredicate::Eq | IntPredicate::Ne => self,
            IntPredicate::UGt => IntPredicate::ULt,
            IntPredicate::UGe => IntPredicate::ULe,
            IntPredicate::ULt => IntPredicate::UGt,
            IntPredicate::ULe => IntPredicate::UGe,
            IntPredicate::SGt => IntPredicate::SLt,
            IntPredicate::SGe => IntPredicate::SLe,
            IntPredicate::SLt => IntPredicate::SGt,
            IntPredicate::SLe => IntPredicate::SGe,
        }
    }

    /// Whether it holds of two numbers that compare so without signs, and so with.
    pub fn holds(self, plain: Ordering, signed: Ordering) -> bool {
        match self {
            IntPredicate::Eq => plain.is_eq(),
            IntPredicate::Ne => plain.is_ne(),
            IntPredicate::UGt => plain.is_gt(),
            IntPredicate::UGe => plain.is_ge(),
            IntPredicate::ULt => plain.is_lt(),
            IntPredicate::ULe => plain.is_le(),
            IntPredicate::SGt => signed.is_gt(),
            IntPredicate::SGe => signed.is_ge(),
            IntPredicate::SLt => signed.is_lt(),
            IntPredicate::SLe => signed.is_le(),
        }
    }
}

/// `O…` is false on a NaN, `U…` true.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum FloatPredicate {
    False,
    OEq,
    OGt,
    OGe,
    OLt,
    OLe,
    ONe,
    Ord,
    Uno,
    UEq,
    UGt,
    UGe,
    ULt,
    ULe,
    UNe,
    True,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum CastOp {
    Trunc,
    ZExt,
    SExt,
    FpTrunc,
    FpExt,
    FpToUi,
    FpToSi,
    UiToFp,
    SiToFp,
    PtrToInt,
    IntToPtr,
    Bitcast,
}

/// Operations that LLVM writes as intrinsic calls: pure functions of their operands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum PureOp {
    FNeg,
    FAbs,
    FSqrt,
    FFloor,
    FCeil,
    FTrunc,
    FRound,
    FRint,
    FMin,
    FMax,
    FCopySign,
    FMulAdd,
    /// The second operand is the constant bit mask of `llvm.is.fpclass`.
    FIsClass,
    SMin,
    SMax,
    UMin,
    UMax,
    Abs,
    SAddSat,
    UAddSat,
    SSubSat,
    USubSat,
    BSwap,
    BitReverse,
    CtPop,
    /// Leading zeros; the width for zero.
    Ctlz,
    /// Trailing zeros; the width for zero.
    Cttz,
    /// Funnel shift left.
    FShl,
    /// Funnel shift right.
    FShr,
    /// `llvm.ptrmask`.
    PtrMask,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum RmwOp {
    Xchg,
    Add,
    Sub,
    And,
    Nand,
    Or,
    Xor,
    Max,
    Min,
    UMax,
    UMin,
    FAdd,
    FSub,
    FMax,
    FMin,
    UIncWrap,
    UDecWrap,
}

/// How memory is touched beside the plain read or write.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub struct Access {
    pub volatile: bool,
    pub atomic: bool,
    /// As the code promises it.
    pub align: u32,
}

/// What a compiler-made check guards; clang's own sanitizer instrumentation says where.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum CheckKind {
    SignedOverflow,
    /// The divisor is not zero.
    DivByZero,
    Shift,
    /// An index lies inside the array's declared bounds.
    ArrayBounds,
    /// The size of a variable-length array is positive.
    VlaBound,
    /// `__builtin_unreachable()` is not reached.
    Unreachable,
    /// `__builtin_clz(0)` and its like.
    Builtin,
    /// A float fits the integer it is converted to.
    FloatCast,
    /// `__builtin_trap()` is not reached.
    Trap,
    /// Any other instrumentation, by clang's number.
    Other(u8),
}

/// One step of an address computation: `index * stride` bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct GepTerm {
    /// Any integer width; sign-extended to the pointer's.
    pub index: Operand,
    pub stride: u64,
    /// Elements of the array that is indexed, if its type says so.
    pub count: Option<u64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Callee {
    Direct(FuncId),
    Indirect(Operand),
}

#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub enum Inst {
    // Values.
    Binary {
        op: BinaryOp,
        lhs: Operand,
        rhs: Operand,
    },
    /// Whether the operation overflows, as an `i1`.
    Overflow {
        op: OverflowOp,
        lhs: Operand,
        rhs: Operand,
    },
    IntCmp {
        pred: IntPredicate,
        lhs: Operand,
        rhs: Operand,
    },
    FloatCmp {
        pred: FloatPredicate,
        lhs: Operand,
        rhs: Operand,
    },
    /// To the result's type.
    Cast {
        op: CastOp,
        value: Operand,
    },
    Pure {
        op: PureOp,
        args: List<Operand>,
    },
    Select {
        cond: Operand,
        then: Operand,
        els: Operand,
    },
    /// An arbitrary but fixed value where the operand is undefined.
    Freeze {
        value: Operand,
    },
    /// One operand for each predecessor; all phis of a block read before any is written.
    Phi {
        incoming: List<(BlockId, Operand)>,
    },
    Extract {
        aggregate: Operand,
        path: List<u32>,
    },
    Insert {
        aggregate: Operand,
        value: Operand,
        path: List<u32>,
    },
    ExtractElement {
        vector: Operand,
        index: Operand,
    },
    InsertElement {
        vector: Operand,
        value: Operand,
        index: Operand,
    },
    /// Lanes of `lhs` then `rhs`; `u32::MAX` is an undefined lane.
    Shuffle {
        lhs: Operand,
        rhs: Operand,
        mask: List<u32>,
    },
    /// What a variable holds before its first assignment: arbitrary, but one value from here on.
    Uninit,

    // Memory.
    /// A new object of `count` elements; its address is the result.
    Alloca {
        elem: TypeId,
        count: Operand,
        align: u32,
    },
    Load {
        ptr: Operand,
        access: Access,
    },
    Store {
        ptr: Operand,
        value: Operand,
        access: Access,
    },
    /// `base + offset + Σ terms`; with `inbounds`, C promises to stay inside the object (or one past).
    Gep {
        base: Operand,
        offset: i64,
        terms: List<GepTerm>,
        inbounds: bool,
    },
    /// `memmove` if `overlap`, else `memcpy`, whose ranges must not overlap.
    MemCopy {
        dst: Operand,
        src: Operand,
        len: Operand,
        overlap: bool,
        volatile: bool,
    },
    MemSet {
        dst: Operand,
        byte: Operand,
        len: Operand,
        volatile: bool,
    },
    /// The old value is the result.
    AtomicRmw {
        op: RmwOp,
        ptr: Operand,
        value: Operand,
    },
    /// The result is `{ old value, i1 success }`; a weak one may fail for no reason.
    CmpXchg {
        ptr: Operand,
        expected: Operand,
        new: Operand,
        weak: bool,
    },
    Fence,
    /// The object's content is undefined from here on.
    LifetimeStart {
        object: Operand,
    },
    /// The object must not be used from here on.
    LifetimeEnd {
        object: Operand,
    },
    StackSave,
    /// The variable-length arrays made since the save are gone.
    StackRestore {
        saved: Operand,
    },
    VaStart {
        list: Operand,
    },
    VaEnd {
        list: Operand,
    },
    VaCopy {
        dst: Operand,
        src: Operand,
    },
    /// The next variable argument, where the compiler leaves this to the machine.
    VaArg {
        list: Operand,
    },

    // Calls and obligations.
    Call {
        callee: Callee,
        args: List<Operand>,
    },
    /// The program must not get here with `cond` false.
    Check {
        cond: Operand,
        kind: CheckKind,
    },
    /// The programmer promises `cond`.
    Assume {
        cond: Operand,
    },
    /// Something without a model: it may have done anything to what it can reach.
    Unsupported {
        what: TextId,
        args: List<Operand>,
    },

    // Terminators.
    Jump {
        to: BlockId,
    },
    Branch {
        cond: Operand,
        then: BlockId,
        els: BlockId,
        /// C says the condition the other way round: for traces.
        negated: bool,
    },
    Switch {
        value: Operand,
        cases: List<(ConstId, BlockId)>,
        default: BlockId,
    },
    /// Computed goto: the address is a [`Const::Block`](super::Const::Block) of one of the targets.
    IndirectJump {
        address: Operand,
        targets: List<BlockId>,
    },
    Return {
        value: Option<Operand>,
    },
    /// Control does not get past the instruction before.
    Unreachable,
}

impl Inst {
    pub fn is_terminator(&self) -> bool {
        matches!(
            self,
            Inst::Jump { .. }
                | Inst::Branch { .. }
                | Inst::Switch { .. }
                | Inst::IndirectJump { .. }
                | Inst::Return { .. }
                | Inst::Unreachable
        )
    }
}
