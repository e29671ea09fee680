//! The log of a recorded build: one file per call, written whole before it gets its name.
//!
//! Invariant: fields are length-prefixed bytes, so any path survives; file names sort by the time the call began, so
//! that whoever made a file comes before whoever waited for it; parallel calls never share a file.

use std::{
    ffi::{OsStr, OsString},
    fs, io,
    os::unix::ffi::{OsStrExt, OsStringExt},
    path::{Path, PathBuf},
    time::{SystemTime, UNIX_EPOCH},
};

/// One call, as its shim saw it.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Logged {
    pub(crate) directory: PathBuf,
    /// The tool and its arguments, response files expanded while they were there.
    pub(crate) words: Vec<OsString>,
    /// Flags that stand for the compiler's environment variables.
    pub(crate) environment: Vec<OsString>,
    /// Of an archiver's words: those that named files when it started.
    pub(crate) existing: Vec<OsString>,
}

impl Logged {
    pub(crate) fn write(&self, folder: &Path) -> io::Result<()> {
        let mut lists = vec![vec![self.directory.as_os_str()]];
        lists.extend(
            [&self.words, &self.environment, &self.existing]
                .map(|list| list.iter().map(OsString::as_os_str).collect::<Vec<_>>()),
        );
        let text = encode(&lists);
        let time = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos();
        let name = format!("{time:024}-{}", std::process::id());
        let unfinished = folder.join(format!("{name}.unfinished"));
        fs::write(&unfinished, text)?;
        fs::rename(&unfinished, folder.join(format!("{name}.call")))
    }

    fn read(path: &Path) -> Option<Logged> {
        let mut lists = decode(&fs::read(path).ok()?)?.into_iter();
        let directory = lists.next()?.pop()?.into();
        let (words, environment, existing) = (lists.next()?, lists.next()?, lists.next()?);
        Some(Logged { directory, words, environment, existing })
    }

    /// All calls in the order they began, and how many could not be read.
    pub(crate) fn read_all(folder: &Path) -> io::Result<(Vec<Logged>, usize)> {
        let mut files = Vec::new();
        for entry in fs::read_dir(folder)? {
            let path = entry?.path();
            if path.extension() == Some(OsStr::new("call")) {
                files.push(path);
            }
        }
        files.sort();
        let calls: Vec<Logged> = files.iter().filter_map(|path| Logged::read(path)).collect();
        let lost = files.len() - calls.len();
        Ok((calls, lost))
    }
}

/// Lists of byte strings as bytes: counts and lengths are eight bytes each.
pub(crate) fn encode(lists: &[Vec<&OsStr>]) -> Vec<u8> {
    let mut text = Vec::new();
    for list in lists {
        text.extend((list.len() as u64).to_le_bytes());
        for item in list {
            text.extend((item.len() as u64).to_le_bytes());
            text.extend(item.as_bytes());
        }
    }
    text
}

/// The lists in `text`; `None` if it is cut short.
pub(crate) fn decode(mut text: &[u8]) -> Option<Vec<Vec<OsString>>> {
    let mut lists = Vec::new();
    while !text.is_empty() {
        let mut list = Vec::new();
        for _ in 0..number(&mut text)? {
            let length = usize::try_from(number(&mut text)?).ok()?;
            let (item, rest) = text.split_at_checked(length)?;
            list.push(OsString::from_vec(item.to_vec()));
            text = rest;
        }
        lists.push(list);
    }
    Some(lists)
}

fn number(text: &mut &[u8]) -> Option<u64> {
    let (number, rest) = text.split_first_chunk()?;
    *text = rest;
    Some(u64::from_le_bytes(*number))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_bytes_survive_and_cut_files_do_not() {
        let folder = tempfile::tempdir().unwrap();
        let odd = OsString::from_vec(b"\xff \n'\"".to_vec());
        let call = Logged {
            directory: odd.clone().into(),
            words: vec!["cc".into(), odd.clone(), OsString::new()],
            environment: Vec::new(),
            existing: vec![odd],
        };
        call.write(folder.path()).unwrap();
        let (calls, lost) = Logged::read_all(folder.path()).unwrap();
        assert_eq!((calls.as_slice(), lost), ([call].as_slice(), 0));
        let file = fs::read_dir(folder.path()).unwrap().next().unwrap().unwrap().path();
        let text = fs::read(&file).unwrap();
        fs::write(&file, &text[..text.len() - 1]).unwrap();
        assert_eq!(Logged::read_all(folder.path()).unwrap(), (Vec::new(), 1));
    }
}
