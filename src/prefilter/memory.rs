//! What memory holds: facts about each version of memory in the value-flow graph, weak updates included. Of what
//! the program was started with, only that it is set, and which of it is zero.
//!
//! Invariant: a version has a fact only if everything that may lie there has it: what was stored, and what
//! was there before unless the store overwrites it.

use super::initial;
use super::known::Known;
use super::objects;
use super::parts::Parts;
use super::range::Range;
use super::whole::Whole;
use crate::ir::{FuncId, GlobalId, Inst, InstId, Linkage, Operand, Program};
use crate::pta::{Location, ObjectKind, Place, SetId};
use crate::svfg::cells::Cell;
use crate::svfg::{BundleId, Flow, Node, NodeId};
use cranelift_entity::packed_option::PackedOption;
use cranelift_entity::{EntityRef, SecondaryMap};
use rustc_hash::FxHashMap;

pub struct Memory<'a> {
    pub(super) program: &'a Program,
    pub(super) whole: &'a Whole,
    pub(super) known: Vec<Known>,
    /// How often what a version holds has become another range.
    pub(super) changes: Vec<u8>,
    stored: FxHashMap<InstId, Known>,
    /// Of each bundle, how wide its cells are if all are equally wide.
    widths: SecondaryMap<BundleId, Option<u64>>,
    parts: Parts,
    /// What a call finds, by call and bundle, beside what it leaves there.
    pub(super) around: FxHashMap<(InstId, BundleId), Around>,
    /// What it has is still to be handed on.
    pub(super) is_waiting: Vec<bool>,
}

/// A version before a call, and the one behind it.
#[derive(Debug, Clone, Copy, Default)]
pub struct Around {
    pub before: PackedOption<NodeId>,
    pub behind: PackedOption<NodeId>,
}

impl<'a> Memory<'a> {
    pub fn new(program: &'a Program, whole: &'a Whole) -> Self {
        let graph = &whole.graph.graph;
        let mut widths = SecondaryMap::new();
        for bundle in whole.graph.bundles.keys() {
            let cells = whole.graph.cells_of(bundle);
            let width = |index: usize| {
                let cell = whole.graph.cells[*cells.get(index)?];
                u64::try_from(cell.end - cell.start).ok().filter(|&width| width > 0)
            };
            let first = width(0);
            let is_even = (0..cells.len()).all(|index| width(index) == first);
            widths[bundle] = first.filter(|_| is_even);
        }
        let count = graph.nodes.len();
        let mut memory = Memory {
            program,
            whole,
            known: vec![Known::ALL; count],
            changes: vec![0; count],
            stored: FxHashMap::default(),
            widths,
            parts: Parts::new(whole),
            around: around(whole),
            is_waiting: vec![false; count],
        };
        let mut waiting = Vec::new();
        for node in graph.nodes.keys() {
            if memory.bundle(node).is_none() {
                continue;
            }
            let known = memory.version(node);
            memory.lower(node, known, &mut waiting);
        }
        memory.propagate(waiting);
        memory
    }

