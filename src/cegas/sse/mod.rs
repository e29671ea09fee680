//! Path symbolic execution with calling contexts, as a mode of its own: every path from the entry to an assertion is
//! translated, edge by edge, into constraints, and the assertion's negation is asked of the solver on each.
//!
//! A value belongs to its frame, so a variable of a callee is ⟨[call string], v⟩. A branch whose constraint contradicts the
//! ones before is not followed (`handleBranch`). What is executed is the same machine as everywhere.
//!
//! Invariant: an assertion is called safe only if every path was followed to its end; a bound that was met makes it
//! unknown. It is called violated only with a path that was walked again with the values found.

mod explain;

use super::machine::{Machine, Options, Stop};
use super::marks::Marks;
use super::replay::Target;
use super::state::State;
use super::step::Flow;
use super::value::Value;
use super::verdict::{Counterexample, Proof, Reason, Verdict};
use super::violation::Violation;
use crate::budgets::{SSE_PATHS, SSE_STEPS, SSE_TURNS};
use crate::cancel::Cancel;
use crate::cegas::persistent::HashMap;
use crate::ir::{BlockId, FuncId, InstId, Program};
use crate::rules::Obligation;
use crate::smt::{Answer, ExprId, Limits};
use crate::watch::Deadline;
use explain::Account;
use std::rc::Rc;
use std::time::Duration;

/// What is asked.
#[derive(Debug, Clone, Copy)]
pub struct Question<'a> {
    pub program: &'a Program,
    pub entry: FuncId,
    /// All that is demanded, since each assumes the others before it.
    pub obligations: &'a [Obligation],
    pub options: Options,
    pub time: Duration,
    pub cancel: &'a Cancel,
    /// Whether somebody wants to read the paths.
    pub explains: bool,
}

/// What came out.
#[derive(Debug, Default)]
pub struct Enumerated {
    pub verdicts: Vec<(Obligation, Verdict)>,
    /// The paths, step by step.
    pub text: String,
}

/// Enumerates the paths to the obligations that `is_meant` chooses.
pub fn enumerate(question: &Question<'_>, is_meant: impl Fn(&Obligation) -> bool) -> Enumerated {
    let meant: Vec<Obligation> =
        question.obligations.iter().filter(|o| is_meant(o)).copied().collect();
    let marks = Marks::new(question.program, question.obligations);
    let milliseconds = u32::try_from(question.time.as_millis() / 2).unwrap_or(u32::MAX).max(100);
    let mut enumerator = Enumerator {
        machine: Machine::new(question.program, Rc::new(marks), question.options),
        question,
        found: meant.iter().map(|_| Found::default()).collect(),
        meant,
        bound: None,
        deadline: Deadline::within(question.time),
        limits: Limits { milliseconds, ..Limits::default() },
        waiting: Vec::new(),
        paths: 0,
        text: String::new(),
    };
    enumerator.run();
    enumerator.enumerated()
}

/// What is known of one assertion.
#[derive(Default)]
struct Found {
    violated: Option<Counterexample>,
    doubt: Option<Reason>,
    paths: u64,
}

/// A path that is being followed.
#[derive(Clone)]
struct Path {
    state: State,
    /// How often a frame came to a block by a decision that was open.
    turns: HashMap<(usize, BlockId), u32>,
    steps: u32,
    account: Option<Account>,
}

struct Enumerator<'a> {
    machine: Machine<'a>,
    question: &'a Question<'a>,
    meant: Vec<Obligation>,
    found: Vec<Found>,
    /// The first bound that cut a path off.
    bound: Option<Reason>,
    deadline: Deadline,
    limits: Limits,
    waiting: Vec<Path>,
    paths: u64,
    text: String,
}

