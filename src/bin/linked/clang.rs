//! The clang that is linked into our programs, and into them only: a test would pay for it and never call it.

use cegas::frontend::built_in::{BuiltIn, Function};

#[cfg(built_in_clang)]
mod linked {
    use std::ffi::{c_char, c_int, c_void};

    unsafe extern "C" {
        pub fn cegas_clang(
            clang: *const c_char,
            count: usize,
            arguments: *const *const c_char,
            context: *mut c_void,
            module: *mut *mut c_void,
            heard: *mut *const c_char,
            heard_bytes: *mut usize,
        ) -> c_int;
    }
}

#[cfg(built_in_clang)]
pub const FUNCTION: Option<Function> = Some(linked::cegas_clang);
#[cfg(not(built_in_clang))]
pub const FUNCTION: Option<Function> = None;

pub const BUILT_IN: BuiltIn = if FUNCTION.is_some() { BuiltIn::Yes } else { BuiltIn::No };
