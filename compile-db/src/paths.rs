//! Paths as builds write them: made absolute, compared across symbolic links, checked for devices.
//!
//! Invariant: answers are cached per folder, so that a database of a million entries asks the disk once per folder.

use std::{
    collections::HashMap,
    ffi::{OsStr, OsString},
    os::unix::fs::FileTypeExt,
    path::{Component, Path, PathBuf},
};

/// Removes `.` and `..` without asking the disk. The path must be absolute.
pub(crate) fn clean(path: &Path) -> PathBuf {
    let mut cleaned = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => drop(cleaned.pop()),
            Component::Prefix(_) | Component::RootDir | Component::Normal(_) => {
                cleaned.push(component);
            }
        }
    }
    cleaned
}

/// `base/path`, cleaned.
pub(crate) fn absolute(base: &Path, path: impl AsRef<OsStr>) -> PathBuf {
    clean(&base.join(Path::new(path.as_ref())))
}

#[derive(Debug, Default)]
pub(crate) struct Paths {
    // By bytes: hashing a path component by component takes most of the time of reading a large database.
    /// Folders by their real names, if they are there.
    folders: HashMap<OsString, Option<PathBuf>>,
    devices: HashMap<OsString, bool>,
}

impl Paths {
    /// One name for one file: symbolic links in its folder are resolved, its own name is kept.
    pub(crate) fn key(&mut self, path: &Path) -> PathBuf {
        let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else {
            return path.to_owned();
        };
        match self.folder(folder) {
            Some(real) => real.join(name),
            None => clean(folder).join(name),
        }
    }

    fn folder(&mut self, folder: &Path) -> Option<&Path> {
        if !self.folders.contains_key(folder.as_os_str()) {
            self.folders.insert(folder.into(), folder.canonicalize().ok());
        }
        self.folders.get(folder.as_os_str())?.as_deref()
    }

    /// The file with all links followed; nothing if it is not there.
    fn real(&mut self, path: &Path) -> Option<PathBuf> {
        let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else {
            return path.canonicalize().ok();
        };
        if path.symlink_metadata().ok()?.is_symlink() {
            return path.canonicalize().ok();
        }
        Some(self.folder(folder)?.join(name))
    }

    /// Whether opening this could block, or read what is no file of the project.
    pub(crate) fn is_device(&mut self, path: &Path) -> bool {
        if let Some(&known) = self.devices.get(path.as_os_str()) {
            return known;
        }
        let real = self.real(path).unwrap_or_else(|| clean(path));
        // Shared memory lies among the devices, and is a folder like any other.
        let special = ["/dev", "/proc", "/sys"].iter().any(|root| real.starts_with(root))
            && !real.starts_with("/dev/shm");
        let device = special
            || real.metadata().is_ok_and(|metadata| {
                let kind = metadata.file_type();
                kind.is_fifo()
                    || kind.is_socket()
                    || kind.is_char_device()
                    || kind.is_block_device()
            });
        self.devices.insert(path.into(), device);
        device
    }
}
