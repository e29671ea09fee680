//! What the user pointed at, as units and targets: a project's build, a database, a recorded build,
//! or plain files.

use crate::cancel::Cancel;
use crate::config::{Input, Settings};
use crate::frontend::Source;
use crate::frontend::cache::Key;
use crate::frontend::unit::Compiled;
use crate::revision;
use anyhow::{Context, Result, bail};
use compile_db::{Build, Target};
use std::collections::BTreeSet;
use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};

/// The units of a build and what is known about how they belong together.
#[derive(Debug)]
pub struct Project {
    pub sources: Vec<Source>,
    pub build: Build,
    database: Option<PathBuf>,
    /// The files were named one by one: they are one program, unless several have a `main`.
    named: bool,
    /// Keeps the folder of the recording, which may hold generated sources, to this scan.
    #[expect(dead_code, reason = "it is held, not read")]
    lock: Option<File>,
}

impl Source {
    /// The file, for people.
    pub fn path(&self) -> &Path {
        match self {
            Source::C(unit) => &unit.source,
            Source::Bitcode(path) => path,
        }
    }
}

/// Finds out what there is to compile. `builds` is where builds are configured and recorded.
pub fn gather(settings: &Settings, builds: &Path, cancel: &Cancel) -> Result<Project> {
    match &settings.input {
        Input::Project(folder) => {
            let build_dir = settings.build_dir.as_deref();
            let run = |cmake: &mut _| cancel.build(cmake);
            let found = compile_db::discover(folder, build_dir, builds, run);
            cancel.check()?;
            let found = found?;
            let mut project = from_database(found.database)?;
            project.build.notes.splice(0..0, found.notes);
            Ok(project)
        }
        Input::Database(file) => from_database(file.clone()),
        Input::Files(files) => from_files(files, settings),
        Input::Record { command, dir } => from_recording(command, dir, builds, cancel),
        Input::Cargo { dir, arguments } => {
            let mut command = vec!["cargo".into(), "build".into()];
            command.extend(arguments.iter().cloned());
            from_recording(&command, dir, builds, cancel)
        }
    }
}

fn from_database(database: PathBuf) -> Result<Project> {
    let build = compile_db::read(&database)?;
    let (sources, database) = (c_sources(&build), Some(database));
    Ok(Project { sources, build, database, named: false, lock: None })
}

fn from_recording(
    command: &[std::ffi::OsString],
    dir: &Path,
    builds: &Path,
    cancel: &Cancel,
) -> Result<Project> {
    let (scratch, lock) = recording_folder(dir, builds)?;
    let recording = compile_db::record(command, dir, &scratch, |build| cancel.build(build))?;
    cancel.check()?;
    let build = recording.build;
    if !recording.status.success() {
        bail!("the build failed ({}): it must succeed without cegas-scan first", recording.status);
    }
    let sources = c_sources(&build);
    Ok(Project { sources, build, database: None, named: false, lock: Some(lock) })
}

/// The folder for recordings of builds in `dir`. It stays: a build that was configured while it was recorded
/// goes on to call its compilers through it.
fn recording_folder(dir: &Path, builds: &Path) -> Result<(PathBuf, File)> {
    let name = Key::of([dir.as_os_str().as_encoded_bytes()]).to_string();
    let mut number = 0;
    loop {
        let folder = builds.join(format!("recording-{}-{number}", &name[..16]));
        let open = || {
            std::fs::create_dir_all(&folder)?;
            File::create(folder.join("lock"))
        };
        let lock = open().with_context(|| format!("cannot record in {}", folder.display()))?;
        match lock.try_lock() {
            Ok(()) => return Ok((folder, lock)),
            // Another scan records the same project at this moment.
            Err(TryLockError::WouldBlock) => number += 1,
            Err(TryLockError::Error(error)) => {
                return Err(error).with_context(|| format!("cannot lock {}", folder.display()));
            }
        }
    }
}

fn c_sources(build: &Build) -> Vec<Source> {
    build.units.iter().cloned().map(Source::C).collect()
}

