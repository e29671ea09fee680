//! Lets the built programs find the Z3 that set-up put beside the sources.

use std::path::Path;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    let lib = Path::new(env!("CARGO_MANIFEST_DIR")).join(".deps/z3/lib");
    if lib.join("libz3.so").exists() {
        println!("cargo:rerun-if-changed={}", lib.join("libz3.so").display());
        println!("cargo:rustc-link-arg=-Wl,-rpath,{}", lib.display());
    }
}
