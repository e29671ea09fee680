//! Checking a proof that somebody else found: given conditions for the heads of loops, do they hold there, and do
//! they make every obligation hold?
//!
//! This is the rule for loops that every textbook has. A path that comes to a head with conditions must satisfy
//! them. Then whatever a turn of the loop changes is forgotten, the conditions are assumed, and all paths of one turn
//! are followed: those that come back must satisfy the conditions again, and nothing that was not forgotten may
//! have changed; those that leave go on. Loops without conditions are followed turn by turn. Every path is
//! followed on its own; nothing is guessed, joined or made general. It knows nothing of how [`super::cover`] finds
//! proofs, so what both say is trusted twice.
//!
//! Invariant: an obligation is called safe only if the solver refuted its violation on every path, all paths were
//! followed to their ends, and all conditions were found to hold each time.

mod condition;
mod evaluate;

use super::ledger::Ledger;
use super::loops::{Body, Loops};
use super::machine::{Machine, Source, Stop};
use super::marks::Marks;
use super::memory::{Instance, Life, Origin};
use super::merge::differences;
use super::paths::is_provable;
use super::scope::{self, Named};
use super::state::State;
use super::step::Flow;
use super::task::{Explored, Task};
use super::value::Value;
use super::verdict::{Proof, Reason, Verdict};
use crate::cancel::Cancel;
use crate::ir::{BlockId, FuncId, InstId};
use crate::rules::Obligation;
use crate::smt::{Answer, ExprId, Limits};
pub use condition::{Condition, read};
use evaluate::View;
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::time::Instant;

/// Conditions for the heads of loops.
pub type Conditions = BTreeMap<(FuncId, BlockId), Vec<Condition>>;

/// Looks at a loop until all that a turn changes is known.
const MOST_LOOKS: u32 = 50;

/// Calls inside each other.
const DEEPEST_CALLS: usize = 200;

/// Decides obligations by the conditions alone.
pub fn check(task: &Task<'_>, conditions: &Conditions) -> Explored {
    let Task { program, obligations, options, budget, cancel, .. } = *task;
    let entry = task.entry.func;
    let marks = Marks::new(program, obligations);
    let in_user_code = |o: &&Obligation| !marks.is_model(program.func_of(o.at));
    let told: Vec<Obligation> = obligations.iter().filter(in_user_code).copied().collect();
    let mut checker = Checker {
        machine: Machine::new(program, Rc::new(marks), options),
        ledger: Ledger::new(told),
        conditions,
        loops: FxHashMap::default(),
        named: FxHashMap::default(),
        failed: BTreeSet::new(),
        deadline: Instant::now() + budget.time,
        cancel,
    };
    let start = checker.machine.start(entry);
    let reason = checker.turn(start, None).err();
    let failed = checker.failed;
    let verdict = |(index, obligation): (usize, Obligation)| {
        let verdict = match &reason {
            Some(reason) => Verdict::Unknown(reason.clone()),
            None if failed.contains(&index) || !is_provable(obligation.demand) => {
                Verdict::Unknown(unproved("it does not follow from the conditions given"))
            }
            None => Verdict::Safe(Proof::Inductive),
        };
        (obligation, verdict)
    };
    let verdicts = checker.ledger.into_obligations().into_iter().enumerate().map(verdict).collect();
    Explored::of(verdicts, reason.is_none())
}

fn unproved(what: &str) -> Reason {
    Reason::Unproved { what: what.to_owned() }
}

fn refused<T>(what: &str) -> Result<T, Reason> {
    Err(unproved(what))
}

struct Checker<'c> {
    machine: Machine<'c>,
    ledger: Ledger,
    conditions: &'c Conditions,
    loops: FxHashMap<FuncId, Rc<Loops>>,
    named: FxHashMap<(FuncId, BlockId), Rc<Vec<Named>>>,
    failed: BTreeSet<usize>,
    deadline: Instant,
    cancel: &'c Cancel,
}

/// A loop under way: its blocks, and how many calls are running in it.
struct Region {
    body: Rc<Body>,
    frames: usize,
}

/// Where the paths of one turn ended.
#[derive(Default)]
struct Ends {
    back: Vec<State>,
    out: Vec<State>,
}

/// Bytes of an object that a loop changes: the offset and how many.
type Spot = (Instance, u64, u32);

