//! The command line: what `cegas-scan` and `cargo cegas` understand, and how they end.
//!
//! [`parse`] turns arguments into an [`Invocation`]; [`run`] is the whole life of the process around
//! the scan itself, which it takes as a function, so that nothing here knows the pipeline.

mod help;
mod rules;
mod run;

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use anyhow::{Result, anyhow};
use clap::builder::StyledStr;
use clap::error::ErrorKind;
use clap::{CommandFactory, FromArgMatches};

use crate::config::{DumpFormat, Layer, Request, Settings, Stage, settle};
use crate::versions::Versions;
pub use run::run;

/// Under which name the tool was called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flavour {
    /// `cegas-scan`
    Scan,
    /// `cargo cegas`
    Cargo,
}

/// What the user wants done.
#[derive(Debug)]
pub enum Invocation {
    /// Scan with these settings.
    Scan(Box<Settings>),
    /// Print this on standard output: help, version, rules.
    Print(StyledStr),
}

#[derive(Debug, clap::Parser)]
#[command(name = "cegas-scan", about = help::ABOUT, disable_version_flag = true)]
#[command(override_usage = help::SCAN_USAGE, after_help = help::SCAN_AFTER)]
struct Arguments {
    /// A project folder, a compile_commands.json, C files (.c, .i) or bitcode (.bc, .ll)
    /// [default: the current folder]
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,

    #[command(flatten)]
    layer: Layer,

    /// Scan only the targets that this file, a source or a header, belongs to (repeatable)
    #[arg(long, value_name = "FILE", help_heading = "What to scan")]
    affected_by: Vec<PathBuf>,

    /// Check what this SV-COMP property file says: it chooses the rules and the entry
    #[arg(long, value_name = "FILE.prp", help_heading = "What to scan")]
    property: Option<PathBuf>,

    /// Write the findings of this scan as a baseline: later scans with --baseline are silent about them
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    write_baseline: Option<PathBuf>,

    /// Tell only what is new since this revision of the project's git repository, whose code is scanned, too
    #[arg(long, value_name = "GIT_REV", help_heading = "Output")]
    diff_base: Option<String>,

    /// Decide by the loop invariants of a witness alone: check that they hold and that everything follows from them
    #[arg(long, value_name = "FILE", help_heading = "How to scan")]
    check_proofs: Option<PathBuf>,

    /// With --engine=sse: print each path to an assertion, step by step, with constraints and values
    #[arg(long, help_heading = "Output")]
    explain_path: bool,

    /// Print the result of a stage instead of the report
    #[arg(long, value_name = "STAGE", help_heading = "Output")]
    dump: Option<Stage>,

    /// How to print it [default: text]
    #[arg(long, value_name = "FORMAT", help_heading = "Output")]
    dump_format: Option<DumpFormat>,

    /// Read settings from this file instead of the nearest cegas.toml
    #[arg(long, value_name = "FILE", help_heading = "Other")]
    config: Option<PathBuf>,

    /// Print the rules, one line each
    #[arg(long, exclusive = true, help_heading = "Other")]
    list_rules: bool,

    /// Print what a rule means, with an example of wrong and of right code
    #[arg(long, value_name = "RULE", exclusive = true, help_heading = "Other")]
    explain: Option<String>,

    /// Print completions for a shell
    #[arg(long, value_name = "SHELL", exclusive = true, help_heading = "Other")]
    completions: Option<clap_complete::Shell>,

    /// Print the manual page
    #[arg(long, exclusive = true, help_heading = "Other")]
    man: bool,

    /// Print the version, with those of LLVM and Z3
    #[arg(short = 'V', long, exclusive = true, help_heading = "Other")]
    version: bool,

    /// Run this build, record the compiler, archiver and linker calls it makes, and scan them
    #[arg(last = true, value_name = "BUILD COMMAND")]
    command: Option<Vec<OsString>>,
}

