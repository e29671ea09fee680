//! The LLVM that is linked in, as it names itself.

/// As `19.1.7`.
pub fn llvm_version() -> String {
    let (major, minor, patch) = inkwell::support::get_llvm_version();
    format!("{major}.{minor}.{patch}")
}
