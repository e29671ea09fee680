//! One call of a compiler driver, taken apart: what it makes, of which inputs, with which flags.
//!
//! Invariant: `flags` holds only what the table in `options.rs` allows, in the command's order, paths as written
//! (relative to the command's directory); no flag starts with `@`, which clang would read as a response file.

use crate::{
    language::{CXX, Language},
    linker::{Item, LinkLine},
    options::{self, Act, Shape, Special},
    paths::Paths,
};
use std::{
    ffi::{OsStr, OsString},
    os::unix::ffi::{OsStrExt, OsStringExt},
    path::Path,
};

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(crate) enum Mode {
    /// Compile what is a source, then link.
    #[default]
    Link,
    Object,
    Assembly,
    /// `-fsyntax-only`: makes nothing.
    Check,
    /// `-E`, `-M`: makes text.
    Preprocess,
    /// `--version` and the like.
    Query,
}

/// A flag that clang will not see, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Dropped {
    /// What notes are grouped by: the option without its value.
    pub(crate) option: String,
    pub(crate) example: String,
    pub(crate) reason: &'static str,
}

#[derive(Debug, Default)]
pub(crate) struct Command {
    pub(crate) mode: Mode,
    pub(crate) flags: Vec<OsString>,
    pub(crate) dropped: Vec<Dropped>,
    pub(crate) line: LinkLine,
    /// A `-cc1` call: the inside of a driver call that was perhaps logged as well.
    pub(crate) inner: bool,
}

const UNKNOWN: &str = "not known here";
const DEVICE: &str = "names a device, not a file";
const GCC_HEADERS: &str = "clang's own headers take the place of gcc's";
const OTHER_STANDARD: &str = "not a C standard that clang knows";

impl Command {
    /// What the flags mean on the machine that is compiled for, `--target` or else this one: gcc's `-mcpu=` for x86 is
    /// an old name of `-mtune=`, and clang refuses it.
    pub(crate) fn fit_machine(&mut self) {
        let named =
            self.flags.iter().rev().find_map(|flag| flag.to_str()?.strip_prefix("--target="));
        let machine = named.and_then(|triple| triple.split('-').next());
        let machine = machine.unwrap_or(std::env::consts::ARCH);
        if matches!(machine, "x86_64" | "amd64" | "x86" | "i386" | "i486" | "i586" | "i686") {
            self.flags.retain(|flag| !flag.as_bytes().starts_with(b"-mcpu="));
        }
    }
}

struct Parser<'a> {
    command: Command,
    directory: &'a Path,
    paths: &'a mut Paths,
    /// The last `-x`.
    language: Option<Language>,
    cxx: bool,
}

/// Takes a driver call apart. `arguments` come without the compiler's name and with response files expanded.
pub(crate) fn parse(
    arguments: &[OsString],
    directory: &Path,
    cxx: bool,
    paths: &mut Paths,
) -> Command {
    let inner = arguments.first().is_some_and(|first| first == "-cc1");
    let command = Command { inner, ..Command::default() };
    let mut parser = Parser { command, directory, paths, language: None, cxx };
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        parser.argument(argument, &mut rest);
    }
    parser.finish()
}

