//! Stage 1: every id exists, every list lies in its pool, every range lies in its table. After it,
//! nothing that follows an id can panic.

use super::{Report, ensure};
use crate::ir::consts::{Const, ConstExpr};
use crate::ir::debug::CType;
use crate::ir::ids::{
    BlockId, CTypeId, ConstId, FileId, FuncId, GlobalId, IdRange, InstId, LocId, TextId, TypeId,
    ValueId, VarId,
};
use crate::ir::inst::{Callee, Inst, Operand};
use crate::ir::program::{Def, Function, Global, InstData, Program, Value};
use crate::ir::types::Type;
use cranelift_entity::EntityRef;
use cranelift_entity::packed_option::{PackedOption, ReservedValue};
use std::fmt::Display;

type Found = Result<(), String>;

pub(super) fn check(report: &mut Report<'_>) {
    let p = report.program;
    for (id, ty, _) in p.types.iter() {
        report.check(type_parts(p, ty), |_| format!("type {id}"));
    }
    for (id, ty, value) in p.consts.iter() {
        report.check(ty.exists(p).and_then(|()| const_parts(p, value)), |_| format!("const {id}"));
    }
    for (id, global) in &p.globals {
        report.check(global_parts(p, global), |_| format!("global {id} @{}", global.name));
    }
    for (id, func) in &p.funcs {
        report.check(func_parts(p, func), |_| format!("function {id} @{}", func.name));
    }
    for (id, block) in &p.blocks {
        let found = block.func.exists(p).and_then(|()| range(p.insts.len(), block.insts));
        report.check(found, |_| format!("block {id}"));
    }
    for (id, value) in &p.values {
        report.check(value_parts(p, value), |_| format!("value {id}"));
    }
    for (id, data) in &p.insts {
        report.check_inst(inst_parts(p, data), id);
    }
    for (name, target) in &p.aliases {
        report.check(target.exists(p), |_| format!("alias @{name}"));
    }
    for func in p.constructors.iter().chain(&p.destructors) {
        report.check(func.exists(p), |_| "the constructors and destructors".to_owned());
    }
    debug(report);
}

/// An id that should be in one of the program's tables.
trait Reference: Copy + Display {
    fn is_valid(self, program: &Program) -> bool;

    fn exists(self, program: &Program) -> Found {
        ensure(self.is_valid(program), || format!("{self} does not exist"))
    }
}

macro_rules! references {
    ($($id:ident in $($table:ident).+;)*) => {
        $(impl Reference for $id {
            fn is_valid(self, program: &Program) -> bool {
                program.$($table).+.is_valid(self)
            }
        })*
    };
}

references! {
    TypeId in types;
    ConstId in consts;
    TextId in texts;
    GlobalId in globals;
    FuncId in funcs;
    BlockId in blocks;
    InstId in insts;
    ValueId in values;
    FileId in debug.files;
    LocId in debug.locs;
    VarId in debug.vars;
    CTypeId in debug.ctypes;
}

fn optional<T: Reference + ReservedValue>(p: &Program, id: PackedOption<T>) -> Found {
    id.expand().map_or(Ok(()), |id| id.exists(p))
}

fn operand(p: &Program, operand: Operand) -> Found {
    match operand {
        Operand::Value(value) => value.exists(p),
        Operand::Const(constant) => constant.exists(p),
    }
}

fn range<T: EntityRef>(table: usize, range: IdRange<T>) -> Found {
    let (start, end) = range.bounds();
    ensure(start == end || start < end && end as usize <= table, || {
        format!("the range {start}..{end} does not lie in its table of {table}")
    })
}

fn in_pool(holds: bool) -> Found {
    ensure(holds, || "a list does not lie in its pool".to_owned())
}

fn type_parts(p: &Program, ty: &Type) -> Found {
    match ty {
        Type::Array { elem, .. } | Type::Vector { elem, .. } => elem.exists(p),
        Type::Struct { fields } => fields.iter().try_for_each(|field| field.ty.exists(p)),
        Type::Void | Type::Int(_) | Type::Ptr | Type::Float(_) | Type::Opaque(_) => Ok(()),
    }
}

fn const_parts(p: &Program, value: &Const) -> Found {
    match value {
        Const::Int(_) | Const::Wide(_) | Const::Float(_) => Ok(()),
        Const::Null | Const::Zero | Const::Undef | Const::Poison => Ok(()),
        Const::Aggregate(parts) => parts.iter().try_for_each(|part| part.exists(p)),
        Const::Global { global, .. } => global.exists(p),
        Const::Func(func) => func.exists(p),
        Const::Block { func, block } => func.exists(p).and_then(|()| block.exists(p)),
        Const::Expr(ConstExpr::Cast { value: of, .. } | ConstExpr::Offset { base: of, .. }) => {
            of.exists(p)
        }
        Const::Expr(ConstExpr::Binary { lhs, rhs, .. }) => {
            lhs.exists(p).and_then(|()| rhs.exists(p))
        }
        Const::Unsupported(what) => what.exists(p),
    }
}

