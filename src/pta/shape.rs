//! Which offsets of an object are told apart. The elements of an array are one: an offset inside the
//! second element *folds* to the same place in the first. Which arrays there are is known from the
//! type of a variable, or from the size an allocation asks for; in other memory, and where an access
//! does not fit the type, a pointer that was moved by an index points to a *spread* of offsets.
//!
//! Invariant: folding is idempotent, and whatever it merges is merged for every access; a spread holds
//! every offset the pointer can have. So a coarser shape is never wrong, only less precise.
//!
//! Arithmetic follows C where C is clear (a step from an array's element stays in the array, or leaves
//! it downward to the struct around it, as `container_of` does) and gives all candidates otherwise.

use crate::ir::{Type, TypeId, Types};
use smallvec::SmallVec;

/// Offsets that a pointer moved by indices may have: `span` neighbours from `start` on, and again every
/// `stride` bytes, `len` times in all.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Spread {
    pub start: i64,
    pub span: i64,
    pub stride: i64,
    pub len: i64,
}

/// Where in an object a pointer points to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Place {
    /// A folded byte offset. One outside the object is kept (a pointer may come back), but nothing
    /// is stored there.
    At(i64),
    Spread(Spread),
    Any,
}

pub type Places = SmallVec<[Place; 4]>;

/// A run of `len` equal elements.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Array {
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
const DEEP: i64 = 1 << 16;
/// So many candidates are listed one by one.
const FEW: i64 = 4;

impl Array {
    pub fn end(self) -> i64 {
        self.stride.checked_mul(self.len).and_then(|n| n.checked_add(self.start)).unwrap_or(OPEN)
    }
}

fn gcd(a: i64, b: i64) -> i64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

impl Spread {
    /// The end of the last copy's bytes, for accesses of `width` bytes.
    fn end(self, width: i64) -> i64 {
        let last = (self.len - 1).checked_mul(self.stride);
        last.map_or(OPEN, |last| last.saturating_add(self.start).saturating_add(self.extent(width)))
    }

    fn extent(self, width: i64) -> i64 {
        self.span.saturating_add(width - 1)
    }

    /// Whether accesses of the two widths through the two may touch the same byte.
    pub fn meets(self, width: i64, other: Spread, other_width: i64) -> bool {
        if self.start >= other.end(other_width) || other.start >= self.end(width) {
            return false;
        }
        let repeats = |spread: Spread| if spread.len > 1 { spread.stride } else { 0 };
        let period = gcd(repeats(self), repeats(other));
        if period == 0 {
            return true; // two single runs that overlap
        }
        let apart = (other.start - self.start).rem_euclid(period);
        apart < self.extent(width) || period - apart < other.extent(other_width)
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Shape {
    /// One place only.
    Flat,
    /// A variable of this type, or an unknown number of them in a row.
    Typed { ty: TypeId, repeated: bool },
    /// Memory without a type, perhaps known to be an array from an offset on with elements of so many
    /// bytes.
    Plain { tail: Option<(i64, i64)> },
}

/// Who moves over the elements.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mover {
    /// A pointer, by an index: it stays in the array it walks in. But a walk over bytes may be one over the struct that the
    /// array of bytes is the first member of, unless the access names the array.
    Index,
    /// A copy: it goes over all of its range.
    Copy,
}

impl Mover {
    /// Whether all multiples of `stride` stay in the array.
    fn stays(self, ground: Ground<'_>, array: Array, stride: i64, count: Option<i64>) -> bool {
        let fits = |count: i64| count.saturating_mul(stride) <= array.end() - array.start;
        let is_sure = match self {
            Mover::Index => stride > 1 || count.is_some(),
            Mover::Copy => count.is_some_and(fits),
        };
        stride % array.stride == 0 && (is_sure || array.end() >= ground.size)
    }
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

