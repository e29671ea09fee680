//! What a scan found out, as plain data, and the ways to tell it: text for people, JSON, SARIF.
//!
//! Invariant: a report depends on the scanned input and the settings only. There is no time, no number
//! of workers and no hash order in it, so equal scans give equal bytes.

mod alike;
mod annotations;
mod diagnostic;
mod excerpt;
mod fingerprint;
mod html;
mod json;
mod junit;
mod ledger;
mod model;
mod name;
mod outcome;
mod output;
mod sarif;
mod sources;
mod text;
mod way;
mod witness;

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Deserializer, Serialize};

pub use crate::line::one_line;
pub use fingerprint::fingerprints;
pub use model::{RealNames, below_root, follow_links, shown_path};
pub use name::Name;
pub use outcome::Overall;
pub use output::{check_writable, replace, write, write_files};
pub use sources::Sources;

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
    /// The files below the report's root that the units are made from, headers among them.
    pub files: BTreeSet<String>,
    /// What the proofs rest on, if `--proofs` asks for it.
    pub invariants: Vec<Invariant>,
    /// The same as sets of whole states.
    pub states: Vec<States>,
    /// What is violated at the revision that the scan is compared with.
    pub before: Option<Before>,
    /// Whether obligations were looked for at all; without that nothing is ever called safe.
    pub checked: bool,
    /// What `--explain-path` prints before the report for people.
    pub paths: String,
    /// What `--dump` prints instead of the report for people.
    pub dump: Option<String>,
    /// A dump that judges the program's own annotations found one wrong.
    pub dump_failed: bool,
}

/// What was violated at an earlier revision.
#[derive(Clone, Debug, Default)]
pub struct Before {
    /// As the user names it.
    pub revision: String,
    /// The fingerprints of the findings.
    pub findings: BTreeSet<String>,
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
    /// The functions that were assumed to be called from outside.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub entries: Vec<Entry>,
    /// Of a library that is not entered from outside: the programs of the build in which its code is judged, …
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub judged_in: Vec<String>,
    /// … and the functions that they do not come to.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub uncalled: Vec<String>,
    /// The size of its model, if there is one.
    pub model: Option<Model>,
    /// Why there is no model.
    pub failure: Option<String>,
    /// Objects in it that nobody was seen to compile, so that their code is not in the model.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub missing: Vec<String>,
}

/// A function that is called from outside.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    pub function: String,
    /// What was assumed of its callers.
    pub assumes: Vec<String>,
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
    /// How wide a pointer is.
    #[serde(skip)]
    pub pointer_bits: u32,
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

/// What holds each time the head of a loop is met.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Invariant {
    /// The program it is about.
    pub target: String,
    /// Where the loop may stand: at the first of these that is the keyword of a loop.
    pub places: Vec<Location>,
    /// Conditions in C, all of which hold.
    pub conditions: Vec<String>,
}

/// The states that a proof rests on, in lines that the checker reads.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct States {
    /// The program it is about.
    pub target: String,
    pub lines: String,
}

/// Something the user should know.
#[derive(Clone, Debug, Serialize)]
pub struct Note {
    /// The file, target or function it is about.
    pub about: Option<String>,
    /// What there is to know.
    pub text: String,
}

/// The name of a rule, as it stands in [`crate::rules::RULES`].
pub type RuleId = &'static str;

/// One thing to be decided.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Obligation {
    /// The id of its rule.
    #[serde(deserialize_with = "known_rule")]
    pub rule: RuleId,
    /// What came out.
    #[serde(flatten)]
    pub verdict: Verdict,
    /// Why it is safe, if it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proof: Option<Proof>,
    /// Where it stands.
    pub location: Location,
    /// What it says, in one line.
    pub message: String,
    /// The targets it is part of; a way to a violation is one of the first.
    pub targets: Vec<String>,
    /// What has to be true of the callers of a library for the verdict to hold.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub assumes: Vec<String>,
    /// Why it is not to be told, if so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub silenced: Option<Silenced>,
    /// What explains a violation besides the way to it: where an object was allocated or freed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub related: Vec<Related>,
    /// How a violation comes about, from the start of the program.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub trace: Vec<Step>,
}

