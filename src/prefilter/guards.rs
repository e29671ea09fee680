//! The conditions that hold in a block because every way to it goes through a branch.

use crate::ir::cfg::Cfg;
use crate::ir::dominators::Dominators;
use crate::ir::{BlockId, FuncId, Inst, Operand, Program};

/// Blocks are looked through upwards at most this far.
const FARTHEST: usize = 64;

pub struct Guards {
    cfg: Cfg,
    /// By block, the nearest first.
    found: Vec<Vec<(Operand, bool)>>,
}

impl Guards {
    pub fn new(program: &Program, func: FuncId) -> Self {
        let cfg = Cfg::new(program, func);
        let dominators = Dominators::new(&cfg);
        let all = (0..cfg.len()).map(|number| at(program, &cfg, &dominators, cfg.block(number)));
        let found = all.collect();
        Guards { cfg, found }
    }

    /// Conditions with the value they have whenever `block` is entered, the nearest first.
    pub fn at(&self, block: BlockId) -> &[(Operand, bool)] {
        &self.found[self.cfg.number(block)]
    }
}

fn at(
    program: &Program,
    cfg: &Cfg,
    dominators: &Dominators,
    block: BlockId,
) -> Vec<(Operand, bool)> {
    let mut found = Vec::new();
    let mut here = block;
    for _ in 0..FARTHEST {
        // A block with one way in is entered only by that edge.
        if let [from] = *cfg.predecessors(cfg.number(here)) {
            let from = cfg.block(from);
            let last = program.blocks[from].insts.iter().next_back();
            if let Some(Inst::Branch { cond, then, els, .. }) =
                last.map(|inst| program.insts[inst].inst)
                && then != els
            {
                found.push((cond, then == here));
            }
        }
        match dominators.immediate(cfg, here) {
            Some(above) if above != here => here = above,
            _ => break,
        }
    }
    found
}
