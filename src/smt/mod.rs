//! Questions about values: the one door to Z3, and everything that keeps questions away from it.
//!
//! Expressions are bit vectors, floats as their bits, and arrays of bytes, interned in a [`Pool`]
//! ([`expr`]); what they mean is said once, on concrete values ([`fold`], [`float`]). They are made
//! by constructors that simplify ([`simplify`]), helped by what is known of every node ([`known`]) and
//! by reading comparisons as ranges ([`range`]).
//!
//! A question is a list of conditions: can they hold together? [`Solver::check`] answers by the
//! cheapest means that will do ([`stats::Stage`] lists them): the conditions are taken apart and
//! equations used up ([`rewrite`]), ranges compared ([`bounds`]), what is left falls into independent
//! parts, and each is looked up ([`cache`]), tried with likely values ([`guess`], [`eval`]), and only
//! then given to Z3 ([`z3`]).
//!
//! Invariants: Z3's types appear in [`z3`] only; nothing here knows programs or paths; a `Sat` was
//! confirmed by our own evaluation, an `Unsat` names its core, all else is `Unknown` with a reason.
//! Answers depend on the questions asked and the limits, not on time (but for the limit of time) or
//! on hash order.

pub mod expr;
mod small;
pub mod value;

pub mod float;
pub mod fold;
pub mod known;
pub mod range;
pub mod simplify;

pub mod eval;
pub mod infix;
pub mod c_text;
pub mod lines;
pub mod print;
pub mod walk;

pub mod query;
pub mod stats;

pub mod bounds;
pub mod cache;
pub mod guess;
pub mod rewrite;
pub mod solver;
pub mod version;
pub mod z3;

pub use c_text::{CInt, CName};
pub use expr::{ExprId, MAX_WIDTH, Node, Op, Pool, Sort, VarId};
pub use float::{Format, Rounding};
pub use lines::Operation;
pub use query::{Answer, Claim, Filtered, Limits};
pub use solver::Solver;
pub use stats::{Stage, Stats};
pub use value::{Model, Value};
