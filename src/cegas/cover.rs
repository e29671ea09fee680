//! Proofs for loops whose bounds depend on inputs: every path is followed, paths that meet are joined,
//! and a loop is left behind with a general state that covers all its turns.
//!
//! Why that is sound. A loop is entered at its head with a state S0. S# is S0 with some spots replaced by
//! fresh variables and constrained by candidates ([`super::widen`], [`super::invariant`]). (1) S# covers S0:
//! S0's own values satisfy the candidates. (2) From S# all paths of one turn are followed; each of them ends,
//! leaves the loop, or comes back to the head in the same call. (3) Each state that comes back is an instance
//! of S#: equal where nothing was widened, and the candidates are implied with its values for the variables.
//! By induction over the turns every state at the head is an instance of S#, so what leaves S# in one turn
//! covers all that ever leaves the loop. An obligation counts as proved if it was refuted by the solver
//! wherever it was met in that last look at the turn; earlier looks, under candidates that fell, count for
//! nothing. Whatever cannot be shown (another graph than loops with one entry, objects made turn by turn, a
//! gap, the time) ends the attempt, and nothing is proved. A proof may not speak of violations: all states here
//! are in doubt.

use super::candidates;
use super::loops::{Body, Loops};
use super::machine::{Machine, Stop};
use super::state::State;
use super::step::Flow;
use crate::cancel::Cancel;
use crate::ir::{BlockId, FuncId, InstId};
use crate::rules::Obligation;
use crate::smt::{Answer, ExprId, Limits};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::time::Instant;

/// Turns of a loop that are followed one by one while nothing is open in them.
const MOST_TURNS: u32 = 3000;

/// Loops (and calls of functions with loops) inside each other.
const DEEPEST: u32 = 40;

/// Calls inside each other: recursion is not covered.
const DEEPEST_CALLS: usize = 200;

/// Attempts with what the last one learned.
const MOST_ROUNDS: u32 = 6;

/// What the attempt may look at.
pub(super) struct Question<'q> {
    pub entry: FuncId,
    pub obligations: &'q [Obligation],
    pub by_inst: &'q FxHashMap<InstId, Vec<usize>>,
    /// Those that need no proof.
    pub settled: &'q [bool],
    pub deadline: Instant,
    pub cancel: &'q Cancel,
}

/// The obligations that were proved.
pub(super) fn prove(machine: &mut Machine<'_>, question: Question<'_>) -> BTreeSet<usize> {
    let constants = candidates::constants(machine.program);
    let mut prover = Prover {
        machine,
        question,
        constants,
        loops: FxHashMap::default(),
        failed: BTreeSet::new(),
        suspects: Vec::new(),
        hints: Vec::new(),
        depth: 0,
        patience: 0,
        steps: 0,
    };
    prover.rounds()
}

/// Why an attempt ends.
#[derive(Debug)]
pub(super) enum Fail {
    Time,
    Other(String),
}

pub(super) type Tried<T> = Result<T, Fail>;

pub(super) struct Prover<'m, 'p, 'q> {
    pub(super) machine: &'m mut Machine<'p>,
    pub(super) question: Question<'q>,
    pub(super) constants: BTreeMap<u32, Vec<u128>>,
    loops: FxHashMap<FuncId, Rc<Loops>>,
    /// Obligations that could not be proved where they were met.
    pub(super) failed: BTreeSet<usize>,
    /// Their violations, to learn candidates from.
    pub(super) suspects: Vec<ExprId>,
    /// Violations from earlier rounds.
    pub(super) hints: Vec<ExprId>,
    depth: u32,
    /// Turns with open choices that are followed one by one while the loop cannot be left.
    patience: u32,
    steps: u32,
}

/// A loop under way: its blocks, and how many calls are running in it.
#[derive(Clone)]
pub(super) struct Region {
    pub(super) body: Rc<Body>,
    frames: usize,
}

/// Where the paths of one turn ended.
#[derive(Default)]
pub(super) struct Ends {
    pub(super) back: Vec<State>,
    pub(super) out: Vec<State>,
}

