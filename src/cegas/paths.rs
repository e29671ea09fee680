//! One path at a time, on the way to a proof: as the explorer follows it, but every way that is open goes on
//! at once, and the conditions it goes under are kept even where they follow.

use super::cover::{Fail, Prover, Tried};
use super::interpolate::MOST_CONDITIONS;
use super::machine::Stop;
use super::state::State;
use super::step::Flow;
use super::value::Value;
use crate::ir::{InstId, ValueId};
use crate::rules::Demand;
use crate::smt::{Answer, ExprId};

/// Calls inside each other: recursion is not covered.
const DEEPEST_CALLS: usize = 200;

/// Conditions before a violation that candidates are learned from.
const LEARNED: usize = 8;

impl Prover<'_, '_, '_> {
    /// Follows one path to its end or to the next block where it may meet others.
    pub(super) fn follow(&mut self, mut state: State, landed: &mut Vec<State>) -> Tried<()> {
        if state.frames.len() > DEEPEST_CALLS {
            return Err(Fail::Beyond);
        }
        loop {
            self.steps = self.steps.wrapping_add(1);
            if self.steps.is_multiple_of(16) {
                self.hurry();
                if self.is_over() {
                    return Err(Fail::Time);
                }
            }
            match self.advance(&mut state, landed) {
                Ok(Going::On) => {}
                Ok(Going::Apart(states)) => {
                    // They stand where they stood: joined again, they would have to be told apart again.
                    for state in states {
                        self.follow(state, landed)?;
                    }
                    return Ok(());
                }
                Ok(Going::Landed) => {
                    landed.push(state);
                    return Ok(());
                }
                Ok(Going::Over) => {
                    self.keeps_at_end(&state);
                    return Ok(());
                }
                Err(Halt::Stop(Stop::Exit)) => {
                    self.keeps_at_exit(&state);
                    return Ok(());
                }
                Ok(Going::Parted) | Err(Halt::Stop(Stop::End)) => return Ok(()),
                Err(Halt::Stop(Stop::Gap(_) | Stop::Split(..))) => return Err(Fail::Beyond),
                Err(Halt::Fail(fail)) => return Err(fail),
            }
        }
    }

    fn advance(&mut self, state: &mut State, landed: &mut Vec<State>) -> Result<Going, Halt> {
        let Some(at) = state.top().map(|frame| frame.at) else {
            return match state.next_function() {
                Some(func) => {
                    self.machine.enter_first(state, func)?;
                    Ok(Going::Landed)
                }
                None => Ok(Going::Over),
            };
        };
        if let Some(list) = self.machine.folded_at(state, at) {
            return Ok(Going::Apart(self.machine.unfold(state, list)?));
        }
        if !self.machine.marks.at(at).is_empty() {
            self.judge(state, at)?;
        }
        if let Some(trapped) = self.machine.trapped(state, at) {
            self.keeps_at_exit(&trapped);
        }
        let flow = match self.machine.step(state, at) {
            Err(Stop::Split(value, ways)) => return self.told_apart(state, value, ways),
            other => other?,
        };
        match flow {
            Flow::Stay => Ok(Going::On),
            Flow::Outcomes(ways) => {
                let open = self.open(state, ways);
                self.part(state, open, landed, |prover, state, to| {
                    prover.machine.finish(state, at, to)
                })
            }
            Flow::Next => self.machine.advance(state).map(|()| Going::On).map_err(Halt::Stop),
            Flow::Return(value) => {
                self.machine.leave(state, value)?;
                Ok(Going::Landed)
            }
            Flow::Blocks(ways) => {
                let open = self.open(state, ways);
                let from = state.top().map(|frame| (frame.func, frame.block));
                let Some((func, from)) = from else { return Err(Halt::Stop(Stop::End)) };
                let loops = self.loops(func);
                if open.iter().any(|&(_, to)| loops.is_crossed(from, to)) {
                    return Err(Halt::Fail(Fail::Beyond));
                }
                self.part(state, open, landed, |prover, state, to| prover.machine.jump(state, to))
            }
            Flow::Call(ways) => {
                let open = self.open(state, ways);
                if let [(_, func)] = open[..]
                    && self.is_summarised(state, at, func)?
                {
                    self.pass_call(state, at, func).map_err(Halt::Fail)??;
                    return Ok(Going::On);
                }
                self.part(state, open, landed, |prover, state, to| {
                    prover.machine.enter(state, at, to)
                })
            }
        }
    }

    /// One state for each value.
    fn told_apart(
        &mut self,
        state: &State,
        value: ValueId,
        ways: Vec<(ExprId, ExprId)>,
    ) -> Result<Going, Halt> {
        let mut apart = Vec::new();
        for (cond, to) in self.open(state, ways) {
            let mut other = state.clone();
            other.choices += 1;
            match self.machine.assume(&mut other, cond) {
                Ok(()) => {
                    other.set(value, Value::Bits(to));
                    apart.push(other);
                }
                Err(Stop::End) => {}
                Err(stop) => return Err(Halt::Stop(stop)),
            }
        }
        Ok(Going::Apart(apart))
    }

    /// The ways that the solver does not exclude.
    fn open<T: Copy>(&mut self, state: &State, ways: Vec<(ExprId, T)>) -> Vec<(ExprId, T)> {
        let is_open = |(cond, _): &(ExprId, T)| match self.machine.smt.pool.as_const(*cond) {
            Some(value) => value != 0,
            None if self.machine.speaks_of_addresses(*cond) => true,
            None => !matches!(self.ask(state, *cond), Answer::Unsat(_)),
        };
        ways.into_iter().filter(is_open).collect()
    }

    pub(super) fn ask(&mut self, state: &State, cond: ExprId) -> Answer {
        if self.is_over() {
            return Answer::Unknown("time".into());
        }
        let mut conditions = state.conditions();
        conditions.push(cond);
        let limits = self.limits();
        self.machine.smt.check(&conditions, &limits)
    }

    fn part<T: Copy>(
        &mut self,
        state: &mut State,
        open: Vec<(ExprId, T)>,
        landed: &mut Vec<State>,
        go: impl Fn(&mut Self, &mut State, T) -> Result<(), Stop>,
    ) -> Result<Going, Halt> {
        if let [(cond, to)] = open[..] {
            // It follows from what holds, but candidates that make it follow may fall, even if they say the same.
            self.machine.assume_again(state, cond)?;
            go(self, state, to)?;
            return Ok(Going::Landed);
        }
        if self.is_over() {
            return Err(Halt::Fail(Fail::Time));
        }
        for (cond, to) in open {
            let mut other = state.clone();
            other.choices += 1;
            let gone = self.machine.assume(&mut other, cond);
            match gone.and_then(|()| go(self, &mut other, to)) {
                Ok(()) => landed.push(other),
                Err(Stop::End) => {}
                Err(Stop::Exit) => self.keeps_at_exit(&other),
                Err(stop) => return Err(Halt::Stop(stop)),
            }
        }
        Ok(Going::Parted)
    }

    /// Looks at the obligations of `at`; the execution goes on only where they hold.
    fn judge(&mut self, state: &mut State, at: InstId) -> Result<(), Halt> {
        for number in 0..self.machine.marks.at(at).len() {
            let mark = self.machine.marks.at(at)[number];
            let demand = mark.demand;
            let site = self.machine.site(state, at);
            let index = self.ledger.index(mark, site);
            if demand == Demand::Kept {
                // Asked where paths end.
                continue;
            }
            if !is_provable(demand) {
                self.failed.insert(index);
                continue;
            }
            let violation = match self.machine.violation(state, demand) {
                Ok(violation) => violation,
                Err(Stop::Gap(_)) => {
                    self.failed.insert(index);
                    continue;
                }
                Err(stop) => return Err(Halt::Stop(stop)),
            };
            if self.machine.smt.pool.as_const(violation) == Some(0) {
                continue;
            }
            if !self.is_settled(index) {
                let always = self.machine.smt.pool.bool(true);
                let last_read = state.last_read.unwrap_or(always);
                let violation = self.machine.smt.pool.and(violation, last_read);
                let is_refuted = !self.machine.speaks_of_addresses(violation)
                    && matches!(self.ask(state, violation), Answer::Unsat(_));
                if !is_refuted {
                    self.failed.insert(index);
                    let from = state.assumed.len().saturating_sub(MOST_CONDITIONS);
                    let path = state.assumed.iter().skip(from).chain(&state.deferred);
                    self.refuted.push(path.copied().chain([violation]).collect());
                    let learned = state.assumed.iter().rev().take(LEARNED).copied();
                    for condition in std::iter::once(violation).chain(learned) {
                        self.suspects.push(self.machine.of_the_element(condition));
                    }
                }
            }
            if demand.is_debatable() {
                continue;
            }
            self.machine.go_on_where_met(state, violation)?;
        }
        Ok(())
    }
}

/// Whether the demand of one place can be proved there: whether something was ever set is forgotten where a state is
/// widened, and whether memory is kept is asked where paths end.
pub(super) fn is_provable(demand: Demand) -> bool {
    match demand {
        Demand::NotReached
        | Demand::NonZero(_)
        | Demand::Equal(..)
        | Demand::Arguable(_)
        | Demand::Fits { .. }
        | Demand::Wraps { .. }
        | Demand::Access { .. }
        | Demand::Free { .. } => true,
        Demand::Kept | Demand::Set(_) => false,
    }
}

/// What became of a path after an instruction.
enum Going {
    On,
    /// It has come to another block.
    Landed,
    /// Others go on in its place.
    Parted,
    /// It has come to the end of the program.
    Over,
    /// These go on in its place from the same instruction.
    Apart(Vec<State>),
}

enum Halt {
    Stop(Stop),
    Fail(Fail),
}

impl From<Stop> for Halt {
    fn from(stop: Stop) -> Halt {
        Halt::Stop(stop)
    }
}
