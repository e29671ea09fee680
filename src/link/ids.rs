//! What a unit's ids become: looked up where equal things are one in the program (types, texts, constants,
//! files), moved up where each unit keeps its own (locations, variables, C types). Types, texts and debug
//! information are appended here, since they need no symbols.

use super::merge::Merger;
use super::unit::Symbol;
use crate::ir::{
    CType, CTypeId, ConstId, Field, FileId, FuncId, GlobalId, Loc, LocId, Program, TextId, Type,
    TypeId, ValueId, Var, VarId,
};
use cranelift_entity::packed_option::{PackedOption, ReservedValue};
use cranelift_entity::{EntityRef, PrimaryMap, SecondaryMap};

/// What a unit's ids have become.
#[derive(Debug)]
pub(super) struct Ids {
    pub types: PrimaryMap<TypeId, TypeId>,
    pub texts: PrimaryMap<TextId, TextId>,
    pub consts: PrimaryMap<ConstId, ConstId>,
    files: PrimaryMap<FileId, FileId>,
    /// The functions and globals that this unit brings; none where another's stands for it.
    pub funcs: SecondaryMap<FuncId, PackedOption<FuncId>>,
    pub globals: SecondaryMap<GlobalId, PackedOption<GlobalId>>,
    pub values: SecondaryMap<ValueId, ValueId>,
    locs: usize,
    vars: usize,
    ctypes: usize,
}

impl Ids {
    pub fn func(&self, func: FuncId) -> Option<FuncId> {
        self.funcs[func].expand()
    }

    pub fn placed(&self, symbol: Symbol) -> Option<Symbol> {
        match symbol {
            Symbol::Func(func) => self.funcs[func].expand().map(Symbol::Func),
            Symbol::Global(global) => self.globals[global].expand().map(Symbol::Global),
        }
    }

    pub fn loc(&self, loc: PackedOption<LocId>) -> PackedOption<LocId> {
        loc.map(|loc| moved(loc, self.locs)).into()
    }

    pub fn var(&self, var: VarId) -> VarId {
        moved(var, self.vars)
    }

    fn ctype(&self, ctype: PackedOption<CTypeId>) -> PackedOption<CTypeId> {
        ctype.map(|ctype| moved(ctype, self.ctypes)).into()
    }
}

fn moved<T: EntityRef>(id: T, by: usize) -> T {
    T::new(id.index() + by)
}

impl Merger<'_> {
    pub(super) fn append_tables(&mut self, from: &Program) {
        let out = &mut self.out;
        let mut ids = Ids {
            types: PrimaryMap::with_capacity(from.types.len()),
            texts: PrimaryMap::new(),
            consts: PrimaryMap::with_capacity(from.consts.len()),
            files: PrimaryMap::new(),
            funcs: SecondaryMap::new(),
            globals: SecondaryMap::new(),
            values: SecondaryMap::with_default(ValueId::reserved_value()),
            locs: out.debug.locs.len(),
            vars: out.debug.vars.len(),
            ctypes: out.debug.ctypes.len(),
        };
        ids.values.resize(from.values.len());
        for (_, ty, layout) in from.types.iter() {
            let ty = match ty {
                Type::Array { elem, len } => Type::Array { elem: ids.types[*elem], len: *len },
                Type::Vector { elem, len } => Type::Vector { elem: ids.types[*elem], len: *len },
                Type::Struct { fields } => {
                    let field = |f: &Field| Field { ty: ids.types[f.ty], offset: f.offset };
                    Type::Struct { fields: fields.iter().map(field).collect() }
                }
                Type::Void | Type::Int(_) | Type::Ptr | Type::Float(_) | Type::Opaque(_) => {
                    ty.clone()
                }
            };
            ids.types.push(out.types.intern(ty, layout));
        }
        for (_, text) in from.texts.iter() {
            ids.texts.push(out.texts.intern(text));
        }
        for file in from.debug.files.values() {
            let known = self.files.get(file).copied();
            let id = known.unwrap_or_else(|| {
                let id = out.debug.files.push(file.clone());
                self.files.insert(file.clone(), id);
                id
            });
            ids.files.push(id);
        }
        for loc in from.debug.locs.values() {
            let (file, inlined_at) = (ids.files[loc.file], ids.loc(loc.inlined_at));
            out.debug.locs.push(Loc { file, inlined_at, ..*loc });
        }
        for var in from.debug.vars.values() {
            let file = var.file.map(|file| ids.files[file]).into();
            let (name, ty) = (var.name.clone(), ids.ctype(var.ty));
            out.debug.vars.push(Var { name, ty, file, ..*var });
        }
        for ctype in from.debug.ctypes.values() {
            let mut ctype = ctype.clone();
            match &mut ctype {
                CType::Base { .. } | CType::Enum { .. } | CType::Other { .. } => {}
                CType::Pointer { to: of }
                | CType::Typedef { of, .. }
                | CType::Qualified { of, .. }
                | CType::Array { elem: of, .. } => *of = ids.ctype(*of),
                CType::Struct { members, .. } | CType::Union { members, .. } => {
                    members.iter_mut().for_each(|member| member.ty = ids.ctype(member.ty));
                }
                CType::Function { result, params } => {
                    *result = ids.ctype(*result);
                    params.iter_mut().for_each(|param| *param = ids.ctype(*param));
                }
            }
            out.debug.ctypes.push(ctype);
        }
        self.ids.push(ids);
    }
}
