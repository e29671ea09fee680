//! Settings as somebody wrote them, each one optional: the options of the command line and the keys
//! of `cegas.toml` are this one struct, so they cannot drift apart.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use serde::{Deserialize, Deserializer};

use super::function;
use super::ignore;

/// One layer of settings. Doc comments are the help text.
#[derive(Clone, Debug, Default, clap::Args, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Layer {
    /// Folder of the build: its compile_commands.json and CMake replies are used
    #[arg(short = 'p', long, value_name = "DIR", help_heading = "What to scan")]
    pub build_dir: Option<PathBuf>,

    /// Scan only the target of this name (repeatable; `--dump=targets` lists them)
    #[arg(long, value_name = "NAME", help_heading = "What to scan")]
    #[serde(deserialize_with = "one_or_many")]
    pub target: Vec<String>,

    /// Compiler flag for C files given by name (repeatable): --cflags=-Iinclude --cflags=-DX=1
    #[arg(long, value_name = "FLAG", allow_hyphen_values = true, help_heading = "What to scan")]
    #[serde(deserialize_with = "one_or_many")]
    pub cflags: Vec<String>,

    /// Start from this function instead of main (repeatable)
    #[arg(long, value_name = "FUNCTION", value_delimiter = ',', help_heading = "What to scan")]
    #[serde(deserialize_with = "one_or_many")]
    pub entry: Vec<String>,

    /// Check only these rules, separated by commas [default: all]
    #[arg(long, value_name = "RULES", value_delimiter = ',', help_heading = "How to scan")]
    #[serde(deserialize_with = "one_or_many")]
    pub rules: Vec<String>,

    /// Further function that counts as an assertion (repeatable): its first argument must not be zero;
    /// without arguments, it must not be called
    #[arg(long, value_name = "FUNCTION", value_delimiter = ',', help_heading = "How to scan")]
    #[serde(deserialize_with = "one_or_many")]
    pub assertions: Vec<String>,

    /// How assertions are decided [default: auto]
    #[arg(long, value_name = "ENGINE", help_heading = "How to scan")]
    pub engine: Option<Engine>,

    /// How many things to do at once [default: one per processor]
    #[arg(short, long, value_name = "N", help_heading = "How to scan")]
    pub jobs: Option<NonZeroUsize>,

    /// Time to decide what is asked of one program, or of one entry of a library; the rest is unknown [default: 10]
    #[arg(long, value_name = "SECONDS", help_heading = "How to scan")]
    pub timeout: Option<f64>,

    /// Time for the whole scan, shared by all targets; what is not decided by then is reported as unknown
    #[arg(long, value_name = "SECONDS", help_heading = "How to scan")]
    pub total_timeout: Option<f64>,

    /// Let every allocation return null
    #[arg(long, help_heading = "How to scan")]
    pub malloc_may_fail: bool,

    /// Let callers from outside give null pointers to a library, unless they are declared nonnull
    #[arg(long, help_heading = "How to scan")]
    pub null_arguments: bool,

    /// Keep compiled units and verdicts here between scans [default: ~/.cache/cegas]
    #[arg(long, value_name = "DIR", help_heading = "How to scan")]
    pub cache_dir: Option<PathBuf>,

    /// Keep nothing between scans
    #[arg(long, help_heading = "How to scan")]
    pub no_cache: bool,

    /// Write a JSON report (`-` for standard output)
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub json: Option<PathBuf>,

    /// Write a SARIF 2.1.0 report (`-` for standard output)
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub sarif: Option<PathBuf>,

    /// What the SARIF report holds: violations, or everything that was looked at [default: fail]
    #[arg(long, value_name = "KINDS", help_heading = "Output")]
    pub sarif_kinds: Option<SarifKinds>,

    /// Category of the SARIF report, which keeps several scans of one commit apart [default: cegas-scan]
    #[arg(long, value_name = "NAME", help_heading = "Output")]
    pub sarif_category: Option<String>,

    /// Keep silenced findings in the SARIF report, marked as suppressed (GitHub shows them as open)
    #[arg(long, help_heading = "Output")]
    pub sarif_keep_suppressed: bool,

    /// Write a report as one web page that needs no network: the code, the traces to step through, the ledger
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub html: Option<PathBuf>,

    /// Write a JUnit XML report (`-` for standard output)
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub junit: Option<PathBuf>,

    /// Write what proofs rest on and how violations come about, as witnesses 2.0 that other verifiers read (YAML)
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub proofs: Option<PathBuf>,

    /// Print the findings as GitHub annotations, too
    #[arg(long, help_heading = "Output")]
    pub annotations: bool,

    /// Say nothing of the findings in this file, which --write-baseline wrote
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub baseline: Option<PathBuf>,

    /// End with exit code 1 for violations, also for what is suspected, or for all that is undecided [default: error]
    #[arg(long, value_name = "WHAT", help_heading = "Output")]
    pub fail_on: Option<FailOn>,

    /// End with exit code 0 whatever was found; a scan that cannot be done still ends with 2
    #[arg(long, help_heading = "Output")]
    pub exit_zero: bool,

    /// Print findings only
    #[arg(short, long, help_heading = "Output")]
    pub quiet: bool,

    /// What the settings file silences. Tables have no option.
    #[arg(skip)]
    pub ignore: Vec<ignore::Written>,

    /// What functions without a body do; in the settings file only.
    #[arg(skip)]
    pub function: Vec<function::Written>,

    /// Tell on standard error what is going on [default: auto, which means on a terminal, or when it takes long]
    #[arg(long, value_name = "WHEN", help_heading = "Output")]
    pub progress: Option<When>,
}

