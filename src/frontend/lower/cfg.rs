//! The shape of a function before its instructions are lowered: which blocks can be reached, which
//! branches are only a sanitizer's check, and which blocks are one straight line.
//!
//! A branch to a trap becomes a check followed by a jump, and a block whose only way in is a jump
//! joins the block it comes from; so instrumented code has no more blocks than plain code.

use super::Lowering;
use super::ops::{Intrinsic, check_kind};
use crate::frontend::llvm::{Blk, Opcode, Val};
use crate::ir::CheckKind;
use rustc_hash::{FxHashMap, FxHashSet};

/// How control leaves a block.
#[derive(Debug, Clone, Copy)]
pub(super) enum Exit<'m> {
    Jump(Blk<'m>),
    /// The program must not go on unless `cond` is `expected`.
    Check {
        cond: Val<'m>,
        expected: bool,
        kind: CheckKind,
        to: Blk<'m>,
    },
    /// As the terminator says.
    Other,
}

/// A function's blocks to be: each a chain of LLVM's, in reverse post-order.
#[derive(Debug, Default)]
pub(super) struct Plan<'m> {
    blocks: Vec<Blk<'m>>,
    /// Where each chain ends in `blocks`.
    ends: Vec<usize>,
}

impl<'m> Plan<'m> {
    pub(super) fn chains(&self) -> impl Iterator<Item = &[Blk<'m>]> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts.zip(&self.ends).map(|(start, &end)| &self.blocks[start..end])
    }

    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }
}

impl<'m> Lowering<'m> {
    pub(super) fn exit(&self, block: Blk<'m>) -> Exit<'m> {
        let Some(term) = block.terminator() else { return Exit::Other };
        if term.opcode() == Opcode::LLVMInvoke {
            return Exit::Jump(term.successor(0));
        }
        if term.opcode() != Opcode::LLVMBr {
            return Exit::Other;
        }
        let then = term.successor(0);
        if !term.is_conditional() {
            return Exit::Jump(then);
        }
        let els = term.successor(1);
        let cond = term.operand(0);
        if then == els {
            return Exit::Jump(then);
        }
        // A check that surely fails stays a check: whether execution ends there is its rule's to say.
        match (self.trap(then), self.trap(els)) {
            (None, Some(kind)) => Exit::Check { cond, expected: true, kind, to: then },
            (Some(kind), None) => Exit::Check { cond, expected: false, kind, to: els },
            _ if cond.is_const_int() => Exit::Jump(if cond.const_u64() != 0 { then } else { els }),
            _ => Exit::Other,
        }
    }

    /// What the block reports, if all it does is to trap.
    fn trap(&self, block: Blk<'m>) -> Option<CheckKind> {
        let mut insts = block.instructions();
        let call = insts.next().filter(|inst| inst.opcode() == Opcode::LLVMCall)?;
        insts.next().filter(|inst| inst.opcode() == Opcode::LLVMUnreachable)?;
        match self.intrinsics.get(&call.callee())? {
            Intrinsic::UbsanTrap => Some(check_kind(call.operand(0).const_u64())),
            Intrinsic::Trap => Some(CheckKind::Trap),
            _ => None,
        }
    }

    /// The blocks that can follow, last case first.
    fn next_blocks(&self, block: Blk<'m>) -> Vec<Blk<'m>> {
        match self.exit(block) {
            Exit::Jump(to) | Exit::Check { to, .. } => vec![to],
            Exit::Other => {
                let Some(term) = block.terminator() else { return Vec::new() };
                let mut seen = FxHashSet::default();
                let all = (0..term.successor_count()).map(|i| term.successor(i));
                all.filter(|&next| seen.insert(next)).collect()
            }
        }
    }

    pub(super) fn plan(&self, func: Val<'m>) -> Plan<'m> {
        let Some(entry) = func.blocks().next() else { return Plan::default() };
        let (order, preds) = self.reverse_post_order(entry);
        // A block joins the one before it if that one only ever goes here.
        let joins = |from: Blk<'m>| match self.exit(from) {
            Exit::Jump(to) | Exit::Check { to, .. } if to != entry && preds[&to] == 1 => Some(to),
            _ => None,
        };
        let follower: FxHashMap<Blk<'m>, Blk<'m>> =
            order.iter().filter_map(|&from| Some((from, joins(from)?))).collect();
        let joined: FxHashSet<Blk<'m>> = follower.values().copied().collect();
        let mut plan = Plan::default();
        for head in order.into_iter().filter(|block| !joined.contains(block)) {
            let line = std::iter::successors(Some(head), |block| follower.get(block).copied());
            plan.blocks.extend(line);
            plan.ends.push(plan.blocks.len());
        }
        plan
    }

    fn reverse_post_order(&self, entry: Blk<'m>) -> (Vec<Blk<'m>>, FxHashMap<Blk<'m>, u32>) {
        let mut preds = FxHashMap::default();
        preds.insert(entry, 0);
        let mut order = Vec::new();
        let mut stack = vec![(entry, self.next_blocks(entry))];
        while let Some((block, rest)) = stack.last_mut() {
            match rest.pop() {
                Some(next) => {
                    let count = preds.entry(next).or_insert(0);
                    *count += 1;
                    if *count == 1 && next != entry {
                        stack.push((next, self.next_blocks(next)));
                    }
                }
                None => {
                    order.push(*block);
                    stack.pop();
                }
            }
        }
        order.reverse();
        (order, preds)
    }
}
