//! Recording a build: running it with shims in front of its tools, then reading what they logged.
//!
//! Invariant: nothing is written outside `scratch` except by the build itself.

use crate::{
    Build, Error,
    assemble::{Assembly, Call},
    log::Logged,
    shim::{self, Marker},
    tool,
};
use std::{
    env,
    ffi::{OsStr, OsString},
    fs, io,
    os::unix::{ffi::OsStrExt, fs::symlink},
    path::{Path, PathBuf},
    process::{Command, ExitStatus},
};

/// A build that was watched.
#[derive(Debug)]
pub struct Recording {
    pub build: Build,
    /// How the build's command ended.
    pub status: ExitStatus,
}

/// Runs `command` in `directory` and records the compilers, archivers and linkers it calls.
///
/// The calling program must call [`shim_main`](crate::shim_main) first in its `main`, because the shims are
/// links to it. `scratch` must belong to this recording alone while it lasts; `scratch/shims` is best kept
/// afterwards, because a build folder configured during the recording may name the compilers in it.
/// `run` starts the prepared command and waits for it: the caller may want to stop a build, and knows how.
pub fn record(
    command: &[OsString],
    directory: &Path,
    scratch: &Path,
    run: impl FnOnce(&mut Command) -> io::Result<ExitStatus>,
) -> Result<Recording, Error> {
    let [program, arguments @ ..] = command else {
        let reason = "there is no command to run".to_owned();
        return Err(Error::Recording { folder: directory.to_owned(), reason });
    };
    let mut shims = Shims::create(scratch)?;
    let mut build = Command::new(shims.in_place_of(program).unwrap_or_else(|| program.clone()));
    build.current_dir(directory).env("PATH", shims.path()?);
    for argument in arguments {
        build.arg(shims.in_assignment(argument).unwrap_or_else(|| argument.clone()));
    }
    for (variable, value) in env::vars_os() {
        if names_a_tool(&variable)
            && let Some(value) = shims.in_place_of(&value)
        {
            build.env(variable, value);
        }
    }
    if Path::new(program).file_name() == Some(OsStr::new("cargo")) {
        // Build scripts that ran before do not run again in their old target folder.
        let target = scratch.join("target");
        remove(&target)?;
        build.env("CARGO_TARGET_DIR", &target);
    }
    // Standard output belongs to the caller's own report; what the build says is for people.
    build.stdout(io::stderr());
    let status =
        run(&mut build).map_err(|source| Error::Run { command: program.clone().into(), source })?;

    let unreadable = |source| Error::Read { path: shims.log.clone(), source };
    let (calls, lost) = Logged::read_all(&shims.log).map_err(unreadable)?;
    remove(&shims.log)?;
    let mut assembly = Assembly::new(true);
    if lost > 0 {
        assembly.note("recording", &format!("{lost} calls were logged incompletely and are lost"));
    }
    for Logged { directory, words, environment, existing } in calls {
        let existing = Some(existing);
        assembly.call(Call { directory, words, environment, existing, ..Call::default() });
    }
    if assembly.build.units.is_empty() && assembly.build.skipped.is_empty() {
        assembly.note("recording", NO_CALLS);
    }
    Ok(Recording { build: assembly.settle(), status })
}

const NO_CALLS: &str = "the build called no compiler that could be recorded: either everything was \
    built before (clean it and record again), or it calls its compiler by an absolute path (a CMake \
    folder that is configured can be named with -p instead)";

struct Shims {
    /// Links for the tools found in PATH.
    folder: PathBuf,
    log: PathBuf,
    executable: PathBuf,
    /// Tools given by path, each with a folder of its own.
    given: Vec<PathBuf>,
}

