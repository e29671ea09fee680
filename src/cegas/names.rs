//! Values and places as C would write them, for traces: `x = -3`, `p -> &buf[2]`.

use super::address::Base;
use super::machine::Machine;
use super::memory::{Background, Instance, Origin};
use super::state::State;
use super::value::Value;
use crate::ir::debug::Encoding;
use crate::ir::{CType, CTypeId, FloatKind, Global, InstId, Operand, Type, TypeId, VarId};
use crate::smt::ExprId;
use crate::smt::value::signed;

/// Types nest at most this deep before we stop looking for a member's name.
const DEEPEST: u32 = 16;

/// What an allocated object is called, before the line of its allocation.
const HEAP: &str = "heap object of";

/// Whether a text of a trace says on which line something stands.
pub fn names_line(text: &str) -> bool {
    text.contains(HEAP)
}

/// The shortest text that gives this float back.
fn show_float(kind: FloatKind, bits: u128) -> String {
    match kind {
        FloatKind::F64 => format!("{:?}", f64::from_bits(bits as u64)),
        FloatKind::F32 => format!("{:?}", f32::from_bits(bits as u32)),
        FloatKind::F16
        | FloatKind::BF16
        | FloatKind::X87
        | FloatKind::F128
        | FloatKind::PpcDouble => format!("{bits:#x} (the bits of a float)"),
    }
}