fn global_parts(p: &Program, global: &Global) -> Found {
    global.ty.exists(p)?;
    optional(p, global.var)?;
    let relocs = global.init.iter().flat_map(|init| &init.relocs);
    relocs.map(|(_, target)| target).try_for_each(|target| target.exists(p))
}

fn func_parts(p: &Program, func: &Function) -> Found {
    func.result.exists(p)?;
    optional(p, func.loc)?;
    range(p.values.len(), func.params)?;
    range(p.blocks.len(), func.blocks)
}

fn value_parts(p: &Program, value: &Value) -> Found {
    value.ty.exists(p)?;
    optional(p, value.name)?;
    match value.def {
        Def::Param { func, .. } => func.exists(p),
        Def::Inst(inst) => inst.exists(p),
    }
}

fn inst_parts(p: &Program, data: &InstData) -> Found {
    data.block.exists(p)?;
    optional(p, data.result)?;
    optional(p, data.loc)?;
    match data.inst {
        Inst::Pure { args, .. } => in_pool(p.operand_pool.holds(args))?,
        Inst::Unsupported { what, args } => {
            what.exists(p)?;
            in_pool(p.operand_pool.holds(args))?;
        }
        Inst::Call { callee, args } => {
            if let Callee::Direct(func) = callee {
                func.exists(p)?;
            }
            in_pool(p.operand_pool.holds(args))?;
        }
        Inst::Phi { incoming } => {
            in_pool(p.phi_pool.holds(incoming))?;
            p.phi_pool.get(incoming).iter().try_for_each(|(block, _)| block.exists(p))?;
        }
        Inst::Extract { path: list, .. }
        | Inst::Insert { path: list, .. }
        | Inst::Shuffle { mask: list, .. } => in_pool(p.index_pool.holds(list))?,
        Inst::Alloca { elem, .. } => elem.exists(p)?,
        Inst::Gep { terms, .. } => in_pool(p.term_pool.holds(terms))?,
        Inst::Switch { cases, .. } => {
            in_pool(p.case_pool.holds(cases))?;
            p.case_pool.get(cases).iter().try_for_each(|(case, _)| case.exists(p))?;
        }
        Inst::IndirectJump { targets, .. } => in_pool(p.block_pool.holds(targets))?,
        Inst::Binary { .. }
        | Inst::Overflow { .. }
        | Inst::IntCmp { .. }
        | Inst::FloatCmp { .. }
        | Inst::Cast { .. }
        | Inst::Select { .. }
        | Inst::Freeze { .. }
        | Inst::ExtractElement { .. }
        | Inst::InsertElement { .. }
        | Inst::Uninit
        | Inst::Load { .. }
        | Inst::Store { .. }
        | Inst::MemCopy { .. }
        | Inst::MemSet { .. }
        | Inst::AtomicRmw { .. }
        | Inst::CmpXchg { .. }
        | Inst::Fence
        | Inst::LifetimeStart { .. }
        | Inst::LifetimeEnd { .. }
        | Inst::StackSave
        | Inst::StackRestore { .. }
        | Inst::VaStart { .. }
        | Inst::VaEnd { .. }
        | Inst::VaCopy { .. }
        | Inst::VaArg { .. }
        | Inst::Check { .. }
        | Inst::Assume { .. }
        | Inst::Jump { .. }
        | Inst::Branch { .. }
        | Inst::Return { .. }
        | Inst::Unreachable => {}
    }
    let mut found = Ok(());
    p.for_each_operand(&data.inst, |read| {
        if found.is_ok() {
            found = operand(p, read);
        }
    });
    p.for_each_successor(&data.inst, |to| {
        if found.is_ok() {
            found = to.exists(p);
        }
    });
    found
}

fn debug(report: &mut Report<'_>) {
    let p = report.program;
    for (id, loc) in &p.debug.locs {
        let found = loc.file.exists(p).and_then(|()| optional(p, loc.inlined_at));
        report.check(found, |_| format!("location {id}"));
    }
    for (id, var) in &p.debug.vars {
        let found = optional(p, var.ty).and_then(|()| optional(p, var.file));
        report.check(found, |_| format!("variable {id} {:?}", var.name));
    }
    for (id, ctype) in &p.debug.ctypes {
        report.check(ctype_parts(p, ctype), |_| format!("C type {id}"));
    }
    for (index, binding) in p.debug.bindings.iter().enumerate() {
        let found = binding.at.exists(p).and_then(|()| binding.var.exists(p));
        let found = found.and_then(|()| operand(p, binding.value));
        report.check(found, |_| format!("binding {index}"));
    }
}

fn ctype_parts(p: &Program, ctype: &CType) -> Found {
    match ctype {
        CType::Base { .. } | CType::Enum { .. } | CType::Other { .. } => Ok(()),
        CType::Pointer { to: of }
        | CType::Typedef { of, .. }
        | CType::Qualified { of, .. }
        | CType::Array { elem: of, .. } => optional(p, *of),
        CType::Struct { members, .. } | CType::Union { members, .. } => {
            members.iter().try_for_each(|member| optional(p, member.ty))
        }
        CType::Function { result, params } => {
            optional(p, *result)?;
            params.iter().try_for_each(|&param| optional(p, param))
        }
    }
}
