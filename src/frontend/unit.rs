//! One translation unit: compiled, prepared, lowered, and remembered by what went into it.
//!
//! A unit's manifest (under its command) lists the files clang read and their hashes; if they all
//! still hold the same, the unit under the manifest's key is the answer and no compiler runs.

use super::cache::{Cache, Key, Kind};
use super::clang::{self, Clang};
use super::{Overflow, lower, module, prepare};
use crate::cancel::Cancel;
use crate::link::{Binding, Unit as Linkable};
use compile_db::{Symbols, Unit};
use inkwell::context::Context;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use tempfile::TempDir;

/// How many variants of one command a manifest remembers: a few branches of a repository.
const VARIANTS: usize = 4;

/// What was written is not what is read.
pub(super) const DAMAGED: &str = "the unit was not written to its end";

/// How programs say that the cache's disk is full.
const DISK_FULL: &str = "No space left on device";

/// A unit, ready to be linked.
#[derive(Debug)]
pub struct Compiled {
    /// A [`Linkable`] as bytes: most runs have the program they would be linked to already.
    packed: Vec<u8>,
    pub symbols: Symbols,
    /// What the unit depends on, all of it.
    pub key: Key,
    /// The files it was made from.
    pub files: Vec<PathBuf>,
    pub from_cache: bool,
}

impl Compiled {
    pub fn unpacked(&self) -> Result<Linkable, String> {
        postcard::from_bytes(&self.packed)
            .map_err(|error| format!("its tables are damaged: {error}"))
    }
}

#[derive(Debug, Serialize, Deserialize)]
struct Variant {
    files: Vec<(PathBuf, Key)>,
    unit: Key,
}

#[derive(Debug, Default, Serialize, Deserialize)]
struct Names {
    defined: Vec<String>,
    weak: Vec<String>,
    undefined: Vec<String>,
}

/// Compiles units with one clang and one cache; remembers the hash of each file it met.
#[derive(Debug)]
pub struct Compiler<'a> {
    pub clang: &'a Clang,
    pub cache: &'a Cache,
    pub cancel: &'a Cancel,
    hashes: Mutex<FxHashMap<PathBuf, Option<Key>>>,
}

impl<'a> Compiler<'a> {
    pub fn new(clang: &'a Clang, cache: &'a Cache, cancel: &'a Cancel) -> Self {
        Compiler { clang, cache, cancel, hashes: Mutex::default() }
    }

    /// The unit, or why there is none, in one line.
    pub fn compile(&self, unit: &Unit) -> Result<Compiled, String> {
        let command = self.command_key(unit);
        let variants = self.variants(&command);
        if let Some(compiled) = self.remembered(unit, &variants) {
            return Ok(compiled);
        }
        let (_scratch, (output, depfile)) = self.in_scratch(|folder| self.call(unit, folder))?;
        let raw = std::fs::read(&output).map_err(|e| format!("clang wrote no bitcode: {e}"))?;
        let name = unit.source.to_string_lossy();
        let packed = pack(&lowered(&name, &raw, clang::overflow(&unit.flags))?)?;
        let files = std::fs::read(&depfile).map(|text| clang::dependencies(&text));
        let files = files.unwrap_or_default();
        let read = files.iter().map(|file| unit.directory.join(file)).collect();
        let key = self.remember(unit, command, variants, files);
        if let Some(key) = &key {
            self.cache.put(Kind::Unit, key, &packed);
        }
        let key = key.unwrap_or_else(|| Key::of([packed.as_slice()]));
        compiled(packed, key, read, false).ok_or_else(|| DAMAGED.to_owned())
    }

    /// Works in a new folder, which goes away with the first of the answer. If the cache's disk is full,
    /// the work is done again where there may be room.
    pub(super) fn in_scratch<T>(
        &self,
        work: impl Fn(&Path) -> Result<T, String>,
    ) -> Result<(TempDir, T), String> {
        let no_place = |e: std::io::Error| format!("no place for bitcode: {e}");
        let mut scratch = self.cache.scratch().map_err(no_place)?;
        let mut outcome = work(scratch.path());
        if matches!(&outcome, Err(error) if error.contains(DISK_FULL)) {
            scratch = self.cache.scratch_elsewhere(DISK_FULL).map_err(no_place)?;
            outcome = work(scratch.path());
        }
        Ok((scratch, outcome?))
    }

    /// Runs clang; what it wrote lies in `scratch`: bitcode, and the names of the files it read.
    fn call(&self, unit: &Unit, scratch: &Path) -> Result<(PathBuf, PathBuf), String> {
        let (output, depfile) = (scratch.join("unit.bc"), scratch.join("unit.d"));
        let mut call =
            self.clang.command(&unit.directory, &unit.flags, &unit.source, &output, &depfile);
        let limits = clang::limits();
        let ended = self
            .cancel
            .run(&mut call, limits)
            .map_err(|e| format!("cannot run clang in {}: {e}", unit.directory.display()))?;
        self.cancel.check().map_err(|stopped| stopped.to_string())?;
        if ended.late {
            return Err(format!("clang was ended after {} s", limits.time.as_secs()));
        }
        if !ended.status.success() {
            return Err(clang::first_error(&String::from_utf8_lossy(&ended.said)));
        }
        Ok((output, depfile))
    }

