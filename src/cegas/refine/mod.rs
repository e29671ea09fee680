//! The paper's algorithm: counterexample-guided abstraction refinement over the spatial flow model of one obligation.
//!
//! An abstract state is a place and the values of the variables that the precision tracks there
//! ([`precision`], [`abstraction`]); it starts with none. [`model`] executes on such states, [`segment`] from one cut
//! to the next, [`arg`] remembers what was reached. A path to the obligation is walked at full precision ([`trace`]):
//! if explicit values refute it, [`algorithm1`] finds what has to be tracked for that, by way of [`back`]; else the
//! exact machine executes it ([`feasible`]). [`algorithm2`] is the loop around this.
//!
//! Where the paper inlines functions, calls are tabulated by what they are entered with ([`table`]); where it asks an interpolating solver, sets of assignments
//! are made smaller one variable at a time. Where conditions on inputs exclude each other, which explicit values do not see, [`newton`] finds
//! [`predicates`]: the precision is composite, values first.

mod precision;
mod model;
mod weak;
mod segment;
mod abstraction;
mod predicates;
mod table;
mod arg;
mod trace;
mod back;
mod algorithm1;
mod feasible;
mod eliminate;
mod lazily;
mod newton;
mod algorithm2;
mod rounds;

use super::machine::{Machine, Options};
use super::marks::Marks;
use super::verdict::{Reason, Verdict};
use crate::cancel::Cancel;
use crate::ir::{FuncId, Program};
use crate::pta::PointsTo;
use crate::rules::{Demand, Obligation};
use crate::smt::Limits;
use crate::watch::Deadline;
use model::Model;
use rounds::Story;
use std::fmt;
use std::rc::Rc;
use std::time::Duration;

/// Abstract states of one obligation; each is some ten kilobytes.
const MOST_NODES: usize = 40_000;

/// Expressions of one obligation.
const MOST_EXPRESSIONS: usize = 10_000_000;

/// What came out for one obligation.
#[derive(Debug)]
pub struct Checked {
    pub verdict: Verdict,
    pub rounds: u32,
}

/// What one obligation may cost.
#[derive(Clone)]
struct Limit<'a> {
    deadline: Deadline,
    cancel: &'a Cancel,
    solver: Limits,
}

impl Limit<'_> {
    fn is_late(&self) -> bool {
        self.deadline.is_over() || self.cancel.is_wished()
    }

    fn check(&self, nodes: usize, expressions: usize) -> Result<(), Reason> {
        if self.is_late() {
            Err(Reason::Time)
        } else if nodes > MOST_NODES || expressions > MOST_EXPRESSIONS {
            Err(Reason::Memory)
        } else {
            Ok(())
        }
    }
}

/// A program and what is asked about it.
#[derive(Debug, Clone, Copy)]
pub struct Question<'a> {
    pub program: &'a Program,
    pub entry: FuncId,
    pub points_to: &'a PointsTo,
    /// All that is demanded, since each assumes the others before it.
    pub obligations: &'a [Obligation],
    pub options: Options,
    pub time: Duration,
    pub cancel: &'a Cancel,
}

/// Whether the algorithm can decide such an obligation: it is about values, not about memory.
pub fn is_for(demand: Demand) -> bool {
    match demand {
        Demand::NotReached | Demand::NonZero(_) | Demand::Equal(..) => true,
        Demand::Access { .. }
        | Demand::Free { .. }
        | Demand::Kept
        | Demand::Set(_)
        | Demand::Arguable(_)
        | Demand::Fits { .. }
        | Demand::Wraps { .. } => false,
    }
}

/// Decides one obligation after the other. The predicates that refuted paths for one are tried first for the next.
pub struct Decider<'a> {
    question: Question<'a>,
    model: Option<Model<'a>>,
}

impl fmt::Debug for Decider<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Decider").field("question", &self.question).finish_non_exhaustive()
    }
}

impl<'a> Decider<'a> {
    pub fn new(question: Question<'a>) -> Self {
        Decider { question, model: None }
    }

    /// Decides one of the obligations.
    pub fn decide(&mut self, target: Obligation) -> Checked {
        self.run(target, &mut Story::new(false))
    }

    /// The story of deciding it, round by round.
    pub fn tell(&mut self, target: Obligation) -> String {
        let mut story = Story::new(true);
        let _checked = self.run(target, &mut story);
        story.text
    }

    fn run(&mut self, target: Obligation, story: &mut Story) -> Checked {
        let Question { time, cancel, .. } = self.question;
        let milliseconds = u32::try_from(time.as_millis() / 2).unwrap_or(u32::MAX).max(100);
        let solver = Limits { milliseconds, ..Limits::default() };
        let limit = Limit { deadline: Deadline::within(time), cancel, solver };
        let is_full = |m: &Model<'_>| m.machine.smt.pool.len() > MOST_EXPRESSIONS / 2;
        let used = self.model.take().filter(|model| !is_full(model));
        let mut model = used.unwrap_or_else(|| self.fresh(target, &limit));
        model.aim(target, limit);
        let checked = algorithm2::cegas(&mut model, story);
        self.model = Some(model);
        checked
    }

    fn fresh(&self, target: Obligation, limit: &Limit<'a>) -> Model<'a> {
        let Question { program, entry, points_to, obligations, options, .. } = self.question;
        let marks = Rc::new(Marks::new(program, obligations));
        let mut machine = Machine::new(program, marks, options);
        machine.plains.is_off = true;
        Model::new(machine, points_to, entry, target, limit.clone())
    }
}
