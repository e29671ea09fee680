//! Expressions as C conditions, for other tools to read. Every operation is written so that it means in C what it
//! means here: arithmetic is done on unsigned types, which wrap, and comparisons on the signed or unsigned type that
//! they are about. What C has no words for has no text.

use super::expr::{ExprId, Op, Pool, VarId};
use super::value::{mask, signed};

/// Longer texts help nobody.
const LONGEST: usize = 4_000;

/// A C integer type, by its size.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CInt {
    pub bits: u32,
    pub is_signed: bool,
}

impl CInt {
    /// As C writes it.
    pub fn name(self) -> Option<&'static str> {
        Some(match (self.bits, self.is_signed) {
            (8, true) => "signed char",
            (8, false) => "unsigned char",
            (16, true) => "short",
            (16, false) => "unsigned short",
            (32, true) => "int",
            (32, false) => "unsigned int",
            (64, true) => "long long",
            (64, false) => "unsigned long long",
            _ => return None,
        })
    }
}

/// What the program calls a variable.
#[derive(Debug, Clone)]
pub struct CName {
    pub text: String,
    pub ty: CInt,
}

/// A text and what C takes it for.
struct Text {
    text: String,
    /// It needs no brackets as an operand.
    is_atom: bool,
    /// None for a condition, which is 0 or 1.
    ty: Option<CInt>,
}

impl Text {
    fn operand(&self) -> String {
        if self.is_atom { self.text.clone() } else { format!("({})", self.text) }
    }
}

impl Pool {
    /// The condition in C, if `names` has a name for each of its variables.
    pub fn c_condition(&self, e: ExprId, names: &dyn Fn(VarId) -> Option<CName>) -> Option<String> {
        let writer = Writer { pool: self, names };
        let text = writer.condition(e, 0)?;
        (text.text.len() <= LONGEST).then_some(text.text)
    }
}

struct Writer<'w> {
    pool: &'w Pool,
    names: &'w dyn Fn(VarId) -> Option<CName>,
}

/// Expressions nested deeper are not written.
const DEEPEST: u32 = 40;

