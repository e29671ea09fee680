//! Which offsets of an object are told apart. The elements of an array are one: an offset inside the
//! second element *folds* to the same place in the first. What arrays there are is known from the
//! type of a variable, and learnt from the accesses for memory that comes without a type.
//!
//! Invariant: folding is idempotent, and whatever it merges is merged for every access, so a coarser
//! shape is never wrong, only less precise. [`Place::Any`] stands for every offset of the object.
//!
//! Arithmetic follows C where C is clear (a step from an array's element stays in the array, or leaves
//! it downward to the struct around it, as `container_of` does) and gives all candidates otherwise.

use crate::ir::{Type, TypeId, Types};
use smallvec::SmallVec;

/// Where in an object a pointer points to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Place {
    /// A folded byte offset. One outside the object is kept (a pointer may come back), but nothing
    /// is stored there.
    At(i64),
    Any,
}

pub type Places = SmallVec<[Place; 4]>;

/// A run of `len` equal elements.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Span {
    pub start: i64,
    pub stride: i64,
    pub len: i64,
}

/// The length of an array that reaches to the end of an object of unknown size.
const OPEN: i64 = i64::MAX;

/// A pointer outside its object by up to this many bytes may come back (`container_of` on a list's
/// head, arrays counted from 1) …
const NEAR: i64 = 256;
/// … one farther out stays there, and all such places are one.
const FAR: i64 = i64::MAX / 4;
/// In memory of unknown size, offsets up to here are told apart.
const DEEP: i64 = 1 << 14;

/// More candidates than this become [`Place::Any`].
const FEW: i64 = 8;

impl Span {
    fn end(self) -> i64 {
        self.stride.checked_mul(self.len).and_then(|n| n.checked_add(self.start)).unwrap_or(OPEN)
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Shape {
    /// One place only.
    Flat,
    /// A variable of this type, or an unknown number of them in a row.
    Typed { ty: TypeId, repeated: bool },
    /// Memory without a type: a last array that reaches to the end, and arrays inside.
    Grown { tail: Option<(i64, i64)>, arrays: Vec<Span> },
}

/// What the arithmetic has to know beside the shape.
#[derive(Debug, Clone, Copy)]
pub struct Ground<'a> {
    pub types: &'a Types,
    /// `i64::MAX` if unknown.
    pub size: i64,
    /// Bytes of a pointer.
    pub grain: i64,
}

impl Ground<'_> {
    pub fn holds(self, offset: i64) -> bool {
        (0..self.size).contains(&offset)
    }
}

impl Shape {
    /// Memory without a type, perhaps known to be an array from `tail.0` on with elements of
    /// `tail.1` bytes.
    pub fn grown(tail: Option<(i64, i64)>) -> Self {
        Shape::Grown { tail, arrays: Vec::new() }
    }

    /// Folds an offset inside the object, and tells the arrays around it, outermost first.
    fn walk(&self, ground: Ground<'_>, offset: i64, around: &mut SmallVec<[Span; 4]>) -> i64 {
        match self {
            Shape::Flat => 0,
            &Shape::Typed { ty, repeated } => {
                let size = ground.types.size(ty) as i64;
                let mut offset = offset;
                if repeated && size > 0 {
                    around.push(Span { start: 0, stride: size, len: OPEN });
                    offset %= size;
                }
                walk_type(ground.types, ty, offset, around)
            }
            Shape::Grown { tail, arrays } => {
                let mut offset = offset;
                if let Some((start, stride)) = *tail
                    && offset >= start
                {
                    around.push(Span { start, stride, len: OPEN });
                    offset = start + (offset - start) % stride;
                }
                for &array in arrays {
                    if (array.start..array.end()).contains(&offset) {
                        around.push(array);
                        offset = array.start + (offset - array.start) % array.stride;
                    }
                }
                offset
            }
        }
    }

    /// The offset that stands for `offset`; one outside the object stands for itself.
    pub fn fold(&self, ground: Ground<'_>, offset: i64) -> i64 {
        if ground.holds(offset) {
            self.walk(ground, offset, &mut SmallVec::new())
        } else if offset < -NEAR || offset.saturating_sub(NEAR) > ground.size {
            FAR
        } else {
            offset
        }
    }

    /// The arrays around a folded offset, outermost first.
    pub fn arrays_at(&self, ground: Ground<'_>, offset: i64) -> SmallVec<[Span; 4]> {
        let mut around = SmallVec::new();
        if ground.holds(offset) {
            self.walk(ground, offset, &mut around);
        }
        around
    }

    fn push(&self, ground: Ground<'_>, offset: i64, out: &mut Places) {
        let place = match self.fold(ground, offset) {
            deep @ DEEP.. if deep != FAR && ground.size == i64::MAX => Place::Any,
            folded => Place::At(folded),
        };
        if !out.contains(&place) {
            out.push(place);
        }
    }