    /// The spread without what lies outside the object.
    fn clip(self, spread: Spread) -> Place {
        let Spread { mut start, mut span, stride, mut len } = spread;
        if len > 1 && span >= stride {
            span = spread.end(1).saturating_sub(start);
            len = 1;
        }
        if len == 1 {
            let end = start.saturating_add(span).min(self.size);
            start = start.max(0);
            if start >= end {
                return Place::At(FAR);
            }
            return match (start, end - start) {
                (at, 1) => Place::At(at),
                (0, _) if end == self.size => Place::Any,
                (_, span) => Place::Spread(Spread { start, span, stride: 0, len: 1 }),
            };
        }
        if start < 0 {
            let out = (-start + stride - 1) / stride;
            start += out * stride;
            len = if len == OPEN { OPEN } else { len - out };
        }
        if self.size != i64::MAX {
            len = len.min((self.size - start + stride - 1) / stride);
        } else if len != OPEN && len > DEEP {
            len = OPEN;
        }
        match len {
            ..=0 => Place::At(FAR),
            1 => self.clip(Spread { start, span, stride: 0, len: 1 }),
            _ => Place::Spread(Spread { start, span, stride, len }),
        }
    }
}

impl Shape {
    /// Folds an offset inside the object, and tells the arrays around it, outermost first.
    fn walk(&self, ground: Ground<'_>, offset: i64, around: &mut SmallVec<[Array; 4]>) -> i64 {
        match *self {
            Shape::Flat => 0,
            Shape::Typed { ty, repeated } => {
                let size = ground.types.size(ty) as i64;
                let mut offset = offset;
                if repeated && size > 0 {
                    around.push(Array { start: 0, stride: size, len: OPEN });
                    offset %= size;
                }
                walk_type(ground.types, ty, offset, around)
            }
            Shape::Plain { tail: Some((start, stride)) } if offset >= start => {
                around.push(Array { start, stride, len: OPEN });
                start + (offset - start) % stride
            }
            Shape::Plain { .. } => offset,
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
    pub fn arrays_at(&self, ground: Ground<'_>, offset: i64) -> SmallVec<[Array; 4]> {
        let mut around = SmallVec::new();
        if ground.holds(offset) {
            self.walk(ground, offset, &mut around);
        }
        around
    }

    /// All offsets that a folded offset stands for.
    pub fn unfold(&self, ground: Ground<'_>, offset: i64) -> Spread {
        match self.arrays_at(ground, offset)[..] {
            [] => Spread { start: offset, span: 1, stride: 0, len: 1 },
            [only] => Spread { start: offset, span: 1, stride: only.stride, len: only.len },
            [outer, ..] => {
                let span = outer.stride - (offset - outer.start).min(outer.stride - 1);
                Spread { start: offset, span, stride: outer.stride, len: outer.len }
            }
        }
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

    /// Where a pointer to `place`, moved by `by` bytes, may point to.
    pub fn step(&self, ground: Ground<'_>, place: Place, by: i64, out: &mut Places) {
        let offset = match place {
            Place::Any => return out.push(Place::Any),
            Place::Spread(spread) => {
                let mut start = spread.start.saturating_add(by);
                if spread.len == OPEN {
                    start = start.rem_euclid(spread.stride);
                }
                return out.push(ground.clip(Spread { start, ..spread }));
            }
            Place::At(FAR) => return out.push(place),
            Place::At(offset) => offset,
        };
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
                    return out.push(Place::Any);
                }
                for j in 1..=below.min(array.len - 1) {
                    self.push(ground, to + j * array.stride, out);
                }
            }
        }
    }

