//! Loop heads that were met before in the same state: a path that comes to one of them ends there, since
//! everything it could do is done by the path that was there first.
//!
//! Two states are the same if they stand at the same place with the same stack, and everything that can still
//! be read is equal: live values, memory but for objects whose scope has ended, and the assumptions that have to do
//! with them. Assumptions about inputs that nothing depends on any more may differ, provided that those of the first
//! can be met at all; that is asked before a state is remembered.

use super::liveness::Liveness;
use super::loops::Loops;
use super::machine::Machine;
use super::memory::{Instance, Life, Object};
use super::state::State;
use super::value::Value;
use crate::cegas::persistent::HashSet;
use crate::ir::{BlockId, FuncId, InstId, ValueId};
use crate::smt::{Answer, ExprId, Limits, VarId};
use rustc_hash::{FxHashMap, FxHashSet, FxHasher};
use std::collections::BTreeSet;
use std::hash::{Hash, Hasher};

/// States remembered; more would cost more memory than they save work.
const MOST: usize = 200_000;

#[derive(Default)]
pub(super) struct Visited {
    functions: FxHashMap<FuncId, (Loops, Liveness)>,
    seen: FxHashMap<u64, Vec<Mark>>,
    count: usize,
}

#[derive(PartialEq, Eq)]
struct Place {
    func: FuncId,
    block: BlockId,
    at: InstId,
    call: Option<InstId>,
    locals: Vec<Instance>,
    varargs: Vec<Value>,
    values: Vec<(ValueId, Value)>,
}

/// What there is to be compared.
struct Mark {
    frames: Vec<Place>,
    pending: Vec<FuncId>,
    objects: Vec<(u32, Object)>,
    assumed: BTreeSet<ExprId>,
    exposed: HashSet<Instance>,
    is_doubtful: bool,
}

impl Visited {
    /// Whether `state`, at the head of a loop, was there before; if not, it is remembered.
    pub fn meets(&mut self, machine: &mut Machine<'_>, state: &State, limits: &Limits) -> bool {
        if self.count >= MOST || !self.is_at_head(machine, state) {
            return false;
        }
        let mark = self.mark(machine, state);
        let mut hasher = FxHasher::default();
        for place in &mark.frames {
            (place.at.as_u32(), place.values.len()).hash(&mut hasher);
            place.values.iter().for_each(|(_, value)| hash_value(value, &mut hasher));
        }
        for (number, object) in &mark.objects {
            number.hash(&mut hasher);
            for (offset, cell) in &object.cells {
                (offset, cell.bytes, cell.value).hash(&mut hasher);
            }
        }
        let seen = self.seen.entry(hasher.finish()).or_default();
        if seen.iter().any(|other| other.covers(&mark)) {
            return true;
        }
        let conditions = state.conditions();
        if matches!(machine.smt.check(&conditions, limits), Answer::Sat(_)) {
            seen.push(mark);
            self.count += 1;
        }
        false
    }

    pub fn is_at_head(&mut self, machine: &Machine<'_>, state: &State) -> bool {
        let Some(frame) = state.top() else { return false };
        let (loops, _) = self.function(machine, frame.func);
        loops.body(frame.block).is_some() && loops.is_at_start(machine.program, frame)
    }

    fn function(&mut self, machine: &Machine<'_>, func: FuncId) -> &(Loops, Liveness) {
        let program = machine.program;
        let both = || (Loops::new(program, func), Liveness::new(program, func));
        self.functions.entry(func).or_insert_with(both)
    }

    fn mark(&mut self, machine: &Machine<'_>, state: &State) -> Mark {
        let mut frames = Vec::new();
        let mut roots = Vec::new();
        let top = state.frames.len().saturating_sub(1);
        for (depth, frame) in state.frames.iter().enumerate() {
            let (_, liveness) = self.function(machine, frame.func);
            let mut live = liveness.at(machine.program, frame.block, frame.at);
            if depth < top {
                // Its result is not there yet, its arguments are in the frame above.
                let next = InstId::from_u32(frame.at.as_u32() + 1);
                live = liveness.at(machine.program, frame.block, next);
                if let Some(result) = machine.program.insts[frame.at].result.expand() {
                    live.remove(&result);
                }
            }
            let known = |&id: &ValueId| Some((id, frame.values.get(&id)?.clone()));
            let values: Vec<(ValueId, Value)> = live.iter().filter_map(known).collect();
            let all = values.iter().map(|(_, value)| value).chain(&frame.varargs);
            all.for_each(|value| value.scalars(&mut roots));
            frames.push(Place {
                func: frame.func,
                block: frame.block,
                at: frame.at,
                call: frame.call,
                locals: frame.locals.iter().copied().collect(),
                varargs: frame.varargs.iter().cloned().collect(),
                values,
            });
        }
        let mut objects = Vec::new();
        for number in 0..state.memory.len() as u32 {
            if let Some(object) = state.memory.get(Instance(number))
                && object.life != Life::Ended
            {
                roots.push(object.size);
                roots.extend(object.cells.values().map(|cell| cell.value));
                objects.push((number, object.clone()));
            }
        }
        let assumed = relevant(machine, state, &roots);
        let pending = state.closing.iter().chain(&state.pending).copied().collect();
        let (exposed, is_doubtful) = (state.exposed.clone(), state.doubt.is_some());
        Mark { frames, pending, objects, assumed, exposed, is_doubtful }
    }
}

impl Mark {
    fn covers(&self, other: &Mark) -> bool {
        self.frames == other.frames
            && self.pending == other.pending
            && self.objects == other.objects
            && self.assumed.is_subset(&other.assumed)
            && self.exposed == other.exposed
            && (!self.is_doubtful || other.is_doubtful)
    }
}

/// The assumptions that have to do with what the roots are made of, directly or by way of others.
fn relevant(machine: &Machine<'_>, state: &State, roots: &[ExprId]) -> BTreeSet<ExprId> {
    let pool = &machine.smt.pool;
    let mut vars: FxHashSet<VarId> = pool.free_vars(roots).into_iter().collect();
    let mut rest: Vec<(ExprId, Vec<VarId>)> =
        state.assumed.iter().chain(&state.deferred).map(|&e| (e, pool.free_vars(&[e]))).collect();
    let mut found = BTreeSet::new();
    loop {
        let before = found.len();
        rest.retain(|(e, free)| {
            let is_near = free.is_empty() || free.iter().any(|var| vars.contains(var));
            if is_near {
                found.insert(*e);
                vars.extend(free);
            }
            !is_near
        });
        if found.len() == before {
            return found;
        }
    }
}

fn hash_value(value: &Value, hasher: &mut FxHasher) {
    match value {
        Value::Bits(bits) => bits.hash(hasher),
        Value::Parts(parts) => parts.iter().for_each(|part| hash_value(part, hasher)),
    }
}