impl Shims {
    fn create(scratch: &Path) -> Result<Shims, Error> {
        fs::create_dir_all(scratch).map_err(unwritable(scratch))?;
        let scratch = scratch.canonicalize().map_err(unwritable(scratch))?;
        let executable = env::current_exe().map_err(unwritable(&scratch))?;
        let shims = Shims {
            folder: scratch.join("shims"),
            log: scratch.join("calls"),
            executable,
            given: Vec::new(),
        };
        for folder in [&shims.folder, &shims.log] {
            remove(folder)?;
            fs::create_dir(folder).map_err(unwritable(folder))?;
        }
        let marker = Marker { log: shims.log.clone(), real: None };
        marker.write(&shims.folder).map_err(unwritable(&shims.folder))?;
        let path = env::var_os("PATH").unwrap_or_default();
        for folder in env::split_paths(&path) {
            // A folder in PATH that is not there or not ours to read holds no tool the build could call.
            let Ok(entries) = fs::read_dir(&folder) else { continue };
            for entry in entries.flatten() {
                let name = entry.file_name();
                if tool::named(&name).is_some() && shim::is_executable(&entry.path()) {
                    shims.link(&shims.folder.join(&name))?;
                }
            }
        }
        Ok(shims)
    }

    fn link(&self, shim: &Path) -> Result<(), Error> {
        match symlink(&self.executable, shim) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
                Err(unwritable(shim)(error))
            }
            _ => Ok(()),
        }
    }

    fn path(&self) -> Result<OsString, Error> {
        let path = env::var_os("PATH").unwrap_or_default();
        let entries = std::iter::once(self.folder.clone()).chain(env::split_paths(&path));
        env::join_paths(entries).map_err(|_| Error::Recording {
            folder: self.folder.clone(),
            reason:
                "PATH cannot hold a folder with a colon in its name; choose another cache folder"
                    .to_owned(),
        })
    }

    /// The value of a variable such as CC with the shim in place of a compiler named by its path:
    /// `/opt/gcc/bin/gcc -m32` keeps its argument. `None` leaves it as it is; names without a folder are found in PATH.
    fn in_place_of(&mut self, value: &OsStr) -> Option<OsString> {
        let bytes = value.as_bytes();
        let end = bytes.iter().position(|byte| byte.is_ascii_whitespace()).unwrap_or(bytes.len());
        let (tool, rest) = bytes.split_at_checked(end)?;
        let real = Path::new(OsStr::from_bytes(tool));
        let name = real.file_name()?;
        if !real.is_absolute() || tool::named(name).is_none() || !shim::is_executable(real) {
            return None;
        }
        let known = self.given.iter().position(|given| given == real);
        let number = known.unwrap_or(self.given.len());
        let folder = self.folder.join(format!("given-{number}"));
        let shim = folder.join(name);
        // Such variables are split at blanks by make and by shells: a path with a blank cannot stand in them.
        if shim.as_os_str().as_bytes().iter().any(u8::is_ascii_whitespace) {
            return None;
        }
        if known.is_none() {
            let marker = Marker { log: self.log.clone(), real: Some(real.to_owned()) };
            fs::create_dir(&folder).ok()?;
            marker.write(&folder).ok()?;
            self.link(&shim).ok()?;
            self.given.push(real.to_owned());
        }
        let mut value = shim.into_os_string();
        value.push(OsStr::from_bytes(rest));
        Some(value)
    }

    /// `CC=/usr/bin/gcc` among make's arguments.
    fn in_assignment(&mut self, argument: &OsStr) -> Option<OsString> {
        let bytes = argument.as_bytes();
        let equals = bytes.iter().position(|&byte| byte == b'=')?;
        let (variable, value) = (bytes.get(..equals)?, bytes.get(equals + 1..)?);
        if !names_a_tool(OsStr::from_bytes(variable)) {
            return None;
        }
        let mut replaced = OsStr::from_bytes(bytes.get(..=equals)?).to_owned();
        replaced.push(self.in_place_of(OsStr::from_bytes(value))?);
        Some(replaced)
    }
}

/// CC, HOSTCC, CC_FOR_BUILD, TARGET_AR, -DCMAKE_C_COMPILER …
fn names_a_tool(variable: &OsStr) -> bool {
    const WORDS: [&str; 7] = ["CC", "CXX", "AR", "LD", "HOSTCC", "HOSTCXX", "COMPILER"];
    let variable = variable.to_string_lossy();
    variable.split(|c: char| !c.is_ascii_alphanumeric()).any(|word| WORDS.contains(&word))
}

fn unwritable(path: &Path) -> impl Fn(io::Error) -> Error {
    move |source| Error::Write { path: path.to_owned(), source }
}

fn remove(folder: &Path) -> Result<(), Error> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(unwritable(folder)(error)),
        _ => Ok(()),
    }
}
