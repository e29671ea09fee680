//! Outputs that would destroy each other, or what the scan reads.

use std::path::{Path, PathBuf};

use anyhow::{Result, bail};

use super::input::Input;
use super::settings::{OutputPlace, Outputs};

/// Refuses two reports for one place, and one over a file that is scanned or that says how (`read`).
pub fn refuse_clashing(
    outputs: &Outputs,
    input: &Input,
    baseline: Option<&Path>,
    read: &[PathBuf],
) -> Result<()> {
    let mut known: Vec<(&str, Place)> = Vec::new();
    let reports = outputs.reports().map(|(option, place)| (option, resolved(place)));
    let new = outputs.write_baseline.as_deref();
    if new.is_some_and(|path| path.ends_with("-")) {
        bail!("--write-baseline needs the name of a file; `-` is none");
    }
    let new = new.map(|path| ("--write-baseline", Place::File(real(path))));
    for (option, place) in reports.chain(new) {
        if let Some((other, _)) = known.iter().find(|(_, other)| *other == place) {
            bail!("{other} and {option} name the same output; give each its own");
        }
        known.push((option, place));
    }
    let scanned: &[PathBuf] = match input {
        Input::Files(files) => files,
        Input::Database(file) => std::slice::from_ref(file),
        Input::Project(_) | Input::Record { .. } | Input::Cargo { .. } => &[],
    };
    let scanned: Vec<PathBuf> = scanned.iter().map(|file| real(file)).collect();
    let read: Vec<PathBuf> = read.iter().map(|file| real(file)).collect();
    let baseline = baseline.map(real);
    for (option, place) in &known {
        let Place::File(path) = place else { continue };
        if scanned.contains(path) {
            bail!("{} is scanned, so no report can be written over it", path.display());
        }
        // A baseline may be written over the one that it comes from.
        let is_baseline = *option != "--write-baseline" && baseline.as_ref() == Some(path);
        if is_baseline || read.contains(path) {
            bail!("{} is read by the scan, so {option} cannot be written over it", path.display());
        }
    }
    Ok(())
}

/// An output, by a name that only it has.
#[derive(PartialEq)]
enum Place {
    Stdout,
    File(PathBuf),
}

fn resolved(place: &OutputPlace) -> Place {
    match place {
        OutputPlace::Stdout => Place::Stdout,
        OutputPlace::File(path) => Place::File(real(path)),
    }
}

/// What a path leads to; of what is not there yet the folder.
fn real(path: &Path) -> PathBuf {
    let there = || path.canonicalize().ok();
    let beside = || Some(path.parent()?.canonicalize().ok()?.join(path.file_name()?));
    there().or_else(beside).unwrap_or_else(|| path.to_owned())
}
