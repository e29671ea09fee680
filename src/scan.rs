//! The whole pipeline on one screen: from what the user pointed at to the report.

mod affected;
mod before;
mod described;
mod judged;
mod named;
mod read;
mod share;
mod remembered;

use crate::budgets;
use crate::cancel::Cancel;
use crate::check::Checked;
use crate::config::{self, Settings, Stage};
use crate::dump::{self, Dumped};
use crate::entries;
use crate::frontend::built_in::BuiltIn;
use crate::frontend::cache::Cache;
use crate::frontend::clang::Clang;
use crate::frontend::models::Models;
use crate::frontend::unit::{Compiled, Compiler};
use crate::frontend::{self, Source};
use crate::ir::{self, Program};
use crate::progress::{self, Progress};
use crate::project::{self, Project};
use crate::report::{self, Report};
use crate::revision::Revision;
use anyhow::{Context, Result, bail};
use compile_db::{Target, TargetKind};
use described::UserModel;
use rayon::prelude::*;
use share::Share;
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::Instant;

/// Scans what the settings name.
pub fn scan(
    settings: &Settings,
    built_in: BuiltIn,
    progress: &Progress,
    cancel: &Cancel,
) -> Result<Report> {
    let workers = rayon::ThreadPoolBuilder::new().num_threads(settings.jobs.get());
    let workers = workers.stack_size(budgets::STACK).build()?;
    workers.install(|| {
        let clang = Clang::find()?.or_built_in(built_in);
        let base = settings.diff_base.as_deref().filter(|_| settings.dump.is_none());
        let base = base.map(|name| Revision::find(name, &settings.root)).transpose()?;
        let store = Store::open(&settings.cache)?;
        let project = project::gather(settings, &store.builds(), cancel)?;
        cancel.check()?;
        let files = shown(&project, settings);
        read::refuse_malformed(files.iter().map(String::as_str), settings)?;
        let first = |files: &_| read::refuse(files, settings);
        let mut report =
            examine(&project, &clang, &store.cache, settings, first, progress, cancel)?;
        if let Some(base) = base {
            let (before, notes) =
                before::before(&base, &project, &clang, settings, progress, cancel)?;
            report.before = Some(before);
            report.notes.extend(notes);
        }
        Ok(report)
    })
}

/// From units to verdicts. `first` may refuse what the units are made from.
fn examine(
    project: &Project,
    clang: &Clang,
    cache: &Cache,
    settings: &Settings,
    first: impl FnOnce(&BTreeSet<PathBuf>) -> Result<()>,
    progress: &Progress,
    cancel: &Cancel,
) -> Result<Report> {
    let start = Instant::now();
    let compiler = Compiler::new(clang, cache, cancel);
    let own_models = described::compile(settings, &compiler)?;
    let compiled = compile(project, &compiler, progress);
    cancel.check()?;
    let read = read::files(project, &compiled, settings);
    first(&read)?;
    let mut targets = chosen_targets(project, &compiled, settings)?;
    let notes = affected::retain(&mut targets, project, &compiled, settings);
    let units = Units { project, compiled: &compiled, names: shown(project, settings) };
    let share = Share::new(settings, start, targets.len());
    let look =
        Look { compiler: &compiler, own_models: &own_models, share: &share, settings, cancel };
    let models = model(&units, &targets, look, progress);
    cancel.check()?;
    let mut report = assemble(&units, &targets, models, cache, settings)?;
    report.notes.extend(notes);
    report.files = read::shown(&read, settings);
    Ok(report)
}

/// Where work is kept: the user's cache, or a folder that goes away with the scan.
struct Store {
    cache: Cache,
    /// For configuring and recording builds if the cache is of no use; removed at the end.
    folder: tempfile::TempDir,
}

impl Store {
    fn open(place: &config::Cache) -> Result<Store> {
        let cache = match place {
            config::Cache::Kept(folder) => Cache::open(folder),
            config::Cache::Scratch => Cache::none(),
        };
        let folder = cache.scratch().context("cannot make a temporary folder")?;
        Ok(Store { cache, folder })
    }

    fn builds(&self) -> PathBuf {
        self.cache.builds().unwrap_or_else(|| self.folder.path().to_owned())
    }
}

type Outcome = Result<Compiled, String>;

/// The units of a build, each with what came of it and its name in reports.
struct Units<'a> {
    project: &'a Project,
    compiled: &'a [Outcome],
    names: Vec<String>,
}

fn compile(project: &Project, compiler: &Compiler<'_>, progress: &Progress) -> Vec<Outcome> {
    let stage = progress.stage("compiling", Some(project.sources.len() as u64));
    frontend::compile(&project.sources, compiler, |source: &Source| {
        stage.step(&source.path().to_string_lossy());
    })
}