    /// What a load gives.
    pub fn loaded(&self, load: InstId) -> Known {
        let Inst::Load { ptr, .. } = self.program.insts[load].inst else { return Known::NOTHING };
        let Some(result) = self.program.insts[load].result.expand() else { return Known::NOTHING };
        let Some(node) = self.whole.graph.value(result) else { return Known::NOTHING };
        let set = self.whole.points_to.set_of(ptr);
        let ty = self.program.values[result].ty;
        let is_even = self.is_exact(set);
        let mut known = Known::ALL;
        let mut places = 0;
        for version in self.whole.graph.graph.predecessors_by(node, Flow::Indirect) {
            places += 1;
            let width = self.bundle(version).and_then(|bundle| self.widths[bundle]);
            let here = self.known[version.index()];
            let fits = is_even && width.is_some() && width == objects::full_bytes(self.program, ty);
            let weak = Known { set: here.set, kept: here.kept, ..Known::NOTHING };
            known = known.meet(if fits { here } else { weak });
        }
        // What is never written has no versions.
        let is_constant = |&object: &_| {
            let data = &self.whole.points_to.objects[object];
            data.constant && is_initialised(data.kind)
        };
        let places_in = || {
            let locations = self.whole.points_to.members(set);
            locations.map(|at| self.whole.points_to.locations[at])
        };
        let mut is_fixed = false;
        for location in places_in().filter(|location| is_constant(&location.object)) {
            is_fixed = true;
            known = known.meet(
                self.fixed(location, objects::full_bytes(self.program, ty).filter(|_| is_even)),
            );
        }
        if !is_fixed && places == 0 {
            return Known::NOTHING;
        }
        // What lies between the fields has no versions either, and only an access at a known place keeps clear of it.
        let is_in_parts = places_in().all(|location| {
            matches!(location.place, Place::At(_))
                || self.parts.are_all_of(self.whole, location.object)
        });
        known.set &= is_in_parts;
        known.kept &= is_in_parts;
        if !self.whole.is_own(self.program, ptr) {
            return Known { set: known.set, ..Known::NOTHING };
        }
        Known { live: false, bytes: (0, 0), ..known }
    }

    /// What lies at a place that is never written to.
    fn fixed(&self, location: Location, width: Option<u64>) -> Known {
        let kind = self.whole.points_to.objects[location.object].kind;
        match (kind, location.place, width) {
            (ObjectKind::Global(global), Place::At(start), Some(width)) => {
                let place = (location.object, global);
                initial::content(self.program, &self.whole.points_to, place, start, width)
            }
            _ => initial::ANYTHING,
        }
    }

    /// Whether every pointer of the set points to one offset, or to the same one in each element of an array.
    fn is_exact(&self, set: SetId) -> bool {
        let points_to = &self.whole.points_to;
        points_to.members(set).all(|at| matches!(points_to.locations[at].place, Place::At(_)))
    }

    /// An instruction stores a value of which this is known. Tells the functions that load something else then.
    pub fn stored(&mut self, at: InstId, known: Known) -> Vec<FuncId> {
        let known = match self.program.insts[at].inst {
            Inst::Store { ptr, value, .. } => {
                let exact = self.is_exact(self.whole.points_to.set_of(ptr));
                let size = objects::full_bytes(self.program, self.program.operand_type(value));
                let is_plain = exact && size.is_some_and(|size| self.fills(at, size));
                let pointer = self.program.is_pointer(value);
                Known {
                    object: known.object && is_plain && pointer,
                    sane: known.sane && is_plain && pointer,
                    text: known.text && is_plain && pointer,
                    offset: if is_plain && pointer { known.offset } else { Range::ANY },
                    start: known.start && is_plain && pointer,
                    range: if is_plain && !pointer { known.range } else { Range::ANY },
                    ..known
                }
            }
            _ => Known { set: known.set, ..Known::NOTHING },
        };
        if self.stored.insert(at, known) == Some(known) {
            return Vec::new();
        }
        let Some(node) = self.whole.graph.inst(self.program, at) else { return Vec::new() };
        let mut waiting = Vec::new();
        for chi in self.whole.graph.graph.successors_by(node, Flow::Direct) {
            self.rewritten(chi, &mut waiting);
        }
        self.propagate(waiting)
    }

    /// Whether what the store changes are places of so many bytes.
    fn fills(&self, at: InstId, size: u64) -> bool {
        let Some(node) = self.whole.graph.inst(self.program, at) else { return false };
        self.whole
            .graph
            .graph
            .successors_by(node, Flow::Direct)
            .all(|chi| self.bundle(chi).and_then(|bundle| self.widths[bundle]) == Some(size))
    }

