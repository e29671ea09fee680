//! How fast expressions are made and small questions answered: `cargo run --release --example smt_bench`.
//! Times are the thread's own CPU time, so that a busy machine does not show in them.

use cegas::smt::z3 as direct;
use cegas::smt::{ExprId, Limits, Pool, Solver, Sort};

fn cpu_seconds() -> f64 {
    unsafe extern "C" {
        fn clock_gettime(clock: i32, time: *mut [i64; 2]) -> i32;
    }
    const THREAD_CPU: i32 = 3;
    let mut time = [0; 2];
    // SAFETY: on 64-bit Linux a `timespec` is two 64-bit integers.
    unsafe { clock_gettime(THREAD_CPU, &mut time) };
    time[0] as f64 + time[1] as f64 * 1e-9
}

/// A loop's worth of simple steps; four of five make a node that was not there.
fn nodes(pools: u128, rounds: u128) {
    let (mut made, mut distinct, mut seconds) = (0u64, 0, 0.0);
    for _ in 0..pools {
        let mut p = Pool::new();
        let vars: Vec<ExprId> = (0..64).map(|i| p.var(&format!("v{i}"), Sort::Bits(32))).collect();
        let start = cpu_seconds();
        for round in 0..rounds {
            let k = p.constant(round, 32);
            for pair in vars.windows(2) {
                let x = p.xor(pair[0], k);
                let a = p.and(x, pair[1]);
                let s = p.add(pair[0], k);
                let l = p.slt(s, pair[1]);
                let again = p.add(k, pair[0]);
                made += 5;
                std::hint::black_box((a, l, again));
            }
        }
        seconds += cpu_seconds() - start;
        distinct += p.len();
    }
    let rate = made as f64 / seconds / 1e6;
    let each = distinct / pools as usize;
    println!("constructors: {rate:.1} M/s ({pools} pools of {each} distinct nodes)");
}

type Question = (&'static str, Vec<ExprId>);

fn questions(p: &mut Pool) -> Vec<Question> {
    let mut all = Vec::new();
    for i in 0..40 {
        let [x, y, z] = ["x", "y", "z"].map(|n| p.var(n, Sort::Bits(32)));
        let m = p.var("m", Sort::Bytes { index: 32 });
        let mut k = |v: u128| p.constant(v, 32);
        let (one, three, ten, hundred) = (k(1), k(3), k(10 + i), k(100));
        let (target, large) = (k(391 + 34 * i), k(1000 * (i + 1)));
        let sum = p.add(x, y);
        let small = [p.slt(sum, ten), p.slt(x, hundred), p.slt(y, hundred)];
        let above = [p.slt(three, x), p.slt(three, y)];
        let beyond = [p.slt(ten, x), p.slt(ten, y)];
        all.push(("sum, sat", [&small[..], &above].concat()));
        all.push(("sum, unsat", [&small[..], &beyond].concat()));
        all.push(("cycle of <, unsat", vec![p.slt(x, y), p.slt(y, z), p.slt(z, x)]));
        let product = p.mul(x, y);
        let factors = [p.ult(x, hundred), p.ult(y, hundred), p.ult(one, x), p.ult(one, y)];
        all.push(("factors", [&[p.eq(product, target)], &factors[..]].concat()));
        let rest = p.urem(x, ten);
        all.push(("remainder", vec![p.eq(rest, three), p.ult(large, x)]));
        let shifted = p.lshr(x, y);
        let masked = p.and(shifted, z);
        all.push(("shift and mask", vec![p.eq(masked, hundred), p.ult(large, x)]));
        let (at_x, at_y) = (p.select(m, x), p.select(m, y));
        all.push(("bytes, unsat", vec![p.ne(at_x, at_y), p.eq(x, y)]));
        let stored = p.store(m, z, at_x);
        let read = p.select(stored, y);
        all.push(("store, unsat", vec![p.ne(read, at_y), p.ne(z, y)]));
    }
    all
}

/// A path that grows by one branch at a time, both sides asked at each, as an exploration does.
fn path(branches: u128) {
    let mut s = Solver::new();
    let vars: Vec<ExprId> =
        (0..100).map(|i| s.pool_mut().var(&format!("v{i}"), Sort::Bits(32))).collect();
    let mut taken = Vec::new();
    let start = cpu_seconds();
    for i in 0..branches {
        let p = s.pool_mut();
        let (x, y) = (vars[(i * 7 % 100) as usize], vars[(i * 7 / 3 % 100) as usize]);
        let k = p.constant(i * 37 % 1009, 32);
        let condition = match i % 3 {
            0 => p.slt(k, x),
            1 => {
                let low = p.and(x, k);
                p.ne(low, k)
            }
            _ => {
                let sum = p.add(x, k);
                p.ne(sum, y)
            }
        };
        let other = p.not(condition);
        for side in [condition, other] {
            taken.push(side);
            if matches!(s.check(&taken, &Limits::default()), cegas::smt::Answer::Sat(_)) {
                break;
            }
            taken.pop();
        }
    }
    let each = (cpu_seconds() - start) / branches as f64 * 1e6;
    println!("a path of {branches} branches: {each:.0} us per branch; {}", s.stats());
}

fn report(name: &str, mut times: Vec<f64>) {
    times.sort_by(f64::total_cmp);
    let at = |q: usize| times.get(times.len() * q / 100).copied().unwrap_or(0.0) * 1e6;
    let mean = times.iter().sum::<f64>() / times.len() as f64 * 1e6;
    println!("{name:24} median {:7.0} us, 90% {:7.0} us, mean {mean:7.0} us", at(50), at(90));
}

fn main() {
    println!("Z3 {}", cegas::smt::version::z3_version());
    nodes(60, 200);
    nodes(1, 12_000);
    if std::env::args().any(|a| a == "--nodes") {
        return;
    }
    let mut s = Solver::new();
    let all = questions(s.pool_mut());
    let kinds: Vec<&str> = all.iter().take(8).map(|q| q.0).collect();
    println!("Z3 alone, no help from us:");
    let mut every = Vec::new();
    for kind in &kinds {
        let mut times = Vec::new();
        for (_, question) in all.iter().filter(|q| q.0 == *kind) {
            let start = cpu_seconds();
            std::hint::black_box(direct::ask(
                s.pool(),
                question,
                &Limits::default(),
                direct::Memory::Thread,
            ));
            times.push(cpu_seconds() - start);
        }
        every.extend_from_slice(&times);
        report(kind, times);
    }
    report("all", every);
    println!("the whole way:");
    let mut every = Vec::new();
    for kind in &kinds {
        let mut times = Vec::new();
        for (_, question) in all.iter().filter(|q| q.0 == *kind) {
            let start = cpu_seconds();
            std::hint::black_box(s.check(question, &Limits::default()));
            times.push(cpu_seconds() - start);
        }
        every.extend_from_slice(&times);
        report(kind, times);
    }
    report("all", every);
    println!("{}", s.stats());
    for branches in [100, 300, 1000] {
        path(branches);
    }
}
