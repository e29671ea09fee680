//! C files that the user names one by one, with flags: units as if a build had compiled them so.

use crate::{
    Build, Skipped,
    assemble::{Assembly, Call},
    language::{HEADER, Language},
    paths,
};
use std::{
    collections::{BTreeSet, HashSet},
    ffi::OsString,
    path::{Path, PathBuf},
};

/// One unit a file, compiled in `directory`; the flags pass the same filter as a project's own.
pub fn from_files(files: &[&PathBuf], flags: &[OsString], directory: &Path) -> Build {
    let mut assembly = Assembly::new(false);
    for file in files {
        let mut words: Vec<OsString> = vec!["cc".into(), "-c".into()];
        words.extend(flags.iter().cloned());
        words.push(file.as_os_str().to_owned());
        let directory = directory.to_owned();
        assembly.call(Call { directory, words, file: Some(file.to_path_buf()), ..Call::default() });
    }
    let mut build = assembly.finish();
    let units = build.units.iter().map(|unit| &unit.source);
    let skipped = build.skipped.iter().map(|skipped| &skipped.file);
    let known: HashSet<PathBuf> = units.chain(skipped).cloned().collect();
    for file in files {
        let file = paths::absolute(directory, file.as_path());
        if !known.contains(&file) {
            let reason = match Language::of_file(&file) {
                Some(HEADER) => "a header, which is read where it is included",
                _ => "the flags given for it ask for something else than its object",
            };
            let (reason, outputs) = (reason.to_owned(), BTreeSet::new());
            build.skipped.push(Skipped { file, reason, is_c: true, outputs });
        }
    }
    build
}
