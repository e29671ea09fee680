//! Deciding from several entries: each is explored on its own, and what they say of an obligation is joined.
//!
//! Invariants: an obligation is proved only if every entry that can come to it proves it; a violation from one entry is a
//! violation. What is said under an assumption says so. Entries share the time: what the small ones leave
//! goes to the large ones.

use super::by_entry::{self, ByEntry};
use super::memory::Shelf;
use super::places::places;
use super::told;
use crate::budgets::ENTRIES_IN_FULL;
use crate::cancel::Cancel;
use crate::cegas::{self, Budget, Explored, Reason, Task, Verdict};
use crate::config::Settings;
use crate::entries::{Entry, Reach};
use crate::ir::{FuncId, InstId, Program};
use crate::progress::Stage;
use crate::report::{self, Cause};
use crate::rules::Obligation;
use crate::watch::Watch;
use cranelift_entity::EntitySet;
use rayon::prelude::*;
use rustc_hash::FxHashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

#[derive(Clone, Copy)]
pub(super) struct Question<'a> {
    pub program: &'a Program,
    pub settings: &'a Settings,
    pub entries: &'a [Entry],
    pub obligations: &'a [Obligation],
    pub options: cegas::Options,
    /// For each entry at most, but for all of them not more than for a few.
    pub budget: Budget,
    pub found: &'a (dyn Fn(&Obligation) + Sync),
    pub deciding: &'a Stage,
    pub cancel: &'a Cancel,
}

pub(super) struct Decided {
    /// What came out for each obligation, and what that assumes.
    pub judged: Vec<report::Obligation>,
    pub is_complete: bool,
    /// A bug of ours cut the work short.
    pub failed: bool,
}

/// What is said of an obligation from one entry.
#[derive(Debug, Clone)]
pub(super) enum Answer {
    Safe,
    /// As it is told, with the places that it names if it is new.
    Unsafe {
        told: Box<report::Obligation>,
        at: Vec<InstId>,
    },
    Unknown(Unsure),
}

#[derive(Debug, Clone)]
pub(super) struct Unsure {
    pub reason: String,
    pub cause: Cause,
}

impl From<&Reason> for Unsure {
    fn from(reason: &Reason) -> Unsure {
        Unsure { reason: reason.to_string(), cause: super::cause(reason) }
    }
}

pub(super) struct Answers {
    pub all: Vec<(Obligation, Answer)>,
    /// Every execution was followed, or covered.
    pub is_complete: bool,
}

/// What one entry says.
pub(super) struct Said<'a> {
    pub entry: &'a Entry,
    pub reached: EntitySet<FuncId>,
    /// With every value that variables may have. Nothing if there was a panic.
    pub full: Option<Answers>,
    /// With variables as they are configured at the start, and what that assumes: what is violated then, is.
    pub configured: Option<(Entry, Answers)>,
    question: by_entry::Question,
    is_recalled: bool,
}

/// Decides every obligation from every entry that can come to it, where that is not known from before.
pub(super) fn decide<'a>(question: Question<'a>, memory: &mut Shelf<by_entry::Record>) -> Decided {
    let Question { program, settings, .. } = question;
    let reach = Reach::new(program);
    let known = ByEntry::new(program, settings, question.obligations, &reach);
    let count = question.entries.len();
    let all = question.budget.time.saturating_mul(count.min(ENTRIES_IN_FULL) as u32);
    let all = settings
        .target_time
        .map_or(all, |limit| all.min(limit.saturating_mul(rayon::current_num_threads() as u32)));
    let known_of =
        |entry: &'a Entry| recalled(question, entry, reach.funcs(entry.func), &known, memory);
    let asked: Vec<Result<Said<'a>, Unasked<'a>>> =
        question.entries.par_iter().map(known_of).collect();
    let anew = asked.iter().filter_map(|asked| asked.as_ref().err()).map(|unasked| unasked.entry);
    let names: Vec<&str> = anew.map(|entry| program.funcs[entry.func].name.as_str()).collect();
    question.deciding.say(&super::anew(program, &names, memory.is_empty()));
    let purse = Mutex::new(Purse { left: all, takers: names.len() as u32 });
    let one = |asked: Result<Said<'a>, Unasked<'a>>| {
        asked.unwrap_or_else(|unasked| ask(question, unasked, &purse))
    };
    let said: Vec<Said<'a>> = asked.into_par_iter().map(one).collect();
    if !question.cancel.is_wished() {
        let mut learned = Shelf::default();
        for one in &said {
            let key = &one.question.key;
            let record = match one.is_recalled {
                true => memory.get(key).cloned(),
                false => known.record(one, &one.question),
            };
            record.into_iter().for_each(|record| learned.put(key, record));
        }
        learned.keep(std::mem::take(memory));
        *memory = learned;
    }
    join(question, &said)
}

/// An entry of which nothing is known yet.
struct Unasked<'a> {
    entry: &'a Entry,
    reached: EntitySet<FuncId>,
    question: by_entry::Question,
}

