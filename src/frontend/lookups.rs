//! What clang looked for, found or not. The files that were read do not tell when a compilation would come out
//! differently: a header that was missing, on an earlier folder of the include path or in a `__has_include`, may be
//! there now. Preprocessors do not list what was missing, so a small library that is loaded into clang
//! (`lookups.c`) writes down each path it asks for. The clang inside our own executable (`built_in.cpp`) does so itself.
//!
//! Invariant: what has no complete log is not remembered. A clang that cannot load the library costs time, never a
//! wrong answer.

use super::asked::Asked;
use rustix::fs::{MemfdFlags, memfd_create};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::Write;
use std::os::fd::AsRawFd;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

const LIBRARY: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/lookups.so"));

/// What is under a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Met {
    Nothing,
    File,
    Folder,
}

/// The library, ready to be loaded into children; and what was met in this run.
#[derive(Debug)]
pub struct Lookups {
    /// Made for the first clang that is to load it.
    library: OnceLock<Option<std::fs::File>>,
    met: Asked<Met>,
}

impl Lookups {
    pub fn new() -> Lookups {
        Lookups { library: OnceLock::new(), met: Asked::default() }
    }

    /// Has a clang that is to be started write its lookups to `log`.
    pub fn listen(&self, clang: &mut Command, log: &Path) {
        if let Some(library) = self.library.get_or_init(|| in_memory().ok()) {
            clang.env("LD_PRELOAD", format!("/proc/self/fd/{}", library.as_raw_fd()));
            clang.env("CEGAS_LOOKUPS", log);
        }
    }

    /// What is there now.
    pub fn met(&self, path: &Path) -> Met {
        self.met.answer(path, met)
    }

    /// Looks there if no other worker does.
    pub fn begin(&self, path: &Path) {
        self.met.begin(path, met);
    }

    /// The paths in a log, as clang in `directory` named them, with what it met there. `scratch` is where it wrote
    /// its own files. `None` if the log is not whole, or not true any more.
    pub fn read(
        &self,
        log: &[u8],
        directory: &Path,
        source: &Path,
        scratch: &Path,
    ) -> Option<Vec<(PathBuf, Met)>> {
        let records = log.strip_suffix(b".\0")?;
        let mut asked: BTreeMap<PathBuf, Met> = BTreeMap::new();
        for record in records.split_inclusive(|&byte| byte == 0) {
            let (&mark, name) = record.strip_suffix(b"\0")?.split_first()?;
            let path = PathBuf::from(OsString::from_vec(name.to_vec()));
            if path.starts_with(scratch) {
                continue;
            }
            let met = self.met(&directory.join(&path));
            if (met == Met::Nothing) != (mark == b'-') {
                return None;
            }
            asked.insert(path, met);
        }
        let heard = asked.keys().any(|path| directory.join(path) == source);
        heard.then(|| asked.into_iter().collect())
    }
}

fn met(path: &Path) -> Met {
    match path.metadata() {
        Err(_) => Met::Nothing,
        Ok(meta) if meta.is_dir() => Met::Folder,
        Ok(_) => Met::File,
    }
}

/// The library as a file that has no name, which children inherit.
fn in_memory() -> std::io::Result<std::fs::File> {
    let mut file = std::fs::File::from(memfd_create("cegas-lookups", MemfdFlags::empty())?);
    file.write_all(LIBRARY)?;
    Ok(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_without_its_end_or_its_source_is_none() {
        let here = Path::new("/proc/self");
        let read = |log: &[u8]| {
            Lookups::new().read(log, here, Path::new("/proc/self/maps"), Path::new("/own"))
        };
        let whole = b"+maps\0-none.h\0+/own/unit.bc\0+/proc\0.\0";
        let expected = [("/proc", Met::Folder), ("maps", Met::File), ("none.h", Met::Nothing)];
        assert_eq!(read(whole), Some(expected.map(|(path, met)| (path.into(), met)).to_vec()));
        assert_eq!(read(&whole[..whole.len() - 2]), None);
        assert_eq!(read(b"-none.h\0.\0"), None);
        assert_eq!(read(b""), None);
        assert_eq!(read(b"+maps\0+none.h\0.\0"), None, "it is gone already");
    }
}
