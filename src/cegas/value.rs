//! What an SSA value is during an execution: bits, or an aggregate of such.

use crate::smt::ExprId;
use std::rc::Rc;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    /// A scalar: integer, float or pointer.
    Bits(ExprId),
    /// A struct, array or vector by value.
    Parts(Rc<[Value]>),
}

impl Value {
    pub fn bits(&self) -> Option<ExprId> {
        match self {
            Value::Bits(bits) => Some(*bits),
            Value::Parts(_) => None,
        }
    }

    /// Adds the scalars that it is made of.
    pub fn scalars(&self, into: &mut Vec<ExprId>) {
        match self {
            Value::Bits(bits) => into.push(*bits),
            Value::Parts(parts) => parts.iter().for_each(|part| part.scalars(into)),
        }
    }

    /// The part at the end of a path of indices.
    pub fn part(&self, path: &[u32]) -> Option<&Value> {
        path.iter().try_fold(self, |value, &index| match value {
            Value::Bits(_) => None,
            Value::Parts(parts) => parts.get(index as usize),
        })
    }

    /// This value with another part at the end of the path.
    pub fn with_part(&self, path: &[u32], new: Value) -> Option<Value> {
        let Some((&index, rest)) = path.split_first() else { return Some(new) };
        let Value::Parts(parts) = self else { return None };
        let mut parts = parts.to_vec();
        let old = parts.get(index as usize)?.with_part(rest, new)?;
        parts[index as usize] = old;
        Some(Value::Parts(parts.into()))
    }
}
