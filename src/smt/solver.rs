//! Asking a question: [`Solver::check`] is the whole story, from the cheapest means to Z3.
//!
//! Invariants: `Sat` is only said of a model under which our own evaluation of the conditions, as
//! they were given, is true; `Unsat` names conditions that contradict each other.

use super::bounds::Bounds;
use super::cache::{Cache, Outcome};
use super::expr::{ExprId, Pool, VarId};
use super::guess::Search;
use super::query::{Answer, Claim, Filtered, Limits};
use super::rewrite::{Atoms, Contradiction, VarSets, union};
use super::stats::{Stage, Stats};
use super::value::Model;
use super::z3::{self, Memory, Reply};
use crate::watch::Deadline;
use rustc_hash::FxHashMap;
use std::sync::Arc;
use std::time::Instant;

/// How often bounds may yield equations that yield bounds.
const MAX_ROUNDS: usize = 4;

/// A pool of expressions and what is known about them. The two belong together: the cache speaks of
/// this pool's expressions only.
#[derive(Debug, Clone, Default)]
pub struct Solver {
    /// Open so that it can be borrowed beside other things; never put another in its place, the
    /// cache would answer for expressions it does not know.
    pub pool: Pool,
    cache: Cache,
    sets: VarSets,
    stats: Stats,
    /// What became of claims.
    filtered: FxHashMap<Asked, Filtered>,
    memory: Memory,
}

/// What was fixed, and the claims.
type Asked = (Box<[ExprId]>, Box<[Claim]>);

/// Atoms that share variables, and with no other part any.
#[derive(Debug)]
struct Part {
    /// Places in the list of atoms.
    members: Vec<usize>,
    atoms: Vec<ExprId>,
    vars: Vec<VarId>,
}

impl Solver {
    pub fn new() -> Solver {
        Solver::default()
    }

    /// One whose answers do not depend on what others have asked on this thread: the order of Z3's terms, and with it
    /// the values it finds, does.
    pub fn apart() -> Solver {
        Solver { memory: Memory::Own, ..Solver::default() }
    }

    pub fn pool(&self) -> &Pool {
        &self.pool
    }

    /// To make expressions with.
    pub fn pool_mut(&mut self) -> &mut Pool {
        &mut self.pool
    }

    pub fn stats(&self) -> Stats {
        self.stats
    }

    /// Can the conditions hold together?
    pub fn check(&mut self, conditions: &[ExprId], limits: &Limits) -> Answer {
        let start = Instant::now();
        let (stage, answer) = match self.decide(conditions, limits) {
            Ok(settled) => settled,
            Err((stage, Contradiction(core))) => (stage, Answer::Unsat(core)),
        };
        let answer = match answer {
            Answer::Sat(model) => self.confirmed(conditions, model),
            other => other,
        };
        self.stats.unknown += u64::from(matches!(answer, Answer::Unknown(_)));
        self.stats.count(stage);
        self.stats.time += start.elapsed();
        answer
    }

    /// The claims that follow from `fixed` and the premises of all that are left.
    pub fn filter(
        &mut self,
        fixed: &[ExprId],
        claims: &[Claim],
        limits: &Limits,
        deadline: Deadline,
    ) -> Filtered {
        let start = Instant::now();
        let key = (fixed.into(), claims.into());
        if let Some(known) = self.filtered.get(&key) {
            return known.clone();
        }
        let filtered = z3::filter(&self.pool, fixed, claims, limits, deadline);
        if !deadline.is_over() {
            self.filtered.insert(key, filtered.clone());
        }
        self.stats.count(Stage::Solver);
        self.stats.solver_calls += 1;
        self.stats.solver_time += start.elapsed();
        self.stats.time += start.elapsed();
        filtered
    }

