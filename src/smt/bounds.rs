//! What the atoms of a question say about the values of terms, taken together: comparisons with
//! constants are arcs that meet; under them, an atom may be impossible.

use super::expr::{ExprId, Pool};
use super::known::{Facts, of_node};
use super::range::{self, Arc};
use super::rewrite::{Atoms, Contradiction, Origins, union};
use super::value::{mask, sign_bit};
use rustc_hash::{FxHashMap, FxHashSet};

/// Beyond so many nodes the solver is as fast.
const MAX_NODES: usize = 4_000;

/// The arcs of terms, and the conditions each follows from.
#[derive(Debug, Default)]
pub struct Bounds {
    /// In the order the terms came up.
    pub terms: Vec<(ExprId, Arc, Origins)>,
    places: FxHashMap<ExprId, usize>,
}

impl Bounds {
    pub fn new(pool: &Pool, atoms: &Atoms) -> Result<Bounds, Contradiction> {
        let mut bounds = Bounds::default();
        for (e, origins) in &atoms.atoms {
            let Some((term, arc)) = range::of_condition(pool, *e) else { continue };
            bounds.restrict(term, arc, origins)?;
        }
        Ok(bounds)
    }

    fn restrict(&mut self, term: ExprId, arc: Arc, from: &Origins) -> Result<(), Contradiction> {
        let next = self.terms.len();
        let place = *self.places.entry(term).or_insert(next);
        if place == next {
            self.terms.push((term, arc, from.clone()));
            return Ok(());
        }
        let (_, known, origins) = &mut self.terms[place];
        match known.meet(&arc) {
            None => {
                union(origins, from);
                Err(Contradiction(origins.clone()))
            }
            Some(met) => {
                if met != *known {
                    union(origins, from);
                    *known = met;
                }
                Ok(())
            }
        }
    }

    pub fn arc(&self, term: ExprId) -> Option<Arc> {
        self.places.get(&term).and_then(|&i| self.terms.get(i)).map(|t| t.1)
    }

    /// Terms with one value left, as equations.
    pub fn fixed(&self, pool: &mut Pool, atoms: &Atoms) -> Vec<(ExprId, Origins)> {
        let asserted: FxHashSet<ExprId> = atoms.atoms.iter().map(|a| a.0).collect();
        let mut found = Vec::new();
        for (term, arc, origins) in self.terms.iter().filter(|t| t.1.steps() == 0) {
            let value = pool.constant(arc.lo, arc.width);
            let equation = pool.eq(*term, value);
            if !asserted.contains(&equation) {
                found.push((equation, origins.clone()));
            }
        }
        found
    }

    /// Looks for an atom that the bounds of its terms rule out.
    pub fn refute(&self, pool: &Pool, atoms: &Atoms) -> Result<(), Contradiction> {
        let roots: Vec<ExprId> = atoms.atoms.iter().map(|a| a.0).collect();
        let nodes = pool.reachable(&roots);
        if nodes.len() > MAX_NODES || self.terms.is_empty() {
            return Ok(());
        }
        // Only what lies above a bounded term can have facts that the pool does not know.
        let mut found: FxHashMap<ExprId, Facts> = FxHashMap::default();
        for &e in &nodes {
            let n = pool.node(e);
            let w = n.width();
            if !(1..=64).contains(&w) {
                continue;
            }
            let own = self.arc(e).map(|arc| facts_of(&arc));
            if own.is_none() && !n.children().any(|c| found.contains_key(&c)) {
                continue;
            }
            let Some(known) = pool.facts(e) else { continue };
            let child = |c: ExprId| found.get(&c).or_else(|| pool.facts(c)).copied();
            let mut facts = known.meet(&of_node(pool, &n, child), w);
            if let (Some(own), false) = (own, facts.is_empty()) {
                facts = facts.meet(&own, w);
            }
            if facts.is_empty() {
                let mut origins = Origins::new();
                self.used_in(pool, e, &mut origins);
                return Err(Contradiction(origins));
            }
            if facts != *known {
                found.insert(e, facts);
            }
        }
        for (e, from) in &atoms.atoms {
            if found.get(e).and_then(|f| f.single(1)) == Some(0) {
                let mut origins = from.clone();
                self.used_in(pool, *e, &mut origins);
                return Err(Contradiction(origins));
            }
        }
        Ok(())
    }

    /// The conditions behind the bounds of everything `e` is made of.
    fn used_in(&self, pool: &Pool, e: ExprId, origins: &mut Origins) {
        for part in pool.reachable(&[e]) {
            if let Some((_, _, from)) = self.places.get(&part).and_then(|&i| self.terms.get(i)) {
                union(origins, from);
            }
        }
    }
}

/// An arc that does not cross zero is an unsigned range, one that does not cross the lowest number a
/// signed one.
fn facts_of(arc: &Arc) -> Facts {
    let w = arc.width;
    if arc.lo <= arc.hi {
        return Facts::unsigned(arc.lo as u64, arc.hi as u64, w);
    }
    let flipped = |v: u128| (v ^ sign_bit(w)) & mask(w);
    if flipped(arc.lo) <= flipped(arc.hi) {
        let read = |v: u128| super::value::signed(v, w) as i64;
        return Facts::signed(read(arc.lo), read(arc.hi), w);
    }
    Facts::top(w)
}
