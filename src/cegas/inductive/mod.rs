//! Checking a proof that somebody else found: given what is said of the heads of loops, does it hold there, and does
//! it make every obligation hold?
//!
//! What is said is conditions in C, checked by the rule for loops that every textbook has ([`turns`]), or whole states,
//! checked to be closed ([`closed`]). Nothing is guessed or made general. Every path is followed on its own at first; if
//! half of the time is over, those that meet are joined. It knows nothing of how [`super::cover`] finds proofs, so what both say is trusted twice. It shares with it
//! the machine: what instructions mean, that of an array one arbitrary element is followed ([`super::ghost`]), and
//! what a list is when it is unfolded ([`super::chain`]).
//!
//! Invariant: an obligation is called safe only if the solver refuted its violation on every path, all paths were
//! followed to their ends, and all that is said was found to hold each time.

mod closed;
mod condition;
mod contracts;
mod evaluate;
mod follow;
mod guesses;
mod instance;
mod kept;
mod lists;
mod matching;
mod turns;

use super::ledger::Ledger;
use super::liveness::Liveness;
use super::loops::Loops;
use super::machine::Machine;
use super::marks::Marks;
use super::paths::is_provable;
use super::scope::{self, Named};
use super::state::State;
use super::task::{Explored, Task};
use super::verdict::{Proof, Reason, Verdict};
use super::written::{self, Contract, Written};
use crate::cancel::Cancel;
use crate::ir::{BlockId, FuncId};
use crate::rules::{Demand, Obligation};
use crate::smt::{Answer, ExprId, Limits};
use crate::watch::Deadline;
pub use condition::{Condition, read};
use contracts::Context;
use evaluate::View;
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// Conditions for the heads of loops.
pub type Conditions = BTreeMap<(FuncId, BlockId), Vec<Condition>>;

/// What is said of a program.
#[derive(Debug, Default)]
pub struct Claims<'c> {
    pub conditions: Conditions,
    /// Sets of states, each a proof of something.
    pub states: Vec<&'c str>,
}

/// Calls inside each other.
const DEEPEST_CALLS: usize = 200;

/// Decides obligations by what is said alone.
pub fn check(task: &Task<'_>, claims: &Claims<'_>) -> Explored {
    let deadline = Deadline::within(task.budget.time);
    let sets: Vec<Option<&str>> = match claims.states.is_empty() {
        true => vec![None],
        false => claims.states.iter().map(|text| Some(*text)).collect(),
    };
    let mut verdicts: Vec<(Obligation, Verdict)> = Vec::new();
    let mut is_complete = false;
    for set in sets {
        let half = Deadline::within(deadline.left() / 2);
        let mut checked = check_one(task, &claims.conditions, set, (false, half));
        if set.is_some() && half.is_over() {
            checked = check_one(task, &claims.conditions, set, (true, deadline));
        }
        is_complete |= checked.is_complete;
        for (obligation, verdict) in checked.verdicts {
            match verdicts.iter_mut().find(|(known, _)| *known == obligation) {
                // Each set proves what it proves.
                Some((_, known @ Verdict::Unknown(_))) => *known = verdict,
                Some(_) => {}
                None => verdicts.push((obligation, verdict)),
            }
        }
    }
    Explored::of(verdicts, is_complete)
}

/// The same by one set of states, or by conditions alone.
fn check_one(
    task: &Task<'_>,
    conditions: &Conditions,
    states: Option<&str>,
    (joins, deadline): (bool, Deadline),
) -> Explored {
    let Task { program, obligations, options, cancel, .. } = *task;
    let entry = task.entry.func;
    let marks = Marks::new(program, obligations);
    let in_user_code = |o: &&Obligation| !marks.is_model(program.func_of(o.at));
    let told: Vec<Obligation> = obligations.iter().filter(in_user_code).copied().collect();
    let mut machine = Machine::new(program, Rc::new(marks), options);
    let read = states.map(|text| written::read(&mut machine, text));
    let is_read = read.as_ref().is_none_or(Option::is_some);
    let written::Proof { states: written, contracts } = read.flatten().unwrap_or_default();
    let mut by_place: BTreeMap<(FuncId, BlockId), Vec<usize>> = BTreeMap::new();
    for (number, written) in written.iter().enumerate() {
        if let Some(frame) = written.state.top() {
            by_place.entry((frame.func, frame.block)).or_default().push(number);
        }
    }
    let mut checker = Checker {
        machine,
        ledger: Ledger::new(told),
        conditions,
        written,
        contracts,
        by_place,
        contexts: Vec::new(),
        bodies: Vec::new(),
        loops: FxHashMap::default(),
        liveness: FxHashMap::default(),
        named: FxHashMap::default(),
        failed: BTreeSet::new(),
        judges: true,
        joins,
        // Conditions in C say nothing of what is lost.
        loses: states.is_none(),
        deadline,
        cancel,
    };
    let start = checker.machine.start(entry);
    let reason = match states {
        _ if !is_read => Some(unproved("what is said of states cannot be read")),
        Some(_) => checker.close(start).err(),
        None => checker.turn(start, None).err(),
    };
    let (failed, loses) = (checker.failed, checker.loses);
    let verdict = |(index, obligation): (usize, Obligation)| {
        let is_shown = match obligation.demand {
            Demand::Kept => !loses,
            demand => is_provable(demand) && !failed.contains(&index),
        };
        let verdict = match &reason {
            Some(reason) => Verdict::Unknown(reason.clone()),
            None if !is_shown => {
                Verdict::Unknown(unproved("it does not follow from the conditions given"))
            }
            None => Verdict::Safe(Proof::Inductive),
        };
        (obligation, verdict)
    };
    let verdicts = checker.ledger.into_obligations().into_iter().enumerate().map(verdict).collect();
    Explored::of(verdicts, reason.is_none())
}

