//! What the PATHs on the command line are: a project, a database, or files.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

/// What to scan. All paths are absolute.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Input {
    /// A folder whose build is looked for.
    Project(PathBuf),
    /// A compilation database.
    Database(PathBuf),
    /// C files, bitcode and textual LLVM IR that make one program, or one for each `main` among them.
    Files(Vec<PathBuf>),
    /// A build to run and record.
    Record {
        /// The command, its arguments taken as they are: no shell is involved.
        command: Vec<OsString>,
        /// Where it is run.
        dir: PathBuf,
    },
    /// A crate whose build scripts compile C: `cargo build` is recorded in a scratch target folder.
    Cargo {
        /// The folder of the crate.
        dir: PathBuf,
        /// More arguments for `cargo build`.
        arguments: Vec<OsString>,
    },
}

impl Input {
    /// The folder of the project: where settings are looked for, from where files are named.
    pub fn base<'a>(&'a self, cwd: &'a Path) -> &'a Path {
        match self {
            Self::Project(dir) | Self::Record { dir, .. } | Self::Cargo { dir, .. } => dir,
            Self::Database(file) => file.parent().unwrap_or(cwd),
            Self::Files(files) => match files.as_slice() {
                [first, ..] if !files.iter().all(|f| f.starts_with(cwd)) => {
                    first.parent().unwrap_or(cwd)
                }
                _ => cwd,
            },
        }
    }
}

/// Sorts out the PATHs of a scan that runs no build.
pub fn classify(paths: &[PathBuf], cwd: &Path) -> Result<Input> {
    let mut files = Vec::new();
    let mut alone = None;
    for path in paths {
        match classify_one(path, cwd)? {
            Input::Files(mut one) => files.append(&mut one),
            other => {
                if paths.len() > 1 {
                    bail!(
                        "{} must be the only PATH: scan one project at a time, or name C files",
                        path.display()
                    );
                }
                alone = Some(other);
            }
        }
    }
    files.sort();
    files.dedup();
    Ok(match (alone, files.is_empty()) {
        (Some(other), _) => other,
        (None, false) => Input::Files(files),
        (None, true) => Input::Project(folder(cwd)?),
    })
}

/// The one folder among PATHs that a build is run in.
pub fn run_folder(paths: &[PathBuf], cwd: &Path) -> Result<PathBuf> {
    match paths {
        [] => folder(cwd),
        [one] => folder(&cwd.join(one)),
        [_, second, ..] => bail!(
            "{}: a build is run in one folder; give at most one PATH before `--`",
            second.display()
        ),
    }
}

fn folder(path: &Path) -> Result<PathBuf> {
    let real = path.canonicalize().with_context(|| format!("cannot open {}", path.display()))?;
    if !real.is_dir() {
        bail!("{} is not a folder", path.display());
    }
    Ok(real)
}

fn classify_one(path: &Path, cwd: &Path) -> Result<Input> {
    let absolute = cwd.join(path);
    let shown = path.display();
    let kind = std::fs::metadata(&absolute).with_context(|| format!("cannot open {shown}"))?;
    if kind.is_dir() {
        return Ok(Input::Project(folder(&absolute)?));
    }
    if !kind.is_file() {
        bail!("{shown} is neither a file nor a folder");
    }
    match path.extension().and_then(|e| e.to_str()).unwrap_or_default() {
        "c" | "i" | "bc" | "ll" => Ok(Input::Files(vec![absolute])),
        "json" => Ok(Input::Database(absolute)),
        "C" | "cc" | "cp" | "cpp" | "cxx" | "c++" | "ii" | "hh" | "hpp" | "hxx" => {
            bail!("{shown} is C++; only C is checked")
        }
        "s" | "S" | "asm" => bail!("{shown} is assembly; only C is checked"),
        "h" => bail!("{shown} is a header; name the C files that include it"),
        _ => bail!(
            "{shown}: expected a project folder, a compile_commands.json, C files (.c, .i) or \
             bitcode (.bc, .ll)"
        ),
    }
}
