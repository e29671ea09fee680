//! What recursive functions return, proved by induction over how deep their calls nest: summaries of functions that
//! only compute ([`super::plain`]), found as invariants of loops are, by Houdini over a supply of guesses.
//!
//! Why that is sound. A summary says of a function: given what holds `before`, what holds `after` if it comes back. The
//! body is followed from any arguments with `before`; calls inside it that lead back to it are not entered, but give
//! any number with `after`. (1) `before` holds of the first call. (2) It follows at each call inside. (3) `after`
//! follows wherever the body ends. So by induction it holds of every call that comes back, and the body was looked at
//! for all arguments there are: an obligation in it counts as proved if it was refuted in that last look.

use super::contract::Kinds;
use super::cover::{Bound, Fail, Prover, Tried};
use super::invariant::{Arrival, Effort};
use super::machine::{Source, Step, Stop};
use super::state::State;
use super::value::Value;
use super::widen::Binding;
use crate::ir::{Callee, FuncId, Inst, InstId};
use crate::smt::ExprId;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use std::rc::Rc;

/// Looks at a body until nothing falls any more.
const MOST_LOOKS: u32 = 40;

/// Calls with known arguments that are tried before.
const MOST_TESTS: u32 = 48;

/// What a function is given, what it returns, and what holds of them.
#[derive(Debug, Clone)]
pub(super) struct Summary {
    pub(super) params: Vec<ExprId>,
    pub(super) result: Option<ExprId>,
    before: Vec<ExprId>,
    after: Vec<ExprId>,
    /// Calls are not taken to come back.
    is_bottom: bool,
    /// Obligations in the body that could not be proved.
    failed: BTreeSet<usize>,
    /// Memory may be lost where an execution ends in the body.
    loses: bool,
}

/// The summaries of one round.
#[derive(Debug, Default)]
pub(super) struct Summaries {
    /// Those that are proved.
    known: FxHashMap<FuncId, Vec<Rc<Summary>>>,
    /// Those under way.
    guesses: FxHashMap<FuncId, Rc<Summary>>,
    /// Calls met while a body is followed.
    calls: Vec<(FuncId, Arrival)>,
    /// All that were found, in order.
    found: Vec<(FuncId, Rc<Summary>)>,
    /// Results are also guessed to be larger or smaller than others, which is harder to show than that they are equal.
    is_thorough: bool,
}

impl Summary {
    /// What holds before a call, and what after it.
    pub(super) fn said(&self) -> (&[ExprId], &[ExprId]) {
        (&self.before, &self.after)
    }
}

impl Summaries {
    /// The summaries that hold: those that were proved by themselves, and of functions without such a one the last, which was
    /// proved together with those that it calls.
    pub(super) fn told(&self) -> Vec<(FuncId, Rc<Summary>)> {
        let mut told: Vec<(FuncId, Rc<Summary>)> = Vec::new();
        for (func, summary) in self.found.iter().rev() {
            let known = self.known.get(func);
            let is_proved = known.is_some_and(|all| all.iter().any(|k| Rc::ptr_eq(k, summary)));
            let is_last = known.is_none() && told.iter().all(|(other, _)| other != func);
            if is_proved || is_last {
                told.push((*func, Rc::clone(summary)));
            }
        }
        told.reverse();
        told
    }

    pub(super) fn new(is_thorough: bool) -> Summaries {
        Summaries { is_thorough, ..Summaries::default() }
    }

    pub(super) fn is_used(&self) -> bool {
        !self.known.is_empty() || !self.guesses.is_empty()
    }
}

