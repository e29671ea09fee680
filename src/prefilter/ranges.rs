//! The numbers a value can be, by its definition and by the branches before it.

use super::definition;
use super::guards::Guards;
use super::numbers::Numbers;
use crate::ir::{
    BinaryOp, BlockId, CastOp, Const, Inst, InstId, IntPredicate, Operand, OverflowOp, Program,
    ValueId,
};
use rustc_hash::FxHashMap;

/// Read as signed numbers of the value's type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Range {
    pub lo: i128,
    pub hi: i128,
}

/// Definitions are followed at most this deep.
const DEEPEST: u32 = 6;

impl Range {
    /// Of a value that no execution makes.
    pub const NONE: Range = Range { lo: 1, hi: 0 };
    /// Wider than any type.
    pub const ANY: Range = Range { lo: i128::MIN / 4, hi: i128::MAX / 4 };

    pub fn exactly(value: i128) -> Range {
        Range { lo: value, hi: value }
    }

    pub fn full(bits: u32) -> Range {
        Range { lo: -(1i128 << (bits - 1)), hi: (1i128 << (bits - 1)) - 1 }
    }

    pub fn plus(self, other: Range) -> Option<Range> {
        Some(Range { lo: self.lo.checked_add(other.lo)?, hi: self.hi.checked_add(other.hi)? })
    }

    fn minus(self, other: Range) -> Option<Range> {
        Some(Range { lo: self.lo.checked_sub(other.hi)?, hi: self.hi.checked_sub(other.lo)? })
    }

    pub fn times(self, other: Range) -> Option<Range> {
        let corner = |a: i128, b: i128| a.checked_mul(b);
        let all = [
            corner(self.lo, other.lo)?,
            corner(self.lo, other.hi)?,
            corner(self.hi, other.lo)?,
            corner(self.hi, other.hi)?,
        ];
        Some(Range { lo: *all.iter().min()?, hi: *all.iter().max()? })
    }

    pub fn or(self, other: Range) -> Range {
        if self == Range::NONE || other == Range::NONE {
            return if self == Range::NONE { other } else { self };
        }
        Range { lo: self.lo.min(other.lo), hi: self.hi.max(other.hi) }
    }

    pub fn fits(self, bits: u32) -> bool {
        let full = Range::full(bits);
        full.lo <= self.lo && self.hi <= full.hi
    }

    /// The same read as unsigned numbers, if that makes no difference.
    pub fn not_negative(self) -> Option<Range> {
        (self.lo >= 0).then_some(self)
    }
}

pub struct Ranges<'a> {
    pub program: &'a Program,
    guards: &'a Guards,
    numbers: &'a Numbers,
    /// What is known of values that come from elsewhere: parameters, loads, results of calls.
    leaves: &'a Leaves,
}

pub type Leaves = FxHashMap<ValueId, Range>;

impl<'a> Ranges<'a> {
    pub fn new(
        program: &'a Program,
        guards: &'a Guards,
        numbers: &'a Numbers,
        leaves: &'a Leaves,
    ) -> Self {
        Ranges { program, guards, numbers, leaves }
    }

    pub fn bits(&self, operand: Operand) -> Option<u32> {
        let ty = self.program.operand_type(operand);
        let bits = self.program.types.scalar_bits(ty, self.program.machine.pointer_bits);
        bits.filter(|bits| (1..=64).contains(bits))
    }

    /// What `operand` can be where `block` runs.
    pub fn of(&self, operand: Operand, block: BlockId) -> Range {
        self.at_depth(operand, block, DEEPEST)
    }

    fn at_depth(&self, operand: Operand, block: BlockId, depth: u32) -> Range {
        let Some(bits) = self.bits(operand) else {
            return Range { lo: i128::from(i64::MIN) * 4, hi: i128::from(i64::MAX) * 4 };
        };
        let full = Range::full(bits);
        let defined = match operand.constant() {
            Some(constant) => match self.program.consts.get(constant) {
                Const::Int(value) => Range::exactly(crate::smt::value::signed(*value, bits)),
                _ => full,
            },
            None if depth == 0 => full,
            None => self.defined(operand, block, bits, depth - 1).unwrap_or(full),
        };
        self.guarded(defined, operand, block, bits, depth)
    }

