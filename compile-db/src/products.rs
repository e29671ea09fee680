//! Calls that put objects together or change them: linkers, archivers, assemblers, objcopy.
//!
//! Invariant: an output that is made again replaces its link in place, so that indices stay valid.

use crate::{
    Link, LinkKind, Part,
    assemble::{Assembly, Call, Maker},
    linker::{Item, LinkLine},
    paths,
};
use std::{
    collections::HashSet,
    ffi::{OsStr, OsString},
    os::unix::ffi::OsStrExt,
    path::{Path, PathBuf},
};

impl Assembly {
    /// Who made this file, also under the name a symbolic link points to.
    pub(crate) fn maker(&mut self, path: &Path) -> Option<Maker> {
        let key = self.paths.key(path);
        let real = || self.makers.get(&path.canonicalize().ok()?).copied();
        self.makers.get(&key).copied().or_else(real).or_else(|| self.moved(path))
    }

    /// An object that was renamed after it was compiled (`cc -c a.c && mv a.o obj/`, or zlib's
    /// `cc -c -o objs/a.o a.c && mv objs/a.o a.lo`): the unit of the same stem whose object is gone, the nearest if
    /// there are several, nobody if two are equally near.
    fn moved(&self, path: &Path) -> Option<Maker> {
        let object = matches!(path.extension().and_then(OsStr::to_str), Some("o" | "lo" | "obj"));
        if !self.build.recorded || !object {
            return None;
        }
        let nearness = |output: &Path| {
            let shared = output.components().zip(path.components()).take_while(|(a, b)| a == b);
            (output.file_name() == path.file_name(), shared.count())
        };
        let gone = |output: &Path| output.file_stem() == path.file_stem() && !output.exists();
        let mut candidates: Vec<_> = self
            .build
            .units
            .iter()
            .enumerate()
            .filter_map(|(index, unit)| Some((unit.output.as_deref()?, index)))
            .filter(|(output, _)| gone(output))
            .map(|(output, index)| (nearness(output), index))
            .collect();
        candidates.sort();
        match candidates.as_slice() {
            [.., (second, _), (first, _)] if first == second => None,
            [.., (_, unit)] => Some(Maker::Unit(*unit)),
            [] => None,
        }
    }

    /// Takes a link in. `made` holds, for each item that is a source, what became of it.
    pub(crate) fn link(&mut self, directory: &Path, line: LinkLine, made: Vec<Option<Maker>>) {
        // rustc calls the C compiler to link; what it links is no program of C.
        let of_rust = |item: &Item| {
            matches!(item, Item::File { path, .. }
                if path.as_bytes().ends_with(b".rlib") || path.as_bytes().ends_with(b".rcgu.o"))
        };
        if line.items.is_empty() || line.items.iter().any(of_rust) {
            return;
        }
        let output = line.output.as_deref().unwrap_or(OsStr::new("a.out"));
        let output = paths::absolute(directory, output);
        let kind = match (line.relocatable, line.shared) {
            (true, _) => LinkKind::Relocatable,
            (false, true) => LinkKind::Shared,
            (false, false) => LinkKind::Executable,
        };
        let mut link =
            Link { output, kind, parts: Vec::new(), unknown: Vec::new(), libraries: Vec::new() };
        let folders: Vec<PathBuf> =
            line.folders.iter().map(|folder| paths::absolute(directory, folder)).collect();
        let mut made = made.into_iter();
        for item in &line.items {
            let source = made.next().flatten();
            match item {
                Item::Source { .. } => {
                    link.parts.extend(source.map(|maker| Part::made_by(maker, false)));
                }
                Item::File { path, whole } => {
                    self.add_file(&mut link, paths::absolute(directory, path), *whole);
                }
                Item::Library { name, whole, archive } => {
                    match self.library(name, *archive, &folders) {
                        Some(maker) => link.parts.push(Part::made_by(maker, *whole)),
                        None => link.libraries.push(name.to_string_lossy().into_owned()),
                    }
                }
            }
        }
        self.put_link(link);
    }

