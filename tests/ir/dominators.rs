//! Dominators against their definition, on random graphs.

use crate::program;
use cegas::ir::FuncId;
use cegas::ir::cfg::Cfg;
use cegas::ir::dominators::Dominators;
use cranelift_entity::EntityRef;
use std::fmt::Write;

/// The blocks that can be reached from the entry without going through `without`.
fn reachable(cfg: &Cfg, without: usize) -> Vec<bool> {
    let mut seen = vec![false; cfg.len()];
    let mut stack = vec![0];
    while let Some(at) = stack.pop() {
        if at != without && !std::mem::replace(&mut seen[at], true) {
            stack.extend(cfg.successors(at));
        }
    }
    seen
}

#[test]
fn dominators_are_what_their_definition_says() {
    let mut seed = 1u64;
    let mut dice = |bound: usize| {
        seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (seed >> 33) as usize % bound
    };
    for round in 0..300 {
        let count = 1 + dice(12);
        let mut text = "func f0 @f(v0: i1) -> void external {\n".to_owned();
        for block in 0..count {
            // Without the entry as a target; now and then a block that nothing leads to.
            let mut to = |_| if count == 1 { 0 } else { 1 + dice(count - 1) };
            let (then, els) = (to(()), to(()));
            let terminator = match dice(4) {
                _ if count == 1 => "return".to_owned(),
                0 => "return".to_owned(),
                1 => format!("jump b{then}"),
                _ => format!("branch v0, b{then}, b{els}"),
            };
            writeln!(text, "b{block}:\n    {terminator}").unwrap();
        }
        let p = program(&(text + "}\n"));
        let cfg = Cfg::new(&p, FuncId::new(0));
        let dominators = Dominators::new(&cfg);
        let all = reachable(&cfg, usize::MAX);
        for above in 0..count {
            let without = reachable(&cfg, above);
            for below in 0..count {
                let expected = all[below] && !without[below];
                assert_eq!(
                    dominators.dominates(above, below),
                    expected,
                    "b{above} over b{below}, round {round}\n{p}"
                );
            }
            assert_eq!(dominators.is_reachable(above), all[above]);
            // The immediate dominator is the one that all other proper dominators dominate.
            let proper = |n: usize| (0..count).filter(move |&d| d != n).collect::<Vec<_>>();
            let expected = proper(above).into_iter().find(|&d| {
                dominators.dominates(d, above)
                    && proper(above)
                        .into_iter()
                        .all(|e| !dominators.dominates(e, above) || dominators.dominates(e, d))
            });
            let found = dominators.immediate(&cfg, cfg.block(above)).map(|block| cfg.number(block));
            assert_eq!(found, expected, "immediate dominator of b{above}, round {round}\n{p}");
        }
    }
}

#[test]
fn neighbours_are_named_once() {
    let p = program(
        "func f0 @f(v0: i32) -> void external {
b0:
    switch v0, [i32 1 -> b1, i32 2 -> b1, i32 3 -> b2], b1
b1:
    jump b2
b2:
    return
}
",
    );
    let cfg = Cfg::new(&p, FuncId::new(0));
    assert_eq!(cfg.successors(0), [1, 2]);
    assert_eq!(cfg.predecessors(1), [0]);
    assert_eq!(cfg.predecessors(2), [0, 1]);
}
