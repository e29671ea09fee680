//! Compiles the small C++ file that reads what LLVM's C interface hides, and lets the built programs
//! find the Z3 that set-up put beside the sources.

use std::path::Path;
use std::process::Command;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    compile_llvm_extra();
    find_z3();
}

fn find_z3() {
    let lib = Path::new(env!("CARGO_MANIFEST_DIR")).join(".deps/z3/lib");
    if lib.join("libz3.so").exists() {
        println!("cargo:rerun-if-changed={}", lib.join("libz3.so").display());
        println!("cargo:rustc-link-arg=-Wl,-rpath,{}", lib.display());
    }
}

fn compile_llvm_extra() {
    println!("cargo:rerun-if-env-changed=LLVM_SYS_191_PREFIX");
    println!("cargo:rerun-if-changed=src/frontend/llvm_extra.cpp");
    let prefix = std::env::var("LLVM_SYS_191_PREFIX").unwrap_or_else(|_| "/usr/lib/llvm-19".into());
    let config = Path::new(&prefix).join("bin/llvm-config");
    let output = Command::new(&config).arg("--includedir").output();
    let Ok(output) = output else {
        println!("cargo:warning=cannot run {}: run `make setup`", config.display());
        std::process::exit(1);
    };
    let include = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    cc::Build::new()
        .cpp(true)
        .std("c++17")
        .file("src/frontend/llvm_extra.cpp")
        .flag("-isystem")
        .flag(&include)
        .flag("-fno-rtti")
        .flag("-fno-exceptions")
        .define("__STDC_CONSTANT_MACROS", None)
        .define("__STDC_LIMIT_MACROS", None)
        .define("NDEBUG", None)
        .compile("cegas_llvm_extra");
}
