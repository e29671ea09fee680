//! Which types go together: the rules that instructions share with constant expressions, and the
//! vocabulary the rules of the instructions are written in. Most operations work on a scalar or, lane
//! by lane, on a vector.

use super::ensure;
use crate::ir::ids::{List, TypeId};
use crate::ir::inst::{BinaryOp, CastOp, Operand};
use crate::ir::print::type_text;
use crate::ir::program::Program;
use crate::ir::types::Type;

/// The type of a vector's lanes and their number, or the type itself.
pub(super) fn lanes(p: &Program, ty: TypeId) -> (&Type, Option<u64>) {
    match p.types.get(ty) {
        Type::Vector { elem, len } => (p.types.get(*elem), Some(*len)),
        scalar => (scalar, None),
    }
}

pub(super) fn is_int(ty: &Type) -> bool {
    matches!(ty, Type::Int(_))
}

pub(super) fn is_float(ty: &Type) -> bool {
    matches!(ty, Type::Float(_))
}

pub(super) fn is_int_or_pointer(ty: &Type) -> bool {
    matches!(ty, Type::Int(_) | Type::Ptr)
}

/// That the lanes of `ty` are such a type.
pub(super) fn lanes_are(
    p: &Program,
    ty: TypeId,
    is: fn(&Type) -> bool,
    what: &str,
) -> Result<(), String> {
    if is(lanes(p, ty).0) {
        Ok(())
    } else {
        Err(format!("works on {what}, not on {}", type_text(p, ty)))
    }
}

pub(super) fn binary(p: &Program, op: BinaryOp, ty: TypeId) -> Result<(), String> {
    match op {
        BinaryOp::Add
        | BinaryOp::Sub
        | BinaryOp::Mul
        | BinaryOp::UDiv
        | BinaryOp::SDiv
        | BinaryOp::URem
        | BinaryOp::SRem
        | BinaryOp::Shl
        | BinaryOp::LShr
        | BinaryOp::AShr
        | BinaryOp::And
        | BinaryOp::Or
        | BinaryOp::Xor => lanes_are(p, ty, is_int, "integers"),
        BinaryOp::FAdd | BinaryOp::FSub | BinaryOp::FMul | BinaryOp::FDiv | BinaryOp::FRem => {
            lanes_are(p, ty, is_float, "floats")
        }
    }
}

pub(super) fn cast(p: &Program, op: CastOp, from: TypeId, to: TypeId) -> Result<(), String> {
    let ((a, a_lanes), (b, b_lanes)) = (lanes(p, from), lanes(p, to));
    let fits = match (op, a, b) {
        (CastOp::Trunc, Type::Int(a), Type::Int(b)) => a > b,
        (CastOp::ZExt | CastOp::SExt, Type::Int(a), Type::Int(b)) => a < b,
        (CastOp::FpTrunc, Type::Float(a), Type::Float(b)) => a.bits() > b.bits(),
        (CastOp::FpExt, Type::Float(a), Type::Float(b)) => a.bits() < b.bits(),
        (CastOp::FpToUi | CastOp::FpToSi, Type::Float(_), Type::Int(_)) => true,
        (CastOp::UiToFp | CastOp::SiToFp, Type::Int(_), Type::Float(_)) => true,
        (CastOp::PtrToInt, Type::Ptr, Type::Int(_)) => true,
        (CastOp::IntToPtr, Type::Int(_), Type::Ptr) => true,
        (CastOp::Bitcast, a, b) => (a == &Type::Ptr) == (b == &Type::Ptr),
        _ => false,
    };
    let same_shape = match op {
        CastOp::Bitcast => matches!((bits(p, from), bits(p, to)), (Some(a), Some(b)) if a == b),
        _ => a_lanes == b_lanes,
    };
    if fits && same_shape {
        Ok(())
    } else {
        Err(format!("does not lead from {} to {}", type_text(p, from), type_text(p, to)))
    }
}

/// All bits of a scalar or vector.
fn bits(p: &Program, ty: TypeId) -> Option<u64> {
    let scalar = |ty| p.types.scalar_bits(ty, p.machine.pointer_bits).map(u64::from);
    match p.types.get(ty) {
        Type::Vector { elem, len } => scalar(*elem)?.checked_mul(*len),
        _ => scalar(ty),
    }
}

