//! Candidates from refuted paths: Newton's interpolants (Dietsch et al., FSE 2017), made inductive one by one.
//!
//! A path from a general state to a violation that no execution takes is a *cube*: the conditions it goes under
//! and the violation, in terms of the head's variables. Every value on the path was computed from those, so the
//! conjunction is the weakest precondition of the violation along the path, and its contrary an interpolant at the
//! head. It is refuted if nothing at the loop's entry lies in it and no turn leads into it from outside; the states from which a
//! turn does are another cube, one turn earlier, which has to be refuted first. Of a cube that is refuted, as
//! much is left out as can be (first what the solver's core leaves out, then one comparison after the other, then
//! equations become inequalities), so that the interpolant speaks of more than one path.
//!
//! Nothing here is believed: what is found are candidates, and [`super::invariant`] decides about them.

use super::invariant::{Arrival, Effort};
use super::machine::Machine;
use crate::smt::{Answer, ExprId, Limits, Op, VarId};

/// The last conditions of a path that are looked at.
pub(super) const MOST_CONDITIONS: usize = 96;

/// Questions for one head at a time.
const MOST_QUESTIONS: u32 = 400;

/// Turns that a cube is followed back.
const DEEPEST: u32 = 6;

/// Models of one violation that are refuted one after the other.
const MOST_MODELS: u32 = 12;

/// Comparisons in a cube; larger ones are hopeless.
const LARGEST: usize = 48;

/// A loop's head as interpolants see it.
pub(super) struct Turns<'a, F> {
    pub entry: &'a Arrival,
    pub back: &'a [Arrival],
    /// What is known to hold at the head each time.
    pub known: &'a [ExprId],
    /// What holds at the head, whatever turn it is.
    pub before: &'a [ExprId],
    /// The variables that a cube may speak of: the head's, and those from before the loop.
    pub is_own: F,
    pub effort: Effort,
}

/// The search at one head.
struct Search<'m, 'p, 'a, F> {
    machine: &'m mut Machine<'p>,
    turns: &'a Turns<'a, F>,
    found: Vec<ExprId>,
    questions: u32,
}

impl Machine<'_> {
    /// Candidates that exclude the violations, each given with the conditions of its path.
    pub(super) fn interpolants<F: Fn(&Machine<'_>, VarId) -> bool>(
        &mut self,
        turns: &Turns<'_, F>,
        violations: &[Vec<ExprId>],
    ) -> Vec<ExprId> {
        let mut search = Search { machine: self, turns, found: Vec::new(), questions: 0 };
        for conditions in violations {
            search.exclude(conditions);
        }
        search.found
    }
}