    /// What the operation that makes the value says; `None` is anything.
    fn defined(&self, operand: Operand, block: BlockId, bits: u32, depth: u32) -> Option<Range> {
        let of = |operand| self.at_depth(operand, block, depth);
        if let Some(&leaf) = operand.value().and_then(|value| self.leaves.get(&value)) {
            // What never comes here may be anything.
            return Some(leaf).filter(|leaf| *leaf != Range::NONE && leaf.fits(bits));
        }
        let (at, inst) = definition(self.program, operand)?;
        let range = match inst {
            Inst::Cast { op: CastOp::SExt, value } => of(value),
            Inst::Cast { op: CastOp::ZExt, value } => {
                let from = self.bits(value)?;
                of(value).not_negative().unwrap_or(Range { lo: 0, hi: (1i128 << from) - 1 })
            }
            Inst::Cast { op: CastOp::Trunc, value } => of(value),
            Inst::Binary { op, lhs, rhs } => match op {
                BinaryOp::Add => of(lhs).plus(of(rhs))?,
                BinaryOp::Sub => of(lhs).minus(of(rhs))?,
                BinaryOp::Mul => of(lhs).times(of(rhs))?,
                BinaryOp::And => {
                    let least = |r: Range| r.not_negative().map(|r| r.hi);
                    let hi = [least(of(lhs)), least(of(rhs))].into_iter().flatten().min()?;
                    Range { lo: 0, hi }
                }
                BinaryOp::URem => {
                    let hi = of(rhs).not_negative().filter(|r| r.lo > 0)?.hi - 1;
                    Range { lo: 0, hi }
                }
                BinaryOp::SRem => {
                    let most = of(rhs).not_negative().filter(|r| r.lo > 0)?.hi - 1;
                    let is_natural = of(lhs).lo >= 0;
                    Range { lo: if is_natural { 0 } else { -most }, hi: most }
                }
                BinaryOp::LShr => {
                    let amount = self.constant(rhs).filter(|c| (1..64).contains(c))?;
                    Range { lo: 0, hi: ((1i128 << bits) - 1) >> amount }
                }
                BinaryOp::UDiv => {
                    let by = of(rhs).not_negative().filter(|r| r.lo > 0)?;
                    Range { lo: 0, hi: of(lhs).not_negative()?.hi / by.lo }
                }
                _ => return None,
            },
            Inst::Select { then, els, .. } => of(then).or(of(els)),
            Inst::Phi { incoming } => return self.phi(operand, at, incoming, bits, depth),
            _ => return None,
        };
        // What does not fit wraps.
        range.fits(bits).then_some(range)
    }

    fn constant(&self, operand: Operand) -> Option<i128> {
        match self.program.consts.get(operand.constant()?) {
            Const::Int(value) => i128::try_from(*value).ok(),
            _ => None,
        }
    }

    /// A counter: it starts somewhere and makes constant steps in one direction, and a branch before
    /// each step keeps it from wrapping.
    fn phi(
        &self,
        phi: Operand,
        at: InstId,
        incoming: crate::ir::List<(BlockId, Operand)>,
        bits: u32,
        depth: u32,
    ) -> Option<Range> {
        let full = Range::full(bits);
        let mut range: Option<Range> = None;
        let (mut down, mut up) = (false, false);
        for &(from, operand) in self.program.phi_pool.get(incoming) {
            let step = definition(self.program, operand).and_then(|(step, inst)| match inst {
                Inst::Binary { op: BinaryOp::Add, lhs, rhs } if lhs == phi => {
                    let bits = self.bits(rhs)?;
                    let Const::Int(by) = self.program.consts.get(rhs.constant()?) else {
                        return None;
                    };
                    Some((self.program.insts[step].block, crate::smt::value::signed(*by, bits)))
                }
                _ => None,
            });
            let part = match step {
                Some((block, by)) => {
                    let before = self.guarded(full, phi, block, bits, depth.min(2));
                    let after = before.plus(Range::exactly(by))?;
                    if !after.fits(bits) {
                        return None;
                    }
                    up |= by > 0;
                    down |= by < 0;
                    // Only the end it moves towards is bounded by the branch.
                    match by > 0 {
                        true => Range { lo: after.hi, hi: after.hi },
                        false => Range { lo: after.lo, hi: after.lo },
                    }
                }
                None if self.program.insts[at].block == from => return None,
                None => self.at_depth(operand, from, depth),
            };
            range = Some(range.map_or(part, |range| range.or(part)));
        }
        // Steps in both directions bound nothing.
        range.filter(|_| !(up && down))
    }

