//! One translation unit: compiled, prepared, lowered, and remembered by what went into it.
//!
//! A unit's manifest (under its command) lists the files clang read with their hashes, and whatever else it looked for;
//! if they all still hold the same and the rest is as it was, there or missing, the unit that the manifest names is the
//! answer and no compiler runs. A file that nobody has touched since ([`content`]) is not read again for that.

use super::built_in::{self, BuiltIn, Came};
use super::cache::{Cache, Key, Kind};
use super::clang::{self, Clang};
use super::content::{self, Content, Contents};
use super::lookups::{Lookups, Met};
use super::{Overflow, lower, module, prepare};
use crate::cancel::{Cancel, Ended};
use crate::link::{Binding, Unit as Linkable};
use compile_db::{Symbols, Unit};
use inkwell::context::Context;
use rustc_hash::FxHashSet;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::SystemTime;
use tempfile::TempDir;

/// How many variants of one command a manifest remembers: a few branches of a repository.
const VARIANTS: usize = 4;

/// What was written is not what is read.
pub(super) const DAMAGED: &str = "the unit was not written to its end";

/// The files of one call of clang.
const BITCODE: &str = "unit.bc";
const UNIT: &str = "unit";
const DEPFILE: &str = "unit.d";
const LOOKUPS: &str = "unit.lookups";

/// How programs say that the cache's disk is full.
const DISK_FULL: &str = "No space left on device";

/// A unit, ready to be linked.
#[derive(Debug)]
pub struct Compiled {
    tables: Tables,
    pub symbols: Symbols,
    /// Tells the unit from every other.
    pub key: Key,
    /// The files it was made from.
    pub files: Vec<PathBuf>,
    pub from_cache: bool,
}

/// Where a [`Linkable`] is. Most runs have the program it would be linked to already, and never look at it.
#[derive(Debug)]
enum Tables {
    /// Here, as bytes.
    Held(Vec<u8>),
    /// In the cache; made of this unit, should it be lost there.
    Kept(Box<Unit>),
}

#[derive(Debug, Serialize, Deserialize)]
struct Variant {
    files: Vec<Source>,
    /// What else was looked for.
    lookups: Vec<(PathBuf, Met)>,
    unit: Key,
    names: Names,
}

/// A file that clang read.
#[derive(Debug, Serialize, Deserialize)]
struct Source {
    path: PathBuf,
    held: Content,
}

#[derive(Debug, Clone, Default, Serialize, Deserialize)]
struct Names {
    defined: Vec<String>,
    weak: Vec<String>,
    undefined: Vec<String>,
}

impl From<Names> for Symbols {
    fn from(Names { defined, weak, undefined }: Names) -> Symbols {
        Symbols { defined, weak, undefined }
    }
}

/// Compiles units with one clang and one cache; remembers the hash of each file it met.
#[derive(Debug)]
pub struct Compiler<'a> {
    pub clang: &'a Clang,
    pub cache: &'a Cache,
    pub cancel: &'a Cancel,
    contents: Contents,
    lookups: Lookups,
}

impl<'a> Compiler<'a> {
    pub fn new(clang: &'a Clang, cache: &'a Cache, cancel: &'a Cancel) -> Self {
        let contents = Contents::default();
        Compiler { clang, cache, cancel, contents, lookups: Lookups::new() }
    }

    /// The unit, or why there is none, in one line.
    pub fn compile(&self, unit: &Unit) -> Result<Compiled, String> {
        let command = self.command_key(unit);
        let variants = self.variants(&command);
        if let Some(compiled) = self.remembered(unit, &variants) {
            return Ok(compiled);
        }
        self.compile_anew(unit, command, variants)
    }

