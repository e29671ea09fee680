//! The attempts of a proof, each with what the last one learned.

use super::cover::{Bound, Fail, Proved, Prover, Tried};
use super::paths::is_provable;
use super::summary::Summaries;
use crate::rules::Demand;
use crate::smt::ExprId;
use crate::watch::Deadline;
use rustc_hash::FxHashSet;
use std::collections::BTreeSet;

/// Attempts with what the last one learned.
const MOST_ROUNDS: u32 = 9;

/// Attempts to prove nothing more than that no memory is lost: they learn little from each other.
const ROUNDS_FOR_KEPT: u32 = 3;

impl Prover<'_, '_, '_> {
    pub(super) fn rounds(&mut self) -> Proved {
        let mut found = Proved::default();
        let (mut round, mut is_thorough) = (0, false);
        let deadline = self.question.deadline;
        while round < MOST_ROUNDS {
            self.may_hurry = !self.unproved(&found).is_subset(&self.kept());
            let may_hurry = self.may_hurry;
            let mut result = self.attempt(is_thorough, &mut found);
            let is_hurried = may_hurry && !std::mem::take(&mut self.may_hurry);
            self.question.deadline = deadline;
            if matches!(result, Err(Fail::Beyond)) && self.machine.is_ghost_new() {
                continue;
            }
            round += 1;
            if matches!(result, Err(Fail::Time)) && is_hurried && !self.is_over() {
                result = Err(Fail::Beyond);
            }
            if matches!(result, Err(Fail::Time)) {
                break;
            }
            if let Err(Fail::Time) = self.one_of_few(is_thorough, &mut found) {
                break;
            }
            is_thorough |= self.summaries.is_used();
            if let Err(Fail::Time) = self.anchored(is_thorough, &mut found) {
                break;
            }
            let open = self.unproved(&found);
            let is_done =
                open.is_empty() || round >= ROUNDS_FOR_KEPT && open.is_subset(&self.kept());
            if found.all_met && is_done {
                break;
            }
            self.unrolls = !self.unrolls && self.summaries.is_used();
            self.keeps_known = !self.keeps_known && !self.classes.is_empty();
            let suspects = self.suspects.clone();
            self.guess_of_nodes(&suspects);
            let known: FxHashSet<ExprId> = self.hints.iter().copied().collect();
            let new: Vec<ExprId> =
                self.suspects.drain(..).filter(|hint| !known.contains(hint)).collect();
            if new.is_empty() || round % 2 == 0 {
                self.patience = if self.patience == 0 { 8 } else { self.patience * 4 };
            }
            self.hints.extend(new);
            self.refuted_before = std::mem::take(&mut self.refuted);
            // What is simple is proved by simple means, and with lists each round is simple again but for one thing.
            let next = round + 1;
            self.interpolates = self.classes.is_empty() || next.is_multiple_of(3);
            self.hypotheses = if next.is_multiple_of(4) { next / 2 - 1 } else { 0 };
        }
        found
    }

    /// One look at the whole program.
    fn attempt(&mut self, is_thorough: bool, found: &mut Proved) -> Tried<()> {
        self.failed.clear();
        // Turns in which demands are taken to be met say nothing of what is lost in them.
        self.loses = self.hypotheses > 0;
        self.suspects.clear();
        self.refuted.clear();
        (self.met, self.joins) = Default::default();
        self.summaries = Summaries::new(is_thorough);
        self.depth = 0;
        let mut start = self.machine.start(self.question.entry);
        start.assumed.extend(self.machine.ghost_index());
        self.machine.young = u32::MAX;
        self.turn(vec![start], Bound::End)?;
        found.all_met = true;
        let known = found.proved.len();
        if self.loses {
            self.failed.extend(self.kept());
        }
        found.proved.extend(self.wanted().difference(&self.failed));
        if self.machine.options.tells_invariants && found.proved.len() > known {
            found.written.extend(self.written());
            found.invariants.extend(self.spoken());
        }
        Ok(())
    }

    /// The same with the elements that some stores write, for each of them.
    fn anchored(&mut self, is_thorough: bool, found: &mut Proved) -> Tried<()> {
        // What rests on such a choice is not written down.
        if self.machine.options.tells_invariants || self.hypotheses > 0 {
            return Ok(());
        }
        let mut tried = BTreeSet::new();
        let (mut suspects, refuted) =
            (std::mem::take(&mut self.suspects), std::mem::take(&mut self.refuted));
        let mut result = Ok(());
        while !self.unproved(found).is_subset(&self.kept()) && !matches!(result, Err(Fail::Time)) {
            let next = self.machine.anchors().into_iter().find(|anchor| !tried.contains(anchor));
            let Some(next) = next else { break };
            tried.insert(next);
            self.machine.choose_anchor(Some(next));
            result = self.attempt(is_thorough, found);
            suspects.append(&mut self.suspects);
        }
        self.machine.choose_anchor(None);
        (self.suspects, self.refuted) = (suspects, refuted);
        result.or_else(|fail| if matches!(fail, Fail::Time) { Err(fail) } else { Ok(()) })
    }

    /// The same with one element of arrays that are followed element by element else.
    fn one_of_few(&mut self, is_thorough: bool, found: &mut Proved) -> Tried<()> {
        if !self.machine.has_few() || self.unproved(found).is_subset(&self.kept()) {
            return Ok(());
        }
        let (mut suspects, refuted) =
            (std::mem::take(&mut self.suspects), std::mem::take(&mut self.refuted));
        let deadline = self.question.deadline;
        let left = deadline.left();
        self.question.deadline = Deadline::within(left / 2);
        let result = loop {
            self.machine.follow_one_of_few(true);
            let result = self.attempt(is_thorough, found);
            if !matches!(result, Err(Fail::Beyond)) || !self.machine.is_ghost_new() {
                break result;
            }
        };
        self.machine.follow_one_of_few(false);
        self.question.deadline = deadline;
        if result.is_err() {
            // It would not be otherwise next time.
            self.machine.give_up_few();
        }
        suspects.append(&mut self.suspects);
        (self.suspects, self.refuted) = (suspects, refuted);
        if self.is_over() { Err(Fail::Time) } else { Ok(()) }
    }

    /// An attempt that may be better made with one element of an array does not take all of the time.
    pub(super) fn hurry(&mut self) {
        if self.may_hurry && self.machine.has_few() {
            self.may_hurry = false;
            let left = self.question.deadline.left();
            self.question.deadline = Deadline::within(left / 3);
        }
    }

    /// The obligations that have no proof yet.
    fn unproved(&self, found: &Proved) -> BTreeSet<usize> {
        self.wanted().difference(&found.proved).copied().collect()
    }

    /// The obligations that wait for a proof and can have one here.
    fn wanted(&self) -> BTreeSet<usize> {
        let is_wanted = |&index: &usize| {
            let demand = self.ledger.get(index).demand;
            !self.is_settled(index) && (is_provable(demand) || demand == Demand::Kept)
        };
        (0..self.ledger.len()).filter(is_wanted).collect()
    }

    /// Those that ask whether allocated memory is lost.
    fn kept(&self) -> BTreeSet<usize> {
        let is_kept = |&index: &usize| self.ledger.get(index).demand == Demand::Kept;
        (0..self.ledger.len()).filter(is_kept).collect()
    }

    pub(super) fn is_settled(&self, index: usize) -> bool {
        self.question.settled.get(index) == Some(&true)
    }
}
