//! What conditions come to around one model: a conjunction of comparisons of some variables, each of which the
//! model satisfies, so that whatever satisfies them all satisfies the conditions with the model's values for all
//! other variables.
//!
//! This is how inputs and choices of a turn are taken out of a path's conditions: a choice goes the way the model
//! goes, and says so; an input is what the model says it is. What speaks of addresses is left out.

use super::machine::Machine;
use super::widen::Binding;
use crate::smt::{ExprId, Model, Op, Sort, VarId};
use rustc_hash::{FxHashMap, FxHashSet};

/// Choices inside one comparison that are made.
const MOST_CHOICES: u32 = 32;

impl Machine<'_> {
    /// The conjunction for all of `conditions`, over the variables of which `is_kept` says so; nothing if the model
    /// does not satisfy them, or they are too involved.
    pub(super) fn projected(
        &mut self,
        conditions: &[ExprId],
        model: &Model,
        is_kept: impl Fn(&Self, VarId) -> bool,
    ) -> Option<Vec<ExprId>> {
        let mut seen = FxHashSet::default();
        let mut literals = Vec::new();
        // Expressions, and what they are in the model.
        let mut stack: Vec<(ExprId, bool)> = conditions.iter().rev().map(|&e| (e, true)).collect();
        while let Some((e, wanted)) = stack.pop() {
            if !seen.insert((e, wanted)) {
                continue;
            }
            if self.truth(e, model)? != wanted {
                return None;
            }
            let node = self.smt.pool.node(e);
            match (node.op, wanted) {
                (Op::Not, _) => stack.push((node.child(0), !wanted)),
                (Op::And, true) | (Op::Or, false) => {
                    stack.extend(node.children().map(|child| (child, wanted)));
                }
                (Op::And, false) | (Op::Or, true) => {
                    let (a, b) = (node.child(0), node.child(1));
                    let reason = if self.truth(a, model)? == wanted { a } else { b };
                    stack.push((reason, wanted));
                }
                (Op::Ite, _) => {
                    let is_first = self.truth(node.child(0), model)?;
                    stack.push((node.child(if is_first { 1 } else { 2 }), wanted));
                    stack.push((node.child(0), is_first));
                }
                _ => {
                    let literal = self.with_choices_made(e, model, &mut stack)?;
                    let literal = self.with_values(literal, model, &is_kept);
                    let literal = if wanted { literal } else { self.smt.pool.not(literal) };
                    if self.smt.pool.as_const(literal).is_none()
                        && !self.speaks_of_addresses(literal)
                    {
                        literals.push(literal);
                    }
                }
            }
        }
        let mut once = FxHashSet::default();
        literals.retain(|&literal| once.insert(literal));
        Some(literals)
    }

    fn truth(&self, e: ExprId, model: &Model) -> Option<bool> {
        self.smt.pool.eval(e, model).map(|value| value == 1)
    }

    /// The comparison where its choices are made as in the model; what they were made on is added to `reasons`.
    fn with_choices_made(
        &mut self,
        e: ExprId,
        model: &Model,
        reasons: &mut Vec<(ExprId, bool)>,
    ) -> Option<ExprId> {
        let mut literal = e;
        for _ in 0..MOST_CHOICES {
            let nodes = self.smt.pool.reachable(&[literal]);
            let choice = nodes.iter().find(|&&part| self.smt.pool.op(part) == Op::Ite);
            let Some(cond) = choice.map(|&part| self.smt.pool.node(part).child(0)) else {
                return Some(literal);
            };
            let is_first = self.truth(cond, model)?;
            reasons.push((cond, is_first));
            let side = self.smt.pool.bool(is_first);
            literal = self.with_choice(literal, cond, side);
        }
        None
    }

    /// The expression with the model's values for the variables that are not kept.
    fn with_values(
        &mut self,
        e: ExprId,
        model: &Model,
        is_kept: impl Fn(&Self, VarId) -> bool,
    ) -> ExprId {
        let mut values = Binding::default();
        for var in self.smt.pool.free_vars(&[e]) {
            let is_open = !is_kept(self, var) && self.instance_of(var).is_none();
            if is_open && let Sort::Bits(width) = self.smt.pool.var_sort(var) {
                values.insert(var, self.smt.pool.constant(model.bits(var), width));
            }
        }
        if values.is_empty() {
            return e;
        }
        self.smt.pool.substitute_memo(e, &values, &mut FxHashMap::default())
    }
}
