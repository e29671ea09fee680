//! How many questions were asked and what settled them: the measure of everything in this folder.

use std::fmt;
use std::ops::AddAssign;
use std::time::Duration;

/// What settled a question: the most expensive thing that any part of it needed.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Stage {
    /// Rewriting left nothing, or a plain contradiction.
    Rewriting,
    /// What the conditions say about the ranges of terms contradicts.
    Bounds,
    /// The same part, or one that contains or is contained in it, was asked before.
    Cache,
    /// A model found for another question holds here, too.
    OldModel,
    /// A few likely values, tried out.
    Guess,
    Solver,
}

impl Stage {
    pub const ALL: [Stage; 6] = [
        Stage::Rewriting,
        Stage::Bounds,
        Stage::Cache,
        Stage::OldModel,
        Stage::Guess,
        Stage::Solver,
    ];
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Stats {
    /// Questions settled, by stage.
    settled: [u64; 6],
    /// Independent parts that questions fell into.
    pub parts: u64,
    /// Parts that Z3 was asked about.
    pub solver_calls: u64,
    /// Questions without an answer.
    pub unknown: u64,
    /// Models of the solver that our own evaluation did not confirm.
    pub disagreements: u64,
    pub time: Duration,
    pub solver_time: Duration,
}

impl Stats {
    pub fn settled(&self, stage: Stage) -> u64 {
        self.settled[stage as usize]
    }

    pub(super) fn count(&mut self, stage: Stage) {
        self.settled[stage as usize] += 1;
    }

    pub fn questions(&self) -> u64 {
        self.settled.iter().sum()
    }

    /// Questions that never reached Z3.
    pub fn without_solver(&self) -> u64 {
        self.questions() - self.settled(Stage::Solver)
    }
}

impl Stats {
    /// The part that is the same in every run.
    pub fn told(&self) -> String {
        let settled: Vec<String> = Stage::ALL
            .into_iter()
            .map(|stage| format!("{stage:?} {}", self.settled(stage)))
            .collect();
        let (all, without) = (self.questions(), self.without_solver());
        format!("{all} questions, {without} settled without Z3 ({})", settled.join(", "))
    }
}

impl AddAssign for Stats {
    fn add_assign(&mut self, other: Stats) {
        for (mine, others) in self.settled.iter_mut().zip(other.settled) {
            *mine += others;
        }
        self.parts += other.parts;
        self.solver_calls += other.solver_calls;
        self.unknown += other.unknown;
        self.disagreements += other.disagreements;
        self.time += other.time;
        self.solver_time += other.solver_time;
    }
}

impl fmt::Display for Stats {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let percent = 100.0 * self.without_solver() as f64 / self.questions().max(1) as f64;
        write!(f, "{} questions, {percent:.1} % without the solver (", self.questions())?;
        for (i, stage) in Stage::ALL.into_iter().enumerate() {
            let comma = if i > 0 { ", " } else { "" };
            write!(f, "{comma}{stage:?} {}", self.settled(stage))?;
        }
        write!(
            f,
            "), {} unknown, {} disagreements, {:?}, of it the solver {:?}",
            self.unknown, self.disagreements, self.time, self.solver_time
        )
    }
}
