//! Concrete values, and the models that give them to variables.

use super::expr::VarId;
use std::collections::BTreeMap;

/// The lowest `width` bits.
pub fn mask(width: u32) -> u128 {
    if width >= 128 { u128::MAX } else { (1 << width) - 1 }
}

/// The value read as signed.
pub fn signed(value: u128, width: u32) -> i128 {
    debug_assert!((1..=128).contains(&width));
    ((value << (128 - width)) as i128) >> (128 - width)
}

/// The highest bit of that width.
pub fn sign_bit(width: u32) -> u128 {
    1 << (width - 1)
}

/// The bytes of an array: `cells` where they are known, `default` everywhere else.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Bytes {
    pub cells: BTreeMap<u128, u8>,
    pub default: u8,
}

impl Bytes {
    pub fn get(&self, index: u128) -> u8 {
        *self.cells.get(&index).unwrap_or(&self.default)
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    Bits(u128),
    Bytes(Bytes),
}

/// Values for variables; a variable it does not name is zero.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Model {
    values: BTreeMap<VarId, Value>,
}

impl Model {
    pub fn new() -> Model {
        Model::default()
    }

    pub fn set_bits(&mut self, var: VarId, value: u128) {
        self.values.insert(var, Value::Bits(value));
    }

    pub fn set_bytes(&mut self, var: VarId, bytes: Bytes) {
        self.values.insert(var, Value::Bytes(bytes));
    }

    pub fn get(&self, var: VarId) -> Option<&Value> {
        self.values.get(&var)
    }

    pub fn bits(&self, var: VarId) -> u128 {
        match self.values.get(&var) {
            Some(Value::Bits(v)) => *v,
            Some(Value::Bytes(_)) | None => 0,
        }
    }

    pub fn byte(&self, var: VarId, index: u128) -> u8 {
        match self.values.get(&var) {
            Some(Value::Bytes(b)) => b.get(index),
            Some(Value::Bits(_)) | None => 0,
        }
    }

    /// In the order of the variables.
    pub fn iter(&self) -> impl Iterator<Item = (VarId, &Value)> {
        self.values.iter().map(|(v, x)| (*v, x))
    }

    /// Takes over the other's values; they win.
    pub fn join(&mut self, other: Model) {
        self.values.extend(other.values);
    }
}
