//! Every limit of the tool, named once with its reason. A result that a limit touched is never `Safe`.

use std::time::Duration;

/// Time for one program, or one entry of a library, unless `--timeout` says otherwise: most obligations are decided well within a second,
/// and a project has thousands, so one hard obligation must not hold up the others for longer.
pub const OBLIGATION_TIME: Duration = Duration::from_secs(10);

/// Of a library's functions, so many may take the whole time of an obligation; more of them share that, so that a large
/// library does not take hours.
pub const ENTRIES_IN_FULL: usize = 24;

/// With `--engine=sse`, how often a path may come to the same block of one call by an open decision: enough for the
/// loops that people look at one path of.
pub const SSE_TURNS: u32 = 8;

/// With `--engine=sse`, the paths that are enumerated: nobody reads more, and their number doubles with each branch.
pub const SSE_PATHS: u64 = 20_000;

/// With `--engine=sse`, the instructions of one path.
pub const SSE_STEPS: u32 = 2_000_000;

/// The longest `--timeout` taken: a week. More is a slip of the keyboard, and would overflow clocks.
pub const LONGEST_TIME: Duration = Duration::from_secs(7 * 24 * 3600);

/// The most worker threads `-j` may ask for: each holds a solver context of tens of megabytes.
pub const MOST_JOBS: usize = 1024;

/// The largest `cegas.toml` read. A settings file is a page of text; a hostile repository may hold
/// a file of gigabytes under that name.
pub const SETTINGS_BYTES: u64 = 1 << 20;

/// Time for clang to compile one unit. The largest units of the projects we know take seconds; a hostile one
/// includes a pipe that nobody writes to, or itself without end.
pub const COMPILE_TIME: Duration = Duration::from_secs(600);

/// Work of one attempt of the pointer analysis, some twenty million steps a second: what takes more is tried again
/// with every object as one place, and then answered by "anything whose address is taken".
pub const POINTER_WORK: u64 = 400_000_000;

/// So many instructions of a program allow as much work once more: what is done for each grows with the program.
pub const POINTER_WORK_INSTRUCTIONS: usize = 100_000;

/// How many times as much the second attempt may take: what comes after it is worth next to nothing.
pub const POINTER_WORK_COARSE: u64 = 3;

/// Bytes for the pointer analysis's tables: the models of several targets must fit beside them.
pub const POINTER_MEMORY: usize = 3 << 30;

/// Address space for one clang, in bytes: ten times what a unit of 250 000 lines takes.
pub const COMPILE_MEMORY: u64 = 6 << 30;

/// The largest source file that is read for excerpts and fingerprints. The largest amalgamations have ten
/// megabytes; what is larger was made by a machine, and its findings are told without an excerpt.
pub const SOURCE_BYTES: u64 = 32 << 20;

/// Results in a SARIF file: GitHub refuses files with more.
pub const SARIF_RESULTS: usize = 25_000;

/// Steps of one result's flow in a SARIF file: GitHub shows no more.
pub const SARIF_STEPS: usize = 1_000;

/// Steps of all flows in a SARIF file: about 400 bytes each, which gzip makes a tenth of, against the ten
/// megabytes that GitHub takes. Further results keep the first and the last step of their flow.
pub const SARIF_ALL_STEPS: usize = 100_000;

/// Findings on a page: nobody scrolls through more, and the JSON report has all of them.
pub const HTML_FINDINGS: usize = 5_000;

/// Steps of one finding on a page. The engine keeps a thousand.
pub const HTML_STEPS: usize = 2_000;

/// Steps of all findings on a page: a browser reads the forty megabytes that they take in about a second.
pub const HTML_ALL_STEPS: usize = 200_000;

/// What a page lists of what is unknown.
pub const HTML_UNKNOWN: usize = 1_000;

/// The largest baseline read: some hundred bytes for each of a hundred thousand findings.
pub const BASELINE_BYTES: u64 = 64 << 20;

/// The stack of a worker. What is nested deep (types, initialisers, matching of lists) is looked at by functions that call
/// themselves; a stack that is too small would end the whole scan. What is not used takes no memory.
pub const STACK: usize = 64 << 20;
