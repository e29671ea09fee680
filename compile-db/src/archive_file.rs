//! Archives that nobody was seen to make (`ar` called by its path, or fed by a script): they still name their members.
//!
//! Invariant: a member is taken for a unit only if one unit's object of that name is nearest; the rest stays unknown.

use crate::{
    Link, LinkKind, Part,
    assemble::{Assembly, Maker},
};
use object::read::archive::ArchiveFile;
use std::{
    ffi::{OsStr, OsString},
    fs,
    os::unix::ffi::OsStrExt,
    path::Path,
};

/// Larger archives are not a project's own.
const MAX_BYTES: u64 = 1 << 30;

impl Assembly {
    /// Makes up the link of an archive from its members' names; `None` if not one of them is known.
    pub(crate) fn archive_on_disk(&mut self, path: &Path) -> Option<Maker> {
        let metadata = path.metadata().ok()?;
        let named = path.extension() == Some(OsStr::new("a"));
        if !named || !metadata.is_file() || metadata.len() > MAX_BYTES {
            return None;
        }
        let bytes = fs::read(path).ok()?;
        let archive = ArchiveFile::parse(&*bytes).ok()?;
        let members = archive.members().map_while(Result::ok);
        let mut found: Vec<(OsString, Part)> = Vec::new();
        let mut unknown = Vec::new();
        for member in members {
            // A thin archive names its members by path.
            let file = Path::new(OsStr::from_bytes(member.name()));
            let Some(name) = file.file_name() else { continue };
            match self.nearest_object(name, path) {
                Some(unit) => found.push((name.to_owned(), Part::Unit(unit))),
                None => unknown.push(path.with_file_name(name)),
            }
        }
        if found.is_empty() {
            return None;
        }
        let output = path.to_owned();
        let (kind, libraries) = (LinkKind::Archive, Vec::new());
        let link = Link { output, kind, parts: Vec::new(), unknown, libraries };
        self.put_archive(link, found);
        let key = self.paths.key(path);
        self.makers.get(&key).copied()
    }

    fn nearest_object(&self, name: &OsStr, archive: &Path) -> Option<usize> {
        let shared = |output: &Path| output.iter().zip(archive).take_while(|(a, b)| a == b).count();
        let objects = self.build.units.iter().enumerate();
        let objects = objects.filter_map(|(index, unit)| Some((unit.output.as_deref()?, index)));
        let mut objects: Vec<(usize, usize)> = objects
            .filter(|(output, _)| output.file_name() == Some(name))
            .map(|(output, index)| (shared(output), index))
            .collect();
        objects.sort();
        match objects.as_slice() {
            [.., (second, _), (first, _)] if first == second => None,
            [.., (_, unit)] => Some(*unit),
            [] => None,
        }
    }
}
