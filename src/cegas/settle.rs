//! Making a value one of a few constants: where an instruction can only be executed for a known length or
//! offset, the solver lists what the path allows, and the execution is followed for each.

use super::access::MOST_OFFSETS;
use super::address::{Base, Place};
use super::machine::{Machine, Step, Stop, gap};
use super::state::State;
use crate::ir::Operand;
use crate::smt::value::mask;
use crate::smt::{Answer, ExprId, Limits};

/// More values than this are not followed one by one.
const MOST_VALUES: usize = 64;

/// For one question.
fn limits() -> Limits {
    Limits { milliseconds: 1000, ..Limits::default() }
}

impl Machine<'_> {
    /// Demands that a number be a constant, if the path allows only a few.
    pub(super) fn settle(&mut self, state: &mut State, operand: Operand) -> Step<()> {
        let number = self.bits(state, operand)?;
        let Operand::Value(value) = operand else { return Ok(()) };
        if self.smt.pool.as_const(number).is_some() || self.speaks_of_addresses(number) {
            return Ok(());
        }
        let Some(values) = self.values(state, number) else { return Ok(()) };
        Err(Stop::Split(value, self.ways(None, number, &values)))
    }

    /// The same, but it is given up soon: only if all values the path allows lie near each other. Whichever of them the
    /// solver names first, the answer is the same.
    pub(super) fn settle_if_near(&mut self, state: &mut State, operand: Operand) -> Step<()> {
        let number = self.bits(state, operand)?;
        let width = self.smt.pool.width(number);
        if self.smt.pool.as_const(number).is_some()
            || self.speaks_of_addresses(number)
            || !(8..=64).contains(&width)
        {
            return Ok(());
        }
        let Some(one) = self.a_value(state, number) else { return Ok(()) };
        let low = one.wrapping_sub(MOST_VALUES as u128);
        let low = self.smt.pool.constant(low, width);
        let away = self.smt.pool.sub(number, low);
        let span = self.smt.pool.constant(2 * MOST_VALUES as u128, width);
        let is_far = self.smt.pool.ult(span, away);
        if !self.is_excluded(state, is_far) {
            return Ok(());
        }
        let Operand::Value(value) = operand else { return Ok(()) };
        let Some(values) = self.values(state, number) else { return Ok(()) };
        let behind = |value: u128, low: u128| value.wrapping_sub(low) & mask(width);
        let spans = |low: u128| values.iter().all(|&v| behind(v, low) <= MOST_VALUES as u128);
        if values.iter().any(|&low| spans(low)) {
            Err(Stop::Split(value, self.ways(None, number, &values)))
        } else {
            Ok(())
        }
    }

    /// Demands the same of a pointer's offset where memory cannot be accessed at all of them.
    pub(super) fn settle_pointer(&mut self, state: &mut State, operand: Operand) -> Step<()> {
        let pointer = self.bits(state, operand)?;
        let mut is_small = true;
        for place in self.places(pointer) {
            let Base::Object(instance) = place.base else { continue };
            if self.stride(state, instance).is_some() {
                continue;
            }
            let size = state.memory.get(instance).and_then(|o| self.smt.pool.as_const(o.size));
            is_small &= self.smt.pool.as_const(place.offset).is_some()
                || size.is_some_and(|size| size <= u128::from(MOST_OFFSETS));
        }
        if is_small || self.is_anywhere(state, pointer) {
            return Ok(());
        }
        self.settle_offset(state, operand)
    }

    /// Whether a proof is looked for and a large array is accessed at any index: listing some does not help.
    fn is_anywhere(&mut self, state: &State, pointer: ExprId) -> bool {
        let places = self.places(pointer);
        let [Place { base: Base::Object(instance), offset, .. }] = places[..] else { return false };
        let facts = self.smt.pool.facts(offset);
        let is_wide = facts.is_some_and(|facts| facts.umax - facts.umin > MOST_OFFSETS);
        self.ghosts.is_some() && is_wide && self.may_be_ghost(state, instance)
    }

    fn settle_offset(&mut self, state: &mut State, operand: Operand) -> Step<()> {
        let Operand::Value(value) = operand else { return Ok(()) };
        let pointer = self.bits(state, operand)?;
        let places = self.places(pointer);
        let [place] = places[..] else { return Ok(()) };
        let Base::Object(instance) = place.base else { return Ok(()) };
        if self.smt.pool.as_const(place.offset).is_some() {
            return Ok(());
        }
        let Some(values) = self.values(state, place.offset) else { return Ok(()) };
        let base = self.address(instance);
        Err(Stop::Split(value, self.ways(Some(base), place.offset, &values)))
    }

    /// What moves a whole range of memory needs one object, one offset and one length.
    pub(super) fn settle_range(
        &mut self,
        state: &mut State,
        pointers: &[Operand],
        length: Operand,
    ) -> Step<()> {
        for &pointer in pointers {
            if let Operand::Value(value) = pointer {
                self.split(state, value)?;
            }
            self.settle_offset(state, pointer)?;
        }
        self.settle(state, length)
    }

    /// Whether `cond` holds. If the path leaves it open, the execution is followed for both, told apart by `operand`.
    pub(super) fn tell(&mut self, state: &mut State, operand: Operand, cond: ExprId) -> Step<bool> {
        if let Some(known) = self.smt.pool.as_const(cond) {
            return Ok(known != 0);
        }
        let not = self.smt.pool.not(cond);
        for (other, holds) in [(cond, false), (not, true)] {
            if self.is_excluded(state, other) {
                return Ok(holds);
            }
        }
        let whole = self.bits(state, operand)?;
        let Operand::Value(value) = operand else { return gap("a condition that is open") };
        Err(Stop::Split(value, vec![(cond, whole), (not, whole)]))
    }

    /// Whether the path leaves no execution in which `cond` holds.
    pub(super) fn is_excluded(&mut self, state: &State, cond: ExprId) -> bool {
        let mut conditions = state.conditions();
        conditions.push(cond);
        matches!(self.smt.check(&conditions, &limits()), Answer::Unsat(_))
    }

    /// The same, not asked where it can be seen.
    pub(super) fn is_never(&mut self, state: &State, condition: ExprId) -> bool {
        match self.smt.pool.as_const(condition) {
            Some(holds) => holds == 0,
            None => self.is_excluded(state, condition),
        }
    }

    /// The least value that the path allows, found by halving: it does not depend on which one the solver names.
    pub(super) fn least_value(&mut self, state: &State, e: ExprId) -> Option<u128> {
        let width = self.smt.pool.width(e);
        let mut least = self.a_value(state, e)?;
        let mut low = self.smt.pool.facts(e).map_or(0, |facts| u128::from(facts.umin));
        while low < least {
            let middle = low + (least - low) / 2;
            let bound = self.smt.pool.constant(middle, width);
            let above = self.smt.pool.ult(bound, e);
            let below = self.smt.pool.not(above);
            let mut conditions = state.conditions();
            conditions.push(below);
            match self.smt.check(&conditions, &limits()) {
                Answer::Sat(model) => least = self.smt.pool.eval(e, &model)?.min(middle),
                Answer::Unsat(_) => low = middle + 1,
                Answer::Unknown(_) => return None,
            }
        }
        Some(least)
    }

    /// One of the values that the path allows.
    fn a_value(&mut self, state: &State, e: ExprId) -> Option<u128> {
        match self.smt.check(&state.conditions(), &limits()) {
            Answer::Sat(model) => self.smt.pool.eval(e, &model),
            Answer::Unsat(_) | Answer::Unknown(_) => None,
        }
    }

    /// For each value of a number, when it has it and what it is then, or what lies so far behind `base`.
    pub(super) fn ways(
        &mut self,
        base: Option<ExprId>,
        number: ExprId,
        values: &[u128],
    ) -> Vec<(ExprId, ExprId)> {
        let pool = &mut self.smt.pool;
        let width = pool.width(number);
        let mut ways = Vec::new();
        for &value in values {
            let constant = pool.constant(value, width);
            let to = base.map_or(constant, |base| pool.add(base, constant));
            ways.push((pool.eq(number, constant), to));
        }
        ways
    }

    /// All values that the path allows, in ascending order; `None` if they are too many.
    pub(super) fn values(&mut self, state: &State, e: ExprId) -> Option<Vec<u128>> {
        let limits = limits();
        let width = self.smt.pool.width(e);
        let mut conditions = state.conditions();
        let mut found = Vec::new();
        loop {
            match self.smt.check(&conditions, &limits) {
                Answer::Unsat(_) => break,
                Answer::Unknown(_) => return None,
                Answer::Sat(_) if found.len() == MOST_VALUES => return None,
                Answer::Sat(model) => {
                    let value = self.smt.pool.eval(e, &model)?;
                    let constant = self.smt.pool.constant(value, width);
                    conditions.push(self.smt.pool.ne(e, constant));
                    found.push(value);
                }
            }
        }
        found.sort_unstable();
        Some(found)
    }
}
