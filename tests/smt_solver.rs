//! Answers against brute force: small questions over two variables, all assignments tried. Every
//! `Sat` must come with a model that holds, every `Unsat` with conditions that contradict each other.

use cegas::smt::{Answer, Claim, ExprId, Limits, Pool, Solver, Sort, Stage};

mod smt_trees;
use smt_trees::{Random, TRUTH, Tree, rounds, tree};

/// A condition over the two variables.
fn condition(r: &mut Random, w: u32) -> Tree {
    let name = TRUTH[r.below(6) as usize];
    let left = match r.below(3) {
        0 => Tree::Var(r.below(2) as usize, w),
        _ => tree(r, w, 2, 2),
    };
    let right = match r.below(3) {
        0 => Tree::Const(r.value(w), w),
        1 => Tree::Var(r.below(2) as usize, w),
        _ => tree(r, w, 1, 2),
    };
    Tree::Node(name, vec![left, right], 0, 1)
}

fn satisfiable(trees: &[&Tree], w: u32) -> bool {
    let all = 1u128 << w;
    (0..all).any(|x| (0..all).any(|y| trees.iter().all(|t| t.eval(&[x, y]) == 1)))
}

/// Questions made of a few conditions each, so that they overlap and meet in the cache.
fn compare(seed: u64, w: u32, questions: usize) -> Solver {
    let mut r = Random(seed);
    let mut s = Solver::new();
    let vars = [s.pool_mut().var("x", Sort::Bits(w)), s.pool_mut().var("y", Sort::Bits(w))];
    let trees: Vec<Tree> = (0..8).map(|_| condition(&mut r, w)).collect();
    let exprs: Vec<ExprId> = trees.iter().map(|t| t.build(s.pool_mut(), &vars)).collect();
    for _ in 0..questions {
        let mut chosen: Vec<usize> = (0..trees.len()).collect();
        chosen.retain(|_| r.below(2) == 0);
        let conditions: Vec<ExprId> = chosen.iter().map(|&i| exprs[i]).collect();
        let plain: Vec<&Tree> = chosen.iter().map(|&i| &trees[i]).collect();
        match s.check(&conditions, &Limits::default()) {
            Answer::Sat(model) => {
                let env = vars.map(|v| model.bits(s.pool().node(v).var()));
                assert!(plain.iter().all(|t| t.eval(&env) == 1), "seed {seed}: {env:?}");
            }
            Answer::Unsat(core) => {
                assert!(core.is_sorted() && core.iter().all(|&i| i < plain.len()), "{core:?}");
                let used: Vec<&Tree> = core.iter().map(|&i| plain[i]).collect();
                assert!(!satisfiable(&used, w), "seed {seed}: the core {core:?} has a model");
            }
            Answer::Unknown(reason) => panic!("seed {seed}: unknown, {reason}"),
        }
    }
    assert_eq!(s.stats().disagreements, 0);
    s
}

#[test]
fn small_questions_against_brute_force() {
    let mut stats = cegas::smt::Stats::default();
    for seed in 0..rounds(40) {
        stats += compare(seed, 4, 12).stats();
    }
    // Every stage has its share, or it is not tested here.
    for stage in Stage::ALL {
        assert!(stats.settled(stage) > 0, "{stage:?} never settled anything: {stats}");
    }
}

#[test]
fn bytes_wide_questions_against_brute_force() {
    for seed in 1000..1003 {
        compare(seed, 8, 6);
    }
}

fn var(s: &mut Solver, name: &str, w: u32) -> ExprId {
    s.pool_mut().var(name, Sort::Bits(w))
}

#[test]
fn chains_of_order_have_cores() {
    let mut s = Solver::new();
    let [x, y, z] = ["x", "y", "z"].map(|n| var(&mut s, n, 32));
    let p = s.pool_mut();
    let seven = p.constant(7, 32);
    let conditions = [p.slt(x, y), p.ne(x, seven), p.slt(y, z), p.ne(z, seven), p.slt(z, x)];
    let Answer::Unsat(core) = s.check(&conditions, &Limits::default()) else {
        panic!("an order without end")
    };
    assert_eq!(s.reduced_core(&conditions, &core, &Limits::default()), [0, 2, 4]);
    // The same again, and more, is remembered.
    let before = s.stats().solver_calls;
    let one = s.pool_mut().constant(1, 32);
    let more = s.pool_mut().ne(y, one);
    let all = [&conditions[..], &[more]].concat();
    assert!(matches!(s.check(&all, &Limits::default()), Answer::Unsat(_)));
    assert_eq!(s.stats().solver_calls, before);
}

