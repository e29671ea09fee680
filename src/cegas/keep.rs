//! That no allocated memory is lost, on the way to a proof.
//!
//! Why a look at some states is enough. Memory that is lost stays lost, so an execution that loses some has lost it where
//! it ends; one that never ends comes to the head of some loop again and again, or to a call of a recursive function that
//! never comes back. So nothing is lost if nothing is at every end, in the general state of every loop, and before every call that
//! is passed by its summary. And no state forgets allocated memory on the way: a general state has
//! every live object of what it covers ([`super::widen`] takes none that was made since; [`super::arrive`] matches each with
//! one of its own), lists have all the nodes that were folded into them, and joining states keeps the objects of
//! both. Where [`super::fold`] forgets an object that nothing reaches, it is lost.
//!
//! It is shown of all memory or of none: a list does not tell where each of its nodes was allocated.

use super::cover::Prover;
use super::memory::{Life, Origin};
use super::reachable::Values;
use super::state::State;
use crate::smt::Answer;

impl Prover<'_, '_, '_> {
    /// The program has returned: all is freed. What can still be reached then is neither a leak nor none.
    pub(super) fn keeps_at_end(&mut self, state: &State) {
        self.loses |= state
            .memory
            .objects()
            .any(|object| matches!(object.origin, Origin::Heap(_)) && object.life == Life::Live);
    }

    /// The program ends while functions are running: their variables in memory hold what is not lost.
    pub(super) fn keeps_at_exit(&mut self, state: &State) {
        if self.machine.options.frees_all {
            self.keeps_at_end(state);
        }
        self.loses |= self.may_lose(state, Values::MayHold);
    }

    /// A loop or a recursion may go on from here for ever: what is not lost can be reached by what is read again.
    pub(super) fn keeps_at_head(&mut self, state: &State) {
        if !self.asks() {
            return;
        }
        let mut state = state.clone();
        self.forget_values(&mut state);
        self.loses |= self.may_lose(&state, Values::Hold);
    }

    /// Whether it matters that memory is lost, and none is known to be.
    fn asks(&self) -> bool {
        !self.loses && self.machine.marks.kept.is_some()
    }

    /// Whether it is not sure that all memory can be reached.
    fn may_lose(&mut self, state: &State, values: Values) -> bool {
        self.asks()
            && self.machine.lost(state, values).into_iter().any(|lost| {
                self.machine.speaks_of_addresses(lost.perhaps)
                    || !matches!(self.ask(state, lost.perhaps), Answer::Unsat(_))
            })
    }
}
