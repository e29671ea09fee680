//! Following executions: every path from the entry, those with the fewest open choices first, until
//! none is left or the budget is used up. This is symbolic execution with calling contexts: a value
//! belongs to its frame, a callee's parameters are bound to the caller's arguments.
//!
//! Invariants: an obligation is called violated only with a path whose conditions the solver found
//! satisfiable, which was then walked again with the values found; it is called safe only if every path
//! was followed to its end, none was cut, and none left what the model knows.

use super::cover;
use super::machine::{Machine, Stop};
use super::state::State;
use super::step::Flow;
use super::verdict::{Counterexample, Proof, Reason, Verdict};
use super::visited::Visited;
use crate::cancel::Cancel;
use crate::ir::{FuncId, InstId, Program};
use crate::rules::Obligation;
use crate::smt::{Answer, ExprId, Limits};
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

/// What an exploration may cost.
#[derive(Debug, Clone, Copy)]
pub struct Budget {
    pub time: Duration,
    /// Paths that wait at one time.
    pub waiting: usize,
    /// Expressions made.
    pub expressions: usize,
}

/// Executed between two looks at the clock.
const STEPS_PER_LOOK: u32 = 256;

/// The part of the time after which loops are tried to be proved, if paths are still open: what can be found
/// by following paths is mostly found at once.
const FIRST_SLICE: f64 = 0.2;

/// The part of the time when that has to be done.
const PROOF_SLICE: f64 = 0.8;

/// Explores `program` from `entry` and says what came out for each obligation, in their order.
pub fn explore(
    program: &Program,
    entry: FuncId,
    obligations: &[Obligation],
    budget: Budget,
    cancel: &Cancel,
) -> Vec<Verdict> {
    let mut explorer = Explorer::new(program, entry, obligations, budget, cancel);
    explorer.run(FIRST_SLICE);
    if explorer.is_paused && !cancel.is_wished() {
        explorer.prove(PROOF_SLICE);
        explorer.run(1.0);
    }
    explorer.verdicts()
}

struct Explorer<'a> {
    machine: Machine<'a>,
    entry: FuncId,
    obligations: &'a [Obligation],
    by_inst: FxHashMap<InstId, Vec<usize>>,
    violated: Vec<Option<Counterexample>>,
    /// Why an obligation that seems violated may not be.
    doubtful: Vec<Option<Reason>>,
    /// The first reason why not every path was followed to its end.
    incomplete: Option<Reason>,
    waiting: BTreeMap<u32, Vec<State>>,
    waiting_count: usize,
    paths: u64,
    budget: Budget,
    /// Obligations that hold although not every path was followed.
    proved: BTreeSet<usize>,
    visited: Visited,
    start: Instant,
    /// When this slice of the time is over.
    deadline: Instant,
    /// It was over before all paths were followed.
    is_paused: bool,
    cancel: &'a Cancel,
    limits: Limits,
    /// Steps until the next look at the clock.
    until_look: u32,
}

/// What is to be done with a state after an instruction.
enum Next {
    Go,
    Done,
}

impl<'a> Explorer<'a> {
    fn new(
        program: &'a Program,
        entry: FuncId,
        obligations: &'a [Obligation],
        budget: Budget,
        cancel: &'a Cancel,
    ) -> Self {
        let mut by_inst: FxHashMap<InstId, Vec<usize>> = FxHashMap::default();
        for (index, obligation) in obligations.iter().enumerate() {
            by_inst.entry(obligation.at).or_default().push(index);
        }
        let milliseconds = u32::try_from(budget.time.as_millis() / 2).unwrap_or(u32::MAX).max(100);
        Explorer {
            machine: Machine::new(program),
            entry,
            obligations,
            by_inst,
            violated: vec![None; obligations.len()],
            doubtful: vec![None; obligations.len()],
            incomplete: None,
            waiting: BTreeMap::new(),
            waiting_count: 0,
            paths: 0,
            budget,
            proved: BTreeSet::new(),
            visited: Visited::default(),
            start: Instant::now(),
            deadline: Instant::now(),
            is_paused: false,
            cancel,
            limits: Limits { milliseconds, ..Limits::default() },
            until_look: STEPS_PER_LOOK,
        }
    }

