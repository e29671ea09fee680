//! Every limit of the tool, named once with its reason. A result that a limit touched is never `Safe`.

use std::time::Duration;

/// Time for one obligation unless `--timeout` says otherwise: most are decided well within a second,
/// and a project has thousands, so one hard obligation must not hold up the others for longer.
pub const OBLIGATION_TIME: Duration = Duration::from_secs(10);

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

/// Time for one attempt of the pointer analysis; what takes longer is tried again with every object as one
/// place, and then answered by "anything whose address is taken".
pub const POINTER_TIME: Duration = Duration::from_secs(60);

/// Bytes for the pointer analysis's tables: the models of several targets must fit beside them.
pub const POINTER_MEMORY: usize = 3 << 30;

/// Address space for one clang, in bytes: ten times what a unit of 250 000 lines takes.
pub const COMPILE_MEMORY: u64 = 6 << 30;
