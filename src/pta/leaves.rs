//! The parts of a value that can hold a pointer. A scalar has one leaf, an aggregate one for each scalar
//! in it (so that a struct returned in registers keeps its fields apart), or a single one for the
//! whole if there are many. Numbers count: an integer or a float may carry a pointer's bytes.

use crate::ir::{Program, Type, TypeId};
use rustc_hash::FxHashMap;
use std::rc::Rc;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Leaf {
    pub offset: i64,
    pub width: u32,
    pub pointer: bool,
}

/// More leaves than this are one.
const MANY: usize = 16;

#[derive(Debug, Default)]
pub struct Leaves {
    known: FxHashMap<TypeId, Rc<[Leaf]>>,
}

impl Leaves {
    pub fn of(&mut self, program: &Program, ty: TypeId) -> Rc<[Leaf]> {
        if let Some(leaves) = self.known.get(&ty) {
            return leaves.clone();
        }
        let mut leaves = Vec::new();
        collect(program, ty, 0, &mut leaves);
        if leaves.len() > MANY {
            leaves = vec![whole(program, ty, 0)];
        }
        let leaves: Rc<[Leaf]> = leaves.into();
        self.known.insert(ty, leaves.clone());
        leaves
    }

    /// Which leaves of `ty` the part at `path` has: the first and their number. None if the whole is
    /// one leaf.
    pub fn at(&mut self, program: &Program, ty: TypeId, path: &[u32]) -> Option<(u32, u32)> {
        let all = self.of(program, ty);
        let mut count = Vec::new();
        collect(program, ty, 0, &mut count);
        if count.len() != all.len() {
            return None;
        }
        let (mut ty, mut first) = (ty, 0);
        for &index in path {
            let before = |program: &Program, parts: &[TypeId]| {
                let mut leaves = Vec::new();
                parts.iter().for_each(|&part| collect(program, part, 0, &mut leaves));
                leaves.len() as u32
            };
            let parts: Vec<TypeId> = match program.types.get(ty) {
                Type::Struct { fields } => fields.iter().map(|field| field.ty).collect(),
                &Type::Array { elem, len } => vec![elem; len as usize],
                Type::Vector { .. }
                | Type::Void
                | Type::Int(_)
                | Type::Ptr
                | Type::Float(_)
                | Type::Opaque(_) => return None,
            };
            let part = *parts.get(index as usize)?;
            first += before(program, &parts[..index as usize]);
            ty = part;
        }
        let mut inside = Vec::new();
        collect(program, ty, 0, &mut inside);
        Some((first, inside.len() as u32))
    }
}

fn whole(program: &Program, ty: TypeId, offset: i64) -> Leaf {
    let pointer = matches!(program.types.get(ty), Type::Ptr);
    let width = u32::try_from(program.types.store_size(ty)).unwrap_or(u32::MAX);
    Leaf { offset, width, pointer }
}

/// Adds the leaves of `ty` at `offset`; stops soon after there are too many.
fn collect(program: &Program, ty: TypeId, offset: i64, out: &mut Vec<Leaf>) {
    if out.len() > MANY {
        return;
    }
    match program.types.get(ty) {
        Type::Void | Type::Opaque(_) => {}
        Type::Int(bits) => {
            if *bits >= 8 {
                out.push(whole(program, ty, offset));
            }
        }
        Type::Ptr | Type::Float(_) | Type::Vector { .. } => out.push(whole(program, ty, offset)),
        &Type::Array { elem, len } => {
            let stride = program.types.size(elem) as i64;
            for index in 0..len.min(MANY as u64 + 1) {
                collect(program, elem, offset + index as i64 * stride, out);
            }
        }
        Type::Struct { fields } => {
            for field in fields {
                collect(program, field.ty, offset + field.offset as i64, out);
            }
        }
    }
}
