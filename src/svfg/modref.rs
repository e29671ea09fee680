//! What each function reads and writes, with all it calls: bottom-up over the strongly connected components of
//! the call graph. A function's own variables are not seen by its callers, unless it is recursive.
//!
//! Calls are taken to happen in sequence: threads and signal handlers are treated as calls at the place
//! where they are started.

use super::regions::{Event, Region, RegionId};
use crate::ir::{FuncId, InstId, Program};
use crate::pta::sets::{EMPTY, SetId, Sets};
use crate::pta::{PointsTo, tarjan};
use cranelift_entity::{EntityRef, PrimaryMap, SecondaryMap};
use rustc_hash::FxHashMap;

/// Sets of regions.
#[derive(Debug, Clone, Copy, Default)]
pub struct ModRef {
    /// What the function may need of the memory it is entered with.
    pub input: SetId,
    pub modified: SetId,
    pub recursive: bool,
}

/// Who calls whom, among functions with a body.
#[derive(Debug)]
pub struct Calls<'a> {
    program: &'a Program,
    answer: &'a PointsTo,
}

impl<'a> Calls<'a> {
    pub fn new(program: &'a Program, answer: &'a PointsTo) -> Self {
        Calls { program, answer }
    }

    /// The functions with a body that a call may run; unknown code runs what it knows.
    pub fn of(&self, call: InstId) -> impl Iterator<Item = FuncId> + '_ {
        let callees = self.answer.callees(call);
        let by_unknown = match callees.unknown {
            true => self.answer.called_by_unknown.as_slice(),
            false => &[],
        };
        let all = callees.funcs.iter().chain(by_unknown).copied();
        all.filter(|&func| !self.program.funcs[func].blocks.is_empty())
    }
}

/// The mod/ref of every reachable function. `events` are those of each function.
pub fn summarise(
    program: &Program,
    answer: &PointsTo,
    events: &FxHashMap<FuncId, Vec<Event>>,
    regions: &PrimaryMap<RegionId, Region>,
    sets: &mut Sets,
) -> SecondaryMap<FuncId, ModRef> {
    let calls = Calls::new(program, answer);
    let mut callees: SecondaryMap<FuncId, Vec<u32>> = SecondaryMap::new();
    for &func in &answer.reachable {
        let blocks = program.funcs[func].blocks.iter();
        let insts = blocks.flat_map(|block| program.blocks[block].insts.iter());
        let mut all: Vec<u32> = insts.flat_map(|i| calls.of(i).map(|f| f.as_u32())).collect();
        all.sort_unstable();
        all.dedup();
        callees[func] = all;
    }
    let mut owned: FxHashMap<FuncId, Vec<u32>> = FxHashMap::default();
    for (id, region) in regions {
        if let Some(owner) = region.owner {
            owned.entry(owner).or_default().push(id.as_u32());
        }
    }

    let mut known: SecondaryMap<FuncId, ModRef> = SecondaryMap::new();
    let next = |func: u32, index: usize| callees[FuncId::from_u32(func)].get(index).copied();
    tarjan::components(program.funcs.len(), next, |members| {
        let recursive = match members {
            [one] => callees[FuncId::from_u32(*one)].contains(one),
            _ => true,
        };
        let (mut read, mut modified) = (EMPTY, EMPTY);
        for &member in members {
            let func = FuncId::new(member as usize);
            for event in events.get(&func).into_iter().flatten() {
                read = sets.union(read, event.reads);
                modified = sets.union(modified, event.writes);
            }
            for &callee in &callees[func] {
                let below = known[FuncId::from_u32(callee)];
                read = sets.union(read, below.input);
                modified = sets.union(modified, below.modified);
            }
        }
        if let ([one], false) = (members, recursive) {
            let own = owned.get(&FuncId::from_u32(*one)).map_or(&[][..], Vec::as_slice);
            let own = sets.from_sorted(own);
            read = sets.difference(read, own);
            modified = sets.difference(modified, own);
        }
        // A write that may leave something of the old content needs it.
        let input = sets.union(read, modified);
        for &member in members {
            known[FuncId::new(member as usize)] = ModRef { input, modified, recursive };
        }
    });
    known
}
