//! From calls of tools to a [`Build`]: every call is taken apart and its product remembered by path, so that a later
//! link finds what its inputs were made of.
//!
//! Invariant: calls arrive in the order they ran; the last maker of a path is the one a later call sees.

use crate::{
    Build, Link, LinkKind, Note, Part, Skipped, Unit,
    command::{self, Command, Dropped, Mode},
    language::{HEADER, Language},
    linker::{Item, LinkLine},
    paths::{self, Paths},
    settle::is_probe,
    tool::{self, Tool},
    words,
};
use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    ffi::{OsStr, OsString},
    hash::{DefaultHasher, Hash, Hasher},
    path::{Path, PathBuf},
};

/// One call of a tool, as it was logged or listed.
#[derive(Debug, Clone, Default)]
pub(crate) struct Call {
    pub(crate) directory: PathBuf,
    /// The tool's name and its arguments.
    pub(crate) words: Vec<OsString>,
    /// The source that a database's entry is about, and the object it names.
    pub(crate) file: Option<PathBuf>,
    pub(crate) output: Option<PathBuf>,
    /// Include folders from the environment, as flags.
    pub(crate) environment: Vec<OsString>,
    /// Words that named existing files when the tool started; `None` if nobody looked.
    pub(crate) existing: Option<Vec<OsString>>,
}

/// Who made a file.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Maker {
    Unit(usize),
    Link(usize),
    Skipped(usize),
}

#[derive(Debug, Default)]
pub(crate) struct Assembly {
    pub(crate) build: Build,
    pub(crate) paths: Paths,
    pub(crate) makers: HashMap<PathBuf, Maker>,
    /// What is in each archive, by the members' names.
    pub(crate) members: HashMap<PathBuf, Vec<(OsString, Part)>>,
    /// Units by hash, to merge exact repetitions.
    known: HashMap<u64, Vec<usize>>,
    known_skips: HashMap<Skipped, usize>,
    dropped: BTreeMap<(String, &'static str), Example>,
}

#[derive(Debug)]
struct Example {
    text: String,
    first: PathBuf,
    units: usize,
}

/// Why a source cannot be analysed, or its name for clang.
type Checked<'a> = Result<Option<&'static str>, &'a str>;

impl Assembly {
    pub(crate) fn new(recorded: bool) -> Assembly {
        Assembly { build: Build { recorded, ..Build::default() }, ..Assembly::default() }
    }

    /// Takes one call in.
    pub(crate) fn call(&mut self, call: Call) {
        let inside = tool::peel(&call.words);
        let [program, arguments @ ..] = inside else { return };
        let (arguments, refused) = words::expand(arguments.to_vec(), &call.directory);
        for file in refused {
            self.note(&file.to_string_lossy(), "this response file cannot be read; left out");
        }
        let name = Path::new(program).file_name().unwrap_or(program);
        match tool::named(name) {
            Some(Tool::Archiver) => self.archive(&call, &arguments),
            Some(Tool::Linker) => {
                let line = LinkLine::of_ld(&arguments);
                self.link(&call.directory, line, Vec::new());
            }
            Some(Tool::Assembler) => self.assemble(&call, &arguments),
            Some(Tool::Objcopy) => self.objcopy(&call, &arguments),
            Some(Tool::Inner) => {}
            tool @ (Some(Tool::Compiler | Tool::CxxCompiler | Tool::Launcher) | None) => {
                let cxx = tool == Some(Tool::CxxCompiler);
                let mut command = command::parse(&arguments, &call.directory, cxx, &mut self.paths);
                command.flags.extend(call.environment.iter().cloned());
                if let Some(triple) = tool::cross_target(program) {
                    command.flags.insert(0, format!("--target={triple}").into());
                }
                command.fit_machine();
                self.compile(&call, command);
            }
        }
    }

    fn compile(&mut self, call: &Call, mut command: Command) {
        self.name_the_source(call, &mut command);
        match command.mode {
            Mode::Query | Mode::Preprocess => {}
            Mode::Check if self.build.recorded => {}
            Mode::Link => {
                let sources = command.line.items.clone();
                let product = command.line.output.as_deref().unwrap_or(OsStr::new("a.out"));
                let product = paths::absolute(&call.directory, product);
                let made = sources.iter().map(|item| match item {
                    Item::Source { path, language } => {
                        self.source(call, &command, path, *language, &product, None)
                    }
                    Item::File { .. } | Item::Library { .. } => None,
                });
                let made = made.collect();
                self.link(&call.directory, command.line, made);
            }
            Mode::Object | Mode::Assembly | Mode::Check => self.compile_only(call, command),
        }
    }

