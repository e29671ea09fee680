//! Following all ways from where an object is allocated: which parts of it may be read before they are written.
//!
//! Invariant: a state that arrives at a place says of the newest object of the site all parts that may be unwritten on some way
//! there, and only names that are its address on all of them. See [`super::born`] for why that is enough.

use super::born::World;
use super::numbers::{Made, Number, Numbers};
use crate::ir::cfg::Cfg;
use crate::ir::{
    Bits, BlockId, Const, FuncId, Inst, InstId, IntPredicate, Operand, Program, ValueId,
};
use crate::library::accesses::FREES;
use crate::svfg::cells::CellId;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// So many instructions are looked at for one object.
const MOST_STEPS: usize = 40_000;

/// The object of one walk.
pub struct Walk {
    /// Its parts: index, first byte, end.
    pub parts: Vec<(CellId, i64, i64)>,
    /// Parts that something may read too early.
    pub failed: Bits<CellId>,
    pub steps: usize,
}

/// What is known of the newest object on a way.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct State {
    names: BTreeSet<Number>,
    unwritten: Bits<CellId>,
}

impl State {
    fn join(&mut self, other: &State) -> bool {
        let before = self.names.len();
        self.names.retain(|name| other.names.contains(name));
        self.unwritten.add(&other.unwritten) || self.names.len() != before
    }
}

/// Where a walk begins.
#[derive(Clone, Copy)]
pub enum From {
    /// Behind a call that returns the new object.
    Call(InstId),
    /// With a function that is given it.
    Param(FuncId, ValueId),
}