    fn compile_anew(
        &self,
        unit: &Unit,
        command: Key,
        variants: Vec<Variant>,
    ) -> Result<Compiled, String> {
        let start = SystemTime::now();
        let (scratch, packed) = self.in_scratch(|folder| match self.own_call(unit, folder) {
            Some(packed) => packed,
            None => self.call(unit, folder),
        })?;
        let key = Key::of([packed.as_slice()]);
        let depfile = std::fs::read(scratch.path().join(DEPFILE)).unwrap_or_default();
        let files = clang::dependencies(&depfile);
        let read: Vec<PathBuf> = files.iter().map(|file| unit.directory.join(file)).collect();
        let (names, _) = parts(&packed).ok_or_else(|| DAMAGED.to_owned())?;
        // What was edited meanwhile may hold something else than clang read.
        let is_edited = read.iter().any(|file| content::is_touched_since(file, start));
        if !is_edited && let Some(variant) = self.variant(unit, files, scratch.path(), key, names) {
            // The unit first: a manifest never names what is not there.
            self.cache.put(Kind::Unit, &key, &packed);
            self.remember(command, variants, variant);
        }
        compiled(&packed, key, read, false).ok_or_else(|| DAMAGED.to_owned())
    }

    /// A unit's tables. If the cache has lost them since the unit was found there, it is compiled again, and must
    /// come out as it was: what is linked is remembered under its key.
    pub(super) fn tables(&self, compiled: &Compiled) -> Result<Linkable, String> {
        let unit = match &compiled.tables {
            Tables::Held(bytes) => return unpacked(bytes),
            Tables::Kept(unit) => unit,
        };
        let kept = self.cache.get(Kind::Unit, &compiled.key);
        if let Some(tables) = kept.and_then(|packed| unpacked(parts(&packed)?.1).ok()) {
            return Ok(tables);
        }
        let command = self.command_key(unit);
        let mut others = self.variants(&command);
        others.retain(|variant| variant.unit != compiled.key);
        let again = self.compile_anew(unit, command, others)?;
        match &again.tables {
            Tables::Held(bytes) if again.key == compiled.key => unpacked(bytes),
            _ => Err("it has changed during the scan".to_owned()),
        }
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

    /// Runs clang and lowers its bitcode. Beside it in `scratch` lie the names of the files it read, and what it looked for.
    fn call(&self, unit: &Unit, scratch: &Path) -> Result<Vec<u8>, String> {
        let (output, depfile) = (scratch.join(BITCODE), scratch.join(DEPFILE));
        let mut call =
            self.clang.command(&unit.directory, &unit.flags, &unit.source, &output, &depfile);
        self.lookups.listen(&mut call, &scratch.join(LOOKUPS));
        let ended = self.ended(unit, &mut call)?;
        if !ended.status.success() {
            return Err(clang::first_error(&String::from_utf8_lossy(&ended.said)));
        }
        let raw = std::fs::read(output).map_err(|e| format!("clang wrote no bitcode: {e}"))?;
        let name = unit.source.to_string_lossy();
        pack(&lowered(&name, &raw, clang::overflow(&unit.flags))?)
    }

    /// The same by a process of our own. `None` if it is not for that.
    fn own_call(&self, unit: &Unit, scratch: &Path) -> Option<Result<Vec<u8>, String>> {
        if self.clang.built_in == BuiltIn::No {
            return None;
        }
        let task = built_in::Task {
            name: unit.source.as_os_str(),
            overflow: clang::overflow(&unit.flags),
            output: &scratch.join(UNIT),
            lookups: &scratch.join(LOOKUPS),
        };
        // A depfile begins with the output's name, which is the same in both ways.
        let (output, depfile) = (scratch.join(BITCODE), scratch.join(DEPFILE));
        let arguments = clang::arguments(&unit.flags, &unit.source, &output, &depfile);
        let mut call = built_in::command(&task, self.clang, arguments)?;
        clang::placed(&mut call, &unit.directory);
        let ended = match self.ended(unit, &mut call) {
            Ok(ended) => ended,
            Err(reason) => return Some(Err(reason)),
        };
        match Came::of(ended.status) {
            Came::Nothing => None,
            Came::Unit => {
                let packed = std::fs::read(task.output);
                Some(packed.map_err(|error| format!("clang wrote no unit: {error}")))
            }
            Came::Refused => {
                let said = String::from_utf8_lossy(&ended.said);
                Some(Err(match ended.status.code() {
                    Some(_) => clang::first_error(&said),
                    None => format!("clang gave up on it ({})", ended.status),
                }))
            }
        }
    }

    /// Waits for a compiler, within its limits.
    fn ended(&self, unit: &Unit, call: &mut Command) -> Result<Ended, String> {
        let limits = clang::limits();
        let ended = self
            .cancel
            .run(call, limits)
            .map_err(|e| format!("cannot run clang in {}: {e}", unit.directory.display()))?;
        self.cancel.check().map_err(|stopped| stopped.to_string())?;
        if ended.late {
            return Err(format!("clang was ended after {} s", limits.time.as_secs()));
        }
        Ok(ended)
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
        let place = |path: &PathBuf| unit.directory.join(path);
        let same = |read: &Source| self.contents.still(&place(&read.path), &read.held);
        let still = |(path, met): &(PathBuf, Met)| self.lookups.met(&place(path)) == *met;
        variants.first().into_iter().for_each(|variant| self.begin(unit, variant));
        let variant = variants
            .iter()
            .find(|variant| variant.files.iter().all(same) && variant.lookups.iter().all(still))?;
        Some(Compiled {
            tables: Tables::Kept(Box::new(unit.clone())),
            symbols: variant.names.clone().into(),
            key: variant.unit,
            files: variant.files.iter().map(|read| place(&read.path)).collect(),
            from_cache: true,
        })
    }

    /// What a unit was made from; `None` if that cannot be told: a file that clang read cannot be read now (its name may
    /// be one that a depfile cannot express), or we do not know all that clang looked for.
    fn variant(
        &self,
        unit: &Unit,
        files: Vec<PathBuf>,
        scratch: &Path,
        key: Key,
        names: Names,
    ) -> Option<Variant> {
        let with_content = |path: PathBuf| {
            let held = self.contents.of(&unit.directory.join(&path))?;
            Some(Source { path, held })
        };
        let files: Vec<Source> = files.into_iter().map(with_content).collect::<Option<_>>()?;
        if !files.iter().any(|read| unit.directory.join(&read.path) == unit.source) {
            return None;
        }
        let log = std::fs::read(scratch.join(LOOKUPS)).unwrap_or_default();
        let lookups = self.lookups.read(&log, &unit.directory, &unit.source, scratch);
        if lookups.is_none() {
            self.cache.not_served("what clang looks for cannot be followed");
        }
        let mut lookups = lookups?;
        let read: FxHashSet<&PathBuf> = files.iter().map(|read| &read.path).collect();
        lookups.retain(|(path, _)| !read.contains(path));
        Some(Variant { files, lookups, unit: key, names })
    }

    fn remember(&self, command: Key, mut variants: Vec<Variant>, variant: Variant) {
        variants.insert(0, variant);
        variants.truncate(VARIANTS);
        if let Ok(bytes) = postcard::to_allocvec(&variants) {
            self.cache.put(Kind::Manifest, &command, &bytes);
        }
    }

    /// Finds out what the variant's validity hangs on, as far as no other worker does.
    fn begin(&self, unit: &Unit, variant: &Variant) {
        for Source { path, held } in &variant.files {
            self.contents.begin(&unit.directory.join(path), held);
        }
        for (path, _) in &variant.lookups {
            self.lookups.begin(&unit.directory.join(path));
        }
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
fn parts(packed: &[u8]) -> Option<(Names, &[u8])> {
    let len = u64::from_le_bytes(packed.first_chunk().copied()?) as usize;
    let (names, tables) = packed.get(8..)?.split_at_checked(len)?;
    Some((postcard::from_bytes(names).ok()?, tables))
}

fn unpacked(tables: &[u8]) -> Result<Linkable, String> {
    postcard::from_bytes(tables).map_err(|error| format!("its tables are damaged: {error}"))
}

/// A unit whose bytes are at hand.
pub(super) fn compiled(
    packed: &[u8],
    key: Key,
    files: Vec<PathBuf>,
    from_cache: bool,
) -> Option<Compiled> {
    let (names, tables) = parts(packed)?;
    let tables = Tables::Held(tables.to_vec());
    Some(Compiled { tables, symbols: names.into(), key, files, from_cache })
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
