//! What a function's callers are assumed to give it, read off the C types of its parameters.

use super::lengths;
use super::texts;
use super::types;
use super::{Given, Null, Options, Size};
use crate::ir::{
    Binding, CTypeId, Const, FuncId, Inst, InstId, IntPredicate, Operand, Program, Type, ValueId,
};

/// What each parameter is, and what that assumes, in words.
pub(super) fn given(
    program: &Program,
    func: FuncId,
    options: Options,
) -> (Vec<Given>, Vec<String>) {
    let function = &program.funcs[func];
    let lengths = lengths::lengths(program, func);
    let mut all = Vec::new();
    let mut assumes = Vec::new();
    let mut pointers = 0;
    for (index, param) in function.params.iter().enumerate() {
        if !matches!(program.types.get(program.values[param].ty), Type::Ptr) {
            all.push(Given::Any);
            continue;
        }
        let declared = index < 64 && function.nonnull_params >> index & 1 == 1;
        let null = if declared {
            Null::Never
        } else if options.null_arguments {
            Null::Maybe
        } else if is_compared_with_null(program, func, param) {
            Null::Asked
        } else {
            Null::Never
        };
        let place = place(program, func, param);
        let given = match place {
            Some(Place::Copy(ty)) => {
                let size = types::size(program, ty).map_or(Size::AtLeast(0), Size::Exactly);
                Given::Object { pointee: Some(ty), size, null: Null::Never }
            }
            Some(Place::Value(ty)) => {
                let given = pointer(program, ty, null, lengths.get(index).copied().flatten());
                let is_text = || texts::is_text(program, func, param);
                let is_char =
                    |to: &CTypeId| types::is_char(program, *to) && types::is_const(program, *to);
                match given {
                    Given::Object { pointee, size: Size::AtLeast(_), null }
                        if pointee.as_ref().is_some_and(is_char) && is_text() =>
                    {
                        Given::Text { null }
                    }
                    other => other,
                }
            }
            None => Given::Object { pointee: None, size: Size::AtLeast(0), null },
        };
        if !matches!(place, Some(Place::Copy(_))) {
            pointers += 1;
            assumes.push(told(program, func, param, given));
        }
        all.push(given);
    }
    if pointers > 0 {
        assumes.push(format!(
            "what the arguments of `{}` lead to is valid and does not overlap",
            function.name
        ));
    }
    if pointers < function.params.len() {
        assumes.push(format!("`{}` may be called with any numbers", function.name));
    }
    (all, assumes)
}

fn pointer(program: &Program, ty: CTypeId, null: Null, length: Option<(u32, u64)>) -> Given {
    let Some(pointee) = types::pointee(program, ty) else {
        return Given::Object { pointee: None, size: Size::AtLeast(0), null };
    };
    if pointee.is_some_and(|to| types::is_function(program, to)) {
        return Given::Function { null };
    }
    let unit = pointee.and_then(|to| types::size(program, to));
    let size = match (length, unit) {
        // Bytes are counted where there is no type, or where whole ranges are moved.
        (Some((param, counted)), unit)
            if unit.is_none_or(|unit| unit == counted || counted == 1) =>
        {
            Size::Times { param, unit: counted }
        }
        (_, Some(bytes)) => Size::AtLeast(bytes),
        (_, None) => Size::AtLeast(0),
    };
    Given::Object { pointee, size, null }
}

fn told(program: &Program, func: FuncId, param: ValueId, given: Given) -> String {
    let name = name(program, param);
    let (what, null) = match given {
        Given::Any => return String::new(),
        Given::Text { null } => ("points to a text that ends with a zero".to_owned(), null),
        Given::Function { null } => ("points to a function".to_owned(), null),
        Given::Object { size: Size::Times { param, unit }, null, .. } => {
            let length = program.funcs[func].params.get(param as usize);
            let length = length.map_or_else(String::new, |length| self::name(program, length));
            let what =
                if unit == 1 { "bytes".to_owned() } else { format!("elements of {unit} bytes") };
            (format!("points to {length} {what}"), null)
        }
        Given::Object { null, .. } => ("points to an object".to_owned(), null),
    };
    match null {
        Null::Never => format!("{name} {what}"),
        Null::Asked | Null::Maybe => format!("{name} is null or {what}"),
    }
}

/// What C calls a parameter.
fn name(program: &Program, param: ValueId) -> String {
    let name = program.values[param].name.expand().map(|name| program.texts.get(name));
    name.map_or_else(|| "a parameter".to_owned(), |name| format!("`{name}`"))
}

/// What the source makes of a parameter.
#[derive(Debug, Clone, Copy)]
enum Place {
    /// It is the value of a variable, or of a part of one.
    Value(CTypeId),
    /// It is the address of a copy that the caller made: a struct that is given by value.
    Copy(CTypeId),
}

fn place(program: &Program, func: FuncId, param: ValueId) -> Option<Place> {
    let blocks = program.funcs[func].blocks;
    let first = program.blocks[blocks.first()?].insts.first()?;
    let last = program.blocks[blocks.last()?].insts.last()?;
    let bindings = program.debug.bindings_between(first, last);
    let ty = |binding: &Binding| program.debug.vars[binding.var].ty.expand();
    let is_bound = |b: &&Binding| b.value == Operand::Value(param);
    if let Some(binding) = bindings.iter().find(is_bound) {
        let ty = ty(binding)?;
        return Some(if binding.address { Place::Copy(ty) } else { Place::Value(ty) });
    }
    // A variable that lives in memory, or a struct that comes in parts.
    let (target, offset) =
        stored_at(program, first..=program.blocks[blocks.first()?].insts.last()?, param)?;
    let binding = bindings.iter().find(|b| b.address && b.value == Operand::Value(target))?;
    let ty = ty(binding)?;
    let bytes = program.types.store_size(program.values[param].ty);
    let found = types::member(program, ty, offset, bytes)?;
    Some(Place::Value(found))
}

/// The variable that a parameter is stored to, and where in it.
fn stored_at(
    program: &Program,
    range: std::ops::RangeInclusive<InstId>,
    param: ValueId,
) -> Option<(ValueId, u64)> {
    let all = (range.start().as_u32()..=range.end().as_u32()).map(InstId::from_u32);
    for inst in all {
        let Inst::Store { ptr: Operand::Value(ptr), value, .. } = program.insts[inst].inst else {
            continue;
        };
        if value != Operand::Value(param) {
            continue;
        }
        let crate::ir::Def::Inst(made) = program.values[ptr].def else { return None };
        return match program.insts[made].inst {
            Inst::Alloca { .. } => Some((ptr, 0)),
            Inst::Gep { base: Operand::Value(base), offset, terms, .. }
                if program.term_pool.get(terms).is_empty() =>
            {
                Some((base, u64::try_from(offset).ok()?))
            }
            _ => None,
        };
    }
    None
}

fn is_compared_with_null(program: &Program, func: FuncId, param: ValueId) -> bool {
    let blocks = program.funcs[func].blocks.iter();
    let mut insts = blocks.flat_map(|block| program.blocks[block].insts.iter());
    let is_null = |operand: Operand| {
        operand.constant().is_some_and(|c| matches!(program.consts.get(c), Const::Null))
    };
    insts.any(|inst| match program.insts[inst].inst {
        Inst::IntCmp { pred: IntPredicate::Eq | IntPredicate::Ne, lhs, rhs } => {
            (lhs == Operand::Value(param) && is_null(rhs))
                || (rhs == Operand::Value(param) && is_null(lhs))
        }
        _ => false,
    })
}
