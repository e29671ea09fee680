//! Deciding from several entries: each is explored on its own, and what they say of an obligation is joined.
//!
//! Invariants: an obligation is proved only if every entry that can come to it proves it; a violation from one entry is a
//! violation. What is said under an assumption says so. Entries share the time: what the small ones leave
//! goes to the large ones.

use crate::budgets::ENTRIES_IN_FULL;
use crate::cancel::Cancel;
use crate::cegas::{self, Budget, Explored, Reason, Task, Verdict};
use crate::entries::{Entry, Reach};
use crate::ir::{FuncId, InstId, Program};
use crate::rules::Obligation;
use cranelift_entity::EntitySet;
use rayon::prelude::*;
use rustc_hash::FxHashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

#[derive(Clone, Copy)]
pub(super) struct Question<'a> {
    pub program: &'a Program,
    pub entries: &'a [Entry],
    pub obligations: &'a [Obligation],
    pub options: cegas::Options,
    /// For each entry at most, but for all of them not more than for a few.
    pub budget: Budget,
    /// For all entries together, if that is limited.
    pub all: Option<Duration>,
    pub found: &'a (dyn Fn(&Obligation) + Sync),
    pub cancel: &'a Cancel,
}

/// What came out for one obligation, and what that assumes.
pub(super) struct Judged {
    pub obligation: Obligation,
    pub verdict: Verdict,
    pub assumes: Vec<String>,
}

pub(super) struct Decided {
    pub judged: Vec<Judged>,
    pub is_complete: bool,
    /// A bug of ours cut the work short.
    pub failed: bool,
}

/// What one entry says.
struct Said<'a> {
    entry: &'a Entry,
    reached: EntitySet<FuncId>,
    /// With every value that variables may have. Nothing if there was a panic.
    full: Option<Explored>,
    /// With variables as they are configured at the start: what is violated then, is.
    configured: Option<(Entry, Explored)>,
}

/// Decides every obligation from every entry that can come to it.
pub(super) fn decide(question: Question<'_>) -> Decided {
    let reach = Reach::new(question.program);
    let count = question.entries.len();
    let all = question.budget.time.saturating_mul(count.min(ENTRIES_IN_FULL) as u32);
    let all = question
        .all
        .map_or(all, |limit| all.min(limit.saturating_mul(rayon::current_num_threads() as u32)));
    let purse = Mutex::new(Purse { left: all, takers: count as u32 });
    let said: Vec<Said<'_>> = question
        .entries
        .par_iter()
        .map(|entry| ask(question, entry, reach.funcs(entry.func), &purse))
        .collect();
    join(question, &said)
}

/// The time that entries share.
struct Purse {
    left: Duration,
    /// Who has not taken a share yet.
    takers: u32,
}

impl Purse {
    fn take(&mut self, most: Duration) -> Duration {
        let share = most.min(self.left / self.takers.max(1));
        self.takers = self.takers.saturating_sub(1);
        self.left = self.left.saturating_sub(share);
        share
    }
}

fn ask<'a>(
    question: Question<'a>,
    entry: &'a Entry,
    reached: EntitySet<FuncId>,
    purse: &Mutex<Purse>,
) -> Said<'a> {
    let most = question.budget.time;
    let share = purse.lock().unwrap_or_else(PoisonError::into_inner).take(most);
    let start = Instant::now();
    let own = |o: &&Obligation| reached.contains(question.program.func_of(o.at));
    let obligations: Vec<Obligation> = question.obligations.iter().filter(own).copied().collect();
    let explored = |entry: &Entry, time: Duration| {
        let Question { program, options, budget, found, cancel, .. } = question;
        let (obligations, found) = (&obligations[..], Some(&found as &dyn Fn(&Obligation)));
        let task = Task {
            program,
            entry,
            obligations,
            options,
            budget,
            cancel,
            rest: None,
            found,
            only: None,
        };
        catch_unwind(AssertUnwindSafe(|| task.within(time).explore())).ok()
    };
    let configured = entry.configured(question.program);
    let configured = configured.and_then(|entry| {
        let explored = explored(&entry, share / 2)?;
        Some((entry, explored))
    });
    let full = explored(entry, share.saturating_sub(start.elapsed()));
    let unused = share.saturating_sub(start.elapsed());
    purse.lock().unwrap_or_else(PoisonError::into_inner).left += unused;
    Said { entry, reached, full, configured }
}

/// All that was said of one obligation.
#[derive(Default)]
struct Heard<'a> {
    violation: Option<(&'a Verdict, &'a [String])>,
    unknown: Option<Reason>,
    provers: Vec<&'a Entry>,
}

