//! Demands that were made before: an execution that comes here with a null pointer would have ended at
//! the access through the same pointer on the way, and one that comes with an unset value would have been
//! told where that value decided something first.

use super::definition;
use super::guards::Guards;
use crate::ir::{Inst, InstId, Operand, Program};
use crate::rules::{Demand, Fault, Obligation};
use rustc_hash::FxHashMap;

/// What two demands must share for one to follow from the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Key {
    /// Accessed through this pointer, at any offset.
    Null(Operand),
    Set(Operand),
}

#[derive(Default)]
pub struct Earlier {
    /// In the order of instructions.
    made: FxHashMap<Key, Vec<InstId>>,
}

impl Earlier {
    /// Whether the same was demanded on every way to the obligation. Obligations of a function come in the
    /// order of its instructions; this one is remembered for those behind it.
    pub fn covers(
        &mut self,
        program: &Program,
        guards: &Guards<'_>,
        obligation: &Obligation,
    ) -> bool {
        let key = match obligation.demand {
            Demand::Access { pointer, fault: Fault::Null, .. } => Key::Null(root(program, pointer)),
            Demand::Set(operand) => Key::Set(operand),
            _ => return false,
        };
        let at = obligation.at;
        let places = self.made.entry(key).or_default();
        let is_covered = places.iter().any(|&before| {
            let (above, below) = (program.insts[before].block, program.insts[at].block);
            if above == below { before < at } else { guards.dominates(above, below) }
        });
        // An access of no bytes asks nothing.
        let always_asks = !matches!(
            program.insts[at].inst,
            Inst::MemCopy { .. } | Inst::MemSet { .. } | Inst::Call { .. }
        );
        if always_asks && !is_covered {
            places.push(at);
        }
        is_covered
    }
}

/// The pointer that offsets were added to.
fn root(program: &Program, mut pointer: Operand) -> Operand {
    for _ in 0..16 {
        match definition(program, pointer) {
            // Indices may lead away from null: only what stays within its page has the same fault.
            Some((_, Inst::Gep { base, offset, terms, .. }))
                if (0..4096).contains(&offset) && program.term_pool.get(terms).is_empty() =>
            {
                pointer = base;
            }
            _ => break,
        }
    }
    pointer
}