/// The cheap refutations name every condition they lean on.
#[test]
fn cheap_refutations_have_whole_cores() {
    let mut s = Solver::new();
    let [x, y] = ["x", "y"].map(|n| var(&mut s, n, 32));
    let p = s.pool_mut();
    let product = p.mul(x, y);
    let [five, six, seven, eight] = [5, 6, 7, 8].map(|k| p.constant(k, 32));
    let less = p.ult(x, y);
    let opposite = [less, p.not(less)];
    let squeezed =
        [p.ult(five, product), p.ult(product, eight), p.ne(product, six), p.ne(product, seven)];
    // x < 6 and y < 8 bound the quotient of two terms that are not variables.
    let (low, high) = (p.and(product, six), p.or(product, eight));
    let quotient = p.udiv(low, high);
    let small = p.xor(product, five);
    let sum = p.add(quotient, small);
    let bounded = [p.ult(small, six), p.ult(eight, sum), p.ult(quotient, five)];
    assert_eq!(s.check(&opposite, &Limits::default()), Answer::Unsat(vec![0, 1]));
    assert_eq!(s.check(&squeezed, &Limits::default()), Answer::Unsat(vec![0, 1, 2, 3]));
    let Answer::Unsat(core) = s.check(&bounded, &Limits::default()) else { panic!("too large") };
    assert!(core.contains(&0) && core.contains(&1), "{core:?}");
    assert_eq!(s.stats().without_solver(), 3, "{}", s.stats());
}

#[test]
fn equations_are_used_up_without_the_solver() {
    let mut s = Solver::new();
    let [x, y, z] = ["x", "y", "z"].map(|n| var(&mut s, n, 32));
    let p = s.pool_mut();
    let (three, five, nine) = (p.constant(3, 32), p.constant(5, 32), p.constant(9, 32));
    let sum = p.add(x, three);
    let twice = p.add(y, y);
    let total = p.add(twice, z);
    // y = x + 3, x = 5, 2y + z = 9: z is -7.
    let conditions = [p.eq(y, sum), p.eq(x, five), p.eq(total, nine)];
    let Answer::Sat(model) = s.check(&conditions, &Limits::default()) else { panic!("no model") };
    assert_eq!(model.bits(s.pool().node(z).var()) as u32 as i32, -7);
    let zero = s.pool_mut().constant(0, 32);
    let positive = s.pool_mut().slt(zero, z);
    let all = [&conditions[..], &[positive]].concat();
    assert_eq!(s.check(&all, &Limits::default()), Answer::Unsat(vec![0, 1, 2, 3]));
    assert_eq!(s.stats().without_solver(), 2);
}

#[test]
fn parts_are_independent() {
    let mut s = Solver::new();
    let [x, y, a] = ["x", "y", "a"].map(|n| var(&mut s, n, 16));
    let p = s.pool_mut();
    let (two, big) = (p.constant(2, 16), p.constant(40_000, 16));
    let product = p.mul(x, y);
    let square = p.mul(a, a);
    // No square is 2 modulo a power of two above 2; the other part is satisfiable and not named.
    let conditions = [p.ult(big, product), p.eq(square, two), p.ult(two, x)];
    assert_eq!(s.check(&conditions, &Limits::default()), Answer::Unsat(vec![1]));
}

#[test]
fn implication_is_a_question() {
    let mut s = Solver::new();
    let x = var(&mut s, "x", 32);
    let p = s.pool_mut();
    let (three, ten) = (p.constant(3, 32), p.constant(10, 32));
    let (small, smaller) = (p.ult(x, ten), p.ult(x, three));
    assert!(matches!(s.implies(&[smaller], small, &Limits::default()), Answer::Unsat(_)));
    assert!(matches!(s.implies(&[small], smaller, &Limits::default()), Answer::Sat(_)));
}

#[test]
fn bytes_are_read_back_from_models() {
    let mut s = Solver::new();
    let m = s.pool_mut().var("m", Sort::Bytes { index: 64 });
    let [i, j, k] = ["i", "j", "k"].map(|n| var(&mut s, n, 64));
    let p = s.pool_mut();
    let (a, b) = (p.constant(0x41, 8), p.constant(0x42, 8));
    let stored = p.store(m, i, a);
    let (at_j, at_k) = (p.select(stored, j), p.select(m, k));
    let conditions = [p.eq(at_j, b), p.eq(at_k, a), p.ult(i, j), p.ult(j, k)];
    assert!(matches!(s.check(&conditions, &Limits::default()), Answer::Sat(_)));
    let p = s.pool_mut();
    let same = [p.eq(at_j, b), p.eq(i, j)];
    assert!(matches!(s.check(&same, &Limits::default()), Answer::Unsat(_)));
}

