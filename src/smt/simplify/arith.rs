//! Sums and products. A sum is brought to the form `c1*x1 + … + cn*xn + c` with the terms in the
//! order of their ids, so that equal sums are equal nodes and differences cancel.

use super::MAX_CHAIN;
use crate::smt::expr::{ExprId, Op, Pool};
use crate::smt::value::mask;

/// A sum of products with constants, modulo 2^width.
pub(super) struct Sum {
    /// Term and factor, in the order of the terms' ids; no factor is zero.
    pub terms: Vec<(ExprId, u128)>,
    pub constant: u128,
    width: u32,
}

impl Sum {
    pub fn new(width: u32) -> Sum {
        Sum { terms: Vec::new(), constant: 0, width }
    }

    /// Adds `factor * e`; `false` if the sum has become too long to be worth it.
    pub fn add(&mut self, pool: &Pool, e: ExprId, factor: u128) -> bool {
        let m = mask(self.width);
        let mut stack = vec![(e, factor)];
        let mut steps = 0;
        while let Some((e, k)) = stack.pop() {
            steps += 1;
            if steps > 4 * MAX_CHAIN || self.terms.len() > MAX_CHAIN {
                return false;
            }
            let n = pool.node(e);
            match n.op {
                Op::Const => {
                    let v = pool.const_value(&n);
                    self.constant = self.constant.wrapping_add(k.wrapping_mul(v)) & m;
                }
                Op::Add => {
                    stack.push((n.child(1), k));
                    stack.push((n.child(0), k));
                }
                Op::Mul if pool.op(n.child(1)) == Op::Const => {
                    let c = pool.const_value(&pool.node(n.child(1)));
                    stack.push((n.child(0), k.wrapping_mul(c) & m));
                }
                // ~x = -x - 1
                Op::Not => {
                    self.constant = self.constant.wrapping_sub(k) & m;
                    stack.push((n.child(0), k.wrapping_neg() & m));
                }
                _ => self.add_term(e, k & m),
            }
        }
        true
    }

    fn add_term(&mut self, e: ExprId, k: u128) {
        match self.terms.binary_search_by_key(&e, |t| t.0) {
            Ok(i) => {
                self.terms[i].1 = self.terms[i].1.wrapping_add(k) & mask(self.width);
                if self.terms[i].1 == 0 {
                    self.terms.remove(i);
                }
            }
            Err(i) if k != 0 => self.terms.insert(i, (e, k)),
            Err(_) => {}
        }
    }

    pub fn build(&self, pool: &mut Pool) -> ExprId {
        let w = self.width;
        let mut sum = None;
        for &(e, k) in &self.terms {
            let term = if k == 1 {
                e
            } else {
                let k = pool.constant(k, w);
                pool.finish(Op::Mul, w, 0, &[e, k])
            };
            sum = Some(match sum {
                None => term,
                Some(s) => pool.raw(Op::Add, w, 0, &[s, term]),
            });
        }
        match sum {
            None => pool.constant(self.constant, w),
            Some(s) if self.constant == 0 => s,
            Some(s) => {
                let k = pool.constant(self.constant, w);
                pool.finish(Op::Add, w, 0, &[s, k])
            }
        }
    }
}

impl Pool {
    /// Part of a sum: worth bringing to normal form.
    pub(super) fn is_sum(&self, e: ExprId) -> bool {
        let n = self.node(e);
        match n.op {
            Op::Add => true,
            Op::Mul => self.op(n.child(1)) == Op::Const,
            Op::Not => n.width() > 1,
            _ => false,
        }
    }

    /// `a - b` as a sum, if it is short.
    pub(super) fn difference(&self, a: ExprId, b: ExprId) -> Option<Sum> {
        let w = self.width(a);
        let mut sum = Sum::new(w);
        (sum.add(self, a, 1) && sum.add(self, b, mask(w))).then_some(sum)
    }