    fn add_file(&mut self, link: &mut Link, path: PathBuf, whole: bool) {
        match self.maker(&path) {
            Some(maker) => link.parts.push(Part::made_by(maker, whole)),
            None if is_of_the_system(&path) || !looks_linkable(&path) => {}
            None => match self.archive_on_disk(&path) {
                Some(maker) => link.parts.push(Part::made_by(maker, whole)),
                None => link.unknown.push(path),
            },
        }
    }

    fn library(&mut self, name: &OsStr, archive: bool, folders: &[PathBuf]) -> Option<Maker> {
        let named = |prefix: &str, suffix: &str| {
            let mut file = OsString::from(prefix);
            file.push(name);
            file.push(suffix);
            file
        };
        let candidates = match name.as_bytes().strip_prefix(b":") {
            Some(exact) => vec![OsStr::from_bytes(exact).to_owned()],
            None if archive => vec![named("lib", ".a")],
            None => vec![named("lib", ".so"), named("lib", ".a")],
        };
        folders.iter().find_map(|folder| {
            candidates.iter().find_map(|candidate| {
                let path = folder.join(candidate);
                let foreign = is_of_the_system(&path);
                self.maker(&path).or_else(|| (!foreign).then(|| self.archive_on_disk(&path))?)
            })
        })
    }

    fn put_link(&mut self, link: Link) -> usize {
        let key = self.paths.key(&link.output);
        let links = &mut self.build.links;
        if let Some(&Maker::Link(index)) = self.makers.get(&key)
            && let Some(old) = links.get_mut(index)
        {
            // A product among its own inputs (`ld -r -o x.o x.o y.o`) keeps what it was made of.
            let grows = link
                .parts
                .iter()
                .any(|part| matches!(part, Part::Link { link, .. } if *link == index));
            let before = std::mem::replace(old, link).parts;
            old.parts.retain(|part| !matches!(part, Part::Link { link, .. } if *link == index));
            if grows {
                old.parts.splice(0..0, before);
            }
            return index;
        }
        links.push(link);
        self.makers.insert(key, Maker::Link(links.len() - 1));
        links.len() - 1
    }

    /// `ar`: adds, deletes and extracts members.
    pub(crate) fn archive(&mut self, call: &Call, arguments: &[OsString]) {
        let Some(operation) = ArCall::parse(arguments) else {
            if arguments.iter().any(|argument| argument == "-M") {
                self.note("ar -M", "archives made by a script on standard input are not followed");
            }
            return;
        };
        let archive = paths::absolute(&call.directory, operation.archive);
        match operation.verb {
            b'r' | b'q' => {
                let existed = call
                    .existing
                    .as_ref()
                    .is_none_or(|existing| existing.iter().any(|word| word == operation.archive));
                let mut link = Link {
                    output: archive.clone(),
                    kind: LinkKind::Archive,
                    parts: Vec::new(),
                    unknown: Vec::new(),
                    libraries: Vec::new(),
                };
                let mut members = self.members(&archive).filter(|_| existed).unwrap_or_default();
                for member in operation.members {
                    let name = Path::new(member).file_name().unwrap_or(member).to_owned();
                    // `r` replaces a member of the same name, `q` does not look.
                    if operation.verb == b'r' {
                        members.retain(|(known, _)| *known != name);
                    }
                    self.add_file(&mut link, paths::absolute(&call.directory, member), true);
                    members.extend(link.parts.pop().map(|part| (name, part)));
                }
                self.put_archive(link, members);
            }
            b'd' => {
                if let (Some(Maker::Link(index)), Some(mut members)) =
                    (self.maker(&archive), self.members(&archive))
                    && let Some(link) = self.build.links.get(index).cloned()
                {
                    members.retain(|(name, _)| !operation.members.contains(name));
                    self.put_archive(link, members);
                }
            }
            b'x' => {
                for (name, part) in self.members(&archive).unwrap_or_default() {
                    if operation.members.is_empty() || operation.members.contains(&name) {
                        let key = self.paths.key(&call.directory.join(name));
                        self.makers.insert(key, part.maker());
                    }
                }
            }
            _ => {}
        }
    }

