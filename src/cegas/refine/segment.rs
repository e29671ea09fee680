//! What happens between two cuts of a path: from the start of a block, or from behind a call, to where control
//! goes elsewhere. Inside, everything is computed from what is known at its start.

use super::model::Model;
use crate::cegas::machine::{Step, Stop};
use crate::cegas::memory::Instance;
use crate::cegas::state::State;
use crate::cegas::step::{Flow, Outcome};
use crate::cegas::value::Value;
use crate::cegas::verdict::Reason;
use crate::ir::{BlockId, Callee, FuncId, Inst, InstId, Operand};
use crate::rules::Demand;
use crate::smt::ExprId;

/// How control goes on: an edge of the control flow automaton.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Way {
    /// The next of the functions that nobody calls.
    Start,
    Block(BlockId),
    Enter(FuncId),
    Return,
    Outcome(Outcome),
    /// `exit`, where functions that wait for it are still to run.
    Exit,
}

/// Something executed on the way, for whoever walks back along it.
#[derive(Debug, Clone)]
pub(super) enum Event {
    Ran {
        at: InstId,
        depth: usize,
        touched: Touched,
    },
    /// Control went this way at `at`, in the frame of this depth.
    Took {
        at: Option<InstId>,
        way: Way,
        depth: usize,
        from: Option<BlockId>,
        call: Option<InstId>,
    },
}

/// The bytes at an offset of an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Range {
    pub instance: Instance,
    pub offset: u64,
    pub bytes: u64,
}

impl Range {
    pub fn meets(&self, other: &Range) -> bool {
        self.instance == other.instance
            && self.offset < other.offset.saturating_add(other.bytes)
            && other.offset < self.offset.saturating_add(self.bytes)
    }

    pub fn covers(&self, other: &Range) -> bool {
        self.instance == other.instance
            && self.offset <= other.offset
            && other.offset.saturating_add(other.bytes) <= self.offset.saturating_add(self.bytes)
    }
}

#[derive(Debug, Clone)]
pub(super) enum Touched {
    Nothing,
    Read(Range),
    Wrote(Range),
    Copied {
        to: Range,
        from: Range,
    },
    /// These objects may have been read and written.
    Objects(Vec<Instance>),
}

/// Where a segment ends.
pub(super) enum End {
    /// At `at`, with a state for each way that is open.
    Ways(Option<InstId>, Vec<(Way, State)>),
    /// At the obligation, which may be violated; the violation is among what the state assumes.
    Target(Box<State>),
    /// The execution ends at this instruction.
    Over(InstId),
    /// The program has ended.
    Finished,
    /// A call that is looked at apart from its callers returns this.
    Return(Box<State>, Option<Value>),
    /// It leaves what the model knows.
    Left(Reason),
}

/// Calls nest at most this deep here: each depth is a place of its own.
pub(super) const DEEPEST: u32 = 100;

