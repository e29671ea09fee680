//! Z3 is loaded when the first of its functions is called (`build/solver.rs` makes their entries and says why).
//!
//! Invariant: what is loaded is the Z3 that the build saw, and reports name.

use crate::exit::Exit;
use std::ffi::{CStr, c_char, c_int, c_void};
use std::sync::Once;
use std::sync::atomic::{AtomicPtr, Ordering};

const LIBRARY: &str = concat!(env!("CEGAS_Z3_LIBRARY"), "\0");

unsafe extern "C" {
    /// Where each function is; leads here until it is known.
    static cegas_z3_table: AtomicPtr<c_void>;
    /// The functions' names in the table's order, each with a zero behind it, and one more zero.
    static cegas_z3_names: c_char;

    fn dlopen(name: *const c_char, flags: c_int) -> *mut c_void;
    fn dlsym(library: *mut c_void, name: *const c_char) -> *mut c_void;
}

/// glibc's: look up all symbols at once.
const RTLD_NOW: c_int = 2;

/// Called by the entry of a function of Z3 that is not loaded.
#[unsafe(no_mangle)]
extern "C" fn cegas_z3_load() {
    static LOADED: Once = Once::new();
    LOADED.call_once(|| {
        if let Err(what) = load() {
            // Without a solver nothing can be said of any program, and this is no place to return from.
            eprintln!(
                "cegas-scan: {what}; run `make setup` where it was built, and build it again"
            );
            std::process::exit(Exit::Failure as i32);
        }
    });
}

fn load() -> Result<(), String> {
    let name = env!("CEGAS_Z3_LIBRARY");
    // SAFETY: `LIBRARY` ends with a zero. Z3's initialisers do nothing but set up its own tables.
    let library = unsafe { dlopen(LIBRARY.as_ptr().cast(), RTLD_NOW) };
    if library.is_null() {
        return Err(format!("the solver's library {name} is not where it was when this was built"));
    }
    // SAFETY: both tables are as `build/solver.rs` made them; an empty name ends the second, and the first has as many
    // entries as that has names. An entry is written whole, so that whoever reads it jumps here or to its function.
    unsafe {
        let mut entry = &raw const cegas_z3_table;
        let mut at = &raw const cegas_z3_names;
        while *at != 0 {
            let function = CStr::from_ptr(at);
            let place = dlsym(library, at);
            if place.is_null() {
                return Err(format!("{name} has no {}", function.to_string_lossy()));
            }
            (*entry).store(place, Ordering::Release);
            entry = entry.add(1);
            at = at.add(function.to_bytes_with_nul().len());
        }
    }
    let found = super::super::version::of_library();
    let built = env!("CEGAS_Z3_VERSION");
    if found == built {
        Ok(())
    } else {
        Err(format!("{name} is Z3 {found}, and this was built with Z3 {built}"))
    }
}