    /// A database's entry may name its source otherwise than the command does, or only beside it.
    fn name_the_source(&mut self, call: &Call, command: &mut Command) {
        let Some(file) = &call.file else { return };
        let key = self.paths.key(file);
        let line = &mut command.line;
        let named = line.items.iter().any(|item| match item {
            Item::Source { path, .. } | Item::File { path, .. } => {
                self.paths.key(&paths::absolute(&call.directory, path)) == key
            }
            Item::Library { .. } => false,
        });
        if !named {
            let language = Language::of_file(file).unwrap_or(Language::Other("no C by its name"));
            let only_files = |item: &Item| !matches!(item, Item::Source { .. });
            line.items.retain(only_files);
            line.items.push(Item::Source { path: file.into(), language });
        }
    }

    fn compile_only(&mut self, call: &Call, command: Command) {
        let items = command.line.items.clone();
        let is_source = |item: &&Item| matches!(item, Item::Source { .. });
        let several = items.iter().filter(is_source).count() > 1;
        let named = command.line.output.as_ref().filter(|_| !several);
        let named = named.map(|output| paths::absolute(&call.directory, output));
        let named = named.or_else(|| call.output.clone().filter(|_| !several));
        // Bear writes `cc a.c b.c -o prog` as one `-c -o prog` for each source.
        let linked = named.as_ref().filter(|output| {
            !self.build.recorded && command.mode == Mode::Object && !looks_like_object(output)
        });
        if let Some(output) = linked.cloned() {
            for item in &items {
                if let Item::Source { path, language } = item {
                    let made = self.source(call, &command, path, *language, &output, None);
                    self.link_of_pieces(&call.directory, &output, made, &items);
                }
            }
            return;
        }
        for item in &items {
            let Item::Source { path, language } = item else { continue };
            let output = named.clone().or_else(|| {
                let extension = if command.mode == Mode::Assembly { "s" } else { "o" };
                let name = Path::new(path).with_extension(extension);
                Some(call.directory.join(name.file_name()?))
            });
            let output = output
                .filter(|output| command.mode != Mode::Check && output != Path::new("/dev/null"));
            if output.is_none() && self.build.recorded {
                continue;
            }
            let product = output.clone().unwrap_or_default();
            let maker = self.source(call, &command, path, *language, &product, output.clone());
            if let (Some(maker), Some(output)) = (maker, output) {
                let key = self.paths.key(&output);
                self.makers.insert(key, maker);
            }
        }
    }

    /// Adds the unit of one source, or the reason why there is none. `product` is the file that came of it, alone or
    /// with others: in a recording, a source that is gone together with its product was a probe.
    fn source(
        &mut self,
        call: &Call,
        command: &Command,
        path: &OsStr,
        language: Language,
        product: &Path,
        output: Option<PathBuf>,
    ) -> Option<Maker> {
        if path == "-" || path == "/dev/null" || language == HEADER {
            return None;
        }
        let source = paths::absolute(&call.directory, path);
        let gone = || !(product.exists() || source.exists() && call.directory.exists());
        if self.build.recorded && (is_probe(&source, product) || gone()) {
            return None;
        }
        let key = self.paths.key(&source);
        if let Some(&maker) = self.makers.get(&key) {
            // The assembly of a unit compiled with -S before.
            if matches!(maker, Maker::Unit(_)) && matches!(language, Language::Other(_)) {
                return Some(maker);
            }
        }
        match self.check(&source, &call.directory, language) {
            Ok(as_language) => {
                let mut flags = command.flags.clone();
                flags.extend(as_language.into_iter().flat_map(|name| ["-x".into(), name.into()]));
                let directory = call.directory.clone();
                let unit = Unit { source, output, directory, flags };
                self.count_dropped(&command.dropped, &unit.source);
                Some(Maker::Unit(self.unit(unit)))
            }
            Err(reason) => {
                let is_c = !matches!(language, Language::Other(_));
                Some(Maker::Skipped(self.skip(source, reason.to_owned(), is_c, output)))
            }
        }
    }

    fn check<'a>(&mut self, source: &Path, directory: &Path, language: Language) -> Checked<'a> {
        if let Language::Other(what) = language {
            return Err(match what {
                "C++" => "C++ is not analysed",
                "assembly" => "assembly is not analysed",
                _ => "its language is not C",
            });
        }
        if self.paths.is_device(source) {
            return Err("a device, not a file");
        }
        match source.metadata() {
            Ok(metadata) if metadata.is_file() => {}
            Ok(_) => return Err("not a regular file"),
            Err(_) => return Err("not there; if the build generates it, build the project first"),
        }
        if !directory.is_dir() {
            return Err("the folder its command ran in is not there");
        }
        Ok(language.flag_for(source))
    }

