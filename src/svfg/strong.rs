//! Which stores leave nothing of what was there: they write all of one cell that stands for one concrete place at any
//! time. Table 1 calls this a strong update; here it is decided without a path, so it holds only for
//! variables that exist once.

use super::cells::{Cell, Cells, Extent};
use super::effects::Touch;
use super::modref::ModRef;
use crate::ir::{FuncId, Inst, InstId, Operand, Program, Type, TypeId};
use crate::pta::{ObjectKind, PointsTo, Shape};
use cranelift_entity::SecondaryMap;

/// Whether the bytes from `offset` on lie in a variable of their own, in no array.
fn stands_alone(program: &Program, ty: TypeId, offset: u64) -> bool {
    match program.types.get(ty) {
        Type::Struct { fields } => {
            let found = fields.iter().rev().find(|field| field.offset <= offset);
            found.is_some_and(|field| stands_alone(program, field.ty, offset - field.offset))
        }
        Type::Array { .. } => false,
        _ => true,
    }
}

/// Whether there is at most one concrete object at a time, and the cell is one place in it.
fn is_single(
    program: &Program,
    answer: &PointsTo,
    summaries: &SecondaryMap<FuncId, ModRef>,
    cell: Cell,
) -> bool {
    let object = &answer.objects[cell.object];
    let Shape::Typed { ty, repeated: false } = object.shape else { return false };
    let once = match object.kind {
        ObjectKind::Global(_) => answer.is_single(program, cell.object),
        ObjectKind::Alloca { site, .. } => {
            let func = program.func_of(site);
            let first = program.funcs[func].blocks.first();
            let one = matches!(
                *program.inst(site),
                Inst::Alloca { count: Operand::Const(count), .. }
                    if *program.consts.get(count) == crate::ir::Const::Int(1)
            );
            one && first == Some(program.insts[site].block) && !summaries[func].recursive
        }
        ObjectKind::Unknown
        | ObjectKind::Literals
        | ObjectKind::Arguments
        | ObjectKind::ArgumentStrings
        | ObjectKind::Func(_)
        | ObjectKind::Heap { .. }
        | ObjectKind::Static(_)
        | ObjectKind::Varargs { .. } => false,
    };
    once && stands_alone(program, ty, cell.start as u64)
}

/// Whether the instruction overwrites the one cell it touches.
pub fn overwrites(
    program: &Program,
    answer: &PointsTo,
    cells: &Cells<'_>,
    summaries: &SecondaryMap<FuncId, ModRef>,
    inst: InstId,
    touch: &Touch,
) -> bool {
    let (true, [Extent::Bytes(set, size)]) = (touch.overwrites, &touch.writes[..]) else {
        return false;
    };
    debug_assert!(matches!(program.inst(inst), Inst::Store { .. }));
    if answer.count(*set) != 1 {
        return false;
    }
    let [cell] = cells.touched(Extent::Bytes(*set, *size))[..] else { return false };
    let cell = cells.cells[cell];
    let whole = cell.end > 0 && (cell.end - cell.start) as u64 == *size;
    whole && is_single(program, answer, summaries, cell)
}
