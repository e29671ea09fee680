//! What is known of the whole program: who points where, which versions of memory there are, who calls whom,
//! and what each function may free.
//!
//! Invariant: it holds for every execution that starts at `main`. A program that starts another thread has no one order
//! of events; nothing is said of its memory. (The handler of a signal may only write variables that are
//! `volatile`, of which nothing is said either, and may not allocate or free.)

use super::ends::Ends;
use crate::ir::{
    Bits, Callee, Const, ConstId, FILE_ASSEMBLY, FuncId, GlobalId, Inst, InstId, Operand, Program,
    RUN_BY_LOADER, ValueId,
};
use crate::library;
use crate::library::accesses::{CLOSES, FREES};
use crate::pta::{self, ObjectId, ObjectKind, PointsTo, SetId};
use crate::svfg::externals::{Writes, writes};
use crate::svfg::modref::Calls;
use crate::svfg::{self, Svfg};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::RefCell;

/// Functions that make code run at times of its own, or that write later to what they were given.
const STARTS: &[&str] = &[
    "pthread_create",
    "thrd_create",
    "clone",
    "timer_create",
    "setcontext",
    "swapcontext",
    "strtok",
    "wcstok",
    "aio_read",
    "pthread_atfork",
    "fmemopen",
    "open_memstream",
    "open_wmemstream",
    "g_thread_new",
    "SDL_CreateThread",
    "uv_thread_create",
    "__kmpc_fork_call",
    "GOMP_parallel",
];

/// Library functions that call what they are given before they come back, and not later.
const CALLS_AT_ONCE: &[&str] = &["qsort", "qsort_r", "bsearch", "lfind", "lsearch"];

/// Objects whose life may end.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Freed {
    /// Any of the heap.
    all: bool,
    objects: Bits<ObjectId>,
}

impl Freed {
    pub fn is_nothing(&self) -> bool {
        !self.all && self.objects.is_empty()
    }

    /// Adds what another has; tells whether that is more.
    fn add(&mut self, other: &Freed) -> bool {
        let more = other.all && !self.all;
        self.all |= other.all;
        self.objects.add(&other.objects) || more
    }
}

pub struct Whole {
    pub points_to: PointsTo,
    pub graph: Svfg,
    pub runs: FxHashSet<FuncId>,
    /// Called by nobody in the program only, or also by code outside, or at a time of its own: a handler finds other memory than
    /// the call that registered it.
    pub starts: FxHashSet<FuncId>,
    /// Something may run before `main`.
    pub is_preceded: bool,
    freed: FxHashMap<FuncId, Freed>,
    ever: Freed,
    model_state: Vec<GlobalId>,
    /// The standard streams, as long as nobody but the library sets them …
    streams: Vec<GlobalId>,
    /// … and those that nobody can have closed.
    open: Vec<GlobalId>,
    ends: Ends,
    /// The least size of what the pointers of a set point to, as far as it was asked for.
    sizes: RefCell<FxHashMap<SetId, Option<u64>>>,
}

impl Whole {
    /// Nothing if the program is not one sequence of events.
    pub fn new(program: &Program) -> Option<Whole> {
        let points_to = pta::analyse(program, &pta::Options::default());
        let calls = |&func: &FuncId| STARTS.contains(&program.funcs[func].name.as_str());
        let insts = points_to.reachable.iter().flat_map(|&func| insts(program, func));
        for inst in insts {
            if points_to.callees(inst).funcs.iter().any(calls) {
                return None;
            }
        }
        let graph = svfg::build(program, &points_to, svfg::Options::default());
        let runs: FxHashSet<FuncId> = points_to.reachable.iter().copied().collect();
        let mut starts: FxHashSet<FuncId> = points_to.called_by_unknown.iter().copied().collect();
        starts.extend(program.constructors.iter().chain(&program.destructors));
        starts.extend(program.func_by_name("main"));
        starts.extend(points_to.filtered.iter().map(|(_, func)| func));
        starts.extend(called_later(program, &points_to));
        // What chooses the code of an ifunc runs when the program is loaded.
        let is_early = |note: &String| {
            note.ends_with("(ifunc)") || [FILE_ASSEMBLY, RUN_BY_LOADER].contains(&note.as_str())
        };
        let is_preceded = !program.constructors.is_empty() || program.notes.iter().any(is_early);
        let ends = Ends::new(program, &points_to);
        let streams = streams(program);
        let mut whole = Whole {
            points_to,
            graph,
            runs,
            starts,
            is_preceded,
            freed: FxHashMap::default(),
            ever: Freed::default(),
            model_state: model_state(program),
            open: open(program, &streams),
            streams,
            ends,
            sizes: RefCell::default(),
        };
        whole.find_freed(program);
        Some(whole)
    }

    /// The functions with a body that a call may run.
    pub fn bodies(&self, program: &Program, call: InstId) -> Vec<FuncId> {
        Calls::new(program, &self.points_to).of(call).collect()
    }

