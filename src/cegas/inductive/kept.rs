//! That no allocated memory is lost, by the same argument as in [`crate::cegas::keep`]: it is asked at every end, in every
//! written state, and before every call that is passed by a contract; and a state that is compared with a written one
//! loses what the written one does not have. It is shown of all memory or of none.

use super::{Checker, Reason};
use crate::cegas::liveness::Liveness;
use crate::cegas::memory::{Life, Origin};
use crate::cegas::reachable::Values;
use crate::cegas::state::State;
use crate::ir::InstId;
use std::rc::Rc;

impl Checker<'_> {
    /// The program has returned: all is freed.
    pub(super) fn keeps_at_end(&mut self, state: &State) {
        self.loses |= state
            .memory
            .objects()
            .any(|object| matches!(object.origin, Origin::Heap(_)) && object.life == Life::Live);
    }

    /// The program ends while functions are running.
    pub(super) fn keeps_at_exit(&mut self, state: &State) -> Result<(), Reason> {
        if self.machine.options.frees_all {
            self.keeps_at_end(state);
        }
        self.look_for_lost(state, Values::MayHold)
    }

    /// An execution may go on from here for ever: what is not lost can be reached by what is read again.
    pub(super) fn keeps_at_head(&mut self, state: &State) -> Result<(), Reason> {
        if self.loses || self.machine.marks.kept.is_none() {
            return Ok(());
        }
        let mut state = state.clone();
        let (program, top) = (self.machine.program, state.frames.len().saturating_sub(1));
        for depth in 0..state.frames.len() {
            let mut frame = state.frames[depth].clone();
            let next = if depth < top { InstId::from_u32(frame.at.as_u32() + 1) } else { frame.at };
            let new = || Rc::new(Liveness::new(program, frame.func));
            let live = Rc::clone(self.liveness.entry(frame.func).or_insert_with(new));
            let live = live.at(program, frame.block, next);
            frame.values.retain(|value, _| live.contains(value));
            state.frames.set(depth, frame);
        }
        self.look_for_lost(&state, Values::Hold)
    }

    fn look_for_lost(&mut self, state: &State, values: Values) -> Result<(), Reason> {
        if self.loses || self.machine.marks.kept.is_none() {
            return Ok(());
        }
        for lost in self.machine.lost(state, values) {
            self.loses |= !self.is_refuted(state, lost.perhaps)?;
        }
        Ok(())
    }
}
