//! `isViolation(ρ)`: the path is executed by the exact machine, which is told at every choice which way to go. What
//! stays symbolic is asked of the solver. A path that is feasible here was executed with exact addresses: the weak
//! updates that lines 22–24 of Algorithm 2 look for are strong already.

use super::model::Model;
use super::segment::Way;
use crate::cegas::machine::Stop;
use crate::cegas::replay::Target;
use crate::cegas::state::State;
use crate::cegas::step::Flow;
use crate::cegas::value::Value;
use crate::cegas::verdict::Reason;
use crate::cegas::violation::Violation;
use crate::ir::InstId;
use crate::smt::{Answer, ExprId, Limits};

/// Ways to tell values apart on one path; more are not followed.
const MOST_STATES: usize = 256;

enum Next {
    On,
    /// It waits in other states, or is over.
    Parted,
    Decided(Violation),
}

/// A state on the path, and how many of its ways were gone.
struct Walker {
    state: State,
    gone: usize,
}

impl Model<'_> {
    pub fn is_feasible(&mut self, ways: &[Way]) -> Violation {
        let limits = self.limit.solver;
        let limits = &limits;
        let first = self.machine.start(self.entry);
        let mut waiting = vec![Walker { state: first, gone: 0 }];
        let mut doubt = None;
        let mut count = 0;
        while let Some(mut walker) = waiting.pop() {
            count += 1;
            if count > MOST_STATES {
                return Violation::Unknown(doubt.unwrap_or(Reason::Memory));
            }
            loop {
                if self.limit.is_late() {
                    return Violation::Unknown(Reason::Time);
                }
                match self.exact_step(&mut walker, ways, limits, &mut waiting) {
                    Ok(Next::On) => {}
                    Ok(Next::Parted | Next::Decided(Violation::Excluded))
                    | Err(Stop::End | Stop::Exit) => break,
                    Ok(Next::Decided(Violation::Unknown(reason))) => {
                        doubt.get_or_insert(reason);
                        break;
                    }
                    Ok(Next::Decided(real @ Violation::Real(_))) => return real,
                    Err(Stop::Gap(what)) => {
                        let at = walker.state.top().map(|frame| frame.at);
                        doubt.get_or_insert(Reason::Unsupported { what, at });
                        break;
                    }
                    Err(Stop::Split(..)) => {
                        let what = "a value that is one of many".to_owned();
                        doubt.get_or_insert(Reason::Unsupported { what, at: None });
                        break;
                    }
                }
            }
        }
        doubt.map_or(Violation::Excluded, Violation::Unknown)
    }

    fn exact_step(
        &mut self,
        walker: &mut Walker,
        ways: &[Way],
        limits: &Limits,
        waiting: &mut Vec<Walker>,
    ) -> Result<Next, Stop> {
        let wanted = ways.get(walker.gone).copied();
        let Some(at) = walker.state.top().map(|frame| frame.at) else {
            let (Some(Way::Start), Some(func)) = (wanted, walker.state.next_function()) else {
                return Err(Stop::End);
            };
            self.machine.enter_first(&mut walker.state, func)?;
            walker.gone += 1;
            return Ok(Next::On);
        };
        if let Some(decided) = self.exact_judge(walker, at, wanted.is_none(), limits)? {
            return Ok(Next::Decided(decided));
        }
        let flow = match self.machine.step(&mut walker.state, at) {
            Err(Stop::Split(value, parts)) => {
                for (cond, to) in parts {
                    let mut state = walker.state.clone();
                    state.choices += 1;
                    if self.machine.assume(&mut state, cond).is_ok() && self.holds(&state, limits) {
                        state.set(value, Value::Bits(to));
                        waiting.push(Walker { state, gone: walker.gone });
                    }
                }
                return Ok(Next::Parted);
            }
            other => other?,
        };
        let Some(way) = wanted else {
            return match flow {
                Flow::Next => self.machine.advance(&mut walker.state).map(|()| Next::On),
                Flow::Stay if !walker.state.frames.is_empty() => Ok(Next::On),
                // The obligation was passed.
                Flow::Stay
                | Flow::Blocks(_)
                | Flow::Call(_)
                | Flow::Return(_)
                | Flow::Outcomes(_) => Err(Stop::End),
            };
        };
        let state = &mut walker.state;
        match flow {
            Flow::Next => return self.machine.advance(state).map(|()| Next::On),
            Flow::Stay if !state.frames.is_empty() => return Ok(Next::On),
            Flow::Stay if way == Way::Exit => {}
            Flow::Stay => return Err(Stop::End),
            Flow::Return(value) => {
                if way != Way::Return {
                    return Err(Stop::End);
                }
                self.machine.leave(state, value)?;
            }
            Flow::Blocks(targets) => {
                let to = targets.into_iter().find(|(_, to)| Way::Block(*to) == way);
                let Some((cond, to)) = to else { return Err(Stop::End) };
                self.take(state, cond, limits)?;
                self.machine.jump(state, to)?;
            }
            Flow::Call(callees) => {
                let to = callees.into_iter().find(|(_, func)| Way::Enter(*func) == way);
                let Some((cond, func)) = to else { return Err(Stop::End) };
                self.take(state, cond, limits)?;
                self.machine.enter(state, at, func)?;
            }
            Flow::Outcomes(outcomes) => {
                let to = outcomes.into_iter().find(|(_, outcome)| Way::Outcome(*outcome) == way);
                let Some((cond, outcome)) = to else { return Err(Stop::End) };
                self.take(state, cond, limits)?;
                self.machine.finish(state, at, outcome)?;
            }
        }
        walker.gone += 1;
        Ok(Next::On)
    }

    /// Goes on where `cond` holds, if it can.
    fn take(&mut self, state: &mut State, cond: ExprId, limits: &Limits) -> Result<(), Stop> {
        let before = state.assumed.len();
        self.machine.assume(state, cond)?;
        if state.assumed.len() > before {
            state.choices += 1;
            if !self.holds(state, limits) {
                return Err(Stop::End);
            }
        }
        Ok(())
    }

    fn holds(&mut self, state: &State, limits: &Limits) -> bool {
        let conditions = state.conditions();
        !matches!(self.machine.smt.check(&conditions, limits), Answer::Unsat(_))
    }

    /// Asks every demand of `at` as the explorer does, so that arbitrary values keep their numbers.
    fn exact_judge(
        &mut self,
        walker: &mut Walker,
        at: InstId,
        is_last: bool,
        limits: &Limits,
    ) -> Result<Option<Violation>, Stop> {
        for number in 0..self.machine.marks.at(at).len() {
            let mark = self.machine.marks.at(at)[number];
            let violation = self.machine.violation(&mut walker.state, mark.demand)?;
            if is_last && self.is_target(at, mark.rule, mark.demand) {
                let site = self.machine.site(&walker.state, at);
                let target = Target::At { at, number, site };
                let confirmed =
                    self.machine.confirm(self.entry, &walker.state, target, at, violation, limits);
                return Ok(Some(confirmed));
            }
            if self.machine.smt.pool.as_const(violation) == Some(0) || mark.demand.is_debatable() {
                continue;
            }
            self.machine.go_on_where_met(&mut walker.state, violation)?;
        }
        Ok(None)
    }
}
