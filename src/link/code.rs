//! Bodies: a unit's instructions with every id changed, appended to the program's.

use super::consts::Place;
use super::merge::Merger;
use super::unit::Symbol;
use crate::ir::{
    Binding, BlockId, Callee, Const, Def, FuncId, GepTerm, Inst, InstData, InstId, List, Operand,
    Program, TypeId, Value, verify,
};
use cranelift_entity::EntityRef;

/// One unit's bodies on their way into the program.
pub(super) struct Code<'m, 'p> {
    merger: &'m mut Merger<'p>,
    /// The unit's place among the pieces, and its tables.
    index: usize,
    from: &'m Program,
    /// How far the blocks and instructions of the present function move up; it wraps where they move down.
    blocks: usize,
    insts: usize,
}

impl<'m, 'p> Code<'m, 'p> {
    pub fn new(merger: &'m mut Merger<'p>, index: usize, from: &'m Program) -> Self {
        Code { merger, index, from, blocks: 0, insts: 0 }
    }

    pub fn append(mut self) {
        let (funcs, _) = self.merger.rows[self.index].symbols();
        for func in funcs {
            let function = &self.from.funcs[func];
            let Some(to) = self.merger.ids[self.index].func(func) else { continue };
            let (Some(first), Some(last)) = (function.blocks.first(), function.blocks.last())
            else {
                continue;
            };
            let new = self.merger.out.funcs[to].blocks.first().unwrap_or(first);
            self.blocks = new.index().wrapping_sub(first.index());
            let ends = (self.from.blocks[first].insts.first(), self.from.blocks[last].insts.last());
            let (Some(first), Some(last)) = ends else { continue };
            self.insts = self.merger.out.insts.len().wrapping_sub(first.index());
            self.results(first, last);
            for inst in (first.index()..=last.index()).map(InstId::new) {
                let data = self.data(self.from.insts[inst]);
                self.merger.out.insts.push(data);
            }
            self.bindings(first, last);
        }
    }

    /// Gives the results their ids: a phi reads what is defined behind it.
    fn results(&mut self, first: InstId, last: InstId) {
        let ids = &mut self.merger.ids[self.index];
        for inst in (first.index()..=last.index()).map(InstId::new) {
            let Some(result) = self.from.insts[inst].result.expand() else { continue };
            let old = &self.from.values[result];
            let def = Def::Inst(InstId::new(inst.index().wrapping_add(self.insts)));
            let (ty, name) = (ids.types[old.ty], old.name.map(|name| ids.texts[name]).into());
            ids.values[result] = self.merger.out.values.push(Value { ty, def, name });
        }
    }

    /// What C calls the values from the first to the last instruction.
    fn bindings(&mut self, first: InstId, last: InstId) {
        for binding in self.from.debug.bindings_between(first, last) {
            let at = InstId::new(binding.at.index().wrapping_add(self.insts));
            let var = self.merger.ids[self.index].var(binding.var);
            let value = self.operand(binding.value);
            self.merger.out.debug.bindings.push(Binding { at, var, value, ..*binding });
        }
    }

    fn data(&mut self, data: InstData) -> InstData {
        let ids = &self.merger.ids[self.index];
        let result = data.result.map(|result| ids.values[result]).into();
        let loc = ids.loc(data.loc);
        let block = self.block(data.block);
        let mut inst = data.inst;
        self.change(&mut inst);
        if let Inst::Call { callee, args } = &mut inst {
            let result = data.result.map(|result| self.from.values[result].ty);
            *callee = self.callee(*callee, *args, result);
        }
        InstData { inst, block, result, loc }
    }

    fn block(&self, block: BlockId) -> BlockId {
        BlockId::new(block.index().wrapping_add(self.blocks))
    }

    fn operand(&self, operand: Operand) -> Operand {
        let ids = &self.merger.ids[self.index];
        match operand {
            Operand::Value(value) => Operand::Value(ids.values[value]),
            Operand::Const(constant) => Operand::Const(ids.consts[constant]),
        }
    }

    fn operands(&mut self, list: List<Operand>) -> List<Operand> {
        let ids = &self.merger.ids[self.index];
        let changed = self.from.operand_pool.get(list).iter().map(|operand| match *operand {
            Operand::Value(value) => Operand::Value(ids.values[value]),
            Operand::Const(constant) => Operand::Const(ids.consts[constant]),
        });
        self.merger.out.operand_pool.push(changed)
    }

