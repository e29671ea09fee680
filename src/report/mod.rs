//! What a scan found out, as plain data, and the ways to tell it: text for people, JSON, SARIF.
//!
//! Invariant: a report depends on the scanned input and the settings only. There is no time, no number
//! of workers and no hash order in it, so equal scans give equal bytes.

mod json;
mod model;
mod output;
mod sarif;
mod text;

use std::collections::BTreeMap;

use serde::Serialize;

use crate::exit::Exit;
pub use crate::line::one_line;
pub use model::shown_path;
pub use output::{check_writable, write};

/// The result of one scan. Lists are in the order in which they are reported.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// The programs and libraries of the build.
    pub targets: Vec<Target>,
    /// Units left out on purpose, such as C++.
    pub skipped: Vec<Skipped>,
    /// Units that could not be compiled.
    pub failed: Vec<Failed>,
    /// What else the user should know: dropped flags, duplicate symbols, assumptions.
    pub notes: Vec<Note>,
    /// What was to be decided, each with its verdict.
    pub obligations: Vec<Obligation>,
    /// Whether obligations were looked for at all; without that nothing is ever called safe.
    pub checked: bool,
    /// What `--dump` prints instead of the report for people.
    pub dump: Option<String>,
    /// A dump that judges the program's own annotations found one wrong.
    pub dump_failed: bool,
}

/// A program or a library that the build makes.
#[derive(Clone, Debug, Serialize)]
pub struct Target {
    /// Its name in the build.
    pub name: String,
    /// What it is.
    pub kind: TargetKind,
    /// How we know which units belong to it.
    pub evidence: String,
    /// Its units, relative to the report's root.
    pub units: Vec<String>,
    /// The size of its model, if there is one.
    pub model: Option<Model>,
    /// Why there is no model.
    pub failure: Option<String>,
}

/// What a target is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum TargetKind {
    /// It has a `main`.
    Program,
    /// Other programs call it.
    Library,
}

impl TargetKind {
    /// As it is written in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Program => "program",
            Self::Library => "library",
        }
    }
}

/// The size of a model, and what is not in it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Model {
    /// Functions with a body.
    pub functions: usize,
    /// Basic blocks.
    pub blocks: usize,
    /// Instructions.
    pub instructions: usize,
    /// Global variables.
    pub globals: usize,
    /// Constructs without a meaning in the model, with how often they occur.
    pub unsupported: BTreeMap<String, usize>,
    /// Functions without a body.
    pub externals: Vec<String>,
}

/// A unit that was left out on purpose.
#[derive(Clone, Debug, Serialize)]
pub struct Skipped {
    /// Its main file, relative to the report's root.
    pub file: String,
    /// Why.
    pub reason: String,
}

/// A unit that could not be compiled.
#[derive(Clone, Debug, Serialize)]
pub struct Failed {
    /// Its main file, relative to the report's root.
    pub file: String,
    /// The compiler's first error.
    pub error: String,
}

/// Something the user should know.
#[derive(Clone, Debug, Serialize)]
pub struct Note {
    /// The file, target or function it is about.
    pub about: Option<String>,
    /// What there is to know.
    pub text: String,
}

/// One thing to be decided.
#[derive(Clone, Debug, Serialize)]
pub struct Obligation {
    /// The id of its rule.
    pub rule: &'static str,
    /// What came out.
    #[serde(flatten)]
    pub verdict: Verdict,
    /// Where it stands.
    pub location: Location,
    /// What it says, in one line.
    pub message: String,
    /// The targets it is part of.
    pub targets: Vec<String>,
    /// How a violation comes about, from the start of the program.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub trace: Vec<Step>,
}

/// Something that happens on the way to a violation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Step {
    /// Where.
    pub location: Location,
    /// How many calls have not returned.
    pub depth: u32,
    /// What: a value that changes, a branch, a call.
    pub text: String,
}

/// What came out for one obligation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "verdict", rename_all = "kebab-case")]
pub enum Verdict {
    /// No execution violates it.
    Safe,
    /// Some execution violates it.
    Unsafe,
    /// Neither could be shown.
    Unknown {
        /// Why not, and where.
        reason: String,
    },
}

/// A place in the source.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Location {
    /// Relative to the report's root.
    pub file: String,
    /// Counted from one; zero if not known.
    pub line: u32,
    /// Counted from one; zero if not known.
    pub column: u32,
    /// The function around it.
    pub function: String,
}

/// What came out for the whole scan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Overall {
    /// Every obligation is proved, and nothing was left out.
    Safe,
    /// At least one obligation is violated.
    Unsafe,
    /// Anything else.
    Unknown,
}

impl Overall {
    /// As it is written in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Safe => "safe",
            Self::Unsafe => "unsafe",
            Self::Unknown => "unknown",
        }
    }
}

impl Report {
    /// The verdict on everything that was scanned.
    pub fn verdict(&self) -> Overall {
        if self.violated().next().is_some() {
            return Overall::Unsafe;
        }
        let proved = self.obligations.iter().all(|o| o.verdict == Verdict::Safe);
        let whole = self.checked && !self.is_partial() && self.skipped.is_empty();
        if whole && proved { Overall::Safe } else { Overall::Unknown }
    }

    /// Whether something that should have been analysed could not be.
    pub fn is_partial(&self) -> bool {
        !self.failed.is_empty() || self.targets.iter().any(|t| t.failure.is_some())
    }

    /// The findings.
    pub fn violated(&self) -> impl Iterator<Item = &Obligation> {
        self.obligations.iter().filter(|o| o.verdict == Verdict::Unsafe)
    }

    /// How the process ends after this report.
    pub fn exit(&self) -> Exit {
        if self.dump_failed || self.violated().next().is_some() {
            Exit::Findings
        } else if self.is_partial() {
            Exit::Partly
        } else {
            Exit::Clean
        }
    }
}

#[cfg(test)]
mod tests;
