//! The answer, frozen: what each value may point to, what each cell may hold, who may call whom, and
//! what the analysis had to assume.

use super::memory::EVERYWHERE;
use super::objects::{Context, ContextId, Location, LocationId, Object, ObjectId, ObjectKind};
use super::sets::{EMPTY, SetId, Sets};
use super::shape::{Ground, Place, Shape, Spread};
use crate::ir::{ConstId, FuncId, InstId, Operand, Program, ValueId};
use cranelift_entity::{PrimaryMap, SecondaryMap};
use rustc_hash::FxHashMap;
use std::time::Duration;

/// How fine the answer is; a spent budget makes it coarser, never wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Precision {
    /// Offsets are told apart.
    Fields,
    /// Every object is one place.
    Objects,
    /// Every pointer may point to every object whose address is taken.
    Nothing,
}

/// What the analysis cost and how large its answer is.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Statistics {
    /// Before and after equal nodes were found, and at the end.
    pub nodes: usize,
    pub reduced: usize,
    pub final_nodes: usize,
    pub edges: usize,
    pub waves: usize,
    /// Members of sets, edges and nodes that were looked at.
    pub work: u64,
    pub objects: usize,
    pub locations: usize,
    /// Different sets in the answer.
    pub sets: usize,
    /// Over the pointers that point to something.
    pub pointers: usize,
    pub average: f64,
    /// The same, counting objects and not locations in them.
    pub average_objects: f64,
    pub largest: usize,
    pub indirect_calls: usize,
    pub time: Duration,
    /// Bytes of the solver's own tables at most, roughly.
    pub memory: usize,
}

/// What one object may hold.
#[derive(Debug, Clone, Default)]
pub struct Content {
    /// By the offset of a cell of a pointer's size; complete for that cell.
    pub cells: Vec<(i64, SetId)>,
    /// What was written through pointers to several offsets.
    pub spreads: Vec<(Spread, SetId)>,
}

/// Who is called by an instruction.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Callees {
    /// Ascending. Functions that a library function calls back belong to its call.
    pub funcs: Vec<FuncId>,
    /// Code we know nothing of may run, and call any function of
    /// [`PointsTo::called_by_unknown`].
    pub unknown: bool,
}

#[derive(Debug)]
pub struct PointsTo {
    pub precision: Precision,
    pub objects: PrimaryMap<ObjectId, Object>,
    pub locations: PrimaryMap<LocationId, Location>,
    pub contexts: PrimaryMap<ContextId, Context>,
    pub(super) sets: Sets,
    pub(super) values: SecondaryMap<ValueId, SetId>,
    pub(super) consts: FxHashMap<ConstId, SetId>,
    pub(super) contents: SecondaryMap<ObjectId, Content>,
    pub(super) calls: FxHashMap<InstId, Callees>,
    pub(super) pointer_bytes: i64,
    /// The pointers unknown code may know: (their objects may change in any unknown call).
    pub(super) escaped: SetId,
    /// Functions without a body or a summary that may be called: anything may happen in them to what
    /// they can reach.
    pub externals: Vec<FuncId>,
    pub called_by_unknown: Vec<FuncId>,
    /// Callees that were dropped because C gives such a call no meaning.
    pub filtered: Vec<(InstId, FuncId)>,
    /// Integers of unknown origin that become pointers; they are taken to point to memory outside the
    /// program's objects.
    pub unknown_integers: Vec<InstId>,
    /// Functions that may run at all, ascending.
    pub reachable: Vec<FuncId>,
    pub statistics: Statistics,
}

/// All offsets of a place.
fn whole(place: Place) -> Spread {
    match place {
        Place::At(start) => Spread { start, span: 1, stride: 0, len: 1 },
        Place::Spread(spread) => spread,
        Place::Any => EVERYWHERE,
    }
}

static NOBODY: Callees = Callees { funcs: Vec::new(), unknown: false };
static NO_CONTENT: Content = Content { cells: Vec::new(), spreads: Vec::new() };

impl PointsTo {
    /// The set of a value. Equal ids mean equal sets.
    pub fn set(&self, value: ValueId) -> SetId {
        self.values[value]
    }

