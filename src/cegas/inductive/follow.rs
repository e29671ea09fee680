//! One path at a time, on the way to a check: every way that the solver does not exclude goes on, and what is demanded on
//! the way is judged.

use super::{Checker, DEEPEST_CALLS, Reason, refused};
use crate::cegas::machine::{Machine, Stop};
use crate::cegas::paths::is_provable;
use crate::cegas::state::State;
use crate::cegas::step::Flow;
use crate::cegas::value::Value;
use crate::ir::InstId;
use crate::rules::Demand;
use crate::smt::ExprId;

impl Checker<'_> {
    /// Follows one path to the next block, or to the next blocks; none if it ends.
    pub(super) fn follow(&mut self, state: State) -> Result<Vec<State>, Reason> {
        let mut landed = Vec::new();
        let mut apart = vec![state];
        while let Some(mut state) = apart.pop() {
            if self.is_over() {
                return Err(Reason::Time);
            }
            if state.frames.len() > DEEPEST_CALLS {
                return Err(Reason::Depth { limit: DEEPEST_CALLS as u32 });
            }
            match self.advance(&mut state) {
                Ok(Going::On) => apart.push(state),
                Ok(Going::Over) => self.keeps_at_end(&state),
                Ok(Going::Apart(states)) => apart.extend(states),
                Ok(Going::Landed(states)) => landed.extend(states),
                Err(Halt::Stop(Stop::Exit)) => self.keeps_at_exit(&state)?,
                Err(Halt::Stop(Stop::End)) => {}
                Err(Halt::Stop(Stop::Gap(what))) => {
                    let at = state.top().map(|frame| frame.at);
                    return Err(Reason::Unsupported { what, at });
                }
                Err(Halt::Stop(Stop::Split(..))) => return refused("a value that is one of many"),
                Err(Halt::Reason(reason)) => return Err(reason),
            }
        }
        Ok(landed)
    }

    /// One instruction.
    fn advance(&mut self, state: &mut State) -> Result<Going, Halt> {
        let Some(at) = state.top().map(|frame| frame.at) else {
            let Some(func) = state.next_function() else { return Ok(Going::Over) };
            self.machine.enter_first(state, func)?;
            return Ok(Going::Landed(vec![state.clone()]));
        };
        if let Some(list) = self.machine.folded_at(state, at) {
            return Ok(Going::Apart(self.machine.unfold(state, list)?));
        }
        self.judge(state, at)?;
        if let Some(trapped) = self.machine.trapped(state, at) {
            self.keeps_at_exit(&trapped).map_err(Halt::Reason)?;
        }
        let flow = match self.machine.step(state, at) {
            Err(Stop::Split(value, ways)) => {
                let apart = self.each(state, ways, |_, state, to| {
                    state.set(value, Value::Bits(to));
                    Ok(())
                })?;
                return Ok(Going::Apart(apart));
            }
            other => other?,
        };
        match flow {
            Flow::Stay => Ok(Going::On),
            Flow::Next => {
                self.machine.advance(state)?;
                Ok(Going::On)
            }
            Flow::Return(value) => {
                self.machine.leave(state, value)?;
                Ok(Going::Landed(vec![state.clone()]))
            }
            Flow::Blocks(ways) => {
                self.each(state, ways, |m, s, to| m.jump(s, to)).map(Going::Landed)
            }
            Flow::Call(ways) => {
                if let [(condition, func)] = ways[..]
                    && self.machine.smt.pool.as_const(condition) == Some(1)
                    && self.passes(state, at, func)?
                {
                    return Ok(Going::On);
                }
                self.each(state, ways, |m, s, to| m.enter(s, at, to)).map(Going::Landed)
            }
            Flow::Outcomes(ways) => {
                self.each(state, ways, |m, s, to| m.finish(s, at, to)).map(Going::Landed)
            }
        }
    }

    /// A state for each way that the solver does not exclude.
    fn each<T: Copy>(
        &mut self,
        state: &State,
        ways: Vec<(ExprId, T)>,
        go: impl Fn(&mut Machine<'_>, &mut State, T) -> Result<(), Stop>,
    ) -> Result<Vec<State>, Halt> {
        let mut states = Vec::new();
        let is_choice = ways.len() > 1;
        for (condition, to) in ways {
            if is_choice && self.is_refuted(state, condition).map_err(Halt::Reason)? {
                continue;
            }
            let mut other = state.clone();
            other.choices += u32::from(is_choice);
            let gone = self.machine.assume(&mut other, condition);
            match gone.and_then(|()| go(&mut self.machine, &mut other, to)) {
                Ok(()) => states.push(other),
                Err(Stop::End) => {}
                Err(Stop::Exit) => self.keeps_at_exit(&other).map_err(Halt::Reason)?,
                Err(stop) => return Err(Halt::Stop(stop)),
            }
        }
        Ok(states)
    }

    /// Looks at the obligations of `at`; the execution goes on only where they hold.
    fn judge(&mut self, state: &mut State, at: InstId) -> Result<(), Halt> {
        for number in 0..self.machine.marks.at(at).len() {
            let mark = self.machine.marks.at(at)[number];
            let site = self.machine.site(state, at);
            let index = self.ledger.index(mark, site);
            if mark.demand == Demand::Kept {
                // Asked where paths end.
                continue;
            }
            if !is_provable(mark.demand) {
                self.failed.insert(index);
                continue;
            }
            let violation = self.machine.violation(state, mark.demand)?;
            // Of an array that is followed by one element, that one was read last: see `ghost`.
            let always = self.machine.smt.pool.bool(true);
            let last_read = state.last_read.unwrap_or(always);
            let asked = self.machine.smt.pool.and(violation, last_read);
            if self.judges && !self.is_refuted(state, asked).map_err(Halt::Reason)? {
                self.failed.insert(index);
            }
            if !mark.demand.is_debatable() {
                self.machine.go_on_where_met(state, violation)?;
            }
        }
        Ok(())
    }
}

/// What became of a path after an instruction.
enum Going {
    On,
    /// It has come to the end of the program.
    Over,
    /// It has come to other blocks, or to none.
    Landed(Vec<State>),
    /// These go on in its place from the same instruction.
    Apart(Vec<State>),
}

/// Why a path is not followed further.
pub(super) enum Halt {
    Stop(Stop),
    Reason(Reason),
}

impl From<Stop> for Halt {
    fn from(stop: Stop) -> Halt {
        Halt::Stop(stop)
    }
}
