//! The frozen settings of one scan: plain data, every default filled in.

use std::collections::BTreeSet;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::function::Function;
use super::ignore::Ignore;
use super::input::Input;
use super::layer::{Engine, FailOn, SarifKinds, When};
use super::witness::Given;

/// Everything the pipeline needs to know about what the user wants.
#[derive(Clone, Debug)]
pub struct Settings {
    /// What to scan.
    pub input: Input,
    /// The folder of the project, absolute: where the build is looked for or run.
    pub base: PathBuf,
    /// The folder that reported paths are relative to: the repository around `base`, else `base`.
    pub root: PathBuf,
    /// Where the build's output lies, if the user said so.
    pub build_dir: Option<PathBuf>,
    /// Names of the targets to scan; empty means all.
    pub targets: Vec<String>,
    /// Files whose targets alone are to be scanned; empty means all.
    pub affected_by: Vec<PathBuf>,
    /// Compiler flags for C files given by name. They pass the same filter as a project's own.
    pub cflags: Vec<String>,
    /// Functions to start from; empty means `main`, or a library's visible functions.
    pub entries: Vec<String>,
    /// Functions of a library that are no entries, because programs of the same build have them.
    pub judged_elsewhere: BTreeSet<String>,
    /// How many things to do at once.
    pub jobs: NonZeroUsize,
    /// Time to decide what is asked of one program, or of one entry of a library.
    pub timeout: Duration,
    /// Time for the whole scan, if it is limited.
    pub total_timeout: Option<Duration>,
    /// What is left of that for one target; zero if nothing is.
    pub target_time: Option<Duration>,
    /// What functions without a body do.
    pub functions: Vec<Function>,
    /// How assertions are decided.
    pub engine: Engine,
    /// What a witness says of loops: obligations are decided by it alone.
    pub given: Option<Given>,
    /// Print the paths that `sse` enumerates, step by step.
    pub explain_path: bool,
    /// Further functions that count as assertions: what they are given must not be zero, and those that are given
    /// nothing must not be called.
    pub assertions: Vec<String>,
    /// Whether every allocation may return null.
    pub malloc_may_fail: bool,
    /// Whether memory that can still be reached when the program ends itself is no better than at its end.
    pub frees_all: bool,
    /// Whether callers from outside may give null pointers.
    pub null_arguments: bool,
    /// Ids of the rules to check, in the order of [`crate::rules::RULES`].
    pub rules: Vec<&'static str>,
    /// The functions that a property file forbids to call: then no other assertion is looked at.
    pub forbidden: Vec<String>,
    /// What the user should know about how the settings were understood.
    pub notes: Vec<String>,
    /// What makes the exit code tell of findings.
    pub fail_on: FailOn,
    /// End with exit code 0 whatever was found.
    pub exit_zero: bool,
    /// Findings that are known and accepted.
    pub baseline: Option<PathBuf>,
    /// Files and rules that the settings file silences.
    pub ignores: Vec<Ignore>,
    /// The revision whose findings are not told again.
    pub diff_base: Option<String>,
    /// The reports to write.
    pub outputs: Outputs,
    /// Print findings only.
    pub quiet: bool,
    /// Whether to tell on standard error what is going on.
    pub progress: When,
    /// Print a stage's result instead of the report.
    pub dump: Option<Dump>,
    /// Where work is kept between scans.
    pub cache: Cache,
    /// The settings file that was used.
    pub settings_file: Option<PathBuf>,
}

impl Settings {
    /// Whether only a part of the build, or of its programs, is to be looked at.
    pub fn is_partial(&self) -> bool {
        !(self.targets.is_empty() && self.affected_by.is_empty() && self.entries.is_empty())
    }

    /// Whether a dump is all that is written, so that nobody asks for the text of files.
    pub fn only_dumps(&self) -> bool {
        self.dump.is_some() && self.outputs.files().next().is_none() && !self.outputs.takes_stdout()
    }
}

