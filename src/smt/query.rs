//! What a question is allowed to cost, and what an answer is.

use super::value::Model;

/// Bounds of one question; 0 means none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Z3's own count of work: the same on every machine, so it should be what ends a hard question.
    pub work: u32,
    /// The last resort where the count of work is blind. Z3 looks at the clock between its steps, and
    /// laying out a wide division is one step: it may overrun by seconds.
    pub milliseconds: u32,
    /// Compared with what Z3 holds for all threads together, and only now and then: a single large
    /// query can go beyond it.
    pub megabytes: u32,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { work: 20_000_000, milliseconds: 10_000, megabytes: 2_000 }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// The model satisfies every condition, by our own evaluation.
    Sat(Model),
    /// The conditions at these indices, ascending, cannot hold together.
    Unsat(Vec<usize>),
    Unknown(String),
}

/// One of many claims that are to hold again: see [`Solver::filter`](super::Solver::filter).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Claim {
    /// What may be used while the claim is left.
    pub premise: Option<super::expr::ExprId>,
    /// What must follow; nothing if that is known.
    pub image: Option<super::expr::ExprId>,
}

/// What became of claims, by their places.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Filtered {
    /// Each image of these follows from the premises of these.
    pub kept: Vec<usize>,
    /// Nothing is known of these.
    pub open: Vec<usize>,
}
