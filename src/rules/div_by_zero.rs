//! `div-by-zero`: no integer is divided by zero.

use super::{Obligation, checks};
use crate::ir::{CheckKind, Program};

pub const ID: &str = "div-by-zero";

/// Marks every such check that the compiler put into the program.
pub fn mark(program: &Program) -> Vec<Obligation> {
    checks(program, ID, |kind| matches!(kind, CheckKind::DivByZero))
}
