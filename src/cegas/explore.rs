//! Following executions: every path from the entry, those with the fewest open choices first, until
//! none is left or the budget is used up. This is symbolic execution with calling contexts: a value
//! belongs to its frame, a callee's parameters are bound to the caller's arguments.
//!
//! Invariants: an obligation is called violated only with a path whose conditions the solver found
//! satisfiable, which was then walked again with the values found; it is called safe only if every path
//! was followed to its end, none was cut, and none left what the model knows.

use super::leap::{Leap, Leaps};
use super::ledger::Ledger;
use super::machine::{Machine, Stop};
use super::marks::{Mark, Marks};
use super::reachable::Values;
use super::replay::Target;
use super::rest::{Left, Rest};
use super::spoken::LoopInvariant;
use super::state::State;
use super::step::Flow;
use super::task::{Budget, Explored, Task};
use super::value::Value;
use super::verdict::{Counterexample, Reason};
use super::visited::Visited;
use crate::cancel::Cancel;
use crate::ir::{FuncId, InstId};
use crate::rules::{Demand, Obligation};
use crate::smt::{Answer, ExprId, Limits};
use crate::watch::{Deadline, Watch};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::time::Duration;

/// Executed between two looks at the clock.
const STEPS_PER_LOOK: u32 = 256;

/// What a question counts for, in steps: most are settled in less, those that reach Z3 take more.
const WORK_OF_A_QUESTION: u64 = 100;

pub(super) struct Explorer<'a> {
    pub(super) machine: Machine<'a>,
    pub(super) entry: FuncId,
    pub(super) ledger: Ledger,
    pub(super) violated: Vec<Option<Counterexample>>,
    /// Why an obligation that seems violated may not be.
    pub(super) doubtful: Vec<Option<Reason>>,
    /// The first reason why not every path was followed to its end.
    pub(super) incomplete: Option<Reason>,
    pub(super) waiting: BTreeMap<u32, Vec<State>>,
    waiting_count: usize,
    /// The state in which the slice of time ended. It is remembered by [`Visited`] if it stands at the head of a loop, so
    /// who asks there again would find that it was met before, by itself.
    pub(super) interrupted: Option<State>,
    pub(super) paths: u64,
    pub(super) budget: Budget,
    /// What is asked of all that there is, and the order of events, if that is known.
    pub(super) rest: Option<&'a Rest<'a>>,
    /// The one that is asked about, if it is one.
    pub(super) only: Option<Obligation>,
    /// The obligations that nobody asks about.
    pub(super) known: Vec<bool>,
    /// Where paths were left, and why.
    pub(super) left: Vec<Left>,
    /// Obligations that hold although not every path was followed.
    pub(super) proved: BTreeSet<usize>,
    pub(super) invariants: Vec<LoopInvariant>,
    pub(super) written: Vec<String>,
    /// A proof came by every call of a model, whether or not it succeeded.
    pub(super) all_met: bool,
    pub(super) visited: Visited,
    leaps: Leaps,
    pub(super) start: Watch,
    /// When this slice of the time is over.
    pub(super) deadline: Deadline,
    /// It was over before all paths were followed.
    pub(super) is_paused: bool,
    pub(super) cancel: &'a Cancel,
    pub(super) found: Option<&'a dyn Fn(&Obligation)>,
    pub(super) limits: Limits,
    /// Steps until the next look at the clock.
    pub(super) until_look: u32,
    /// Steps so far, with what questions count for, and after how many it is time for something else.
    work: u64,
    pub(super) most_work: u64,
}

/// What is to be done with a state after an instruction.
pub(super) enum Next {
    Go,
    /// It waits in other states.
    Forked,
    /// The program has ended.
    Finished,
}

impl<'a> Explorer<'a> {
    pub(super) fn of(task: &Task<'a>) -> Self {
        let Task { program, entry, obligations, options, .. } = *task;
        let marks = Marks::new(program, obligations);
        let in_user_code = |o: &&Obligation| !marks.is_model(program.func_of(o.at));
        let told: Vec<Obligation> = obligations.iter().filter(in_user_code).copied().collect();
        let mut machine = Machine::new(program, Rc::new(marks), options);
        machine.given = entry.params.is_some().then(|| entry.clone());
        let mut explorer = Explorer::new(machine, told, task);
        explorer.make_room();
        explorer
    }

    /// What came out, if so many obligations were asked.
    pub(super) fn explored(mut self, asked: usize) -> Explored {
        let is_whole = self.incomplete.is_none() && !self.is_paused;
        let is_complete = is_whole || self.all_met || self.ledger.len() == asked;
        let ahead = self.all_ahead();
        let invariants = std::mem::take(&mut self.invariants);
        let written = std::mem::take(&mut self.written);
        let asked = self.machine.smt.stats();
        Explored { verdicts: self.verdicts(), is_complete, ahead, invariants, written, asked }
    }