    pub fn add(&mut self, a: ExprId, b: ExprId) -> ExprId {
        let w = self.same_width(a, b);
        if w == 1 {
            return self.xor(a, b);
        }
        let (a, b) = self.ordered(a, b);
        match self.as_const(b) {
            Some(0) => return a,
            // The common case: a step from something that is no sum itself.
            _ if a != b && !self.is_sum(a) && !self.is_sum(b) => {
                return self.finish(Op::Add, w, 0, &[a, b]);
            }
            _ => {}
        }
        let mut sum = Sum::new(w);
        if sum.add(self, a, 1) && sum.add(self, b, 1) {
            return sum.build(self);
        }
        self.finish(Op::Add, w, 0, &[a, b])
    }

    pub fn neg(&mut self, a: ExprId) -> ExprId {
        let w = self.width(a);
        self.scale(a, mask(w))
    }

    pub fn sub(&mut self, a: ExprId, b: ExprId) -> ExprId {
        let w = self.same_width(a, b);
        if a == b {
            return self.constant(0, w);
        }
        if w == 1 {
            return self.xor(a, b);
        }
        if let Some(sum) = self.difference(a, b) {
            return sum.build(self);
        }
        let minus = self.neg(b);
        self.add(a, minus)
    }

    /// `k * a`.
    pub(super) fn scale(&mut self, a: ExprId, k: u128) -> ExprId {
        let w = self.width(a);
        let k = k & mask(w);
        match k {
            0 => return self.constant(0, w),
            1 => return a,
            _ => {}
        }
        let mut sum = Sum::new(w);
        if sum.add(self, a, k) {
            return sum.build(self);
        }
        let k = self.constant(k, w);
        self.finish(Op::Mul, w, 0, &[a, k])
    }

    pub fn mul(&mut self, a: ExprId, b: ExprId) -> ExprId {
        let w = self.same_width(a, b);
        if w == 1 {
            return self.and(a, b);
        }
        let (a, b) = self.ordered(a, b);
        if let Some(k) = self.as_const(b) {
            return self.scale(a, k);
        }
        // Factors come out: (k*x) * y = k * (x*y).
        for (one, other) in [(a, b), (b, a)] {
            let n = self.node(one);
            if n.op == Op::Mul
                && let Some(k) = self.as_const(n.child(1))
            {
                let inner = self.mul(n.child(0), other);
                return self.scale(inner, k);
            }
        }
        self.finish(Op::Mul, w, 0, &[a, b])
    }
}

/// The factor that undoes an odd factor, modulo 2^128.
pub(super) fn inverse(odd: u128) -> u128 {
    debug_assert!(odd & 1 == 1);
    // Newton: each step doubles the number of right bits, starting from three.
    let mut x = odd;
    for _ in 0..6 {
        x = x.wrapping_mul(2u128.wrapping_sub(odd.wrapping_mul(x)));
    }
    x
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::smt::expr::Sort;

    #[test]
    fn sums_have_one_form() {
        let mut p = Pool::new();
        let (x, y) = (p.var("x", Sort::Bits(32)), p.var("y", Sort::Bits(32)));
        let three = p.constant(3, 32);
        let a = p.add(x, three);
        let a = p.add(a, y);
        let b = p.add(y, x);
        let b = p.add(three, b);
        assert_eq!(a, b);
        let d = p.sub(a, y);
        let d = p.sub(d, x);
        assert_eq!(d, three);
        let n = p.not(x);
        let one = p.constant(1, 32);
        let minus = p.add(n, one);
        assert_eq!(minus, p.neg(x));
        assert_eq!(p.add(minus, x), p.constant(0, 32));
    }

    #[test]
    fn odd_numbers_have_inverses() {
        for odd in [1u128, 3, 5, 255, 0x1234_5677, u128::MAX] {
            assert_eq!(odd.wrapping_mul(inverse(odd)), 1);
        }
    }
}
