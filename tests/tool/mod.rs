//! Runs the built `cegas-scan` in a folder of its own, as a user would.

#![allow(dead_code, reason = "each test program uses its part of this")]

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A folder that is gone after the test, with a cache of its own beside it.
pub struct Place {
    top: tempfile::TempDir,
}

/// How a run ended and what it said.
#[derive(Debug)]
pub struct Ran {
    pub code: Option<i32>,
    pub out: String,
    pub err: String,
}

impl Place {
    pub fn new() -> Self {
        let top = tempfile::tempdir().expect("a temporary folder");
        fs::create_dir(top.path().join("project")).expect("a folder");
        Self { top }
    }

    /// The project's folder, with symbolic links followed.
    pub fn dir(&self) -> PathBuf {
        self.top.path().join("project").canonicalize().expect("the folder is there")
    }

    pub fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.dir().join(name);
        fs::create_dir_all(path.parent().expect("inside the project")).expect("a folder");
        fs::write(&path, text).expect("a file");
        path
    }

    pub fn read(&self, name: &str) -> String {
        fs::read_to_string(self.dir().join(name)).expect("the file is there")
    }

    /// The names in the project's folder.
    pub fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(self.dir()).expect("the folder is there");
        let mut names: Vec<_> =
            entries.flatten().map(|e| e.file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }

    pub fn cache(&self) -> PathBuf {
        self.top.path().join("cache")
    }

    /// The tool, set up to run in the project's folder.
    pub fn command(&self) -> Command {
        self.command_of(Path::new(env!("CARGO_BIN_EXE_cegas-scan")))
    }

    pub fn command_of(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
        command.current_dir(self.dir()).stdin(Stdio::null()).env("XDG_CACHE_HOME", self.cache());
        command
    }

    pub fn scan<S: AsRef<OsStr>>(&self, arguments: &[S]) -> Ran {
        ran(self.command().args(arguments))
    }
}

pub fn ran(command: &mut Command) -> Ran {
    let output = command.output().expect("the tool runs");
    Ran {
        code: output.status.code(),
        out: String::from_utf8_lossy(&output.stdout).into_owned(),
        err: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

impl Ran {
    /// A failure: exit code 2, nothing on standard output, and one line that contains these words.
    #[track_caller]
    pub fn refused(&self, words: &[&str]) {
        assert_eq!(self.code, Some(2), "{self:?}");
        assert_eq!(self.out, "", "{self:?}");
        assert_eq!(self.err.lines().count(), 1, "{self:?}");
        assert!(self.err.starts_with("cegas-scan: error: "), "{self:?}");
        for word in words {
            assert!(self.err.contains(word), "{word:?} is not in {}", self.err);
        }
    }
}
