//! Which units make which program.
//!
//! The best evidence wins: CMake's own account, else the links that were recorded, else what `link.txt` or
//! `build.ninja` say; [`targets_by_symbols`](crate::targets_by_symbols) is for when there is none.
//! Invariant: every unit, or its twin that differs only in being position-independent, is in at least one target; a
//! target's units stand in link order.

use crate::{Build, Link, LinkKind, Part, Unit, file_api, link_scripts, symbols};
use std::{
    collections::{BTreeMap, HashMap, HashSet},
    ffi::{OsStr, OsString},
    fmt,
    path::{Path, PathBuf},
};

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TargetKind {
    Program,
    SharedLibrary,
    StaticLibrary,
    /// Units that nothing was seen to link.
    Objects,
}

/// How we know that these units belong together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Evidence {
    CmakeFileApi {
        build_dir: PathBuf,
    },
    RecordedLink {
        output: PathBuf,
    },
    LinkTxt {
        file: PathBuf,
    },
    BuildNinja {
        file: PathBuf,
    },
    /// A compile-and-link command of the database, completed by symbols.
    Command {
        output: PathBuf,
    },
    Symbols,
    /// The user named the files one by one.
    Named,
    /// Nothing links them: they are what is left.
    LeftOver,
}

impl fmt::Display for Evidence {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Evidence::CmakeFileApi { build_dir } => {
                write!(formatter, "CMake's file API in {}", build_dir.display())
            }
            Evidence::RecordedLink { output } => {
                write!(formatter, "the recorded link of {}", output.display())
            }
            Evidence::LinkTxt { file } | Evidence::BuildNinja { file } => {
                write!(formatter, "{}", file.display())
            }
            Evidence::Command { output } => {
                write!(
                    formatter,
                    "the command that makes {}, completed by symbols",
                    output.display()
                )
            }
            Evidence::Symbols => write!(formatter, "symbols: what an archive linker would pull in"),
            Evidence::Named => write!(formatter, "the files you named"),
            Evidence::LeftOver => write!(formatter, "no program or library takes these units"),
        }
    }
}

/// A program or library: units that are analysed as one whole.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    pub name: String,
    pub kind: TargetKind,
    /// Indices into [`Build::units`].
    pub units: Vec<usize>,
    /// Those of `units` that come only from archives: a linker takes them if they are needed. See [`Target::prune`].
    pub from_archives: Vec<usize>,
    /// Inputs that are not analysed: C++ or assembly, or objects that nobody was seen to compile.
    pub missing: Vec<PathBuf>,
    pub evidence: Evidence,
}

impl Target {
    /// Leaves out units from archives that a linker would not take; `symbols` as in
    /// [`targets_by_symbols`](crate::targets_by_symbols).
    pub fn prune(&mut self, symbols: &[Option<crate::Symbols>]) {
        symbols::prune(self, symbols);
    }
}

/// The targets of a build by the best evidence there is; `None` if only symbols can tell.
///
/// `database` is where the build was read from: CMake's files are looked for beside it.
pub fn targets(build: &Build, database: Option<&Path>) -> Option<Vec<Target>> {
    let folder = database.and_then(Path::parent);
    let targets = folder
        .and_then(|folder| file_api::find_targets(build, folder))
        .or_else(|| recorded(build))
        .or_else(|| folder.and_then(|folder| link_scripts::find_targets(build, folder)))?;
    Some(complete(build, targets, "other-units"))
}

fn recorded(build: &Build) -> Option<Vec<Target>> {
    let made = |link: &Link| Evidence::RecordedLink { output: link.output.clone() };
    let targets = of_links(build, &build.links, |_, link| (None, made(link)));
    (build.recorded && !targets.is_empty()).then_some(targets)
}

/// One target for each link that holds units, or that was seen and holds what nobody was seen to make: whatever is
/// in there, it is not analysed. `describe` gives a name, if it has a better one than the file's, and
/// the evidence.
pub(crate) fn of_links(
    build: &Build,
    links: &[Link],
    describe: impl Fn(usize, &Link) -> (Option<String>, Evidence),
) -> Vec<Target> {
    let mut targets = Vec::new();
    let mut outputs = Vec::new();
    for (index, link) in links.iter().enumerate() {
        let kind = match link.kind {
            LinkKind::Executable => TargetKind::Program,
            LinkKind::Shared => TargetKind::SharedLibrary,
            LinkKind::Archive => TargetKind::StaticLibrary,
            // A step on the way; if it is the end of the way its units are left over.
            LinkKind::Relocatable => continue,
        };
        let mut closure = Closure::new(build, links);
        closure.seen.insert((index, true));
        closure.add_all(link);
        let units = closure.units;
        if units.is_empty() && !(build.recorded && closure.unseen) {
            continue;
        }
        let from_archives = units.iter().copied().filter(|unit| !closure.required.contains(unit));
        let from_archives = from_archives.collect();
        closure.missing.sort();
        closure.missing.dedup();
        let (name, evidence) = describe(index, link);
        outputs.push(link.output.clone());
        let name = name.unwrap_or_default();
        targets.push(Target {
            name,
            kind,
            units,
            from_archives,
            missing: closure.missing,
            evidence,
        });
    }
    name_by_files(&mut targets, &outputs);
    targets
}

struct Closure<'a> {
    build: &'a Build,
    links: &'a [Link],
    seen: HashSet<(usize, bool)>,
    units: Vec<usize>,
    known: HashSet<usize>,
    required: HashSet<usize>,
    missing: Vec<PathBuf>,
    /// Some of `missing` was never seen compiled.
    unseen: bool,
}

