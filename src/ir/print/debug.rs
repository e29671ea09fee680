//! What the C source calls things, as text.

use super::Printer;
use super::apart::Row;
use crate::ir::debug::{CType, Member, VarKind};
use crate::ir::ids::{CTypeId, InstId, LocId};
use crate::ir::words::Word;
use cranelift_entity::packed_option::{PackedOption, ReservedValue};
use std::fmt;

/// How many calls out a location's comment goes.
const INLINE_DEPTH: usize = 4;

impl Printer<'_, '_> {
    pub(super) fn debug(&mut self) -> fmt::Result {
        let debug = &self.program.debug;
        for (id, file) in &debug.files {
            writeln!(self.out, "file {id} = {:?} in {:?}", file.name, file.directory)?;
        }
        for (id, loc) in &debug.locs {
            write!(self.out, "loc {id} = {}:{}:{}", loc.file, loc.line, loc.column)?;
            if let Some(call) = loc.inlined_at.expand() {
                write!(self.out, " inlined {call}")?;
            }
            self.out.write_char('\n')?;
        }
        for (id, var) in &debug.vars {
            write!(self.out, "var {id} = ")?;
            match var.kind {
                VarKind::Param(index) => write!(self.out, "param {index}")?,
                VarKind::Local => self.out.write_str("local")?,
                VarKind::Global => self.out.write_str("global")?,
            }
            write!(self.out, " {:?}: ", var.name)?;
            self.type_or_none(var.ty)?;
            self.out.write_str(" at ")?;
            self.or_none(var.file)?;
            writeln!(self.out, ":{}", var.line)?;
        }
        for (id, ctype) in &debug.ctypes {
            write!(self.out, "ctype {id} = ")?;
            self.ctype(ctype)?;
            self.out.write_char('\n')?;
        }
        Ok(())
    }

    pub(super) fn ctype(&mut self, ctype: &CType) -> fmt::Result {
        match ctype {
            CType::Base { name, bits, encoding } => {
                write!(self.out, "base {name:?} {bits} {}", encoding.word())
            }
            CType::Pointer { to } => {
                self.out.write_str("pointer ")?;
                self.type_or_none(*to)
            }
            CType::Typedef { name, of } => {
                write!(self.out, "typedef {name:?} ")?;
                self.type_or_none(*of)
            }
            CType::Qualified { qualifier, of } => {
                write!(self.out, "qualified {qualifier:?} ")?;
                self.type_or_none(*of)
            }
            CType::Struct { name, size_bits, members } => {
                self.members("struct", name, *size_bits, members)
            }
            CType::Union { name, size_bits, members } => {
                self.members("union", name, *size_bits, members)
            }
            CType::Array { elem, dims } => {
                self.out.write_str("array ")?;
                self.type_or_none(*elem)?;
                self.out.write_char(' ')?;
                self.list(('[', ']'), dims, |p, dim| match dim {
                    Some(len) => write!(p.out, "{len}"),
                    None => p.out.write_str("none"),
                })
            }
            CType::Enum { name, bits, values } => {
                write!(self.out, "enum {name:?} {bits} ")?;
                self.list(('{', '}'), values, |p, (name, value)| {
                    write!(p.out, "{name:?} = {value}")
                })
            }
            CType::Function { result, params } => {
                self.out.write_str("function ")?;
                self.type_or_none(*result)?;
                self.out.write_char(' ')?;
                self.list(('(', ')'), params, |p, &param| p.type_or_none(param))
            }
            CType::Other { what } => write!(self.out, "other {what:?}"),
        }
    }

    fn members(&mut self, word: &str, name: &str, bits: u64, members: &[Member]) -> fmt::Result {
        write!(self.out, "{word} {name:?} {bits} ")?;
        self.list(('{', '}'), members, |p, member| {
            write!(p.out, "{:?}: ", member.name)?;
            p.type_or_none(member.ty)?;
            write!(p.out, " at {} bits {}", member.offset_bits, member.size_bits)?;
            if member.bit_field {
                p.out.write_str(" field")?;
            }
            Ok(())
        })
    }

    fn type_or_none(&mut self, id: PackedOption<CTypeId>) -> fmt::Result {
        match id.expand() {
            Some(id) => self.row(Row::CType(id), id),
            None => self.out.write_str("none"),
        }
    }

    fn or_none<T: ReservedValue + fmt::Display>(&mut self, id: PackedOption<T>) -> fmt::Result {
        match id.expand() {
            Some(id) => write!(self.out, "{id}"),
            None => self.out.write_str("none"),
        }
    }

    /// One line for each variable that changes its value at `inst`.
    pub(super) fn bindings(&mut self, inst: InstId) -> fmt::Result {
        let debug = &self.program.debug;
        for binding in debug.bindings_at(inst) {
            let address = if binding.address { "&" } else { "" };
            write!(self.out, "    bind {address}{} = ", binding.var)?;
            self.operand(binding.value)?;
            match debug.vars.get(binding.var) {
                Some(var) => writeln!(self.out, "  ; {}", var.name.escape_debug())?,
                None => self.out.write_char('\n')?,
            }
        }
        Ok(())
    }

    /// Ends a line with its location as a comment: `; main.c:3:7 < util.c:9:2`, the calls it was
    /// inlined at from the inside out.
    pub(super) fn end_line(&mut self, loc: Option<LocId>) -> fmt::Result {
        let debug = &self.program.debug;
        let mut next = loc.and_then(|loc| debug.locs.get(loc));
        for depth in 0..INLINE_DEPTH {
            let Some(loc) = next else { break };
            let name = debug.files.get(loc.file).map_or("?", |file| file.name.as_str());
            let name = name.rsplit('/').next().unwrap_or(name).escape_debug();
            let before = if depth == 0 { "  ; " } else { " < " };
            write!(self.out, "{before}{name}:{}:{}", loc.line, loc.column)?;
            next = loc.inlined_at.expand().and_then(|call| debug.locs.get(call));
        }
        self.out.write_char('\n')
    }
}
