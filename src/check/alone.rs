//! What all obligations together did not come to the end of is tried once more, each on its own: on the program cut down to
//! what can influence it, or else on the whole with nothing else asked. So one that is hard takes its own time, not that of
//! the others, and a bug that one of them meets leaves the others decided.
//!
//! Invariant: each gets the same time, however many work at once; what comes out is put together in the obligations' order.

use super::cuts::{self, is_open};
use super::engines::bug;
use crate::cegas::{Explored, Stats, Task, Verdict};
use crate::ir::InstId;
use crate::library as models;
use crate::rules::Obligation;
use crate::sfg::Sfg;
use rayon::prelude::*;
use rustc_hash::FxHashSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

/// Less than this is not worth beginning.
const LEAST: Duration = Duration::from_millis(40);

/// As many are tried; the others stay as they are.
const MOST: usize = 64;

/// Tries what is open again, in what is left of the time.
pub(super) fn after(task: &Task<'_>, mut explored: Explored, left: Duration) -> Explored {
    let asked: FxHashSet<(InstId, &str)> =
        task.obligations.iter().map(|o| (o.at, o.rule)).collect();
    let own = |o: &Obligation| {
        asked.contains(&(o.at, o.rule))
            && !models::is_model(task.program, task.program.func_of(o.at))
    };
    let open = explored.verdicts.iter().filter(|(o, verdict)| is_open(verdict) && own(o));
    let open: Vec<Obligation> = open.map(|(o, _)| *o).collect();
    if open.len() < 2 || task.cancel.is_wished() {
        return explored;
    }
    for (obligation, verdict, asked) in each(task, open, left) {
        explored.asked += asked;
        let place = explored.verdicts.iter_mut().find(|(o, _)| *o == obligation);
        let Some((_, known)) = place else { continue };
        match verdict {
            Verdict::Unknown(_) => continue,
            Verdict::Unsafe(_) => task.found.into_iter().for_each(|found| found(&obligation)),
            Verdict::Safe(_) => {}
        }
        *known = verdict;
    }
    explored
}

/// All obligations one by one: the exploration of all together met a bug of ours.
pub(super) fn after_bug(task: &Task<'_>) -> Vec<(Obligation, Verdict)> {
    let own = |o: &&Obligation| !models::is_model(task.program, task.program.func_of(o.at));
    let all: Vec<Obligation> = task.obligations.iter().filter(own).copied().collect();
    let mut decided: Vec<(Obligation, Verdict)> = each(task, all.clone(), task.budget.time)
        .into_iter()
        .map(|(obligation, verdict, _)| (obligation, verdict))
        .collect();
    // Those for which there was no time.
    for obligation in all {
        if !decided.iter().any(|(known, _)| *known == obligation) {
            decided.push((obligation, Verdict::Unknown(bug())));
        }
    }
    decided
}

/// Decides each on its own; those for which there is no time are left out.
fn each(
    task: &Task<'_>,
    mut open: Vec<Obligation>,
    time: Duration,
) -> Vec<(Obligation, Verdict, Stats)> {
    let most = (time.as_nanos() / LEAST.as_nanos()).min(MOST as u128) as usize;
    open.truncate(most);
    let Some(slice) = time.checked_div(open.len() as u32) else { return Vec::new() };
    let cuts = catch_unwind(AssertUnwindSafe(|| cuts::of(task, &open))).unwrap_or_default();
    // Whoever hears of violations hears them from one thread.
    let Task { program, entry, obligations, options, budget, cancel, .. } = *task;
    let one = |obligation: Obligation| {
        let only = Some(obligation);
        let alone = Task {
            program,
            entry,
            obligations,
            options,
            budget,
            cancel,
            rest: None,
            found: None,
            only,
        };
        let cut = cuts.iter().find(|(of, _)| *of == obligation).map(|(_, cut)| cut);
        let decide = || decided(&alone.shortened(slice), obligation, cut);
        // A bug of ours is this obligation's alone.
        let (verdict, asked) = catch_unwind(AssertUnwindSafe(decide))
            .unwrap_or_else(|_| (Verdict::Unknown(bug()), Stats::default()));
        (obligation, verdict, asked)
    };
    open.into_par_iter().map(one).collect()
}

/// One obligation: a proof in what can influence it, or whatever comes out of the program itself.
fn decided(task: &Task<'_>, obligation: Obligation, cut: Option<&Sfg>) -> (Verdict, Stats) {
    let verdict = |explored: Explored| {
        let own = explored.verdicts.into_iter().find(|(o, _)| *o == obligation);
        // Each that was asked is answered.
        own.map_or_else(|| Verdict::Unknown(bug()), |(_, verdict)| verdict)
    };
    let Some(cut) = cut else {
        let explored = task.explore();
        let asked = explored.asked;
        return (verdict(explored), asked);
    };
    let less = cut.program(task.program);
    let one = std::slice::from_ref(&obligation);
    let explored = Task { program: &less, obligations: one, only: None, ..*task }.explore();
    let asked = explored.asked;
    match verdict(explored) {
        // A violation has to be walked to in the program itself.
        Verdict::Unsafe(_) => {
            let explored = task.explore();
            let mut all = asked;
            all += explored.asked;
            (verdict(explored), all)
        }
        other => (other, asked),
    }
}
