//! Expressions as Z3's terms. A truth value is a `Bool` there, a float operation a `Float`; each
//! node is made in the form it has by nature and turned into another where one is asked for.

use crate::smt::expr::{ExprId, Node, Op, Pool, Sort};
use crate::smt::float::{Format, Rounding};
use crate::smt::value::sign_bit;
use rustc_hash::FxHashMap;
use z3::ast::{Array, Ast, BV, Bool, Float, RoundingMode};

/// Z3 writes each sum (product, conjunction …) inside another one out as one of all their parts, one after the other,
/// and hears of no limit meanwhile: a sum of 100,000 numbers took it half a minute. This many parts take it about a
/// second.
const MOST_FLATTENED: u64 = 200_000_000;

/// How many parts all sums (products …) among these nodes have when written out.
fn flattened(pool: &Pool, nodes: &[ExprId]) -> u64 {
    let mut parts: FxHashMap<ExprId, u64> = FxHashMap::default();
    for &e in nodes {
        let node = pool.node(e);
        if !matches!(node.op, Op::Add | Op::Mul | Op::And | Op::Or | Op::Xor | Op::Concat) {
            continue;
        }
        let part = |child: ExprId| match parts.get(&child) {
            Some(&parts) if pool.op(child) == node.op => parts,
            _ => 1,
        };
        let all = node.children().map(part).fold(0u64, u64::saturating_add);
        parts.insert(e, all);
    }
    parts.values().fold(0, |sum, &all| sum.saturating_add(all))
}

/// Z3 lays a division out gate by gate, and hears of no limit meanwhile either. It makes about this many gates in a second.
const MOST_GATES: u64 = 1 << 19;

/// How many gates the divisions among these nodes take, a little less than a dozen of Z3's counting as one.
fn gates(pool: &Pool, nodes: &[ExprId]) -> u64 {
    let divisions = nodes
        .iter()
        .map(|&e| pool.node(e))
        .filter(|node| matches!(node.op, Op::UDiv | Op::URem | Op::SDiv | Op::SRem));
    divisions.map(|node| u64::from(node.width()).pow(2)).sum()
}

#[derive(Debug)]
enum Term {
    Truth(Bool),
    Bits(BV),
    Bytes(Array),
    Float(Format, Float),
}

#[derive(Debug)]
pub(super) struct Terms<'p> {
    pool: &'p Pool,
    terms: FxHashMap<ExprId, Term>,
}

pub(super) fn constant(value: u128, width: u32) -> BV {
    if width <= 64 {
        return BV::from_u64(value as u64, width);
    }
    BV::from_u64((value >> 64) as u64, width - 64).concat(BV::from_u64(value as u64, 64))
}

fn float_sort(format: Format) -> z3::Sort {
    z3::Sort::float(format.exponent_bits(), format.fraction_bits() + 1)
}

fn rounding(mode: Rounding) -> RoundingMode {
    match mode {
        Rounding::NearestEven => RoundingMode::round_nearest_ties_to_even(),
        Rounding::NearestAway => RoundingMode::round_nearest_ties_to_away(),
        Rounding::Up => RoundingMode::round_towards_positive(),
        Rounding::Down => RoundingMode::round_towards_negative(),
        Rounding::Zero => RoundingMode::round_towards_zero(),
    }
}

impl<'p> Terms<'p> {
    /// Makes the terms of everything the roots need; an error names what Z3 does not have.
    pub fn new(pool: &'p Pool, roots: &[ExprId]) -> Result<Terms<'p>, &'static str> {
        let mut terms = Terms { pool, terms: FxHashMap::default() };
        let nodes = pool.reachable(roots);
        if flattened(pool, &nodes) > MOST_FLATTENED {
            return Err("time for a sum of so many terms");
        }
        if gates(pool, &nodes) > MOST_GATES {
            return Err("time for so many divisions");
        }
        for e in nodes {
            let term = terms.make(e)?;
            terms.terms.insert(e, term);
        }
        Ok(terms)
    }

    fn term(&self, e: ExprId) -> &Term {
        self.terms.get(&e).expect("children come before parents")
    }

