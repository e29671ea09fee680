//! Arrays too large to be followed element by element: only one element is, at an index that is arbitrary
//! but the same from the start to the end of an execution. For proofs only.
//!
//! Why that is sound. Fix any index `g`. An access that is not of element `g` reads anything and writes
//! nothing that is kept, so the executions followed include all real ones, whatever `g` is. Take a real
//! execution that violates an obligation, and let `g` be the element that it read last from such an array
//! (all reads are inside their objects, so there is a `g >= 0`). Among the executions followed for that `g` it
//! occurs with that last read being exact. So it is enough to refute, for every `g`, the violations
//! whose last read was of element `g`: that is what [`State::last_read`] keeps.
//!
//! The object's own cells then are the bytes of its element `g` (of objects that are more than an array, see [`super::part`]). Elements have a size that is a power of two,
//! so that a sum of multiples of it is one even where it wraps around. An access of which it is not shown, by how its offset is made or by what
//! holds on the path, that it lies in one element with all its bytes reads anything, and forgets the element if it writes.
//!
//! Elements are numbers: an address is never put there, since what is read from another element than the one that is followed would
//! be an address that speaks of no object, and whoever asks what a value may lead to would not be told.

use super::anchor::Anchors;
use super::few::Few;
use super::machine::{Machine, Source, Step, gap};
use super::memory::{Background, Instance, Origin};
use super::part::Part;
use super::state::State;
use crate::ir::{Const, GlobalId};
use crate::smt::{Answer, ExprId, Limits, Sort};
use rustc_hash::FxHashMap;
use std::ops::Range;

/// Elements larger than this are not kept whole.
const LARGEST: u64 = 64;

/// Cells of an object that are kept apart.
const CROWD: usize = 300;

/// Milliseconds to ask how large an object may be.
const MOMENT: u32 = 100;

/// The arrays of which one element is followed.
#[derive(Debug)]
pub(super) struct Ghosts {
    /// Which element: the `g` above.
    pub(super) index: ExprId,
    /// The size of an element, by where the array comes from.
    pub(super) strides: FxHashMap<Origin, u64>,
    /// Where it lies in its object, if that is more than the array.
    pub(super) parts: FxHashMap<Origin, Part>,
    /// No array has more elements, as far as their sizes are known.
    pub(super) most: Option<u64>,
    /// An array was added since the execution began: it has to begin anew.
    is_new: bool,
    /// Small ones that could be followed so, too.
    pub(super) few: Few,
    /// Stores whose element may be the one.
    pub(super) anchors: Anchors,
}

impl Ghosts {
    /// The sizes of elements, each once.
    pub(super) fn strides(&self) -> Vec<u64> {
        let mut strides: Vec<u64> = self.strides.values().copied().collect();
        strides.sort_unstable();
        strides.dedup();
        strides
    }

    pub(super) fn add(&mut self, origin: Origin, stride: u64, count: Option<u64>) {
        self.strides.insert(origin, stride);
        self.most = self.most.zip(count).map(|(most, count)| most.max(count));
        self.is_new = true;
    }
}

/// An access to one element.
pub(super) struct Touch {
    /// The element that is followed.
    index: ExprId,
    /// When the element is the one that is followed.
    pub(super) hit: ExprId,
    /// Where in the element.
    from: u64,
}

