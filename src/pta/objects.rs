//! What pointers point to: abstract objects, and the locations inside them that are told apart.
//!
//! Invariant: a location's place is folded by its object's shape, which never changes.

use super::shape::{Ground, Mover, Place, Places, Shape};
use crate::ir::{FuncId, GlobalId, InstId, Program, TypeId};
use cranelift_entity::packed_option::PackedOption;
use cranelift_entity::{PrimaryMap, SecondaryMap, entity_impl};
use rustc_hash::FxHashMap;

/// An abstract object: all concrete objects that one variable, function or allocation site stands for.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ObjectId(u32);
entity_impl!(ObjectId, "o");

/// A place in an object.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LocationId(u32);
entity_impl!(LocationId, "loc");

/// The calls, innermost last, under which a cloned function is looked at; the root is no call at all.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ContextId(u32);
entity_impl!(ContextId, "cx");

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Context {
    pub parent: ContextId,
    /// `None` only for the root.
    pub call: Option<InstId>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ObjectKind {
    /// All memory that is not the program's own: what unknown functions allocated or were given.
    Unknown,
    /// All string literals and other unnamed constant data without pointers.
    Literals,
    /// The array `argv` points to (and `envp`).
    Arguments,
    /// The strings in it.
    ArgumentStrings,
    Global(GlobalId),
    Func(FuncId),
    /// The objects of an `alloca`.
    Alloca {
        site: InstId,
        context: ContextId,
    },
    /// What a call of the allocating function `by` returned.
    Heap {
        site: InstId,
        by: FuncId,
        context: ContextId,
    },
    /// The storage a library function returns a pointer to (`getenv`, `localtime` …).
    Static(FuncId),
    /// The extra arguments of calls to a variadic function.
    Varargs {
        func: FuncId,
        context: ContextId,
    },
}

#[derive(Debug, Clone)]
pub struct Object {
    pub kind: ObjectKind,
    /// In bytes, if every concrete object has this size.
    pub size: Option<u64>,
    pub shape: Shape,
    /// Is never written.
    pub constant: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Location {
    pub object: ObjectId,
    pub place: Place,
}

/// An object of unknown size in which more offsets than this are told apart is no struct that the program
/// knows, but memory whose pointers got mixed up with others: it becomes one place.
const MANY: u32 = 48;
/// The same for spreads, for offsets that are no multiple of 4, and for those outside an object.
const MANY_ODD: u32 = 48;
/// The most offsets told apart in an object of known size.
const MOST: u64 = 512;
/// The largest number that programs hide in the low bits of an address.
const MOST_TAG: u64 = 7;

/// All objects and locations, and the arithmetic on locations.
#[derive(Debug)]
pub struct Objects<'p> {
    pub program: &'p Program,
    pub objects: PrimaryMap<ObjectId, Object>,
    pub locations: PrimaryMap<LocationId, Location>,
    pub contexts: PrimaryMap<ContextId, Context>,
    known_objects: FxHashMap<ObjectKind, ObjectId>,
    known_locations: FxHashMap<(ObjectId, Place), LocationId>,
    /// Every object is one place (the coarse answer of a spent budget).
    flat: bool,
    /// How many places of each object are told apart: aligned offsets, and others.
    places: SecondaryMap<ObjectId, [u32; 2]>,
    /// Objects with too many of them, which are to become one place.
    pub crowded: Vec<ObjectId>,
    /// The location "anywhere in it" of each object that has one.
    anywhere: SecondaryMap<ObjectId, PackedOption<LocationId>>,
    /// The objects that others stand for (see [`twins`](super::twins)).
    replaced: SecondaryMap<ObjectId, PackedOption<ObjectId>>,
    pub merge_literals: bool,
    pub unknown: ObjectId,
}

impl<'p> Objects<'p> {
    pub fn new(program: &'p Program, flat: bool, merge_literals: bool) -> Self {
        let mut objects = Objects {
            program,
            objects: PrimaryMap::new(),
            locations: PrimaryMap::new(),
            contexts: PrimaryMap::new(),
            known_objects: FxHashMap::default(),
            known_locations: FxHashMap::default(),
            flat,
            places: SecondaryMap::new(),
            crowded: Vec::new(),
            anywhere: SecondaryMap::new(),
            replaced: SecondaryMap::new(),
            merge_literals,
            unknown: ObjectId(0),
        };
        objects.contexts.push(Context { parent: ContextId(0), call: None });
        objects.unknown = objects.intern(ObjectKind::Unknown, None, Shape::Flat, false);
        objects
    }

    pub fn root(&self) -> ContextId {
        ContextId(0)
    }

    /// The object of this kind, made on first use.
    pub fn intern(
        &mut self,
        kind: ObjectKind,
        size: Option<u64>,
        shape: Shape,
        constant: bool,
    ) -> ObjectId {
        if let Some(&id) = self.known_objects.get(&kind) {
            return id;
        }
        let shape = if self.flat { Shape::Flat } else { shape };
        let id = self.objects.push(Object { kind, size, shape, constant });
        self.known_objects.insert(kind, id);
        id
    }

    pub fn func(&mut self, func: FuncId) -> ObjectId {
        self.intern(ObjectKind::Func(func), Some(1), Shape::Flat, true)
    }

    pub fn literals(&mut self) -> ObjectId {
        self.intern(ObjectKind::Literals, None, Shape::Flat, true)
    }

    pub fn global(&mut self, id: GlobalId) -> ObjectId {
        let global = &self.program.globals[id];
        let plain = global.init.as_ref().is_some_and(|init| init.relocs.is_empty());
        if self.merge_literals && global.constant && plain && global.name.starts_with(".str") {
            return self.literals();
        }
        // The size of a declaration is only what this program knows of it.
        let size = global.init.is_some().then_some(global.size);
        let shape = Shape::Typed { ty: global.ty, repeated: false };
        self.intern(ObjectKind::Global(id), size, shape, global.constant)
    }

    pub fn typed(&mut self, kind: ObjectKind, ty: TypeId, repeated: bool) -> ObjectId {
        let size = (!repeated).then(|| self.program.types.size(ty));
        self.intern(kind, size, Shape::Typed { ty, repeated }, false)
    }

    pub fn ground(&self, object: ObjectId) -> Ground<'p> {
        let program: &'p Program = self.program;
        let size = self.objects[object].size.and_then(|size| i64::try_from(size).ok());
        Ground {
            types: &program.types,
            size: size.unwrap_or(i64::MAX),
            grain: i64::from(program.machine.pointer_bits.max(8) / 8),
        }
    }

    /// From now on `by` stands for the object.
    pub fn replace(&mut self, object: ObjectId, by: ObjectId) {
        self.replaced[object] = by.into();
    }

    /// The object that stands for this one.
    pub fn stand_in(&self, object: ObjectId) -> ObjectId {
        self.replaced[object].expand().map_or(object, |by| self.stand_in(by))
    }

    /// The location of an offset that needs no folding, or of any offset.
    fn place(&mut self, object: ObjectId, place: Place) -> LocationId {
        let object = self.stand_in(object);
        if let Some(&id) = self.known_locations.get(&(object, place)) {
            return id;
        }
        let id = self.locations.push(Location { object, place });
        if place == Place::Any {
            self.anywhere[object] = id.into();
        }
        self.known_locations.insert((object, place), id);
        id
    }

    /// The location that includes this one, if that is another and known.
    pub fn around(&self, location: LocationId) -> Option<LocationId> {
        let any = self.anywhere[self.locations[location].object].expand();
        any.filter(|&any| any != location)
    }

    pub fn any(&mut self, object: ObjectId) -> LocationId {
        self.place(object, Place::Any)
    }

    pub fn at(&mut self, object: ObjectId, offset: i64) -> LocationId {
        let place = match &self.objects[object].shape {
            Shape::Flat => Place::Any,
            shape => Place::At(shape.fold(self.ground(object), offset)),
        };
        self.place(object, place)
    }

    /// Where `location + step` may be.
    pub fn step(&mut self, location: LocationId, step: &Step, out: &mut Vec<LocationId>) {
        self.moved(location, step, Mover::Index, out);
    }

    /// Where a copy to `location` may write what lies `step` behind the start of what it reads.
    pub fn landed(&mut self, location: LocationId, step: &Step, out: &mut Vec<LocationId>) {
        self.moved(location, step, Mover::Copy, out);
    }

    fn moved(
        &mut self,
        location: LocationId,
        step: &Step,
        mover: Mover,
        out: &mut Vec<LocationId>,
    ) {
        let Location { object, place } = self.locations[location];
        if step.leaves_functions() && matches!(self.objects[object].kind, ObjectKind::Func(_)) {
            return;
        }
        let ground = self.ground(object);
        let mut places = Places::new();
        if step.any || self.objects[object].shape == Shape::Flat {
            places.push(Place::Any);
        } else {
            let shape = &self.objects[object].shape;
            shape.step(ground, place, step.offset, &mut places);
            for &(stride, count) in &step.terms {
                let from = std::mem::take(&mut places);
                for &from in &from {
                    shape.vary(ground, from, stride, count, mover, &mut places);
                }
            }
        }
        places.sort_unstable();
        places.dedup();
        for place in places {
            let place = self.admit(object, place);
            let location = self.place(object, place);
            out.push(location);
        }
    }

    /// The place, unless the object has too many already. An odd offset where no size is known is most
    /// likely a walk over bytes, which would go on.
    fn admit(&mut self, object: ObjectId, place: Place) -> Place {
        let data = &self.objects[object];
        let outside =
            |offset: i64| offset < 0 || data.size.is_some_and(|size| offset.unsigned_abs() >= size);
        let odd = match place {
            Place::At(offset) => offset % 4 != 0 || outside(offset),
            Place::Spread(_) => true,
            Place::Any => return place,
        };
        if odd && data.size.is_none() && matches!(place, Place::At(0..)) {
            return Place::Any;
        }
        if !self.known_locations.contains_key(&(object, place)) {
            let many = match data.size {
                _ if odd => MANY_ODD,
                Some(size) => (size / 4).clamp(u64::from(MANY_ODD), MOST) as u32,
                None => MANY,
            };
            let count = &mut self.places[object][usize::from(odd)];
            if *count >= many {
                self.crowded.push(object);
                return Place::Any;
            }
            *count += 1;
        }
        place
    }
}

/// A step of pointer arithmetic: `offset` bytes and any multiples of the terms' strides (with the
/// number of elements, if the access names an array), or anywhere in the object.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct Step {
    pub offset: i64,
    pub terms: Vec<(u64, Option<u64>)>,
    pub any: bool,
}

impl Step {
    pub fn by(offset: i64) -> Self {
        Step { offset, ..Step::default() }
    }

    pub fn anywhere() -> Self {
        Step { any: true, ..Step::default() }
    }

    pub fn is_nothing(&self) -> bool {
        self.offset == 0 && self.terms.is_empty() && !self.any
    }

    /// Whether a function's address, moved like this, is no longer one: there is nothing inside a function for C. A
    /// tag in its low bits may come off again.
    fn leaves_functions(&self) -> bool {
        !self.any && (self.offset.unsigned_abs() > MOST_TAG || !self.terms.is_empty())
    }
}
