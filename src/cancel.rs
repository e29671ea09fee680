//! Ctrl-C: the scan ends in order, and no compiler it started outlives it.
//!
//! A thread waits for SIGINT and SIGTERM, raises a flag that workers look at between steps, and ends
//! the children that [`Cancel::run`] and [`Cancel::build`] wait for. A second signal ends the process at once, and so
//! does the first where nobody looks at the flag for a while.
//! Invariant: only children that have not been waited for are killed, so a process number that the
//! system gave to somebody else is never hit.

use std::collections::BTreeMap;
use std::io::{IsTerminal, Read};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use std::{fmt, io};

use rustix::process::{
    Pid, Resource, Rlimit, Signal, WaitId, WaitIdOptions, kill_process, kill_process_group,
    prlimit, waitid,
};
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
    children: Mutex<BTreeMap<i32, Ending>>,
}

/// How a child is ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ending {
    /// A compiler: nothing it writes is wanted any more.
    Kill,
    /// A build with the group of processes it leads: each may remove what it left half done.
    EndGroup,
    /// A build at a terminal, which shares our group because it may ask its user something. Ctrl-C there
    /// reaches all of it; SIGTERM reaches the program in front, which tells its own children, as make does.
    End,
}

impl Ending {
    fn carry_out(self, child: Pid) {
        // It may have ended by itself; nothing is lost then.
        let _ = match self {
            Ending::Kill => kill_process(child, Signal::KILL),
            Ending::EndGroup => kill_process_group(child, Signal::TERM),
            Ending::End => kill_process(child, Signal::TERM),
        };
    }
}

/// What a child may use.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    pub time: Duration,
    /// Bytes of address space.
    pub memory: u64,
}

/// How a child of [`Cancel::run`] ended.
#[derive(Debug)]
pub struct Ended {
    pub status: ExitStatus,
    /// What it said on standard error.
    pub said: Vec<u8>,
    /// It was killed because its time was over.
    pub late: bool,
}

/// How long a scan may take to end in order once it is to stop.
const PATIENCE: Duration = Duration::from_secs(3);

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
                let wish = wish.clone();
                // Without such a thread, a second signal is the way out.
                let _ = std::thread::Builder::new().spawn(move || wish.insist());
            }
        })?;
        Ok(cancel)
    }

    /// Ends the process when it had its time to end in order. A solver can be deaf for minutes; a build that we were
    /// asked to record may take its time.
    fn insist(&self) {
        loop {
            std::thread::sleep(PATIENCE);
            if self.children().is_empty() {
                eprintln!("cegas-scan: {Cancelled}");
                std::process::exit(Exit::Interrupted as i32);
            }
        }
    }

    /// Expresses the wish.
    pub fn stop(&self) {
        self.shared.wished.store(true, Ordering::SeqCst);
        for (&raw, ending) in self.children().iter() {
            Pid::from_raw(raw).inspect(|&child| ending.carry_out(child));
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

    /// Runs a command with no input and its standard output thrown away. It is killed if the wish comes
    /// first or its time is over.
    pub fn run(&self, command: &mut Command, limits: Limits) -> io::Result<Ended> {
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
        let mut child = command.spawn()?;
        let watched = self.watch(&child, Ending::Kill);
        if watched.pid.is_some() {
            let memory = Some(limits.memory);
            // A system that refuses leaves the time limit, which is enough to come to an end.
            let _ = prlimit(watched.pid, Resource::As, Rlimit { current: memory, maximum: memory });
        }
        let mut said = Vec::new();
        let late = std::thread::scope(|scope| {
            let (ended, clock) = mpsc::channel::<()>();
            let watched = &watched;
            let timer = scope.spawn(move || {
                let late = clock.recv_timeout(limits.time) == Err(RecvTimeoutError::Timeout);
                // It is still ours: nobody reaps it before this thread is over.
                watched.pid.filter(|_| late).inspect(|&child| Ending::Kill.carry_out(child));
                late
            });
            let read = child.stderr.take().map(|mut stderr| stderr.read_to_end(&mut said));
            // Closing standard error is not the end of a process that means to hold us up.
            let waited = watched.wait_for_end();
            drop(ended);
            let late = timer.join().unwrap_or(false);
            read.transpose().and(waited).map(|()| late)
        })?;
        drop(watched);
        Ok(Ended { status: child.wait()?, said, late })
    }

    /// Runs a build with the streams its command has; it is asked to end if the wish comes first.
    pub fn build(&self, command: &mut Command) -> io::Result<ExitStatus> {
        let ending = if io::stdin().is_terminal() { Ending::End } else { Ending::EndGroup };
        if ending == Ending::EndGroup {
            command.process_group(0);
        }
        let mut child = command.spawn()?;
        let watched = self.watch(&child, ending);
        watched.wait_for_end()?;
        drop(watched);
        child.wait()
    }

    /// Has a child ended when the wish comes.
    fn watch(&self, child: &Child, ending: Ending) -> Watched<'_> {
        let pid = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
        let mut children = self.children();
        if let Some(pid) = pid {
            children.insert(pid.as_raw_pid(), ending);
            // Under the lock: the wish either finds the child registered or is seen here.
            if self.is_wished() {
                ending.carry_out(pid);
            }
        }
        drop(children);
        Watched { cancel: self, pid }
    }

    fn children(&self) -> MutexGuard<'_, BTreeMap<i32, Ending>> {
        // The set is whole between any two operations on it, whoever panicked.
        self.shared.children.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A child that is ended when the wish comes, until this is dropped.
#[derive(Debug)]
struct Watched<'a> {
    cancel: &'a Cancel,
    pid: Option<Pid>,
}

