//! Which blocks decide whether a loop goes on, for the loops that are not known to end. A loop is known to end
//! if its header tests a counter that goes up or down by one against something that stays the same.

use crate::ir::cfg::Cfg;
use crate::ir::{BinaryOp, BlockId, Const, Def, Inst, IntPredicate, Operand, Program, ValueId};
use crate::pta::tarjan;
use rustc_hash::FxHashSet;

/// The loops of a function that may go on for ever.
#[derive(Debug, Default)]
pub struct Loops {
    /// Blocks from which control may leave such a loop.
    pub deciders: Vec<BlockId>,
    /// There is one.
    pub endless: bool,
}

/// Finds them; loops inside loops by taking their headers out, one after the other.
pub fn find(program: &Program, cfg: &Cfg) -> Loops {
    let mut loops = Loops::default();
    let mut waiting: Vec<Vec<usize>> = vec![(0..cfg.len()).collect()];
    while let Some(blocks) = waiting.pop() {
        for members in cycles(cfg, &blocks) {
            let inside: FxHashSet<usize> = members.iter().copied().collect();
            let is_inside = |block: &usize| inside.contains(block);
            let headers: Vec<usize> = members
                .iter()
                .copied()
                .filter(|&m| m == 0 || !cfg.predecessors(m).iter().all(is_inside))
                .collect();
            let &[header] = &headers[..] else {
                // Entered at several places: every branch inside decides.
                loops.endless = true;
                let many = members.iter().filter(|&&m| cfg.successors(m).len() > 1);
                loops.deciders.extend(many.map(|&m| cfg.block(m)));
                continue;
            };
            if !counts(program, cfg, header, &inside) {
                loops.endless = true;
                let leaving = members.iter().filter(|&&m| !cfg.successors(m).iter().all(is_inside));
                loops.deciders.extend(leaving.map(|&m| cfg.block(m)));
            }
            waiting.push(members.into_iter().filter(|&m| m != header).collect());
        }
    }
    loops.deciders.sort_unstable();
    loops.deciders.dedup();
    loops
}

/// The strongly connected parts with a cycle among `blocks`.
fn cycles(cfg: &Cfg, blocks: &[usize]) -> Vec<Vec<usize>> {
    let mut place = vec![u32::MAX; cfg.len()];
    blocks.iter().enumerate().for_each(|(at, &block)| place[block] = at as u32);
    let edges: Vec<Vec<u32>> = blocks
        .iter()
        .map(|&block| cfg.successors(block).iter().map(|&to| place[to]))
        .map(|targets| targets.filter(|&to| to != u32::MAX).collect())
        .collect();
    let mut found = Vec::new();
    let next = |node: u32, index: usize| edges[node as usize].get(index).copied();
    tarjan::components(blocks.len(), next, |members| {
        if members.len() > 1 || edges[members[0] as usize].contains(&members[0]) {
            let mut members: Vec<usize> = members.iter().map(|&m| blocks[m as usize]).collect();
            members.sort_unstable();
            found.push(members);
        }
    });
    found
}

/// Whether the header leaves the loop after finitely many rounds, as `for (i = a; i < n; i++)` does.
fn counts(program: &Program, cfg: &Cfg, header: usize, inside: &FxHashSet<usize>) -> bool {
    let block = cfg.block(header);
    let Some(&Inst::Branch { cond: Operand::Value(cond), then, els, .. }) =
        program.terminator(block).map(|last| program.inst(last))
    else {
        return false;
    };
    let stays = |to: BlockId| inside.contains(&cfg.number(to));
    let (Def::Inst(test), true, false) = (program.values[cond].def, stays(then), stays(els)) else {
        return false;
    };
    let Inst::IntCmp { pred, lhs: Operand::Value(counter), rhs } = *program.inst(test) else {
        return false;
    };
    let is_outside = |operand: Operand| match operand {
        Operand::Const(_) => true,
        Operand::Value(value) => match program.values[value].def {
            Def::Param { .. } => true,
            Def::Inst(inst) => !stays(program.insts[inst].block),
        },
    };
    if !is_outside(rhs) {
        return false;
    }
    match pred {
        // Below the bound, one more cannot overflow.
        IntPredicate::SLt | IntPredicate::ULt => steps_by(program, cfg, counter, block, inside, 1),
        IntPredicate::SGt | IntPredicate::UGt => steps_by(program, cfg, counter, block, inside, -1),
        // It may overflow, but then comes around.
        IntPredicate::Ne => {
            steps_by(program, cfg, counter, block, inside, 1)
                || steps_by(program, cfg, counter, block, inside, -1)
        }
        IntPredicate::Eq
        | IntPredicate::UGe
        | IntPredicate::ULe
        | IntPredicate::SGe
        | IntPredicate::SLe => false,
    }
}

/// Whether `counter` is a φ of the header that every round changes by `by`.
fn steps_by(
    program: &Program,
    cfg: &Cfg,
    counter: ValueId,
    header: BlockId,
    inside: &FxHashSet<usize>,
    by: i128,
) -> bool {
    let Def::Inst(phi) = program.values[counter].def else { return false };
    let Inst::Phi { incoming } = *program.inst(phi) else { return false };
    let bits = match program.types.get(program.values[counter].ty) {
        crate::ir::Type::Int(bits) => *bits,
        _ => return false,
    };
    if program.insts[phi].block != header || !(1..=64).contains(&bits) {
        return false;
    }
    let wanted = by as u128 & ((1u128 << bits) - 1);
    let back = program.phi_pool.get(incoming).iter();
    let mut back = back.filter(|(from, _)| inside.contains(&cfg.number(*from)));
    back.all(|&(_, operand)| {
        let Operand::Value(value) = operand else { return false };
        let Def::Inst(add) = program.values[value].def else { return false };
        let Inst::Binary { op, lhs, rhs } = *program.inst(add) else { return false };
        let step = |operand: Operand| {
            operand.constant().is_some_and(|c| *program.consts.get(c) == Const::Int(wanted))
        };
        let minus = |operand: Operand| {
            let less = by.wrapping_neg() as u128 & ((1u128 << bits) - 1);
            operand.constant().is_some_and(|c| *program.consts.get(c) == Const::Int(less))
        };
        let same = |operand: Operand| operand == Operand::Value(counter);
        match op {
            BinaryOp::Add => (same(lhs) && step(rhs)) || (same(rhs) && step(lhs)),
            BinaryOp::Sub => same(lhs) && minus(rhs),
            _ => false,
        }
    })
}
