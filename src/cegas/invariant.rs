//! Which candidates hold every time a loop's head is met: Houdini (Flanagan & Leino, FME 2001).
//!
//! Invariant: what [`Machine::keep`] leaves holds at the end of each step, given that all of it held before.
//! A candidate about which the solver does not know is dropped.

use super::machine::Machine;
use super::widen::Binding;
use crate::smt::{Answer, ExprId, Limits, Op};
use rustc_hash::{FxHashMap, FxHashSet};
use std::time::Instant;

/// A way to the head: what holds on it, and what the head's variables are at its end.
#[derive(Debug)]
pub(super) struct Arrival {
    pub holds: Vec<ExprId>,
    pub binding: Binding,
}

/// Choices that are told apart where an implication is too hard.
const MOST_CASES: u32 = 4;

/// Larger images are not taken apart.
const MOST_NODES: usize = 120;

/// What the search for an invariant may cost: one question, and all of them.
#[derive(Debug, Clone, Copy)]
pub(super) struct Effort {
    pub limits: Limits,
    pub deadline: Instant,
}

impl Effort {
    /// For questions that are halved if they are too hard.
    fn quick(&self) -> Limits {
        let milliseconds = self.limits.milliseconds.min(300);
        Limits { work: self.limits.work / 4, milliseconds, ..self.limits }
    }

    fn is_over(&self) -> bool {
        Instant::now() >= self.deadline
    }
}

