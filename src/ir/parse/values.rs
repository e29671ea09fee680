//! Reads types, constants, operands and texts.

use super::line::Line;
use super::{Parser, Read, Symbol};
use crate::ir::consts::{Const, ConstExpr};
use crate::ir::ids::{ConstId, TextId, TypeId};
use crate::ir::inst::{BinaryOp, CastOp, Operand};
use crate::ir::types::{Field, FloatKind, Layout, Type};
use crate::ir::words::Word;
use cranelift_entity::EntityRef;

impl Parser {
    pub(super) fn text_row(&mut self, line: &mut Line<'_>) -> Read<()> {
        line.require_word("text")?;
        let before = line.clone();
        let label: TextId = line.id()?;
        line.require("=")?;
        let id = self.program.texts.intern(&line.string()?);
        in_order(&before, label, id)?;
        line.end()
    }

    pub(super) fn type_row(&mut self, line: &mut Line<'_>) -> Read<()> {
        line.require_word("type")?;
        let before = line.clone();
        let label: TypeId = line.id()?;
        line.require("=")?;
        let ty = if line.peek("{") {
            let fields = line.list(("{", "}"), |line| {
                let ty = self.ty(line)?;
                line.require_word("at")?;
                Ok(Field { ty, offset: line.int()? })
            })?;
            Type::Struct { fields: fields.into() }
        } else if line.eat_word("opaque") {
            Type::Opaque(line.string()?.into())
        } else {
            self.plain_type(line, Self::ty)?
        };
        line.require_word("size")?;
        let size = line.int()?;
        line.require_word("store")?;
        let store_size = line.int()?;
        line.require_word("align")?;
        let layout = Layout { size, store_size, align: line.int()? };
        let id = self.program.types.intern(ty.clone(), layout);
        self.types.insert(ty, id);
        in_order(&before, label, id)?;
        line.end()
    }

    /// A scalar, or an array or vector of such elements.
    fn plain_type(
        &mut self,
        line: &mut Line<'_>,
        elem: fn(&mut Self, &mut Line<'_>) -> Read<TypeId>,
    ) -> Read<Type> {
        if line.eat("[") {
            let len = line.int()?;
            line.require_word("x")?;
            let elem = elem(self, line)?;
            line.require("]")?;
            return Ok(Type::Array { elem, len });
        }
        if line.eat("<") {
            let len = line.int()?;
            line.require_word("x")?;
            let elem = elem(self, line)?;
            line.require(">")?;
            return Ok(Type::Vector { elem, len });
        }
        scalar(line)
    }

    /// A type where it is used: its id, or in full if it is a scalar or made of scalars only.
    pub(super) fn ty(&mut self, line: &mut Line<'_>) -> Read<TypeId> {
        if let Some(id) = line.try_id() {
            return Ok(id);
        }
        let before = line.clone();
        let ty = self.plain_type(line, Self::scalar_id)?;
        self.known_type(&before, &ty)
    }

    fn scalar_id(&mut self, line: &mut Line<'_>) -> Read<TypeId> {
        if let Some(id) = line.try_id() {
            return Ok(id);
        }
        let before = line.clone();
        let ty = scalar(line)?;
        self.known_type(&before, &ty)
    }

    fn known_type(&self, before: &Line<'_>, ty: &Type) -> Read<TypeId> {
        let known = self.types.get(ty).copied();
        known.ok_or_else(|| before.error("this type has no row in the `type` table before its use"))
    }

    pub(super) fn const_row(&mut self, line: &mut Line<'_>) -> Read<()> {
        let before = line.clone();
        let label: ConstId = line.id()?;
        line.require("=")?;
        let ty = self.ty(line)?;
        let value = match self.compound(line)? {
            Some(value) => value,
            None => self.simple(line, ty)?,
        };
        let id = self.program.consts.intern(ty, value);
        in_order(&before, label, id)?;
        line.end()
    }

    pub(super) fn operand(&mut self, line: &mut Line<'_>) -> Read<Operand> {
        match line.try_id() {
            Some(value) => Ok(Operand::Value(value)),
            None => self.constant(line).map(Operand::Const),
        }
    }

    /// A constant where it is used: an id, or in full if it is not made of others.
    pub(super) fn constant(&mut self, line: &mut Line<'_>) -> Read<ConstId> {
        if let Some(id) = line.try_id() {
            return Ok(id);
        }
        let ty = self.ty(line)?;
        let value = self.simple(line, ty)?;
        Ok(self.program.consts.intern(ty, value))
    }

    /// A constant that is made of others, if there is one.
    fn compound(&mut self, line: &mut Line<'_>) -> Read<Option<Const>> {
        if line.peek("{") {
            let parts = line.list(("{", "}"), |line| self.constant(line))?;
            return Ok(Some(Const::Aggregate(parts.into())));
        }
        let expr = if line.eat_word("offset") {
            let base = self.constant(line)?;
            line.require(",")?;
            ConstExpr::Offset { base, offset: line.int()? }
        } else if let Some(op) = CastOp::from_word(line.peek_word()) {
            line.word("a cast")?;
            ConstExpr::Cast { op, value: self.constant(line)? }
        } else if let Some(op) = BinaryOp::from_word(line.peek_word()) {
            line.word("an operation")?;
            let lhs = self.constant(line)?;
            line.require(",")?;
            ConstExpr::Binary { op, lhs, rhs: self.constant(line)? }
        } else {
            return Ok(None);
        };
        Ok(Some(Const::Expr(expr)))
    }

    fn simple(&mut self, line: &mut Line<'_>, ty: TypeId) -> Read<Const> {
        if line.peek("@") {
            return self.address(line);
        }
        let before = line.clone();
        Ok(match line.peek_word() {
            "" => return self.number(line, ty),
            "wide" => {
                line.require_word("wide")?;
                let limb = |line: &mut Line<'_>| {
                    let before = line.clone();
                    u64::try_from(line.hex()?).map_err(|_| before.error("a limb has 64 bits"))
                };
                Const::Wide(line.list(("[", "]"), limb)?.into())
            }
            "bits" => {
                line.require_word("bits")?;
                Const::Float(line.hex()?)
            }
            "unsupported" => {
                line.require_word("unsupported")?;
                Const::Unsupported(self.program.texts.intern(&line.string()?))
            }
            _ => match line.word("a constant")? {
                "true" => Const::Int(1),
                "false" => Const::Int(0),
                "null" => Const::Null,
                "zero" => Const::Zero,
                "undef" => Const::Undef,
                "poison" => Const::Poison,
                other => return Err(before.error(format!("`{other}` is no constant"))),
            },
        })
    }