/// Places in the order in which a path meets them, calls inside the place of the call.
type Key = Vec<(u32, u32)>;

impl<'p> Prover<'_, 'p, '_> {
    fn rounds(&mut self) -> BTreeSet<usize> {
        let open = |prover: &Self| {
            (0..prover.question.settled.len()).filter(|&i| !prover.question.settled[i]).collect()
        };
        let mut unproved: BTreeSet<usize> = open(self);
        let all = unproved.clone();
        for round in 0..MOST_ROUNDS {
            self.failed.clear();
            self.suspects.clear();
            self.depth = 0;
            let start = self.machine.start(self.question.entry);
            let result = self.turn(vec![start], None);
            log(|| format!("{:?}", self.machine.smt.stats()));
            log(|| {
                format!(
                    "round {round}: {:?}, failed {:?}",
                    result.as_ref().map(|_| ()),
                    self.failed
                )
            });
            match result {
                Ok(_) => unproved = unproved.intersection(&self.failed).copied().collect(),
                Err(Fail::Time) => break,
                Err(Fail::Other(_)) => {}
            }
            if unproved.is_empty() {
                break;
            }
            let known: FxHashSet<ExprId> = self.hints.iter().copied().collect();
            let new: Vec<ExprId> =
                self.suspects.drain(..).filter(|hint| !known.contains(hint)).collect();
            if new.is_empty() || round % 2 == 1 {
                self.patience = if self.patience == 0 { 8 } else { self.patience * 4 };
            }
            self.hints.extend(new);
        }
        all.difference(&unproved).copied().collect()
    }

    fn loops(&mut self, func: FuncId) -> Rc<Loops> {
        let program = self.machine.program;
        Rc::clone(self.loops.entry(func).or_insert_with(|| Rc::new(Loops::new(program, func))))
    }

    fn is_at_start(&mut self, state: &State) -> bool {
        let program = self.machine.program;
        state.top().is_some_and(|frame| self.loops(frame.func).is_at_start(program, frame))
    }

    fn key(&mut self, state: &State) -> Key {
        let frames = state.frames.iter().map(|frame| (frame.func, frame.block, frame.at));
        let places: Vec<(FuncId, BlockId, InstId)> = frames.collect();
        let place = |(func, block, at): (FuncId, BlockId, InstId)| {
            (self.loops(func).order(block), at.as_u32())
        };
        places.into_iter().map(place).collect()
    }

    /// Follows all paths from `start` until they end or, in a region, come back to its head or leave it.
    pub(super) fn turn(&mut self, start: Vec<State>, region: Option<&Region>) -> Tried<Ends> {
        let mut ends = Ends::default();
        let mut waiting: BTreeMap<Key, Vec<State>> = BTreeMap::new();
        for state in start {
            waiting.entry(self.key(&state)).or_default().push(state);
        }
        while let Some((_, states)) = waiting.pop_first() {
            for state in self.merged(states) {
                let mut landed = Vec::new();
                self.follow(state, &mut landed)?;
                while let Some(state) = landed.pop() {
                    match region {
                        Some(region) if state.frames.len() < region.frames => ends.out.push(state),
                        Some(region) if state.frames.len() == region.frames => {
                            match state.top().map(|frame| frame.block) {
                                Some(block)
                                    if block == region.body.head && self.is_at_start(&state) =>
                                {
                                    ends.back.push(state);
                                }
                                Some(block) if !region.body.contains(block) => ends.out.push(state),
                                _ => self.go_on(state, &mut landed, &mut waiting)?,
                            }
                        }
                        _ => self.go_on(state, &mut landed, &mut waiting)?,
                    }
                }
            }
        }
        ends.back = self.merged(ends.back);
        Ok(ends)
    }

    /// A state that has come to a block: through the loop that begins there, or to those that wait.
    fn go_on(
        &mut self,
        state: State,
        landed: &mut Vec<State>,
        waiting: &mut BTreeMap<Key, Vec<State>>,
    ) -> Tried<()> {
        if let Some(frame) = state.top()
            && self.is_at_start(&state)
            && let Some(body) = self.loops(frame.func).body(frame.block).cloned()
        {
            let region = Region { body, frames: state.frames.len() };
            landed.extend(self.through(state, &region)?);
            return Ok(());
        }
        waiting.entry(self.key(&state)).or_default().push(state);
        Ok(())
    }