impl Machine<'_> {
    /// Drops from `candidates` what is not implied at the end of some arrival; on arrivals that begin at the
    /// head (`from_head`) the remaining candidates are assumed.
    pub(super) fn keep(
        &mut self,
        candidates: &mut Vec<ExprId>,
        arrivals: &[Arrival],
        from_head: bool,
        effort: &Effort,
    ) {
        loop {
            let before = candidates.len();
            for arrival in arrivals {
                self.keep_at(candidates, arrival, from_head, effort);
            }
            if candidates.len() == before || !from_head || arrivals.len() < 2 {
                return;
            }
        }
    }

    fn keep_at(
        &mut self,
        candidates: &mut Vec<ExprId>,
        arrival: &Arrival,
        from_head: bool,
        effort: &Effort,
    ) {
        let mut memo = rustc_hash::FxHashMap::default();
        let mut pairs: Vec<(ExprId, ExprId)> = Vec::with_capacity(candidates.len());
        for &candidate in candidates.iter() {
            let image = self.smt.pool.substitute_memo(candidate, &arrival.binding, &mut memo);
            pairs.push((candidate, image));
        }
        let no = self.smt.pool.bool(false);
        pairs.retain(|&(_, image)| image != no);
        loop {
            let premises = premises(arrival, &pairs, from_head);
            let mut open = Vec::new();
            for &(candidate, image) in &pairs {
                // What did not change still holds.
                let same = from_head.then_some(candidate);
                if !self.is_unchanged(same, image, MOST_CASES) {
                    open.push(image);
                }
            }
            let mut dropped = FxHashSet::default();
            self.refuted(premises, &open, effort, &mut dropped);
            if dropped.is_empty() {
                break;
            }
            pairs.retain(|(_, image)| !dropped.contains(image));
            if !from_head {
                break;
            }
        }
        *candidates = pairs.into_iter().map(|(candidate, _)| candidate).collect();
    }

    /// Whether the image is true or `same`, whatever its choices.
    fn is_unchanged(&mut self, same: Option<ExprId>, image: ExprId, depth: u32) -> bool {
        if self.smt.pool.as_const(image) == Some(1) || same == Some(image) {
            return true;
        }
        let nodes = self.smt.pool.reachable(&[image]);
        if depth == 0 || nodes.len() > MOST_NODES {
            return false;
        }
        let is_choice = |e: &&ExprId| self.smt.pool.op(**e) == Op::Ite;
        let choice = nodes.iter().find(is_choice).map(|&e| self.smt.pool.node(e).child(0));
        choice.is_some_and(|cond| {
            [true, false].into_iter().all(|side| {
                let decided = self.decided(image, &nodes, cond, side);
                self.is_unchanged(same, decided, depth - 1)
            })
        })
    }

    /// Collects those of `open` that the premises do not imply, as far as the solver tells in time.
    fn refuted(
        &mut self,
        mut question: Vec<ExprId>,
        open: &[ExprId],
        effort: &Effort,
        dropped: &mut FxHashSet<ExprId>,
    ) {
        let mut stack = vec![open.to_vec()];
        while let Some(mut part) = stack.pop() {
            part.retain(|image| !dropped.contains(image));
            if part.is_empty() {
                continue;
            }
            if effort.is_over() {
                dropped.extend(part);
                continue;
            }
            let nots: Vec<ExprId> = part.iter().map(|&image| self.smt.pool.not(image)).collect();
            question.push(self.smt.pool.or_all(&nots));
            let limits = if part.len() > 1 { effort.quick() } else { effort.limits };
            let answer = self.smt.check(&question, &limits);
            question.pop();
            match answer {
                Answer::Unsat(_) => {}
                Answer::Sat(model) => {
                    let before = dropped.len();
                    let pool = &self.smt.pool;
                    let fails = |image: &&ExprId| pool.eval(**image, &model) != Some(1);
                    dropped.extend(part.iter().filter(fails).copied());
                    if dropped.len() == before {
                        dropped.extend(part);
                    } else {
                        stack.push(part);
                    }
                }
                Answer::Unknown(_) if part.len() == 1 => {
                    if !self.holds_by_cases(&mut question, part[0], MOST_CASES, effort) {
                        dropped.extend(part);
                    }
                }
                Answer::Unknown(_) => {
                    stack.push(part.split_off(part.len() / 2));
                    stack.push(part);
                }
            }
        }
    }

    /// Whether the image follows, for each side of its choices: sums are easy to compare, sums of choices not.
    fn holds_by_cases(
        &mut self,
        question: &mut Vec<ExprId>,
        image: ExprId,
        depth: u32,
        effort: &Effort,
    ) -> bool {
        if self.smt.pool.as_const(image) == Some(1) {
            return true;
        }
        let nodes = self.smt.pool.reachable(&[image]);
        let is_choice = |e: &&ExprId| self.smt.pool.op(**e) == Op::Ite;
        let choice = nodes.iter().find(is_choice).map(|&e| self.smt.pool.node(e).child(0));
        let Some(cond) = choice.filter(|_| depth > 0 && !effort.is_over()) else {
            question.push(self.smt.pool.not(image));
            let answer = self.smt.check(question, &effort.limits);
            question.pop();
            return matches!(answer, Answer::Unsat(_));
        };
        [true, false].into_iter().all(|side| {
            let decided = self.decided(image, &nodes, cond, side);
            let literal = if side { cond } else { self.smt.pool.not(cond) };
            question.push(literal);
            let holds = self.holds_by_cases(question, decided, depth - 1, effort);
            question.pop();
            holds
        })
    }

    /// The expression where `cond` holds.
    pub(super) fn where_holds(&mut self, e: ExprId, cond: ExprId) -> ExprId {
        let nodes = self.smt.pool.reachable(&[e]);
        self.decided(e, &nodes, cond, true)
    }

    /// `image`, made of `nodes`, where the choices on `cond` are made.
    fn decided(&mut self, image: ExprId, nodes: &[ExprId], cond: ExprId, side: bool) -> ExprId {
        let mut new: FxHashMap<ExprId, ExprId> = FxHashMap::default();
        for &e in nodes {
            let node = self.smt.pool.node(e);
            let children: Vec<ExprId> =
                node.children().map(|child| *new.get(&child).unwrap_or(&child)).collect();
            let made = if node.op == Op::Ite && node.child(0) == cond {
                children[if side { 1 } else { 2 }]
            } else if node.children().eq(children.iter().copied()) {
                e
            } else {
                self.smt.pool.rebuild(e, &children)
            };
            new.insert(e, made);
        }
        *new.get(&image).unwrap_or(&image)
    }
}

fn premises(arrival: &Arrival, pairs: &[(ExprId, ExprId)], from_head: bool) -> Vec<ExprId> {
    let mut premises = arrival.holds.clone();
    if from_head {
        premises.extend(pairs.iter().map(|&(candidate, _)| candidate));
    }
    premises
}
