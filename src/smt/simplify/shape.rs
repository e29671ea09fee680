//! Concatenation, extraction, extension. They move bits without computing, so the rules mostly look
//! through one at the other until each bit's origin is named once.

use crate::smt::expr::{ExprId, MAX_WIDTH, Op, Pool};

impl Pool {
    /// `width` bits of `a` from bit `low` on.
    pub fn extract(&mut self, a: ExprId, low: u32, width: u32) -> ExprId {
        let n = self.node(a);
        let w = n.width();
        assert!(width > 0 && low + width <= w, "bits {low}+{width} of {w}");
        if width == w {
            return a;
        }
        if let Some(v) = self.as_const(a) {
            return self.constant(v >> low, width);
        }
        let inner = if n.arity() > 0 { n.child(0) } else { a };
        let from = self.width(inner);
        let end = low + width;
        match n.op {
            Op::Extract => return self.extract(inner, n.low() + low, width),
            Op::ZExt | Op::SExt if end <= from => return self.extract(inner, low, width),
            Op::ZExt if low >= from => return self.constant(0, width),
            Op::ZExt => {
                let part = self.extract(inner, low, from - low);
                return self.zext(part, width);
            }
            Op::SExt => {
                let low = low.min(from - 1);
                let part = self.extract(inner, low, from - low);
                return self.sext(part, width);
            }
            Op::Concat => {
                let (high, rest) = (n.child(0), n.child(1));
                let at = self.width(rest);
                if end <= at {
                    return self.extract(rest, low, width);
                }
                if low >= at {
                    return self.extract(high, low - at, width);
                }
                let both = self.deeper(|p| {
                    let h = p.extract(high, 0, end - at);
                    let l = p.extract(rest, low, at - low);
                    Some(p.concat(h, l))
                });
                if let Some(e) = both {
                    return e;
                }
            }
            Op::Not => {
                let part = self.extract(inner, low, width);
                return self.not(part);
            }
            Op::Mul => {
                if let Some(e) = self.extract_shifted(inner, n.child(1), low, width) {
                    return e;
                }
            }
            _ => {}
        }
        if let Some(e) = self.extract_pushed(a, low, width) {
            return e;
        }
        self.finish(Op::Extract, width, low as u16, &[a])
    }

    /// Of `x * 2^k`: the bits of `x`, `k` lower.
    fn extract_shifted(&mut self, x: ExprId, k: ExprId, low: u32, width: u32) -> Option<ExprId> {
        let k = self.as_const(k).filter(|k| k.is_power_of_two())?.trailing_zeros();
        if low >= k {
            return Some(self.extract(x, low - k, width));
        }
        if low + width <= k {
            return Some(self.constant(0, width));
        }
        let high = self.extract(x, 0, low + width - k);
        let zeros = self.constant(0, k - low);
        Some(self.concat(high, zeros))
    }

    /// Through an operation that works bit by bit, or on low bits, where the operands get simpler.
    fn extract_pushed(&mut self, a: ExprId, low: u32, width: u32) -> Option<ExprId> {
        let n = self.node(a);
        let bitwise = matches!(n.op, Op::And | Op::Or | Op::Xor);
        let sum = matches!(n.op, Op::Add | Op::Mul) && low == 0;
        let choice = n.op == Op::Ite;
        if !(bitwise || sum || choice) {
            return None;
        }
        let (x, y) = if choice { (n.child(1), n.child(2)) } else { (n.child(0), n.child(1)) };
        let mut fuel = 8;
        if !(self.shrinks(x, low, width, &mut fuel) && self.shrinks(y, low, width, &mut fuel)) {
            return None;
        }
        self.deeper(|p| {
            let (x, y) = (p.extract(x, low, width), p.extract(y, low, width));
            Some(if choice { p.ite(n.child(0), x, y) } else { p.rebuild(a, &[x, y]) })
        })
    }

    /// The extraction from `e` makes no new operation.
    fn shrinks(&self, e: ExprId, low: u32, width: u32, fuel: &mut u32) -> bool {
        if *fuel == 0 {
            return false;
        }
        *fuel -= 1;
        let n = self.node(e);
        match n.op {
            Op::Const => true,
            Op::ZExt | Op::SExt => low == 0 && self.width(n.child(0)) <= width,
            Op::Concat => {
                let at = self.width(n.child(1));
                (low == 0 && width == at) || (low == at && low + width == n.width())
            }
            Op::Not => self.shrinks(n.child(0), low, width, fuel),
            Op::And | Op::Or | Op::Xor => n.children().all(|c| self.shrinks(c, low, width, fuel)),
            Op::Add | Op::Mul => low == 0 && n.children().all(|c| self.shrinks(c, 0, width, fuel)),
            Op::Ite => n.children().skip(1).all(|c| self.shrinks(c, low, width, fuel)),
            _ => false,
        }
    }

