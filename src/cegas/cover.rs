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
use super::fold::Class;
use super::ledger::Ledger;
use super::liveness::Liveness;
use super::loops::{Body, Key, Loops, key};
use super::machine::Machine;
use super::spoken::LoopInvariant;
use super::state::State;
use super::summary::Summaries;
use crate::cancel::Cancel;
use crate::ir::FuncId;
use crate::smt::{ExprId, Limits};
use crate::watch::Deadline;
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// Turns of a loop that are followed one by one while nothing is open in them.
const MOST_TURNS: u32 = 3000;

/// Loops (and calls of functions with loops) inside each other.
const DEEPEST: u32 = 40;

/// What the attempt may look at.
pub(super) struct Question<'q> {
    pub entry: FuncId,
    /// Obligations that need no proof.
    pub settled: &'q [bool],
    pub deadline: Deadline,
    pub cancel: &'q Cancel,
}

impl Question<'_> {
    fn is_over(&self) -> bool {
        self.deadline.is_over() || self.cancel.is_wished()
    }
}

/// What came out of all attempts.
#[derive(Debug, Default)]
pub(super) struct Proved {
    /// The obligations that hold.
    pub proved: BTreeSet<usize>,
    /// Some attempt came to its end, so every call of a model that can be reached was met.
    pub all_met: bool,
    /// What holds at the heads of loops, if it was asked for.
    pub invariants: Vec<LoopInvariant>,
    /// The same as whole states, a text for each attempt that proved something.
    pub written: Vec<String>,
}

/// The obligations that are proved.
pub(super) fn prove(
    machine: &mut Machine<'_>,
    ledger: &mut Ledger,
    question: Question<'_>,
) -> Proved {
    let constants = candidates::constants(machine.program);
    let mut prover = Prover {
        machine,
        ledger,
        question,
        constants,
        loops: FxHashMap::default(),
        liveness: FxHashMap::default(),
        classes: BTreeSet::new(),
        node_guesses: Vec::new(),
        failed: BTreeSet::new(),
        loses: false,
        suspects: Vec::new(),
        refuted: Vec::new(),
        refuted_before: Vec::new(),
        interpolates: false,
        hints: Vec::new(),
        met: Vec::new(),
        joins: Vec::new(),
        keeps_known: false,
        summaries: Summaries::default(),
        recursive: FxHashMap::default(),
        unrolls: false,
        depth: 0,
        may_hurry: false,
        patience: 0,
        hypotheses: 0,
        steps: 0,
    };
    prover.machine.begin_ghosts();
    let proved = prover.rounds();
    prover.machine.ghosts = None;
    proved
}

/// Why an attempt ends.
#[derive(Debug)]
pub(super) enum Fail {
    Time,
    /// It is not a matter of loops as they are understood here.
    Beyond,
}

pub(super) type Tried<T> = Result<T, Fail>;

