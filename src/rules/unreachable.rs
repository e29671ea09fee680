//! `unreachable`: what the programmer called unreachable is.

use super::{Obligation, checks};
use crate::ir::{CheckKind, Program};

pub const ID: &str = "unreachable";

/// Marks every such check that the compiler put into the program.
pub fn mark(program: &Program) -> Vec<Obligation> {
    checks(program, ID, |kind| matches!(kind, CheckKind::Unreachable | CheckKind::Trap))
}
