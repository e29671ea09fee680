//! The command `cegas-scan`.
use cegas::cli::{self, Flavour};

fn main() -> std::process::ExitCode {
    cli::run(Flavour::Scan, &cegas::versions(), |_, _, _| anyhow::bail!("there is no pipeline yet"))
}
