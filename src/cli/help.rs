//! The words of `--help` and `--version`.

use crate::versions::Versions;

pub const ABOUT: &str = "Model-checks the C code of a make, cmake or cargo project";

pub const SCAN_USAGE: &str = "cegas-scan [OPTIONS] [PATH]...
       cegas-scan [OPTIONS] [DIR] -- BUILD COMMAND...";

pub const SCAN_AFTER: &str = "\
Examples:
  cegas-scan                         scan the project in the current folder
  cegas-scan -p build                ... whose build folder is build/
  cegas-scan -- make -j8             run and record the build, then scan what it compiled
  cegas-scan a.c b.c --cflags=-DX=1  scan one program made of two files
  cegas-scan --dump=targets          show which units make which program

How a build is found:
  With -p, else a compile_commands.json upward from the project and in its usual build folders; a
  cmake project without one is configured in the cache, which runs its CMake code; that can write
  to the cache only, if the kernel has Landlock. Nothing else of a project is run for this.
  After `--` the command is run as you typed it, like any build: do that only with code you trust.
  An up-to-date build compiles nothing, so nothing is recorded: clean it first.

Settings:
  The nearest cegas.toml upward from the project sets the same as the long options
  (`jobs = 4`, `rules = [\"leak\"]`, `build-dir = \"out\"`); the command line wins.

Exit codes:
  0  everything was analysed, nothing was found
  1  something was found
  2  the scan could not be done
  3  nothing was found, but some units or targets could not be analysed";

const CARGO_USAGE: &str = "cargo cegas [OPTIONS] [DIR] [-- CARGO BUILD OPTIONS...]";

const CARGO_AFTER: &str = "\
Examples:
  cargo cegas                    scan the C that the build scripts of this crate compile
  cargo cegas ../db -- --release  ... of the crate in ../db, in its release profile

`cargo build` is run in a scratch target folder, and the compiler calls that its build scripts make
are recorded: do that only with code you trust.

Exit codes: 0 clean, 1 findings, 2 failure, 3 partly analysed";

/// The same options under cargo's name, where `--` passes options on to `cargo build`.
pub fn for_cargo(command: clap::Command) -> clap::Command {
    command
        .name("cargo cegas")
        .about("Model-checks the C that a crate's build scripts compile")
        .override_usage(CARGO_USAGE)
        .after_help(CARGO_AFTER)
        .mut_arg("paths", |a| {
            a.value_name("DIR").help("The folder of the crate [default: the current folder]")
        })
        .mut_arg("command", |a| {
            a.value_name("CARGO BUILD OPTIONS").help("More options for cargo build")
        })
        // A crate's build is recorded, so these would have nothing to say.
        .mut_arg("build_dir", |a| a.hide(true))
        .mut_arg("cflags", |a| a.hide(true))
}

/// What a shell reads to complete our options.
pub fn completions(mut command: clap::Command, shell: clap_complete::Shell) -> String {
    let mut text = Vec::new();
    let name = command.get_name().replace(' ', "-");
    clap_complete::generate(shell, &mut command, name, &mut text);
    String::from_utf8_lossy(&text).into_owned()
}

/// The manual page, for `man -l`.
pub fn manual(command: clap::Command) -> std::io::Result<String> {
    let mut text = Vec::new();
    clap_mangen::Man::new(command).render(&mut text)?;
    Ok(String::from_utf8_lossy(&text).into_owned())
}

/// What `--version` prints.
pub fn version(versions: &Versions) -> String {
    let own = env!("CARGO_PKG_VERSION");
    format!("cegas-scan {own}\nLLVM {}\nZ3 {}\n", versions.llvm, versions.z3)
}