    pub fn truth(&self, e: ExprId) -> Bool {
        match self.term(e) {
            Term::Truth(b) => b.clone(),
            Term::Bits(b) => b.eq(BV::from_u64(1, 1)),
            Term::Bytes(_) | Term::Float(..) => unreachable!("a truth value has one bit"),
        }
    }

    pub fn bits(&self, e: ExprId) -> BV {
        match self.term(e) {
            Term::Bits(b) => b.clone(),
            Term::Truth(b) => b.ite(&BV::from_u64(1, 1), &BV::from_u64(0, 1)),
            Term::Float(format, f) => bits_of_float(*format, f),
            Term::Bytes(_) => unreachable!("bytes are not bits"),
        }
    }

    pub fn bytes(&self, e: ExprId) -> &Array {
        match self.term(e) {
            Term::Bytes(a) => a,
            Term::Bits(_) | Term::Truth(_) | Term::Float(..) => unreachable!("bits are not bytes"),
        }
    }

    fn float(&self, e: ExprId, format: Format) -> Float {
        match self.term(e) {
            Term::Float(own, f) if *own == format => f.clone(),
            _ => float_of_bits(format, &self.bits(e)),
        }
    }

    fn make(&self, e: ExprId) -> Result<Term, &'static str> {
        let n = self.pool.node(e);
        if n.width() == 1 && n.op != Op::Extract {
            return self.make_truth(e, &n).map(Term::Truth);
        }
        let w = n.width();
        let a = || self.bits(n.child(0));
        let b = || self.bits(n.child(1));
        let from = || self.pool.width(n.child(0));
        let bits = match n.op {
            Op::Const => constant(self.pool.const_value(&n), w),
            Op::Var => match n.sort() {
                Sort::Bits(w) => BV::new_const(n.var().as_u32(), w),
                Sort::Bytes { index } => {
                    let (domain, range) = (z3::Sort::bitvector(index), z3::Sort::bitvector(8));
                    return Ok(Term::Bytes(Array::new_const(n.var().as_u32(), &domain, &range)));
                }
            },
            Op::Not => a().bvnot(),
            Op::And => a().bvand(b()),
            Op::Or => a().bvor(b()),
            Op::Xor => a().bvxor(b()),
            Op::Add => a().bvadd(b()),
            Op::Mul => match self.pool.as_const(n.child(1)) {
                Some(k) if k == crate::smt::value::mask(w) => a().bvneg(),
                _ => a().bvmul(b()),
            },
            Op::UDiv => a().bvudiv(b()),
            Op::URem => a().bvurem(b()),
            Op::SDiv => a().bvsdiv(b()),
            Op::SRem => a().bvsrem(b()),
            Op::Shl => a().bvshl(b()),
            Op::LShr => a().bvlshr(b()),
            Op::AShr => a().bvashr(b()),
            Op::Concat => a().concat(b()),
            Op::Extract => a().extract(n.low() + w - 1, n.low()),
            Op::ZExt if from() == 1 => self.truth(n.child(0)).ite(&constant(1, w), &constant(0, w)),
            Op::SExt if from() == 1 => {
                self.truth(n.child(0)).ite(&constant(u128::MAX, w), &constant(0, w))
            }
            Op::ZExt => a().zero_ext(w - from()),
            Op::SExt => a().sign_ext(w - from()),
            Op::Ite if w == 0 => {
                let (x, y) = (self.bytes(n.child(1)), self.bytes(n.child(2)));
                return Ok(Term::Bytes(self.truth(n.child(0)).ite(x, y)));
            }
            Op::Ite => self.truth(n.child(0)).ite(&b(), &self.bits(n.child(2))),
            Op::Select => {
                let cell = self.bytes(n.child(0)).select(&b());
                cell.as_bv().ok_or("bytes of that kind")?
            }
            Op::Store => {
                let stored = self.bytes(n.child(0)).store(&b(), &self.bits(n.child(2)));
                return Ok(Term::Bytes(stored));
            }
            Op::ConstBytes => {
                return Ok(Term::Bytes(Array::const_array(&z3::Sort::bitvector(n.low()), &a())));
            }
            Op::FToS | Op::FToU => self.float_to_integer(&n),
            Op::FAdd | Op::FMul | Op::FDiv | Op::FRem | Op::FFma | Op::FSqrt | Op::FRound => {
                return self.make_float(&n);
            }
            Op::FConvert | Op::SToF | Op::UToF => return self.make_float(&n),
            Op::Eq | Op::Ult | Op::Slt | Op::UMulO | Op::SMulO | Op::FEq | Op::FLt | Op::FLe => {
                unreachable!("a comparison has one bit")
            }
        };
        Ok(Term::Bits(bits))
    }

    fn make_truth(&self, e: ExprId, n: &Node) -> Result<Bool, &'static str> {
        let a = || self.truth(n.child(0));
        let b = || self.truth(n.child(1));
        let (x, y) = (|| self.bits(n.child(0)), || self.bits(n.child(1)));
        Ok(match n.op {
            Op::Const => Bool::from_bool(self.pool.const_value(n) != 0),
            Op::Var => Bool::new_const(n.var().as_u32()),
            Op::Not => a().not(),
            Op::And => Bool::and(&[a(), b()]),
            Op::Or => Bool::or(&[a(), b()]),
            Op::Xor => a().xor(b()),
            Op::Ite => a().ite(&b(), &self.truth(n.child(2))),
            Op::Eq => x().eq(y()),
            Op::Ult => x().bvult(y()),
            Op::Slt => x().bvslt(y()),
            Op::UMulO => x().bvmul_no_overflow(&y(), false).not(),
            Op::SMulO => {
                let fits = x().bvmul_no_overflow(&y(), true);
                Bool::and(&[fits, x().bvmul_no_underflow(y())]).not()
            }
            Op::FEq | Op::FLt | Op::FLe => {
                let format = n.float().format;
                let (f, g) = (self.float(n.child(0), format), self.float(n.child(1), format));
                match n.op {
                    Op::FEq => f.eq_fpa(g),
                    Op::FLt => f.lt(g),
                    _ => f.le(g),
                }
            }
            // The rest of the operations on one bit, rare as they are, as vectors.
            Op::UDiv => x().bvudiv(y()).eq(BV::from_u64(1, 1)),
            Op::URem => x().bvurem(y()).eq(BV::from_u64(1, 1)),
            Op::SDiv => x().bvsdiv(y()).eq(BV::from_u64(1, 1)),
            Op::SRem => x().bvsrem(y()).eq(BV::from_u64(1, 1)),
            Op::Shl => x().bvshl(y()).eq(BV::from_u64(1, 1)),
            Op::LShr => x().bvlshr(y()).eq(BV::from_u64(1, 1)),
            Op::AShr => x().bvashr(y()).eq(BV::from_u64(1, 1)),
            Op::FToS | Op::FToU => self.float_to_integer(n).eq(BV::from_u64(1, 1)),
            Op::Add => a().xor(b()),
            Op::Mul => Bool::and(&[a(), b()]),
            Op::Extract | Op::Concat | Op::ZExt | Op::SExt | Op::Select | Op::Store => {
                unreachable!("{e} does not have one bit")
            }
            Op::ConstBytes | Op::FAdd | Op::FMul | Op::FDiv | Op::FRem | Op::FFma => {
                unreachable!("{e} does not have one bit")
            }
            Op::FSqrt | Op::FRound | Op::FConvert | Op::SToF | Op::UToF => {
                unreachable!("{e} does not have one bit")
            }
        })
    }

    fn make_float(&self, n: &Node) -> Result<Term, &'static str> {
        let aux = n.float();
        let format = aux.format;
        let f = |i: usize| self.float(n.child(i), format);
        let even = rounding(Rounding::NearestEven);
        let float = match n.op {
            Op::FAdd => f(0).add_with_rounding_mode(f(1), &even),
            Op::FMul => f(0).mul_with_rounding_mode(f(1), &even),
            Op::FDiv => f(0).div_with_rounding_mode(f(1), &even),
            Op::FFma => f(0).fma_with_rounding_mode(f(1), f(2), &even),
            Op::FSqrt => f(0).sqrt_with_rounding_mode(&even),
            Op::FRound => f(0).round_to_integral_with_rounding_mode(&rounding(aux.rounding)),
            Op::FConvert => {
                let from = self.float(n.child(0), aux.from);
                from.to_fp_with_rounding_mode(&even, &float_sort(format))
            }
            Op::SToF => float_of_integer(format, &self.bits(n.child(0)), true),
            Op::UToF => float_of_integer(format, &self.bits(n.child(0)), false),
            // Z3's remainder is the IEEE one, which rounds the quotient to nearest.
            Op::FRem => return Err("fmod"),
            _ => unreachable!("{:?} is no float operation", n.op),
        };
        Ok(Term::Float(format, float))
    }

    /// With our answer for what does not fit: see [`crate::smt::float::to_integer`].
    fn float_to_integer(&self, n: &Node) -> BV {
        let (format, w, is_signed) = (n.float().format, n.width(), n.op == Op::FToS);
        let f = self.float(n.child(0), format);
        let zero = rounding(Rounding::Zero);
        let whole = f.round_to_integral_with_rounding_mode(&zero);
        let limit = format.power_of_two(if is_signed { w - 1 } else { w });
        let lowest = if is_signed { limit | sign_bit(format.width()) } else { 0 };
        let at = |bits| float_of_bits(format, &constant(bits, format.width()));
        let fits =
            Bool::and(&[whole.lt(at(limit)), whole.ge(at(lowest)), whole.is_infinite().not()]);
        let converted = if is_signed {
            f.to_sbv_with_rounding_mode(&zero, w)
        } else {
            f.to_ubv_with_rounding_mode(&zero, w)
        };
        fits.ite(&converted, &constant(sign_bit(w), w))
    }
}

