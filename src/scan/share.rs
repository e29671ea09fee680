//! How `--total-timeout` is spread: what is left of it is shared by the targets that are still to be looked at.
//!
//! Invariant: a target that comes late gets nothing rather than everybody's time; it is reported, all unknown.

use crate::config::Settings;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

#[derive(Debug)]
pub(super) struct Share {
    end: Option<Instant>,
    jobs: usize,
    /// The targets that have not begun.
    waiting: Mutex<usize>,
}

impl Share {
    pub fn new(settings: &Settings, start: Instant, targets: usize) -> Share {
        let end = settings.total_timeout.map(|time| start + time);
        Share { end, jobs: settings.jobs.get(), waiting: Mutex::new(targets) }
    }

    /// The settings for the next target.
    pub fn settings(&self, settings: &Settings) -> Settings {
        let mut own = settings.clone();
        let Some(end) = self.end else { return own };
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        let others = (*waiting).max(1);
        *waiting = others - 1;
        let left = end.saturating_duration_since(Instant::now());
        let time = share(left, self.jobs, others);
        own.target_time = Some(time);
        own.timeout = own.timeout.min(time.max(Duration::from_millis(1)));
        own
    }
}

/// What one of so many may take if so many are looked at together.
fn share(left: Duration, jobs: usize, waiting: usize) -> Duration {
    left.mul_f64(jobs.min(waiting) as f64 / waiting as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_is_shared_by_those_that_wait() {
        let all = Duration::from_secs(60);
        assert_eq!(share(all, 2, 1), all);
        assert_eq!(share(all, 2, 2), all);
        assert_eq!(share(all, 2, 6), Duration::from_secs(20));
        assert_eq!(share(Duration::ZERO, 2, 6), Duration::ZERO);
    }
}
