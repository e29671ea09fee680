//! The command `cargo cegas`.
use cegas::cli::{self, Flavour};
use cegas::versions::Versions;

fn main() -> std::process::ExitCode {
    let versions = Versions { llvm: "19".into(), z3: "?".into() };
    cli::run(Flavour::Cargo, &versions, |_, _, _| anyhow::bail!("there is no pipeline yet"))
}