    fn decide(
        &mut self,
        conditions: &[ExprId],
        limits: &Limits,
    ) -> Result<(Stage, Answer), (Stage, Contradiction)> {
        let rewriting = |c| (Stage::Rewriting, c);
        let mut atoms = Atoms::new(&mut self.pool, conditions).map_err(rewriting)?;
        atoms.propagate(&mut self.pool, &mut self.sets).map_err(rewriting)?;
        let bounds = self.bounded(&mut atoms).map_err(|c| (Stage::Bounds, c))?;
        let parts = self.parts(&atoms);
        self.stats.parts += parts.len() as u64;

        let (mut stage, mut model, mut unknown) = (Stage::Rewriting, Model::new(), None);
        // First all parts by cheap means: one that is unsatisfiable settles the question.
        let mut open = Vec::new();
        for part in &parts {
            match self.recall(part, &bounds, limits) {
                Some((by, outcome)) => {
                    stage = stage.max(by);
                    take(&atoms, part, outcome, by, &mut model, &mut unknown)?;
                }
                None => open.push(part),
            }
        }
        for part in open {
            let outcome = self.ask(part, limits);
            stage = Stage::Solver;
            take(&atoms, part, outcome, stage, &mut model, &mut unknown)?;
        }
        if let Some(reason) = unknown {
            return Ok((stage, Answer::Unknown(reason)));
        }
        if !atoms.complete(&self.pool, &mut model) {
            let reason = "a value of the model cannot be computed exactly".into();
            return Ok((stage, Answer::Unknown(reason)));
        }
        Ok((stage, Answer::Sat(model)))
    }

    /// What the atoms say about ranges, and the equations that follow, until there is nothing new.
    fn bounded(&mut self, atoms: &mut Atoms) -> Result<Bounds, Contradiction> {
        let mut bounds = Bounds::new(&self.pool, atoms)?;
        for _ in 0..MAX_ROUNDS {
            let fixed = bounds.fixed(&mut self.pool, atoms);
            if fixed.is_empty() {
                break;
            }
            for (equation, origins) in fixed {
                atoms.add(&mut self.pool, equation, origins)?;
            }
            atoms.propagate(&mut self.pool, &mut self.sets)?;
            bounds = Bounds::new(&self.pool, atoms)?;
        }
        bounds.refute(&self.pool, atoms)?;
        Ok(bounds)
    }

    /// Independent parts, in the order of their first atoms.
    fn parts(&mut self, atoms: &Atoms) -> Vec<Part> {
        let mut leader: Vec<usize> = (0..atoms.atoms.len()).collect();
        fn find(leader: &mut [usize], mut i: usize) -> usize {
            while leader[i] != i {
                leader[i] = leader[leader[i]];
                i = leader[i];
            }
            i
        }
        let mut first_with: FxHashMap<VarId, usize> = FxHashMap::default();
        let sets: Vec<Arc<[VarId]>> =
            atoms.atoms.iter().map(|(e, _)| self.sets.of(&self.pool, *e)).collect();
        for (i, set) in sets.iter().enumerate() {
            for v in set.iter() {
                let other = *first_with.entry(*v).or_insert(i);
                let (a, b) = (find(&mut leader, i), find(&mut leader, other));
                leader[a.max(b)] = a.min(b);
            }
        }
        let mut parts: Vec<Part> = Vec::new();
        let mut place: FxHashMap<usize, usize> = FxHashMap::default();
        for (i, set) in sets.iter().enumerate() {
            let next = parts.len();
            let at = *place.entry(find(&mut leader, i)).or_insert(next);
            if at == next {
                parts.push(Part { members: Vec::new(), atoms: Vec::new(), vars: Vec::new() });
            }
            parts[at].members.push(i);
            parts[at].vars.extend_from_slice(set);
        }
        for part in &mut parts {
            // Ascending ids are the cache's key.
            part.members.sort_unstable_by_key(|&i| atoms.atoms[i].0);
            part.atoms = part.members.iter().map(|&i| atoms.atoms[i].0).collect();
            part.vars.sort_unstable();
            part.vars.dedup();
        }
        parts
    }

