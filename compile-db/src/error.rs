//! What can go wrong before there is a build to speak of.
//!
//! Invariant: every message names the file concerned and, where there is one, the way out. Trouble with
//! a single entry is never an error; it ends as a [`Skipped`](crate::Skipped) or a [`Note`](crate::Note).

use std::{io, path::PathBuf};

#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    #[error("cannot read {}: {source}", path.display())]
    Read { path: PathBuf, source: io::Error },

    #[error("cannot write {}: {source}", path.display())]
    Write { path: PathBuf, source: io::Error },

    #[error("{}:{line}:{column}: not a compilation database: {message}", path.display())]
    Malformed { path: PathBuf, line: usize, column: usize, message: String },

    #[error(
        "{} has no entries: build the project first, or record the build with `cegas-scan -- make`",
        path.display()
    )]
    Empty { path: PathBuf },

    #[error(
        "no compile_commands.json for {} (looked {looked}): name its folder with -p, or record the build \
         with `cegas-scan -- make`",
        project.display()
    )]
    NotFound { project: PathBuf, looked: String },

    #[error(
        "no compile_commands.json in {}: configure it with `cmake -DCMAKE_EXPORT_COMPILE_COMMANDS=ON {}`",
        build_dir.display(), build_dir.display()
    )]
    NotExported { build_dir: PathBuf },

    #[error(
        "cmake cannot configure {}: {reason}; configure the project yourself and name its build folder with -p",
        project.display()
    )]
    Cmake { project: PathBuf, reason: String },

    #[error("cannot run {}: {source}", command.display())]
    Run { command: PathBuf, source: io::Error },

    #[error("cannot record a build in {}: {reason}", folder.display())]
    Recording { folder: PathBuf, reason: String },
}
