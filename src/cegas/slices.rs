//! How the time is shared: paths are followed first, since what can be found that way is mostly found at
//! once; then some executions with random inputs; then loops are covered, to prove what is left; the rest
//! of the time goes to paths again.

use super::cover::{self, Proved};
use super::explore::Explorer;
use super::state::State;
use super::verdict::{Counterexample, Proof, Reason, Verdict};
use crate::rules::Obligation;
use std::time::Instant;

/// The parts of the time for the first two, counted as work: which of them finds a violation decides how it is told, and
/// that must be the same on every machine. What can be found by following paths is mostly found at once; what random
/// inputs meet, soon.
const FIRST_PATHS: f64 = 0.03;
const DIVES: f64 = 0.12;

/// The parts of the time after which each has to be done, whatever it counted.
const MORE_PATHS: f64 = 0.2;
const LAST_DIVE: f64 = 0.3;
const PROOFS: f64 = 0.8;
const TOGETHER: f64 = 0.9;

/// Steps in a second, of paths and of executions with plain numbers.
const STEPS: f64 = 1e6;
const PLAIN_STEPS: f64 = 3e7;

impl Explorer<'_> {
    pub(super) fn run_in_slices(&mut self) {
        if self.run_to_proofs() {
            self.run(self.after(1.0));
        }
    }

    /// The same, but some of the last part is left to several obligations that are open before it.
    pub(super) fn run_together(&mut self) {
        if self.run_to_proofs() {
            self.run(self.after(if self.open_count() < 2 { 1.0 } else { TOGETHER }));
        }
    }

    /// Everything but the last part; tells whether that is still to come.
    fn run_to_proofs(&mut self) -> bool {
        let nominal = self.budget.nominal.as_secs_f64();
        self.most_work = (nominal * FIRST_PATHS * STEPS) as u64;
        self.run(self.unhurried(MORE_PATHS));
        self.most_work = u64::MAX;
        if self.goes_on() || self.has_left() {
            self.dive(self.unhurried(LAST_DIVE), (nominal * DIVES * PLAIN_STEPS) as u64);
        }
        if self.goes_on() {
            self.run(self.after(MORE_PATHS));
        }
        if self.goes_on() || self.has_left() {
            self.prove(PROOFS);
        }
        self.goes_on()
    }

    /// How many obligations are neither violated nor proved.
    fn open_count(&self) -> usize {
        let is_settled = |index: usize| {
            self.violated[index].is_some() || self.proved.contains(&index) || self.known[index]
        };
        (0..self.violated.len()).filter(|&index| !is_settled(index)).count()
    }

    /// When that part of the time is over.
    fn after(&self, slice: f64) -> Instant {
        self.start + self.budget.time.mul_f64(slice)
    }

    /// The same for what counts its work.
    pub(super) fn unhurried(&self, slice: f64) -> Instant {
        self.after(slice).max(self.start + self.budget.grace)
    }

    /// Whether there is anything left to do but no reason to end.
    fn goes_on(&self) -> bool {
        self.is_paused && !self.cancel.is_wished()
    }

    /// Whether no path is left to follow, but some were left where a number was not known: plain numbers are not
    /// stopped by that, and a proof may need none.
    fn has_left(&self) -> bool {
        matches!(self.incomplete, Some(Reason::Unsupported { .. }))
            && !self.is_paused
            && !self.cancel.is_wished()
            && !self.all_settled()
    }

    /// Follows paths until then.
    pub(super) fn run(&mut self, deadline: Instant) {
        self.deadline = deadline;
        if !self.is_paused {
            let start = self.machine.start(self.entry);
            self.wait(start);
        }
        self.is_paused = false;
        while let Some(state) = self.next_state() {
            if self.all_settled() {
                return;
            }
            self.follow(state);
            if self.is_paused || self.incomplete == Some(Reason::Memory) {
                return;
            }
        }
    }

    /// Whether nothing is left to find.
    pub(super) fn all_settled(&self) -> bool {
        let mut all = self.violated.iter().enumerate();
        (!self.machine.marks.in_models || self.all_met)
            && all.all(|(index, violated)| {
                violated.is_some() || self.proved.contains(&index) || self.known[index]
            })
    }

    /// Tries to prove what is not violated, by covering loops.
    pub(super) fn prove(&mut self, slice: f64) {
        let violated = self.violated.iter().map(Option::is_some);
        let settled: Vec<bool> =
            violated.zip(&self.known).map(|(violated, &known)| violated || known).collect();
        let question = cover::Question {
            entry: self.entry,
            settled: &settled,
            deadline: self.after(slice),
            cancel: self.cancel,
        };
        let Proved { all_met, proved, invariants } =
            cover::prove(&mut self.machine, &mut self.ledger, question);
        self.make_room();
        self.invariants = invariants;
        self.proved = proved;
        self.all_met = all_met;
    }

    /// Whether another path was here in the same state. Who asks for lost memory wants to know what is lost on
    /// paths that never end, too.
    pub(super) fn was_met(&mut self, state: &State) -> bool {
        self.machine.marks.kept.is_none()
            && self.visited.meets(&mut self.machine, state, &self.limits)
    }

    pub(super) fn verdicts(self) -> Vec<(Obligation, Verdict)> {
        let paths = self.paths;
        let waiting = self.still_waiting();
        let incomplete: Vec<Option<Reason>> =
            (0..self.ledger.len()).map(|index| self.why_open(&waiting, index)).collect();
        let (proved, known) = (self.proved, self.known);
        let one = |index: usize, violated: Option<Counterexample>, open: Option<Reason>| match (
            violated, open,
        ) {
            (Some(counterexample), _) => Verdict::Unsafe(counterexample),
            (None, _) if proved.contains(&index) => Verdict::Safe(Proof::Covered),
            (None, Some(reason)) => Verdict::Unknown(reason),
            (None, None) => Verdict::Safe(Proof::Exhaustive { paths }),
        };
        let open = self.doubtful.into_iter().zip(incomplete).map(|(own, of_all)| own.or(of_all));
        let verdicts = self.violated.into_iter().zip(open).enumerate();
        let verdicts = verdicts.map(|(index, (violated, open))| one(index, violated, open));
        let told = self.ledger.into_obligations().into_iter().zip(verdicts).zip(known);
        told.filter(|(_, known)| !known).map(|(told, _)| told).collect()
    }
}
