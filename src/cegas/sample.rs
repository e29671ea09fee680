//! Where an instruction leaves the model because a number in it is not known (an index into `argv`, the length of a
//! copy), the path is followed for a few of the numbers it allows.
//!
//! Invariant: the values that are not followed leave the model as before, so nothing is proved by a sample.

use super::address::Base;
use super::explore::{Explorer, Next};
use super::machine::{Machine, Stop};
use super::state::State;
use super::value::Value;
use super::verdict::Reason;
use crate::ir::{InstId, Operand, ValueId};
use crate::smt::ExprId;

/// Small values that are tried: loops over arguments and lengths go wrong early.
const MOST_SMALL: u64 = 4;

/// Instructions of one path at which values are picked: their number multiplies.
const MOST_SAMPLED: u32 = 6;

/// Some of the values of what an instruction looks at.
struct Sample {
    value: ValueId,
    ways: Vec<(ExprId, ExprId)>,
    /// There are no others.
    is_all: bool,
}

impl Explorer<'_> {
    /// Follows what leaves the model at an instruction for some values of what it looks at.
    pub(super) fn sample(
        &mut self,
        state: &mut State,
        at: InstId,
        why: String,
    ) -> Result<Next, Stop> {
        if state.sampled >= MOST_SAMPLED {
            return Err(Stop::Gap(why));
        }
        let Some(sample) = self.machine.sample(state, at) else { return Err(Stop::Gap(why)) };
        if !sample.is_all {
            self.leave(state, Reason::Unsupported { what: why, at: Some(at) });
        }
        state.sampled += 1;
        let value = sample.value;
        let ways = sample.ways.into_iter().map(|way| (way.0, way)).collect();
        self.choose(state, ways, |explorer, state, (cond, to)| {
            explorer.machine.assume(state, cond)?;
            state.set(value, Value::Bits(to));
            Ok(())
        })
    }
}

impl Machine<'_> {
    /// The values that are followed at an instruction that leaves the model.
    pub(super) fn picked(
        &mut self,
        state: &mut State,
        at: InstId,
    ) -> Option<(ValueId, Vec<(ExprId, ExprId)>)> {
        if state.sampled >= MOST_SAMPLED {
            return None;
        }
        self.sample(state, at).map(|sample| (sample.value, sample.ways))
    }

    /// Picks values for the first number or offset that is not known.
    fn sample(&mut self, state: &mut State, at: InstId) -> Option<Sample> {
        let mut values = Vec::new();
        self.program.for_each_operand(&self.program.insts[at].inst, |operand| {
            if let Operand::Value(value) = operand {
                values.push(value);
            }
        });
        values.into_iter().find_map(|value| self.sample_value(state, value))
    }

    fn sample_value(&mut self, state: &State, value: ValueId) -> Option<Sample> {
        let whole = state.top()?.values.get(&value)?.bits()?;
        if self.smt.pool.as_const(whole).is_some() {
            return None;
        }
        let (base, number) = if self.speaks_of_addresses(whole) {
            let places = self.places(whole);
            let [place] = places[..] else { return None };
            let Base::Object(instance) = place.base else { return None };
            (Some(self.address(instance)), place.offset)
        } else {
            (None, whole)
        };
        if self.smt.pool.as_const(number).is_some() {
            return None;
        }
        let (picked, is_all) = match self.values(state, number) {
            Some(all) => (all, true),
            None => (self.small_values(state, number), false),
        };
        let ways = self.ways(base, number, &picked);
        (!ways.is_empty()).then_some(Sample { value, ways, is_all })
    }

    /// The smallest values that the path may allow, and the smallest that it does.
    fn small_values(&mut self, state: &State, number: ExprId) -> Vec<u128> {
        let (mut low, mut step) = (0, 1);
        if let Some(facts) = self.smt.pool.facts(number) {
            low = facts.umin;
            step = 1u64 << facts.zeros.trailing_ones().min(16);
        }
        let low = low.next_multiple_of(step);
        let mut picked: Vec<u128> =
            (0..MOST_SMALL).map(|i| u128::from(low.saturating_add(i * step))).collect();
        picked.extend(self.least_value(state, number));
        picked.sort_unstable();
        picked.dedup();
        picked
    }
}
