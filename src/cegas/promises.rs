//! What might hold before and after calls of a recursive function: a supply of guesses for [`super::recursion`], made of
//! what was seen when its body was followed. None of them is believed before it was shown.
//!
//! Sources: what [`super::contract`] says of results, what holds before said of what is left, the conditions on the way to
//! an end, and sums that stay the same.

use super::contract::Kinds;
use super::cover::Prover;
use super::generalise::Seen;
use super::invariant::Arrival;
use super::machine::Machine;
use super::recursion::{Candidates, Looked};
use super::summary::Summary;
use super::wide::{Spot, Wide};
use super::widen::{Binding, get};
use crate::ir::FuncId;
use crate::smt::{ExprId, Op, VarId};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;

/// Places in memory of which sums are guessed.
const MOST_BALANCED: usize = 10;

/// Numbers that are less wide are flags.
const NARROWEST_SUM: u32 = 8;

/// Ways that are told apart where they have met.
const MOST_WAYS: usize = 8;

impl Prover<'_, '_, '_> {
    /// What might hold after a call of what it returns and leaves.
    pub(super) fn promises(&mut self, func: FuncId, summary: &Summary) -> Vec<ExprId> {
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

    /// What might hold, from what was seen when the body was followed.
    pub(super) fn learnt(
        &mut self,
        summary: &Summary,
        looked: &Looked,
        was_bottom: bool,
    ) -> Candidates {
        let before = self.seen_at_calls(summary, looked);
        Candidates { before, after: self.seen_at_ends(summary, looked, was_bottom) }
    }

    /// What might hold before, from what was seen at calls inside.
    fn seen_at_calls(&mut self, summary: &Summary, looked: &Looked) -> Vec<ExprId> {
        let known = summary.general.assumed.len();
        let mut conditions = looked.conditions.clone();
        conditions.extend(self.hints.iter().copied());
        let met = looked.own.iter().flat_map(|arrival| arrival.holds.iter().skip(known));
        conditions.extend(met);
        conditions.extend(self.machine.choices_in(&looked.own));
        let seen = Seen {
            head: &summary.head,
            general: &summary.general,
            conditions: &conditions,
            arrivals: &looked.own,
            candidates: &summary.before,
        };
        self.supply(&seen)
    }

    /// What might hold after, from what was seen where the body ended.
    fn seen_at_ends(
        &mut self,
        summary: &Summary,
        looked: &Looked,
        was_bottom: bool,
    ) -> Vec<ExprId> {
        let pairs = self.pairs(summary);
        let scalars = summary.head.scalars(self.machine);
        let mut found = self.kept_from_before(summary, &pairs);
        // Behind a call inside, what is seen is mostly what was guessed before.
        if was_bottom {
            found.extend(self.seen_on_the_way(summary, &scalars, looked));
        }
        found.extend(self.balanced(summary, &pairs, &scalars, &looked.arrivals));
        found
    }

    /// What holds before, said of what was left.
    fn kept_from_before(&mut self, summary: &Summary, pairs: &[(ExprId, ExprId)]) -> Vec<ExprId> {
        let pool = &mut self.machine.smt.pool;
        let mut then_to_now = Binding::default();
        for &(now, then) in pairs {
            if pool.op(then) == Op::Var {
                then_to_now.insert(pool.node(then).var(), now);
            }
        }
        let mut memo = FxHashMap::default();
        let mut now = |fact: &ExprId| pool.substitute_memo(*fact, &then_to_now, &mut memo);
        summary.before.iter().map(&mut now).collect()
    }

    /// The conditions on the way to an end, said of what is there then.
    fn seen_on_the_way(
        &mut self,
        summary: &Summary,
        scalars: &[(ExprId, ExprId)],
        looked: &Looked,
    ) -> Vec<ExprId> {
        let targets: Vec<ExprId> = targets(summary);
        let all = targets.iter().copied().chain(scalars.iter().map(|&(x, _)| x));
        let vars: FxHashSet<VarId> = all.map(|x| self.machine.smt.pool.node(x).var()).collect();
        let count = summary.head.stable;
        let is_old = |machine: &Machine<'_>, var: VarId| {
            machine.source_of(var).is_some_and(|(number, _)| number < count)
        };
        let known = summary.general.assumed.len();
        let mut found = Vec::new();
        for (end, arrival) in looked.ends.iter().zip(&looked.arrivals) {
            let value = |&x: &ExprId| arrival.binding.get(&self.machine.smt.pool.node(x).var());
            let values = targets.iter().filter_map(|x| Some((*x, *value(x)?))).collect();
            let own: Vec<ExprId> = end.assumed.iter().skip(known).copied().collect();
            // That it comes back may say something of what was there before.
            for &condition in &own {
                let free = self.machine.smt.pool.free_vars(&[condition]);
                if free.iter().all(|&var| is_old(self.machine, var)) {
                    found.push(condition);
                }
            }
            for (choices, values) in self.machine.apart(values) {
                let pool = &mut self.machine.smt.pool;
                let mut renamed = Binding::default();
                for (target, value) in values {
                    if pool.op(value) == Op::Var {
                        renamed.insert(pool.node(value).var(), target);
                    }
                }
                let mut memo = FxHashMap::default();
                let mut said = |e: &ExprId| pool.substitute_memo(*e, &renamed, &mut memo);
                let said: Vec<ExprId> = own.iter().chain(&choices).map(&mut said).collect();
                found.extend(self.machine.compared_in(&said, &vars, is_old));
            }
        }
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
            if width < NARROWEST_SUM {
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

/// What each of some variables is, and under which choices that is so.
type Way = (Vec<ExprId>, Vec<(ExprId, ExprId)>);

impl Machine<'_> {
    /// Values by the ways that have met in them: the choices, and what each is then.
    fn apart(&mut self, values: Vec<(ExprId, ExprId)>) -> Vec<Way> {
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
