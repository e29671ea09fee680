//! Values along a path: numbers, pointers to instances, and symbols for what is not known. A symbol stands for one
//! value on the whole path, and equal operations on equal values are one symbol, so a condition
//! that was decided once is decided for good.

use crate::ir::{BinaryOp, CastOp, IntPredicate};
use rustc_hash::{FxHashMap, FxHashSet};

/// One executed allocation, a global or a function.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Instance(pub u32);

/// Where a pointer may point.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Target {
    Null,
    At(Instance, i64),
    /// Anywhere in the instance.
    In(Instance),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Symbol(u32);

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Value {
    Number(u128),
    /// One of these, ascending, at least one.
    Points(Vec<Target>),
    Symbol(Symbol),
}

impl Value {
    pub fn points(mut targets: Vec<Target>) -> Value {
        targets.sort_unstable();
        targets.dedup();
        match targets[..] {
            [Target::Null] => Value::Number(0),
            _ => Value::Points(targets),
        }
    }

    /// The targets of a pointer whose targets are known.
    pub fn targets(&self) -> Option<Vec<Target>> {
        match self {
            Value::Number(0) => Some(vec![Target::Null]),
            Value::Points(targets) => Some(targets.clone()),
            Value::Number(_) | Value::Symbol(_) => None,
        }
    }
}

/// How a symbol was computed.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Op {
    Binary(BinaryOp, u32),
    Compare(IntPredicate, u32),
    Cast(CastOp, u32, u32),
}

/// All symbols of one exploration.
#[derive(Debug, Default)]
pub struct Symbols {
    known: FxHashMap<(Op, Vec<Value>), Symbol>,
    made_of: FxHashMap<Symbol, (Op, Vec<Value>)>,
    /// What was never written: as a pointer, null or the address of no object.
    junk: FxHashSet<Symbol>,
    count: u32,
}

/// What a path decided about symbols.
pub type Facts = FxHashMap<Symbol, u128>;

fn mask(bits: u32) -> u128 {
    if bits >= 128 { u128::MAX } else { (1 << bits) - 1 }
}

fn signed(value: u128, bits: u32) -> i128 {
    let shift = 128 - bits.clamp(1, 128);
    ((value << shift) as i128) >> shift
}

impl Symbols {
    pub fn fresh(&mut self) -> Value {
        self.count += 1;
        Value::Symbol(Symbol(self.count))
    }

    /// What memory holds that was never written.
    pub fn fresh_junk(&mut self) -> Value {
        let value = self.fresh();
        if let Value::Symbol(symbol) = value {
            self.junk.insert(symbol);
        }
        value
    }

    pub fn is_junk(&self, value: &Value) -> bool {
        matches!(value, Value::Symbol(symbol) if self.junk.contains(symbol))
    }

    /// The value, as far as the facts decide it.
    pub fn resolved(&self, facts: &Facts, value: &Value) -> Value {
        self.resolve(facts, value, 8)
    }

    fn resolve(&self, facts: &Facts, value: &Value, depth: u32) -> Value {
        let Value::Symbol(symbol) = value else { return value.clone() };
        if let Some(&number) = facts.get(symbol) {
            return Value::Number(number);
        }
        if let (Some((op, args)), true) = (self.made_of.get(symbol), depth > 0) {
            let args: Vec<Value> =
                args.iter().map(|arg| self.resolve(facts, arg, depth - 1)).collect();
            if let Some(result) = compute(op, &args) {
                return result;
            }
        }
        value.clone()
    }

    /// The result of an operation.
    pub fn apply(&mut self, facts: &Facts, op: Op, args: Vec<Value>) -> Value {
        let args: Vec<Value> = args.iter().map(|arg| self.resolved(facts, arg)).collect();
        if let Some(result) = compute(&op, &args) {
            return result;
        }
        let key = (op, args);
        if let Some(&symbol) = self.known.get(&key) {
            return Value::Symbol(symbol);
        }
        self.count += 1;
        let symbol = Symbol(self.count);
        self.known.insert(key.clone(), symbol);
        self.made_of.insert(symbol, key);
        Value::Symbol(symbol)
    }

    /// Adds that the value is `number`; `false` if it is known to be another.
    pub fn learn(&self, facts: &mut Facts, value: &Value, number: u128) -> bool {
        match self.resolved(facts, value) {
            Value::Number(other) => other == number,
            Value::Points(_) => true,
            Value::Symbol(symbol) => {
                facts.insert(symbol, number);
                let Some((op, args)) = self.made_of.get(&symbol) else { return true };
                let known = |arg: &Value| match arg {
                    Value::Number(number) => Some(*number),
                    Value::Points(_) | Value::Symbol(_) => None,
                };
                match (op, &args[..]) {
                    (Op::Compare(IntPredicate::Eq, _), [x, k]) if number == 1 => {
                        known(k).is_none_or(|k| self.learn(facts, x, k))
                    }
                    (Op::Compare(IntPredicate::Ne, _), [x, k]) if number == 0 => {
                        known(k).is_none_or(|k| self.learn(facts, x, k))
                    }
                    (Op::Binary(BinaryOp::Xor, _), [x, k]) => {
                        known(k).is_none_or(|k| self.learn(facts, x, number ^ k))
                    }
                    (Op::Cast(CastOp::ZExt | CastOp::SExt, from, _), [x]) => {
                        self.learn(facts, x, number & mask(*from))
                    }
                    _ => true,
                }
            }
        }
    }
}

