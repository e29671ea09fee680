//! What files hold, by hash; and when they held it, so that a file which nobody has touched since is not read again.
//!
//! Invariant: a stamp is only taken of a file that nobody has touched for a while. Clocks of file systems tick a few
//! times in a hundredth of a second, so one that was written just now could be written again under the same stamp.
//! Whoever sets the time of a change back by hand cannot set back the time of the inode's.

use super::asked::Asked;
use super::cache::Key;
use serde::{Deserialize, Serialize};
use std::fs::{File, Metadata};
use std::io::Read;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Longer than the tick of any clock; FAT's takes two seconds.
const SETTLED: Duration = Duration::from_secs(3);

/// Opens without waiting.
const NONBLOCK: i32 = rustix::fs::OFlags::NONBLOCK.bits() as i32;

/// What a file held.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(super) struct Content {
    hash: Key,
    /// When it did, if that is certain.
    when: Option<Stamp>,
}

/// What files hold now, found out once a run.
#[derive(Debug, Default)]
pub(super) struct Contents {
    stamps: Asked<Option<Stamp>>,
    contents: Asked<Option<Content>>,
}

impl Contents {
    /// What a file holds; nothing if it cannot be read.
    pub(super) fn of(&self, path: &Path) -> Option<Content> {
        self.contents.answer(path, read)
    }

    /// Whether a file holds what it held.
    pub(super) fn still(&self, path: &Path, held: &Content) -> bool {
        self.is_untouched(path, held) || self.of(path).is_some_and(|now| now.hash == held.hash)
    }

    /// Finds out what that takes, as far as no other worker does.
    pub(super) fn begin(&self, path: &Path, held: &Content) {
        self.stamps.begin(path, Stamp::at);
        if !self.is_untouched(path, held) {
            self.contents.begin(path, read);
        }
    }

    fn is_untouched(&self, path: &Path, held: &Content) -> bool {
        held.when.is_some() && self.stamps.answer(path, Stamp::at) == held.when
    }
}

fn read(path: &Path) -> Option<Content> {
    // A pipe that took the place of a file must not be waited for.
    let mut file = File::options().read(true).custom_flags(NONBLOCK).open(path).ok()?;
    // Before its content: a write that comes between the two makes another stamp.
    let about = file.metadata().ok().filter(Metadata::is_file)?;
    let mut content = Vec::with_capacity(usize::try_from(about.len()).ok()? + 1);
    file.read_to_end(&mut content).ok()?;
    Some(Content { hash: Key::of([content.as_slice()]), when: Stamp::of(&about) })
}

/// When a file was last touched, and where it lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
struct Stamp {
    device: u64,
    inode: u64,
    size: u64,
    modified: (i64, i64),
    changed: (i64, i64),
}

impl Stamp {
    /// The stamp of what is there.
    fn at(path: &Path) -> Option<Stamp> {
        Stamp::of(&path.metadata().ok()?)
    }

    /// The stamp of what is described; nothing if it is no file, or too young.
    fn of(about: &Metadata) -> Option<Stamp> {
        let stamp = Stamp {
            device: about.dev(),
            inode: about.ino(),
            size: about.size(),
            modified: (about.mtime(), about.mtime_nsec()),
            changed: (about.ctime(), about.ctime_nsec()),
        };
        (about.is_file() && stamp.is_older_than(SystemTime::now() - SETTLED)).then_some(stamp)
    }

    fn is_older_than(&self, time: SystemTime) -> bool {
        let time = seconds_and_rest(time);
        self.modified < time && self.changed < time
    }
}

/// Whether something was done to a file after that time, or it is gone.
pub(super) fn is_touched_since(path: &Path, time: SystemTime) -> bool {
    let changed = path.metadata().map(|about| (about.ctime(), about.ctime_nsec()));
    changed.map_or(true, |changed| changed > seconds_and_rest(time))
}

fn seconds_and_rest(time: SystemTime) -> (i64, i64) {
    let time = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    (i64::try_from(time.as_secs()).unwrap_or(i64::MAX), i64::from(time.subsec_nanos()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_young_file_and_a_folder_have_no_stamp() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        std::fs::write(&file, "one").unwrap();
        assert_eq!(Stamp::at(&file), None);
        assert_eq!(Stamp::at(folder.path()), None);
        // The test's own executable is old enough, or becomes so.
        let own = || Stamp::at(&std::env::current_exe().unwrap());
        while own().is_none() {
            std::thread::sleep(Duration::from_millis(100));
        }
        assert_eq!(own(), own());
    }

    #[test]
    fn the_time_of_a_change_cannot_be_set_back() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        std::fs::write(&path, "one").unwrap();
        let long_ago = SystemTime::now() - Duration::from_secs(1000);
        std::fs::File::open(&path).unwrap().set_modified(long_ago).unwrap();
        assert_eq!(Stamp::at(&path), None);
    }

    #[test]
    fn what_is_touched_or_gone_is_noticed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        let before = SystemTime::now() - Duration::from_secs(1);
        std::fs::write(&path, "one").unwrap();
        assert!(is_touched_since(&path, before));
        assert!(!is_touched_since(&path, SystemTime::now() + Duration::from_secs(1)));
        assert!(is_touched_since(&folder.path().join("gone"), before));
    }
}
