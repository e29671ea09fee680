//! What a link takes: the linker's arguments, given to `ld` itself or through a compiler's `-Wl,`.
//!
//! Invariant: the items stand in command-line order, which is the order in which a linker looks for definitions.

use crate::language::Language;
use std::{
    ffi::{OsStr, OsString},
    os::unix::ffi::{OsStrExt, OsStringExt},
};

/// One thing on a link line. Paths are as written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Item {
    /// Compiled on the way into the link.
    Source { path: OsString, language: Language },
    /// An object, archive or shared library. `whole`: every member of the archive is taken.
    File { path: OsString, whole: bool },
    /// `-lname`; `archive`: only `libname.a` will do.
    Library { name: OsString, whole: bool, archive: bool },
}

#[derive(Debug, Default)]
pub(crate) struct LinkLine {
    pub(crate) items: Vec<Item>,
    pub(crate) folders: Vec<OsString>,
    pub(crate) output: Option<OsString>,
    pub(crate) shared: bool,
    pub(crate) relocatable: bool,
    pub(crate) archives_only: bool,
    whole: bool,
    awaited: Option<Awaited>,
}

/// The option whose argument comes next.
#[derive(Debug)]
enum Awaited {
    Output,
    Folder,
    Library,
    Ignored,
}

/// Options of `ld` that take the next argument, without their dashes.
const TAKES_NEXT: &str = "\
    A F G I Map P R T Tbss Tdata Ttext Y assert audit b c dT defsym depaudit dynamic-linker \
    dynamic-list e entry exclude-libs f filter fini format h hash-size init m mri-script oformat \
    plugin plugin-opt rpath rpath-link script section-start soname sort-section sysroot u \
    undefined version-script wrap y z trace-symbol retain-symbols-file auxiliary just-symbols \
    default-script build-id-style max-page-size";

impl LinkLine {
    pub(crate) fn of_ld(arguments: &[OsString]) -> LinkLine {
        let mut line = LinkLine::default();
        arguments.iter().for_each(|argument| line.take(argument));
        line
    }

    pub(crate) fn add_file(&mut self, path: &OsStr) {
        self.items.push(Item::File { path: path.to_owned(), whole: self.whole });
    }

    pub(crate) fn add_library(&mut self, name: &OsStr) {
        let archive = self.archives_only;
        self.items.push(Item::Library { name: name.to_owned(), whole: self.whole, archive });
    }

    /// Takes one argument in `ld`'s own spelling.
    pub(crate) fn take(&mut self, argument: &OsStr) {
        match self.awaited.take() {
            Some(Awaited::Output) => return self.output = Some(argument.to_owned()),
            Some(Awaited::Folder) => return self.folders.push(argument.to_owned()),
            Some(Awaited::Library) => return self.add_library(argument),
            Some(Awaited::Ignored) => return,
            None => {}
        }
        let bytes = argument.as_bytes();
        let rest = |from: usize| OsString::from_vec(bytes.get(from..).unwrap_or_default().to_vec());
        let name = bytes.strip_prefix(b"--").or_else(|| bytes.strip_prefix(b"-"));
        let Some(name) = name.filter(|name| !name.is_empty()) else {
            return self.add_file(argument);
        };
        match name {
            b"o" | b"output" => self.awaited = Some(Awaited::Output),
            b"L" | b"library-path" => self.awaited = Some(Awaited::Folder),
            b"l" | b"library" => self.awaited = Some(Awaited::Library),
            b"shared" | b"Bshareable" => self.shared = true,
            b"r" | b"i" | b"relocatable" => self.relocatable = true,
            b"whole-archive" => self.whole = true,
            b"no-whole-archive" => self.whole = false,
            b"Bstatic" | b"static" | b"dn" | b"non_shared" => self.archives_only = true,
            b"Bdynamic" | b"dy" | b"call_shared" => self.archives_only = false,
            _ if TAKES_NEXT.split(' ').any(|known| known.as_bytes() == name) => {
                self.awaited = Some(Awaited::Ignored);
            }
            // With two dashes these letters begin other options: `--library=…` is rare, `--orphan…` is not `-o`.
            _ if bytes.starts_with(b"-L") => self.folders.push(rest(2)),
            _ if bytes.starts_with(b"-l") => self.add_library(&rest(2)),
            _ if bytes.starts_with(b"--output=") => self.output = Some(rest(9)),
            _ if bytes.starts_with(b"-o") && !bytes.starts_with(b"-oformat") => {
                self.output = Some(rest(2));
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_of_options_are_no_inputs() {
        let words = "-m elf_x86_64 -o lib.so -shared a.o --whole-archive b.a --no-whole-archive \
                     -soname x -Lfoo -lbar -Bstatic -lbaz -z now -rpath /x c.o --as-needed";
        let words: Vec<OsString> = words.split_whitespace().map(Into::into).collect();
        let line = LinkLine::of_ld(&words);
        let file = |path: &str, whole| Item::File { path: path.into(), whole };
        let library =
            |name: &str, archive| Item::Library { name: name.into(), whole: false, archive };
        assert!(line.shared && !line.relocatable);
        assert_eq!(line.output.as_deref(), Some(OsStr::new("lib.so")));
        assert_eq!(
            line.items,
            [
                file("a.o", false),
                file("b.a", true),
                library("bar", false),
                library("baz", true),
                file("c.o", false)
            ]
        );
    }
}
