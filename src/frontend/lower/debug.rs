//! Debug information: where an instruction stands in the source, and what C calls its values.

use super::Lowering;
use crate::frontend::llvm::Val;
use crate::frontend::llvm_debug as llvm;
use crate::frontend::llvm_extra::{self, Meta, NodeKind};
use crate::ir::debug::{Encoding, Member};
use crate::ir::{
    Binding, CType, CTypeId, FileId, InstId, Loc, LocId, SourceFile, Var, VarId, VarKind,
};
use cranelift_entity::packed_option::PackedOption;

// DWARF's numbers for what C has.
const TAG_ARRAY: u32 = 0x01;
const TAG_ENUM: u32 = 0x04;
const TAG_POINTER: u32 = 0x0f;
const TAG_STRUCT: u32 = 0x13;
const TAG_TYPEDEF: u32 = 0x16;
const TAG_UNION: u32 = 0x17;
const TAG_CONST: u32 = 0x26;
const TAG_VOLATILE: u32 = 0x35;
const TAG_RESTRICT: u32 = 0x37;
const TAG_ATOMIC: u32 = 0x47;

impl<'m> Lowering<'m> {
    pub(super) fn loc(&mut self, inst: Val<'m>) -> PackedOption<LocId> {
        match inst.debug_loc() {
            Some(location) => self.location(location).into(),
            None => None.into(),
        }
    }

    fn location(&mut self, location: Meta) -> Option<LocId> {
        if let Some(&id) = self.locs.get(&location) {
            return Some(id);
        }
        let file = self.file(llvm::scope_file(llvm::location_scope(location)?)?);
        let inlined_at = llvm::location_inlined_at(location).and_then(|at| self.location(at));
        let id = self.program.debug.locs.push(Loc {
            file,
            line: llvm::location_line(location),
            column: llvm::location_column(location),
            inlined_at: inlined_at.into(),
        });
        self.locs.insert(location, id);
        Some(id)
    }

    fn file(&mut self, file: Meta) -> FileId {
        if let Some(&id) = self.files.get(&file) {
            return id;
        }
        let source =
            SourceFile { name: llvm::file_name(file), directory: llvm::file_directory(file) };
        let known = self.program.debug.files.iter().find(|(_, f)| **f == source).map(|(id, _)| id);
        let id = known.unwrap_or_else(|| self.program.debug.files.push(source));
        self.files.insert(file, id);
        id
    }

    /// Where a function is defined.
    pub(super) fn function_loc(&mut self, func: Val<'m>) -> PackedOption<LocId> {
        let Some(subprogram) = func.subprogram() else { return None.into() };
        let node = llvm_extra::debug_node(subprogram);
        let Some(file) = node.file else { return None.into() };
        let file = self.file(file);
        let loc = Loc { file, line: node.line, column: 0, inlined_at: None.into() };
        Some(self.program.debug.locs.push(loc)).into()
    }

    pub(super) fn global_var(&mut self, global: Val<'m>) -> PackedOption<VarId> {
        global.debug_variable().map(|variable| self.var(variable, true)).into()
    }

    fn var(&mut self, variable: Meta, global: bool) -> VarId {
        if let Some(&id) = self.vars.get(&variable) {
            return id;
        }
        let node = llvm_extra::debug_node(variable);
        let kind = match node.encoding {
            _ if global => VarKind::Global,
            0 => VarKind::Local,
            arg => VarKind::Param(arg),
        };
        let file = node.file.map(|file| self.file(file));
        let ty = self.ctype(node.base);
        let id = self.program.debug.vars.push(Var {
            name: node.name,
            kind,
            ty,
            file: file.into(),
            line: node.line,
        });
        self.vars.insert(variable, id);
        id
    }

    /// The bindings that the debug records before `inst` make from `at` on.
    pub(super) fn bindings(&mut self, inst: Val<'m>, at: InstId) {
        let mut records = std::mem::take(&mut self.records);
        inst.debug_records(&mut records);
        for record in records.drain(..) {
            let value = Val::record_value(&record);
            if let Some(value) = self.known_operand(value) {
                let var = self.var(record.variable, false);
                let binding = Binding { at, var, value, address: record.is_declare };
                self.program.debug.bindings.push(binding);
            }
        }
        self.records = records;
    }