impl<'a> Closure<'a> {
    fn new(build: &'a Build, links: &'a [Link]) -> Closure<'a> {
        let (seen, units, known) = (HashSet::new(), Vec::new(), HashSet::new());
        let (required, missing, unseen) = (HashSet::new(), Vec::new(), false);
        Closure { build, links, seen, units, known, required, missing, unseen }
    }

    fn add_unknown(&mut self, link: &Link) {
        self.unseen |= !link.unknown.is_empty();
        self.missing.extend(link.unknown.iter().cloned());
    }

    /// Everything in a link, in the order a linker sees it. A list of open links, not recursion: chains of archives come
    /// from files of the project and may be of any length.
    fn add_all(&mut self, root: &'a Link) {
        self.add_unknown(root);
        // Each open link's remaining parts, and whether they are in for sure or only if they are needed.
        let mut open = vec![(root.parts.iter(), true)];
        while let Some((parts, required)) = open.last_mut() {
            let required = *required;
            let Some(part) = parts.next() else {
                open.pop();
                continue;
            };
            match *part {
                Part::Unit(unit) => {
                    if unit < self.build.units.len() && self.known.insert(unit) {
                        self.units.push(unit);
                    }
                    if required {
                        self.required.insert(unit);
                    }
                }
                Part::Skipped(skipped) => {
                    let skipped = self.build.skipped.get(skipped);
                    self.missing.extend(skipped.map(|skipped| skipped.file.clone()));
                }
                Part::Link { link, whole } => {
                    let Some(inner) = self.links.get(link) else { continue };
                    // Of an archive in the line, members are taken as needed; everything else is taken whole.
                    let inside = match inner.kind {
                        LinkKind::Archive => whole && required,
                        LinkKind::Executable | LinkKind::Shared | LinkKind::Relocatable => required,
                    };
                    if self.seen.insert((link, inside)) {
                        self.add_unknown(inner);
                        open.push((inner.parts.iter(), inside));
                    }
                }
            }
        }
    }
}

/// Adds what no target has under the name `rest`, so that nothing the build compiles is lost, and gives every target a
/// name of its own.
pub(crate) fn complete(build: &Build, mut targets: Vec<Target>, rest: &str) -> Vec<Target> {
    let taken: HashSet<usize> =
        targets.iter().flat_map(|target| target.units.iter().copied()).collect();
    // libtool compiles everything twice and often links one of the two only: the other is the same program text.
    let twins: HashSet<_> =
        taken.iter().filter_map(|&unit| build.units.get(unit).map(text)).collect();
    let left = build
        .units
        .iter()
        .enumerate()
        .filter(|(index, unit)| !taken.contains(index) && !twins.contains(&text(unit)));
    let units: Vec<usize> = left.map(|(index, _)| index).collect();
    if !units.is_empty() {
        targets.push(Target {
            name: rest.to_owned(),
            kind: TargetKind::Objects,
            units,
            from_archives: Vec::new(),
            missing: Vec::new(),
            evidence: Evidence::LeftOver,
        });
    }
    make_names_unique(&mut targets);
    targets
}

/// What a unit compiles, whatever the addressing of its code.
fn text(unit: &Unit) -> (&Path, &Path, Vec<&OsStr>) {
    const ADDRESSING: [&str; 5] = ["-fPIC", "-fpic", "-fPIE", "-fpie", "-DPIC"];
    let flags = unit.flags.iter().map(OsString::as_os_str);
    let flags = flags.filter(|flag| !ADDRESSING.iter().any(|addressing| flag == addressing));
    (&unit.source, &unit.directory, flags.collect())
}

/// Names targets without a name by their file, with as many folders as it takes to tell the files apart. Targets of the
/// same file get the same name.
pub(crate) fn name_by_files(targets: &mut [Target], files: &[PathBuf]) {
    const MOST_FOLDERS: usize = 64;
    for depth in 1..MOST_FOLDERS {
        let mut users: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        for (index, (target, file)) in targets.iter().zip(files).enumerate() {
            if target.name.is_empty() {
                users.entry(last_components(file, depth)).or_default().push(index);
            }
        }
        if users.is_empty() {
            return;
        }
        for (name, users) in users {
            let mut named = users.iter().filter_map(|&user| files.get(user));
            let first = named.next();
            let one_file = named.all(|file| Some(file) == first);
            if one_file || depth + 1 == MOST_FOLDERS {
                for user in users {
                    if let Some(target) = targets.get_mut(user) {
                        target.name.clone_from(&name);
                    }
                }
            }
        }
    }
}

/// A target is chosen by its name: one file compiled with other macros makes `m`, `m-2`, `m-3`.
fn make_names_unique(targets: &mut [Target]) {
    let mut taken: HashSet<String> = targets.iter().map(|target| target.name.clone()).collect();
    // How many targets have each name.
    let mut users: HashMap<String, usize> = HashMap::new();
    for target in targets {
        if target.name.is_empty() {
            "unnamed".clone_into(&mut target.name);
        }
        let users = users.entry(target.name.clone()).or_insert(0);
        *users += 1;
        while *users > 1 {
            let numbered = format!("{}-{users}", target.name);
            if taken.insert(numbered.clone()) {
                target.name = numbered;
                break;
            }
            *users += 1;
        }
    }
}

fn last_components(path: &Path, count: usize) -> String {
    let components: Vec<_> = path.iter().collect();
    let from = components.len().saturating_sub(count);
    let tail: PathBuf = components.get(from..).unwrap_or_default().iter().collect();
    tail.to_string_lossy().into_owned()
}
