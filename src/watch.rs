//! Time as deciding counts it: the processor time of the thread that decides, so that a busy machine takes longer and says
//! the same. But a thread that hardly gets a processor is not waited for without end: the clock on the wall counts for half.
//!
//! Invariant: a watch is read by the thread that started it.

use rustix::time::{ClockId, clock_gettime};
use std::time::{Duration, Instant};

/// How much longer than it may take itself a thread may take by the clock on the wall.
const WAITED: u32 = 2;

#[derive(Debug, Clone, Copy)]
pub struct Watch {
    worked: Duration,
    began: Instant,
}

impl Watch {
    pub fn start() -> Watch {
        Watch { worked: worked(), began: Instant::now() }
    }

    pub fn elapsed(&self) -> Duration {
        worked().saturating_sub(self.worked).max(self.began.elapsed() / WAITED)
    }

    /// So much later than its start.
    pub fn after(self, time: Duration) -> Deadline {
        Deadline { watch: self, time }
    }
}

#[derive(Debug, Clone, Copy)]
pub struct Deadline {
    watch: Watch,
    time: Duration,
}

impl Deadline {
    /// So much later than now.
    pub fn within(time: Duration) -> Deadline {
        Watch::start().after(time)
    }

    pub fn left(&self) -> Duration {
        self.time.saturating_sub(self.watch.elapsed())
    }

    pub fn is_over(&self) -> bool {
        self.left().is_zero()
    }
}

/// What this thread has worked since it began.
fn worked() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec.unsigned_abs(), u32::try_from(time.tv_nsec).unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waiting_counts_for_half() {
        let watch = Watch::start();
        let deadline = watch.after(Duration::from_millis(25));
        std::thread::sleep(Duration::from_millis(20));
        // Another process may take the processor; nothing gives it back.
        let slept = watch.began.elapsed();
        assert!(watch.elapsed() <= slept);
        assert!(watch.elapsed() >= Duration::from_millis(10));
        std::thread::sleep(Duration::from_millis(31));
        assert!(deadline.is_over());
    }

    #[test]
    fn work_counts_in_full() {
        let watch = Watch::start();
        let mut turns = 0u64;
        while worked() < watch.worked + Duration::from_millis(10) {
            turns = std::hint::black_box(turns + 1);
        }
        assert!(watch.elapsed() >= Duration::from_millis(10), "after {turns} turns");
        assert!(watch.after(Duration::from_millis(10)).is_over());
        assert!(!watch.after(Duration::from_secs(60)).is_over());
    }
}
