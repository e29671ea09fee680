//! `BackReachability(M, ρ, ι)`: backward along ρ over its def-use chains, what must be known at each location for
//! the contradiction to be seen. The pointers through which a needed cell is read or written are needed, too; and so are
//! those through which others are written, if the flow-insensitive model says that they may mean that cell: without them
//! the update would be weak there.

use super::model::{Model, looks_at_memory};
use super::precision::{Location, Variable};
use super::segment::{Event, Range, Touched, Way};
use super::trace::Trace;
use crate::cegas::memory::Origin;
use crate::cegas::state::State;
use crate::ir::{Callee, Inst, InstId, Operand, ValueId};
use std::collections::BTreeSet;

/// What is needed at one point of a path: values by the depth of their frame, and memory.
#[derive(Debug, Clone, Default)]
struct Needed {
    values: BTreeSet<(usize, ValueId)>,
    ranges: BTreeSet<Range>,
    /// Frames whose variable arguments are needed.
    varargs: BTreeSet<usize>,
}

/// What BackReachability finds out.
#[derive(Debug, Default)]
pub(super) struct Found {
    /// For each node of the path, what is needed there.
    pub cuts: Vec<BTreeSet<(Location, Variable)>>,
    /// Stores on the way that only the path makes strong updates: `PStrongUpdate`.
    pub strong: Vec<(InstId, Range)>,
}

impl Model<'_> {
    /// From the operands that refute the path, in the frame of this depth, back to its start.
    pub fn back_reachability(&mut self, trace: &Trace, depth: usize, by: &[Operand]) -> Found {
        let mut needed = Needed::default();
        by.iter().for_each(|&operand| self.need(&mut needed, depth, operand));
        let mut found = Found::default();
        found.cuts.resize(trace.cuts.len(), BTreeSet::new());
        let mut end = trace.events.len();
        for (index, (start, state)) in trace.cuts.iter().enumerate().rev() {
            for event in trace.events.get(*start..end).into_iter().flatten().rev() {
                self.before(&mut needed, event, state, &mut found);
            }
            end = *start;
            if let Some(cut) = found.cuts.get_mut(index) {
                *cut = variables(&needed, state);
            }
        }
        found.strong.reverse();
        found
    }

    fn need(&self, needed: &mut Needed, depth: usize, operand: Operand) {
        if let Operand::Value(value) = operand
            && !self.is_address(value)
        {
            needed.values.insert((depth, value));
        }
    }

    /// What was needed before the event, for what is needed behind it.
    fn before(&mut self, needed: &mut Needed, event: &Event, state: &State, found: &mut Found) {
        match *event {
            Event::Ran { at, depth, ref touched } => {
                self.before_instruction(needed, at, depth, touched, state, found);
            }
            Event::Took { at, way, depth, from, call } => {
                self.before_way(needed, at, way, depth, from, call);
            }
        }
    }

    fn before_instruction(
        &mut self,
        needed: &mut Needed,
        at: InstId,
        depth: usize,
        touched: &Touched,
        state: &State,
        found: &mut Found,
    ) {
        let data = self.machine.program.insts[at];
        let defines = data.result.expand().is_some_and(|r| needed.values.remove(&(depth, r)));
        let operands = self.operands(&data.inst);
        let mut is_used = defines;
        match touched {
            Touched::Nothing => {}
            Touched::Read(range) => {
                if defines {
                    needed.ranges.insert(*range);
                }
            }
            Touched::Wrote(to) => is_used |= self.is_written(needed, at, *to, state, found),
            Touched::Copied { to, from } => {
                let copied: Vec<Range> =
                    needed.ranges.iter().filter(|range| range.meets(to)).copied().collect();
                is_used |= self.is_written(needed, at, *to, state, found);
                for range in copied {
                    let offset = range.offset.wrapping_sub(to.offset).wrapping_add(from.offset);
                    needed.ranges.insert(Range { instance: from.instance, offset, ..range });
                }
            }
            Touched::Objects(objects) => {
                let met: Vec<Range> = needed
                    .ranges
                    .iter()
                    .filter(|range| objects.contains(&range.instance) || is_vararg(state, range))
                    .copied()
                    .collect();
                is_used |= !met.is_empty();
                if let Inst::VaStart { .. } = data.inst
                    && is_used
                {
                    met.iter().for_each(|range| _ = needed.ranges.remove(range));
                    needed.varargs.insert(depth);
                }
            }
        }
        // With an argument that is not known, it would take away everything.
        if let Inst::Call { callee: Callee::Direct(func), .. } = data.inst {
            let function = &self.machine.program.funcs[func];
            is_used |= function.blocks.is_empty()
                && !needed.ranges.is_empty()
                && looks_at_memory(&function.name);
        }
        if is_used {
            operands.iter().for_each(|&operand| self.need(needed, depth, operand));
        } else if let Some(pointer) = written_through(&data.inst) {
            // A weak update of it would take away what is needed.
            let kinds = self.reached(pointer);
            let origin = |range: &Range| state.memory.get(range.instance).map(|o| o.origin);
            let mut origins = needed.ranges.iter().filter_map(origin);
            if origins.any(|origin| self.may_be(&kinds, origin)) {
                operands.iter().for_each(|&operand| {
                    if self.machine.program.is_pointer(operand) {
                        self.need(needed, depth, operand);
                    }
                });
            }
        }
    }

    /// Takes away what is written; whether it was needed.
    fn is_written(
        &mut self,
        needed: &mut Needed,
        at: InstId,
        to: Range,
        state: &State,
        found: &mut Found,
    ) -> bool {
        let met: Vec<Range> =
            needed.ranges.iter().filter(|range| range.meets(&to)).copied().collect();
        met.iter()
            .filter(|range| to.covers(range))
            .for_each(|range| _ = needed.ranges.remove(range));
        if let (false, Some(pointer)) =
            (met.is_empty(), written_through(self.machine.program.inst(at)))
            && self.reached(pointer).len() > 1
            && state.memory.get(to.instance).is_some()
        {
            found.strong.push((at, to));
        }
        !met.is_empty()
    }

    fn before_way(
        &mut self,
        needed: &mut Needed,
        at: Option<InstId>,
        way: Way,
        depth: usize,
        from: Option<crate::ir::BlockId>,
        call: Option<InstId>,
    ) {
        let program = self.machine.program;
        match way {
            Way::Start | Way::Outcome(_) | Way::Exit => {}
            Way::Block(to) => {
                let result = |inst: InstId| program.insts[inst].result.expand();
                let mut read = Vec::new();
                for (inst, operand) in self.phis(from, to) {
                    if result(inst).is_some_and(|r| needed.values.remove(&(depth, r))) {
                        read.push(operand);
                    }
                }
                read.iter().for_each(|&operand| self.need(needed, depth, operand));
            }
            Way::Enter(func) => {
                let Some(Inst::Call { args, .. }) = at.map(|at| program.insts[at].inst) else {
                    return;
                };
                let args = program.operands(args);
                let params = program.funcs[func].params;
                let all = needed.varargs.remove(&(depth + 1));
                for (index, &arg) in args.iter().enumerate() {
                    let param = params.iter().nth(index);
                    let is_read = match param {
                        Some(param) => needed.values.remove(&(depth + 1, param)),
                        None => all,
                    };
                    if is_read {
                        self.need(needed, depth, arg);
                    }
                }
                needed.values.retain(|(of, _)| *of <= depth);
            }
            Way::Return => {
                let result = call.and_then(|call| program.insts[call].result.expand());
                let returned = match at.map(|at| program.insts[at].inst) {
                    Some(Inst::Return { value }) => value,
                    _ => None,
                };
                if let (Some(result), Some(value)) = (result, returned)
                    && needed.values.remove(&(depth - 1, result))
                {
                    self.need(needed, depth, value);
                }
            }
        }
    }
}

