//! What might hold at a loop's head each time: a supply of guesses. None of them is believed before
//! [`super::invariant`] has shown it.
//!
//! Sources: what is compared in the program (constants, and the conditions met inside and behind the loop),
//! the values at the entry, pairs of variables, and how much each variable grows in one turn.

use super::invariant::Arrival;
use super::machine::Machine;
use crate::ir::{Const, Inst, Operand, Program};
use crate::smt::value::{mask, signed};
use crate::smt::{ExprId, Op, Pool, VarId};
use rustc_hash::FxHashSet;
use std::collections::{BTreeMap, BTreeSet};

/// Constants tried for one width, the smallest first.
const MOST_CONSTANTS: usize = 48;

/// Variables that are compared with each other.
const MOST_PAIRED: usize = 14;

/// Conditions taken apart.
const MOST_ATOMS: usize = 400;

/// Statements combined two by two.
const MOST_LITERALS: usize = 18;

/// The constants that occur in comparisons of the program, by width.
pub(super) fn constants(program: &Program) -> BTreeMap<u32, Vec<u128>> {
    let mut found: BTreeMap<u32, BTreeSet<i128>> = BTreeMap::new();
    let mut note = |operand: Operand, near: bool| {
        let Operand::Const(id) = operand else { return };
        let Const::Int(value) = program.consts.get(id) else { return };
        let ty = program.consts.ty(id);
        let Some(bits) = program.types.scalar_bits(ty, program.machine.pointer_bits) else {
            return;
        };
        if !(2..=64).contains(&bits) {
            return;
        }
        let value = signed(*value, bits);
        let all = found.entry(bits).or_default();
        all.insert(value);
        if near {
            all.extend([value - 1, value + 1]);
        }
    };
    for data in program.insts.values() {
        match data.inst {
            Inst::IntCmp { lhs, rhs, .. } => {
                note(lhs, true);
                note(rhs, true);
            }
            Inst::Store { value, .. } => note(value, false),
            _ => {}
        }
    }
    let sorted = |set: BTreeSet<i128>, bits: u32| {
        let mut all: Vec<i128> = set.into_iter().collect();
        all.sort_by_key(|value| (value.unsigned_abs(), *value));
        all.truncate(MOST_CONSTANTS);
        all.into_iter().map(|value| value as u128 & mask(bits)).collect()
    };
    found.into_iter().map(|(bits, set)| (bits, sorted(set, bits))).collect()
}

