//! What the debug information tells of C types: how large they are, and what lies where in them.

use crate::ir::{CType, CTypeId, Program};

/// Types nest by what a person writes; more levels are a circle.
const DEEPEST: u32 = 32;

/// What lies at a place of an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// No pointer.
    Plain,
    /// The whole of a pointer to this type; `None` is a pointer to nobody knows what.
    Pointer(Option<CTypeId>),
    /// The same, or something else that a union has there.
    Shared(Option<CTypeId>),
    /// A part of a pointer, or more than one.
    Broken,
}

/// The pointed-to type, if it is a pointer type: `Some(None)` is `void *`.
pub fn pointee(program: &Program, ty: CTypeId) -> Option<Option<CTypeId>> {
    match &program.debug.ctypes[program.debug.plain(ty)?] {
        CType::Pointer { to } => Some(to.expand()),
        _ => None,
    }
}

/// The size in bytes, if it has one: not of `void`, functions, incomplete types and open arrays.
pub fn size(program: &Program, ty: CTypeId) -> Option<u64> {
    sized(program, ty, 0).filter(|&bytes| bytes > 0)
}

fn sized(program: &Program, ty: CTypeId, depth: u32) -> Option<u64> {
    if depth > DEEPEST {
        return None;
    }
    match &program.debug.ctypes[program.debug.plain(ty)?] {
        CType::Base { bits, .. } | CType::Enum { bits, .. } => Some(bits.div_ceil(8)),
        CType::Pointer { .. } => Some(u64::from(program.machine.pointer_bits / 8)),
        CType::Struct { size_bits, .. } | CType::Union { size_bits, .. } => Some(size_bits / 8),
        CType::Array { elem, dims } => {
            let elem = sized(program, elem.expand()?, depth + 1)?;
            dims.iter().try_fold(elem, |size, dim| size.checked_mul((*dim)?))
        }
        CType::Function { .. } | CType::Other { .. } => None,
        CType::Typedef { .. } | CType::Qualified { .. } => None,
    }
}

pub fn is_function(program: &Program, ty: CTypeId) -> bool {
    let plain = program.debug.plain(ty);
    plain.is_some_and(|ty| matches!(program.debug.ctypes[ty], CType::Function { .. }))
}

/// Whether it is a struct or union, or an array of such.
pub fn is_record(program: &Program, mut ty: CTypeId) -> bool {
    for _ in 0..DEEPEST {
        let Some(plain) = program.debug.plain(ty) else { return false };
        match &program.debug.ctypes[plain] {
            CType::Struct { .. } | CType::Union { .. } => return true,
            CType::Array { elem, .. } => match elem.expand() {
                Some(elem) => ty = elem,
                None => return false,
            },
            _ => return false,
        }
    }
    true
}

/// Whether it is a `char`, which texts are made of.
pub fn is_char(program: &Program, ty: CTypeId) -> bool {
    let Some(plain) = program.debug.plain(ty) else { return false };
    matches!(&program.debug.ctypes[plain], CType::Base { name, bits: 8, .. } if name == "char")
}

/// Whether objects of the type must not be changed through the pointer that is given.
pub fn is_const(program: &Program, mut ty: CTypeId) -> bool {
    for _ in 0..DEEPEST {
        match &program.debug.ctypes[ty] {
            CType::Qualified { qualifier, .. } if qualifier == "const" => return true,
            CType::Qualified { of, .. } | CType::Typedef { of, .. } => match of.expand() {
                Some(next) => ty = next,
                None => return false,
            },
            _ => return false,
        }
    }
    false
}

/// What lies in an array of `ty` from `offset` on, `bytes` long.
pub fn part(program: &Program, ty: CTypeId, offset: u64, bytes: u64) -> Part {
    let Some(size) = size(program, ty) else { return Part::Plain };
    let start = offset % size;
    if start + bytes > size {
        // It crosses a border between elements.
        let first = part_in(program, ty, (start, size - start), 0);
        let rest = part_in(program, ty, (0, (bytes - (size - start)).min(size)), 0);
        return if (first, rest) == (Part::Plain, Part::Plain) {
            Part::Plain
        } else {
            Part::Broken
        };
    }
    part_in(program, ty, (start, bytes), 0)
}

