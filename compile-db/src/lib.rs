//! Reads and records compilation databases and finds the programs a build makes.
//!
//! A build comes in as a `compile_commands.json` ([`read`], found by [`discover`]) or as the calls its tools made
//! while we watched ([`record`]); both end as a [`Build`]: units with the flags that matter to the meaning of
//! the C, what was skipped, and who was linked with whom. [`targets`] and [`targets_by_symbols`] then say which units
//! make which program.
//!
//! Invariant: a build's commands are data. Nothing here runs one, hands one to a shell, or passes a flag on
//! that is not on the allow-list; recording runs the build because the user asked for exactly that. Configuring a CMake
//! project runs its CMake code, confined to the cache.

mod archive_file;
mod assemble;
mod command;
mod configure;
mod database;
mod discover;
mod error;
mod file_api;
mod files;
mod language;
mod link_scripts;
mod linker;
mod log;
mod model;
mod ninja;
mod options;
mod paths;
mod products;
mod record;
mod settle;
mod shim;
mod symbols;
mod targets;
mod tool;
mod words;

pub use database::read;
pub use discover::{Found, discover};
pub use error::Error;
pub use files::from_files;
pub use model::{Build, Link, LinkKind, Note, Part, Skipped, Unit};
pub use record::{Recording, record};
pub use shim::shim_main;
pub use symbols::{Symbols, targets_by_symbols};
pub use targets::{Evidence, Target, TargetKind, targets};
