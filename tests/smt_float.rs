//! Floats: constants fold as the machine computes, and Z3 agrees with our evaluation of every
//! operation and format (and of the operations on vectors, while we are at it).

use cegas::smt::z3::{self, Reply};
use cegas::smt::{ExprId, Format, Limits, Pool, Rounding, Sort};

mod smt_trees;
use smt_trees::{Random, SAME, Tree};

const SPECIAL: [f64; 14] = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.5,
    1.5,
    2.5,
    3.0,
    1e300,
    1e-300,
    5e-324,
    f64::INFINITY,
    f64::NEG_INFINITY,
    f64::NAN,
];

fn f64s(r: &mut Random) -> f64 {
    match r.below(3) {
        0 => SPECIAL[r.below(14) as usize],
        1 => f64::from_bits(r.next()),
        _ => (r.next() as i32 as f64) / 16.0,
    }
}

#[test]
fn doubles_fold_as_the_machine_computes() {
    let mut r = Random(7);
    let mut p = Pool::new();
    let f = Format::F64;
    let canonical = |x: f64| if x.is_nan() { 0x7ff8 << 48 } else { u128::from(x.to_bits()) };
    for _ in 0..3000 {
        let (x, y) = (f64s(&mut r), f64s(&mut r));
        let (a, b) = (p.constant(x.to_bits().into(), 64), p.constant(y.to_bits().into(), 64));
        for (e, want) in [
            (p.fadd(f, a, b), x + y),
            (p.fsub(f, a, b), x - y),
            (p.fmul(f, a, b), x * y),
            (p.fdiv(f, a, b), x / y),
            (p.frem(f, a, b), x % y),
            (p.ffma(f, a, b, a), x.mul_add(y, x)),
            (p.fsqrt(f, a), x.sqrt()),
            (p.fround(f, Rounding::Down, a), x.floor()),
            (p.fround(f, Rounding::Up, a), x.ceil()),
            (p.fround(f, Rounding::Zero, a), x.trunc()),
            (p.fround(f, Rounding::NearestAway, a), x.round()),
            (p.fround(f, Rounding::NearestEven, a), x.round_ties_even()),
        ] {
            assert_eq!(p.as_const(e), Some(canonical(want)), "{x:?} {y:?}");
        }
        let narrow = p.fconvert(f, Format::F32, a);
        let want = if x.is_nan() { 0x7fc0_0000 } else { (x as f32).to_bits() };
        assert_eq!(p.as_const(narrow), Some(want.into()), "{x:?}");
        for (e, want) in [
            (p.feq(f, a, b), x == y),
            (p.flt(f, a, b), x < y),
            (p.fle(f, a, b), x <= y),
            (p.is_nan(f, a), x.is_nan()),
            (p.is_infinite(f, a), x.is_infinite()),
        ] {
            assert_eq!(p.as_const(e), Some(want.into()), "{x:?} {y:?}");
        }
        // Rust saturates where we give the lowest value; inside the range they agree.
        let fits = x > -2147483649.0 && x < 2147483648.0;
        let (i, says) = (p.float_to_int(f, a, true, 32), p.float_fits(f, a, true, 32));
        assert_eq!(p.as_const(says), Some(fits.into()), "{x:?}");
        let want = if fits { x as i32 } else { i32::MIN };
        assert_eq!(p.as_const(i), Some((want as u32).into()), "{x:?}");
        let fits = x > -1.0 && x < 18446744073709551616.0;
        let (u, says) = (p.float_to_int(f, a, false, 64), p.float_fits(f, a, false, 64));
        assert_eq!(p.as_const(says), Some(fits.into()), "{x:?}");
        assert_eq!(p.as_const(u), Some(if fits { (x as u64).into() } else { 1 << 63 }));
        let n = r.next();
        let bits = p.constant(n.into(), 64);
        let (s, u) = (p.int_to_float(bits, true, f), p.int_to_float(bits, false, f));
        assert_eq!(p.as_const(s), Some((n as i64 as f64).to_bits().into()));
        assert_eq!(p.as_const(u), Some((n as f64).to_bits().into()));
    }
}

#[test]
fn singles_fold_as_the_machine_computes() {
    let mut r = Random(8);
    let mut p = Pool::new();
    let f = Format::F32;
    let canonical = |x: f32| if x.is_nan() { 0x7fc0_0000 } else { u128::from(x.to_bits()) };
    for _ in 0..3000 {
        let (x, y) = (f32::from_bits(r.next() as u32), f64s(&mut r) as f32);
        let (a, b) = (p.constant(x.to_bits().into(), 32), p.constant(y.to_bits().into(), 32));
        for (e, want) in [
            (p.fadd(f, a, b), x + y),
            (p.fmul(f, a, b), x * y),
            (p.fdiv(f, a, b), x / y),
            (p.frem(f, a, b), x % y),
            (p.ffma(f, a, b, b), x.mul_add(y, y)),
            (p.fsqrt(f, a), x.sqrt()),
        ] {
            assert_eq!(p.as_const(e), Some(canonical(want)), "{x:?} {y:?}");
        }
    }
}

