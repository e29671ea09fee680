//! Plain trees: random expressions that nobody simplifies, evaluated by a few lines of arithmetic that
//! know nothing of the library's own. The tests build the same trees through the library and compare.
#![allow(dead_code)] // each test file uses its part

use cegas::smt::{ExprId, Pool};

/// So many rounds, or that times SMT_TEST_FACTOR for a longer search.
pub fn rounds(n: u64) -> u64 {
    let factor = std::env::var("SMT_TEST_FACTOR").ok().and_then(|f| f.parse().ok());
    n * factor.unwrap_or(1)
}

/// A small generator of our own, so that a seed names a test for ever (Steele's splitmix64).
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub fn below(&mut self, n: u64) -> u64 {
        self.next() % n
    }

    /// Often an extreme value, else any.
    pub fn value(&mut self, w: u32) -> u128 {
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

pub fn cut(v: u128, w: u32) -> u128 {
    if w == 128 { v } else { v % (1 << w) }
}

pub fn signed(v: u128, w: u32) -> i128 {
    let sign = v >> (w - 1) & 1 == 1;
    if sign && w < 128 { (v | u128::MAX << w) as i128 } else { v as i128 }
}

/// A tree, not simplified by anybody.
pub enum Tree {
    Const(u128, u32),
    Var(usize, u32),
    Node(&'static str, Vec<Tree>, u32, u32),
}

impl Tree {
    pub fn width(&self) -> u32 {
        match self {
            Tree::Const(_, w) | Tree::Var(_, w) | Tree::Node(_, _, _, w) => *w,
        }
    }

    pub fn eval(&self, env: &[u128]) -> u128 {
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
            "udiv" => v[0].checked_div(v[1]).unwrap_or(u128::MAX),
            "urem" => v[0].checked_rem(v[1]).unwrap_or(v[0]),
            "sdiv" | "srem" => {
                let (x, y) = (s(0).unsigned_abs(), s(1).unsigned_abs());
                let (nx, ny) = (s(0) < 0, s(1) < 0);
                let q = x.checked_div(y).unwrap_or(u128::MAX);
                let r = x.checked_rem(y).unwrap_or(x);
                match (name, y == 0) {
                    ("sdiv", true) => {
                        if nx {
                            1
                        } else {
                            q
                        }
                    }
                    ("sdiv", false) => {
                        if nx != ny {
                            q.wrapping_neg()
                        } else {
                            q
                        }
                    }
                    _ => {
                        if nx {
                            r.wrapping_neg()
                        } else {
                            r
                        }
                    }
                }
            }
            "shl" => {
                if v[1] >= w.into() {
                    0
                } else {
                    v[0] << v[1]
                }
            }
            "lshr" => {
                if v[1] >= w.into() {
                    0
                } else {
                    v[0] >> v[1]
                }
            }
            "ashr" => (0..w).fold(0, |r, i| {
                let from = u128::from(i).saturating_add(v[1]).min(u128::from(w - 1));
                r | (v[0] >> from & 1) << i
            }),
            "concat" => v[0] << kids[1].width() | v[1],
            "extract" => v[0] >> low,
            "zext" => v[0],
            "sext" => s(0) as u128,
            "ite" => {
                if v[0] == 1 {
                    v[1]
                } else {
                    v[2]
                }
            }
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
            "bit_reverse" => (0..kw).fold(0, |r, i| r << 1 | (v[0] >> i & 1)),
            "funnel_left" | "funnel_right" => {
                let by = (v[2] % u128::from(w)) as u32;
                let bit = |at: u32| if at < w { v[1] >> at } else { v[0] >> (at - w) } & 1;
                let low = if name == "funnel_right" { by } else { w - by };
                (0..w).fold(0, |r, i| r | bit(low + i) << i)
            }
            "uadd_saturating" => {
                v[0].checked_add(v[1]).filter(|&r| r == cut(r, kw)).unwrap_or(u128::MAX)
            }
            "usub_saturating" => v[0].saturating_sub(v[1]),
            "sadd_saturating" | "ssub_saturating" => {
                let r = match name {
                    "sadd_saturating" => s(0).saturating_add(s(1)),
                    _ => s(0).saturating_sub(s(1)),
                };
                let most = i128::MAX >> (128 - kw);
                r.clamp(-most - 1, most) as u128
            }
            other => panic!("{other}"),
        };
        cut(result, w)
    }

    pub fn build(&self, p: &mut Pool, vars: &[ExprId]) -> ExprId {
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
            "bit_reverse" => p.bit_reverse(k[0]),
            "funnel_left" => p.funnel_left(k[0], k[1], k[2]),
            "funnel_right" => p.funnel_right(k[0], k[1], k[2]),
            "uadd_saturating" => p.uadd_saturating(k[0], k[1]),
            "usub_saturating" => p.usub_saturating(k[0], k[1]),
            "sadd_saturating" => p.sadd_saturating(k[0], k[1]),
            "ssub_saturating" => p.ssub_saturating(k[0], k[1]),
            other => panic!("{other}"),
        }
    }
}

pub const SAME: [&str; 13] = [
    "and", "or", "xor", "add", "sub", "mul", "udiv", "urem", "sdiv", "srem", "shl", "lshr", "ashr",
];
pub const TRUTH: [&str; 12] = [
    "eq",
    "ne",
    "ult",
    "ule",
    "slt",
    "sle",
    "uadd_overflow",
    "usub_overflow",
    "umul_overflow",
    "sadd_overflow",
    "ssub_overflow",
    "smul_overflow",
];

const SATURATING: [&str; 4] =
    ["uadd_saturating", "usub_saturating", "sadd_saturating", "ssub_saturating"];

/// A random tree of that width over the variables.
pub fn tree(r: &mut Random, w: u32, depth: u32, vars: usize) -> Tree {
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
    match r.below(27) {
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
        24 => {
            let name = ["funnel_left", "funnel_right"][r.below(2) as usize];
            node(name, vec![tree(r, w, d, vars), tree(r, w, d, vars), tree(r, w, d, vars)])
        }
        25 => {
            let name = SATURATING[r.below(4) as usize];
            node(name, vec![tree(r, w, d, vars), tree(r, w, d, vars)])
        }
        26 if w <= 16 => node("bit_reverse", vec![tree(r, w, d, vars)]),
        18 if w.is_multiple_of(8) => node("bswap", vec![tree(r, w, d, vars)]),
        _ => {
            let c = tree(r, 1, d, vars);
            node("ite", vec![c, tree(r, w, d, vars), tree(r, w, d, vars)])
        }
    }
}
