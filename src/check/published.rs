//! Functions of a library that only it can name, but whose address it gives away: in a table that others see, through a
//! parameter, as a result, to a function without a body.

use super::models;
use crate::entries::Reach;
use crate::ir::{FuncId, Inst, Linkage, Program};
use crate::pta;
use cranelift_entity::EntitySet;

/// Those that code outside may call and nothing inside does: a caller inside is one that is known.
pub(super) fn published(program: &Program) -> EntitySet<FuncId> {
    let named = Reach::new(program).named();
    let is_candidate = |func: FuncId| {
        let function = &program.funcs[func];
        function.linkage == Linkage::Internal
            && !function.blocks.is_empty()
            && named.contains(func)
            && !models::is_model(program, func)
    };
    let mut found = EntitySet::new();
    if !program.funcs.keys().any(is_candidate) {
        return found;
    }
    let points_to = pta::analyse(program, &pta::Options::default());
    let outside = points_to.called_by_unknown.iter().copied();
    outside.filter(|&func| is_candidate(func)).for_each(|func| {
        found.insert(func);
    });
    for (at, data) in &program.insts {
        if matches!(data.inst, Inst::Call { .. }) {
            points_to.callees(at).funcs.iter().for_each(|&func| {
                found.remove(func);
            });
        }
    }
    found
}
