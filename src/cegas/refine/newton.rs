//! `Refine(ρ, M)`, predicate part: Newton's interpolants (Dietsch et al., FSE 2017) of a path that explicit values do not
//! refute.
//!
//! The path is walked from each of its cuts to its end, where nothing is known but where pointers lead: what is looked at
//! and was there at the cut is a term. The conditions of this walk are the weakest precondition of the violation along the
//! rest of the path, and their contrary is an interpolant at the cut, once the steps outside the solver's core are skipped
//! and later inputs are [eliminated](eliminate). That only makes the precondition weaker, and what is eliminated at a cut is
//! eliminated at those before it: so each interpolant leads to the next.
//!
//! Nothing here is believed: predicates are only asked. What is returned was seen to refute the path.

use super::eliminate;
use super::model::Model;
use super::precision::{Location, Precision, Variable};
use super::predicates::Term;
use super::segment::Way;
use super::trace::Walked;
use crate::cegas::memory::Instance;
use crate::cegas::state::State;
use crate::cegas::value::Value;
use crate::ir::InstId;
use crate::smt::{Answer, ExprId, Op};
use std::collections::BTreeSet;

/// Conditions of one interpolant; longer ones say too little about other paths.
const MOST_CONDITIONS: usize = 24;

/// Leaving out variables one at a time costs a walk each.
const MOST_WALKED: usize = 5_000;

/// What joins the composite precision.
pub(super) struct Newton {
    pub asked: Vec<(InstId, ExprId)>,
    pub joins: BTreeSet<(Location, Variable)>,
    /// The first node at which something has to be known.
    pub pivot: usize,
    /// Whether it was found for another obligation before.
    pub is_known: bool,
}

impl Newton {
    fn new(
        cuts: &[State],
        asked: &[Vec<(InstId, ExprId)>],
        joins: BTreeSet<(Location, Variable)>,
    ) -> Newton {
        let is_meant = |cut: &State| {
            let blocks: Vec<Location> = match cut.frames.is_empty() {
                true => vec![None],
                false => cut.frames.iter().map(|frame| Some(frame.block)).collect(),
            };
            joins.iter().any(|(location, _)| blocks.contains(location))
        };
        let pivot =
            cuts.iter().zip(asked).position(|(cut, asked)| !asked.is_empty() || is_meant(cut));
        let asked = asked.iter().flatten().copied().collect();
        Newton { asked, joins, pivot: pivot.unwrap_or(0), is_known: false }
    }
}

