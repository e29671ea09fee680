//! Reading a `compile_commands.json`.
//!
//! Invariant: entries are taken in one at a time as the JSON is parsed, so memory grows with the units, not with the
//! text; strings are bytes, because paths need not be UTF-8.

use crate::{
    Build, Error,
    assemble::{Assembly, Call},
    language::Language,
    paths::{self, Paths},
    words,
};
use serde::de::{Deserialize, DeserializeSeed, Deserializer, SeqAccess, Visitor};
use std::{
    ffi::{OsStr, OsString},
    fmt, fs,
    os::unix::ffi::OsStringExt,
    path::{Path, PathBuf},
};

/// Chromium's database has some 300 MB.
const MAX_BYTES: u64 = 4 << 30;

/// Reads a compilation database.
///
/// An entry that cannot be used is listed in [`Build::skipped`]; only a file that is no database is an error.
pub fn read(path: &Path) -> Result<Build, Error> {
    let unreadable = |source| Error::Read { path: path.to_owned(), source };
    let path = path.canonicalize().map_err(unreadable)?;
    let mut reader = Reader {
        database: path.clone(),
        assembly: Assembly::new(false),
        inner: Vec::new(),
        entries: 0,
    };
    each_entry(&path, |entry| reader.entry(entry))?;
    if reader.entries == 0 {
        return Err(Error::Empty { path });
    }
    Ok(reader.finish())
}

/// Whether a database compiles a file below this folder, which is canonical. One that cannot be read does not.
pub(crate) fn is_about(path: &Path, folder: &Path) -> bool {
    let Ok(path) = path.canonicalize() else { return false };
    let (mut paths, mut found) = (Paths::default(), false);
    let read = each_entry(&path, |entry| {
        let (_, file) = entry.place(&path);
        found |= file.is_some_and(|file| paths.key(&file).starts_with(folder));
    });
    read.is_ok() && found
}

fn each_entry(path: &Path, entry: impl FnMut(Entry)) -> Result<(), Error> {
    let unreadable = |source| Error::Read { path: path.to_owned(), source };
    let metadata = path.metadata().map_err(unreadable)?;
    if !metadata.is_file() || metadata.len() > MAX_BYTES {
        let reason = if metadata.is_file() { "larger than 4 GiB" } else { "not a regular file" };
        return Err(unreadable(std::io::Error::other(reason)));
    }
    let text = fs::read(path).map_err(unreadable)?;
    let json = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&text);
    if json.trim_ascii().is_empty() {
        return Err(Error::Empty { path: path.to_owned() });
    }
    let mut deserializer = serde_json::Deserializer::from_slice(json);
    let parsed = Entries(entry).deserialize(&mut deserializer).and_then(|()| deserializer.end());
    parsed.map_err(|error| Error::Malformed {
        path: path.to_owned(),
        line: error.line(),
        column: error.column(),
        message: without_position(&error),
    })
}

/// serde_json ends its messages with the position, which stands before ours already.
fn without_position(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let end = text.rfind(" at line ").unwrap_or(text.len());
    text.get(..end).unwrap_or(&text).to_owned()
}

struct Reader {
    database: PathBuf,
    assembly: Assembly,
    /// `clang -cc1` calls: Bear lists them beside the call that caused them, in any order.
    inner: Vec<Call>,
    entries: usize,
}

impl Reader {
    fn entry(&mut self, entry: Entry) {
        self.entries += 1;
        let (directory, file) = entry.place(&self.database);
        let output = entry.output.map(|output| paths::absolute(&directory, &output.0));
        let words = match (entry.arguments, entry.command) {
            (Some(arguments), _) if !arguments.is_empty() => {
                Ok(arguments.into_iter().map(|argument| argument.0).collect())
            }
            (_, Some(command)) => match words::split(&command.0.into_vec()) {
                Some(words) if words.is_empty() => Err("its command is empty"),
                Some(words) => Ok(words),
                None => Err("its command has an open quote"),
            },
            (_, None) => Err("its entry has neither arguments nor a command"),
        };
        match words {
            Ok(words) => {
                let call = Call { directory, words, file, output, ..Call::default() };
                if call.words.iter().take(3).any(|word| word == "-cc1") {
                    self.inner.push(call);
                } else {
                    self.assembly.call(call);
                }
            }
            Err(reason) => {
                // What names no file may be C, too.
                let is_c = file.as_deref().is_none_or(|file| {
                    matches!(Language::of_file(file), Some(Language::C | Language::PreprocessedC))
                });
                let (file, reason) = match file {
                    Some(file) => (file, reason.to_owned()),
                    None => {
                        let number = self.entries;
                        (self.database.clone(), format!("entry {number} names no file: {reason}"))
                    }
                };
                self.assembly.skip(file, reason, is_c, output);
            }
        }
    }

    fn finish(mut self) -> Build {
        let units = self.assembly.build.units.iter();
        let outer: std::collections::HashSet<PathBuf> =
            units.map(|unit| unit.source.clone()).collect();
        for call in self.inner {
            if call.file.as_ref().is_none_or(|file| !outer.contains(file)) {
                self.assembly.call(call);
            }
        }
        self.assembly.finish()
    }
}

/// Hands on one entry after the other.
struct Entries<F>(F);

impl<'de, F: FnMut(Entry)> DeserializeSeed<'de> for Entries<F> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de, F: FnMut(Entry)> Visitor<'de> for Entries<F> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an array of compile commands")
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut entries: A) -> Result<(), A::Error> {
        while let Some(entry) = entries.next_element()? {
            (self.0)(entry);
        }
        Ok(())
    }
}

#[derive(Debug, serde::Deserialize)]
#[serde(expecting = "a compile command")]
struct Entry {
    directory: Option<Text>,
    file: Option<Text>,
    output: Option<Text>,
    arguments: Option<Vec<Text>>,
    command: Option<Text>,
}

impl Entry {
    /// Where its command runs, and its file.
    fn place(&self, database: &Path) -> (PathBuf, Option<PathBuf>) {
        let base = database.parent().unwrap_or(Path::new("/"));
        let directory = self.directory.as_ref().map_or(OsStr::new(""), |directory| &directory.0);
        let directory = paths::absolute(base, directory);
        let file = self.file.as_ref().map(|file| paths::absolute(&directory, &file.0));
        (directory, file)
    }
}

/// A JSON string as bytes.
#[derive(Debug, Default)]
struct Text(OsString);

impl<'de> Deserialize<'de> for Text {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Text, D::Error> {
        struct Bytes;
        impl Visitor<'_> for Bytes {
            type Value = Text;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("a string")
            }

            fn visit_bytes<E>(self, bytes: &[u8]) -> Result<Text, E> {
                Ok(Text(OsString::from_vec(bytes.to_vec())))
            }

            fn visit_str<E>(self, text: &str) -> Result<Text, E> {
                Ok(Text(text.into()))
            }
        }
        deserializer.deserialize_bytes(Bytes)
    }
}
