//! What memory holds: facts about each version of memory in the value-flow graph, weak updates included. Of what
//! the program was started with, only that it is set, and which of it is zero.
//!
//! Invariant: a version has a fact only if everything that may lie there has it: what was stored, and what
//! was there before unless the store overwrites it.

use super::known::Known;
use super::ranges::Range;
use super::whole::Whole;
use crate::ir::{FuncId, Inst, InstId, Operand, Program, TypeId};
use crate::pta::{ObjectKind, Place, SetId};
use crate::svfg::{BundleId, Flow, Node, NodeId};
use cranelift_entity::{EntityRef, SecondaryMap};
use rustc_hash::{FxHashMap, FxHashSet};

/// Functions without a body that write nothing but what comes from outside.
const FRESH: &[&str] = &[
    "read",
    "pread",
    "fread",
    "fgets",
    "recv",
    "recvfrom",
    "getcwd",
    "readlink",
    "stat",
    "fstat",
    "lstat",
    "fstatat",
    "stat64",
    "fstat64",
    "lstat64",
    "time",
    "gettimeofday",
    "clock_gettime",
];

/// A version's range changes so often, then it is not followed any more.
const MOST_CHANGES: u8 = 4;

pub struct Memory<'a> {
    program: &'a Program,
    whole: &'a Whole,
    known: Vec<Known>,
    changes: Vec<u8>,
    stored: FxHashMap<InstId, Known>,
    /// Of each bundle, how wide its cells are if all are equally wide.
    widths: SecondaryMap<BundleId, Option<u64>>,
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
        };
        memory.propagate(graph.nodes.keys().collect());
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
            let fits = is_even && width.is_some() && width == self.full_bytes(ty);
            known = known.meet(if fits { here } else { Known { set: here.set, ..Known::NOTHING } });
        }
        // What is never written has no versions.
        let is_constant = |&object: &_| {
            let data = &self.whole.points_to.objects[object];
            data.constant && is_initialised(data.kind)
        };
        let objects = self.whole.points_to.members(set);
        let objects: Vec<_> = objects.map(|at| self.whole.points_to.locations[at].object).collect();
        if objects.iter().any(is_constant) {
            known = known.meet(Known { set: true, ..Known::NOTHING });
        } else if places == 0 {
            return Known::NOTHING;
        }
        if !self.whole.is_own(self.program, ptr) {
            return Known { set: known.set, ..Known::NOTHING };
        }
        Known { live: false, ..known }
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
                let size = self.full_bytes(self.program.operand_type(value));
                let is_plain = exact && size.is_some_and(|size| self.fills(at, size));
                let pointer = self.program.is_pointer(value);
                Known {
                    object: known.object && is_plain && pointer,
                    or_null: known.or_null && is_plain && pointer,
                    bytes: if is_plain && pointer { known.bytes } else { (0, 0) },
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
        let chis = self.whole.graph.graph.successors_by(node, Flow::Direct).collect();
        self.propagate(chis)
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

    /// The size of a scalar all of whose bits are its value.
    fn full_bytes(&self, ty: TypeId) -> Option<u64> {
        let bits = self.program.types.scalar_bits(ty, self.program.machine.pointer_bits)?;
        let size = self.program.types.store_size(ty);
        (u64::from(bits) == size * 8).then_some(size)
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

    /// Looks at nodes again, and at those behind them as long as something changes.
    fn propagate(&mut self, mut waiting: Vec<NodeId>) -> Vec<FuncId> {
        let graph = &self.whole.graph.graph;
        let mut told: FxHashSet<FuncId> = FxHashSet::default();
        while let Some(node) = waiting.pop() {
            let at = match graph.nodes[node] {
                Node::Value(value) => {
                    told.insert(self.program.func_of_value(value));
                    continue;
                }
                Node::Use(inst) => {
                    // A copy of memory hands on what it reads.
                    told.insert(self.program.func_of(inst));
                    waiting.extend(graph.successors_by(node, Flow::Direct));
                    continue;
                }
                Node::Outside => continue,
                Node::Chi { .. }
                | Node::Phi { .. }
                | Node::FormalIn { .. }
                | Node::FormalOut { .. }
                | Node::ActualIn { .. }
                | Node::ActualOut { .. } => node.index(),
            };
            let mut known = self.known[at].meet(self.version(node));
            if known == self.known[at] {
                continue;
            }
            let (range, bytes) = (self.known[at].range, self.known[at].bytes);
            if known.range != range || known.bytes != bytes {
                self.changes[at] = self.changes[at].saturating_add(1);
                if self.changes[at] > MOST_CHANGES {
                    known.range = if known.range == range { range } else { Range::ANY };
                    known.bytes = if known.bytes == bytes { bytes } else { (0, 0) };
                }
            }
            self.known[at] = known;
            waiting.extend(graph.successors(node).map(|(next, _)| next));
        }
        let mut told: Vec<FuncId> = told.into_iter().collect();
        told.sort_unstable();
        told
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
            Node::Chi { at, .. } => older.meet(self.written(at)),
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
                if is_called { known } else { Known::NOTHING }
            }
            Node::ActualOut { call, .. } => {
                let own = graph.predecessors_by(node, Flow::Direct).next().is_some();
                let own = if own { self.written(call) } else { Known::ALL };
                older.meet(own).meet(flows(Flow::Return(call)))
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
    fn written(&self, at: InstId) -> Known {
        match self.program.insts[at].inst {
            Inst::Store { .. } | Inst::MemSet { .. } => {
                self.stored.get(&at).copied().unwrap_or(Known::ALL)
            }
            Inst::MemCopy { src, .. } => {
                let Some(node) = self.whole.graph.inst(self.program, at) else {
                    return Known::NOTHING;
                };
                Known { set: self.is_set_at(node, src), ..Known::NOTHING }
            }
            // Who reads it then has done something wrong before.
            Inst::LifetimeEnd { .. } => Known::ALL,
            Inst::Call { .. } => self.written_outside(at),
            _ => Known::NOTHING,
        }
    }

    /// What a call puts into memory by functions without a body.
    fn written_outside(&self, call: InstId) -> Known {
        let callees = self.whole.points_to.callees(call);
        if callees.unknown {
            return Known::NOTHING;
        }
        let outside = callees.funcs.iter().map(|&func| &self.program.funcs[func]);
        let outside = outside.filter(|function| function.blocks.is_empty());
        let written = outside.map(|function| match function.name.as_str() {
            // What is freed is not there to be read.
            "free" | "cfree" => Known::ALL,
            name if FRESH.contains(&name) => Known { set: true, ..Known::NOTHING },
            _ => Known::NOTHING,
        });
        written.fold(Known::ALL, Known::meet)
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

    /// What a function is entered with, beside what calls in the program hand over.
    fn initially(&self, func: FuncId, bundle: BundleId) -> Known {
        let (program, whole) = (self.program, self.whole);
        let is_main = program.funcs[func].name == "main";
        let is_given = whole.is_given && !is_main && whole.outside.contains(&func);
        let (mut all_zero, mut some, mut all_zero_heap) = (true, false, false);
        for cell in whole.graph.cells_of(bundle) {
            let kind = whole.points_to.objects[whole.graph.cells[cell].object].kind;
            match kind {
                // Its own variables hold nothing yet.
                ObjectKind::Alloca { site, .. } if program.func_of(site) == func => {
                    return Known::NOTHING;
                }
                ObjectKind::Varargs { func: of, .. } if of == func => return Known::NOTHING,
                _ if !whole.starts.contains(&func) => continue,
                // It is not there yet when the program starts.
                ObjectKind::Heap { by, .. } if is_main && program.constructors.is_empty() => {
                    match program.funcs[by].name.as_str() {
                        "calloc" => all_zero_heap = true,
                        _ if whole.born.contains(cell) => {}
                        _ => return Known::NOTHING,
                    }
                    continue;
                }
                // What callers give is set, and so is what the program set before.
                ObjectKind::Heap { by, .. } if is_given => {
                    let is_set = whole.born.contains(cell) || program.funcs[by].name == "calloc";
                    if !is_set {
                        return Known::NOTHING;
                    }
                }
                _ if is_given && (is_initialised(kind) || kind == ObjectKind::Unknown) => {}
                // Others may have run before.
                _ if !is_main || !program.constructors.is_empty() || !is_initialised(kind) => {
                    return Known::NOTHING;
                }
                _ => {}
            }
            let zero = match kind {
                ObjectKind::Global(global) if is_main => {
                    let init = program.globals[global].init.as_ref();
                    init.is_some_and(|init| init.bytes.is_empty() && init.relocs.is_empty())
                }
                _ => false,
            };
            all_zero &= zero;
            some = true;
        }
        match () {
            () if !some && !all_zero_heap => Known::ALL,
            () if all_zero => Known::NULL,
            () => Known { set: true, ..Known::NOTHING },
        }
    }
}

/// Whether an object holds something from the start.
fn is_initialised(kind: ObjectKind) -> bool {
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
