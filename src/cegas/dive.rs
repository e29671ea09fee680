//! Executions with inputs drawn at random ([`super::run`]): no questions, no forks, no waiting states.

use super::draw::Draw;
use super::explore::Explorer;
use super::replay::Target;
use super::run::{End, Runner};
use crate::watch::Deadline;

/// Executions that are tried.
const MOST_DIVES: u32 = 100;

/// The first may take this part of the steps: where there are no inputs it is the only one. Each of the others takes
/// less of what is left, since some of them turn for ever; but as one that came to its end tells how long they are, it
/// may take as many times that.
const FIRST: u64 = 2;
const SHARE: u64 = 6;
const LONGER: u64 = 4;

impl Explorer<'_> {
    /// Looks for violations with random inputs, for so many steps or until then.
    pub(super) fn dive(&mut self, deadline: Deadline, mut steps: u64) {
        if self.machine.given.is_some() {
            // What callers give is not drawn.
            return;
        }
        let mut longest = 0;
        for number in 0..MOST_DIVES {
            let is_time = steps == 0 || deadline.is_over();
            if self.all_settled() || is_time || self.cancel.is_wished() {
                return;
            }
            let draw = Draw::number(number);
            let Some(mut runner) = Runner::new(self.machine.program, &self.machine.marks, draw)
            else {
                return;
            };
            let share = steps / if number == 0 { FIRST } else { SHARE };
            let most = share.max(steps.min(LONGER * longest));
            let (end, taken) = runner.run(self.entry, most, deadline);
            steps -= taken.clamp(1, steps);
            match end {
                End::Violation(target) => self.confirm(draw, target, taken),
                End::Done => longest = longest.max(taken),
                End::Other => {}
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
        let limit = self.unhurried(1.0);
        if let Some(walked) = self.machine.replay_drawn(self.entry, draw, target, steps, limit) {
            self.confirmed(index, walked);
        }
    }
}
