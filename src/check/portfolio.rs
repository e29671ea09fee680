//! The ways of deciding, and who of them gets the time first: a moment for all of them together, then what proves best
//! for what the program looks like, then the explorer with the rest.
//!
//! Invariant: only proofs are taken from what comes before the explorer. A violation is walked to in the program itself, by the same
//! means on every machine, so that it is told in the same way.
//!
//! The order was measured on programs whose verdicts are known. Where loops turn often or functions call themselves, a proof is
//! found in half a second or hardly at all, and what came before it used to take three; where they do not, paths end.

use super::cuts::{self, LARGEST};
use super::{alone, engines};
use crate::cegas::{Explored, Features, Reason, Stats, Task, Verdict};
use crate::rules::Obligation;
use crate::watch::Watch;
use rustc_hash::FxHashSet;
use std::sync::Mutex;
use std::time::Duration;

/// How long all is tried together at first: this long, but no more than that part of the time.
const MOMENT: Duration = Duration::from_millis(150);
const FIRST: f64 = 0.06;

/// Ways to a proof, each with the part of the time that it may take.
#[derive(Debug, Clone, Copy)]
enum Way {
    /// Loops and recursion covered by invariants, in the program as it is.
    Invariants,
    /// On what can influence the obligation alone.
    Cuts,
    /// The paper's Algorithm 2.
    Refinement,
}

/// Where proofs are to be written down, whatever has one to write comes first.
const BEHIND_INVARIANTS: &[(Way, f64)] = &[(Way::Refinement, 0.1)];

const WHERE_PATHS_END: &[(Way, f64)] = &[(Way::Cuts, 0.12), (Way::Refinement, 0.1)];
const WHERE_THEY_MAY_NOT: &[(Way, f64)] =
    &[(Way::Invariants, 0.15), (Way::Cuts, 0.12), (Way::Refinement, 0.1)];

/// More open obligations have no part of the time for each.
const MOST_OPEN: usize = 8;
const MOST_ASKED: usize = 64;

/// In a larger program, looking at one obligation alone takes longer than there is time for each.
const LARGEST_ALONE: usize = 20_000;

pub(super) fn explore(task: &Task<'_>) -> Explored {
    let Task { program, obligations, options, budget, cancel, .. } = *task;
    let start = Watch::start();
    let said = Mutex::new(FxHashSet::default());
    let once = |obligation: &Obligation| {
        if said.lock().is_ok_and(|mut said| said.insert((obligation.at, obligation.rule))) {
            task.found.into_iter().for_each(|found| found(obligation));
        }
    };
    let task = &Task { found: Some(&once), ..*task };
    // What is still open when the prover is through gets the rest of the time one by one.
    let to_the_end = || {
        let left = || budget.time.saturating_sub(start.elapsed());
        if program.insts.len() > LARGEST_ALONE {
            return task.within(left()).explore();
        }
        let shared = task.within(left()).explore_together();
        alone::after(task, shared, left())
    };
    // Invariants are to speak of the whole program.
    if options.tells_invariants {
        let behind: f64 = BEHIND_INVARIANTS.iter().map(|(_, share)| share).sum();
        let explored = task.within(budget.time.mul_f64(1.0 - behind)).explore();
        let open = open_of(&explored);
        let found = in_order(task, BEHIND_INVARIANTS, open);
        return completed(explored, found);
    }
    // The pointer analysis that cuts rest on starts at `main`.
    let is_small = program.insts.len() <= LARGEST && obligations.len() <= MOST_ASKED;
    if program.funcs[task.entry.func].name != "main" || !is_small {
        return to_the_end();
    }
    let moment = budget.time.mul_f64(FIRST).min(MOMENT);
    let first = task.shortened(moment).explore();
    let open = open_of(&first);
    if open.is_empty() {
        return first;
    }
    if open.len() > MOST_OPEN || cancel.is_wished() {
        return kept(first, to_the_end());
    }
    let ways = match Features::of(program).favour_proofs() {
        true => WHERE_THEY_MAY_NOT,
        false => WHERE_PATHS_END,
    };
    let found = in_order(task, ways, open.clone());
    let is_proved = |obligation: &Obligation| found.proved.iter().any(|(o, _)| o == obligation);
    let all = match open.iter().all(is_proved) {
        true => Explored { is_complete: first.is_complete || found.is_complete, ..first },
        false => {
            let before = first.asked;
            let mut all = kept(first, to_the_end());
            all.asked += before;
            all
        }
    };
    completed(all, found)
}

/// What more time, or less to look at, might decide.
fn open_of(explored: &Explored) -> Vec<Obligation> {
    explored.verdicts.iter().filter(|(_, verdict)| is_open(verdict)).map(|(o, _)| *o).collect()
}

/// What the ways to a proof came to.
#[derive(Default)]
struct Found {
    proved: Vec<(Obligation, Verdict)>,
    asked: Stats,
    /// One of them met every call of a model, and proved what is asked there.
    is_complete: bool,
}

/// One way after the other, until nothing is open.
fn in_order(task: &Task<'_>, ways: &[(Way, f64)], mut open: Vec<Obligation>) -> Found {
    let mut found = Found::default();
    for &(way, share) in ways {
        if open.is_empty() || task.cancel.is_wished() {
            break;
        }
        let time = task.budget.time.mul_f64(share);
        let verdicts = match way {
            Way::Invariants => {
                let explored = task.shortened(time).prove();
                found.asked += explored.asked;
                let is_safe = |(_, verdict): &(Obligation, Verdict)| is_safe(verdict);
                found.is_complete |= explored.is_complete && explored.verdicts.iter().all(is_safe);
                explored.verdicts
            }
            Way::Cuts => {
                let (verdicts, asked) = cuts::proved(task, &open, time);
                found.asked += asked;
                verdicts
            }
            Way::Refinement => engines::by_refinement(task, &open, time),
        };
        let is_asked = |(o, verdict): &(Obligation, Verdict)| open.contains(o) && is_safe(verdict);
        let proved: Vec<_> = verdicts.into_iter().filter(is_asked).collect();
        open.retain(|obligation| !proved.iter().any(|(o, _)| o == obligation));
        found.proved.extend(proved);
    }
    found
}

/// With what else was proved.
fn completed(mut all: Explored, found: Found) -> Explored {
    all.asked += found.asked;
    for (obligation, verdict) in &mut all.verdicts {
        let known = found.proved.iter().find(|(o, _)| o == obligation);
        if let (Verdict::Unknown(_), Some((_, known))) = (&verdict, known) {
            *verdict = known.clone();
        }
    }
    all
}

fn is_safe(verdict: &Verdict) -> bool {
    matches!(verdict, Verdict::Safe(_))
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
