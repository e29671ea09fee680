//! Which rows of a unit's tables get into the program, and in which order: all of them as they stand, or, for a part
//! of a program, those that it uses, in the order of their first use. Then two parts that are the same are the same
//! tables, whatever else was around them.

use super::needed::Needed;
use super::unit::Symbol;
use crate::ir::{
    CType, CTypeId, Const, ConstExpr, ConstId, FileId, FuncId, GlobalId, Inst, InstId, LocId,
    Operand, Program, TextId, Type, TypeId, ValueId, VarId,
};
use cranelift_entity::packed_option::PackedOption;
use cranelift_entity::{EntityRef, EntitySet};

/// Rows of one table, each once.
#[derive(Debug)]
pub(super) struct Order<T: EntityRef> {
    rows: Vec<T>,
    met: EntitySet<T>,
}

impl<T: EntityRef> Default for Order<T> {
    fn default() -> Self {
        Order { rows: Vec::new(), met: EntitySet::new() }
    }
}

impl<T: EntityRef> Order<T> {
    fn all(count: usize) -> Self {
        Order { rows: (0..count).map(T::new).collect(), met: EntitySet::new() }
    }

    pub fn iter(&self) -> impl Iterator<Item = T> + use<'_, T> {
        self.rows.iter().copied()
    }
}

/// Of one unit.
#[derive(Debug, Default)]
pub(super) struct Rows {
    pub funcs: Order<FuncId>,
    pub globals: Order<GlobalId>,
    pub types: Order<TypeId>,
    pub texts: Order<TextId>,
    pub consts: Order<ConstId>,
    pub files: Order<FileId>,
    pub locs: Order<LocId>,
    pub vars: Order<VarId>,
    pub ctypes: Order<CTypeId>,
}

impl Rows {
    pub fn all(program: &Program) -> Rows {
        let debug = &program.debug;
        Rows {
            funcs: Order::all(program.funcs.len()),
            globals: Order::all(program.globals.len()),
            types: Order::all(program.types.len()),
            texts: Order::all(program.texts.iter().count()),
            consts: Order::all(program.consts.len()),
            files: Order::all(debug.files.len()),
            locs: Order::all(debug.locs.len()),
            vars: Order::all(debug.vars.len()),
            ctypes: Order::all(debug.ctypes.len()),
        }
    }

    pub fn symbols(&self) -> (Vec<FuncId>, Vec<GlobalId>) {
        (self.funcs.rows.clone(), self.globals.rows.clone())
    }

    /// What is needed of the only unit, and what that uses.
    pub fn used(program: &Program, needed: &Needed<'_>) -> Rows {
        let mut uses = Uses { program, rows: Rows::default() };
        for home in &needed.order {
            match home.symbol {
                Symbol::Func(func) => uses.func(func),
                Symbol::Global(global) => uses.global(global),
            }
        }
        uses.rows
    }
}

/// The walk over what is used. What a row refers to comes before it, as far as that is possible.
struct Uses<'p> {
    program: &'p Program,
    rows: Rows,
}

