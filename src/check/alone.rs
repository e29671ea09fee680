//! What all obligations together did not come to the end of is tried once more, each on its own: on the program cut down to
//! what can influence it, or else on the whole with nothing else asked. So one that is hard takes its own time, not that of
//! the others, and a bug that one of them meets leaves the others decided.
//!
//! Invariant: each gets the same time, however many work at once; what comes out is put together in the obligations' order.

use super::cuts;
use super::engines::bug;
use super::portfolio::is_open;
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
    for (obligation, verdict, asked) in each(task, open, left, decided) {
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
    let own = each(task, all.clone(), task.budget.time, decided);
    let own = own.into_iter().map(|(obligation, verdict, _)| (obligation, verdict));
    let mut verdicts: Vec<(Obligation, Verdict)> = own.collect();
    // Those for which there was no time.
    for obligation in all {
        if !verdicts.iter().any(|(known, _)| *known == obligation) {
            verdicts.push((obligation, Verdict::Unknown(bug())));
        }
    }
    verdicts
}

/// Decides each on its own, as `decide` does; those for which there is no time are left out.
fn each(
    task: &Task<'_>,
    mut open: Vec<Obligation>,
    time: Duration,
    decide: impl Fn(&Task<'_>, Obligation, Option<&Sfg>) -> (Verdict, Stats) + Sync,
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
        let decided = || decide(&alone.shortened(slice), obligation, cut);
        // A bug of ours is this obligation's alone.
        let (verdict, asked) = catch_unwind(AssertUnwindSafe(decided))
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cancel::Cancel;
    use crate::cegas::{Budget, Options};
    use crate::check::portfolio;
    use crate::entries::Entry;
    use crate::{ir, rules};

    /// Three assertions: one that can fail, and two that cannot.
    const PROGRAM: &str = r#"program "three"
machine "x86_64-pc-linux-gnu" layout "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128" pointer 64 little
type t0 = i32 size 4 store 4 align 4
type t1 = void size 0 store 0 align 1
type t2 = ptr size 8 store 8 align 8
type t3 = i1 size 1 store 1 align 1
func f0 @main() -> i32 external {
b0:
    v0: i32 = call @__VERIFIER_nondet_uint()
    v1: i1 = icmp eq v0, i32 7
    branch v1, b1, b2
b1:
    call @reach_error()
    jump b2
b2:
    v2: i1 = icmp ugt v0, v0
    branch v2, b3, b4
b3:
    call @reach_error()
    jump b4
b4:
    v3: i1 = icmp ult v0, i32 0
    branch v3, b5, b6
b5:
    call @reach_error()
    jump b6
b6:
    return i32 0
}
func f1 @__VERIFIER_nondet_uint() -> i32 external
func f2 @reach_error() -> void external
const c0 = i32 7
const c1 = i32 0
"#;

    fn verdict(verdict: &Verdict) -> String {
        match verdict {
            Verdict::Safe(_) => "safe".to_owned(),
            Verdict::Unsafe(_) => "unsafe".to_owned(),
            Verdict::Unknown(reason) => reason.to_string(),
        }
    }

    #[test]
    fn a_panic_is_that_obligations_alone() {
        let program = ir::parse(PROGRAM).expect("a program");
        let obligations = rules::mark(&program, &[rules::assertion::RULE.id], &[]);
        let entry = Entry::plain(program.func_by_name("main").expect("main"));
        let time = Duration::from_secs(20);
        let budget =
            Budget { time, nominal: time, grace: time, waiting: 1000, expressions: 1_000_000 };
        let found = |_: &Obligation| panic!("whoever hears of it");
        let task = Task {
            program: &program,
            entry: &entry,
            obligations: &obligations,
            options: Options::default(),
            budget,
            cancel: &Cancel::never(),
            rest: None,
            found: Some(&found),
            only: None,
        };
        let together = catch_unwind(AssertUnwindSafe(|| portfolio::explore(&task)));
        assert!(together.is_err(), "the first violation is told to somebody who panics");
        let after: Vec<String> = after_bug(&task).iter().map(|(_, v)| verdict(v)).collect();
        assert_eq!(after, ["unsafe", "safe", "safe"]);

        let hit = obligations[1];
        let each = each(&task, obligations.clone(), time, |task, obligation, cut| {
            assert!(obligation != hit, "a bug");
            decided(task, obligation, cut)
        });
        let each: Vec<String> = each.iter().map(|(_, v, _)| verdict(v)).collect();
        assert_eq!(each[0], "unsafe");
        assert!(each[1].contains("please report it"), "{each:?}");
        assert_eq!(each[2], "safe");
    }
}
