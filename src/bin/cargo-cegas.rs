//! The command `cargo cegas`.
use cegas::cli::{self, Flavour};

fn main() -> std::process::ExitCode {
    cli::run(Flavour::Cargo, &cegas::versions(), |_, _, _| anyhow::bail!("there is no pipeline yet"))
}
