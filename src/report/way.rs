//! The way to a violation, cut to what a report has room for.
//!
//! Invariant: steps that the trace does not hold count like those that it does, for the numbers of the others and for what a
//! report says that it leaves out.

use super::Step;

/// A step that is told.
#[derive(Clone, Copy, Debug)]
pub struct Told<'a> {
    /// Which one it is on the whole way, counted from one.
    pub number: usize,
    pub step: &'a Step,
    /// How many steps just before it are left out here.
    pub folded: usize,
    /// How many more the trace does not hold.
    pub unknown: usize,
}

impl Told<'_> {
    /// Steps between the one told before and this one.
    pub fn left_out(&self) -> usize {
        self.folded + self.unknown
    }
}

/// The first `head` and the last `tail` steps of a way.
pub fn fold<'a>(trace: impl Iterator<Item = &'a Step>, head: usize, tail: usize) -> Vec<Told<'a>> {
    let (mut number, mut unknown) = (1, 0);
    let mut steps = Vec::new();
    for step in trace {
        if step.left_out > 0 {
            number += step.left_out;
            unknown += step.left_out;
            continue;
        }
        steps.push(Told { number, step, folded: 0, unknown });
        (number, unknown) = (number + 1, 0);
    }
    let Some(from) = steps.len().checked_sub(tail).filter(|from| *from > head) else {
        return steps;
    };
    let away = steps.drain(head..from);
    let (folded, unknown) = away.fold((0, 0), |(folded, all), one| (folded + 1, all + one.unknown));
    if let Some(next) = steps.get_mut(head) {
        next.folded = folded;
        next.unknown += unknown;
    }
    steps
}

#[cfg(test)]
mod tests {
    use super::super::Location;
    use super::*;

    #[test]
    fn what_is_left_out_is_counted_once() {
        let step = |left_out: usize| Step {
            location: Location::default(),
            depth: 1,
            text: String::new(),
            change: None,
            input: None,
            left_out,
        };
        let mut trace = vec![step(0); 10];
        trace[5].left_out = 100;
        let told = |head, tail| -> Vec<_> {
            let all = fold(trace.iter(), head, tail);
            all.iter().map(|told| (told.number, told.folded, told.unknown)).collect()
        };
        assert_eq!(told(9, 9)[4..6], [(5, 0, 0), (106, 0, 100)]);
        assert_eq!(told(2, 2), [(1, 0, 0), (2, 0, 0), (108, 5, 100), (109, 0, 0)]);
        assert_eq!(told(6, 2)[5..], [(106, 0, 100), (108, 1, 0), (109, 0, 0)]);
        assert_eq!(told(0, 0), []);
        assert_eq!(told(1, 0), [(1, 0, 0)]);
    }
}
