//! The conditions that hold in a block because every way to it goes through a branch.

use crate::ir::cfg::Cfg;
use crate::ir::dominators::Dominators;
use crate::ir::{BlockId, FuncId, Inst, Operand, Program};

/// Blocks are looked through upwards at most this far.
const FARTHEST: usize = 64;

pub struct Guards<'p> {
    program: &'p Program,
    cfg: Cfg,
    dominators: Dominators,
}

impl<'p> Guards<'p> {
    pub fn new(program: &'p Program, func: FuncId) -> Self {
        let cfg = Cfg::new(program, func);
        let dominators = Dominators::new(&cfg);
        Guards { program, cfg, dominators }
    }

    pub fn dominates(&self, above: BlockId, below: BlockId) -> bool {
        self.dominators.dominates(self.cfg.number(above), self.cfg.number(below))
    }

    /// Conditions with the value they have whenever `block` is entered, the nearest first.
    pub fn at(&self, block: BlockId) -> Vec<(Operand, bool)> {
        let mut found = Vec::new();
        let mut here = block;
        for _ in 0..FARTHEST {
            // A block with one way in is entered only by that edge.
            if let [from] = *self.cfg.predecessors(self.cfg.number(here)) {
                let from = self.cfg.block(from);
                let last = self.program.blocks[from].insts.iter().next_back();
                if let Some(Inst::Branch { cond, then, els }) =
                    last.map(|inst| self.program.insts[inst].inst)
                    && then != els
                {
                    found.push((cond, then == here));
                }
            }
            match self.dominators.immediate(&self.cfg, here) {
                Some(above) if above != here => here = above,
                _ => break,
            }
        }
        found
    }
}
