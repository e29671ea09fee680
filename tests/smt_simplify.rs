//! Every rule of the constructors keeps the meaning: random expressions are built through them and,
//! beside that, as plain trees evaluated by the few lines of arithmetic below, which know nothing of
//! the library's own; both must agree on random assignments and on the extreme ones.

use cegas::smt::eval::Tape;
use cegas::smt::value::Model;
use cegas::smt::{ExprId, Pool, Sort};

/// A small generator of our own, so that a seed names a test for ever (Steele's splitmix64).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, n: u64) -> u64 {
        self.next() % n
    }

    /// Often an extreme value, else any.
    fn value(&mut self, w: u32) -> u128 {
        let any = u128::from(self.next()) << 64 | u128::from(self.next());
        cut(
            match self.below(8) {
                0 => 0,
                1 => 1,
                2 => u128::MAX,
                3 => 1 << (w - 1),
                4 => (1 << (w - 1)) - 1,
                5 => u128::from(self.below(16)),
                6 => 1 << self.below(w.into()),
                _ => any,
            },
            w,
        )
    }
}

fn cut(v: u128, w: u32) -> u128 {
    if w == 128 { v } else { v % (1 << w) }
}

fn signed(v: u128, w: u32) -> i128 {
    let sign = v >> (w - 1) & 1 == 1;
    if sign && w < 128 { (v | u128::MAX << w) as i128 } else { v as i128 }
}

/// A tree, not simplified by anybody.
enum Tree {
    Const(u128, u32),
    Var(usize, u32),
    Node(&'static str, Vec<Tree>, u32, u32),
}

impl Tree {
    fn width(&self) -> u32 {
        match self {
            Tree::Const(_, w) | Tree::Var(_, w) | Tree::Node(_, _, _, w) => *w,
        }
    }

    fn eval(&self, env: &[u128]) -> u128 {
        let (name, kids, low, w) = match self {
            Tree::Const(v, w) => return cut(*v, *w),
            Tree::Var(i, w) => return cut(env[*i], *w),
            Tree::Node(name, kids, low, w) => (*name, kids, *low, *w),
        };
        let v: Vec<u128> = kids.iter().map(|k| k.eval(env)).collect();
        let kw = kids[0].width();
        let s = |i: usize| signed(v[i], kids[i].width());
        let bit = u128::from;
        // All bits of a product of two 128-bit numbers do not fit: by halves.
        let wide_mul = |a: u128, b: u128| -> (u128, u128) {
            let (ah, al, bh, bl) = (a >> 64, a as u64 as u128, b >> 64, b as u64 as u128);
            let (ll, lh, hl, hh) = (al * bl, al * bh, ah * bl, ah * bh);
            let mid = (ll >> 64) + (lh as u64 as u128) + (hl as u64 as u128);
            (hh + (lh >> 64) + (hl >> 64) + (mid >> 64), a.wrapping_mul(b))
        };
        let result = match name {
            "not" => !v[0],
            "neg" => v[0].wrapping_neg(),
            "and" => v[0] & v[1],
            "or" => v[0] | v[1],
            "xor" => v[0] ^ v[1],
            "add" => v[0].wrapping_add(v[1]),
            "sub" => v[0].wrapping_sub(v[1]),
            "mul" => v[0].wrapping_mul(v[1]),
            "udiv" => if v[1] == 0 { u128::MAX } else { v[0] / v[1] },
            "urem" => if v[1] == 0 { v[0] } else { v[0] % v[1] },
            "sdiv" | "srem" => {
                let (x, y) = (s(0).unsigned_abs(), s(1).unsigned_abs());
                let (nx, ny) = (s(0) < 0, s(1) < 0);
                let (q, r) = if y == 0 { (u128::MAX, x) } else { (x / y, x % y) };
                match (name, y == 0) {
                    ("sdiv", true) => if nx { 1 } else { q },
                    ("sdiv", false) => if nx != ny { q.wrapping_neg() } else { q },
                    _ => if nx { r.wrapping_neg() } else { r },
                }
            }
            "shl" => if v[1] >= w.into() { 0 } else { v[0] << v[1] },
            "lshr" => if v[1] >= w.into() { 0 } else { v[0] >> v[1] },
            "ashr" => (0..w).fold(0, |r, i| {
                let from = u128::from(i).saturating_add(v[1]).min(u128::from(w - 1));
                r | (v[0] >> from & 1) << i
            }),
            "concat" => v[0] << kids[1].width() | v[1],
            "extract" => v[0] >> low,
            "zext" => v[0],
            "sext" => s(0) as u128,
            "ite" => if v[0] == 1 { v[1] } else { v[2] },
            "eq" => bit(v[0] == v[1]),
            "ne" => bit(v[0] != v[1]),
            "ult" => bit(v[0] < v[1]),
            "ule" => bit(v[0] <= v[1]),
            "slt" => bit(s(0) < s(1)),
            "sle" => bit(s(0) <= s(1)),
            "uadd_overflow" => bit(v[0].checked_add(v[1]).is_none_or(|r| r != cut(r, kw))),
            "usub_overflow" => bit(v[1] > v[0]),
            "umul_overflow" => {
                let (high, low) = wide_mul(v[0], v[1]);
                bit(high != 0 || low != cut(low, kw))
            }
            "sadd_overflow" | "ssub_overflow" | "smul_overflow" => {
                let r = match name {
                    "sadd_overflow" => s(0).checked_add(s(1)),
                    "ssub_overflow" => s(0).checked_sub(s(1)),
                    _ => s(0).checked_mul(s(1)),
                };
                bit(r.is_none_or(|r| signed(cut(r as u128, kw), kw) != r))
            }
            "ctpop" => (0..kw).map(|i| v[0] >> i & 1).sum(),
            "clz" => (0..kw).rev().take_while(|i| v[0] >> i & 1 == 0).count() as u128,
            "ctz" => (0..kw).take_while(|i| v[0] >> i & 1 == 0).count() as u128,
            "bswap" => (0..kw / 8).fold(0, |r, i| r << 8 | (v[0] >> (8 * i) & 0xff)),
            other => panic!("{other}"),
        };
        cut(result, w)
    }

