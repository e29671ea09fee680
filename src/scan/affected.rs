//! Which targets some files belong to: those with a unit that is one of the files, or that read one.

use super::Outcome;
use crate::config::Settings;
use crate::project::Project;
use crate::report::{Note, shown_path};
use compile_db::Target;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Leaves the targets that the files named by `--affected-by` belong to; says which files belong to none.
pub(super) fn retain(
    targets: &mut Vec<Target>,
    project: &Project,
    compiled: &[Outcome],
    settings: &Settings,
) -> Vec<Note> {
    let files = &settings.affected_by;
    if files.is_empty() {
        return Vec::new();
    }
    let read = readings(files, project, compiled);
    let mut met: BTreeSet<&Path> = BTreeSet::new();
    targets.retain(|target| {
        let about = target.units.iter().filter_map(|&unit| read.get(unit)).flatten();
        let about: Vec<&Path> = about.copied().collect();
        met.extend(&about);
        !about.is_empty()
    });
    let belongs_nowhere = files.iter().filter(|file| !met.contains(file.as_path()));
    let note = |file: &PathBuf| Note {
        about: Some(shown_path(file, &settings.root)),
        text: "it belongs to no target that was scanned".to_owned(),
    };
    belongs_nowhere.map(note).collect()
}

/// Which of the files each unit is made from. What a unit that does not compile would read is not known: it may
/// be any file that is no unit itself.
fn readings<'f>(
    files: &'f [PathBuf],
    project: &Project,
    compiled: &[Outcome],
) -> Vec<BTreeSet<&'f Path>> {
    let mut named = Named { files, known: FxHashMap::default() };
    let sources: Vec<Option<&Path>> =
        project.sources.iter().map(|source| named.find(source.path())).collect();
    let no_unit = || files.iter().map(PathBuf::as_path).filter(|f| !sources.contains(&Some(f)));
    let unit = |(source, outcome): (&Option<&'f Path>, &Outcome)| match outcome {
        Ok(unit) => {
            let read = unit.files.iter().filter_map(|file| named.find(file));
            read.chain(*source).collect()
        }
        Err(_) => no_unit().chain(*source).collect(),
    };
    sources.iter().zip(compiled).map(unit).collect()
}

/// The files that were named, by every path that leads to them: each path is looked up once.
struct Named<'f> {
    files: &'f [PathBuf],
    known: FxHashMap<PathBuf, Option<&'f Path>>,
}

impl<'f> Named<'f> {
    fn find(&mut self, path: &Path) -> Option<&'f Path> {
        if let Some(&known) = self.known.get(path) {
            return known;
        }
        let real = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        let file = self.files.iter().find(|file| **file == real).map(PathBuf::as_path);
        self.known.insert(path.to_owned(), file);
        file
    }
}