    /// Narrows a range by the conditions that hold in `block`.
    fn guarded(
        &self,
        mut range: Range,
        operand: Operand,
        block: BlockId,
        bits: u32,
        depth: u32,
    ) -> Range {
        if operand.constant().is_some() {
            return range;
        }
        for &(cond, holds) in self.guards.at(block) {
            let Some((_, Inst::IntCmp { pred, lhs, rhs })) = definition(self.program, cond) else {
                continue;
            };
            let (pred, other) = match (
                self.numbers.are_equal(lhs, operand),
                self.numbers.are_equal(rhs, operand),
            ) {
                (true, false) => (pred, rhs),
                (false, true) => (pred.mirrored(), lhs),
                _ => continue,
            };
            let other = match other.constant() {
                Some(_) => self.at_depth(other, block, 1),
                None if depth == 0 => continue,
                None => {
                    self.defined(other, block, bits, depth.min(3) - 1).unwrap_or(Range::full(bits))
                }
            };
            narrow(&mut range, if holds { pred } else { negated(pred) }, other, bits);
        }
        range
    }

    /// Whether signed arithmetic stays within its type where `block` runs.
    pub fn never_overflows(
        &self,
        op: OverflowOp,
        lhs: Operand,
        rhs: Operand,
        block: BlockId,
    ) -> bool {
        let (a, b) = (self.of(lhs, block), self.of(rhs, block));
        let result = match op {
            OverflowOp::SAdd => a.plus(b),
            OverflowOp::SSub => a.minus(b),
            OverflowOp::SMul => a.times(b),
            OverflowOp::UAdd | OverflowOp::USub | OverflowOp::UMul => None,
        };
        self.bits(lhs).zip(result).is_some_and(|(bits, result)| result.fits(bits))
    }

    /// Whether a condition is always true or always false where `block` runs.
    pub fn truth(&self, cond: Operand, block: BlockId) -> Option<bool> {
        self.truth_at(cond, block, DEEPEST)
    }

    fn truth_at(&self, cond: Operand, block: BlockId, depth: u32) -> Option<bool> {
        if let Some(value) = self.constant(cond) {
            return Some(value != 0);
        }
        if depth == 0 {
            return None;
        }
        let known =
            self.guards.at(block).iter().find(|(guard, _)| self.numbers.are_equal(*guard, cond));
        if let Some(&(_, holds)) = known {
            return Some(holds);
        }
        let truth = |operand| self.truth_at(operand, block, depth - 1);
        match definition(self.program, cond)?.1 {
            Inst::IntCmp { pred, lhs, rhs } => {
                self.bits(lhs)?;
                compare(pred, self.of(lhs, block), self.of(rhs, block))
            }
            Inst::Overflow { op, lhs, rhs } => {
                self.never_overflows(op, lhs, rhs, block).then_some(false)
            }
            Inst::Binary { op: BinaryOp::Xor, lhs, rhs } if self.bits(lhs) == Some(1) => {
                Some(truth(lhs)? != truth(rhs)?)
            }
            Inst::Binary { op: BinaryOp::And, lhs, rhs } if self.bits(lhs) == Some(1) => {
                match (truth(lhs), truth(rhs)) {
                    (Some(false), _) | (_, Some(false)) => Some(false),
                    (Some(true), Some(true)) => Some(true),
                    _ => None,
                }
            }
            Inst::Binary { op: BinaryOp::Or, lhs, rhs } if self.bits(lhs) == Some(1) => {
                match (truth(lhs), truth(rhs)) {
                    (Some(true), _) | (_, Some(true)) => Some(true),
                    (Some(false), Some(false)) => Some(false),
                    _ => None,
                }
            }
            _ => None,
        }
    }
}