impl Watched<'_> {
    /// Learns that the child ended without reaping it, so that its number is still ours: it may be given
    /// back only after nobody can kill it any more.
    fn wait_for_end(&self) -> io::Result<()> {
        let seen = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
        while let Some(pid) = self.pid
            && let Err(error) = waitid(WaitId::Pid(pid), seen)
        {
            if error != rustix::io::Errno::INTR {
                return Err(error.into());
            }
        }
        Ok(())
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

    const AMPLE: Limits = Limits { time: Duration::from_secs(60), memory: 1 << 40 };

    fn sleep() -> Command {
        let mut command = Command::new("sleep");
        command.arg("60");
        command
    }

    #[test]
    fn a_wish_ends_the_child_that_is_waited_for() {
        for build in [false, true] {
            let cancel = Cancel::never();
            let other = cancel.clone();
            let status = std::thread::scope(|scope| {
                scope.spawn(move || {
                    std::thread::sleep(Duration::from_millis(50));
                    other.stop();
                });
                if build {
                    cancel.build(&mut sleep()).unwrap()
                } else {
                    cancel.run(&mut sleep(), AMPLE).unwrap().status
                }
            });
            assert!(!status.success());
            assert_eq!(cancel.check(), Err(Cancelled));
        }
    }

    #[test]
    fn a_child_started_after_the_wish_does_not_live() {
        let cancel = Cancel::never();
        cancel.stop();
        assert!(!cancel.run(&mut sleep(), AMPLE).unwrap().status.success());
    }

    #[test]
    fn without_a_wish_the_child_ends_by_itself() {
        assert!(Cancel::never().build(&mut Command::new("true")).unwrap().success());
        let mut command = Command::new("sh");
        command.args(["-c", "echo no >&2; exit 3"]);
        let ended = Cancel::never().run(&mut command, AMPLE).unwrap();
        assert_eq!((ended.status.code(), ended.said, ended.late), (Some(3), b"no\n".into(), false));
    }

    #[test]
    fn a_child_that_takes_too_long_or_too_much_is_ended() {
        let limits = Limits { time: Duration::from_millis(50), ..AMPLE };
        assert!(Cancel::never().run(&mut sleep(), limits).unwrap().late);
        // It says goodbye on standard error and stays.
        let mut closed = Command::new("sh");
        closed.args(["-c", "exec 2>&-; exec sleep 60"]);
        assert!(Cancel::never().run(&mut closed, limits).unwrap().late);
        let mut greedy = Command::new("sh");
        greedy.args(["-c", "sleep 0.3; exec head -c 300000000 /dev/zero | tail"]);
        let limits = Limits { memory: 100 << 20, ..AMPLE };
        let ended = Cancel::never().run(&mut greedy, limits).unwrap();
        assert!(!ended.status.success(), "{ended:?}");
    }
}