impl<F: Fn(&Machine<'_>, VarId) -> bool> Search<'_, '_, '_, F> {
    /// Refutes one model of the violation after the other.
    fn exclude(&mut self, conditions: &[ExprId]) {
        for _ in 0..MOST_MODELS {
            let mut question = self.turns.before.to_vec();
            question.extend(self.turns.known);
            question.extend(&self.found);
            question.extend(conditions);
            let Answer::Sat(model) = self.ask(&question) else { return };
            let is_own = &self.turns.is_own;
            let cube = self.machine.projected(conditions, &model, is_own);
            let Some(cube) = cube.filter(|cube| (1..=LARGEST).contains(&cube.len())) else {
                return;
            };
            if !self.refute(cube, DEEPEST) {
                return;
            }
        }
    }

    /// Whether a clause was found that excludes the cube.
    fn refute(&mut self, mut cube: Vec<ExprId>, depth: u32) -> bool {
        let Some(core) = self.core_at_entry(&cube) else { return false };
        loop {
            let mut origin = None;
            for index in 0..self.turns.back.len() {
                match self.leads_in(index, &cube) {
                    Answer::Unsat(_) => {}
                    Answer::Sat(model) => {
                        origin = Some((index, model));
                        break;
                    }
                    Answer::Unknown(_) => return false,
                }
            }
            let Some((index, model)) = origin else { break };
            if depth == 0 {
                return false;
            }
            let mut conditions = self.turns.back[index].holds.clone();
            conditions.extend(self.images(index, &cube));
            let is_own = &self.turns.is_own;
            let earlier = self.machine.projected(&conditions, &model, is_own);
            let Some(earlier) = earlier.filter(|cube| (1..=LARGEST).contains(&cube.len())) else {
                return false;
            };
            if !self.refute(earlier, depth - 1) {
                return false;
            }
        }
        self.generalise(&mut cube, &core);
        let clause = self.clause(&cube);
        self.found.push(clause);
        true
    }

    /// Leaves out what is not needed: what the core at the entry leaves out at once, then one by one.
    fn generalise(&mut self, cube: &mut Vec<ExprId>, core: &[ExprId]) {
        if core.len() < cube.len() && self.is_refuted(core) {
            *cube = core.to_vec();
        }
        let mut index = 0;
        while index < cube.len() && cube.len() > 1 {
            let mut smaller = cube.clone();
            smaller.remove(index);
            if self.is_refuted(&smaller) {
                *cube = smaller;
            } else {
                index += 1;
            }
        }
        for index in 0..cube.len() {
            for weaker in self.weaker(cube[index]) {
                let mut wider = cube.clone();
                wider[index] = weaker;
                if self.is_refuted(&wider) {
                    *cube = wider;
                    break;
                }
            }
        }
    }

    /// Whether the entry lies outside the cube, and no turn leads in from outside.
    fn is_refuted(&mut self, cube: &[ExprId]) -> bool {
        self.core_at_entry(cube).is_some()
            && (0..self.turns.back.len())
                .all(|index| matches!(self.leads_in(index, cube), Answer::Unsat(_)))
    }

    /// The part of the cube that the entry contradicts.
    fn core_at_entry(&mut self, cube: &[ExprId]) -> Option<Vec<ExprId>> {
        let entry = self.turns.entry;
        let mut question = entry.holds.clone();
        let first = question.len();
        for &literal in cube {
            question.push(self.machine.smt.pool.substitute(literal, &entry.binding));
        }
        let Answer::Unsat(core) = self.ask(&question) else { return None };
        let places = core.into_iter().filter_map(|place| place.checked_sub(first));
        Some(places.map(|place| cube[place]).collect())
    }

    /// Whether the turn of this number leads into the cube from outside it.
    fn leads_in(&mut self, index: usize, cube: &[ExprId]) -> Answer {
        let mut question = self.turns.back[index].holds.clone();
        question.extend(self.turns.known);
        question.extend(&self.found);
        question.push(self.clause(cube));
        question.extend(self.images(index, cube));
        self.ask(&question)
    }

    /// The cube at the end of a turn.
    fn images(&mut self, index: usize, cube: &[ExprId]) -> Vec<ExprId> {
        let binding = &self.turns.back[index].binding;
        let image = |&literal: &ExprId| self.machine.smt.pool.substitute(literal, binding);
        cube.iter().map(image).collect()
    }

    fn clause(&mut self, cube: &[ExprId]) -> ExprId {
        let all = self.machine.smt.pool.and_all(cube);
        self.machine.smt.pool.not(all)
    }

    /// What an equation says only half of.
    fn weaker(&mut self, literal: ExprId) -> Vec<ExprId> {
        let pool = &mut self.machine.smt.pool;
        let node = pool.node(literal);
        if node.op != Op::Eq || pool.width(node.child(0)) < 2 {
            return Vec::new();
        }
        let (a, b) = (node.child(0), node.child(1));
        vec![pool.sle(a, b), pool.sle(b, a), pool.ule(a, b), pool.ule(b, a)]
    }

    fn ask(&mut self, question: &[ExprId]) -> Answer {
        self.questions += 1;
        if self.questions > MOST_QUESTIONS || self.turns.effort.deadline.is_over() {
            return Answer::Unknown("time".into());
        }
        let limits = self.turns.effort.limits;
        let limits = Limits { work: limits.work / 4, ..limits };
        self.machine.smt.check(question, &limits)
    }
}
