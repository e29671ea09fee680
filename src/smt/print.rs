//! Expressions as text in the manner of SMT-LIB. What occurs more than once is bound by `let`, so the
//! text is as long as the expression has nodes, however often they are shared.

use super::expr::{ExprId, Node, Op, Pool, Sort};
use super::float::Rounding;
use rustc_hash::FxHashMap;
use std::fmt::{self, Display, Write};

/// How often each node occurs in what the roots are made of.
pub(super) fn uses(pool: &Pool, order: &[ExprId]) -> FxHashMap<ExprId, u32> {
    let mut uses = FxHashMap::default();
    for c in order.iter().flat_map(|&e| pool.node(e).children()) {
        *uses.entry(c).or_default() += 1;
    }
    uses
}

#[derive(Debug, Clone, Copy)]
pub struct Smtlib<'p> {
    pool: &'p Pool,
    root: ExprId,
}

impl Pool {
    pub fn smtlib(&self, e: ExprId) -> Smtlib<'_> {
        Smtlib { pool: self, root: e }
    }
}

impl Display for Smtlib<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let order = self.pool.reachable(&[self.root]);
        let uses = uses(self.pool, &order);
        let shared =
            |e: &ExprId| self.pool.node(*e).arity() > 0 && uses.get(e).is_some_and(|&n| n > 1);
        let bound: Vec<ExprId> = order.into_iter().filter(shared).collect();
        for &e in &bound {
            write!(f, "(let (({e} ")?;
            self.body(f, e, &shared)?;
            f.write_str(")) ")?;
        }
        self.body(f, self.root, &shared)?;
        (0..bound.len()).try_for_each(|_| f.write_char(')'))
    }
}

impl Smtlib<'_> {
    fn body(
        &self,
        f: &mut fmt::Formatter<'_>,
        root: ExprId,
        shared: &impl Fn(&ExprId) -> bool,
    ) -> fmt::Result {
        // A stack, because expressions may be deeper than the thread's; `None` closes a bracket.
        let mut stack = vec![Some(root)];
        let mut first = true;
        while let Some(item) = stack.pop() {
            let Some(e) = item else {
                f.write_char(')')?;
                continue;
            };
            if !first {
                f.write_char(' ')?;
            }
            let n = self.pool.node(e);
            if n.arity() == 0 {
                self.leaf(f, &n)?;
            } else if !first && shared(&e) {
                write!(f, "{e}")?;
            } else {
                f.write_char('(')?;
                head(f, &n, self.pool)?;
                stack.push(None);
                let children: Vec<ExprId> = n.children().collect();
                stack.extend(children.into_iter().rev().map(Some));
            }
            first = false;
        }
        Ok(())
    }

    fn leaf(&self, f: &mut fmt::Formatter<'_>, n: &Node) -> fmt::Result {
        if n.op == Op::Var {
            // The number keeps variables of one name apart.
            return write!(f, "{}!{}", self.pool.name(n.var()), n.var().as_u32());
        }
        let value = self.pool.const_value(n);
        match n.width() {
            1 => write!(f, "{}", value == 1),
            w if w % 4 == 0 => write!(f, "#x{value:0digits$x}", digits = w as usize / 4),
            w => write!(f, "#b{value:0digits$b}", digits = w as usize),
        }
    }
}

fn head(f: &mut fmt::Formatter<'_>, n: &Node, pool: &Pool) -> fmt::Result {
    let truth = n.width() == 1;
    let from = pool.width(n.child(0));
    let name = match n.op {
        Op::Const | Op::Var => "",
        Op::Not => {
            if truth {
                "not"
            } else {
                "bvnot"
            }
        }
        Op::And => {
            if truth {
                "and"
            } else {
                "bvand"
            }
        }
        Op::Or => {
            if truth {
                "or"
            } else {
                "bvor"
            }
        }
        Op::Xor => {
            if truth {
                "xor"
            } else {
                "bvxor"
            }
        }
        Op::Add => "bvadd",
        Op::Mul => "bvmul",
        Op::UDiv => "bvudiv",
        Op::URem => "bvurem",
        Op::SDiv => "bvsdiv",
        Op::SRem => "bvsrem",
        Op::Shl => "bvshl",
        Op::LShr => "bvlshr",
        Op::AShr => "bvashr",
        Op::Concat => "concat",
        Op::Extract => return write!(f, "(_ extract {} {})", n.low() + n.width() - 1, n.low()),
        Op::ZExt => return write!(f, "(_ zero_extend {})", n.width() - from),
        Op::SExt => return write!(f, "(_ sign_extend {})", n.width() - from),
        Op::Ite => "ite",
        Op::Eq => "=",
        Op::Ult => "bvult",
        Op::Slt => "bvslt",
        Op::UMulO => "bvumulo",
        Op::SMulO => "bvsmulo",
        Op::Select => "select",
        Op::Store => "store",
        Op::ConstBytes => match n.sort() {
            Sort::Bytes { index } => {
                return write!(f, "(as const (Array (_ BitVec {index}) (_ BitVec 8)))");
            }
            Sort::Bits(_) => "",
        },
        Op::FAdd | Op::FMul | Op::FDiv | Op::FRem | Op::FFma | Op::FSqrt | Op::FRound => {
            return float_head(f, n);
        }
        Op::FEq | Op::FLt | Op::FLe | Op::FConvert => return float_head(f, n),
        Op::SToF | Op::UToF | Op::FToS | Op::FToU => return float_head(f, n),
    };
    f.write_str(name)
}

/// Floats are bits here, so the operations carry their format: `fp.add.f64`.
fn float_head(f: &mut fmt::Formatter<'_>, n: &Node) -> fmt::Result {
    let name = match n.op {
        Op::FAdd => "fp.add",
        Op::FMul => "fp.mul",
        Op::FDiv => "fp.div",
        Op::FRem => "fp.fmod",
        Op::FFma => "fp.fma",
        Op::FSqrt => "fp.sqrt",
        Op::FRound => match n.float().rounding {
            Rounding::NearestEven => "fp.rint",
            Rounding::NearestAway => "fp.round",
            Rounding::Up => "fp.ceil",
            Rounding::Down => "fp.floor",
            Rounding::Zero => "fp.trunc",
        },
        Op::FEq => "fp.eq",
        Op::FLt => "fp.lt",
        Op::FLe => "fp.leq",
        Op::FConvert => "fp.to_fp",
        Op::SToF => "fp.of_sbv",
        Op::UToF => "fp.of_ubv",
        Op::FToS => "fp.to_sbv",
        Op::FToU => "fp.to_ubv",
        _ => "",
    };
    let format = format!("{:?}", n.float().format).to_lowercase();
    match n.op {
        Op::FConvert => {
            let from = format!("{:?}", n.float().from).to_lowercase();
            write!(f, "{name}.{from}.{format}")
        }
        _ => write!(f, "{name}.{format}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shared_terms_are_bound_once() {
        let mut p = Pool::new();
        let (x, y) = (p.var("x", Sort::Bits(8)), p.var("y", Sort::Bits(8)));
        let mut e = p.udiv(x, y);
        for _ in 0..200 {
            e = p.udiv(e, e);
        }
        let text = p.smtlib(e).to_string();
        assert!(text.len() < 200 * 40, "{}", text.len());
        let s = p.udiv(x, y);
        let t = p.urem(s, y);
        let c = p.ult(t, s);
        assert_eq!(
            p.smtlib(c).to_string(),
            "(let ((e2 (bvudiv x!0 y!1))) (bvult (bvurem e2 y!1) e2))"
        );
    }
}
