//! Reads what the C source calls things.

use super::line::Line;
use super::{Parser, Read};
use crate::ir::debug::{Binding, CType, Loc, Member, SourceFile, Var, VarKind};
use crate::ir::ids::{CTypeId, FileId, LocId, VarId};
use cranelift_entity::EntityRef;
use cranelift_entity::packed_option::{PackedOption, ReservedValue};
use std::fmt::Display;

impl Parser {
    pub(super) fn file_row(&mut self, line: &mut Line<'_>) -> Read<()> {
        line.label::<FileId>(self.program.debug.files.len())?;
        line.require("=")?;
        let name = line.string()?;
        line.require_word("in")?;
        let directory = line.string()?;
        self.program.debug.files.push(SourceFile { name, directory });
        Ok(())
    }

    pub(super) fn loc_row(&mut self, line: &mut Line<'_>) -> Read<()> {
        line.label::<LocId>(self.program.debug.locs.len())?;
        line.require("=")?;
        let file = line.id()?;
        line.require(":")?;
        let at = line.int()?;
        line.require(":")?;
        let column = line.int()?;
        let inlined_at = if line.eat_word("inlined") { Some(line.id()?) } else { None }.into();
        self.program.debug.locs.push(Loc { file, line: at, column, inlined_at });
        Ok(())
    }

    pub(super) fn var_row(&mut self, line: &mut Line<'_>) -> Read<()> {
        line.label::<VarId>(self.program.debug.vars.len())?;
        line.require("=")?;
        let kind = if line.eat_word("param") {
            VarKind::Param(line.int()?)
        } else if line.eat_word("global") {
            VarKind::Global
        } else {
            line.require_word("local")?;
            VarKind::Local
        };
        let name = line.string()?;
        line.require(":")?;
        let ty = or_none(line)?;
        line.require_word("at")?;
        let file = or_none(line)?;
        line.require(":")?;
        let at = line.int()?;
        self.program.debug.vars.push(Var { name, kind, ty, file, line: at });
        Ok(())
    }

    pub(super) fn ctype_row(&mut self, line: &mut Line<'_>) -> Read<()> {
        line.label::<CTypeId>(self.program.debug.ctypes.len())?;
        line.require("=")?;
        let before = line.clone();
        let ctype = match line.word("a kind of C type")? {
            "base" => CType::Base {
                name: line.string()?,
                bits: line.int()?,
                encoding: line.table_word("an encoding")?,
            },
            "pointer" => CType::Pointer { to: or_none(line)? },
            "typedef" => CType::Typedef { name: line.string()?, of: or_none(line)? },
            "qualified" => CType::Qualified { qualifier: line.string()?, of: or_none(line)? },
            "struct" => CType::Struct {
                name: line.string()?,
                size_bits: line.int()?,
                members: members(line)?,
            },
            "union" => CType::Union {
                name: line.string()?,
                size_bits: line.int()?,
                members: members(line)?,
            },
            "array" => CType::Array {
                elem: or_none(line)?,
                dims: line.list(("[", "]"), |line| {
                    if line.eat_word("none") { Ok(None) } else { line.int().map(Some) }
                })?,
            },
            "enum" => CType::Enum {
                name: line.string()?,
                bits: line.int()?,
                values: line.list(("{", "}"), |line| {
                    let name = line.string()?;
                    line.require("=")?;
                    Ok((name, line.int()?))
                })?,
            },
            "function" => {
                CType::Function { result: or_none(line)?, params: line.list(("(", ")"), or_none)? }
            }
            "other" => CType::Other { what: line.string()? },
            other => return Err(before.error(format!("`{other}` is no kind of C type"))),
        };
        self.program.debug.ctypes.push(ctype);
        Ok(())
    }

    /// `var3 = v7`, or `&var3 = v7` for its address, at the instruction that comes next.
    pub(super) fn bind(&mut self, line: &mut Line<'_>) -> Read<()> {
        let address = line.eat("&");
        let var = line.id()?;
        line.require("=")?;
        let value = self.operand(line)?;
        let at = self.program.insts.next_key();
        self.program.debug.bindings.push(Binding { at, var, value, address });
        Ok(())
    }
}

fn members(line: &mut Line<'_>) -> Read<Vec<Member>> {
    line.list(("{", "}"), |line| {
        let name = line.string()?;
        line.require(":")?;
        let ty = or_none(line)?;
        line.require_word("at")?;
        let offset_bits = line.int()?;
        line.require_word("bits")?;
        let size_bits = line.int()?;
        let bit_field = line.eat_word("field");
        Ok(Member { name, ty, offset_bits, size_bits, bit_field })
    })
}

fn or_none<T: EntityRef + ReservedValue + Display>(line: &mut Line<'_>) -> Read<PackedOption<T>> {
    if line.eat_word("none") { Ok(None.into()) } else { line.id().map(|id| Some(id).into()) }
}
