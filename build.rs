//! Compiles the C++ files that do what LLVM's C interface cannot, the library that is loaded into clang and
//! the models of library functions, links the part of LLVM that is used, and lets the built programs find the Z3 that
//! set-up put beside the sources.

#[path = "build/clang.rs"]
mod clang;
#[path = "build/solver.rs"]
mod solver;

use std::path::{Path, PathBuf};
use std::process::Command;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    let prefix = std::env::var("LLVM_SYS_191_PREFIX").unwrap_or_else(|_| "/usr/lib/llvm-19".into());
    let include = included(Path::new(&prefix));
    compile_llvm_extra(&include);
    compile_lookups(Path::new(&prefix));
    compile_models(Path::new(&prefix));
    println!("cargo:rerun-if-changed=build/clang.rs");
    // Each of these makes starting faster; nothing else depends on it.
    let _ = clang::prefer_cxx_archive();
    let _ = clang::link(Path::new(&prefix), &include);
    link_llvm(Path::new(&prefix));
    find_z3();
}

/// What is loaded into clang to hear what it looks for.
fn compile_lookups(prefix: &Path) {
    const SOURCE: &str = "src/frontend/lookups.c";
    println!("cargo:rerun-if-changed={SOURCE}");
    let output = Path::new(&std::env::var_os("OUT_DIR").unwrap_or_default()).join("lookups.so");
    let status = Command::new(prefix.join("bin/clang"))
        .args(["-shared", "-fPIC", "-O1", "-s", "-Wall", SOURCE, "-o"])
        .arg(output)
        .status();
    if !status.is_ok_and(|status| status.success()) {
        fail(&format!("clang 19 cannot compile {SOURCE}: run `make setup`"));
    }
}

/// Library functions written in C, as bitcode for 64 and 32 bits, and a table of them.
fn compile_models(prefix: &Path) {
    const FOLDER: &str = "src/library/models";
    println!("cargo:rerun-if-changed={FOLDER}");
    let out = PathBuf::from(std::env::var_os("OUT_DIR").unwrap_or_default());
    let mut sources: Vec<PathBuf> = std::fs::read_dir(FOLDER)
        .map(|entries| entries.filter_map(|entry| Some(entry.ok()?.path())).collect())
        .unwrap_or_default();
    sources.sort();
    let mut table = String::from("&[\n");
    for source in sources.iter().filter(|path| path.extension().is_some_and(|e| e == "c")) {
        let name = source.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        for bits in [64, 32] {
            let output = out.join(format!("{name}.{bits}.bc"));
            compile_model(prefix, source, &output, bits);
            table += &format!(
                "Model {{ name: {name:?}, pointer_bits: {bits}, bitcode: include_bytes!({output:?}) }},\n"
            );
        }
    }
    table += "]\n";
    if let Err(error) = std::fs::write(out.join("models.rs"), table) {
        fail(&format!("cannot write the table of models: {error}"));
    }
}

fn compile_model(prefix: &Path, source: &Path, output: &Path, bits: u32) {
    let flags = "-std=c11 -ffreestanding -fno-builtin -O0 -g -w -c -emit-llvm -fno-discard-value-names \
                 -Xclang -disable-O0-optnone -Xclang -disable-llvm-passes";
    let here = std::env::current_dir().unwrap_or_default();
    let status = Command::new(prefix.join("bin/clang"))
        .args(flags.split_whitespace())
        .arg(format!("-m{bits}"))
        .arg(format!("-ffile-prefix-map={}=cegas", here.display()))
        .arg("-o")
        .args([output, source])
        .status();
    if !status.is_ok_and(|status| status.success()) {
        fail(&format!("clang 19 cannot compile {}: run `make setup`", source.display()));
    }
}

fn fail(message: &str) -> ! {
    println!("cargo:warning={message}");
    std::process::exit(1);
}

