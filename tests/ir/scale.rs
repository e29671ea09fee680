//! Generated C has functions of a hundred thousand blocks: printing, parsing and verifying them must
//! neither exhaust the stack nor go quadratic. Quadratic is some minutes here, so no clock is needed.

use crate::{program, violations};
use cegas::ir;
use std::fmt::Write;

const CHAIN: usize = 100_000;

/// The other shapes show the same with fewer.
const BLOCKS: usize = 30_000;

fn check(text: String) {
    let p = program(&text);
    assert_eq!(violations(&p), "");
    assert!(ir::print(&p).lines().count() > 2 * BLOCKS);
}

/// Every block may leave to the one exit, whose phi has them all.
#[test]
fn a_long_chain_with_one_exit() {
    let mut text = "func f0 @f(v0: i1) -> i32 external {\n".to_owned();
    let mut phi = String::new();
    for block in 0..CHAIN {
        let next = block + 1;
        writeln!(text, "b{block}:\n v{next}: i32 = uninit\n branch v0, b{next}, b{}", CHAIN + 1)
            .unwrap();
        write!(phi, "b{block}: v{next}, ").unwrap();
    }
    writeln!(text, "b{CHAIN}:\n jump b{}", CHAIN + 1).unwrap();
    writeln!(text, "b{}:\n v{}: i32 = phi [{phi}b{CHAIN}: v1]", CHAIN + 1, CHAIN + 1).unwrap();
    writeln!(text, " return v{}\n}}", CHAIN + 1).unwrap();
    check(text);
}

/// Loops inside loops inside loops: every block of the way back can go round again.
#[test]
fn deep_loops() {
    let half = BLOCKS / 2;
    let mut text = "func f0 @f(v0: i1) -> void external {\n".to_owned();
    for block in 0..half {
        writeln!(text, "b{block}:\n jump b{}", block + 1).unwrap();
    }
    for block in half..BLOCKS {
        let head = BLOCKS - block;
        writeln!(text, "b{block}:\n branch v0, b{}, b{head}", block + 1).unwrap();
    }
    writeln!(text, "b{BLOCKS}:\n return\n}}").unwrap();
    check(text);
}

/// A ladder: two chains with rungs, so that no block but the entry dominates much.
#[test]
fn a_ladder() {
    let half = BLOCKS / 2;
    let mut text = "func f0 @f(v0: i1) -> void external {\nb0:\n branch v0, b1, b2\n".to_owned();
    for rung in 0..half {
        let (left, right) = (2 * rung + 1, 2 * rung + 2);
        let (next_left, next_right) = (left + 2, right + 2);
        writeln!(text, "b{left}:\n branch v0, b{next_left}, b{right}").unwrap();
        writeln!(text, "b{right}:\n branch v0, b{next_right}, b{next_left}").unwrap();
    }
    let end = 2 * half + 1;
    writeln!(text, "b{end}:\n return\nb{}:\n return\n}}", end + 1).unwrap();
    check(text);
}

#[test]
fn a_large_switch() {
    let mut text = "func f0 @f(v0: i32) -> i32 external {\nb0:\n switch v0, [".to_owned();
    for case in 1..BLOCKS {
        write!(text, "i32 {case} -> b{case}, ").unwrap();
    }
    writeln!(text, "i32 -1 -> b1], b1").unwrap();
    for block in 1..BLOCKS {
        writeln!(text, "b{block}:\n return i32 {block}").unwrap();
    }
    check(text + "}\n");
}