    /// What a value may point to, by ascending location. A number has locations only if it may become
    /// a pointer or be stored.
    pub fn points_to(&self, value: ValueId) -> impl Iterator<Item = LocationId> + '_ {
        self.members(self.set(value))
    }

    pub fn set_of(&self, operand: Operand) -> SetId {
        match operand {
            Operand::Value(value) => self.set(value),
            Operand::Const(constant) => self.consts.get(&constant).copied().unwrap_or(EMPTY),
        }
    }

    pub fn members(&self, set: SetId) -> impl Iterator<Item = LocationId> + '_ {
        self.sets.iter(set).map(LocationId::from_u32)
    }

    pub fn count(&self, set: SetId) -> usize {
        self.sets.count(set)
    }

    /// What unknown code may reach.
    pub fn escaped(&self) -> SetId {
        self.escaped
    }

    /// What an object may hold.
    pub fn content(&self, object: ObjectId) -> &Content {
        self.contents.get(object).unwrap_or(&NO_CONTENT)
    }

    /// What a pointer-sized access at a location may read, each set once.
    pub fn contents(&self, location: LocationId) -> Vec<SetId> {
        let Location { object, place } = self.locations[location];
        let content = self.content(object);
        let here = whole(place);
        let width = self.pointer_bytes;
        let one = |start| Spread { start, span: 1, stride: 0, len: 1 };
        let cells = content.cells.iter().filter(|cell| one(cell.0).meets(width, here, width));
        let spreads = content.spreads.iter().filter(|spread| spread.0.meets(width, here, width));
        let mut found: Vec<SetId> =
            cells.map(|cell| cell.1).chain(spreads.map(|spread| spread.1)).collect();
        found.sort_unstable();
        found.dedup();
        found.retain(|&set| set != EMPTY);
        found
    }

    /// Whom a call may call.
    pub fn callees(&self, call: InstId) -> &Callees {
        self.calls.get(&call).unwrap_or(&NOBODY)
    }

    /// The offset that stands for `offset` in this object: the same place of an array's first element.
    pub fn fold(&self, program: &Program, object: ObjectId, offset: i64) -> i64 {
        match &self.objects[object].shape {
            Shape::Flat => offset,
            shape => shape.fold(self.ground(program, object), offset),
        }
    }

    /// Whether the offset lies in an array with something else before or behind it, which an index may come to.
    pub fn has_neighbours(&self, program: &Program, object: ObjectId, offset: i64) -> bool {
        let ground = self.ground(program, object);
        let (mut start, mut end) = (0, ground.size);
        self.objects[object].shape.arrays_at(ground, offset).iter().any(|array| {
            let is_alone = array.start <= start && array.end() >= end;
            (start, end) = (array.start, array.start.saturating_add(array.stride));
            !is_alone
        })
    }

    fn ground<'p>(&self, program: &'p Program, object: ObjectId) -> Ground<'p> {
        let size = self.objects[object].size.and_then(|size| i64::try_from(size).ok());
        let size = size.unwrap_or(i64::MAX);
        Ground { types: &program.types, size, grain: self.pointer_bytes }
    }

    /// Whether accesses of `a_size` and `b_size` bytes at two locations may overlap.
    pub fn overlap(&self, a: LocationId, a_size: u64, b: LocationId, b_size: u64) -> bool {
        let (a, b) = (self.locations[a], self.locations[b]);
        if a.object != b.object {
            return false;
        }
        let reach = |size: u64| i64::try_from(size).unwrap_or(i64::MAX);
        let (Place::At(x), Place::At(y)) = (a.place, b.place) else {
            // An offset inside an array stands for each element's.
            let data = &self.objects[a.object];
            if matches!(data.shape, Shape::Typed { .. } | Shape::Plain { tail: Some(_) }) {
                return true;
            }
            return whole(a.place).meets(reach(a_size), whole(b.place), reach(b_size));
        };
        let size = self.objects[a.object].size.and_then(|size| i64::try_from(size).ok());
        let outside = |at: i64| at < 0 || size.is_some_and(|size| at >= size);
        // Of two pointers outside their object we do not claim that they differ.
        (outside(x) && outside(y))
            || (x < y.saturating_add(reach(b_size)) && y < x.saturating_add(reach(a_size)))
    }

    /// Whether accesses through two pointers may touch the same byte.
    pub fn may_alias(&self, a: Operand, a_size: u64, b: Operand, b_size: u64) -> bool {
        let (a, b) = (self.set_of(a), self.set_of(b));
        let ours: Vec<LocationId> = self.members(a).collect();
        let mut by_object: FxHashMap<ObjectId, Vec<LocationId>> = FxHashMap::default();
        for location in self.members(b) {
            by_object.entry(self.locations[location].object).or_default().push(location);
        }
        ours.into_iter().any(|x| {
            let near = by_object.get(&self.locations[x].object);
            near.is_some_and(|near| near.iter().any(|&y| self.overlap(x, a_size, y, b_size)))
        })
    }

    /// Whether the object stands for at most one concrete object at any time, as far as this analysis
    /// can tell: a global that each thread shares.
    pub fn is_single(&self, program: &Program, object: ObjectId) -> bool {
        match self.objects[object].kind {
            ObjectKind::Global(global) => !program.globals[global].thread_local,
            ObjectKind::Func(_) => true,
            ObjectKind::Unknown
            | ObjectKind::Literals
            | ObjectKind::Arguments
            | ObjectKind::ArgumentStrings
            | ObjectKind::Alloca { .. }
            | ObjectKind::Heap { .. }
            | ObjectKind::Static(_)
            | ObjectKind::Varargs { .. } => false,
        }
    }
}
