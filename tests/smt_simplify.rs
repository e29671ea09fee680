//! Every rule of the constructors keeps the meaning: random expressions are built through them and,
//! beside that, as plain trees; both must agree on random assignments and on the extreme ones.

use cegas::smt::eval::Tape;
use cegas::smt::value::Model;
use cegas::smt::{ExprId, Pool, Sort};

mod smt_trees;
use smt_trees::{Random, TRUTH, Tree, tree};

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
