//! How summaries of recursive functions are found: the body is looked at again and again, what calls inside it need is made
//! general, and what does not hold of them falls, until nothing changes. [`super::summary`] says why what is left holds.

use super::contract::Kinds;
use super::cover::{Bound, Fail, Prover, Tried};
use super::generalise::Seen;
use super::invariant::Arrival;
use super::machine::Machine;
use super::memory::{Instance, Life};
use super::merge::differences;
use super::state::State;
use super::summary::Summary;
use super::value::Value;
use super::wide::{Spot, Wide};
use super::widen::{Binding, Head, Misfit, get, shape};
use crate::ir::{Callee, FuncId, Inst, InstId, Type};
use crate::smt::{ExprId, Op, VarId};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// Looks at a body until nothing falls any more.
const MOST_LOOKS: u32 = 40;

/// Looks before candidates are no longer added, but only dropped.
const MOST_GUESSING: u32 = 10;

/// Calls with known arguments that are tried before.
const MOST_TESTS: u32 = 48;

/// Places in memory of which sums are guessed.
const MOST_BALANCED: usize = 10;

/// Ways that are told apart where they have met.
const MOST_WAYS: usize = 8;

/// Wider results are not followed.
const WIDEST: u32 = 64;

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
        let (mut seen_before, mut seen_after): (FxHashSet<ExprId>, FxHashSet<ExprId>) =
            Default::default();
        let mut new_before = self.at_the_start(&summary);
        let mut new_after = self.promises(func, &summary);
        let mut is_new = true;
        for look in 0..MOST_LOOKS {
            let effort = self.effort();
            new_before.retain(|&fact| seen_before.insert(fact));
            new_after.retain(|&fact| seen_after.insert(fact));
            let entry =
                Arrival { holds: holds.clone(), binding: summary.head.at_entry(self.machine) };
            self.machine.keep(&mut new_before, std::slice::from_ref(&entry), false, &effort);
            if std::env::var("DBG2").is_ok() { for (n, l) in [("NB", &new_before), ("NA", &new_after), ("B", &summary.before), ("A", &summary.after)] { for &e in l { eprintln!("  {n} {}", show(&self.machine.smt.pool, e)); } } }
            let is_same = !is_new && new_before.is_empty() && new_after.is_empty();
            if is_same && !summary.is_bottom {
                return Ok((summary, entry.binding));
            }
            summary.before.append(&mut new_before);
            summary.after.append(&mut new_after);
            if only_computes && look == 0 {
                self.test(at, func, &mut summary);
            }
            summary.general = summary.head.general(self.machine, &summary.before);
            if std::env::var("DBG").is_ok() { eprintln!("look {look} func {} before {} after {} left {} spots {} time left {:?}", func.as_u32(), summary.before.len(), summary.after.len(), summary.left.len(), summary.head.spots.len(), self.question.deadline.left()); }

            let before = self.before();
            let outside = std::mem::take(&mut self.failed);
            let loses_outside = std::mem::take(&mut self.loses);
            self.summaries.calls.clear();
            self.summaries.guesses.insert(func, Rc::new(summary.clone()));
            let suspects = self.suspects.len();
            let ends = self.body(summary.general.clone())?;
            let widened = self.summaries.guesses.get(&func).filter(|guess| guess.is_widened);
            let mut is_widened = widened.is_some();
            if let Some(widened) = widened {
                summary.head = widened.head.clone();
            }
            let inner = std::mem::take(&mut self.summaries.calls);
            let (own, others): (Vec<_>, Vec<_>) =
                inner.into_iter().partition(|(callee, _)| *callee == func);
            let own: Vec<Arrival> = own.into_iter().map(|(_, arrival)| arrival).collect();
            let mut arrivals = Vec::new();
            for end in &ends {
                match self.left(&mut summary, end, at) {
                    Ok(binding) => arrivals.push(Arrival { holds: end.conditions(), binding }),
                    Err(Misfit::Widened) => is_widened = true,
                    Err(Misfit::Shape(_)) => return Err(Fail::Beyond),
                }
            }
            if self.is_over() {
                return Err(Fail::Time);
            }
            if is_widened {
                is_new = true;
                summary.is_bottom = true;
                // What spoke of variables that are gone says nothing any more.
                (summary.before, summary.after) = Default::default();
                (seen_before, seen_after) = Default::default();
                new_before = self.at_the_start(&summary);
                new_after = self.promises(func, &summary);
                self.go_back(before);
                continue;
            }
            let effort = self.effort();
            let count = (summary.before.len(), summary.after.len());
            self.machine.keep(&mut summary.before, &own, false, &effort);
            self.machine.keep(&mut summary.after, &arrivals, false, &effort);
            is_new = count != (summary.before.len(), summary.after.len()) || summary.is_bottom;
            let was_bottom = std::mem::take(&mut summary.is_bottom);
            if !only_computes && look < MOST_GUESSING {
                let conditions = self.suspects[suspects..].to_vec();
                new_before = self.seen_at_calls(&summary, conditions, &own);
                new_after = self.seen_at_ends(&summary, (&ends, &arrivals), was_bottom);
                let is_known = |fact: &ExprId| seen_before.contains(fact);
                let is_told = |fact: &ExprId| seen_after.contains(fact);
                is_new |= !new_before.iter().all(is_known) || !new_after.iter().all(is_told);
            }
            if is_new {
                self.go_back(before);
                continue;
            }
            self.summaries.calls = others;
            summary.failed = self.failed.clone();
            self.failed.extend(outside);
            summary.loses = self.loses;
            self.loses |= loses_outside;
        }
        Err(Fail::Beyond)
    }

    /// Any numbers, any result.
    fn guess(&mut self, base: State, func: FuncId, only_computes: bool) -> Tried<Summary> {
        let program = self.machine.program;
        let mut head = Head::of_call(self.machine, func, base);
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

    /// What might hold before: all that does of the first call.
    fn at_the_start(&mut self, summary: &Summary) -> Vec<ExprId> {
        let scalars = summary.head.scalars(self.machine);
        self.machine.templates(&scalars, &self.constants)
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

    /// What might hold after a call of what it returns and leaves.
    fn promises(&mut self, func: FuncId, summary: &Summary) -> Vec<ExprId> {
        let program = self.machine.program;
        let number = |param| summary.head.spots.get(&Spot::Value(param))?.number();
        let params: Vec<Option<ExprId>> = program.funcs[func].params.iter().map(number).collect();
        let scalars = summary.head.scalars(self.machine);
        let given: Vec<ExprId> = scalars.iter().map(|&(x, _)| x).collect();
        let kinds = if self.summaries.is_thorough { Kinds::All } else { Kinds::Equal };
        let mut found = Vec::new();
        for target in targets(summary) {
            let from = (&params[..], &given[..]);
            found.extend(self.machine.contracts(func, from, target, &self.constants, kinds));
        }
        if !summary.only_computes {
            let pairs = self.pairs(summary);
            found.extend(self.machine.templates(&pairs, &self.constants));
        }
        found
    }

    /// The places that calls change and that may be any number, after and before.
    fn pairs(&mut self, summary: &Summary) -> Vec<(ExprId, ExprId)> {
        let mut general = summary.general.clone();
        let mut pairs = Vec::new();
        for (&spot, wide) in &summary.left {
            let now = wide.number();
            let then = get(self.machine, &mut general, spot);
            if let (Some(now), Some(then)) = (now, then)
                && !self.machine.speaks_of_addresses(then)
            {
                pairs.push((now, then));
            }
        }
        pairs
    }

    /// What might hold before, from what was seen at calls inside.
    fn seen_at_calls(
        &mut self,
        summary: &Summary,
        conditions: Vec<ExprId>,
        own: &[Arrival],
    ) -> Vec<ExprId> {
        let known = summary.general.assumed.len();
        let mut conditions = conditions;
        conditions.extend(self.hints.iter().copied());
        conditions.extend(own.iter().flat_map(|arrival| arrival.holds.iter().skip(known)));
        conditions.extend(self.machine.choices_in(own));
        let seen = Seen {
            head: &summary.head,
            general: &summary.general,
            conditions: &conditions,
            arrivals: own,
            candidates: &summary.before,
        };
        self.supply(&seen)
    }

    /// What might hold after, from what was seen where the body ended.
    fn seen_at_ends(
        &mut self,
        summary: &Summary,
        (ends, arrivals): (&[State], &[Arrival]),
        was_bottom: bool,
    ) -> Vec<ExprId> {
        let pairs = self.pairs(summary);
        let scalars = summary.head.scalars(self.machine);
        let mut found = Vec::new();
        // What holds before holds after of what was left.
        let mut then_to_now = Binding::default();
        for &(now, then) in &pairs {
            if self.machine.smt.pool.op(then) == Op::Var {
                then_to_now.insert(self.machine.smt.pool.node(then).var(), now);
            }
        }
        let mut memo = FxHashMap::default();
        for &fact in &summary.before {
            found.push(self.machine.smt.pool.substitute_memo(fact, &then_to_now, &mut memo));
        }
        // What was seen on the way to an end, said of what is there then.
        let targets: Vec<ExprId> = targets(summary);
        let all = targets.iter().copied().chain(scalars.iter().map(|&(x, _)| x));
        let vars: FxHashSet<VarId> = all.map(|x| self.machine.smt.pool.node(x).var()).collect();
        let count = summary.head.stable;
        let is_old = |machine: &Machine<'_>, var: VarId| {
            machine.source_of(var).is_some_and(|(number, _)| number < count)
        };
        let known = summary.general.assumed.len();
        // Behind a call inside, what is seen is mostly what was guessed before.
        let of_calls = if was_bottom { ends } else { &[] };
        for (end, arrival) in of_calls.iter().zip(arrivals) {
            let value = |&x: &ExprId| arrival.binding.get(&self.machine.smt.pool.node(x).var());
            let values = targets.iter().filter_map(|x| Some((*x, *value(x)?))).collect();
            let own: Vec<ExprId> = end.assumed.iter().skip(known).copied().collect();
            for (choices, values) in self.machine.apart(values) {
                let is_var = |value: ExprId| self.machine.smt.pool.op(value) == Op::Var;
                let renamed: Binding = values
                    .into_iter()
                    .filter(|&(_, value)| is_var(value))
                    .map(|(target, value)| (self.machine.smt.pool.node(value).var(), target))
                    .collect();
                let mut memo = FxHashMap::default();
                let pool = &mut self.machine.smt.pool;
                let said: Vec<ExprId> = own
                    .iter()
                    .chain(&choices)
                    .map(|&e| pool.substitute_memo(e, &renamed, &mut memo))
                    .collect();
                found.extend(self.machine.compared_in(&said, &vars, is_old));
            }
        }
        found.extend(self.balanced(summary, &pairs, &scalars, arrivals));
        found
    }

    /// Sums of what is given, found, returned and left that are always the same.
    fn balanced(
        &mut self,
        summary: &Summary,
        pairs: &[(ExprId, ExprId)],
        scalars: &[(ExprId, ExprId)],
        arrivals: &[Arrival],
    ) -> Vec<ExprId> {
        let limits = self.limits();
        let result = summary.result.as_ref().and_then(Wide::number);
        let alone = result.into_iter().chain(scalars.iter().map(|&(x, _)| x));
        let mut by_width: BTreeMap<u32, Vec<(ExprId, ExprId)>> = BTreeMap::new();
        for &(now, then) in pairs {
            by_width.entry(self.machine.smt.pool.width(now)).or_default().push((now, then));
        }
        for x in alone {
            let width = self.machine.smt.pool.width(x);
            let zero = self.machine.smt.pool.constant(0, width);
            by_width.entry(width).or_default().push((x, zero));
        }
        let mut found = Vec::new();
        for (width, mut group) in by_width {
            if width < 8 {
                continue;
            }
            group.truncate(MOST_BALANCED);
            let pool = &mut self.machine.smt.pool;
            group.push((pool.constant(1, width), pool.constant(0, width)));
            found.extend(self.machine.balances(&group, arrivals, &limits));
        }
        found
    }
}

