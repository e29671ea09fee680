//! What a condition in C says of a state, by C's own rules for types.

use super::condition::Condition;
use crate::cegas::machine::Machine;
use crate::cegas::memory::{Instance, Life};
use crate::cegas::scope::{Home, Named};
use crate::cegas::state::State;
use crate::ir::{CType, CTypeId};
use crate::smt::{CInt, ExprId};

const INT: CInt = CInt { bits: 32, is_signed: true };

/// Variables by name, in one state.
pub(super) struct View<'v, 'p> {
    pub machine: &'v mut Machine<'p>,
    pub state: State,
    pub named: &'v [Named],
}

type Typed = (ExprId, CInt);

impl View<'_, '_> {
    /// When the condition holds; `None` if it is about something that is not known here.
    pub fn truth(&mut self, condition: &Condition) -> Option<ExprId> {
        let (value, ty) = self.value(condition)?;
        let zero = self.machine.smt.pool.constant(0, ty.bits);
        Some(self.machine.smt.pool.ne(value, zero))
    }

    fn value(&mut self, condition: &Condition) -> Option<Typed> {
        match condition {
            Condition::Number(value, ty) => {
                Some((self.machine.smt.pool.constant(*value, ty.bits), *ty))
            }
            Condition::Name(_) | Condition::Member(..) | Condition::Index(..) => {
                self.variable(condition)
            }
            Condition::Cast(ty, inner) => {
                let inner = self.value(inner)?;
                Some((self.converted(inner, *ty), *ty))
            }
            Condition::Unary('!', inner) => {
                let holds = self.truth(inner)?;
                let not = self.machine.smt.pool.not(holds);
                Some(self.flag(not))
            }
            Condition::Unary(op, inner) => {
                let inner = self.value(inner)?;
                let (value, ty) = self.promoted(inner);
                let value = match op {
                    '-' => self.machine.smt.pool.neg(value),
                    '~' => self.machine.smt.pool.not(value),
                    _ => value,
                };
                Some((value, ty))
            }
            Condition::Choice(condition, then, other) => {
                let holds = self.truth(condition)?;
                let (then, other) = (self.value(then)?, self.value(other)?);
                let (then, other, ty) = self.common(then, other);
                Some((self.machine.smt.pool.ite(holds, then, other), ty))
            }
            Condition::Binary(op @ ("&&" | "||"), left, right) => {
                let (left, right) = (self.truth(left)?, self.truth(right)?);
                let pool = &mut self.machine.smt.pool;
                let both = if *op == "&&" { pool.and(left, right) } else { pool.or(left, right) };
                Some(self.flag(both))
            }
            Condition::Binary(op, left, right) => {
                let (left, right) = (self.value(left)?, self.value(right)?);
                self.binary(op, left, right)
            }
        }
    }

    fn binary(&mut self, op: &str, left: Typed, right: Typed) -> Option<Typed> {
        if let "<<" | ">>" = op {
            let (value, ty) = self.promoted(left);
            let by = self.converted(right, ty);
            let pool = &mut self.machine.smt.pool;
            let shifted = match (op, ty.is_signed) {
                ("<<", _) => pool.shl(value, by),
                (_, true) => pool.ashr(value, by),
                (_, false) => pool.lshr(value, by),
            };
            return Some((shifted, ty));
        }
        let (a, b, ty) = self.common(left, right);
        let pool = &mut self.machine.smt.pool;
        let compared = match (op, ty.is_signed) {
            ("==", _) => Some(pool.eq(a, b)),
            ("!=", _) => Some(pool.ne(a, b)),
            ("<", true) => Some(pool.slt(a, b)),
            ("<", false) => Some(pool.ult(a, b)),
            (">", true) => Some(pool.sgt(a, b)),
            (">", false) => Some(pool.ugt(a, b)),
            ("<=", true) => Some(pool.sle(a, b)),
            ("<=", false) => Some(pool.ule(a, b)),
            (">=", true) => Some(pool.sge(a, b)),
            (">=", false) => Some(pool.uge(a, b)),
            _ => None,
        };
        if let Some(compared) = compared {
            return Some(self.flag(compared));
        }
        let value = match (op, ty.is_signed) {
            ("+", _) => pool.add(a, b),
            ("-", _) => pool.sub(a, b),
            ("*", _) => pool.mul(a, b),
            ("&", _) => pool.and(a, b),
            ("|", _) => pool.or(a, b),
            ("^", _) => pool.xor(a, b),
            ("/", true) => pool.sdiv(a, b),
            ("/", false) => pool.udiv(a, b),
            ("%", true) => pool.srem(a, b),
            ("%", false) => pool.urem(a, b),
            _ => return None,
        };
        Some((value, ty))
    }

