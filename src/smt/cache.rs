//! What was asked before. The unit is an independent part of a question: a set of atoms.
//! Satisfiable parts keep their model, unsatisfiable ones the atoms that were needed; a part with
//! all atoms of a known core is unsatisfiable, too.

use super::expr::ExprId;
use super::query::Limits;
use super::value::Model;
use rustc_hash::FxHashMap;
use std::collections::VecDeque;
use std::sync::Arc;

/// How many models are tried on a new part.
const RECENT: usize = 12;

#[derive(Debug, Clone)]
pub enum Outcome {
    Sat(Arc<Model>),
    /// The atoms that contradict each other.
    Unsat(Arc<[ExprId]>),
    /// With these limits.
    Unknown(Limits, Arc<str>),
}

/// Keyed by expressions of one pool: [`Solver`](super::Solver) owns both.
#[derive(Debug, Clone, Default)]
pub struct Cache {
    /// By the atoms in ascending order.
    parts: FxHashMap<Box<[ExprId]>, Outcome>,
    cores: Vec<Arc<[ExprId]>>,
    /// The cores that hold an atom.
    cores_with: FxHashMap<ExprId, Vec<u32>>,
    recent: VecDeque<Arc<Model>>,
}

impl Cache {
    /// `atoms` in ascending order.
    pub fn get(&self, atoms: &[ExprId], limits: &Limits) -> Option<Outcome> {
        match self.parts.get(atoms) {
            Some(Outcome::Unknown(had, _)) if had != limits => {}
            Some(outcome) => return Some(outcome.clone()),
            None => {}
        }
        let mut hits: FxHashMap<u32, usize> = FxHashMap::default();
        for core in atoms.iter().filter_map(|e| self.cores_with.get(e)).flatten() {
            *hits.entry(*core).or_default() += 1;
        }
        // The oldest of the complete ones, whatever the map's order.
        let complete = hits.iter().filter(|&(&c, &n)| self.cores[c as usize].len() == n);
        let oldest = complete.map(|(&c, _)| c).min()?;
        Some(Outcome::Unsat(Arc::clone(&self.cores[oldest as usize])))
    }

    pub fn put(&mut self, atoms: &[ExprId], outcome: Outcome) {
        match &outcome {
            Outcome::Sat(model) => {
                self.recent.push_front(Arc::clone(model));
                self.recent.truncate(RECENT);
            }
            Outcome::Unsat(core) => {
                let id = self.cores.len() as u32;
                self.cores.push(Arc::clone(core));
                for &e in core.iter() {
                    self.cores_with.entry(e).or_default().push(id);
                }
            }
            Outcome::Unknown(..) => {}
        }
        self.parts.insert(atoms.into(), outcome);
    }

    /// The latest models, the latest first.
    pub fn recent(&self) -> impl Iterator<Item = &Arc<Model>> {
        self.recent.iter()
    }
}