    fn members(&mut self, archive: &Path) -> Option<Vec<(OsString, Part)>> {
        let key = self.paths.key(archive);
        self.members.get(&key).cloned()
    }

    pub(crate) fn put_archive(&mut self, mut link: Link, members: Vec<(OsString, Part)>) {
        let mut seen = HashSet::new();
        let parts = members.iter().map(|(_, part)| *part);
        link.parts = parts.filter(|part| seen.insert(*part)).collect();
        let key = self.paths.key(&link.output);
        self.members.insert(key, members);
        self.put_link(link);
    }

    /// `as x.s -o x.o`: still the unit that was compiled to x.s; else assembly of its own.
    pub(crate) fn assemble(&mut self, call: &Call, arguments: &[OsString]) {
        let line = LinkLine::of_ld(arguments);
        let output = line.output.as_deref().unwrap_or(OsStr::new("a.out"));
        let output = paths::absolute(&call.directory, output);
        for item in &line.items {
            let Item::File { path, .. } = item else { continue };
            let source = paths::absolute(&call.directory, path);
            let maker = match self.maker(&source) {
                Some(maker) => maker,
                None if source.is_file() => {
                    let reason = "assembly is not analysed".to_owned();
                    Maker::Skipped(self.skip(source, reason, false, Some(output.clone())))
                }
                None => continue,
            };
            let key = self.paths.key(&output);
            self.makers.insert(key, maker);
        }
    }

    /// `objcopy [options] in out`: what it makes is still what went in.
    pub(crate) fn objcopy(&mut self, call: &Call, arguments: &[OsString]) {
        let is_file = |argument: &&OsString| !argument.as_bytes().starts_with(b"-");
        let mut files = arguments.iter().filter(is_file).rev();
        if let (Some(output), Some(input)) = (files.next(), files.next())
            && let Some(maker) = self.maker(&paths::absolute(&call.directory, input))
        {
            let key = self.paths.key(&paths::absolute(&call.directory, output));
            self.makers.entry(key).or_insert(maker);
        }
    }
}

struct ArCall<'a> {
    verb: u8,
    archive: &'a OsStr,
    members: &'a [OsString],
}

impl<'a> ArCall<'a> {
    /// `ar [--options] [-]{dmpqrtx}[modifiers] [relative] [count] archive [member…]`
    fn parse(mut arguments: &'a [OsString]) -> Option<ArCall<'a>> {
        let letters = loop {
            let [first, rest @ ..] = arguments else { return None };
            arguments = rest;
            match first.as_bytes() {
                b"--plugin" | b"--target" | b"--output" | b"-X32_64" => {
                    arguments = rest.get(1..).unwrap_or_default();
                }
                long if long.starts_with(b"--") => {}
                letters => break letters.strip_prefix(b"-").unwrap_or(letters),
            }
        };
        let verb = letters.iter().copied().find(|letter| b"dmpqrtx".contains(letter))?;
        let names_a_member = letters.iter().any(|letter| b"abi".contains(letter));
        let counts = letters.contains(&b'N');
        arguments = arguments.get(usize::from(names_a_member) + usize::from(counts)..)?;
        let [archive, members @ ..] = arguments else { return None };
        Some(ArCall { verb, archive, members })
    }
}

/// Start files and libraries of the machine are no part of the project.
fn is_of_the_system(path: &Path) -> bool {
    ["/usr", "/lib", "/lib64", "/opt", "/nix"].iter().any(|root| path.starts_with(root))
}

fn looks_linkable(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    name.contains(".so") || [".o", ".lo", ".a", ".obj"].iter().any(|end| name.ends_with(end))
}