    /// Where a pointer to `place`, moved by any multiple of `stride` bytes, may point to; into an array
    /// of `count` elements if the access says so.
    pub fn vary(
        &self,
        ground: Ground<'_>,
        place: Place,
        stride: u64,
        count: Option<u64>,
        mover: Mover,
        out: &mut Places,
    ) {
        let stride = i64::try_from(stride).unwrap_or(1);
        // A count of 0 or 1 declares the array at a struct's end.
        let count = count.filter(|&n| n >= 2).and_then(|n| i64::try_from(n).ok());
        let spread = match place {
            _ if stride == 0 => return out.push(place),
            Place::Any | Place::At(FAR) => return out.push(place),
            Place::Spread(spread) => spread,
            Place::At(offset) => {
                let around = self.arrays_at(ground, offset);
                if around.iter().any(|&array| mover.stays(ground, array, stride, count)) {
                    return out.push(place);
                }
                match around[..] {
                    [] => Spread { start: offset, span: 1, stride: 0, len: 1 },
                    _ => self.unfold(ground, offset),
                }
            }
        };
        if let Some(count) = count {
            let more = (count - 1).saturating_mul(stride);
            let wide = Spread { span: spread.span.saturating_add(more), ..spread };
            if wide.len == 1 && spread.span == 1 && count <= FEW {
                return (0..count).for_each(|k| self.push(ground, spread.start + k * stride, out));
            }
            return out.push(ground.clip(wide));
        }
        let period = if spread.len > 1 { gcd(spread.stride, stride) } else { stride };
        if period < ground.grain || spread.span >= period {
            return out.push(Place::Any);
        }
        let start = spread.start.rem_euclid(period);
        out.push(ground.clip(Spread { start, span: spread.span, stride: period, len: OPEN }));
    }
}

fn walk_type(types: &Types, ty: TypeId, offset: i64, around: &mut SmallVec<[Array; 4]>) -> i64 {
    let (mut ty, mut base, mut offset) = (ty, 0, offset);
    loop {
        match types.get(ty) {
            &Type::Array { elem, len } | &Type::Vector { elem, len } => {
                let stride = types.size(elem) as i64;
                if stride == 0 || offset / stride >= len as i64 {
                    return base + offset;
                }
                around.push(Array { start: base, stride, len: len as i64 });
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
            shape.step(ground, Place::At(from), by, &mut out);
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

    fn spread(start: i64, span: i64, stride: i64, len: i64) -> Place {
        Place::Spread(Spread { start, span, stride, len })
    }

    #[test]
    fn indices() {
        let mut types = Types::default();
        let ty = record(&mut types);
        let ground = Ground { types: &types, size: 88, grain: 8 };
        let shape = Shape::Typed { ty, repeated: false };
        let vary = |from, stride, count| {
            let mut out = Places::new();
            shape.vary(ground, Place::At(from), stride, count, Mover::Index, &mut out);
            out.into_vec()
        };
        assert_eq!(vary(16, 16, Some(4)), at(&[16]));
        assert_eq!(vary(72, 1, None), at(&[72]));
        assert_eq!(vary(0, 88, None), at(&[0]));
        assert_eq!(vary(0, 40, None), [spread(0, 1, 40, 3)]);
        assert_eq!(vary(0, 8, Some(2)), at(&[0, 8]));
        assert_eq!(vary(8, 1, None), [Place::Any]);
    }

    #[test]
    fn spreads_in_memory_without_a_type() {
        let types = Types::default();
        let ground = Ground { types: &types, size: i64::MAX, grain: 8 };
        let shape = Shape::Plain { tail: None };
        let vary = |from, stride, count| {
            let mut out = Places::new();
            shape.vary(ground, from, stride, count, Mover::Index, &mut out);
            out.into_vec()
        };
        // `p[i].next`, `p[i].name[j]`, and back to the element.
        assert_eq!(vary(Place::At(8), 24, None), [spread(8, 1, 24, OPEN)]);
        assert_eq!(vary(spread(16, 1, 24, OPEN), 1, Some(8)), [spread(16, 8, 24, OPEN)]);
        let mut out = Places::new();
        shape.step(ground, spread(8, 1, 24, OPEN), -8, &mut out);
        assert_eq!(out.to_vec(), [spread(0, 1, 24, OPEN)]);
        // `h->name[i]`, and a walk that fits nothing known.
        assert_eq!(vary(Place::At(16), 1, Some(64)), [spread(16, 64, 0, 1)]);
        assert_eq!(vary(Place::At(16), 1, None), [Place::Any]);
    }

    #[test]
    fn meetings() {
        let one = |start, span| Spread { start, span, stride: 0, len: 1 };
        let many = |start, stride| Spread { start, span: 1, stride, len: OPEN };
        assert!(many(8, 24).meets(8, one(32, 1), 8));
        assert!(!many(8, 24).meets(8, one(40, 1), 8));
        assert!(!many(0, 16).meets(8, many(8, 16), 8));
        assert!(many(0, 16).meets(8, many(8, 24), 8));
        assert!(one(16, 64).meets(1, one(72, 1), 8));
        assert!(!one(16, 64).meets(1, one(80, 1), 8));
    }

    #[test]
    fn far_outside_is_one_place() {
        let types = Types::default();
        let ground = Ground { types: &types, size: 16, grain: 8 };
        let shape = Shape::Plain { tail: None };
        assert_eq!(shape.fold(ground, -8), -8);
        assert_eq!(shape.fold(ground, 1 << 30), shape.fold(ground, -(1 << 30)));
    }
}
