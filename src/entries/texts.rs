//! Whether the code takes what a parameter points to for a text: it gives it to a function that reads texts, or
//! compares one of its characters with zero.

use crate::ir::{Callee, CastOp, Const, Def, FuncId, Inst, Operand, Program, Type, ValueId};

/// Functions that read texts, beside those whose names begin with `str`.
const READERS: &[&str] = &[
    "atoi", "atol", "atoll", "atof", "fopen", "open", "puts", "fputs", "getenv", "printf",
    "fprintf", "sprintf", "snprintf", "perror",
];

/// Calls are looked into so deep.
const DEEPEST: u32 = 3;
/// Pointers are followed back so far.
const FARTHEST: u32 = 8;

pub(super) fn is_text(program: &Program, func: FuncId, param: ValueId) -> bool {
    shown(program, func, param, 0)
}

fn shown(program: &Program, func: FuncId, param: ValueId, depth: u32) -> bool {
    let blocks = program.funcs[func].blocks.iter();
    let mut insts = blocks.flat_map(|block| program.blocks[block].insts.iter());
    insts.any(|inst| match program.insts[inst].inst {
        Inst::Call { callee: Callee::Direct(callee), args } => {
            let function = &program.funcs[callee];
            let name = function.name.as_str();
            let is_reader = name.starts_with("str") || READERS.contains(&name);
            program.operands(args).iter().enumerate().any(|(index, &arg)| {
                leads_from(program, arg, param, FARTHEST)
                    && (is_reader
                        || depth < DEEPEST
                            && function
                                .params
                                .get(index)
                                .is_some_and(|own| shown(program, callee, own, depth + 1)))
            })
        }
        Inst::IntCmp { lhs, rhs, .. } => {
            (is_zero(program, rhs) && is_character(program, lhs, param))
                || (is_zero(program, lhs) && is_character(program, rhs, param))
        }
        Inst::Switch { value, cases, .. } => {
            let mut cases = program.case_pool.get(cases).iter();
            cases.any(|&(case, _)| is_zero(program, Operand::Const(case)))
                && is_character(program, value, param)
        }
        _ => false,
    })
}

fn is_zero(program: &Program, operand: Operand) -> bool {
    operand.constant().is_some_and(|c| matches!(program.consts.get(c), Const::Int(0)))
}

/// Whether a value is a byte that was read through the parameter.
fn is_character(program: &Program, operand: Operand, param: ValueId) -> bool {
    let Some(Def::Inst(made)) = operand.value().map(|value| program.values[value].def) else {
        return false;
    };
    match program.insts[made].inst {
        Inst::Cast { op: CastOp::ZExt | CastOp::SExt, value } => {
            is_character(program, value, param)
        }
        Inst::Load { ptr, .. } => {
            let ty = program.operand_type(operand);
            matches!(program.types.get(ty), Type::Int(8))
                && leads_from(program, ptr, param, FARTHEST)
        }
        _ => false,
    }
}

/// Whether a pointer is computed from the parameter.
fn leads_from(program: &Program, pointer: Operand, param: ValueId, steps: u32) -> bool {
    let Some(value) = pointer.value() else { return false };
    if value == param {
        return true;
    }
    let (Def::Inst(made), Some(steps)) = (program.values[value].def, steps.checked_sub(1)) else {
        return false;
    };
    match program.insts[made].inst {
        Inst::Gep { base, .. } => leads_from(program, base, param, steps),
        Inst::Phi { incoming } => {
            let mut all = program.phi_pool.get(incoming).iter();
            all.any(|&(_, from)| leads_from(program, from, param, steps))
        }
        _ => false,
    }
}