    fn ctype(&mut self, ty: Option<Meta>) -> PackedOption<CTypeId> {
        let Some(ty) = ty else { return None.into() };
        if let Some(&id) = self.ctypes.get(&ty) {
            return Some(id).into();
        }
        // The id comes first: a struct reaches itself through its pointers.
        let id = self.program.debug.ctypes.push(CType::Other { what: String::new() });
        self.ctypes.insert(ty, id);
        self.pending_ctypes.push((id, ty));
        Some(id).into()
    }

    /// Fills in the types that were named so far; iterative, since type graphs are deep.
    pub(super) fn finish_ctypes(&mut self) {
        while let Some((id, ty)) = self.pending_ctypes.pop() {
            self.program.debug.ctypes[id] = self.describe(ty);
        }
    }

    fn describe(&mut self, ty: Meta) -> CType {
        let node = llvm_extra::debug_node(ty);
        match (node.kind, node.tag) {
            (NodeKind::BasicType, _) => CType::Base {
                name: node.name,
                bits: node.size_bits,
                encoding: match node.encoding {
                    0x02 => Encoding::Bool,
                    0x04 => Encoding::Float,
                    0x05 => Encoding::Signed,
                    0x06 => Encoding::SignedChar,
                    0x07 => Encoding::Unsigned,
                    0x08 => Encoding::UnsignedChar,
                    _ => Encoding::Other,
                },
            },
            (NodeKind::DerivedType, TAG_POINTER) => CType::Pointer { to: self.ctype(node.base) },
            (NodeKind::DerivedType, TAG_TYPEDEF) => {
                CType::Typedef { of: self.ctype(node.base), name: node.name }
            }
            (
                NodeKind::DerivedType,
                tag @ (TAG_CONST | TAG_VOLATILE | TAG_RESTRICT | TAG_ATOMIC),
            ) => {
                let qualifier = match tag {
                    TAG_CONST => "const",
                    TAG_VOLATILE => "volatile",
                    TAG_RESTRICT => "restrict",
                    _ => "_Atomic",
                };
                CType::Qualified { qualifier: qualifier.into(), of: self.ctype(node.base) }
            }
            (NodeKind::CompositeType, TAG_STRUCT) => CType::Struct {
                members: self.members(ty, node.elements),
                name: node.name,
                size_bits: node.size_bits,
            },
            (NodeKind::CompositeType, TAG_UNION) => CType::Union {
                members: self.members(ty, node.elements),
                name: node.name,
                size_bits: node.size_bits,
            },
            (NodeKind::CompositeType, TAG_ARRAY) => CType::Array {
                elem: self.ctype(node.base),
                dims: (0..node.elements)
                    .filter_map(|i| llvm_extra::debug_element(ty, i))
                    .map(|dim| u64::try_from(llvm_extra::debug_node(dim).value).ok())
                    .collect(),
            },
            (NodeKind::CompositeType, TAG_ENUM) => CType::Enum {
                name: node.name,
                bits: node.size_bits,
                values: (0..node.elements)
                    .filter_map(|i| llvm_extra::debug_element(ty, i))
                    .map(llvm_extra::debug_node)
                    .map(|value| (value.name, value.value))
                    .collect(),
            },
            (NodeKind::FunctionType, _) => CType::Function {
                result: self.ctype(llvm_extra::debug_element(ty, 0)),
                params: (1..node.elements)
                    .map(|i| self.ctype(llvm_extra::debug_element(ty, i)))
                    .collect(),
            },
            (kind, tag) => CType::Other { what: format!("{kind:?} {tag:#x}") },
        }
    }

    fn members(&mut self, ty: Meta, count: usize) -> Vec<Member> {
        (0..count)
            .filter_map(|i| llvm_extra::debug_element(ty, i))
            .map(|member| {
                let node = llvm_extra::debug_node(member);
                Member {
                    ty: self.ctype(node.base),
                    name: node.name,
                    offset_bits: node.offset_bits,
                    size_bits: node.size_bits,
                    bit_field: node.bit_field,
                }
            })
            .collect()
    }
}
