//! Arcs on the circle of `width`-bit values: `lo, lo+1, … hi`, wrapping around. Every comparison of
//! a term with a constant, signed or not, equal or not, says that the term lies in one arc; so one
//! set of rules does for all of them.

use super::expr::{ExprId, Op, Pool};
use super::value::{mask, sign_bit};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Arc {
    pub lo: u128,
    pub hi: u128,
    pub width: u32,
}

impl Arc {
    pub fn new(lo: u128, hi: u128, width: u32) -> Arc {
        Arc { lo: lo & mask(width), hi: hi & mask(width), width }
    }

    /// The steps from `lo` to `hi`: one less than the number of values.
    pub fn steps(&self) -> u128 {
        self.hi.wrapping_sub(self.lo) & mask(self.width)
    }

    fn offset(&self, v: u128) -> u128 {
        v.wrapping_sub(self.lo) & mask(self.width)
    }

    pub fn contains(&self, v: u128) -> bool {
        self.offset(v) <= self.steps()
    }

    pub fn within(&self, other: &Arc) -> bool {
        let end = other.offset(self.lo).checked_add(self.steps());
        end.is_some_and(|e| e <= other.steps()) || other.steps() == mask(self.width)
    }

    pub fn disjoint(&self, other: &Arc) -> bool {
        !other.contains(self.lo) && !self.contains(other.lo)
    }

    /// All other values; `None` if there are none.
    pub fn complement(&self) -> Option<Arc> {
        let full = self.steps() == mask(self.width);
        (!full).then(|| Arc::new(self.hi.wrapping_add(1), self.lo.wrapping_sub(1), self.width))
    }

    pub fn shifted(&self, by: u128) -> Arc {
        Arc::new(self.lo.wrapping_add(by), self.hi.wrapping_add(by), self.width)
    }

    /// An arc with at least the common values, `None` if there are none. (Two arcs may meet at both
    /// ends; then the shorter one stands for the two pieces.)
    pub fn meet(&self, other: &Arc) -> Option<Arc> {
        if self.disjoint(other) {
            return None;
        }
        if self.within(other) {
            return Some(*self);
        }
        if other.within(self) {
            return Some(*other);
        }
        match (other.contains(self.lo), self.contains(other.lo)) {
            (true, false) => Some(Arc::new(self.lo, other.hi, self.width)),
            (false, true) => Some(Arc::new(other.lo, self.hi, self.width)),
            _ if self.steps() <= other.steps() => Some(*self),
            _ => Some(*other),
        }
    }
}

/// Reads a truth value as "the term lies in the arc", if it is a comparison with a constant.
pub fn of_condition(pool: &Pool, condition: ExprId) -> Option<(ExprId, Arc)> {
    let n = pool.node(condition);
    if n.op == Op::Not {
        let (term, arc) = of_condition(pool, n.child(0))?;
        return Some((term, arc.complement()?));
    }
    if !matches!(n.op, Op::Eq | Op::Ult | Op::Slt) {
        return None;
    }
    let (a, b) = (n.child(0), n.child(1));
    let w = pool.width(a);
    let (term, arc) = match (n.op, pool.as_const(a), pool.as_const(b)) {
        (Op::Eq, None, Some(c)) => (a, Arc::new(c, c, w)),
        (Op::Ult, None, Some(c)) if c != 0 => (a, Arc::new(0, c - 1, w)),
        (Op::Ult, Some(c), None) if c != mask(w) => (b, Arc::new(c + 1, mask(w), w)),
        (Op::Slt, None, Some(c)) if c != sign_bit(w) => {
            (a, Arc::new(sign_bit(w), c.wrapping_sub(1), w))
        }
        (Op::Slt, Some(c), None) if c != mask(w - 1) => {
            (b, Arc::new(c.wrapping_add(1), mask(w - 1), w))
        }
        _ => return None,
    };
    // x + k lies in the arc exactly if x lies in the arc moved back.
    let t = pool.node(term);
    match (t.op, t.arity()) {
        (Op::Add, 2) => match pool.as_const(t.child(1)) {
            Some(k) => Some((t.child(0), arc.shifted(k.wrapping_neg()))),
            None => Some((term, arc)),
        },
        _ => Some((term, arc)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All pairs of arcs over three bits, against sets.
    #[test]
    fn arcs_are_sets() {
        let set = |a: &Arc| (0..8u128).filter(|v| a.contains(*v)).collect::<Vec<_>>();
        let arcs: Vec<Arc> =
            (0..8).flat_map(|lo| (0..8).map(move |hi| Arc::new(lo, hi, 3))).collect();
        for a in &arcs {
            let rest = a.complement().map_or(vec![], |c| set(&c));
            assert!((0..8).all(|v| a.contains(v) != rest.contains(&v)));
            for b in &arcs {
                let (x, y) = (set(a), set(b));
                let common: Vec<_> = x.iter().filter(|v| y.contains(v)).copied().collect();
                assert_eq!(a.within(b), common.len() == x.len(), "{a:?} {b:?}");
                assert_eq!(a.disjoint(b), common.is_empty(), "{a:?} {b:?}");
                let met = a.meet(b).map_or(vec![], |m| set(&m));
                assert!(common.iter().all(|v| met.contains(v)), "{a:?} {b:?}");
                assert_eq!(met.is_empty(), common.is_empty());
            }
        }
    }
}
