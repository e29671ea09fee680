//! The precision Π: at each location, the variables that are tracked there and the predicates that are asked. It starts
//! empty and only grows.
//!
//! A variable is an SSA value that crosses the end of a block, or a cell: so many bytes at an offset of the
//! objects that one variable, allocation or global stands for. The address of a variable is not a variable:
//! what an `alloca` returned is always known.

use crate::cegas::memory::Origin;
use crate::ir::{BlockId, InstId, ValueId};
use crate::smt::ExprId;
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
    /// By the next instruction: the first of a block, or one behind a call.
    predicates: BTreeMap<InstId, BTreeSet<ExprId>>,
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

    /// The predicates that are asked before `at`.
    pub fn asked(&self, at: InstId) -> Option<&BTreeSet<ExprId>> {
        self.predicates.get(&at)
    }

    pub fn asks(&self, at: InstId, predicate: ExprId) -> bool {
        self.asked(at).is_some_and(|asked| asked.contains(&predicate))
    }

    /// Asks what another asks.
    pub fn ask_all(&mut self, other: &Precision) {
        for (&at, predicates) in &other.predicates {
            self.predicates.entry(at).or_default().extend(predicates);
        }
    }

    /// Whether it asks anything: else there are values alone.
    pub fn has_predicates(&self) -> bool {
        !self.predicates.is_empty()
    }

    pub fn ask(&mut self, more: impl IntoIterator<Item = (InstId, ExprId)>) {
        for (at, predicate) in more {
            self.predicates.entry(at).or_default().insert(predicate);
        }
    }

    /// How many pairs of a location and a predicate there are.
    pub fn count_asked(&self) -> usize {
        self.predicates.values().map(BTreeSet::len).sum()
    }
}