    /// Puts the program's ids in the place of the unit's; a callee is left to [`Code::callee`].
    fn change(&mut self, inst: &mut Inst) {
        match inst {
            Inst::Cast { value: a, .. }
            | Inst::Freeze { value: a }
            | Inst::Load { ptr: a, .. }
            | Inst::LifetimeStart { object: a }
            | Inst::LifetimeEnd { object: a }
            | Inst::StackRestore { saved: a }
            | Inst::VaStart { list: a }
            | Inst::VaEnd { list: a }
            | Inst::VaArg { list: a }
            | Inst::Check { cond: a, .. }
            | Inst::Assume { cond: a }
            | Inst::Return { value: Some(a) } => *a = self.operand(*a),
            Inst::Binary { lhs: a, rhs: b, .. }
            | Inst::Overflow { lhs: a, rhs: b, .. }
            | Inst::IntCmp { lhs: a, rhs: b, .. }
            | Inst::FloatCmp { lhs: a, rhs: b, .. }
            | Inst::ExtractElement { vector: a, index: b }
            | Inst::Store { ptr: a, value: b, .. }
            | Inst::AtomicRmw { ptr: a, value: b, .. }
            | Inst::VaCopy { dst: a, src: b } => {
                (*a, *b) = (self.operand(*a), self.operand(*b));
            }
            Inst::Select { cond: a, then: b, els: c }
            | Inst::InsertElement { vector: a, value: b, index: c }
            | Inst::MemCopy { dst: a, src: b, len: c, .. }
            | Inst::MemSet { dst: a, byte: b, len: c, .. }
            | Inst::CmpXchg { ptr: a, expected: b, new: c, .. } => {
                (*a, *b, *c) = (self.operand(*a), self.operand(*b), self.operand(*c));
            }
            Inst::Pure { args, .. } | Inst::Call { args, .. } => *args = self.operands(*args),
            Inst::Unsupported { what, args } => {
                *what = self.merger.ids[self.index].texts[*what];
                *args = self.operands(*args);
            }
            Inst::Phi { incoming } => {
                let list = self.from.phi_pool.get(*incoming).iter();
                let changed: Vec<_> =
                    list.map(|&(block, value)| (self.block(block), self.operand(value))).collect();
                *incoming = self.merger.out.phi_pool.push(changed);
            }
            Inst::Extract { aggregate, path } => {
                *aggregate = self.operand(*aggregate);
                *path = self.indices(*path);
            }
            Inst::Insert { aggregate, value, path } => {
                (*aggregate, *value) = (self.operand(*aggregate), self.operand(*value));
                *path = self.indices(*path);
            }
            Inst::Shuffle { lhs, rhs, mask } => {
                (*lhs, *rhs) = (self.operand(*lhs), self.operand(*rhs));
                *mask = self.indices(*mask);
            }
            Inst::Alloca { elem, count, .. } => {
                *elem = self.merger.ids[self.index].types[*elem];
                *count = self.operand(*count);
            }
            Inst::Gep { base, terms, .. } => {
                *base = self.operand(*base);
                let list = self.from.term_pool.get(*terms).iter();
                let changed: Vec<_> =
                    list.map(|term| GepTerm { index: self.operand(term.index), ..*term }).collect();
                *terms = self.merger.out.term_pool.push(changed);
            }
            Inst::Jump { to } => *to = self.block(*to),
            Inst::Branch { cond, then, els, .. } => {
                *cond = self.operand(*cond);
                (*then, *els) = (self.block(*then), self.block(*els));
            }
            Inst::Switch { value, cases, default } => {
                *value = self.operand(*value);
                let consts = &self.merger.ids[self.index].consts;
                let list = self.from.case_pool.get(*cases).iter();
                let changed: Vec<_> =
                    list.map(|&(case, to)| (consts[case], self.block(to))).collect();
                *cases = self.merger.out.case_pool.push(changed);
                *default = self.block(*default);
            }
            Inst::IndirectJump { address, targets } => {
                *address = self.operand(*address);
                let list = self.from.block_pool.get(*targets).iter();
                let changed: Vec<_> = list.map(|&to| self.block(to)).collect();
                *targets = self.merger.out.block_pool.push(changed);
            }
            Inst::Uninit
            | Inst::Fence
            | Inst::StackSave
            | Inst::Return { value: None }
            | Inst::Unreachable => {}
        }
    }

    fn indices(&mut self, list: List<u32>) -> List<u32> {
        self.merger.out.index_pool.push(self.from.index_pool.get(list).iter().copied())
    }

    /// Whom a call with the program's arguments calls; `result` is of the unit's types. It is direct
    /// exactly if it fits the function that stands for the name now.
    fn callee(&mut self, callee: Callee, args: List<Operand>, result: Option<TypeId>) -> Callee {
        let (func, constant) = match callee {
            Callee::Direct(func) => match self.merger.place(self.index, Symbol::Func(func)) {
                (Symbol::Func(func), 0) => (func, None),
                place => return Callee::Indirect(self.address(place)),
            },
            Callee::Indirect(target) => {
                let target = self.operand(target);
                match target.constant().map(|target| self.merger.out.consts.get(target)) {
                    Some(Const::Func(func)) => (*func, Some(target)),
                    _ => return Callee::Indirect(target),
                }
            }
        };
        if self.fits(func, args, result) {
            return Callee::Direct(func);
        }
        Callee::Indirect(constant.unwrap_or_else(|| self.address((Symbol::Func(func), 0))))
    }

    fn fits(&self, callee: FuncId, args: List<Operand>, result: Option<TypeId>) -> bool {
        let out = &self.merger.out;
        let args = out.operands(args).iter().map(|&arg| out.operand_type(arg));
        let result = result.map(|result| self.merger.ids[self.index].types[result]);
        verify::binds(out, callee, args, result).is_ok()
    }

    fn address(&mut self, place: Place) -> Operand {
        let ty = self.merger.pointer_type();
        Operand::Const(self.merger.address(ty, place))
    }
}
