//! The values that a violation is shown with, asked for by a machine that knows nothing but its path.
//!
//! The explorer's solver remembers models of earlier questions, and the shape of an expression depends on those that
//! were made before it. So the values it finds depend on which other paths were followed: a scan that knows
//! most verdicts from before follows fewer. Here the path is gone again from the beginning, each choice as those values
//! say, and the conditions are collected anew; what holds along it is all that the answer depends on.

use super::known::Known;
use super::leap::{Leap, Leaps};
use super::machine::{Inputs, Machine, Stop};
use super::reachable::Values;
use super::replay::Target;
use super::state::State;
use super::step::Flow;
use super::story::Walked;
use super::value::Value;
use crate::cegas::persistent::HashSet;
use crate::ir::{FuncId, InstId};
use crate::smt::{Answer, ExprId, Limits, Model, Solver, VarId};
use std::rc::Rc;

/// A longer path is told with the values it was found with.
const MOST_STEPS: u32 = 4_000_000;

/// The choices of a path, as the values say that another machine found.
struct Guide<'a, 'p> {
    known: &'a Machine<'p>,
    found: &'a Model,
    /// The same values for the variables of the machine that goes the path again.
    values: Model,
    /// How many variables have theirs.
    translated: u32,
}

impl<'p> Machine<'p> {
    /// The story of the path from `entry` to the violation that `target` says, along which `found` leads, but for
    /// values in `kept`; `None` if the path does not get there.
    pub(super) fn evidence(
        &mut self,
        entry: FuncId,
        found: Model,
        kept: HashSet<VarId>,
        target: Target,
    ) -> Option<Walked> {
        let walked = self.walk_afresh(entry, &found, target);
        walked.or_else(|| self.replay(entry, Inputs::Found(found), None, kept, target))
    }

    /// The same with values that depend on the path alone.
    fn walk_afresh(&self, entry: FuncId, found: &Model, target: Target) -> Option<Walked> {
        let mut machine = Machine::new(self.program, Rc::clone(&self.marks), self.options);
        machine.smt = Solver::apart();
        machine.given = self.given.clone();
        machine.undisturbed = true;
        machine.log = Some(Known::default());
        let mut guide = Guide { known: self, found, values: Model::new(), translated: 0 };
        let (state, violation) = guide.follow(&mut machine, entry, target)?;
        let mut conditions = state.conditions();
        conditions.push(violation);
        let Answer::Sat(values) = machine.smt.check(&conditions, &Limits::default()) else {
            return None;
        };
        let known = machine.log.take().map(Known::rewound);
        machine.replay(entry, Inputs::Found(values), known, state.uncertain, target)
    }
}