/// The machine-readable reports asked for.
#[derive(Clone, Debug, Default)]
pub struct Outputs {
    /// Our own JSON.
    pub json: Option<OutputPlace>,
    /// SARIF 2.1.0.
    pub sarif: Option<OutputPlace>,
    /// Which results the SARIF report holds.
    pub sarif_kinds: SarifKinds,
    /// What keeps its results apart from those of other scans of the same commit.
    pub sarif_category: String,
    /// Whether it holds what is silenced, too.
    pub sarif_keep_suppressed: bool,
    /// One web page.
    pub html: Option<OutputPlace>,
    /// JUnit XML.
    pub junit: Option<OutputPlace>,
    /// Witnesses of proofs and violations, as verifiers exchange them.
    pub proofs: Option<OutputPlace>,
    /// Whether findings are printed as GitHub annotations, too.
    pub annotations: bool,
    /// The baseline to write.
    pub write_baseline: Option<PathBuf>,
}

impl Outputs {
    /// The reports with the options that name them.
    pub fn reports(&self) -> impl Iterator<Item = (&'static str, &OutputPlace)> {
        let all = [
            ("--json", &self.json),
            ("--sarif", &self.sarif),
            ("--html", &self.html),
            ("--junit", &self.junit),
            ("--proofs", &self.proofs),
        ];
        all.into_iter().filter_map(|(option, place)| Some((option, place.as_ref()?)))
    }

    /// The files that will be written.
    pub fn files(&self) -> impl Iterator<Item = &Path> {
        let reports = self.reports().filter_map(|(_, place)| match place {
            OutputPlace::Stdout => None,
            OutputPlace::File(path) => Some(path.as_path()),
        });
        reports.chain(self.write_baseline.as_deref())
    }

    /// Whether a report goes to standard output, so that nothing else may.
    pub fn takes_stdout(&self) -> bool {
        self.reports().any(|(_, place)| *place == OutputPlace::Stdout)
    }
}

/// Where a report goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OutputPlace {
    /// Given as `-`; the report for people is then left out.
    Stdout,
    /// A file, replaced in one step when the report is complete.
    File(PathBuf),
}

/// Where compiled units are kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cache {
    /// In this folder, for the next scan.
    Kept(PathBuf),
    /// Nowhere: each scan uses a temporary folder of its own.
    Scratch,
}

/// What `--dump` prints, and how.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dump {
    /// Whose result.
    pub stage: Stage,
    /// In which form.
    pub format: DumpFormat,
}

/// The stages whose result can be printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Stage {
    /// Which units make which program, and the evidence for it
    Targets,
    /// The model of each target
    Ir,
    /// What every pointer may point to
    Pta,
    /// Who calls whom, calls through pointers included
    Callgraph,
    /// Where every value and every content of memory goes
    Svfg,
    /// What can influence each obligation of the chosen rules
    Sfg,
    /// What is settled without executing anything, by rule, and the obligations that are left
    Prefilter,
    /// How each assertion is decided: counterexamples, refutations, precision, round by round
    Cegas,
    /// How many questions deciding all obligations took, and what settled them
    Questions,
    /// The alias annotations of a test program (MAYALIAS, NOALIAS …), judged; exit code 1 if one fails
    AliasChecks,
}

impl Stage {
    /// Whether the result is a graph, so that Graphviz can show it.
    pub fn is_graph(self) -> bool {
        match self {
            Self::Targets
            | Self::Ir
            | Self::Prefilter
            | Self::Cegas
            | Self::Questions
            | Self::AliasChecks => false,
            Self::Pta | Self::Callgraph | Self::Svfg | Self::Sfg => true,
        }
    }
}

/// The form of a dump.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum DumpFormat {
    /// Text that a person reads and, for the model, the tool reads back
    #[default]
    Text,
    /// Graphviz
    Dot,
}
