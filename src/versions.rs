//! Versions of the libraries that results depend on, for `--version` and the reports.

/// As `19.1.7` each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Versions {
    /// Reads and links the program.
    pub llvm: String,
    /// Decides formulas.
    pub z3: String,
}

impl Versions {
    /// Of the libraries this program runs with.
    pub fn linked() -> Self {
        Self { llvm: crate::frontend::llvm_version(), z3: crate::smt::version::z3_version() }
    }
}
