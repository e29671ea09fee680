//! Records a build and prints what was seen: `record SCRATCH -- make -j2`, or reads a database: `record FILE`.

use compile_db::{Build, Error, read, record, shim_main, targets};
use std::{env, ffi::OsString, path::Path, process::ExitCode};

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
    let recording = record(command, Path::new("."), scratch)?;
    println!("the build ended with {}", recording.status);
    Ok(recording.build)
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
    for target in targets(build, database).unwrap_or_default() {
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