impl Machine<'_> {
    /// Values by the ways that have met in them: the choices, and what each is then.
    fn apart(&mut self, values: Vec<(ExprId, ExprId)>) -> Vec<(Vec<ExprId>, Vec<(ExprId, ExprId)>)> {
        let mut apart = Vec::new();
        let mut waiting = vec![(Vec::new(), values)];
        while let Some((choices, values)) = waiting.pop() {
            let is_choice = |&&(_, value): &&(ExprId, ExprId)| self.smt.pool.op(value) == Op::Ite;
            let choice = values.iter().find(is_choice);
            let is_enough = apart.len() + waiting.len() >= MOST_WAYS;
            let Some(&(_, value)) = choice.filter(|_| !is_enough) else {
                apart.push((choices, values));
                continue;
            };
            let cond = self.smt.pool.node(value).child(0);
            for side in [true, false] {
                let answer = self.smt.pool.bool(side);
                let held = if side { cond } else { self.smt.pool.not(cond) };
                let choices: Vec<ExprId> = choices.iter().copied().chain([held]).collect();
                let decided = values
                    .iter()
                    .map(|&(x, value)| (x, self.with_choice(value, cond, answer)))
                    .collect();
                waiting.push((choices, decided));
            }
        }
        apart
    }
}

/// What calls return and leave, where it may be any number.
fn targets(summary: &Summary) -> Vec<ExprId> {
    summary.result.iter().chain(summary.left.values()).filter_map(Wide::number).collect()
}

