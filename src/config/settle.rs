//! Settles a request into [`Settings`]: layers merged, contradictions refused, defaults filled in.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result, bail};

use super::file::{self, Trust};
use super::function;
use super::ignore::Ignore;
use super::input::{self, Input};
use super::layer::{Engine, Layer, When};
use super::nearest::nearest;
use super::outputs;
use super::property::{self, Property};
use super::settings::{Cache, Dump, DumpFormat, OutputPlace, Outputs, Settings, Stage};
use super::witness;
use crate::budgets;
use crate::rules::{RULES, Rule};

/// What the command line says.
#[derive(Clone, Debug, Default)]
pub struct Request {
    /// The PATHs.
    pub paths: Vec<PathBuf>,
    /// What follows `--`.
    pub command: Option<Vec<OsString>>,
    /// Called as `cargo cegas`: what follows `--` goes to `cargo build`.
    pub cargo: bool,
    /// The settings given as options.
    pub layer: Layer,
    /// `--affected-by`.
    pub affected_by: Vec<PathBuf>,
    /// `--property`.
    pub property: Option<PathBuf>,
    /// `--write-baseline`.
    pub write_baseline: Option<PathBuf>,
    /// `--diff-base`.
    pub diff_base: Option<String>,
    /// `--config`.
    pub config: Option<PathBuf>,
    /// `--check-proofs`.
    pub check_proofs: Option<PathBuf>,
    /// `--explain-path`.
    pub explain_path: bool,
    /// `--dump`.
    pub dump: Option<Stage>,
    /// `--dump-format`.
    pub dump_format: Option<DumpFormat>,
}

