//! Questions about files that many units ask, in the same order and at the same time: each is answered once a run.

use rustc_hash::FxHashMap;
use std::ffi::OsString;
use std::path::Path;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

#[derive(Debug)]
pub(super) struct Asked<T> {
    // By bytes: paths are hashed component by component.
    answers: Mutex<FxHashMap<OsString, Arc<OnceLock<T>>>>,
}

impl<T> Default for Asked<T> {
    fn default() -> Self {
        Asked { answers: Mutex::default() }
    }
}

impl<T: Copy> Asked<T> {
    /// The answer; if another worker is finding it out, it is waited for.
    pub(super) fn answer(&self, path: &Path, find: impl FnOnce(&Path) -> T) -> T {
        let (answer, _) = self.place(path);
        *answer.get_or_init(|| find(path))
    }

    /// Finds the answer out if no worker has begun to. Workers who do so for all their questions first share the
    /// work, where they would wait for each other at every one.
    pub(super) fn begin(&self, path: &Path, find: impl FnOnce(&Path) -> T) {
        if let (answer, true) = self.place(path) {
            answer.get_or_init(|| find(path));
        }
    }

    /// Where the answer is or will be, and whether nobody asked before.
    fn place(&self, path: &Path) -> (Arc<OnceLock<T>>, bool) {
        // The map is whole between any two operations on it, whoever panicked.
        let mut answers = self.answers.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(answer) = answers.get(path.as_os_str()) {
            return (Arc::clone(answer), false);
        }
        let answer = Arc::default();
        answers.insert(path.into(), Arc::clone(&answer));
        (answer, true)
    }
}
