//! Stage 3: the tables beside the code hold what they should: types, constants, texts, globals, names,
//! bindings and locations.

use super::{Report, ensure, typing};
use crate::ir::consts::{Const, ConstExpr};
use crate::ir::debug::Binding;
use crate::ir::ids::{ConstId, LocId, TextId, TypeId};
use crate::ir::inst::Operand;
use crate::ir::print::type_text;
use crate::ir::program::{Global, Program};
use crate::ir::types::{Layout, Type};
use cranelift_entity::EntityRef;
use rustc_hash::FxHashSet;

type Found = Result<(), String>;

pub(super) fn check(report: &mut Report<'_>) {
    let p = report.program;
    let mut types = FxHashSet::default();
    for (id, ty, layout) in p.types.iter() {
        let found = once(types.insert((ty, ty.told_apart_by(layout))))
            .and_then(|()| type_is_coherent(p, id, ty, layout));
        report.check(found, |p| format!("type {id} {}", type_text(p, id)));
    }
    let mut consts = FxHashSet::default();
    for (id, ty, value) in p.consts.iter() {
        let found = once(consts.insert((ty, value))).and_then(|()| fits(p, id, ty, value));
        report.check(found, |p| format!("const {id} of type {}", type_text(p, ty)));
    }
    let mut texts = FxHashSet::default();
    for id in (0..).map(TextId::new).take_while(|&id| p.texts.is_valid(id)) {
        report.check(once(texts.insert(p.texts.get(id))), |_| format!("text {id}"));
    }
    for (id, global) in &p.globals {
        report.check(initialiser(p, global), |_| format!("global {id} @{}", global.name));
    }
    for (name, target) in &p.aliases {
        let ty = p.consts.ty(*target);
        let found = ensure(is_pointer(p, ty), || "is an alias of something without address".into());
        report.check(found, |_| format!("alias @{name}"));
    }
    names(report);
    debug(report);
}

fn once(new: bool) -> Found {
    ensure(new, || "occurs twice in its table".to_owned())
}

fn is_pointer(p: &Program, ty: TypeId) -> bool {
    matches!(p.types.get(ty), Type::Ptr)
}

fn is_alignment(align: u32) -> Found {
    ensure(align == 0 || align.is_power_of_two(), || {
        format!("the alignment {align} is no power of two")
    })
}

fn type_is_coherent(p: &Program, id: TypeId, ty: &Type, layout: Layout) -> Found {
    let before = |part: TypeId| {
        ensure(part < id, || format!("is made of {part}, which does not come before it"))
    };
    ensure(layout.store_size <= layout.size, || {
        format!("a store writes {} bytes, more than its size {}", layout.store_size, layout.size)
    })?;
    is_alignment(layout.align)?;
    match ty {
        Type::Int(bits) => ensure(*bits > 0, || "is an integer without bits".to_owned()),
        Type::Array { elem, len } => {
            before(*elem)?;
            ensure(p.types.size(*elem).checked_mul(*len) == Some(layout.size), || {
                format!(
                    "has size {}, but {len} elements of {} bytes",
                    layout.size,
                    p.types.size(*elem)
                )
            })
        }
        Type::Vector { elem, len } => {
            before(*elem)?;
            let scalar = p.types.scalar_bits(*elem, p.machine.pointer_bits).is_some();
            ensure(scalar && *len > 0, || "is no vector of scalars".to_owned())
        }
        Type::Struct { fields } => {
            let mut end = Some(0);
            for (index, field) in fields.iter().enumerate() {
                before(field.ty)?;
                ensure(end.is_some_and(|end| end <= field.offset), || {
                    format!("field {index} overlaps the one before")
                })?;
                end = field.offset.checked_add(p.types.size(field.ty));
            }
            ensure(end.is_some_and(|end| end <= layout.size), || {
                format!("the last field ends beyond its size {}", layout.size)
            })
        }
        Type::Void | Type::Ptr | Type::Float(_) | Type::Opaque(_) => Ok(()),
    }
}

