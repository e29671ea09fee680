//! Parts of allocated objects that are written before anything can read them.
//!
//! What `malloc` returns holds nothing. A part of it that is written through the new pointer on every way from
//! the allocation, before an instruction that may read it there and before the function returns, never lets anybody see
//! that. [`super::walk`] follows the ways from the allocation on: *names* are values known to be the new object's
//! address. Where the pointer analysis looks at a wrapper's calls one by one, the walk goes on behind the call, as long as
//! what is returned is a name. It goes into functions that are given a name.
//!
//! Soundness: at any time the state of a way says of the newest object of the site which parts may not be written
//! yet. Who reads is asked of the points-to sets, so it does not matter by which pointer. A way ends without harm where the
//! object is freed, or where the new pointer is null: there is no object then. A way that may leave by a jump, that comes to the
//! allocation again, or that is not understood takes everything that is not written with it. Only parts that stand for
//! one place in each object are looked at.

use super::numbers::Numbers;
use super::walk::{From, Walk};
use super::whole::{Whole, insts};
use crate::ir::{Bits, Callee, FuncId, Inst, InstId, Program, Type, TypeId};
use crate::pta::{ObjectId, ObjectKind, SetId, Shape};
use crate::svfg::cells::{CellId, Extent, bytes, reach};
use crate::svfg::effects::Effects;
use rustc_hash::{FxHashMap, FxHashSet};

/// What these return is not set yet.
const BARE: &[&str] = &["malloc", "__builtin_malloc", "valloc", "aligned_alloc", "memalign"];
/// Functions that make others run when the program ends.
const AT_END: &[&str] = &["atexit", "on_exit", "at_quick_exit", "__cxa_atexit"];
/// Calls are followed this deep.
const DEEPEST: u32 = 4;

/// The parts that are found.
#[derive(Debug, Default)]
pub struct Born {
    cells: FxHashSet<CellId>,
}

impl Born {
    pub fn contains(&self, cell: CellId) -> bool {
        self.cells.contains(&cell)
    }

    pub fn find(program: &Program, whole: &Whole) -> Born {
        let mut of_object: FxHashMap<ObjectId, Vec<CellId>> = FxHashMap::default();
        for (id, cell) in &whole.graph.cells {
            if is_bare(program, whole, cell.object) {
                of_object.entry(cell.object).or_default().push(id);
            }
        }
        let mut found = FxHashSet::default();
        if of_object.is_empty() {
            return Born::default();
        }
        let mut world = World::new(program, whole);
        let mut objects: Vec<_> = of_object.into_iter().collect();
        objects.sort_unstable();
        for (object, cells) in objects {
            found.extend(world.written_first(object, &cells));
        }
        Born { cells: found }
    }
}

fn is_bare(program: &Program, whole: &Whole, object: ObjectId) -> bool {
    match whole.points_to.objects[object].kind {
        ObjectKind::Heap { by, .. } => BARE.contains(&program.funcs[by].name.as_str()),
        ObjectKind::Unknown
        | ObjectKind::Literals
        | ObjectKind::Arguments
        | ObjectKind::ArgumentStrings
        | ObjectKind::Global(_)
        | ObjectKind::Func(_)
        | ObjectKind::Alloca { .. }
        | ObjectKind::Static(_)
        | ObjectKind::Varargs { .. } => false,
    }
}

/// Whether bytes at an offset of a type lie in no array.
fn stands_alone(program: &Program, ty: TypeId, offset: u64) -> bool {
    match program.types.get(ty) {
        Type::Struct { fields } => {
            let found = fields.iter().rev().find(|field| field.offset <= offset);
            found.is_some_and(|field| stands_alone(program, field.ty, offset - field.offset))
        }
        Type::Array { .. } => false,
        _ => true,
    }
}

/// What all walks share.
pub struct World<'a> {
    pub program: &'a Program,
    pub whole: &'a Whole,
    effects: Effects<'a>,
    pub numbers: FxHashMap<FuncId, Numbers>,
    cells_of: FxHashMap<ObjectId, Vec<CellId>>,
    reached: FxHashMap<SetId, Vec<ObjectId>>,
    /// What each function may read, with all it calls.
    pub reads: FxHashMap<FuncId, Bits<CellId>>,
    /// Functions that may not come back but jump elsewhere.
    pub jumps: FxHashSet<FuncId>,
    /// Something runs when the program ends.
    pub runs_at_end: bool,
}

impl<'a> World<'a> {
    fn new(program: &'a Program, whole: &'a Whole) -> Self {
        let effects = Effects::new(program, &whole.points_to);
        let names = |list: &[&str]| {
            program.funcs.values().any(|f| f.blocks.is_empty() && list.contains(&f.name.as_str()))
        };
        let mut cells_of: FxHashMap<ObjectId, Vec<CellId>> = FxHashMap::default();
        for (id, cell) in &whole.graph.cells {
            cells_of.entry(cell.object).or_default().push(id);
        }
        let runs_at_end = !program.destructors.is_empty() || names(AT_END);
        let mut world = World {
            program,
            whole,
            effects,
            numbers: FxHashMap::default(),
            cells_of,
            reached: FxHashMap::default(),
            reads: FxHashMap::default(),
            jumps: FxHashSet::default(),
            runs_at_end,
        };
        world.find_reads();
        world
    }

