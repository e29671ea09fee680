//! From C to the model: clang per unit and the lowering to our own tables (cached, in parallel), then
//! [`link`] per target. The only part that knows LLVM.
//!
//! Two steps, each from frozen input to frozen output: [`compile`] makes a [`link::Unit`] of every
//! source; [`model`] links a target's units to one [`ir::Program`](crate::ir::Program). Both answer from
//! the cache where nothing they depend on has changed.

pub mod clang;
pub mod cache;
mod asked;
mod lookups;
mod content;
mod llvm_extra;
mod llvm;
mod llvm_debug;
mod prepare;
mod module;
mod packed;
pub mod unit;
pub mod built_in;
pub mod bitcode;
mod lower;
pub use lower::Overflow;
pub mod models;

use crate::ir::{self, Program};
use crate::link::{self, LinkError, Piece};
use cache::{Key, Kind};
use models::Models;
use rayon::prelude::*;
use std::path::PathBuf;
use std::sync::{Arc, LazyLock};
use unit::{Compiled, Compiler};

/// What a unit is made from.
#[derive(Debug, Clone)]
pub enum Source {
    C(compile_db::Unit),
    /// Bitcode or LLVM's text form, as a file.
    Bitcode(PathBuf),
}

/// The LLVM that is linked in, as `19.1.7`.
pub fn llvm_version() -> String {
    let (major, minor, patch) = inkwell::support::get_llvm_version();
    format!("{major}.{minor}.{patch}")
}

/// Makes a unit of every source, in parallel; the answers are in the order of the sources. `done` is
/// told of each as it lands.
pub fn compile(
    sources: &[Source],
    compiler: &Compiler<'_>,
    done: impl Fn(&Source) + Sync,
) -> Vec<Result<Compiled, String>> {
    let one = |source: &Source| {
        let compiled = match source {
            Source::C(unit) => compiler.compile(unit),
            Source::Bitcode(path) => compiler.read(path),
        };
        done(source);
        compiled
    };
    sources.par_iter().map(one).collect()
}

/// The program that the units make together. What is worth knowing goes into its notes.
pub fn model(
    name: &str,
    units: &[(&str, &Compiled)],
    compiler: &Compiler<'_>,
    models: &Models,
) -> Result<Program, LinkError> {
    let (stamp, cache) = (tool_stamp(), compiler.cache);
    let labels = units.iter().flat_map(|(label, unit)| [label.as_bytes(), unit.key.bytes()]);
    let key = Key::of([stamp.as_bytes(), name.as_bytes()].into_iter().chain(labels));
    let cached = cache.get(Kind::Program, &key);
    if let Some(program) = cached.and_then(|bytes| packed::unpack(&bytes)) {
        return Ok(program);
    }
    let piece = |(label, unit): &(&str, &Compiled)| {
        let name = (*label).to_owned();
        match compiler.tables(unit) {
            Ok(unit) => Ok(Piece { name, unit: Arc::new(unit) }),
            Err(reason) => Err(LinkError::Unreadable { name, reason }),
        }
    };
    let pieces = units.iter().map(piece).collect::<Result<Vec<_>, _>>()?;
    let program = link::link(name, pieces, |name, machine| models.get(name, machine))?;
    // What the cache holds was verified before it was put there.
    if let Err(violations) = ir::verify(&program) {
        let first = violations.first().map_or_else(String::new, ToString::to_string);
        return Err(LinkError::Malformed { first });
    }
    if let Some(bytes) = packed::pack(&program) {
        cache.put(Kind::Program, &key, &bytes);
    }
    Ok(program)
}

/// Tells one build of this tool from another: what one computed, the other must not take.
pub fn tool_stamp() -> &'static str {
    static STAMP: LazyLock<String> = LazyLock::new(|| {
        let file = std::env::current_exe().and_then(|path| path.metadata());
        let built = file.map(|meta| {
            let changed = meta.modified().ok().and_then(clang::since_epoch).unwrap_or_default();
            format!("{} {changed}", meta.len())
        });
        format!("{} {}", env!("CARGO_PKG_VERSION"), built.unwrap_or_default())
    });
    &STAMP
}
