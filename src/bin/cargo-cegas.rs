//! The command `cargo cegas`.

#[path = "linked/clang.rs"]
mod clang;

use cegas::cli::{self, Flavour};
use cegas::frontend::{bitcode, built_in};
use cegas::scan::scan;
use cegas::versions::Versions;
use std::process::ExitCode;

fn main() -> ExitCode {
    if let Some(code) = built_in::compiler_main(clang::FUNCTION) {
        return code;
    }
    if let Some(code) = bitcode::reader_main() {
        return code;
    }
    // A recorded build calls this program under a compiler's name.
    if let Some(code) = compile_db::shim_main() {
        return code;
    }
    cli::run(Flavour::Cargo, &Versions::linked(), |settings, progress, cancel| {
        scan(settings, clang::BUILT_IN, progress, cancel)
    })
}