impl World<'_> {
    fn numbers(&mut self, func: FuncId) -> Numbers {
        self.numbers.remove(&func).unwrap_or_else(|| {
            let cfg = Cfg::new(self.program, func);
            Numbers::new(self.program, func, &cfg, Some(self.whole))
        })
    }

    /// Follows all ways from a place on; tells what may be unwritten where the function returns.
    pub fn walk(
        &mut self,
        walk: &mut Walk,
        from: From,
        unwritten: Bits<CellId>,
        depth: u32,
    ) -> Option<Bits<CellId>> {
        let func = match from {
            From::Call(at) => self.program.func_of(at),
            From::Param(func, _) => func,
        };
        if super::numbers::returns_twice(self.program, func) {
            return None;
        }
        let mut numbers = self.numbers(func);
        let left = self.follow(walk, from, func, &mut numbers, unwritten, depth);
        self.numbers.insert(func, numbers);
        left
    }

    fn follow(
        &mut self,
        walk: &mut Walk,
        from: From,
        func: FuncId,
        numbers: &mut Numbers,
        unwritten: Bits<CellId>,
        depth: u32,
    ) -> Option<Bits<CellId>> {
        let program = self.program;
        let (value, first) = match from {
            From::Call(at) => (program.insts[at].result.expand()?, program.insts[at].block),
            From::Param(_, param) => (param, program.funcs[func].blocks.first()?),
        };
        let name = numbers.of(program, Operand::Value(value));
        let begun = State { names: [name].into_iter().collect(), unwritten };
        let mut left = Bits::default();
        let mut entered: FxHashMap<BlockId, State> = FxHashMap::default();
        let mut waiting: Vec<(BlockId, Option<State>)> = vec![(first, Some(begun))];
        while let Some((block, given)) = waiting.pop() {
            let starts = given.is_some();
            let mut state = given.or_else(|| entered.get(&block).cloned())?;
            let mut goes_on = true;
            for inst in program.blocks[block].insts.iter() {
                if let (From::Call(at), true) = (from, starts)
                    && inst <= at
                {
                    continue;
                }
                walk.steps += 1;
                if walk.steps > MOST_STEPS {
                    return None;
                }
                if !self.step(walk, from, inst, numbers, &mut state, &mut left, depth) {
                    goes_on = false;
                    break;
                }
            }
            if !goes_on {
                continue;
            }
            for next in program.successors(block) {
                if let Some(arriving) = crossed(program, numbers, block, next, &state) {
                    let is_new = match entered.get_mut(&next) {
                        Some(known) => known.join(&arriving),
                        None => {
                            entered.insert(next, arriving);
                            true
                        }
                    };
                    if is_new {
                        waiting.push((next, None));
                    }
                }
            }
        }
        Some(left)
    }

    /// Goes over one instruction; tells whether the way goes on.
    #[expect(clippy::too_many_arguments, reason = "the place of a walk")]
    fn step(
        &mut self,
        walk: &mut Walk,
        from: From,
        inst: InstId,
        numbers: &mut Numbers,
        state: &mut State,
        left: &mut Bits<CellId>,
        depth: u32,
    ) -> bool {
        let program = self.program;
        let place = |numbers: &mut Numbers, pointer: Operand, state: &State| {
            let (root, offset) = {
                let n = numbers.of(program, pointer);
                numbers.place(n)
            };
            state.names.contains(&root).then_some(offset)
        };
        // Another object of the site: this one is as it is.
        if matches!(from, From::Call(at) if at == inst) {
            walk.failed.add(&state.unwritten);
            return false;
        }
        match program.insts[inst].inst {
            Inst::Call { args, .. } => {
                let args = program.operands(args);
                let frees = super::whole::external(program, inst)
                    .is_some_and(|name| FREES.contains(&name) && !name.starts_with("realloc"));
                if frees && args.first().is_some_and(|&arg| place(numbers, arg, state) == Some(0)) {
                    return false;
                }
                return self.call(walk, inst, args, numbers, state, depth);
            }
            Inst::Return { value } => {
                let is_name = match (from, value) {
                    (From::Param(..), _) => true,
                    (From::Call(_), Some(value)) => place(numbers, value, state) == Some(0),
                    (From::Call(_), None) => false,
                };
                match is_name {
                    true => left.add(&state.unwritten),
                    false => walk.failed.add(&state.unwritten),
                };
                return false;
            }
            Inst::Unsupported { .. } => {
                walk.failed.add(&state.unwritten);
                return true;
            }
            _ => {}
        }
        for cell in self.reads_of(inst) {
            if state.unwritten.contains(cell) {
                walk.failed.insert(cell);
            }
        }
        let constant = |operand: Operand| {
            let constant = program.consts.get(operand.constant()?);
            match constant {
                Const::Int(value) => i64::try_from(*value).ok(),
                _ => None,
            }
        };
        let written = match program.insts[inst].inst {
            Inst::Store { ptr, value, .. } => {
                let size = program.types.store_size(program.operand_type(value));
                place(numbers, ptr, state).zip(i64::try_from(size).ok())
            }
            Inst::MemSet { dst, len, .. } | Inst::MemCopy { dst, len, .. } => {
                place(numbers, dst, state).zip(constant(len))
            }
            _ => None,
        };
        if let Some((start, size)) = written {
            let end = start.saturating_add(size);
            let covered = walk.parts.iter().filter(|part| start <= part.1 && part.2 <= end);
            covered.for_each(|part| state.unwritten.remove(part.0));
        }
        true
    }

    fn call(
        &mut self,
        walk: &mut Walk,
        inst: InstId,
        args: &[Operand],
        numbers: &mut Numbers,
        state: &mut State,
        depth: u32,
    ) -> bool {
        let program = self.program;
        let ends = self.whole.ends.contains(&inst);
        if ends && self.runs_at_end || self.jumps_itself(inst) {
            walk.failed.add(&state.unwritten);
        }
        for cell in self.reads_of(inst) {
            if state.unwritten.contains(cell) {
                walk.failed.insert(cell);
            }
        }
        let bodies = self.whole.bodies(program, inst);
        let mut after: Option<Bits<CellId>> = None;
        for func in &bodies {
            if self.jumps.contains(func) {
                walk.failed.add(&state.unwritten);
            }
            let given = args.iter().zip(program.funcs[*func].params.iter()).find(|(arg, _)| {
                let number = numbers.of(program, **arg);
                state.names.contains(&number)
            });
            let left = given.filter(|_| depth > 0).and_then(|(_, param)| {
                let from = From::Param(*func, param);
                self.walk(walk, from, state.unwritten.clone(), depth - 1)
            });
            let left = left.unwrap_or_else(|| {
                let reads = self.reads.get(func);
                for part in &walk.parts {
                    if state.unwritten.contains(part.0)
                        && reads.is_none_or(|reads| reads.contains(part.0))
                    {
                        walk.failed.insert(part.0);
                    }
                }
                state.unwritten.clone()
            });
            match &mut after {
                Some(after) => _ = after.add(&left),
                None => after = Some(left),
            }
        }
        let callees = self.whole.points_to.callees(inst);
        let is_plain = !callees.unknown && bodies.len() == callees.funcs.len();
        if let (true, Some(after)) = (is_plain, after) {
            state.unwritten = after;
        }
        !ends
    }
}

/// What is known behind an edge; nothing if the new pointer is null there.
fn crossed(
    program: &Program,
    numbers: &mut Numbers,
    from: BlockId,
    to: BlockId,
    state: &State,
) -> Option<State> {
    let last = program.terminator(from).map(|last| program.insts[last].inst);
    if let Some(Inst::Branch { cond, then, els, .. }) = last
        && then != els
    {
        let cond = numbers.of(program, cond);
        if let Made::Compare(pred, a, b) = numbers.made[cond] {
            let is_null = |number: Number| numbers.nulls().any(|null| null == number);
            let asks = (state.names.contains(&a) && is_null(b))
                || (state.names.contains(&b) && is_null(a));
            let null_where = match pred {
                IntPredicate::Eq => Some(then),
                IntPredicate::Ne => Some(els),
                _ => None,
            };
            if asks && null_where == Some(to) {
                return None;
            }
        }
    }
    let mut after = state.clone();
    for inst in program.blocks[to].insts.iter() {
        let data = program.insts[inst];
        let Inst::Phi { incoming } = data.inst else { break };
        let Some(result) = data.result.expand() else { continue };
        let given = program.phi_pool.get(incoming).iter().find(|(block, _)| *block == from);
        let is_name = given.is_some_and(|&(_, operand)| {
            let number = numbers.of(program, operand);
            state.names.contains(&number)
        });
        let number = numbers.of(program, Operand::Value(result));
        match is_name {
            true => after.names.insert(number),
            false => after.names.remove(&number),
        };
    }
    Some(after)
}