impl Prover<'_, '_, '_> {
    /// Whether a call is not entered: it is recursive, and what it is given is open.
    pub(super) fn is_summarised(
        &mut self,
        state: &mut State,
        at: InstId,
        func: FuncId,
    ) -> Step<bool> {
        if self.unrolls && !self.summaries.guesses.contains_key(&func) {
            return Ok(false);
        }
        let Some(plain) = self.machine.plain(func) else { return Ok(false) };
        if plain.group.is_empty() || !self.is_direct(at) {
            return Ok(false);
        }
        let args = self.arguments(state, at)?;
        let program = self.machine.program;
        let widths = program.funcs[func]
            .params
            .iter()
            .map(|param| self.machine.scalar_bits(program.values[param].ty));
        let fits = |(arg, width): (&ExprId, Option<u32>)| {
            width == Some(self.machine.smt.pool.width(*arg)) && width.is_some_and(|w| w <= 64)
        };
        let is_open = args.iter().any(|&arg| self.machine.smt.pool.as_const(arg).is_none());
        Ok(is_open && args.len() == widths.len() && args.iter().zip(widths).all(fits))
    }

    fn is_direct(&self, at: InstId) -> bool {
        let inst = &self.machine.program.insts[at].inst;
        matches!(inst, Inst::Call { callee: Callee::Direct(_), .. })
    }

    fn arguments(&mut self, state: &mut State, at: InstId) -> Step<Vec<ExprId>> {
        let Inst::Call { args, .. } = self.machine.program.insts[at].inst else {
            return Err(Stop::End);
        };
        let operands = self.machine.program.operands(args);
        operands.iter().map(|&operand| self.machine.bits(state, operand)).collect()
    }

    /// Goes on behind a call with what is known of its result.
    pub(super) fn pass_call(
        &mut self,
        state: &mut State,
        at: InstId,
        func: FuncId,
    ) -> Tried<Step<()>> {
        // It may never come back.
        self.keeps_at_head(state);
        let args = match self.arguments(state, at) {
            Ok(args) => args,
            Err(stop) => return Ok(Err(stop)),
        };
        let summary = match self.summaries.guesses.get(&func).cloned() {
            Some(guess) => {
                let arrival = arrival(self, state, &guess.params, &args);
                self.summaries.calls.push((func, arrival));
                guess
            }
            None => self.summary(state, at, func, &args)?,
        };
        if summary.is_bottom {
            return Ok(Err(Stop::End));
        }
        Ok(self.assume_after(state, at, &summary, &args))
    }

    fn assume_after(
        &mut self,
        state: &mut State,
        at: InstId,
        summary: &Summary,
        args: &[ExprId],
    ) -> Step<()> {
        let mut binding = bound(self, &summary.params, args);
        let wanted = self.machine.program.insts[at].result.expand();
        if let (Some(result), Some(value)) = (summary.result, wanted) {
            let width = self.machine.smt.pool.width(result);
            let fresh = self.machine.fresh(state, width, Source::Widened);
            binding.insert(self.machine.smt.pool.node(result).var(), fresh);
            state.set(value, Value::Bits(fresh));
        }
        let mut memo = FxHashMap::default();
        for &fact in &summary.after {
            let image = self.machine.smt.pool.substitute_memo(fact, &binding, &mut memo);
            self.machine.assume(state, image)?;
        }
        self.machine.advance(state)
    }

    /// A summary that fits a call, found before or now.
    fn summary(
        &mut self,
        state: &State,
        at: InstId,
        func: FuncId,
        args: &[ExprId],
    ) -> Tried<Rc<Summary>> {
        let known = self.summaries.known.get(&func).cloned().unwrap_or_default();
        let effort = self.effort();
        for summary in known {
            let call = arrival(self, state, &summary.params, args);
            let mut before = summary.before.clone();
            self.machine.keep(&mut before, &[call], false, &effort);
            if before.len() == summary.before.len() {
                self.failed.extend(&summary.failed);
                self.loses |= summary.loses;
                return Ok(summary);
            }
        }
        let mut calls = std::mem::take(&mut self.summaries.calls);
        let summary = Rc::new(self.found_summary(state, at, func, args)?);
        calls.append(&mut self.summaries.calls);
        self.summaries.calls = calls;
        self.summaries.guesses.remove(&func);
        self.summaries.found.push((func, Rc::clone(&summary)));
        if self.summaries.guesses.is_empty() {
            // Otherwise it rests on what is not shown yet.
            self.summaries.known.entry(func).or_default().push(Rc::clone(&summary));
        }
        Ok(summary)
    }

    fn found_summary(
        &mut self,
        state: &State,
        at: InstId,
        func: FuncId,
        args: &[ExprId],
    ) -> Tried<Summary> {
        let mut base = state.clone();
        (base.assumed, base.deferred) = Default::default();
        // Its body stands for many calls.
        base.anchored = u32::MAX;
        let mut summary = self.guess(&mut base, at, func);
        let call = arrival(self, state, &summary.params, args);
        let scalars: Vec<(ExprId, ExprId)> =
            summary.params.iter().copied().zip(args.iter().copied()).collect();
        let constants = self.constants.clone();
        summary.before = self.machine.templates(&scalars, &constants);
        let effort = self.effort();
        self.machine.keep(&mut summary.before, &[call], false, &effort);
        self.test(&base, at, func, &mut summary);
        for _ in 0..MOST_LOOKS {
            let before = self.before();
            let outside = std::mem::take(&mut self.failed);
            let loses_outside = std::mem::take(&mut self.loses);
            self.summaries.calls.clear();
            self.summaries.guesses.insert(func, Rc::new(summary.clone()));
            let ends = self.follow_body(&base, at, func, &summary)?;
            let count = (summary.before.len(), summary.after.len());
            let inner = std::mem::take(&mut self.summaries.calls);
            let (own, others): (Vec<_>, Vec<_>) =
                inner.into_iter().partition(|(callee, _)| *callee == func);
            let own: Vec<Arrival> = own.into_iter().map(|(_, arrival)| arrival).collect();
            let effort = self.effort();
            self.machine.keep(&mut summary.before, &own, false, &effort);
            self.machine.keep(&mut summary.after, &ends, false, &effort);
            let is_same = count == (summary.before.len(), summary.after.len());
            if is_same && !summary.is_bottom {
                self.summaries.calls = others;
                summary.failed = self.failed.clone();
                self.failed.extend(outside);
                summary.loses = self.loses;
                self.loses |= loses_outside;
                return Ok(summary);
            }
            summary.is_bottom = false;
            self.go_back(before);
        }
        Err(Fail::Beyond)
    }

    /// Any arguments, any result, and everything that may hold of them.
    fn guess(&mut self, base: &mut State, at: InstId, func: FuncId) -> Summary {
        let program = self.machine.program;
        let mut params = Vec::new();
        for param in program.funcs[func].params.iter() {
            let width = self.machine.scalar_bits(program.values[param].ty).unwrap_or(1);
            params.push(self.machine.fresh(base, width, Source::Widened));
        }
        let result = program.insts[at].result.expand();
        let width = result.and_then(|value| self.machine.scalar_bits(program.values[value].ty));
        let width = width.filter(|&width| width <= 64);
        let result = width.map(|width| self.machine.fresh(base, width, Source::Widened));
        let after = match result {
            Some(result) => {
                let kinds = if self.summaries.is_thorough { Kinds::All } else { Kinds::Equal };
                self.machine.contracts(func, &params, result, &self.constants, kinds)
            }
            None => Vec::new(),
        };
        Summary {
            params,
            result,
            before: Vec::new(),
            after,
            is_bottom: true,
            failed: BTreeSet::new(),
            loses: false,
        }
    }

    /// Drops what does not hold of some calls with known arguments: that is cheaper to see than to refute.
    fn test(&mut self, base: &State, at: InstId, func: FuncId, summary: &mut Summary) {
        let before = self.before();
        for number in 0..MOST_TESTS {
            let mut binding = Binding::default();
            for (&param, at) in summary.params.iter().zip(0..) {
                let width = self.machine.smt.pool.width(param);
                let value = self.machine.smt.pool.constant(sample(number, at), width);
                binding.insert(self.machine.smt.pool.node(param).var(), value);
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
            let args: Vec<ExprId> =
                summary.params.iter().map(|&param| binding[&pool.node(param).var()]).collect();
            let Ok(ends) = self.returns(base, at, func, &args, &[]) else { continue };
            let [(_, Some(returned))] = ends[..] else { continue };
            let pool = &mut self.machine.smt.pool;
            let Some(result) = summary.result.filter(|_| pool.as_const(returned).is_some()) else {
                continue;
            };
            binding.insert(pool.node(result).var(), returned);
            let mut memo = FxHashMap::default();
            summary.after.retain(|&fact| {
                let image = pool.substitute_memo(fact, &binding, &mut memo);
                pool.as_const(image) != Some(0)
            });
        }
        self.go_back(before);
    }

    /// Follows the body with any arguments of which `before` holds: the ways it comes back.
    fn follow_body(
        &mut self,
        base: &State,
        at: InstId,
        func: FuncId,
        summary: &Summary,
    ) -> Tried<Vec<Arrival>> {
        let returns = self.returns(base, at, func, &summary.params, &summary.before)?;
        let mut arrivals = Vec::new();
        for (end, returned) in returns {
            let mut arrival = arrival(self, &end, &[], &[]);
            if let Some(result) = summary.result {
                let Some(returned) = returned else { return Err(Fail::Beyond) };
                arrival.binding.insert(self.machine.smt.pool.node(result).var(), returned);
            }
            arrivals.push(arrival);
        }
        Ok(arrivals)
    }

    /// The states in which a call comes back, with what it returns.
    fn returns(
        &mut self,
        base: &State,
        at: InstId,
        func: FuncId,
        args: &[ExprId],
        before: &[ExprId],
    ) -> Tried<Vec<(State, Option<ExprId>)>> {
        let program = self.machine.program;
        let mut inside = base.clone();
        if self.machine.enter(&mut inside, at, func).is_err() {
            return Err(Fail::Beyond);
        }
        for (param, &arg) in program.funcs[func].params.iter().zip(args) {
            inside.set(param, Value::Bits(arg));
        }
        for &fact in before {
            if self.machine.assume(&mut inside, fact).is_err() {
                return Ok(Vec::new());
            }
        }
        let frames = inside.frames.len();
        let ends = self.turn(vec![inside], Bound::Call(frames))?;
        let value = program.insts[at].result.expand();
        let with_result = |end: State| {
            let returned = end.top().and_then(|frame| frame.values.get(&value?)?.bits());
            (end, returned)
        };
        Ok(ends.out.into_iter().map(with_result).collect())
    }

    fn effort(&self) -> Effort {
        Effort { limits: self.limits(), deadline: self.question.deadline }
    }
}

/// Arguments to test with: small numbers first, then some around those that programs like.
fn sample(number: u32, at: u32) -> u128 {
    const VALUES: [i128; 16] = [1, 0, 2, 3, 5, 4, 7, -1, 10, -2, 12, 100, 101, 90, -7, 33];
    let spread = number + at * (1 + 3 * (number / 4));
    VALUES[spread as usize % VALUES.len()] as u128
}

/// A call or a return: what holds there, and what the variables are.
fn arrival(prover: &Prover<'_, '_, '_>, state: &State, vars: &[ExprId], to: &[ExprId]) -> Arrival {
    Arrival { holds: state.conditions(), binding: bound(prover, vars, to) }
}

fn bound(prover: &Prover<'_, '_, '_>, vars: &[ExprId], to: &[ExprId]) -> Binding {
    let pool = &prover.machine.smt.pool;
    vars.iter().zip(to).map(|(&var, &to)| (pool.node(var).var(), to)).collect()
}
