//! Allocation wrappers: small functions that return memory they have just allocated (`xmalloc`, or a
//! constructor), perhaps through other wrappers. Each direct call of one is looked at on its own, so
//! that what two callers allocate through it are two objects.
//!
//! Only precision depends on the choice made here.

use crate::ir::{Callee, Def, FuncId, Inst, Operand, Program};
use crate::library::summaries;
use cranelift_entity::SecondaryMap;
use rustc_hash::FxHashSet;

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
}

impl Wrappers {
    pub fn is(&self, func: FuncId) -> bool {
        self.chosen.contains(&func)
    }

    pub fn find(program: &Program) -> Self {
        let mut calls: SecondaryMap<FuncId, usize> = SecondaryMap::new();
        for data in program.insts.values() {
            if let Inst::Call { callee: Callee::Direct(func), .. } = data.inst {
                calls[func] += 1;
            }
        }
        let mut found = Wrappers::default();
        let mut weight: SecondaryMap<FuncId, usize> = SecondaryMap::new();
        for _ in 0..DEPTH {
            let mut more = Vec::new();
            for (func, function) in program.funcs.iter() {
                if found.is(func) || function.blocks.is_empty() {
                    continue;
                }
                let size: usize =
                    function.blocks.iter().map(|b| program.blocks[b].insts.len()).sum();
                if size > SMALL || !found.returns_fresh(program, func) {
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
                Inst::Call { callee: Callee::Direct(to), .. } => {
                    let callee = &program.funcs[to];
                    let library = callee.blocks.is_empty() && summaries::allocates(&callee.name);
                    if library || self.is(to) {
                        return true;
                    }
                }
                _ => {}
            }
        }
        false
    }
}
