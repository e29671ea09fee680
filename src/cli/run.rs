//! The life of the process around the scan: arguments in, reports and an exit code out.

use std::io::{self, IsTerminal, Write};
use std::process::ExitCode;

use anyhow::{Context, Result};

use super::{Flavour, Invocation, parse};
use crate::cancel::{Cancel, Cancelled};
use crate::config::Settings;
use crate::exit::Exit;
use crate::line::one_line;
use crate::progress::Progress;
use crate::report::{self, Report, Sources};
use crate::silence::Silencer;
use crate::versions::Versions;

/// Runs the tool. `scan` is the pipeline.
pub fn run(
    flavour: Flavour,
    versions: &Versions,
    scan: impl FnOnce(&Settings, &Progress, &Cancel) -> Result<Report>,
) -> ExitCode {
    let exit = attempt(flavour, versions, scan).unwrap_or_else(|error| {
        if error.is::<Cancelled>() {
            anstream::eprintln!("cegas-scan: interrupted");
            return Exit::Interrupted;
        }
        // A reader that closed the pipe (`| head`) has seen enough: that is not worth a message.
        let broken = |e: &io::Error| e.kind() == io::ErrorKind::BrokenPipe;
        if !error.chain().any(|cause| cause.downcast_ref().is_some_and(broken)) {
            let red = anstyle::AnsiColor::Red.on_default().bold();
            anstream::eprintln!("cegas-scan: {red}error{red:#}: {}", one_line(&told(&error)));
        }
        Exit::Failure
    });
    exit.into()
}

/// An error with its causes in one line. Some errors tell their cause themselves; once is enough.
fn told(error: &anyhow::Error) -> String {
    error
        .chain()
        .map(ToString::to_string)
        .reduce(
            |line, cause| {
                if line.ends_with(&cause) { line } else { format!("{line}: {cause}") }
            },
        )
        .unwrap_or_default()
}

fn attempt(
    flavour: Flavour,
    versions: &Versions,
    scan: impl FnOnce(&Settings, &Progress, &Cancel) -> Result<Report>,
) -> Result<Exit> {
    let cwd = std::env::current_dir().context("cannot tell the current folder")?;
    let mut arguments = std::env::args_os().skip(1).peekable();
    if flavour == Flavour::Cargo {
        // Cargo passes the name of the subcommand on.
        arguments.next_if(|first| first == "cegas");
    }
    let settings = match parse(flavour, arguments, &cwd, versions)? {
        Invocation::Print(text) => {
            write!(anstream::stdout(), "{}", text.ansi()).context("standard output")?;
            return Ok(Exit::Clean);
        }
        Invocation::Scan(settings) => settings,
    };
    // Before the work, not after an hour of it.
    report::check_writable(&settings.outputs)?;
    let silencer = Silencer::prepare(&settings)?;
    let cancel = Cancel::on_signals().context("cannot listen for Ctrl-C")?;
    let progress = Progress::new(settings.progress);
    let mut report = scan(&settings, &progress, &cancel)?;
    progress.clear();
    cancel.check()?;
    let sources = if settings.only_dumps() {
        Sources::default()
    } else {
        Sources::of(&report, &settings.root)
    };
    let baseline = silencer.apply(&mut report, &sources, &settings)?;
    report::write(&report, &sources, &settings, versions)?;
    if io::stdout().is_terminal() && !settings.quiet && report.dump.is_none() {
        // Not part of the report, which says the same for the same scan.
        writeln!(io::stdout(), "{}", progress.time()).context("standard output")?;
    }
    if let Some((path, text)) = settings.outputs.write_baseline.as_deref().zip(baseline) {
        report::replace(path, &text)?;
    }
    Ok(report.exit(&settings))
}

#[cfg(test)]
mod tests {
    use super::told;
    use anyhow::{Context, anyhow};

    #[test]
    fn a_cause_is_told_once() {
        let error = Err::<(), _>(anyhow!("no space")).context("cannot write x: no space");
        let error = error.context("the report");
        assert_eq!(told(&error.unwrap_err()), "the report: cannot write x: no space");
    }
}
