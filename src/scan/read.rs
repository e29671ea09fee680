//! The files that a scan's units are made from: comments are heeded in all of them, and no report replaces one.

use super::Outcome;
use crate::config::Settings;
use crate::project::Project;
use crate::{report, silence};
use anyhow::{Result, bail};
use rustc_hash::FxHashSet;
use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// The sources and what clang read for them, links followed.
pub(super) fn files(
    project: &Project,
    compiled: &[Outcome],
    settings: &Settings,
) -> BTreeSet<PathBuf> {
    if settings.only_dumps() {
        return BTreeSet::new();
    }
    let sources = project.sources.iter().map(|source| source.path());
    let headers = compiled.iter().flatten().flat_map(|unit| &unit.files);
    // By bytes: most units read the same headers, and paths are compared component by component.
    let all: FxHashSet<&OsStr> =
        sources.chain(headers.map(PathBuf::as_path)).map(Path::as_os_str).collect();
    let mut names = report::RealNames::default();
    all.into_iter().filter_map(|file| names.of(Path::new(file))).collect()
}

/// Those that reports may show, by the names that they have there.
pub(super) fn shown(files: &BTreeSet<PathBuf>, settings: &Settings) -> BTreeSet<String> {
    let below = files.iter().filter(|file| file.starts_with(&settings.root));
    below.map(|file| report::below_root(file, &settings.root)).collect()
}

/// Refuses what would be refused, or destroyed, after the work: comments that nobody could heed, and reports that would
/// replace what was read.
pub(super) fn refuse(files: &BTreeSet<PathBuf>, settings: &Settings) -> Result<()> {
    for output in settings.outputs.files() {
        if output.canonicalize().is_ok_and(|real| files.contains(&real)) {
            bail!("{} is scanned, so no report can be written over it", output.display());
        }
    }
    let shown = shown(files, settings);
    refuse_malformed(shown.iter().map(String::as_str), settings)
}

/// Refuses comments that nobody could heed. A dump has no findings to silence.
pub(super) fn refuse_malformed<'a>(
    files: impl Iterator<Item = &'a str>,
    settings: &Settings,
) -> Result<()> {
    match settings.dump {
        Some(_) => Ok(()),
        None => silence::refuse_malformed(files, &settings.root),
    }
}