/// The result if the arguments decide it.
fn compute(op: &Op, args: &[Value]) -> Option<Value> {
    match (op, args) {
        (Op::Compare(pred, bits), [a, b]) => {
            compare(*pred, *bits, a, b).map(|holds| Value::Number(u128::from(holds)))
        }
        (Op::Binary(op, bits), [Value::Number(a), Value::Number(b)]) => {
            binary(*op, *bits, *a, *b).map(Value::Number)
        }
        (Op::Cast(op, from, to), [Value::Number(number)]) => {
            let value = match op {
                CastOp::SExt => signed(*number, *from) as u128,
                CastOp::Trunc | CastOp::ZExt | CastOp::PtrToInt | CastOp::IntToPtr => *number,
                CastOp::Bitcast if from == to => *number,
                CastOp::FpTrunc
                | CastOp::FpExt
                | CastOp::FpToUi
                | CastOp::FpToSi
                | CastOp::UiToFp
                | CastOp::SiToFp
                | CastOp::Bitcast => return None,
            };
            Some(Value::Number(value & mask(*to)))
        }
        // A pointer as an integer of its own width is still that pointer.
        (Op::Cast(CastOp::PtrToInt | CastOp::IntToPtr | CastOp::Bitcast, from, to), [pointer])
            if from == to && matches!(pointer, Value::Points(_)) =>
        {
            Some(pointer.clone())
        }
        _ => None,
    }
}

fn binary(op: BinaryOp, bits: u32, a: u128, b: u128) -> Option<u128> {
    let value = match op {
        BinaryOp::Add => a.wrapping_add(b),
        BinaryOp::Sub => a.wrapping_sub(b),
        BinaryOp::Mul => a.wrapping_mul(b),
        BinaryOp::UDiv => a.checked_div(b)?,
        BinaryOp::URem => a.checked_rem(b)?,
        BinaryOp::SDiv => signed(a, bits).checked_div(signed(b, bits))? as u128,
        BinaryOp::SRem => signed(a, bits).checked_rem(signed(b, bits))? as u128,
        BinaryOp::Shl if b < u128::from(bits) => a << b,
        BinaryOp::LShr if b < u128::from(bits) => a >> b,
        BinaryOp::AShr if b < u128::from(bits) => (signed(a, bits) >> b) as u128,
        BinaryOp::And => a & b,
        BinaryOp::Or => a | b,
        BinaryOp::Xor => a ^ b,
        BinaryOp::Shl
        | BinaryOp::LShr
        | BinaryOp::AShr
        | BinaryOp::FAdd
        | BinaryOp::FSub
        | BinaryOp::FMul
        | BinaryOp::FDiv
        | BinaryOp::FRem => return None,
    };
    Some(value & mask(bits))
}

fn compare(pred: IntPredicate, bits: u32, a: &Value, b: &Value) -> Option<bool> {
    if let (Value::Number(a), Value::Number(b)) = (a, b) {
        return Some(pred.holds(a.cmp(b), signed(*a, bits).cmp(&signed(*b, bits))));
    }
    // Of pointers, only whether they are the same place of the same instance or surely not.
    let (xs, ys) = (a.targets()?, b.targets()?);
    let equal = match (&xs[..], &ys[..]) {
        ([Target::At(i, x)], [Target::At(j, y)]) if i == j => x == y,
        _ if xs.iter().all(|x| ys.iter().all(|y| surely_differ(*x, *y))) => false,
        _ => return None,
    };
    match pred {
        IntPredicate::Eq => Some(equal),
        IntPredicate::Ne => Some(!equal),
        IntPredicate::UGt
        | IntPredicate::UGe
        | IntPredicate::ULt
        | IntPredicate::ULe
        | IntPredicate::SGt
        | IntPredicate::SGe
        | IntPredicate::SLt
        | IntPredicate::SLe => None,
    }
}

/// Whether two pointers compare unequal in every execution. One behind the end of an object may equal the start
/// of another.
fn surely_differ(a: Target, b: Target) -> bool {
    match (a, b) {
        (Target::Null, Target::Null) => false,
        (Target::Null, Target::At(..) | Target::In(_)) => true,
        (Target::At(..) | Target::In(_), Target::Null) => true,
        (Target::At(i, 0), Target::At(j, 0)) => i != j,
        (Target::At(i, x), Target::At(j, y)) => i == j && x != y,
        (Target::In(_), _) | (_, Target::In(_)) => false,
    }
}