impl<'p> Guide<'_, 'p> {
    /// The state in which the path violates what `target` says, and when it does.
    fn follow(
        &mut self,
        machine: &mut Machine<'p>,
        entry: FuncId,
        target: Target,
    ) -> Option<(State, ExprId)> {
        let mut state = machine.start(entry);
        let mut leaps = Leaps::default();
        for _ in 0..MOST_STEPS {
            let Some(at) = state.top().map(|frame| frame.at) else {
                let Some(func) = state.next_function() else {
                    return self.at_end(machine, state, target, Values::None);
                };
                machine.enter_first(&mut state, func).ok()?;
                continue;
            };
            if let Some(violation) = self.judge(machine, &mut state, at, target)? {
                return Some((state, violation));
            }
            let block = state.top().map(|frame| frame.block);
            match self.step(machine, &mut state, at)? {
                Ok(()) if block != state.top().map(|frame| frame.block) => {
                    match leaps.landed(machine, &state) {
                        Some(Leap::To { state: later, .. }) => state = *later,
                        Some(Leap::ForEver) => {
                            return self.at_end(machine, state, target, Values::MayHold);
                        }
                        None => {}
                    }
                }
                Ok(()) => {}
                Err(Stop::Exit) => return self.at_end(machine, state, target, Values::MayHold),
                Err(Stop::End | Stop::Gap(_) | Stop::Split(..)) => return None,
            }
        }
        None
    }

    /// Goes on only where the demands of `at` are met; the condition of the violation that is meant, if it is here.
    fn judge(
        &mut self,
        machine: &mut Machine<'p>,
        state: &mut State,
        at: InstId,
        target: Target,
    ) -> Option<Option<ExprId>> {
        for here in 0..machine.marks.at(at).len() {
            let demand = machine.marks.at(at)[here].demand;
            let violation = machine.violation(state, demand).ok()?;
            if let Target::At { at: meant, number, site } = target
                && (meant, number) == (at, here)
                && machine.site(state, at) == site
                && self.holds(machine, violation)?
            {
                return Some(Some(violation));
            }
            if !demand.is_debatable() {
                let holds = machine.smt.pool.not(violation);
                machine.assume(state, holds).ok()?;
            }
        }
        Some(None)
    }

    /// What the target means is lost at the end.
    fn at_end(
        &mut self,
        machine: &mut Machine<'p>,
        state: State,
        target: Target,
        values: Values,
    ) -> Option<(State, ExprId)> {
        let Target::End { lost: meant } = target else { return None };
        let lost = machine.lost(&state, values);
        for lost in lost.iter().filter(|lost| lost.allocated == meant) {
            if self.holds(machine, lost.when)? {
                return Some((state, lost.when));
            }
        }
        None
    }

    /// Executes one instruction and goes the way that the values say; nothing if they do not.
    fn step(
        &mut self,
        machine: &mut Machine<'p>,
        state: &mut State,
        at: InstId,
    ) -> Option<Result<(), Stop>> {
        let flow = match machine.step(state, at) {
            Ok(flow) => flow,
            Err(Stop::Split(value, ways)) => {
                let (cond, to) = self.way(machine, ways)?;
                machine.assume(state, cond).ok()?;
                state.set(value, Value::Bits(to));
                return Some(Ok(()));
            }
            Err(Stop::Gap(_)) => {
                let (value, ways) = machine.picked(state, at)?;
                state.sampled += 1;
                let (cond, to) = self.way(machine, ways)?;
                machine.assume(state, cond).ok()?;
                state.set(value, Value::Bits(to));
                return Some(Ok(()));
            }
            Err(stop) => return Some(Err(stop)),
        };
        Some(match flow {
            Flow::Next => machine.advance(state),
            Flow::Stay => Ok(()),
            Flow::Return(value) => machine.leave(state, value).map(|_| ()),
            Flow::Blocks(ways) => {
                let (cond, to) = self.way(machine, ways)?;
                machine.assume(state, cond).ok()?;
                machine.jump(state, to)
            }
            Flow::Call(ways) => {
                let (cond, to) = self.way(machine, ways)?;
                machine.assume(state, cond).ok()?;
                machine.enter(state, at, to)
            }
            Flow::Outcomes(ways) => {
                let (cond, to) = self.way(machine, ways)?;
                machine.assume(state, cond).ok()?;
                machine.finish(state, at, to)
            }
        })
    }

    /// The way whose condition holds.
    fn way<T: Copy>(
        &mut self,
        machine: &mut Machine<'p>,
        ways: Vec<(ExprId, T)>,
    ) -> Option<(ExprId, T)> {
        for (cond, to) in ways {
            if self.holds(machine, cond)? {
                return Some((cond, to));
            }
        }
        None
    }

    fn holds(&mut self, machine: &mut Machine<'p>, cond: ExprId) -> Option<bool> {
        if let Some(value) = machine.smt.pool.as_const(cond) {
            return Some(value != 0);
        }
        if machine.speaks_of_addresses(cond) {
            return None;
        }
        for var in machine.smt.pool.vars().skip(self.translated as usize) {
            if let Some(value) = self.known.same_variable(machine, var) {
                self.values.set_bits(var, self.found.bits(value));
            }
            self.translated += 1;
        }
        Some(machine.smt.pool.eval(cond, &self.values)? != 0)
    }
}
