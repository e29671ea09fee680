//! What functions without a body do.

pub mod summaries;
