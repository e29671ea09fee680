//! The demand query: which instances a pointer may point to at the end of a given path, path-, field- and
//! context-sensitive with Table 1's strong updates; and what all paths together say of two pointers.
//!
//! Along a path every executed allocation is an instance of its own, so a store through a pointer with one target
//! is a strong update, whatever Andersen's analysis merged. Only what lies on the value-flow chains into
//! the pointer is computed.

mod calls;
pub mod judge;
pub mod memory;
mod places;
pub mod value;
pub mod walk;

use super::Svfg;
use crate::ir::{BlockId, InstId, Operand, Program};
use crate::pta::PointsTo;
use cranelift_entity::EntitySet;
pub use memory::Origin;
use value::{Symbols, Target};
use walk::{Next, Walk};

/// Where a pointer may point at the end of a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Place {
    Null,
    At {
        instance: Origin,
        offset: i64,
    },
    /// Anywhere in the instance.
    In {
        instance: Origin,
    },
}

/// Which instances `pointer` may point to when `end` is about to be executed at the end of the path: the blocks that
/// were entered, from the entry function's first on; going back to a caller enters no block. `None` if
/// that is not known, or if it is no path of the program.
pub fn query(
    program: &Program,
    answer: &PointsTo,
    svfg: &Svfg,
    path: &[BlockId],
    end: InstId,
    pointer: Operand,
) -> Option<Vec<Place>> {
    let nodes: Vec<_> = pointer.value().and_then(|value| svfg.value(value)).into_iter().collect();
    let slice = svfg.backward_from(&nodes);
    let mut wanted = EntitySet::new();
    slice.insts(program, svfg).into_iter().for_each(|inst| _ = wanted.insert(inst));
    let mut walk = Walk { program, answer, symbols: Symbols::default(), wanted: Some(wanted) };
    let (&first, mut rest) = path.split_first()?;
    let mut state = walk.start(program.blocks[first].func)?;
    loop {
        let at = state.frames.last()?.at;
        if rest.is_empty() && at == end {
            break;
        }
        match walk.step(&mut state, at).ok()? {
            Next::On | Next::Returned => {}
            Next::Blocks(value, ways) => {
                let (&to, others) = rest.split_first()?;
                rest = others;
                let (number, _) = *ways.iter().find(|way| way.1 == to)?;
                let alone = ways.iter().filter(|way| way.1 == to).count() == 1;
                if let (Some(number), true) = (number, alone)
                    && !walk.symbols.learn(&mut state.facts, &value, number)
                {
                    return None;
                }
                walk.jump(&mut state, to).ok()?;
            }
            Next::Calls(funcs) => {
                let (&to, others) = rest.split_first()?;
                rest = others;
                let func = program.blocks[to].func;
                if !funcs.contains(&func) {
                    return None;
                }
                let args = walk.arguments(&state, at);
                walk.enter(&mut state, func, args, Some(at)).ok()?;
            }
        }
    }
    let targets = walk.operand(&state, pointer).targets()?;
    let place = |target: Target| match target {
        Target::Null => Place::Null,
        Target::At(instance, offset) => {
            Place::At { instance: state.memory.origin(instance), offset }
        }
        Target::In(instance) => Place::In { instance: state.memory.origin(instance) },
    };
    Some(targets.into_iter().map(place).collect())
}
