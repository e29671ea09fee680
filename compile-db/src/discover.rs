//! Where a project's compilation database is.
//!
//! Invariant: the project itself is only read. A CMake project without a build folder is configured into the cache.

use crate::{Error, Note, configure::configure, database};
use std::{
    fs, io,
    path::{Path, PathBuf},
    process::{Command, ExitStatus},
};

pub(crate) const NAME: &str = "compile_commands.json";

/// Folders in which projects are commonly built.
const BUILD_FOLDERS: &str = "\
    build Build builddir _build out output bin obj target .build debug release build/debug \
    build/release build/Debug build/Release out/build out/Debug out/Release";

/// The database of a project.
#[derive(Debug, PartialEq, Eq)]
pub struct Found {
    pub database: PathBuf,
    /// What was done to get it.
    pub notes: Vec<Note>,
}

impl From<PathBuf> for Found {
    fn from(database: PathBuf) -> Found {
        Found { database, notes: Vec::new() }
    }
}

/// Finds the database of `project`: in `build_dir` if one is named, else in the project, the usual build folders and the
/// folders above, up to the root of its repository, if it is about the project; a CMake project that has none is configured into `cache`.
///
/// Configuring runs the project's own CMake code; a note then says so. `run` starts the prepared command and waits for
/// it: the caller may want to stop it, and knows how.
pub fn discover(
    project: &Path,
    build_dir: Option<&Path>,
    cache: &Path,
    run: impl FnOnce(&mut Command) -> io::Result<ExitStatus> + Send,
) -> Result<Found, Error> {
    if let Some(build_dir) = build_dir {
        let file = if build_dir.is_dir() { build_dir.join(NAME) } else { build_dir.to_owned() };
        let looked = format!("in {}", build_dir.display());
        let project = project.to_owned();
        return if file.is_file() {
            Ok(file.into())
        } else if build_dir.join("CMakeCache.txt").is_file() {
            Err(Error::NotExported { build_dir: build_dir.to_owned() })
        } else {
            Err(Error::NotFound { project, looked })
        };
    }
    let unreadable = |source| Error::Read { path: project.to_owned(), source };
    let project = project.canonicalize().map_err(unreadable)?;
    if project.is_file() {
        return Ok(project.into());
    }
    for folder in project.ancestors() {
        // What is found above may be another project's.
        let fits = |file: &PathBuf| folder == project || database::is_about(file, &project);
        if let Some(found) = near(folder).find(fits) {
            return Ok(found.into());
        }
        // What lies above a repository belongs to somebody else.
        if folder.join(".git").exists() {
            break;
        }
    }
    if project.join("CMakeLists.txt").is_file() {
        return configure(&project, cache, run);
    }
    let looked = "there, in the usual build folders, and in the folders above".to_owned();
    Err(Error::NotFound { project, looked })
}

fn near(folder: &Path) -> impl Iterator<Item = PathBuf> {
    let here = folder.join(NAME);
    let listed = BUILD_FOLDERS.split(' ').map(move |name| folder.join(name).join(NAME));
    // `build-gcc`, `build_x86`: any folder that calls itself a build.
    let others = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut others: Vec<PathBuf> =
        others.filter(|path| named_build(path)).map(|p| p.join(NAME)).collect();
    others.sort();
    std::iter::once(here).chain(listed).chain(others).filter(|file| file.is_file())
}

fn named_build(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    name.starts_with("build") || name.starts_with("cmake-build")
}