    /// Everything short of asking Z3.
    fn recall(
        &mut self,
        part: &Part,
        bounds: &Bounds,
        limits: &Limits,
    ) -> Option<(Stage, Outcome)> {
        if let Some(outcome) = self.cache.get(&part.atoms, limits) {
            return Some((Stage::Cache, outcome));
        }
        let mut search = Search::new(&self.pool, &part.atoms, &part.vars);
        let (stage, model) = match search.old(self.cache.recent()) {
            Ok(model) => (Stage::OldModel, model),
            Err(nearest) => (Stage::Guess, search.climb(nearest, bounds)?),
        };
        let outcome = Outcome::Sat(Arc::new(model));
        self.cache.put(&part.atoms, outcome.clone());
        Some((stage, outcome))
    }

    fn ask(&mut self, part: &Part, limits: &Limits) -> Outcome {
        let start = Instant::now();
        let reply = z3::ask(&self.pool, &part.atoms, limits, self.memory);
        self.stats.solver_calls += 1;
        self.stats.solver_time += start.elapsed();
        let outcome = match reply {
            Reply::Sat(model) if self.pool.all_hold(&part.atoms, &model) => {
                Outcome::Sat(Arc::new(model))
            }
            Reply::Sat(_) => {
                self.stats.disagreements += 1;
                Outcome::Unknown(*limits, "solver model does not satisfy the query".into())
            }
            Reply::Unsat(core) => {
                let core = core.iter().filter_map(|&i| part.atoms.get(i)).copied();
                Outcome::Unsat(core.collect())
            }
            Reply::Unknown(reason) => Outcome::Unknown(*limits, reason.into()),
        };
        self.cache.put(&part.atoms, outcome.clone());
        outcome
    }

    /// The last word on a model is our own evaluation of the question as it was asked.
    fn confirmed(&mut self, conditions: &[ExprId], model: Model) -> Answer {
        if self.pool.all_hold(conditions, &model) {
            return Answer::Sat(model);
        }
        self.stats.disagreements += 1;
        Answer::Unknown("solver model does not satisfy the query".into())
    }

    /// Does `conclusion` follow from the premises? `Unsat` says yes and names the premises used (the
    /// conclusion's own index, one past the last, may be among them); `Sat` is a counterexample.
    pub fn implies(&mut self, premises: &[ExprId], conclusion: ExprId, limits: &Limits) -> Answer {
        let mut conditions = premises.to_vec();
        conditions.push(self.pool.not(conclusion));
        self.check(&conditions, limits)
    }

    /// A core from which nothing can be left out, as far as the limits allow to tell.
    pub fn reduced_core(
        &mut self,
        conditions: &[ExprId],
        core: &[usize],
        limits: &Limits,
    ) -> Vec<usize> {
        let mut kept = core.to_vec();
        let mut i = 0;
        while i < kept.len() {
            let mut without = kept.clone();
            without.remove(i);
            let rest: Vec<ExprId> =
                without.iter().filter_map(|&j| conditions.get(j)).copied().collect();
            match self.check(&rest, limits) {
                // The answer may leave out more than was tried.
                Answer::Unsat(used) => {
                    let smaller = used.iter().filter_map(|&j| without.get(j)).copied();
                    kept = smaller.collect();
                    i = 0;
                }
                Answer::Sat(_) | Answer::Unknown(_) => i += 1,
            }
        }
        kept
    }
}

/// Joins one part's outcome into the question's.
fn take(
    atoms: &Atoms,
    part: &Part,
    outcome: Outcome,
    stage: Stage,
    model: &mut Model,
    unknown: &mut Option<String>,
) -> Result<(), (Stage, Contradiction)> {
    match outcome {
        Outcome::Sat(found) => model.join((*found).clone()),
        Outcome::Unknown(_, reason) => *unknown = Some(reason.to_string()),
        Outcome::Unsat(core) => {
            let mut origins = Vec::new();
            for &i in &part.members {
                let (e, from) = &atoms.atoms[i];
                if core.contains(e) {
                    union(&mut origins, from);
                }
            }
            return Err((stage, Contradiction(origins)));
        }
    }
    Ok(())
}