/// The targets to analyse: those the user named, else all.
fn chosen_targets(
    project: &Project,
    compiled: &[Outcome],
    settings: &Settings,
) -> Result<Vec<Target>> {
    let mut targets = project.targets(compiled);
    named::retain(&mut targets, &settings.targets, project)?;
    if targets.is_empty() {
        bail!("the build has no target with C code in it{}", reasons(project, compiled, settings));
    }
    Ok(targets)
}

/// Why units are not there, as far as one line can tell.
fn reasons(project: &Project, compiled: &[Outcome], settings: &Settings) -> String {
    let sources = project.sources.iter().zip(compiled);
    let failed = sources.filter_map(|(s, c)| Some((s.path(), c.as_ref().err()?.as_str())));
    let skipped = project.build.skipped.iter().map(|s| (s.file.as_path(), s.reason.as_str()));
    let mut all = failed.chain(skipped);
    let Some((file, reason)) = all.next() else {
        return match project.build.notes.first() {
            Some(note) => format!(": {}: {}", note.subject, note.text),
            None => ": nothing to analyse".to_owned(),
        };
    };
    let more = match all.count() {
        0 => String::new(),
        rest => format!("; and {rest} more such"),
    };
    format!(": {}: {reason}{more}", report::shown_path(file, &settings.root))
}

/// What is left of a target's model when it has been looked at.
struct Modelled {
    size: Result<report::Model, String>,
    checked: Checked,
    /// The programs in which a library is judged, whether all of it is, and which of its functions they do not come to.
    judged_in: Vec<String>,
    is_judged_whole: bool,
    uncalled: Vec<String>,
    notes: Vec<String>,
    entries: Vec<String>,
    /// Why it is not clear which function is meant.
    ambiguous: Option<String>,
    dump: Dumped,
}

/// What looking at every target needs.
#[derive(Clone, Copy)]
struct Look<'a> {
    compiler: &'a Compiler<'a>,
    own_models: &'a [UserModel],
    share: &'a Share,
    settings: &'a Settings,
    cancel: &'a Cancel,
}

fn model(
    all: &Units<'_>,
    targets: &[Target],
    look: Look<'_>,
    progress: &Progress,
) -> Vec<Modelled> {
    let settings = look.settings;
    let stage = progress.stage("modelling", Some(targets.len() as u64));
    let deciding = progress.stage("deciding", Some(0));
    let library = Models::default();
    let one = |target: &Target| {
        let unit = |&unit: &usize| {
            Some((all.names.get(unit)?.clone(), all.compiled.get(unit)?.as_ref().ok()?))
        };
        let mut units: Vec<(String, &Compiled)> = target.units.iter().filter_map(unit).collect();
        let needed: Vec<_> = look.own_models.iter().filter(|own| own.is_for(&units)).collect();
        units.extend(
            needed.iter().map(|own| (report::shown_path(&own.file, &settings.root), &own.compiled)),
        );
        let units: Vec<(&str, &Compiled)> = units.iter().map(|(n, u)| (n.as_str(), *u)).collect();
        let modelled = match frontend::model(&target.name, &units, look.compiler, &library) {
            Ok(mut program) => {
                let _task = deciding.begin(&target.name);
                described::apply(&mut program, settings);
                report::follow_links(&mut program, &settings.root);
                let inner = judged::inner(target, targets, all.compiled, settings);
                look_at(&program, look, inner, &deciding)
            }
            Err(error) => Modelled {
                size: Err(error.to_string()),
                checked: Checked::default(),
                judged_in: Vec::new(),
                is_judged_whole: false,
                uncalled: Vec::new(),
                notes: Vec::new(),
                entries: Vec::new(),
                ambiguous: None,
                dump: Dumped::default(),
            },
        };
        stage.step(&target.name);
        modelled
    };
    let mut models: Vec<Modelled> = targets.par_iter().map(one).collect();
    judged::settle(targets, &mut models);
    models
}

/// Measures one model; later stages start here.
fn look_at(
    program: &Program,
    look: Look<'_>,
    inner: judged::Inner,
    deciding: &progress::Stage,
) -> Modelled {
    let Look { compiler, settings, cancel, .. } = look;
    debug_assert!(ir::verify(program).is_ok(), "what is put into a model keeps it well-formed");
    let mut uncalled =
        if inner.programs.is_empty() { Vec::new() } else { judged::visible(program) };
    uncalled.retain(|name| inner.is_whole || inner.functions.contains(name));
    let mut checked = if settings.dump.is_none() && !inner.is_whole {
        let mut settings = look.share.settings(settings);
        settings.judged_elsewhere = inner.functions;
        remembered::check(program, &settings, compiler.cache, deciding, cancel)
    } else {
        Checked::default()
    };
    // It may define or change anything.
    let does_more = |note: &String| [ir::FILE_ASSEMBLY, ir::RUN_BY_LOADER].contains(&note.as_str());
    checked.complete &= !program.notes.iter().any(does_more);
    let mut notes: Vec<String> = program.notes.clone();
    // What verdicts would rest on; a dump has none.
    notes.extend(settings.dump.is_none().then(|| described::assumed(program)).flatten());
    let found = |name: &&String| {
        program.func_by_name(name).is_some_and(|func| !program.funcs[func].blocks.is_empty())
    };
    Modelled {
        size: Ok(report::Model::of(program)),
        checked,
        uncalled,
        judged_in: inner.programs,
        is_judged_whole: inner.is_whole,
        notes,
        entries: settings.entries.iter().filter(found).cloned().collect(),
        ambiguous: settings.entries.iter().find_map(|name| entries::ambiguous(program, name)),
        dump: dump::dump(program, settings, cancel),
    }
}

