//! Many turns of a loop at once: a counter that runs up to a bound is put where it will be.
//!
//! A turn is followed twice along the same way. First with the values that are there: it tells by how much each spot
//! that changes grows. Then with each of these spots as its value plus t times its growth, for an arbitrary t. If
//! the spots are then what turn t + 1 says, nothing else has changed, and the conditions on the way hold for
//! every t below T, the next T turns go that way and do just that: arithmetic is modular on both sides, so
//! overflows are no exception. That demands are met is one of the conditions. Values computed inside a turn are
//! those of an earlier one afterwards, but nobody looks at them before they are computed anew: their definitions do not
//! dominate the head. So a turn never leaves its loop: one that came back to the head by way of a loop around it would
//! have changed that one's counter, too.

use super::loops::{Body, Loops};
use super::machine::{Inputs, Machine};
use super::memory::{Instance, Object};
use super::merge::differences;
use super::state::State;
use super::step::Flow;
use super::wide::Spot;
use super::widen::{get, put};
use crate::ir::{BlockId, FuncId, InstId};
use crate::smt::{Answer, ExprId, Limits, Sort};
use rustc_hash::FxHashMap;

/// Instructions in a turn that is worth it.
const LONGEST: usize = 400;

/// Blocks come to before the first try.
const FIRST: u32 = 64;

/// Fewer turns are sooner followed one by one.
const FEWEST: u64 = 32;

/// What becomes of a state at the head of a loop.
pub(super) enum Leap {
    /// So many turns later, each of so many instructions.
    To { state: Box<State>, turns: u64, length: u64 },
    /// The loop is never left, and nothing is violated in it.
    ForEver,
}

/// When it is tried: after so many blocks, and twice as many each time it fails.
#[derive(Default)]
pub(super) struct Leaps {
    loops: FxHashMap<FuncId, Loops>,
    blocks: u32,
    patience: u32,
}

/// Where a way that a turn took went on.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Taken {
    Block(BlockId),
    Func(FuncId),
}

/// How a turn went: its instructions, and which way each choice went.
#[derive(Default)]
struct Way {
    insts: Vec<InstId>,
    taken: Vec<Taken>,
}

impl Leaps {
    /// Another path begins.
    pub fn start(&mut self) {
        (self.blocks, self.patience) = (0, FIRST);
    }

    /// What becomes of a state that has come to a block, if it is time to try.
    pub fn landed(&mut self, machine: &mut Machine<'_>, state: &State) -> Option<Leap> {
        self.blocks = self.blocks.saturating_add(1);
        if self.blocks < self.patience.max(FIRST) {
            return None;
        }
        let frame = state.top()?;
        let new = || Loops::new(machine.program, frame.func);
        let loops = self.loops.entry(frame.func).or_insert_with(new);
        let body = loops.body(frame.block)?;
        if !loops.is_at_start(machine.program, frame) {
            return None;
        }
        let leap = machine.leap(state, body);
        self.blocks = 0;
        let failed = self.patience.max(FIRST).saturating_mul(2).min(1 << 24);
        self.patience = if leap.is_some() { FIRST } else { failed };
        leap
    }
}

