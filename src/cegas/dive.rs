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
    /// Looks for violations with random inputs, for so many steps or until then. Tells how many steps the program takes if it
    /// has no inputs and comes to its end.
    pub(super) fn dive(&mut self, deadline: Deadline, mut steps: u64) -> Option<u64> {
        if self.machine.given.is_some() {
            // What callers give is not drawn.
            return None;
        }
        let mut longest = 0;
        for number in 0..MOST_DIVES {
            let is_time = steps == 0 || deadline.is_over();
            if self.all_settled() || is_time || self.cancel.is_wished() {
                return None;
            }
            let draw = Draw::number(number);
            let mut runner = Runner::new(self.machine.program, &self.machine.marks, draw)?;
            let share = steps / if number == 0 { FIRST } else { SHARE };
            let most = share.max(steps.min(LONGER * longest));
            let (end, taken) = runner.run(self.entry, most, deadline);
            let has_inputs = runner.has_inputs();
            steps -= taken.clamp(1, steps);
            match end {
                End::Violation(target) => self.confirm(draw, target, taken),
                End::Done => longest = longest.max(taken),
                End::Other => {}
            }
            // Another execution would differ in what was never set at the most, and that was tried both ways.
            if number > 0 && !has_inputs {
                return Some(longest).filter(|&longest| longest > 0);
            }
        }
        None
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