/// Factoring is beyond small limits: the answer is an honest Unknown, and soon. (The primes have
/// no pattern: a local search finds those near a power of two.)
#[test]
fn limits_end_hard_questions() {
    let hard = |limits: Limits| {
        let mut s = Solver::new();
        let [x, y] = ["x", "y"].map(|n| var(&mut s, n, 64));
        let p: &mut Pool = s.pool_mut();
        let (wx, wy) = (p.zext(x, 128), p.zext(y, 128));
        let product = p.mul(wx, wy);
        let semiprime = p.constant(10_808_818_712_792_617_177 * 10_430_779_633_273_967_791, 128);
        let one = p.constant(1, 64);
        let conditions = [p.eq(product, semiprime), p.ult(one, x), p.ult(x, y)];
        let start = std::time::Instant::now();
        let answer = s.check(&conditions, &limits);
        assert!(matches!(answer, Answer::Unknown(_)), "{answer:?}");
        assert!(start.elapsed().as_secs() < 20);
    };
    hard(Limits { work: 200_000, ..Limits::default() });
    hard(Limits { work: 0, milliseconds: 200, ..Limits::default() });
    hard(Limits { work: 0, milliseconds: 0, megabytes: 1 });
}

/// Z3 hears of no limit while it writes sums out: a sum of this many numbers, and the same from its other end.
#[test]
fn sums_of_many_numbers_end_soon() {
    let mut s = Solver::new();
    let numbers: Vec<ExprId> = (0..60_000).map(|i| var(&mut s, &format!("x{i}"), 32)).collect();
    let p: &mut Pool = s.pool_mut();
    let numbers: Vec<ExprId> = numbers.into_iter().map(|x| p.sext(x, 64)).collect();
    let zero = p.constant(0, 64);
    let forth = numbers.iter().fold(zero, |sum, &x| p.add(sum, x));
    let back = numbers.iter().rev().fold(zero, |sum, &x| p.add(sum, x));
    let differ = p.ne(forth, back);
    let start = std::time::Instant::now();
    let answer = s.check(&[differ], &Limits { milliseconds: 500, ..Limits::default() });
    assert!(!matches!(answer, Answer::Sat(_)));
    assert!(start.elapsed().as_secs() < 10, "{:?}", start.elapsed());
}

/// Random claims about one step: what is kept must follow from what is kept, by all assignments, and where Z3
/// knows everything, nothing more could have been kept.
#[test]
fn what_filter_keeps_is_the_most_that_holds_again() {
    let w = 4;
    for seed in 0..rounds(150) {
        let mut r = Random(seed + 1);
        let mut s = Solver::new();
        let vars = [s.pool_mut().var("x", Sort::Bits(w)), s.pool_mut().var("y", Sort::Bits(w))];
        let fixed = condition(&mut r, w);
        let claims: Vec<(Tree, Tree)> =
            (0..6).map(|_| (condition(&mut r, w), condition(&mut r, w))).collect();
        let holds = [fixed.build(s.pool_mut(), &vars)];
        let asked: Vec<Claim> = claims
            .iter()
            .map(|(premise, image)| Claim {
                premise: Some(premise.build(s.pool_mut(), &vars)),
                image: Some(image.build(s.pool_mut(), &vars)),
            })
            .collect();
        let later = cegas::watch::Deadline::within(std::time::Duration::from_secs(60));
        let filtered = s.filter(&holds, &asked, &Limits::default(), later);
        assert!(filtered.open.is_empty(), "seed {seed}: {filtered:?}");
        // The same by hand: drop what some assignment refutes until nothing changes.
        let all = 1u128 << w;
        let mut left: Vec<usize> = (0..claims.len()).collect();
        loop {
            let is_possible = |env: &[u128]| {
                fixed.eval(env) == 1 && left.iter().all(|&i| claims[i].0.eval(env) == 1)
            };
            let refuted = |i: &usize| {
                (0..all).any(|x| {
                    (0..all).any(|y| is_possible(&[x, y]) && claims[*i].1.eval(&[x, y]) != 1)
                })
            };
            let kept: Vec<usize> = left.iter().copied().filter(|i| !refuted(i)).collect();
            if kept == left {
                break;
            }
            left = kept;
        }
        assert_eq!(filtered.kept, left, "seed {seed}");
    }
}
