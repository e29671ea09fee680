//! Allocation wrappers: small functions that return memory they have just allocated (`xmalloc`, or a
//! constructor), perhaps through other wrappers. Each direct call of one is looked at on its own, so
//! that what two callers allocate through it are two objects.
//!
//! An indirect call counts with every function it could call by its arguments, so that an allocator
//! chosen at run time (`strm->zalloc`) is seen through, too. Only precision depends on the choice made
//! here.

use super::models;
use crate::ir::{
    Callee, Const, ConstExpr, ConstId, Def, FuncId, Inst, InstId, Operand, Program, TypeId,
};
use crate::library::summaries;
use cranelift_entity::SecondaryMap;
use rustc_hash::{FxHashMap, FxHashSet};

/// A wrapper has at most this many instructions …
const SMALL: usize = 100;
/// … with the wrappers it calls at most this many …
const SMALL_IN_ALL: usize = 400;
/// … and all its copies together at most this many.
const ALL_COPIES: usize = 60_000;
/// Wrappers nest at most so deep.
pub const DEPTH: usize = 5;

#[derive(Debug, Default)]
pub struct Wrappers {
    chosen: FxHashSet<FuncId>,
    /// What indirect calls that return a pointer may call, by their types.
    indirect: FxHashMap<InstId, Vec<FuncId>>,
}

impl Wrappers {
    pub fn is(&self, func: FuncId) -> bool {
        self.chosen.contains(&func)
    }

    /// The wrappers and allocating functions an indirect call may call.
    pub fn called(&self, program: &Program, inst: InstId) -> impl Iterator<Item = FuncId> + '_ {
        let callees = self.indirect.get(&inst).map_or(&[][..], |callees| callees);
        let bare: Vec<bool> = callees.iter().map(|&f| program.funcs[f].blocks.is_empty()).collect();
        let wrapper = |(&func, bare): (&FuncId, bool)| (!bare && self.is(func)).then_some(func);
        callees.iter().zip(bare).filter_map(wrapper)
    }

    pub fn find(program: &Program) -> Self {
        let mut calls: SecondaryMap<FuncId, usize> = SecondaryMap::new();
        let mut found = Wrappers::default();
        let taken = address_taken(program);
        for (inst, data) in program.insts.iter() {
            match data.inst {
                Inst::Call { callee: Callee::Direct(func), .. } => calls[func] += 1,
                Inst::Call { callee: Callee::Indirect(_), args } => {
                    let Some(result) = data.result.expand() else {
                        continue;
                    };
                    let types = program.operands(args).iter().map(|&arg| program.operand_type(arg));
                    let key = (program.values[result].ty, types.collect::<Vec<_>>());
                    if let Some(callees) = taken.get(&key)
                        && program.is_pointer(Operand::Value(result))
                    {
                        callees.iter().for_each(|&func| calls[func] += 1);
                        found.indirect.insert(inst, callees.clone());
                    }
                }
                _ => {}
            }
        }
        let mut weight: SecondaryMap<FuncId, usize> = SecondaryMap::new();
        for _ in 0..DEPTH {
            let mut more = Vec::new();
            for (func, function) in program.funcs.iter() {
                if found.is(func) || function.blocks.is_empty() {
                    continue;
                }
                let size: usize =
                    function.blocks.iter().map(|b| program.blocks[b].insts.len()).sum();
                let chosen = found.returns_fresh(program, func) || models::is_copied(program, func);
                if size > SMALL || !chosen {
                    continue;
                }
                let in_all = size + found.nested(program, func, &weight);
                if in_all <= SMALL_IN_ALL && in_all * calls[func] <= ALL_COPIES {
                    weight[func] = in_all;
                    more.push(func);
                }
            }
            if more.is_empty() {
                break;
            }
            found.chosen.extend(more);
        }
        found
    }

    /// What the wrappers called directly weigh.
    fn nested(
        &self,
        program: &Program,
        func: FuncId,
        weight: &SecondaryMap<FuncId, usize>,
    ) -> usize {
        let insts = program.funcs[func].blocks.iter().flat_map(|b| program.blocks[b].insts.iter());
        insts
            .map(|inst| match program.inst(inst) {
                Inst::Call { callee: Callee::Direct(to), .. } if self.is(*to) => weight[*to],
                Inst::Call { callee: Callee::Indirect(_), .. } => {
                    self.called(program, inst).map(|to| weight[to]).sum()
                }
                _ => 0,
            })
            .sum()
    }

    fn returns_fresh(&self, program: &Program, func: FuncId) -> bool {
        let mut work: Vec<Operand> = Vec::new();
        for block in program.funcs[func].blocks.iter() {
            if let Some(last) = program.terminator(block)
                && let Inst::Return { value: Some(value) } = *program.inst(last)
                && program.is_pointer(value)
            {
                work.push(value);
            }
        }
        let mut seen = FxHashSet::default();
        while let Some(operand) = work.pop() {
            let Some(value) = operand.value().filter(|&value| seen.insert(value)) else {
                continue;
            };
            let Def::Inst(inst) = program.values[value].def else {
                continue;
            };
            match *program.inst(inst) {
                Inst::Phi { incoming } => {
                    work.extend(program.phi_pool.get(incoming).iter().map(|&(_, from)| from));
                }
                Inst::Select { then, els, .. } => work.extend([then, els]),
                Inst::Cast { value, .. } | Inst::Freeze { value } => work.push(value),
                Inst::Gep { base, .. } => work.push(base),
                Inst::Call { callee: Callee::Direct(to), .. } if self.allocates(program, to) => {
                    return true;
                }
                Inst::Call { callee: Callee::Indirect(_), .. } => {
                    let callees = self.indirect.get(&inst).map_or(&[][..], |callees| callees);
                    if callees.iter().any(|&to| self.allocates(program, to)) {
                        return true;
                    }
                }
                _ => {}
            }
        }
        false
    }

    fn allocates(&self, program: &Program, func: FuncId) -> bool {
        let function = &program.funcs[func];
        self.is(func) || (function.blocks.is_empty() && summaries::allocates(&function.name))
    }
}

