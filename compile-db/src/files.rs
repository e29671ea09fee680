//! C files that the user names one by one, with flags: units as if a build had compiled them so.

use crate::{
    Build,
    assemble::{Assembly, Call},
};
use std::{
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
    assembly.finish()
}
