//! What the types of an access say about the place it goes to: where the struct begins whose member is named, and
//! which array a member is.
//!
//! Taken for granted: a struct whose member is named lies inside its object as a whole, if the object has room for
//! it at all; an index does not lead out of an array that is a member. Where the types say nothing, nothing changes.

use super::shape::{FEW, Ground, OPEN, Place, Places, Shape, Spread};
use crate::ir::{Member, Type, TypeId};
use smallvec::smallvec;

impl Shape {
    /// Where the struct begins that a pointer to `place` points to, if a member of it is named: a struct lies
    /// inside its object as a whole, so there is only one place in an object that is not larger.
    pub fn starts(&self, ground: Ground<'_>, place: Place, member: Option<Member>) -> Places {
        let (Some(member), false) = (member, matches!(place, Place::At(_))) else {
            return smallvec![place];
        };
        let size = i64::from(member.size.max(1));
        if self.is_row_of(ground, size) && place == Place::Any {
            return smallvec![Place::At(0)];
        }
        let (from, to) = match place {
            Place::Spread(spread) if spread.len > 1 => return smallvec![place],
            Place::Spread(spread) => (spread.start, spread.start.saturating_add(spread.span - 1)),
            Place::Any | Place::At(_) => (0, i64::MAX),
        };
        let to = to.min(ground.size.saturating_sub(size));
        if *self == Shape::Flat || ground.size == i64::MAX || to < from || to - from >= FEW {
            return smallvec![place];
        }
        let mut out = Places::new();
        (from..=to).for_each(|start| self.push(ground, start, &mut out));
        out
    }

    /// Whether the object is a row of structs of so many bytes.
    fn is_row_of(&self, ground: Ground<'_>, size: i64) -> bool {
        let Shape::Typed { ty, repeated } = *self else {
            return false;
        };
        let is_one = |ty: TypeId| {
            let types = ground.types;
            matches!(types.get(ty), Type::Struct { .. }) && types.size(ty) as i64 == size
        };
        match *ground.types.get(ty) {
            Type::Array { elem, .. } => is_one(elem),
            _ => repeated && is_one(ty),
        }
    }

    /// The pointer to the start of an array that is a member, as one into that array: elements are not told apart,
    /// and a pointer into it does not leave it by an index.
    pub fn array(&self, ground: Ground<'_>, place: Place, count: Option<u32>, bytes: i64) -> Place {
        if !matches!(self, Shape::Plain { .. }) {
            return place; // the type of a variable knows its arrays
        }
        let small = bytes < ground.grain;
        let len = count.map_or(OPEN, i64::from);
        let span = len.saturating_mul(bytes);
        match place {
            Place::At(start) if ground.holds(start) => match self.arrays_at(ground, start)[..] {
                [] if small => ground.clip(Spread { start, span, stride: bytes, len: 1 }),
                [] => ground.clip(Spread { start, span: 1, stride: bytes, len }),
                [.., around] if small => {
                    let rest = around.stride - (start - around.start) % around.stride;
                    let span = span.min(rest);
                    ground.clip(Spread { start, span, stride: around.stride, len: around.len })
                }
                _ => place,
            },
            Place::Spread(spread) if spread.len > 1 && spread.span == 1 && small => {
                let rest = spread.stride - spread.start.rem_euclid(spread.stride);
                ground.clip(Spread { span: span.min(rest), ..spread })
            }
            Place::At(_) | Place::Spread(_) | Place::Any => place,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::Types;

    fn at(offsets: &[i64]) -> Vec<Place> {
        offsets.iter().map(|&offset| Place::At(offset)).collect()
    }

    fn spread(start: i64, span: i64, stride: i64, len: i64) -> Place {
        Place::Spread(Spread { start, span, stride, len })
    }

    #[test]
    fn members() {
        let types = Types::default();
        let ground = Ground { types: &types, size: 40, grain: 8 };
        let shape = Shape::Plain { tail: None };
        let starts = |place, size| shape.starts(ground, place, Some(Member { size, array: None }));
        // A struct as large as its object begins where that does; a smaller one may begin anywhere.
        assert_eq!(starts(Place::Any, 40).to_vec(), at(&[0]));
        assert_eq!(starts(Place::Any, 38).to_vec(), at(&[0, 1, 2]));
        assert_eq!(starts(Place::Any, 16).to_vec(), [Place::Any]);
        // One that does not fit is a part of a struct, somewhere.
        assert_eq!(starts(Place::Any, 48).to_vec(), [Place::Any]);
        assert_eq!(starts(spread(8, 16, 0, 1), 32).to_vec(), at(&[8]));
    }

    #[test]
    fn arrays_that_are_members() {
        let types = Types::default();
        let ground = Ground { types: &types, size: i64::MAX, grain: 8 };
        let shape = Shape::Plain { tail: None };
        let text = shape.array(ground, Place::At(12), None, 1);
        assert_eq!(text, spread(12, i64::MAX - 12, 1, 1));
        let step = |by| {
            let mut out = Places::new();
            shape.step(ground, text, by, &mut out);
            out.into_vec()
        };
        // Inside; by one to before its start, or inside; to the struct around it, or inside.
        assert_eq!(step(5), [text]);
        assert_eq!(step(-1), [text, spread(11, i64::MAX - 11, 1, 1)]);
        assert_eq!(step(-12), [text, Place::Any]);
        let vary = |place, stride| {
            let mut out = Places::new();
            shape.vary(ground, place, stride, None, &mut out);
            out.into_vec()
        };
        assert_eq!(vary(text, 1), [text]);
        assert_eq!(vary(text, 16), [Place::Any]);
        let few = shape.array(ground, Place::At(16), Some(3), 8);
        assert_eq!(few, spread(16, 1, 8, 3));
        assert_eq!(vary(few, 8), [few]);
    }
}
