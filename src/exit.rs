//! How the process ends: the only place that knows the exit codes.

/// What a script can rely on. The numbers are part of the command line's contract.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Exit {
    /// Everything asked for was analysed, and nothing was found.
    Clean = 0,
    /// At least one obligation is violated.
    Findings = 1,
    /// The scan could not be done: bad options, no compiler, an output that cannot be written.
    Failure = 2,
    /// Nothing was found, but some units or targets could not be analysed.
    Partly = 3,
    /// Ended by Ctrl-C or SIGTERM; the number is the shell's own for SIGINT.
    Interrupted = 130,
}

impl From<Exit> for std::process::ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}
