//! What makes the general state of a loop more general where lists do not fit it ([`super::arrive`]). Every edit only
//! adds states: a list that may be empty, a node that may be a list, nodes of which less is known, a list that may be
//! empty before what was there.

use super::cover::Prover;
use super::fold::{Side, side};
use super::memory::{Cell, Chain, Instance, Object};
use super::state::State;
use super::value::Value;
use super::wide::Spot;
use super::widen::{Head, Misfit};
use crate::cegas::persistent::OrdMap;
use crate::ir::ValueId;
use crate::smt::ExprId;
use std::rc::Rc;

/// Where in the general state a pointer stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    Value(usize, ValueId),
    Cell(Instance, u64, u32),
    Tail(Instance),
    /// Where nothing can be put in: behind a list that is itself put in, in all nodes of a list, in a part of a value.
    Closed,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Edit {
    MayBeEmpty(Instance),
    ToList(Instance, u64),
    /// The list's nodes must be met by those of the object that arrived.
    Node(Instance, Instance),
    /// A list like the object that arrived, before what is there.
    Insert {
        at: Place,
        like: Instance,
        link: u64,
    },
    /// The list put in for this object is meant here, too.
    Point {
        at: Place,
        like: Instance,
    },
}

impl Prover<'_, '_, '_> {
    /// Makes the general state more general.
    pub(super) fn edit(
        &mut self,
        head: &mut Head,
        state: &State,
        edit: Edit,
    ) -> Result<(), Misfit> {
        let misfit = || Misfit::Shape("a list that cannot be made more general".into());
        match edit {
            Edit::MayBeEmpty(instance) => {
                let object = head.entry.memory.get(instance).cloned().ok_or_else(misfit)?;
                let chain = object.chain.as_deref().cloned().ok_or_else(misfit)?;
                let chain = Some(Rc::new(Chain { may_be_empty: true, ..chain }));
                head.entry.memory.put(instance, Object { chain, ..object });
            }
            Edit::ToList(instance, link) => {
                head.spots.retain(|spot, _| !matches!(spot, Spot::Cell(i, ..) if *i == instance));
                let mut object = head.entry.memory.get(instance).cloned().ok_or_else(misfit)?;
                let tail = object.cells.remove(&link).ok_or_else(misfit)?.value;
                let chain = Chain { link, tail, may_be_empty: false, facts: Vec::new() };
                object.chain = Some(Rc::new(chain));
                head.entry.memory.put(instance, object);
            }
            Edit::Node(instance, arrived) => {
                let object = head.entry.memory.get(instance).cloned().ok_or_else(misfit)?;
                let chain = object.chain.as_deref().cloned().ok_or_else(misfit)?;
                let other = state.memory.get(arrived).cloned().ok_or_else(misfit)?;
                let sides =
                    [side(&head.entry, &object, chain.link), side(state, &other, chain.link)];
                let guesses = self.guesses(&object, &other);
                let (cells, facts) = self.node(head.stable, &sides, &guesses).ok_or_else(misfit)?;
                let chain = Some(Rc::new(Chain { facts, ..chain }));
                head.entry.memory.put(instance, Object { cells, chain, ..object });
            }
            Edit::Insert { at, like, link } => {
                let other = state.memory.get(like).cloned().ok_or_else(misfit)?;
                let sides = [side(state, &other, link)];
                let guesses = self.guesses(&other, &other);
                let (cells, facts) = self.node(head.stable, &sides, &guesses).ok_or_else(misfit)?;
                let tail = self.at(head, at).ok_or_else(misfit)?;
                let chain = Chain { link, tail, may_be_empty: true, facts };
                let list = Object { cells, chain: Some(Rc::new(chain)), ..other };
                let instance = head.entry.memory.push(list);
                let address = self.machine.address(instance);
                head.put_in.insert(like, address);
                self.set(head, at, address).ok_or_else(misfit)?;
            }
            Edit::Point { at, like } => {
                let address = head.put_in.get(&like).copied().ok_or_else(misfit)?;
                self.set(head, at, address).ok_or_else(misfit)?;
            }
        }
        Ok(())
    }

    fn node(
        &mut self,
        stable: u32,
        sides: &[Side],
        guesses: &[ExprId],
    ) -> Option<(OrdMap<u64, Cell>, Vec<ExprId>)> {
        let limits = self.limits();
        self.machine.common_node(sides, guesses, stable, &limits)
    }

    /// What the head's entry holds at a place, unless it was widened.
    fn at(&mut self, head: &mut Head, at: Place) -> Option<ExprId> {
        match at {
            Place::Value(depth, id) => {
                let top = head.entry.frames.len().checked_sub(1)?;
                if depth == top && head.spots.contains_key(&Spot::Value(id)) {
                    return None;
                }
                head.entry.frames.get(depth)?.values.get(&id)?.bits()
            }
            Place::Cell(instance, offset, bytes) => {
                let end = offset + u64::from(bytes);
                let overlaps = |spot: &Spot| match *spot {
                    Spot::Cell(i, o, b) => i == instance && o < end && offset < o + u64::from(b),
                    Spot::Value(_) => false,
                };
                if head.spots.keys().any(overlaps) {
                    return None;
                }
                let bytes = u64::from(bytes);
                self.machine.read(&mut head.entry, instance, offset, bytes, true).ok()
            }
            Place::Tail(instance) => Some(head.entry.memory.get(instance)?.chain.as_ref()?.tail),
            Place::Closed => None,
        }
    }

    fn set(&mut self, head: &mut Head, at: Place, to: ExprId) -> Option<()> {
        match at {
            Place::Value(depth, id) => {
                let mut frame = head.entry.frames.get(depth)?.clone();
                frame.values.insert(id, Value::Bits(to));
                head.entry.frames.set(depth, frame);
            }
            Place::Cell(instance, offset, bytes) => {
                self.machine.write(&mut head.entry, instance, offset, u64::from(bytes), to);
            }
            Place::Tail(instance) => {
                let object = head.entry.memory.get(instance)?.clone();
                let chain = object.chain.as_deref()?.clone();
                let chain = Some(Rc::new(Chain { tail: to, ..chain }));
                head.entry.memory.put(instance, Object { chain, ..object });
            }
            Place::Closed => return None,
        }
        Some(())
    }
}
