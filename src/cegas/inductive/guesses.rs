//! Guesses for the variables of a written state that no value and no cell tells. Any value will do that makes the rest
//! true; whether one does is asked in [`super::instance`].

use super::instance::LIMITS;
use super::matching::{Matching, Search};
use crate::smt::{Answer, ExprId, Op, Pool, Sort, VarId};
use rustc_hash::FxHashMap;

/// Choices between paths that were joined in a written state.
const MOST_TAGS: usize = 16;

/// Values that one variable is compared with.
const MOST_COMPARED: usize = 4;

/// What a variable may be that no value or cell is.
pub(super) struct Guess {
    pub var: VarId,
    pub value: ExprId,
    /// What is tried next, the last first.
    pub next: Vec<ExprId>,
    /// It is left open: conditions need only hold for one of both.
    is_tag: bool,
}

impl Guess {
    /// The tag that it leaves open.
    pub(super) fn left_open(&self, pool: &Pool) -> Option<VarId> {
        let node = pool.node(self.value);
        (self.is_tag && node.op == Op::Var).then(|| node.var())
    }
}

impl Search<'_, '_> {
    /// What has to follow with these guesses, each with what it says in the written state.
    pub(super) fn images(
        &mut self,
        matching: &Matching,
        holds: &[ExprId],
        open: &[Guess],
    ) -> (FxHashMap<VarId, ExprId>, Vec<(ExprId, ExprId)>) {
        let mut binding = matching.binding.clone();
        binding.extend(open.iter().map(|guess| (guess.var, guess.value)));
        let mut done = FxHashMap::default();
        let mut images = Vec::new();
        for &(one, other) in &matching.equal {
            let image = self.machine.smt.pool.substitute_memo(one, &binding, &mut done);
            images.push((self.machine.smt.pool.eq(image, other), one));
        }
        for &condition in holds {
            let image = self.machine.smt.pool.substitute_memo(condition, &binding, &mut done);
            images.push((image, condition));
        }
        (binding, images)
    }

    /// A path makes each choice in one way: tags get the values of an execution of it first.
    pub(super) fn choose(&mut self, matching: &Matching, holds: &[ExprId], open: &mut [Guess]) {
        if !open.iter().any(|guess| guess.is_tag) {
            return;
        }
        let (_, images) = self.images(matching, holds, open);
        let mut question = self.arrived.state.conditions();
        for (image, _) in images {
            if !self.machine.speaks_of_addresses(image) {
                question.push(image);
            }
        }
        let Answer::Sat(model) = self.machine.smt.check(&question, &LIMITS) else { return };
        for guess in open {
            if let Some(tag) = guess.left_open(&self.machine.smt.pool) {
                let chosen = self.machine.smt.pool.constant(model.bits(tag), 1);
                guess.next.push(std::mem::replace(&mut guess.value, chosen));
            }
        }
    }

    /// Conditions that hold together for some values of the tags, without them.
    pub(super) fn for_some(
        &mut self,
        tags: &[VarId],
        mut all: Vec<(ExprId, ExprId)>,
    ) -> Option<Vec<(ExprId, ExprId)>> {
        (tags.len() <= MOST_TAGS).then_some(())?;
        let mut vars: FxHashMap<ExprId, Vec<VarId>> = FxHashMap::default();
        for &tag in tags {
            let pool = &self.machine.smt.pool;
            let speaks = |(e, _): &(ExprId, ExprId)| {
                vars.entry(*e).or_insert_with(|| pool.free_vars(&[*e])).contains(&tag)
            };
            let (with, without): (Vec<_>, Vec<_>) = all.into_iter().partition(speaks);
            all = without;
            let Some(&(_, said)) = with.first() else { continue };
            let with: Vec<ExprId> = with.into_iter().map(|(image, _)| image).collect();
            let together = self.machine.smt.pool.and_all(&with);
            let mut either = Vec::new();
            for side in [true, false] {
                let side = self.machine.smt.pool.bool(side);
                let one = FxHashMap::from_iter([(tag, side)]);
                either.push(self.machine.smt.pool.substitute(together, &one));
            }
            all.push((self.machine.smt.pool.or_all(&either), said));
        }
        Some(all)
    }

