//! Trying values before asking: old models, the ends of the ranges, the constants that occur. Many
//! satisfiable questions end here, because programs test for the values they name.

use super::bounds::Bounds;
use super::eval::Tape;
use super::expr::{ExprId, Op, Pool, VarId};
use super::value::{Model, mask, sign_bit};
use std::sync::Arc;

/// How many steps of evaluation a search may take.
const MAX_STEPS: usize = 30_000;
/// How many values are tried for one variable.
const MAX_VALUES: usize = 24;
/// How often the climb begins anew from where it got.
const MAX_ROUNDS: usize = 4;

/// One part of a question, laid out for evaluation.
#[derive(Debug)]
pub struct Search<'a> {
    pool: &'a Pool,
    atoms: &'a [ExprId],
    vars: &'a [VarId],
    tape: Tape,
    steps: usize,
}

impl<'a> Search<'a> {
    pub fn new(pool: &'a Pool, atoms: &'a [ExprId], vars: &'a [VarId]) -> Search<'a> {
        Search { pool, atoms, vars, tape: Tape::new(pool, atoms), steps: 0 }
    }

    /// How many atoms hold; `None` if that cannot be told.
    fn score(&mut self, model: &Model) -> Option<usize> {
        self.steps += self.tape.len();
        Some(self.tape.run(model)?.filter(|&v| v == 1).count())
    }

    /// The first model whose values for this part's variables satisfy it; else the best one.
    pub fn old<'m>(
        &mut self,
        models: impl Iterator<Item = &'m Arc<Model>>,
    ) -> Result<Model, Model> {
        let mut best = (0, Model::new());
        for model in models {
            let own = self.restrict(model);
            let Some(score) = self.score(&own) else { break };
            if score == self.atoms.len() {
                return Ok(own);
            }
            if score > best.0 {
                best = (score, own);
            }
        }
        Err(best.1)
    }

    fn restrict(&self, model: &Model) -> Model {
        let mut own = Model::new();
        for &v in self.vars {
            match model.get(v) {
                Some(super::value::Value::Bits(b)) => own.set_bits(v, *b),
                Some(super::value::Value::Bytes(b)) => own.set_bytes(v, b.clone()),
                None => {}
            }
        }
        own
    }

    /// Climbs from the start, one variable at a time, to where more atoms hold. Variables of atoms
    /// that do not hold come first: on a path that grew by one condition, they are few.
    pub fn climb(&mut self, start: Model, bounds: &Bounds) -> Option<Model> {
        let mut model = start;
        let nodes = self.pool.reachable(self.atoms);
        for _ in 0..MAX_ROUNDS {
            let held: Vec<bool> = self.tape.run(&model)?.map(|v| v == 1).collect();
            let failing: Vec<ExprId> =
                self.atoms.iter().zip(&held).filter(|(_, held)| !**held).map(|(e, _)| *e).collect();
            if failing.is_empty() {
                return Some(model);
            }
            let mut best = self.atoms.len() - failing.len();
            let before = best;
            for v in self.pool.free_vars(&failing) {
                if self.pool.width(self.pool.var_expr(v)) == 0 {
                    continue;
                }
                let mut kept = model.bits(v);
                for value in self.candidates(v, bounds, &nodes) {
                    if self.steps > MAX_STEPS {
                        return None;
                    }
                    model.set_bits(v, value);
                    let score = self.score(&model)?;
                    if score == self.atoms.len() {
                        return Some(model);
                    }
                    if score > best {
                        (best, kept) = (score, value);
                    }
                }
                model.set_bits(v, kept);
            }
            if best == before {
                return None;
            }
        }
        None
    }

    fn candidates(&self, v: VarId, bounds: &Bounds, nodes: &[ExprId]) -> Vec<u128> {
        let e = self.pool.var_expr(v);
        let w = self.pool.width(e);
        let mut values = Vec::new();
        if let Some(arc) = bounds.arc(e) {
            values.extend([arc.lo, arc.hi, arc.lo.wrapping_add(arc.steps() / 2)]);
        }
        values.extend([0, 1, mask(w), sign_bit(w), mask(w) >> 1]);
        // Younger constants come later in the question; the older ones are everywhere.
        for k in nodes.iter().rev().filter(|&&k| self.pool.op(k) == Op::Const) {
            if let Some(k) = self.pool.as_const(*k) {
                values.extend([k, k.wrapping_add(1), k.wrapping_sub(1)]);
            }
            if values.len() > 2 * MAX_VALUES {
                break;
            }
        }
        let mut seen = rustc_hash::FxHashSet::default();
        let mut values: Vec<u128> = values.into_iter().map(|x| x & mask(w)).collect();
        values.retain(|x| seen.insert(*x));
        values.truncate(MAX_VALUES);
        values
    }
}
