//! What an exploration is asked, what it may cost, and what comes out.

use super::explore::Explorer;
use super::machine::Options;
use super::rest::Rest;
use super::spoken::LoopInvariant;
use super::verdict::Verdict;
use crate::cancel::Cancel;
use crate::entries::Entry;
use crate::ir::Program;
use crate::order::FuncSet;
use crate::rules::Obligation;
use crate::smt::Stats;
use std::time::Duration;

/// What an exploration may cost.
#[derive(Debug, Clone, Copy)]
pub struct Budget {
    pub time: Duration,
    /// The time by which the work of the first slices is measured: what they come to must not depend on how busy
    /// the machine is.
    pub nominal: Duration,
    /// What counts its work is not ended before this by a machine that has other things to do.
    pub grace: Duration,
    /// Paths that wait at one time.
    pub waiting: usize,
    /// Expressions made.
    pub expressions: usize,
}

/// Obligations of a program, from an entry.
#[derive(Clone, Copy)]
#[allow(missing_debug_implementations, reason = "it holds a function")]
pub struct Task<'t> {
    pub program: &'t Program,
    pub entry: &'t Entry,
    pub obligations: &'t [Obligation],
    pub options: Options,
    pub budget: Budget,
    pub cancel: &'t Cancel,
    /// What is not known yet; without it, all.
    pub rest: Option<&'t Rest<'t>>,
    /// Hears of each violation as soon as it is confirmed.
    pub found: Option<&'t dyn Fn(&Obligation)>,
    /// The one that is asked about; without it, all. The others are assumed where a path comes by them, as ever.
    pub only: Option<Obligation>,
}

/// What came out of an exploration.
#[derive(Debug)]
pub struct Explored {
    /// The obligations of the user's code. Those inside models of library functions are put to the calls.
    pub verdicts: Vec<(Obligation, Verdict)>,
    /// No call of a model was left out.
    pub is_complete: bool,
    /// The functions that may be come to on paths that were not followed to their end; all if there are none.
    pub ahead: Option<FuncSet>,
    /// What the proofs rest on at the heads of loops, if it was asked for.
    pub invariants: Vec<LoopInvariant>,
    /// The same as sets of whole states, in text.
    pub written: Vec<String>,
    /// What was asked on the way, and what settled it.
    pub asked: Stats,
}

impl Explored {
    /// Verdicts that tell nothing beside.
    pub fn of(verdicts: Vec<(Obligation, Verdict)>, is_complete: bool) -> Explored {
        Explored {
            verdicts,
            is_complete,
            ahead: None,
            invariants: Vec::new(),
            written: Vec::new(),
            asked: Stats::default(),
        }
    }
}

impl Task<'_> {
    /// Follows paths, and looks for proofs where they do not end.
    pub fn explore(&self) -> Explored {
        let mut explorer = Explorer::of(self);
        explorer.run_in_slices();
        explorer.explored(self.obligations.len())
    }

    /// The same, but if several are still open when proofs were looked for, the rest of the time is left for each of them.
    pub fn explore_together(&self) -> Explored {
        let mut explorer = Explorer::of(self);
        explorer.run_together();
        explorer.explored(self.obligations.len())
    }

    /// The same where nobody takes violations from.
    pub fn explore_for_proofs(&self) -> Explored {
        let mut explorer = Explorer::of(self);
        explorer.run_for_proofs();
        explorer.explored(self.obligations.len())
    }

    /// Looks for proofs only.
    pub fn prove(&self) -> Explored {
        let mut explorer = Explorer::of(self);
        explorer.begin();
        explorer.is_paused = true;
        explorer.prove(1.0);
        explorer.explored(self.obligations.len())
    }

    /// The same with so much time left for it.
    pub fn within(&self, time: Duration) -> Self {
        let budget = Budget { time, ..self.budget };
        Task { budget, ..*self }
    }

    /// A shorter task of its own.
    pub fn shortened(&self, time: Duration) -> Self {
        let budget = Budget { time, nominal: time, ..self.budget };
        Task { budget, ..*self }
    }
}
