//! What the PATHs on the command line are: a project, a database, or files.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use super::file;

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
    pub fn base(&self, cwd: &Path) -> PathBuf {
        match self {
            Self::Project(dir) | Self::Record { dir, .. } | Self::Cargo { dir, .. } => dir.clone(),
            Self::Database(file) => file.parent().unwrap_or(cwd).to_owned(),
            Self::Files(files) => {
                let cwd = real(cwd);
                let inside = files.iter().all(|file| real_parent(file).starts_with(&cwd));
                // Where the folder itself says nothing about the files, the repository that they are in may.
                let says_nothing = repository(&cwd).is_none() && file::find(&cwd).is_none();
                let elsewhere = !inside || says_nothing && self.repository_of_files().is_some();
                files.first().filter(|_| elsewhere).map_or(cwd, |file| real_parent(file))
            }
        }
    }

    /// The repository that all files belong to which were named one by one.
    pub fn repository_of_files(&self) -> Option<PathBuf> {
        let Self::Files(files) = self else { return None };
        let found = repository(&real_parent(files.first()?))?.to_owned();
        files.iter().all(|file| real_parent(file).starts_with(&found)).then_some(found)
    }
}

/// The repository that a folder belongs to.
pub fn repository(folder: &Path) -> Option<&Path> {
    folder.ancestors().find(|folder| folder.join(".git").exists())
}

/// The folder that a file was named in. `..` leads from where links lead to, so paths tell nothing before they are followed;
/// a file that is a link itself belongs to where it was named.
fn real_parent(file: &Path) -> PathBuf {
    real(file.parent().unwrap_or(Path::new("/")))
}

fn real(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
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
