//! How far behind the start of its object a pointer lies, and which bytes around it are inside for that reason.
//!
//! It is told of a value that points into an object; of null or a number it says nothing. A value is what it was made as, so this
//! does not depend on where one looks, and it crosses borders and memory as the ranges of numbers do. The pointer
//! analysis tells which objects there may be and how large they are; its own offsets are not used, since an index
//! may have left the array that it was written for.

use super::body::Body;
use super::numbers::{Made, Number};
use super::range::Range;
use super::steps::{ALLOCATES, GRANTS};
use super::whole::external;
use crate::ir::{BlockId, Const, ConstId, Def, Inst, Operand, ValueId};

/// Definitions are followed at most this deep.
const DEEPEST: u32 = 4;
/// Farther from the start, nothing is said.
const FARTHEST: i128 = 1 << 40;

impl Body<'_> {
    pub(super) fn offset(&self, pointer: Number, block: BlockId) -> Range {
        self.offset_at(pointer, block, DEEPEST)
    }

    fn offset_at(&self, pointer: Number, block: BlockId, depth: u32) -> Range {
        let Some(deeper) = depth.checked_sub(1) else { return Range::ANY };
        let of = |part| self.offset_at(part, block, deeper);
        let found = match &self.numbers.made[pointer] {
            Made::Const(constant) => self.offset_of_constant(*constant),
            Made::Behind(root, offset) => moved(of(*root), Range::exactly(i128::from(*offset))),
            Made::Indexed(base, terms) => {
                let mut sum = of(*base);
                for &(index, stride) in terms {
                    let Some(index) = self.numbers.operand(index) else { return Range::ANY };
                    let index = self.ranges().of(index, block);
                    match index.times(Range::exactly(i128::from(stride as i64))) {
                        Some(step) => sum = moved(sum, step),
                        None => return Range::ANY,
                    }
                }
                sum
            }
            Made::Select(_, then, els) => of(*then).or(of(*els)),
            Made::Value(_) | Made::Load(..) => match self.numbers.value(pointer) {
                Some(value) => self.offset_of_value(value, deeper),
                None => Range::ANY,
            },
            Made::Any(_)
            | Made::Binary(..)
            | Made::Overflow(..)
            | Made::Compare(..)
            | Made::Cast(..)
            | Made::Pure(..) => Range::ANY,
        };
        let is_near = found == Range::NONE || found.lo > -FARTHEST && found.hi < FARTHEST;
        if is_near { found } else { Range::ANY }
    }

    fn offset_of_constant(&self, constant: ConstId) -> Range {
        match self.program.consts.get(constant) {
            Const::Global { offset, .. } => Range::exactly(i128::from(*offset)),
            Const::Null => Range::NONE,
            _ => Range::ANY,
        }
    }

    fn offset_of_value(&self, value: ValueId, depth: u32) -> Range {
        if let Some(&placed) = self.placed.get(&value) {
            return placed;
        }
        let Def::Inst(inst) = self.program.values[value].def else { return Range::ANY };
        match self.program.insts[inst].inst {
            Inst::Alloca { .. } => Range::exactly(0),
            Inst::Call { .. } => match external(self.program, inst) {
                Some(name) if GRANTS.contains(&name) || ALLOCATES.contains(&name) => {
                    Range::exactly(0)
                }
                _ => Range::ANY,
            },
            Inst::Phi { incoming } => {
                if let Some(&found) = self.joined.borrow().get(&value) {
                    return found;
                }
                // A loop comes here again, and may have moved the pointer any number of times.
                self.joined.borrow_mut().insert(value, Range::ANY);
                let mut sum = Range::NONE;
                for &(from, operand) in self.program.phi_pool.get(incoming) {
                    if operand == Operand::Value(value) {
                        continue;
                    }
                    // What an index may be is asked where it was added.
                    let offset = match (operand.constant(), self.numbers.known_number(operand)) {
                        (Some(constant), _) => self.offset_of_constant(constant),
                        (None, Some(number)) => self.offset_at(number, from, depth),
                        (None, None) => Range::ANY,
                    };
                    sum = sum.or(offset);
                    if sum == Range::ANY {
                        break;
                    }
                }
                self.joined.borrow_mut().insert(value, sum);
                sum
            }
            _ => Range::ANY,
        }
    }

    /// The bytes around a pointer into an object that are inside of every object it may point to.
    pub(super) fn bytes_by_offset(&self, pointer: Number, block: BlockId) -> Option<(i64, i64)> {
        let operand = self.numbers.operand(self.numbers.source(pointer))?;
        let size = self.whole?.least_size(operand)?;
        let offset = self.offset(pointer, block);
        if offset.lo > offset.hi || offset == Range::ANY {
            return None;
        }
        let lo = i64::try_from(-offset.lo).ok()?;
        let hi = i64::try_from(i128::from(size) - offset.hi).ok()?;
        (lo < hi).then_some((lo, hi))
    }
}

fn moved(offset: Range, by: Range) -> Range {
    match offset == Range::NONE || offset == Range::ANY {
        true => offset,
        false => offset.plus(by).unwrap_or(Range::ANY),
    }
}