    fn find_freed(&mut self, program: &Program) {
        let mut calls: Vec<(FuncId, Vec<FuncId>)> = Vec::new();
        for &func in &self.points_to.reachable {
            let (mut freed, mut below) = (Freed::default(), Vec::new());
            for inst in insts(program, func) {
                freed.add(&self.freed_outside(program, inst));
                below.extend(self.bodies(program, inst));
            }
            below.sort_unstable();
            below.dedup();
            self.ever.add(&freed);
            self.freed.insert(func, freed);
            calls.push((func, below));
        }
        let mut changed = true;
        while changed {
            changed = false;
            for (func, below) in calls.iter().rev() {
                let mut sum = self.freed.remove(func).unwrap_or_default();
                for below in below.iter().filter_map(|callee| self.freed.get(callee)) {
                    changed |= sum.add(below);
                }
                self.freed.insert(*func, sum);
            }
        }
    }

    /// What an instruction frees itself or by code without a body.
    fn freed_outside(&self, program: &Program, inst: InstId) -> Freed {
        let mut freed = Freed::default();
        let args = match program.insts[inst].inst {
            Inst::Call { args, .. } => program.operands(args),
            Inst::Unsupported { .. } => return Freed { all: true, ..Freed::default() },
            _ => return freed,
        };
        let callees = self.points_to.callees(inst);
        freed.all |= callees.unknown;
        for &func in &callees.funcs {
            let function = &program.funcs[func];
            if !function.blocks.is_empty() {
                continue;
            }
            // A stream that is closed is gone, and nothing else unless it is one of unknown code, which is told then.
            let closes = CLOSES.contains(&function.name.as_str());
            if FREES.contains(&function.name.as_str()) || closes {
                freed.all |= closes && !self.points_to.externals.is_empty();
                let pointer = args.first().map(|&arg| self.points_to.set_of(arg));
                let places = pointer.into_iter().flat_map(|set| self.points_to.members(set));
                places.for_each(|at| _ = freed.objects.insert(self.points_to.locations[at].object));
            } else if writes(&function.name) == Writes::Reach {
                freed.all = true;
            }
        }
        freed
    }

    /// What a call or anything else may free.
    pub fn freed(&self, program: &Program, inst: InstId) -> Freed {
        let mut freed = self.freed_outside(program, inst);
        if matches!(program.insts[inst].inst, Inst::Call { .. }) {
            for callee in self.bodies(program, inst) {
                self.freed.get(&callee).into_iter().for_each(|below| _ = freed.add(below));
            }
        }
        freed
    }

    /// Whether the objects that a pointer may point to include one of these.
    pub fn may_be(&self, pointer: ValueId, freed: &Freed) -> bool {
        self.objects(pointer).any(|object| match self.points_to.objects[object].kind {
            ObjectKind::Heap { .. } | ObjectKind::Unknown | ObjectKind::Static(_) => {
                freed.all || freed.objects.contains(object)
            }
            ObjectKind::Literals
            | ObjectKind::Arguments
            | ObjectKind::ArgumentStrings
            | ObjectKind::Global(_)
            | ObjectKind::Func(_)
            | ObjectKind::Alloca { .. }
            | ObjectKind::Varargs { .. } => false,
        })
    }

    /// Whether only the program itself writes what the pointer may point to. The C library has variables that
    /// any of its functions may change.
    pub fn is_own(&self, program: &Program, pointer: Operand) -> bool {
        let set = self.points_to.set_of(pointer);
        let mut objects = self.points_to.members(set).map(|at| self.points_to.locations[at].object);
        objects.all(|object| match self.points_to.objects[object].kind {
            ObjectKind::Global(global) => {
                let data = &program.globals[global];
                // The models share their state with functions that have none.
                data.init.is_some() && self.model_state.binary_search(&global).is_err()
            }
            ObjectKind::Unknown | ObjectKind::Static(_) => false,
            ObjectKind::Literals
            | ObjectKind::Arguments
            | ObjectKind::ArgumentStrings
            | ObjectKind::Func(_)
            | ObjectKind::Alloca { .. }
            | ObjectKind::Heap { .. }
            | ObjectKind::Varargs { .. } => true,
        })
    }

    /// The size that all objects have at least that a pointer may point to.
    pub fn least_size(&self, pointer: Operand) -> Option<u64> {
        let set = self.points_to.set_of(pointer);
        let least = || {
            let members = self.points_to.members(set).map(|at| self.points_to.locations[at].object);
            let mut least: Option<u64> = None;
            for object in members {
                let data = &self.points_to.objects[object];
                let size = data.size.filter(|_| !matches!(data.kind, ObjectKind::Func(_)))?;
                least = Some(least.map_or(size, |least| least.min(size)));
            }
            least
        };
        *self.sizes.borrow_mut().entry(set).or_insert_with(least)
    }

    /// Whether what lies there is a stream from the start, and whether it is still open.
    pub fn stream(&self, program: &Program, place: Operand) -> Option<bool> {
        let global = variable(program, place).filter(|global| self.streams.contains(global))?;
        Some(self.open.contains(&global) && self.points_to.externals.is_empty())
    }

    /// Whether a call does not come back.
    pub fn is_end(&self, program: &Program, inst: InstId) -> bool {
        self.ends.is_end(program, &self.points_to, inst)
    }

