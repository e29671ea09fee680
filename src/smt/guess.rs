//! Trying values before asking: old models, the ends of the ranges, the constants that occur. Many
//! satisfiable questions end here, because programs test for the values they name.

use super::bounds::Bounds;
use super::eval::Tape;
use super::expr::{ExprId, Op, Pool, VarId};
use super::value::{Model, mask, sign_bit};

/// How many steps of evaluation a search may take.
const MAX_STEPS: usize = 20_000;
/// How many values are tried for one variable.
const MAX_VALUES: usize = 24;

/// One part of a question, laid out for evaluation.
#[derive(Debug)]
pub struct Search<'a> {
    pool: &'a Pool,
    tape: Tape,
    vars: &'a [VarId],
    steps: usize,
}

impl<'a> Search<'a> {
    pub fn new(pool: &'a Pool, atoms: &[ExprId], vars: &'a [VarId]) -> Search<'a> {
        Search { pool, tape: Tape::new(pool, atoms), vars, steps: 0 }
    }

    /// How many atoms hold; `None` if that cannot be told.
    fn score(&mut self, model: &Model) -> Option<usize> {
        self.steps += self.tape.len();
        Some(self.tape.run(model)?.filter(|&v| v == 1).count())
    }

    /// The model's values for this part's variables, if they satisfy it.
    pub fn holds(&mut self, model: &Model, atoms: usize) -> Option<Model> {
        let restricted = self.restrict(model);
        (self.score(&restricted)? == atoms).then_some(restricted)
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

    /// Climbs from a simple start, one variable at a time, to where most atoms hold.
    pub fn climb(&mut self, atoms: usize, bounds: &Bounds, nodes: &[ExprId]) -> Option<Model> {
        let values: Vec<(VarId, Vec<u128>)> = self
            .vars
            .iter()
            .filter(|&&v| self.pool.width(self.pool.var_expr(v)) > 0)
            .map(|&v| (v, self.candidates(v, bounds, nodes)))
            .collect();
        // The start: the first candidate of each.
        let mut model = Model::new();
        for (v, candidates) in &values {
            model.set_bits(*v, *candidates.first()?);
        }
        let mut best = self.score(&model)?;
        for _ in 0..2 {
            for (v, candidates) in &values {
                if best == atoms {
                    return Some(model);
                }
                let mut kept = model.bits(*v);
                for &value in candidates {
                    if self.steps > MAX_STEPS {
                        return None;
                    }
                    model.set_bits(*v, value);
                    let score = self.score(&model)?;
                    if score > best {
                        (best, kept) = (score, value);
                    }
                }
                model.set_bits(*v, kept);
            }
        }
        (best == atoms).then_some(model)
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
