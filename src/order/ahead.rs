//! Where an execution may still get to, from the places at which its calls stand, and from which places it may get to
//! some functions.

use super::{FuncSet, Order};
use crate::ir::{BlockId, FuncId, Program};
use cranelift_entity::EntitySet;

/// The places from which some functions may be come to.
#[derive(Debug)]
pub struct Ways {
    /// Of these, or of what they call.
    funcs: FuncSet,
    /// Without returning from the call that stands in the block.
    blocks: EntitySet<BlockId>,
}

impl Ways {
    pub fn lead_from(&self, block: BlockId) -> bool {
        self.blocks.contains(block)
    }

    pub fn lead_through(&self, func: FuncId) -> bool {
        self.funcs.contains(func)
    }
}

impl Order {
    /// The ways to these functions.
    pub fn ways(&self, program: &Program, to: &FuncSet) -> Ways {
        let leads = |&func: &FuncId| self.below[func].meets(to);
        let funcs: FuncSet = program.funcs.keys().filter(leads).collect();
        let mut blocks = EntitySet::new();
        for func in funcs.iter() {
            let own = program.funcs[func].blocks.iter();
            if to.contains(func) {
                own.for_each(|block| _ = blocks.insert(block));
                continue;
            }
            let calls = self.calls[func].iter();
            let leading =
                calls.filter(|&&call| self.callees(call).iter().any(|&f| funcs.contains(f)));
            let mut waiting: Vec<BlockId> =
                leading.map(|&call| program.insts[call].block).collect();
            let cfg = crate::ir::cfg::Cfg::new(program, func);
            while let Some(block) = waiting.pop() {
                if blocks.insert(block) {
                    let before = cfg.predecessors(cfg.number(block)).iter();
                    waiting.extend(before.map(|&number| cfg.block(number)));
                }
            }
        }
        Ways { funcs, blocks }
    }

    /// The functions that may be executed from there on: from the start of the blocks, and by calls of the functions.
    pub fn ahead(
        &self,
        program: &Program,
        blocks: impl IntoIterator<Item = BlockId>,
        funcs: impl IntoIterator<Item = FuncId>,
    ) -> FuncSet {
        let mut all = FuncSet::default();
        funcs.into_iter().for_each(|func| _ = all.add(&self.below[func]));
        let mut seen: EntitySet<BlockId> = EntitySet::new();
        let mut waiting: Vec<BlockId> = blocks.into_iter().collect();
        while let Some(block) = waiting.pop() {
            if !seen.insert(block) {
                continue;
            }
            all.insert(program.blocks[block].func);
            for inst in program.blocks[block].insts.iter() {
                self.callees(inst).iter().for_each(|&callee| _ = all.add(&self.below[callee]));
            }
            waiting.extend(program.successors(block));
        }
        all
    }
}