    fn command_key(&self, unit: &Unit) -> Key {
        let tool = super::tool_stamp();
        let clang = self.clang.key_parts();
        let fixed = [
            tool.as_bytes(),
            &clang,
            unit.directory.as_os_str().as_encoded_bytes(),
            unit.source.as_os_str().as_encoded_bytes(),
        ];
        Key::of(fixed.into_iter().chain(unit.flags.iter().map(|flag| flag.as_encoded_bytes())))
    }

    fn variants(&self, command: &Key) -> Vec<Variant> {
        let bytes = self.cache.get(Kind::Manifest, command);
        bytes.and_then(|bytes| postcard::from_bytes(&bytes).ok()).unwrap_or_default()
    }

    fn remembered(&self, unit: &Unit, variants: &[Variant]) -> Option<Compiled> {
        let same =
            |(path, key): &(PathBuf, Key)| self.hash(&unit.directory.join(path)) == Some(*key);
        let variant = variants.iter().find(|variant| variant.files.iter().all(same))?;
        let packed = self.cache.get(Kind::Unit, &variant.unit)?;
        let read = variant.files.iter().map(|(path, _)| unit.directory.join(path)).collect();
        compiled(packed, variant.unit, read, true)
    }

    /// Writes the manifest and returns the key for the unit; `None` if a file that clang read
    /// cannot be read now (its name may be one that a depfile cannot express).
    fn remember(
        &self,
        unit: &Unit,
        command: Key,
        mut variants: Vec<Variant>,
        files: Vec<PathBuf>,
    ) -> Option<Key> {
        let files: Vec<(PathBuf, Key)> = files
            .into_iter()
            .map(|path| {
                let key = self.hash(&unit.directory.join(&path))?;
                Some((path, key))
            })
            .collect::<Option<_>>()?;
        let main = files.iter().any(|(path, _)| unit.directory.join(path) == unit.source);
        if !main {
            return None;
        }
        let hashes = files.iter().map(|(_, key)| key.bytes());
        let key = Key::of(std::iter::once(command.bytes()).chain(hashes));
        variants.insert(0, Variant { files, unit: key });
        variants.truncate(VARIANTS);
        let bytes = postcard::to_allocvec(&variants).ok()?;
        self.cache.put(Kind::Manifest, &command, &bytes);
        Some(key)
    }

    /// The hash of a file's content; asked once a run.
    fn hash(&self, path: &Path) -> Option<Key> {
        // The map is whole between any two operations on it, whoever panicked.
        let known = || self.hashes.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(&key) = known().get(path) {
            return key;
        }
        let is_file = path.metadata().is_ok_and(|meta| meta.is_file());
        let content = is_file.then(|| std::fs::read(path).ok()).flatten();
        let key = content.map(|content| Key::of([content.as_slice()]));
        known().insert(path.to_owned(), key);
        key
    }
}

/// Reads bitcode that clang made, prepares and lowers it.
pub fn lowered(name: &str, bytes: &[u8], overflow: Overflow) -> Result<Linkable, String> {
    let context = Context::create();
    let module = module::read_verified(&context, name, bytes)?;
    prepare::prepare(&module);
    Ok(lower::lower(&module, name, overflow))
}

/// A unit as bytes: its names, which every run needs, before its tables.
pub(super) fn pack(unit: &Linkable) -> Result<Vec<u8>, String> {
    let packed = postcard::to_allocvec(&names(unit)).and_then(|names| {
        let mut bytes = (names.len() as u64).to_le_bytes().to_vec();
        bytes.extend(names);
        postcard::to_extend(unit, bytes)
    });
    packed.map_err(|error| format!("its tables cannot be written: {error}"))
}

/// What [`pack`] wrote.
pub(super) fn compiled(
    mut bytes: Vec<u8>,
    key: Key,
    files: Vec<PathBuf>,
    from_cache: bool,
) -> Option<Compiled> {
    let len = u64::from_le_bytes(bytes.first_chunk().copied()?) as usize;
    let end = len.checked_add(8)?;
    let Names { defined, weak, undefined } = postcard::from_bytes(bytes.get(8..end)?).ok()?;
    bytes.drain(..end);
    let symbols = Symbols { defined, weak, undefined };
    Some(Compiled { packed: bytes, symbols, key, files, from_cache })
}

/// The names a unit offers and needs, as a linker sees them.
fn names(unit: &Linkable) -> Names {
    let mut names = Names::default();
    for symbol in unit.symbols() {
        let list = match unit.binding(symbol) {
            Binding::Strong => &mut names.defined,
            Binding::Common | Binding::Weak => &mut names.weak,
            Binding::Undefined | Binding::UndefinedWeak => &mut names.undefined,
            Binding::Local | Binding::Inline => continue,
        };
        list.push(unit.name(symbol).to_owned());
    }
    names
}