/// Settles a request made in the folder `cwd`.
pub fn settle(request: Request, cwd: &Path) -> Result<Settings> {
    let Request { paths, command, cargo, layer: options, config, dump, dump_format, .. } = request;
    let Request { affected_by, property, write_baseline, diff_base, .. } = request;
    let Request { explain_path, check_proofs, .. } = request;
    if let Some(contradiction) = options.contradiction() {
        bail!("{contradiction}");
    }
    let input = match (cargo, command) {
        (true, arguments) => Input::Cargo {
            dir: input::run_folder(&paths, cwd)?,
            arguments: arguments.unwrap_or_default(),
        },
        (false, Some(command)) if command.is_empty() => {
            bail!("nothing follows `--`; give the build command, as in `cegas-scan -- make`")
        }
        (false, Some(command)) => Input::Record { command, dir: input::run_folder(&paths, cwd)? },
        (false, None) => input::classify(&paths, cwd)?,
    };
    refuse_options_without_use(&input, &options)?;

    let base = input.base(cwd);
    let base = base.canonicalize().with_context(|| format!("cannot open {}", base.display()))?;
    let (settings_file, below) = match config {
        Some(named) => {
            let path = cwd.join(named);
            let layer = file::load(&path, Trust::Named)?;
            (Some(path), layer)
        }
        None => match file::find(&base) {
            Some(found) => {
                let layer = file::load(&found, Trust::Found)?;
                (Some(found), layer)
            }
            None => (None, Layer::default()),
        },
    };
    if let Some(file) = &settings_file {
        rules(&below.rules).with_context(|| file.display().to_string())?;
    }
    let also_read: Vec<PathBuf> =
        [&property, &check_proofs].into_iter().flatten().map(|path| cwd.join(path)).collect();
    let property = property.map(|path| property::load(&cwd.join(path))).transpose()?;
    if let Some(property) = &property {
        refuse_contradiction(property, &options)?;
    }
    let mut layer = seen_from(options, cwd).over(below);
    let Property { entry, rules: wanted, forbidden, frees_all, notes } =
        property.unwrap_or_default();
    if !entry.is_empty() {
        layer.entry = vec![entry];
        layer.rules = wanted.into_iter().map(str::to_owned).collect();
    }

    let outputs = Outputs {
        json: place(layer.json),
        sarif: place(layer.sarif),
        sarif_kinds: layer.sarif_kinds.unwrap_or_default(),
        sarif_category: layer.sarif_category.unwrap_or_else(|| "cegas-scan".to_owned()),
        sarif_keep_suppressed: layer.sarif_keep_suppressed,
        html: place(layer.html),
        junit: place(layer.junit),
        proofs: place(layer.proofs),
        annotations: layer.annotations,
        write_baseline: write_baseline.map(|path| cwd.join(path)),
    };
    if outputs.annotations && outputs.takes_stdout() {
        bail!(
            "--annotations and a report on `-` would both print to standard output; give the report a file"
        );
    }
    let dump = match (dump, dump_format) {
        (Some(stage), Some(DumpFormat::Dot)) if !stage.is_graph() => {
            bail!("--dump-format=dot is for stages that are graphs; this one is text only")
        }
        (Some(stage), format) => Some(Dump { stage, format: format.unwrap_or_default() }),
        (None, Some(_)) => bail!("--dump-format says how to print a dump; add --dump=STAGE"),
        (None, None) => None,
    };
    if dump.is_some() && outputs.takes_stdout() {
        bail!(
            "--dump and a report on `-` would both print to standard output; give the report a file"
        );
    }
    if explain_path && layer.engine != Some(Engine::Sse) {
        bail!("--explain-path prints the paths that are enumerated; add --engine=sse");
    }
    if explain_path && (dump.is_some() || outputs.takes_stdout()) {
        bail!("--explain-path prints to standard output; give the report a file and drop --dump");
    }
    let ignores = std::mem::take(&mut layer.ignore).into_iter();
    let written_in = settings_file.clone().unwrap_or_default();
    let ignores = ignores.map(|i| Ignore::new(i, &written_in)).collect::<Result<_>>()?;
    let functions = function::functions(std::mem::take(&mut layer.function), &written_in)?;
    let mut read: Vec<PathBuf> = functions.iter().filter_map(|f| f.model.clone()).collect();
    read.extend(settings_file.iter().cloned().chain(also_read));
    outputs::refuse_clashing(&outputs, &input, layer.baseline.as_deref(), &read)?;
    Ok(Settings {
        root: root(&base, &input, cwd),
        base,
        input,
        build_dir: layer.build_dir.map(existing_folder).transpose()?,
        targets: layer.target,
        affected_by: affected_by.iter().map(|file| real(cwd, file)).collect(),
        cflags: layer.cflags,
        entries: layer.entry,
        judged_elsewhere: BTreeSet::new(),
        jobs: jobs(layer.jobs)?,
        engine: layer.engine.unwrap_or_default(),
        given: check_proofs.map(|path| witness::load(&cwd.join(path))).transpose()?,
        explain_path,
        assertions: layer.assertions,
        malloc_may_fail: layer.malloc_may_fail,
        frees_all,
        null_arguments: layer.null_arguments,
        timeout: layer.timeout.map_or(Ok(budgets::OBLIGATION_TIME), |s| time("timeout", s))?,
        total_timeout: layer.total_timeout.map(|s| time("total-timeout", s)).transpose()?,
        target_time: None,
        functions,
        rules: rules(&layer.rules)?,
        forbidden,
        notes,
        fail_on: layer.fail_on.unwrap_or_default(),
        exit_zero: layer.exit_zero,
        baseline: layer.baseline,
        ignores,
        diff_base,
        outputs,
        quiet: layer.quiet,
        progress: if layer.quiet { When::Never } else { layer.progress.unwrap_or_default() },
        dump,
        cache: cache(layer.no_cache, layer.cache_dir)?,
        settings_file,
    })
}

/// The file itself, links followed; as it is written if it is not there (any more).
fn real(cwd: &Path, file: &Path) -> PathBuf {
    let path = cwd.join(file);
    path.canonicalize().unwrap_or(path)
}

/// An option that would silently do nothing is a misunderstanding worth a line.
fn refuse_options_without_use(input: &Input, options: &Layer) -> Result<()> {
    let project = matches!(input, Input::Project(_));
    if options.build_dir.is_some() && !project {
        bail!("--build-dir is for a project folder; here it would not be used");
    }
    if !options.cflags.is_empty() && !matches!(input, Input::Files(_)) {
        bail!("--cflags is for C files given by name; a project's flags come from its build");
    }
    Ok(())
}

