//! What holds of every value of an expression: bits known to be zero or one, and the range it lies
//! in, unsigned and signed. Kept per node, computed once from the children when the node is made.
//!
//! Invariant: facts over-approximate. Every value the expression can have satisfies all of them;
//! facts of vectors wider than 64 bits are never looked at.

use super::expr::{ExprId, Node, Op, Pool};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Facts {
    /// Bits that are surely zero (bits above the width are not marked).
    pub zeros: u64,
    /// Bits that are surely one.
    pub ones: u64,
    pub umin: u64,
    pub umax: u64,
    pub smin: i64,
    pub smax: i64,
}

pub(super) fn mask64(w: u32) -> u64 {
    if w >= 64 { u64::MAX } else { (1 << w) - 1 }
}

fn sext64(v: u64, w: u32) -> i64 {
    ((v << (64 - w)) as i64) >> (64 - w)
}

impl Facts {
    /// Nothing is known.
    pub fn top(w: u32) -> Facts {
        let w = w.clamp(1, 64);
        let m = mask64(w);
        Facts {
            zeros: 0,
            ones: 0,
            umin: 0,
            umax: m,
            smin: sext64(1 << (w - 1), w),
            smax: (m >> 1) as i64,
        }
    }

    pub fn exactly(v: u64, w: u32) -> Facts {
        let s = sext64(v, w);
        Facts { zeros: !v & mask64(w), ones: v, umin: v, umax: v, smin: s, smax: s }
    }

    pub fn unsigned(umin: u64, umax: u64, w: u32) -> Facts {
        Facts { umin, umax, ..Facts::top(w) }.tightened(w)
    }

    pub fn signed(smin: i64, smax: i64, w: u32) -> Facts {
        Facts { smin, smax, ..Facts::top(w) }.tightened(w)
    }

    pub fn bits(zeros: u64, ones: u64, w: u32) -> Facts {
        Facts { zeros: zeros & mask64(w), ones: ones & mask64(w), ..Facts::top(w) }.tightened(w)
    }

    /// The one value left, if there is one.
    pub fn single(&self, w: u32) -> Option<u64> {
        ((1..=64).contains(&w) && self.umin == self.umax).then_some(self.umin)
    }

    /// No value is left: the expression's context is contradictory.
    pub fn is_empty(&self) -> bool {
        self.umin > self.umax || self.smin > self.smax || self.zeros & self.ones != 0
    }

    pub fn contains(&self, v: u64, w: u32) -> bool {
        let s = sext64(v, w);
        v & self.zeros == 0
            && !v & self.ones == 0
            && (self.umin..=self.umax).contains(&v)
            && (self.smin..=self.smax).contains(&s)
    }

    /// No value satisfies both.
    pub fn disjoint(&self, other: &Facts) -> bool {
        self.zeros & other.ones != 0
            || self.ones & other.zeros != 0
            || self.umax < other.umin
            || other.umax < self.umin
            || self.smax < other.smin
            || other.smax < self.smin
    }

    pub fn meet(&self, o: &Facts, w: u32) -> Facts {
        let met = Facts {
            zeros: self.zeros | o.zeros,
            ones: self.ones | o.ones,
            umin: self.umin.max(o.umin),
            umax: self.umax.min(o.umax),
            smin: self.smin.max(o.smin),
            smax: self.smax.min(o.smax),
        };
        if met.is_empty() { met } else { met.tightened(w) }
    }

    fn join(&self, o: &Facts) -> Facts {
        Facts {
            zeros: self.zeros & o.zeros,
            ones: self.ones & o.ones,
            umin: self.umin.min(o.umin),
            umax: self.umax.max(o.umax),
            smin: self.smin.min(o.smin),
            smax: self.smax.max(o.smax),
        }
    }

    /// Lets bits, unsigned and signed range tell one another what they know.
    fn tightened(mut self, w: u32) -> Facts {
        let m = mask64(w);
        let sign = 1u64 << (w - 1);
        // Twice, because what the first round finds may help the second; more rarely pays.
        for _ in 0..2 {
            self.umin = self.umin.max(self.ones);
            self.umax = self.umax.min(!self.zeros & m);
            // A range that does not cross the sign's change is a range the other way, too.
            if self.umin >= sign || self.umax < sign {
                self.smin = self.smin.max(sext64(self.umin, w));
                self.smax = self.smax.min(sext64(self.umax, w));
            }
            if self.smin >= 0 || self.smax < 0 {
                self.umin = self.umin.max(self.smin as u64 & m);
                self.umax = self.umax.min(self.smax as u64 & m);
            }
            if self.umin > self.umax {
                return self;
            }
            // The common leading bits of a range are known.
            let differ = self.umin ^ self.umax;
            let common = if differ == 0 { m } else { m & !mask64(64 - differ.leading_zeros()) };
            self.ones |= self.umin & common;
            self.zeros |= !self.umin & common;
        }
        self
    }
}

