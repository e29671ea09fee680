//! Calls that do not come back: of functions that end the program or jump away, and of functions all ways through which
//! come to such a call.
//!
//! That a body is declared not to come back is a promise, not a fact. A call that comes back does so after finitely many steps, so
//! it is enough to begin with no function that does, and to add those in which a return is found behind calls
//! that do.

use crate::ir::{BlockId, FuncId, Function, Inst, InstId, Program};
use crate::pta::PointsTo;
use rustc_hash::FxHashSet;

/// Functions without a body that end the program, however they are declared.
const ENDS: &[&str] = &["exit", "_exit", "_Exit", "abort", "__assert_fail"];

#[derive(Debug, Default)]
pub struct Ends {
    /// The functions with a body that may come back.
    returning: FxHashSet<FuncId>,
    /// Calls that may run functions of other types, too.
    unclear: FxHashSet<InstId>,
}

impl Ends {
    pub fn new(program: &Program, points_to: &PointsTo) -> Ends {
        let unclear = points_to.filtered.iter().map(|&(call, _)| call).collect();
        let mut ends = Ends { unclear, ..Ends::default() };
        let mut changed = true;
        while changed {
            changed = false;
            for &func in points_to.reachable.iter().rev() {
                if !ends.returning.contains(&func) && ends.may_return(program, points_to, func) {
                    changed |= ends.returning.insert(func);
                }
            }
        }
        ends
    }

    /// Whether nothing behind the instruction is ever executed because of it.
    pub fn is_end(&self, program: &Program, points_to: &PointsTo, inst: InstId) -> bool {
        if !matches!(program.insts[inst].inst, Inst::Call { .. }) || self.unclear.contains(&inst) {
            return false;
        }
        let callees = points_to.callees(inst);
        let comes_back = |func: &FuncId| match program.funcs[*func].blocks.is_empty() {
            true => !is_ending(&program.funcs[*func]),
            false => self.returning.contains(func),
        };
        // A pointer to nothing is another matter.
        !callees.unknown && !callees.funcs.is_empty() && !callees.funcs.iter().any(comes_back)
    }

    fn may_return(&self, program: &Program, points_to: &PointsTo, func: FuncId) -> bool {
        let mut seen: FxHashSet<BlockId> = FxHashSet::default();
        let mut waiting: Vec<BlockId> = program.funcs[func].blocks.first().into_iter().collect();
        while let Some(block) = waiting.pop() {
            if !seen.insert(block) {
                continue;
            }
            let mut insts = program.blocks[block].insts.iter();
            if insts.any(|inst| self.is_end(program, points_to, inst)) {
                continue;
            }
            let last = program.terminator(block).map(|last| program.insts[last].inst);
            if last.is_none_or(|last| matches!(last, Inst::Return { .. })) {
                return true;
            }
            waiting.extend(program.successors(block));
        }
        false
    }
}

/// Whether a function without a body does not come back.
fn is_ending(function: &Function) -> bool {
    function.attrs.noreturn || ENDS.contains(&function.name.as_str())
}