/// Both read as unsigned; `None` if that is not the same as signed.
fn unsigned(a: Range, b: Range) -> Option<(Range, Range)> {
    Some((a.not_negative()?, b.not_negative()?))
}

fn compare(pred: IntPredicate, a: Range, b: Range) -> Option<bool> {
    let less = |a: Range, b: Range| match () {
        () if a.hi < b.lo => Some(true),
        () if a.lo >= b.hi => Some(false),
        () => None,
    };
    match pred {
        IntPredicate::Eq if a.lo == a.hi && a == b => Some(true),
        IntPredicate::Eq if a.hi < b.lo || b.hi < a.lo => Some(false),
        IntPredicate::Eq => None,
        IntPredicate::Ne => compare(IntPredicate::Eq, a, b).map(|equal| !equal),
        IntPredicate::SLt => less(a, b),
        IntPredicate::SGt => less(b, a),
        IntPredicate::SGe => less(a, b).map(|less| !less),
        IntPredicate::SLe => less(b, a).map(|less| !less),
        IntPredicate::ULt => unsigned(a, b).and_then(|(a, b)| less(a, b)),
        IntPredicate::UGt => unsigned(a, b).and_then(|(a, b)| less(b, a)),
        IntPredicate::UGe => unsigned(a, b).and_then(|(a, b)| less(a, b)).map(|less| !less),
        IntPredicate::ULe => unsigned(a, b).and_then(|(a, b)| less(b, a)).map(|less| !less),
    }
}

/// `range` where it stands in the relation to `other`.
fn narrow(range: &mut Range, pred: IntPredicate, other: Range, bits: u32) {
    match pred {
        IntPredicate::Eq => {
            range.lo = range.lo.max(other.lo);
            range.hi = range.hi.min(other.hi);
        }
        IntPredicate::Ne if other.lo == other.hi => {
            if range.lo == other.lo {
                range.lo += 1;
            }
            if range.hi == other.hi {
                range.hi -= 1;
            }
        }
        IntPredicate::Ne => {}
        IntPredicate::SLt => range.hi = range.hi.min(other.hi - 1),
        IntPredicate::SLe => range.hi = range.hi.min(other.hi),
        IntPredicate::SGt => range.lo = range.lo.max(other.lo + 1),
        IntPredicate::SGe => range.lo = range.lo.max(other.lo),
        // Below a number that is not negative as signed, so is it.
        IntPredicate::ULt if other.lo >= 0 => {
            *range = Range { lo: range.lo.max(0), hi: range.hi.min(other.hi - 1) };
        }
        IntPredicate::ULe if other.lo >= 0 => {
            *range = Range { lo: range.lo.max(0), hi: range.hi.min(other.hi) };
        }
        IntPredicate::UGt if range.lo >= 0 && other.lo >= 0 => {
            range.lo = range.lo.max(other.lo + 1);
        }
        IntPredicate::UGe if range.lo >= 0 && other.lo >= 0 => range.lo = range.lo.max(other.lo),
        IntPredicate::ULt | IntPredicate::ULe | IntPredicate::UGt | IntPredicate::UGe => {}
    }
    if range.lo > range.hi {
        // The block is never entered; anything may be said, and nothing is.
        *range = Range::full(bits);
    }
}

fn negated(pred: IntPredicate) -> IntPredicate {
    match pred {
        IntPredicate::Eq => IntPredicate::Ne,
        IntPredicate::Ne => IntPredicate::Eq,
        IntPredicate::UGt => IntPredicate::ULe,
        IntPredicate::UGe => IntPredicate::ULt,
        IntPredicate::ULt => IntPredicate::UGe,
        IntPredicate::ULe => IntPredicate::UGt,
        IntPredicate::SGt => IntPredicate::SLe,
        IntPredicate::SGe => IntPredicate::SLt,
        IntPredicate::SLt => IntPredicate::SGe,
        IntPredicate::SLe => IntPredicate::SGt,
    }
}
