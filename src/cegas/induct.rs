//! k-induction: what holds in a turn of a loop because demands were met in the turns before it.
//!
//! S# covers every state at the head (see [`super::cover`]). Base: the first k turns are followed from the entry
//! itself, and judged. Step: from S#, k turns are followed in which every demand is taken to be met, and the
//! turn behind them is judged. Why that is enough: an execution that comes to turn n >= k was at the head k turns
//! before, in a state that S# covers, and has not ended since, so every demand on the way was met; what it
//! meets in turn n, and how it leaves the loop there, is among what was followed in the step. With k = 0 this
//! is the plain rule.

use super::cover::{Before, Bound, Fail, Prover, Region, Tried};
use super::state::State;

/// States at the head that are followed through a turn at once.
const MOST_STATES: usize = 16;

/// A state that covers all turns of a loop, and what leaves it in one turn.
pub(super) struct General {
    pub state: State,
    pub out: Vec<State>,
    /// What comes back in another shape: the general state does not cover it.
    pub aside: Vec<State>,
}

impl Prover<'_, '_, '_> {
    /// Everything that leaves the loop; what the general state's own turn has shown since `before` is forgotten,
    /// unless the turns cannot be followed one by one.
    pub(super) fn inducted(
        &mut self,
        entry: State,
        general: General,
        region: &Region,
        before: Before,
    ) -> Tried<Vec<State>> {
        let plain = self.before();
        self.go_back(before);
        match self.base_and_step(entry, general.state.clone(), region) {
            Ok(out) => {
                self.note_met(region, general.state, true);
                if let Some(met) = self.met.last_mut() {
                    met.turns = self.hypotheses;
                }
                Ok(out)
            }
            Err(Fail::Beyond) => {
                self.go_back(plain);
                Ok(general.out)
            }
            Err(Fail::Time) => Err(Fail::Time),
        }
    }

    fn base_and_step(
        &mut self,
        entry: State,
        general: State,
        region: &Region,
    ) -> Tried<Vec<State>> {
        let mut out = Vec::new();
        let mut start = vec![entry];
        for _ in 0..self.hypotheses {
            let ends = self.turn(start, Bound::Turn(region))?;
            out.extend(ends.out);
            start = few(ends.back)?;
            if start.is_empty() {
                return Ok(out);
            }
        }
        let mut start = vec![general];
        for _ in 0..self.hypotheses {
            let before = self.before();
            start = few(self.turn(start, Bound::Turn(region))?.back)?;
            self.go_back(before);
        }
        out.extend(self.turn(start, Bound::Turn(region))?.out);
        Ok(out)
    }
}

/// States that cannot be joined become more with each turn.
fn few(states: Vec<State>) -> Tried<Vec<State>> {
    if states.len() > MOST_STATES { Err(Fail::Beyond) } else { Ok(states) }
}
