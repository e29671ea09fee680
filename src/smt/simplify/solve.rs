//! Reading a condition as the definition of a variable.

use super::arith::{Sum, inverse};
use crate::smt::expr::{ExprId, Op, Pool, VarId};
use crate::smt::value::mask;

impl Pool {
    fn as_var(&self, e: ExprId) -> Option<VarId> {
        let n = self.node(e);
        (n.op == Op::Var).then(|| n.var())
    }

    /// The condition holds exactly if the variable has this value.
    pub fn determined(&self, condition: ExprId) -> Option<(VarId, u128)> {
        let n = self.node(condition);
        match n.op {
            Op::Var => Some((n.var(), 1)),
            Op::Not => Some((self.as_var(n.child(0))?, 0)),
            Op::Eq => Some((self.as_var(n.child(0))?, self.as_const(n.child(1))?)),
            _ => None,
        }
    }

    /// The condition holds exactly if the variable has the term's value, and the term is free of the
    /// variable, as `occurs` tells.
    pub fn solved(
        &mut self,
        condition: ExprId,
        mut occurs: impl FnMut(&Pool, ExprId, VarId) -> bool,
    ) -> Option<(VarId, ExprId)> {
        let n = self.node(condition);
        match n.op {
            Op::Eq => {
                for (x, term) in [(n.child(0), n.child(1)), (n.child(1), n.child(0))] {
                    if let Some(var) = self.as_var(x)
                        && !occurs(self, term, var)
                    {
                        return Some((var, term));
                    }
                }
                self.solved_sum(n.child(0), n.child(1), occurs)
            }
            // One bit: a ^ b says that they differ, its negation that they are equal.
            Op::Xor | Op::Not => {
                let equal = n.op == Op::Not;
                let inner = if equal { self.node(n.child(0)) } else { n };
                if inner.op != Op::Xor {
                    return None;
                }
                let (a, b) = (inner.child(0), inner.child(1));
                for (x, term) in [(a, b), (b, a)] {
                    if let Some(var) = self.as_var(x)
                        && !occurs(self, term, var)
                    {
                        return Some((var, if equal { term } else { self.not(term) }));
                    }
                }
                None
            }
            _ => None,
        }
    }

    /// From `k*x + rest == 0` with an odd factor, `x = -rest / k`.
    fn solved_sum(
        &mut self,
        a: ExprId,
        b: ExprId,
        mut occurs: impl FnMut(&Pool, ExprId, VarId) -> bool,
    ) -> Option<(VarId, ExprId)> {
        let w = self.width(a);
        let d = self.difference(a, b)?;
        for (i, &(x, k)) in d.terms.iter().enumerate() {
            let Some(var) = self.as_var(x).filter(|_| k & 1 == 1) else { continue };
            let mut others = d.terms.iter().enumerate().filter(|(j, _)| *j != i);
            if others.any(|(_, t)| occurs(self, t.0, var)) {
                continue;
            }
            let factor = inverse(k).wrapping_neg() & mask(w);
            let mut rest = Sum::new(w);
            let mut fits = true;
            for &(t, kt) in d.terms.iter().filter(|t| t.0 != x) {
                fits &= rest.add(self, t, kt.wrapping_mul(factor) & mask(w));
            }
            rest.constant = rest.constant.wrapping_add(d.constant.wrapping_mul(factor)) & mask(w);
            if fits {
                return Some((var, rest.build(self)));
            }
        }
        None
    }
}
