//! What the user pointed at, as units and targets: a project's build, a database, a recorded build,
//! or plain files.

use crate::cancel::Cancel;
use crate::config::{Input, Settings};
use crate::frontend::Source;
use crate::frontend::unit::Compiled;
use anyhow::{Context, Result, bail};
use compile_db::{Build, Target};
use std::path::{Path, PathBuf};

/// The units of a build and what is known about how they belong together.
#[derive(Debug)]
pub struct Project {
    pub sources: Vec<Source>,
    pub build: Build,
    database: Option<PathBuf>,
    /// The files were named one by one: they are one program.
    one_program: bool,
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

/// Finds out what there is to compile. `scratch` is where a build is configured or recorded.
pub fn gather(settings: &Settings, scratch: &Path, cancel: &Cancel) -> Result<Project> {
    match &settings.input {
        Input::Project(folder) => {
            let database = compile_db::discover(folder, settings.build_dir.as_deref(), scratch)?;
            from_database(database)
        }
        Input::Database(file) => from_database(file.clone()),
        Input::Files(files) => from_files(files, settings),
        Input::Record { command, dir } => from_recording(command, dir, scratch, cancel),
        Input::Cargo { dir, arguments } => {
            let mut command = vec!["cargo".into(), "build".into()];
            command.extend(arguments.iter().cloned());
            from_recording(&command, dir, scratch, cancel)
        }
    }
}

fn from_database(database: PathBuf) -> Result<Project> {
    let build = compile_db::read(&database)?;
    Ok(Project { sources: c_sources(&build), build, database: Some(database), one_program: false })
}

fn from_recording(
    command: &[std::ffi::OsString],
    dir: &Path,
    scratch: &Path,
    cancel: &Cancel,
) -> Result<Project> {
    let recording = compile_db::record(command, dir, scratch, |build| cancel.build(build))?;
    cancel.check()?;
    let build = recording.build;
    if !recording.status.success() {
        bail!("the build failed ({}): it must succeed without cegas-scan first", recording.status);
    }
    Ok(Project { sources: c_sources(&build), build, database: None, one_program: false })
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
    Ok(Project { sources, build, database: None, one_program: true })
}

fn is_bitcode(file: &Path) -> bool {
    matches!(file.extension().and_then(|e| e.to_str()), Some("bc" | "ll"))
}

impl Project {
    /// Which units make which program.
    pub fn targets(&self, compiled: &[Result<Compiled, String>]) -> Vec<Target> {
        if self.one_program {
            return vec![self.files_target(compiled)];
        }
        let symbols: Vec<Option<compile_db::Symbols>> =
            compiled.iter().map(|unit| Some(unit.as_ref().ok()?.symbols.clone())).collect();
        match compile_db::targets(&self.build, self.database.as_deref()) {
            Some(mut targets) => {
                targets.iter_mut().for_each(|target| target.prune(&symbols));
                targets
            }
            None => compile_db::targets_by_symbols(&self.build, &symbols),
        }
    }

    fn files_target(&self, compiled: &[Result<Compiled, String>]) -> Target {
        let has_main = compiled
            .iter()
            .filter_map(|unit| unit.as_ref().ok())
            .any(|unit| unit.symbols.defined.iter().any(|name| name == "main"));
        let name = self.sources.first().and_then(|s| s.path().file_stem());
        Target {
            name: name.map_or_else(String::new, |name| name.to_string_lossy().into_owned()),
            kind: if has_main {
                compile_db::TargetKind::Program
            } else {
                compile_db::TargetKind::Objects
            },
            units: (0..self.sources.len()).collect(),
            from_archives: Vec::new(),
            missing: Vec::new(),
            evidence: compile_db::Evidence::Named,
        }
    }
}
