//! The cache on disk: entries under a key, each with the hash of its own content, so that a damaged
//! one is a miss and never a wrong answer.
//!
//! Invariants: an entry is written beside its place and renamed, so a reader sees all of it or
//! nothing; a cache that cannot be read or written costs time and one note, never the run.

use std::fs::File;
use std::io::{BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::Duration;

/// What an entry is found under.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub struct Key([u8; 32]);

impl Key {
    /// The key of these parts; their lengths count, so no two lists of parts run together.
    pub fn of<'a>(parts: impl IntoIterator<Item = &'a [u8]>) -> Key {
        let mut hasher = blake3::Hasher::new();
        for part in parts {
            hasher.update(&(part.len() as u64).to_le_bytes());
            hasher.update(part);
        }
        Key(hasher.finalize().into())
    }

    pub fn bytes(&self) -> &[u8] {
        &self.0
    }
}

impl std::fmt::Display for Key {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// The kinds of entries, each in a folder of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Which files a unit read, what they held, and what else was looked for.
    Manifest,
    /// A unit's names and tables.
    Unit,
    /// A linked program.
    Program,
    /// What was decided about a program.
    Verdicts,
}

impl Kind {
    fn folder(self) -> &'static str {
        match self {
            Kind::Manifest => "manifests",
            Kind::Unit => "units",
            Kind::Program => "programs",
            Kind::Verdicts => "verdicts",
        }
    }
}

#[derive(Debug)]
pub struct Cache {
    root: Option<PathBuf>,
    trouble: OnceLock<String>,
}

/// A week: longer than any scan.
const ABANDONED: Duration = Duration::from_secs(7 * 24 * 3600);

/// Entries of another layout than this are not looked at.
const LAYOUT: &str = "v1";

impl Cache {
    /// A cache that holds nothing.
    pub fn none() -> Cache {
        Cache { root: None, trouble: OnceLock::new() }
    }

    pub fn open(folder: &Path) -> Cache {
        let root = folder.join(LAYOUT);
        let cache = Cache { root: Some(root.clone()), trouble: OnceLock::new() };
        if let Err(error) = std::fs::create_dir_all(root.join("tmp")) {
            cache.set_trouble(&root, &error);
            return Cache { root: None, ..cache };
        }
        sweep(&root.join("tmp"));
        cache
    }

    /// Why the cache did not serve, if it did not.
    pub fn trouble(&self) -> Option<&str> {
        self.trouble.get().map(String::as_str)
    }

    /// Something else kept an answer from being remembered.
    pub fn not_served(&self, why: &str) {
        self.root.iter().for_each(|root| self.set_trouble(root, &why));
    }

    fn set_trouble(&self, path: &Path, error: &dyn std::fmt::Display) {
        let text = format!("cache {}: {error}; going on without it", path.display());
        // The first trouble is the one to tell.
        let _ = self.trouble.set(text);
    }

    /// A new folder for files on their way: in the cache if it can be written, else the system's.
    pub fn scratch(&self) -> std::io::Result<tempfile::TempDir> {
        if let Some(root) = &self.root {
            match tempfile::Builder::new().prefix("unit-").tempdir_in(root.join("tmp")) {
                Ok(folder) => return Ok(folder),
                Err(error) => self.set_trouble(root, &error),
            }
        }
        tempfile::Builder::new().prefix("cegas-").tempdir()
    }

    /// The same, when the one in the cache turned out to be of no use.
    pub fn scratch_elsewhere(&self, why: &str) -> std::io::Result<tempfile::TempDir> {
        self.not_served(why);
        tempfile::Builder::new().prefix("cegas-").tempdir()
    }

    /// Where builds are configured and recorded, for this scan and those after it: their commands name files
    /// there, so a place that changes would make every scan the first.
    pub fn builds(&self) -> Option<PathBuf> {
        let folder = self.root.as_ref()?.join("builds");
        let usable = std::fs::create_dir_all(&folder).and_then(|()| tempfile::tempfile_in(&folder));
        if let Err(error) = usable {
            self.set_trouble(&folder, &error);
            return None;
        }
        Some(folder)
    }

    fn path(&self, kind: Kind, key: &Key) -> Option<PathBuf> {
        let name = key.to_string();
        let (shelf, rest) = name.split_at(2);
        Some(self.root.as_ref()?.join(kind.folder()).join(shelf).join(rest))
    }

    /// The entry, if it is there and whole.
    pub fn get(&self, kind: Kind, key: &Key) -> Option<Vec<u8>> {
        let path = self.path(kind, key)?;
        let mut file = File::open(&path).ok()?;
        let entry = whole_entry(&mut file);
        if entry.is_none() {
            // Damaged: make room for a good one. If that fails, the next write says why.
            let _ = std::fs::remove_file(&path);
        }
        entry
    }