impl Machine<'_> {
    /// From now on arrays may be followed by one element.
    pub(super) fn begin_ghosts(&mut self) {
        let index = self.smt.pool.var("element", Sort::Bits(self.pointer_bits));
        self.known_before(index);
        self.ghosts = Some(Ghosts {
            index,
            strides: FxHashMap::default(),
            parts: FxHashMap::default(),
            most: Some(0),
            is_new: false,
            few: Few::default(),
            anchors: Anchors::default(),
        });
    }

    /// What holds of the index from the start, where there is one.
    pub(super) fn ghost_index(&mut self) -> Option<ExprId> {
        let zero = self.pointer_const(0);
        let ghosts = self.ghosts.as_mut().filter(|ghosts| !ghosts.strides.is_empty())?;
        ghosts.is_new = false;
        let (index, most) = (ghosts.index, ghosts.most);
        let is_number = self.smt.pool.sle(zero, index);
        // An array of no elements must not leave the index without a value.
        let Some(most) = most.filter(|&most| most > 0) else { return Some(is_number) };
        let most = self.pointer_const(most);
        let is_element = self.smt.pool.slt(index, most);
        Some(self.smt.pool.and(is_number, is_element))
    }

    pub(super) fn as_index(&mut self, number: ExprId) -> ExprId {
        self.smt.pool.resize(number, self.pointer_bits, true)
    }

    /// Whether some array is followed by one element.
    pub(super) fn has_ghosts(&self) -> bool {
        self.ghosts.as_ref().is_some_and(|ghosts| !ghosts.strides.is_empty())
    }

    /// Whether an array was added since the execution began.
    pub(super) fn is_ghost_new(&self) -> bool {
        self.ghosts.as_ref().is_some_and(|ghosts| ghosts.is_new)
    }

    /// The size of the elements, if one element of the object is followed.
    pub(super) fn stride(&self, state: &State, instance: Instance) -> Option<u64> {
        let strides = &self.ghosts.as_ref()?.strides;
        if strides.is_empty() {
            return None;
        }
        strides.get(&state.memory.get(instance)?.origin).copied()
    }

    /// An access whose index has too many values: next time one element of the array is followed.
    pub(super) fn wish_ghost(
        &mut self,
        state: &State,
        instance: Instance,
        offset: ExprId,
        bytes: u64,
    ) {
        let is_plain = self.may_be_ghost(state, instance);
        let stride = self.element_size(state, offset, bytes);
        let Some(object) = state.memory.get(instance) else { return };
        let count = self.elements_of(object.size, stride);
        let Some(ghosts) = self.ghosts.as_mut() else { return };
        if is_plain && bytes <= stride && !ghosts.strides.contains_key(&object.origin) {
            ghosts.add(object.origin, stride, count);
        }
    }

    /// The size that an access suggests for elements.
    pub(super) fn element_size(&mut self, state: &State, offset: ExprId, bytes: u64) -> u64 {
        let known = self.smt.pool.facts(offset).map(|facts| facts.zeros | facts.ones);
        let stride = 1u64 << known.unwrap_or(0).trailing_ones().min(LARGEST.ilog2());
        let is_element = stride < bytes && bytes.is_power_of_two() && bytes <= LARGEST;
        if is_element && self.is_multiple(state, offset, bytes) { bytes } else { stride }
    }

    /// Whether what holds on the path says that the offset is a multiple of so many bytes, a power of two.
    fn is_multiple(&mut self, state: &State, offset: ExprId, bytes: u64) -> bool {
        let low = self.smt.pool.extract(offset, 0, bytes.ilog2());
        let zero = self.smt.pool.constant(0, bytes.ilog2());
        let other = self.smt.pool.ne(low, zero);
        self.is_soon_excluded(state, other)
    }

    /// How many elements lie in so many bytes; the last of them may be cut off.
    pub(super) fn elements_of(&self, size: ExprId, stride: u64) -> Option<u64> {
        let size = u64::try_from(self.smt.pool.as_const(size)?).ok()?;
        Some(size.div_ceil(stride)).filter(|&count| self.is_count(count))
    }

    /// Whether an index can number so many elements: it is never negative.
    pub(super) fn is_count(&self, count: u64) -> bool {
        count < 1 << (self.pointer_bits - 1)
    }

    /// Whether one element of the object can be followed. Those of tables of addresses are no numbers.
    pub(super) fn may_be_ghost(&self, state: &State, instance: Instance) -> bool {
        let background = state.memory.get(instance).map(|object| object.background);
        match background {
            Some(Background::Zero | Background::Uninit) => true,
            Some(Background::Init(global)) => !self.is_initialised_with_addresses(global),
            Some(Background::Given { open, .. }) => !open,
            Some(Background::Outside | Background::Text | Background::Arguments { .. })
            | Some(Background::Code)
            | None => false,
        }
    }

    fn is_initialised_with_addresses(&self, global: GlobalId) -> bool {
        let init = self.program.globals[global].init.as_ref();
        let is_address =
            |constant| !matches!(self.program.consts.get(constant), Const::Undef | Const::Poison);
        init.is_none_or(|init| init.relocs.iter().any(|&(_, constant)| is_address(constant)))
    }

    /// What is put into such an array is a number: which of the objects an element points to that is not followed, nobody would know.
    pub(super) fn must_be_number(&mut self, value: ExprId) -> Step<()> {
        match self.speaks_of_addresses(value) {
            true => gap("an address in an array of which one element is followed"),
            false => Ok(()),
        }
    }

    /// The same of all that an object holds, of which it is not known what is looked at or stays.
    pub(super) fn must_be_numbers(&mut self, state: &State, instance: Instance) -> Step<()> {
        let Some(object) = state.memory.get(instance) else { return gap("an object that is not") };
        let is_plain = match object.background {
            // Who puts an address there from outside was given it, and may change what it leads to at any time.
            Background::Zero | Background::Uninit | Background::Outside => true,
            Background::Init(global) => !self.is_initialised_with_addresses(global),
            Background::Text | Background::Arguments { .. } => false,
            Background::Given { .. } | Background::Code => false,
        };
        if !is_plain {
            return gap("what may be addresses, beside an array of which one element is followed");
        }
        let held: Vec<ExprId> = object.cells.values().map(|cell| cell.value).collect();
        held.into_iter().try_for_each(|value| self.must_be_number(value))
    }

    /// An array written to element by element: after so many, one will be followed next time.
    pub(super) fn is_crowded(&mut self, state: &State, instance: Instance, bytes: u64) -> bool {
        if self.ghosts.is_none() || !bytes.is_power_of_two() || !self.may_be_ghost(state, instance)
        {
            return false;
        }
        let Some(object) = state.memory.get(instance) else { return false };
        let count = self.elements_of(object.size, bytes);
        let (origin, is_full) = (object.origin, object.cells.len() >= CROWD);
        let is_new = |ghosts: &&mut Ghosts| is_full && !ghosts.strides.contains_key(&origin);
        let Some(ghosts) = self.ghosts.as_mut().filter(is_new) else { return false };
        ghosts.add(origin, bytes, count);
        true
    }

    /// The element that an access touches, of an array that begins at `base`; `None` if it may touch several or parts of them.
    fn touch(
        &mut self,
        state: &State,
        (base, stride): (u64, u64),
        offset: ExprId,
        bytes: u64,
    ) -> Option<Touch> {
        let base = self.pointer_const(base);
        let offset = self.smt.pool.sub(offset, base);
        let facts = self.smt.pool.facts(offset)?;
        let (zeros, ones) = (facts.zeros, facts.ones);
        let within = stride - 1;
        let is_known = (zeros | ones) & within == within;
        // A pointer that a loop moves is a number of which only conditions tell.
        if !is_known && !self.is_multiple(state, offset, stride) {
            return None;
        }
        let from = if is_known { ones & within } else { 0 };
        if from + bytes > stride {
            return None;
        }
        let index = self.ghosts.as_ref()?.index;
        let start = self.pointer_const(from);
        let start = self.smt.pool.sub(offset, start);
        let size = self.pointer_const(stride);
        let element = self.smt.pool.mul(index, size);
        Some(Touch { index, hit: self.smt.pool.eq(start, element), from })
    }

    /// What an access reads from an array of which one element is followed.
    pub(super) fn ghost_load(
        &mut self,
        state: &mut State,
        (instance, is_only): (Instance, bool),
        stride: u64,
        offset: ExprId,
        bytes: u64,
    ) -> Step<ExprId> {
        if bytes > 16 {
            return gap("a read of more than 16 bytes from an array");
        }
        let base = self.base(state, instance);
        let touch = self.touch(state, (base, stride), offset, bytes);
        let value = match &touch {
            Some(touch) => Some(self.read(state, instance, base + touch.from, bytes, false)?),
            None => None,
        };
        let other = match state.memory.read_before(instance, offset, bytes) {
            Some(other) => other,
            None => {
                let other = self.fresh(state, bytes as u32 * 8, Source::Widened);
                state.memory.remember(instance, offset, bytes, other);
                other
            }
        };
        let (Some(touch), Some(value)) = (touch, value) else { return Ok(other) };
        // Where the pointer means this object for sure, it is an element that has a number.
        if is_only && !self.is_anchored() && self.has_numbers(state, instance, stride) {
            let most = self.pointer_const(u64::MAX >> (64 - self.pointer_bits) >> stride.ilog2());
            let is_number = self.smt.pool.ule(touch.index, most);
            state.last_read = Some(self.smt.pool.and(touch.hit, is_number));
        }
        Ok(self.smt.pool.ite(touch.hit, value, other))
    }

    /// Whether the index can be the number of any element of the object.
    pub(super) fn has_numbers(&mut self, state: &State, instance: Instance, stride: u64) -> bool {
        let Some(object) = state.memory.get(instance) else { return false };
        let half = 1 << (self.pointer_bits - 1);
        let most = self.ghosts.as_ref().and_then(|ghosts| ghosts.most);
        if let Some((from, to)) = self.part(state, instance) {
            let count = (to - from) / stride;
            return most.map_or(self.is_count(count), |most| count <= most);
        }
        match (self.smt.pool.as_const(object.size), most) {
            (_, Some(most)) => {
                self.elements_of(object.size, stride).is_some_and(|count| count <= most)
            }
            // All that is asked of it then is that it is no negative number.
            (Some(size), None) => size < half,
            (None, None) => {
                let facts = self.smt.pool.facts(object.size);
                let is_small = facts.is_some_and(|facts| u128::from(facts.umax) < half);
                // Of a variable, this was assumed when it was made.
                stride > 1
                    || is_small
                    || matches!(object.origin, Origin::Local(_))
                    || self.is_never_negative(state, object.size)
            }
        }
    }

    /// Whether what holds on the path says so.
    fn is_never_negative(&mut self, state: &State, size: ExprId) -> bool {
        let zero = self.pointer_const(0);
        let is_negative = self.smt.pool.slt(size, zero);
        self.is_soon_excluded(state, is_negative)
    }

    pub(super) fn is_soon_excluded(&mut self, state: &State, condition: ExprId) -> bool {
        let mut conditions = state.conditions();
        conditions.push(condition);
        let limits = Limits { milliseconds: MOMENT, ..Limits::default() };
        matches!(self.smt.check(&conditions, &limits), Answer::Unsat(_))
    }

    pub(super) fn ghost_store(
        &mut self,
        state: &mut State,
        (instance, guard): (Instance, ExprId),
        stride: u64,
        offset: ExprId,
        (bytes, value): (u64, ExprId),
    ) -> Step<()> {
        let base = self.base(state, instance);
        let Some(touch) = self.touch(state, (base, stride), offset, bytes) else {
            self.forget_element(state, instance);
            return Ok(());
        };
        // A turn of a loop that does this is not one of a few.
        state.choices += 1;
        self.anchor(state, (instance, guard), stride, &touch, value)?;
        let here = self.smt.pool.and(guard, touch.hit);
        let from = base + touch.from;
        let old = self.read(state, instance, from, bytes, false)?;
        let new = self.smt.pool.ite(here, value, old);
        self.write(state, instance, from, bytes, new);
        Ok(())
    }

    /// Something was written, nobody knows where: the element may hold anything.
    pub(super) fn ghost_forget(&mut self, state: &mut State, instance: Instance) {
        if let Some(object) = state.memory.get_mut(instance) {
            object.cells = crate::cegas::persistent::OrdMap::new();
            object.background = Background::Outside;
        }
    }

    /// What the element of an array, these bytes of its object, holds where nothing was written.
    pub(super) fn ghost_background(&self, background: Background, array: Range<u64>) -> Background {
        match background {
            Background::Init(global) => {
                let init = self.program.globals[global].init.as_ref();
                let is_zero = |init: &crate::ir::Init| {
                    let mut bytes = init.bytes.iter().zip(0u64..);
                    init.relocs.is_empty()
                        && bytes.all(|(&byte, at)| byte == 0 || !array.contains(&at))
                };
                if init.is_some_and(is_zero) { Background::Zero } else { Background::Outside }
            }
            Background::Zero | Background::Uninit => background,
            Background::Outside
            | Background::Text
            | Background::Arguments { .. }
            | Background::Given { .. }
            | Background::Code => Background::Outside,
        }
    }
}
