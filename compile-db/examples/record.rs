//! Records a build and prints what was seen: `record SCRATCH -- make -j2`, or reads a database: `record FILE`.

use compile_db::{
    Build, Error, Symbols, Target, Unit, read, record, shim_main, targets, targets_by_symbols,
};
use std::{
    env,
    ffi::OsString,
    path::Path,
    process::{Command, ExitCode},
};

fn main() -> ExitCode {
    if let Some(code) = shim_main() {
        return code;
    }
    let arguments: Vec<OsString> = env::args_os().skip(1).collect();
    let result = match arguments.as_slice() {
        [scratch, dashes, command @ ..] if dashes == "--" => {
            record_here(Path::new(scratch), command)
        }
        [database] => read(Path::new(database)),
        _ => {
            eprintln!("usage: record SCRATCH -- COMMAND…  or  record compile_commands.json");
            return ExitCode::from(2);
        }
    };
    match result {
        Ok(build) => print(&build, arguments.first().map(Path::new).filter(|path| path.is_file())),
        Err(error) => {
            eprintln!("record: {error}");
            return ExitCode::from(2);
        }
    }
    ExitCode::SUCCESS
}

fn record_here(scratch: &Path, command: &[OsString]) -> Result<Build, Error> {
    let recording = record(command, Path::new("."), scratch, Command::status)?;
    println!("the build ended with {}", recording.status);
    Ok(recording.build)
}

/// What the objects themselves say, if the build left them there.
fn by_symbols(build: &Build) -> Vec<Target> {
    let symbols: Vec<Option<Symbols>> = build.units.iter().map(symbols_of).collect();
    targets_by_symbols(build, &symbols)
}

fn symbols_of(unit: &Unit) -> Option<Symbols> {
    let object = unit.output.as_ref().filter(|object| object.is_file())?;
    let output = Command::new("nm").args(["-g", "--format=posix"]).arg(object).output().ok()?;
    let mut symbols = Symbols::default();
    for line in String::from_utf8_lossy(&output.stdout).lines() {
        let mut words = line.split(' ');
        let (Some(name), Some(kind)) = (words.next(), words.next()) else { continue };
        match kind {
            "U" => symbols.undefined.push(name.to_owned()),
            "w" | "v" => {}
            "W" | "V" => symbols.weak.push(name.to_owned()),
            _ => symbols.defined.push(name.to_owned()),
        }
    }
    Some(symbols)
}

fn print(build: &Build, database: Option<&Path>) {
    for (index, unit) in build.units.iter().enumerate() {
        println!("unit {index} {} -> {:?} {:?}", unit.source.display(), unit.output, unit.flags);
    }
    for skipped in &build.skipped {
        println!("skipped {}: {}", skipped.file.display(), skipped.reason);
    }
    for (index, link) in build.links.iter().enumerate() {
        println!(
            "link {index} {:?} {} {:?} {:?}",
            link.kind,
            link.output.display(),
            link.parts,
            link.unknown
        );
    }
    for note in &build.notes {
        println!("note {}: {}", note.subject, note.text);
    }
    for target in targets(build, database).unwrap_or_else(|| by_symbols(build)) {
        println!(
            "target {:?} {} {:?} archives {:?} missing {:?} by {}",
            target.kind,
            target.name,
            target.units,
            target.from_archives,
            target.missing,
            target.evidence
        );
    }
}