    pub fn put(&self, kind: Kind, key: &Key, content: &[u8]) {
        self.put_by(kind, key, |out| out.write_all(content));
    }

    /// The same, for what is made while it is written.
    pub fn put_by(
        &self,
        kind: Kind,
        key: &Key,
        content: impl FnOnce(&mut dyn Write) -> std::io::Result<()>,
    ) {
        let (Some(root), Some(path)) = (&self.root, self.path(kind, key)) else { return };
        if let Err(error) = write_entry(&root.join("tmp"), &path, content) {
            self.set_trouble(&path, &error);
        }
    }
}

/// The content of an entry, if it is what was written.
fn whole_entry(file: &mut File) -> Option<Vec<u8>> {
    let mut sum = [0; 32];
    file.read_exact(&mut sum).ok()?;
    let len = file.metadata().ok()?.len();
    let mut content = Vec::with_capacity(usize::try_from(len).ok()?);
    file.read_to_end(&mut content).ok()?;
    (*blake3::hash(&content).as_bytes() == sum).then_some(content)
}

/// Removes what a scan that was killed left on its way. The young may belong to a scan at work.
fn sweep(tmp: &Path) {
    for entry in std::fs::read_dir(tmp).into_iter().flatten().flatten() {
        let touched = entry.metadata().and_then(|meta| meta.modified()).ok();
        let age = touched.and_then(|time| time.elapsed().ok());
        if age.is_some_and(|age| age > ABANDONED) {
            // What cannot be removed only takes room.
            let _ = std::fs::remove_file(entry.path())
                .or_else(|_| std::fs::remove_dir_all(entry.path()));
        }
    }
}

fn write_entry(
    tmp: &Path,
    path: &Path,
    content: impl FnOnce(&mut dyn Write) -> std::io::Result<()>,
) -> std::io::Result<()> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    let mut file = tempfile::NamedTempFile::new_in(tmp)?;
    // The sum of what follows is known when it is written.
    file.write_all(&[0; 32])?;
    let mut out = BufWriter::with_capacity(1 << 16, Summed { file, sum: blake3::Hasher::new() });
    content(&mut out)?;
    let Summed { mut file, sum } = out.into_inner().map_err(|error| error.into_error())?;
    file.seek(SeekFrom::Start(0))?;
    file.write_all(sum.finalize().as_bytes())?;
    file.persist(path).map_err(|error| error.error)?;
    Ok(())
}

/// A file and the sum of what is written to it.
struct Summed {
    file: tempfile::NamedTempFile,
    sum: blake3::Hasher,
}

impl Write for Summed {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let written = self.file.write(bytes)?;
        self.sum.update(&bytes[..written]);
        Ok(written)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.file.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_comes_back_and_a_damaged_one_does_not() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::open(folder.path());
        let key = Key::of([b"a".as_slice(), b"b"]);
        assert_ne!(key, Key::of([b"ab".as_slice()]));
        assert_eq!(cache.get(Kind::Unit, &key), None);
        cache.put(Kind::Unit, &key, b"content");
        assert_eq!(cache.get(Kind::Unit, &key).as_deref(), Some(b"content".as_slice()));
        let path = cache.path(Kind::Unit, &key).unwrap();
        let mut bytes = std::fs::read(&path).unwrap();
        bytes[33] ^= 1;
        std::fs::write(&path, bytes).unwrap();
        assert_eq!(cache.get(Kind::Unit, &key), None);
        assert_eq!(cache.trouble(), None);
    }

    #[test]
    fn what_a_killed_scan_left_goes_away_in_time() {
        let folder = tempfile::tempdir().unwrap();
        let tmp = folder.path().join(LAYOUT).join("tmp");
        for name in ["old", "young"] {
            std::fs::create_dir_all(tmp.join(name)).unwrap();
        }
        let long_ago = std::time::SystemTime::now() - 2 * ABANDONED;
        std::fs::File::open(tmp.join("old")).unwrap().set_modified(long_ago).unwrap();
        Cache::open(folder.path());
        assert!(!tmp.join("old").exists() && tmp.join("young").exists());
    }

    #[test]
    fn a_cache_that_cannot_be_made_is_only_a_note() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        std::fs::write(&file, "in the way").unwrap();
        let cache = Cache::open(&file);
        assert!(cache.trouble().unwrap().contains("going on without"));
        cache.put(Kind::Unit, &Key::of([]), b"x");
        assert_eq!(cache.get(Kind::Unit, &Key::of([])), None);
        assert!(cache.scratch().is_ok());
    }
}