    fn bundle(&self, node: NodeId) -> Option<BundleId> {
        match self.whole.graph.graph.nodes[node] {
            Node::Chi { bundle, .. }
            | Node::Phi { bundle, .. }
            | Node::FormalIn { bundle, .. }
            | Node::FormalOut { bundle, .. }
            | Node::ActualIn { bundle, .. }
            | Node::ActualOut { bundle, .. } => Some(bundle),
            Node::Value(_) | Node::Use(_) | Node::Outside => None,
        }
    }

    /// What everything that makes a version has in common.
    fn version(&self, node: NodeId) -> Known {
        let graph = &self.whole.graph.graph;
        let flows = |flow: Flow| {
            let before = graph.predecessors_by(node, flow).map(|from| self.before(from));
            before.fold(Known::ALL, Known::meet)
        };
        let older = flows(Flow::Indirect);
        match graph.nodes[node] {
            Node::Chi { at, bundle, .. } => {
                let written = self.written(at, bundle);
                older.meet(Known { kept: written.set, ..written })
            }
            Node::Phi { .. } | Node::FormalOut { .. } | Node::ActualIn { .. } => older,
            Node::FormalIn { func, bundle } => {
                let mut known = older.meet(self.initially(func, bundle));
                let mut is_called = self.whole.starts.contains(&func);
                for (from, flow) in graph.predecessors(node) {
                    if matches!(flow, Flow::Call(_)) {
                        is_called = true;
                        known = known.meet(self.before(from));
                    }
                }
                Known { kept: true, ..if is_called { known } else { Known::NOTHING } }
            }
            Node::ActualOut { call, bundle } => {
                let own = graph.predecessors_by(node, Flow::Direct).next().is_some();
                let own = if own { Known::NOTHING } else { Known::ALL };
                let known = older.meet(own).meet(flows(Flow::Return(call)));
                // The callee tells what it wrote itself; what was written before it was entered is the caller's.
                let before = self.around.get(&(call, bundle)).and_then(|a| a.before.expand());
                let kept = before.is_some_and(|before| self.before(before).kept);
                Known { kept: known.kept && kept, ..known }
            }
            Node::Value(_) | Node::Use(_) | Node::Outside => Known::NOTHING,
        }
    }

    fn before(&self, node: NodeId) -> Known {
        match self.bundle(node) {
            Some(_) => self.known[node.index()],
            None => Known::NOTHING,
        }
    }

    /// What an instruction puts into memory.
    pub(super) fn written(&self, at: InstId, bundle: BundleId) -> Known {
        match self.program.insts[at].inst {
            Inst::Store { .. } | Inst::MemSet { .. } => {
                self.stored.get(&at).copied().unwrap_or(Known::ALL)
            }
            Inst::MemCopy { dst, src, .. } => {
                let Some(node) = self.whole.graph.inst(self.program, at) else {
                    return Known::NOTHING;
                };
                let set = self.is_set_at(node, src) && self.lie_in_parts(src, dst, bundle);
                Known { set, ..Known::NOTHING }
            }
            _ => Known::NOTHING,
        }
    }

    /// Whether everything that a copy may read is set.
    fn is_set_at(&self, copy: NodeId, src: Operand) -> bool {
        let points_to = &self.whole.points_to;
        let mut versions = self.whole.graph.graph.predecessors_by(copy, Flow::Indirect);
        let mut objects =
            points_to.members(points_to.set_of(src)).map(|at| points_to.locations[at].object);
        versions.all(|version| self.before(version).set)
            && objects.all(|object| {
                let data = &points_to.objects[object];
                !data.constant || is_initialised(data.kind)
            })
    }

