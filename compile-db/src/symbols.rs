//! Targets by symbols, where nothing else tells: each `main` with what an archive linker would pull in.
//!
//! Invariant: a unit is pulled in only for a symbol that is still undefined, so two copies of one file do not meet
//! in one program unless both are needed.

use crate::{
    Build, LinkKind, Part,
    targets::{self, Evidence, Target, TargetKind},
};
use std::{
    cmp::Reverse,
    collections::{BTreeSet, HashMap, HashSet, VecDeque},
    ffi::OsStr,
    os::unix::ffi::OsStrExt,
    path::PathBuf,
};

/// The external symbols of a compiled unit.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Symbols {
    /// Strong definitions, common ones among them.
    pub defined: Vec<String>,
    /// Weak definitions: kept out by a strong one.
    pub weak: Vec<String>,
    pub undefined: Vec<String>,
}

impl Symbols {
    fn definitions(&self) -> impl Iterator<Item = &str> {
        self.defined.iter().chain(&self.weak).map(String::as_str)
    }
}

/// The targets of a build by its units' symbols (`None` for a unit that did not compile).
///
/// Each `main` makes a program; a compile-and-link command of the database starts one with all its sources. What no
/// program takes is one library.
pub fn targets_by_symbols(build: &Build, symbols: &[Option<Symbols>]) -> Vec<Target> {
    let index = Index::new(build, symbols);
    let mut targets = Vec::new();
    let mut files = Vec::new();
    let mut linked = HashSet::new();
    for link in &build.links {
        let units = link.parts.iter().filter_map(|part| match *part {
            Part::Unit(unit) => Some(unit),
            Part::Link { .. } | Part::Skipped(_) => None,
        });
        let seeds: Vec<usize> = units.collect();
        if seeds.is_empty() || link.kind == LinkKind::Archive || link.kind == LinkKind::Relocatable
        {
            continue;
        }
        linked.extend(seeds.iter().copied());
        let kind = match link.kind {
            LinkKind::Shared => TargetKind::SharedLibrary,
            LinkKind::Executable | LinkKind::Archive | LinkKind::Relocatable => TargetKind::Program,
        };
        files.push(link.output.clone());
        targets.push(index.target(kind, seeds, Evidence::Command { output: link.output.clone() }));
    }
    for &main in index.definers.get("main").into_iter().flatten() {
        if !linked.contains(&main) {
            files.push(program_file(build, main));
            targets.push(index.target(TargetKind::Program, vec![main], Evidence::Symbols));
        }
    }
    targets::name_by_files(&mut targets, &files);
    targets::complete(build, targets, "library")
}

/// What a linker would call the program: its object's file without the extension.
fn program_file(build: &Build, main: usize) -> PathBuf {
    let unit = build.units.get(main);
    let file = unit.map(|unit| unit.output.as_ref().unwrap_or(&unit.source).clone());
    let mut file = file.unwrap_or_default();
    // CMake calls objects `main.c.o`, libtool `main.lo`.
    let of_an_object = |extension: &OsStr| ["o", "lo", "obj", "c"].iter().any(|&e| extension == e);
    while file.extension().is_some_and(of_an_object) {
        file.set_extension("");
    }
    file
}

struct Index<'a> {
    build: &'a Build,
    symbols: &'a [Option<Symbols>],
    /// Which units define a symbol, in order.
    definers: HashMap<&'a str, Vec<usize>>,
    macros: Vec<BTreeSet<&'a OsStr>>,
}

