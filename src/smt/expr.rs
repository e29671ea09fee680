//! The expressions: nodes of 16 bytes, interned in a [`Pool`], so that equal expressions have equal
//! ids. A node is only made by [`Pool::intern`], after the smart constructors in
//! [`simplify`](super::simplify) had their say.
//!
//! Invariants: a child's id is smaller than its parent's (so ascending ids are a topological order);
//! bits above a constant's width are zero; a truth value is a vector of one bit, which makes `and`,
//! `or`, `not` and `ite` one set of rules for both.

use super::float::Format;
use super::known::Facts;
use super::small::Small;
use super::value::mask;
use cranelift_entity::{PrimaryMap, entity_impl};
use rustc_hash::FxHashMap;

/// An expression of one [`Pool`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ExprId(u32);
entity_impl!(ExprId, "e");

/// A free variable of one [`Pool`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct VarId(u32);
entity_impl!(VarId, "x");

/// The widest vector there is; wider integers are the caller's `Unsupported`.
pub const MAX_WIDTH: u32 = 128;

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Sort {
    /// A bit vector of 1 to [`MAX_WIDTH`] bits. One bit is a truth value; floats are their bits.
    Bits(u32),
    /// Bytes indexed by vectors of that many bits.
    Bytes { index: u32 },
}

/// What a node does with its children. Everything else the constructors offer (subtraction, `<=`,
/// population count …) is written with these.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
pub enum Op {
    Const,
    Var,
    Not,
    And,
    Or,
    Xor,
    Add,
    Mul,
    /// `x / 0` is all ones.
    UDiv,
    /// `x % 0` is `x`.
    URem,
    /// Truncates; `x / 0` is -1 for `x >= 0`, else 1; `MIN / -1` is `MIN`.
    SDiv,
    /// The dividend's sign; `x % 0` is `x`.
    SRem,
    /// A shift by the width or more gives zero.
    Shl,
    /// A shift by the width or more gives zero.
    LShr,
    /// A shift by the width or more fills with the sign.
    AShr,
    /// The first child holds the high bits.
    Concat,
    /// Bits from `aux` on, as many as the node is wide.
    Extract,
    ZExt,
    SExt,
    Ite,
    Eq,
    Ult,
    Slt,
    /// The product does not fit, unsigned.
    UMulO,
    /// The product does not fit, signed.
    SMulO,
    Select,
    Store,
    /// The same byte everywhere.
    ConstBytes,
    FAdd,
    FMul,
    FDiv,
    /// C's `fmod`.
    FRem,
    /// a·b + c, rounded once.
    FFma,
    FSqrt,
    /// To an integral float; the rounding is in `aux`.
    FRound,
    FEq,
    FLt,
    FLe,
    /// Between float formats.
    FConvert,
    SToF,
    UToF,
    /// Towards zero; NaN and what does not fit give the lowest signed value, as x86 does.
    FToS,
    /// Towards zero; NaN and what does not fit give the highest bit alone.
    FToU,
}

/// One node. `aux` and the unused children are zero, so that equality is plain.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Node {
    pub op: Op,
    /// Width in bits, 0 for bytes.
    width: u8,
    /// `Extract`: the lowest bit; bytes: the index width; floats: see [`FloatAux`].
    aux: u16,
    a: u32,
    b: u32,
    c: u32,
}

impl std::hash::Hash for Node {
    fn hash<H: std::hash::Hasher>(&self, h: &mut H) {
        let head = u64::from(self.op as u8)
            | u64::from(self.width) << 8
            | u64::from(self.aux) << 16
            | u64::from(self.a) << 32;
        h.write_u64(head);
        h.write_u64(u64::from(self.b) | u64::from(self.c) << 32);
    }
}

/// What a float operation needs besides its children.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FloatAux {
    /// The format computed in; for a conversion between floats, the format converted to.
    pub format: Format,
    /// For a conversion between floats, the format converted from.
    pub from: Format,
    pub rounding: super::float::Rounding,
}