    /// Whether what is copied into the cells of a bundle lies in cells itself, and not between fields.
    fn lie_in_parts(&self, src: Operand, dst: Operand, bundle: BundleId) -> bool {
        let points_to = &self.whole.points_to;
        let places = |operand| {
            let members = points_to.members(points_to.set_of(operand));
            members.map(|at| points_to.locations[at])
        };
        let cells = self.whole.graph.cells_of(bundle);
        places(src).all(|from| {
            self.parts.are_all_of(self.whole, from.object)
                || places(dst).all(|to| {
                    let (Place::At(from_start), Place::At(to_start)) = (from.place, to.place)
                    else {
                        return false;
                    };
                    cells.iter().map(|&cell| self.whole.graph.cells[cell]).all(|cell| {
                        let moved = |at: i64| at.checked_sub(to_start)?.checked_add(from_start);
                        cell.object != to.object
                            || cell.end > 0
                                && moved(cell.start).zip(moved(cell.end)).is_some_and(
                                    |(start, end)| {
                                        self.parts.hold(self.whole, from.object, start, end)
                                    },
                                )
                    })
                })
        })
    }

    /// What a function is entered with, beside what calls in the program hand over.
    fn initially(&self, func: FuncId, bundle: BundleId) -> Known {
        let (program, whole) = (self.program, self.whole);
        let is_main = program.funcs[func].name == "main";
        let is_start = whole.starts.contains(&func);
        let mut known = Known::ALL;
        for cell in whole.graph.cells_of(bundle) {
            let cell = whole.graph.cells[cell];
            let kind = whole.points_to.objects[cell.object].kind;
            match kind {
                // Its own variables hold nothing yet.
                ObjectKind::Alloca { site, .. } if program.func_of(site) == func => {
                    return Known::NOTHING;
                }
                ObjectKind::Varargs { func: of, .. } if of == func => return Known::NOTHING,
                _ if !is_start => {}
                // Others may have run before.
                _ if !is_main || whole.is_preceded || !is_initialised(kind) => {
                    return Known::NOTHING;
                }
                ObjectKind::Global(global) => {
                    known = known.meet(self.at_start(cell, global));
                }
                _ => known = known.meet(initial::ANYTHING),
            }
        }
        known
    }

    /// What a part of a variable holds when the program starts.
    fn at_start(&self, cell: Cell, global: GlobalId) -> Known {
        let data = &self.program.globals[global];
        // Another definition may be linked in the place of a weak one.
        let init = data.init.as_ref().filter(|_| data.linkage != Linkage::Weak);
        if init.is_some_and(|init| init.bytes.is_empty() && init.relocs.is_empty()) {
            let zero = Known { sane: true, start: true, ..initial::ANYTHING };
            return Known { offset: Range::NONE, range: Range::exactly(0), ..zero };
        }
        let width = u64::try_from(cell.end - cell.start).unwrap_or(0);
        let place = (cell.object, global);
        initial::content(self.program, &self.whole.points_to, place, cell.start, width)
    }
}

fn around(whole: &Whole) -> FxHashMap<(InstId, BundleId), Around> {
    let mut found: FxHashMap<(InstId, BundleId), Around> = FxHashMap::default();
    for (node, data) in &whole.graph.graph.nodes {
        match *data {
            Node::ActualIn { call, bundle } => {
                found.entry((call, bundle)).or_default().before = node.into();
            }
            Node::ActualOut { call, bundle } => {
                found.entry((call, bundle)).or_default().behind = node.into();
            }
            Node::Chi { .. }
            | Node::Phi { .. }
            | Node::FormalIn { .. }
            | Node::FormalOut { .. }
            | Node::Value(_)
            | Node::Use(_)
            | Node::Outside => {}
        }
    }
    found
}

/// Whether an object holds something from the start.
pub(super) fn is_initialised(kind: ObjectKind) -> bool {
    match kind {
        ObjectKind::Literals
        | ObjectKind::Arguments
        | ObjectKind::ArgumentStrings
        | ObjectKind::Global(_)
        | ObjectKind::Func(_)
        | ObjectKind::Static(_) => true,
        ObjectKind::Unknown
        | ObjectKind::Alloca { .. }
        | ObjectKind::Heap { .. }
        | ObjectKind::Varargs { .. } => false,
    }
}