/// Asks Z3, past all our rewriting, whether `e` can differ from `value` when the variables are these.
fn z3_agrees(p: &mut Pool, vars: &[(ExprId, u128)], e: ExprId, what: &str) {
    let mut model = cegas::smt::Model::new();
    let mut conditions = Vec::new();
    for &(v, x) in vars {
        model.set_bits(p.node(v).var(), x);
        let (w, one) = (p.width(v), p.bool(true));
        let k = p.constant(x, w);
        conditions.push(if w == 1 && x == 1 { p.and(v, one) } else { p.eq(v, k) });
    }
    let value = p.eval(e, &model).unwrap_or_else(|| panic!("{what}: no value"));
    let w = p.width(e);
    let k = p.constant(value, w);
    let differs = p.ne(e, k);
    conditions.push(differs);
    let reply = z3::ask(p, &conditions, &Limits::default(), z3::Memory::Thread);
    assert!(matches!(reply, Reply::Unsat(_)), "{what} is {value:#x} for us; Z3: {reply:x?}");
    // And that it can be what we say, so that the other answer meant something.
    conditions.pop();
    conditions.push(p.not(differs));
    let reply = z3::ask(p, &conditions, &Limits::default(), z3::Memory::Thread);
    assert!(matches!(reply, Reply::Sat(_)), "{what}: {reply:x?}");
}

/// Bits of interest in a format.
fn interesting(r: &mut Random, f: Format) -> u128 {
    let w = f.width();
    let sign = u128::from(r.below(2)) << (w - 1);
    match r.below(7) {
        0 => sign,
        1 => sign | f.infinity(),
        2 => f.nan(),
        3 => sign | f.power_of_two(r.below(5) as u32),
        4 => sign | (1 + u128::from(r.below(9))),
        5 => sign | f.power_of_two(1) | (u128::from(r.next()) % (1 << f.fraction_bits().min(60))),
        _ => r.value(w),
    }
}

fn check_format(f: Format, rounds: u64) {
    let mut r = Random(f as u64 + 77);
    for round in 0..rounds {
        let mut p = Pool::new();
        let [a, b] = ["a", "b"].map(|n| p.var(n, Sort::Bits(f.width())));
        let vars = [(a, interesting(&mut r, f)), (b, interesting(&mut r, f))];
        let to = Format::ALL[r.below(6) as usize];
        let mode = Rounding::ALL[r.below(5) as usize];
        let (signed, w) = (r.below(2) == 0, [8, 32, 64][r.below(3) as usize]);
        let e = match round % 8 {
            0 => p.fadd(f, a, b),
            1 => p.fmul(f, a, b),
            2 => p.fdiv(f, a, b),
            3 => p.fround(f, mode, a),
            4 => p.fconvert(f, to, a),
            5 => p.float_to_int(f, a, signed, w),
            6 => {
                let i = p.extract(a, 0, 8);
                p.int_to_float(i, signed, f)
            }
            _ => {
                let (x, y, z) = (p.feq(f, a, b), p.flt(f, a, b), p.fle(f, a, b));
                let nan = p.is_nan(f, a);
                [y, z, nan].into_iter().fold(x, |high, low| p.concat(high, low))
            }
        };
        let [(_, x), (_, y)] = vars;
        let what = format!("{f:?}, round {round} ({x:#x}, {y:#x}, {to:?} {mode:?} {w} {signed})");
        z3_agrees(&mut p, &vars, e, &what);
    }
}

#[test]
fn z3_agrees_on_narrow_floats() {
    check_format(Format::F16, 48);
    check_format(Format::BF16, 24);
}

#[test]
fn z3_agrees_on_c_floats() {
    check_format(Format::F32, 40);
    check_format(Format::F64, 24);
}

#[test]
fn z3_agrees_on_wide_floats() {
    check_format(Format::X87, 40);
    check_format(Format::F128, 16);
}

#[test]
fn z3_agrees_on_vectors() {
    let mut r = Random(4242);
    for name in SAME.iter().chain(&["umul_overflow", "smul_overflow", "slt", "ult", "eq"]) {
        for w in [1, 3, 8, 33] {
            let mut p = Pool::new();
            let [a, b] = ["a", "b"].map(|n| p.var(n, Sort::Bits(w)));
            let vars = [(a, r.value(w)), (b, r.value(w))];
            let result = if SAME.contains(name) { w } else { 1 };
            let t = Tree::Node(name, vec![Tree::Var(0, w), Tree::Var(1, w)], 0, result);
            let e = t.build(&mut p, &[a, b]);
            z3_agrees(&mut p, &vars, e, &format!("{name} of {w} bits, {:x?}", vars.map(|v| v.1)));
        }
    }
}

/// Z3's own predicates for products that do not fit, which we use, against the product in full.
#[test]
fn z3_knows_which_products_fit() {
    for w in 1..=8 {
        let mut p = Pool::new();
        let [a, b] = ["a", "b"].map(|n| p.var(n, Sort::Bits(w)));
        for signed in [false, true] {
            let (x, y) = (p.resize(a, 2 * w, signed), p.resize(b, 2 * w, signed));
            let product = p.mul(x, y);
            let cut = p.extract(product, 0, w);
            let back = p.resize(cut, 2 * w, signed);
            let too_large = p.ne(product, back);
            let says = if signed { p.smul_overflow(a, b) } else { p.umul_overflow(a, b) };
            let differs = p.xor(too_large, says);
            if p.as_const(differs) == Some(0) {
                continue;
            }
            let reply = z3::ask(&p, &[differs], &Limits::default(), z3::Memory::Thread);
            assert!(matches!(reply, Reply::Unsat(_)), "{w} bits, signed {signed}: {reply:?}");
        }
    }
}
