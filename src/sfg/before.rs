//! What can come before the obligation: the blocks from which an execution may still get there, through
//! calls and returns. What cannot has no influence on it.

use crate::ir::{BlockId, FuncId, Inst, InstId, Program};
use crate::pta::PointsTo;
use crate::svfg::modref::Calls;
use cranelift_entity::{EntitySet, SecondaryMap};

/// Who calls each function, in the order of the instructions.
pub type Callers = SecondaryMap<FuncId, Vec<InstId>>;

pub fn callers(program: &Program, answer: &PointsTo) -> Callers {
    let calls = Calls::new(program, answer);
    let mut callers = Callers::new();
    for &func in &answer.reachable {
        let blocks = program.funcs[func].blocks.iter();
        for inst in blocks.flat_map(|block| program.blocks[block].insts.iter()) {
            for callee in calls.of(inst) {
                if callers[callee].last() != Some(&inst) {
                    callers[callee].push(inst);
                }
            }
        }
    }
    callers
}

#[derive(Debug, Default)]
pub struct Before {
    /// Blocks in or after whose start the obligation may come.
    pub blocks: EntitySet<BlockId>,
    /// Functions after whose return it may come.
    pub after: EntitySet<FuncId>,
}

impl Before {
    /// What can come before `at`. `first` are the functions that are run to their end before the one in
    /// which executions start.
    pub fn new(program: &Program, callers: &Callers, at: InstId, first: &[FuncId]) -> Self {
        let mut before = Before::default();
        first.iter().for_each(|&func| _ = before.after.insert(func));

        // Upward from the obligation: it, and every call on the way to it.
        let mut seen: EntitySet<FuncId> = EntitySet::new();
        let mut waiting = vec![at];
        let mut open: Vec<FuncId> = first.to_vec();
        while let Some(inst) = waiting.pop() {
            let func = program.func_of(inst);
            before.back_from(program, program.insts[inst].block);
            open.push(func);
            if seen.insert(func) {
                waiting.extend(&callers[func]);
            }
        }
        // Downward: what is called on the way runs to its end before.
        let mut changed = true;
        while changed {
            changed = false;
            for (func, calls) in callers.iter() {
                if before.after.contains(func) {
                    continue;
                }
                let may_follow = |&call: &InstId| {
                    let block = program.insts[call].block;
                    before.blocks.contains(block)
                };
                if calls.iter().any(may_follow) {
                    before.after.insert(func);
                    open.push(func);
                    changed = true;
                }
            }
            for func in std::mem::take(&mut open) {
                if before.after.contains(func) {
                    for block in program.funcs[func].blocks.iter() {
                        let last = program.terminator(block).map(|last| program.inst(last));
                        if matches!(last, Some(Inst::Return { .. })) {
                            changed |= before.back_from(program, block);
                        }
                    }
                }
            }
        }
        before
    }

    /// Adds a block and all from which control gets there inside its function.
    fn back_from(&mut self, program: &Program, block: BlockId) -> bool {
        if !self.blocks.insert(block) {
            return false;
        }
        // Functions are small next to programs: looking for predecessors again is cheap enough.
        let cfg = crate::ir::cfg::Cfg::new(program, program.blocks[block].func);
        let mut waiting = vec![cfg.number(block)];
        while let Some(at) = waiting.pop() {
            for &from in cfg.predecessors(at) {
                if self.blocks.insert(cfg.block(from)) {
                    waiting.push(from);
                }
            }
        }
        true
    }
}