    /// Where `offset + by` may be, for a folded `offset`.
    pub fn step(&self, ground: Ground<'_>, offset: i64, by: i64, out: &mut Places) {
        if *self == Shape::Flat {
            out.push(Place::Any);
            return;
        }
        if offset == FAR {
            return out.push(Place::At(FAR));
        }
        let to = offset.saturating_add(by);
        // The offset itself, and every first element it may be.
        self.push(ground, to, out);
        if by == 0 {
            return;
        }
        for array in self.arrays_at(ground, offset).iter().rev() {
            let inside = to - array.start;
            if (0..array.stride).contains(&inside) {
                return; // still in the same element, whichever it is
            }
            let reach = array.end() - array.start;
            if inside > -reach && inside < reach && array.len > 1 {
                self.push(ground, array.start + inside.rem_euclid(array.stride), out);
            }
            if inside < 0 {
                // From element j > 0 down to the struct around the array.
                let below = (-inside - 1) / array.stride;
                if below > FEW {
                    out.push(Place::Any);
                    return;
                }
                for j in 1..=below.min(array.len - 1) {
                    self.push(ground, to + j * array.stride, out);
                }
            }
        }
    }

    /// Where `offset + k * stride` may be, for a folded `offset` and an unknown `k`, into an array of
    /// `count` elements if the access says so. Memory without a type learns an array here; returns
    /// whether the shape changed.
    pub fn vary(
        &mut self,
        ground: Ground<'_>,
        offset: i64,
        stride: u64,
        count: Option<u64>,
        out: &mut Places,
    ) -> bool {
        let stride = i64::try_from(stride).unwrap_or(1);
        if *self == Shape::Flat {
            out.push(Place::Any);
            return false;
        }
        if stride == 0 || offset == FAR {
            self.push(ground, offset, out);
            return false;
        }
        let mut from = offset;
        if !ground.holds(offset) {
            // An index brings the pointer back into the object (arrays counted from 1).
            from = offset.rem_euclid(stride);
            if !ground.holds(from) {
                return false;
            }
        }
        if self.arrays_at(ground, from).iter().any(|array| stride % array.stride == 0) {
            self.push(ground, from, out);
            return false;
        }
        if self.learn(ground, from, stride, count) {
            self.push(ground, from, out);
            return true;
        }
        let first = from % stride;
        let many = match count {
            Some(count @ 2..) if offset == from => count as i64,
            _ if ground.size == i64::MAX => OPEN,
            _ => (ground.size - first + stride - 1) / stride,
        };
        let first = if count.is_some_and(|n| n >= 2) && offset == from { from } else { first };
        if many > FEW {
            out.push(Place::Any);
        } else {
            (0..many).for_each(|k| self.push(ground, first + k * stride, out));
        }
        false
    }

    fn learn(&mut self, ground: Ground<'_>, at: i64, stride: i64, count: Option<u64>) -> bool {
        let Shape::Grown { tail, arrays } = self else {
            return false;
        };
        let disjoint =
            |array: &Span, low: i64, high: i64| array.end() <= low || array.start >= high;
        let last = match count {
            Some(count @ 2..) => {
                let len = i64::try_from(count).unwrap_or(OPEN);
                let new = Span { start: at, stride, len };
                let fits = match *tail {
                    Some((start, each)) if at >= start => new.end() <= start + each,
                    Some((start, _)) => new.end() <= start,
                    None => true,
                };
                let apart = arrays.iter().all(|array| disjoint(array, at, new.end()));
                let ok = fits && apart && new.end() <= ground.size && arrays.len() < 64;
                if ok {
                    arrays.push(new);
                    arrays.sort_by_key(|array| array.start);
                }
                return ok;
            }
            // `data[]` and `data[1]` at the end of a struct.
            Some(_) => (at, stride),
            None if at < stride && stride % ground.grain == 0 => (0, stride),
            None => return false,
        };
        let fits = |array: &Span| array.end() <= last.0 + last.1;
        let refines = tail.is_none_or(|(start, each)| start == last.0 && each % last.1 == 0);
        let ok = refines && arrays.iter().all(fits);
        if ok {
            *tail = Some(last);
        }
        ok
    }
}