    /// Follows paths until that part of the time is over.
    fn run(&mut self, slice: f64) {
        self.deadline = self.start + self.budget.time.mul_f64(slice);
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

    fn all_settled(&self) -> bool {
        let mut all = self.violated.iter().enumerate();
        all.all(|(index, violated)| violated.is_some() || self.proved.contains(&index))
    }

    /// Tries to prove what is not violated, by covering loops.
    fn prove(&mut self, slice: f64) {
        let settled: Vec<bool> = self.violated.iter().map(Option::is_some).collect();
        let question = cover::Question {
            entry: self.entry,
            obligations: self.obligations,
            by_inst: &self.by_inst,
            settled: &settled,
            deadline: self.start + self.budget.time.mul_f64(slice),
            cancel: self.cancel,
        };
        self.proved = cover::prove(&mut self.machine, question);
    }

    fn wait(&mut self, state: State) {
        self.waiting.entry(state.choices).or_default().push(state);
        self.waiting_count += 1;
        if self.waiting_count > self.budget.waiting {
            self.cut(Reason::Memory);
        }
    }

    fn next_state(&mut self) -> Option<State> {
        let mut first = self.waiting.first_entry()?;
        let state = first.get_mut().pop();
        if first.get().is_empty() {
            first.remove();
        }
        self.waiting_count -= 1;
        state
    }

    /// Some path was not followed to its end.
    fn cut(&mut self, reason: Reason) {
        if self.incomplete.is_none() || reason == Reason::Memory {
            self.incomplete = Some(reason);
        }
    }

    /// Follows one path until it ends or the values known do not decide where it goes.
    fn follow(&mut self, mut state: State) {
        let mut steps = 0u32;
        // A state of this stretch, taken at growing distances: coming back to it means for ever.
        let mut landmark: Option<State> = None;
        let mut until_next = 64u32;
        // After a choice, somebody else may have been here.
        if self.visited.meets(&mut self.machine, &state, &self.limits) {
            self.paths += 1;
            return;
        }
        let mut is_checked = false;
        loop {
            steps = steps.wrapping_add(1);
            self.until_look -= 1;
            if self.until_look == 0 && self.is_over() {
                return self.wait(state);
            }
            let before = state.top().map(|frame| (frame.block, frame.at));
            let outcome = self.advance(&mut state);
            match outcome {
                Ok(Next::Go) => {}
                Ok(Next::Done) | Err(Stop::End) => {
                    self.paths += 1;
                    return;
                }
                Err(Stop::Gap(what)) => {
                    let at = state.top().map(|frame| frame.at);
                    return self.cut(Reason::Unsupported { what, at });
                }
            }
            // A block may also go back to itself.
            let now = state.top().map(|frame| (frame.block, frame.at));
            if now.map(|(block, _)| block) != before.map(|(block, _)| block) || now <= before {
                if !is_checked && self.visited.is_at_head(&self.machine, &state) {
                    is_checked = true;
                    if self.visited.meets(&mut self.machine, &state, &self.limits) {
                        self.paths += 1;
                        return;
                    }
                }
                if landmark.as_ref().is_some_and(|mark| mark.same(&state)) {
                    self.paths += 1;
                    return;
                }
                until_next -= 1;
                if until_next == 0 {
                    until_next = steps.clamp(64, 1 << 24);
                    landmark = Some(state.clone());
                }
            }
        }
    }

    fn is_over(&mut self) -> bool {
        self.until_look = STEPS_PER_LOOK;
        if Instant::now() >= self.deadline || self.cancel.is_wished() {
            self.is_paused = true;
            return true;
        }
        if self.machine.smt.pool.len() > self.budget.expressions {
            self.cut(Reason::Memory);
            return true;
        }
        false
    }

    /// One instruction.
    fn advance(&mut self, state: &mut State) -> Result<Next, Stop> {
        let Some(at) = state.top().map(|frame| frame.at) else {
            return match state.pending.pop_back() {
                Some(func) => self.machine.enter_first(state, func).map(|()| Next::Go),
                None => Ok(Next::Done),
            };
        };
        if self.by_inst.contains_key(&at) {
            self.judge(state, at)?;
        }
        match self.machine.step(state, at)? {
            Flow::Next => self.machine.advance(state).map(|()| Next::Go),
            Flow::Return(value) => self.machine.leave(state, value).map(|_| Next::Go),
            Flow::Blocks(targets) => {
                let go =
                    |explorer: &mut Self, state: &mut State, to| explorer.machine.jump(state, to);
                self.choose(state, targets, go)
            }
            Flow::Call(callees) => {
                let go = |explorer: &mut Self, state: &mut State, to| {
                    explorer.machine.enter(state, at, to)
                };
                self.choose(state, callees, go)
            }
        }
    }

    /// Goes the one way that is open, or leaves a state for each.
    fn choose<T: Copy>(
        &mut self,
        state: &mut State,
        ways: Vec<(ExprId, T)>,
        go: impl Fn(&mut Self, &mut State, T) -> Result<(), Stop>,
    ) -> Result<Next, Stop> {
        let mut open: Vec<(ExprId, T)> =
            ways.into_iter().filter(|&(cond, _)| self.is_open(state, cond)).collect();
        match open[..] {
            [] => Err(Stop::End),
            [(_, to)] => go(self, state, to).map(|()| Next::Go),
            _ => {
                open.reverse();
                for (cond, to) in open {
                    let mut other = state.clone();
                    other.choices += 1;
                    let gone = self.machine.assume(&mut other, cond);
                    match gone.and_then(|()| go(self, &mut other, to)) {
                        Ok(()) => self.wait(other),
                        Err(Stop::End) => self.paths += 1,
                        Err(Stop::Gap(what)) => {
                            let at = other.top().map(|frame| frame.at);
                            self.cut(Reason::Unsupported { what, at });
                        }
                    }
                }
                Ok(Next::Done)
            }
        }
    }

    /// Whether the path can go on where `cond` holds, as far as the solver tells.
    fn is_open(&mut self, state: &State, cond: ExprId) -> bool {
        match self.machine.smt.pool.as_const(cond) {
            Some(value) => value != 0,
            None if self.machine.speaks_of_addresses(cond) => true,
            None => !matches!(self.ask(state, cond), Answer::Unsat(_)),
        }
    }

    fn ask(&mut self, state: &State, cond: ExprId) -> Answer {
        let mut conditions: Vec<ExprId> = state.assumed.iter().copied().collect();
        conditions.push(cond);
        // A question costs more than many steps: look at the clock after it.
        self.until_look = 1;
        self.machine.smt.check(&conditions, &self.limits)
    }

    /// Looks at the obligations of `at`; the execution goes on only where they hold.
    fn judge(&mut self, state: &mut State, at: InstId) -> Result<(), Stop> {
        let here = self.by_inst.get(&at).cloned().unwrap_or_default();
        for index in here {
            let violation = self.machine.violation(state, self.obligations[index].demand)?;
            if self.machine.smt.pool.as_const(violation) == Some(0) {
                continue;
            }
            if self.violated[index].is_none() {
                self.decide(state, at, index, violation);
            }
            let holds = self.machine.smt.pool.not(violation);
            self.machine.assume(state, holds)?;
        }
        Ok(())
    }

    fn decide(&mut self, state: &State, at: InstId, index: usize, violation: ExprId) {
        let reason = if self.machine.speaks_of_addresses(violation) {
            Reason::Doubt { why: "where objects lie in memory".into() }
        } else {
            match self.ask(state, violation) {
                Answer::Unsat(_) => return,
                Answer::Unknown(why) => Reason::Solver { why },
                Answer::Sat(_) if state.doubt.is_some() => {
                    let why = state.doubt.as_deref().unwrap_or_default().to_owned();
                    Reason::Doubt { why }
                }
                Answer::Sat(inputs) => {
                    let demand = self.obligations[index].demand;
                    match self.machine.replay(self.entry, inputs, at, demand) {
                        Some(steps) => {
                            self.violated[index] = Some(Counterexample { at, steps });
                            return;
                        }
                        None => Reason::Replay,
                    }
                }
            }
        };
        if self.doubtful[index].is_none() {
            self.doubtful[index] = Some(reason);
        }
    }

    fn verdicts(self) -> Vec<Verdict> {
        let paths = self.paths;
        let incomplete = if self.is_paused { Some(Reason::Time) } else { self.incomplete };
        let proved = self.proved;
        let one =
            |(index, (violated, doubtful)): (usize, (Option<Counterexample>, Option<Reason>))| {
                match (violated, doubtful.or_else(|| incomplete.clone())) {
                    (Some(counterexample), _) => Verdict::Unsafe(counterexample),
                    (None, _) if proved.contains(&index) => Verdict::Safe(Proof::Covered),
                    (None, Some(reason)) => Verdict::Unknown(reason),
                    (None, None) => Verdict::Safe(Proof::Exhaustive { paths }),
                }
            };
        self.violated.into_iter().zip(self.doubtful).enumerate().map(one).collect()
    }
}