impl Obligation {
    /// Whether the verdict holds only if callers from outside do as is assumed of them.
    pub fn is_assumed(&self) -> bool {
        !self.assumes.is_empty()
    }

    /// Makes the places of a long way share the texts of their names.
    pub fn share_names(&mut self) {
        let mut known: BTreeSet<Name> = BTreeSet::new();
        let steps = self.trace.iter_mut().map(|step| &mut step.location);
        let related = self.related.iter_mut().map(|related| &mut related.location);
        for at in std::iter::once(&mut self.location).chain(related).chain(steps) {
            for name in [&mut at.file, &mut at.function] {
                match known.get(name) {
                    Some(known) => *name = known.clone(),
                    None => _ = known.insert(name.clone()),
                }
            }
        }
    }
}

/// What a proof rests on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Proof {
    /// Every execution was followed to its end.
    Exhaustive,
    /// Invariants of loops: `--proofs` writes them.
    Invariants,
    /// Rounds of abstraction and refinement.
    Refinement,
    /// Facts that hold on every way to the place.
    Facts,
}

/// The rule of a name that was written down.
fn known_rule<'de, D: Deserializer<'de>>(deserializer: D) -> Result<RuleId, D::Error> {
    let id = String::deserialize(deserializer)?;
    let rule = crate::rules::rule(&id).ok_or_else(|| serde::de::Error::custom("no such rule"))?;
    Ok(rule.id)
}

/// A place that explains something.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Related {
    /// Where.
    pub location: Location,
    /// What happened there.
    pub text: String,
}

/// The user's wish not to hear of something.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Silenced {
    /// Where the wish stands.
    pub by: SilencedBy,
    /// The user's reason.
    pub reason: String,
}

/// Where somebody silenced something.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SilencedBy {
    /// A comment beside the code.
    Comment,
    /// The baseline.
    Baseline,
    /// An `ignore` of the settings file.
    Settings,
    /// It was there at the revision that the scan is compared with.
    Revision,
}

/// Something that happens on the way to a violation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Step {
    /// Where.
    pub location: Location,
    /// How many calls have not returned.
    pub depth: u32,
    /// What: a value that changes, a branch, a call.
    pub text: String,
    /// What the text says, if it is that something has a new value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub change: Option<Change>,
    /// What the text says, if it is that a call gave a number that is an input: a constant of C.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input: Option<String>,
    /// It only stands for so many steps of a long way that are not told; 0 for a step.
    #[serde(default, skip_serializing_if = "is_step")]
    pub left_out: usize,
}

fn is_step(left_out: &usize) -> bool {
    *left_out == 0
}

/// Something that has a value from a step on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Change {
    /// As C would write it.
    pub name: String,
    /// Likewise.
    pub value: String,
    /// The number of the object it is a part of; a variable whose address nobody takes has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub object: Option<u32>,
    /// The function that it ends with; what is global or allocated has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub function: Option<String>,
}

/// What came out for one obligation.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
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
        /// The kind of reason.
        cause: Cause,
    },
}

/// Why something could not be decided; what is cheapest to do something about comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Cause {
    /// The time for it was used up.
    Time,
    /// The memory for it was used up.
    Memory,
    /// There is no meaning for something on the way.
    NotModelled,
    /// A violation was found under an assumption that executions may not share.
    Doubt,
    /// Memory is not freed but not lost either.
    StillReachable,
    /// Calls are nested too deep.
    Depth,
    /// The solver gave up.
    Solver,
    /// A path that was found could not be walked again.
    Unconfirmed,
}

impl Cause {
    /// As it is written in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Time => "time",
            Self::Memory => "memory",
            Self::NotModelled => "not modelled",
            Self::Doubt => "doubt",
            Self::StillReachable => "still reachable",
            Self::Depth => "depth",
            Self::Solver => "solver",
            Self::Unconfirmed => "unconfirmed",
        }
    }
}

/// A place in the source.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Location {
    /// Relative to the report's root.
    pub file: Name,
    /// Counted from one; zero if not known.
    pub line: u32,
    /// Counted from one; zero if not known.
    pub column: u32,
    /// The function around it.
    pub function: Name,
}

#[cfg(test)]
mod tests;
