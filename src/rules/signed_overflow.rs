//! `signed-overflow`: signed arithmetic stays in the range of its type.

use super::{Obligation, checks};
use crate::ir::{CheckKind, Program};

pub const ID: &str = "signed-overflow";

/// Marks every such check that the compiler put into the program.
pub fn mark(program: &Program) -> Vec<Obligation> {
    checks(program, ID, |kind| matches!(kind, CheckKind::SignedOverflow))
}