    fn build(&self, p: &mut Pool, vars: &[ExprId]) -> ExprId {
        let (name, kids, low, w) = match self {
            Tree::Const(v, w) => return p.constant(*v, *w),
            Tree::Var(i, w) => return p.resize(vars[*i], *w, false),
            Tree::Node(name, kids, low, w) => (*name, kids, *low, *w),
        };
        let k: Vec<ExprId> = kids.iter().map(|t| t.build(p, vars)).collect();
        match name {
            "not" => p.not(k[0]),
            "neg" => p.neg(k[0]),
            "and" => p.and(k[0], k[1]),
            "or" => p.or(k[0], k[1]),
            "xor" => p.xor(k[0], k[1]),
            "add" => p.add(k[0], k[1]),
            "sub" => p.sub(k[0], k[1]),
            "mul" => p.mul(k[0], k[1]),
            "udiv" => p.udiv(k[0], k[1]),
            "urem" => p.urem(k[0], k[1]),
            "sdiv" => p.sdiv(k[0], k[1]),
            "srem" => p.srem(k[0], k[1]),
            "shl" => p.shl(k[0], k[1]),
            "lshr" => p.lshr(k[0], k[1]),
            "ashr" => p.ashr(k[0], k[1]),
            "concat" => p.concat(k[0], k[1]),
            "extract" => p.extract(k[0], low, w),
            "zext" => p.zext(k[0], w),
            "sext" => p.sext(k[0], w),
            "ite" => p.ite(k[0], k[1], k[2]),
            "eq" => p.eq(k[0], k[1]),
            "ne" => p.ne(k[0], k[1]),
            "ult" => p.ult(k[0], k[1]),
            "ule" => p.ule(k[0], k[1]),
            "slt" => p.slt(k[0], k[1]),
            "sle" => p.sle(k[0], k[1]),
            "uadd_overflow" => p.uadd_overflow(k[0], k[1]),
            "usub_overflow" => p.usub_overflow(k[0], k[1]),
            "umul_overflow" => p.umul_overflow(k[0], k[1]),
            "sadd_overflow" => p.sadd_overflow(k[0], k[1]),
            "ssub_overflow" => p.ssub_overflow(k[0], k[1]),
            "smul_overflow" => p.smul_overflow(k[0], k[1]),
            "ctpop" => p.ctpop(k[0]),
            "clz" => p.clz(k[0]),
            "ctz" => p.ctz(k[0]),
            "bswap" => p.bswap(k[0]),
            other => panic!("{other}"),
        }
    }
}

const SAME: [&str; 13] = [
    "and", "or", "xor", "add", "sub", "mul", "udiv", "urem", "sdiv", "srem", "shl", "lshr", "ashr",
];
const TRUTH: [&str; 12] = [
    "eq", "ne", "ult", "ule", "slt", "sle", "uadd_overflow", "usub_overflow", "umul_overflow",
    "sadd_overflow", "ssub_overflow", "smul_overflow",
];

/// A random tree of that width over the variables.
fn tree(r: &mut Random, w: u32, depth: u32, vars: usize) -> Tree {
    if depth == 0 || r.below(12) == 0 {
        return if r.below(3) == 0 {
            Tree::Const(r.value(w), w)
        } else {
            Tree::Var(r.below(vars as u64) as usize, w)
        };
    }
    let d = depth - 1;
    let node = |name, kids| Tree::Node(name, kids, 0, w);
    if w == 1 && r.below(2) == 0 {
        let name = TRUTH[r.below(TRUTH.len() as u64) as usize];
        let inner = [1, 2, 3, 4, 5, 8, 16, 32, 33, 64, 65, 128][r.below(12) as usize];
        return node(name, vec![tree(r, inner, d, vars), tree(r, inner, d, vars)]);
    }
    match r.below(24) {
        // With a constant, where most rules are.
        20..=23 => {
            let name = SAME[r.below(SAME.len() as u64) as usize];
            let (inner, k) = (tree(r, w, d, vars), Tree::Const(r.value(w), w));
            node(name, if r.below(4) == 0 { vec![k, inner] } else { vec![inner, k] })
        }
        0..=8 => {
            let name = SAME[r.below(SAME.len() as u64) as usize];
            node(name, vec![tree(r, w, d, vars), tree(r, w, d, vars)])
        }
        9 | 10 => node("not", vec![tree(r, w, d, vars)]),
        11 => node("neg", vec![tree(r, w, d, vars)]),
        12 if w > 1 => {
            let at = 1 + r.below(u64::from(w) - 1) as u32;
            node("concat", vec![tree(r, w - at, d, vars), tree(r, at, d, vars)])
        }
        13 | 14 if w < 128 => {
            let from = (w + 1 + r.below(16) as u32).min(128);
            let low = r.below(u64::from(from - w) + 1) as u32;
            Tree::Node("extract", vec![tree(r, from, d, vars)], low, w)
        }
        15 | 16 if w > 1 => {
            let from = 1 + r.below(u64::from(w) - 1) as u32;
            node(["zext", "sext"][r.below(2) as usize], vec![tree(r, from, d, vars)])
        }
        17 => node(["ctpop", "clz", "ctz"][r.below(3) as usize], vec![tree(r, w, d, vars)]),
        18 if w % 8 == 0 => node("bswap", vec![tree(r, w, d, vars)]),
        _ => {
            let c = tree(r, 1, d, vars);
            node("ite", vec![c, tree(r, w, d, vars), tree(r, w, d, vars)])
        }
    }
}

/// Two variables of four bits: all 256 assignments of many small trees.
#[test]
fn small_trees_exhaustively() {
    for round in 0..3000 {
        let mut r = Random(0x5eed << 32 | round);
        let mut p = Pool::new();
        let vars = [p.var("x", Sort::Bits(4)), p.var("y", Sort::Bits(4))];
        let (w, depth) = ([1, 1, 1, 4, 4, 8][r.below(6) as usize], 2 + r.below(2) as u32);
        let mut t = tree(&mut r, w, depth, 2);
        if w == 1 && r.below(2) == 0 {
            // A comparison of what fits the variables, with a constant or another such.
            let name = TRUTH[r.below(TRUTH.len() as u64) as usize];
            let inner = 3 + r.below(4) as u32;
            let left = tree(&mut r, inner, depth, 2);
            let right = match r.below(2) {
                0 => Tree::Const(r.value(inner), inner),
                _ => tree(&mut r, inner, 1, 2),
            };
            t = Tree::Node(name, vec![left, right], 0, 1);
        }
        let e = t.build(&mut p, &vars);
        let mut tape = Tape::new(&p, &[e]);
        for env in (0..256).map(|i| [i % 16, i / 16]) {
            let found = tape.run_with(|v| env[v.as_u32() as usize], |_, _| 0);
            let found = found.and_then(|mut v| v.next());
            assert_eq!(found, Some(t.eval(&env)), "round {round}, env {env:?}");
        }
    }
}

const ORDERS: [&str; 6] = ["eq", "ne", "ult", "ule", "slt", "sle"];

/// Comparisons of `left` with every constant, either way round.
fn comparisons(w: u32, left: impl Fn() -> Tree) -> Vec<Tree> {
    let mut all = Vec::new();
    for name in ORDERS {
        for k in 0..1 << w {
            all.push(Tree::Node(name, vec![left(), Tree::Const(k, w)], 0, 1));
            all.push(Tree::Node(name, vec![Tree::Const(k, w), left()], 0, 1));
        }
    }
    all
}

fn agree(p: &mut Pool, t: &Tree, vars: &[ExprId], w: u32, what: &str) {
    let e = t.build(p, vars);
    let mut tape = Tape::new(p, &[e]);
    for x in 0..1 << w {
        let found = tape.run_with(|_| x, |_, _| 0).and_then(|mut v| v.next());
        assert_eq!(found, Some(t.eval(&[x])), "{what}, x = {x}");
    }
}

/// All pairs of comparisons of one term with constants: the rules by which they absorb each other.
#[test]
fn comparisons_absorb_each_other() {
    let mut p = Pool::new();
    let x = p.var("x", Sort::Bits(3));
    let plus = |k| move || {
        Tree::Node("add", vec![Tree::Var(0, 3), Tree::Const(k, 3)], 0, 3)
    };
    for name in ["and", "or"] {
        for offset in [0, 2] {
            let (firsts, seconds) = (comparisons(3, plus(0)), comparisons(3, plus(offset)));
            for a in &firsts {
                for b in &seconds {
                    let (ea, eb) = (a.build(&mut p, &[x]), b.build(&mut p, &[x]));
                    let e = if name == "and" { p.and(ea, eb) } else { p.or(ea, eb) };
                    let mut tape = Tape::new(&p, &[e]);
                    for v in 0..8 {
                        let (l, r) = (a.eval(&[v]), b.eval(&[v]));
                        let want = if name == "and" { l & r } else { l | r };
                        let found = tape.run_with(|_| v, |_, _| 0).and_then(|mut f| f.next());
                        assert_eq!(found, Some(want), "{name}, x = {v}");
                    }
                }
            }
        }
    }
}

/// Terms about whose values something is known, against all constants.
#[test]
fn comparisons_of_bounded_terms() {
    let x = || Tree::Var(0, 3);
    let wide = |name, bits: u32| Tree::Node(name, vec![Tree::Var(0, bits)], 0, 4);
    let with = |name, a, k| Tree::Node(name, vec![a, Tree::Const(k, 4)], 0, 4);
    for k in 0..16 {
        let terms: [&dyn Fn() -> Tree; 7] = [
            &|| with("add", wide("zext", 3), k),
            &|| with("add", wide("sext", 3), k),
            &|| with("add", with("or", wide("zext", 3), 6), k),
            &|| with("add", with("or", wide("sext", 3), 9), k),
            &|| with("mul", wide("zext", 2), k),
            &|| with("sub", Tree::Const(3, 4), k.min(2)),
            &|| Tree::Node("concat", vec![Tree::Const(k % 2, 1), x()], 0, 4),
        ];
        for (i, term) in terms.iter().enumerate() {
            for (j, t) in comparisons(4, term).iter().enumerate() {
                let mut p = Pool::new();
                let v = p.var("x", Sort::Bits(3));
                agree(&mut p, t, &[v], 3, &format!("term {i} with {k}, comparison {j}"));
            }
        }
    }
}

fn check_width(w: u32, rounds: u64) {
    for round in 0..rounds {
        let mut r = Random(u64::from(w) << 32 | round);
        let mut p = Pool::new();
        let vars: Vec<ExprId> =
            (0..3).map(|i| p.var(["x", "y", "z"][i], Sort::Bits(128))).collect();
        let depth = 2 + r.below(4) as u32;
        let t = tree(&mut r, w, depth, vars.len());
        let e = t.build(&mut p, &vars);
        assert_eq!(p.width(e), w);
        for _ in 0..6 {
            let env: Vec<u128> = vars.iter().map(|_| r.value(128)).collect();
            let mut model = Model::new();
            for (v, x) in vars.iter().zip(&env) {
                model.set_bits(p.node(*v).var(), *x);
            }
            let (want, found) = (t.eval(&env), p.eval(e, &model));
            assert_eq!(found, Some(want), "width {w}, round {round}, env {env:x?}");
            if let Some(f) = p.facts(e) {
                assert!(f.contains(want as u64, w), "facts: width {w}, round {round}: {f:?}");
            }
        }
    }
}

#[test]
fn tiny_widths() {
    for w in 1..=8 {
        check_width(w, 600);
    }
}

#[test]
fn machine_widths() {
    for w in [16, 32, 64] {
        check_width(w, 600);
    }
}

#[test]
fn odd_and_wide_widths() {
    for w in [13, 33, 63, 65, 80, 127, 128] {
        check_width(w, 400);
    }
}
