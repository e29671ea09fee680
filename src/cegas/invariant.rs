//! Which candidates hold every time a loop's head is met: Houdini (Flanagan & Leino, FME 2001).
//!
//! Invariant: what [`Machine::keep`] leaves holds at the end of each step, given that all of it held before.
//! A candidate about which the solver does not know is dropped.

use super::machine::Machine;
use super::widen::Binding;
use crate::smt::{Answer, ExprId, Limits};
use rustc_hash::FxHashSet;
use std::time::Instant;

/// A way to the head: what holds on it, and what the head's variables are at its end.
#[derive(Debug)]
pub(super) struct Arrival {
    pub holds: Vec<ExprId>,
    pub binding: Binding,
}

/// What the search for an invariant may cost: one question, and all of them.
#[derive(Debug, Clone, Copy)]
pub(super) struct Effort {
    pub limits: Limits,
    pub deadline: Instant,
}

impl Effort {
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
            // What did not change still holds.
            let pool = &self.smt.pool;
            let is_plain = |&(candidate, image): &(ExprId, ExprId)| {
                pool.as_const(image).is_some() || (from_head && image == candidate)
            };
            let open: Vec<ExprId> =
                pairs.iter().filter(|pair| !is_plain(pair)).map(|&(_, image)| image).collect();
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
            let answer = self.smt.check(&question, &effort.limits);
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
                Answer::Unknown(_) if part.len() == 1 => dropped.extend(part),
                Answer::Unknown(_) => {
                    stack.push(part.split_off(part.len() / 2));
                    stack.push(part);
                }
            }
        }
    }
}

fn premises(arrival: &Arrival, pairs: &[(ExprId, ExprId)], from_head: bool) -> Vec<ExprId> {
    let mut premises = arrival.holds.clone();
    if from_head {
        premises.extend(pairs.iter().map(|&(candidate, _)| candidate));
    }
    premises
}