type Found = Result<(), String>;

/// One instruction's typing: what its operands are, and what its result gives.
pub(super) struct Typing<'p> {
    pub(super) p: &'p Program,
    /// The type of the result, if there is one.
    pub(super) result: Option<TypeId>,
}

impl Typing<'_> {
    /// The type at the end of a path into an aggregate.
    pub(super) fn leaf(&self, aggregate: Operand, path: List<u32>) -> Result<TypeId, String> {
        let path = self.p.index_pool.get(path);
        ensure(!path.is_empty(), || "its path is empty".to_owned())?;
        let mut ty = self.p.operand_type(aggregate);
        for &index in path {
            let part = match self.p.types.get(ty) {
                Type::Struct { fields } => fields.get(index as usize).map(|field| field.ty),
                Type::Array { elem, len } => (u64::from(index) < *len).then_some(*elem),
                Type::Void
                | Type::Int(_)
                | Type::Ptr
                | Type::Float(_)
                | Type::Vector { .. }
                | Type::Opaque(_) => None,
            };
            ty = part.ok_or_else(|| format!("{} has no part {index}", type_text(self.p, ty)))?;
        }
        Ok(ty)
    }

    pub(super) fn vector(&self, operand: Operand) -> Result<(TypeId, u64), String> {
        match *self.p.types.get(self.p.operand_type(operand)) {
            Type::Vector { elem, len } => Ok((elem, len)),
            _ => Err(format!("works on vectors, not on {}", self.type_of(operand))),
        }
    }

    pub(super) fn same(&self, lhs: Operand, rhs: Operand) -> Result<TypeId, String> {
        let ty = self.p.operand_type(lhs);
        let same = ty == self.p.operand_type(rhs);
        ensure(same, || {
            format!("its operands differ: {} and {}", self.type_of(lhs), self.type_of(rhs))
        })?;
        Ok(ty)
    }

    pub(super) fn is(&self, operand: Operand, ty: TypeId) -> Found {
        ensure(self.p.operand_type(operand) == ty, || {
            format!(
                "an operand is of type {}, not {}",
                self.type_of(operand),
                type_text(self.p, ty)
            )
        })
    }

    pub(super) fn pointer(&self, operand: Operand) -> Found {
        ensure(self.p.is_pointer(operand), || {
            format!("an operand is of type {}, not ptr", self.type_of(operand))
        })
    }

    pub(super) fn int(&self, operand: Operand) -> Found {
        ensure(is_int(self.p.types.get(self.p.operand_type(operand))), || {
            format!("an operand is of type {}, not an integer", self.type_of(operand))
        })
    }

    pub(super) fn bits(&self, operand: Operand, bits: u32) -> Found {
        ensure(*self.p.types.get(self.p.operand_type(operand)) == Type::Int(bits), || {
            format!("an operand is of type {}, not i{bits}", self.type_of(operand))
        })
    }

    pub(super) fn type_of(&self, operand: Operand) -> String {
        type_text(self.p, self.p.operand_type(operand))
    }

    pub(super) fn gives_nothing(&self) -> Found {
        ensure(self.result.is_none(), || "has a result, but gives none".to_owned())
    }

    pub(super) fn gives_value(&self) -> Result<TypeId, String> {
        self.result.ok_or_else(|| "gives a result, but has none".to_owned())
    }

    pub(super) fn gives(&self, ty: TypeId) -> Found {
        let result = self.gives_value()?;
        ensure(result == ty, || {
            format!(
                "gives {}, but its result is {}",
                type_text(self.p, ty),
                type_text(self.p, result)
            )
        })
    }

    pub(super) fn gives_pointer(&self) -> Found {
        let result = self.gives_value()?;
        ensure(*self.p.types.get(result) == Type::Ptr, || {
            format!("gives ptr, but its result is {}", type_text(self.p, result))
        })
    }

    /// An `i1`, or one for each lane of `ty`.
    pub(super) fn gives_truth_of(&self, ty: TypeId) -> Found {
        let result = self.gives_value()?;
        let (lane, count) = lanes(self.p, result);
        ensure(*lane == Type::Int(1) && count == lanes(self.p, ty).1, || {
            format!("gives i1, but its result is {}", type_text(self.p, result))
        })
    }
}
