//! Executions with inputs drawn at random ([`super::run`]): no questions, no forks, no waiting states.

use super::draw::Draw;
use super::explore::Explorer;
use super::replay::Target;
use super::run::{End, Runner};
use std::time::Instant;

/// Executions that are tried.
const MOST_DIVES: u32 = 100;

/// Each may take this part of what is left of the time.
const SHARE: u32 = 2;

impl Explorer<'_> {
    /// Looks for violations with random inputs until that part of the time is over.
    pub(super) fn dive(&mut self, slice: f64) {
        if self.machine.given.is_some() {
            // What callers give is not drawn.
            return;
        }
        let deadline = self.start + self.budget.time.mul_f64(slice);
        for number in 0..MOST_DIVES {
            if self.all_settled() || Instant::now() >= deadline || self.cancel.is_wished() {
                return;
            }
            let draw = Draw::number(number);
            let Some(mut runner) = Runner::new(self.machine.program, &self.machine.marks, draw)
            else {
                return;
            };
            let now = Instant::now();
            let share = deadline.saturating_duration_since(now) / SHARE;
            if let End::Violation(target, steps) = runner.run(self.entry, now + share) {
                self.confirm(draw, target, steps);
            }
        }
    }

    /// Walks the way of an execution again.
    fn confirm(&mut self, draw: Draw, target: Target, steps: u64) {
        let Target::At { at, number, site } = target else { return };
        let Some(&mark) = self.machine.marks.at(at).get(number) else { return };
        let index = self.obligation(mark, site);
        if self.violated[index].is_some() || self.known[index] {
            return;
        }
        if let Some(walked) = self.machine.replay_drawn(self.entry, draw, target, steps) {
            self.confirmed(index, walked);
        }
    }
}
