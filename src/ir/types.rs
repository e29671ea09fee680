//! Machine types, interned: two types are equal exactly if their ids are. They say how wide a value
//! is and how it lies in memory; what C calls the type is in [`debug`](super::debug).

use super::ids::TypeId;
use cranelift_entity::PrimaryMap;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

/// The format of a floating-point value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum FloatKind {
    F16,
    BF16,
    F32,
    F64,
    /// x87's 80 bits.
    X87,
    F128,
    /// PowerPC's pair of doubles.
    PpcDouble,
}

impl FloatKind {
    pub fn bits(self) -> u32 {
        match self {
            FloatKind::F16 | FloatKind::BF16 => 16,
            FloatKind::F32 => 32,
            FloatKind::F64 => 64,
            FloatKind::X87 => 80,
            FloatKind::F128 | FloatKind::PpcDouble => 128,
        }
    }
}

/// A struct's field and where it lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Field {
    pub ty: TypeId,
    pub offset: u64,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Type {
    Void,
    /// An integer of that many bits.
    Int(u32),
    /// A pointer of the default address space.
    Ptr,
    Float(FloatKind),
    Array {
        elem: TypeId,
        len: u64,
    },
    Vector {
        elem: TypeId,
        len: u64,
    },
    Struct {
        fields: Box<[Field]>,
    },
    /// A type with no size of its own, or one we give no meaning to (scalable vectors, target types).
    Opaque(Box<str>),
}

/// How a value of a type lies in memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub struct Layout {
    /// Bytes from one array element to the next.
    pub size: u64,
    /// Bytes a store of the type writes (an `x86_fp80` has 10, its size is 16).
    pub store_size: u64,
    pub align: u32,
}

impl Type {
    /// What of its layout makes a type another one.
    pub fn told_apart_by(&self, layout: Layout) -> Layout {
        match self {
            Type::Struct { .. } => layout,
            _ => Layout::default(),
        }
    }
}

/// The program's types with their layouts.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Types {
    types: PrimaryMap<TypeId, (Type, Layout)>,
    /// By type, and for structs by layout: a packed one has the fields of its plain twin, but another size.
    #[serde(skip)]
    known: FxHashMap<(Type, Layout), TypeId>,
}

impl Types {
    /// The id of `ty`, which lies in memory as `layout` says.
    pub fn intern(&mut self, ty: Type, layout: Layout) -> TypeId {
        let told_apart = ty.told_apart_by(layout);
        let key = (ty, told_apart);
        if let Some(&id) = self.known.get(&key) {
            return id;
        }
        let id = self.types.push((key.0.clone(), layout));
        self.known.insert(key, id);
        id
    }

    pub fn get(&self, id: TypeId) -> &Type {
        &self.types[id].0
    }

    pub fn layout(&self, id: TypeId) -> Layout {
        self.types[id].1
    }

    pub fn size(&self, id: TypeId) -> u64 {
        self.layout(id).size
    }

    pub fn store_size(&self, id: TypeId) -> u64 {
        self.layout(id).store_size
    }

    pub fn is_valid(&self, id: TypeId) -> bool {
        self.types.is_valid(id)
    }

    pub fn len(&self) -> usize {
        self.types.len()
    }

    pub fn is_empty(&self) -> bool {
        self.types.is_empty()
    }

    pub fn iter(&self) -> impl Iterator<Item = (TypeId, &Type, Layout)> {
        self.types.iter().map(|(id, (ty, layout))| (id, ty, *layout))
    }

    /// The bits of a scalar: an integer's, a float's, or a pointer's (`pointer_bits`).
    pub fn scalar_bits(&self, id: TypeId, pointer_bits: u32) -> Option<u32> {
        match self.get(id) {
            Type::Int(bits) => Some(*bits),
            Type::Float(kind) => Some(kind.bits()),
            Type::Ptr => Some(pointer_bits),
            Type::Void
            | Type::Array { .. }
            | Type::Vector { .. }
            | Type::Struct { .. }
            | Type::Opaque(_) => None,
        }
    }
}