fn from_files(files: &[PathBuf], settings: &Settings) -> Result<Project> {
    let (bitcode, c): (Vec<&PathBuf>, Vec<&PathBuf>) =
        files.iter().partition(|file| is_bitcode(file));
    let flags: Vec<std::ffi::OsString> = settings.cflags.iter().map(Into::into).collect();
    let directory = std::env::current_dir().context("cannot tell the current folder")?;
    let build = compile_db::from_files(&c, &flags, &directory);
    let mut sources = c_sources(&build);
    sources.extend(bitcode.into_iter().cloned().map(Source::Bitcode));
    Ok(Project { sources, build, database: None, named: true, lock: None })
}

fn is_bitcode(file: &Path) -> bool {
    matches!(file.extension().and_then(|e| e.to_str()), Some("bc" | "ll"))
}

impl Project {
    /// The same units by the same commands, with the files below one folder taken from another.
    pub fn moved(&self, from: &Path, to: &Path) -> Project {
        let path = |path: &Path| PathBuf::from(revision::moved(path.as_os_str(), from, to));
        let source = |source: &Source| match source {
            Source::C(unit) => Source::C(compile_db::Unit {
                source: path(&unit.source),
                directory: path(&unit.directory),
                flags: revision::moved_flags(&unit.flags, &unit.directory, from, to),
                output: unit.output.clone(),
            }),
            Source::Bitcode(file) => Source::Bitcode(path(file)),
        };
        Project {
            sources: self.sources.iter().map(source).collect(),
            build: self.build.clone(),
            database: self.database.clone(),
            named: self.named,
            lock: None,
        }
    }

    /// Where its compilers run.
    pub fn folders(&self) -> BTreeSet<PathBuf> {
        self.build.units.iter().map(|unit| unit.directory.clone()).collect()
    }

    /// Which units make which program.
    pub fn targets(&self, compiled: &[Result<Compiled, String>]) -> Vec<Target> {
        let symbols: Vec<Option<compile_db::Symbols>> =
            compiled.iter().map(|unit| Some(unit.as_ref().ok()?.symbols.clone())).collect();
        if self.named {
            return self.files_targets(&symbols);
        }
        match compile_db::targets(&self.build, self.database.as_deref()) {
            Some(mut targets) => {
                targets.iter_mut().for_each(|target| target.prune(&symbols));
                targets
            }
            None => compile_db::targets_by_symbols(&self.build, &symbols),
        }
    }

    /// Files that were named one by one are one program. No linker makes one of several `main`s: then each makes its own, with
    /// what it needs of the other files, so that no `main` goes without being looked at.
    fn files_targets(&self, symbols: &[Option<compile_db::Symbols>]) -> Vec<Target> {
        let has_main = |unit: &&compile_db::Symbols| unit.defined.iter().any(|name| name == "main");
        let mains = symbols.iter().flatten().filter(has_main).count();
        if mains > 1 {
            return compile_db::targets_by_symbols(&self.as_units(), symbols);
        }
        // What was named is not analysed, perhaps: the target still needs a name.
        let skipped = self.build.skipped.iter().map(|skipped| skipped.file.as_path());
        let name = self.sources.iter().map(Source::path).chain(skipped).find_map(Path::file_stem);
        vec![Target {
            name: name
                .map_or_else(|| "files".to_owned(), |name| name.to_string_lossy().into_owned()),
            kind: if mains == 1 {
                compile_db::TargetKind::Program
            } else {
                compile_db::TargetKind::Objects
            },
            units: (0..self.sources.len()).collect(),
            from_archives: Vec::new(),
            missing: Vec::new(),
            evidence: compile_db::Evidence::Named,
        }]
    }

    /// The build with bitcode among its units, each known by the name of its file.
    fn as_units(&self) -> Build {
        let unit = |source: &Source| match source {
            Source::C(unit) => {
                compile_db::Unit { output: Some(unit.source.with_extension("")), ..unit.clone() }
            }
            Source::Bitcode(file) => compile_db::Unit {
                source: file.clone(),
                directory: file.parent().unwrap_or(Path::new("/")).to_owned(),
                flags: Vec::new(),
                output: Some(file.with_extension("")),
            },
        };
        Build { units: self.sources.iter().map(unit).collect(), ..self.build.clone() }
    }
}