/// Facts of a node from its children's, as `facts` gives them (a query may know more about its
/// variables than the pool does).
pub fn of_node(pool: &Pool, node: &Node, facts: impl Fn(ExprId) -> Option<Facts>) -> Facts {
    let w = node.width();
    if !(1..=64).contains(&w) {
        return Facts::top(64);
    }
    let top = Facts::top(w);
    // Most operations need facts of all their children; a child without any gives none here.
    let child = |i: usize| facts(node.child(i));
    let one = |f: &dyn Fn(Facts) -> Facts| child(0).map_or(top, f);
    let two = |f: &dyn Fn(Facts, Facts) -> Facts| match (child(0), child(1)) {
        (Some(a), Some(b)) => f(a, b),
        _ => top,
    };
    let from = |i: usize| pool.width(node.child(i));
    match node.op {
        Op::Const => Facts::exactly(pool.const_value(node) as u64, w),
        Op::Not => one(&|a| not(a, w)),
        Op::And => two(&|a, b| Facts::bits(a.zeros | b.zeros, a.ones & b.ones, w).meet(
            &Facts::unsigned(0, a.umax.min(b.umax), w), w)),
        Op::Or => two(&|a, b| Facts::bits(a.zeros & b.zeros, a.ones | b.ones, w).meet(
            &Facts::unsigned(a.umin.max(b.umin), mask64(w), w), w)),
        Op::Xor => two(&|a, b| Facts::bits(
            (a.zeros & b.zeros) | (a.ones & b.ones),
            (a.zeros & b.ones) | (a.ones & b.zeros),
            w,
        )),
        Op::Add => two(&|a, b| add(a, b, w)),
        Op::Mul => two(&|a, b| mul(a, b, w)),
        Op::UDiv => two(&|a, b| match b.umin {
            0 => top,
            _ => Facts::unsigned(a.umin / b.umax, a.umax / b.umin, w),
        }),
        Op::URem => two(&|a, b| match b.umin {
            0 => Facts::unsigned(0, a.umax, w),
            _ => Facts::unsigned(0, a.umax.min(b.umax - 1), w),
        }),
        // Division by anything but zero never makes the magnitude larger, MIN / -1 stays MIN.
        Op::SDiv => two(&|a, b| if a.smin >= 0 && b.smin > 0 {
            Facts::signed(a.smin / b.smax, a.smax / b.smin, w)
        } else if b.smin > 0 {
            Facts::signed(a.smin.min(0), a.smax.max(0), w)
        } else {
            top
        }),
        // The result has the dividend's sign and is no larger; smaller than the divisor, unless that is 0.
        Op::SRem => two(&|a, b| {
            let (low, high) = (a.smin.min(0), a.smax.max(0));
            if b.smin > 0 {
                let largest = b.smax - 1;
                Facts::signed(low.max(-largest), high.min(largest), w)
            } else {
                Facts::signed(low, high, w)
            }
        }),
        Op::Shl => top,
        Op::LShr => two(&|a, b| {
            let shift = |v: u64, by: u64| if by >= u64::from(w) { 0 } else { v >> by };
            Facts::unsigned(shift(a.umin, b.umax), shift(a.umax, b.umin), w)
        }),
        Op::AShr => one(&|a| Facts::signed(a.smin.min(0), a.smax.max(-1), w)),
        Op::Concat => two(&|a, b| {
            let at = from(1);
            Facts {
                zeros: a.zeros << at | b.zeros,
                ones: a.ones << at | b.ones,
                umin: a.umin << at | b.umin,
                umax: a.umax << at | b.umax,
                ..top
            }
            .tightened(w)
        }),
        Op::Extract => one(&|a| {
            let low = node.low();
            let found = Facts::bits(a.zeros >> low, a.ones >> low, w);
            // The low bits of a value that fits into them are the value.
            if a.umax >> low <= mask64(w) {
                found.meet(&Facts::unsigned(a.umin >> low, a.umax >> low, w), w)
            } else if low == 0 && a.smin >= top.smin && a.smax <= top.smax {
                found.meet(&Facts::signed(a.smin, a.smax, w), w)
            } else {
                found
            }
        }),
        Op::ZExt => {
            let above = mask64(w) & !mask64(from(0).min(64));
            one(&|a| Facts { zeros: a.zeros | above, umin: a.umin, umax: a.umax, ones: a.ones, ..top }
                .tightened(w))
        }
        Op::SExt => one(&|a| Facts::signed(a.smin, a.smax, w)),
        Op::Ite => match (child(1), child(2)) {
            (Some(a), Some(b)) => match child(0).and_then(|c| c.single(1)) {
                Some(0) => b,
                Some(_) => a,
                None => a.join(&b),
            },
            _ => top,
        },
        Op::Eq => two(&|a, b| match (a.single(from(0)), b.single(from(0))) {
            (Some(x), Some(y)) => Facts::exactly(u64::from(x == y), 1),
            _ if a.disjoint(&b) => Facts::exactly(0, 1),
            _ => top,
        }),
        Op::Ult => two(&|a, b| if a.umax < b.umin {
            Facts::exactly(1, 1)
        } else if a.umin >= b.umax {
            Facts::exactly(0, 1)
        } else {
            top
        }),
        Op::Slt => two(&|a, b| if a.smax < b.smin {
            Facts::exactly(1, 1)
        } else if a.smin >= b.smax {
            Facts::exactly(0, 1)
        } else {
            top
        }),
        Op::UMulO => two(&|a, b| {
            let fits = |x: u64, y: u64| x.checked_mul(y).is_some_and(|p| p <= mask64(from(0)));
            if fits(a.umax, b.umax) {
                Facts::exactly(0, 1)
            } else if !fits(a.umin, b.umin) {
                Facts::exactly(1, 1)
            } else {
                top
            }
        }),
        Op::SMulO => two(&|a, b| match smul(a, b) {
            Some((low, high)) => {
                let t = Facts::top(from(0));
                if low >= t.smin && high <= t.smax { Facts::exactly(0, 1) } else { top }
            }
            None => top,
        }),
        Op::Var | Op::Select | Op::Store | Op::ConstBytes => top,
        Op::FAdd | Op::FMul | Op::FDiv | Op::FRem | Op::FFma | Op::FSqrt | Op::FRound => top,
        Op::FEq | Op::FLt | Op::FLe | Op::FConvert => top,
        Op::SToF | Op::UToF | Op::FToS | Op::FToU => top,
    }
}

