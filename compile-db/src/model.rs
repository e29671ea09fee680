//! What a build is, once its commands are understood: plain data.
//!
//! Invariant: indices in [`Part`] are valid in the same [`Build`]; every path is absolute; the order of everything is
//! fixed by the input alone.

use std::{collections::BTreeSet, ffi::OsString, path::PathBuf};

/// One compilation of one C file. The same file compiled twice is two units.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Unit {
    pub source: PathBuf,
    /// Where the object went; `None` if it never was a file of its own.
    pub output: Option<PathBuf>,
    /// The folder the command ran in; relative paths in `flags` start here.
    pub directory: PathBuf,
    /// What clang needs to understand the source as the build's compiler did, and nothing else: no compiler name,
    /// no source, no output, no optimisation, warning or debug flag.
    pub flags: Vec<OsString>,
}

/// A file that the build compiles and that is not analysed.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Skipped {
    pub file: PathBuf,
    pub reason: String,
    /// It is C, so that something is lost without it.
    pub is_c: bool,
    /// The objects it is compiled to.
    pub outputs: BTreeSet<PathBuf>,
}

/// Something the user should know about how the build was read.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Note {
    /// The flag, file or command it is about.
    pub subject: String,
    pub text: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LinkKind {
    Executable,
    Shared,
    Archive,
    /// `ld -r`: many objects made one.
    Relocatable,
}

/// What went into a link, where it is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Part {
    /// An object, as an index into [`Build::units`].
    Unit(usize),
    /// The product of another link, as an index into [`Build::links`]; `whole`: every member of the archive is taken.
    Link { link: usize, whole: bool },
    /// An object that is not analysed, as an index into [`Build::skipped`].
    Skipped(usize),
}

/// One call of a linker or archiver.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link {
    pub output: PathBuf,
    pub kind: LinkKind,
    /// What is known of the inputs, in command-line order.
    pub parts: Vec<Part>,
    /// Objects and libraries of the project that nobody was seen to make.
    pub unknown: Vec<PathBuf>,
    /// `-lname` that the build does not make itself.
    pub libraries: Vec<String>,
}

#[derive(Debug, Clone, Default)]
pub struct Build {
    pub units: Vec<Unit>,
    pub skipped: Vec<Skipped>,
    pub notes: Vec<Note>,
    pub links: Vec<Link>,
    /// The links are all the links there were: the build was watched.
    pub recorded: bool,
}