/// A property says which rules and which entry: the command line may repeat it, not change it.
fn refuse_contradiction(property: &Property, options: &Layer) -> Result<()> {
    let (named, wanted) = (rules(&options.rules)?, &property.rules);
    let same = named.len() == wanted.len() && named.iter().all(|id| wanted.contains(id));
    if !options.rules.is_empty() && !same {
        bail!("--rules contradicts --property, which means {}; drop one", wanted.join(", "));
    }
    if options.entry.iter().any(|entry| *entry != property.entry) {
        bail!("--entry contradicts --property, which starts in `{}`; drop one", property.entry);
    }
    Ok(())
}

/// Paths typed on the command line are seen from the current folder.
fn seen_from(layer: Layer, cwd: &Path) -> Layer {
    let absolute = |path: PathBuf| if path.as_os_str() == "-" { path } else { cwd.join(path) };
    Layer {
        build_dir: layer.build_dir.map(absolute),
        cache_dir: layer.cache_dir.map(absolute),
        json: layer.json.map(absolute),
        sarif: layer.sarif.map(absolute),
        html: layer.html.map(absolute),
        junit: layer.junit.map(absolute),
        proofs: layer.proofs.map(absolute),
        baseline: layer.baseline.map(absolute),
        ..layer
    }
}

fn place(path: Option<PathBuf>) -> Option<OutputPlace> {
    path.map(|p| if p.as_os_str() == "-" { OutputPlace::Stdout } else { OutputPlace::File(p) })
}

fn existing_folder(path: PathBuf) -> Result<PathBuf> {
    let real = path
        .canonicalize()
        .with_context(|| format!("cannot open the build folder {}", path.display()))?;
    if !real.is_dir() {
        bail!("the build folder {} is not a folder", path.display());
    }
    Ok(real)
}

/// Sources below it are shown, and named as seen from it. A database in a build folder speaks of what lies beside that folder:
/// without a repository, the user's own folder is the root if the database is below it.
fn root(base: &Path, input: &Input, cwd: &Path) -> PathBuf {
    let here = || cwd.canonicalize().ok().filter(|here| base.starts_with(here));
    match (input::repository(base), input) {
        (Some(repository), _) => repository.to_owned(),
        (None, Input::Files(_)) => input.repository_of_files().unwrap_or_else(|| base.to_owned()),
        (None, Input::Database(_)) => here().unwrap_or_else(|| base.to_owned()),
        (None, _) => base.to_owned(),
    }
}

fn jobs(given: Option<NonZeroUsize>) -> Result<NonZeroUsize> {
    match given {
        Some(n) if n.get() > budgets::MOST_JOBS => {
            bail!("jobs: {n} is too many; the most is {}", budgets::MOST_JOBS)
        }
        Some(n) => Ok(n),
        // A machine that does not tell how many processors it has gets one worker.
        None => Ok(std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN)),
    }
}

fn time(key: &str, seconds: f64) -> Result<Duration> {
    let longest = budgets::LONGEST_TIME;
    match Duration::try_from_secs_f64(seconds) {
        Ok(time) if !time.is_zero() && time <= longest => Ok(time),
        _ => bail!(
            "{key}: {seconds} is not a number of seconds above 0 and up to {}",
            longest.as_secs()
        ),
    }
}

/// The selected rules in the table's order; naming none selects those that are on by default.
pub(super) fn rules(named: &[String]) -> Result<Vec<&'static str>> {
    for name in named {
        if !RULES.iter().any(|rule| rule.id == name) {
            let ids: Vec<_> = RULES.iter().map(|rule| rule.id).collect();
            let hint = match nearest(name, ids.iter().copied()) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("the rules are {}", ids.join(", ")),
            };
            bail!("there is no rule `{name}`; {hint}");
        }
    }
    let selected = |rule: &&Rule| match named {
        [] => rule.default,
        named => named.iter().any(|name| name == rule.id),
    };
    Ok(RULES.iter().filter(selected).map(|rule| rule.id).collect())
}

