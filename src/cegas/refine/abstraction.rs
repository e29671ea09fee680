//! `abstraction(b', π)` and `isCovered`: what is kept of a state at a location, and when one state says no more than
//! another.
//!
//! Invariant: a state from here holds explicit values only; where it has none, the value is ⊤.

use super::model::Model;
use super::precision::{Location, Precision, Variable};
use super::weak::is_fixed;
use crate::cegas::machine::Source;
use crate::cegas::memory::{Background, Cell, Instance, Life, Object, Origin, Piece};
use crate::cegas::persistent::{HashMap, HashSet, OrdMap, Vector};
use crate::cegas::state::{Frame, State};
use crate::cegas::value::Value;
use crate::ir::{Def, Inst, InstId, ValueId};
use crate::smt::{ExprId, Sort};
use std::collections::BTreeSet;

/// A piece of an initialiser longer than this is read in steps.
const STEP: u64 = 8;

impl Model<'_> {
    /// Algorithm 2, line 8: what π tracks at the state's location; with no π, all that is explicit.
    pub fn abstraction(&mut self, state: &mut State, precision: Option<&Precision>) {
        state.assumed = Vector::new();
        state.deferred = Vector::new();
        state.uncertain = HashSet::new();
        state.doubt = None;
        let top = state.frames.len().saturating_sub(1);
        for depth in 0..state.frames.len() {
            let Some(frame) = state.frames.get(depth) else { continue };
            let kept = self.kept_values(frame, depth == top, precision);
            if let Some(frame) = state.frames.get_mut(depth) {
                frame.values = kept;
            }
        }
        let location = location(state);
        for number in 0..state.memory.len() as u32 {
            self.keep_cells(state, Instance(number), location, precision);
        }
        if precision.is_some() {
            self.drop_garbage(state);
        }
    }

    fn kept_values(
        &mut self,
        frame: &Frame,
        is_top: bool,
        precision: Option<&Precision>,
    ) -> HashMap<ValueId, Value> {
        let tracked = precision.and_then(|precision| precision.at(Some(frame.block)));
        let program = self.machine.program;
        // The result of a call that is running is not there yet.
        let next = if is_top { frame.at } else { InstId::from_u32(frame.at.as_u32() + 1) };
        let live = self.liveness(frame.func).at(program, frame.block, next);
        let mut kept = HashMap::new();
        for (&id, value) in &frame.values {
            let is_wanted = precision.is_none()
                || self.is_address(id)
                || (live.contains(&id)
                    && tracked.is_some_and(|t| t.contains(&Variable::Value(id))));
            if is_wanted && self.is_explicit_value(value) {
                kept.insert(id, value.clone());
            }
        }
        kept
    }

    /// Whether a value is the name of a variable rather than one itself.
    pub fn is_address(&self, value: ValueId) -> bool {
        match self.machine.program.values[value].def {
            Def::Inst(at) => {
                matches!(self.machine.program.inst(at), Inst::Alloca { .. } | Inst::StackSave)
            }
            Def::Param { .. } => false,
        }
    }

    fn keep_cells(
        &mut self,
        state: &mut State,
        instance: Instance,
        location: Location,
        precision: Option<&Precision>,
    ) {
        let Some(object) = state.memory.get(instance) else { return };
        let size = self.plain_size(object.size);
        let is_bare = object.cells.is_empty() && object.background == Background::Uninit;
        let is_constant = object.cells.is_empty() && is_fixed(self.machine.program, object.origin);
        if size == object.size && (is_bare || is_constant) {
            return;
        }
        let object = object.clone();
        let (cells, background) = match precision {
            _ if is_bare || is_constant => (object.cells.clone(), object.background),
            None => (self.all_cells(state, &object), object.background),
            Some(precision) => (
                self.tracked_cells(state, instance, &object, location, precision),
                Background::Uninit,
            ),
        };
        let is_same = object.background == background && object.cells == cells;
        if let Some(object) =
            state.memory.get_mut(instance).filter(|_| !is_same || size != object.size)
        {
            object.cells = cells;
            object.background = background;
            object.size = size;
        }
    }

    /// Sizes that are not numbers are all the same ⊤.
    fn plain_size(&mut self, size: ExprId) -> ExprId {
        if self.machine.smt.pool.as_const(size).is_some() {
            return size;
        }
        let bits = self.machine.smt.pool.width(size);
        self.machine.smt.pool.var("unknown size", Sort::Bits(bits))
    }

    /// Every cell; what is not explicit is ⊤, and no two of them are known to be equal.
    fn all_cells(&mut self, state: &mut State, object: &Object) -> OrdMap<u64, Cell> {
        let mut cells = object.cells.clone();
        for (&offset, cell) in &object.cells {
            if !self.is_explicit(cell.value) {
                let value = self.machine.fresh(state, cell.bytes * 8, Source::Widened);
                cells.insert(offset, Cell { bytes: cell.bytes, value });
            }
        }
        cells
    }

    fn tracked_cells(
        &mut self,
        state: &mut State,
        instance: Instance,
        object: &Object,
        location: Location,
        precision: &Precision,
    ) -> OrdMap<u64, Cell> {
        let mut cells = OrdMap::new();
        if object.life != Life::Live {
            return cells;
        }
        for variable in precision.at(location).into_iter().flatten() {
            let Variable::Cell { object: origin, offset, bytes } = *variable else { continue };
            if origin != object.origin {
                continue;
            }
            for piece in object.pieces(offset, bytes) {
                match piece {
                    Piece::Of { .. } => {}
                    Piece::Background { offset, bytes } => {
                        self.keep_initial(state, instance, object, offset, bytes, &mut cells);
                    }
                }
            }
            let end = offset.saturating_add(bytes);
            for (&start, &cell) in object.cells.range(..end) {
                let reaches = start.saturating_add(u64::from(cell.bytes)) > offset;
                if reaches && self.is_explicit(cell.value) {
                    cells.insert(start, cell);
                }
            }
        }
        cells
    }

    /// What an object held before anything was written, where that is known.
    fn keep_initial(
        &mut self,
        state: &mut State,
        instance: Instance,
        object: &Object,
        offset: u64,
        bytes: u32,
        cells: &mut OrdMap<u64, Cell>,
    ) {
        if !matches!(object.background, Background::Init(_) | Background::Zero) {
            return;
        }
        let end = offset.saturating_add(u64::from(bytes));
        let size = self.machine.smt.pool.as_const(object.size).map_or(0, |size| size as u64);
        let mut at = offset;
        while at < end.min(size) {
            let step = STEP.min(end.min(size) - at);
            // Two variables may share bytes; cells must not.
            let one = |c: &OrdMap<u64, Cell>| {
                let before = c.range(..at + step).next_back();
                before.is_some_and(|(start, cell)| start + u64::from(cell.bytes) > at)
            };
            if !one(cells)
                && let Ok(value) = self.machine.read(state, instance, at, step, false)
                && self.is_explicit(value)
            {
                cells.insert(at, Cell { bytes: step as u32, value });
            }
            at += step;
        }
    }

    /// Objects made last that nobody names any more would only keep states apart.
    fn drop_garbage(&mut self, state: &mut State) {
        let mut named: BTreeSet<Instance> = BTreeSet::new();
        for frame in &state.frames {
            named.extend(frame.locals.iter());
            for value in frame.values.values().chain(&frame.varargs) {
                self.names(value, &mut named);
            }
        }
        for number in 0..state.memory.len() as u32 {
            let Some(object) = state.memory.get(Instance(number)) else { continue };
            for cell in object.cells.values() {
                named.extend(self.pointed(cell.value).map(|(instance, _)| instance));
            }
        }
        while let Some(number) = state.memory.len().checked_sub(1) {
            let last = Instance(number as u32);
            let Some(object) = state.memory.get(last) else { return };
            let is_made = match object.origin {
                Origin::Global(_) | Origin::Func(_) => false,
                Origin::Local(_) | Origin::Varargs(_) => object.life != Life::Live,
                Origin::Heap(_) | Origin::Argument | Origin::Given(_) => true,
            };
            if !is_made || named.contains(&last) || number < self.passed {
                return;
            }
            state.memory.truncate(number);
        }
    }

    fn names(&mut self, value: &Value, into: &mut BTreeSet<Instance>) {
        match value {
            Value::Bits(bits) => into.extend(self.pointed(*bits).map(|(instance, _)| instance)),
            Value::Parts(parts) => parts.iter().for_each(|part| self.names(part, into)),
        }
    }
}