fn join<'a>(question: Question<'_>, said: &'a [Said<'a>]) -> Decided {
    let mut order: Vec<Obligation> = Vec::new();
    let mut known: FxHashMap<(InstId, &str), Vec<usize>> = FxHashMap::default();
    let mut index_of = |o: &Obligation, order: &mut Vec<Obligation>| {
        let here = known.entry((o.at, o.rule)).or_default();
        here.iter().copied().find(|&index| order[index] == *o).unwrap_or_else(|| {
            order.push(*o);
            here.push(order.len() - 1);
            order.len() - 1
        })
    };
    // Who spoke of which obligation, by entry; then who did not although it should have.
    let mut heard: Vec<Heard<'a>> = Vec::new();
    let mut spoken: Vec<Vec<usize>> = Vec::new();
    for one in said {
        let mut of = Vec::new();
        for (obligation, verdict) in one.full.iter().flat_map(|explored| &explored.verdicts) {
            let index = index_of(obligation, &mut order);
            heard.resize_with(order.len(), Heard::default);
            heard[index].hear(verdict, one.entry, true);
            of.push(index);
        }
        let configured = one.configured.iter();
        for (entry, (obligation, verdict)) in
            configured.flat_map(|(entry, all)| all.verdicts.iter().map(move |said| (entry, said)))
        {
            if let Verdict::Unsafe(_) = verdict {
                let index = index_of(obligation, &mut order);
                heard.resize_with(order.len(), Heard::default);
                heard[index].hear(verdict, entry, false);
            }
        }
        of.sort_unstable();
        spoken.push(of);
    }
    for o in question.obligations {
        let is_model = crate::library::is_model(question.program, question.program.func_of(o.at));
        if !is_model {
            index_of(o, &mut order);
        }
    }
    heard.resize_with(order.len(), Heard::default);
    for (one, of) in said.iter().zip(&spoken) {
        if one.full.as_ref().is_some_and(|explored| explored.is_complete) {
            continue;
        }
        for (index, obligation) in order.iter().enumerate() {
            let func = question.program.func_of(obligation.at);
            if one.reached.contains(func) && of.binary_search(&index).is_err() {
                heard[index].unknown.get_or_insert(match one.full {
                    Some(_) => Reason::Time,
                    None => super::engines::bug(),
                });
            }
        }
    }
    let judged = order.into_iter().zip(heard).map(|(o, heard)| heard.judge(o)).collect();
    Decided {
        judged,
        is_complete: said.iter().all(|s| s.full.as_ref().is_some_and(|e| e.is_complete)),
        failed: said.iter().any(|s| s.full.is_none()),
    }
}

impl<'a> Heard<'a> {
    fn hear(&mut self, verdict: &'a Verdict, entry: &'a Entry, is_full: bool) {
        match verdict {
            // The fewer assumptions, the better.
            Verdict::Unsafe(_) => {
                if self.violation.is_none_or(|(_, others)| entry.assumes.len() < others.len()) {
                    self.violation = Some((verdict, &entry.assumes));
                }
            }
            Verdict::Unknown(reason) if is_full => {
                let is_better = matches!(reason, Reason::Doubt { .. })
                    && !matches!(self.unknown, Some(Reason::Doubt { .. }));
                if is_better || self.unknown.is_none() {
                    self.unknown = Some(reason.clone());
                }
            }
            Verdict::Safe(_) if is_full => self.provers.push(entry),
            Verdict::Unknown(_) | Verdict::Safe(_) => {}
        }
    }

    fn judge(self, obligation: Obligation) -> Judged {
        if let Some((verdict, assumes)) = self.violation {
            return Judged { obligation, verdict: verdict.clone(), assumes: assumes.to_vec() };
        }
        if let Some(reason) = self.unknown {
            return Judged { obligation, verdict: Verdict::Unknown(reason), assumes: Vec::new() };
        }
        let verdict = Verdict::Safe(cegas::Proof::Covered);
        Judged { obligation, verdict, assumes: rests_on(&self.provers) }
    }
}

/// What a proof from all these entries rests on: in full if it is one, else by name.
fn rests_on(provers: &[&Entry]) -> Vec<String> {
    let assuming: Vec<&&Entry> = provers.iter().filter(|e| !e.assumes.is_empty()).collect();
    match assuming[..] {
        [] => Vec::new(),
        [one] => one.assumes.clone(),
        [..] => vec![format!("what is assumed of the callers of {} entries", assuming.len())],
    }
}