impl Parser<'_> {
    fn argument<'b>(&mut self, argument: &OsStr, rest: &mut impl Iterator<Item = &'b OsString>) {
        let bytes = argument.as_bytes();
        if !bytes.starts_with(b"-") || bytes == b"-" {
            return self.input(argument);
        }
        if self.command.inner && bytes == b"-triple" {
            return self.keep(
                "--target",
                Shape::Separate,
                rest.next().map_or(OsStr::new(""), |v| v),
            );
        }
        let Some((name, shape, act)) = options::lookup(bytes) else {
            let option = bytes.split(|&byte| byte == b'=').next().unwrap_or(bytes);
            return self.drop_flag(&OsStr::from_bytes(option).to_string_lossy(), argument, UNKNOWN);
        };
        let joined = bytes.get(name.len()..).unwrap_or_default();
        let value = match shape {
            Shape::Alone => OsString::new(),
            Shape::Joined => OsString::from_vec(joined.to_vec()),
            Shape::Either if !joined.is_empty() => OsString::from_vec(joined.to_vec()),
            // An option at the very end that lacks its argument is an error for gcc; here it is nothing.
            Shape::Separate | Shape::Either => match rest.next() {
                Some(value) => value.clone(),
                None => return,
            },
        };
        match act {
            Act::Quiet => {}
            Act::Note(reason) => {
                let mut example = OsString::from(name);
                if shape == Shape::Separate {
                    example.push(" ");
                }
                example.push(&value);
                self.drop_flag(name, &example, reason);
            }
            Act::Rename(other) if shape == Shape::Alone => self.command.flags.push(other.into()),
            // Without a value the other spelling would take the next argument for it.
            Act::Rename(_) if value.is_empty() => {}
            Act::Rename(other) => {
                let mut spelled = OsString::from(other);
                spelled.push(&value);
                self.argument(&spelled, rest);
            }
            Act::Keep => self.keep(name, shape, &value),
            Act::Path => self.path(name, shape, &value),
            Act::Special(special) => self.special(special, name, &value, rest),
        }
    }

    fn special<'b>(
        &mut self,
        special: Special,
        name: &'static str,
        value: &OsStr,
        rest: &mut impl Iterator<Item = &'b OsString>,
    ) {
        // gcc lets the stage that stops earliest win, whatever the order.
        let mode = |command: &mut Command, mode: Mode| command.mode = command.mode.max(mode);
        match special {
            Special::Output => self.command.line.output = Some(value.to_owned()),
            Special::Language => self.language = Language::named(value),
            Special::Object => mode(&mut self.command, Mode::Object),
            Special::Assembly => mode(&mut self.command, Mode::Assembly),
            Special::Preprocess => mode(&mut self.command, Mode::Preprocess),
            Special::Check => mode(&mut self.command, Mode::Check),
            Special::Query => mode(&mut self.command, Mode::Query),
            Special::Include => self.include(name, value),
            Special::Standard => self.standard(value),
            Special::StandardIncludes => self.command.flags.push("-nostdlibinc".into()),
            Special::Xclang => self.xclang(value, rest),
            Special::Xpreprocessor => self.preprocessor(value, rest),
            Special::PreprocessorList => {
                let words: Vec<OsString> = commas(value);
                let mut words = words.iter();
                while let Some(word) = words.next() {
                    self.preprocessor(word, &mut words);
                }
            }
            Special::Xlinker => self.command.line.take(value),
            Special::LinkerList => {
                commas(value).iter().for_each(|word| self.command.line.take(word));
            }
            Special::Library => self.command.line.add_library(value),
            Special::LibraryFolder => self.command.line.folders.push(value.to_owned()),
            Special::Shared => self.command.line.shared = true,
            Special::Static => self.command.line.archives_only = true,
            Special::Relocatable => self.command.line.relocatable = true,
            Special::FloatUnit if value == "sse" => {}
            Special::FloatUnit => self.drop_flag(name, value, UNKNOWN),
            Special::NoAlignDouble => self.command.flags.retain(|flag| flag != "-malign-double"),
        }
    }

    fn input(&mut self, path: &OsStr) {
        let language = self.language.or_else(|| Language::of_file(Path::new(path)));
        match language {
            Some(language) => {
                // g++ reads `.c` as C++.
                let language = if self.cxx && self.language.is_none() && language == Language::C {
                    CXX
                } else {
                    language
                };
                self.command.line.items.push(Item::Source { path: path.to_owned(), language });
            }
            None => self.command.line.add_file(path),
        }
    }

    /// Emits a kept option, joined where both forms exist: a joined value is never taken for something else.
    fn keep(&mut self, name: &str, shape: Shape, value: &OsStr) {
        match shape {
            Shape::Alone => self.command.flags.push(name.into()),
            // `-D ''`: without a value clang would take the next flag for it.
            Shape::Either if value.is_empty() => {}
            Shape::Joined | Shape::Either => {
                let mut flag = OsString::from(name);
                flag.push(value);
                self.command.flags.push(flag);
            }
            Shape::Separate if name.ends_with("-target") => {
                let mut flag = OsString::from("--target=");
                flag.push(value);
                self.command.flags.push(flag);
            }
            Shape::Separate => {
                let mut flag = OsString::from(name);
                flag.push("=");
                flag.push(value);
                self.command.flags.push(flag);
            }
        }
    }

    fn path(&mut self, name: &'static str, shape: Shape, value: &OsStr) {
        if value.is_empty() || value == "-" {
            return;
        }
        if self.paths.is_device(&self.directory.join(value)) {
            return self.drop_flag(name, value, DEVICE);
        }
        if is_gcc_headers(value) {
            return self.drop_flag(name, value, GCC_HEADERS);
        }
        self.keep(name, shape, value);
    }

    /// `-include` goes to clang's inner command: the outer one would load a precompiled header lying beside the file.
    fn include(&mut self, name: &'static str, value: &OsStr) {
        if self.paths.is_device(&self.directory.join(value)) {
            return self.drop_flag(name, value, DEVICE);
        }
        let mut file = OsString::new();
        if value.as_bytes().starts_with(b"@") || value.as_bytes().starts_with(b"-") {
            file.push("./");
        }
        file.push(value);
        let xclang = || OsString::from("-Xclang");
        self.command.flags.extend([xclang(), name.into(), xclang(), file]);
    }

    fn standard(&mut self, value: &OsStr) {
        const STANDARDS: &str = "\
            c89 c90 iso9899:1990 iso9899:199409 gnu89 gnu90 c99 c9x iso9899:1999 iso9899:199x \
            gnu99 gnu9x c11 c1x iso9899:2011 gnu11 gnu1x c17 c18 iso9899:2017 iso9899:2018 gnu17 \
            gnu18 c2x c23 gnu2x gnu23 c2y gnu2y";
        match value.to_str() {
            Some(standard) if STANDARDS.split(' ').any(|known| known == standard) => {
                self.command.flags.push(format!("-std={standard}").into());
            }
            _ => self.drop_flag("-std=", value, OTHER_STANDARD),
        }
    }

    /// Of clang's inner options only the pair that CMake writes for a precompiled header is understood.
    fn xclang<'b>(&mut self, value: &OsStr, rest: &mut impl Iterator<Item = &'b OsString>) {
        const LOADS: [&[u8]; 3] = [b"-load", b"-plugin", b"-add-plugin"];
        match value.as_bytes() {
            b"-include" | b"-include-pch" => {
                let (_xclang, file) = (rest.next(), rest.next());
                if let (b"-include", Some(file)) = (value.as_bytes(), file) {
                    self.include("-include", file);
                }
            }
            b"-fno-pch-timestamp" => {}
            bytes if LOADS.iter().any(|start| bytes.starts_with(start)) => {
                self.drop_flag("-Xclang", value, options::RUNS);
            }
            bytes => match options::lookup(bytes) {
                Some((_, _, Act::Quiet)) => {}
                Some((_, _, Act::Note(reason))) => self.drop_flag("-Xclang", value, reason),
                Some((_, _, Act::Keep | Act::Path | Act::Rename(_) | Act::Special(_))) | None => {
                    self.drop_flag("-Xclang", value, UNKNOWN);
                }
            },
        }
    }

    /// What `-Wp,` and `-Xpreprocessor` hand on: macros and paths are kept, dependency files are not made.
    fn preprocessor<'b>(&mut self, word: &OsStr, rest: &mut impl Iterator<Item = &'b OsString>) {
        const KEPT: [&[u8]; 4] = [b"-D", b"-U", b"-I", b"-i"];
        match word.as_bytes() {
            b"-MD" | b"-MMD" | b"-MF" | b"-MT" | b"-MQ" => drop(rest.next()),
            bytes if KEPT.iter().any(|kept| bytes.starts_with(kept)) => self.argument(word, rest),
            _ => {}
        }
    }

    fn drop_flag(&mut self, option: &str, example: &OsStr, reason: &'static str) {
        let example = example.to_string_lossy();
        let example = if example.starts_with('-') {
            example.into_owned()
        } else {
            format!("{option} {example}")
        };
        self.command.dropped.push(Dropped { option: option.to_owned(), example, reason });
    }

    fn finish(mut self) -> Command {
        if self.command.inner {
            // An inner call is all options of the compiler proper; that we know few of them says nothing, and
            // what looks like an input may be the argument of one. The source comes last.
            self.command.dropped.retain(|dropped| dropped.reason == options::RUNS);
            self.command.dropped.retain(|dropped| dropped.option != "-resource-dir");
            self.command.mode = self.command.mode.max(Mode::Object);
            let last = self.command.line.items.pop();
            self.command.line.items = Vec::from_iter(last);
        }
        self.command
    }
}

fn commas(list: &OsStr) -> Vec<OsString> {
    list.as_bytes()
        .split(|&byte| byte == b',')
        .filter(|word| !word.is_empty())
        .map(|word| OsString::from_vec(word.to_vec()))
        .collect()
}

/// `/usr/lib/gcc/x86_64-linux-gnu/12/include`: intrinsics in there are written for gcc alone.
fn is_gcc_headers(path: &OsStr) -> bool {
    let path = Path::new(path);
    (path.ends_with("include") || path.ends_with("include-fixed"))
        && path.parent().and_then(Path::parent).and_then(Path::parent).is_some_and(|gcc| {
            gcc.ends_with("lib/gcc") || gcc.ends_with("lib64/gcc") || gcc.ends_with("libexec/gcc")
        })
}
