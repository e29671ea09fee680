//! From what the user asked for to frozen [`Settings`]: options and `cegas.toml` are the same
//! [`Layer`] read from two places; the command line wins, and every default is settled here.
//!
//! Invariant: later stages read settings only from [`Settings`], never from arguments, files or the
//! environment. A `cegas.toml` that was merely *found* belongs to the scanned project and is not
//! trusted: what it names for writing must lie inside its own folder.

mod file;
mod function;
mod ignore;
mod input;
mod layer;
mod nearest;
mod outputs;
mod property;
mod settings;
mod settle;
mod witness;

pub use file::NAME as SETTINGS_FILE;
pub use function::{Does, Function};
pub use ignore::Ignore;
pub use input::Input;
pub use layer::{Engine, FailOn, Layer, SarifKinds, When};
pub use nearest::nearest;
pub use settings::{Cache, Dump, DumpFormat, OutputPlace, Outputs, Settings, Stage};
pub use settle::{Request, settle};
pub use witness::{Given, GivenCondition};
