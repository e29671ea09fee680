//! What each part of memory ever holds, at whatever time: what it held when its object was made, and what is
//! ever written there.
//!
//! Invariant: a part has a fact only if everything that is ever written to it has it, and what was there first. That
//! needs no order of events, so it holds whoever runs when, as long as the points-to sets do. It complements the
//! versions of the value-flow graph, which know what was overwritten, but in which a function keeps parts together that it
//! never tells apart.

use super::known::Known;
use super::memory::is_initialised;
use super::ranges::Range;
use super::whole::{Whole, insts};
use crate::ir::{FuncId, Inst, InstId, Program};
use crate::pta::{ObjectId, ObjectKind, Place, SetId};
use crate::svfg::cells::{CellId, Extent, reach};
use crate::svfg::effects::Effects;
use cranelift_entity::SecondaryMap;
use rustc_hash::{FxHashMap, FxHashSet};

/// A part's range changes so often, then it is not followed any more.
const MOST_CHANGES: u8 = 4;

/// Functions without a body that may copy what was never set. What others write comes from outside, or is computed from
/// what they are given, and is set.
const COPIES: &[&str] = &[
    "mem", "__mem", "wmem", "str", "__str", "stp", "__stp", "wcs", "bcopy", "realloc", "qsort",
    "va",
];

/// What a call writes to memory itself, or by functions without a body.
pub fn outside(program: &Program, whole: &Whole, call: InstId) -> Known {
    let callees = whole.points_to.callees(call);
    let copies = |&func: &FuncId| {
        let name = program.funcs[func].name.as_str();
        COPIES.iter().any(|copier| name.starts_with(copier))
    };
    Known { set: !callees.funcs.iter().any(copies), ..Known::NOTHING }
}

pub struct Places<'a> {
    program: &'a Program,
    whole: &'a Whole,
    known: SecondaryMap<CellId, Known>,
    changes: SecondaryMap<CellId, u8>,
    /// What each instruction writes.
    writes: FxHashMap<InstId, Vec<CellId>>,
    /// The copies that read a part, and the functions that load from it.
    copies: FxHashMap<CellId, Vec<InstId>>,
    loads: FxHashMap<CellId, FxHashSet<FuncId>>,
}

impl<'a> Places<'a> {
    pub fn new(program: &'a Program, whole: &'a Whole) -> Self {
        let mut places = Places {
            program,
            whole,
            known: SecondaryMap::with_default(Known::ALL),
            changes: SecondaryMap::new(),
            writes: FxHashMap::default(),
            copies: FxHashMap::default(),
            loads: FxHashMap::default(),
        };
        for (id, cell) in &whole.graph.cells {
            places.known[id] = places.first(id, cell.object);
        }
        let effects = Effects::new(program, &whole.points_to);
        let mut reached: FxHashMap<SetId, Vec<ObjectId>> = FxHashMap::default();
        let mut cells = |extents: &[Extent]| {
            let mut found = Vec::new();
            for &extent in extents {
                match extent {
                    Extent::Bytes(set, size) => found.extend(whole.touched(set, Some(size))),
                    Extent::Objects(set) => found.extend(whole.touched(set, None)),
                    Extent::Reach(set) => {
                        let objects =
                            reached.entry(set).or_insert_with(|| reach(&whole.points_to, set));
                        let all = objects.iter().filter_map(|object| whole.cells_of.get(object));
                        found.extend(all.flatten());
                    }
                    Extent::Object(object) => {
                        found.extend(whole.cells_of.get(&object).into_iter().flatten());
                    }
                }
            }
            found.sort_unstable();
            found.dedup();
            found
        };
        let mut begun = Vec::new();
        for &func in &whole.points_to.reachable {
            for inst in insts(program, func) {
                let touch = effects.of(inst);
                let writes = cells(&touch.writes);
                let written = match program.insts[inst].inst {
                    Inst::Load { .. } => {
                        for cell in cells(&touch.reads) {
                            places.loads.entry(cell).or_default().insert(func);
                        }
                        continue;
                    }
                    // They are told when something is known of what they write.
                    Inst::Store { .. } | Inst::MemSet { .. } => {
                        places.writes.insert(inst, writes);
                        continue;
                    }
                    Inst::MemCopy { .. } => {
                        for cell in cells(&touch.reads) {
                            places.copies.entry(cell).or_default().push(inst);
                        }
                        begun.push(inst);
                        Known { set: true, ..Known::NOTHING }
                    }
                    Inst::Call { .. } => outside(program, whole, inst),
                    Inst::LifetimeEnd { .. } => continue,
                    _ => Known::NOTHING,
                };
                for &cell in &writes {
                    places.known[cell] = places.known[cell].meet(written);
                }
                if matches!(program.insts[inst].inst, Inst::MemCopy { .. }) {
                    places.writes.insert(inst, writes);
                }
            }
        }
        let mut told = FxHashSet::default();
        begun.into_iter().for_each(|copy| places.copy(copy, &mut told));
        places
    }

