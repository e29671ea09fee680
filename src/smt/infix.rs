//! Expressions as a C programmer writes them, for explanations: `x + 3 <= y`. Comparisons are signed
//! unless marked (`<u`); operations on floats carry a dot (`+.`); what is large and occurs more than
//! once is named and explained after `where`.

use super::expr::{ExprId, Node, Op, Pool};
use super::float::Rounding;
use super::print::uses;
use super::value::{mask, signed};
use rustc_hash::FxHashMap;
use std::fmt::{self, Display};

/// A term of up to this many nodes is repeated rather than named.
const REPEATED: u32 = 6;

/// How tightly an operation binds, as in C.
mod binds {
    pub const CHOICE: u8 = 1;
    pub const OROR: u8 = 2;
    pub const ANDAND: u8 = 3;
    pub const OR: u8 = 4;
    pub const XOR: u8 = 5;
    pub const AND: u8 = 6;
    pub const EQUAL: u8 = 7;
    pub const LESS: u8 = 8;
    pub const SHIFT: u8 = 9;
    pub const SUM: u8 = 10;
    pub const PRODUCT: u8 = 11;
    pub const UNARY: u8 = 12;
    pub const ATOM: u8 = 13;
}

#[derive(Debug, Clone, Copy)]
pub struct Infix<'p> {
    pool: &'p Pool,
    root: ExprId,
}

impl Pool {
    pub fn infix(&self, e: ExprId) -> Infix<'_> {
        Infix { pool: self, root: e }
    }
}

/// A piece of text to come.
enum Item {
    Text(&'static str),
    Own(String),
    /// An operand, in brackets if it binds less tightly than this.
    Expr(ExprId, u8),
}

use Item::{Expr, Own, Text};

impl Display for Infix<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let order = self.pool.reachable(&[self.root]);
        let uses = uses(self.pool, &order);
        let mut sizes: FxHashMap<ExprId, u32> = FxHashMap::default();
        let mut named = Vec::new();
        for &e in &order {
            let children = self.pool.node(e).children();
            let size = children.fold(1u32, |n, c| n.saturating_add(*sizes.get(&c).unwrap_or(&1)));
            if size > REPEATED && e != self.root && uses.get(&e).is_some_and(|&n| n > 1) {
                named.push(e);
                sizes.insert(e, 1);
            } else {
                sizes.insert(e, size);
            }
        }
        self.write(f, self.root, &named)?;
        for (i, &e) in named.iter().enumerate().rev() {
            f.write_str(if i + 1 == named.len() { " where " } else { ", " })?;
            write!(f, "{e} = ")?;
            self.write(f, e, &named)?;
        }
        Ok(())
    }
}