/// How assertions are decided. Every other rule is decided by following paths.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Engine {
    /// By following paths, a moment of abstraction refinement, and proving loops
    #[default]
    Auto,
    /// By abstraction refinement (CEGAS) first, then as `auto`
    Cegas,
    /// By enumerating paths to each assertion, within a bound
    Sse,
    /// By proofs only: no violation is looked for
    Proofs,
}

/// Which results a SARIF report holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SarifKinds {
    /// Violations
    #[default]
    Fail,
    /// Also what is proved (`pass`) and what is unknown (`open`)
    All,
}

/// What makes the exit code tell of findings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FailOn {
    /// Violations
    #[default]
    Error,
    /// Violations and what is suspected: a violation that depends on an assumption (`unknown: doubt`)
    Warning,
    /// Violations and everything that is not proved
    Unknown,
}

/// When to do something that depends on the terminal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum When {
    /// On a terminal; elsewhere if it takes long
    #[default]
    Auto,
    /// Also where standard error is a file or a pipe
    Always,
    /// Not at all
    Never,
}

impl Layer {
    /// The keys that `cegas.toml` may set, taken from the options themselves.
    pub fn keys() -> Vec<String> {
        let command = <Self as clap::Args>::augment_args(clap::Command::new("layer"));
        let options = command.get_arguments().filter_map(|a| a.get_long().map(str::to_owned));
        options.chain(["ignore", "function"].map(str::to_owned)).collect()
    }

    /// This layer where it says something, the one below elsewhere.
    pub fn over(self, below: Self) -> Self {
        fn list(above: Vec<String>, below: Vec<String>) -> Vec<String> {
            if above.is_empty() { below } else { above }
        }
        Self {
            build_dir: self.build_dir.or(below.build_dir),
            target: list(self.target, below.target),
            cflags: list(self.cflags, below.cflags),
            entry: list(self.entry, below.entry),
            rules: list(self.rules, below.rules),
            assertions: list(self.assertions, below.assertions),
            engine: self.engine.or(below.engine),
            jobs: self.jobs.or(below.jobs),
            timeout: self.timeout.or(below.timeout),
            total_timeout: self.total_timeout.or(below.total_timeout),
            malloc_may_fail: self.malloc_may_fail || below.malloc_may_fail,
            null_arguments: self.null_arguments || below.null_arguments,
            // Either option about the cache overrides both of the layer below.
            cache_dir: if self.no_cache {
                None
            } else {
                self.cache_dir.clone().or(below.cache_dir)
            },
            no_cache: self.no_cache || (self.cache_dir.is_none() && below.no_cache),
            json: self.json.or(below.json),
            sarif: self.sarif.or(below.sarif),
            sarif_kinds: self.sarif_kinds.or(below.sarif_kinds),
            sarif_category: self.sarif_category.or(below.sarif_category),
            sarif_keep_suppressed: self.sarif_keep_suppressed || below.sarif_keep_suppressed,
            html: self.html.or(below.html),
            junit: self.junit.or(below.junit),
            proofs: self.proofs.or(below.proofs),
            annotations: self.annotations || below.annotations,
            baseline: self.baseline.or(below.baseline),
            function: if self.function.is_empty() { below.function } else { self.function },
            ignore: if self.ignore.is_empty() { below.ignore } else { self.ignore },
            fail_on: self.fail_on.or(below.fail_on),
            exit_zero: self.exit_zero || below.exit_zero,
            // Likewise for the two that say how much is told.
            quiet: self.quiet || (self.progress.is_none() && below.quiet),
            progress: if self.quiet { self.progress } else { self.progress.or(below.progress) },
        }
    }

    /// A pair of settings in this layer that cannot both be meant.
    pub fn contradiction(&self) -> Option<&'static str> {
        if self.quiet && self.progress == Some(When::Always) {
            return Some("`quiet` and `progress = always` contradict each other; drop one");
        }
        if self.no_cache && self.cache_dir.is_some() {
            return Some("`no-cache` and `cache-dir` contradict each other; drop one");
        }
        None
    }
}

/// `rules = "leak"` means the same as `rules = ["leak"]`.
pub(super) fn one_or_many<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Vec<String>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged, expecting = "expected a string or a list of strings")]
    enum OneOrMany {
        One(String),
        Many(Vec<String>),
    }
    Ok(match OneOrMany::deserialize(deserializer)? {
        OneOrMany::One(one) => vec![one],
        OneOrMany::Many(many) => many,
    })
}
