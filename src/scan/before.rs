//! What was violated at an earlier revision: its code, compiled by today's commands and decided like today's.

use super::examine;
use crate::cancel::{Cancel, Cancelled};
use crate::config::Settings;
use crate::frontend::cache::Cache;
use crate::frontend::clang::Clang;
use crate::progress::Progress;
use crate::project::Project;
use crate::report::{Before, Note, Report, Sources, fingerprints};
use crate::revision::Revision;
use anyhow::{Context, Result};
use std::path::Path;

/// Decides the revision's code. What cannot be told of it is a note: then more counts as new, never less.
pub(super) fn before(
    revision: &Revision,
    project: &Project,
    clang: &Clang,
    settings: &Settings,
    progress: &Progress,
    cancel: &Cancel,
) -> Result<(Before, Vec<Note>)> {
    let folder = tempfile::tempdir().context("cannot make a temporary folder")?;
    let folder = folder.path().canonicalize().context("cannot open a temporary folder")?;
    revision.export(&folder, &project.folders())?;
    let then = project.moved(&settings.root, &folder);
    // Which targets a file belonged to then is not asked: all are looked at.
    let there = Settings { root: folder.clone(), affected_by: Vec::new(), ..settings.clone() };
    let mut found = Before { revision: revision.name.clone(), ..Before::default() };
    let note = |text: String| Note { about: Some(revision.name.clone()), text };
    // Keys name folders, and this one is gone after the scan: nothing would be found again.
    match examine(&then, clang, &Cache::none(), &there, |_| Ok(()), progress, cancel) {
        Ok(report) => {
            found.findings = findings(&report, &folder);
            let failed = report.failed.iter().filter(|unit| is_of(&unit.file, &folder)).count();
            let (units, them) = if failed == 1 { ("unit", "it") } else { ("units", "them") };
            let text = format!(
                "{failed} {units} could not be analysed; what is found in {them} counts as new"
            );
            Ok((found, (failed > 0).then(|| note(text)).into_iter().collect()))
        }
        Err(error) if error.is::<Cancelled>() => Err(error),
        Err(error) => {
            let text = format!("could not be scanned, so everything counts as new: {error:#}");
            Ok((found, vec![note(text)]))
        }
    }
}

/// The fingerprints of what stands in the revision's own files.
fn findings(report: &Report, folder: &Path) -> std::collections::BTreeSet<String> {
    let names = fingerprints(report, &Sources::of(report, folder));
    let stands_there = |index: &usize| {
        report.obligations.get(*index).is_some_and(|found| is_of(&found.location.file, folder))
    };
    names.into_iter().filter(|(index, _)| stands_there(index)).map(|(_, name)| name).collect()
}

/// Whether a file belongs to the revision. What git does not know is only linked.
fn is_of(file: &str, folder: &Path) -> bool {
    folder.join(file).canonicalize().is_ok_and(|real| real.starts_with(folder))
}
