//! The numbers a value can be, by its definition and by the branches before it.
//!
//! A check that was passed tells something, too, but an execution goes on behind an index outside its array and behind
//! arithmetic that wrapped. So it counts only where the question is one of the same rule: whoever violates
//! that has violated the check before, and the check answers for it.

use super::definition;
use super::guards::{Guards, Place};
use super::numbers::Numbers;
use super::range::{Range, compare, narrow, negated};
use crate::ir::{
    BinaryOp, BlockId, CastOp, Const, Inst, InstId, Operand, OverflowOp, Program, ValueId,
};
use rustc_hash::FxHashMap;

/// Definitions are followed at most this deep.
const DEEPEST: u32 = 6;

pub struct Ranges<'a> {
    pub program: &'a Program,
    guards: &'a Guards,
    numbers: &'a Numbers,
    /// What is known of values that come from elsewhere: parameters, loads, results of calls.
    leaves: &'a Leaves,
    /// Whose question it is, and where it is asked.
    place: Option<Place>,
}

pub type Leaves = FxHashMap<ValueId, Range>;

impl<'a> Ranges<'a> {
    pub fn new(
        program: &'a Program,
        guards: &'a Guards,
        numbers: &'a Numbers,
        leaves: &'a Leaves,
    ) -> Self {
        Ranges { program, guards, numbers, leaves, place: None }
    }

    /// The same for a question of one rule at one place.
    pub fn for_rule(self, rule: &'static str, at: InstId) -> Self {
        let block = self.program.insts[at].block;
        Ranges { place: Some(Place { rule, at, block }), ..self }
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
                let all = 1i128 << self.bits(value)?;
                match of(value) {
                    natural if natural.lo >= 0 => natural,
                    negative if negative.hi < 0 => negative.plus(Range::exactly(all))?,
                    _ => Range { lo: 0, hi: all - 1 },
                }
            }
            Inst::Cast { op: CastOp::Trunc, value } => of(value),
            Inst::Binary { op, lhs, rhs } => match op {
                BinaryOp::Add => {
                    let sum = of(lhs).plus(of(rhs))?;
                    self.unwrapped(sum, OverflowOp::SAdd, (lhs, rhs), block, bits)?
                }
                BinaryOp::Sub => {
                    let difference = of(lhs).minus(of(rhs))?;
                    self.unwrapped(difference, OverflowOp::SSub, (lhs, rhs), block, bits)?
                }
                BinaryOp::Mul => {
                    let product = of(lhs).times(of(rhs))?;
                    self.unwrapped(product, OverflowOp::SMul, (lhs, rhs), block, bits)?
                }
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
                    let amount = amount(of(rhs), bits);
                    let all = Range { lo: 0, hi: (1i128 << bits) - 1 };
                    of(lhs).not_negative().unwrap_or(all).shifted(amount)?
                }
                BinaryOp::AShr => {
                    let amount = amount(of(rhs), bits);
                    of(lhs).shifted(amount)?
                }
                BinaryOp::Shl => {
                    let amount = self.constant(rhs).filter(|c| (0..64).contains(c))?;
                    of(lhs).times(Range::exactly(1 << amount))?
                }
                BinaryOp::Or | BinaryOp::Xor => of(lhs).bits_of_both(of(rhs))?,
                BinaryOp::UDiv => {
                    let all = Range { lo: 0, hi: (1i128 << bits) - 1 };
                    of(lhs).not_negative().unwrap_or(all).over(of(rhs))?
                }
                BinaryOp::SDiv => of(lhs).over(of(rhs))?,
                _ => return None,
            },
            Inst::Select { then, els, .. } => of(then).or(of(els)),
            Inst::IntCmp { pred, lhs, rhs } if bits == 1 => {
                self.bits(lhs)?;
                truth_range(compare(pred, of(lhs), of(rhs))?)
            }
            Inst::Phi { incoming } => return self.phi(operand, at, incoming, bits, depth),
            _ => return None,
        };
        // What does not fit wraps.
        range.fits(bits).then_some(range)
    }

    /// The result of signed arithmetic that was checked before does not leave its type.
    fn unwrapped(
        &self,
        result: Range,
        op: OverflowOp,
        operands: (Operand, Operand),
        block: BlockId,
        bits: u32,
    ) -> Option<Range> {
        if result.fits(bits) {
            return Some(result);
        }
        let is_checked = self.guards.passed(block, self.place).any(|cond| {
            matches!(overflow(self.program, cond), Some((checked, lhs, rhs))
                if checked == op
                    && self.numbers.are_equal(lhs, operands.0)
                    && self.numbers.are_equal(rhs, operands.1))
        });
        result.and(Range::full(bits)).filter(|_| is_checked)
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
            if self.is_never_taken(from, self.program.insts[at].block, depth) {
                continue;
            }
            let step = definition(self.program, operand).and_then(|(step, inst)| match inst {
                Inst::Binary { op: BinaryOp::Add, lhs, rhs } if lhs == phi => {
                    let bits = self.bits(rhs)?;
                    let Const::Int(by) = self.program.consts.get(rhs.constant()?) else {
                        return None;
                    };
                    let by = crate::smt::value::signed(*by, bits);
                    Some((self.program.insts[step].block, by, (lhs, rhs)))
                }
                _ => None,
            });
            let part = match step {
                Some((block, by, operands)) => {
                    let before = self.guarded(full, phi, block, bits, depth.min(2));
                    let after = before.plus(Range::exactly(by))?;
                    let after = self.unwrapped(after, OverflowOp::SAdd, operands, block, bits)?;
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

    /// Whether the branch at the end of a block always goes elsewhere.
    fn is_never_taken(&self, from: BlockId, to: BlockId, depth: u32) -> bool {
        let last = self.program.terminator(from).map(|last| self.program.insts[last].inst);
        let Some(Inst::Branch { cond, then, els, .. }) = last else { return false };
        let cond = self.at_depth(cond, from, depth.min(2));
        let other = if to == then { els } else { then };
        (to == then || to == els) && then != els && cond == truth_range(other == then)
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
        let passed = self.guards.passed(block, self.place).map(|cond| (cond, true));
        for (cond, holds) in self.guards.at(block).iter().copied().chain(passed) {
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

/// A truth value as the number of one bit that it is, read with a sign.
fn truth_range(holds: bool) -> Range {
    Range::exactly(if holds { -1 } else { 0 })
}

/// The arithmetic that a check asks not to leave its type.
fn overflow(program: &Program, cond: Operand) -> Option<(OverflowOp, Operand, Operand)> {
    let (_, Inst::Binary { op: BinaryOp::Xor, lhs, rhs }) = definition(program, cond)? else {
        return None;
    };
    let is_true = matches!(program.consts.get(rhs.constant()?), Const::Int(1));
    match definition(program, lhs)?.1 {
        Inst::Overflow { op, lhs, rhs } if is_true => Some((op, lhs, rhs)),
        _ => None,
    }
}

/// By how much a shift may go: machines take an amount that is too large modulo the width.
fn amount(by: Range, bits: u32) -> Range {
    let all = Range { lo: 0, hi: i128::from(bits) - 1 };
    if all.lo <= by.lo && by.hi <= all.hi { by } else { all }
}