    fn new(machine: Machine<'a>, obligations: Vec<Obligation>, task: &Task<'a>) -> Self {
        let Task { budget, cancel, rest, found, only, .. } = *task;
        let milliseconds = u32::try_from(budget.time.as_millis() / 2).unwrap_or(u32::MAX).max(100);
        Explorer {
            machine,
            entry: task.entry.func,
            violated: vec![None; obligations.len()],
            only,
            known: Vec::new(),
            rest,
            left: Vec::new(),
            doubtful: vec![None; obligations.len()],
            ledger: Ledger::new(obligations),
            incomplete: None,
            waiting: BTreeMap::new(),
            waiting_count: 0,
            interrupted: None,
            paths: 0,
            budget,
            proved: BTreeSet::new(),
            invariants: Vec::new(),
            written: Vec::new(),
            all_met: false,
            visited: Visited::default(),
            leaps: Leaps::default(),
            start: Watch::start(),
            deadline: Deadline::within(Duration::ZERO),
            is_paused: false,
            cancel,
            found,
            limits: Limits { milliseconds, ..Limits::default() },
            until_look: STEPS_PER_LOOK,
            work: 0,
            most_work: u64::MAX,
        }
    }

    pub(super) fn wait(&mut self, state: State) {
        self.waiting.entry(state.choices).or_default().push(state);
        self.waiting_count += 1;
        if self.waiting_count > self.budget.waiting {
            self.cut(Reason::Memory);
        }
    }

    pub(super) fn next_state(&mut self) -> Option<State> {
        let mut first = self.waiting.first_entry()?;
        let state = first.get_mut().pop();
        if first.get().is_empty() {
            first.remove();
        }
        self.waiting_count -= 1;
        state
    }

    /// Some path was not followed to its end.
    pub(super) fn cut(&mut self, reason: Reason) {
        if self.incomplete.is_none() || reason == Reason::Memory {
            self.incomplete = Some(reason);
        }
    }

    /// Follows one path from where it waits.
    pub(super) fn follow(&mut self, state: State) {
        // After a choice, somebody else may have been here.
        if !self.leads_on(&state) || self.was_met(&state) {
            self.paths += 1;
            return;
        }
        self.go_on(state);
    }

    /// Follows one path until it ends or the values known do not decide where it goes.
    pub(super) fn go_on(&mut self, mut state: State) {
        let mut steps = 0u32;
        // A state of this stretch, taken at growing distances: coming back to it means for ever.
        let mut landmark: Option<State> = None;
        let mut until_next = 64u32;
        let mut is_checked = false;
        self.leaps.start();
        loop {
            steps = steps.wrapping_add(1);
            self.until_look -= 1;
            self.work += 1;
            if self.until_look == 0 && self.is_over() {
                self.interrupted = Some(state);
                return;
            }
            let before = state.top().map(|frame| (frame.block, frame.at));
            let outcome = self.advance(&mut state);
            match outcome {
                Ok(Next::Go) => {}
                Ok(Next::Forked) => return,
                Ok(Next::Finished) => return self.end(&state, Values::None),
                Err(Stop::Exit) => return self.end(&state, Values::MayHold),
                Err(Stop::End) => {
                    self.paths += 1;
                    return;
                }
                Err(Stop::Split(..)) => {
                    let at = state.top().map(|frame| frame.at);
                    let what = "a value that is one of many".to_owned();
                    return self.leave(&state, Reason::Unsupported { what, at });
                }
                Err(Stop::Gap(what)) => {
                    let at = state.top().map(|frame| frame.at);
                    return self.leave(&state, Reason::Unsupported { what, at });
                }
            }
            // A block may also go back to itself.
            let now = state.top().map(|frame| (frame.block, frame.at));
            if now.map(|(block, _)| block) != before.map(|(block, _)| block) || now <= before {
                if !self.leads_on(&state) {
                    self.paths += 1;
                    return;
                }
                if !is_checked && self.visited.is_at_head(&self.machine, &state) {
                    is_checked = true;
                    if self.was_met(&state) {
                        self.paths += 1;
                        return;
                    }
                }
                if landmark.as_ref().is_some_and(|mark| mark.same(&state)) {
                    return self.end(&state, Values::MayHold);
                }
                match self.leaps.landed(&mut self.machine, &state) {
                    Some(Leap::To { state: later, .. }) => state = *later,
                    Some(Leap::ForEver) => return self.end(&state, Values::MayHold),
                    None => {}
                }
                until_next -= 1;
                if until_next == 0 {
                    until_next = steps.clamp(64, 1 << 24);
                    landmark = Some(state.clone());
                }
            }
        }
    }

