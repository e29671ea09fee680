//! Deciding obligations on the model.
//!
//! The machine executes the program on expressions: addresses are instances with offsets, memory is
//! byte-exact, what is not known is a variable. [`explore`] follows its paths; a violation it finds is
//! walked again with the values the solver chose ([`replay`]), which also tells the story of it.

pub mod value;
pub mod memory;
pub mod state;
pub mod machine;
mod address;
mod access;
mod ranges;
mod arith;
mod calls;
mod library;
pub mod step;
pub mod verdict;
pub mod explore;
mod loops;
mod liveness;
mod visited;
mod merge;
mod widen;
mod candidates;
mod affine;
mod invariant;
mod generalise;
mod cover;
mod replay;
mod names;

pub use explore::{Budget, explore};
pub use verdict::{Counterexample, Proof, Reason, TraceStep, Verdict};
