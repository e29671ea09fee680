//! Where a project's compilation database is.
//!
//! Invariant: the project itself is only read. A CMake project without a build folder is configured into the cache.

use crate::{Error, file_api};
use std::{
    fs,
    hash::{DefaultHasher, Hash, Hasher},
    io,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

const NAME: &str = "compile_commands.json";

/// Folders in which projects are commonly built.
const BUILD_FOLDERS: &str = "\
    build Build builddir _build out output bin obj target .build debug release build/debug \
    build/release build/Debug build/Release out/build out/Debug out/Release";

/// Lines of cmake's complaint that go into the error.
const COMPLAINT: usize = 12;

/// Finds the database of `project`: in `build_dir` if one is named, else in the project, the usual build folders and the
/// folders above, up to the root of its repository; a CMake project that has none is configured into `cache`.
///
/// A result below `cache` says that it was configured here, which runs the project's own CMake code.
pub fn discover(project: &Path, build_dir: Option<&Path>, cache: &Path) -> Result<PathBuf, Error> {
    if let Some(build_dir) = build_dir {
        let file = if build_dir.is_dir() { build_dir.join(NAME) } else { build_dir.to_owned() };
        let looked = format!("in {}", build_dir.display());
        let project = project.to_owned();
        return if file.is_file() { Ok(file) } else { Err(Error::NotFound { project, looked }) };
    }
    let unreadable = |source| Error::Read { path: project.to_owned(), source };
    let project = project.canonicalize().map_err(unreadable)?;
    if project.is_file() {
        return Ok(project);
    }
    for folder in project.ancestors() {
        if let Some(found) = near(folder) {
            return Ok(found);
        }
        // What lies above a repository belongs to somebody else.
        if folder.join(".git").exists() {
            break;
        }
    }
    if project.join("CMakeLists.txt").is_file() {
        return configure(&project, cache);
    }
    let looked = "there, in the usual build folders, and in the folders above".to_owned();
    Err(Error::NotFound { project, looked })
}

fn near(folder: &Path) -> Option<PathBuf> {
    let here = folder.join(NAME);
    let listed = BUILD_FOLDERS.split(' ').map(|name| folder.join(name).join(NAME));
    // `build-gcc`, `build_x86`: any folder that calls itself a build.
    let others = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut others: Vec<PathBuf> =
        others.filter(|path| named_build(path)).map(|p| p.join(NAME)).collect();
    others.sort();
    std::iter::once(here).chain(listed).chain(others).find(|file| file.is_file())
}

fn named_build(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    name.starts_with("build") || name.starts_with("cmake-build")
}

/// Configures a CMake project in a folder of the cache that belongs to this project alone.
fn configure(project: &Path, cache: &Path) -> Result<PathBuf, Error> {
    let failed = |reason: String| Error::Cmake { project: project.to_owned(), reason };
    let mut hasher = DefaultHasher::new();
    project.hash(&mut hasher);
    let build_dir = cache.join(format!("cmake-{:016x}", hasher.finish()));
    fs::create_dir_all(&build_dir)
        .map_err(|source| Error::Write { path: build_dir.clone(), source })?;
    // Two scans at once must not configure the same folder; the lock goes with the file.
    let lock = build_dir.join("cegas.lock");
    let locked = fs::File::create(&lock).and_then(|file| file.lock().map(|()| file));
    let _lock = locked.map_err(|source| Error::Write { path: lock, source })?;
    file_api::request(&build_dir).map_err(|error| failed(error.to_string()))?;
    let output = Command::new("cmake")
        .arg("-S")
        .arg(project)
        .arg("-B")
        .arg(&build_dir)
        .arg("-DCMAKE_EXPORT_COMPILE_COMMANDS=ON")
        .stdin(Stdio::null())
        .output()
        .map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => failed("cmake is not installed".to_owned()),
            _ => failed(error.to_string()),
        })?;
    let file = build_dir.join(NAME);
    if !output.status.success() {
        let complaint = String::from_utf8_lossy(&output.stderr);
        let lines: Vec<&str> =
            complaint.lines().filter(|line| !line.is_empty()).take(COMPLAINT).collect();
        return Err(failed(format!("it ended with {}:\n{}\n", output.status, lines.join("\n"))));
    }
    if !file.is_file() {
        return Err(failed("its generator writes no compile_commands.json".to_owned()));
    }
    Ok(file)
}