impl Machine<'_> {
    /// A value of a C type, if it is known.
    pub(super) fn show(
        &mut self,
        state: &State,
        value: &Value,
        ty: Option<CTypeId>,
    ) -> Option<String> {
        let bits = value.bits()?;
        if self.speaks_of_addresses(bits) {
            return self.show_pointer(state, bits);
        }
        let number = self.smt.pool.as_const(bits)?;
        let width = self.smt.pool.width(bits);
        let ty = self.plain_type(ty);
        Some(match ty.map(|id| &self.program.debug.ctypes[id]) {
            Some(CType::Pointer { .. }) if number == 0 => "NULL".to_owned(),
            Some(CType::Pointer { .. }) => format!("{number:#x} (no object)"),
            Some(CType::Base { encoding: Encoding::Unsigned | Encoding::Bool, .. }) => {
                number.to_string()
            }
            Some(CType::Base {
                encoding: Encoding::SignedChar | Encoding::UnsignedChar, ..
            }) if (32..127).contains(&number) => {
                format!("{number} '{}'", char::from(number as u8))
            }
            Some(CType::Base { encoding: Encoding::UnsignedChar, .. }) => number.to_string(),
            Some(CType::Base { encoding: Encoding::Float, .. }) => match width {
                64 => show_float(FloatKind::F64, number),
                32 => show_float(FloatKind::F32, number),
                _ => format!("{number:#x} (the bits of a float)"),
            },
            Some(CType::Enum { values, .. }) => {
                let value = signed(number, width);
                let name = values.iter().find(|(_, v)| i128::from(*v) == value);
                name.map_or_else(|| value.to_string(), |(name, _)| name.clone())
            }
            _ => signed(number, width).to_string(),
        })
    }

    /// A value of the program's type `kind`: whether it is a float is said by that, since a union's member may be meant or
    /// nothing be known of what C calls it.
    pub(super) fn show_as(
        &mut self,
        state: &State,
        value: &Value,
        kind: TypeId,
        ty: Option<CTypeId>,
    ) -> Option<String> {
        if let Type::Float(kind) = *self.program.types.get(kind) {
            return Some(show_float(kind, self.smt.pool.as_const(value.bits()?)?));
        }
        let plain = self.plain_type(ty).map(|ty| &self.program.debug.ctypes[ty]);
        let is_float = matches!(plain, Some(CType::Base { encoding: Encoding::Float, .. }));
        self.show(state, value, ty.filter(|_| !is_float))
    }

    /// A number of the program's type `kind` as a constant that C compares with it; there is none for an address, for
    /// what is not a number and for floats of rare widths.
    pub(super) fn c_constant(&self, value: &Value, kind: TypeId, unsigned: bool) -> Option<String> {
        let number = self.smt.pool.as_const(value.bits()?)?;
        match *self.program.types.get(kind) {
            Type::Float(FloatKind::F64) => {
                let float = f64::from_bits(number as u64);
                float.is_finite().then(|| format!("{float:?}"))
            }
            Type::Float(FloatKind::F32) => {
                let float = f32::from_bits(number as u32);
                float.is_finite().then(|| format!("{float:?}f"))
            }
            Type::Int(1) => Some(number.to_string()),
            // C's largest signed type ends here.
            Type::Int(_) if unsigned && number >= 1 << 63 => Some(format!("{number}U")),
            Type::Int(_) if unsigned => Some(number.to_string()),
            Type::Int(width) => Some(signed(number, width).to_string()),
            _ => None,
        }
    }

    /// Whether what a function of this name gives, to a variable of this type, is a number without a sign.
    pub(super) fn is_unsigned(&self, function: &str, ty: Option<CTypeId>) -> bool {
        if let Some((_, named)) = function.split_once("nondet_") {
            return named.starts_with('u') || named.starts_with("size") || named.ends_with("ool");
        }
        let plain = self.plain_type(ty).map(|ty| &self.program.debug.ctypes[ty]);
        let Some(CType::Base { encoding, .. }) = plain else { return false };
        matches!(encoding, Encoding::Unsigned | Encoding::UnsignedChar | Encoding::Bool)
    }

    /// The variable that an instruction makes room for.
    pub(super) fn local_var(&self, made: InstId) -> Option<VarId> {
        let value = Operand::Value(self.program.insts[made].result.expand()?);
        let mut bindings = self.program.debug.bindings.iter();
        bindings.find(|b| b.address && b.value == value).map(|binding| binding.var)
    }

    fn plain_type(&self, ty: Option<CTypeId>) -> Option<CTypeId> {
        self.program.debug.plain(ty?)
    }

    fn show_pointer(&mut self, state: &State, pointer: ExprId) -> Option<String> {
        let places = self.places(pointer);
        let [place] = places[..] else { return None };
        let Base::Object(instance) = place.base else { return None };
        let offset = self.smt.pool.as_const(place.offset)?;
        let offset = signed(offset, self.pointer_bits);
        let name = self.object_name(state, instance)?;
        if matches!(state.memory.get(instance)?.origin, Origin::Func(_)) {
            return Some(name);
        }
        let part = u64::try_from(offset).ok().and_then(|o| self.member(state, instance, o));
        Some(match part {
            // C writes a string literal without asking for its address.
            _ if name.starts_with('"') && offset == 0 => name,
            _ if name.starts_with('"') => format!("{name} + {offset}"),
            _ if offset == 0 => format!("&{name}"),
            Some(part) => format!("&{name}{part}"),
            None => format!("&{name} + {offset} bytes"),
        })
    }

    /// What C calls an object.
    pub(super) fn object_name(&self, state: &State, instance: Instance) -> Option<String> {
        Some(match state.memory.get(instance)?.origin {
            Origin::Global(global) => {
                let global = &self.program.globals[global];
                let var = global.var.expand().map(|var| self.program.debug.vars[var].name.clone());
                let var = var.filter(|name| !name.is_empty());
                var.or_else(|| self.literal(global)).unwrap_or_else(|| global.name.clone())
            }
            Origin::Func(func) => self.program.funcs[func].name.clone(),
            Origin::Local(at) => self.local_name(at)?,
            Origin::Heap(at) => format!("{HEAP} {}", self.place(at)),
            Origin::Varargs(_) => "the variable arguments".to_owned(),
            Origin::Argument => match state.memory.get(instance)?.background {
                Background::Arguments { .. } => "the arguments of main".to_owned(),
                Background::Text => "a text from outside".to_owned(),
                _ => "an object of the system".to_owned(),
            },
            Origin::Given(number) => self.given_name(number),
        })
    }

    /// What a parameter points to.
    fn given_name(&self, number: u32) -> String {
        let func = self.given.as_ref().map(|given| given.func);
        let param = func.and_then(|func| self.program.funcs[func].params.get(number as usize));
        let name = param.and_then(|param| self.program.values[param].name.expand());
        match name {
            Some(name) => format!("(*{})", self.program.texts.get(name)),
            None => "what the caller gives".to_owned(),
        }
    }

    /// A string literal as C writes it, cut short if it is long.
    fn literal(&self, global: &Global) -> Option<String> {
        const SHOWN: usize = 32;
        let Type::Array { elem, .. } = *self.program.types.get(global.ty) else { return None };
        let init = global.init.as_ref().filter(|init| init.relocs.is_empty())?;
        let is_text = self.program.types.size(elem) == 1 && global.constant;
        let text = init.bytes.split(|&byte| byte == 0).next().filter(|_| is_text)?;
        let (shown, rest) = text.split_at(text.len().min(SHOWN));
        let more = if rest.is_empty() { "" } else { "..." };
        Some(format!("\"{}\"{more}", shown.escape_ascii()))
    }

    fn local_name(&self, at: InstId) -> Option<String> {
        let value = self.program.insts[at].result.expand()?;
        let name = self.program.values[value].name.expand()?;
        let name = self.program.texts.get(name);
        if name.starts_with(".compoundliteral") {
            return Some("(compound literal)".to_owned());
        }
        Some(name.trim_end_matches(".addr").to_owned())
    }

    fn object_type(&self, state: &State, instance: Instance) -> Option<CTypeId> {
        match state.memory.get(instance)?.origin {
            Origin::Global(global) => {
                self.program.debug.vars[self.program.globals[global].var.expand()?].ty.expand()
            }
            Origin::Local(at) => self.program.debug.vars[self.local_var(at)?].ty.expand(),
            Origin::Given(_) => match state.memory.get(instance)?.background {
                Background::Given { ty, .. } => ty,
                _ => None,
            },
            Origin::Func(_) | Origin::Heap(_) | Origin::Varargs(_) | Origin::Argument => None,
        }
    }

    /// `[3].next`: the part of an object that begins at a byte offset.
    pub(super) fn member(&self, state: &State, instance: Instance, offset: u64) -> Option<String> {
        self.part_at(state, instance, offset).map(|(text, _)| text)
    }

    /// The same with its type.
    pub(super) fn part_at(
        &self,
        state: &State,
        instance: Instance,
        offset: u64,
    ) -> Option<(String, CTypeId)> {
        let mut ty = self.plain_type(self.object_type(state, instance))?;
        let mut bits = offset * 8;
        let mut text = String::new();
        for _ in 0..DEEPEST {
            let next = match &self.program.debug.ctypes[ty] {
                CType::Struct { members, .. } | CType::Union { members, .. } => {
                    let inside = |m: &&crate::ir::debug::Member| {
                        m.offset_bits <= bits && bits < m.offset_bits + m.size_bits.max(1)
                    };
                    let member = members.iter().find(inside)?;
                    if !member.name.is_empty() {
                        text += &format!(".{}", member.name);
                    }
                    bits -= member.offset_bits;
                    member.ty.expand()
                }
                CType::Array { elem, dims } => {
                    let size = self.type_bits(elem.expand()?)?;
                    let mut index = bits.checked_div(size)?;
                    bits %= size;
                    let mut inner: Vec<u64> = dims.iter().skip(1).map(|d| d.unwrap_or(1)).collect();
                    inner.reverse();
                    let mut indices = Vec::new();
                    for dim in inner {
                        indices.push(index.checked_rem(dim)?);
                        index = index.checked_div(dim)?;
                    }
                    indices.push(index);
                    indices.iter().rev().for_each(|i| text += &format!("[{i}]"));
                    elem.expand()
                }
                _ => return (bits == 0).then_some((text, ty)),
            };
            ty = self.plain_type(next)?;
        }
        None
    }

    pub(super) fn type_bits(&self, ty: CTypeId) -> Option<u64> {
        match &self.program.debug.ctypes[self.plain_type(Some(ty))?] {
            CType::Base { bits, .. } | CType::Enum { bits, .. } => Some(*bits),
            CType::Pointer { .. } => Some(u64::from(self.pointer_bits)),
            CType::Struct { size_bits, .. } | CType::Union { size_bits, .. } => Some(*size_bits),
            CType::Array { elem, dims } => {
                let inner = match elem.expand()? {
                    inner if inner == ty => return None,
                    inner => self.type_bits(inner)?,
                };
                dims.iter().try_fold(inner, |size, dim| size.checked_mul((*dim)?))
            }
            _ => None,
        }
    }
}
