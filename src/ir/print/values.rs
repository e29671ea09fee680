//! Types, constants and operands as text.

use super::Printer;
use super::apart::Row;
use crate::ir::consts::{Const, ConstExpr};
use crate::ir::ids::{ConstId, TypeId, ValueId};
use crate::ir::inst::Operand;
use crate::ir::types::{FloatKind, Type};
use crate::ir::words::Word;
use std::fmt;

impl Printer<'_, '_> {
    pub(super) fn types(&mut self) -> fmt::Result {
        let program = self.program;
        for (id, _, _) in program.types.iter() {
            write!(self.out, "type {id} = ")?;
            self.type_definition(id)?;
        }
        Ok(())
    }

    /// A type where it is used: a scalar, or an array or vector of scalars, in full; else its id.
    pub(super) fn ty(&mut self, id: TypeId) -> fmt::Result {
        let types = &self.program.types;
        if !types.is_valid(id) {
            return write!(self.out, "{id}");
        }
        let scalar = |id| types.is_valid(id) && is_scalar(types.get(id));
        match *types.get(id) {
            Type::Void => self.out.write_str("void"),
            Type::Int(bits) => write!(self.out, "i{bits}"),
            Type::Ptr => self.out.write_str("ptr"),
            Type::Float(kind) => self.out.write_str(kind.word()),
            Type::Array { elem, len } if scalar(elem) => self.sequence_type(('[', ']'), len, elem),
            Type::Vector { elem, len } if scalar(elem) => self.sequence_type(('<', '>'), len, elem),
            Type::Array { .. } | Type::Vector { .. } | Type::Struct { .. } | Type::Opaque(_) => {
                self.row(Row::Type(id), id)
            }
        }
    }

    pub(super) fn type_definition(&mut self, id: TypeId) -> fmt::Result {
        let program = self.program;
        let (ty, layout) = (program.types.get(id), program.types.layout(id));
        match ty {
            Type::Void | Type::Int(_) | Type::Ptr | Type::Float(_) => self.ty(id)?,
            Type::Array { elem, len } => self.sequence_type(('[', ']'), *len, *elem)?,
            Type::Vector { elem, len } => self.sequence_type(('<', '>'), *len, *elem)?,
            Type::Struct { fields } => self.list(('{', '}'), fields, |p, field| {
                p.ty(field.ty)?;
                write!(p.out, " at {}", field.offset)
            })?,
            Type::Opaque(what) => write!(self.out, "opaque {what:?}")?,
        }
        let (size, store, align) = (layout.size, layout.store_size, layout.align);
        writeln!(self.out, " size {size} store {store} align {align}")
    }

    fn sequence_type(&mut self, (open, close): (char, char), len: u64, of: TypeId) -> fmt::Result {
        write!(self.out, "{open}{len} x ")?;
        self.ty(of)?;
        self.out.write_char(close)
    }

    pub(super) fn consts(&mut self) -> fmt::Result {
        for (id, ty, value) in self.program.consts.iter() {
            write!(self.out, "const {id} = ")?;
            self.typed_constant(ty, value)?;
            self.out.write_char('\n')?;
        }
        Ok(())
    }

    pub(super) fn operand(&mut self, operand: Operand) -> fmt::Result {
        match operand {
            Operand::Value(value) => self.value(value),
            Operand::Const(constant) => self.constant(constant),
        }
    }

    /// A constant where it is used: in full, or by its id if it is made of others.
    pub(super) fn constant(&mut self, id: ConstId) -> fmt::Result {
        let consts = &self.program.consts;
        if !consts.is_valid(id) {
            return write!(self.out, "{id}");
        }
        match consts.get(id) {
            Const::Aggregate(_) | Const::Expr(_) => self.row(Row::Const(id), id),
            value => self.typed_constant(consts.ty(id), value),
        }
    }

