//! What a question is allowed to cost, and what an answer is.

use super::value::Model;

/// Bounds of one question; 0 means none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Z3's own count of work: the same on every machine, so it should be what ends a hard question.
    pub work: u32,
    /// The last resort where the count of work is blind.
    pub milliseconds: u32,
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
