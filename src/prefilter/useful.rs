//! How long a fact is of use: up to the last block, in the order of the analysis, in which something is looked at
//! that is made from what the fact speaks of; inside a loop, up to the end of that loop. A long function has many facts,
//! but few that are still of use at any place.
//!
//! A fact that is forgotten too early costs a proof, never makes a wrong one.

use super::facts::{Fact, Set, Universe};
use super::numbers::{Made, Number, Numbers};
use crate::ir::cfg::Cfg;
use crate::ir::{FuncId, Inst, Operand, Program};
use cranelift_entity::SecondaryMap;

/// Positions in the order of the analysis.
pub struct Useful {
    /// Where a number is last looked at.
    last: SecondaryMap<Number, u32>,
    /// Where any number is that it is made from: a condition tells something of all of them.
    parts: SecondaryMap<Number, u32>,
    count: usize,
}

impl Useful {
    pub fn new(
        program: &Program,
        func: FuncId,
        cfg: &Cfg,
        order: &[usize],
        numbers: &mut Numbers,
    ) -> Self {
        let mut position = vec![0; cfg.len()];
        order.iter().zip(0..).for_each(|(&block, at)| position[block] = at);
        let ends = loop_ends(cfg, order, &position);
        let mut last = SecondaryMap::<Number, u32>::new();
        let mut look = |operand: Operand, at: u32| {
            let number = numbers.of(program, operand);
            last[number] = last[number].max(ends[at as usize]);
        };
        for &block in order {
            let at = position[block];
            for inst in program.blocks[cfg.block(block)].insts.iter() {
                match program.insts[inst].inst {
                    Inst::Phi { incoming } => {
                        for &(from, operand) in program.phi_pool.get(incoming) {
                            look(operand, position[cfg.number(from)]);
                        }
                    }
                    ref other => program.for_each_operand(other, |operand| look(operand, at)),
                }
            }
        }
        for param in program.funcs[func].params.iter() {
            // The callers want to know, too.
            last[numbers.of(program, Operand::Value(param))] = u32::MAX;
        }
        let count = numbers.made.len();
        // What a number is made from has a smaller one.
        for number in numbers.made.keys().rev() {
            let until = last[number];
            numbers.made[number].for_each_part(|part| last[part] = last[part].max(until));
        }
        let mut parts = last.clone();
        for (number, made) in &numbers.made {
            let mut until = parts[number];
            made.for_each_part(|part| {
                if !matches!(numbers.made[part], Made::Const(_)) {
                    until = until.max(parts[part]);
                }
            });
            parts[number] = until;
        }
        Useful { last, parts, count }
    }

    /// Forgets what is of no use behind a block.
    pub fn trim(&self, universe: &Universe, position: usize, set: &mut Set) {
        set.retain(|id| {
            let (until, number) = match universe.fact(id) {
                Fact::Holds(number, _) | Fact::Passed(number, _) => (&self.parts, number),
                Fact::Object(number)
                | Fact::Sane(number)
                | Fact::Text(number)
                | Fact::Filled(number, ..)
                | Fact::Bytes(number, ..)
                | Fact::Live(number)
                | Fact::Start(number)
                | Fact::Set(number) => (&self.last, number),
            };
            number.as_u32() as usize >= self.count || until[number] as usize >= position
        });
    }
}

/// For each position, the last one of all loops around it.
fn loop_ends(cfg: &Cfg, order: &[usize], position: &[u32]) -> Vec<u32> {
    let mut ends: Vec<u32> = (0..order.len() as u32).collect();
    for &block in order {
        for &to in cfg.successors(block) {
            let head = &mut ends[position[to] as usize];
            *head = (*head).max(position[block]);
        }
    }
    // Blocks of a loop in another may come after all others of that one.
    let mut start = 0;
    while start < ends.len() {
        let (mut at, mut end) = (start, start);
        while at <= end {
            end = end.max(ends[at] as usize);
            at += 1;
        }
        ends[start..at].fill(end as u32);
        start = at;
    }
    ends
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir;

    /// Two loops, one in the other, with something before and behind them.
    const LOOPS: &str = r#"program "loops"
machine "x86_64-pc-linux-gnu" layout "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128" pointer 64 little
type t0 = i1 size 1 store 1 align 1
type t1 = void size 0 store 0 align 1
type t2 = ptr size 8 store 8 align 8
func f0 @main(v0: i1) -> void external {
b0:
    jump b1
b1:
    branch v0, b2, b5
b2:
    branch v0, b3, b4
b3:
    jump b2
b4:
    jump b1
b5:
    return
}
"#;

    #[test]
    fn a_loop_lasts_to_its_end() {
        let program = ir::parse(LOOPS).expect("a program");
        let func = program.func_by_name("main").expect("main");
        let cfg = Cfg::new(&program, func);
        let order = super::super::numbers::order(&cfg);
        let mut position = vec![0; cfg.len()];
        order.iter().zip(0..).for_each(|(&block, at)| position[block] = at);
        let ends = loop_ends(&cfg, &order, &position);
        let end = |block: usize| ends[position[block] as usize];
        assert_eq!(end(0), position[0]);
        // What is behind a loop may come between its blocks in the order, and then lasts as long.
        assert!(end(5) >= position[5]);
        let outer = position[2].max(position[3]).max(position[4]);
        assert_eq!([1, 2, 3, 4].map(end), [outer; 4]);
    }
}