/// The cache's place: as told, else where the desktop's rules put caches.
fn cache(off: bool, told: Option<PathBuf>) -> Result<Cache> {
    if off {
        return Ok(Cache::Scratch);
    }
    let absolute = |name| std::env::var_os(name).map(PathBuf::from).filter(|p| p.is_absolute());
    told.or_else(|| absolute("XDG_CACHE_HOME").map(|dir| dir.join("cegas")))
        .or_else(|| std::env::home_dir().map(|home| home.join(".cache/cegas")))
        .filter(|dir| dir.is_absolute())
        .map(Cache::Kept)
        .context("there is no home folder for the cache; give --cache-dir=DIR or --no-cache")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settle_in(cwd: &Path, request: Request) -> Result<Settings, String> {
        settle(request, cwd).map_err(|e| format!("{e:#}"))
    }

    fn layer(change: impl FnOnce(&mut Layer)) -> Request {
        let mut request = Request::default();
        change(&mut request.layer);
        request
    }

    #[test]
    fn the_command_line_wins_over_the_file() {
        let top = tempfile::tempdir().unwrap();
        let cwd = top.path().canonicalize().unwrap();
        std::fs::write(cwd.join("cegas.toml"), "jobs = 3\ntimeout = 2.5\nquiet = true\n").unwrap();
        let settings = settle_in(&cwd, Request::default()).unwrap();
        assert_eq!((settings.jobs.get(), settings.quiet), (3, true));
        assert_eq!(settings.timeout, Duration::from_millis(2500));
        let request = layer(|l| {
            l.jobs = NonZeroUsize::new(5);
            l.progress = Some(When::Always);
        });
        let settings = settle_in(&cwd, request).unwrap();
        assert_eq!((settings.jobs.get(), settings.quiet), (5, false));
        assert_eq!(settings.progress, When::Always);
        assert_eq!(settings.rules.len(), RULES.iter().filter(|rule| rule.default).count());
        assert_eq!(settings.input, Input::Project(cwd));
    }

    #[test]
    fn what_cannot_be_meant_is_refused() {
        let top = tempfile::tempdir().unwrap();
        let cwd = top.path();
        std::fs::write(cwd.join("a.c"), "").unwrap();
        let refused = |request: Request, words: &str| {
            let message = settle_in(cwd, request).expect_err(words);
            assert!(message.contains(words), "{message}");
        };
        refused(layer(|l| l.timeout = Some(0.0)), "timeout: 0");
        refused(layer(|l| l.timeout = Some(f64::NAN)), "timeout: NaN");
        refused(layer(|l| l.timeout = Some(1e300)), "timeout");
        refused(layer(|l| l.jobs = NonZeroUsize::new(1 << 20)), "too many");
        refused(layer(|l| l.rules = vec!["leek".into()]), "did you mean `leak`?");
        refused(layer(|l| l.cflags = vec!["-DX".into()]), "--cflags is for C files");
        refused(layer(|l| l.build_dir = Some("missing".into())), "cannot open the build folder");
        refused(
            layer(|l| {
                l.json = Some("x".into());
                l.sarif = Some("x".into());
            }),
            "same output",
        );
        std::fs::create_dir(cwd.join("d")).unwrap();
        std::os::unix::fs::symlink("x", cwd.join("link")).unwrap();
        for other in ["d/../x", "./x", "link"] {
            std::fs::write(cwd.join("x"), "").unwrap();
            refused(
                layer(|l| {
                    l.json = Some("x".into());
                    l.sarif = Some(other.into());
                }),
                "same output",
            );
        }
        refused(
            Request { write_baseline: Some("-".into()), ..Request::default() },
            "--write-baseline needs the name of a file",
        );
        std::fs::write(cwd.join("cegas.toml"), "rules = 'leek'\n").unwrap();
        refused(Request::default(), "cegas.toml: there is no rule `leek`");
        std::fs::write(cwd.join("cegas.toml"), "rules = 'leak'\n").unwrap();
        refused(layer(|l| l.json = Some("cegas.toml".into())), "cegas.toml is read by the scan");
        let mut over_source = layer(|l| l.json = Some("a.c".into()));
        over_source.paths = vec!["a.c".into()];
        refused(over_source, "no report can be written over it");
        refused(Request { command: Some(vec![]), ..Request::default() }, "nothing follows `--`");
        refused(
            Request { dump_format: Some(DumpFormat::Dot), ..Request::default() },
            "add --dump=STAGE",
        );
    }
}