impl Writer<'_> {
    fn condition(&self, e: ExprId, depth: u32) -> Option<Text> {
        let node = self.pool.node(e);
        let binary = |op: &str, a: String, b: String| Text {
            text: format!("{a} {op} {b}"),
            is_atom: false,
            ty: None,
        };
        if node.width() != 1 || depth > DEEPEST {
            return None;
        }
        Some(match node.op {
            Op::Const => {
                let text = if self.pool.as_const(e) == Some(0) { "0" } else { "1" };
                Text { text: text.to_owned(), is_atom: true, ty: None }
            }
            Op::Not => {
                let inner = node.child(0);
                let parts = self.pool.node(inner);
                match parts.op {
                    Op::Eq | Op::Ult | Op::Slt if self.pool.width(parts.child(0)) > 1 => {
                        let (op, a, b) = self.compared(inner, depth)?;
                        binary(opposite(op), a, b)
                    }
                    _ => {
                        let inner = self.condition(inner, depth + 1)?;
                        let text = format!("!{}", inner.operand());
                        Text { text, is_atom: true, ty: None }
                    }
                }
            }
            Op::And | Op::Or => {
                let op = if node.op == Op::And { "&&" } else { "||" };
                let (a, b) = (node.child(0), node.child(1));
                let (a, b) = (self.condition(a, depth + 1)?, self.condition(b, depth + 1)?);
                binary(op, a.operand(), b.operand())
            }
            Op::Xor => {
                let (a, b) = (node.child(0), node.child(1));
                let (a, b) = (self.condition(a, depth + 1)?, self.condition(b, depth + 1)?);
                binary("!=", a.operand(), b.operand())
            }
            Op::Eq if self.pool.width(node.child(0)) == 1 => {
                let (a, b) = (node.child(0), node.child(1));
                let (a, b) = (self.condition(a, depth + 1)?, self.condition(b, depth + 1)?);
                binary("==", a.operand(), b.operand())
            }
            Op::Eq | Op::Ult | Op::Slt => {
                let (op, a, b) = self.compared(e, depth)?;
                binary(op, a, b)
            }
            Op::Ite => {
                let part = |i: usize| self.condition(node.child(i), depth + 1);
                let (cond, then, other) = (part(0)?, part(1)?, part(2)?);
                let text = format!("{} ? {} : {}", cond.operand(), then.operand(), other.operand());
                Text { text, is_atom: false, ty: None }
            }
            Op::Extract => {
                let whole = self.as_type(node.child(0), false, depth + 1)?;
                let text = match node.low() {
                    0 => format!("({} & 1) != 0", whole.operand()),
                    low => format!("({} >> {low} & 1) != 0", whole.operand()),
                };
                Text { text, is_atom: false, ty: None }
            }
            _ => return None,
        })
    }

    /// The two sides of a comparison and how they are compared.
    fn compared(&self, e: ExprId, depth: u32) -> Option<(&'static str, String, String)> {
        let node = self.pool.node(e);
        let (a, b) = (node.child(0), node.child(1));
        let (op, is_signed) = match node.op {
            Op::Slt => ("<", true),
            Op::Ult => ("<", false),
            _ => ("==", self.is_signed(a, depth) && self.is_signed(b, depth)),
        };
        let side = |e| Some(self.as_type(e, is_signed, depth + 1)?.operand());
        // A number is written on the right.
        match self.pool.as_const(a) {
            Some(_) => Some((mirrored(op), side(b)?, side(a)?)),
            None => Some((op, side(a)?, side(b)?)),
        }
    }

    /// Whether the text of it is signed anyway.
    fn is_signed(&self, e: ExprId, depth: u32) -> bool {
        self.pool.as_const(e).is_some()
            || self.term(e, depth + 1).and_then(|t| t.ty).is_some_and(|ty| ty.is_signed)
    }

    /// A number as the signed or unsigned type of its width.
    fn as_type(&self, e: ExprId, is_signed: bool, depth: u32) -> Option<Text> {
        let ty = CInt { bits: self.pool.width(e), is_signed };
        let Some(name) = ty.name() else { return self.odd(e, is_signed, depth) };
        if let Some(number) = self.pool.as_const(e) {
            return Some(literal(number, ty));
        }
        let text = self.term(e, depth)?;
        if text.ty == Some(ty) {
            return Some(text);
        }
        Some(Text { text: format!("({name}){}", text.operand()), is_atom: true, ty: Some(ty) })
    }

    /// A number of a width that no type has, as a wider one.
    fn odd(&self, e: ExprId, is_signed: bool, depth: u32) -> Option<Text> {
        let node = self.pool.node(e);
        let bits = [8, 16, 32, 64].into_iter().find(|&bits| node.width() < bits)?;
        let ty = CInt { bits, is_signed: false };
        match node.op {
            Op::Const if !is_signed => Some(literal(self.pool.as_const(e)?, ty)),
            Op::Extract if !is_signed => {
                let whole = self.as_type(node.child(0), false, depth + 1)?;
                let shifted = match node.low() {
                    0 => whole.operand(),
                    low => format!("({} >> {low})", whole.operand()),
                };
                let text = format!("({})({shifted} & {})", ty.name()?, mask(node.width()));
                Some(Text { text, is_atom: true, ty: Some(ty) })
            }
            _ => None,
        }
    }

    /// A number as whatever type it has in C.
    fn term(&self, e: ExprId, depth: u32) -> Option<Text> {
        let node = self.pool.node(e);
        if depth > DEEPEST {
            return None;
        }
        let unsigned = CInt { bits: node.width(), is_signed: false };
        unsigned.name()?;
        match node.op {
            Op::Const => Some(literal(self.pool.as_const(e)?, unsigned)),
            Op::Var => {
                let CName { text, ty } = (self.names)(node.var())?;
                (ty.bits == node.width()).then_some(Text { text, is_atom: true, ty: Some(ty) })
            }
            Op::Not => {
                let inner = self.as_type(node.child(0), false, depth + 1)?;
                Some(narrowed(format!("~{}", inner.operand()), unsigned))
            }
            Op::Add => self.sum(e, depth),
            Op::And => self.binary(e, "&", false, depth),
            Op::Or => self.binary(e, "|", false, depth),
            Op::Xor => self.binary(e, "^", false, depth),
            Op::Mul => self.binary(e, "*", false, depth),
            Op::UDiv | Op::URem | Op::SDiv | Op::SRem => {
                let by = self.pool.as_const(node.child(1))?;
                let is_signed = matches!(node.op, Op::SDiv | Op::SRem);
                if by == 0 || by == mask(node.width()) {
                    return None;
                }
                let op = if matches!(node.op, Op::UDiv | Op::SDiv) { "/" } else { "%" };
                self.binary(e, op, is_signed, depth)
            }
            Op::Shl | Op::LShr | Op::AShr => {
                let by = self.pool.as_const(node.child(1))?;
                if by >= u128::from(node.width()) {
                    return None;
                }
                let is_signed = node.op == Op::AShr;
                let value = self.as_type(node.child(0), is_signed, depth + 1)?;
                let op = if node.op == Op::Shl { "<<" } else { ">>" };
                let ty = CInt { is_signed, ..unsigned };
                Some(narrowed(format!("{} {op} {by}", wide(&value, ty)), ty))
            }
            Op::Extract => {
                let whole = self.as_type(node.child(0), false, depth + 1)?;
                let text = match node.low() {
                    0 => whole.operand(),
                    low => format!("({} >> {low})", whole.operand()),
                };
                let text = format!("({}){text}", unsigned.name()?);
                Some(Text { text, is_atom: true, ty: Some(unsigned) })
            }
            Op::ZExt | Op::SExt => {
                let is_signed = node.op == Op::SExt;
                let from = self.pool.width(node.child(0));
                let is_odd = !matches!(from, 1 | 8 | 16 | 32 | 64);
                let (inner, ty) = match from {
                    1 if is_signed => return None,
                    _ if is_odd && is_signed => return None,
                    1 => (self.condition(node.child(0), depth + 1)?, unsigned),
                    _ => {
                        let ty = CInt { is_signed, ..unsigned };
                        (self.as_type(node.child(0), is_signed, depth + 1)?, ty)
                    }
                };
                let text = format!("({}){}", ty.name()?, inner.operand());
                Some(Text { text, is_atom: true, ty: Some(ty) })
            }
            Op::Ite => {
                let cond = self.condition(node.child(0), depth + 1)?;
                let then = self.as_type(node.child(1), false, depth + 1)?;
                let other = self.as_type(node.child(2), false, depth + 1)?;
                let text = format!("{} ? {} : {}", cond.operand(), then.operand(), other.operand());
                Some(narrowed(text, unsigned))
            }
            _ => None,
        }
    }

    fn binary(&self, e: ExprId, op: &str, is_signed: bool, depth: u32) -> Option<Text> {
        let node = self.pool.node(e);
        let ty = CInt { bits: node.width(), is_signed };
        let side = |i: usize| Some(wide(&self.as_type(node.child(i), is_signed, depth + 1)?, ty));
        Some(narrowed(format!("{} {op} {}", side(0)?, side(1)?), ty))
    }

    /// A sum, with what is subtracted as such.
    fn sum(&self, e: ExprId, depth: u32) -> Option<Text> {
        let node = self.pool.node(e);
        let ty = CInt { bits: node.width(), is_signed: false };
        let mut sides = [node.child(0), node.child(1)];
        if self.minus(sides[0]).is_some() || self.pool.as_const(sides[0]).is_some() {
            sides.reverse();
        }
        let left = wide(&self.as_type(sides[0], false, depth + 1)?, ty);
        let (op, right) = match (self.pool.as_const(sides[1]), self.minus(sides[1])) {
            (Some(number), _) if signed(number, ty.bits) < 0 => {
                ("-", literal(number.wrapping_neg() & mask(ty.bits), ty))
            }
            (None, Some(part)) => ("-", self.as_type(part, false, depth + 1)?),
            _ => ("+", self.as_type(sides[1], false, depth + 1)?),
        };
        Some(narrowed(format!("{left} {op} {}", wide(&right, ty)), ty))
    }

    /// `x`, if it is `-x`.
    fn minus(&self, e: ExprId) -> Option<ExprId> {
        let node = self.pool.node(e);
        let is_minus = |e| self.pool.as_const(e) == Some(mask(node.width()));
        if node.op != Op::Mul {
            return None;
        }
        let (a, b) = (node.child(0), node.child(1));
        if is_minus(a) { Some(b) } else { is_minus(b).then_some(a) }
    }
}