fn part_in(program: &Program, ty: CTypeId, (offset, bytes): (u64, u64), depth: u32) -> Part {
    if depth > DEEPEST {
        return Part::Broken;
    }
    let Some(plain) = program.debug.plain(ty) else { return Part::Plain };
    // What of it lies in a part that begins at `from`; nothing if they do not overlap.
    let within = |ty: CTypeId, from: u64, part_size: u64| {
        let (start, end) = (offset.max(from), (offset + bytes).min(from + part_size));
        if start >= end {
            return None;
        }
        let found = part_in(program, ty, (start - from, end - start), depth + 1);
        let is_all = (start, end) == (offset, offset + bytes);
        Some(if found == Part::Plain || is_all { found } else { Part::Broken })
    };
    match &program.debug.ctypes[plain] {
        CType::Pointer { to } => {
            let is_whole = offset == 0 && bytes == u64::from(program.machine.pointer_bits / 8);
            if is_whole { Part::Pointer(to.expand()) } else { Part::Broken }
        }
        CType::Struct { members, .. } | CType::Union { members, .. } => {
            let parts = members.iter().filter_map(|member| {
                let from = member.offset_bits / 8;
                if member.bit_field {
                    let end = (member.offset_bits + member.size_bits).div_ceil(8);
                    return (from < offset + bytes && offset < end).then_some(Part::Plain);
                }
                within(member.ty.expand()?, from, member.size_bits.div_ceil(8))
            });
            parts.reduce(joined).unwrap_or(Part::Plain)
        }
        CType::Array { elem, .. } => {
            let Some(elem) = elem.expand() else { return Part::Plain };
            let Some(size) = size(program, elem) else { return Part::Plain };
            let (first, last) = (offset / size, (offset + bytes - 1) / size);
            let parts = (first..=last).take(16).filter_map(|i| within(elem, i * size, size));
            parts.reduce(joined).unwrap_or(Part::Plain)
        }
        CType::Base { .. }
        | CType::Enum { .. }
        | CType::Function { .. }
        | CType::Typedef { .. }
        | CType::Qualified { .. }
        | CType::Other { .. } => Part::Plain,
    }
}

/// What two members make of a place that they share.
fn joined(a: Part, b: Part) -> Part {
    match (a, b) {
        (Part::Plain, Part::Plain) => Part::Plain,
        (Part::Broken, _) | (_, Part::Broken) => Part::Broken,
        (Part::Pointer(x), Part::Pointer(y)) => Part::Pointer(if x == y { x } else { None }),
        (Part::Shared(x), Part::Shared(y) | Part::Pointer(y))
        | (Part::Pointer(x), Part::Shared(y)) => Part::Shared(if x == y { x } else { None }),
        (Part::Plain, Part::Pointer(to) | Part::Shared(to))
        | (Part::Pointer(to) | Part::Shared(to), Part::Plain) => Part::Shared(to),
    }
}

/// The type of the member that begins at `offset` and has so many bytes.
pub fn member(program: &Program, mut ty: CTypeId, mut offset: u64, bytes: u64) -> Option<CTypeId> {
    for _ in 0..DEEPEST {
        ty = program.debug.plain(ty)?;
        match &program.debug.ctypes[ty] {
            CType::Struct { members, .. } => {
                let inside = members.iter().find(|m| {
                    let from = m.offset_bits / 8;
                    !m.bit_field && from <= offset && offset < from + m.size_bits.div_ceil(8)
                })?;
                offset -= inside.offset_bits / 8;
                ty = inside.ty.expand()?;
            }
            CType::Array { elem, .. } => {
                let elem = elem.expand()?;
                offset %= size(program, elem)?;
                ty = elem;
            }
            CType::Union { .. } => return None,
            _ => return (offset == 0 && size(program, ty) == Some(bytes)).then_some(ty),
        }
    }
    None
}