impl<'a> Index<'a> {
    fn new(build: &'a Build, symbols: &'a [Option<Symbols>]) -> Index<'a> {
        let mut definers: HashMap<&str, Vec<usize>> = HashMap::new();
        for (unit, symbols) in symbols.iter().enumerate().take(build.units.len()) {
            for name in symbols.iter().flat_map(Symbols::definitions) {
                definers.entry(name).or_default().push(unit);
            }
        }
        let is_macro = |flag: &&OsStr| flag.as_bytes().starts_with(b"-D");
        let macros = build.units.iter();
        let macros =
            macros.map(|unit| unit.flags.iter().map(|f| f.as_os_str()).filter(is_macro).collect());
        Index { build, symbols, definers, macros: macros.collect() }
    }

    fn symbols(&self, unit: usize) -> Option<&'a Symbols> {
        self.symbols.get(unit)?.as_ref()
    }

    fn defines_main(&self, unit: usize) -> bool {
        self.symbols(unit).is_some_and(|symbols| symbols.definitions().any(|name| name == "main"))
    }

    fn target(&self, kind: TargetKind, seeds: Vec<usize>, evidence: Evidence) -> Target {
        let mut linking = Linking::default();
        let required = seeds.len();
        seeds.into_iter().for_each(|unit| linking.add(unit, self.symbols(unit)));
        // Symbols that several units define wait until the rest is in: what else is linked often settles them.
        let mut doubtful = VecDeque::new();
        loop {
            let (wanted, certain) = match linking.next_wanted() {
                Some(wanted) => (wanted, true),
                None => match doubtful.pop_front() {
                    Some(wanted) => (wanted, false),
                    None => break,
                },
            };
            if linking.defined.contains(wanted.name) {
                continue;
            }
            let candidates = self.definers.get(wanted.name).into_iter().flatten().copied();
            let candidates: Vec<usize> =
                candidates.filter(|&unit| !self.defines_main(unit)).collect();
            if certain && candidates.len() > 1 {
                doubtful.push_back(wanted);
                continue;
            }
            let rank = |unit: &usize| self.rank(*unit, wanted, &linking);
            if let Some(unit) = candidates.into_iter().min_by_key(rank) {
                linking.add(unit, self.symbols(unit));
            }
        }
        let units = linking.units;
        let from_archives = units.get(required..).unwrap_or_default().to_vec();
        Target { name: String::new(), kind, units, from_archives, missing: Vec::new(), evidence }
    }

    /// Which of several definitions of a symbol a build would have meant: one that is not weak, clashes with nothing, was
    /// compiled with macros that the program has already, lies near the unit that asks, and drags the least along.
    fn rank(&self, unit: usize, wanted: Wanted<'_>, linking: &Linking<'a>) -> impl Ord + use<> {
        let symbols = self.symbols(unit);
        let strong = || symbols.into_iter().flat_map(|symbols| &symbols.defined);
        let weak = !strong().any(|name| name == wanted.name);
        let clashes = strong().filter(|name| linking.defined.contains(name.as_str())).count();
        let undefined = symbols.into_iter().flat_map(|symbols| &symbols.undefined);
        let dragged = undefined.filter(|name| {
            !linking.defined.contains(name.as_str()) && self.definers.contains_key(name.as_str())
        });
        let macros = linking.units.iter().map(|&other| self.distance(unit, other)).min();
        let near = Reverse(self.nearness(unit, wanted.by));
        (weak, clashes, macros, near, dragged.count(), unit)
    }

    fn distance(&self, unit: usize, other: usize) -> usize {
        match (self.macros.get(unit), self.macros.get(other)) {
            (Some(these), Some(those)) => these.symmetric_difference(those).count(),
            _ => 0,
        }
    }

    /// How many folders the objects of two units share.
    fn nearness(&self, unit: usize, other: usize) -> usize {
        let object = |unit: usize| {
            let unit = self.build.units.get(unit)?;
            unit.output.as_ref().unwrap_or(&unit.source).parent()
        };
        match (object(unit), object(other)) {
            (Some(this), Some(that)) => this.iter().zip(that).take_while(|(a, b)| a == b).count(),
            _ => 0,
        }
    }
}

/// A symbol, and the unit that asked for it first.
#[derive(Clone, Copy)]
struct Wanted<'a> {
    name: &'a str,
    by: usize,
}

/// A link under way.
#[derive(Default)]
struct Linking<'a> {
    units: Vec<usize>,
    defined: HashSet<&'a str>,
    asked: HashSet<&'a str>,
    wanted: VecDeque<Wanted<'a>>,
}

impl<'a> Linking<'a> {
    fn add(&mut self, unit: usize, symbols: Option<&'a Symbols>) {
        self.units.push(unit);
        if let Some(symbols) = symbols {
            self.defined.extend(symbols.definitions());
            let wanted = symbols.undefined.iter();
            self.wanted.extend(wanted.map(|name| Wanted { name: name.as_str(), by: unit }));
        }
    }

    /// The next symbol that is asked for and not there. Each is tried once: who has it does not change.
    fn next_wanted(&mut self) -> Option<Wanted<'a>> {
        loop {
            let wanted = self.wanted.pop_front()?;
            if self.asked.insert(wanted.name) && !self.defined.contains(wanted.name) {
                return Some(wanted);
            }
        }
    }
}

/// Takes of a target's archive members only those a linker would.
pub(crate) fn prune(target: &mut Target, symbols: &[Option<Symbols>]) {
    let of = |unit: usize| symbols.get(unit).and_then(Option::as_ref);
    let optional: HashSet<usize> = target.from_archives.iter().copied().collect();
    let mut definers: HashMap<&str, usize> = HashMap::new();
    let mut linking = Linking::default();
    for &unit in &target.units {
        match of(unit) {
            Some(symbols) if optional.contains(&unit) => {
                for name in symbols.definitions() {
                    definers.entry(name).or_insert(unit);
                }
            }
            // What did not compile stays, so that the report can say so.
            symbols => linking.add(unit, symbols),
        }
    }
    let mut taken: HashSet<usize> = linking.units.iter().copied().collect();
    // A program whose `main` is in an archive: the start code asks for it.
    if target.kind == TargetKind::Program {
        linking.wanted.push_front(Wanted { name: "main", by: 0 });
    }
    while let Some(wanted) = linking.next_wanted() {
        if let Some(&unit) = definers.get(wanted.name)
            && taken.insert(unit)
        {
            linking.add(unit, of(unit));
        }
    }
    target.units.retain(|unit| taken.contains(unit));
    target.from_archives.retain(|unit| taken.contains(unit));
}