/// The sources as reports name them.
fn shown(project: &Project, settings: &Settings) -> Vec<String> {
    let mut names = report::RealNames::default();
    project.sources.iter().map(|source| names.shown(source.path(), &settings.root)).collect()
}

/// Puts together what the stages found out.
fn assemble(
    units: &Units<'_>,
    targets: &[Target],
    models: Vec<Modelled>,
    cache: &Cache,
    settings: &Settings,
) -> Result<Report> {
    let Units { project, compiled, names } = units;
    for entry in &settings.entries {
        if !models.is_empty() && !models.iter().any(|model| model.entries.contains(entry)) {
            bail!("there is no function `{entry}` to start from");
        }
    }
    if let Some(ambiguous) = models.iter().find_map(|model| model.ambiguous.as_ref()) {
        bail!("{ambiguous}");
    }
    let dump = dumped(&models, targets, names, settings);
    let checked = !models.is_empty() && models.iter().all(|model| model.checked.complete);
    let dump_failed = models.iter().any(|model| model.dump.failed);
    let mut report = Report { dump, dump_failed, checked, ..Report::default() };
    report.notes.extend(settings.notes.iter().map(|text| note(None, text)));
    report.notes.extend(cache.trouble().map(|text| note(None, text)));
    report.notes.extend(project.build.notes.iter().map(|n| note(Some(&n.subject), &n.text)));
    for skipped in &project.build.skipped {
        let file = report::shown_path(&skipped.file, &settings.root);
        let reason = skipped.reason.clone();
        if skipped.is_c {
            report.failed.push(report::Failed { file, error: reason });
        } else {
            report.skipped.push(report::Skipped { file, reason });
        }
    }
    for (name, outcome) in names.iter().zip(*compiled) {
        if let Err(error) = outcome {
            report.failed.push(report::Failed { file: name.clone(), error: error.clone() });
        }
    }
    for (target, modelled) in targets.iter().zip(models) {
        let units = target.units.iter().filter_map(|&unit| names.get(unit));
        let mut unseen = Vec::new();
        for missing in &target.missing {
            let file = report::shown_path(missing, &settings.root);
            report.notes.push(note(Some(&target.name), &format!("{file} is not in the model")));
            // What is left out on purpose is listed as such.
            if !project.build.skipped.iter().any(|skipped| skipped.file == *missing) {
                unseen.push(file);
            }
        }
        report.notes.extend(modelled.notes.iter().map(|text| note(Some(&target.name), text)));
        report.paths += &modelled.checked.paths;
        report.obligations.extend(modelled.checked.obligations);
        report.invariants.extend(modelled.checked.invariants);
        report.states.extend(modelled.checked.states);
        report.targets.push(report::Target {
            name: target.name.clone(),
            kind: match target.kind {
                TargetKind::Program => report::TargetKind::Program,
                TargetKind::SharedLibrary | TargetKind::StaticLibrary | TargetKind::Objects => {
                    report::TargetKind::Library
                }
            },
            evidence: target.evidence.to_string(),
            entries: modelled.checked.entries,
            judged_in: modelled.judged_in,
            uncalled: modelled.uncalled,
            units: units.cloned().collect(),
            failure: modelled.size.as_ref().err().cloned(),
            model: modelled.size.ok(),
            missing: unseen,
        });
    }
    report.share_obligations();
    Ok(report)
}

fn note(about: Option<&str>, text: &str) -> report::Note {
    report::Note { about: about.map(str::to_owned), text: text.to_owned() }
}

fn dumped(
    models: &[Modelled],
    targets: &[Target],
    names: &[String],
    settings: &Settings,
) -> Option<String> {
    if settings.dump?.stage != Stage::Targets {
        return Some(models.iter().map(|model| model.dump.text.as_str()).collect());
    }
    let mut text = String::new();
    for target in targets {
        let evidence = target.evidence.to_string();
        let (name, evidence) = (report::one_line(&target.name), report::one_line(&evidence));
        text += &format!("{name} ({evidence})\n");
        for name in target.units.iter().filter_map(|&unit| names.get(unit)) {
            text += &format!("    {}\n", report::one_line(name));
        }
    }
    Some(text)
}