    /// What each function reads and whether it may jump, with what it calls.
    fn find_reads(&mut self) {
        let mut calls: Vec<(FuncId, Vec<FuncId>)> = Vec::new();
        for &func in &self.whole.points_to.reachable {
            let (mut reads, mut below) = (Bits::default(), Vec::new());
            for inst in insts(self.program, func) {
                self.reads_of(inst).into_iter().for_each(|cell| _ = reads.insert(cell));
                below.extend(self.whole.bodies(self.program, inst));
                if self.jumps_itself(inst) {
                    self.jumps.insert(func);
                }
            }
            below.sort_unstable();
            below.dedup();
            self.reads.insert(func, reads);
            calls.push((func, below));
        }
        let mut changed = true;
        while changed {
            changed = false;
            for (func, below) in calls.iter().rev() {
                let mut sum = self.reads.remove(func).unwrap_or_default();
                for callee in below {
                    if let Some(more) = self.reads.get(callee) {
                        changed |= sum.add(more);
                    }
                    if self.jumps.contains(callee) {
                        changed |= self.jumps.insert(*func);
                    }
                }
                self.reads.insert(*func, sum);
            }
        }
    }

    /// Whether an instruction itself may leave for somewhere else than what follows.
    pub fn jumps_itself(&self, inst: InstId) -> bool {
        match self.program.insts[inst].inst {
            Inst::Call { .. } => {
                let callees = self.whole.points_to.callees(inst);
                let is_jump = |&func: &FuncId| {
                    let function = &self.program.funcs[func];
                    function.blocks.is_empty() && function.name.contains("longjmp")
                };
                callees.unknown || callees.funcs.iter().any(is_jump)
            }
            Inst::Unsupported { .. } => true,
            _ => false,
        }
    }

    /// The parts of memory that an instruction itself may read, or a function without a body for it.
    pub fn reads_of(&mut self, inst: InstId) -> Vec<CellId> {
        if let Inst::Call { callee: Callee::Direct(func), .. } = self.program.insts[inst].inst {
            let function = &self.program.funcs[func];
            // What is freed is not looked at.
            if function.blocks.is_empty() && matches!(function.name.as_str(), "free" | "cfree") {
                return Vec::new();
            }
        }
        let touch = self.effects.of(inst);
        let mut found = Vec::new();
        for extent in touch.reads {
            self.cells_at(extent, &mut found);
        }
        found
    }

    fn cells_at(&mut self, extent: Extent, found: &mut Vec<CellId>) {
        let points_to = &self.whole.points_to;
        match extent {
            Extent::Bytes(set, size) => {
                for at in points_to.members(set) {
                    let touched = bytes(self.program, points_to, at, size);
                    let object = points_to.locations[at].object;
                    let cells = self.cells_of.get(&object).into_iter().flatten().copied();
                    found.extend(cells.filter(|&id| {
                        let cell = self.whole.graph.cells[id];
                        let apart = |(start, end)| cell.end <= start || end <= cell.start;
                        cell.end == 0 || !touched.is_some_and(apart)
                    }));
                }
            }
            Extent::Objects(set) => {
                for at in points_to.members(set) {
                    let object = points_to.locations[at].object;
                    found.extend(self.cells_of.get(&object).into_iter().flatten());
                }
            }
            Extent::Reach(set) => {
                let objects = self.reached.entry(set).or_insert_with(|| reach(points_to, set));
                for object in objects {
                    found.extend(self.cells_of.get(object).into_iter().flatten());
                }
            }
            Extent::Object(object) => {
                found.extend(self.cells_of.get(&object).into_iter().flatten());
            }
        }
    }

    /// The parts of an object that are written first.
    fn written_first(&mut self, object: ObjectId, cells: &[CellId]) -> Vec<CellId> {
        let data = &self.whole.points_to.objects[object];
        let ObjectKind::Heap { site, context, .. } = data.kind else { return Vec::new() };
        let is_one = |start: i64| match data.shape {
            Shape::Flat | Shape::Typed { repeated: true, .. } => false,
            Shape::Typed { ty, repeated: false } => {
                u64::try_from(start).is_ok_and(|start| stands_alone(self.program, ty, start))
            }
            Shape::Plain { tail } => tail.is_none_or(|(from, _)| start < from),
        };
        let parts: Vec<(CellId, i64, i64)> = cells
            .iter()
            .map(|&id| (id, self.whole.graph.cells[id]))
            .filter(|(_, cell)| cell.end > 0 && is_one(cell.start) && is_one(cell.end - 1))
            .map(|(id, cell)| (id, cell.start, cell.end))
            .collect();
        if parts.is_empty() {
            return Vec::new();
        }
        let mut walk = Walk { parts, failed: Bits::default(), steps: 0 };
        let mut unwritten = Bits::default();
        walk.parts.iter().for_each(|part| _ = unwritten.insert(part.0));
        let mut call = Some(site);
        let mut context = context;
        while let Some(at) = call {
            let Some(left) = self.walk(&mut walk, From::Call(at), unwritten, DEEPEST) else {
                return Vec::new();
            };
            unwritten = left;
            let data = self.whole.points_to.contexts[context];
            (call, context) = (data.call, data.parent);
        }
        let is_found = |id: &CellId| !walk.failed.contains(*id) && !unwritten.contains(*id);
        walk.parts.iter().map(|part| part.0).filter(is_found).collect()
    }
}
