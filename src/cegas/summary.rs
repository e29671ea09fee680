//! What recursive functions return and leave in memory, proved by induction over how deep their calls nest. This is how
//! summaries are used; [`super::recursion`] finds them, as invariants of loops are found: by Houdini over a supply of
//! guesses.
//!
//! Why that is sound. A summary has a general state S# of the function's first instruction ([`Head::of_call`]), what holds
//! `before`, which places in memory calls may change (`left`), and what holds `after` a call that comes back. The body
//! is followed from S#; calls inside it that lead back to the function are not entered, but return and leave anything of
//! which `after` holds. (1) S# covers the first call: what can be read is equal or arbitrary, and `before` holds. (2) The
//! same follows at each call inside. (3) Wherever the body ends, memory differs from S# in the places of `left` only, no
//! object has begun or ended that could still be read, and `after` follows. So by induction it holds of every call that comes
//! back, and the body was looked at for every call there is: an obligation in it counts as proved if it was refuted in
//! that last look. What the callers' frames hold cannot be seen from inside a call but by pointers, and (1) takes none to
//! objects that S# does not have. Nor can a call change such objects: they are as they were when it comes back.
//!
//! Functions that only compute ([`super::plain`]) are summarised whatever lies in memory and holds of it.

use super::cover::{Fail, Prover, Tried};
use super::invariant::{Arrival, Effort};
use super::machine::{Machine, Source, Step, Stop};
use super::memory::Background;
use super::state::State;
use super::value::Value;
use super::wide::{Spot, Wide};
use super::widen::{Binding, Head, Misfit, put, shape};
use crate::ir::{Callee, FuncId, Inst, InstId, ValueId};
use crate::smt::{ExprId, Pool, VarId};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// What a function is given, finds, returns and leaves, and what holds of them.
#[derive(Debug, Clone)]
pub(super) struct Summary {
    /// Its variables are what calls are given, and what they find in memory.
    pub(super) head: Head,
    /// The general state, with what holds before.
    pub(super) general: State,
    /// Nothing in memory matters.
    pub(super) only_computes: bool,
    pub(super) before: Vec<ExprId>,
    pub(super) result: Option<Wide>,
    /// The places in memory that calls may change, and what is there then.
    pub(super) left: BTreeMap<Spot, Wide>,
    pub(super) after: Vec<ExprId>,
    /// Calls are not taken to come back.
    pub(super) is_bottom: bool,
    /// A call inside did not fit: the general state was made more general.
    pub(super) is_widened: bool,
    /// Obligations in the body that could not be proved.
    pub(super) failed: BTreeSet<usize>,
    /// Memory may be lost where an execution ends in the body.
    pub(super) loses: bool,
}

/// The summaries of one round.
#[derive(Debug, Default)]
pub(super) struct Summaries {
    /// Those that are proved.
    pub(super) known: FxHashMap<FuncId, Vec<Rc<Summary>>>,
    /// Those under way.
    pub(super) guesses: FxHashMap<FuncId, Rc<Summary>>,
    /// Calls met while a body is followed.
    pub(super) calls: Vec<(FuncId, Arrival)>,
    /// All that were found, in order.
    pub(super) found: Vec<(FuncId, Rc<Summary>)>,
    /// Results are also guessed to be larger or smaller than others, which is harder to show than that they are equal.
    pub(super) is_thorough: bool,
}

impl Summary {
    /// The numbers that it speaks of if it only computes: what calls are given, and what they return.
    pub(super) fn numbers(&self, params: impl Iterator<Item = ValueId>) -> Option<Numbers> {
        let number = |param| self.head.spots.get(&Spot::Value(param))?.number();
        let given = params.map(number).collect::<Option<Vec<ExprId>>>()?;
        let returns = self.result.as_ref().map(Wide::number);
        (self.only_computes && returns != Some(None)).then_some((given, returns.flatten()))
    }

    /// The variables that it speaks of.
    pub(super) fn vars(&self, pool: &Pool) -> FxHashSet<VarId> {
        let before = self.head.spots.values();
        let all = before.chain(&self.result).chain(self.left.values()).flat_map(Wide::vars);
        all.map(|var| pool.node(var).var()).collect()
    }

