//! General states written down: what a proof knows at the heads of loops, whole, as lines of text. C has no words for
//! each element of an array, for lists, or for what nobody names any more; this has.
//!
//! A proof is a set of states at heads of loops that is closed: whatever is met at such a head is one of the states that
//! are written for it, if only its variables are given the right values. `docs/proofs.md` describes the lines;
//! [`write`] makes them of a prover's states, [`read`] makes states of them, and [`super::inductive`] checks them. A text
//! may come from anybody. What it says wrongly makes a set that is not closed, never a panic and never a wrong proof.

mod read;
mod words;
mod write;

pub(super) use read::{Contract, Proof, Spot, Written, read};

/// How lives are called.
const LIVES: [(super::memory::Life, &str); 4] = [
    (super::memory::Life::Live, "live"),
    (super::memory::Life::Freed, "freed"),
    (super::memory::Life::Ended, "ended"),
    (super::memory::Life::Replaced, "replaced"),
];
