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
    pub fn linked() -> Versions {
        let z3 = z3::full_version();
        let number = z3.split_whitespace().find(|word| word.contains('.'));
        let z3 = number.unwrap_or(z3).to_owned();
        Versions { llvm: crate::frontend::llvm_version(), z3 }
    }
}