    /// `@global`, `@global + 8`, `@function` or `@function:b3`.
    fn address(&mut self, line: &mut Line<'_>) -> Read<Const> {
        match self.symbol(line)? {
            Symbol::Func(func) if line.eat(":") => Ok(Const::Block { func, block: line.id()? }),
            Symbol::Func(func) => Ok(Const::Func(func)),
            Symbol::Global(global) => {
                let negative = line.peek("-");
                let mut offset = 0;
                if negative || line.eat("+") {
                    let before = line.clone();
                    line.eat("-");
                    let size: u64 = line.int()?;
                    let signed = if negative {
                        0i64.checked_sub_unsigned(size)
                    } else {
                        size.try_into().ok()
                    };
                    offset = signed.ok_or_else(|| before.error("this offset has over 64 bits"))?;
                }
                Ok(Const::Global { global, offset })
            }
        }
    }

    /// A number of the type: decimal and perhaps signed, or its raw bits in hexadecimal.
    fn number(&mut self, line: &mut Line<'_>, ty: TypeId) -> Read<Const> {
        let before = line.clone();
        if line.peek("0x") {
            return line.hex().map(Const::Int);
        }
        let negative = line.eat("-");
        let digits = line.number()?;
        let does_not_fit = || before.error("this number does not fit its type");
        let types = &self.program.types;
        match types.is_valid(ty).then(|| types.get(ty)) {
            Some(&Type::Int(width @ 1..=128)) => {
                let size: u128 = digits.parse().map_err(|_| does_not_fit())?;
                let all = u128::MAX >> (128 - width);
                let most = if negative { (all >> 1) + 1 } else { all };
                let bits = if negative { size.wrapping_neg() & all } else { size };
                if size <= most { Ok(Const::Int(bits)) } else { Err(does_not_fit()) }
            }
            Some(Type::Float(kind)) => {
                let sign = if negative { "-" } else { "" };
                let text = format!("{sign}{digits}");
                match kind {
                    FloatKind::F32 => text.parse().ok().map(|float: f32| float.to_bits().into()),
                    FloatKind::F64 => text.parse().ok().map(|float: f64| float.to_bits().into()),
                    FloatKind::F16
                    | FloatKind::BF16
                    | FloatKind::X87
                    | FloatKind::F128
                    | FloatKind::PpcDouble => None,
                }
                .map(Const::Float)
                .ok_or_else(|| before.error("expected a decimal f32 or f64, or `bits 0x…`"))
            }
            _ => Err(does_not_fit()),
        }
    }
}

fn scalar(line: &mut Line<'_>) -> Read<Type> {
    let before = line.clone();
    let word = line.word("a type")?;
    let bits =
        word.strip_prefix('i').filter(|digits| digits.starts_with(|c: char| c.is_ascii_digit()));
    match (word, bits.and_then(|digits| digits.parse().ok()), FloatKind::from_word(word)) {
        ("void", ..) => Ok(Type::Void),
        ("ptr", ..) => Ok(Type::Ptr),
        (_, Some(bits), _) => Ok(Type::Int(bits)),
        (_, _, Some(kind)) => Ok(Type::Float(kind)),
        _ => Err(before.error(format!("`{word}` is no type"))),
    }
}

/// An interned row gets the id it is labelled with only if it stands in order and occurs once.
fn in_order<T: EntityRef + std::fmt::Display>(before: &Line<'_>, label: T, id: T) -> Read<()> {
    if label == id {
        Ok(())
    } else if id.index() < label.index() {
        Err(before.error(format!("{label} says the same as {id}, or the ids before it have a gap")))
    } else {
        Err(before
            .error(format!("expected `{id}`: what {label} is made of must have rows before it")))
    }
}
