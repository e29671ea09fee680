//! Arrays small enough to be followed element by element, of which one element is followed all the same, in attempts of their own:
//! stacks, rings, histograms. A loop that writes to such an array at an index that inputs choose changes all
//! elements at once, each perhaps, and what holds of them has to be guessed and shown for each.
//!
//! Why that is sound. How many elements an array has plays no part in what [`super::ghost`] says. The attempts with
//! one element and those with all of them share only what is proved, and guesses, of which none is believed before it is shown. An
//! array is followed in one way from the start of an attempt to its end.

use super::access::Target;
use super::machine::Machine;
use super::memory::{Instance, Origin};
use super::part::Part;
use super::state::State;
use crate::ir::{Inst, Type, TypeId};
use crate::smt::{ExprId, Op};
use std::collections::{BTreeMap, BTreeSet};

/// Fewer elements are no trouble.
const TROUBLE: usize = 4;

#[derive(Debug, Clone, Copy)]
struct Array {
    /// The size of an element, and how many there are.
    stride: u64,
    count: Option<u64>,
    /// Where it lies in its object, if that is more than the array.
    part: Option<Part>,
}

#[derive(Debug, Default)]
pub(super) struct Few {
    /// By where they come from.
    found: BTreeMap<Origin, Array>,
    /// Those that are followed by one element now.
    followed: BTreeSet<Origin>,
    is_given_up: bool,
}

impl Machine<'_> {
    /// A store that may be to one of so many places: in a loop, it is to each of them, perhaps.
    pub(super) fn wish_one_of_few(
        &mut self,
        state: &State,
        target: &Target,
        bytes: u64,
        places: usize,
    ) {
        let is_in_loop = self.young != u32::MAX;
        if places < TROUBLE || !is_in_loop || !self.may_be_ghost(state, target.instance) {
            return;
        }
        let Some(object) = state.memory.get(target.instance) else { return };
        let (origin, size) = (object.origin, object.size);
        let is_known = |few: &Few| few.is_given_up || few.found.contains_key(&origin);
        if self.ghosts.as_ref().is_none_or(|ghosts| is_known(&ghosts.few)) {
            return;
        }
        let Some(part) = self.array_at(origin, target.offset) else { return };
        let base = self.pointer_const(part.map_or(0, |(from, _)| from));
        let offset = self.smt.pool.sub(target.offset, base);
        let stride = self.element_size(state, offset, bytes);
        let is_whole = part.is_none_or(|(from, to)| (to - from).is_multiple_of(stride));
        let count = match part {
            Some((from, to)) => Some((to - from) / stride).filter(|&count| self.is_count(count)),
            None => self.elements_of(size, stride),
        };
        if let Some(ghosts) = self.ghosts.as_mut().filter(|_| bytes <= stride && is_whole) {
            ghosts.few.found.insert(origin, Array { stride, count, part });
        }
    }

    /// An array that another one is copied to, of which one element is followed: next time one of it is, too.
    pub(super) fn wish_like(&mut self, state: &State, instance: Instance, stride: u64) {
        let may_be = self.may_be_ghost(state, instance);
        let Some(object) = state.memory.get(instance).filter(|_| may_be) else { return };
        let count = self.elements_of(object.size, stride);
        let is_in_few = self.has_one_of_few();
        let Some(ghosts) = self.ghosts.as_mut() else { return };
        ghosts.add(object.origin, stride, count);
        if is_in_few {
            ghosts.few.found.insert(object.origin, Array { stride, count, part: None });
            ghosts.few.followed.insert(object.origin);
        }
    }

    /// The array that an access is to, as far as is known: all of the object, or a part of a struct.
    fn array_at(&self, origin: Origin, offset: ExprId) -> Option<Option<Part>> {
        let program = self.program;
        let ty = match origin {
            Origin::Local(at) => match program.insts[at].inst {
                Inst::Alloca { elem, .. } => elem,
                _ => return None,
            },
            Origin::Global(global) => program.globals[global].ty,
            Origin::Heap(_) => return Some(None),
            Origin::Func(_) | Origin::Varargs(_) | Origin::Argument | Origin::Given(_) => {
                return None;
            }
        };
        if !matches!(program.types.get(ty), Type::Struct { .. }) {
            return Some(None);
        }
        let mut arrays = Vec::new();
        self.arrays_in(ty, 0, &mut arrays);
        if let [array] = arrays[..] {
            return Some(Some(array));
        }
        let node = self.smt.pool.node(offset);
        let known = node.children().filter(|_| node.op == Op::Add);
        let known = known.filter_map(|part| self.smt.pool.as_const(part)).next().unwrap_or(0);
        let is_there = |(from, to): &Part| (u128::from(*from)..u128::from(*to)).contains(&known);
        arrays.into_iter().find(is_there).map(Some)
    }

    /// The arrays of a struct at an offset.
    fn arrays_in(&self, ty: TypeId, offset: u64, found: &mut Vec<Part>) {
        let types = &self.program.types;
        let Type::Struct { fields } = types.get(ty) else { return };
        for field in fields.iter() {
            let at = offset + field.offset;
            match types.get(field.ty) {
                Type::Array { len, .. } if *len >= TROUBLE as u64 => {
                    found.push((at, at + types.size(field.ty)));
                }
                _ => self.arrays_in(field.ty, at, found),
            }
        }
    }

    /// Whether there are such arrays.
    pub(super) fn has_few(&self) -> bool {
        self.ghosts.as_ref().is_some_and(|ghosts| !ghosts.few.found.is_empty())
    }

    /// Whether one element of them is followed.
    pub(super) fn has_one_of_few(&self) -> bool {
        self.ghosts.as_ref().is_some_and(|ghosts| !ghosts.few.followed.is_empty())
    }

    /// There are none any more, whatever is written to.
    pub(super) fn give_up_few(&mut self) {
        if let Some(ghosts) = self.ghosts.as_mut() {
            ghosts.few = Few { is_given_up: true, ..Few::default() };
        }
    }

    /// From now on one element of them is followed, or all are again.
    pub(super) fn follow_one_of_few(&mut self, is_on: bool) {
        let Some(ghosts) = self.ghosts.as_mut() else { return };
        for origin in std::mem::take(&mut ghosts.few.followed) {
            ghosts.strides.remove(&origin);
            ghosts.parts.remove(&origin);
        }
        if is_on {
            for (origin, array) in ghosts.few.found.clone() {
                if !ghosts.strides.contains_key(&origin) {
                    ghosts.add(origin, array.stride, array.count);
                    ghosts.parts.extend(array.part.map(|part| (origin, part)));
                    ghosts.few.followed.insert(origin);
                }
            }
        }
    }
}