    /// `high` above `low`.
    pub fn concat(&mut self, high: ExprId, low: ExprId) -> ExprId {
        let (h, l) = (self.node(high), self.node(low));
        let w = h.width() + l.width();
        assert!(h.width() > 0 && l.width() > 0 && w <= MAX_WIDTH, "no vector has {w} bits");
        if self.as_const(high) == Some(0) {
            return self.zext(low, w);
        }
        if let Some(e) = self.adjacent(high, low) {
            return e;
        }
        match h.op {
            Op::ZExt => {
                let narrow = self.concat(h.child(0), low);
                return self.zext(narrow, w);
            }
            // To the right, where neighbours can meet.
            Op::Concat => {
                let (first, second) = (h.child(0), h.child(1));
                if let Some(e) = self.deeper(|p| {
                    let rest = p.concat(second, low);
                    Some(p.concat(first, rest))
                }) {
                    return e;
                }
            }
            _ => {}
        }
        if l.op == Op::Concat
            && let Some(e) = self.adjacent(high, l.child(0))
        {
            return self.concat(e, l.child(1));
        }
        self.finish(Op::Concat, w, 0, &[high, low])
    }

    /// Two constants, or two neighbouring parts of one value, are one.
    fn adjacent(&mut self, high: ExprId, low: ExprId) -> Option<ExprId> {
        let (h, l) = (self.node(high), self.node(low));
        let w = h.width() + l.width();
        if let (Some(x), Some(y)) = (self.as_const(high), self.as_const(low)) {
            return Some(self.constant(x << l.width() | y, w));
        }
        let neighbours = h.op == Op::Extract
            && l.op == Op::Extract
            && h.child(0) == l.child(0)
            && h.low() == l.low() + l.width();
        neighbours.then(|| self.extract(h.child(0), l.low(), w))
    }

    pub fn zext(&mut self, a: ExprId, to: u32) -> ExprId {
        let n = self.node(a);
        assert!(n.width() > 0 && n.width() <= to && to <= MAX_WIDTH, "{} to {to}", n.width());
        if n.width() == to {
            return a;
        }
        if n.op == Op::ZExt {
            return self.zext(n.child(0), to);
        }
        self.finish(Op::ZExt, to, 0, &[a])
    }

    pub fn sext(&mut self, a: ExprId, to: u32) -> ExprId {
        let n = self.node(a);
        assert!(n.width() > 0 && n.width() <= to && to <= MAX_WIDTH, "{} to {to}", n.width());
        if n.width() == to {
            return a;
        }
        match n.op {
            Op::SExt => return self.sext(n.child(0), to),
            Op::ZExt => return self.zext(n.child(0), to),
            _ => {}
        }
        if self.facts(a).is_some_and(|f| f.smin >= 0) {
            return self.zext(a, to);
        }
        self.finish(Op::SExt, to, 0, &[a])
    }

    /// Truncates or extends to the width.
    pub fn resize(&mut self, a: ExprId, to: u32, signed: bool) -> ExprId {
        match (self.width(a), signed) {
            (w, _) if to <= w => self.extract(a, 0, to),
            (_, true) => self.sext(a, to),
            (_, false) => self.zext(a, to),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::smt::expr::Sort;

    #[test]
    fn bytes_put_together_are_the_value() {
        let mut p = Pool::new();
        let x = p.var("x", Sort::Bits(32));
        let bytes: Vec<ExprId> = (0..4).map(|i| p.extract(x, 8 * i, 8)).collect();
        let whole = bytes.iter().copied().reduce(|low, high| p.concat(high, low));
        assert_eq!(whole, Some(x));
        let from_high = bytes.iter().rev().copied().reduce(|high, low| p.concat(high, low));
        assert_eq!(from_high, Some(x));
    }

    #[test]
    fn a_narrow_sum_computed_wide_is_narrow() {
        let mut p = Pool::new();
        let (x, y) = (p.var("x", Sort::Bits(8)), p.var("y", Sort::Bits(8)));
        let (wx, wy) = (p.sext(x, 32), p.sext(y, 32));
        let sum = p.add(wx, wy);
        let cut = p.extract(sum, 0, 8);
        assert_eq!(cut, p.add(x, y));
    }
}