    pub(super) fn merged(&mut self, states: Vec<State>) -> Vec<State> {
        let func = states.first().and_then(|state| state.top()).map(|frame| frame.func);
        match func {
            Some(func) if states.len() > 1 => {
                let loops = self.loops(func);
                self.machine.merge_all(&loops, states)
            }
            _ => states,
        }
    }

    /// Everything that leaves the loop that `state` stands at the head of.
    fn through(&mut self, mut state: State, region: &Region) -> Tried<Vec<State>> {
        if self.depth >= DEEPEST {
            return Err(Fail::Other("loops nested too deep".into()));
        }
        self.depth += 1;
        let mut patience = self.patience;
        let mut turns = 0;
        let left = loop {
            let saved = self.failed.clone();
            let suspects = self.suspects.len();
            let ends = self.turn(vec![state.clone()], Some(region))?;
            if ends.back.is_empty() {
                break ends.out;
            }
            turns += 1;
            let [next] = &ends.back[..] else {
                self.forget(saved, suspects);
                break self.covered(state, region)?;
            };
            let is_closed = ends.out.is_empty();
            if is_closed && next.same(&state) {
                break Vec::new();
            }
            let is_plain = (next.choices, next.fresh) == (state.choices, state.fresh);
            if is_closed && is_plain && turns < MOST_TURNS {
                state = next.clone();
            } else if is_closed && patience > 0 && turns < MOST_TURNS {
                patience -= 1;
                state = next.clone();
            } else {
                self.forget(saved, suspects);
                break self.covered(state, region)?;
            }
        };
        self.depth -= 1;
        Ok(left)
    }

    pub(super) fn forget(&mut self, failed: BTreeSet<usize>, suspects: usize) {
        self.failed = failed;
        self.suspects.truncate(suspects);
    }

    pub(super) fn limits(&self) -> Limits {
        let left = self.question.deadline.saturating_duration_since(Instant::now());
        let milliseconds = u32::try_from(left.as_millis()).unwrap_or(u32::MAX).clamp(1, 1000);
        Limits { work: 3_000_000, milliseconds, ..Limits::default() }
    }

    pub(super) fn is_over(&self) -> bool {
        Instant::now() >= self.question.deadline || self.question.cancel.is_wished()
    }

    /// Follows one path to its end or to the next block where it may meet others.
    fn follow(&mut self, mut state: State, landed: &mut Vec<State>) -> Tried<()> {
        if state.frames.len() > DEEPEST_CALLS {
            return Err(Fail::Other("calls nested too deep".into()));
        }
        loop {
            self.steps = self.steps.wrapping_add(1);
            if self.steps.is_multiple_of(16) && self.is_over() {
                return Err(Fail::Time);
            }
            match self.advance(&mut state, landed) {
                Ok(Going::On) => {}
                Ok(Going::Landed) => {
                    landed.push(state);
                    return Ok(());
                }
                Ok(Going::Parted) | Err(Halt::Stop(Stop::End)) => return Ok(()),
                Err(Halt::Stop(Stop::Gap(what))) => return Err(Fail::Other(what)),
                Err(Halt::Fail(fail)) => return Err(fail),
            }
        }
    }

