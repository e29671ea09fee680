//! How the time is shared: paths are followed first, since what can be found that way is mostly found at
//! once; then some executions with random inputs; then loops are covered, to prove what is left; the rest
//! of the time goes to paths again.

use super::cover::{self, Proved};
use super::explore::Explorer;
use super::features::Features;
use super::state::State;
use super::verdict::{Counterexample, Proof, Reason, Verdict};
use crate::rules::Obligation;
use crate::watch::Deadline;

/// The parts of the time for the first two, counted as work: which of them finds a violation decides how it is told, and
/// that must be the same on every machine. What can be found by following paths is mostly found at once; what random
/// inputs meet, soon.
const FIRST_PATHS: f64 = 0.03;
const DIVES: f64 = 0.12;

/// The parts of the time after which each has to be done, whatever it counted.
const MORE_PATHS: f64 = 0.2;
const MOST_PATHS: f64 = 0.5;
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

    /// Paths and proofs alone, those first that sooner come to an end.
    pub(super) fn run_for_proofs(&mut self) {
        let (paths, proofs) = match Features::of(self.machine.program).favour_proofs() {
            true => (MORE_PATHS / 2.0, TOGETHER),
            false => (MOST_PATHS, PROOFS),
        };
        self.run(self.after(paths));
        if self.goes_on() || self.has_left() {
            self.prove(proofs);
        }
        if self.goes_on() {
            self.run(self.after(1.0));
        }
    }

    /// Everything but the last part; tells whether that is still to come.
    fn run_to_proofs(&mut self) -> bool {
        let nominal = self.budget.nominal.as_secs_f64();
        self.most_work = (nominal * FIRST_PATHS * STEPS) as u64;
        self.run(self.unhurried(MORE_PATHS));
        self.most_work = u64::MAX;
        let mut only = None;
        if self.goes_on() || self.has_left() {
            let steps = (nominal * DIVES * PLAIN_STEPS) as u64;
            only = self.dive(self.unhurried(LAST_DIVE), steps);
        }
        if self.goes_on() {
            // Where there is but one path and its end is near, no proof comes sooner.
            let is_near = only.is_some_and(|steps| steps as f64 / STEPS < nominal * PROOFS);
            self.run(self.after(if is_near { PROOFS } else { MORE_PATHS }));
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
    fn after(&self, slice: f64) -> Deadline {
        self.start.after(self.budget.time.mul_f64(slice))
    }

    /// The same for what counts its work.
    pub(super) fn unhurried(&self, slice: f64) -> Deadline {
        self.start.after(self.budget.time.mul_f64(slice).max(self.budget.grace))
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

    /// What nobody has followed yet waits.
    pub(super) fn begin(&mut self) {
        let start = self.machine.start(self.entry);
        self.wait(start);
    }

    /// Follows paths until then.
    pub(super) fn run(&mut self, deadline: Deadline) {
        self.deadline = deadline;
        if !self.is_paused {
            self.begin();
        }
        self.is_paused = false;
        while !self.all_settled() {
            if let Some(state) = self.interrupted.take() {
                self.go_on(state);
            } else if let Some(state) = self.next_state() {
                self.follow(state);
            } else {
                return;
            }
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
        let Proved { all_met, proved, invariants, written } =
            cover::prove(&mut self.machine, &mut self.ledger, question);
        self.make_room();
        (self.invariants, self.written) = (invariants, written);
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cancel::Cancel;
    use crate::cegas::Options;
    use crate::cegas::Rest;
    use crate::cegas::task::{Budget, Task};
    use crate::entries::Entry;
    use crate::order::Order;
    use crate::{ir, pta, rules};
    use std::time::Duration;

    /// The sixth turn is one too many.
    const TURNS: &str = r#"program "turns"
machine "x86_64-pc-linux-gnu" layout "e-m:e-i64:64-n8:16:32:64-S128" pointer 64 little
type t0 = i32 size 4 store 4 align 4
type t1 = void size 0 store 0 align 1
type t2 = i1 size 1 store 1 align 1

func f0 @main() -> i32 external {
b0:
    jump b1
b1:
    v0: i32 = phi [b0: i32 0, b4: v4]
    v1: i32 = call @__VERIFIER_nondet_int()
    v2: i1 = icmp ne v1, i32 0
    branch v2, b2, b5
b2:
    v3: i1 = icmp eq v0, i32 5
    branch v3, b3, b4
b3:
    call @reach_error()
    jump b4
b4:
    v4: i32 = add v0, i32 1
    jump b1
b5:
    return i32 0
}

func f1 @__VERIFIER_nondet_int() -> i32 external

func f2 @reach_error() -> void external

const c0 = i32 0
const c1 = i32 5
const c2 = i32 1
"#;

    /// What a test makes of the program above.
    fn on_turns<T>(test: impl FnOnce(Task<'_>) -> T) -> T {
        let program = ir::parse(TURNS).expect("a program");
        let main = program.funcs.keys().next().expect("a function");
        let obligations = rules::mark(&program, &[rules::assertion::RULE.id], &[]);
        let time = LONG;
        let grace = Duration::ZERO;
        let budget = Budget { time, nominal: time, grace, waiting: 1000, expressions: 100_000 };
        let options = Options { malloc_may_fail: false, frees_all: false, tells_invariants: false };
        let answer = pta::analyse(&program, &pta::Options::default());
        let order = Order::new(&program, &answer, main).expect("one order");
        test(Task {
            program: &program,
            entry: &Entry::plain(main),
            obligations: &obligations,
            options,
            budget,
            cancel: &Cancel::default(),
            rest: Some(&Rest::everything(&order)),
            found: None,
            only: None,
        })
    }

    const LONG: Duration = Duration::from_secs(600);

    /// A path that was interrupted at the head of a loop goes on there: nobody else was there in its state.
    #[test]
    fn paths_are_followed_however_often_they_are_interrupted() {
        let verdicts = on_turns(|task| {
            let mut explorer = Explorer::of(&task);
            explorer.most_work = 0;
            for _ in 0..1000 {
                // One instruction at a time.
                explorer.until_look = 2;
                explorer.run(Deadline::within(LONG));
                if !explorer.is_paused {
                    break;
                }
            }
            explorer.verdicts()
        });
        assert!(matches!(verdicts[..], [(_, Verdict::Unsafe(_))]), "{verdicts:?}");
    }

    /// Who only looks for proofs has followed no path, so whatever has none is open.
    #[test]
    fn what_is_neither_proved_nor_followed_is_open() {
        let verdicts = on_turns(|task| task.shortened(Duration::from_millis(100)).prove().verdicts);
        assert!(matches!(verdicts[..], [(_, Verdict::Unknown(_))]), "{verdicts:?}");
        let proofs = |task: Task<'_>| task.shortened(LONG).explore_for_proofs().verdicts;
        let verdicts = on_turns(proofs);
        assert!(!matches!(verdicts[..], [(_, Verdict::Safe(_))]), "{verdicts:?}");
    }
}