/// The location whose precision says what is tracked in memory.
pub(super) fn location(state: &State) -> Location {
    state.top().map(|frame| frame.block)
}

/// Whether every execution that `state` stands for is one that `weaker` stands for.
pub(super) fn is_covered(state: &State, weaker: &State) -> bool {
    let frames = || state.frames.iter().zip(weaker.frames.iter());
    state.frames.len() == weaker.frames.len()
        && state.pending == weaker.pending
        && state.closing == weaker.closing
        && frames().all(|(frame, weaker)| is_frame_covered(frame, weaker))
        && state.memory.len() == weaker.memory.len()
        && (0..state.memory.len() as u32).map(Instance).all(|instance| {
            match (state.memory.get(instance), weaker.memory.get(instance)) {
                (Some(object), Some(weaker)) => {
                    std::ptr::eq(object, weaker) || is_object_covered(object, weaker)
                }
                _ => false,
            }
        })
}

fn is_frame_covered(frame: &Frame, weaker: &Frame) -> bool {
    frame.func == weaker.func
        && frame.at == weaker.at
        && frame.call == weaker.call
        && frame.locals == weaker.locals
        && frame.varargs == weaker.varargs
        && weaker.values.iter().all(|(id, value)| frame.values.get(id) == Some(value))
}

fn is_object_covered(object: &Object, weaker: &Object) -> bool {
    object.origin == weaker.origin
        && object.life == weaker.life
        && object.size == weaker.size
        && object.background == weaker.background
        && weaker.cells.iter().all(|(offset, cell)| object.cells.get(offset) == Some(cell))
}
