//! The words of the text form: one table for each kind of word, from which the printer writes and the
//! parser reads, so that the two cannot drift apart.

use super::debug::Encoding;
use super::inst::{
    Access, BinaryOp, CastOp, CheckKind, FloatPredicate, IntPredicate, OverflowOp, PureOp, RmwOp,
};
use super::program::{FuncAttrs, Linkage};
use super::types::FloatKind;

/// Something the text form writes as one word.
pub(super) trait Word: Sized {
    fn word(&self) -> &'static str;
    fn from_word(word: &str) -> Option<Self>;
}

macro_rules! words {
    ($ty:ident { $($variant:ident $word:literal),* $(,)? } $(else $rest:pat => $other:literal)?) => {
        impl Word for $ty {
            fn word(&self) -> &'static str {
                match self {
                    $($ty::$variant => $word,)*
                    $($rest => $other,)?
                }
            }
            fn from_word(word: &str) -> Option<Self> {
                match word {
                    $($word => Some($ty::$variant),)*
                    _ => None,
                }
            }
        }
        #[cfg(test)]
        impl $ty {
            const WORDS: &'static [&'static str] = &[$($word),*];
        }
    };
}

/// The first word of an instruction; a [`BinaryOp`] or [`CastOp`] is its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Opcode {
    Overflow,
    IntCmp,
    FloatCmp,
    Pure,
    Select,
    Freeze,
    Phi,
    Extract,
    Insert,
    ExtractElement,
    InsertElement,
    Shuffle,
    Uninit,
    Alloca,
    Load,
    Store,
    Gep,
    MemCpy,
    MemMove,
    MemSet,
    AtomicRmw,
    CmpXchg,
    Fence,
    LifetimeStart,
    LifetimeEnd,
    StackSave,
    StackRestore,
    VaStart,
    VaEnd,
    VaCopy,
    VaArg,
    Call,
    Check,
    Assume,
    Unsupported,
    Jump,
    Branch,
    Switch,
    IndirectJump,
    Return,
    Unreachable,
}

words!(Opcode {
    Overflow "overflow",
    IntCmp "icmp",
    FloatCmp "fcmp",
    Pure "pure",
    Select "select",
    Freeze "freeze",
    Phi "phi",
    Extract "extract",
    Insert "insert",
    ExtractElement "extractelement",
    InsertElement "insertelement",
    Shuffle "shuffle",
    Uninit "uninit",
    Alloca "alloca",
    Load "load",
    Store "store",
    Gep "gep",
    MemCpy "memcpy",
    MemMove "memmove",
    MemSet "memset",
    AtomicRmw "rmw",
    CmpXchg "cmpxchg",
    Fence "fence",
    LifetimeStart "lifetime.start",
    LifetimeEnd "lifetime.end",
    StackSave "stacksave",
    StackRestore "stackrestore",
    VaStart "vastart",
    VaEnd "vaend",
    VaCopy "vacopy",
    VaArg "vaarg",
    Call "call",
    Check "check",
    Assume "assume",
    Unsupported "unsupported",
    Jump "jump",
    Branch "branch",
    Switch "switch",
    IndirectJump "goto",
    Return "return",
    Unreachable "unreachable",
});

words!(BinaryOp {
    Add "add",
    Sub "sub",
    Mul "mul",
    UDiv "udiv",
    SDiv "sdiv",
    URem "urem",
    SRem "srem",
    Shl "shl",
    LShr "lshr",
    AShr "ashr",
    And "and",
    Or "or",
    Xor "xor",
    FAdd "fadd",
    FSub "fsub",
    FMul "fmul",
    FDiv "fdiv",
    FRem "frem",
});

words!(OverflowOp {
    SAdd "sadd",
    UAdd "uadd",
    SSub "ssub",
    USub "usub",
    SMul "smul",
    UMul "umul",
});

words!(IntPredicate {
    Eq "eq",
    Ne "ne",
    UGt "ugt",
    UGe "uge",
    ULt "ult",
    ULe "ule",
    SGt "sgt",
    SGe "sge",
    SLt "slt",
    SLe "sle",
});

words!(FloatPredicate {
    False "false",
    OEq "oeq",
    OGt "ogt",
    OGe "oge",
    OLt "olt",
    OLe "ole",
    ONe "one",
    Ord "ord",
    Uno "uno",
    UEq "ueq",
    UGt "ugt",
    UGe "uge",
    ULt "ult",
    ULe "ule",
    UNe "une",
    True "true",
});

words!(CastOp {
    Trunc "trunc",
    ZExt "zext",
    SExt "sext",
    FpTrunc "fptrunc",
    FpExt "fpext",
    FpToUi "fptoui",
    FpToSi "fptosi",
    UiToFp "uitofp",
    SiToFp "sitofp",
    PtrToInt "ptrtoint",
    IntToPtr "inttoptr",
    Bitcast "bitcast",
});

