//! The conditions that hold in a block because every way to it goes through a branch, and those that were demanded on
//! every way to a place.

use super::Asked;
use crate::ir::cfg::Cfg;
use crate::ir::dominators::Dominators;
use crate::ir::{BlockId, FuncId, Inst, InstId, Operand, Program};
use crate::rules::Demand;

/// Blocks are looked through upwards at most this far.
const FARTHEST: usize = 64;
/// So many of the checks before a place are looked at.
const MOST_CHECKS: usize = 24;

/// A question of a rule, at an instruction.
#[derive(Debug, Clone, Copy)]
pub struct Place {
    pub rule: &'static str,
    pub at: InstId,
    pub block: BlockId,
}

pub struct Guards {
    cfg: Cfg,
    /// By block, the nearest first.
    found: Vec<Vec<(Operand, bool)>>,
    /// By block, what is demanded in it not to be zero, the last first.
    demanded: Vec<Vec<(Place, Operand)>>,
    /// The next block that every way to a block comes through.
    above: Vec<Option<usize>>,
}

impl Guards {
    pub fn new(program: &Program, func: FuncId, asked: &Asked) -> Self {
        let cfg = Cfg::new(program, func);
        let dominators = Dominators::new(&cfg);
        let all = (0..cfg.len()).map(|number| at(program, &cfg, &dominators, cfg.block(number)));
        let found = all.collect();
        let blocks = || (0..cfg.len()).map(|number| cfg.block(number));
        let demanded = blocks().map(|block| demanded(program, block, asked)).collect();
        let above = blocks().map(|here| {
            let above = dominators.immediate(&cfg, here).filter(|&above| above != here)?;
            Some(cfg.number(above))
        });
        let above = above.collect();
        Guards { cfg, found, demanded, above }
    }

    /// Conditions with the value they have whenever `block` is entered, the nearest first.
    pub fn at(&self, block: BlockId) -> &[(Operand, bool)] {
        &self.found[self.cfg.number(block)]
    }

    /// What a rule demanded on every way to a place, if `block` is its block; else what it demanded on every way through
    /// `block`, which was left before the place was come to.
    pub fn passed(
        &self,
        block: BlockId,
        place: Option<Place>,
    ) -> impl Iterator<Item = Operand> + '_ {
        let first = place.map(|_| self.cfg.number(block));
        let blocks = std::iter::successors(first, |&number| self.above[number]).take(FARTHEST);
        let demanded = blocks.flat_map(move |number| {
            self.demanded[number].iter().map(move |demanded| (Some(number) == first, demanded))
        });
        let is_passed = move |&(is_first, (demanded, _)): &(bool, &(Place, Operand))| {
            place.is_some_and(|place| {
                let is_here = is_first && demanded.block == place.block;
                demanded.rule == place.rule && (!is_here || demanded.at < place.at)
            })
        };
        demanded.filter(is_passed).take(MOST_CHECKS).map(|(_, &(_, cond))| cond)
    }
}

/// What is demanded in a block.
fn demanded(program: &Program, block: BlockId, asked: &Asked) -> Vec<(Place, Operand)> {
    let insts = program.blocks[block].insts.iter().rev();
    let all = insts.flat_map(|at| asked.get(&at).into_iter().flatten());
    all.filter_map(|obligation| match obligation.demand {
        Demand::NonZero(cond) => {
            Some((Place { rule: obligation.rule, at: obligation.at, block }, cond))
        }
        _ => None,
    })
    .collect()
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
