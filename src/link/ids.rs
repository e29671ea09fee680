//! What a unit's ids become: looked up where equal things are one in the program (types, texts, constants,
//! files), moved up where each unit keeps its own (locations, variables, C types). Types, texts and debug
//! information are appended here, since they need no symbols.

use super::merge::Merger;
use super::rows::Order;
use super::unit::Symbol;
use crate::ir::{
    CType, CTypeId, ConstId, Field, FileId, FuncId, GlobalId, Loc, LocId, Program, TextId, Type,
    TypeId, ValueId, Var, VarId,
};
use cranelift_entity::packed_option::{PackedOption, ReservedValue};
use cranelift_entity::{EntityRef, SecondaryMap};

/// What a unit's ids have become.
#[derive(Debug)]
pub(super) struct Ids {
    pub types: SecondaryMap<TypeId, TypeId>,
    pub texts: SecondaryMap<TextId, TextId>,
    pub consts: SecondaryMap<ConstId, ConstId>,
    files: SecondaryMap<FileId, FileId>,
    /// The functions and globals that this unit brings; none where another's stands for it.
    pub funcs: SecondaryMap<FuncId, PackedOption<FuncId>>,
    pub globals: SecondaryMap<GlobalId, PackedOption<GlobalId>>,
    pub values: SecondaryMap<ValueId, ValueId>,
    locs: SecondaryMap<LocId, LocId>,
    vars: SecondaryMap<VarId, VarId>,
    ctypes: SecondaryMap<CTypeId, CTypeId>,
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
        loc.map(|loc| self.locs[loc]).into()
    }

    pub fn var(&self, var: VarId) -> VarId {
        self.vars[var]
    }

    fn ctype(&self, ctype: PackedOption<CTypeId>) -> PackedOption<CTypeId> {
        ctype.map(|ctype| self.ctypes[ctype]).into()
    }
}

/// Ids of which nothing is known yet.
fn unknown<K: EntityRef, T: Clone + ReservedValue>() -> SecondaryMap<K, T> {
    SecondaryMap::with_default(T::reserved_value())
}

/// The rows' places when they are appended to a table of so many.
fn appended<T: EntityRef + ReservedValue>(rows: &Order<T>, behind: usize) -> SecondaryMap<T, T> {
    let mut places = unknown();
    rows.iter().enumerate().for_each(|(index, row)| places[row] = T::new(behind + index));
    places
}

impl Merger<'_> {
    pub(super) fn append_tables(&mut self, index: usize, from: &Program) {
        let (out, rows) = (&mut self.out, &self.rows[index]);
        let mut ids = Ids {
            types: unknown(),
            texts: unknown(),
            consts: unknown(),
            files: unknown(),
            funcs: SecondaryMap::new(),
            globals: SecondaryMap::new(),
            values: unknown(),
            locs: appended(&rows.locs, out.debug.locs.len()),
            vars: appended(&rows.vars, out.debug.vars.len()),
            ctypes: appended(&rows.ctypes, out.debug.ctypes.len()),
        };
        ids.values.resize(from.values.len());
        for id in rows.types.iter() {
            let layout = from.types.layout(id);
            let ty = match from.types.get(id) {
                Type::Array { elem, len } => Type::Array { elem: ids.types[*elem], len: *len },
                Type::Vector { elem, len } => Type::Vector { elem: ids.types[*elem], len: *len },
                Type::Struct { fields } => {
                    let field = |f: &Field| Field { ty: ids.types[f.ty], offset: f.offset };
                    Type::Struct { fields: fields.iter().map(field).collect() }
                }
                Type::Void | Type::Int(_) | Type::Ptr | Type::Float(_) | Type::Opaque(_) => {
                    from.types.get(id).clone()
                }
            };
            ids.types[id] = out.types.intern(ty, layout);
        }
        for text in rows.texts.iter() {
            ids.texts[text] = out.texts.intern(from.texts.get(text));
        }
        for of in rows.files.iter() {
            let file = &from.debug.files[of];
            let known = self.files.get(file).copied();
            let id = known.unwrap_or_else(|| {
                let id = out.debug.files.push(file.clone());
                self.files.insert(file.clone(), id);
                id
            });
            ids.files[of] = id;
        }
        for loc in rows.locs.iter().map(|loc| &from.debug.locs[loc]) {
            let (file, inlined_at) = (ids.files[loc.file], ids.loc(loc.inlined_at));
            out.debug.locs.push(Loc { file, inlined_at, ..*loc });
        }
        for var in rows.vars.iter().map(|var| &from.debug.vars[var]) {
            let file = var.file.map(|file| ids.files[file]).into();
            let (name, ty) = (var.name.clone(), ids.ctype(var.ty));
            out.debug.vars.push(Var { name, ty, file, ..*var });
        }
        for ctype in rows.ctypes.iter() {
            let mut ctype = from.debug.ctypes[ctype].clone();
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
