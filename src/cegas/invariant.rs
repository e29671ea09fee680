//! Which candidates hold every time a loop's head is met: Houdini (Flanagan & Leino, FME 2001).
//!
//! Invariant: what [`Machine::kept`] leaves holds at the end of each step, given that all of it held before.
//! A candidate about which the solver does not know is dropped.

use super::machine::Machine;
use super::widen::Binding;
use crate::smt::{Answer, ExprId, Limits};

/// A way to the head: what holds on it, and what the head's variables are at its end.
#[derive(Debug)]
pub(super) struct Arrival {
    pub holds: Vec<ExprId>,
    pub binding: Binding,
}

impl Machine<'_> {
    /// Drops from `candidates` what is not implied at the end of some arrival; on arrivals that begin at the
    /// head (`from_head`) the remaining candidates are assumed.
    pub(super) fn keep(
        &mut self,
        candidates: &mut Vec<ExprId>,
        arrivals: &[Arrival],
        from_head: bool,
        limits: &Limits,
    ) {
        loop {
            let before = candidates.len();
            for arrival in arrivals {
                self.keep_at(candidates, arrival, from_head, limits);
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
        limits: &Limits,
    ) {
        let mut memo = rustc_hash::FxHashMap::default();
        let mut images = Vec::with_capacity(candidates.len());
        for &candidate in candidates.iter() {
            let image = self.smt.pool.substitute_memo(candidate, &arrival.binding, &mut memo);
            images.push(image);
        }
        let mut pairs: Vec<(ExprId, ExprId)> = candidates.iter().copied().zip(images).collect();
        let no = self.smt.pool.bool(false);
        loop {
            pairs.retain(|&(_, image)| image != no);
            let premises = premises(arrival, &pairs, from_head);
            let mut open = Vec::new();
            for &(candidate, image) in &pairs {
                // What did not change still holds.
                let is_plain =
                    self.smt.pool.as_const(image).is_some() || (from_head && image == candidate);
                if !is_plain {
                    open.push(self.smt.pool.not(image));
                }
            }
            if open.is_empty() {
                break;
            }
            let mut question = premises;
            question.push(self.smt.pool.or_all(&open));
            match self.smt.check(&question, limits) {
                Answer::Unsat(_) => break,
                Answer::Sat(model) => {
                    let before = pairs.len();
                    pairs.retain(|&(_, image)| self.smt.pool.eval(image, &model) == Some(1));
                    if pairs.len() == before {
                        pairs = self.keep_singly(arrival, pairs, from_head, limits);
                    }
                }
                Answer::Unknown(_) => {
                    pairs = self.keep_singly(arrival, pairs, from_head, limits);
                }
            }
        }
        *candidates = pairs.into_iter().map(|(candidate, _)| candidate).collect();
    }

    /// One question for each, where one for all is too hard. Ends with what is surely kept.
    fn keep_singly(
        &mut self,
        arrival: &Arrival,
        mut pairs: Vec<(ExprId, ExprId)>,
        from_head: bool,
        limits: &Limits,
    ) -> Vec<(ExprId, ExprId)> {
        loop {
            let mut question = premises(arrival, &pairs, from_head);
            let before = pairs.len();
            pairs.retain(|&(_, image)| {
                let not = self.smt.pool.not(image);
                question.push(not);
                let answer = self.smt.check(&question, limits);
                question.pop();
                matches!(answer, Answer::Unsat(_))
            });
            if pairs.len() == before || !from_head {
                return pairs;
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