impl Node {
    /// How many of the three child slots are expressions.
    pub fn arity(&self) -> usize {
        match self.op {
            Op::Const | Op::Var => 0,
            Op::Not | Op::Extract | Op::ZExt | Op::SExt | Op::ConstBytes => 1,
            Op::FSqrt | Op::FRound | Op::FConvert => 1,
            Op::SToF | Op::UToF | Op::FToS | Op::FToU => 1,
            Op::And | Op::Or | Op::Xor | Op::Add | Op::Mul => 2,
            Op::UDiv | Op::URem | Op::SDiv | Op::SRem | Op::Shl | Op::LShr | Op::AShr => 2,
            Op::Concat | Op::Eq | Op::Ult | Op::Slt | Op::UMulO | Op::SMulO | Op::Select => 2,
            Op::FAdd | Op::FMul | Op::FDiv | Op::FRem | Op::FEq | Op::FLt | Op::FLe => 2,
            Op::Ite | Op::Store | Op::FFma => 3,
        }
    }

    pub fn child(&self, i: usize) -> ExprId {
        ExprId([self.a, self.b, self.c][i])
    }

    pub fn children(&self) -> impl Iterator<Item = ExprId> + use<> {
        [self.a, self.b, self.c].into_iter().take(self.arity()).map(ExprId)
    }

    /// Width in bits, 0 for bytes.
    pub fn width(&self) -> u32 {
        u32::from(self.width)
    }

    pub fn sort(&self) -> Sort {
        match self.width {
            0 => Sort::Bytes { index: u32::from(self.aux) },
            w => Sort::Bits(u32::from(w)),
        }
    }

    /// `Extract`'s lowest bit.
    pub fn low(&self) -> u32 {
        u32::from(self.aux)
    }

    /// The variable, of a `Var`.
    pub fn var(&self) -> VarId {
        VarId(self.a)
    }

    pub fn float(&self) -> FloatAux {
        FloatAux::unpack(self.aux)
    }

    /// A node without children, to ask for an operation's meaning.
    pub(super) fn bare(op: Op, width: u32, aux: u16) -> Node {
        Node { op, width: width as u8, aux, a: 0, b: 0, c: 0 }
    }
}

impl FloatAux {
    pub(super) fn pack(self) -> u16 {
        self.format as u16 | (self.from as u16) << 4 | (self.rounding as u16) << 8
    }

    fn unpack(aux: u16) -> FloatAux {
        FloatAux {
            format: Format::ALL[usize::from(aux & 15) % Format::ALL.len()],
            from: Format::ALL[usize::from(aux >> 4 & 15) % Format::ALL.len()],
            rounding: super::float::Rounding::ALL[usize::from(aux >> 8) % 5],
        }
    }
}

#[derive(Debug, Clone)]
struct Var {
    name: Box<str>,
    expr: ExprId,
}

/// All expressions of one obligation. Nothing is ever removed; drop the pool.
#[derive(Debug, Clone, Default)]
pub struct Pool {
    nodes: PrimaryMap<ExprId, Node>,
    facts: PrimaryMap<ExprId, Facts>,
    ids: FxHashMap<Node, ExprId>,
    vars: PrimaryMap<VarId, Var>,
    /// Constants of more than 64 bits, which do not fit into a node.
    wide: Vec<u128>,
    wide_ids: FxHashMap<u128, u32>,
    /// Constants that counters come by, see [`Small`].
    small: Small,
    /// How deep the constructors are inside their own rules: see [`Pool::deeper`].
    depth: u32,
}

impl Pool {
    pub fn new() -> Pool {
        Pool::default()
    }