/// The bits, with the one NaN.
fn bits_of_float(format: Format, f: &Float) -> BV {
    let plain = f.to_ieee_bv();
    let bits = if format == Format::X87 {
        let exponent = plain.extract(77, 63);
        let leading =
            exponent.eq(BV::from_u64(0, 15)).ite(&BV::from_u64(0, 1), &BV::from_u64(1, 1));
        plain.extract(78, 63).concat(leading).concat(plain.extract(62, 0))
    } else {
        plain
    };
    f.is_nan().ite(&constant(format.nan(), format.width()), &bits)
}

fn float_of_bits(format: Format, bits: &BV) -> Float {
    if format != Format::X87 {
        return interpret(format, bits);
    }
    // The leading bit is explicit: without it only zeros and subnormals are numbers, and with it an
    // exponent of zero means the same as one.
    let (sign, exponent) = (bits.extract(79, 79), bits.extract(78, 64));
    let (leading, fraction) = (bits.extract(63, 63).eq(BV::from_u64(1, 1)), bits.extract(62, 0));
    let low = exponent.eq(BV::from_u64(0, 15));
    let lifted = Bool::and(&[low.clone(), leading.clone()]).ite(&BV::from_u64(1, 15), &exponent);
    let number = interpret(format, &sign.concat(lifted).concat(fraction));
    let invalid = Bool::and(&[low.not(), leading.not()]);
    invalid.ite(&Float::nan(&float_sort(format)), &number)
}