/// The places in memory that are other ones where the body has ended.
fn changed(general: &State, end: &State) -> Result<Vec<Spot>, Misfit> {
    let is_other = end.exposed != general.exposed
        || end.handled != general.handled
        || end.trusted != general.trusted
        || (&end.pending, &end.closing) != (&general.pending, &general.closing);
    if is_other {
        return shape("what functions that nobody knows may do");
    }
    let mut spots = Vec::new();
    for number in 0..end.memory.len() as u32 {
        let instance = Instance(number);
        let (a, b) = (general.memory.get(instance), end.memory.get(instance));
        let (Some(a), Some(b)) = (a, b) else {
            if b.is_some_and(|object| object.life == Life::Live) {
                return shape("memory that outlives a call");
            }
            continue;
        };
        if std::ptr::eq(a, b) {
            continue;
        }
        if (a.life, a.size, a.background, a.origin) != (b.life, b.size, b.background, b.origin) {
            return shape("objects whose life changes in a call");
        }
        if (a.chain.is_some() || b.chain.is_some()) && a != b {
            return shape("a list that changes in a call");
        }
        let ranges = differences(a, b).into_iter();
        spots.extend(ranges.map(|(offset, bytes)| Spot::Cell(instance, offset, bytes)));
    }
    Ok(spots)
}

/// Arguments to test with: small numbers first, then some around those that programs like.
fn sample(number: u32, at: u32) -> u128 {
    const VALUES: [i128; 16] = [1, 0, 2, 3, 5, 4, 7, -1, 10, -2, 12, 100, 101, 90, -7, 33];
    let spread = number + at * (1 + 3 * (number / 4));
    VALUES[spread as usize % VALUES.len()] as u128
}

fn show(pool: &crate::smt::Pool, e: ExprId) -> String {
    let node = pool.node(e);
    match node.op {
        Op::Const => format!("{}", crate::smt::value::signed(pool.as_const(e).unwrap_or(0), node.width())),
        Op::Var => format!("v{}", node.var().as_u32()),
        _ => format!("({:?} {})", node.op, node.children().map(|c| show(pool, c)).collect::<Vec<_>>().join(" ")),
    }
}
