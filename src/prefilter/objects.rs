//! Pointers that are made from one variable: which one, and how far into it.

use super::definition;
use super::ranges::{Range, Ranges};
use crate::ir::{BlockId, CastOp, Const, GlobalId, Inst, InstId, Operand, Program};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Base {
    Global(GlobalId),
    Local(InstId),
}

/// Chains of pointer arithmetic are followed at most this far.
const LONGEST: u32 = 16;

/// The variable a pointer points into, and the offsets it may have there.
pub fn resolve(ranges: &Ranges<'_>, pointer: Operand, block: BlockId) -> Option<(Base, Range)> {
    let program = ranges.program;
    let mut offset = Range::exactly(0);
    let mut pointer = pointer;
    for _ in 0..LONGEST {
        if let Some(constant) = pointer.constant() {
            let Const::Global { global, offset: more } = program.consts.get(constant) else {
                return None;
            };
            // What is defined outside may have another size, or not be there at all.
            program.globals[*global].init.as_ref()?;
            return Some((Base::Global(*global), offset.plus(Range::exactly(i128::from(*more)))?));
        }
        match definition(program, pointer)? {
            (made, Inst::Alloca { .. }) => return Some((Base::Local(made), offset)),
            (_, Inst::Gep { base, offset: more, terms, .. }) => {
                offset = offset.plus(Range::exactly(i128::from(more)))?;
                for term in program.term_pool.get(terms) {
                    let index = ranges.of(term.index, block);
                    let stride = Range::exactly(i128::from(term.stride as i64));
                    offset = offset.plus(index.times(stride)?)?;
                }
                pointer = base;
            }
            (_, Inst::Cast { op: CastOp::Bitcast, value }) => pointer = value,
            _ => return None,
        }
        // Sums of addresses wrap; far outside nothing is known.
        if offset.lo < -(1 << 40) || offset.hi > 1 << 40 {
            return None;
        }
    }
    None
}

/// The size of a variable, if it is the same in every execution.
pub fn size(program: &Program, base: Base) -> Option<u64> {
    match base {
        Base::Global(global) => Some(program.globals[global].size),
        Base::Local(made) => {
            let Inst::Alloca { elem, count, .. } = program.insts[made].inst else { return None };
            let Const::Int(count) = program.consts.get(count.constant()?) else { return None };
            program.types.size(elem).checked_mul(u64::try_from(*count).ok()?)
        }
    }
}