pub(super) struct Prover<'m, 'p, 'q> {
    pub(super) machine: &'m mut Machine<'p>,
    pub(super) ledger: &'m mut Ledger,
    pub(super) question: Question<'q>,
    pub(super) constants: BTreeMap<u32, Vec<u128>>,
    loops: FxHashMap<FuncId, Rc<Loops>>,
    liveness: FxHashMap<FuncId, Rc<Liveness>>,
    /// What lists there are.
    pub(super) classes: BTreeSet<Class>,
    /// What may hold of nodes of lists.
    pub(super) node_guesses: Vec<ExprId>,
    /// Obligations that could not be proved where they were met.
    pub(super) failed: BTreeSet<usize>,
    /// Their violations, to learn candidates from.
    pub(super) suspects: Vec<ExprId>,
    /// The conditions of the paths to them.
    pub(super) refuted: Vec<Vec<ExprId>>,
    /// Allocated memory may be lost somewhere ([`super::keep`]).
    pub(super) loses: bool,
    /// Violations from earlier rounds.
    pub(super) hints: Vec<ExprId>,
    pub(super) refuted_before: Vec<Vec<ExprId>>,
    /// Candidates are made from them.
    pub(super) interpolates: bool,
    /// The states in which loops were met at their heads.
    pub(super) met: Vec<Met>,
    /// The states in which paths were joined.
    pub(super) joins: Vec<State>,
    /// Nodes of lists of which everything is known are not folded.
    pub(super) keeps_known: bool,
    /// What recursive functions return and leave.
    pub(super) summaries: Summaries,
    /// Whether functions call themselves, as far as it was asked.
    pub(super) recursive: FxHashMap<FuncId, bool>,
    /// Calls of recursive functions are followed all the same.
    pub(super) unrolls: bool,
    pub(super) depth: u32,
    /// The attempt under way may be given less time than there is.
    pub(super) may_hurry: bool,
    /// Turns with open choices that are followed one by one while the loop cannot be left.
    pub(super) patience: u32,
    /// Turns of a loop in which demands are taken to be met before one is judged: the k of k-induction.
    pub(super) hypotheses: u32,
    pub(super) steps: u32,
}

/// How far paths are followed.
#[derive(Clone, Copy)]
pub(super) enum Bound<'r> {
    /// To the end of the program.
    End,
    /// To the head of the loop, or out of it.
    Turn(&'r Region),
    /// Until fewer calls than this are running.
    Call(usize),
}

/// A loop under way: its blocks, and how many calls are running in it.
#[derive(Clone)]
pub(super) struct Region {
    pub(super) body: Rc<Body>,
    frames: usize,
}

/// A state at the head of a loop from which all paths of a turn were followed.
pub(super) struct Met {
    pub(super) body: Rc<Body>,
    pub(super) state: State,
    /// It covers all turns.
    pub(super) is_general: bool,
    /// Turns behind it in which demands are taken to be met before one is judged.
    pub(super) turns: u32,
}

/// How far an attempt was, to go back there.
pub(super) struct Before {
    failed: BTreeSet<usize>,
    loses: bool,
    suspects: usize,
    refuted: usize,
    met: usize,
    joins: usize,
}

/// Where the paths of one turn ended.
#[derive(Default)]
pub(super) struct Ends {
    pub(super) back: Vec<State>,
    pub(super) out: Vec<State>,
}

impl<'p> Prover<'_, 'p, '_> {
    pub(super) fn loops(&mut self, func: FuncId) -> Rc<Loops> {
        let program = self.machine.program;
        Rc::clone(self.loops.entry(func).or_insert_with(|| Rc::new(Loops::new(program, func))))
    }

    pub(super) fn liveness(&mut self, func: FuncId) -> Rc<Liveness> {
        let program = self.machine.program;
        let new = || Rc::new(Liveness::new(program, func));
        Rc::clone(self.liveness.entry(func).or_insert_with(new))
    }

    fn is_at_start(&mut self, state: &State) -> bool {
        let program = self.machine.program;
        state.top().is_some_and(|frame| self.loops(frame.func).is_at_start(program, frame))
    }

    fn key(&mut self, state: &State) -> Key {
        key(state, |func| self.loops(func))
    }

    /// Follows all paths from `start` to their end or the bound.
    pub(super) fn turn(&mut self, start: Vec<State>, bound: Bound<'_>) -> Tried<Ends> {
        let young = self.machine.young;
        if let (Bound::Turn(_), Some(first)) = (bound, start.first()) {
            self.machine.young = first.memory.len() as u32;
        }
        let ends = self.paths_of(start, bound);
        self.machine.young = young;
        ends
    }

