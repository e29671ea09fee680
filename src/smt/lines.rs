//! Expressions as lines of text that can be read back: one operation a line, its operands named by the numbers of
//! earlier lines. A file of such lines may come from anybody, so reading checks every width before it makes anything.

use super::expr::{ExprId, MAX_WIDTH, Node, Op, Pool};
use super::float::Format;

/// The operations that are written, by name. Arrays of bytes are not among them.
const NAMES: &[(Op, &str)] = &[
    (Op::Not, "not"),
    (Op::And, "and"),
    (Op::Or, "or"),
    (Op::Xor, "xor"),
    (Op::Add, "add"),
    (Op::Mul, "mul"),
    (Op::UDiv, "udiv"),
    (Op::URem, "urem"),
    (Op::SDiv, "sdiv"),
    (Op::SRem, "srem"),
    (Op::Shl, "shl"),
    (Op::LShr, "lshr"),
    (Op::AShr, "ashr"),
    (Op::Concat, "concat"),
    (Op::Extract, "extract"),
    (Op::ZExt, "zext"),
    (Op::SExt, "sext"),
    (Op::Ite, "ite"),
    (Op::Eq, "eq"),
    (Op::Ult, "ult"),
    (Op::Slt, "slt"),
    (Op::UMulO, "umulo"),
    (Op::SMulO, "smulo"),
    (Op::FAdd, "fadd"),
    (Op::FMul, "fmul"),
    (Op::FDiv, "fdiv"),
    (Op::FEq, "feq"),
    (Op::FLt, "flt"),
    (Op::FLe, "fle"),
    (Op::FConvert, "fconvert"),
    (Op::SToF, "stof"),
    (Op::UToF, "utof"),
    (Op::FToS, "ftos"),
    (Op::FToU, "ftou"),
];

/// An operation as it is written: its name, numbers that belong to it, and how many operands it has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Operation {
    op: Op,
    numbers: [u32; 2],
}

impl Operation {
    /// What a node does; nothing if that is not written, or for constants and variables.
    pub fn of(node: &Node) -> Option<Operation> {
        NAMES.iter().find(|(op, _)| *op == node.op)?;
        let float = |format: Format| Format::ALL.iter().position(|f| *f == format).unwrap_or(0);
        let numbers = match node.op {
            Op::Extract => [node.low(), node.width()],
            Op::ZExt | Op::SExt => [node.width(), 0],
            Op::FConvert => {
                let aux = node.float();
                [float(aux.from) as u32, float(aux.format) as u32]
            }
            Op::FAdd | Op::FMul | Op::FDiv | Op::FEq | Op::FLt | Op::FLe => {
                [float(node.float().format) as u32, 0]
            }
            Op::SToF | Op::UToF | Op::FToS | Op::FToU => {
                [float(node.float().format) as u32, node.width()]
            }
            _ => [0, 0],
        };
        Some(Operation { op: node.op, numbers })
    }

    pub fn name(self) -> &'static str {
        NAMES.iter().find(|(op, _)| *op == self.op).map_or("", |(_, name)| name)
    }

    /// How many numbers belong to it.
    fn count(op: Op) -> usize {
        match op {
            Op::Extract | Op::FConvert | Op::SToF | Op::UToF | Op::FToS | Op::FToU => 2,
            Op::ZExt | Op::SExt | Op::FAdd | Op::FMul | Op::FDiv => 1,
            Op::FEq | Op::FLt | Op::FLe => 1,
            _ => 0,
        }
    }

    pub fn numbers(&self) -> &[u32] {
        &self.numbers[..Operation::count(self.op)]
    }

    /// Reads a name and its numbers, and leaves the operands.
    pub fn read<'t>(words: &mut impl Iterator<Item = &'t str>) -> Option<Operation> {
        let name = words.next()?;
        let (op, _) = *NAMES.iter().find(|(_, known)| *known == name)?;
        let mut numbers = [0; 2];
        for number in numbers.iter_mut().take(Operation::count(op)) {
            *number = words.next()?.parse().ok()?;
        }
        Some(Operation { op, numbers })
    }
}

impl Pool {
    /// The operation on these operands; nothing if it has no meaning for them.
    pub fn operation(&mut self, operation: Operation, of: &[ExprId]) -> Option<ExprId> {
        let Operation { op, numbers: [first, second] } = operation;
        let width = |i: usize| of.get(i).map(|&e| self.width(e)).filter(|&w| w > 0);
        let format = |number: u32| Format::ALL.get(number as usize).copied();
        let is_bits = |bits: u32| (1..=MAX_WIDTH).contains(&bits);
        Some(match (op, of) {
            (Op::Not, &[a]) => {
                width(0)?;
                self.not(a)
            }
            (Op::Extract, &[a]) => {
                let fits = is_bits(second) && first.checked_add(second)? <= width(0)?;
                fits.then(|| self.extract(a, first, second))?
            }
            (Op::ZExt | Op::SExt, &[a]) => {
                (is_bits(first) && first >= width(0)?).then_some(())?;
                if op == Op::ZExt { self.zext(a, first) } else { self.sext(a, first) }
            }
            (Op::Concat, &[a, b]) => {
                is_bits(width(0)? + width(1)?).then_some(())?;
                self.concat(a, b)
            }
            (Op::Ite, &[a, b, c]) => {
                (width(0)? == 1 && width(1)? == width(2)?).then(|| self.ite(a, b, c))?
            }
            (Op::FConvert, &[a]) => {
                let (from, to) = (format(first)?, format(second)?);
                (width(0)? == from.width() && from != to).then(|| self.fconvert(from, to, a))?
            }
            (Op::SToF | Op::UToF, &[a]) => {
                let to = format(first)?;
                (width(0)? <= 64 && second == to.width()).then_some(())?;
                self.int_to_float(a, op == Op::SToF, to)
            }
            (Op::FToS | Op::FToU, &[a]) => {
                let from = format(first)?;
                let fits = width(0)? == from.width() && (1..=64).contains(&second);
                fits.then(|| self.float_to_int(from, a, op == Op::FToS, second))?
            }
            (Op::FAdd | Op::FMul | Op::FDiv | Op::FEq | Op::FLt | Op::FLe, &[a, b]) => {
                let f = format(first)?;
                (width(0)? == f.width() && width(1)? == f.width()).then_some(())?;
                match op {
                    Op::FAdd => self.fadd(f, a, b),
                    Op::FMul => self.fmul(f, a, b),
                    Op::FDiv => self.fdiv(f, a, b),
                    Op::FEq => self.feq(f, a, b),
                    Op::FLt => self.flt(f, a, b),
                    _ => self.fle(f, a, b),
                }
            }
            (_, &[a, b]) if width(0)? == width(1)? => match op {
                Op::And => self.and(a, b),
                Op::Or => self.or(a, b),
                Op::Xor => self.xor(a, b),
                Op::Add => self.add(a, b),
                Op::Mul => self.mul(a, b),
                Op::UDiv => self.udiv(a, b),
                Op::URem => self.urem(a, b),
                Op::SDiv => self.sdiv(a, b),
                Op::SRem => self.srem(a, b),
                Op::Shl => self.shl(a, b),
                Op::LShr => self.lshr(a, b),
                Op::AShr => self.ashr(a, b),
                Op::Eq => self.eq(a, b),
                Op::Ult => self.ult(a, b),
                Op::Slt => self.slt(a, b),
                Op::UMulO => self.umul_overflow(a, b),
                Op::SMulO => self.smul_overflow(a, b),
                _ => return None,
            },
            _ => return None,
        })
    }
}
