//! Stage 4: control flow, phis and dominance, one function at a time, in time linear in its size but
//! for the dominators' logarithm.

use super::{Report, ensure};
use crate::ir::cfg::Cfg;
use crate::ir::dominators::Dominators;
use crate::ir::ids::{BlockId, FuncId, InstId, ValueId};
use crate::ir::inst::{Inst, Operand};
use crate::ir::program::{Def, Program};

type Found = Result<(), String>;

pub(super) fn check(report: &mut Report<'_>) {
    let p = report.program;
    for (id, func) in &p.funcs {
        let before = report.violations.len();
        for block in func.blocks.iter() {
            order(report, id, block);
        }
        // The graph of a function with stray terminators means nothing.
        if report.violations.len() == before && !func.blocks.is_empty() {
            Flow::new(p, id).check(report);
        }
    }
}

/// The order of instructions inside a block.
fn order(report: &mut Report<'_>, func: FuncId, block: BlockId) {
    let p = report.program;
    let insts = p.blocks[block].insts;
    let mut phis_over = false;
    for id in insts.iter() {
        let inst = p.inst(id);
        let last = insts.last() == Some(id);
        let found = ensure(inst.is_terminator() == last, || {
            let problem = if last { "does not end its block" } else { "ends its block too early" };
            problem.to_owned()
        });
        let phi = matches!(inst, Inst::Phi { .. });
        let found = found
            .and_then(|()| {
                ensure(!(phi && phis_over), || "is a phi after other instructions".into())
            })
            .and_then(|()| if last { targets(p, func, inst) } else { Ok(()) });
        report.check_inst(found, id);
        phis_over |= !phi;
    }
}

fn targets(p: &Program, func: FuncId, terminator: &Inst) -> Found {
    let blocks = p.funcs[func].blocks;
    let mut found = Ok(());
    p.for_each_successor(terminator, |to| {
        if !blocks.contains(to) {
            found = Err(format!("leads to {to}, which lies in another function"));
        }
    });
    found
}

struct Flow<'p> {
    p: &'p Program,
    func: FuncId,
    cfg: Cfg,
    dominators: Dominators,
    /// By the number of a predecessor: the phi that last named it.
    named_by: Vec<Option<InstId>>,
}

impl<'p> Flow<'p> {
    fn new(p: &'p Program, func: FuncId) -> Self {
        let cfg = Cfg::new(p, func);
        let dominators = Dominators::new(&cfg);
        let named_by = vec![None; cfg.len()];
        Flow { p, func, cfg, dominators, named_by }
    }

    fn check(&mut self, report: &mut Report<'_>) {
        let p = self.p;
        let entry_is_target = self.cfg.predecessors(0).first().map(|&from| self.cfg.block(from));
        for (number, block) in p.funcs[self.func].blocks.iter().enumerate() {
            let found = match entry_is_target {
                Some(from) if number == 0 => Err(format!("is the entry, but {from} leads to it")),
                _ => ensure(self.dominators.is_reachable(number), || {
                    "is unreachable from the entry".to_owned()
                }),
            };
            let unreachable = found.is_err();
            report.check(found, |p| format!("@{}, block {block}", p.funcs[self.func].name));
            if unreachable {
                continue;
            }
            for id in p.blocks[block].insts.iter() {
                let found = match p.inst(id) {
                    Inst::Phi { incoming } => self.phi(number, id, p.phi_pool.get(*incoming)),
                    inst => self.uses(id, inst),
                };
                report.check_inst(found, id);
            }
        }
    }

    fn phi(&mut self, number: usize, id: InstId, incoming: &[(BlockId, Operand)]) -> Found {
        for &(from, operand) in incoming {
            if !self.p.funcs[self.func].blocks.contains(from) {
                return Err(format!("{from} lies in another function"));
            }
            let slot = self.cfg.number(from);
            // A predecessor has the block among its successors; its predecessors ascend.
            if self.cfg.predecessors(number).binary_search(&slot).is_err() {
                return Err(format!("{from} is no predecessor"));
            }
            if self.named_by[slot].replace(id) == Some(id) {
                return Err(format!("the predecessor {from} occurs twice"));
            }
            if let Operand::Value(value) = operand
                && !self.defined_at_end_of(value, from)
            {
                return Err(format!("{value} is not defined on every path to the end of {from}"));
            }
        }
        let missing = |&&from: &&usize| self.named_by[from] != Some(id);
        match self.cfg.predecessors(number).iter().find(missing) {
            Some(&from) => Err(format!("the predecessor {} has no operand", self.cfg.block(from))),
            None => ensure(!incoming.is_empty(), || "is a phi without predecessors".to_owned()),
        }
    }

    fn uses(&self, id: InstId, inst: &Inst) -> Found {
        let mut found = Ok(());
        self.p.for_each_operand(inst, |operand| {
            if let Operand::Value(value) = operand
                && found.is_ok()
                && !self.defined_before(value, id)
            {
                found = Err(format!("{value} is not defined on every path to here"));
            }
        });
        found
    }

    fn defined_before(&self, value: ValueId, user: InstId) -> bool {
        match self.p.values[value].def {
            Def::Param { func, .. } => func == self.func,
            Def::Inst(def) => {
                let (from, to) = (self.p.insts[def].block, self.p.insts[user].block);
                if from == to { def < user } else { self.defined_at_end_of(value, to) }
            }
        }
    }

    fn defined_at_end_of(&self, value: ValueId, block: BlockId) -> bool {
        match self.p.values[value].def {
            Def::Param { func, .. } => func == self.func,
            Def::Inst(def) => {
                let from = self.p.insts[def].block;
                self.p.blocks[from].func == self.func
                    && self.dominators.dominates(self.cfg.number(from), self.cfg.number(block))
            }
        }
    }
}
