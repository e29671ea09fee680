//! `bad-shift`: shift amounts are neither negative nor too large, and no bit is shifted out of a signed value.

use super::{Obligation, checks};
use crate::ir::{CheckKind, Program};

pub const ID: &str = "bad-shift";

/// Marks every such check that the compiler put into the program.
pub fn mark(program: &Program) -> Vec<Obligation> {
    checks(program, ID, |kind| matches!(kind, CheckKind::Shift))
}