    pub(super) fn typed_constant(&mut self, ty: TypeId, value: &Const) -> fmt::Result {
        self.ty(ty)?;
        self.out.write_char(' ')?;
        match value {
            Const::Int(bits) => self.int(ty, *bits),
            Const::Wide(limbs) => {
                self.out.write_str("wide ")?;
                self.list(('[', ']'), limbs, |p, limb| write!(p.out, "{limb:#x}"))
            }
            Const::Float(bits) => self.float(ty, *bits),
            Const::Null => self.out.write_str("null"),
            Const::Zero => self.out.write_str("zero"),
            Const::Undef => self.out.write_str("undef"),
            Const::Poison => self.out.write_str("poison"),
            Const::Aggregate(parts) => self.list(('{', '}'), parts, |p, &part| p.constant(part)),
            Const::Global { global, offset } => {
                self.global_name(*global)?;
                match offset {
                    0 => Ok(()),
                    1.. => write!(self.out, " + {offset}"),
                    ..0 => write!(self.out, " - {}", offset.unsigned_abs()),
                }
            }
            Const::Func(func) => self.func_name(*func),
            Const::Block { func, block } => {
                self.func_name(*func)?;
                self.out.write_char(':')?;
                self.block(*block)
            }
            Const::Expr(expr) => self.expr(expr),
            Const::Unsupported(what) => {
                write!(self.out, "unsupported {:?}", self.program.texts.get(*what))
            }
        }
    }

    /// In decimal and signed, as people read it; raw bits that do not fit the type in hex.
    fn int(&mut self, ty: TypeId, bits: u128) -> fmt::Result {
        let types = &self.program.types;
        match types.is_valid(ty).then(|| types.get(ty)) {
            Some(Type::Int(1)) if bits <= 1 => write!(self.out, "{}", bits == 1),
            Some(&Type::Int(width @ 2..=128)) if bits >> (width - 1) <= 1 => {
                let above = 128 - width;
                write!(self.out, "{}", (bits << above) as i128 >> above)
            }
            _ => write!(self.out, "{bits:#x}"),
        }
    }

    /// In decimal if that says every bit.
    fn float(&mut self, ty: TypeId, bits: u128) -> fmt::Result {
        let types = &self.program.types;
        let kind = match types.is_valid(ty).then(|| types.get(ty)) {
            Some(Type::Float(kind)) => Some(*kind),
            _ => None,
        };
        match (kind, u32::try_from(bits), u64::try_from(bits)) {
            (Some(FloatKind::F32), Ok(bits), _) if f32::from_bits(bits).is_finite() => {
                write!(self.out, "{:?}", f32::from_bits(bits))
            }
            (Some(FloatKind::F64), _, Ok(bits)) if f64::from_bits(bits).is_finite() => {
                write!(self.out, "{:?}", f64::from_bits(bits))
            }
            _ => write!(self.out, "bits {bits:#x}"),
        }
    }

    fn expr(&mut self, expr: &ConstExpr) -> fmt::Result {
        match expr {
            ConstExpr::Cast { op, value } => {
                write!(self.out, "{} ", op.word())?;
                self.constant(*value)
            }
            ConstExpr::Binary { op, lhs, rhs } => {
                write!(self.out, "{} ", op.word())?;
                self.constant(*lhs)?;
                self.out.write_str(", ")?;
                self.constant(*rhs)
            }
            ConstExpr::Offset { base, offset } => {
                self.out.write_str("offset ")?;
                self.constant(*base)?;
                write!(self.out, ", {offset}")
            }
        }
    }

    /// A value where it is defined: `v3 %name: i32`.
    pub(super) fn definition(&mut self, id: ValueId) -> fmt::Result {
        self.value(id)?;
        let Some(value) = self.program.values.get(id) else {
            return Ok(());
        };
        if let Some(name) = value.name.expand() {
            self.out.write_char(' ')?;
            self.name('%', self.program.texts.get(name))?;
        }
        self.out.write_str(": ")?;
        self.ty(value.ty)
    }
}

fn is_scalar(ty: &Type) -> bool {
    match ty {
        Type::Void | Type::Int(_) | Type::Ptr | Type::Float(_) => true,
        Type::Array { .. } | Type::Vector { .. } | Type::Struct { .. } | Type::Opaque(_) => false,
    }
}
