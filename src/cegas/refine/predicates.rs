//! The second half of the precision: predicates, and what abstract states know of them.
//!
//! A predicate is a condition on *terms*: values of the running function and of those that wait for it, and
//! cells of objects of which there is one. A state's *label* says which of the predicates at its location hold, and
//! which do not (cartesian abstraction): each is asked of the solver on its own, about the state as it was computed, before
//! the values that are not tracked are forgotten. When the state is gone on from, the terms of its label get
//! arbitrary values that satisfy it.
//!
//! Invariant: a label holds in every execution that its state stands for. A term that cannot be found is not spoken of: that
//! is less knowledge, never other.

use super::model::Model;
use super::precision::Precision;
use crate::cegas::machine::Step;
use crate::cegas::memory::{Background, Cell, Instance, Life, Object, Origin, Piece};
use crate::cegas::state::State;
use crate::cegas::value::Value;
use crate::ir::ValueId;
use crate::smt::{Answer, ExprId, Limits, Sort, VarId};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// What a predicate speaks of, as seen from a location.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Term {
    /// Of the running function (0), its caller (1), and so on.
    Value {
        up: usize,
        value: ValueId,
    },
    Cell {
        object: Origin,
        offset: u64,
        bytes: u32,
    },
}

/// The variables that terms are in predicates.
#[derive(Default)]
pub(super) struct Terms {
    by_term: FxHashMap<(Term, u32), ExprId>,
    by_var: FxHashMap<VarId, Term>,
}

impl Terms {
    pub fn of(&self, var: VarId) -> Option<Term> {
        self.by_var.get(&var).copied()
    }
}

/// Predicates that hold and negations of those that do not, in ascending order.
pub(super) type Label = Rc<[ExprId]>;

