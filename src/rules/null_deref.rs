//! `null-deref`: no null pointer is dereferenced.

use super::{Demand, Extent, Fault, Obligation, Rule, Severity, memory};
use crate::ir::cfg::Cfg;
use crate::ir::dominators::Dominators;
use crate::ir::{Callee, Const, Def, FuncId, Inst, InstId, IntPredicate, Operand, Program};
use crate::library::accesses::ALLOCATES;

pub const RULE: Rule = Rule {
    id: "null-deref",
    summary: "a null pointer is dereferenced",
    doc: "Memory is read or written through a pointer that is null, directly or at an offset from it (`p->next` with `p` null). Results of functions that may return null, and with `--malloc-may-fail` those of allocations, must be checked before use.",
    bad: r#"char *colon = strchr(line, ':');
*colon = 0;"#,
    good: r#"char *colon = strchr(line, ':');
if (colon) *colon = 0;"#,
    cwe: &[476, 690],
    severity: Severity::High,
    default: true,
    mark,
};

/// Marks every access to memory, calls through pointers, and comparisons with null that come too late.
fn mark(program: &Program) -> Vec<Obligation> {
    let mut found = memory::accesses(program, RULE.id, Fault::Null);
    let calls = program.insts.iter().filter_map(|(at, data)| match data.inst {
        Inst::Call { callee: Callee::Indirect(pointer @ Operand::Value(_)), .. } => {
            Some((at, pointer))
        }
        _ => None,
    });
    found.extend(calls.map(|(at, pointer)| {
        let demand = Demand::Access { pointer, extent: Extent::Bytes(1), fault: Fault::Null };
        Obligation { rule: RULE.id, at, demand }
    }));
    for func in program.funcs.keys() {
        found.extend(late_checks(program, func));
    }
    found
}

/// What an allocation returned is used, and compared with null only afterwards: whoever wrote it thinks that
/// it may fail. Allocations succeed unless the user says otherwise, so it is no error, but nobody should
/// hear that such code is safe.
fn late_checks(program: &Program, func: FuncId) -> Vec<Obligation> {
    let mut checks: Vec<(InstId, Operand, Operand)> = Vec::new();
    let mut uses: Vec<(InstId, Operand)> = Vec::new();
    for block in program.funcs[func].blocks.iter() {
        for at in program.blocks[block].insts.iter() {
            match program.insts[at].inst {
                Inst::IntCmp { pred: IntPredicate::Eq | IntPredicate::Ne, lhs, rhs }
                    if is_null(program, rhs) && is_allocated(program, lhs) =>
                {
                    checks.push((at, lhs, rhs));
                }
                Inst::Load { ptr, .. } | Inst::Store { ptr, .. } if is_allocated(program, ptr) => {
                    uses.push((at, ptr));
                }
                _ => {}
            }
        }
    }
    if checks.is_empty() || uses.is_empty() {
        return Vec::new();
    }
    let cfg = Cfg::new(program, func);
    let dominators = Dominators::new(&cfg);
    let before = |a: InstId, b: InstId| {
        let (above, below) = (program.insts[a].block, program.insts[b].block);
        match above == below {
            true => a < b,
            false => dominators.dominates(cfg.number(above), cfg.number(below)),
        }
    };
    let is_late = |&&(check, pointer, _): &&(InstId, Operand, Operand)| {
        let is_checked = |at| checks.iter().any(|&(other, p, _)| p == pointer && before(other, at));
        uses.iter().any(|&(at, used)| used == pointer && before(at, check) && !is_checked(at))
    };
    let late = checks.iter().filter(is_late);
    late.map(|&(at, _, null)| Obligation { rule: RULE.id, at, demand: Demand::Arguable(null) })
        .collect()
}

fn is_null(program: &Program, operand: Operand) -> bool {
    let constant = operand.constant().map(|constant| program.consts.get(constant));
    matches!(constant, Some(Const::Null))
}

/// Whether the value is what an allocating function returned.
fn is_allocated(program: &Program, operand: Operand) -> bool {
    let def = operand.value().map(|value| program.values[value].def);
    let Some(Def::Inst(inst)) = def else { return false };
    match program.insts[inst].inst {
        Inst::Call { callee: Callee::Direct(func), .. } => {
            ALLOCATES.contains(&program.funcs[func].name.as_str())
        }
        _ => false,
    }
}