    fn unit(&mut self, unit: Unit) -> usize {
        let mut hasher = DefaultHasher::new();
        unit.hash(&mut hasher);
        let same_hash = self.known.entry(hasher.finish()).or_default();
        let units = &mut self.build.units;
        let known = same_hash.iter().copied().find(|&index| units.get(index) == Some(&unit));
        known.unwrap_or_else(|| {
            units.push(unit);
            same_hash.push(units.len() - 1);
            units.len() - 1
        })
    }

    pub(crate) fn skip(
        &mut self,
        file: PathBuf,
        reason: String,
        is_c: bool,
        output: Option<PathBuf>,
    ) -> usize {
        let skipped = Skipped { file, reason, is_c, outputs: BTreeSet::new() };
        let list = &mut self.build.skipped;
        let index = *self.known_skips.entry(skipped.clone()).or_insert_with(|| {
            list.push(skipped);
            list.len() - 1
        });
        if let Some(known) = list.get_mut(index) {
            known.outputs.extend(output);
        }
        index
    }

    pub(crate) fn note(&mut self, subject: &str, text: &str) {
        let printable = |text: &str| text.chars().flat_map(printable).collect();
        self.build.notes.push(Note { subject: printable(subject), text: printable(text) });
    }

    fn count_dropped(&mut self, dropped: &[Dropped], source: &Path) {
        for Dropped { option, example, reason } in dropped {
            let entry = self.dropped.entry((option.clone(), reason)).or_insert_with(|| Example {
                text: example.clone(),
                first: source.to_owned(),
                units: 0,
            });
            entry.units += 1;
            // Calls of a parallel build arrive in any order; the example must not depend on it.
            if (source, example.as_str()) < (entry.first.as_path(), entry.text.as_str()) {
                (entry.first, entry.text) = (source.to_owned(), example.clone());
            }
        }
    }

    /// The build, with notes in a fixed order.
    pub(crate) fn finish(mut self) -> Build {
        for ((_, reason), Example { text, first, units }) in std::mem::take(&mut self.dropped) {
            let first = first.display();
            let others = match units {
                0 | 1 => format!("in {first}"),
                _ => format!("{units} times, first in {first}"),
            };
            self.note(&text, &format!("{reason}; dropped ({others})"));
        }
        self.build.notes.sort();
        self.build.notes.dedup();
        self.build
    }
}

/// Control characters in paths must not reach a terminal.
fn printable(character: char) -> impl Iterator<Item = char> {
    let control = character.is_control();
    let escaped = character.escape_default().filter(move |_| control);
    escaped.chain(Some(character).filter(move |_| !control))
}

/// By its name a compiled object rather than a linked file.
fn looks_like_object(path: &Path) -> bool {
    let extension = path.extension().and_then(OsStr::to_str).unwrap_or_default();
    matches!(
        extension,
        "o" | "obj" | "lo" | "bc" | "ll" | "os" | "od" | "oS" | "O" | "pico" | "sho" | "dyn_o"
    ) || extension.ends_with("_o")
        || extension.ends_with('o') && extension.len() <= 3 && extension != "so"
}

impl Part {
    pub(crate) fn maker(self) -> Maker {
        match self {
            Part::Unit(unit) => Maker::Unit(unit),
            Part::Link { link, .. } => Maker::Link(link),
            Part::Skipped(skipped) => Maker::Skipped(skipped),
        }
    }

    pub(crate) fn made_by(maker: Maker, whole: bool) -> Part {
        match maker {
            Maker::Unit(unit) => Part::Unit(unit),
            Maker::Link(link) => Part::Link { link, whole },
            Maker::Skipped(skipped) => Part::Skipped(skipped),
        }
    }
}

impl Assembly {
    /// Records what was linked from one source where a database splits a compile-and-link call.
    fn link_of_pieces(
        &mut self,
        directory: &Path,
        output: &Path,
        made: Option<Maker>,
        items: &[Item],
    ) {
        let key = self.paths.key(output);
        let mut parts: Vec<Part> =
            made.map(|maker| Part::made_by(maker, false)).into_iter().collect();
        let mut unknown = Vec::new();
        for item in items {
            if let Item::File { path, whole } = item {
                let path = paths::absolute(directory, path);
                match self.maker(&path) {
                    Some(maker) => parts.push(Part::made_by(maker, *whole)),
                    None => unknown.push(path),
                }
            }
        }
        if let Some(&Maker::Link(index)) = self.makers.get(&key)
            && let Some(link) = self.build.links.get_mut(index)
        {
            parts.retain(|part| !link.parts.contains(part));
            link.parts.extend(parts);
            return;
        }
        let name = output.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let kind = if name.contains(".so") { LinkKind::Shared } else { LinkKind::Executable };
        let link = Link { output: output.to_owned(), kind, parts, unknown, libraries: Vec::new() };
        self.build.links.push(link);
        self.makers.insert(key, Maker::Link(self.build.links.len() - 1));
    }
}
