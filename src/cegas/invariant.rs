//! Which candidates hold every time a loop's head is met: Houdini (Flanagan & Leino, FME 2001).
//!
//! Invariant: what [`Machine::keep`] leaves holds at the end of each step, given that all of it held before.
//! A candidate about which the solver does not know is dropped.

use super::machine::Machine;
use super::widen::Binding;
use crate::smt::{Answer, Claim, ExprId, Filtered, Limits, Op};
use crate::watch::Deadline;
use rustc_hash::{FxHashMap, FxHashSet};

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
    pub deadline: Deadline,
}

impl Effort {
    /// For questions that are halved if they are too hard.
    fn quick(&self) -> Limits {
        let milliseconds = self.limits.milliseconds.min(300);
        Limits { work: self.limits.work / 4, milliseconds, ..self.limits }
    }

    /// For a first look at all of them.
    fn first(&self) -> Limits {
        let milliseconds = self.limits.milliseconds.min(60);
        Limits { work: self.limits.work / 16, milliseconds, ..self.limits }
    }

    fn is_over(&self) -> bool {
        self.deadline.is_over()
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
        let mut open = Vec::new();
        for &(candidate, image) in &pairs {
            // What did not change still holds.
            let same = from_head.then_some(candidate);
            open.push(!self.is_unchanged(same, image, MOST_CASES));
        }
        let pairs = self.follow(arrival, &pairs, &open, from_head, effort);
        *candidates = pairs.into_iter().map(|(candidate, _)| candidate).collect();
    }

    /// Those pairs whose images follow if all that are left hold before; which are `open` is known.
    fn follow(
        &mut self,
        arrival: &Arrival,
        pairs: &[(ExprId, ExprId)],
        open: &[bool],
        from_head: bool,
        effort: &Effort,
    ) -> Vec<(ExprId, ExprId)> {
        let claim = |(&(candidate, image), &is_open): (&(ExprId, ExprId), &bool)| Claim {
            premise: from_head.then_some(candidate),
            image: is_open.then_some(image),
        };
        let claims: Vec<Claim> = pairs.iter().zip(open).map(claim).collect();
        let Filtered { mut kept, open } = match from_head {
            true => self.smt.filter(&arrival.holds, &claims, &effort.first(), effort.deadline),
            // Most of them fall at the entry, and mostly by the values of old answers.
            false => {
                let is_open = |index: &usize| claims[*index].image.is_some();
                let (open, kept) = (0..claims.len()).partition(is_open);
                Filtered { kept, open }
            }
        };
        // What is hard is asked again with all means.
        let mut hard: Vec<usize> = open;
        while !hard.is_empty() {
            let left: Vec<(ExprId, ExprId)> =
                kept.iter().chain(&hard).map(|&index| pairs[index]).collect();
            let images: Vec<ExprId> = hard.iter().map(|&index| pairs[index].1).collect();
            let mut dropped = FxHashSet::default();
            self.refuted(premises(arrival, &left, from_head), &images, effort, &mut dropped);
            hard.retain(|&index| !dropped.contains(&pairs[index].1));
            if dropped.is_empty() || !from_head {
                break;
            }
        }
        kept.extend(hard);
        kept.sort_unstable();
        kept.into_iter().map(|index| pairs[index]).collect()
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

    /// The expression with `new` in the place of its part `old`.
    pub(super) fn with(&mut self, e: ExprId, old: ExprId, new: ExprId) -> ExprId {
        let nodes = self.smt.pool.reachable(&[e]);
        self.rebuilt(e, &nodes, |_, part, _| (part == old).then_some(new))
    }

    /// The expression where the choices on `old` are made on `new`.
    pub(super) fn with_choice(&mut self, e: ExprId, old: ExprId, new: ExprId) -> ExprId {
        let nodes = self.smt.pool.reachable(&[e]);
        self.chosen(e, &nodes, old, new)
    }

    /// `image`, made of `nodes`, where the choices on `cond` are made.
    fn decided(&mut self, image: ExprId, nodes: &[ExprId], cond: ExprId, side: bool) -> ExprId {
        let side = self.smt.pool.bool(side);
        self.chosen(image, nodes, cond, side)
    }

    fn chosen(&mut self, e: ExprId, nodes: &[ExprId], old: ExprId, new: ExprId) -> ExprId {
        self.rebuilt(e, nodes, |machine, part, children| {
            let node = machine.smt.pool.node(part);
            match (node.op == Op::Ite && node.child(0) == old, children) {
                (true, &[_, then, els]) => Some(machine.smt.pool.ite(new, then, els)),
                _ => None,
            }
        })
    }

    /// The expression, made of `nodes`, with what `make` makes of one and its new children.
    fn rebuilt(
        &mut self,
        e: ExprId,
        nodes: &[ExprId],
        make: impl Fn(&mut Self, ExprId, &[ExprId]) -> Option<ExprId>,
    ) -> ExprId {
        let mut new: FxHashMap<ExprId, ExprId> = FxHashMap::default();
        for &part in nodes {
            let node = self.smt.pool.node(part);
            let children: Vec<ExprId> =
                node.children().map(|child| *new.get(&child).unwrap_or(&child)).collect();
            let made = match make(self, part, &children) {
                Some(made) => made,
                None if node.children().eq(children.iter().copied()) => part,
                None => self.smt.pool.rebuild(part, &children),
            };
            new.insert(part, made);
        }
        *new.get(&e).unwrap_or(&e)
    }
}

fn premises(arrival: &Arrival, pairs: &[(ExprId, ExprId)], from_head: bool) -> Vec<ExprId> {
    let mut premises = arrival.holds.clone();
    if from_head {
        premises.extend(pairs.iter().map(|&(candidate, _)| candidate));
    }
    premises
}
