//! The Z3 that is linked in, as it names itself.

/// As `4.13.4`: Z3's fourth number counts its own builds.
pub fn z3_version() -> String {
    let full = z3::full_version();
    full.split('.').take(3).collect::<Vec<_>>().join(".")
}
