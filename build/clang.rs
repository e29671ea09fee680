//! clang inside our programs (`src/frontend/built_in.rs` says why), where its archives and headers are there to link. Only
//! the programs get it, not the tests, and only its front end: no optimiser and no code for any processor.
//!
//! A program with clang in it is linked for a fixed address. Moving two hundred thousand addresses at each start would
//! take longer than most units do; the stack, the heap and the libraries still lie where the system puts them.

use std::path::{Path, PathBuf};
use std::process::Command;

const SOURCE: &str = "src/frontend/built_in.cpp";

/// clang's archives, those that need others before these.
const ARCHIVES: [&str; 14] = [
    "Frontend",
    "Driver",
    "Serialization",
    "CodeGen",
    "Parse",
    "Sema",
    "APINotes",
    "Analysis",
    "Edit",
    "AST",
    "ASTMatchers",
    "Lex",
    "Support",
    "Basic",
];

/// The parts of LLVM that they use.
const PARTS: [&str; 22] = [
    "analysis",
    "asmparser",
    "binaryformat",
    "bitreader",
    "bitstreamreader",
    "bitwriter",
    "core",
    "coverage",
    "debuginfodwarf",
    "demangle",
    "frontendhlsl",
    "frontendoffloading",
    "frontendopenmp",
    "irreader",
    "mc",
    "mcparser",
    "object",
    "option",
    "profiledata",
    "scalaropts",
    "support",
    "windowsdriver",
];

/// Puts clang into the programs. `None`: something for it is not there, and units are compiled by the installed clang.
pub fn link(prefix: &Path, include: &str) -> Option<()> {
    println!("cargo:rerun-if-changed={SOURCE}");
    println!("cargo:rerun-if-env-changed=CEGAS_WITHOUT_BUILT_IN_CLANG");
    println!("cargo:rustc-check-cfg=cfg(built_in_clang)");
    let has_headers = Path::new(include).join("clang/CodeGen/ModuleBuilder.h").exists();
    let archives: Vec<PathBuf> =
        ARCHIVES.iter().map(|name| prefix.join(format!("lib/libclang{name}.a"))).collect();
    let unwanted = std::env::var_os("CEGAS_WITHOUT_BUILT_IN_CLANG").is_some();
    if unwanted || !has_headers || !archives.iter().all(|file| file.exists()) {
        return None;
    }
    let llvm = super::llvm_files(prefix, "--link-static", &PARTS);
    if llvm.is_empty() || !llvm.iter().all(|file| Path::new(file).exists()) {
        return None;
    }
    let compression = ["libz.a", "libzstd.a"].map(archive_of_compiler);
    let [Some(zlib), Some(zstd)] = compression else { return None };
    if !super::is_only_linted() {
        let mut source = super::cxx(include);
        source.file(SOURCE).opt_level(1).cargo_metadata(false).try_compile("cegas_clang").ok()?;
    }
    let out = PathBuf::from(std::env::var_os("OUT_DIR")?);
    let mut words = vec!["-no-pie".to_owned(), "-Wl,--start-group".to_owned()];
    let files = [out.join("libcegas_clang.a")].into_iter().chain(archives);
    words.extend(files.map(|file| file.display().to_string()));
    words.extend(llvm);
    words.extend([zlib, zstd].map(|file| file.display().to_string()));
    words.extend(["-Wl,--end-group".to_owned(), "-lstdc++".to_owned(), "-lm".to_owned()]);
    for word in words {
        println!("cargo:rustc-link-arg-bins={word}");
    }
    println!("cargo:rustc-cfg=built_in_clang");
    Some(())
}

/// Has what is linked use the C++ library's archive, if there is one: loading and relocating the shared one takes a
/// millisecond at each start. The linker takes what it finds first, so a folder with nothing but the archive comes first.
pub fn prefer_cxx_archive() -> Option<()> {
    let archive = archive_of_compiler("libstdc++.a")?;
    let folder = PathBuf::from(std::env::var_os("OUT_DIR")?).join("cxx");
    std::fs::create_dir_all(&folder).ok()?;
    let place = folder.join("libstdc++.a");
    if !place.exists() {
        std::os::unix::fs::symlink(archive, &place).ok()?;
    }
    println!("cargo:rustc-link-search=native={}", folder.display());
    Some(())
}

/// Where the linker that cargo uses would find an archive.
fn archive_of_compiler(name: &str) -> Option<PathBuf> {
    let output = Command::new("cc").arg(format!("-print-file-name={name}")).output().ok()?;
    let path = PathBuf::from(String::from_utf8(output.stdout).ok()?.trim());
    // A name that comes back as it was is one that was not found.
    path.is_absolute().then(|| path.canonicalize().ok()).flatten()
}
