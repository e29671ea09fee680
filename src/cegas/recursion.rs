//! How summaries of recursive functions are found: the body is looked at again and again, what calls inside it need is made
//! general, and what does not hold of them falls, until nothing changes. [`super::summary`] says why what is left holds.

use super::cover::{Bound, Fail, Prover, Tried};
use super::invariant::Arrival;
use super::machine::Machine;
use super::memory::{Instance, Life};
use super::state::State;
use super::summary::Summary;
use super::value::Value;
use super::wide::{Spot, Wide};
use super::widen::{Binding, Head, Misfit, changed_cells, get, shape};
use crate::ir::{Callee, FuncId, Inst, InstId, Type};
use crate::smt::{ExprId, VarId};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// Looks at a body until nothing falls any more.
const MOST_LOOKS: u32 = 40;

/// Looks before candidates are no longer added, but only dropped.
const MOST_GUESSING: u32 = 10;

/// Calls with known arguments that are tried before.
const MOST_TESTS: u32 = 48;

/// Numbers in memory that may be any from the start.
const MOST_OPEN: usize = 12;

/// Wider results are not followed.
const WIDEST: u32 = 64;

/// What was seen when a body was followed.
pub(super) struct Looked {
    /// The states in which it ended, and what the summary's variables are there.
    pub(super) ends: Vec<State>,
    pub(super) arrivals: Vec<Arrival>,
    /// Calls of the same function inside, and those of others that are under way.
    pub(super) own: Vec<Arrival>,
    others: Vec<(FuncId, Arrival)>,
    /// Violations that could not be refuted.
    pub(super) conditions: Vec<ExprId>,
}

/// What might hold before and after calls.
#[derive(Default)]
pub(super) struct Candidates {
    pub(super) before: Vec<ExprId>,
    pub(super) after: Vec<ExprId>,
}

/// What was a candidate once.
#[derive(Default)]
struct Told {
    before: FxHashSet<ExprId>,
    after: FxHashSet<ExprId>,
}

