//! Whether a variable is alive where it is accessed: no end of its scope leads there without a new
//! beginning.

use crate::ir::{BlockId, Inst, InstId, Operand, Program};
use rustc_hash::{FxHashMap, FxHashSet};

#[derive(Default)]
pub struct Lives {
    /// The places that an end of a variable's scope leads to, by variable.
    dead: FxHashMap<InstId, FxHashSet<InstId>>,
}

impl Lives {
    /// Whether the variable made by the alloca `made` is alive whenever `at`, in the same function, runs.
    pub fn is_alive(&mut self, program: &Program, made: InstId, at: InstId) -> bool {
        if program.func_of(made) != program.func_of(at) {
            return false;
        }
        !self.dead.entry(made).or_insert_with(|| dead_places(program, made)).contains(&at)
    }
}

fn dead_places(program: &Program, made: InstId) -> FxHashSet<InstId> {
    let mut dead = FxHashSet::default();
    let Some(variable) = program.insts[made].result.expand().map(Operand::Value) else {
        return dead;
    };
    let func = &program.funcs[program.func_of(made)];
    let mut waiting: Vec<(BlockId, Option<InstId>)> = Vec::new();
    for block in func.blocks.iter() {
        for inst in program.blocks[block].insts.iter() {
            match program.insts[inst].inst {
                Inst::LifetimeEnd { object } if object == variable => {
                    waiting.push((block, Some(inst)));
                }
                // It may end anything made on the stack since.
                Inst::StackRestore { .. } => waiting.push((block, Some(inst))),
                _ => {}
            }
        }
    }
    let mut entered = FxHashSet::default();
    while let Some((block, after)) = waiting.pop() {
        if after.is_none() && !entered.insert(block) {
            continue;
        }
        let behind = |inst: &InstId| after.is_none_or(|after| *inst > after);
        let mut goes_on = true;
        for inst in program.blocks[block].insts.iter().filter(behind) {
            match program.insts[inst].inst {
                Inst::LifetimeStart { object } if object == variable => {
                    goes_on = false;
                    break;
                }
                Inst::Alloca { .. } if inst == made => {
                    goes_on = false;
                    break;
                }
                _ => {
                    dead.insert(inst);
                }
            }
        }
        if goes_on {
            waiting.extend(program.successors(block).into_iter().map(|next| (next, None)));
        }
    }
    dead
}