fn not(a: Facts, w: u32) -> Facts {
    let m = mask64(w);
    Facts {
        zeros: a.ones,
        ones: a.zeros,
        umin: !a.umax & m,
        umax: !a.umin & m,
        smin: !a.smax,
        smax: !a.smin,
    }
}

fn add(a: Facts, b: Facts, w: u32) -> Facts {
    let top = Facts::top(w);
    // Trailing bits known in both are known in the sum.
    let low = (a.zeros | a.ones).trailing_ones().min((b.zeros | b.ones).trailing_ones());
    let known = mask64(low.min(w));
    let sum = a.ones.wrapping_add(b.ones);
    let bits = Facts::bits(!sum & known, sum & known, w);
    let unsigned = match a.umax.checked_add(b.umax) {
        Some(high) if high <= mask64(w) => Facts::unsigned(a.umin + b.umin, high, w),
        _ => top,
    };
    let signed = match (a.smin.checked_add(b.smin), a.smax.checked_add(b.smax)) {
        (Some(l), Some(h)) if l >= top.smin && h <= top.smax => Facts::signed(l, h, w),
        _ => top,
    };
    bits.meet(&unsigned, w).meet(&signed, w)
}

/// The signed range of a product in full, if it fits into 64 bits.
fn smul(a: Facts, b: Facts) -> Option<(i64, i64)> {
    let products = [
        a.smin.checked_mul(b.smin)?,
        a.smin.checked_mul(b.smax)?,
        a.smax.checked_mul(b.smin)?,
        a.smax.checked_mul(b.smax)?,
    ];
    Some((*products.iter().min()?, *products.iter().max()?))
}

fn mul(a: Facts, b: Facts, w: u32) -> Facts {
    let top = Facts::top(w);
    let zeros = (a.zeros.trailing_ones() + b.zeros.trailing_ones()).min(w);
    // A product with a power of two is the other, shifted.
    let shifted = |x: Facts, k: u32| {
        Facts::bits(x.zeros << k | mask64(k), x.ones << k, w)
    };
    let bits = match (a.single(w), b.single(w)) {
        (_, Some(p)) if p.is_power_of_two() => shifted(a, p.trailing_zeros()),
        (Some(p), _) if p.is_power_of_two() => shifted(b, p.trailing_zeros()),
        _ => Facts::bits(mask64(zeros), 0, w),
    };
    let unsigned = match a.umax.checked_mul(b.umax) {
        Some(high) if high <= mask64(w) => Facts::unsigned(a.umin * b.umin, high, w),
        _ => top,
    };
    let signed = match smul(a, b) {
        Some((l, h)) if l >= top.smin && h <= top.smax => Facts::signed(l, h, w),
        _ => top,
    };
    bits.meet(&unsigned, w).meet(&signed, w)
}
