//! Reading a `compile_commands.json`.
//!
//! Invariant: entries are taken in one at a time as the JSON is parsed, so memory grows with the units, not with the
//! text; strings are bytes, because paths need not be UTF-8.

use crate::{
    Build, Error,
    assemble::{Assembly, Call},
    paths, words,
};
use serde::de::{Deserialize, DeserializeSeed, Deserializer, SeqAccess, Visitor};
use std::{
    ffi::OsString,
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
    let metadata = path.metadata().map_err(unreadable)?;
    if !metadata.is_file() || metadata.len() > MAX_BYTES {
        let reason = if metadata.is_file() { "larger than 4 GiB" } else { "not a regular file" };
        return Err(Error::Read { path, source: std::io::Error::other(reason) });
    }
    let text = fs::read(&path).map_err(unreadable)?;
    let json = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&text);
    if json.trim_ascii().is_empty() {
        return Err(Error::Empty { path });
    }
    let mut reader = Reader {
        base: path.parent().unwrap_or(Path::new("/")).to_owned(),
        assembly: Assembly::new(false),
        inner: Vec::new(),
        entries: 0,
    };
    let mut deserializer = serde_json::Deserializer::from_slice(json);
    let parsed = (&mut reader).deserialize(&mut deserializer).and_then(|()| deserializer.end());
    parsed.map_err(|error| Error::Malformed {
        path: path.clone(),
        line: error.line(),
        column: error.column(),
        message: without_position(&error),
    })?;
    if reader.entries == 0 {
        return Err(Error::Empty { path });
    }
    Ok(reader.finish())
}

/// serde_json ends its messages with the position, which stands before ours already.
fn without_position(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let end = text.rfind(" at line ").unwrap_or(text.len());
    text.get(..end).unwrap_or(&text).to_owned()
}

struct Reader {
    base: PathBuf,
    assembly: Assembly,
    /// `clang -cc1` calls: Bear lists them beside the call that caused them, in any order.
    inner: Vec<Call>,
    entries: usize,
}

impl Reader {
    fn entry(&mut self, entry: Entry) {
        self.entries += 1;
        let directory = entry.directory.unwrap_or_default();
        let directory = paths::absolute(&self.base, &directory.0);
        let file = entry.file.map(|file| paths::absolute(&directory, &file.0));
        let output = entry.output.map(|output| paths::absolute(&directory, &output.0));
        let words = match (entry.arguments, entry.command) {
            (Some(arguments), _) if !arguments.is_empty() => {
                Ok(arguments.into_iter().map(|argument| argument.0).collect())
            }
            (_, Some(command)) => {
                words::split(&command.0.into_vec()).ok_or("its command has an open quote")
            }
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
                self.assembly.skip(file.unwrap_or(directory), reason.to_owned(), false, None);
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

impl<'de> DeserializeSeed<'de> for &mut Reader {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for &mut Reader {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an array of compile commands")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut entries: A) -> Result<(), A::Error> {
        while let Some(entry) = entries.next_element()? {
            self.entry(entry);
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