impl Infix<'_> {
    fn write(&self, f: &mut fmt::Formatter<'_>, root: ExprId, named: &[ExprId]) -> fmt::Result {
        let mut stack = vec![Expr(root, 0)];
        let mut first = true;
        while let Some(item) = stack.pop() {
            match item {
                Text(text) => f.write_str(text)?,
                Own(text) => f.write_str(&text)?,
                Expr(e, _) if !first && named.binary_search(&e).is_ok() => write!(f, "{e}")?,
                Expr(e, needed) => {
                    let (binds, mut items) = self.items(e);
                    if binds < needed {
                        items.insert(0, Text("("));
                        items.push(Text(")"));
                    }
                    stack.extend(items.into_iter().rev());
                }
            }
            first = false;
        }
        Ok(())
    }

    fn items(&self, e: ExprId) -> (u8, Vec<Item>) {
        let n = self.pool.node(e);
        let truth = n.width() == 1;
        let infix = |binds: u8, sign: &'static str| {
            (binds, vec![Expr(n.child(0), binds), Text(sign), Expr(n.child(1), binds + 1)])
        };
        let call = |name: &'static str| {
            let mut items = vec![Text(name), Text("(")];
            for (i, c) in n.children().enumerate() {
                items.push(Text(if i > 0 { ", " } else { "" }));
                items.push(Expr(c, 0));
            }
            items.push(Text(")"));
            (binds::ATOM, items)
        };
        let cast = |letter: char| {
            let name = format!("({letter}{}) ", n.width());
            (binds::UNARY, vec![Own(name), Expr(n.child(0), binds::UNARY)])
        };
        match n.op {
            Op::Const => (binds::ATOM, vec![Own(self.constant(&n, true))]),
            Op::Var => (binds::ATOM, vec![Own(self.pool.name(n.var()).to_owned())]),
            Op::Not if truth => self.negation(n.child(0)),
            Op::Not => (binds::UNARY, vec![Text("~"), Expr(n.child(0), binds::UNARY)]),
            Op::And if truth => infix(binds::ANDAND, " && "),
            Op::Or if truth => infix(binds::OROR, " || "),
            Op::Xor if truth => infix(binds::EQUAL, " != "),
            Op::And => infix(binds::AND, " & "),
            Op::Or => infix(binds::OR, " | "),
            Op::Xor => infix(binds::XOR, " ^ "),
            Op::Add => self.sum(&n),
            Op::Mul => match self.pool.as_const(n.child(1)) {
                Some(k) if k == mask(n.width()) => {
                    (binds::UNARY, vec![Text("-"), Expr(n.child(0), binds::UNARY)])
                }
                _ => infix(binds::PRODUCT, " * "),
            },
            Op::SDiv => infix(binds::PRODUCT, " / "),
            Op::SRem => infix(binds::PRODUCT, " % "),
            Op::UDiv => infix(binds::PRODUCT, " /u "),
            Op::URem => infix(binds::PRODUCT, " %u "),
            Op::Shl => infix(binds::SHIFT, " << "),
            Op::LShr => infix(binds::SHIFT, " >>u "),
            Op::AShr => infix(binds::SHIFT, " >> "),
            Op::Concat => call("concat"),
            Op::Extract if n.low() == 0 => cast('u'),
            Op::Extract => {
                let bits = format!("[{}:{}]", n.low() + n.width() - 1, n.low());
                (binds::ATOM, vec![Expr(n.child(0), binds::ATOM), Own(bits)])
            }
            Op::ZExt => cast('u'),
            Op::SExt => cast('i'),
            Op::Ite => {
                let (c, t, o) = (n.child(0), n.child(1), n.child(2));
                let items = [Expr(c, 2), Text(" ? "), Expr(t, 1), Text(" : "), Expr(o, 1)];
                (binds::CHOICE, items.into())
            }
            Op::Eq => infix(binds::EQUAL, " == "),
            Op::Ult | Op::Slt => self.order(&n, false),
            Op::UMulO => call("umul_overflows"),
            Op::SMulO => call("smul_overflows"),
            Op::Select => {
                let (m, i) = (n.child(0), n.child(1));
                (binds::ATOM, vec![Expr(m, binds::ATOM), Text("["), Expr(i, 0), Text("]")])
            }
            Op::Store => {
                let (m, i, v) = (n.child(0), n.child(1), n.child(2));
                let items = [Expr(m, binds::ATOM), Text("{"), Expr(i, 0), Text(" := "), Expr(v, 0)];
                let mut items = Vec::from(items);
                items.push(Text("}"));
                (binds::ATOM, items)
            }
            Op::ConstBytes => call("all_bytes"),
            Op::FAdd => infix(binds::SUM, " +. "),
            Op::FMul => infix(binds::PRODUCT, " *. "),
            Op::FDiv => infix(binds::PRODUCT, " /. "),
            Op::FEq => infix(binds::EQUAL, " ==. "),
            Op::FLt => infix(binds::LESS, " <. "),
            Op::FLe => infix(binds::LESS, " <=. "),
            Op::FRem => call("fmod"),
            Op::FFma => call("fma"),
            Op::FSqrt => call("sqrt"),
            Op::FRound => call(match n.float().rounding {
                Rounding::NearestEven => "rint",
                Rounding::NearestAway => "round",
                Rounding::Up => "ceil",
                Rounding::Down => "floor",
                Rounding::Zero => "trunc",
            }),
            Op::FConvert | Op::SToF | Op::UToF => cast('f'),
            Op::FToS => cast('i'),
            Op::FToU => cast('u'),
        }
    }

    fn constant(&self, n: &Node, is_signed: bool) -> String {
        let value = self.pool.const_value(n);
        match n.width() {
            1 => (value == 1).to_string(),
            w if is_signed => signed(value, w).to_string(),
            _ => value.to_string(),
        }
    }

    fn negation(&self, inner: ExprId) -> (u8, Vec<Item>) {
        let n = self.pool.node(inner);
        match n.op {
            Op::Eq => {
                let (a, b) = (n.child(0), n.child(1));
                (binds::EQUAL, vec![Expr(a, binds::EQUAL), Text(" != "), Expr(b, binds::LESS)])
            }
            Op::Ult | Op::Slt => self.order(&n, true),
            Op::Xor => {
                let (a, b) = (n.child(0), n.child(1));
                (binds::EQUAL, vec![Expr(a, binds::EQUAL), Text(" == "), Expr(b, binds::LESS)])
            }
            _ => (binds::UNARY, vec![Text("!"), Expr(inner, binds::UNARY)]),
        }
    }

    /// `a < b`, or negated `b <= a`; a constant stands on the right.
    fn order(&self, n: &Node, negated: bool) -> (u8, Vec<Item>) {
        let (a, b) = (n.child(0), n.child(1));
        let constant = |e: ExprId| self.pool.op(e) == Op::Const;
        // Where neither can be negative, the two orders are one.
        let plain = |e: ExprId| self.pool.facts(e).is_some_and(|f| f.smin >= 0);
        let is_signed = n.op == Op::Slt || (plain(a) && plain(b));
        let flip = if negated { !constant(b) } else { constant(a) };
        let (left, right) = if flip { (b, a) } else { (a, b) };
        let sign = match (flip, negated, is_signed) {
            (false, false, true) => " < ",
            (false, false, false) => " <u ",
            (true, false, true) => " > ",
            (true, false, false) => " >u ",
            (true, true, true) => " <= ",
            (true, true, false) => " <=u ",
            (false, true, true) => " >= ",
            (false, true, false) => " >=u ",
        };
        let side = |e: ExprId, binds: u8| match self.pool.node(e) {
            k if k.op == Op::Const => Own(self.constant(&k, is_signed)),
            _ => Expr(e, binds),
        };
        (binds::LESS, vec![side(left, binds::LESS), Text(sign), side(right, binds::SHIFT)])
    }

    /// `a + b`, or `a - b` where the second is negated or a negative number.
    fn sum(&self, n: &Node) -> (u8, Vec<Item>) {
        let (a, b) = (n.child(0), n.child(1));
        let w = n.width();
        let right = self.pool.node(b);
        let minus = match right.op {
            Op::Const => {
                let k = signed(self.pool.const_value(&right), w);
                (k < 0).then(|| Own(k.unsigned_abs().to_string()))
            }
            Op::Mul if self.pool.as_const(right.child(1)) == Some(mask(w)) => {
                Some(Expr(right.child(0), binds::PRODUCT))
            }
            _ => None,
        };
        match minus {
            Some(item) => (binds::SUM, vec![Expr(a, binds::SUM), Text(" - "), item]),
            None => (binds::SUM, vec![Expr(a, binds::SUM), Text(" + "), Expr(b, binds::PRODUCT)]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::smt::expr::Sort;

    #[test]
    fn reads_like_c() {
        let mut p = Pool::new();
        let [x, y, z] = ["x", "y", "z"].map(|n| p.var(n, Sort::Bits(32)));
        let (three, minus) = (p.constant(3, 32), p.constant(u128::MAX - 4, 32));
        let sum = p.add(x, three);
        let le = p.sle(sum, y);
        assert_eq!(p.infix(le).to_string(), "x + 3 <= y");
        let diff = p.sub(x, y);
        let product = p.mul(diff, z);
        let ge = p.sge(product, minus);
        assert_eq!(p.infix(ge).to_string(), "z * (x - y) >= -5");
        let lt = p.ult(x, y);
        let ne = p.ne(x, z);
        let both = p.and(lt, ne);
        let not = p.not(both);
        assert_eq!(p.infix(both).to_string(), "x <u y && x != z");
        assert_eq!(p.infix(not).to_string(), "!(x <u y && x != z)");
        let gt = p.sgt(x, three);
        let choice = p.ite(gt, y, z);
        assert_eq!(p.infix(choice).to_string(), "x > 3 ? y : z");
        let m = p.var("m", Sort::Bytes { index: 32 });
        let byte = p.select(m, sum);
        let wide = p.sext(byte, 32);
        let le = p.sle(wide, x);
        assert_eq!(p.infix(le).to_string(), "(i32) m[x + 3] <= x");
        let (a, b) = (p.slt(x, three), p.ult(x, three));
        assert_eq!(p.infix(a).to_string(), "x < 3");
        assert_eq!(p.infix(b).to_string(), "x <u 3");
        let (a, b) = (p.sge(x, three), p.sle(x, three));
        assert_eq!(p.infix(a).to_string(), "x >= 3");
        assert_eq!(p.infix(b).to_string(), "x <= 3");
    }

    #[test]
    fn shared_terms_are_named() {
        let mut p = Pool::new();
        let [x, y] = ["x", "y"].map(|n| p.var(n, Sort::Bits(32)));
        let mut e = p.udiv(x, y);
        for _ in 0..100 {
            e = p.urem(e, y);
            e = p.udiv(e, e);
        }
        assert!(p.infix(e).to_string().len() < 100 * 60);
    }
}