impl Enumerator<'_> {
    fn run(&mut self) {
        let state = self.machine.start(self.question.entry);
        let account = self.question.explains.then(Account::default);
        self.waiting.push(Path { state, turns: HashMap::new(), steps: 0, account });
        while let Some(path) = self.waiting.pop() {
            if self.paths >= SSE_PATHS {
                let what = format!("more than {SSE_PATHS} paths");
                return self.cut(Reason::Bound { what });
            }
            self.paths += 1;
            self.follow(path);
            if self.bound == Some(Reason::Time) {
                return;
            }
        }
    }

    fn cut(&mut self, reason: Reason) {
        self.bound.get_or_insert(reason);
    }

    fn is_late(&self) -> bool {
        self.deadline.is_over() || self.question.cancel.is_wished()
    }

    fn follow(&mut self, mut path: Path) {
        loop {
            path.steps += 1;
            if path.steps.is_multiple_of(256) && self.is_late() {
                self.bound = Some(Reason::Time);
                return;
            }
            if path.steps > SSE_STEPS {
                let what = format!("a path of more than {SSE_STEPS} steps");
                return self.cut(Reason::Bound { what });
            }
            match self.translate(&mut path) {
                Ok(true) => {}
                Ok(false) | Err(Stop::End | Stop::Exit) => return,
                Err(Stop::Gap(what)) => {
                    let at = path.state.top().map(|frame| frame.at);
                    return self.cut(Reason::Unsupported { what, at });
                }
                Err(Stop::Split(..)) => {
                    let what = "a value that is one of many".to_owned();
                    return self.cut(Reason::Unsupported { what, at: None });
                }
            }
        }
    }

    /// `translatePath`, one instruction; whether the path goes on here.
    fn translate(&mut self, path: &mut Path) -> Result<bool, Stop> {
        let Some(at) = path.state.top().map(|frame| frame.at) else {
            let Some(func) = path.state.next_function() else { return Ok(false) };
            self.machine.enter_first(&mut path.state, func)?;
            self.tell_entry(path, None);
            return Ok(true);
        };
        self.tell_bindings(path, at);
        self.judge(path, at)?;
        let flow = match self.machine.step(&mut path.state, at) {
            Err(Stop::Split(value, ways)) => {
                return self.branch(path, at, ways, |_, path, to| {
                    path.state.set(value, Value::Bits(to));
                    Ok(())
                });
            }
            other => other?,
        };
        self.tell_store(path, at);
        match flow {
            Flow::Next => self.machine.advance(&mut path.state).map(|()| true),
            Flow::Stay => Ok(true),
            Flow::Return(value) => {
                self.machine.leave(&mut path.state, value)?;
                self.tell_return(path);
                Ok(true)
            }
            Flow::Blocks(targets) => self
                .branch(path, at, targets, |this, path, to| this.machine.jump(&mut path.state, to)),
            Flow::Call(callees) => self.branch(path, at, callees, |this, path, func| {
                this.machine.enter(&mut path.state, at, func)?;
                // A new call has made no turns yet.
                let depth = path.state.frames.len();
                path.turns.retain(|(of, _), _| *of < depth);
                this.tell_entry(path, Some(at));
                Ok(())
            }),
            Flow::Outcomes(outcomes) => self.branch(path, at, outcomes, |this, path, outcome| {
                this.machine.finish(&mut path.state, at, outcome)
            }),
        }
    }

    /// `handleBranch`: assume the condition, check, and go on where it can hold.
    fn branch<T: Copy>(
        &mut self,
        path: &mut Path,
        at: InstId,
        ways: Vec<(ExprId, T)>,
        go: impl Fn(&mut Self, &mut Path, T) -> Result<(), Stop>,
    ) -> Result<bool, Stop> {
        let mut open = Vec::new();
        for (cond, to) in ways {
            if self.is_open(&path.state, cond) {
                open.push((cond, to));
            }
        }
        if let [(cond, to)] = open[..] {
            self.tell_constraint(path, at, cond);
            go(self, path, to)?;
            return Ok(true);
        }
        for &(cond, to) in open.iter().rev() {
            let mut other = path.clone();
            other.state.choices += 1;
            if self.machine.assume(&mut other.state, cond).is_err() {
                continue;
            }
            self.tell_constraint(&mut other, at, cond);
            match go(self, &mut other, to) {
                Ok(()) if self.is_within(&mut other) => self.waiting.push(other),
                Ok(()) => {
                    let what = format!("more than {SSE_TURNS} turns of a loop");
                    self.cut(Reason::Bound { what });
                }
                Err(Stop::End | Stop::Exit) => {}
                Err(stop) => return Err(stop),
            }
        }
        Ok(false)
    }

    /// Counts the turn; whether there are not too many.
    fn is_within(&mut self, path: &mut Path) -> bool {
        let depth = path.state.frames.len();
        let Some(block) = path.state.top().map(|frame| frame.block) else { return true };
        let turns = path.turns.entry((depth, block)).or_insert(0);
        *turns += 1;
        *turns <= SSE_TURNS
    }

    fn is_open(&mut self, state: &State, cond: ExprId) -> bool {
        match self.machine.smt.pool.as_const(cond) {
            Some(value) => value != 0,
            None if self.machine.speaks_of_addresses(cond) => true,
            None => {
                let mut conditions = state.conditions();
                conditions.push(cond);
                !matches!(self.machine.smt.check(&conditions, &self.limits), Answer::Unsat(_))
            }
        }
    }

    /// The assertions of `at`: the negation of each is asked, then it is assumed.
    fn judge(&mut self, path: &mut Path, at: InstId) -> Result<(), Stop> {
        for number in 0..self.machine.marks.at(at).len() {
            let mark = self.machine.marks.at(at)[number];
            let violation = self.machine.violation(&mut path.state, mark.demand)?;
            let is_it =
                |o: &Obligation| o.at == at && o.rule == mark.rule && o.demand == mark.demand;
            if let Some(index) = self.meant.iter().position(is_it) {
                let site = self.machine.site(&path.state, at);
                let target = Target::At { at, number, site };
                let entry = self.question.entry;
                let state = &path.state;
                let outcome =
                    self.machine.confirm(entry, state, target, at, violation, &self.limits);
                self.arrive(path, index, violation, outcome);
            }
            let is_met = self.machine.smt.pool.as_const(violation) == Some(0);
            if !is_met && !mark.demand.is_debatable() {
                self.machine.go_on_where_met(&mut path.state, violation)?;
            }
        }
        Ok(())
    }

    /// One more path to an assertion.
    fn arrive(&mut self, path: &Path, index: usize, violation: ExprId, outcome: Violation) {
        let said = match &outcome {
            Violation::Excluded => "unsat: it holds on this path".to_owned(),
            Violation::Real(_) => "sat: it fails on this path".to_owned(),
            Violation::Unknown(reason) => format!("unknown: {reason}"),
        };
        self.tell_arrival(path, index, violation, &said);
        let Some(found) = self.found.get_mut(index) else { return };
        found.paths += 1;
        match outcome {
            Violation::Excluded => {}
            Violation::Real(counterexample) => _ = found.violated.get_or_insert(counterexample),
            Violation::Unknown(reason) => _ = found.doubt.get_or_insert(reason),
        }
    }

    fn enumerated(self) -> Enumerated {
        let bound = self.bound;
        let verdict = |found: Found| match (found.violated, found.doubt.or_else(|| bound.clone())) {
            (Some(counterexample), _) => Verdict::Unsafe(counterexample),
            (None, Some(reason)) => Verdict::Unknown(reason),
            (None, None) => Verdict::Safe(Proof::Exhaustive { paths: found.paths }),
        };
        let verdicts = self.meant.into_iter().zip(self.found.into_iter().map(verdict)).collect();
        Enumerated { verdicts, text: self.text }
    }
}