impl Model<'_> {
    /// The variable that a term is in predicates.
    pub fn term(&mut self, term: Term, bits: u32) -> ExprId {
        if let Some(&var) = self.terms.by_term.get(&(term, bits)) {
            return var;
        }
        let var = self.machine.smt.pool.var("term", Sort::Bits(bits));
        self.terms.by_term.insert((term, bits), var);
        self.terms.by_var.insert(self.machine.smt.pool.node(var).var(), term);
        var
    }

    /// Algorithm 2, line 8, for the composite precision: what is known of the predicates, then what is tracked. Nothing if
    /// no execution comes to `state`.
    pub fn abstracted(&mut self, state: &mut State, precision: &Precision) -> Option<Label> {
        let label = match precision.has_predicates() {
            true => self.label(state, precision)?,
            false => Label::default(),
        };
        self.abstraction(state, Some(precision));
        Some(label)
    }

    fn label(&mut self, state: &mut State, precision: &Precision) -> Option<Label> {
        let mut conditions = state.conditions();
        if !conditions.is_empty() && self.is_unsat(&conditions) {
            return None;
        }
        let asked = state.top().and_then(|frame| precision.asked(frame.at));
        let mut label = Vec::new();
        for &predicate in asked.into_iter().flatten() {
            let Some(now) = self.instance_of(state, predicate) else { continue };
            let not = self.machine.smt.pool.not(predicate);
            let not_now = self.machine.smt.pool.not(now);
            for (literal, contrary) in [(predicate, not_now), (not, now)] {
                conditions.push(contrary);
                let holds = self.is_unsat(&conditions);
                conditions.pop();
                if holds {
                    label.push(literal);
                    break;
                }
            }
        }
        label.sort_unstable();
        Some(label.into())
    }

    /// Whether no values satisfy all of them, for certain.
    pub fn is_unsat(&mut self, conditions: &[ExprId]) -> bool {
        if self.limit.is_late() {
            return false;
        }
        let limits = self.limit.solver;
        let limits =
            Limits { work: limits.work / 10, milliseconds: limits.milliseconds / 4, ..limits };
        matches!(self.machine.smt.check(conditions, &limits), Answer::Unsat(_))
    }

    /// The predicate with what its terms are in `state`.
    pub fn instance_of(&mut self, state: &mut State, predicate: ExprId) -> Option<ExprId> {
        let mut values = FxHashMap::default();
        for var in self.machine.smt.pool.free_vars(&[predicate]) {
            let value = self.terms.of(var).and_then(|term| self.value_of(state, term))?;
            if self.machine.smt.pool.sort(value) != self.machine.smt.pool.var_sort(var) {
                return None;
            }
            values.insert(var, value);
        }
        Some(self.machine.smt.pool.substitute(predicate, &values))
    }

    fn value_of(&mut self, state: &mut State, term: Term) -> Option<ExprId> {
        match term {
            Term::Value { up, value } => {
                let depth = state.frames.len().checked_sub(up + 1)?;
                state.frames.get(depth)?.values.get(&value)?.bits()
            }
            Term::Cell { object, offset, bytes } => {
                let instance = only(state, object)?;
                let is_open = |piece: &Piece| matches!(piece, Piece::Background { .. });
                let object = state.memory.get(instance)?;
                let is_known = matches!(object.background, Background::Zero | Background::Init(_))
                    || !object.pieces(offset, u64::from(bytes)).iter().any(is_open);
                if !is_known || !self.is_inside(object, offset, bytes) {
                    return None;
                }
                self.machine.read(state, instance, offset, u64::from(bytes), false).ok()
            }
        }
    }

    fn is_inside(&self, object: &Object, offset: u64, bytes: u32) -> bool {
        let end = u128::from(offset) + u128::from(bytes);
        self.machine.smt.pool.as_const(object.size).is_some_and(|size| end <= size)
    }

    /// Goes on from a state of which the label is known.
    pub fn assume_label(&mut self, state: &mut State, label: &Label) -> Step<()> {
        for &literal in label.iter() {
            let vars = self.machine.smt.pool.free_vars(&[literal]);
            if vars.into_iter().all(|var| self.put(state, var)) {
                self.machine.assume(state, literal)?;
            }
        }
        Ok(())
    }

    /// Lets a term be its variable in `state`; what is known of it already is assumed of the variable.
    fn put(&mut self, state: &mut State, var: VarId) -> bool {
        let Some(term) = self.terms.of(var) else { return false };
        let own = self.machine.smt.pool.var_expr(var);
        if let Some(value) = self.value_of(state, term) {
            if self.machine.smt.pool.sort(value) != self.machine.smt.pool.var_sort(var) {
                return false;
            }
            let same = self.machine.smt.pool.eq(own, value);
            return self.machine.assume(state, same).is_ok();
        }
        match term {
            Term::Value { up, value } => {
                let depth = state.frames.len().checked_sub(up + 1);
                let Some(frame) = depth.and_then(|depth| state.frames.get_mut(depth)) else {
                    return false;
                };
                let is_new = !frame.values.contains_key(&value);
                if is_new {
                    frame.values.insert(value, Value::Bits(own));
                }
                is_new
            }
            Term::Cell { object, offset, bytes } => {
                let Some(instance) = only(state, object) else { return false };
                let Some(object) = state.memory.get(instance) else { return false };
                let pieces = object.pieces(offset, u64::from(bytes));
                let is_new = matches!(pieces[..], [Piece::Background { .. }])
                    && self.is_inside(object, offset, bytes);
                if is_new && let Some(object) = state.memory.get_mut(instance) {
                    object.cells.insert(offset, Cell { bytes, value: own });
                }
                is_new
            }
        }
    }

    /// Coverage by implication: whether what is known in one state says all that is known in another.
    pub fn implies(&mut self, label: &Label, weaker: &Label) -> bool {
        let mut question = label.to_vec();
        weaker.iter().all(|&literal| {
            if label.binary_search(&literal).is_ok() {
                return true;
            }
            if label.is_empty() {
                return false;
            }
            question.push(self.machine.smt.pool.not(literal));
            let follows = self.is_unsat(&question);
            question.pop();
            follows
        })
    }
}

/// The one living object of that origin.
pub(super) fn only(state: &State, origin: Origin) -> Option<Instance> {
    let mut found = (0..state.memory.len() as u32).map(Instance).filter(|&instance| {
        state.memory.get(instance).is_some_and(|o| o.origin == origin && o.life == Life::Live)
    });
    let one = found.next()?;
    found.next().is_none().then_some(one)
}