fn fits(p: &Program, id: ConstId, ty: TypeId, value: &Const) -> Found {
    let before = |part: ConstId| {
        ensure(part < id, || format!("is made of {part}, which does not come before it"))
    };
    let pointer = || ensure(is_pointer(p, ty), || "is an address, but not of type ptr".to_owned());
    let too_wide = || "has bits above its width".to_owned();
    match (value, p.types.get(ty)) {
        (Const::Int(bits), Type::Int(width @ 1..=128)) => {
            ensure(*width == 128 || bits >> width == 0, too_wide)
        }
        (Const::Wide(limbs), Type::Int(width @ 129..)) => {
            let count = width.div_ceil(64) as usize;
            ensure(limbs.len() == count, || format!("has {} limbs, not {count}", limbs.len()))?;
            let used = width % 64;
            let above = limbs.last().map_or(0, |top| if used == 0 { 0 } else { top >> used });
            ensure(above == 0, too_wide)
        }
        (Const::Float(bits), Type::Float(kind)) => {
            ensure(kind.bits() == 128 || bits >> kind.bits() == 0, too_wide)
        }
        (Const::Int(_), _) => {
            Err("is an integer, but not of an integer type up to 128 bits".into())
        }
        (Const::Wide(_), _) => {
            Err("is a wide integer, but not of an integer type over 128 bits".into())
        }
        (Const::Float(_), _) => Err("is a float, but not of a float type".into()),
        (Const::Zero, Type::Array { .. } | Type::Vector { .. } | Type::Struct { .. }) => Ok(()),
        (Const::Zero, _) => Err("is `zero`, which only aggregates are".into()),
        (Const::Undef | Const::Poison | Const::Unsupported(_), ty) => {
            ensure(*ty != Type::Void, || "is a value of type void".to_owned())
        }
        (Const::Aggregate(parts), ty) => {
            parts.iter().try_for_each(|&part| before(part))?;
            aggregate(p, parts, ty)
        }
        (Const::Null | Const::Global { .. } | Const::Func(_), _) => pointer(),
        (Const::Block { func, block }, _) => {
            pointer()?;
            ensure(p.funcs[*func].blocks.contains(*block), || {
                format!("{block} is no block of @{}", p.funcs[*func].name)
            })
        }
        (Const::Expr(expr), _) => match *expr {
            ConstExpr::Cast { op, value } => {
                before(value)?;
                typing::cast(p, op, p.consts.ty(value), ty)
            }
            ConstExpr::Binary { op, lhs, rhs } => {
                before(lhs).and_then(|()| before(rhs))?;
                let same = p.consts.ty(lhs) == ty && p.consts.ty(rhs) == ty;
                ensure(same, || "its operands are not of its own type".to_owned())?;
                typing::binary(p, op, ty)
            }
            ConstExpr::Offset { base, .. } => {
                before(base)?;
                pointer()?;
                ensure(is_pointer(p, p.consts.ty(base)), || "its base is no pointer".to_owned())
            }
        },
    }
}

fn aggregate(p: &Program, parts: &[ConstId], ty: &Type) -> Found {
    let count = |expected: u64| {
        ensure(parts.len() as u64 == expected, || {
            format!("has {} elements, its type {expected}", parts.len())
        })
    };
    let element = |(index, (part, expected)): (usize, (&ConstId, TypeId))| {
        ensure(p.consts.ty(*part) == expected, || {
            format!(
                "element {index} is of type {}, not {}",
                type_text(p, p.consts.ty(*part)),
                type_text(p, expected)
            )
        })
    };
    match ty {
        Type::Struct { fields } => {
            count(fields.len() as u64)?;
            let expected = fields.iter().map(|field| field.ty);
            parts.iter().zip(expected).enumerate().try_for_each(element)
        }
        Type::Array { elem, len } | Type::Vector { elem, len } => {
            count(*len)?;
            parts.iter().map(|part| (part, *elem)).enumerate().try_for_each(element)
        }
        Type::Void | Type::Int(_) | Type::Ptr | Type::Float(_) | Type::Opaque(_) => {
            Err("is an aggregate, but not of an aggregate type".into())
        }
    }
}

fn initialiser(p: &Program, global: &Global) -> Found {
    is_alignment(global.align)?;
    let Some(init) = &global.init else { return Ok(()) };
    ensure(init.bytes.len() as u64 <= global.size, || {
        format!("has {} bytes, but {} are initialised", global.size, init.bytes.len())
    })?;
    ensure(init.bytes.last() != Some(&0), || "its initialiser has trailing zeros".to_owned())?;
    let mut end = 0;
    for &(offset, target) in &init.relocs {
        ensure(end <= offset, || {
            format!(
                "the relocation at {offset} does not follow the one before, which ends at {end}"
            )
        })?;
        let size = p.types.store_size(p.consts.ty(target));
        end = offset.checked_add(size).filter(|end| *end <= global.size).ok_or_else(|| {
            format!("the relocation at {offset} goes beyond its {} bytes", global.size)
        })?;
    }
    Ok(())
}

fn names(report: &mut Report<'_>) {
    let p = report.program;
    let mut seen = FxHashSet::default();
    let globals =
        p.globals.iter().map(|(id, global)| (global.name.as_str(), format!("global {id}")));
    let funcs = p.funcs.iter().map(|(id, func)| (func.name.as_str(), format!("function {id}")));
    let aliases = p.aliases.iter().map(|(name, _)| (name.as_str(), "alias".to_owned()));
    for (name, what) in globals.chain(funcs).chain(aliases) {
        let found = ensure(seen.insert(name), || "another one has the same name".to_owned());
        report.check(found, |_| format!("{what} @{name}"));
    }
}

fn debug(report: &mut Report<'_>) {
    let p = report.program;
    for (id, loc) in &p.debug.locs {
        let earlier = |call: LocId| {
            ensure(call < id, || format!("is inlined at {call}, which does not come before it"))
        };
        let found = loc.inlined_at.expand().map_or(Ok(()), earlier);
        report.check(found, |_| format!("location {id}"));
    }
    let ascending = p.debug.bindings.is_sorted_by_key(|binding| binding.at);
    let found = ensure(ascending, || "do not ascend by their instruction".to_owned());
    report.check(found, |_| "the bindings".to_owned());
    for (index, binding) in p.debug.bindings.iter().enumerate() {
        report.check(binds_own_value(p, binding), |_| format!("binding {index} at {}", binding.at));
    }
}

fn binds_own_value(p: &Program, binding: &Binding) -> Found {
    match binding.value {
        Operand::Const(_) => Ok(()),
        Operand::Value(value) => ensure(p.func_of_value(value) == p.func_of(binding.at), || {
            format!("{value} is a value of another function")
        }),
    }
}
