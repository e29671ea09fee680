//! The first thing done with a question: its conditions are taken apart into atoms, and variables
//! that an atom determines are replaced in all the others, until nothing changes.
//!
//! Invariant: every atom knows which of the question's conditions it follows from, so a
//! contradiction found at any point is a core.

use super::expr::{ExprId, Op, Pool, VarId};
use super::value::Model;
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

/// How many variables one question replaces by terms; constants are replaced without limit.
const MAX_TERMS: usize = 32;
/// A term larger than this is not put in place of a variable.
const MAX_SIZE: usize = 200;

/// Indices of conditions, ascending.
pub type Origins = Vec<usize>;

pub fn union(a: &mut Origins, b: &[usize]) {
    a.extend_from_slice(b);
    a.sort_unstable();
    a.dedup();
}

/// The variables of expressions, remembered: paths share most of their conditions.
#[derive(Debug, Clone, Default)]
pub struct VarSets {
    sets: FxHashMap<ExprId, Arc<[VarId]>>,
}

impl VarSets {
    pub fn of(&mut self, pool: &Pool, e: ExprId) -> Arc<[VarId]> {
        let set = self.sets.entry(e).or_insert_with(|| pool.free_vars(&[e]).into());
        Arc::clone(set)
    }
}

#[derive(Debug, Clone)]
struct Definition {
    var: VarId,
    term: ExprId,
    origins: Origins,
}

/// A question on its way to an answer.
#[derive(Debug, Default)]
pub struct Atoms {
    /// In the order they came up.
    pub atoms: Vec<(ExprId, Origins)>,
    known: FxHashMap<ExprId, usize>,
    definitions: Vec<Definition>,
    terms_replaced: usize,
}

/// The conditions at these indices contradict each other.
#[derive(Debug)]
pub struct Contradiction(pub Origins);

impl Atoms {
    pub fn new(pool: &mut Pool, conditions: &[ExprId]) -> Result<Atoms, Contradiction> {
        let mut atoms = Atoms::default();
        for (i, &e) in conditions.iter().enumerate() {
            atoms.add(pool, e, vec![i])?;
        }
        Ok(atoms)
    }

    /// Takes a condition apart and adds what is new.
    pub fn add(&mut self, pool: &mut Pool, e: ExprId, from: Origins) -> Result<(), Contradiction> {
        let mut stack = vec![e];
        while let Some(e) = stack.pop() {
            let n = pool.node(e);
            let inner = if n.op == Op::Not { pool.node(n.child(0)) } else { n };
            match (n.op, inner.op) {
                (Op::Const, _) if pool.as_const(e) == Some(0) => return Err(Contradiction(from)),
                (Op::Const, _) => {}
                (Op::And, _) => stack.extend([n.child(1), n.child(0)]),
                (Op::Not, Op::Or) => {
                    let (a, b) = (pool.not(inner.child(0)), pool.not(inner.child(1)));
                    stack.extend([b, a]);
                }
                _ => {
                    let negation = pool.not(e);
                    if let Some(&i) = self.known.get(&negation) {
                        let mut both = from;
                        union(&mut both, &self.atoms[i].1);
                        return Err(Contradiction(both));
                    }
                    let next = self.atoms.len();
                    if *self.known.entry(e).or_insert(next) == next {
                        self.atoms.push((e, from.clone()));
                    }
                }
            }
        }
        Ok(())
    }

    /// Replaces determined variables until there are none left.
    pub fn propagate(&mut self, pool: &mut Pool, sets: &mut VarSets) -> Result<(), Contradiction> {
        loop {
            let (found, used) = self.definitions_at_hand(pool, sets);
            if found.is_empty() {
                return Ok(());
            }
            self.replace(pool, sets, &found, &used)?;
            self.definitions.extend(found);
        }
    }

    /// All constants at once, or else one term; with the atoms that say so.
    fn definitions_at_hand(
        &self,
        pool: &mut Pool,
        sets: &mut VarSets,
    ) -> (Vec<Definition>, Vec<usize>) {
        let (mut found, mut used) = (Vec::new(), Vec::new());
        let mut defined = FxHashSet::default();
        for (i, (e, origins)) in self.atoms.iter().enumerate() {
            let Some((var, value)) = pool.determined(*e) else { continue };
            if defined.insert(var) {
                let term = pool.constant(value, pool.width(pool.var_expr(var)));
                found.push(Definition { var, term, origins: origins.clone() });
                used.push(i);
            }
        }
        if !found.is_empty() || self.terms_replaced >= MAX_TERMS {
            return (found, used);
        }
        for (i, (e, origins)) in self.atoms.iter().enumerate() {
            let Some((var, term)) = pool.solved(*e, |p, t, v| sets.of(p, t).contains(&v)) else {
                continue;
            };
            if pool.size(term) <= MAX_SIZE {
                return (vec![Definition { var, term, origins: origins.clone() }], vec![i]);
            }
        }
        (found, used)
    }

    fn replace(
        &mut self,
        pool: &mut Pool,
        sets: &mut VarSets,
        found: &[Definition],
        used: &[usize],
    ) -> Result<(), Contradiction> {
        self.terms_replaced += found.iter().filter(|d| pool.op(d.term) != Op::Const).count();
        let with: FxHashMap<VarId, ExprId> = found.iter().map(|d| (d.var, d.term)).collect();
        let by_var: FxHashMap<VarId, &Definition> = found.iter().map(|d| (d.var, d)).collect();
        let mut done = FxHashMap::default();
        self.known.clear();
        for (i, (e, mut origins)) in std::mem::take(&mut self.atoms).into_iter().enumerate() {
            if used.binary_search(&i).is_ok() {
                continue;
            }
            let mut changed = false;
            for d in sets.of(pool, e).iter().filter_map(|v| by_var.get(v)) {
                union(&mut origins, &d.origins);
                changed = true;
            }
            let new = if changed { pool.substitute_memo(e, &with, &mut done) } else { e };
            self.add(pool, new, origins)?;
        }
        Ok(())
    }

    /// Gives the replaced variables the values that their definitions have under the model.
    pub fn complete(&self, pool: &Pool, model: &mut Model) -> bool {
        // A definition's term may hold variables that were replaced after it.
        for d in self.definitions.iter().rev() {
            let Some(value) = pool.eval(d.term, model) else { return false };
            model.set_bits(d.var, value);
        }
        true
    }
}