/// Understands the arguments (without the program's name) given in the folder `cwd`.
pub fn parse(
    flavour: Flavour,
    arguments: impl IntoIterator<Item = OsString>,
    cwd: &Path,
    versions: &Versions,
) -> Result<Invocation> {
    let name = match flavour {
        Flavour::Scan => "cegas-scan",
        Flavour::Cargo => "cargo cegas",
    };
    let mut command = Arguments::command();
    if flavour == Flavour::Cargo {
        command = help::for_cargo(command);
    }
    let all: Vec<_> = std::iter::once(OsString::from(name)).chain(arguments).collect();
    // Clap does not tell `--` with nothing behind it from no `--` at all.
    let bare_end = all.last().is_some_and(|last| last == "--");
    let parsed = command
        .try_get_matches_from_mut(all)
        .and_then(|matches| Arguments::from_arg_matches(&matches));
    let arguments = match parsed {
        Ok(arguments) => arguments,
        Err(error) if error.kind() == ErrorKind::DisplayHelp => {
            return Ok(Invocation::Print(error.render()));
        }
        Err(error) => return Err(one_line(&error, name)),
    };
    if arguments.version {
        return Ok(Invocation::Print(help::version(versions).into()));
    }
    if let Some(shell) = arguments.completions {
        return Ok(Invocation::Print(help::completions(command, shell).into()));
    }
    if arguments.man {
        return Ok(Invocation::Print(help::manual(command)?.into()));
    }
    if arguments.list_rules {
        return Ok(Invocation::Print(rules::list().into()));
    }
    if let Some(rule) = &arguments.explain {
        return Ok(Invocation::Print(rules::explain(rule)?.into()));
    }
    let Arguments { paths, layer, config, dump, dump_format, command, .. } = arguments;
    let Arguments { affected_by, property, write_baseline, diff_base, .. } = arguments;
    let Arguments { explain_path, check_proofs, .. } = arguments;
    let command = command.or(bare_end.then(Vec::new));
    let cargo = flavour == Flavour::Cargo;
    let request = Request {
        paths,
        command,
        cargo,
        layer,
        affected_by,
        property,
        write_baseline,
        diff_base,
        config,
        check_proofs,
        explain_path,
        dump,
        dump_format,
    };
    Ok(Invocation::Scan(Box::new(settle(request, cwd)?)))
}

/// Clap explains a mistake over several lines; we promise one.
fn one_line(error: &clap::Error, name: &str) -> anyhow::Error {
    let text = error.render().to_string();
    let parts: Vec<_> = text
        .lines()
        .map(str::trim)
        .take_while(|line| !line.starts_with("Usage:") && !line.starts_with("For more information"))
        // The other tip, to pass it behind `--`, would run it as a build.
        .filter(|line| !line.is_empty() && !line.contains("as a value, use"))
        .map(|line| line.strip_prefix("error: ").or(line.strip_prefix("tip: ")).unwrap_or(line))
        .collect();
    anyhow!("{}; see {name} --help", parts.join("; "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn invoke(flavour: Flavour, arguments: &[&str]) -> Result<Invocation> {
        let versions = Versions { llvm: "1.2.3".into(), z3: "4.5.6".into() };
        let top = tempfile::tempdir().unwrap();
        parse(flavour, arguments.iter().map(OsString::from), top.path(), &versions)
    }

    fn scan(arguments: &[&str]) -> Settings {
        match invoke(Flavour::Scan, arguments).unwrap() {
            Invocation::Scan(settings) => *settings,
            Invocation::Print(text) => panic!("{text}"),
        }
    }

    #[test]
    fn the_definition_is_sound() {
        Arguments::command().debug_assert();
        help::for_cargo(Arguments::command()).debug_assert();
    }

    #[test]
    fn everything_after_the_dashes_is_the_build() {
        let settings = scan(&["-j2", "--", "make", "-j8", "--quiet", "A=b c"]);
        let crate::config::Input::Record { command, .. } = settings.input else { panic!() };
        assert_eq!(command, ["make", "-j8", "--quiet", "A=b c"]);
        assert_eq!((settings.jobs.get(), settings.quiet), (2, false));
    }

    #[test]
    fn cargo_flavour_records_the_crate() {
        let Ok(Invocation::Scan(settings)) = invoke(Flavour::Cargo, &["--", "--all-features"])
        else {
            panic!()
        };
        let crate::config::Input::Cargo { arguments, .. } = settings.input else { panic!() };
        assert_eq!(arguments, ["--all-features"]);
    }

    #[test]
    fn mistakes_are_one_line() {
        for (arguments, words) in [
            (&["--jsn=x"][..], "'--json'"),
            (&["--progress=sometimes"], "always"),
            (&["--jobs=0"], "0"),
            (&["--timeout=soon"], "soon"),
            (&["--dump=everything"], "targets"),
        ] {
            let message = invoke(Flavour::Scan, arguments).unwrap_err().to_string();
            assert!(message.contains(words), "{message}");
            assert!(!message.contains('\n') && message.contains("--help"), "{message}");
        }
    }

    #[test]
    fn version_names_what_results_depend_on() {
        let Ok(Invocation::Print(text)) = invoke(Flavour::Scan, &["--version"]) else { panic!() };
        let text = text.to_string();
        assert!(text.starts_with("cegas-scan ") && text.contains("LLVM 1.2.3"), "{text}");
        assert!(text.contains("Z3 4.5.6"), "{text}");
    }
}
