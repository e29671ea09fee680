//! The element that is followed of arrays, chosen by a store: for texts, which end where somebody has put a zero.
//!
//! Why that is sound. What [`super::ghost`] says holds for any index `g`, so each execution may be looked at with one that suits
//! it: it is enough that a violation is refuted for one of them. Here `g` is the number of the element that a certain
//! store writes when it is executed for the so-and-so-many-th time outside loops, and anything if that does not happen. On
//! each path that is assumed at most once: [`State::anchored`] counts, never goes back, and where paths meet it is the larger of
//! the two. Nothing is assumed in loops and recursive functions, whose general states stand for many executions of a
//! store. What was read last ([`State::last_read`]) is another choice of `g`: the two are never made together.

use super::ghost::Touch;
use super::machine::{Machine, Step};
use super::memory::Instance;
use super::state::State;
use crate::ir::InstId;
use crate::smt::ExprId;
use std::collections::BTreeSet;

/// Stores that are tried, each of them for so many executions.
const MOST: usize = 6;
const MOST_EXECUTIONS: u32 = 3;

/// A store, and how often it was executed before.
pub(super) type Anchor = (InstId, u32);

#[derive(Debug, Default)]
pub(super) struct Anchors {
    /// Those that may be tried.
    found: BTreeSet<Anchor>,
    /// The one that says which element is followed.
    chosen: Option<Anchor>,
}

impl Machine<'_> {
    /// Whether a store says which element is followed.
    pub(super) fn is_anchored(&self) -> bool {
        self.ghosts.as_ref().is_some_and(|ghosts| ghosts.anchors.chosen.is_some())
    }

    /// From now on this store says which element is followed.
    pub(super) fn choose_anchor(&mut self, anchor: Option<Anchor>) {
        if let Some(ghosts) = self.ghosts.as_mut() {
            ghosts.anchors.chosen = anchor;
        }
    }

    /// The stores that might.
    pub(super) fn anchors(&self) -> Vec<Anchor> {
        let found = self.ghosts.iter().flat_map(|ghosts| &ghosts.anchors.found);
        found.copied().take(MOST).collect()
    }

    /// A store of one element: it may be the one that says which is followed.
    pub(super) fn anchor(
        &mut self,
        state: &mut State,
        (instance, guard): (Instance, ExprId),
        stride: u64,
        touch: &Touch,
        value: ExprId,
    ) -> Step<()> {
        let Some(at) = state.top().map(|frame| frame.at) else { return Ok(()) };
        let is_in_loop = self.young != u32::MAX;
        let is_for_sure = self.smt.pool.as_const(guard) == Some(1);
        if is_in_loop || self.smt.pool.as_const(value).is_none() {
            return Ok(());
        }
        let is_other = self.has_one_of_few();
        let Some(ghosts) = self.ghosts.as_mut().filter(|_| !is_other) else { return Ok(()) };
        let Some((chosen, turn)) = ghosts.anchors.chosen else {
            ghosts.anchors.found.insert((at, 0));
            return Ok(());
        };
        if chosen != at {
            return Ok(());
        }
        let count = state.anchored;
        state.anchored = count.saturating_add(1);
        if count < MOST_EXECUTIONS {
            ghosts.anchors.found.insert((at, count));
        }
        if count == turn && is_for_sure && self.has_numbers(state, instance, stride) {
            self.assume(state, touch.hit)?;
        }
        Ok(())
    }
}
