//! Ranges of arrays of which one element is followed ([`super::ghost`]): fills and copies.
//!
//! Why that is sound. The range begins and ends where elements do, or all that is known of the element is forgotten. So
//! the element lies in the range with all its bytes or with none of them. If it does, it holds what is put there; if
//! not, what it held before. What is copied from another such array is known where it is that array's own
//! element; else it may be anything.

use super::machine::{Machine, Source, Step};
use super::memory::Instance;
use super::state::State;
use crate::smt::ExprId;

/// Elements that are told apart where they are copied from an array of which all are followed.
const MOST_COPIED: u64 = 128;

/// Bytes of an element that are written at once.
const WORD: u64 = 8;

/// Where a range begins.
pub(super) type Start = (Instance, u64);

impl Machine<'_> {
    /// Each byte of a range becomes `byte`.
    pub(super) fn ghost_fill(
        &mut self,
        state: &mut State,
        to: Start,
        stride: u64,
        (byte, len): (ExprId, u64),
    ) -> Step<()> {
        let Some(inside) = self.holds_element(state, to, stride, len) else {
            self.forget_element(state, to.0);
            return Ok(());
        };
        let mut word = byte;
        for _ in 1..stride.min(WORD) {
            word = self.smt.pool.concat(byte, word);
        }
        for at in (0..stride).step_by(WORD as usize) {
            self.put_word(state, to.0, (at, stride.min(WORD)), inside, word)?;
        }
        Ok(())
    }

    /// A range becomes what another one is.
    pub(super) fn ghost_copy(
        &mut self,
        state: &mut State,
        to: Start,
        stride: u64,
        from: Start,
        len: u64,
    ) -> Step<()> {
        let other = self.stride(state, from.0);
        if other.is_none() {
            self.must_be_numbers(state, from.0)?;
        }
        let is_known = other.is_some() || len / stride <= MOST_COPIED;
        let inside = self.holds_element(state, to, stride, len);
        let Some(inside) = inside.filter(|_| is_known) else {
            self.forget_element(state, to.0);
            return Ok(());
        };
        let bytes = stride.min(WORD);
        for at in (0..stride).step_by(WORD as usize) {
            if other.is_some() {
                let is_own = other == Some(stride) && from.1 == to.1 - self.base(state, to.0);
                let word = if is_own {
                    self.read(state, from.0, at, bytes, false)?
                } else {
                    self.fresh(state, bytes as u32 * 8, Source::Widened)
                };
                self.put_word(state, to.0, (at, bytes), inside, word)?;
                continue;
            }
            for start in (0..len).step_by(stride as usize) {
                // The last element may be cut off.
                let there = bytes.min(len.saturating_sub(start + at));
                if there > 0 {
                    let word = self.read(state, from.0, from.1 + start + at, there, false)?;
                    let here = self.is_at(stride, to.1 - self.base(state, to.0) + start);
                    self.put_word(state, to.0, (at, there), here, word)?;
                }
            }
        }
        Ok(())
    }

    fn put_word(
        &mut self,
        state: &mut State,
        to: Instance,
        (at, bytes): (u64, u64),
        inside: ExprId,
        word: ExprId,
    ) -> Step<()> {
        self.must_be_number(word)?;
        let at = self.base(state, to) + at;
        let word = match self.smt.pool.as_const(inside) {
            Some(1) => word,
            _ => {
                let old = self.read(state, to, at, bytes, false)?;
                self.smt.pool.ite(inside, word, old)
            }
        };
        self.write(state, to, at, bytes, word);
        Ok(())
    }

    /// When the element that is followed lies in the range; `None` if elements may lie in it in part.
    fn holds_element(
        &mut self,
        state: &State,
        (instance, start): Start,
        stride: u64,
        len: u64,
    ) -> Option<ExprId> {
        let size = match self.part(state, instance) {
            Some((from, to)) => Some(u128::from(to - from)),
            None => self.smt.pool.as_const(state.memory.get(instance)?.size),
        };
        let start = start.checked_sub(self.base(state, instance))?;
        let end = start.checked_add(len)?;
        let is_end = end.is_multiple_of(stride) || size == Some(u128::from(end));
        if !start.is_multiple_of(stride) || !is_end {
            return None;
        }
        if start == 0 && size == Some(u128::from(len)) {
            // What would lie behind the array is never read.
            return Some(self.smt.pool.bool(true));
        }
        let place = self.place_of_element(stride)?;
        let (start, end) = (self.pointer_const(start), self.pointer_const(end));
        let (from, below) = (self.smt.pool.ule(start, place), self.smt.pool.ult(place, end));
        Some(self.smt.pool.and(from, below))
    }

    fn is_at(&mut self, stride: u64, offset: u64) -> ExprId {
        let offset = self.pointer_const(offset);
        match self.place_of_element(stride) {
            Some(place) => self.smt.pool.eq(place, offset),
            None => self.smt.pool.bool(false),
        }
    }

    /// Where the element that is followed begins in its array.
    fn place_of_element(&mut self, stride: u64) -> Option<ExprId> {
        let index = self.ghosts.as_ref()?.index;
        let stride = self.pointer_const(stride);
        Some(self.smt.pool.mul(index, stride))
    }
}