impl Uses<'_> {
    fn func(&mut self, func: FuncId) {
        self.rows.funcs.rows.push(func);
        let function = &self.program.funcs[func];
        self.ty(function.result);
        self.loc(function.loc);
        function.params.iter().for_each(|param| self.value(param));
        let blocks = function.blocks.iter();
        let insts = blocks.flat_map(|block| self.program.blocks[block].insts.iter());
        let insts: Vec<InstId> = insts.collect();
        insts.iter().for_each(|&inst| self.inst(inst));
        if let (Some(&first), Some(&last)) = (insts.first(), insts.last()) {
            for binding in self.program.debug.bindings_between(first, last) {
                self.var(binding.var);
                self.operand(binding.value);
            }
        }
    }

    fn global(&mut self, global: GlobalId) {
        self.rows.globals.rows.push(global);
        let global = &self.program.globals[global];
        self.ty(global.ty);
        global.var.expand().into_iter().for_each(|var| self.var(var));
        let relocs = global.init.iter().flat_map(|init| &init.relocs);
        relocs.for_each(|&(_, target)| self.constant(target));
    }

    fn inst(&mut self, inst: InstId) {
        let data = &self.program.insts[inst];
        self.loc(data.loc);
        data.result.expand().into_iter().for_each(|result| self.value(result));
        self.program.for_each_operand(&data.inst, |operand| self.operand(operand));
        if let Inst::Alloca { elem, .. } = data.inst {
            self.ty(elem);
        }
        if let Inst::Unsupported { what, .. } = data.inst {
            self.text(what);
        }
        if let Inst::Switch { cases, .. } = data.inst {
            let cases = self.program.case_pool.get(cases).iter();
            cases.for_each(|&(case, _)| self.constant(case));
        }
    }

    fn value(&mut self, value: ValueId) {
        let value = &self.program.values[value];
        self.ty(value.ty);
        value.name.expand().into_iter().for_each(|name| self.text(name));
    }

    fn operand(&mut self, operand: Operand) {
        if let Operand::Const(constant) = operand {
            self.constant(constant);
        }
    }

    /// Constants are made of ones with smaller ids, so this ends.
    fn constant(&mut self, constant: ConstId) {
        if !self.rows.consts.met.insert(constant) {
            return;
        }
        self.ty(self.program.consts.ty(constant));
        match *self.program.consts.get(constant) {
            Const::Aggregate(ref parts) => parts.iter().for_each(|&part| self.constant(part)),
            Const::Expr(ConstExpr::Cast { value: of, .. } | ConstExpr::Offset { base: of, .. }) => {
                self.constant(of);
            }
            Const::Expr(ConstExpr::Binary { lhs, rhs, .. }) => {
                self.constant(lhs);
                self.constant(rhs);
            }
            Const::Unsupported(what) => self.text(what),
            Const::Global { .. }
            | Const::Func(_)
            | Const::Block { .. }
            | Const::Int(_)
            | Const::Wide(_)
            | Const::Float(_)
            | Const::Null
            | Const::Zero
            | Const::Undef
            | Const::Poison => {}
        }
        self.rows.consts.rows.push(constant);
    }

    /// Types are made of ones with smaller ids, too.
    fn ty(&mut self, ty: TypeId) {
        if !self.rows.types.met.insert(ty) {
            return;
        }
        match self.program.types.get(ty) {
            Type::Array { elem, .. } | Type::Vector { elem, .. } => self.ty(*elem),
            Type::Struct { fields } => fields.iter().for_each(|field| self.ty(field.ty)),
            Type::Void | Type::Int(_) | Type::Ptr | Type::Float(_) | Type::Opaque(_) => {}
        }
        self.rows.types.rows.push(ty);
    }

    fn text(&mut self, text: TextId) {
        if self.rows.texts.met.insert(text) {
            self.rows.texts.rows.push(text);
        }
    }

    fn file(&mut self, file: FileId) {
        if self.rows.files.met.insert(file) {
            self.rows.files.rows.push(file);
        }
    }

    fn loc(&mut self, loc: PackedOption<LocId>) {
        let mut next = loc.expand();
        while let Some(loc) = next.filter(|&loc| self.rows.locs.met.insert(loc)) {
            self.rows.locs.rows.push(loc);
            let place = &self.program.debug.locs[loc];
            self.file(place.file);
            next = place.inlined_at.expand();
        }
    }

    fn var(&mut self, var: VarId) {
        if self.rows.vars.met.insert(var) {
            self.rows.vars.rows.push(var);
            let var = &self.program.debug.vars[var];
            var.file.expand().into_iter().for_each(|file| self.file(file));
            self.ctype(var.ty);
        }
    }

    /// C types refer to each other in circles, and may nest deeper than a stack is.
    fn ctype(&mut self, ctype: PackedOption<CTypeId>) {
        let mut open: Vec<CTypeId> = ctype.expand().into_iter().collect();
        while let Some(ctype) = open.pop() {
            if !self.rows.ctypes.met.insert(ctype) {
                continue;
            }
            self.rows.ctypes.rows.push(ctype);
            match &self.program.debug.ctypes[ctype] {
                CType::Base { .. } | CType::Enum { .. } | CType::Other { .. } => {}
                CType::Pointer { to: of }
                | CType::Typedef { of, .. }
                | CType::Qualified { of, .. }
                | CType::Array { elem: of, .. } => open.extend(of.expand()),
                CType::Struct { members, .. } | CType::Union { members, .. } => {
                    open.extend(members.iter().filter_map(|member| member.ty.expand()));
                }
                CType::Function { result, params } => {
                    open.extend(result.expand());
                    open.extend(params.iter().filter_map(|param| param.expand()));
                }
            }
        }
    }
}