    fn paths_of(&mut self, start: Vec<State>, bound: Bound<'_>) -> Tried<Ends> {
        let mut ends = Ends::default();
        let mut waiting: BTreeMap<Key, Vec<State>> = BTreeMap::new();
        for state in start {
            waiting.entry(self.key(&state)).or_default().push(state);
        }
        while let Some((_, states)) = waiting.pop_first() {
            let count = states.len();
            let states = self.merged(states);
            let is_join = states.len() < count && self.machine.options.tells_invariants;
            for state in states {
                if is_join {
                    self.joins.push(state.clone());
                }
                let mut landed = Vec::new();
                self.follow(state, &mut landed)?;
                while let Some(state) = landed.pop() {
                    match bound {
                        Bound::Call(frames) if state.frames.len() < frames => ends.out.push(state),
                        Bound::Turn(region) if state.frames.len() < region.frames => {
                            ends.out.push(state);
                        }
                        Bound::Turn(region) if state.frames.len() == region.frames => {
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
                let question = &self.question;
                self.machine.merge_all(&loops, states, || question.is_over())
            }
            _ => states,
        }
    }

    /// The same of states in a loop, where objects from number `young` on are new.
    pub(super) fn merged_in_loop(&mut self, states: Vec<State>, young: u32) -> Vec<State> {
        let before = std::mem::replace(&mut self.machine.young, young);
        let merged = self.merged(states);
        self.machine.young = before;
        merged
    }

    /// Everything that leaves the loop that `state` stands at the head of.
    fn through(&mut self, mut state: State, region: &Region) -> Tried<Vec<State>> {
        if self.depth >= DEEPEST {
            return Err(Fail::Beyond);
        }
        self.depth += 1;
        let mut patience = self.patience;
        let mut turns = 0;
        let left = loop {
            let before = self.before();
            let ends = self.turn(vec![state.clone()], Bound::Turn(region))?;
            if ends.back.is_empty() {
                self.note_met(region, state, false);
                break ends.out;
            }
            turns += 1;
            let [next] = &ends.back[..] else {
                self.go_back(before);
                break self.covered(state, region)?;
            };
            let is_closed = ends.out.is_empty();
            if is_closed && next.same(&state) {
                self.keeps_at_head(&state);
                self.note_met(region, state, false);
                break Vec::new();
            }
            let is_plain = (next.choices, next.fresh) == (state.choices, state.fresh);
            if is_closed && is_plain && turns < MOST_TURNS {
                self.note_met(region, std::mem::replace(&mut state, next.clone()), false);
            } else if is_closed && patience > 0 && turns < MOST_TURNS {
                patience -= 1;
                self.note_met(region, std::mem::replace(&mut state, next.clone()), false);
            } else {
                self.go_back(before);
                break self.covered(state, region)?;
            }
        };
        self.depth -= 1;
        Ok(left)
    }

    pub(super) fn before(&self) -> Before {
        let (suspects, met) = (self.suspects.len(), self.met.len());
        let (failed, loses, joins) = (self.failed.clone(), self.loses, self.joins.len());
        Before { failed, loses, suspects, refuted: self.refuted.len(), met, joins }
    }

    /// What was seen since counts for nothing.
    pub(super) fn go_back(&mut self, before: Before) {
        self.failed = before.failed;
        self.loses = before.loses;
        self.suspects.truncate(before.suspects);
        self.refuted.truncate(before.refuted);
        self.met.truncate(before.met);
        self.joins.truncate(before.joins);
    }

    /// From this state at the head of a loop, all paths of a turn were followed.
    pub(super) fn note_met(&mut self, region: &Region, state: State, is_general: bool) {
        if self.machine.options.tells_invariants {
            let body = Rc::clone(&region.body);
            self.met.push(Met { body, state, is_general, turns: 0 });
        }
    }

    pub(super) fn limits(&self) -> Limits {
        let left = self.question.deadline.left();
        let milliseconds = u32::try_from(left.as_millis()).unwrap_or(u32::MAX).clamp(1, 1000);
        Limits { work: 3_000_000, milliseconds, ..Limits::default() }
    }

    pub(super) fn is_over(&self) -> bool {
        self.question.is_over()
    }
}
