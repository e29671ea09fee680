//! Deciding obligations on the model.
//!
//! The machine executes the program on expressions: addresses are instances with offsets, memory is
//! byte-exact, what is not known is a variable. [`explore`] follows its paths; a violation it finds is
//! walked again with the values the solver chose ([`replay`]), which also tells the story of it. Loops
//! whose bounds depend on inputs are proved by general states that cover all their turns ([`cover`]).

mod persistent;
pub mod value;
pub mod memory;
pub mod state;
pub mod machine;
mod address;
mod access;
mod ranges;
mod reentry;
mod sample;
mod settle;
mod arith;
mod calls;
mod given;
mod library;
pub mod marks;
mod demand;
mod reachable;
pub mod step;
mod summary;
mod task;
pub mod verdict;
mod ledger;
pub mod explore;
mod slices;
mod rest;
mod draw;
mod decide;
mod dive;
mod run;
mod loops;
mod leap;
mod liveness;
mod visited;
mod merge;
mod widen;
mod candidates;
mod affine;
mod invariant;
mod project;
mod interpolate;
mod induct;
mod generalise;
mod chain;
mod fold;
mod arrive;
mod edits;
mod ghost;
mod elements;
mod anchor;
mod paths;
mod plain;
mod contract;
mod cover;
mod attempts;
pub mod inductive;
mod scope;
mod spoken;
mod written;
mod related;
mod renamed;
mod replay;
mod keep;
mod known;
mod afresh;
mod story;
mod names;
mod violation;
pub mod refine;
pub mod sse;

pub use crate::smt::Stats;
pub use library::is_known;
pub use machine::Options;
pub use names::names_line;
pub use related::Related;
pub use rest::Rest;
pub use spoken::LoopInvariant;
pub use task::{Budget, Explored, Task};
pub use verdict::{Change, Counterexample, Proof, Reason, TraceStep, Verdict};
