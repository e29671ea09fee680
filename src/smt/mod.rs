//! Questions about values, and everything that keeps them away from the solver.
pub mod expr;
pub mod float;
pub mod fold;
pub mod known;
pub mod range;
pub mod simplify;
pub mod value;
pub mod eval;
pub mod walk;
pub use expr::{ExprId, Op, Pool, Sort, VarId};
