//! Checking a set of written states: is it closed?
//!
//! All paths are followed from the start of the program. Where one comes to a head of a loop for which states are written,
//! and is an instance of one of them ([`super::instance`]), it ends, and all paths from that written state are followed
//! instead, once. Other paths go on as they are. If no path is left, every execution is, at every step, on
//! a path that was followed: by induction over its steps. So what was refuted wherever a path met it
//! holds. Nothing is guessed or made general; what cannot be covered is followed until the time is over.
//!
//! A written state may say that demands are to be judged only behind so many turns (k-induction, see
//! [`crate::cegas::induct`]). Then what comes to it from elsewhere is also followed itself for so many turns, and judged;
//! from the written state so many turns are followed in which demands are taken to be met, each of which must come back
//! to an instance of it, and then one more, which is judged. An execution that comes to a later turn was at the head so
//! many turns before.
//!
//! Calls may be passed by contracts instead ([`super::contracts`]).
//!
//! Where paths are too many to be followed apart, those that stand at one place are joined before they go on
//! ([`crate::cegas::merge`]): the joined state is what either was, so this makes nothing more general. What waits goes on in the order of the
//! program then, so that paths meet.

use super::{Checker, Reason, refused};
use crate::cegas::loops::{Body, Key, key};
use crate::cegas::state::State;
use crate::ir::{BlockId, FuncId};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::rc::Rc;

/// States that were met at one place and are compared with what comes there later.
const MOST_MET: usize = 64;

/// A path that waits, and what is asked of it.
struct Path {
    state: State,
    track: Track,
}

/// The paths that wait.
#[derive(Default)]
struct Waiting {
    apart: Vec<Path>,
    /// Those that are judged and may be joined, by where they stand.
    meeting: BTreeMap<Key, Vec<State>>,
}

/// What a path is followed for.
#[derive(Clone)]
enum Track {
    /// Every demand on it is judged.
    Judged,
    /// The same, until it has come back to the head so many times.
    First { region: Region, left: u32 },
    /// It has come from a written state; demands are judged in the last of its turns.
    Later { region: Region, of: usize, turn: u32, turns: u32 },
    /// The body of a function, whose contract must hold where it ends.
    Body { context: usize, frames: usize },
}

/// A loop under way: its blocks, and how many calls are running in it.
#[derive(Clone)]
struct Region {
    body: Rc<Body>,
    frames: usize,
}

impl Region {
    fn is_at_head(&self, state: &State) -> bool {
        let block = state.top().map(|frame| frame.block);
        state.frames.len() == self.frames && block == Some(self.body.head)
    }

    fn is_left(&self, state: &State) -> bool {
        let is_outside = |block: BlockId| !self.body.contains(block);
        state.frames.len() < self.frames
            || state.frames.len() == self.frames
                && state.top().is_none_or(|frame| is_outside(frame.block))
    }
}

