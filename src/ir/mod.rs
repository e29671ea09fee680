//! The model: one whole C program as plain data, `Send + Sync`, with typed ids into flat tables.
//!
//! The front end lowers each unit's LLVM module, and linking makes one [`Program`] of them; nothing
//! after the front end knows LLVM. The language is LLVM's SSA form made smaller: pointers are untyped, address computations are byte
//! offsets, overflow is a value, clang's sanitizer traps are [`Inst::Check`]s instead of branches, a
//! `byval` argument is an explicit copy, and what has no meaning here is [`Inst::Unsupported`].
//!
//! Variable arguments: on x86-64 the compiled code reads a `va_list { i32 gp_offset, i32 fp_offset,
//! ptr overflow_arg_area, ptr reg_save_area }`. [`Inst::VaStart`] is defined to set `gp_offset = 48`
//! and `fp_offset = 176` (registers used up) and `overflow_arg_area` to a fresh object that holds the
//! call's extra arguments one after the other, each at the next multiple of 8 (16 if its alignment is);
//! where a `va_list` is a plain pointer (i386), it is set to that object, with slots of 4 bytes.

mod bits;
pub mod cfg;
pub mod consts;
pub mod debug;
pub mod dominators;
pub mod ids;
pub mod inst;
pub mod parse;
pub mod print;
pub mod program;
pub mod types;
pub mod verify;
mod words;

pub use bits::Bits;
pub use consts::{Const, ConstExpr, Consts, Init};
pub use debug::{Binding, CType, Debug, Loc, SourceFile, Var, VarKind};
pub use ids::{
    BlockId, CTypeId, ConstId, FileId, FuncId, GlobalId, IdRange, InstId, List, LocId, Pool,
    TextId, TypeId, ValueId, VarId,
};
pub use inst::{
    Access, BinaryOp, Callee, CastOp, CheckKind, FloatPredicate, GepTerm, Inst, IntPredicate,
    Operand, OverflowOp, PureOp, RmwOp,
};
pub use parse::{ParseError, parse};
pub use print::{Digest, digests, print, print_function, print_inst};
pub use program::{
    Block, Def, FILE_ASSEMBLY, FuncAttrs, Function, Global, InstData, Linkage, Machine, Program,
    RUN_BY_LOADER, Value,
};
pub use types::{Field, FloatKind, Layout, Type, Types};
pub use verify::{Violation, verify};