    /// A truth value as C has it.
    fn flag(&mut self, holds: ExprId) -> Typed {
        (self.machine.smt.pool.zext(holds, INT.bits), INT)
    }

    fn converted(&mut self, (value, from): Typed, to: CInt) -> ExprId {
        self.machine.smt.pool.resize(value, to.bits, from.is_signed)
    }

    fn promoted(&mut self, (value, ty): Typed) -> Typed {
        match ty.bits {
            ..32 => (self.converted((value, ty), INT), INT),
            _ => (value, ty),
        }
    }

    /// Both as the type in which C computes with them.
    fn common(&mut self, left: Typed, right: Typed) -> (ExprId, ExprId, CInt) {
        let (left, right) = (self.promoted(left), self.promoted(right));
        let ty = match left.1.bits.cmp(&right.1.bits) {
            std::cmp::Ordering::Less => right.1,
            std::cmp::Ordering::Greater => left.1,
            std::cmp::Ordering::Equal => {
                CInt { is_signed: left.1.is_signed && right.1.is_signed, ..left.1 }
            }
        };
        (self.converted(left, ty), self.converted(right, ty), ty)
    }

    /// The number in a variable or in a part of one.
    fn variable(&mut self, condition: &Condition) -> Option<Typed> {
        if let Condition::Name(name) = condition
            && let Some(named) = self.named.iter().find(|named| named.name == *name)
            && let Home::Value(operand) = named.home
        {
            let ty = self.machine.c_int(named.ty)?;
            let value = self.machine.operand(&mut self.state, operand).ok()?.bits()?;
            return (self.machine.smt.pool.width(value) == ty.bits).then_some((value, ty));
        }
        let (instance, offset, ty) = self.place(condition)?;
        let ty = self.machine.c_int(Some(ty))?;
        let is_there = self.state.memory.get(instance)?.life == Life::Live;
        if !is_there {
            return None;
        }
        let bytes = u64::from(ty.bits / 8);
        let value = self.machine.read(&mut self.state, instance, offset, bytes, false).ok()?;
        Some((value, ty))
    }

    /// Where a variable in memory or a part of one lies.
    fn place(&mut self, condition: &Condition) -> Option<(Instance, u64, CTypeId)> {
        let plain = |machine: &Machine<'_>, ty: Option<CTypeId>| machine.program.debug.plain(ty?);
        match condition {
            Condition::Name(name) => {
                let named = self.named.iter().find(|named| named.name == *name)?;
                let instance = match named.home {
                    Home::Memory(address) => {
                        let address = self.machine.bits(&mut self.state, address).ok()?;
                        self.machine.pointee(address).filter(|(_, offset)| *offset == 0)?.0
                    }
                    Home::Global(global) => self.machine.global_instance(global),
                    Home::Value(_) => return None,
                };
                Some((instance, 0, plain(self.machine, named.ty)?))
            }
            Condition::Member(whole, name) => {
                let (instance, offset, ty) = self.place(whole)?;
                let (bits, ty) = self.member_of(ty, name)?;
                Some((instance, offset + bits / 8, plain(self.machine, Some(ty))?))
            }
            Condition::Index(whole, index) => {
                let (instance, offset, ty) = self.place(whole)?;
                let (index, _) = self.value(index)?;
                let index = u64::try_from(self.machine.smt.pool.as_const(index)?).ok()?;
                let CType::Array { elem, dims } = &self.machine.program.debug.ctypes[ty] else {
                    return None;
                };
                // Of several dimensions only the last has elements that are numbers.
                let [Some(count)] = dims[..] else { return None };
                let elem = elem.expand()?;
                let bytes = self.machine.type_bits(elem)? / 8;
                let at = (index < count).then_some(offset + index * bytes)?;
                Some((instance, at, plain(self.machine, Some(elem))?))
            }
            _ => None,
        }
    }

    /// Where a member lies, also one of an anonymous struct inside.
    fn member_of(&self, ty: CTypeId, name: &str) -> Option<(u64, CTypeId)> {
        let (CType::Struct { members, .. } | CType::Union { members, .. }) =
            &self.machine.program.debug.ctypes[ty]
        else {
            return None;
        };
        members.iter().find_map(|member| {
            let ty = member.ty.expand()?;
            if member.name == name && !member.bit_field {
                return Some((member.offset_bits, ty));
            }
            let inner = self.machine.program.debug.plain(ty).filter(|_| member.name.is_empty())?;
            let (bits, ty) = self.member_of(inner, name)?;
            Some((member.offset_bits + bits, ty))
        })
    }
}
