//! Model checking of C programs: see ARCHITECTURE.md for the map.
pub mod budgets;
pub mod cancel;
pub mod cli;
pub mod config;
pub mod exit;
pub mod frontend;
pub mod ir;
pub mod line;
pub mod progress;
pub mod report;
pub mod rules;
pub mod smt;
pub mod versions;

/// Versions of the libraries that are linked in.
pub fn versions() -> versions::Versions {
    versions::Versions { llvm: frontend::version::llvm_version(), z3: smt::version::z3_version() }
}