    /// What a part holds when its object is made.
    fn first(&self, cell: CellId, object: ObjectId) -> Known {
        let kind = self.whole.points_to.objects[object].kind;
        let zero = Known { start: true, set: true, range: Range::exactly(0), ..Known::NOTHING };
        match kind {
            ObjectKind::Heap { by, .. } => match self.program.funcs[by].name.as_str() {
                "calloc" => zero,
                _ if self.whole.born.contains(cell) => Known::ALL,
                _ => Known::NOTHING,
            },
            ObjectKind::Global(global) => match &self.program.globals[global].init {
                Some(init) if init.bytes.is_empty() && init.relocs.is_empty() => zero,
                _ => Known { set: true, ..Known::NOTHING },
            },
            ObjectKind::Unknown => Known { set: true, ..Known::NOTHING },
            ObjectKind::Alloca { .. } | ObjectKind::Varargs { .. } => Known::NOTHING,
            ObjectKind::Literals
            | ObjectKind::Arguments
            | ObjectKind::ArgumentStrings
            | ObjectKind::Func(_)
            | ObjectKind::Static(_) => Known { set: is_initialised(kind), ..Known::NOTHING },
        }
    }

    /// What parts of allocated objects held when those were made.
    pub fn when_made(&self, cells: impl IntoIterator<Item = CellId>) -> Known {
        let mut known = Known::ALL;
        for cell in cells {
            let object = self.whole.graph.cells[cell].object;
            if let ObjectKind::Heap { .. } = self.whole.points_to.objects[object].kind {
                known = known.meet(self.first(cell, object));
            }
        }
        known
    }

    /// What a load of these parts gives; `exact` is its size if it reads one scalar at known offsets.
    pub fn loaded(&self, touched: &[CellId], exact: Option<u64>) -> Known {
        if touched.is_empty() {
            return Known::NOTHING;
        }
        let mut known = Known::ALL;
        for &id in touched {
            let here = self.known[id];
            let fits = exact.is_some() && self.width(id) == exact;
            known = known.meet(if fits { here } else { Known { set: here.set, ..Known::NOTHING } });
        }
        known
    }

    fn width(&self, id: CellId) -> Option<u64> {
        let cell = self.whole.graph.cells[id];
        u64::try_from(cell.end - cell.start).ok().filter(|&width| width > 0)
    }

    /// An instruction stores a value of which this is known. Tells the functions that load something else then.
    pub fn stored(&mut self, at: InstId, known: Known) -> Vec<FuncId> {
        let Some(cells) = self.writes.get(&at).cloned() else { return Vec::new() };
        let exact = match self.program.insts[at].inst {
            Inst::Store { ptr, value, .. } => {
                let ty = self.program.operand_type(value);
                let bits = self.program.types.scalar_bits(ty, self.program.machine.pointer_bits);
                let size = self.program.types.store_size(ty);
                let points_to = &self.whole.points_to;
                let mut places = points_to.members(points_to.set_of(ptr));
                let is_exact =
                    places.all(|at| matches!(points_to.locations[at].place, Place::At(_)));
                let is_full = bits.is_some_and(|bits| u64::from(bits) == size * 8);
                (is_exact && is_full).then(|| (size, self.program.is_pointer(value)))
            }
            _ => None,
        };
        let mut told = FxHashSet::default();
        for cell in cells {
            let written = match exact {
                Some((size, pointer)) if self.width(cell) == Some(size) => Known {
                    object: known.object && pointer,
                    start: known.start && pointer,
                    range: if pointer { Range::ANY } else { known.range },
                    live: false,
                    bytes: (0, 0),
                    set: known.set,
                },
                _ => Known { set: known.set, ..Known::NOTHING },
            };
            self.write(cell, written, &mut told);
        }
        told.into_iter().collect()
    }

    fn write(&mut self, cell: CellId, written: Known, told: &mut FxHashSet<FuncId>) {
        let before = self.known[cell];
        let mut known = before.meet(written);
        if known == before {
            return;
        }
        if known.range != before.range {
            self.changes[cell] = self.changes[cell].saturating_add(1);
            if self.changes[cell] > MOST_CHANGES {
                known.range = Range::ANY;
            }
        }
        self.known[cell] = known;
        told.extend(self.loads.get(&cell).into_iter().flatten());
        if before.set && !known.set {
            for copy in self.copies.get(&cell).cloned().unwrap_or_default() {
                self.copy(copy, told);
            }
        }
    }

    /// A copy hands on what may not be set.
    fn copy(&mut self, copy: InstId, told: &mut FxHashSet<FuncId>) {
        let Inst::MemCopy { src, .. } = self.program.insts[copy].inst else { return };
        let points_to = &self.whole.points_to;
        let read = self.whole.touched(points_to.set_of(src), None);
        let is_empty = |at| {
            let data = &points_to.objects[points_to.locations[at].object];
            data.constant && !is_initialised(data.kind)
        };
        let empty = points_to.members(points_to.set_of(src)).any(is_empty);
        if !empty && read.iter().all(|&cell| self.known[cell].set) {
            return;
        }
        for cell in self.writes.get(&copy).cloned().unwrap_or_default() {
            self.write(cell, Known::NOTHING, told);
        }
    }
}
