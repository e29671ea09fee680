//! The text of the scanned files, for excerpts and fingerprints.
//!
//! Invariant: only regular files below the report's root are read. A `#line` directive may name any file of
//! the machine, and a report is something that people publish.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use super::Report;
use crate::budgets::SOURCE_BYTES;

/// The files that a report talks about, read once.
#[derive(Debug, Default)]
pub struct Sources {
    files: BTreeMap<String, File>,
}

#[derive(Debug)]
struct File {
    text: String,
    /// Where each line begins.
    starts: Vec<usize>,
}

impl File {
    fn new(text: String) -> Self {
        let ends = text.match_indices('\n').map(|(at, _)| at + 1);
        let starts = std::iter::once(0).chain(ends).collect();
        Self { text, starts }
    }
}

impl Sources {
    /// Reads the files in which obligations stand or that lead to violations, and the main files of the units.
    pub fn of(report: &Report, root: &Path) -> Self {
        let units = report.targets.iter().flat_map(|target| &target.units).map(String::as_str);
        let places = report.obligations.iter().flat_map(|obligation| {
            let steps = obligation.trace.iter().map(|step| step.location.file.as_str());
            std::iter::once(obligation.location.file.as_str()).chain(steps)
        });
        Self::read(units.chain(places), root)
    }

    /// Reads these files, as far as they may be read.
    pub fn read<'a>(names: impl Iterator<Item = &'a str>, root: &Path) -> Self {
        let mut sources = Self::default();
        let Ok(root) = root.canonicalize() else { return sources };
        for name in names {
            if !sources.files.contains_key(name)
                && let Some(text) = read(&root, name)
            {
                sources.files.insert(name.to_owned(), File::new(text));
            }
        }
        sources
    }

    /// From texts at hand.
    #[cfg(test)]
    pub fn from_texts(texts: &[(&str, &str)]) -> Self {
        let own = |(name, text): &(&str, &str)| ((*name).to_owned(), File::new((*text).to_owned()));
        Self { files: texts.iter().map(own).collect() }
    }

    /// All files, in the order of their names.
    pub fn files(&self) -> impl Iterator<Item = (&str, &str)> {
        self.files.iter().map(|(name, file)| (name.as_str(), file.text.as_str()))
    }

    /// A file's text.
    pub fn text(&self, file: &str) -> Option<&str> {
        self.files.get(file).map(|file| file.text.as_str())
    }

    /// A line, counted from one, without its end.
    pub fn line(&self, file: &str, line: u32) -> Option<&str> {
        let index = usize::try_from(line).ok()?.checked_sub(1)?;
        let file = self.files.get(file)?;
        file.text.get(*file.starts.get(index)?..)?.lines().next()
    }
}

fn read(root: &Path, name: &str) -> Option<String> {
    let real: PathBuf = root.join(name).canonicalize().ok()?;
    let there = fs::metadata(&real).ok()?;
    let fine = real.starts_with(root) && there.is_file() && there.len() <= SOURCE_BYTES;
    let bytes = fine.then(|| fs::read(&real).ok()).flatten()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_outside_the_root_is_read() {
        let top = tempfile::tempdir().unwrap();
        let root = top.path().join("root");
        fs::create_dir(&root).unwrap();
        fs::write(top.path().join("secret"), "x").unwrap();
        fs::write(root.join("a.c"), "one\ntwo\n").unwrap();
        std::os::unix::fs::symlink(top.path().join("secret"), root.join("link.c")).unwrap();
        let root = root.canonicalize().unwrap();
        let sources = Sources::from_texts(&[("a.c", "one\r\ntwo\n")]);
        assert_eq!((sources.line("a.c", 1), sources.line("a.c", 2)), (Some("one"), Some("two")));
        assert_eq!((sources.line("a.c", 0), sources.line("a.c", 4)), (None, None));
        assert_eq!(read(&root, "a.c").as_deref(), Some("one\ntwo\n"));
        for name in ["../secret", "link.c", "/etc/passwd", "/dev/null", "missing.c", "", "."] {
            assert_eq!(read(&root, name), None, "{name}");
        }
    }
}
