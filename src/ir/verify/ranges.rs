//! Stage 2: bodies, blocks, instructions and values lie where they should and agree with what refers
//! back to them.

use super::{Report, ensure};
use crate::ir::ids::{FuncId, IdRange, InstId, ValueId};
use crate::ir::program::{Def, Function, Program, Value};
use cranelift_entity::EntityRef;
use std::fmt::Display;

pub(super) fn check(report: &mut Report<'_>) {
    let p = report.program;
    let mut next_block = 0;
    for (id, func) in &p.funcs {
        let found = follows(&mut next_block, func.blocks, "blocks", "function")
            .and_then(|()| {
                func.blocks.iter().try_for_each(|block| back(block, p.blocks[block].func, id))
            })
            .and_then(|()| params(p, id, func));
        report.check(found, |_| format!("function {id} @{}", func.name));
    }
    report.check(covers(next_block, p.blocks.len(), "block", "function"), |_| "the program".into());

    let mut next_inst = 0;
    for (id, block) in &p.blocks {
        let found = ensure(!block.insts.is_empty(), || "is empty".to_owned())
            .and_then(|()| follows(&mut next_inst, block.insts, "instructions", "block"))
            .and_then(|()| {
                block.insts.iter().try_for_each(|inst| back(inst, p.insts[inst].block, id))
            });
        report.check(found, |p| format!("@{}, block {id}", p.funcs[block.func].name));
    }
    let found = covers(next_inst, p.insts.len(), "instruction", "block");
    report.check(found, |_| "the program".into());

    for (id, value) in &p.values {
        report.check(definition(p, id, value), |_| format!("value {id}"));
    }
    for (id, data) in &p.insts {
        if let Some(result) = data.result.expand() {
            report.check_inst(result_is_defined_by(p, result, id), id);
        }
    }
}

/// A range that starts where the one before ended; the end is the next one's start.
fn follows<T: EntityRef>(
    next: &mut u32,
    range: IdRange<T>,
    what: &str,
    of: &str,
) -> Result<(), String> {
    if range.is_empty() {
        return Ok(());
    }
    let (start, end) = range.bounds();
    let expected = std::mem::replace(next, end);
    ensure(start == expected, || {
        format!("its {what} start at {start}, but those of the {of} before end at {expected}")
    })
}

fn covers(next: u32, len: usize, what: &str, of: &str) -> Result<(), String> {
    ensure(next as usize == len, || {
        format!("the {of}s have {next} {what}s, but there are {len} in the table")
    })
}

fn back<I: Display, T: Display + PartialEq>(of: I, says: T, owner: T) -> Result<(), String> {
    ensure(says == owner, || format!("{of} lies in {owner}, but says that it lies in {says}"))
}

fn params(p: &Program, id: FuncId, func: &Function) -> Result<(), String> {
    for (index, param) in func.params.iter().enumerate() {
        let expected = Def::Param { func: id, index: index as u32 };
        ensure(p.values[param].def == expected, || {
            format!("parameter {index} is {param}, which is defined as {:?}", p.values[param].def)
        })?;
    }
    let beyond =
        u32::try_from(func.params.len()).ok().and_then(|n| func.nonnull_params.checked_shr(n));
    ensure(beyond.unwrap_or(0) == 0, || {
        format!(
            "`nonnull` marks {:#b}, but there are {} parameters",
            func.nonnull_params,
            func.params.len()
        )
    })
}

fn definition(p: &Program, id: ValueId, value: &Value) -> Result<(), String> {
    match value.def {
        Def::Param { func, index } => {
            ensure(p.funcs[func].params.get(index as usize) == Some(id), || {
                format!(
                    "says that it is parameter {index} of @{}, which it is not",
                    p.funcs[func].name
                )
            })
        }
        Def::Inst(inst) => ensure(p.insts[inst].result.expand() == Some(id), || {
            format!("says that it is the result of {inst}, which it is not")
        }),
    }
}

fn result_is_defined_by(p: &Program, result: ValueId, id: InstId) -> Result<(), String> {
    ensure(p.values[result].def == Def::Inst(id), || {
        format!("its result {result} is defined as {:?}", p.values[result].def)
    })
}
