//! What may come before a function ends: the calls on the stack, what ran to its end on the way there, and all that
//! the function itself calls.
//!
//! Of a function on the stack, only the calls count from which control gets to the one that is open.

use super::{FuncSet, Order};
use crate::ir::cfg::Cfg;
use crate::ir::{FuncId, Program};
use cranelift_entity::SecondaryMap;
use rustc_hash::FxHashMap;

/// Who is called by a function, and what that function has called when it comes to that call.
struct Edge {
    from: FuncId,
    to: FuncId,
    ran: FuncSet,
}

pub(super) fn solve(order: &mut Order, program: &Program, entry: FuncId) {
    let mut edges: Vec<Edge> = Vec::new();
    for func in program.funcs.keys() {
        edges.extend(edges_of(order, program, func));
    }
    below(order, program);
    // What runs to its end runs all that it calls.
    let whole = |order: &Order, funcs: &mut dyn Iterator<Item = FuncId>| {
        let mut all = FuncSet::default();
        funcs.for_each(|func| _ = all.add(&order.below[func]));
        all
    };
    let mut first = whole(order, &mut program.constructors.iter().copied());
    let mut before: SecondaryMap<FuncId, FuncSet> = SecondaryMap::new();
    for &func in &program.constructors {
        before[func] = first.clone();
    }
    before[entry].add(&first);
    first.add(&order.below[entry]);
    first.add(&whole(order, &mut program.destructors.iter().copied()));
    for &func in &program.destructors {
        before[func].add(&first);
    }
    for edge in &mut edges {
        let mut ran = whole(order, &mut edge.ran.iter());
        ran.insert(edge.from);
        edge.ran = ran;
    }
    let mut changed = true;
    while changed {
        changed = false;
        for edge in &edges {
            changed |= before[edge.to].add(&edge.ran);
            if edge.from != edge.to {
                let above = std::mem::take(&mut before[edge.from]);
                changed |= before[edge.to].add(&above);
                before[edge.from] = above;
            }
        }
    }
    for func in program.funcs.keys() {
        before[func].add(&order.below[func]);
        before[func].insert(func);
    }
    order.before = before;
}

/// What each function runs, itself too.
fn below(order: &mut Order, program: &Program) {
    for func in program.funcs.keys() {
        let called = order.calls[func].iter().flat_map(|call| order.callees(*call).iter().copied());
        let mut called: FuncSet = called.collect();
        called.insert(func);
        order.below[func] = called;
    }
    let mut changed = true;
    while changed {
        changed = false;
        for func in program.funcs.keys().rev() {
            let mut all = std::mem::take(&mut order.below[func]);
            let direct: Vec<FuncId> =
                order.calls[func].iter().flat_map(|&call| order.callees(call)).copied().collect();
            for callee in direct.into_iter().filter(|&callee| callee != func) {
                changed |= all.add(&order.below[callee]);
            }
            order.below[func] = all;
        }
    }
}

/// The calls of a function: whom, after which others.
fn edges_of(order: &Order, program: &Program, func: FuncId) -> Vec<Edge> {
    let calls = &order.calls[func];
    if calls.is_empty() {
        return Vec::new();
    }
    let cfg = Cfg::new(program, func);
    // The calls of each block, in order.
    let mut in_block: FxHashMap<usize, Vec<_>> = FxHashMap::default();
    for &call in calls {
        in_block.entry(cfg.number(program.insts[call].block)).or_default().push(call);
    }
    let mut ran: FxHashMap<FuncId, FuncSet> = FxHashMap::default();
    let mut starts: Vec<usize> = in_block.keys().copied().collect();
    starts.sort_unstable();
    for at in starts {
        // The blocks from which control gets to the start of this one, itself if it is in a loop.
        let mut seen = vec![false; cfg.len()];
        let mut waiting = vec![at];
        let mut all = FuncSet::default();
        while let Some(block) = waiting.pop() {
            for &from in cfg.predecessors(block) {
                if !std::mem::replace(&mut seen[from], true) {
                    let calls = in_block.get(&from).into_iter().flatten();
                    calls.flat_map(|&call| order.callees(call)).for_each(|&f| _ = all.insert(f));
                    waiting.push(from);
                }
            }
        }
        for &call in &in_block[&at] {
            // A call may be one of several functions, and the first of them to come back here is another.
            for &callee in order.callees(call) {
                ran.entry(callee).or_default().add(&all);
            }
            order.callees(call).iter().for_each(|&callee| _ = all.insert(callee));
        }
    }
    let mut edges: Vec<Edge> =
        ran.into_iter().map(|(to, ran)| Edge { from: func, to, ran }).collect();
    edges.sort_unstable_by_key(|edge| edge.to);
    edges
}