impl Machine<'_> {
    /// Candidates for the head's variables, given with their values at the entry.
    pub(super) fn templates(
        &mut self,
        scalars: &[(ExprId, ExprId)],
        constants: &BTreeMap<u32, Vec<u128>>,
    ) -> Vec<ExprId> {
        let mut found = Vec::new();
        for &(x, entry) in scalars {
            let bits = self.smt.pool.width(x);
            if !(1..=64).contains(&bits) {
                continue;
            }
            self.compared(&mut found, x, entry);
            let known = constants.get(&bits).map(Vec::as_slice).unwrap_or_default();
            for &value in known {
                let value = self.smt.pool.constant(value, bits);
                self.compared(&mut found, x, value);
            }
            for step in 1..=5u32.min(bits - 1) {
                let low = self.smt.pool.sub(x, entry);
                let low = self.smt.pool.extract(low, 0, step);
                let zero = self.smt.pool.constant(0, step);
                found.push(self.smt.pool.eq(low, zero));
            }
        }
        for (i, &(x, x0)) in scalars.iter().take(MOST_PAIRED).enumerate() {
            for &(y, y0) in &scalars[..i] {
                if self.smt.pool.width(x) == self.smt.pool.width(y) {
                    self.compared(&mut found, x, y);
                    self.compared(&mut found, x, y0);
                    self.compared(&mut found, y, x0);
                }
            }
        }
        found
    }

    /// Every way in which two terms may compare.
    pub(super) fn compared(&mut self, found: &mut Vec<ExprId>, x: ExprId, y: ExprId) {
        let pool = &mut self.smt.pool;
        let all = [
            pool.eq(x, y),
            pool.ne(x, y),
            pool.sle(x, y),
            pool.sle(y, x),
            pool.ule(x, y),
            pool.ule(y, x),
        ];
        found.extend(all.into_iter().filter(|&c| pool.as_const(c).is_none()));
    }

    /// Candidates from conditions: their comparisons that speak of the head's variables (`vars`) and of what
    /// was there before the loop only (`is_old`).
    pub(super) fn compared_in(
        &mut self,
        conditions: &[ExprId],
        vars: &FxHashSet<VarId>,
        is_old: impl Fn(&Self, VarId) -> bool,
    ) -> Vec<ExprId> {
        let mut found = Vec::new();
        for atom in self.own_atoms(conditions, vars, is_old) {
            let node = self.smt.pool.node(atom);
            found.extend([atom, self.smt.pool.not(atom)]);
            if matches!(node.op, Op::Eq | Op::Ult | Op::Slt) {
                self.compared(&mut found, node.child(0), node.child(1));
            }
        }
        found
    }

    /// What the conditions and their comparisons say, and the contrary, as far as it speaks of `vars` and what was
    /// there before only.
    pub(super) fn said_in(
        &mut self,
        conditions: &[ExprId],
        vars: &FxHashSet<VarId>,
        is_old: impl Fn(&Self, VarId) -> bool,
    ) -> Vec<ExprId> {
        let mut found = self.own_atoms(conditions, vars, &is_old);
        found.extend(self.own(conditions.to_vec(), vars, is_old));
        let contrary: Vec<ExprId> = found.iter().map(|&e| self.smt.pool.not(e)).collect();
        contrary.into_iter().chain(found).collect()
    }

    fn own_atoms(
        &mut self,
        conditions: &[ExprId],
        vars: &FxHashSet<VarId>,
        is_old: impl Fn(&Self, VarId) -> bool,
    ) -> Vec<ExprId> {
        self.own(atoms(&self.smt.pool, conditions), vars, is_old)
    }

    /// Those that speak of `vars`, and beside them of what was there before only.
    pub(super) fn own(
        &mut self,
        conditions: Vec<ExprId>,
        vars: &FxHashSet<VarId>,
        is_old: impl Fn(&Self, VarId) -> bool,
    ) -> Vec<ExprId> {
        let mut found = Vec::new();
        for condition in conditions {
            let free = self.smt.pool.free_vars(&[condition]);
            let is_ours = free.iter().any(|var| vars.contains(var))
                && free.iter().all(|var| vars.contains(var) || is_old(self, *var));
            if is_ours && !self.speaks_of_addresses(condition) {
                found.push(condition);
            }
        }
        found
    }

    /// That each variable has one of the constants it is seen to have.
    pub(super) fn value_sets(
        &mut self,
        scalars: &[(ExprId, ExprId)],
        arrivals: &[Arrival],
    ) -> Vec<ExprId> {
        let mut found = Vec::new();
        for &(x, entry) in scalars {
            let mut values: Vec<ExprId> = vec![entry];
            for arrival in arrivals {
                values.extend(arrival.binding.get(&self.smt.pool.node(x).var()));
            }
            let mut is_one = Vec::new();
            for value in plain_values(&self.smt.pool, &values) {
                is_one.push(self.smt.pool.eq(x, value));
            }
            if is_one.len() > 1 {
                found.push(self.smt.pool.or_all(&is_one));
            }
        }
        found
    }

    /// Candidates of two statements one of which holds: from the conditions' comparisons, from the values that
    /// the variables have in `arrivals`, and from which of them are even.
    pub(super) fn either_or(
        &mut self,
        conditions: &[ExprId],
        scalars: &[(ExprId, ExprId)],
        arrivals: &[Arrival],
        is_old: impl Fn(&Self, VarId) -> bool,
    ) -> Vec<ExprId> {
        let vars = scalars.iter().map(|&(x, _)| self.smt.pool.node(x).var()).collect();
        let mut literals = self.own_atoms(conditions, &vars, is_old);
        for &(x, entry) in scalars {
            let bits = self.smt.pool.width(x);
            let mut values: Vec<ExprId> = vec![entry];
            for arrival in arrivals {
                values.extend(arrival.binding.get(&self.smt.pool.node(x).var()));
            }
            for value in plain_values(&self.smt.pool, &values) {
                literals.push(self.smt.pool.eq(x, value));
            }
            if bits > 1 {
                let even = self.smt.pool.extract(x, 0, 1);
                literals.push(even);
            }
        }
        let mut known = FxHashSet::default();
        literals.retain(|&literal| {
            self.smt.pool.as_const(literal).is_none()
                && self.smt.pool.op(literal) != Op::Not
                && known.insert(literal)
        });
        literals.truncate(MOST_LITERALS);
        let mut found = Vec::new();
        for (i, &a) in literals.iter().enumerate() {
            let not_a = self.smt.pool.not(a);
            for &b in &literals[..i] {
                let not_b = self.smt.pool.not(b);
                for (x, y) in [(a, b), (not_a, b), (a, not_b), (not_a, not_b)] {
                    let clause = self.smt.pool.or(x, y);
                    if self.smt.pool.as_const(clause).is_none() {
                        found.push(clause);
                    }
                }
            }
        }
        found
    }
}

/// The constants that values may be, by their choices.
fn plain_values(pool: &Pool, values: &[ExprId]) -> Vec<ExprId> {
    const MOST: usize = 12;
    let mut seen = FxHashSet::default();
    let mut found = Vec::new();
    let mut stack: Vec<ExprId> = values.iter().rev().copied().collect();
    while let Some(e) = stack.pop() {
        if found.len() >= MOST || !seen.insert(e) {
            continue;
        }
        let node = pool.node(e);
        match node.op {
            Op::Const => found.push(e),
            Op::Ite => stack.extend([node.child(2), node.child(1)]),
            _ => {}
        }
    }
    found
}

/// The comparisons that conditions are made of.
fn atoms(pool: &Pool, conditions: &[ExprId]) -> Vec<ExprId> {
    let mut seen = FxHashSet::default();
    let mut atoms = Vec::new();
    let mut stack: Vec<ExprId> = conditions.iter().rev().copied().collect();
    while let Some(e) = stack.pop() {
        if atoms.len() >= MOST_ATOMS || !seen.insert(e) {
            continue;
        }
        let node = pool.node(e);
        match node.op {
            Op::Const => {}
            Op::And | Op::Or | Op::Xor | Op::Not | Op::Ite => stack.extend(node.children()),
            Op::Eq | Op::Ult | Op::Slt => {
                atoms.push(e);
                // A comparison of a choice: its condition counts, too.
                for child in node.children() {
                    if pool.op(child) == Op::Ite {
                        stack.push(pool.node(child).child(0));
                    }
                }
            }
            _ if node.width() == 1 => atoms.push(e),
            _ => {}
        }
    }
    atoms
}
