//! What is not decided in a moment is tried on less: the program cut down to what can influence one obligation, where
//! the branches, loops and inputs that do not matter are gone.
//!
//! Only proofs are taken from there. A violation has to be walked to in the program itself.

use super::{alone, engines};
use crate::cegas::{Explored, Reason, Stats, Task, Verdict};
use crate::ir::Program;
use crate::library as models;
use crate::pta;
use crate::rules::Obligation;
use crate::sfg::{self, Sfg};
use crate::svfg;
use crate::watch::{Deadline, Watch};
use rustc_hash::FxHashSet;
use std::sync::Mutex;
use std::time::Duration;

/// How long all is tried together at first: this long, but no more than that part of the time.
const MOMENT: Duration = Duration::from_millis(150);
const FIRST: f64 = 0.06;

/// The part of the time that cuts may take.
const CUTS: f64 = 0.12;

/// And Algorithm 2 after them.
const REFINED: f64 = 0.1;

/// More open obligations, or a larger program, are not cut.
const MOST_OPEN: usize = 8;
const LARGEST: usize = 1_000_000;

/// In a larger program, looking at one obligation alone takes longer than there is time for each.
const LARGEST_ALONE: usize = 20_000;

/// A cut must leave out this part of the instructions to be worth it.
const LEFT_OUT: f64 = 0.5;

/// The explorer, with cuts and Algorithm 2 between its first moment and the rest of its time.
pub(super) fn explore(task: &Task<'_>) -> Explored {
    let Task { program, obligations, options, budget, cancel, .. } = *task;
    let start = Watch::start();
    let said = Mutex::new(FxHashSet::default());
    let once = |obligation: &Obligation| {
        if said.lock().is_ok_and(|mut said| said.insert((obligation.at, obligation.rule))) {
            task.found.into_iter().for_each(|found| found(obligation));
        }
    };
    let explored = |time| Task { found: Some(&once), ..*task }.within(time).explore();
    // What is still open when the prover is through gets the rest of the time one by one.
    let to_the_end = || {
        let left = || budget.time.saturating_sub(start.elapsed());
        if program.insts.len() > LARGEST_ALONE {
            return explored(left());
        }
        let shared = Task { found: Some(&once), ..*task }.within(left()).explore_together();
        alone::after(&Task { found: Some(&once), ..*task }, shared, left())
    };
    // Invariants are to speak of the whole program; its entry is where the pointer analysis starts.
    let may_cut = !options.tells_invariants
        && program.funcs[task.entry.func].name == "main"
        && program.insts.len() <= LARGEST
        && obligations.len() <= 64;
    if options.tells_invariants {
        return explored(budget.time);
    }
    if !may_cut {
        return to_the_end();
    }
    let moment = budget.time.mul_f64(FIRST).min(MOMENT);
    let first = Task { found: Some(&once), ..*task }.shortened(moment).explore();
    let open: Vec<Obligation> =
        first.verdicts.iter().filter(|(_, v)| is_open(v)).map(|(o, _)| *o).collect();
    if open.is_empty() || open.len() > MOST_OPEN || cancel.is_wished() {
        return match open.is_empty() {
            true => first,
            false => kept(first, to_the_end()),
        };
    }
    let (mut proved, asked) = proved(task, &open, budget.time.mul_f64(CUTS));
    let is_still_open = |o: &&Obligation| !proved.iter().any(|(known, _)| known == *o);
    let still: Vec<Obligation> = open.iter().filter(is_still_open).copied().collect();
    let refined = engines::by_refinement(task, &still, budget.time.mul_f64(REFINED));
    // As from cuts: a violation is walked to where it can be told as on every machine.
    proved.extend(refined.into_iter().filter(|(_, verdict)| matches!(verdict, Verdict::Safe(_))));
    let is_proved = |obligation: &Obligation| proved.iter().any(|(o, _)| o == obligation);
    let before = first.asked;
    let mut all = match open.iter().all(is_proved) {
        true => first,
        false => {
            let mut all = kept(first, to_the_end());
            all.asked += before;
            all
        }
    };
    all.asked += asked;
    for (obligation, verdict) in &mut all.verdicts {
        let by_cut = proved.iter().find(|(o, _)| o == obligation);
        if let (Verdict::Unknown(_), Some((_, by_cut))) = (&verdict, by_cut) {
            *verdict = by_cut.clone();
        }
    }
    all
}

/// What was found first is told as it was found first, however much time there was for the rest.
fn kept(first: Explored, mut all: Explored) -> Explored {
    for (obligation, verdict) in first.verdicts {
        if let Verdict::Unsafe(_) = verdict
            && let Some(last) = all.verdicts.iter_mut().find(|(o, _)| *o == obligation)
        {
            last.1 = verdict;
        }
    }
    all
}

/// Whether more time, or less to look at, might tell.
pub(super) fn is_open(verdict: &Verdict) -> bool {
    match verdict {
        Verdict::Safe(_) | Verdict::Unsafe(_) => false,
        Verdict::Unknown(reason) => match reason {
            Reason::Time
            | Reason::Memory
            | Reason::Depth { .. }
            | Reason::Unsupported { .. }
            | Reason::Solver { .. }
            | Reason::Bound { .. }
            | Reason::Relation => true,
            // A way to it was found, so it cannot be proved.
            Reason::Doubt { .. }
            | Reason::StillReachable
            | Reason::Replay
            | Reason::Unproved { .. } => false,
        },
    }
}

/// Those of the obligations that hold in what can influence them.
fn proved(
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
        let explored = task.shortened(left / (cuts.len() - index) as u32).explore();
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