impl Checker<'_> {
    /// Follows every path there is, by what is written.
    pub(super) fn close(&mut self, start: State) -> Result<(), Reason> {
        // What comes back on a path that no execution takes says nothing of other calls.
        self.machine.plains.is_off = true;
        let mut start = start;
        start.assumed.extend(self.machine.ghost_index());
        let mut waiting = Waiting::default();
        waiting.apart.push(Path { state: start, track: Track::Judged });
        let mut met: FxHashMap<(FuncId, BlockId), Vec<State>> = FxHashMap::default();
        let mut begun = vec![false; self.written.len()];
        loop {
            if let Some(path) = waiting.apart.pop() {
                self.walk(path, &mut waiting, &mut met, &mut begun)?;
            } else if let Some((_, states)) = waiting.meeting.pop_first() {
                for state in self.joined(states) {
                    self.arrive(state, Track::Judged, &mut waiting, &mut met, &mut begun)?;
                }
            } else {
                break;
            }
        }
        // An array that was found on the way would have to be followed from the start.
        if self.machine.is_ghost_new() {
            refused("an array of which nothing is said")
        } else {
            Ok(())
        }
    }

    /// Follows one path to where it comes to a block.
    fn walk(
        &mut self,
        Path { state, track }: Path,
        waiting: &mut Waiting,
        met: &mut FxHashMap<(FuncId, BlockId), Vec<State>>,
        begun: &mut [bool],
    ) -> Result<(), Reason> {
        self.judges = match track {
            Track::Judged | Track::First { .. } | Track::Body { .. } => true,
            Track::Later { turn, turns, .. } => turn == turns,
        };
        for state in self.follow(state)? {
            self.land(state, track.clone(), waiting, met, begun)?;
        }
        for (context, state) in std::mem::take(&mut self.bodies) {
            let track = Track::Body { context, frames: state.frames.len() };
            waiting.apart.push(Path { state, track });
        }
        Ok(())
    }

    /// The same paths in as few states as possible.
    fn joined(&mut self, states: Vec<State>) -> Vec<State> {
        let func = states.first().and_then(|state| state.top()).map(|frame| frame.func);
        let Some(func) = func.filter(|_| states.len() > 1) else { return states };
        let loops = self.loops(func);
        let (deadline, cancel) = (self.deadline, self.cancel);
        self.machine.merge_all(&loops, states, || deadline.is_over() || cancel.is_wished())
    }

    /// A path has come to a block.
    fn land(
        &mut self,
        state: State,
        mut track: Track,
        waiting: &mut Waiting,
        met: &mut FxHashMap<(FuncId, BlockId), Vec<State>>,
        begun: &mut [bool],
    ) -> Result<(), Reason> {
        let is_at_start = self.is_at_start(&state);
        match &mut track {
            Track::Judged => {}
            Track::First { region, left } => {
                if region.is_at_head(&state) && is_at_start {
                    *left -= 1;
                    if *left > 0 {
                        waiting.apart.push(Path { state, track });
                    }
                    return Ok(());
                }
                if region.is_left(&state) {
                    track = Track::Judged;
                }
            }
            Track::Later { region, of, turn, turns } => {
                if region.is_at_head(&state) && is_at_start {
                    if *turn == 0 && self.covers(&state, &[*of])?.is_none() {
                        return refused("a turn leads out of a state that is written");
                    }
                    *turn += 1;
                    if *turn <= *turns {
                        waiting.apart.push(Path { state, track });
                    }
                    return Ok(());
                }
                if region.is_left(&state) {
                    // Who leaves in an earlier turn was judged there.
                    if turn < turns {
                        return Ok(());
                    }
                    track = Track::Judged;
                }
            }
            Track::Body { context, frames } => {
                if state.frames.len() < *frames {
                    return self.keeps_promise(&state, *context);
                }
                // A written state does not know which call it is in.
                waiting.apart.push(Path { state, track });
                return Ok(());
            }
        }
        if self.joins && matches!(track, Track::Judged) {
            let key = key(&state, |func| self.loops(func));
            waiting.meeting.entry(key).or_default().push(state);
            return Ok(());
        }
        self.arrive(state, track, waiting, met, begun)
    }

    /// It goes on, or what is written for the place goes on instead.
    fn arrive(
        &mut self,
        state: State,
        track: Track,
        waiting: &mut Waiting,
        met: &mut FxHashMap<(FuncId, BlockId), Vec<State>>,
        begun: &mut [bool],
    ) -> Result<(), Reason> {
        let is_at_start = self.is_at_start(&state);
        let Some(place) = state.top().map(|frame| (frame.func, frame.block)) else {
            waiting.apart.push(Path { state, track });
            return Ok(());
        };
        let is_head = is_at_start && self.loops(place.0).body(place.1).is_some();
        let among = self.by_place.get(&place).cloned().unwrap_or_default();
        if !is_head && among.is_empty() {
            waiting.apart.push(Path { state, track });
            return Ok(());
        }
        if !among.is_empty()
            && let Some(covering) = self.covers(&state, &among)?
        {
            let mut turns = 0;
            for number in covering {
                turns = turns.max(self.written[number].turns);
                if !std::mem::replace(&mut begun[number], true) {
                    waiting.apart.push(self.begin(number)?);
                }
            }
            if let Some(region) = self.region(&state).filter(|_| turns > 0) {
                waiting.apart.push(Path { state, track: Track::First { region, left: turns } });
            }
            return Ok(());
        }
        if is_head {
            self.demand_conditions(&state, "a condition does not hold where its loop is met")?;
        }
        if is_head && matches!(track, Track::Judged) {
            let known = met.entry(place).or_default();
            let is_same = |other: &State| {
                other.same(&state)
                    && (&other.last_read, &other.pending, &other.closing, &other.handled)
                        == (&state.last_read, &state.pending, &state.closing, &state.handled)
            };
            if known.iter().any(is_same) {
                // All that it can do, another path does.
                return self.keeps_at_head(&state);
            }
            if known.len() < MOST_MET {
                known.push(state.clone());
            }
        }
        waiting.apart.push(Path { state, track });
        Ok(())
    }

    fn region(&mut self, state: &State) -> Option<Region> {
        let (func, block) = state.top().map(|frame| (frame.func, frame.block))?;
        let body = Rc::clone(self.loops(func).body(block)?);
        Some(Region { body, frames: state.frames.len() })
    }

    /// A written state that is used for the first time.
    fn begin(&mut self, number: usize) -> Result<Path, Reason> {
        let (state, turns) = (self.written[number].state.clone(), self.written[number].turns);
        let is_at_start = self.is_at_start(&state);
        let region = self.region(&state).filter(|_| is_at_start);
        if region.is_some() {
            let what = "a condition does not follow from a state that is written";
            self.demand_conditions(&state, what)?;
        }
        self.keeps_at_head(&state)?;
        // Turns in which demands are taken to be met say nothing of what is lost in them.
        self.loses |= turns > 0;
        let track = match region {
            Some(region) if turns > 0 => Track::Later { region, of: number, turn: 0, turns },
            None if turns > 0 => return refused("turns of what is no loop"),
            _ => Track::Judged,
        };
        Ok(Path { state, track })
    }
}
