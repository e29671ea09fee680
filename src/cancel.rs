//! Ctrl-C: the scan ends in order, and no compiler it started outlives it.
//!
//! A thread waits for SIGINT and SIGTERM, raises a flag that workers look at between steps, and kills
//! the children that [`Cancel::run`] and [`Cancel::wait`] wait for. A second signal ends the process at once.
//! Invariant: only children that have not been waited for are killed, so a process number that the
//! system gave to somebody else is never hit.

use std::collections::BTreeSet;
use std::io::Read;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::{fmt, io};

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process, waitid};
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

use crate::exit::Exit;

/// A shared wish to stop.
#[derive(Clone, Debug, Default)]
pub struct Cancel {
    shared: Arc<Shared>,
}

#[derive(Debug, Default)]
struct Shared {
    wished: AtomicBool,
    children: Mutex<BTreeSet<i32>>,
}

/// The error of work that was stopped on the user's wish.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cancelled;

impl fmt::Display for Cancelled {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("interrupted")
    }
}

impl std::error::Error for Cancelled {}

impl Cancel {
    /// A wish that nobody has, for tests and for work that cannot be stopped.
    pub fn never() -> Self {
        Self::default()
    }

    /// A wish that Ctrl-C and SIGTERM express.
    pub fn on_signals() -> io::Result<Self> {
        let cancel = Self::default();
        let mut signals = Signals::new([SIGINT, SIGTERM])?;
        let wish = cancel.clone();
        std::thread::Builder::new().name("signals".into()).spawn(move || {
            for _ in signals.forever() {
                if wish.is_wished() {
                    // The user insists: do not wait for anything.
                    std::process::exit(Exit::Interrupted as i32);
                }
                wish.stop();
            }
        })?;
        Ok(cancel)
    }

    /// Expresses the wish.
    pub fn stop(&self) {
        self.shared.wished.store(true, Ordering::SeqCst);
        for child in self.children().iter().filter_map(|raw| Pid::from_raw(*raw)) {
            // It may have ended by itself; nothing is lost then.
            let _ = kill_process(child, Signal::KILL);
        }
    }

    /// Whether somebody wants the work to stop.
    pub fn is_wished(&self) -> bool {
        self.shared.wished.load(Ordering::SeqCst)
    }

    /// Ends the caller if somebody wants the work to stop.
    pub fn check(&self) -> Result<(), Cancelled> {
        if self.is_wished() { Err(Cancelled) } else { Ok(()) }
    }

    /// Runs a command with no input, its standard output thrown away, and returns how it ended and
    /// what it said on standard error. It is killed if the wish comes first.
    pub fn run(&self, command: &mut Command) -> io::Result<(ExitStatus, Vec<u8>)> {
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
        let mut child = command.spawn()?;
        let watched = self.watch(&child);
        let mut said = Vec::new();
        if let Some(mut stderr) = child.stderr.take() {
            stderr.read_to_end(&mut said)?;
        }
        Ok((watched.wait(&mut child)?, said))
    }

    /// Waits for a child that is killed if the wish comes first.
    pub fn wait(&self, child: &mut Child) -> io::Result<ExitStatus> {
        self.watch(child).wait(child)
    }

    /// Has a child killed when the wish comes.
    fn watch(&self, child: &Child) -> Watched<'_> {
        let pid = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
        let mut children = self.children();
        if let Some(pid) = pid {
            children.insert(pid.as_raw_pid());
            // Under the lock: the wish either finds the child registered or is seen here.
            if self.is_wished() {
                let _ = kill_process(pid, Signal::KILL);
            }
        }
        drop(children);
        Watched { cancel: self, pid }
    }

    fn children(&self) -> MutexGuard<'_, BTreeSet<i32>> {
        // The set is whole between any two operations on it, whoever panicked.
        self.shared.children.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A child that is killed when the wish comes.
#[derive(Debug)]
struct Watched<'a> {
    cancel: &'a Cancel,
    pid: Option<Pid>,
}

impl Watched<'_> {
    fn wait(self, child: &mut Child) -> io::Result<ExitStatus> {
        // Learn that it ended without reaping it, so that its number is still ours ...
        let seen = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
        while let Some(pid) = self.pid
            && let Err(error) = waitid(WaitId::Pid(pid), seen)
        {
            if error != rustix::io::Errno::INTR {
                return Err(error.into());
            }
        }
        // ... and give the number back only after nobody can kill it any more.
        drop(self);
        child.wait()
    }
}

impl Drop for Watched<'_> {
    fn drop(&mut self) {
        if let Some(pid) = self.pid {
            self.cancel.children().remove(&pid.as_raw_pid());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wish_kills_the_child_that_is_waited_for() {
        let cancel = Cancel::never();
        let mut child = Command::new("sleep").arg("60").spawn().unwrap();
        let other = cancel.clone();
        let status = std::thread::scope(|scope| {
            scope.spawn(move || {
                std::thread::sleep(std::time::Duration::from_millis(50));
                other.stop();
            });
            cancel.wait(&mut child).unwrap()
        });
        assert!(!status.success());
        assert_eq!(cancel.check(), Err(Cancelled));
    }

    #[test]
    fn a_child_started_after_the_wish_does_not_live() {
        let cancel = Cancel::never();
        cancel.stop();
        let mut child = Command::new("sleep").arg("60").spawn().unwrap();
        assert!(!cancel.wait(&mut child).unwrap().success());
    }

    #[test]
    fn without_a_wish_the_child_ends_by_itself() {
        let mut child = Command::new("true").spawn().unwrap();
        assert!(Cancel::never().wait(&mut child).unwrap().success());
        let mut command = Command::new("sh");
        let (status, said) =
            Cancel::never().run(command.args(["-c", "echo no >&2; exit 3"])).unwrap();
        assert_eq!((status.code(), said), (Some(3), b"no\n".to_vec()));
    }
}
