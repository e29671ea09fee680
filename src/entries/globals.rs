//! The variables of a library that may hold something else than at the start when one of its functions is called.

use crate::ir::{Const, Global, GlobalId, Inst, Linkage, Operand, Program, ValueId};
use cranelift_entity::{EntitySet, SecondaryMap};

/// All but those that are constant, and those that only the library sees and never does anything with but read them.
pub(super) fn changing(program: &Program) -> EntitySet<GlobalId> {
    let mut changing = EntitySet::new();
    for (id, global) in &program.globals {
        if !is_constant(global) && global.linkage != Linkage::Internal {
            changing.insert(id);
        }
        // Whoever finds the address there may write to it.
        for &(_, constant) in global.init.iter().flat_map(|init| &init.relocs) {
            mark(program, Operand::Const(constant), &mut changing);
        }
    }
    let read_only = pointers_only_read(program);
    for data in program.insts.values() {
        let is_read_only = data.result.expand().is_some_and(|value| read_only[value]);
        if matches!(data.inst, Inst::Load { .. })
            || (matches!(data.inst, Inst::Gep { .. }) && is_read_only)
        {
            continue;
        }
        program.for_each_operand(&data.inst, |operand| mark(program, operand, &mut changing));
    }
    let constant: Vec<GlobalId> =
        changing.iter().filter(|&id| is_constant(&program.globals[id])).collect();
    for id in constant {
        changing.remove(id);
    }
    changing
}

/// Whether it holds the same for ever. What is weak may be defined with something else by others.
fn is_constant(global: &Global) -> bool {
    global.constant && global.linkage != Linkage::Weak
}

/// The results of address computations that are used for nothing but loads, and for such computations.
fn pointers_only_read(program: &Program) -> SecondaryMap<ValueId, bool> {
    let mut only_read = SecondaryMap::with_default(true);
    // A pointer is computed after what it is computed from, but for loops, where it is not taken for granted.
    let mut is_stable = false;
    while !is_stable {
        is_stable = true;
        for data in program.insts.values() {
            let is_harmless = match data.inst {
                Inst::Load { .. } => true,
                Inst::Gep { .. } => data.result.expand().is_some_and(|value| only_read[value]),
                _ => false,
            };
            if is_harmless {
                continue;
            }
            program.for_each_operand(&data.inst, |operand| {
                if let Operand::Value(value) = operand
                    && only_read[value]
                {
                    only_read[value] = false;
                    is_stable = false;
                }
            });
        }
    }
    only_read
}

fn mark(program: &Program, operand: Operand, changing: &mut EntitySet<GlobalId>) {
    let Operand::Const(constant) = operand else { return };
    let mut waiting = vec![constant];
    while let Some(constant) = waiting.pop() {
        let constant = program.consts.get(constant);
        if let Const::Global { global, .. } = constant {
            changing.insert(*global);
        }
        constant.for_each_part(|part| waiting.push(part));
    }
}

/// What C calls it.
pub(super) fn name(program: &Program, global: GlobalId) -> String {
    let global = &program.globals[global];
    let var = global.var.expand().map(|var| program.debug.vars[var].name.as_str());
    format!("`{}`", var.filter(|name| !name.is_empty()).unwrap_or(&global.name))
}

/// So many names are told.
const SHOWN: usize = 4;

pub(super) fn assumed(entry: &str, names: &[String]) -> String {
    let mut text = names.iter().take(SHOWN).map(String::as_str).collect::<Vec<_>>().join(", ");
    if names.len() > SHOWN {
        text += &format!(" and {} more", names.len() - SHOWN);
    }
    let hold = if names.len() == 1 { "holds a value" } else { "hold values" };
    format!(
        "when `{entry}` is called, {text} {hold} of the right type, and pointers in them are null or valid and lead to different objects"
    )
}