    /// The same with variables that an equation tells, once the others are known.
    pub(super) fn with_solved(&mut self, matching: &Matching, holds: &[ExprId]) -> Matching {
        let mut known = matching.clone();
        let rigid: Vec<VarId> = self.rigid().collect();
        known.binding.extend(rigid.iter().map(|&var| (var, self.machine.smt.pool.var_expr(var))));
        let mut count = 0;
        while count != known.binding.len() {
            count = known.binding.len();
            for &condition in holds {
                let node = self.machine.smt.pool.node(condition);
                if node.op == Op::Eq && self.machine.smt.pool.width(node.child(0)) > 1 {
                    let sum = self.machine.smt.pool.sub(node.child(0), node.child(1));
                    self.machine.defines(sum, &mut known.binding);
                }
            }
        }
        rigid.iter().for_each(|var| _ = known.binding.remove(var));
        known
    }

    /// Guesses for variables that nothing has told yet. Any value will do that makes the rest true: first that of the same
    /// number is tried, then what it is compared with, then one for which those conditions hold that speak of nothing else.
    pub(super) fn open(&mut self, said: &[ExprId], matching: &Matching) -> Vec<Guess> {
        let mut vars = self.machine.smt.pool.free_vars(said);
        vars.retain(|var| !matching.binding.contains_key(var) && !self.is_rigid(*var));
        let theirs = self.numbered();
        let alone = |e: &ExprId| {
            let free = self.machine.smt.pool.free_vars(&[*e]);
            !free.is_empty() && free.iter().all(|var| vars.contains(var))
        };
        let alone: Vec<ExprId> = self.general.conditions().into_iter().filter(alone).collect();
        let model = match self.machine.smt.check(&alone, &LIMITS) {
            Answer::Sat(model) => Some(model),
            Answer::Unsat(_) | Answer::Unknown(_) => None,
        };
        let mut open = Vec::new();
        for var in vars {
            let pool = &mut self.machine.smt.pool;
            let bits = pool.width(pool.var_expr(var));
            if bits == 1 {
                // Not by its own name, which may be that of another variable in the other state.
                let value = pool.var("either", Sort::Bits(1));
                open.push(Guess { var, value, next: Vec::new(), is_tag: true });
                continue;
            }
            let other = model.as_ref().map_or(0, |model| model.bits(var));
            let mut next = vec![pool.constant(other, bits)];
            next.extend(self.compared(var, matching));
            let number = self.machine.source_of(var).map(|(number, _)| number);
            next.extend(number.and_then(|number| theirs.get(&(number, bits)).copied()));
            if let Some(value) = next.pop() {
                open.push(Guess { var, value, next, is_tag: false });
            }
        }
        open
    }

    /// What a variable is compared with that is known.
    fn compared(&mut self, var: VarId, matching: &Matching) -> Vec<ExprId> {
        let pool = &self.machine.smt.pool;
        let own = pool.var_expr(var);
        let mut found: Vec<ExprId> = Vec::new();
        for e in pool.reachable(&self.general.conditions()) {
            let node = pool.node(e);
            if !matches!(node.op, Op::Eq | Op::Ult | Op::Slt) {
                continue;
            }
            let other = match (node.child(0) == own, node.child(1) == own) {
                (true, false) => node.child(1),
                (false, true) => node.child(0),
                _ => continue,
            };
            let is_known = |var: &VarId| matching.binding.contains_key(var) || self.is_rigid(*var);
            let is_new = pool.as_const(other).is_none() && !found.contains(&other);
            if is_new
                && found.len() < MOST_COMPARED
                && pool.free_vars(&[other]).iter().all(is_known)
            {
                found.push(other);
            }
        }
        let pool = &mut self.machine.smt.pool;
        found.into_iter().map(|other| pool.substitute(other, &matching.binding)).collect()
    }
}
