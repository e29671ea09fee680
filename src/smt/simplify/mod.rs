//! The smart constructors: the only way to make an expression, and the first and cheapest place
//! where a question is settled. Every rule rewrites to something equal for all values of the
//! variables, and no rule makes an expression larger by more than a constant.
//!
//! The normal forms the rules work towards:
//! - sums: `c1*x1 + c2*x2 + … + c`, children in the order of their ids, the constant last
//!   ([`arith`]); subtraction, negation and a shift left by a constant are sums, too;
//! - of commutative operands the constant is the second;
//! - `<=` is the negation of `<` the other way round, `>` is `<` ([`compare`]);
//! - masks of low bits and shifts right by a constant are extractions, extended ([`shape`]);
//! - conditions on one term and constants are arcs ([`range`](super::range)) and absorb each other
//!   ([`bits`]).
//!
//! Constructors panic on operands whose widths do not fit together: that is a mistake in the caller,
//! not in what is analysed.

mod arith;
mod array;
mod bits;
mod choice;
mod compare;
mod derived;
mod divide;
mod float;
mod shape;
mod solve;

use super::expr::{ExprId, Node, Op, Pool};
use super::fold::fold;

/// How deep rules may call constructors on parts of their operands.
pub(super) const MAX_DEPTH: u32 = 12;

/// How many operands of a chain of `and`, `or` or `+` the rules look at.
const MAX_CHAIN: usize = 12;

/// How many stores a read looks through.
const MAX_STORES: usize = 256;

impl Pool {
    /// The last step of a constructor: fold constants, lift over a choice of constants, else intern.
    fn finish(&mut self, op: Op, width: u32, aux: u16, children: &[ExprId]) -> ExprId {
        if let Some(e) = self.fold_constants(op, width, aux, children) {
            return e;
        }
        if let Some(e) = self.lift_choice(op, width, aux, children) {
            return e;
        }
        self.raw(op, width, aux, children)
    }

    fn fold_constants(
        &mut self,
        op: Op,
        width: u32,
        aux: u16,
        children: &[ExprId],
    ) -> Option<ExprId> {
        let mut args = [0; 3];
        for (arg, &e) in args.iter_mut().zip(children) {
            *arg = self.as_const(e)?;
        }
        let node = Node::bare(op, width, aux);
        let value = fold(&node, args, self.width(*children.first()?))?;
        Some(self.constant(value, width))
    }

    /// `op(ite(c, k1, k2), k)` with constants is `ite(c, op(k1, k), op(k2, k))`.
    fn lift_choice(&mut self, op: Op, width: u32, aux: u16, children: &[ExprId]) -> Option<ExprId> {
        if op == Op::Ite || width == 0 {
            return None;
        }
        let (mut at, mut choice) = (None, None);
        for (i, &e) in children.iter().enumerate() {
            let n = self.node(e);
            if n.op == Op::Const {
                continue;
            }
            let constants =
                n.op == Op::Ite && n.children().skip(1).all(|k| self.op(k) == Op::Const);
            if at.is_some() || !constants {
                return None;
            }
            (at, choice) = (Some(i), Some(n));
        }
        let (at, choice) = (at?, choice?);
        let mut branch = |k: ExprId| {
            let mut with = [k; 3];
            for (slot, &e) in with.iter_mut().zip(children) {
                *slot = e;
            }
            with[at] = k;
            self.fold_constants(op, width, aux, &with[..children.len()])
        };
        let (t, e) = (branch(choice.child(1))?, branch(choice.child(2))?);
        Some(self.ite(choice.child(0), t, e))
    }

    /// Constants second, else the older expression first.
    fn ordered(&self, a: ExprId, b: ExprId) -> (ExprId, ExprId) {
        let constant = |e: ExprId| self.op(e) == Op::Const;
        match (constant(a), constant(b)) {
            (true, false) => (b, a),
            (false, true) => (a, b),
            _ => (a.min(b), a.max(b)),
        }
    }

    fn same_width(&self, a: ExprId, b: ExprId) -> u32 {
        let (x, y) = (self.width(a), self.width(b));
        assert!(x == y && x != 0, "operands of {x} and {y} bits");
        x
    }

    /// The node's operation on other children, through the constructors.
    pub fn rebuild(&mut self, e: ExprId, children: &[ExprId]) -> ExprId {
        let n = self.node(e);
        let c = |i: usize| children[i];
        match n.op {
            Op::Const | Op::Var => e,
            Op::Not => self.not(c(0)),
            Op::And => self.and(c(0), c(1)),
            Op::Or => self.or(c(0), c(1)),
            Op::Xor => self.xor(c(0), c(1)),
            Op::Add => self.add(c(0), c(1)),
            Op::Mul => self.mul(c(0), c(1)),
            Op::UDiv => self.udiv(c(0), c(1)),
            Op::URem => self.urem(c(0), c(1)),
            Op::SDiv => self.sdiv(c(0), c(1)),
            Op::SRem => self.srem(c(0), c(1)),
            Op::Shl => self.shl(c(0), c(1)),
            Op::LShr => self.lshr(c(0), c(1)),
            Op::AShr => self.ashr(c(0), c(1)),
            Op::Concat => self.concat(c(0), c(1)),
            Op::Extract => self.extract(c(0), n.low(), n.width()),
            Op::ZExt => self.zext(c(0), n.width()),
            Op::SExt => self.sext(c(0), n.width()),
            Op::Ite => self.ite(c(0), c(1), c(2)),
            Op::Eq => self.eq(c(0), c(1)),
            Op::Ult => self.ult(c(0), c(1)),
            Op::Slt => self.slt(c(0), c(1)),
            Op::UMulO => self.umul_overflow(c(0), c(1)),
            Op::SMulO => self.smul_overflow(c(0), c(1)),
            Op::Select => self.select(c(0), c(1)),
            Op::Store => self.store(c(0), c(1), c(2)),
            Op::ConstBytes => self.const_bytes(n.low(), c(0)),
            Op::FAdd | Op::FMul | Op::FDiv | Op::FRem | Op::FFma | Op::FSqrt | Op::FRound => {
                self.float_node(n.op, n.width(), n.float(), children)
            }
            Op::FEq | Op::FLt | Op::FLe | Op::FConvert => {
                self.float_node(n.op, n.width(), n.float(), children)
            }
            Op::SToF | Op::UToF | Op::FToS | Op::FToU => {
                self.float_node(n.op, n.width(), n.float(), children)
            }
        }
    }
}