words!(PureOp {
    FNeg "fneg",
    FAbs "fabs",
    FSqrt "fsqrt",
    FFloor "ffloor",
    FCeil "fceil",
    FTrunc "ftrunc",
    FRound "fround",
    FRint "frint",
    FMin "fmin",
    FMax "fmax",
    FCopySign "fcopysign",
    FMulAdd "fmuladd",
    FIsClass "fisclass",
    SMin "smin",
    SMax "smax",
    UMin "umin",
    UMax "umax",
    Abs "abs",
    SAddSat "saddsat",
    UAddSat "uaddsat",
    SSubSat "ssubsat",
    USubSat "usubsat",
    BSwap "bswap",
    BitReverse "bitreverse",
    CtPop "ctpop",
    Ctlz "ctlz",
    Cttz "cttz",
    FShl "fshl",
    FShr "fshr",
    PtrMask "ptrmask",
});

words!(RmwOp {
    Xchg "xchg",
    Add "add",
    Sub "sub",
    And "and",
    Nand "nand",
    Or "or",
    Xor "xor",
    Max "max",
    Min "min",
    UMax "umax",
    UMin "umin",
    FAdd "fadd",
    FSub "fsub",
    FMax "fmax",
    FMin "fmin",
    UIncWrap "uincwrap",
    UDecWrap "udecwrap",
});

// `other` is followed by clang's number.
words!(CheckKind {
    SignedOverflow "signed_overflow",
    DivByZero "div_by_zero",
    Shift "shift",
    ArrayBounds "array_bounds",
    VlaBound "vla_bound",
    Unreachable "unreachable",
    Builtin "builtin",
    FloatCast "float_cast",
    Trap "trap",
} else CheckKind::Other(_) => "other");

words!(FloatKind {
    F16 "f16",
    BF16 "bf16",
    F32 "f32",
    F64 "f64",
    X87 "x87",
    F128 "f128",
    PpcDouble "ppcdouble",
});

words!(Linkage {
    External "external",
    Internal "internal",
    Weak "weak",
});

words!(Encoding {
    Signed "signed",
    Unsigned "unsigned",
    SignedChar "signed_char",
    UnsignedChar "unsigned_char",
    Bool "bool",
    Float "float",
    Other "other",
});

/// Words that stand for a `bool` being set, in the order they are written.
pub(super) type Flags<T, const N: usize> = [(&'static str, fn(&mut T) -> &mut bool); N];

pub(super) const FUNC_ATTRS: Flags<FuncAttrs, 7> = [
    ("noreturn", |attrs| &mut attrs.noreturn),
    ("returns_twice", |attrs| &mut attrs.returns_twice),
    ("readnone", |attrs| &mut attrs.readnone),
    ("readonly", |attrs| &mut attrs.readonly),
    ("returns_nonnull", |attrs| &mut attrs.returns_nonnull),
    ("args_only", |attrs| &mut attrs.args_only),
    ("hidden", |attrs| &mut attrs.hidden),
];

pub(super) const ACCESS_FLAGS: Flags<Access, 2> =
    [("volatile", |access| &mut access.volatile), ("atomic", |access| &mut access.atomic)];

#[cfg(test)]
mod tests {
    use super::*;

    /// The round trip of `everything.ir` proves something about a word only if the word is in there.
    #[test]
    fn the_example_has_every_word() {
        let example = include_str!("../../tests/ir/everything.ir");
        for (before, words) in [
            (" ", Opcode::WORDS),
            (" = ", BinaryOp::WORDS),
            ("overflow ", OverflowOp::WORDS),
            ("icmp ", IntPredicate::WORDS),
            ("fcmp ", FloatPredicate::WORDS),
            (" = ", CastOp::WORDS),
            ("pure ", PureOp::WORDS),
            ("rmw ", RmwOp::WORDS),
            (", ", CheckKind::WORDS),
            ("= ", FloatKind::WORDS),
            (" ", Linkage::WORDS),
            (" ", Encoding::WORDS),
            (" ", &FUNC_ATTRS.map(|(word, _)| word)),
            (" ", &ACCESS_FLAGS.map(|(word, _)| word)),
        ] {
            for word in words {
                let ends = [" ", "\n"].map(|end| format!("{before}{word}{end}"));
                assert!(ends.iter().any(|text| example.contains(text)), "{before}{word}");
            }
        }
    }

    #[test]
    fn a_first_word_says_which_instruction() {
        for word in BinaryOp::WORDS.iter().chain(CastOp::WORDS) {
            assert!(Opcode::from_word(word).is_none(), "{word}");
        }
        for word in CastOp::WORDS {
            assert!(BinaryOp::from_word(word).is_none(), "{word}");
        }
    }
}
