//! The command `cegas-scan`.

use cegas::cli::{self, Flavour};
use cegas::scan::scan;
use cegas::versions::Versions;
use std::process::ExitCode;

fn main() -> ExitCode {
    if let Some(code) = cegas::frontend::bitcode::reader_main() {
        return code;
    }
    // A recorded build calls this program under a compiler's name.
    if let Some(code) = compile_db::shim_main() {
        return code;
    }
    cli::run(Flavour::Scan, &Versions::linked(), scan)
}