impl Model<'_> {
    /// Runs from `state` to the next cut.
    pub fn run(&mut self, mut state: State, mut log: Option<&mut Vec<Event>>) -> End {
        let Some(mut at) = state.top().map(|frame| frame.at) else {
            return self.start_next(state);
        };
        if state.frames.len() as u32 > DEEPEST {
            return End::Left(Reason::Depth { limit: DEEPEST });
        }
        loop {
            match self.judge(&mut state, at) {
                Ok(Judged::Holds) => {}
                Ok(Judged::Ends) => return End::Over(at),
                Ok(Judged::MayFail) => return End::Target(Box::new(state)),
                Err(stop) => return self.stopped(stop, at),
            }
            if let Some(log) = &mut log {
                let touched = self.touched(&mut state, at);
                log.push(Event::Ran { at, depth: state.frames.len(), touched });
            }
            let flow = match self.step(&mut state, at) {
                Ok(flow) => flow,
                Err(stop) => return self.stopped(stop, at),
            };
            match flow {
                Flow::Next => match self.machine.advance(&mut state) {
                    Ok(()) => {}
                    Err(stop) => return self.stopped(stop, at),
                },
                Flow::Stay => {}
                Flow::Return(value) if is_apart(&state) => {
                    return End::Return(Box::new(state), value);
                }
                Flow::Return(_) | Flow::Blocks(_) | Flow::Call(_) | Flow::Outcomes(_) => {
                    return match self.ways(&state, at, flow) {
                        Ok(ways) => End::Ways(Some(at), ways),
                        Err(stop) => self.stopped(stop, at),
                    };
                }
            }
            match state.top() {
                Some(frame) => at = frame.at,
                None => return End::Ways(Some(at), vec![(Way::Exit, state)]),
            }
        }
    }

    fn start_next(&mut self, mut state: State) -> End {
        let Some(func) = state.next_function() else { return End::Finished };
        match self.machine.enter_first(&mut state, func) {
            Ok(()) => End::Ways(None, vec![(Way::Start, state)]),
            Err(stop) => End::Left(Reason::Unsupported { what: told(stop), at: None }),
        }
    }

    fn stopped(&self, stop: Stop, at: InstId) -> End {
        match stop {
            Stop::End | Stop::Exit => End::Over(at),
            Stop::Gap(_) | Stop::Split(..) => {
                End::Left(Reason::Unsupported { what: told(stop), at: Some(at) })
            }
        }
    }

    /// One state for each way that explicit values leave open.
    fn ways(&mut self, state: &State, at: InstId, flow: Flow) -> Step<Vec<(Way, State)>> {
        let mut ways: Vec<(ExprId, Way)> = match flow {
            Flow::Return(value) => {
                let mut state = state.clone();
                self.machine.leave(&mut state, value)?;
                return Ok(vec![(Way::Return, state)]);
            }
            Flow::Blocks(targets) => {
                targets.into_iter().map(|(cond, to)| (cond, Way::Block(to))).collect()
            }
            Flow::Call(callees) => {
                callees.into_iter().map(|(cond, func)| (cond, Way::Enter(func))).collect()
            }
            Flow::Outcomes(outcomes) => {
                outcomes.into_iter().map(|(cond, o)| (cond, Way::Outcome(o))).collect()
            }
            Flow::Next | Flow::Stay => Vec::new(),
        };
        ways.retain(|&(cond, _)| self.machine.smt.pool.as_const(cond) != Some(0));
        let mut open = Vec::new();
        for (cond, way) in ways {
            let mut state = state.clone();
            // Nothing that was decided before counts for a call that repeats itself.
            state.choices += 1;
            let gone = self.machine.assume(&mut state, cond);
            match gone.and_then(|()| self.go(&mut state, at, way)) {
                Ok(()) => open.push((way, state)),
                Err(Stop::End | Stop::Exit) => {}
                Err(stop) => return Err(stop),
            }
        }
        Ok(open)
    }

    fn go(&mut self, state: &mut State, at: InstId, way: Way) -> Step<()> {
        match way {
            Way::Block(to) => {
                let from = state.top().map(|frame| frame.block);
                let operands: Vec<Operand> =
                    self.phis(from, to).into_iter().map(|(_, operand)| operand).collect();
                self.fill(state, &operands)?;
                self.machine.jump(state, to)
            }
            Way::Enter(func) if self.machine.program.funcs[func].blocks.is_empty() => {
                let Inst::Call { args, .. } = self.machine.program.insts[at].inst else {
                    return Err(Stop::Gap("a call".into()));
                };
                match self.external(state, at, func, args)? {
                    Flow::Next => self.machine.advance(state),
                    Flow::Stay => Ok(()),
                    Flow::Blocks(_) | Flow::Call(_) | Flow::Return(_) | Flow::Outcomes(_) => {
                        Err(Stop::Gap("a library function called through a pointer".into()))
                    }
                }
            }
            Way::Enter(func) => self.machine.enter(state, at, func),
            Way::Outcome(outcome) => self.machine.finish(state, at, outcome),
            Way::Return | Way::Start | Way::Exit => Ok(()),
        }
    }

    /// The phis of `to` with what they get from `from`.
    pub fn phis(&self, from: Option<BlockId>, to: BlockId) -> Vec<(InstId, Operand)> {
        let program = self.machine.program;
        let mut found = Vec::new();
        for inst in program.blocks[to].insts.iter() {
            let Inst::Phi { incoming } = program.insts[inst].inst else { break };
            let edges = program.phi_pool.get(incoming);
            let edge = edges.iter().find(|(pred, _)| Some(*pred) == from);
            found.extend(edge.map(|&(_, operand)| (inst, operand)));
        }
        found
    }

    /// Looks at the assertions of `at`: those of others hold where the execution goes on.
    fn judge(&mut self, state: &mut State, at: InstId) -> Step<Judged> {
        for number in 0..self.machine.marks.at(at).len() {
            let mark = self.machine.marks.at(at)[number];
            let is_meant = self.is_target(at, mark.rule, mark.demand);
            let operands = match mark.demand {
                Demand::NotReached => vec![],
                Demand::NonZero(value) => vec![value],
                Demand::Equal(a, b) => vec![a, b],
                // These belong to other rules; an execution that goes on where they are violated is one
                // more than there is.
                Demand::Access { .. }
                | Demand::Free { .. }
                | Demand::Kept
                | Demand::Set(_)
                | Demand::Arguable(_)
                | Demand::Fits { .. }
                | Demand::Wraps { .. } => continue,
            };
            self.fill(state, &operands)?;
            let violation = self.machine.violation(state, mark.demand)?;
            let is_passing = self.lazily.as_ref().is_some_and(|lazily| lazily.is_passing);
            match self.machine.smt.pool.as_const(violation) {
                Some(0) => {}
                _ if is_meant && !is_passing && self.may_fail(state, violation) => {
                    self.machine.assume(state, violation)?;
                    return Ok(Judged::MayFail);
                }
                Some(_) => return Ok(Judged::Ends),
                None if mark.demand.is_debatable() => {}
                None => self.machine.go_on_where_met(state, violation)?,
            }
        }
        Ok(Judged::Holds)
    }

    /// Whether what is known leaves the violation open.
    fn may_fail(&mut self, state: &State, violation: ExprId) -> bool {
        if !self.asks {
            return true;
        }
        let mut conditions = state.conditions();
        conditions.push(violation);
        !self.is_unsat(&conditions)
    }

    /// `isTargetState`: whether a demand at `at` is the one asked about.
    pub fn is_target(&self, at: InstId, rule: &str, demand: Demand) -> bool {
        at == self.target.at && rule == self.target.rule && demand == self.target.demand
    }

    /// What an instruction is about to read and write, as far as explicit pointers tell. It guides refinement; no proof
    /// rests on it.
    fn touched(&mut self, state: &mut State, at: InstId) -> Touched {
        let program = self.machine.program;
        let data = program.insts[at];
        let size = |operand| program.types.store_size(program.operand_type(operand));
        match data.inst {
            Inst::Load { ptr, .. } => {
                let ty = data.result.expand().map(|value| program.values[value].ty);
                let bytes = ty.map_or(0, |ty| program.types.store_size(ty));
                self.range(state, ptr, bytes).map_or(Touched::Nothing, Touched::Read)
            }
            Inst::Store { ptr, value, .. } => {
                self.range(state, ptr, size(value)).map_or(Touched::Nothing, Touched::Wrote)
            }
            Inst::MemCopy { dst, src, len, .. } => {
                let bytes = self.number(state, len);
                let (to, from) = (self.range(state, dst, bytes), self.range(state, src, bytes));
                match (to, from) {
                    (Some(to), Some(from)) => Touched::Copied { to, from },
                    (Some(to), None) => Touched::Wrote(to),
                    (None, _) => Touched::Nothing,
                }
            }
            Inst::MemSet { dst, len, .. } => {
                let bytes = self.number(state, len);
                self.range(state, dst, bytes).map_or(Touched::Nothing, Touched::Wrote)
            }
            Inst::Call { callee: Callee::Direct(func), args }
                if program.funcs[func].blocks.is_empty() =>
            {
                let args = program.operands(args).to_vec();
                Touched::Objects(self.objects(state, &args))
            }
            Inst::VaStart { list } => Touched::Objects(self.objects(state, &[list])),
            Inst::VaCopy { dst, src } => Touched::Objects(self.objects(state, &[dst, src])),
            Inst::AtomicRmw { ptr, .. } | Inst::CmpXchg { ptr, .. } => {
                Touched::Objects(self.objects(state, &[ptr]))
            }
            _ => Touched::Nothing,
        }
    }

    fn number(&mut self, state: &mut State, operand: Operand) -> u64 {
        let bits = self.machine.bits(state, operand).ok();
        bits.and_then(|e| self.machine.smt.pool.as_const(e)).map_or(u64::MAX, |n| n as u64)
    }

    fn range(&mut self, state: &mut State, pointer: Operand, bytes: u64) -> Option<Range> {
        let bits = self.machine.bits(state, pointer).ok()?;
        let (instance, offset) = self.pointed(bits)?;
        Some(Range { instance, offset, bytes })
    }

    fn objects(&mut self, state: &mut State, operands: &[Operand]) -> Vec<Instance> {
        let ranges = operands.iter().filter_map(|&operand| self.range(state, operand, 1));
        ranges.map(|range| range.instance).collect()
    }
}

/// Whether the running function was called, and its callers are not here.
fn is_apart(state: &State) -> bool {
    state.frames.len() == 1 && state.top().is_some_and(|frame| frame.call.is_some())
}

enum Judged {
    Holds,
    Ends,
    MayFail,
}

fn told(stop: Stop) -> String {
    match stop {
        Stop::Gap(what) => what,
        Stop::Split(..) => "a value that is one of many".to_owned(),
        Stop::End | Stop::Exit => "an execution that does not begin".to_owned(),
    }
}