fn unproved(what: &str) -> Reason {
    Reason::Unproved { what: what.to_owned() }
}

fn refused<T>(what: &str) -> Result<T, Reason> {
    Err(unproved(what))
}

struct Checker<'c> {
    machine: Machine<'c>,
    ledger: Ledger,
    conditions: &'c Conditions,
    written: Vec<Written>,
    contracts: Vec<Contract>,
    /// What the contracts were used for, and the bodies that are to be followed for it.
    contexts: Vec<Context>,
    bodies: Vec<(usize, State)>,
    /// The written states of each head.
    by_place: BTreeMap<(FuncId, BlockId), Vec<usize>>,
    loops: FxHashMap<FuncId, Rc<Loops>>,
    liveness: FxHashMap<FuncId, Rc<Liveness>>,
    named: FxHashMap<(FuncId, BlockId), Rc<Vec<Named>>>,
    failed: BTreeSet<usize>,
    /// What is demanded on the path is judged; otherwise it is only taken to be met.
    judges: bool,
    /// Paths that meet are joined.
    joins: bool,
    /// Allocated memory may be lost somewhere.
    loses: bool,
    deadline: Deadline,
    cancel: &'c Cancel,
}

impl Checker<'_> {
    /// What the conditions of the head say of a state that stands there.
    fn truths(&mut self, state: &State) -> Result<Vec<ExprId>, Reason> {
        let Some(place) = state.top().map(|frame| (frame.func, frame.block)) else {
            return Ok(Vec::new());
        };
        let named = self.named(place);
        let conditions = self.conditions;
        let mut truths = Vec::new();
        for condition in conditions.get(&place).into_iter().flatten() {
            let mut view = View { machine: &mut self.machine, state: state.clone(), named: &named };
            let truth = view.truth(condition);
            // A value that nobody has set is another one each time it is asked for.
            match truth.filter(|_| view.state.fresh == state.fresh) {
                Some(truth) => truths.push(truth),
                None => return refused(&format!("what is said there is not known: {condition}")),
            }
        }
        Ok(truths)
    }

    fn demand_conditions(&mut self, state: &State, what: &str) -> Result<(), Reason> {
        let place = state.top().map(|frame| (frame.func, frame.block));
        let conditions = self.conditions;
        let all = place.and_then(|place| conditions.get(&place)).into_iter().flatten();
        for (truth, condition) in self.truths(state)?.into_iter().zip(all) {
            let not = self.machine.smt.pool.not(truth);
            match self.ask(state, not)? {
                Answer::Unsat(_) => {}
                Answer::Sat(_) => return refused(&format!("{what}: {condition}")),
                Answer::Unknown(why) => return Err(Reason::Solver { why }),
            }
        }
        Ok(())
    }

    fn is_refuted(&mut self, state: &State, violation: ExprId) -> Result<bool, Reason> {
        match self.machine.smt.pool.as_const(violation) {
            Some(value) => Ok(value == 0),
            None => Ok(matches!(self.ask(state, violation)?, Answer::Unsat(_))),
        }
    }

    fn ask(&mut self, state: &State, condition: ExprId) -> Result<Answer, Reason> {
        if self.is_over() {
            return Err(Reason::Time);
        }
        if self.machine.speaks_of_addresses(condition) {
            return Ok(Answer::Unknown("where objects lie in memory".to_owned()));
        }
        let mut question = state.conditions();
        question.push(condition);
        Ok(self.machine.smt.check(&question, &Limits::default()))
    }

    fn is_over(&self) -> bool {
        self.deadline.is_over() || self.cancel.is_wished()
    }

    fn loops(&mut self, func: FuncId) -> Rc<Loops> {
        let program = self.machine.program;
        Rc::clone(self.loops.entry(func).or_insert_with(|| Rc::new(Loops::new(program, func))))
    }

    fn named(&mut self, (func, head): (FuncId, BlockId)) -> Rc<Vec<Named>> {
        let loops = self.loops(func);
        let program = self.machine.program;
        let new = || {
            let body = loops.body(head);
            Rc::new(body.map_or_else(Vec::new, |b| scope::at_head(program, &loops, func, b)))
        };
        Rc::clone(self.named.entry((func, head)).or_insert_with(new))
    }

    fn is_at_start(&mut self, state: &State) -> bool {
        let program = self.machine.program;
        state.top().is_some_and(|frame| self.loops(frame.func).is_at_start(program, frame))
    }
}
