//! What comes out for one obligation, with its evidence.

use super::related::Related;
use crate::ir::{FuncId, InstId};

#[derive(Debug, Clone)]
pub enum Verdict {
    /// No execution of the model violates it.
    Safe(Proof),
    Unsafe(Counterexample),
    Unknown(Reason),
}

/// Why an obligation holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Proof {
    /// Every execution was followed to its end.
    Exhaustive { paths: u64 },
    /// Every execution is covered by a general state of each loop it goes through.
    Covered,
    /// It follows from conditions for loops that were given and checked.
    Inductive,
    /// No abstract state violates it, with what so many rounds of refinement track.
    Refined { rounds: u32 },
    /// It follows from definitions and branches in its own function.
    Local,
}

/// An execution that violates the obligation.
#[derive(Debug, Clone)]
pub struct Counterexample {
    /// Where it is violated.
    pub at: InstId,
    pub steps: Vec<TraceStep>,
    /// What explains it besides the way to it.
    pub related: Vec<Related>,
}

/// Something that happens on the way to a violation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TraceStep {
    pub at: InstId,
    /// How many calls have not returned.
    pub depth: u32,
    pub text: String,
    /// What the text says, if it is that something has a new value.
    pub change: Option<Change>,
    /// The number that a call gave, if it is an input, as a constant of C.
    pub input: Option<String>,
    /// It stands for so many steps that are not told; 0 for one that is.
    pub left_out: usize,
}

/// Something that has a value from here on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    pub name: String,
    pub value: String,
    /// The object it is a part of; a variable that has no address has none.
    pub object: Option<u32>,
    /// The function that it ends with; what is global or allocated has none.
    pub func: Option<FuncId>,
}

/// Why neither could be shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reason {
    Time,
    Memory,
    Depth {
        limit: u32,
    },
    /// Something without a model lies on the way.
    Unsupported {
        what: String,
        at: Option<InstId>,
    },
    /// A violation was found, but only under an assumption that real executions may not share.
    Doubt {
        why: String,
    },
    Solver {
        why: String,
    },
    /// Memory was not freed, but globals still reach it when the program ends.
    StillReachable,
    /// The path that the solver found could not be walked again.
    Replay,
    /// An enumeration of paths was cut off.
    Bound {
        what: String,
    },
    /// A proof that was given does not hold.
    Unproved {
        what: String,
    },
    /// Inputs exclude a path by how they relate to each other, which explicit values do not tell.
    Relation,
}

impl std::fmt::Display for Reason {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Reason::Time => write!(f, "time"),
            Reason::Memory => write!(f, "memory"),
            Reason::Depth { limit } => write!(f, "calls nested deeper than {limit}"),
            Reason::Unsupported { what, .. } => write!(f, "not modelled: {what}"),
            Reason::Doubt { why } => write!(f, "a violation depends on {why}"),
            Reason::Solver { why } => write!(f, "the solver gave up: {why}"),
            Reason::StillReachable => write!(f, "still reachable when the program ends"),
            Reason::Replay => write!(f, "a found path could not be confirmed"),
            Reason::Bound { what } | Reason::Unproved { what } => write!(f, "{what}"),
            Reason::Relation => write!(
                f,
                "a path is excluded by how inputs relate, and no predicate was found that says so"
            ),
        }
    }
}
