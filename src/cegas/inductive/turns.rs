//! The rule for loops that every textbook has, by conditions in C. A path that comes to a head with conditions must
//! satisfy them. Then whatever a turn of the loop changes is forgotten, the conditions are assumed, and all paths of one
//! turn are followed: those that come back must satisfy the conditions again, and nothing that was not forgotten may
//! have changed; those that leave go on. Loops without conditions are followed turn by turn.

use super::{Checker, Reason, refused};
use crate::cegas::loops::Body;
use crate::cegas::machine::Source;
use crate::cegas::memory::{Instance, Life, Origin};
use crate::cegas::merge::differences;
use crate::cegas::state::State;
use crate::cegas::value::Value;
use std::collections::BTreeSet;
use std::rc::Rc;

/// Looks at a loop until all that a turn changes is known.
const MOST_LOOKS: u32 = 50;

/// A loop under way: its blocks, and how many calls are running in it.
pub(super) struct Region {
    body: Rc<Body>,
    frames: usize,
}

/// Where the paths of one turn ended.
#[derive(Default)]
pub(super) struct Ends {
    back: Vec<State>,
    out: Vec<State>,
}

/// Bytes of an object that a loop changes: the offset and how many.
type Spot = (Instance, u64, u32);

impl Checker<'_> {
    /// Follows all paths from a state until they end or, in a region, come back to its head or leave it.
    pub(super) fn turn(&mut self, start: State, region: Option<&Region>) -> Result<Ends, Reason> {
        let mut ends = Ends::default();
        let mut waiting = vec![start];
        while let Some(state) = waiting.pop() {
            for state in self.follow(state)? {
                let here = state.top().map(|frame| (state.frames.len(), frame.block));
                match (region, here) {
                    (Some(region), Some((depth, block))) if depth == region.frames => {
                        if block == region.body.head && self.is_at_start(&state) {
                            ends.back.push(state);
                        } else if region.body.contains(block) {
                            self.go_on(state, &mut waiting)?;
                        } else {
                            ends.out.push(state);
                        }
                    }
                    (Some(region), _) if state.frames.len() < region.frames => ends.out.push(state),
                    _ => self.go_on(state, &mut waiting)?,
                }
            }
        }
        Ok(ends)
    }

    /// A state that has come to a block: through the loop that begins there, or to those that wait.
    fn go_on(&mut self, state: State, waiting: &mut Vec<State>) -> Result<(), Reason> {
        if let Some(frame) = state.top()
            && self.conditions.contains_key(&(frame.func, frame.block))
            && self.is_at_start(&state)
            && let Some(body) = self.loops(frame.func).body(frame.block).cloned()
        {
            let region = Region { body, frames: state.frames.len() };
            for state in self.through(&state, &region)? {
                self.go_on(state, waiting)?;
            }
        } else {
            waiting.push(state);
        }
        Ok(())
    }

    /// Everything that leaves the loop that the state stands at the head of.
    fn through(&mut self, state: &State, region: &Region) -> Result<Vec<State>, Reason> {
        self.demand_conditions(state, "a condition does not hold where its loop is entered")?;
        let mut spots: BTreeSet<Spot> = BTreeSet::new();
        for _ in 0..MOST_LOOKS {
            let cut = self.cut(state, region, &spots)?;
            let failed = self.failed.clone();
            let ends = self.turn(cut.clone(), Some(region))?;
            let known = spots.clone();
            for back in &ends.back {
                self.changes(&cut, back, &mut spots)?;
            }
            if spots != known {
                self.failed = failed;
                continue;
            }
            for back in &ends.back {
                self.demand_conditions(back, "a condition does not hold after a turn")?;
            }
            return Ok(ends.out);
        }
        refused("a loop that changes memory in too many ways")
    }

    /// The state at a head with what a turn changes forgotten, and the conditions assumed.
    fn cut(
        &mut self,
        state: &State,
        region: &Region,
        spots: &BTreeSet<Spot>,
    ) -> Result<State, Reason> {
        let mut cut = state.clone();
        let program = self.machine.program;
        for phi in program.phis(region.body.head) {
            let old = state.top().and_then(|frame| frame.values.get(&phi)?.bits());
            let Some(old) = old else { return refused("a value that is no number") };
            if !self.machine.is_pointer_type(program.values[phi].ty) {
                let bits = self.machine.smt.pool.width(old);
                let any = self.machine.fresh(&mut cut, bits, Source::Widened);
                cut.set(phi, Value::Bits(any));
            }
        }
        for &(instance, offset, bytes) in spots {
            let any = self.machine.fresh(&mut cut, bytes * 8, Source::Widened);
            self.machine.write(&mut cut, instance, offset, u64::from(bytes), any);
        }
        for condition in self.truths(&cut)? {
            cut.assumed.push_back(condition);
        }
        cut.memory.forget_reads();
        cut.choices += 1;
        cut.doubt("a loop that was cut");
        Ok(cut)
    }

    /// Adds what a turn has changed; refuses what cannot be forgotten.
    fn changes(
        &mut self,
        cut: &State,
        back: &State,
        spots: &mut BTreeSet<Spot>,
    ) -> Result<(), Reason> {
        let same_frames = cut.frames.iter().zip(&back.frames).all(|(a, b)| {
            (a.func, a.call) == (b.func, b.call) && a.locals == b.locals && a.varargs == b.varargs
        });
        if !same_frames || cut.pending != back.pending || cut.closing != back.closing {
            return refused("a loop that makes variables anew");
        }
        let program = self.machine.program;
        for phi in cut.top().into_iter().flat_map(|frame| program.phis(frame.block)) {
            let value = |state: &State| state.top().and_then(|f| f.values.get(&phi)?.bits());
            let is_pointer = self.machine.is_pointer_type(program.values[phi].ty);
            let speaks = value(back).is_none_or(|v| self.machine.speaks_of_addresses(v));
            if (is_pointer || speaks) && value(cut) != value(back) {
                return refused("a pointer that a loop changes");
            }
        }
        let known = cut.memory.len() as u32;
        for number in known..back.memory.len() as u32 {
            let made = back.memory.get(Instance(number));
            if made.is_some_and(|o| o.life == Life::Live && matches!(o.origin, Origin::Heap(_))) {
                return refused("memory allocated in a loop");
            }
        }
        for instance in (0..known).map(Instance) {
            let (Some(a), Some(b)) = (cut.memory.get(instance), back.memory.get(instance)) else {
                return refused("an object that is gone");
            };
            if (a.life, a.size, a.background) != (b.life, b.size, b.background) {
                return refused("an object whose life a loop changes");
            }
            for (offset, bytes) in differences(a, b) {
                let mut copy = back.clone();
                let value = self.machine.read(&mut copy, instance, offset, u64::from(bytes), false);
                let is_number = value.is_ok_and(|v| !self.machine.speaks_of_addresses(v));
                if !is_number || bytes > 16 {
                    return refused("a pointer that a loop changes");
                }
                if !spots.contains(&(instance, offset, bytes)) {
                    let end = offset + u64::from(bytes);
                    spots.retain(|&(i, o, b)| {
                        i != instance || o + u64::from(b) <= offset || end <= o
                    });
                    spots.insert((instance, offset, bytes));
                }
            }
        }
        Ok(())
    }
}
