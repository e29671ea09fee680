//! Which SSA values of a function may still be read: what a state carries beside them is of no
//! interest when two states are compared.

use crate::ir::{BlockId, Def, FuncId, Inst, InstId, Operand, Program, ValueId};
use std::collections::{BTreeMap, BTreeSet};

#[derive(Debug)]
pub(super) struct Liveness {
    /// At the start of each block, behind its phis.
    entry: BTreeMap<BlockId, BTreeSet<ValueId>>,
    /// At the end of each block, with what the phis of its successors read.
    exit: BTreeMap<BlockId, BTreeSet<ValueId>>,
}

fn operands(program: &Program, inst: &Inst, mut visit: impl FnMut(ValueId)) {
    program.for_each_operand(inst, |operand| {
        if let Operand::Value(value) = operand {
            visit(value);
        }
    });
}

impl Liveness {
    pub fn new(program: &Program, func: FuncId) -> Liveness {
        let blocks = program.funcs[func].blocks;
        let mut live = Liveness { entry: BTreeMap::new(), exit: BTreeMap::new() };
        let mut predecessors: BTreeMap<BlockId, Vec<BlockId>> = BTreeMap::new();
        for block in blocks.iter() {
            for to in program.successors(block) {
                predecessors.entry(to).or_default().push(block);
            }
        }
        let mut work: BTreeSet<BlockId> = blocks.iter().collect();
        while let Some(block) = work.pop_last() {
            let mut exit = BTreeSet::new();
            for to in program.successors(block) {
                if let Some(entry) = live.entry.get(&to) {
                    exit.extend(entry.iter().filter(|v| !is_phi_of(program, **v, to)));
                }
                for inst in program.blocks[to].insts.iter() {
                    let Inst::Phi { incoming } = program.insts[inst].inst else { break };
                    for &(from, operand) in program.phi_pool.get(incoming) {
                        if let (true, Operand::Value(value)) = (from == block, operand) {
                            exit.insert(value);
                        }
                    }
                }
            }
            let entry = before(program, block, program.blocks[block].insts.first(), &exit);
            live.exit.insert(block, exit);
            if live.entry.get(&block) != Some(&entry) {
                live.entry.insert(block, entry);
                work.extend(predecessors.get(&block).into_iter().flatten());
            }
        }
        live
    }

    /// What is live before the instruction at `at` in `block` is executed, phis being done.
    pub fn at(&self, program: &Program, block: BlockId, at: InstId) -> BTreeSet<ValueId> {
        match self.exit.get(&block) {
            Some(exit) => before(program, block, Some(at), exit),
            None => BTreeSet::new(),
        }
    }
}

fn is_phi_of(program: &Program, value: ValueId, block: BlockId) -> bool {
    match program.values[value].def {
        Def::Inst(inst) => {
            program.insts[inst].block == block
                && matches!(program.insts[inst].inst, Inst::Phi { .. })
        }
        Def::Param { .. } => false,
    }
}

/// From the end of `block` back to `from`; phis define nothing here, their results are live behind them.
fn before(
    program: &Program,
    block: BlockId,
    from: Option<InstId>,
    exit: &BTreeSet<ValueId>,
) -> BTreeSet<ValueId> {
    let mut live = exit.clone();
    for inst in program.blocks[block].insts.iter().rev() {
        let data = &program.insts[inst];
        if Some(inst) < from || matches!(data.inst, Inst::Phi { .. }) {
            break;
        }
        if let Some(result) = data.result.expand() {
            live.remove(&result);
        }
        operands(program, &data.inst, |value| _ = live.insert(value));
    }
    live
}
