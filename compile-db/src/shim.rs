//! The shim: our own executable under the name of a compiler, first in PATH.
//!
//! Invariant: whatever happens to the log, the real tool runs with the same arguments, folder, streams and
//! exit code. The tool's own children see a PATH without shims, so nothing is logged twice. A shim whose recording is
//! over only passes on: a build folder configured under recording keeps working.

use crate::{
    log::{self, Logged},
    tool::{self, Tool},
    words,
};
use std::{
    env,
    ffi::{OsStr, OsString},
    fs,
    io::{self, Write},
    os::unix::{
        ffi::OsStrExt,
        fs::PermissionsExt,
        process::{CommandExt, parent_id},
    },
    path::{Path, PathBuf},
    process::{Command, ExitCode},
};

/// The file that makes a folder a folder of shims: it names the log and perhaps the real tool.
const MARKER: &str = ".cegas-recording";
/// What a shell answers if there is no such command.
const NOT_FOUND: u8 = 127;
/// Where a process without PATH looks.
const DEFAULT_PATH: &str = "/usr/local/bin:/usr/bin:/bin";

pub(crate) struct Marker {
    pub(crate) log: PathBuf,
    /// The tool's path where the build named one; else the tool is the next in PATH.
    pub(crate) real: Option<PathBuf>,
}

impl Marker {
    pub(crate) fn write(&self, folder: &Path) -> std::io::Result<()> {
        let real = self.real.iter().map(|real| real.as_os_str()).collect();
        fs::write(folder.join(MARKER), log::encode(&[vec![self.log.as_os_str()], real]))
    }

    fn read(folder: &Path) -> Option<Marker> {
        let mut lists = log::decode(&fs::read(folder.join(MARKER)).ok()?)?.into_iter();
        let log = lists.next()?.pop()?.into();
        Some(Marker { log, real: lists.next()?.pop().map(PathBuf::from) })
    }
}

/// To be called first in `main`: if this process was started in place of a build's compiler, logs the call and becomes
/// that compiler; `Some` is the exit code if it cannot. `None`: this process was started for itself.
pub fn shim_main() -> Option<ExitCode> {
    let mut words: Vec<OsString> = env::args_os().collect();
    let called = words.first()?.clone();
    let name = Path::new(&called).file_name()?.to_owned();
    let tool = tool::named(&name)?;
    let path = env::var_os("PATH").unwrap_or_else(|| DEFAULT_PATH.into());
    let by_path = called.as_bytes().contains(&b'/');
    let folder = if by_path {
        Path::new(&called).parent()?.to_owned()
    } else {
        find(&name, &path)?.parent()?.to_owned()
    };
    let marker = Marker::read(&folder)?;

    let without_shims = env::split_paths(&path)
        .filter(|entry| Marker::read(entry).is_none_or(|other| other.log != marker.log));
    let path = env::join_paths(without_shims).unwrap_or(path);
    let Some(real) = marker.real.or_else(|| find(&name, &path)) else {
        return Some(fail(&name, "command not found"));
    };
    if let (true, Some(first)) = (by_path, words.first_mut()) {
        *first = real.clone().into();
    }
    log_call(&words, tool, &marker.log);
    let error = Command::new(&real)
        .arg0(if by_path { real.as_os_str() } else { &called })
        .args(env::args_os().skip(1))
        .env("PATH", path)
        .exec();
    Some(fail(real.as_os_str(), &error.to_string()))
}

/// Says why there is no compiler; the build may have closed its streams, which must not matter.
fn fail(tool: &OsStr, reason: &str) -> ExitCode {
    writeln!(io::stderr(), "{}: {reason}", tool.display()).ok();
    ExitCode::from(NOT_FOUND)
}

/// Trouble with the log is silent: the build must not notice, and what is lost shows as objects of unknown origin.
fn log_call(words: &[OsString], tool: Tool, folder: &Path) {
    let Ok(directory) = env::current_dir() else { return };
    if !folder.is_dir() {
        return;
    }
    let (directory, words) = match tool {
        Tool::Assembler | Tool::Linker => driver_above().unwrap_or((directory, words.to_vec())),
        _ => (directory, words.to_vec()),
    };
    let (words, _refused) = words::expand(words, &directory);
    let existing = match tool {
        Tool::Archiver => words.iter().filter(|word| Path::new(word).exists()).cloned().collect(),
        _ => Vec::new(),
    };
    let call = Logged { directory, words, environment: include_folders(), existing };
    call.write(folder).ok();
}

/// The compiler that called this assembler or linker, perhaps through `collect2`. One that came through a shim hands its
/// children a PATH without shims, so this one was called by an absolute path and has not been logged.
fn driver_above() -> Option<(PathBuf, Vec<OsString>)> {
    /// `gcc`, `collect2`, `ld`; a little more for wrappers.
    const GENERATIONS: usize = 4;
    let mut process = parent_id();
    for _ in 0..GENERATIONS {
        let folder = Path::new("/proc").join(process.to_string());
        let line = fs::read(folder.join("cmdline")).ok()?;
        let line = line.strip_suffix(b"\0").unwrap_or(&line).split(|&byte| byte == 0);
        let words: Vec<OsString> = line.map(|word| OsStr::from_bytes(word).to_owned()).collect();
        match tool::named(Path::new(words.first()?).file_name()?)? {
            Tool::Compiler | Tool::CxxCompiler => {
                return Some((fs::read_link(folder.join("cwd")).ok()?, words));
            }
            Tool::Inner | Tool::Linker => {}
            Tool::Archiver | Tool::Assembler | Tool::Objcopy | Tool::Launcher => return None,
        }
        let status = fs::read_to_string(folder.join("status")).ok()?;
        let parent = status.lines().find_map(|line| line.strip_prefix("PPid:"))?;
        process = parent.trim().parse().ok()?;
    }
    None
}

/// CPATH and C_INCLUDE_PATH as the flags they stand for; an empty element is the current folder.
fn include_folders() -> Vec<OsString> {
    let flags = [("CPATH", "-I"), ("C_INCLUDE_PATH", "-isystem")].map(|(variable, flag)| {
        let folders = env::var_os(variable).filter(|folders| !folders.is_empty());
        let folders: Vec<PathBuf> =
            folders.iter().flat_map(|folders| env::split_paths(folders)).collect();
        folders.into_iter().map(move |folder| {
            let mut flag = OsString::from(flag);
            flag.push(if folder.as_os_str().is_empty() { Path::new(".") } else { &folder });
            flag
        })
    });
    flags.into_iter().flatten().collect()
}

/// The first executable of this name in `path`.
pub(crate) fn find(name: &OsStr, path: &OsStr) -> Option<PathBuf> {
    env::split_paths(path).map(|folder| folder.join(name)).find(|file| is_executable(file))
}

pub(crate) fn is_executable(file: &Path) -> bool {
    file.metadata()
        .is_ok_and(|metadata| metadata.is_file() && metadata.permissions().mode() & 0o111 != 0)
}
