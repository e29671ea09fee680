//! What the C source calls things: files, locations, variables and their types, so that a trace says
//! `buf[3]` and not `v17`.

use super::ids::{CTypeId, FileId, InstId, LocId, VarId};
use super::inst::Operand;
use cranelift_entity::PrimaryMap;
use cranelift_entity::packed_option::PackedOption;
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct SourceFile {
    /// As the compiler was given it.
    pub name: String,
    /// What a relative name is relative to.
    pub directory: String,
}

impl SourceFile {
    pub fn path(&self) -> std::path::PathBuf {
        std::path::Path::new(&self.directory).join(&self.name)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Loc {
    pub file: FileId,
    /// From 1; 0 if the compiler made the instruction up.
    pub line: u32,
    /// From 1; 0 if unknown.
    pub column: u32,
    /// The call this code was inlined at.
    pub inlined_at: PackedOption<LocId>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum VarKind {
    /// A function's parameter, from 1.
    Param(u32),
    Local,
    Global,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Var {
    pub name: String,
    pub kind: VarKind,
    pub ty: PackedOption<CTypeId>,
    pub file: PackedOption<FileId>,
    pub line: u32,
}

/// One member of a C struct or union.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Member {
    /// Empty for an anonymous struct or union.
    pub name: String,
    pub ty: PackedOption<CTypeId>,
    pub offset_bits: u64,
    pub size_bits: u64,
    pub bit_field: bool,
}

/// How a base type's bits are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Encoding {
    Signed,
    Unsigned,
    SignedChar,
    UnsignedChar,
    Bool,
    Float,
    Other,
}

/// A C type. `None` as the pointed-to or qualified type is `void`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum CType {
    Base {
        name: String,
        bits: u64,
        encoding: Encoding,
    },
    Pointer {
        to: PackedOption<CTypeId>,
    },
    Typedef {
        name: String,
        of: PackedOption<CTypeId>,
    },
    /// `const`, `volatile`, `restrict` or `_Atomic`.
    Qualified {
        qualifier: String,
        of: PackedOption<CTypeId>,
    },
    Struct {
        name: String,
        size_bits: u64,
        members: Vec<Member>,
    },
    Union {
        name: String,
        size_bits: u64,
        members: Vec<Member>,
    },
    /// One length a dimension, outermost first; `None` is `[]` or a variable length.
    Array {
        elem: PackedOption<CTypeId>,
        dims: Vec<Option<u64>>,
    },
    Enum {
        name: String,
        bits: u64,
        values: Vec<(String, i64)>,
    },
    Function {
        result: PackedOption<CTypeId>,
        params: Vec<PackedOption<CTypeId>>,
    },
    Other {
        what: String,
    },
}

/// From instruction `at` on, the value of `var` is `value`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Binding {
    pub at: InstId,
    pub var: VarId,
    pub value: Operand,
    /// The value is the variable's address (the variable lives in memory), not its content.
    pub address: bool,
}

#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Debug {
    pub files: PrimaryMap<FileId, SourceFile>,
    pub locs: PrimaryMap<LocId, Loc>,
    pub vars: PrimaryMap<VarId, Var>,
    pub ctypes: PrimaryMap<CTypeId, CType>,
    /// By ascending `at`.
    pub bindings: Vec<Binding>,
}

impl Debug {
    /// The bindings that take effect at `inst`.
    pub fn bindings_at(&self, inst: InstId) -> &[Binding] {
        self.bindings_between(inst, inst)
    }

    /// The bindings that take effect at an instruction from `first` to `last`.
    pub fn bindings_between(&self, first: InstId, last: InstId) -> &[Binding] {
        let from = self.bindings.partition_point(|b| b.at < first);
        let to = from + self.bindings[from..].partition_point(|b| b.at <= last);
        &self.bindings[from..to]
    }

    /// The type without its names and qualifiers.
    pub fn plain(&self, mut ty: CTypeId) -> Option<CTypeId> {
        // Types nest by what a person writes; a hundred levels are a circle.
        for _ in 0..100 {
            match &self.ctypes[ty] {
                CType::Typedef { of, .. } | CType::Qualified { of, .. } => ty = of.expand()?,
                _ => return Some(ty),
            }
        }
        None
    }
}
