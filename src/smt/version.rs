//! The Z3 that answers, as it names itself.

/// As `4.13.4`.
#[cfg(lazy_z3)]
pub fn z3_version() -> String {
    // Known without loading it; when it is loaded, it must be this one.
    env!("CEGAS_Z3_VERSION").to_owned()
}

/// As `4.13.4`.
#[cfg(not(lazy_z3))]
pub fn z3_version() -> String {
    of_library()
}

/// Z3's fourth number counts its own builds.
pub(super) fn of_library() -> String {
    let full = z3::full_version();
    full.split('.').take(3).collect::<Vec<_>>().join(".")
}
