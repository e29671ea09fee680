//! Cells: the parts of objects whose content is followed on its own. Where every access at a known offset
//! stays inside some byte range, that range is a cell; an access anywhere in an object touches all of
//! its cells.
//!
//! Invariants: the cells of an object are consecutive and do not overlap; an access at a known offset lies
//! in exactly one of them. An access that leaves the array element in which it starts counts as one
//! anywhere in the object, because an array's elements share their offsets; and so does one in an array that is a
//! part of something, because an index that leaves it comes to its neighbours, as does one into another member of a union.

use crate::ir::{FuncId, Program};
use crate::pta::{EMPTY, LocationId, ObjectId, ObjectKind, Place, PointsTo, SetId};
use cranelift_entity::{PrimaryMap, SecondaryMap, entity_impl};
use rustc_hash::FxHashSet;

/// A part of an abstract object.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CellId(u32);
entity_impl!(CellId, "cell");

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cell {
    pub object: ObjectId,
    /// The bytes `start..end`; the whole object if the end is 0.
    pub start: i64,
    pub end: i64,
}

/// Which memory an instruction touches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Extent {
    /// So many bytes where a pointer of the set points to.
    Bytes(SetId, u64),
    /// The objects that a pointer of the set points to.
    Objects(SetId),
    /// These objects, those their contents point to, and so on.
    Reach(SetId),
    /// One object.
    Object(ObjectId),
}

#[derive(Debug)]
pub struct Cells<'a> {
    program: &'a Program,
    answer: &'a PointsTo,
    pub cells: PrimaryMap<CellId, Cell>,
    /// The first cell of each object and the one after its last.
    ranges: SecondaryMap<ObjectId, (u32, u32)>,
}

/// The bytes an access of `size` bytes at `location` touches, if they are known.
fn bytes(
    program: &Program,
    answer: &PointsTo,
    location: LocationId,
    size: u64,
) -> Option<(i64, i64)> {
    let data = answer.locations[location];
    let Place::At(start) = data.place else { return None };
    let end = start.checked_add(i64::try_from(size).ok().filter(|&size| size > 0)?)?;
    let inside = answer.objects[data.object].size.is_none_or(|size| end as u64 <= size);
    let folded = answer.fold(program, data.object, end - 1) != end - 1;
    let is_known = start >= 0 && inside && !folded;
    (is_known && !answer.has_neighbours(program, data.object, start)).then_some((start, end))
}

/// Joins ranges that overlap.
fn joined(mut ranges: Vec<(i64, i64)>) -> Vec<(i64, i64)> {
    ranges.sort_unstable();
    let mut out: Vec<(i64, i64)> = Vec::new();
    for (start, end) in ranges {
        match out.last_mut() {
            Some(last) if start < last.1 => last.1 = last.1.max(end),
            _ => out.push((start, end)),
        }
    }
    out
}

impl<'a> Cells<'a> {
    /// Divides the objects as `accesses` ask for, or not at all.
    pub fn new(
        program: &'a Program,
        answer: &'a PointsTo,
        accesses: &FxHashSet<(SetId, u64)>,
        fields: bool,
    ) -> Self {
        let mut asked: SecondaryMap<ObjectId, Vec<(i64, i64)>> = SecondaryMap::new();
        if fields {
            let mut seen: FxHashSet<(LocationId, u64)> = FxHashSet::default();
            for &(set, size) in accesses {
                for location in answer.members(set).filter(|&at| seen.insert((at, size))) {
                    let object = answer.locations[location].object;
                    asked[object].extend(bytes(program, answer, location, size));
                }
            }
        }
        let mut cells: PrimaryMap<CellId, Cell> = PrimaryMap::new();
        let mut ranges: SecondaryMap<ObjectId, (u32, u32)> = SecondaryMap::new();
        for (object, data) in &answer.objects {
            let first = cells.len() as u32;
            // What is never written needs no history.
            if !data.constant {
                let parts = joined(std::mem::take(&mut asked[object]));
                if parts.is_empty() {
                    cells.push(Cell { object, start: 0, end: 0 });
                }
                for (start, end) in parts {
                    cells.push(Cell { object, start, end });
                }
            }
            ranges[object] = (first, cells.len() as u32);
        }
        Cells { program, answer, cells, ranges }
    }

    /// All cells of an object.
    pub fn of(&self, object: ObjectId) -> impl Iterator<Item = CellId> + use<> {
        let (first, end) = self.ranges[object];
        (first..end).map(CellId)
    }

    /// The cells an access touches, ascending.
    pub fn touched(&self, extent: Extent) -> Vec<CellId> {
        let mut found: Vec<CellId> = Vec::new();
        match extent {
            Extent::Bytes(set, size) => {
                for location in self.answer.members(set) {
                    let object = self.answer.locations[location].object;
                    match bytes(self.program, self.answer, location, size) {
                        Some((start, _)) => found.extend(self.at(object, start)),
                        None => found.extend(self.of(object)),
                    }
                }
            }
            Extent::Objects(set) => {
                let objects = self.answer.members(set).map(|at| self.answer.locations[at].object);
                objects.for_each(|object| found.extend(self.of(object)));
            }
            Extent::Reach(set) => {
                reach(self.answer, set).into_iter().for_each(|o| found.extend(self.of(o)));
            }
            Extent::Object(object) => found.extend(self.of(object)),
        }
        found.sort_unstable();
        found.dedup();
        found
    }

    /// The cell around an offset; all of the object if it is not divided.
    fn at(&self, object: ObjectId, offset: i64) -> impl Iterator<Item = CellId> + use<> {
        let (first, end) = self.ranges[object];
        let (mut low, mut high) = (first, end);
        while high - low > 1 {
            let middle = low.midpoint(high);
            match self.cells[CellId(middle)].start <= offset {
                true => low = middle,
                false => high = middle,
            }
        }
        (low..high).map(CellId)
    }

    /// The function whose variable this is; it is gone when that returns.
    pub fn owner(&self, cell: CellId) -> Option<FuncId> {
        match self.answer.objects[self.cells[cell].object].kind {
            ObjectKind::Alloca { site, .. } => Some(self.program.func_of(site)),
            ObjectKind::Varargs { func, .. } => Some(func),
            ObjectKind::Unknown
            | ObjectKind::Literals
            | ObjectKind::Arguments
            | ObjectKind::ArgumentStrings
            | ObjectKind::Global(_)
            | ObjectKind::Func(_)
            | ObjectKind::Heap { .. }
            | ObjectKind::Static(_) => None,
        }
    }
}

/// The objects that can be reached from a set of pointers, ascending.
pub fn reach(answer: &PointsTo, set: SetId) -> Vec<ObjectId> {
    let mut sets: FxHashSet<SetId> = FxHashSet::default();
    let mut objects: FxHashSet<ObjectId> = FxHashSet::default();
    let mut waiting = vec![set];
    while let Some(set) = waiting.pop() {
        if set == EMPTY || !sets.insert(set) {
            continue;
        }
        for location in answer.members(set) {
            let object = answer.locations[location].object;
            if objects.insert(object) {
                let content = answer.content(object);
                waiting.extend(content.cells.iter().map(|cell| cell.1));
                waiting.extend(content.spreads.iter().map(|spread| spread.1));
            }
        }
    }
    let mut found: Vec<ObjectId> = objects.into_iter().collect();
    found.sort_unstable();
    found
}
