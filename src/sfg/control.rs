//! Control dependence in one function, by postdominators (Ferrante, Ottenstein & Warren, TOPLAS 1987). All
//! returns meet in one node of their own, so that which return is taken is no decision, but whether one is.
//!
//! Invariant: a block that cannot get to any end counts as if it could end the execution; whoever decides whether
//! control gets there then decides about everything behind it.

use crate::ir::cfg::Cfg;
use crate::ir::dominators::Dominators;
use crate::ir::{BlockId, FuncId, Inst, Program};

/// Where control surely gets to, next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Join {
    Block(BlockId),
    /// The function returns.
    Return,
    /// Nothing: some ways end the execution or go on for ever.
    Nowhere,
}

/// Numbers in the reversed graph: the end, the returns, then the blocks.
const END: usize = 0;
const RETURNS: usize = 1;
const BLOCKS: usize = 2;

/// The control dependence of one function.
#[derive(Debug)]
pub struct Control {
    cfg: Cfg,
    joins: Vec<Join>,
    /// By number in the reversed graph: the blocks that decide whether control gets there.
    deciders: Vec<Vec<BlockId>>,
}

impl Control {
    pub fn new(program: &Program, func: FuncId) -> Self {
        let cfg = Cfg::new(program, func);
        let count = cfg.len() + BLOCKS;
        let mut reversed = vec![(END, RETURNS)];
        for number in 0..cfg.len() {
            let block = cfg.block(number);
            reversed
                .extend(cfg.successors(number).iter().map(|&to| (to + BLOCKS, number + BLOCKS)));
            let last = program.terminator(block).map(|last| program.inst(last));
            match last {
                Some(Inst::Return { .. }) => reversed.push((RETURNS, number + BLOCKS)),
                _ if cfg.successors(number).is_empty() => reversed.push((END, number + BLOCKS)),
                _ => {}
            }
        }
        let ends = Dominators::new(&Cfg::from_edges(count, &reversed));
        let endless = (BLOCKS..count).filter(|&node| !ends.is_reachable(node));
        reversed.extend(endless.map(|node| (END, node)).collect::<Vec<_>>());
        let graph = Cfg::from_edges(count, &reversed);
        let after = Dominators::new(&graph);
        let next =
            |node: usize| after.immediate(&graph, graph.block(node)).map(|b| graph.number(b));

        let join = |number: usize| match next(number + BLOCKS) {
            None | Some(END) => Join::Nowhere,
            Some(RETURNS) => Join::Return,
            Some(node) => Join::Block(cfg.block(node - BLOCKS)),
        };
        let joins = (0..cfg.len()).map(join).collect();
        let mut deciders: Vec<Vec<BlockId>> = vec![Vec::new(); count];
        for from in BLOCKS..count {
            let stop = next(from);
            // In the reversed graph, who comes before a node is who follows it.
            for &to in graph.predecessors(from) {
                let mut at = Some(to);
                while let Some(node) = at.filter(|&node| Some(node) != stop) {
                    let block = cfg.block(from - BLOCKS);
                    if deciders[node].last() != Some(&block) {
                        deciders[node].push(block);
                    }
                    at = next(node);
                }
            }
        }
        Control { cfg, joins, deciders }
    }

    /// The blocks whose ends decide whether control gets to `block`.
    pub fn of_block(&self, block: BlockId) -> &[BlockId] {
        &self.deciders[self.cfg.number(block) + BLOCKS]
    }

    /// The blocks whose ends decide whether the function returns.
    pub fn of_return(&self) -> &[BlockId] {
        &self.deciders[RETURNS]
    }

    /// Where control surely gets to from the end of `block`, whatever is decided there.
    pub fn join(&self, block: BlockId) -> Join {
        self.joins[self.cfg.number(block)]
    }

    pub fn cfg(&self) -> &Cfg {
        &self.cfg
    }
}
