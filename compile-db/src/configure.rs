//! A CMake project without a build folder is configured in the cache.
//!
//! That runs the project's own CMake code, which may run anything. Invariant: where the kernel has Landlock, that code
//! and all it starts can write to its folder in the cache and nowhere else; where it has not, the user is told.

use crate::{Error, Note, discover, file_api};
use landlock::{
    ABI, AccessFs, BitFlags, PathBeneath, PathFd, Ruleset, RulesetAttr, RulesetCreatedAttr,
    RulesetError, RulesetStatus,
};
use std::{
    fs,
    hash::{DefaultHasher, Hash, Hasher},
    io,
    path::{Path, PathBuf},
    process::{Command, ExitStatus, Stdio},
    thread,
};

/// Lines of cmake's complaint that go into the error.
const COMPLAINT: usize = 12;

/// The rights to change files that the kernel can take away: all but those to change what stands beside the content.
const RIGHTS: ABI = ABI::V3;

/// What every program may write to.
const OPEN: [&str; 4] = ["/dev/null", "/dev/zero", "/dev/full", "/dev/tty"];

/// Configures a CMake project in a folder of the cache that belongs to this project alone. `run` starts cmake and waits
/// for it; what it starts is confined.
pub(crate) fn configure(
    project: &Path,
    cache: &Path,
    run: impl FnOnce(&mut Command) -> io::Result<ExitStatus> + Send,
) -> Result<discover::Found, Error> {
    let failed = |reason: String| Error::Cmake { project: project.to_owned(), reason };
    let mut hasher = DefaultHasher::new();
    project.hash(&mut hasher);
    let build_dir = cache.join(format!("cmake-{:016x}", hasher.finish()));
    fs::create_dir_all(&build_dir)
        .map_err(|source| Error::Write { path: build_dir.clone(), source })?;
    // Confined as well are our own files in there: the code that was run before may have left links for us.
    let (ran, confined) = confined(&build_dir, || call(project, &build_dir, run));
    let (status, complaint) = ran?;
    if !status.success() {
        return Err(failed(complained(&complaint, status, confined)));
    }
    let file = build_dir.join(discover::NAME);
    if !file.is_file() {
        return Err(failed("its generator writes no compile_commands.json".to_owned()));
    }
    let text = if confined { CONFINED } else { FREE };
    let note = Note { subject: "cmake".to_owned(), text: text.to_owned() };
    Ok(discover::Found { database: file, notes: vec![note] })
}

/// Calls cmake; returns how it ended and what it said.
fn call(
    project: &Path,
    build_dir: &Path,
    run: impl FnOnce(&mut Command) -> io::Result<ExitStatus>,
) -> Result<(ExitStatus, String), Error> {
    let failed = |reason: String| Error::Cmake { project: project.to_owned(), reason };
    let unwritable = |path: &Path| {
        let path = path.to_owned();
        move |source| Error::Write { path, source }
    };
    // Two scans at once must not configure the same folder; the lock goes with the file.
    let lock = build_dir.join("cegas.lock");
    let locked = fs::File::create(&lock).and_then(|file| file.lock().map(|()| file));
    let _lock = locked.map_err(unwritable(&lock))?;
    let temporary = build_dir.join("cegas-tmp");
    fs::create_dir_all(&temporary).map_err(unwritable(&temporary))?;
    file_api::request(build_dir).map_err(|error| failed(error.to_string()))?;
    // One from an earlier time would be taken for this project's if cmake writes none now.
    let database = build_dir.join(discover::NAME);
    match fs::remove_file(&database) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            return Err(unwritable(&database)(error));
        }
        _ => {}
    }
    let said = build_dir.join("cegas-configure.log");
    let log = fs::File::create(&said).map_err(unwritable(&said))?;
    let mut cmake = Command::new("cmake");
    cmake.arg("-S").arg(project).arg("-B").arg(build_dir);
    cmake.arg("-DCMAKE_EXPORT_COMPILE_COMMANDS=ON");
    // Compilers and their launchers keep files elsewhere if nobody says so.
    cmake.env("TMPDIR", &temporary).env("CCACHE_DISABLE", "1");
    cmake.stdin(Stdio::null()).stdout(Stdio::null()).stderr(log);
    let status = run(&mut cmake).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => failed("cmake is not installed".to_owned()),
        _ => failed(error.to_string()),
    })?;
    let complaint = fs::read(&said).unwrap_or_default();
    Ok((status, String::from_utf8_lossy(&complaint).into_owned()))
}

const CONFINED: &str = "the project was configured in the cache, which ran its CMake code; that could write \
    to its folder there and nowhere else";
const FREE: &str = "the project was configured in the cache, which ran its CMake code; this system has no \
    Landlock to confine it, so scan only code you trust without -p";

fn complained(complaint: &str, status: ExitStatus, confined: bool) -> String {
    let lines = complaint.lines().map(str::trim).filter(|line| !line.is_empty()).take(COMPLAINT);
    let lines: Vec<&str> = lines.collect();
    let wants_more = confined && complaint.to_lowercase().contains("permission denied");
    let hint = if wants_more { " (it may write to the cache only)" } else { "" };
    format!("it ended with {status}{hint}: {}", lines.join(" "))
}

/// Does the work in a thread that can change files below `folder` only, and so can every process it starts. Tells
/// whether the kernel enforces that.
fn confined<T: Send>(folder: &Path, work: impl FnOnce() -> T + Send) -> (T, bool) {
    thread::scope(|scope| {
        let confined = scope.spawn(|| {
            let enforced = confine(folder).is_ok_and(|status| status != RulesetStatus::NotEnforced);
            (work(), enforced)
        });
        confined.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}

fn confine(folder: &Path) -> Result<RulesetStatus, RulesetError> {
    let writing = AccessFs::from_write(RIGHTS);
    let mut rules = Ruleset::default().handle_access(writing)?.create()?;
    let content = BitFlags::from(AccessFs::WriteFile) | AccessFs::Truncate;
    let open = OPEN.iter().map(|path| (PathBuf::from(path), content));
    for (path, access) in open.chain([(folder.to_owned(), writing)]) {
        // What cannot be opened cannot be written to either.
        if let Ok(place) = PathFd::new(&path) {
            rules = rules.add_rule(PathBeneath::new(place, access))?;
        }
    }
    Ok(rules.restrict_self()?.ruleset)
}
