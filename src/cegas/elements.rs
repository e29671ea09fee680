//! Guesses about the element of an array that is followed ([`super::ghost`]): what may hold of it, before or behind where a loop has
//! come to. None of them is believed before it is shown.

use super::invariant::Arrival;
use super::machine::Machine;
use super::memory::Instance;
use super::state::State;
use super::widen::Binding;
use crate::smt::{ExprId, Op, VarId};
use rustc_hash::FxHashSet;

/// Guesses combined with each other.
const MOST_FACTS: usize = 60;
const MOST_AHEAD: usize = 8;

impl Machine<'_> {
    /// What was written to the elements, if it was them that were written to, as equations that speak of the
    /// head's variables. Where a counter occurs, it is also guessed to be the element's number.
    pub(super) fn written(
        &mut self,
        scalars: &[(ExprId, ExprId)],
        elements: &[ExprId],
        arrivals: &[Arrival],
    ) -> Vec<ExprId> {
        let Some(index) = self.ghosts.as_ref().map(|ghosts| ghosts.index) else {
            return Vec::new();
        };
        let mut as_number = Binding::default();
        for &(x, _) in scalars.iter().filter(|(x, _)| !elements.contains(x)) {
            let number = self.smt.pool.resize(index, self.smt.pool.width(x), false);
            as_number.insert(self.smt.pool.node(x).var(), number);
        }
        let mut found = Vec::new();
        for &x in elements {
            let var = self.smt.pool.node(x).var();
            for arrival in arrivals {
                let Some(&value) = arrival.binding.get(&var) else { continue };
                let value = self.of_the_element(value);
                let numbered = self.smt.pool.substitute(value, &as_number);
                found.extend([self.smt.pool.eq(x, value), self.smt.pool.eq(x, numbered)]);
            }
        }
        found
    }

    /// The value where every choice that asks for the element is answered with yes.
    pub(super) fn of_the_element(&mut self, mut value: ExprId) -> ExprId {
        let ghosts = self.ghosts.as_ref().filter(|ghosts| !ghosts.strides.is_empty());
        let Some(index) = ghosts.map(|ghosts| ghosts.index) else { return value };
        let index = self.smt.pool.node(index).var();
        for _ in 0..MOST_AHEAD {
            let nodes = self.smt.pool.reachable(&[value]);
            let asks = |e: &ExprId| {
                let node = self.smt.pool.node(*e);
                let cond = (node.op == Op::Ite).then(|| node.child(0))?;
                self.smt.pool.free_vars(&[cond]).contains(&index).then_some(cond)
            };
            let Some(cond) = nodes.iter().find_map(asks) else { break };
            let is_asked = |e: &ExprId| {
                self.smt.pool.op(*e) == Op::Eq && self.smt.pool.free_vars(&[*e]).contains(&index)
            };
            let asked = self.smt.pool.reachable(&[cond]).into_iter().find(is_asked);
            let yes = self.smt.pool.bool(true);
            let answer = match asked {
                Some(asked) if asked != cond => self.with(cond, asked, yes),
                _ => yes,
            };
            value = self.with_choice(value, cond, answer);
        }
        value
    }

    /// What conditions say of elements that did not change in the loop.
    pub(super) fn said_of_contents(
        &mut self,
        state: &State,
        conditions: &[ExprId],
        is_old: impl Fn(&Self, VarId) -> bool,
    ) -> Vec<ExprId> {
        let mut contents = FxHashSet::default();
        for number in 0..state.memory.len() as u32 {
            let instance = Instance(number);
            if self.stride(state, instance).is_none() {
                continue;
            }
            let cells = state.memory.get(instance).map(|object| &object.cells);
            let values = cells.into_iter().flat_map(|cells| cells.values().map(|cell| cell.value));
            contents.extend(self.smt.pool.free_vars(&values.collect::<Vec<_>>()));
        }
        let mut found = Vec::new();
        for &condition in conditions {
            let said = self.of_the_element(condition);
            let free = self.smt.pool.free_vars(&[said]);
            if free.iter().any(|var| contents.contains(var))
                && free.iter().all(|&var| is_old(self, var))
                && !self.speaks_of_addresses(said)
            {
                found.extend([said, self.smt.pool.not(said)]);
            }
        }
        found
    }

    /// Guesses that such a thing holds, or the loop has not come to the element yet.
    pub(super) fn of_contents(
        &mut self,
        scalars: &[(ExprId, ExprId)],
        facts: &[ExprId],
    ) -> Vec<ExprId> {
        let ahead = self.ahead(scalars, &[]);
        let mut clauses = Vec::new();
        for &ahead in ahead.iter().take(MOST_AHEAD) {
            for &fact in facts.iter().take(MOST_FACTS) {
                clauses.push(self.smt.pool.or(ahead, fact));
            }
        }
        clauses
    }

    /// Guesses about a last read that was of the element: the loop has come one further at most, or at least.
    pub(super) fn of_last_read(
        &mut self,
        scalars: &[(ExprId, ExprId)],
        last_read: ExprId,
    ) -> Vec<ExprId> {
        let Some((index, strides)) = self.ghosts.as_ref().map(|g| (g.index, g.strides())) else {
            return Vec::new();
        };
        let one = self.pointer_const(1);
        let next = self.smt.pool.add(index, one);
        let other = self.smt.pool.not(last_read);
        let mut found = Vec::new();
        for &(x, _) in scalars {
            if !(8..=self.pointer_bits).contains(&self.smt.pool.width(x)) {
                continue;
            }
            let signed = self.as_index(x);
            let plain = self.smt.pool.resize(x, self.pointer_bits, false);
            for &stride in &strides {
                let stride = self.pointer_const(stride);
                let (here, next) =
                    (self.smt.pool.mul(index, stride), self.smt.pool.mul(next, stride));
                for bound in [
                    self.smt.pool.sle(signed, next),
                    self.smt.pool.ule(plain, next),
                    self.smt.pool.sle(here, signed),
                ] {
                    found.push(self.smt.pool.or(other, bound));
                }
            }
            for bound in [self.smt.pool.sle(signed, next), self.smt.pool.ule(plain, next)] {
                found.push(self.smt.pool.or(other, bound));
            }
        }
        found.sort_unstable();
        found.dedup();
        found
    }

    /// Guesses about the element: something holds of it, or the loop has not come to it yet.
    pub(super) fn of_elements(
        &mut self,
        scalars: &[(ExprId, ExprId)],
        elements: &[ExprId],
        facts: &[ExprId],
    ) -> Vec<ExprId> {
        let Some(ghosts) = self.ghosts.as_ref().filter(|_| !elements.is_empty()) else {
            return Vec::new();
        };
        let index = ghosts.index;
        let ahead = self.ahead(scalars, elements);
        let mut facts = facts.to_vec();
        facts.truncate(MOST_FACTS / 2);
        for (i, &x) in elements.iter().enumerate() {
            let width = self.smt.pool.width(x);
            let number = self.smt.pool.resize(index, width, false);
            let zero = self.smt.pool.constant(0, width);
            facts.extend([self.smt.pool.eq(x, number), self.smt.pool.sle(zero, x)]);
            for &y in &elements[..i] {
                if self.smt.pool.width(y) == width {
                    facts.push(self.smt.pool.eq(x, y));
                }
            }
        }
        let mut seen = FxHashSet::default();
        facts.retain(|&fact| self.smt.pool.as_const(fact).is_none() && seen.insert(fact));
        facts.truncate(MOST_FACTS);
        let mut clauses = Vec::new();
        for &ahead in ahead.iter().take(MOST_AHEAD) {
            for &fact in &facts {
                clauses.push(self.smt.pool.or(ahead, fact));
            }
        }
        clauses
    }

    /// Guesses that the loop has not come to the element yet, or has.
    fn ahead(&mut self, scalars: &[(ExprId, ExprId)], elements: &[ExprId]) -> Vec<ExprId> {
        let Some((index, strides)) = self.ghosts.as_ref().map(|g| (g.index, g.strides())) else {
            return Vec::new();
        };
        let mut ahead = Vec::new();
        for &(x, _) in scalars {
            let width = self.smt.pool.width(x);
            if elements.contains(&x) || !(8..=self.pointer_bits).contains(&width) {
                continue;
            }
            let signed = self.as_index(x);
            let plain = self.smt.pool.resize(x, self.pointer_bits, false);
            ahead.extend([self.smt.pool.sle(signed, index), self.smt.pool.slt(index, signed)]);
            ahead.push(self.smt.pool.sle(plain, index));
            if width == self.pointer_bits {
                for &stride in strides.iter().filter(|&&stride| stride > 1) {
                    let stride = self.pointer_const(stride);
                    let place = self.smt.pool.mul(index, stride);
                    ahead.push(self.smt.pool.sle(x, place));
                }
            }
        }
        ahead.sort_unstable();
        ahead.dedup();
        ahead
    }
}