/// An operand of an operation on the type; what is narrower than `int` would be one without the cast.
fn wide(text: &Text, ty: CInt) -> String {
    match ty {
        CInt { bits: 32.., .. } => text.operand(),
        CInt { is_signed: true, .. } => format!("(int){}", text.operand()),
        CInt { is_signed: false, .. } => format!("(unsigned int){}", text.operand()),
    }
}

/// An operation's result, made narrow again where C makes it wide.
fn narrowed(text: String, ty: CInt) -> Text {
    match ty.name() {
        Some(name) if ty.bits < 32 => {
            Text { text: format!("({name})({text})"), is_atom: true, ty: Some(ty) }
        }
        _ => Text { text, is_atom: false, ty: Some(ty) },
    }
}

fn literal(number: u128, ty: CInt) -> Text {
    let text = match (ty.bits, ty.is_signed) {
        (64, true) if number == 1 << 63 => "(-9223372036854775807LL - 1)".to_owned(),
        (32, true) if number == 1 << 31 => "(-2147483647 - 1)".to_owned(),
        (64, true) => format!("{}LL", signed(number, 64)),
        (64, false) => format!("{number}ULL"),
        (32, false) => format!("{number}U"),
        (bits, true) => signed(number, bits).to_string(),
        (_, false) => number.to_string(),
    };
    Text { text, is_atom: true, ty: Some(ty) }
}

fn mirrored(op: &'static str) -> &'static str {
    if op == "<" { ">" } else { op }
}

fn opposite(op: &'static str) -> &'static str {
    match op {
        "<" => ">=",
        ">" => "<=",
        "==" => "!=",
        other => other,
    }
}
