//! The precision Π: at each location, the variables that are tracked there. It starts empty and only grows.
//!
//! A variable is an SSA value that crosses the end of a block, or a cell: so many bytes at an offset of the
//! objects that one variable, allocation or global stands for. The address of a variable is not a variable:
//! what an `alloca` returned is always known.

use crate::cegas::memory::Origin;
use crate::ir::{BlockId, ValueId};
use std::collections::{BTreeMap, BTreeSet};

/// Where a precision applies: the start of a block, or nowhere yet, before the first function runs.
pub type Location = Option<BlockId>;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Variable {
    Value(ValueId),
    Cell { object: Origin, offset: u64, bytes: u64 },
}

#[derive(Debug, Clone, Default)]
pub struct Precision {
    tracked: BTreeMap<Location, BTreeSet<Variable>>,
}

impl Precision {
    /// `Π(l)`.
    pub fn at(&self, location: Location) -> Option<&BTreeSet<Variable>> {
        self.tracked.get(&location)
    }

    pub fn tracks(&self, location: Location, variable: Variable) -> bool {
        self.at(location).is_some_and(|known| known.contains(&variable))
    }

    /// `Π := Π ∪ …`.
    pub fn join(&mut self, more: impl IntoIterator<Item = (Location, Variable)>) {
        for (location, variable) in more {
            self.tracked.entry(location).or_default().insert(variable);
        }
    }

    /// How many pairs of a location and a variable there are.
    pub fn count(&self) -> usize {
        self.tracked.values().map(BTreeSet::len).sum()
    }
}