impl Model<'_> {
    /// What refutes the path; `None` if this does not find it.
    pub fn newton(&mut self, first: &State, ways: &[Way], precision: &Precision) -> Option<Newton> {
        let mut start = first.clone();
        self.abstraction(&mut start, None);
        let trace = self.trace(&start, ways, None);
        if !matches!(trace.outcome, Walked::Arrived) {
            return None;
        }
        let cuts: Vec<State> = trace.cuts.into_iter().map(|(_, state)| state).collect();
        if let Some(again) = self.known_again(first, ways, precision, &cuts) {
            return Some(again);
        }
        // Numbers are terms if that is enough: then what is found speaks of more than these.
        for keeps_numbers in [false, true] {
            self.initials.clear();
            let Some(asked) = self.interpolants(&cuts, ways, keeps_numbers) else { continue };
            let mut precision = precision.clone();
            precision.ask(asked.iter().flatten().copied());
            let mut joins = self.initial_cells(&asked);
            if !self.is_refuted(first, ways, &precision, &joins) {
                for cut in &cuts {
                    let mut cut = cut.clone();
                    self.forget_numbers(&mut cut, keeps_numbers);
                    joins.extend(self.explicit(&cut, keeps_numbers));
                    let location = super::abstraction::location(&cut);
                    joins.extend(self.initials.iter().map(|&variable| (location, variable)));
                }
                if !self.is_refuted(first, ways, &precision, &joins) {
                    continue;
                }
                self.leave_out(first, ways, &precision, &mut joins);
            }
            return Some(Newton::new(&cuts, &asked, joins));
        }
        None
    }

    /// What refuted paths of other obligations, if it refutes this one.
    fn known_again(
        &mut self,
        first: &State,
        ways: &[Way],
        precision: &Precision,
        cuts: &[State],
    ) -> Option<Newton> {
        let at = |cut: &State| cut.top().map(|frame| frame.at);
        let known = |at| self.known.asked(at).into_iter().flatten().map(move |&e| (at, e));
        let asked: Vec<Vec<(InstId, ExprId)>> =
            cuts.iter().map(|cut| at(cut).into_iter().flat_map(known).collect()).collect();
        let mut precision = precision.clone();
        precision.ask(asked.iter().flatten().copied());
        let joins = self.initial_cells(&asked);
        let is_new = asked.iter().any(|asked| !asked.is_empty());
        let is_enough = is_new && self.is_refuted(first, ways, &precision, &joins);
        is_enough.then(|| Newton { is_known: true, ..Newton::new(cuts, &asked, joins) })
    }

    /// Leaves out variables that are not needed, one at a time.
    fn leave_out(
        &mut self,
        first: &State,
        ways: &[Way],
        precision: &Precision,
        joins: &mut BTreeSet<(Location, Variable)>,
    ) {
        let variables: BTreeSet<Variable> = joins.iter().map(|(_, variable)| *variable).collect();
        if variables.len().saturating_mul(ways.len()) > MOST_WALKED {
            return;
        }
        for variable in variables {
            let mut fewer = joins.clone();
            fewer.retain(|(_, other)| *other != variable);
            if self.is_refuted(first, ways, precision, &fewer) {
                *joins = fewer;
            }
        }
    }

    /// The predicates to ask at each cut.
    fn interpolants(
        &mut self,
        cuts: &[State],
        ways: &[Way],
        keeps_numbers: bool,
    ) -> Option<Vec<Vec<(InstId, ExprId)>>> {
        let core = self.core(cuts.first()?, ways)?;
        let last = core.last().copied()?;
        let mut asked = Vec::new();
        for (number, cut) in cuts.iter().enumerate() {
            asked.push(Vec::new());
            let (Some(at), Some(here)) = (cut.top().map(|frame| frame.at), asked.last_mut()) else {
                continue;
            };
            if number > last {
                continue; // nobody comes here
            }
            let mut state = cut.clone();
            self.forget_numbers(&mut state, keeps_numbers);
            let found = self.walk(state, ways.get(number..)?, last - number)?;
            let cube: Vec<ExprId> = found
                .into_iter()
                .filter(|(step, _)| core.contains(&(step + number)))
                .map(|(_, condition)| condition)
                .collect();
            if self.is_unsat(&cube) {
                continue; // all of the core is to come
            }
            let terms = &self.terms;
            let cube = eliminate::without(&mut self.machine.smt.pool, &cube, |var| {
                terms.of(var).is_some()
            });
            if cube.len() > MOST_CONDITIONS {
                return None;
            }
            let all = self.machine.smt.pool.and_all(&cube);
            let mut predicates = BTreeSet::from([all]);
            for condition in cube {
                predicates.insert(condition);
                predicates.extend(self.weaker(condition));
            }
            predicates.retain(|&predicate| self.machine.smt.pool.as_const(predicate).is_none());
            here.extend(predicates.into_iter().map(|predicate| (at, predicate)));
        }
        Some(asked)
    }

    /// The steps whose conditions exclude each other.
    fn core(&mut self, first: &State, ways: &[Way]) -> Option<BTreeSet<usize>> {
        let found = self.walk(first.clone(), ways, ways.len())?;
        let mut steps: BTreeSet<usize> = found.iter().map(|(step, _)| *step).collect();
        let of = |steps: &BTreeSet<usize>| -> Vec<(usize, ExprId)> {
            found.iter().filter(|(step, _)| steps.contains(step)).copied().collect()
        };
        let question: Vec<ExprId> = found.iter().map(|(_, condition)| *condition).collect();
        let limits = self.limit.solver;
        let Answer::Unsat(core) = self.machine.smt.check(&question, &limits) else { return None };
        steps.retain(|step| core.iter().any(|&index| found[index].0 == *step));
        for step in steps.clone() {
            let mut fewer = steps.clone();
            fewer.remove(&step);
            let question: Vec<ExprId> = of(&fewer).into_iter().map(|(_, c)| c).collect();
            if self.is_unsat(&question) {
                steps = fewer;
            }
        }
        Some(steps)
    }

    /// Conditions that follow from a comparison, or from its contrary, and may hold longer.
    fn weaker(&mut self, condition: ExprId) -> Vec<ExprId> {
        let pool = &mut self.machine.smt.pool;
        let mut node = pool.node(condition);
        if node.op == Op::Not {
            node = pool.node(node.child(0));
        }
        match node.op {
            Op::Slt => vec![pool.sle(node.child(0), node.child(1))],
            Op::Ult => vec![pool.ule(node.child(0), node.child(1))],
            Op::Eq if pool.width(node.child(0)) > 1 => {
                let (a, b) = (node.child(0), node.child(1));
                vec![pool.sle(a, b), pool.sle(b, a), pool.ule(a, b), pool.ule(b, a)]
            }
            _ => Vec::new(),
        }
    }

    /// Globals that predicates speak of: what they hold at the start has to be known there.
    fn initial_cells(&self, asked: &[Vec<(InstId, ExprId)>]) -> BTreeSet<(Location, Variable)> {
        let predicates: Vec<ExprId> = asked.iter().flatten().map(|(_, e)| *e).collect();
        let vars = self.machine.smt.pool.free_vars(&predicates);
        let cell = |term| match term {
            Term::Cell { object, offset, bytes } => {
                Some((None, Variable::Cell { object, offset, bytes: u64::from(bytes) }))
            }
            Term::Value { .. } => None,
        };
        vars.into_iter().filter_map(|var| self.terms.of(var)).filter_map(cell).collect()
    }

    /// The pointers that a state knows, and its numbers where these are kept.
    fn explicit(&mut self, state: &State, keeps_numbers: bool) -> Vec<(Location, Variable)> {
        let mut found = Vec::new();
        for frame in &state.frames {
            for (&id, value) in &frame.values {
                if !self.is_address(id) && self.is_kept(value, keeps_numbers) {
                    found.push((Some(frame.block), Variable::Value(id)));
                }
            }
        }
        let location = super::abstraction::location(state);
        for number in 0..state.memory.len() as u32 {
            let Some(object) = state.memory.get(Instance(number)) else { continue };
            for (&offset, cell) in &object.cells {
                if self.is_kept(&Value::Bits(cell.value), keeps_numbers) {
                    let (object, bytes) = (object.origin, u64::from(cell.bytes));
                    found.push((location, Variable::Cell { object, offset, bytes }));
                }
            }
        }
        found
    }
}
