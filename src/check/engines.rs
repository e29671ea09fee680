//! Who decides: the explorer, Algorithm 2 before it, an enumeration of paths, the prover alone, or conditions that
//! were given.

use super::{alone, invariants, portfolio};
use crate::cegas::refine::{self, Decider, Question};
use crate::cegas::{Explored, Reason, Task, Verdict, inductive, sse};
use crate::config::{Engine, Settings};
use crate::ir::Program;
use crate::library as models;
use crate::pta;
use crate::rules::{self, Obligation};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

/// Nothing if there was a panic. Where the explorer decides, the obligations are then decided one by one, so that only
/// those which meet the bug are unknown for it.
pub(super) fn decide(task: &Task<'_>, settings: &Settings, paths: &mut String) -> Option<Explored> {
    let claims =
        settings.given.as_ref().map(|given| invariants::given(task.program, given, settings));
    let mut run = || match settings.engine {
        _ if let Some(claims) = &claims => inductive::check(task, claims),
        Engine::Auto => portfolio::explore(task),
        Engine::Proofs => task.prove(),
        Engine::Cegas => refined(task),
        Engine::Sse => enumerated(task, settings, paths),
    };
    catch_unwind(AssertUnwindSafe(&mut run)).ok()
}

/// A panic is a bug of ours: what it leaves open is unknown, the scan goes on.
pub(super) fn without_bug(task: &Task<'_>, settings: &Settings) -> Explored {
    match settings.engine {
        Engine::Auto if settings.given.is_none() => Explored::of(alone::after_bug(task), false),
        _ => undecided(task.obligations),
    }
}

pub(super) fn undecided(obligations: &[Obligation]) -> Explored {
    let unknown = |&obligation| (obligation, Verdict::Unknown(bug()));
    Explored::of(obligations.iter().map(unknown).collect(), false)
}

pub(super) fn bug() -> Reason {
    Reason::Unsupported { what: "a bug in cegas-scan (please report it)".to_owned(), at: None }
}

/// Whether it is the user's own, and one that Algorithm 2 is for.
pub(super) fn is_assertion(program: &Program, obligation: &Obligation) -> bool {
    obligation.rule == rules::assertion::RULE.id
        && refine::is_for(obligation.demand)
        && !models::is_model(program, program.func_of(obligation.at))
}

/// Assertions by Algorithm 2 first; whatever is left as without it.
fn refined(task: &Task<'_>) -> Explored {
    let obligations = task.obligations;
    let verdicts = by_refinement(task, obligations, task.budget.time / 2);
    if verdicts.len() == obligations.len() {
        return Explored::of(verdicts, true);
    }
    let mut explored = task.explore();
    for (obligation, verdict) in &mut explored.verdicts {
        let decided = verdicts.iter().find(|(target, _)| target == obligation);
        if let Some((_, decided)) = decided {
            *verdict = agreed(verdict, decided);
        }
    }
    explored
}

/// The assertions among the obligations that Algorithm 2 decides.
pub(super) fn by_refinement(
    task: &Task<'_>,
    obligations: &[Obligation],
    time: Duration,
) -> Vec<(Obligation, Verdict)> {
    let Task { program, options, cancel, .. } = *task;
    let entry = task.entry.func;
    let wanted: Vec<Obligation> =
        obligations.iter().filter(|o| is_assertion(program, o)).copied().collect();
    // The pointer analysis starts at `main`.
    if program.funcs[entry].name != "main" || wanted.is_empty() {
        return Vec::new();
    }
    let points_to = pta::analyse(program, &pta::Options::default());
    let time = time / wanted.len() as u32;
    let (points_to, obligations) = (&points_to, task.obligations);
    let question = Question { program, entry, points_to, obligations, options, time, cancel };
    let mut decider = Decider::new(question);
    let decided = wanted.into_iter().map(|target| (target, decider.decide(target).verdict));
    decided.filter(|(_, verdict)| !matches!(verdict, Verdict::Unknown(_))).collect()
}

/// Assertions by enumerating paths, and by nothing else; the other rules as without it.
fn enumerated(task: &Task<'_>, settings: &Settings, paths: &mut String) -> Explored {
    let Task { program, obligations, options, cancel, .. } = *task;
    let question = sse::Question {
        program,
        entry: task.entry.func,
        obligations,
        options,
        time: settings.timeout,
        cancel,
        explains: settings.explain_path,
    };
    let found = sse::enumerate(&question, |o| is_assertion(program, o));
    *paths = found.text;
    if found.verdicts.len() == obligations.len() {
        return Explored::of(found.verdicts, true);
    }
    let mut explored = task.explore();
    for (obligation, verdict) in &mut explored.verdicts {
        if let Some((_, own)) = found.verdicts.iter().find(|(target, _)| target == obligation) {
            *verdict = own.clone();
        }
    }
    explored
}

/// What two ways of deciding make of an obligation. If they contradict each other, one is wrong, which is a bug of ours.
fn agreed(one: &Verdict, other: &Verdict) -> Verdict {
    match (one, other) {
        (Verdict::Safe(_), Verdict::Unsafe(_)) | (Verdict::Unsafe(_), Verdict::Safe(_)) => {
            let what = "two engines disagree, a bug in cegas-scan (please report it)".to_owned();
            Verdict::Unknown(Reason::Unsupported { what, at: None })
        }
        (Verdict::Unknown(_), decided) | (decided, _) => decided.clone(),
    }
}
