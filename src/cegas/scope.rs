//! The variables that C code can name at the head of a loop, and where their values are.
//!
//! Invariant: a variable is listed only if its value there is known for certain. Debug information binds a variable
//! to one value after the other; a binding counts if it is the last one on every way to the head.

use super::loops::{Body, Loops};
use crate::ir::{BlockId, CTypeId, Def, FuncId, GlobalId, Inst, Operand, Program, VarId};
use std::collections::{BTreeMap, BTreeSet};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Home {
    Value(Operand),
    /// The variable lies in memory; this is its address.
    Memory(Operand),
    Global(GlobalId),
}

#[derive(Debug, Clone)]
pub(super) struct Named {
    pub name: String,
    pub ty: Option<CTypeId>,
    pub home: Home,
}

/// What can be named at the head of the loop, by name.
pub(super) fn at_head(program: &Program, loops: &Loops, func: FuncId, body: &Body) -> Vec<Named> {
    let mut by_var: BTreeMap<VarId, Vec<(BlockId, Operand, bool)>> = BTreeMap::new();
    let mut names: BTreeSet<&str> = BTreeSet::new();
    for block in program.funcs[func].blocks.iter() {
        for inst in program.blocks[block].insts.iter() {
            for binding in program.debug.bindings_at(inst) {
                names.insert(&program.debug.vars[binding.var].name);
                let bound = (block, binding.value, binding.address);
                by_var.entry(binding.var).or_default().push(bound);
            }
        }
    }
    let mut found: BTreeMap<&str, Option<Named>> = BTreeMap::new();
    for (&var, bindings) in &by_var {
        let Some(home) = home(program, loops, body, bindings) else { continue };
        let var = &program.debug.vars[var];
        let named = Named { name: var.name.clone(), ty: var.ty.expand(), home };
        // Two of one name: C would mean the inner one, which debug information does not tell.
        found.entry(&var.name).and_modify(|known| *known = None).or_insert(Some(named));
    }
    for (id, global) in &program.globals {
        let Some(var) = global.var.expand().map(|var| &program.debug.vars[var]) else { continue };
        if !names.contains(var.name.as_str()) && !global.constant {
            let home = Home::Global(id);
            let named = Named { name: var.name.clone(), ty: var.ty.expand(), home };
            found.entry(&var.name).and_modify(|known| *known = None).or_insert(Some(named));
        }
    }
    found.into_values().flatten().filter(|named| !named.name.is_empty()).collect()
}

fn home(
    program: &Program,
    loops: &Loops,
    body: &Body,
    bindings: &[(BlockId, Operand, bool)],
) -> Option<Home> {
    let is_phi = |operand: Operand| match operand {
        Operand::Value(value) => match program.values[value].def {
            Def::Inst(inst) => {
                program.insts[inst].block == body.head
                    && matches!(program.insts[inst].inst, Inst::Phi { .. })
            }
            Def::Param { .. } => false,
        },
        Operand::Const(_) => false,
    };
    if let Some(&(_, value, _)) =
        bindings.iter().find(|(_, value, address)| !address && is_phi(*value))
    {
        return Some(Home::Value(value));
    }
    if bindings.iter().any(|(_, _, address)| *address) {
        let [(block, value, true)] = *bindings else { return None };
        return loops.dominates(block, body.head).then_some(Home::Memory(value));
    }
    // Changed in the loop, but not carried from turn to turn.
    if bindings.iter().any(|(block, ..)| body.contains(*block)) {
        return None;
    }
    // In the order of the function's blocks, so of those on every way the last one is the nearest.
    let nearest = bindings.iter().filter(|(block, ..)| loops.dominates(*block, body.head));
    let (last, value, _) = *nearest.max_by_key(|(block, ..)| loops.order(*block))?;
    let others = bindings.iter().filter(|(block, ..)| !loops.dominates(*block, body.head));
    let passes_by = others.into_iter().any(|(from, ..)| reaches(program, *from, body.head, last));
    (!passes_by).then_some(Home::Value(value))
}

/// Whether a path leads from one block to another without a third.
fn reaches(program: &Program, from: BlockId, to: BlockId, without: BlockId) -> bool {
    let mut seen = BTreeSet::from([from]);
    let mut stack = vec![from];
    while let Some(block) = stack.pop() {
        if block == to {
            return true;
        }
        let next = program.successors(block).into_iter();
        stack.extend(next.filter(|&next| next != without && seen.insert(next)));
    }
    false
}