    /// The number of distinct expressions made so far.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    pub fn node(&self, e: ExprId) -> Node {
        self.nodes[e]
    }

    pub fn op(&self, e: ExprId) -> Op {
        self.nodes[e].op
    }

    pub fn sort(&self, e: ExprId) -> Sort {
        self.nodes[e].sort()
    }

    /// Width in bits, 0 for bytes.
    pub fn width(&self, e: ExprId) -> u32 {
        self.nodes[e].width()
    }

    /// What holds of every value of `e`; nothing is kept for vectors of more than 64 bits.
    pub fn facts(&self, e: ExprId) -> Option<&Facts> {
        (1..=64).contains(&self.width(e)).then(|| &self.facts[e])
    }

    /// The value, if `e` is a constant.
    pub fn as_const(&self, e: ExprId) -> Option<u128> {
        let n = &self.nodes[e];
        (n.op == Op::Const).then(|| self.const_value(n))
    }

    pub(super) fn const_value(&self, n: &Node) -> u128 {
        match n.width {
            0..=64 => u128::from(n.a) | u128::from(n.b) << 32,
            _ => self.wide[n.a as usize],
        }
    }

    /// The constant `value`, cut to `width` bits.
    pub fn constant(&mut self, value: u128, width: u32) -> ExprId {
        assert!((1..=MAX_WIDTH).contains(&width), "no vector has {width} bits");
        let value = value & mask(width);
        if let Some(known) = self.small.get(value, width) {
            return known;
        }
        let e = self.new_constant(value, width);
        self.small.insert(value, width, e);
        e
    }

    fn new_constant(&mut self, value: u128, width: u32) -> ExprId {
        let (a, b) = if width <= 64 {
            (value as u32, (value >> 32) as u32)
        } else {
            let next = self.wide.len() as u32;
            let at = *self.wide_ids.entry(value).or_insert(next);
            if at == next {
                self.wide.push(value);
            }
            (at, 0)
        };
        self.intern(Node { op: Op::Const, width: width as u8, aux: 0, a, b, c: 0 })
    }

    pub fn bool(&mut self, value: bool) -> ExprId {
        self.constant(u128::from(value), 1)
    }

    /// A fresh variable; the name is for people and need not be unique.
    pub fn var(&mut self, name: &str, sort: Sort) -> ExprId {
        let var = self.vars.next_key();
        let (width, aux) = match sort {
            Sort::Bits(w) => {
                assert!((1..=MAX_WIDTH).contains(&w), "no vector has {w} bits");
                (w as u8, 0)
            }
            Sort::Bytes { index } => (0, index as u16),
        };
        let expr = self.intern(Node { op: Op::Var, width, aux, a: var.as_u32(), b: 0, c: 0 });
        self.vars.push(Var { name: name.into(), expr });
        expr
    }

    pub fn name(&self, var: VarId) -> &str {
        &self.vars[var].name
    }

    /// The variable as an expression.
    pub fn var_expr(&self, var: VarId) -> ExprId {
        self.vars[var].expr
    }

    pub fn var_sort(&self, var: VarId) -> Sort {
        self.sort(self.vars[var].expr)
    }

    pub fn vars(&self) -> impl Iterator<Item = VarId> + use<> {
        self.vars.keys()
    }

    /// Makes the node as it is: no rule is tried but the last one, that a node whose facts leave
    /// one value is that value.
    pub(super) fn intern(&mut self, node: Node) -> ExprId {
        if let Some(&e) = self.ids.get(&node) {
            return e;
        }
        let facts = super::known::of_node(self, &node, |e| self.facts(e).copied());
        if let (Some(value), true) = (facts.single(node.width()), node.op != Op::Const) {
            return self.constant(u128::from(value), node.width());
        }
        let e = self.nodes.push(node);
        self.facts.push(facts);
        self.ids.insert(node, e);
        e
    }

    pub(super) fn raw(&mut self, op: Op, width: u32, aux: u16, children: &[ExprId]) -> ExprId {
        let child = |i: usize| children.get(i).map_or(0, |e: &ExprId| e.as_u32());
        self.intern(Node { op, width: width as u8, aux, a: child(0), b: child(1), c: child(2) })
    }

    /// Runs a rule that calls constructors on parts of its operands, unless rules are already nested
    /// too deep: this keeps the work per construction bounded.
    pub(super) fn deeper<T>(&mut self, rule: impl FnOnce(&mut Pool) -> Option<T>) -> Option<T> {
        if self.depth >= super::simplify::MAX_DEPTH {
            return None;
        }
        self.depth += 1;
        let result = rule(self);
        self.depth -= 1;
        result
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_are_small_and_pools_travel() {
        assert!(size_of::<Node>() <= 16);
        fn send<T: Send + Sync>() {}
        send::<Pool>();
    }

    #[test]
    fn equal_constants_are_one_node() {
        let mut p = Pool::new();
        let wide = u128::MAX - 5;
        assert_eq!(p.constant(wide, 128), p.constant(wide, 128));
        assert_ne!(p.constant(7, 32), p.constant(7, 64));
        let e = p.constant(wide, 128);
        assert_eq!(p.as_const(e), Some(wide));
    }
}