impl Checker<'_> {
    /// Follows all paths from a state until they end or, in a region, come back to its head or leave it.
    fn turn(&mut self, start: State, region: Option<&Region>) -> Result<Ends, Reason> {
        let mut ends = Ends::default();
        let mut waiting = vec![start];
        while let Some(state) = waiting.pop() {
            for state in self.follow(state)? {
                let here = state.top().map(|frame| (state.frames.len(), frame.block));
                match (region, here) {
                    (Some(region), Some((depth, block))) if depth == region.frames => {
                        if block == region.body.head && self.is_at_start(&state) {
                            ends.back.push(state);
                        } else if region.body.contains(block) {
                            self.go_on(state, &mut waiting)?;
                        } else {
                            ends.out.push(state);
                        }
                    }
                    (Some(region), _) if state.frames.len() < region.frames => ends.out.push(state),
                    _ => self.go_on(state, &mut waiting)?,
                }
            }
        }
        Ok(ends)
    }

    /// A state that has come to a block: through the loop that begins there, or to those that wait.
    fn go_on(&mut self, state: State, waiting: &mut Vec<State>) -> Result<(), Reason> {
        if let Some(frame) = state.top()
            && self.conditions.contains_key(&(frame.func, frame.block))
            && self.is_at_start(&state)
            && let Some(body) = self.loops(frame.func).body(frame.block).cloned()
        {
            let region = Region { body, frames: state.frames.len() };
            for state in self.through(&state, &region)? {
                self.go_on(state, waiting)?;
            }
        } else {
            waiting.push(state);
        }
        Ok(())
    }

    /// Everything that leaves the loop that the state stands at the head of.
    fn through(&mut self, state: &State, region: &Region) -> Result<Vec<State>, Reason> {
        self.demand_conditions(state, "a condition does not hold where its loop is entered")?;
        let mut spots: BTreeSet<Spot> = BTreeSet::new();
        for _ in 0..MOST_LOOKS {
            let cut = self.cut(state, region, &spots)?;
            let failed = self.failed.clone();
            let ends = self.turn(cut.clone(), Some(region))?;
            let known = spots.clone();
            for back in &ends.back {
                self.changes(&cut, back, &mut spots)?;
            }
            if spots != known {
                self.failed = failed;
                continue;
            }
            for back in &ends.back {
                self.demand_conditions(back, "a condition does not hold after a turn")?;
            }
            return Ok(ends.out);
        }
        refused("a loop that changes memory in too many ways")
    }

    /// The state at a head with what a turn changes forgotten, and the conditions assumed.
    fn cut(
        &mut self,
        state: &State,
        region: &Region,
        spots: &BTreeSet<Spot>,
    ) -> Result<State, Reason> {
        let mut cut = state.clone();
        let program = self.machine.program;
        for phi in program.phis(region.body.head) {
            let old = state.top().and_then(|frame| frame.values.get(&phi)?.bits());
            let Some(old) = old else { return refused("a value that is no number") };
            if !self.machine.is_pointer_type(program.values[phi].ty) {
                let bits = self.machine.smt.pool.width(old);
                let any = self.machine.fresh(&mut cut, bits, Source::Widened);
                cut.set(phi, Value::Bits(any));
            }
        }
        for &(instance, offset, bytes) in spots {
            let any = self.machine.fresh(&mut cut, bytes * 8, Source::Widened);
            self.machine.write(&mut cut, instance, offset, u64::from(bytes), any);
        }
        for condition in self.truths(&cut)? {
            cut.assumed.push_back(condition);
        }
        cut.memory.forget_reads();
        cut.choices += 1;
        cut.doubt("a loop that was cut");
        Ok(cut)
    }

    /// Adds what a turn has changed; refuses what cannot be forgotten.
    fn changes(
        &mut self,
        cut: &State,
        back: &State,
        spots: &mut BTreeSet<Spot>,
    ) -> Result<(), Reason> {
        let same_frames = cut.frames.iter().zip(&back.frames).all(|(a, b)| {
            (a.func, a.call) == (b.func, b.call) && a.locals == b.locals && a.varargs == b.varargs
        });
        if !same_frames || cut.pending != back.pending || cut.closing != back.closing {
            return refused("a loop that makes variables anew");
        }
        let program = self.machine.program;
        for phi in cut.top().into_iter().flat_map(|frame| program.phis(frame.block)) {
            let value = |state: &State| state.top().and_then(|f| f.values.get(&phi)?.bits());
            let is_pointer = self.machine.is_pointer_type(program.values[phi].ty);
            let speaks = value(back).is_none_or(|v| self.machine.speaks_of_addresses(v));
            if (is_pointer || speaks) && value(cut) != value(back) {
                return refused("a pointer that a loop changes");
            }
        }
        let known = cut.memory.len() as u32;
        for number in known..back.memory.len() as u32 {
            let made = back.memory.get(Instance(number));
            if made.is_some_and(|o| o.life == Life::Live && matches!(o.origin, Origin::Heap(_))) {
                return refused("memory allocated in a loop");
            }
        }
        for instance in (0..known).map(Instance) {
            let (Some(a), Some(b)) = (cut.memory.get(instance), back.memory.get(instance)) else {
                return refused("an object that is gone");
            };
            if (a.life, a.size, a.background) != (b.life, b.size, b.background) {
                return refused("an object whose life a loop changes");
            }
            for (offset, bytes) in differences(a, b) {
                let mut copy = back.clone();
                let value = self.machine.read(&mut copy, instance, offset, u64::from(bytes), false);
                let is_number = value.is_ok_and(|v| !self.machine.speaks_of_addresses(v));
                if !is_number || bytes > 16 {
                    return refused("a pointer that a loop changes");
                }
                if !spots.contains(&(instance, offset, bytes)) {
                    let end = offset + u64::from(bytes);
                    spots.retain(|&(i, o, b)| {
                        i != instance || o + u64::from(b) <= offset || end <= o
                    });
                    spots.insert((instance, offset, bytes));
                }
            }
        }
        Ok(())
    }

    /// What the conditions of the head say of a state that stands there.
    fn truths(&mut self, state: &State) -> Result<Vec<ExprId>, Reason> {
        let Some(place) = state.top().map(|frame| (frame.func, frame.block)) else {
            return Ok(Vec::new());
        };
        let named = self.named(place);
        let conditions = self.conditions;
        let mut truths = Vec::new();
        for condition in conditions.get(&place).into_iter().flatten() {
            let mut view = View { machine: &mut self.machine, state: state.clone(), named: &named };
            let truth = view.truth(condition);
            // A value that nobody has set is another one each time it is asked for.
            match truth.filter(|_| view.state.fresh == state.fresh) {
                Some(truth) => truths.push(truth),
                None => return refused(&format!("what is said there is not known: {condition}")),
            }
        }
        Ok(truths)
    }

    fn demand_conditions(&mut self, state: &State, what: &str) -> Result<(), Reason> {
        let place = state.top().map(|frame| (frame.func, frame.block));
        let conditions = self.conditions;
        let all = place.and_then(|place| conditions.get(&place)).into_iter().flatten();
        for (truth, condition) in self.truths(state)?.into_iter().zip(all) {
            let not = self.machine.smt.pool.not(truth);
            match self.ask(state, not)? {
                Answer::Unsat(_) => {}
                Answer::Sat(_) => return refused(&format!("{what}: {condition}")),
                Answer::Unknown(why) => return Err(Reason::Solver { why }),
            }
        }
        Ok(())
    }

    fn is_refuted(&mut self, state: &State, violation: ExprId) -> Result<bool, Reason> {
        match self.machine.smt.pool.as_const(violation) {
            Some(value) => Ok(value == 0),
            None => Ok(matches!(self.ask(state, violation)?, Answer::Unsat(_))),
        }
    }

    fn ask(&mut self, state: &State, condition: ExprId) -> Result<Answer, Reason> {
        if self.is_over() {
            return Err(Reason::Time);
        }
        if self.machine.speaks_of_addresses(condition) {
            return Ok(Answer::Unknown("where objects lie in memory".to_owned()));
        }
        let mut question = state.conditions();
        question.push(condition);
        Ok(self.machine.smt.check(&question, &Limits::default()))
    }

    fn is_over(&self) -> bool {
        Instant::now() >= self.deadline || self.cancel.is_wished()
    }

    fn loops(&mut self, func: FuncId) -> Rc<Loops> {
        let program = self.machine.program;
        Rc::clone(self.loops.entry(func).or_insert_with(|| Rc::new(Loops::new(program, func))))
    }

    fn named(&mut self, (func, head): (FuncId, BlockId)) -> Rc<Vec<Named>> {
        let loops = self.loops(func);
        let program = self.machine.program;
        let new = || {
            let body = loops.body(head);
            Rc::new(body.map_or_else(Vec::new, |b| scope::at_head(program, &loops, func, b)))
        };
        Rc::clone(self.named.entry((func, head)).or_insert_with(new))
    }

    fn is_at_start(&mut self, state: &State) -> bool {
        let program = self.machine.program;
        state.top().is_some_and(|frame| self.loops(frame.func).is_at_start(program, frame))
    }

    /// Follows one path to the next block, or to the next blocks; none if it ends.
    fn follow(&mut self, state: State) -> Result<Vec<State>, Reason> {
        let mut landed = Vec::new();
        let mut apart = vec![state];
        while let Some(mut state) = apart.pop() {
            if self.is_over() {
                return Err(Reason::Time);
            }
            if state.frames.len() > DEEPEST_CALLS {
                return Err(Reason::Depth { limit: DEEPEST_CALLS as u32 });
            }
            match self.advance(&mut state) {
                Ok(Going::On) => apart.push(state),
                Ok(Going::Apart(states)) => apart.extend(states),
                Ok(Going::Landed(states)) => landed.extend(states),
                Err(Halt::Stop(Stop::End | Stop::Exit)) => {}
                Err(Halt::Stop(Stop::Gap(what))) => {
                    let at = state.top().map(|frame| frame.at);
                    return Err(Reason::Unsupported { what, at });
                }
                Err(Halt::Stop(Stop::Split(..))) => return refused("a value that is one of many"),
                Err(Halt::Reason(reason)) => return Err(reason),
            }
        }
        Ok(landed)
    }

    /// One instruction.
    fn advance(&mut self, state: &mut State) -> Result<Going, Halt> {
        let Some(at) = state.top().map(|frame| frame.at) else {
            let Some(func) = state.next_function() else { return Ok(Going::Landed(Vec::new())) };
            self.machine.enter_first(state, func)?;
            return Ok(Going::Landed(vec![state.clone()]));
        };
        self.judge(state, at)?;
        let flow = match self.machine.step(state, at) {
            Err(Stop::Split(value, ways)) => {
                let apart = self.each(state, ways, |_, state, to| {
                    state.set(value, Value::Bits(to));
                    Ok(())
                })?;
                return Ok(Going::Apart(apart));
            }
            other => other?,
        };
        match flow {
            Flow::Stay => Ok(Going::On),
            Flow::Next => {
                self.machine.advance(state)?;
                Ok(Going::On)
            }
            Flow::Return(value) => {
                self.machine.leave(state, value)?;
                Ok(Going::Landed(vec![state.clone()]))
            }
            Flow::Blocks(ways) => {
                self.each(state, ways, |m, s, to| m.jump(s, to)).map(Going::Landed)
            }
            Flow::Call(ways) => {
                self.each(state, ways, |m, s, to| m.enter(s, at, to)).map(Going::Landed)
            }
            Flow::Outcomes(ways) => {
                self.each(state, ways, |m, s, to| m.finish(s, at, to)).map(Going::Landed)
            }
        }
    }

    /// A state for each way that the solver does not exclude.
    fn each<T: Copy>(
        &mut self,
        state: &State,
        ways: Vec<(ExprId, T)>,
        go: impl Fn(&mut Machine<'_>, &mut State, T) -> Result<(), Stop>,
    ) -> Result<Vec<State>, Halt> {
        let mut states = Vec::new();
        let is_choice = ways.len() > 1;
        for (condition, to) in ways {
            if is_choice && self.is_refuted(state, condition).map_err(Halt::Reason)? {
                continue;
            }
            let mut other = state.clone();
            other.choices += u32::from(is_choice);
            let gone = self.machine.assume(&mut other, condition);
            match gone.and_then(|()| go(&mut self.machine, &mut other, to)) {
                Ok(()) => states.push(other),
                Err(Stop::End | Stop::Exit) => {}
                Err(stop) => return Err(Halt::Stop(stop)),
            }
        }
        Ok(states)
    }

    /// Looks at the obligations of `at`; the execution goes on only where they hold.
    fn judge(&mut self, state: &mut State, at: InstId) -> Result<(), Halt> {
        for number in 0..self.machine.marks.at(at).len() {
            let mark = self.machine.marks.at(at)[number];
            let site = self.machine.site(state, at);
            let index = self.ledger.index(mark, site);
            if !is_provable(mark.demand) {
                self.failed.insert(index);
                continue;
            }
            let violation = self.machine.violation(state, mark.demand)?;
            if !self.is_refuted(state, violation).map_err(Halt::Reason)? {
                self.failed.insert(index);
            }
            if !mark.demand.is_debatable() {
                self.machine.go_on_where_met(state, violation)?;
            }
        }
        Ok(())
    }
}

/// What became of a path after an instruction.
enum Going {
    On,
    /// It has come to other blocks, or to none.
    Landed(Vec<State>),
    /// These go on in its place from the same instruction.
    Apart(Vec<State>),
}

/// Why a path is not followed further.
enum Halt {
    Stop(Stop),
    Reason(Reason),
}

impl From<Stop> for Halt {
    fn from(stop: Stop) -> Halt {
        Halt::Stop(stop)
    }
}