fn walk_type(types: &Types, ty: TypeId, offset: i64, around: &mut SmallVec<[Span; 4]>) -> i64 {
    let (mut ty, mut base, mut offset) = (ty, 0, offset);
    loop {
        match types.get(ty) {
            &Type::Array { elem, len } | &Type::Vector { elem, len } => {
                let stride = types.size(elem) as i64;
                if stride == 0 || offset / stride >= len as i64 {
                    return base + offset;
                }
                around.push(Span { start: base, stride, len: len as i64 });
                offset %= stride;
                ty = elem;
            }
            Type::Struct { fields } => {
                let after = fields.partition_point(|field| field.offset as i64 <= offset);
                let Some(field) = after.checked_sub(1).and_then(|at| fields.get(at)) else {
                    return base + offset;
                };
                if offset - field.offset as i64 >= types.size(field.ty) as i64 {
                    return base + offset; // padding
                }
                base += field.offset as i64;
                offset -= field.offset as i64;
                ty = field.ty;
            }
            Type::Void | Type::Int(_) | Type::Ptr | Type::Float(_) | Type::Opaque(_) => {
                return base + offset;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::{Field, Layout};

    fn layout(size: u64) -> Layout {
        Layout { size, store_size: size, align: 8 }
    }

    /// `struct { ptr head; struct { ptr a, b; } table[4]; char name[16]; }`
    fn record(types: &mut Types) -> TypeId {
        let ptr = types.intern(Type::Ptr, layout(8));
        let byte = types.intern(Type::Int(8), layout(1));
        let pair = [Field { ty: ptr, offset: 0 }, Field { ty: ptr, offset: 8 }];
        let pair = types.intern(Type::Struct { fields: pair.into() }, layout(16));
        let table = types.intern(Type::Array { elem: pair, len: 4 }, layout(64));
        let name = types.intern(Type::Array { elem: byte, len: 16 }, layout(16));
        let fields = [
            Field { ty: ptr, offset: 0 },
            Field { ty: table, offset: 8 },
            Field { ty: name, offset: 72 },
        ];
        types.intern(Type::Struct { fields: fields.into() }, layout(88))
    }

    fn at(offsets: &[i64]) -> Vec<Place> {
        offsets.iter().map(|&offset| Place::At(offset)).collect()
    }

    #[test]
    fn elements_fold_and_fields_stay() {
        let mut types = Types::default();
        let ty = record(&mut types);
        let ground = Ground { types: &types, size: 88, grain: 8 };
        let shape = Shape::Typed { ty, repeated: false };
        for (offset, folded) in [(0, 0), (8, 8), (16, 16), (24, 8), (64, 16), (72, 72), (87, 72)] {
            assert_eq!(shape.fold(ground, offset), folded, "{offset}");
        }
        let step = |from, by| {
            let mut out = Places::new();
            shape.step(ground, from, by, &mut out);
            out.into_vec()
        };
        assert_eq!(step(0, 72), at(&[72]));
        assert_eq!(step(8, 8), at(&[16]));
        // The next element; upward, an array is left only from its own address.
        assert_eq!(step(8, 16), at(&[8]));
        assert_eq!(step(8, 64), at(&[72]));
        // Downward: the struct around the array, from each element it may be.
        assert_eq!(step(8, -8), at(&[0, 16]));
        assert_eq!(step(16, -32), at(&[-16, 16, 0]));
        // A struct whose base is also its first array's first element.
        assert_eq!(step(0, 80), at(&[72]));
    }

    #[test]
    fn indices() {
        let mut types = Types::default();
        let ty = record(&mut types);
        let ground = Ground { types: &types, size: 88, grain: 8 };
        let mut shape = Shape::Typed { ty, repeated: false };
        let mut vary = |from, stride, count| {
            let mut out = Places::new();
            assert!(!shape.vary(ground, from, stride, count, &mut out));
            out.into_vec()
        };
        assert_eq!(vary(16, 16, Some(4)), at(&[16]));
        assert_eq!(vary(72, 1, None), at(&[72]));
        assert_eq!(vary(0, 88, None), at(&[0]));
        assert_eq!(vary(0, 40, None), at(&[0, 8, 72]));
        assert_eq!(vary(8, 1, None), vec![Place::Any]);
    }

    #[test]
    fn untyped_memory_learns_its_arrays() {
        let types = Types::default();
        let ground = Ground { types: &types, size: i64::MAX, grain: 8 };
        let mut shape = Shape::grown(None);
        let mut out = Places::new();
        assert!(shape.vary(ground, 8, 24, None, &mut out));
        assert_eq!(out.to_vec(), at(&[8]));
        assert_eq!(shape.fold(ground, 24 * 5 + 16), 16);
        // `char name[8]` inside each element.
        out.clear();
        assert!(shape.vary(ground, 16, 1, Some(8), &mut out));
        assert_eq!(shape.fold(ground, 24 * 5 + 19), 16);
        // A walk that fits nothing known.
        out.clear();
        assert!(!shape.vary(ground, 0, 1, None, &mut out));
        assert_eq!(out.to_vec(), vec![Place::Any]);
    }

    #[test]
    fn far_outside_is_one_place() {
        let types = Types::default();
        let ground = Ground { types: &types, size: 16, grain: 8 };
        let shape = Shape::grown(None);
        assert_eq!(shape.fold(ground, -8), -8);
        assert_eq!(shape.fold(ground, 1 << 30), shape.fold(ground, -(1 << 30)));
    }
}
