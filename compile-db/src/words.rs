//! From text to arguments: `command` strings and response files.
//!
//! Invariant: nothing here runs anything or reads more than [`MAX_BYTES`]; a response file is expanded by us
//! and never passed on.

use std::{
    collections::BTreeSet,
    ffi::{OsStr, OsString},
    fs::File,
    io::Read,
    os::unix::ffi::{OsStrExt, OsStringExt},
    path::Path,
};

/// Response files inside response files; real builds need two levels.
const MAX_DEPTH: usize = 10;
/// Response files read for one command, so that files naming each other end soon.
const MAX_FILES: usize = 200;
/// The largest response file believed; real ones hold some thousand object names.
const MAX_BYTES: u64 = 64 << 20;
/// Arguments of one command after expansion, so that nesting cannot multiply without end.
const MAX_ARGUMENTS: usize = 2_000_000;

/// Splits a `command` string as a POSIX shell would; `None` if a quote is left open.
pub(crate) fn split(command: &[u8]) -> Option<Vec<OsString>> {
    let words = shlex::bytes::split(command)?;
    Some(words.into_iter().map(OsString::from_vec).collect())
}

/// Replaces every `@file` by the arguments in that file; the second list names files that cannot be used.
pub(crate) fn expand(
    arguments: Vec<OsString>,
    directory: &Path,
) -> (Vec<OsString>, BTreeSet<OsString>) {
    if !arguments.iter().any(|argument| argument.as_bytes().starts_with(b"@")) {
        return (arguments, BTreeSet::new());
    }
    let mut expansion =
        Expansion { directory, files: 0, arguments: Vec::new(), refused: BTreeSet::new() };
    expansion.push_all(arguments, 0);
    (expansion.arguments, expansion.refused)
}

struct Expansion<'a> {
    directory: &'a Path,
    files: usize,
    arguments: Vec<OsString>,
    refused: BTreeSet<OsString>,
}

impl Expansion<'_> {
    fn push_all(&mut self, arguments: Vec<OsString>, depth: usize) {
        for argument in arguments {
            let Some(file) = argument.as_bytes().strip_prefix(b"@") else {
                self.arguments.push(argument);
                continue;
            };
            let file = self.directory.join(OsStr::from_bytes(file));
            let allowed =
                depth < MAX_DEPTH && self.files < MAX_FILES && self.arguments.len() < MAX_ARGUMENTS;
            self.files += 1;
            match allowed.then(|| read_small(&file)).flatten() {
                Some(text) => self.push_all(split_response(&text), depth + 1),
                None => drop(self.refused.insert(argument)),
            }
        }
    }
}

/// The contents of a regular file of sane size. Devices and pipes are not opened, nor what the kernel makes up: they
/// could block for ever.
pub(crate) fn read_small(path: &Path) -> Option<Vec<u8>> {
    let path = path.canonicalize().ok()?;
    let made_up = path.starts_with("/proc") || path.starts_with("/sys");
    if made_up || !path.metadata().ok()?.is_file() {
        return None;
    }
    let mut text = Vec::new();
    File::open(path).ok()?.take(MAX_BYTES + 1).read_to_end(&mut text).ok()?;
    (text.len() as u64 <= MAX_BYTES).then_some(text)
}

/// gcc's quoting in response files: blanks separate, both quotes group, a backslash takes the next byte
/// literally everywhere, even between single quotes.
fn split_response(text: &[u8]) -> Vec<OsString> {
    let mut words = Vec::new();
    let mut word: Option<Vec<u8>> = None;
    let mut quote = None;
    let mut bytes = text.iter().copied();
    while let Some(byte) = bytes.next() {
        match (byte, quote) {
            (b'\\', _) => word.get_or_insert_default().extend(bytes.next()),
            (b'\'' | b'"', None) => {
                quote = Some(byte);
                word.get_or_insert_default();
            }
            (_, Some(open)) if byte == open => quote = None,
            (b' ' | b'\t' | b'\n' | b'\r' | 0x0b | 0x0c, None) => {
                words.extend(word.take().map(OsString::from_vec));
            }
            _ => word.get_or_insert_default().push(byte),
        }
    }
    words.extend(word.map(OsString::from_vec));
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    fn strings(words: Vec<OsString>) -> Vec<String> {
        words.into_iter().map(|word| word.to_string_lossy().into_owned()).collect()
    }

    #[test]
    fn commands_keep_quoted_macros() {
        let words = split(br#"cc -DNAME='"a b"' -DX=\"y\" "sp ace.c""#).unwrap();
        assert_eq!(strings(words), ["cc", "-DNAME=\"a b\"", "-DX=\"y\"", "sp ace.c"]);
        assert!(split(b"cc 'open").is_none());
    }

    #[test]
    fn commands_never_reach_a_shell() {
        let words = split(b"cc $(touch x) `id` a;b").unwrap();
        assert_eq!(strings(words), ["cc", "$(touch", "x)", "`id`", "a;b"]);
    }

    #[test]
    fn response_files_nest_up_to_a_limit() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path();
        std::fs::write(path.join("a.rsp"), "-DA='x \\' y' @b.rsp\n-DC=\"\"").unwrap();
        std::fs::write(path.join("b.rsp"), "-DB @loop").unwrap();
        std::fs::write(path.join("loop"), "@loop @loop").unwrap();
        let given = ["cc", "@a.rsp", "@/dev/zero", "@/proc/self/environ"];
        let (words, refused) = expand(given.map(Into::into).to_vec(), path);
        assert_eq!(strings(words), ["cc", "-DA=x ' y", "-DB", "-DC="]);
        let expected = ["@/dev/zero", "@/proc/self/environ", "@loop"];
        assert_eq!(strings(refused.into_iter().collect()), expected);
    }
}
