//! Models of library functions beside their summaries. A model is one body for all its callers, and would let
//! what one of them passes come out at another. So where the summary tells all that a function does to
//! pointers, calls follow the summary; the model's body is given the arguments, so that its own values have
//! their sets, but writes nothing outside its own variables and returns nothing.
//!
//! Invariant: what a body does not write here, the summary writes at every call.

use super::generate::Frame;
use crate::ir::{CastOp, Def, FuncId, Inst, Operand, Program};
use crate::library::summaries::Effect;
use crate::library::{self, summaries};
use rustc_hash::FxHashSet;

/// What the body of a function leaves out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Silence {
    Nothing,
    /// A model that moves characters: strings hold no pointers.
    Characters,
    /// A model whose summary tells the rest.
    Writes,
}

/// Whether these effects are all said at the call: no object is made whose place the body names, nothing is
/// called that the body calls.
fn is_told(effects: &[Effect]) -> bool {
    effects.iter().all(|effect| match effect {
        Effect::Returns(_)
        | Effect::ReturnsInside(_)
        | Effect::ReturnsElement { .. }
        | Effect::Copies { .. }
        | Effect::Stores { .. }
        | Effect::StoresInside { .. }
        | Effect::ReturnsContent(_) => true,
        Effect::Allocates(_)
        | Effect::Reallocates { .. }
        | Effect::AllocatesInto(_)
        | Effect::ReturnsStorage
        | Effect::Permutes { .. }
        | Effect::Calls { .. }
        | Effect::CallsFor { .. }
        | Effect::CallsContent { .. }
        | Effect::Leaves { .. }
        | Effect::LeavesContent { .. }
        | Effect::ReturnsLeft(_)
        | Effect::StoresLeft { .. }
        | Effect::Escapes(_)
        | Effect::EscapesContent(_)
        | Effect::Shows { .. }
        | Effect::ReturnsOutside
        | Effect::StoresOutside { .. }
        | Effect::Advances { .. }
        | Effect::CallsAt { .. }
        | Effect::LeavesInside { .. }
        | Effect::ReturnsKept(_)
        | Effect::StoresLeftAt { .. }
        | Effect::StoresLeftWithin { .. } => false,
    })
}

/// The models whose calls follow the summary.
pub(super) fn told(program: &Program) -> FxHashSet<FuncId> {
    let models = program.funcs.iter().filter(|&(func, function)| {
        summaries::effects(&function.name).is_some_and(is_told) && library::is_model(program, func)
    });
    models.map(|(func, _)| func).collect()
}

/// Models that call back or make an object: each call gets a copy of its own.
pub(super) fn is_copied(program: &Program, func: FuncId) -> bool {
    let function = &program.funcs[func];
    let effects = summaries::effects(&function.name);
    effects.is_some_and(|effects| !is_told(effects)) && library::is_model(program, func)
}

pub(super) fn silence(program: &Program, func: FuncId, told: &FxHashSet<FuncId>) -> Silence {
    if told.contains(&func) {
        return Silence::Writes;
    }
    let sorts = |effects: &[Effect]| effects.iter().any(|e| matches!(e, Effect::Permutes { .. }));
    if library::is_model(program, func)
        && !summaries::effects(&program.funcs[func].name).is_some_and(sorts)
    {
        return Silence::Characters;
    }
    Silence::Nothing
}

impl Frame<'_> {
    /// Whether a write of a value of so many bits to this address is left out.
    pub(super) fn is_silent(&self, program: &Program, ptr: Operand, bits: u32) -> bool {
        match self.silence {
            Silence::Nothing => false,
            Silence::Characters => bits < program.machine.pointer_bits,
            Silence::Writes => {
                bits < program.machine.pointer_bits || !is_own_variable(program, ptr)
            }
        }
    }
}

/// Whether the address is plainly one of a local variable.
fn is_own_variable(program: &Program, ptr: Operand) -> bool {
    let mut at = ptr;
    while let Some(Def::Inst(inst)) = at.value().map(|value| program.values[value].def) {
        match *program.inst(inst) {
            Inst::Alloca { .. } => return true,
            Inst::Gep { base, .. } | Inst::Cast { op: CastOp::Bitcast, value: base } => at = base,
            _ => return false,
        }
    }
    false
}