/// The functions whose address is taken, by the type of their result and of their parameters.
fn address_taken(program: &Program) -> FxHashMap<(TypeId, Vec<TypeId>), Vec<FuncId>> {
    let mut taken: FxHashSet<FuncId> = FxHashSet::default();
    let mut seen: FxHashSet<ConstId> = FxHashSet::default();
    let mut visit = |id: ConstId| collect(program, id, &mut seen, &mut taken);
    for data in program.insts.values() {
        program.for_each_operand(&data.inst, |operand| {
            operand.constant().into_iter().for_each(&mut visit);
        });
    }
    for global in program.globals.values() {
        let relocs = global.init.iter().flat_map(|init| init.relocs.iter());
        relocs.for_each(|&(_, constant)| visit(constant));
    }
    let mut by_type: FxHashMap<(TypeId, Vec<TypeId>), Vec<FuncId>> = FxHashMap::default();
    let mut taken: Vec<FuncId> = taken.into_iter().collect();
    taken.sort_unstable();
    for func in taken {
        let function = &program.funcs[func];
        let params = function.params.iter().map(|param| program.values[param].ty).collect();
        by_type.entry((function.result, params)).or_default().push(func);
    }
    by_type
}

fn collect(
    program: &Program,
    id: ConstId,
    seen: &mut FxHashSet<ConstId>,
    taken: &mut FxHashSet<FuncId>,
) {
    if !seen.insert(id) {
        return;
    }
    match program.consts.get(id) {
        &Const::Func(func) => drop(taken.insert(func)),
        Const::Aggregate(parts) => parts.iter().for_each(|&p| collect(program, p, seen, taken)),
        &Const::Expr(ConstExpr::Cast { value: base, .. } | ConstExpr::Offset { base, .. }) => {
            collect(program, base, seen, taken);
        }
        &Const::Expr(ConstExpr::Binary { lhs, rhs, .. }) => {
            collect(program, lhs, seen, taken);
            collect(program, rhs, seen, taken);
        }
        _ => {}
    }
}
