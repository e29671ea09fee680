//! What a widened spot may hold: one of several *leaves*, each an object's address or a number plus an offset that is
//! kept or arbitrary. Which leaf it is and the offsets are variables.

use super::address::Base;
use super::machine::{Machine, Source};
use super::memory::Instance;
use super::state::State;
use super::widen::{Misfit, shape};
use crate::ir::ValueId;
use crate::smt::ExprId;

const TAG_BITS: u32 = 8;
const MOST_LEAVES: usize = 12;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Spot {
    Value(ValueId),
    /// Bytes of an object: the offset and how many.
    Cell(Instance, u64, u32),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Leaf {
    /// The address that `offset` is added to; none for a number.
    object: Option<Instance>,
    offset: ExprId,
    /// The offset is a variable of the head. Otherwise it is made of what was there before the loop: what a turn makes
    /// is another number in the next one, even if it has the same name.
    is_wide: bool,
}

/// What a widened spot may hold.
#[derive(Debug, Clone)]
pub(super) struct Wide {
    leaves: Vec<Leaf>,
    /// Says which leaf it is, if there are several.
    tag: Option<ExprId>,
}

impl Spot {
    pub fn overlaps(self, other: Spot) -> bool {
        match (self, other) {
            (Spot::Cell(a, from, bytes), Spot::Cell(b, other, others)) => {
                a == b && from < other + u64::from(others) && other < from + u64::from(bytes)
            }
            _ => self == other,
        }
    }
}

impl Wide {
    /// Nothing so far.
    pub fn nothing() -> Wide {
        Wide { leaves: Vec::new(), tag: None }
    }

    pub fn any_number(machine: &mut Machine<'_>, counter: &mut State, bits: u32) -> Wide {
        let offset = machine.fresh(counter, bits, Source::Widened);
        Wide { leaves: vec![Leaf { object: None, offset, is_wide: true }], tag: None }
    }

    /// Its offsets that are variables.
    pub fn offsets(&self) -> impl Iterator<Item = ExprId> + '_ {
        self.leaves.iter().filter(|leaf| leaf.is_wide).map(|leaf| leaf.offset)
    }

    /// All its variables.
    pub fn vars(&self) -> impl Iterator<Item = ExprId> + '_ {
        self.offsets().chain(self.tag)
    }

    /// The variable that it is if it may be any number.
    pub fn number(&self) -> Option<ExprId> {
        match self.leaves[..] {
            [Leaf { object: None, offset, is_wide: true }] => Some(offset),
            _ => None,
        }
    }

    pub fn value(&self, machine: &mut Machine<'_>) -> ExprId {
        let mut whole: Option<ExprId> = None;
        for (index, leaf) in self.leaves.iter().enumerate().rev() {
            let value = match leaf.object {
                Some(instance) => {
                    let base = machine.address(instance);
                    machine.smt.pool.add(base, leaf.offset)
                }
                None => leaf.offset,
            };
            whole = Some(match (whole, self.tag) {
                (Some(other), Some(tag)) => {
                    let index = machine.smt.pool.constant(index as u128, TAG_BITS);
                    let is_this = machine.smt.pool.eq(tag, index);
                    machine.smt.pool.ite(is_this, value, other)
                }
                _ => value,
            });
        }
        // Every spot has a leaf for its value at the entry.
        whole.unwrap_or_else(|| machine.smt.pool.bool(false))
    }

    /// Makes room for `value`; tells whether there was none. Objects and variables before these numbers were there
    /// before the loop.
    pub fn widen(
        &mut self,
        machine: &mut Machine<'_>,
        counter: &mut State,
        value: ExprId,
        (known, stable): (u32, u32),
    ) -> Result<bool, Misfit> {
        let mut is_widened = false;
        for (object, offset, _) in leaves(machine, value)? {
            if object.is_some_and(|instance| instance.0 >= known) {
                return shape("a pointer to something made in the loop");
            }
            match self.leaves.iter_mut().find(|leaf| leaf.object == object) {
                Some(leaf) if leaf.is_wide || leaf.offset == offset => {}
                Some(leaf) => {
                    let bits = machine.smt.pool.width(offset);
                    leaf.offset = machine.fresh(counter, bits, Source::Widened);
                    leaf.is_wide = true;
                    is_widened = true;
                }
                None => {
                    let is_wide = !machine.is_stable(offset, stable);
                    let offset = if is_wide {
                        let bits = machine.smt.pool.width(offset);
                        machine.fresh(counter, bits, Source::Widened)
                    } else {
                        offset
                    };
                    self.leaves.push(Leaf { object, offset, is_wide });
                    is_widened = true;
                }
            }
        }
        if self.leaves.len() > MOST_LEAVES {
            return shape("a pointer to one of many objects");
        }
        if self.leaves.len() > 1 && self.tag.is_none() {
            self.tag = Some(machine.fresh(counter, TAG_BITS, Source::Widened));
        }
        Ok(is_widened)
    }

    /// What the variables have to be for the spot to hold `value`; `None` if there is no room for it.
    pub fn fit(&self, machine: &mut Machine<'_>, value: ExprId) -> Option<Vec<(ExprId, ExprId)>> {
        let mut bound: Vec<(ExprId, ExprId)> = Vec::new();
        let mut tag = self.tag;
        for (object, offset, guard) in leaves(machine, value).ok()? {
            let index = self.leaves.iter().position(|leaf| leaf.object == object)?;
            let leaf = self.leaves[index];
            if leaf.is_wide {
                let old = bound.iter_mut().find(|(var, _)| *var == leaf.offset);
                match old {
                    Some((_, known)) => *known = machine.smt.pool.ite(guard, offset, *known),
                    None => bound.push((leaf.offset, offset)),
                }
            } else if leaf.offset != offset {
                return None;
            }
            if let Some(known) = tag {
                let index = machine.smt.pool.constant(index as u128, TAG_BITS);
                tag = Some(machine.smt.pool.ite(guard, index, known));
            }
        }
        if let (Some(var), Some(tag)) = (self.tag, tag) {
            bound.push((var, tag));
        }
        Some(bound)
    }
}

/// The objects or the number that a value may be, with the offset and when it is that.
fn leaves(
    machine: &mut Machine<'_>,
    value: ExprId,
) -> Result<Vec<(Option<Instance>, ExprId, ExprId)>, Misfit> {
    if !machine.speaks_of_addresses(value) {
        let always = machine.smt.pool.bool(true);
        return Ok(vec![(None, value, always)]);
    }
    let mut found = Vec::new();
    for place in machine.places(value) {
        let object = match place.base {
            Base::Object(instance) => Some(instance),
            Base::Number | Base::Junk => None,
            Base::Mixed => return shape("something computed from addresses"),
        };
        if machine.speaks_of_addresses(place.guard) || machine.speaks_of_addresses(place.offset) {
            return shape("something computed from addresses");
        }
        found.push((object, place.offset, place.guard));
    }
    Ok(found)
}
