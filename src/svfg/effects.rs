//! What each instruction itself does to memory: which extents it reads and writes. What a call does
//! through the bodies of its callees is not in here; [`super::modref`] adds it.

use super::cells::Extent;
use super::externals::{self, Writes};
use crate::ir::{FuncId, Inst, InstId, Operand, Program};
use crate::library::summaries::{self, Effect};
use crate::pta::{EMPTY, ObjectId, ObjectKind, PointsTo};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// The extents one instruction touches.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Touch {
    pub reads: SmallVec<[Extent; 1]>,
    pub writes: SmallVec<[Extent; 1]>,
    /// It writes the whole of what its one write names, if that is one concrete place.
    pub overwrites: bool,
}

/// The answers the effects need beside the instruction.
#[derive(Debug)]
pub struct Effects<'a> {
    pub program: &'a Program,
    pub answer: &'a PointsTo,
    /// The objects that hold a function's extra arguments.
    varargs: FxHashMap<FuncId, Vec<ObjectId>>,
}

impl<'a> Effects<'a> {
    pub fn new(program: &'a Program, answer: &'a PointsTo) -> Self {
        let mut varargs: FxHashMap<FuncId, Vec<ObjectId>> = FxHashMap::default();
        for (id, object) in &answer.objects {
            if let ObjectKind::Varargs { func, .. } = object.kind {
                varargs.entry(func).or_default().push(id);
            }
        }
        Effects { program, answer, varargs }
    }

    fn bytes(&self, ptr: Operand, size: u64) -> Option<Extent> {
        let set = self.answer.set_of(ptr);
        (set != EMPTY).then_some(Extent::Bytes(set, size))
    }

    fn objects(&self, ptr: Operand) -> Option<Extent> {
        let set = self.answer.set_of(ptr);
        (set != EMPTY).then_some(Extent::Objects(set))
    }

    fn size_of(&self, operand: Operand) -> u64 {
        self.program.types.store_size(self.program.operand_type(operand))
    }

    fn result_size(&self, inst: InstId) -> u64 {
        let result = self.program.insts[inst].result.expand();
        result.map_or(0, |value| self.program.types.store_size(self.program.values[value].ty))
    }

    /// What `inst` does to memory.
    pub fn of(&self, inst: InstId) -> Touch {
        let mut touch = Touch::default();
        match *self.program.inst(inst) {
            Inst::Load { ptr, .. } => touch.reads.extend(self.bytes(ptr, self.result_size(inst))),
            Inst::Store { ptr, value, .. } => {
                touch.writes.extend(self.bytes(ptr, self.size_of(value)));
                touch.overwrites = true;
            }
            Inst::AtomicRmw { ptr, value, .. } => {
                touch.reads.extend(self.bytes(ptr, self.size_of(value)));
                touch.writes.extend(self.bytes(ptr, self.size_of(value)));
            }
            Inst::CmpXchg { ptr, new, .. } => {
                touch.reads.extend(self.bytes(ptr, self.size_of(new)));
                touch.writes.extend(self.bytes(ptr, self.size_of(new)));
            }
            Inst::MemCopy { dst, src, .. } | Inst::VaCopy { dst, src } => {
                touch.reads.extend(self.objects(src));
                touch.writes.extend(self.objects(dst));
            }
            Inst::MemSet { dst, .. } => touch.writes.extend(self.objects(dst)),
            // What an object holds is another matter after its life began or ended.
            Inst::LifetimeStart { object } | Inst::LifetimeEnd { object } => {
                touch.writes.extend(self.objects(object));
            }
            Inst::VaStart { list } => {
                touch.writes.extend(self.objects(list));
                let func = self.program.func_of(inst);
                let given = self.varargs.get(&func).into_iter().flatten();
                touch.writes.extend(given.map(|&object| Extent::Object(object)));
            }
            Inst::VaArg { list } => {
                touch.reads.extend(self.objects(list));
                touch.writes.extend(self.objects(list));
                let func = self.program.func_of(inst);
                let given = self.varargs.get(&func).into_iter().flatten();
                touch.reads.extend(given.map(|&object| Extent::Object(object)));
            }
            Inst::Call { args, .. } => self.call(inst, self.program.operands(args), &mut touch),
            Inst::Unsupported { .. } => {
                self.unknown(&mut touch);
                if self.program.may_come_back_twice(inst) {
                    self.anything(&mut touch);
                }
            }
            // The objects that a restored stack ends are not named; see `sfg` for what ends lives.
            Inst::StackRestore { .. }
            | Inst::VaEnd { .. }
            | Inst::Binary { .. }
            | Inst::Overflow { .. }
            | Inst::IntCmp { .. }
            | Inst::FloatCmp { .. }
            | Inst::Cast { .. }
            | Inst::Pure { .. }
            | Inst::Select { .. }
            | Inst::Freeze { .. }
            | Inst::Phi { .. }
            | Inst::Extract { .. }
            | Inst::Insert { .. }
            | Inst::ExtractElement { .. }
            | Inst::InsertElement { .. }
            | Inst::Shuffle { .. }
            | Inst::Uninit
            | Inst::Alloca { .. }
            | Inst::Gep { .. }
            | Inst::Fence
            | Inst::StackSave
            | Inst::Check { .. }
            | Inst::Assume { .. }
            | Inst::Jump { .. }
            | Inst::Branch { .. }
            | Inst::Switch { .. }
            | Inst::IndirectJump { .. }
            | Inst::Return { .. }
            | Inst::Unreachable => {}
        }
        touch
    }

    /// Unknown code reads and writes what has escaped to it.
    fn unknown(&self, touch: &mut Touch) {
        if self.answer.escaped() != EMPTY {
            touch.reads.push(Extent::Reach(self.answer.escaped()));
            touch.writes.push(Extent::Reach(self.answer.escaped()));
        }
    }

    /// A jump comes back there with whatever was written on the way to it.
    fn anything(&self, touch: &mut Touch) {
        let objects = self.answer.objects.iter().filter(|(_, data)| !data.constant);
        touch.writes.extend(objects.map(|(object, _)| Extent::Object(object)));
    }

    fn call(&self, inst: InstId, args: &[Operand], touch: &mut Touch) {
        let callees = self.answer.callees(inst);
        if callees.unknown {
            self.unknown(touch);
        }
        for &func in &callees.funcs {
            let function = &self.program.funcs[func];
            if !function.blocks.is_empty() {
                continue;
            }
            let sets = args.iter().map(|&arg| self.answer.set_of(arg)).filter(|&set| set != EMPTY);
            if !function.attrs.readnone {
                touch.reads.extend(sets.clone().map(Extent::Reach));
            }
            if function.attrs.readnone || function.attrs.readonly {
                continue;
            }
            if function.may_return_twice() {
                self.anything(touch);
            }
            match externals::writes_of(self.program, &function.name, args) {
                Writes::Nothing => {}
                Writes::Arguments => touch.writes.extend(sets.map(Extent::Objects)),
                Writes::Reach => touch.writes.extend(sets.map(Extent::Reach)),
            }
            if summaries::effects(&function.name)
                .is_some_and(|all| all.iter().any(|e| matches!(e, Effect::Reallocates { .. })))
                && let Some(result) = self.program.insts[inst].result.expand()
                && self.answer.set(result) != EMPTY
            {
                touch.writes.push(Extent::Objects(self.answer.set(result)));
            }
        }
        touch.reads.sort_unstable();
        touch.reads.dedup();
        touch.writes.sort_unstable();
        touch.writes.dedup();
    }
}