/// What is known of an entry from before.
fn recalled<'a>(
    question: Question<'a>,
    entry: &'a Entry,
    reached: EntitySet<FuncId>,
    known: &ByEntry<'_>,
    memory: &Shelf<by_entry::Record>,
) -> Result<Said<'a>, Unasked<'a>> {
    let of = known.question(entry, &reached);
    let answers = memory.get(&of.key).and_then(|record| known.recall(record, &of, &reached));
    let configured = entry.configured(question.program);
    match answers {
        Some((full, as_configured)) if configured.is_some() == as_configured.is_some() => {
            let configured = configured.zip(as_configured);
            let full = Some(full);
            Ok(Said { entry, reached, full, configured, question: of, is_recalled: true })
        }
        _ => Err(Unasked { entry, reached, question: of }),
    }
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

fn ask<'a>(question: Question<'a>, unasked: Unasked<'a>, purse: &Mutex<Purse>) -> Said<'a> {
    let Unasked { entry, reached, question: of } = unasked;
    let most = question.budget.time;
    let share = purse.lock().unwrap_or_else(PoisonError::into_inner).take(most);
    let start = Watch::start();
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
        let explored = catch_unwind(AssertUnwindSafe(|| task.within(time).explore())).ok()?;
        Some(answers(question, explored))
    };
    let configured = entry.configured(question.program);
    let configured = configured.and_then(|entry| {
        let explored = explored(&entry, share / 2)?;
        Some((entry, explored))
    });
    let full = explored(entry, share.saturating_sub(start.elapsed()));
    let unused = share.saturating_sub(start.elapsed());
    purse.lock().unwrap_or_else(PoisonError::into_inner).left += unused;
    Said { entry, reached, full, configured, question: of, is_recalled: false }
}

fn answers(question: Question<'_>, explored: Explored) -> Answers {
    let answer = |(obligation, verdict): (Obligation, Verdict)| {
        let answer = match verdict {
            Verdict::Safe(_) => Answer::Safe,
            Verdict::Unknown(reason) => Answer::Unknown(Unsure::from(&reason)),
            Verdict::Unsafe(_) => {
                let at = places(&obligation, &verdict);
                let told = told(question.program, &obligation, verdict, question.settings);
                Answer::Unsafe { told: Box::new(told), at }
            }
        };
        (obligation, answer)
    };
    Answers {
        all: explored.verdicts.into_iter().map(answer).collect(),
        is_complete: explored.is_complete,
    }
}

/// All that was said of one obligation.
#[derive(Default)]
struct Heard<'a> {
    violation: Option<(&'a report::Obligation, &'a [String])>,
    unknown: Option<Unsure>,
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
        for (obligation, answer) in one.full.iter().flat_map(|answers| &answers.all) {
            let index = index_of(obligation, &mut order);
            heard.resize_with(order.len(), Heard::default);
            heard[index].hear(answer, one.entry, true);
            of.push(index);
        }
        let configured = one.configured.iter();
        for (entry, (obligation, answer)) in
            configured.flat_map(|(entry, all)| all.all.iter().map(move |said| (entry, said)))
        {
            if let Answer::Unsafe { .. } = answer {
                let index = index_of(obligation, &mut order);
                heard.resize_with(order.len(), Heard::default);
                heard[index].hear(answer, entry, false);
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
                let reason = match one.full {
                    Some(_) => Reason::Time,
                    None => super::engines::bug(),
                };
                heard[index].unknown.get_or_insert_with(|| Unsure::from(&reason));
            }
        }
    }
    let judged = order.iter().zip(heard).map(|(o, heard)| heard.judge(question, o)).collect();
    Decided {
        judged,
        is_complete: said.iter().all(|s| s.full.as_ref().is_some_and(|e| e.is_complete)),
        failed: said.iter().any(|s| s.full.is_none()),
    }
}

impl<'a> Heard<'a> {
    fn hear(&mut self, answer: &'a Answer, entry: &'a Entry, is_full: bool) {
        match answer {
            // The fewer assumptions, the better.
            Answer::Unsafe { told, .. } => {
                if self.violation.is_none_or(|(_, others)| entry.assumes.len() < others.len()) {
                    self.violation = Some((told, &entry.assumes));
                }
            }
            Answer::Unknown(unsure) if is_full => {
                let is_doubt = |unsure: &Unsure| unsure.cause == Cause::Doubt;
                let is_better = is_doubt(unsure) && !self.unknown.as_ref().is_some_and(is_doubt);
                if is_better || self.unknown.is_none() {
                    self.unknown = Some(unsure.clone());
                }
            }
            Answer::Safe if is_full => self.provers.push(entry),
            Answer::Unknown(_) | Answer::Safe => {}
        }
    }

    fn judge(self, question: Question<'_>, obligation: &Obligation) -> report::Obligation {
        if let Some((told, assumes)) = self.violation {
            return report::Obligation { assumes: assumes.to_vec(), ..told.clone() };
        }
        let safe = Verdict::Safe(cegas::Proof::Covered);
        let told = told(question.program, obligation, safe, question.settings);
        if let Some(Unsure { reason, cause }) = self.unknown {
            let verdict = report::Verdict::Unknown { reason, cause };
            return report::Obligation { verdict, proof: None, ..told };
        }
        report::Obligation { assumes: rests_on(&self.provers), ..told }
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