/// Links LLVM's archives, of which a few megabytes are left. The shared library is for a machine without them: each
/// program that loads it pays 20 ms and 40 MB for what it relocates and sets up, before it has done anything.
fn link_llvm(prefix: &Path) {
    let files = ["--link-static", "--link-shared"]
        .into_iter()
        .map(|kind| llvm_files(prefix, kind, &PARTS))
        .find(|files| !files.is_empty() && files.iter().all(|file| Path::new(file).exists()));
    let Some(files) = files else {
        fail(&format!("LLVM's libraries are not in {}: run `make setup`", prefix.display()));
    };
    for file in files {
        println!("cargo:rustc-link-arg={file}");
    }
    println!("cargo:rustc-link-arg=-lstdc++");
    // Z3 has its own C++ library: what is in ours must not come between the two.
    println!("cargo:rustc-link-arg=-Wl,--exclude-libs,ALL");
}

/// The parts of LLVM that are used. The last one is there for the drop of inkwell's modules alone.
const PARTS: [&str; 5] = ["core", "irreader", "bitreader", "transformutils", "executionengine"];

/// The files that hold parts of LLVM, those that need others before these.
fn llvm_files(prefix: &Path, kind: &str, parts: &[&str]) -> Vec<String> {
    let output = Command::new(prefix.join("bin/llvm-config"))
        .args([kind, "--libfiles"])
        .args(parts)
        .output();
    match output {
        Ok(output) if output.status.success() => {
            let text = String::from_utf8_lossy(&output.stdout);
            text.split_whitespace().map(str::to_owned).collect()
        }
        _ => Vec::new(),
    }
}

fn find_z3() {
    println!("cargo:rerun-if-changed=build/solver.rs");
    println!("cargo:rustc-check-cfg=cfg(lazy_z3)");
    let lib = Path::new(env!("CARGO_MANIFEST_DIR")).join(".deps/z3/lib");
    if lib.join("libz3.so").exists() {
        println!("cargo:rerun-if-changed={}", lib.join("libz3.so").display());
        println!("cargo:rustc-link-arg=-Wl,-rpath,{}", lib.display());
        // What cannot be loaded later is loaded first, as ever.
        let _ = solver::load_when_asked(&lib);
    }
}

/// Where LLVM's headers are.
fn included(prefix: &Path) -> String {
    println!("cargo:rerun-if-env-changed=LLVM_SYS_191_PREFIX");
    let config = prefix.join("bin/llvm-config");
    let output = Command::new(&config).arg("--includedir").output();
    let Ok(output) = output else {
        fail(&format!("cannot run {}: run `make setup`", config.display()));
    };
    String::from_utf8_lossy(&output.stdout).trim().to_owned()
}

/// How C++ that uses LLVM is compiled.
fn cxx(include: &str) -> cc::Build {
    let mut build = cc::Build::new();
    build
        .cpp(true)
        .std("c++17")
        .flag("-isystem")
        .flag(include)
        .flag("-fno-rtti")
        .flag("-fno-exceptions");
    build
        .define("__STDC_CONSTANT_MACROS", None)
        .define("__STDC_LIMIT_MACROS", None)
        .define("NDEBUG", None);
    build
}

fn compile_llvm_extra(include: &str) {
    const SOURCES: [&str; 2] = ["src/frontend/llvm_extra.cpp", "src/frontend/scopes.cpp"];
    for source in SOURCES {
        println!("cargo:rerun-if-changed={source}");
    }
    if !is_only_linted() {
        cxx(include).files(SOURCES).compile("cegas_llvm_extra");
    }
}

/// Whether clippy looks at the sources: then nothing is linked, and compiling C++ takes longer than the rest.
fn is_only_linted() -> bool {
    println!("cargo:rerun-if-env-changed=RUSTC_WORKSPACE_WRAPPER");
    std::env::var("RUSTC_WORKSPACE_WRAPPER").is_ok_and(|driver| driver.contains("clippy"))
}