impl Machine<'_> {
    /// The state as many turns later as can be told; it stands at the head of the loop.
    fn leap(&mut self, state: &State, body: &Body) -> Option<Leap> {
        let drawn = self.replay.as_ref().map(|replay| replay.drawn);
        let lives = self.lives().cloned();
        let leap = self.leap_from(state, body);
        let is_counted = self.lives() != lives.as_ref();
        self.live_as_before(lives);
        if let (Some(replay), Some(drawn)) = (self.replay.as_mut(), drawn) {
            replay.drawn = drawn;
        }
        // Scopes that are entered in a turn are counted where a path is gone again.
        leap.filter(|_| !is_counted)
    }

    fn leap_from(&mut self, state: &State, body: &Body) -> Option<Leap> {
        let mut first = state.clone();
        let mut way = Way::default();
        if !self.turn(&mut first, body, &mut way, None)?.is_empty() {
            return None;
        }
        let turn = self.smt.pool.var("turn", Sort::Bits(64));
        let mut general = first.clone();
        let mut spots = Vec::new();
        for spot in self.changed(state, &first)? {
            let (mut before, mut after) = (state.clone(), first.clone());
            let (old, new) = (get(self, &mut before, spot)?, get(self, &mut after, spot)?);
            self.smt.pool.as_const(old)?;
            self.smt.pool.as_const(new)?;
            let width = self.smt.pool.width(new);
            if width > 64 {
                return None;
            }
            let growth = self.smt.pool.sub(new, old);
            let turns = self.smt.pool.resize(turn, width, false);
            let grown = self.smt.pool.mul(turns, growth);
            let now = self.smt.pool.add(new, grown);
            let next = self.smt.pool.add(now, growth);
            put(self, &mut general, spot, now);
            spots.push((spot, new, growth, next));
        }
        let mut second = general.clone();
        let conditions = self.turn(&mut second, body, &mut Way::default(), Some(&way))?;
        for &(spot, _, _, next) in &spots {
            let mut after = second.clone();
            if get(self, &mut after, spot)? != next {
                return None;
            }
            put(self, &mut general, spot, next);
            put(self, &mut second, spot, next);
        }
        if !self.changed(&general, &second)?.is_empty() {
            return None;
        }
        let turns = match self.turns_until_failure(state, &conditions, turn)? {
            0 => return Some(Leap::ForEver),
            turns if turns < FEWEST => return None,
            turns => turns,
        };
        let mut later = first;
        for (spot, new, growth, _) in spots {
            let width = self.smt.pool.width(new);
            let count = self.smt.pool.constant(u128::from(turns), 64);
            let count = self.smt.pool.resize(count, width, false);
            let grown = self.smt.pool.mul(count, growth);
            let value = self.smt.pool.add(new, grown);
            put(self, &mut later, spot, value);
        }
        let length = way.insts.len() as u64;
        Some(Leap::To { state: Box::new(later), turns: turns + 1, length })
    }

    /// Follows one turn from the head, the given way if there is one, and gives what it depends on.
    fn turn(
        &mut self,
        state: &mut State,
        body: &Body,
        way: &mut Way,
        given: Option<&Way>,
    ) -> Option<Vec<ExprId>> {
        let frame = state.top()?;
        let (at_head, depth) = (frame.at, state.frames.len());
        let fresh = state.fresh;
        let mut conditions = Vec::new();
        loop {
            let at = state.top()?.at;
            if way.insts.len() >= LONGEST
                || given.is_some_and(|given| given.insts.get(way.insts.len()) != Some(&at))
            {
                return None;
            }
            way.insts.push(at);
            self.demands(state, at, &mut conditions)?;
            let flow = self.step(state, at).ok()?;
            match flow {
                Flow::Next => self.advance(state).ok()?,
                Flow::Stay | Flow::Outcomes(_) => return None,
                Flow::Return(value) => {
                    self.leave(state, value).ok()?;
                }
                Flow::Blocks(ways) => {
                    let ways = ways.into_iter().map(|(cond, to)| (cond, Taken::Block(to)));
                    let ways: Vec<(ExprId, Taken)> = ways.collect();
                    let Taken::Block(to) = self.taken(&ways, way, given, &mut conditions)? else {
                        return None;
                    };
                    self.jump(state, to).ok()?;
                    let frame = state.top()?;
                    let is_own = state.frames.len() == depth;
                    if is_own && !body.contains(frame.block) {
                        return None;
                    }
                    if is_own && (frame.block, frame.at) == (body.head, at_head) {
                        break;
                    }
                }
                Flow::Call(ways) => {
                    let ways = ways.into_iter().map(|(cond, to)| (cond, Taken::Func(to)));
                    let ways: Vec<(ExprId, Taken)> = ways.collect();
                    let Taken::Func(to) = self.taken(&ways, way, given, &mut conditions)? else {
                        return None;
                    };
                    self.enter(state, at, to).ok()?;
                }
            }
            if state.frames.len() < depth || state.fresh != fresh {
                return None;
            }
        }
        let is_whole = given.is_none_or(|given| given.insts.len() == way.insts.len());
        is_whole.then_some(conditions)
    }

    /// That what is demanded at an instruction is met.
    fn demands(&mut self, state: &mut State, at: InstId, into: &mut Vec<ExprId>) -> Option<()> {
        for number in 0..self.marks.at(at).len() {
            let demand = self.marks.at(at)[number].demand;
            let violation = self.violation(state, demand).ok()?;
            let met = self.smt.pool.not(violation);
            self.condition(met, into)?;
        }
        Some(())
    }

    fn condition(&mut self, holds: ExprId, into: &mut Vec<ExprId>) -> Option<()> {
        match self.smt.pool.as_const(holds) {
            Some(0) => None,
            Some(_) => Some(()),
            None if self.speaks_of_addresses(holds) => None,
            None => {
                into.push(holds);
                Some(())
            }
        }
    }

    /// The way that a turn takes: the one that is left, or the given one under its condition.
    fn taken(
        &mut self,
        ways: &[(ExprId, Taken)],
        way: &mut Way,
        given: Option<&Way>,
        conditions: &mut Vec<ExprId>,
    ) -> Option<Taken> {
        let open = |&&(cond, _): &&(ExprId, Taken)| self.smt.pool.as_const(cond) != Some(0);
        let open: Vec<(ExprId, Taken)> = ways.iter().filter(open).copied().collect();
        let to = match (given, &open[..]) {
            (Some(given), _) => *given.taken.get(way.taken.len())?,
            (None, &[(cond, to)]) if self.smt.pool.as_const(cond).is_some() => to,
            (None, _) => return None,
        };
        let same = open.iter().filter(|(_, other)| *other == to).map(|&(cond, _)| cond);
        let same: Vec<ExprId> = same.collect();
        let holds = self.smt.pool.or_all(&same);
        self.condition(holds, conditions)?;
        way.taken.push(to);
        Some(to)
    }

    /// The spots in which a state differs from another at the same head; nothing if it differs by more than that.
    fn changed(&self, from: &State, to: &State) -> Option<Vec<Spot>> {
        let (a, b) = (from.top()?, to.top()?);
        let is_alike = a.locals == b.locals
            && a.varargs == b.varargs
            && from.memory.len() == to.memory.len()
            && (from.assumed.len(), from.deferred.len()) == (to.assumed.len(), to.deferred.len())
            && (from.choices, from.sampled, from.last_read)
                == (to.choices, to.sampled, to.last_read)
            && (&from.pending, &from.closing) == (&to.pending, &to.closing)
            && (&from.uncertain, &from.trusted) == (&to.uncertain, &to.trusted)
            && (&from.doubt, &from.exposed) == (&to.doubt, &to.exposed);
        if !is_alike {
            return None;
        }
        let mut spots = Vec::new();
        for phi in self.program.phis(a.block) {
            if a.values.get(&phi) != b.values.get(&phi) {
                spots.push(Spot::Value(phi));
            }
        }
        for number in 0..from.memory.len() as u32 {
            let instance = Instance(number);
            let (x, y) = (from.memory.get(instance)?, to.memory.get(instance)?);
            if std::ptr::eq(x, y) {
                continue;
            }
            let rest = |o: &Object| (o.life, o.size, o.background, o.origin, o.chain.is_some());
            if rest(x) != rest(y) || x.chain.is_some() {
                return None;
            }
            let ranges = differences(x, y).into_iter();
            spots.extend(ranges.map(|(offset, bytes)| Spot::Cell(instance, offset, bytes)));
        }
        Some(spots)
    }

    /// How many turns all conditions hold for; zero if they depend on nothing.
    fn turns_until_failure(
        &mut self,
        state: &State,
        conditions: &[ExprId],
        turn: ExprId,
    ) -> Option<u64> {
        let all = self.smt.pool.and_all(conditions);
        if self.smt.pool.as_const(all) == Some(1) {
            return Some(0);
        }
        let fails = self.smt.pool.not(all);
        let mut question = match &self.replay {
            Some(replay) if matches!(replay.inputs, Inputs::Drawn(_)) => Vec::new(),
            _ => state.conditions(),
        };
        question.push(fails);
        let var = self.smt.pool.node(turn).var();
        let limits = Limits { milliseconds: 300, ..Limits::default() };
        // Every turn before `low` goes this way; one at or after it, and not after `high`, does not.
        let (mut low, mut high) = (0u64, u64::MAX >> 2);
        let mut is_failing = false;
        while low < high || !is_failing {
            let middle = if is_failing { low + (high - low) / 2 } else { high };
            let mut asked = question.clone();
            let (from, to) = (u128::from(low), u128::from(middle));
            let (from, to) = (self.smt.pool.constant(from, 64), self.smt.pool.constant(to, 64));
            asked.push(self.smt.pool.ule(from, turn));
            asked.push(self.smt.pool.ule(turn, to));
            match self.smt.check(&asked, &limits) {
                Answer::Sat(model) => {
                    high = (model.bits(var) as u64).clamp(low, middle);
                    is_failing = true;
                }
                Answer::Unsat(_) if is_failing => low = middle + 1,
                Answer::Unsat(_) => return None,
                Answer::Unknown(_) => break,
            }
        }
        Some(low.max(1))
    }
}