impl Prover<'_, '_, '_> {
    /// Whether a function calls itself, perhaps through others.
    pub(super) fn is_recursive(&mut self, func: FuncId) -> bool {
        if let Some(&known) = self.recursive.get(&func) {
            return known;
        }
        let program = self.machine.program;
        let mut seen = FxHashSet::default();
        let mut waiting = vec![func];
        let mut found = false;
        while let Some(next) = waiting.pop() {
            let blocks = program.funcs[next].blocks.iter();
            for inst in blocks.flat_map(|block| program.blocks[block].insts.iter()) {
                if let Inst::Call { callee: Callee::Direct(callee), .. } = program.insts[inst].inst
                {
                    found |= callee == func;
                    if seen.insert(callee) {
                        waiting.push(callee);
                    }
                }
            }
        }
        self.recursive.insert(func, found);
        found
    }

    /// A summary of a function that is entered in `base`, and what its variables are there.
    pub(super) fn found_summary(
        &mut self,
        mut base: State,
        at: InstId,
        func: FuncId,
    ) -> Tried<(Summary, Binding)> {
        let only_computes = self.machine.plain(func).is_some();
        let holds = base.conditions();
        if only_computes {
            (base.assumed, base.deferred) = Default::default();
        }
        // Its body stands for many calls.
        base.anchored = u32::MAX;
        let mut summary = self.guess(base, func, only_computes)?;
        let mut told = Told::default();
        self.begin(func, &mut summary, &mut told, &holds);
        if only_computes {
            self.test(at, func, &mut summary);
        }
        for look in 0..MOST_LOOKS {
            summary.general = summary.head.general(self.machine, &summary.before);
            let before = self.before();
            let outside = std::mem::take(&mut self.failed);
            let loses_outside = std::mem::take(&mut self.loses);
            let looked = self.look(at, func, &mut summary)?;
            if self.is_over() {
                return Err(Fail::Time);
            }
            let Some(looked) = looked else {
                // What spoke of variables that are gone says nothing any more.
                (summary.before, summary.after, told) = Default::default();
                summary.is_bottom = true;
                self.go_back(before);
                self.begin(func, &mut summary, &mut told, &holds);
                continue;
            };
            let effort = self.effort();
            let count = (summary.before.len(), summary.after.len());
            self.machine.keep(&mut summary.before, &looked.own, false, &effort);
            self.machine.keep(&mut summary.after, &looked.arrivals, false, &effort);
            let mut is_new = count != (summary.before.len(), summary.after.len());
            let was_bottom = std::mem::take(&mut summary.is_bottom);
            if !only_computes && look < MOST_GUESSING {
                let found = self.learnt(&summary, &looked, was_bottom);
                is_new |= self.offer(&mut summary, found, &mut told, &holds);
            }
            if is_new || was_bottom {
                self.go_back(before);
                continue;
            }
            self.summaries.calls = looked.others;
            summary.failed = self.failed.clone();
            self.failed.extend(outside);
            summary.loses = self.loses;
            self.loses |= loses_outside;
            let binding = summary.head.at_entry(self.machine);
            return Ok((summary, binding));
        }
        Err(Fail::Beyond)
    }

    /// The first candidates.
    fn begin(&mut self, func: FuncId, summary: &mut Summary, told: &mut Told, holds: &[ExprId]) {
        let scalars = summary.head.scalars(self.machine);
        let before = self.machine.templates(&scalars, &self.constants);
        let after = self.promises(func, summary);
        self.offer(summary, Candidates { before, after }, told, holds);
    }

    /// Adds the candidates that are new, and of those for before only what holds of the first call; tells whether there were any.
    fn offer(
        &mut self,
        summary: &mut Summary,
        found: Candidates,
        told: &mut Told,
        holds: &[ExprId],
    ) -> bool {
        let Candidates { mut before, mut after } = found;
        if self.machine.options.tells_invariants {
            // What is written down speaks of calls, not of the one way to the first of them.
            let names: FxHashSet<VarId> = summary.vars(&self.machine.smt.pool);
            let pool = &self.machine.smt.pool;
            let is_general =
                |fact: &ExprId| pool.free_vars(&[*fact]).iter().all(|var| names.contains(var));
            before.retain(is_general);
            after.retain(is_general);
        }
        before.retain(|&fact| told.before.insert(fact));
        after.retain(|&fact| told.after.insert(fact));
        let effort = self.effort();
        let binding = summary.head.at_entry(self.machine);
        let entry = Arrival { holds: holds.to_vec(), binding };
        self.machine.keep(&mut before, std::slice::from_ref(&entry), false, &effort);
        let is_new = !before.is_empty() || !after.is_empty();
        summary.before.append(&mut before);
        summary.after.append(&mut after);
        is_new
    }

    /// Follows the body with the summary as it is; nothing if it had to be made more general.
    fn look(&mut self, at: InstId, func: FuncId, summary: &mut Summary) -> Tried<Option<Looked>> {
        self.summaries.calls.clear();
        self.summaries.guesses.insert(func, Rc::new(summary.clone()));
        let suspects = self.suspects.len();
        let ends = self.body(summary.general.clone())?;
        let widened = self.summaries.guesses.get(&func).filter(|guess| guess.is_widened);
        let mut is_widened = widened.is_some();
        if let Some(widened) = widened {
            summary.head = widened.head.clone();
        }
        let (own, others): (Vec<_>, Vec<_>) =
            std::mem::take(&mut self.summaries.calls).into_iter().partition(|call| call.0 == func);
        let mut arrivals = Vec::new();
        for end in &ends {
            match self.left(summary, end, at) {
                Ok(binding) => arrivals.push(Arrival { holds: end.conditions(), binding }),
                Err(Misfit::Widened) => is_widened = true,
                Err(Misfit::Shape(_)) => return Err(Fail::Beyond),
            }
        }
        let own = own.into_iter().map(|(_, arrival)| arrival).collect();
        let conditions = self.suspects[suspects..].to_vec();
        Ok((!is_widened).then_some(Looked { ends, arrivals, own, others, conditions }))
    }

    /// Any numbers, any result.
    fn guess(&mut self, base: State, func: FuncId, only_computes: bool) -> Tried<Summary> {
        let program = self.machine.program;
        let mut head = Head::of_call(self.machine, func, base);
        if !only_computes && self.machine.options.tells_invariants {
            // What is written down has to speak of every call.
            head.open_memory(self.machine, MOST_OPEN);
        }
        let ty = program.funcs[func].result;
        let result = match self.machine.scalar_bits(ty) {
            _ if program.types.get(ty) == &Type::Void => None,
            Some(_) if self.machine.is_pointer_type(ty) => Some(Wide::nothing()),
            Some(bits) if bits <= WIDEST => {
                Some(Wide::any_number(self.machine, &mut head.entry, bits))
            }
            _ => return Err(Fail::Beyond),
        };
        let general = head.general(self.machine, &[]);
        Ok(Summary {
            head,
            general,
            only_computes,
            before: Vec::new(),
            result,
            left: BTreeMap::new(),
            after: Vec::new(),
            is_bottom: true,
            is_widened: false,
            failed: BTreeSet::new(),
            loses: false,
        })
    }

    /// The states in which a call that begins in `inside` comes back.
    fn body(&mut self, inside: State) -> Tried<Vec<State>> {
        let frames = inside.frames.len();
        Ok(self.turn(vec![inside], Bound::Call(frames))?.out)
    }

    /// Drops what does not hold of some calls with known arguments: that is cheaper to see than to refute.
    fn test(&mut self, at: InstId, func: FuncId, summary: &mut Summary) {
        let params = self.machine.program.funcs[func].params;
        let Some((given, Some(result))) = summary.numbers(params.iter()) else { return };
        let before = self.before();
        for number in 0..MOST_TESTS {
            let mut binding = Binding::default();
            let mut inside = summary.head.entry.clone();
            for ((param, &var), at) in params.iter().zip(&given).zip(0..) {
                let width = self.machine.smt.pool.width(var);
                let value = self.machine.smt.pool.constant(sample(number, at), width);
                binding.insert(self.machine.smt.pool.node(var).var(), value);
                inside.set(param, Value::Bits(value));
            }
            let mut memo = FxHashMap::default();
            let pool = &mut self.machine.smt.pool;
            let mut is_refuted = |fact: ExprId| {
                let image = pool.substitute_memo(fact, &binding, &mut memo);
                pool.as_const(image) == Some(0)
            };
            if summary.before.iter().any(|&fact| is_refuted(fact)) {
                continue;
            }
            let Ok(ends) = self.body(inside) else { continue };
            let [end] = &ends[..] else { continue };
            let Some(returned) = self.returned(end, at) else { continue };
            let pool = &mut self.machine.smt.pool;
            if pool.as_const(returned).is_none() {
                continue;
            }
            binding.insert(pool.node(result).var(), returned);
            let mut memo = FxHashMap::default();
            summary.after.retain(|&fact| {
                let image = pool.substitute_memo(fact, &binding, &mut memo);
                pool.as_const(image) != Some(0)
            });
        }
        self.go_back(before);
    }

    fn returned(&self, end: &State, at: InstId) -> Option<ExprId> {
        let value = self.machine.program.insts[at].result.expand()?;
        end.top()?.values.get(&value)?.bits()
    }

    /// What the result and the places that calls change are where the body ends.
    fn left(&mut self, summary: &mut Summary, end: &State, at: InstId) -> Result<Binding, Misfit> {
        let (mut end, general) = (end.clone(), summary.general.clone());
        let known = summary.head.entry.memory.len() as u32;
        let bounds = (known, summary.head.stable);
        let mut is_widened = false;
        if !summary.only_computes {
            for spot in changed(&general, &end)? {
                if !summary.left.contains_key(&spot) {
                    is_widened = true;
                    summary.left.retain(|other, _| !other.overlaps(spot));
                    summary.left.insert(spot, Wide::nothing());
                }
            }
        }
        let mut binding = Binding::default();
        let mut fit = |machine: &mut Machine<'_>, counter: &mut State, wide: &mut Wide, value| {
            is_widened |= wide.widen(machine, counter, value, bounds)?;
            let Some(bound) = wide.fit(machine, value) else {
                return shape("a pointer that is not understood");
            };
            let var = |(var, value)| (machine.smt.pool.node(var).var(), value);
            binding.extend(bound.into_iter().map(var));
            Ok(())
        };
        if let Some(result) = &mut summary.result {
            let Some(returned) = self.returned(&end, at) else {
                return shape("a result that is no scalar");
            };
            fit(self.machine, &mut summary.head.entry, result, returned)?;
        }
        for (&spot, wide) in &mut summary.left {
            let Some(value) = get(self.machine, &mut end, spot) else {
                return shape("a value that is no scalar");
            };
            fit(self.machine, &mut summary.head.entry, wide, value)?;
        }
        if is_widened { Err(Misfit::Widened) } else { Ok(binding) }
    }
}

/// The places in memory that are other ones where the body has ended.
fn changed(general: &State, end: &State) -> Result<Vec<Spot>, Misfit> {
    if !general.is_alike_outside(end) {
        return shape("what functions that nobody knows may do");
    }
    let known = general.memory.len() as u32;
    for number in known..end.memory.len() as u32 {
        if end.memory.get(Instance(number)).is_some_and(|object| object.life == Life::Live) {
            return shape("memory that outlives a call");
        }
    }
    changed_cells(general, end, known)
}

/// Arguments to test with: small numbers first, then some around those that programs like.
fn sample(number: u32, at: u32) -> u128 {
    const VALUES: [i128; 16] = [1, 0, 2, 3, 5, 4, 7, -1, 10, -2, 12, 100, 101, 90, -7, 33];
    let spread = number + at * (1 + 3 * (number / 4));
    VALUES[spread as usize % VALUES.len()] as u128
}