    fn advance(&mut self, state: &mut State, landed: &mut Vec<State>) -> Result<Going, Halt> {
        let Some(at) = state.top().map(|frame| frame.at) else {
            return match state.pending.pop_back() {
                Some(func) => {
                    self.machine.enter_first(state, func)?;
                    Ok(Going::Landed)
                }
                None => Ok(Going::Parted),
            };
        };
        if self.question.by_inst.contains_key(&at) {
            self.judge(state, at)?;
        }
        match self.machine.step(state, at)? {
            Flow::Next => self.machine.advance(state).map(|()| Going::On).map_err(Halt::Stop),
            Flow::Return(value) => {
                self.machine.leave(state, value)?;
                Ok(Going::Landed)
            }
            Flow::Blocks(ways) => {
                let open = self.open(state, ways);
                let from = state.top().map(|frame| (frame.func, frame.block));
                let Some((func, from)) = from else { return Err(Halt::Stop(Stop::End)) };
                let loops = self.loops(func);
                if open.iter().any(|&(_, to)| loops.is_crossed(from, to)) {
                    return Err(Halt::Fail(Fail::Other("a loop with several entries".into())));
                }
                self.part(state, open, landed, |prover, state, to| prover.machine.jump(state, to))
            }
            Flow::Call(ways) => {
                let open = self.open(state, ways);
                self.part(state, open, landed, |prover, state, to| {
                    prover.machine.enter(state, at, to)
                })
            }
        }
    }

    /// The ways that the solver does not exclude.
    fn open<T: Copy>(&mut self, state: &State, ways: Vec<(ExprId, T)>) -> Vec<(ExprId, T)> {
        let is_open = |(cond, _): &(ExprId, T)| match self.machine.smt.pool.as_const(*cond) {
            Some(value) => value != 0,
            None if self.machine.speaks_of_addresses(*cond) => true,
            None => !matches!(self.ask(state, *cond), Answer::Unsat(_)),
        };
        ways.into_iter().filter(is_open).collect()
    }

    fn ask(&mut self, state: &State, cond: ExprId) -> Answer {
        if self.is_over() {
            return Answer::Unknown("time".into());
        }
        let mut conditions: Vec<ExprId> = state.assumed.iter().copied().collect();
        conditions.push(cond);
        let limits = self.limits();
        self.machine.smt.check(&conditions, &limits)
    }

    fn part<T: Copy>(
        &mut self,
        state: &mut State,
        open: Vec<(ExprId, T)>,
        landed: &mut Vec<State>,
        go: impl Fn(&mut Self, &mut State, T) -> Result<(), Stop>,
    ) -> Result<Going, Halt> {
        if let [(cond, to)] = open[..] {
            // It follows from what holds, but candidates that make it follow may fall.
            self.machine.assume(state, cond)?;
            go(self, state, to)?;
            return Ok(Going::Landed);
        }
        if self.is_over() {
            return Err(Halt::Fail(Fail::Time));
        }
        for (cond, to) in open {
            let mut other = state.clone();
            other.choices += 1;
            let gone = self.machine.assume(&mut other, cond);
            match gone.and_then(|()| go(self, &mut other, to)) {
                Ok(()) => landed.push(other),
                Err(Stop::End) => {}
                Err(gap) => return Err(Halt::Stop(gap)),
            }
        }
        Ok(Going::Parted)
    }

    /// Looks at the obligations of `at`; the execution goes on only where they hold.
    fn judge(&mut self, state: &mut State, at: InstId) -> Result<(), Halt> {
        let here = self.question.by_inst.get(&at).cloned().unwrap_or_default();
        for index in here {
            let demand = self.question.obligations[index].demand;
            let violation = self.machine.violation(state, demand)?;
            if self.machine.smt.pool.as_const(violation) == Some(0) {
                continue;
            }
            if !self.question.settled[index] {
                let is_refuted = !self.machine.speaks_of_addresses(violation)
                    && matches!(self.ask(state, violation), Answer::Unsat(_));
                if !is_refuted {
                    self.failed.insert(index);
                    self.suspects.push(violation);
                    self.suspects.extend(state.assumed.iter().copied());
                }
            }
            let holds = self.machine.smt.pool.not(violation);
            self.machine.assume(state, holds)?;
        }
        Ok(())
    }
}

/// What became of a path after an instruction.
enum Going {
    On,
    /// It has come to another block.
    Landed,
    /// Others go on in its place, or it is over.
    Parted,
}

enum Halt {
    Stop(Stop),
    Fail(Fail),
}

impl From<Stop> for Halt {
    fn from(stop: Stop) -> Halt {
        Halt::Stop(stop)
    }
}

pub(super) fn log(text: impl FnOnce() -> String) {
    if std::env::var_os("CEGAS_COVER").is_some() {
        eprintln!("{}", text());
    }
}
