//! The text of the scanned files, for excerpts and fingerprints.
//!
//! Invariant: only regular files below the report's root are read. A `#line` directive may name any file of
//! the machine, and a report is something that people publish.

use std::collections::BTreeMap;
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use super::{Location, Report, excerpt};
use crate::budgets::SOURCE_BYTES;

/// The files that a report talks about, read once.
#[derive(Debug, Default)]
pub struct Sources {
    files: BTreeMap<String, File>,
}

#[derive(Debug)]
struct File {
    /// What is no UTF-8 is replaced as browsers and editors replace it, so that they count the same characters.
    text: String,
    /// Where each line begins; few files are ever shown.
    starts: OnceLock<Vec<usize>>,
    /// The file itself and its lines, if the text is another: a compiler counts its bytes.
    raw: Option<(Vec<u8>, Vec<usize>)>,
}

impl File {
    fn new(bytes: Vec<u8>) -> Self {
        let (text, raw) = match String::from_utf8(bytes) {
            Ok(text) => (text, None),
            Err(error) => {
                let text = String::from_utf8_lossy(error.as_bytes()).into_owned();
                let bytes = error.into_bytes();
                let starts = starts(&bytes);
                (text, Some((bytes, starts)))
            }
        };
        Self { starts: OnceLock::new(), text, raw }
    }

    fn starts(&self) -> &[usize] {
        self.starts.get_or_init(|| starts(self.text.as_bytes()))
    }

    fn line(&self, index: usize) -> Option<&str> {
        self.text.get(*self.starts().get(index)?..)?.split(['\n', '\r']).next()
    }

    /// A column of the file as one of the text, both in bytes and counted from one.
    fn column(&self, index: usize, column: u32) -> u32 {
        let before = |(bytes, starts): &(Vec<u8>, Vec<usize>)| {
            let length = usize::try_from(column).ok()?.checked_sub(1)?;
            let line = bytes.get(*starts.get(index)?..)?;
            u32::try_from(String::from_utf8_lossy(line.get(..length)?).len() + 1).ok()
        };
        self.raw.as_ref().and_then(before).unwrap_or(column)
    }
}

/// Where lines begin, as clang counts them: they end with `\n`, `\r\n` or `\r` alone.
fn starts(bytes: &[u8]) -> Vec<usize> {
    let ends = bytes.iter().enumerate().filter(|(at, byte)| match byte {
        b'\n' => true,
        b'\r' => bytes.get(at + 1) != Some(&b'\n'),
        _ => false,
    });
    std::iter::once(0).chain(ends.map(|(at, _)| at + 1)).collect()
}

fn index(line: u32) -> Option<usize> {
    usize::try_from(line).ok()?.checked_sub(1)
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
                && let Some(bytes) = read(&root, name)
            {
                sources.files.insert(name.to_owned(), File::new(bytes));
            }
        }
        sources
    }

    /// From texts at hand.
    #[cfg(test)]
    pub fn from_texts(texts: &[(&str, &str)]) -> Self {
        let own = |(name, text): &(&str, &str)| ((*name).to_owned(), File::new((*text).into()));
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

    /// A file as it is.
    pub fn bytes(&self, file: &str) -> Option<&[u8]> {
        let file = self.files.get(file)?;
        Some(file.raw.as_ref().map_or(file.text.as_bytes(), |(bytes, _)| bytes))
    }

    /// A line, counted from one, without its end.
    pub fn line(&self, file: &str, line: u32) -> Option<&str> {
        self.files.get(file)?.line(index(line)?)
    }

    /// All lines of a file, without their ends.
    pub fn lines(&self, file: &str) -> Option<Vec<&str>> {
        let file = self.files.get(file)?;
        let lines: Vec<&str> =
            (0..file.starts().len()).filter_map(|line| file.line(line)).collect();
        // Behind the end of the last line there is none.
        let all = lines.len() - usize::from(lines.last().is_some_and(|line| line.is_empty()));
        Some(lines.into_iter().take(all).collect())
    }

    /// A line from a place on, with the place's column there.
    pub fn rest_of_line(&self, at: &Location) -> Option<&str> {
        let (file, line) = (self.files.get(at.file.as_str())?, index(at.line)?);
        file.line(line)?.get(index(file.column(line, at.column))?..)
    }

    /// The characters of its line that a place points to, counted from zero.
    pub fn columns(&self, at: &Location) -> Option<Range<usize>> {
        let (file, line) = (self.files.get(at.file.as_str())?, index(at.line)?);
        Some(excerpt::columns(file.line(line)?, file.column(line, at.column)))
    }
}

fn read(root: &Path, name: &str) -> Option<Vec<u8>> {
    let real: PathBuf = root.join(name).canonicalize().ok()?;
    let there = fs::metadata(&real).ok()?;
    let fine = real.starts_with(root) && there.is_file() && there.len() <= SOURCE_BYTES;
    fine.then(|| fs::read(&real).ok()).flatten()
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
        assert_eq!(read(&root, "a.c").as_deref(), Some(&b"one\ntwo\n"[..]));
        for name in ["../secret", "link.c", "/etc/passwd", "/dev/null", "missing.c", "", "."] {
            assert_eq!(read(&root, name), None, "{name}");
        }
    }

    #[test]
    fn columns_are_counted_as_the_compiler_does() {
        let at = |line, column| Location { file: "a.c".into(), line, column, function: "".into() };
        let latin = b"x();\r/* \xe9\xe9\xe9 */ assert(x);\r\n\r\ny\n".to_vec();
        let files = BTreeMap::from([("a.c".to_owned(), File::new(latin))]);
        let sources = Sources { files };
        assert_eq!(
            sources.columns(&at(2, 11)),
            Some(10..16),
            "bytes that are no text count one each"
        );
        assert_eq!(sources.rest_of_line(&at(2, 11)), Some("assert(x);"));
        assert_eq!(sources.line("a.c", 2), Some("/* \u{fffd}\u{fffd}\u{fffd} */ assert(x);"));
        assert_eq!((sources.line("a.c", 3), sources.line("a.c", 4)), (Some(""), Some("y")));
        assert_eq!(sources.lines("a.c").map(|lines| lines.len()), Some(4));
        assert_eq!(sources.columns(&at(2, 99)), Some(0..20), "a column beyond the line");
        assert_eq!(sources.columns(&at(9, 1)), None);
    }
}