    /// The execution is over, or will never be: what it allocated and cannot name any more is lost.
    fn end(&mut self, state: &State, values: Values) {
        self.paths += 1;
        let Some(rule) = self.machine.marks.kept else { return };
        let all_lost = self.machine.lost(state, values);
        for allocated in self.machine.still_reachable(state, &all_lost, values) {
            let index = self.obligation(Mark { rule, demand: Demand::Kept }, allocated);
            self.doubtful[index].get_or_insert(Reason::StillReachable);
        }
        for lost in all_lost {
            let index = self.obligation(Mark { rule, demand: Demand::Kept }, lost.allocated);
            if self.violated[index].is_some() || self.known[index] {
                continue;
            }
            if self.machine.smt.pool.as_const(lost.when) != Some(0) {
                let target = Target::End { lost: lost.allocated };
                self.decide(state, target, index, lost.when);
            }
            if lost.perhaps != lost.when
                && self.violated[index].is_none()
                && self.doubtful[index].is_none()
                && !matches!(self.ask(state, lost.perhaps), Answer::Unsat(_))
            {
                let why = "whether a variable that is not used any more holds a pointer".into();
                self.doubtful[index] = Some(Reason::Doubt { why });
            }
        }
    }

    fn is_over(&mut self) -> bool {
        self.until_look = STEPS_PER_LOOK;
        let is_time = self.work >= self.most_work || self.deadline.is_over();
        if is_time || self.cancel.is_wished() {
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
            return match state.next_function() {
                Some(func) => self.machine.enter_first(state, func).map(|()| Next::Go),
                None => Ok(Next::Finished),
            };
        };
        self.judge(state, at)?;
        if let Some(trapped) = self.machine.trapped(state, at) {
            self.end(&trapped, Values::MayHold);
        }
        let flow = match self.machine.step(state, at) {
            Err(Stop::Split(value, ways)) => {
                let go = |_: &mut Self, state: &mut State, to| {
                    state.set(value, Value::Bits(to));
                    Ok(())
                };
                return self.choose(state, ways, go);
            }
            Err(Stop::Gap(what)) if self.machine.sets_handler(at) => {
                self.leave(state, Reason::Unsupported { what, at: Some(at) });
                self.machine.step_undisturbed(state, at)?
            }
            Err(Stop::Gap(why)) => return self.sample(state, at, why),
            other => other?,
        };
        match flow {
            Flow::Next => self.machine.advance(state).map(|()| Next::Go),
            Flow::Stay => Ok(Next::Go),
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
            Flow::Outcomes(outcomes) => {
                let go = |explorer: &mut Self, state: &mut State, outcome| {
                    explorer.machine.finish(state, at, outcome)
                };
                self.choose(state, outcomes, go)
            }
        }
    }

    /// Goes the one way that is open, or leaves a state for each.
    pub(super) fn choose<T: Copy>(
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
                        Err(Stop::Exit) => self.end(&other, Values::MayHold),
                        Err(Stop::Gap(what)) => {
                            let at = other.top().map(|frame| frame.at);
                            self.leave(&other, Reason::Unsupported { what, at });
                        }
                        Err(Stop::Split(..)) => {
                            let at = other.top().map(|frame| frame.at);
                            let what = "a value that is one of many".to_owned();
                            self.leave(&other, Reason::Unsupported { what, at });
                        }
                    }
                }
                Ok(Next::Forked)
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

    pub(super) fn ask(&mut self, state: &State, cond: ExprId) -> Answer {
        let mut conditions = state.conditions();
        conditions.push(cond);
        // A question costs more than many steps: look at the clock after it.
        self.until_look = 1;
        self.work += WORK_OF_A_QUESTION;
        self.machine.smt.check(&conditions, &self.limits)
    }

    /// Looks at the demands of `at`; the execution goes on only where they are met.
    fn judge(&mut self, state: &mut State, at: InstId) -> Result<(), Stop> {
        for number in 0..self.machine.marks.at(at).len() {
            let mark = self.machine.marks.at(at)[number];
            let violation = self.machine.violation(state, mark.demand)?;
            let certain = self.machine.certain(violation);
            let site = self.machine.site(state, at);
            let is_met = self.machine.smt.pool.as_const(violation) == Some(0);
            if is_met && site == at {
                continue;
            }
            // A call of a model becomes an obligation when it is met on the way.
            let index = self.obligation(mark, site);
            if is_met {
                continue;
            }
            let target = Target::At { at, number, site };
            let is_possible = self.machine.smt.pool.as_const(certain) != Some(0);
            let asked = [certain].into_iter().filter(|_| is_possible && certain != violation);
            for asked in asked.chain([violation]) {
                if self.violated[index].is_none() && !self.known[index] {
                    self.decide(state, target, index, asked);
                }
            }
            if mark.demand.is_debatable() {
                // C says how it goes on.
                continue;
            }
            let holds = self.machine.smt.pool.not(certain);
            self.machine.assume(state, holds)?;
        }
        Ok(())
    }

    /// The obligation that answers for a demand at a place of the user's code.
    pub(super) fn obligation(&mut self, mark: Mark, site: InstId) -> usize {
        let index = self.ledger.index(mark, site);
        self.make_room();
        index
    }

    /// New obligations are neither violated nor in doubt.
    pub(super) fn make_room(&mut self) {
        self.violated.resize(self.ledger.len(), None);
        self.doubtful.resize(self.ledger.len(), None);
        self.mark_known();
    }
}
