//! Functions that call a function they are given, with data they are given: `format(put, buffer, …)`, `each(list, visit, data)`.
//! In one body for all callers, every function would be called with everybody's data. So each direct call has a copy of
//! its own, whatever the calls on the way there.
//!
//! Only precision depends on the choice made here.

use crate::ir::{Callee, Def, FuncId, Inst, Operand, Program};
use crate::library;
use cranelift_entity::SecondaryMap;
use rustc_hash::FxHashSet;

/// All copies of one of them have at most this many instructions together.
const ALL_COPIES: usize = 30_000;

/// The functions to be copied.
pub fn find(program: &Program) -> FxHashSet<FuncId> {
    let mut calls: SecondaryMap<FuncId, usize> = SecondaryMap::new();
    for data in program.insts.values() {
        if let Inst::Call { callee: Callee::Direct(func), .. } = data.inst {
            calls[func] += 1;
        }
    }
    let is_chosen = |func: FuncId| {
        let blocks = program.funcs[func].blocks.iter();
        let size: usize = blocks.map(|block| program.blocks[block].insts.len()).sum();
        size * calls[func] <= ALL_COPIES
            && applies(program, func)
            && !library::is_model(program, func)
    };
    program.funcs.keys().filter(|&func| is_chosen(func)).collect()
}

/// Whether the function calls one of its parameters, and has another that is a pointer.
fn applies(program: &Program, func: FuncId) -> bool {
    let function = &program.funcs[func];
    let pointers =
        function.params.iter().filter(|&param| program.is_pointer(Operand::Value(param)));
    if pointers.count() < 2 {
        return false;
    }
    let insts = function.blocks.iter().flat_map(|block| program.blocks[block].insts.iter());
    insts.into_iter().any(|inst| match *program.inst(inst) {
        Inst::Call { callee: Callee::Indirect(Operand::Value(target)), .. } => {
            matches!(program.values[target].def, Def::Param { .. })
        }
        _ => false,
    })
}
