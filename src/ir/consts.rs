//! Constants, interned: two constants are equal exactly if their ids are. An address is a global or
//! function plus a byte offset; what the linker could not fold stays a [`ConstExpr`].

use super::ids::{BlockId, ConstId, FuncId, GlobalId, TextId, TypeId};
use super::inst::{BinaryOp, CastOp};
use cranelift_entity::PrimaryMap;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Const {
    /// An integer of up to 128 bits; the bits above its width are zero.
    Int(u128),
    /// A wider integer, least significant limb first; the bits above its width are zero.
    Wide(Box<[u64]>),
    /// A float by its bits.
    Float(u128),
    Null,
    /// All bits zero, of an aggregate.
    Zero,
    /// Any value, perhaps another one at each use.
    Undef,
    Poison,
    /// A struct, array or vector, element by element.
    Aggregate(Box<[ConstId]>),
    /// The address `offset` bytes into a global.
    Global {
        global: GlobalId,
        offset: i64,
    },
    Func(FuncId),
    /// The address of a label (computed goto).
    Block {
        func: FuncId,
        block: BlockId,
    },
    Expr(ConstExpr),
    /// Something we give no meaning to; the text says what.
    Unsupported(TextId),
}

impl Const {
    /// The constants that it is made of.
    pub fn for_each_part(&self, mut visit: impl FnMut(ConstId)) {
        match *self {
            Const::Aggregate(ref parts) => parts.iter().copied().for_each(visit),
            Const::Expr(ConstExpr::Cast { value: of, .. } | ConstExpr::Offset { base: of, .. }) => {
                visit(of);
            }
            Const::Expr(ConstExpr::Binary { lhs, rhs, .. }) => {
                visit(lhs);
                visit(rhs);
            }
            Const::Int(_)
            | Const::Wide(_)
            | Const::Float(_)
            | Const::Null
            | Const::Zero
            | Const::Undef
            | Const::Poison
            | Const::Global { .. }
            | Const::Func(_)
            | Const::Block { .. }
            | Const::Unsupported(_) => {}
        }
    }
}

/// A constant that only the final addresses decide.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum ConstExpr {
    Cast {
        op: CastOp,
        value: ConstId,
    },
    Binary {
        op: BinaryOp,
        lhs: ConstId,
        rhs: ConstId,
    },
    /// `base + offset` where the base is no plain global (a function, an integer made a pointer).
    Offset {
        base: ConstId,
        offset: i64,
    },
}

/// The program's constants with their types.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Consts {
    consts: PrimaryMap<ConstId, (TypeId, Const)>,
    #[serde(skip)]
    known: FxHashMap<(TypeId, Const), ConstId>,
}

impl Consts {
    pub fn intern(&mut self, ty: TypeId, value: Const) -> ConstId {
        let key = (ty, value);
        if let Some(&id) = self.known.get(&key) {
            return id;
        }
        let id = self.consts.push(key.clone());
        self.known.insert(key, id);
        id
    }

    pub fn get(&self, id: ConstId) -> &Const {
        &self.consts[id].1
    }

    pub fn ty(&self, id: ConstId) -> TypeId {
        self.consts[id].0
    }

    pub fn is_valid(&self, id: ConstId) -> bool {
        self.consts.is_valid(id)
    }

    pub fn len(&self) -> usize {
        self.consts.len()
    }

    pub fn is_empty(&self) -> bool {
        self.consts.is_empty()
    }

    pub fn iter(&self) -> impl Iterator<Item = (ConstId, TypeId, &Const)> {
        self.consts.iter().map(|(id, (ty, value))| (id, *ty, value))
    }
}

/// What a global holds when the program starts: `bytes`, zero after their end, with the addresses
/// `relocs` written over them.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Init {
    /// Without the trailing zeros.
    pub bytes: Box<[u8]>,
    /// Byte offset and what lies there, by ascending offset, not overlapping.
    pub relocs: Box<[(u64, ConstId)]>,
}
