//! What is not decided in a moment is tried on less: the program cut down to what can influence one obligation, where
//! the branches, loops and inputs that do not matter are gone.
//!
//! Only proofs are taken from there. A violation has to be walked to in the program itself.

use crate::cegas::{Stats, Task, Verdict};
use crate::ir::Program;
use crate::library as models;
use crate::pta;
use crate::rules::Obligation;
use crate::sfg::{self, Sfg};
use crate::svfg;
use crate::watch::Deadline;
use std::time::Duration;

/// A larger program is not cut.
pub(super) const LARGEST: usize = 1_000_000;

/// A cut must leave out this part of the instructions to be worth it.
const LEFT_OUT: f64 = 0.5;

/// Those of the obligations that hold in what can influence them.
pub(super) fn proved(
    task: &Task<'_>,
    open: &[Obligation],
    time: Duration,
) -> (Vec<(Obligation, Verdict)>, Stats) {
    let program = task.program;
    let deadline = Deadline::within(time);
    let cuts = of(task, open);
    let (mut proved, mut asked) = (Vec::new(), Stats::default());
    for (index, (obligation, cut)) in cuts.iter().enumerate() {
        let left = deadline.left();
        if left.is_zero() || task.cancel.is_wished() {
            break;
        }
        let less = cut.program(program);
        let one = std::slice::from_ref(obligation);
        let task = Task { program: &less, obligations: one, rest: None, found: None, ..*task };
        let explored = task.shortened(left / (cuts.len() - index) as u32).explore_for_proofs();
        asked += explored.asked;
        let verdict = explored.verdicts.into_iter().find(|(o, _)| o == obligation);
        proved.extend(verdict.filter(|(_, verdict)| matches!(verdict, Verdict::Safe(_))));
    }
    (proved, asked)
}

/// What can influence each of the obligations, where that is much less than the program.
pub(super) fn of(task: &Task<'_>, open: &[Obligation]) -> Vec<(Obligation, Sfg)> {
    let program = task.program;
    // The pointer analysis starts at `main`.
    if program.funcs[task.entry.func].name != "main" || program.insts.len() > LARGEST {
        return Vec::new();
    }
    let answer = pta::analyse(program, &pta::Options::default());
    let graph = svfg::build(program, &answer, svfg::Options { fields: false });
    let callers = sfg::callers(program, &answer);
    let cutter = sfg::Cutter::new(program, &answer, &graph, &callers);
    let own = open.iter().filter(|o| !models::is_model(program, program.func_of(o.at)));
    own.filter_map(|o| Some((*o, cutter.cut(o)?)))
        .filter(|(_, cut)| is_worth_it(program, cut))
        .collect()
}

/// Whether enough is left out.
fn is_worth_it(program: &Program, cut: &Sfg) -> bool {
    let blocks = cut.funcs.iter().flat_map(|&func| program.funcs[func].blocks.iter());
    let insts = blocks.flat_map(|block| program.blocks[block].insts.iter());
    let (mut all, mut kept) = (0usize, 0usize);
    for inst in insts {
        all += 1;
        kept += usize::from(cut.relevant.insts.contains(inst));
    }
    (kept as f64) < (1.0 - LEFT_OUT) * all as f64
}