/// Whether a range is the storage of variable arguments.
fn is_vararg(state: &State, range: &Range) -> bool {
    let object = state.memory.get(range.instance);
    object.is_none_or(|object| matches!(object.origin, Origin::Varargs(_)))
}

/// The pointer through which an instruction writes; what is missing here is only found out later.
fn written_through(inst: &Inst) -> Option<Operand> {
    match *inst {
        Inst::Store { ptr, .. } | Inst::AtomicRmw { ptr, .. } | Inst::CmpXchg { ptr, .. } => {
            Some(ptr)
        }
        Inst::MemCopy { dst, .. } | Inst::MemSet { dst, .. } | Inst::VaCopy { dst, .. } => {
            Some(dst)
        }
        Inst::VaStart { list } => Some(list),
        _ => None,
    }
}

/// The variables of what is needed in a state, each with the location where it has to be tracked.
fn variables(needed: &Needed, state: &State) -> BTreeSet<(Location, Variable)> {
    let mut found = BTreeSet::new();
    for &(depth, value) in &needed.values {
        let frame = depth.checked_sub(1).and_then(|index| state.frames.get(index));
        if let Some(frame) = frame {
            found.insert((Some(frame.block), Variable::Value(value)));
        }
    }
    let here = super::abstraction::location(state);
    for range in &needed.ranges {
        if let Some(object) = state.memory.get(range.instance) {
            let Range { offset, bytes, .. } = *range;
            found.insert((here, Variable::Cell { object: object.origin, offset, bytes }));
        }
    }
    found
}
