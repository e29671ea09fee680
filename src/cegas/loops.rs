//! The loops of one function, and the order in which a path meets its blocks.
//!
//! Invariant: along an edge the order grows, unless the edge goes back to the head of a natural loop from
//! inside it, or the graph is irreducible there ([`Loops::is_crossed`] tells).

use super::state::{Frame, State};
use crate::ir::cfg::Cfg;
use crate::ir::dominators::Dominators;
use crate::ir::{BlockId, FuncId, Inst, Program};
use std::rc::Rc;

/// Places in the order in which a path meets them, calls inside the place of the call.
pub(super) type Key = Vec<(u32, u32)>;

/// Where a state stands.
pub(super) fn key(state: &State, mut loops: impl FnMut(FuncId) -> Rc<Loops>) -> Key {
    let place = |frame: &Frame| (loops(frame.func).order(frame.block), frame.at.as_u32());
    state.frames.iter().map(place).collect()
}

#[derive(Debug)]
pub(super) struct Loops {
    cfg: Cfg,
    dominators: Dominators,
    /// Of each block, its place in reverse postorder.
    order: Vec<u32>,
    /// The loop that each block heads.
    bodies: Vec<Option<Rc<Body>>>,
}

/// The blocks of a natural loop.
#[derive(Debug)]
pub(super) struct Body {
    pub head: BlockId,
    blocks: Vec<bool>,
    first: u32,
}

impl Body {
    pub fn contains(&self, block: BlockId) -> bool {
        let number = block.as_u32().checked_sub(self.first);
        number.and_then(|n| self.blocks.get(n as usize)) == Some(&true)
    }
}

impl Loops {
    pub fn new(program: &Program, func: FuncId) -> Loops {
        let cfg = Cfg::new(program, func);
        let dominators = Dominators::new(&cfg);
        let order = reverse_postorder(&cfg);
        let bodies = (0..cfg.len()).map(|head| body(&cfg, &dominators, head)).collect();
        Loops { cfg, dominators, order, bodies }
    }

    pub fn order(&self, block: BlockId) -> u32 {
        self.order[self.cfg.number(block)]
    }

    /// Whether the frame stands at the first instruction of its block behind the phis.
    pub fn is_at_start(&self, program: &Program, frame: &Frame) -> bool {
        let mut insts = program.blocks[frame.block].insts.iter();
        let first = insts.find(|&inst| !matches!(program.insts[inst].inst, Inst::Phi { .. }));
        first == Some(frame.at)
    }

    pub fn body(&self, head: BlockId) -> Option<&Rc<Body>> {
        self.bodies[self.cfg.number(head)].as_ref()
    }

    /// Whether every path to `below` goes through `above`.
    pub fn dominates(&self, above: BlockId, below: BlockId) -> bool {
        self.dominators.dominates(self.cfg.number(above), self.cfg.number(below))
    }

    /// Whether the edge goes back, but not to the head of a loop that it lies in.
    pub fn is_crossed(&self, from: BlockId, to: BlockId) -> bool {
        self.order(to) <= self.order(from) && !self.dominates(to, from)
    }
}

fn reverse_postorder(cfg: &Cfg) -> Vec<u32> {
    let mut order = vec![u32::MAX; cfg.len()];
    let mut seen = vec![false; cfg.len()];
    let mut left = cfg.len() as u32;
    let mut stack = Vec::new();
    if !cfg.is_empty() {
        seen[0] = true;
        stack.push((0, 0));
    }
    while let Some((block, next)) = stack.last_mut() {
        let successor = cfg.successors(*block).get(*next).copied();
        *next += 1;
        match successor {
            Some(to) if !seen[to] => {
                seen[to] = true;
                stack.push((to, 0));
            }
            Some(_) => {}
            None => {
                left -= 1;
                order[*block] = left;
                stack.pop();
            }
        }
    }
    order
}

/// What reaches the edges back to `head` without passing it.
fn body(cfg: &Cfg, dominators: &Dominators, head: usize) -> Option<Rc<Body>> {
    let back = cfg.predecessors(head).iter().copied();
    let mut stack: Vec<usize> = back.filter(|&from| dominators.dominates(head, from)).collect();
    if stack.is_empty() {
        return None;
    }
    let mut blocks = vec![false; cfg.len()];
    blocks[head] = true;
    while let Some(block) = stack.pop() {
        if !blocks[block] && dominators.is_reachable(block) {
            blocks[block] = true;
            stack.extend(cfg.predecessors(block));
        }
    }
    Some(Rc::new(Body { head: cfg.block(head), blocks, first: cfg.block(0).as_u32() }))
}
