//! Who may come before whom in an execution from `main`, function by function: what a verdict on something in a
//! function can depend on, and what may still be come to from a place.
//!
//! - [`before`]: the functions of which some instruction may be executed before a function ends.
//! - [`ahead`]: where an execution may still get to.
//!
//! Invariant: for every execution for which the points-to sets hold, a function of which an instruction is executed
//! before one of `f` is in `before(f)`. Nothing is said of programs in which code runs out of sequence.

mod ahead;
mod before;

use crate::ir::{Bits, FuncId, InstId, Program};
use crate::library;
use crate::pta::PointsTo;
use crate::svfg::modref::Calls;
pub use ahead::Ways;
use cranelift_entity::SecondaryMap;
use rustc_hash::FxHashMap;

pub type FuncSet = Bits<FuncId>;

#[derive(Debug)]
pub struct Order {
    /// The functions with a body that calls may run, of calls that may run any.
    callees: FxHashMap<InstId, Vec<FuncId>>,
    /// The calls of each function, in the order of its instructions.
    calls: SecondaryMap<FuncId, Vec<InstId>>,
    /// What runs when a function is called, itself too.
    below: SecondaryMap<FuncId, FuncSet>,
    before: SecondaryMap<FuncId, FuncSet>,
}

impl Order {
    /// The order of a program that starts at `entry`; none if there is no one order.
    pub fn new(program: &Program, answer: &PointsTo, entry: FuncId) -> Option<Order> {
        let is_out =
            |func: &FuncId| library::OUT_OF_SEQUENCE.contains(&program.funcs[*func].name.as_str());
        let known = Calls::new(program, answer);
        let mut filtered: FxHashMap<InstId, Vec<FuncId>> = FxHashMap::default();
        for &(call, func) in &answer.filtered {
            filtered.entry(call).or_default().push(func);
        }
        let mut order = Order {
            callees: FxHashMap::default(),
            calls: SecondaryMap::new(),
            below: SecondaryMap::new(),
            before: SecondaryMap::new(),
        };
        for func in program.funcs.keys() {
            let blocks = program.funcs[func].blocks.iter();
            for inst in blocks.flat_map(|block| program.blocks[block].insts.iter()) {
                if answer.callees(inst).funcs.iter().any(is_out) {
                    return None;
                }
                let also = filtered.get(&inst).into_iter().flatten().copied();
                let also = also.filter(|&func| !program.funcs[func].blocks.is_empty());
                let mut callees: Vec<FuncId> = known.of(inst).chain(also).collect();
                callees.sort_unstable();
                callees.dedup();
                if !callees.is_empty() {
                    order.calls[func].push(inst);
                    order.callees.insert(inst, callees);
                }
            }
        }
        before::solve(&mut order, program, entry);
        Some(order)
    }

    /// Whom a function calls.
    pub fn callees_of(&self, func: FuncId) -> impl Iterator<Item = FuncId> + '_ {
        self.calls[func].iter().flat_map(|&call| self.callees(call).iter().copied())
    }

    fn callees(&self, call: InstId) -> &[FuncId] {
        self.callees.get(&call).map_or(&[], Vec::as_slice)
    }

    /// The functions of which some instruction may be executed before an instruction of `func`, itself too.
    pub fn before(&self, func: FuncId) -> &FuncSet {
        &self.before[func]
    }

    /// The functions that are executed in some execution in which `func` is.
    pub fn around(&self, func: FuncId) -> FuncSet {
        let mut all = self.before[func].clone();
        for (other, before) in self.before.iter() {
            if before.contains(func) {
                all.insert(other);
            }
        }
        all
    }
}
