//! Formulas and the solver that decides them. The only part that knows Z3.

pub mod version;