    /// The state of a call as far as the function can see it, in the place of the general one.
    fn seen(&self, inside: &State) -> Result<State, Misfit> {
        let general = &self.general;
        let (Some(ours), Some(theirs)) = (general.top(), inside.top()) else {
            return shape("a call of nothing");
        };
        let (mut seen, mut frame) = (general.clone(), theirs.clone());
        frame.call = ours.call;
        if !self.only_computes {
            if !inside.is_alike_outside(general) {
                return shape("what functions that nobody knows may do");
            }
            seen.memory = inside.memory.clone();
        }
        seen.last_read = inside.last_read;
        seen.frames.pop_back();
        seen.frames.push_back(frame);
        Ok(seen)
    }

    /// What the variables are in a call that has just begun.
    fn covers(
        &mut self,
        prover: &mut Prover<'_, '_, '_>,
        inside: &State,
    ) -> Result<Binding, Misfit> {
        let seen = self.seen(inside)?;
        self.head.cover(prover.machine, &self.general, &seen)
    }
}

/// What is given, and what is returned.
type Numbers = (Vec<ExprId>, Option<ExprId>);

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
    /// Whether a call is not entered: it is recursive, and what it is given or may find is open.
    pub(super) fn is_summarised(
        &mut self,
        state: &mut State,
        at: InstId,
        func: FuncId,
    ) -> Step<bool> {
        let is_under_way = self.summaries.guesses.contains_key(&func);
        if self.unrolls && !is_under_way {
            return Ok(false);
        }
        let program = self.machine.program;
        let Inst::Call { callee: Callee::Direct(_), args } = program.insts[at].inst else {
            return Ok(false);
        };
        let params = &program.funcs[func].params;
        if params.len() != args.len() {
            return Ok(false);
        }
        let is_plain = match self.machine.plain(func) {
            Some(plain) if plain.group.is_empty() => return Ok(false),
            Some(_) => true,
            None if !self.is_recursive(func) => return Ok(false),
            None => false,
        };
        let mut is_open = false;
        for (&arg, param) in program.operands(args).iter().zip(params.iter()) {
            let Value::Bits(arg) = self.machine.operand(state, arg)? else { return Ok(false) };
            if self.machine.scalar_bits(program.values[param].ty)
                != Some(self.machine.smt.pool.width(arg))
            {
                return Ok(false);
            }
            is_open |= self.machine.is_open_number(arg);
        }
        Ok(is_open || !is_plain && (is_under_way || self.machine.has_open_numbers(state)))
    }

    /// Goes on behind a call with what is known of its result and of memory.
    pub(super) fn pass_call(
        &mut self,
        state: &mut State,
        at: InstId,
        func: FuncId,
    ) -> Tried<Step<()>> {
        // It may never come back.
        self.keeps_at_head(state);
        let mut inside = state.clone();
        if let Err(stop) = self.machine.enter(&mut inside, at, func) {
            return Ok(Err(stop));
        }
        let (summary, binding) = match self.summaries.guesses.get(&func).cloned() {
            Some(mut guess) => match Rc::make_mut(&mut guess).covers(self, &inside) {
                Ok(binding) => {
                    let arrival = Arrival { holds: state.conditions(), binding: binding.clone() };
                    self.summaries.calls.push((func, arrival));
                    (guess, binding)
                }
                Err(Misfit::Widened) => {
                    Rc::make_mut(&mut guess).is_widened = true;
                    self.summaries.guesses.insert(func, guess);
                    return Ok(Err(Stop::End));
                }
                Err(Misfit::Shape(_)) => return Err(Fail::Beyond),
            },
            None => self.summary(inside, at, func)?,
        };
        if summary.is_bottom {
            return Ok(Err(Stop::End));
        }
        Ok(self.assume_after(state, at, &summary, binding))
    }

    fn assume_after(
        &mut self,
        state: &mut State,
        at: InstId,
        summary: &Summary,
        mut binding: Binding,
    ) -> Step<()> {
        for var in summary.result.iter().chain(summary.left.values()).flat_map(Wide::vars) {
            let width = self.machine.smt.pool.width(var);
            let fresh = self.machine.fresh(state, width, Source::Widened);
            binding.insert(self.machine.smt.pool.node(var).var(), fresh);
        }
        let mut memo = FxHashMap::default();
        for (&spot, wide) in &summary.left {
            let value = wide.value(self.machine);
            let value = self.machine.smt.pool.substitute_memo(value, &binding, &mut memo);
            put(self.machine, state, spot, value);
        }
        let wanted = self.machine.program.insts[at].result.expand();
        if let (Some(result), Some(wanted)) = (&summary.result, wanted) {
            let value = result.value(self.machine);
            let value = self.machine.smt.pool.substitute_memo(value, &binding, &mut memo);
            state.set(wanted, Value::Bits(value));
        }
        if !summary.only_computes {
            state.memory.forget_reads();
            state.choices += 1;
            state.doubt("a recursive call that was passed");
            if self.machine.has_ghosts() {
                state.last_read = Some(self.machine.fresh(state, 1, Source::Widened));
            }
        }
        for &fact in &summary.after {
            let image = self.machine.smt.pool.substitute_memo(fact, &binding, &mut memo);
            self.machine.assume(state, image)?;
        }
        self.machine.advance(state)
    }

    /// A summary that fits a call, found before or now, and what its variables are there.
    fn summary(
        &mut self,
        inside: State,
        at: InstId,
        func: FuncId,
    ) -> Tried<(Rc<Summary>, Binding)> {
        let known = self.summaries.known.get(&func).cloned().unwrap_or_default();
        for summary in known {
            if let Some(binding) = self.fitting(&summary, &inside) {
                self.failed.extend(&summary.failed);
                self.loses |= summary.loses;
                return Ok((summary, binding));
            }
        }
        let mut calls = std::mem::take(&mut self.summaries.calls);
        let (summary, binding) = self.found_summary(inside, at, func)?;
        let summary = Rc::new(summary);
        calls.append(&mut self.summaries.calls);
        self.summaries.calls = calls;
        self.summaries.guesses.remove(&func);
        self.summaries.found.push((func, Rc::clone(&summary)));
        if self.summaries.guesses.is_empty() {
            // Otherwise it rests on what is not shown yet.
            self.summaries.known.entry(func).or_default().push(Rc::clone(&summary));
        }
        Ok((summary, binding))
    }

    /// What the variables of a summary are in a call, if it holds there.
    fn fitting(&mut self, summary: &Summary, inside: &State) -> Option<Binding> {
        let holds = inside.conditions();
        if !summary.only_computes {
            // What is lost where the program ends inside depends on who calls.
            if self.machine.marks.kept.is_some() {
                return None;
            }
            let known: FxHashSet<ExprId> = holds.iter().copied().collect();
            if !summary.head.entry.conditions().iter().all(|held| known.contains(held)) {
                return None;
            }
        }
        let binding = summary.clone().covers(self, inside).ok()?;
        let effort = self.effort();
        let mut before = summary.before.clone();
        let call = Arrival { holds, binding };
        self.machine.keep(&mut before, std::slice::from_ref(&call), false, &effort);
        (before.len() == summary.before.len()).then_some(call.binding)
    }

    pub(super) fn effort(&self) -> Effort {
        Effort { limits: self.limits(), deadline: self.question.deadline }
    }
}

impl Machine<'_> {
    pub(super) fn is_open_number(&mut self, value: ExprId) -> bool {
        self.smt.pool.as_const(value).is_none() && self.pointee(value).is_none()
    }

    /// Whether memory holds anything that is not known.
    pub(super) fn has_open_numbers(&mut self, state: &State) -> bool {
        state.memory.objects().any(|object| {
            matches!(object.background, Background::Outside | Background::Given { .. })
                || object.cells.values().any(|cell| self.is_open_number(cell.value))
        })
    }
}