/// The float that has these IEEE bits.
fn interpret(format: Format, bits: &BV) -> Float {
    let (ctx, sort) = (bits.get_ctx(), float_sort(format));
    // SAFETY: the vector and the sort belong to the context, and the sort is a float's of that width.
    unsafe {
        let made =
            z3_sys::Z3_mk_fpa_to_fp_bv(ctx.get_z3_context(), bits.get_z3_ast(), sort.get_z3_sort());
        Float::wrap(ctx, made.expect("a float of the vector's width"))
    }
}

fn float_of_integer(format: Format, value: &BV, is_signed: bool) -> Float {
    let (ctx, sort) = (value.get_ctx(), float_sort(format));
    let even = rounding(Rounding::NearestEven);
    let (context, mode) = (ctx.get_z3_context(), even.get_z3_ast());
    let (value, target) = (value.get_z3_ast(), sort.get_z3_sort());
    // SAFETY: rounding mode, vector and sort belong to the context, and the sort is a float's.
    unsafe {
        let made = if is_signed {
            z3_sys::Z3_mk_fpa_to_fp_signed(context, mode, value, target)
        } else {
            z3_sys::Z3_mk_fpa_to_fp_unsigned(context, mode, value, target)
        };
        Float::wrap(ctx, made.expect("a float of an integer"))
    }
}
