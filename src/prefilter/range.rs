//! Ranges of numbers and their arithmetic, without wrapping: what does not fit a type is the caller's matter.

use crate::ir::IntPredicate;

/// Read as signed numbers of the value's type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Range {
    pub lo: i128,
    pub hi: i128,
}

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

    pub fn minus(self, other: Range) -> Option<Range> {
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

    /// Divided by a number that is positive, toward zero.
    pub fn over(self, by: Range) -> Option<Range> {
        if by.lo <= 0 {
            return None;
        }
        let all = [self.lo / by.lo, self.lo / by.hi, self.hi / by.lo, self.hi / by.hi];
        Some(Range { lo: *all.iter().min()?, hi: *all.iter().max()? })
    }

    /// Shifted right by some amount, which is less than the width; the sign stays.
    pub fn shifted(self, by: Range) -> Option<Range> {
        let (least, most) = (u32::try_from(by.lo).ok()?, u32::try_from(by.hi).ok()?);
        if least > most || most > 127 {
            return None;
        }
        let all = [self.lo >> least, self.lo >> most, self.hi >> least, self.hi >> most];
        Some(Range { lo: *all.iter().min()?, hi: *all.iter().max()? })
    }

    /// What has no bits that neither of two numbers can have, which are not negative.
    pub fn bits_of_both(self, other: Range) -> Option<Range> {
        let most = self.not_negative()?.hi.max(other.not_negative()?.hi);
        let above = (most as u128 + 1).next_power_of_two();
        Some(Range { lo: 0, hi: i128::try_from(above - 1).ok()? })
    }

    /// What is in both; nothing if that is none.
    pub fn and(self, other: Range) -> Option<Range> {
        let range = Range { lo: self.lo.max(other.lo), hi: self.hi.min(other.hi) };
        (range.lo <= range.hi).then_some(range)
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

/// Both read as unsigned; `None` if that is not the same as signed.
fn unsigned(a: Range, b: Range) -> Option<(Range, Range)> {
    Some((a.not_negative()?, b.not_negative()?))
}

pub fn compare(pred: IntPredicate, a: Range, b: Range) -> Option<bool> {
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
pub fn narrow(range: &mut Range, pred: IntPredicate, other: Range, bits: u32) {
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

pub fn negated(pred: IntPredicate) -> IntPredicate {
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