    pub fn objects(&self, pointer: ValueId) -> impl Iterator<Item = ObjectId> + '_ {
        self.points_to.points_to(pointer).map(|at| self.points_to.locations[at].object)
    }

    /// Whether nothing that the pointer may point to is ever freed, or is a variable that may be gone.
    pub fn stays(&self, pointer: ValueId) -> bool {
        let is_local = |object: ObjectId| {
            let kind = self.points_to.objects[object].kind;
            matches!(kind, ObjectKind::Alloca { .. } | ObjectKind::Varargs { .. })
        };
        !self.may_be(pointer, &self.ever) && !self.objects(pointer).any(is_local)
    }
}

/// The functions that are given to a library function which may call them after it came back.
fn called_later(program: &Program, points_to: &PointsTo) -> FxHashSet<FuncId> {
    let calls = Calls::new(program, points_to);
    let is_late = |&func: &FuncId| {
        let function = &program.funcs[func];
        function.blocks.is_empty() && !CALLS_AT_ONCE.contains(&function.name.as_str())
    };
    let insts = points_to.reachable.iter().flat_map(|&func| insts(program, func));
    let late = insts.filter(|&inst| points_to.callees(inst).funcs.iter().any(is_late));
    late.flat_map(|inst| calls.of(inst).collect::<Vec<_>>()).collect()
}

pub fn insts(program: &Program, func: FuncId) -> impl Iterator<Item = InstId> + '_ {
    let blocks = program.funcs[func].blocks.iter();
    blocks.flat_map(|block| program.blocks[block].insts.iter())
}

/// The variables that models of library functions name, ascending.
fn model_state(program: &Program) -> Vec<GlobalId> {
    let mut found = Vec::new();
    for func in program.funcs.keys().filter(|&func| library::is_model(program, func)) {
        for inst in insts(program, func) {
            program.for_each_operand(program.inst(inst), |operand| {
                let constant = operand.constant().map(|constant| program.consts.get(constant));
                if let Some(Const::Global { global, .. }) = constant {
                    found.push(*global);
                }
            });
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// The variable whose first byte a constant points to.
fn variable(program: &Program, place: Operand) -> Option<GlobalId> {
    match program.consts.get(place.constant()?) {
        Const::Global { global, offset: 0 } => Some(*global),
        _ => None,
    }
}

/// The streams that only go to library functions that neither close them nor hand them on.
fn open(program: &Program, streams: &[GlobalId]) -> Vec<GlobalId> {
    let mut open = streams.to_vec();
    if program.func_by_name("fcloseall").is_some() {
        open.clear();
    }
    let mut read: FxHashMap<ValueId, GlobalId> = FxHashMap::default();
    for data in program.insts.values() {
        let Inst::Load { ptr, .. } = data.inst else { continue };
        let global = variable(program, ptr).filter(|global| streams.contains(global));
        read.extend(data.result.expand().zip(global));
    }
    for (inst, data) in &program.insts {
        let is_harmless = external(program, inst).is_some_and(|name| {
            data.result.expand().is_none_or(|result| !program.is_pointer(Operand::Value(result)))
                && writes(name) != Writes::Reach
                && !FREES.contains(&name)
                && !CLOSES.contains(&name)
        });
        if !is_harmless {
            program.for_each_operand(&data.inst, |operand| {
                let stream = operand.value().and_then(|value| read.get(&value));
                open.retain(|global| Some(global) != stream);
            });
        }
    }
    open
}

/// The standard streams that the program only ever reads.
fn streams(program: &Program) -> Vec<GlobalId> {
    let named = program.globals.iter().filter(|(_, data)| {
        data.init.is_none() && matches!(data.name.as_str(), "stdin" | "stdout" | "stderr")
    });
    let mut found: Vec<GlobalId> = named.map(|(global, _)| global).collect();
    if found.is_empty() {
        return found;
    }
    let mut taken: Vec<ConstId> = Vec::new();
    for data in program.insts.values() {
        let read = match data.inst {
            Inst::Load { ptr, .. } => ptr.constant(),
            _ => None,
        };
        program.for_each_operand(&data.inst, |operand| {
            taken.extend(operand.constant().filter(|&constant| Some(constant) != read));
        });
    }
    for data in program.globals.values() {
        taken.extend(data.init.iter().flat_map(|init| init.relocs.iter().map(|reloc| reloc.1)));
    }
    let mut seen: FxHashSet<ConstId> = FxHashSet::default();
    while let Some(constant) = taken.pop() {
        if seen.insert(constant) {
            let data = program.consts.get(constant);
            data.for_each_part(|part| taken.push(part));
            if let Const::Global { global, .. } = data {
                found.retain(|stream| stream != global);
            }
        }
    }
    found
}

/// The function without a body that a call names, if it does.
pub fn external(program: &Program, inst: InstId) -> Option<&str> {
    match program.insts[inst].inst {
        Inst::Call { callee: Callee::Direct(func), .. } => {
            let function = &program.funcs[func];
            function.blocks.is_empty().then_some(function.name.as_str())
        }
        _ => None,
    }
}
