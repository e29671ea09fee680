//! Value numbers of one function: values with the same number are equal wherever both are known, because they
//! are made by the same operation from equal values, or loaded through equal pointers from the same
//! version of memory.
//!
//! Invariant: a fact about a number that holds at a place holds at every place behind it on a path, until
//! the path comes to a definition again; and such a definition lies on every path to whatever uses it.

use super::whole::Whole;
use crate::ir::cfg::Cfg;
use crate::ir::{
    BinaryOp, CastOp, Const, ConstId, FuncId, Inst, InstId, IntPredicate, Operand, OverflowOp,
    Program, PureOp, TypeId, ValueId,
};
use crate::svfg::{Flow, Node, NodeId};
use cranelift_entity::{PrimaryMap, entity_impl};
use rustc_hash::FxHashMap;

/// A value number.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Number(u32);
entity_impl!(Number, "n");

/// How a number is made.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Made {
    /// A value that nothing else is known to equal.
    Value(ValueId),
    Const(ConstId),
    /// One that may be another at each use.
    Any(u32),
    Binary(BinaryOp, TypeId, Number, Number),
    Overflow(OverflowOp, Number, Number),
    Compare(IntPredicate, Number, Number),
    Cast(CastOp, TypeId, Number),
    Pure(PureOp, TypeId, Box<[Number]>),
    Select(Number, Number, Number),
    /// A pointer moved by indices, which are ordered.
    Indexed(Number, Box<[(Number, u64)]>),
    /// So many bytes, not 0, behind a pointer that is none of these.
    Behind(Number, i64),
    /// Through a pointer, from a version of memory.
    Load(Number, TypeId, Box<[NodeId]>),
}

impl Made {
    /// What it is made from.
    pub fn for_each_part(&self, mut visit: impl FnMut(Number)) {
        match self {
            Made::Value(_) | Made::Const(_) | Made::Any(_) => {}
            Made::Binary(_, _, a, b) | Made::Overflow(_, a, b) | Made::Compare(_, a, b) => {
                visit(*a);
                visit(*b);
            }
            Made::Cast(_, _, from) | Made::Behind(from, _) | Made::Load(from, ..) => visit(*from),
            Made::Pure(_, _, args) => args.iter().copied().for_each(visit),
            Made::Select(cond, then, els) => [*cond, *then, *els].into_iter().for_each(visit),
            Made::Indexed(base, terms) => {
                visit(*base);
                terms.iter().for_each(|&(index, _)| visit(index));
            }
        }
    }
}

pub struct Numbers {
    pub made: PrimaryMap<Number, Made>,
    /// One of the values that have the number.
    values: FxHashMap<Number, ValueId>,
    known: FxHashMap<Made, Number>,
    of_value: FxHashMap<ValueId, Number>,
}

impl Numbers {
    /// Without a graph of memory, nothing is known of what is loaded.
    pub fn new(program: &Program, func: FuncId, cfg: &Cfg, memory: Option<&Whole>) -> Self {
        let mut numbers = Numbers {
            made: PrimaryMap::new(),
            values: FxHashMap::default(),
            known: FxHashMap::default(),
            of_value: FxHashMap::default(),
        };
        // What comes back a second time does so with another memory.
        let memory = memory.filter(|_| !returns_twice(program, func));
        for param in program.funcs[func].params.iter() {
            numbers.define(param, Made::Value(param));
        }
        for block in order(cfg) {
            for inst in program.blocks[cfg.block(block)].insts.iter() {
                if let Some(result) = program.insts[inst].result.expand() {
                    numbers.instruction(program, memory, inst, result);
                }
            }
        }
        numbers
    }

    fn define(&mut self, value: ValueId, made: Made) {
        let number = self.intern(made);
        self.values.entry(number).or_insert(value);
        self.of_value.insert(value, number);
    }

    fn intern(&mut self, made: Made) -> Number {
        if let Some(&number) = self.known.get(&made) {
            return number;
        }
        let number = self.made.push(made.clone());
        self.known.insert(made, number);
        number
    }

    /// The number of an operand of the function.
    pub fn of(&mut self, program: &Program, operand: Operand) -> Number {
        match operand {
            Operand::Value(value) => match self.of_value.get(&value) {
                Some(&number) => number,
                // A value of a block that is never entered.
                None => self.intern(Made::Value(value)),
            },
            Operand::Const(constant) => match is_fixed(program, constant) {
                true => self.intern(Made::Const(constant)),
                false => {
                    let fresh = self.made.len() as u32;
                    self.intern(Made::Any(fresh))
                }
            },
        }
    }

    /// The same of a value that was numbered before.
    pub fn known_number(&self, operand: Operand) -> Option<Number> {
        self.of_value.get(&operand.value()?).copied()
    }

    /// Whether two operands are known to be equal.
    pub fn are_equal(&self, a: Operand, b: Operand) -> bool {
        let number = |operand: Operand| self.of_value.get(&operand.value()?);
        a == b || number(a).is_some_and(|of_a| number(b) == Some(of_a))
    }

    /// A value of the function that has the number.
    pub fn value(&self, number: Number) -> Option<ValueId> {
        match self.made[number] {
            Made::Value(value) => Some(value),
            _ => self.values.get(&number).copied(),
        }
    }

    /// The number as an operand, if it is one.
    pub fn operand(&self, number: Number) -> Option<Operand> {
        match self.made[number] {
            Made::Const(constant) => Some(Operand::Const(constant)),
            _ => self.value(number).map(Operand::Value),
        }
    }

    /// A pointer without the constant that was added to it, and that constant.
    pub fn place(&self, pointer: Number) -> (Number, i64) {
        match self.made[pointer] {
            Made::Behind(root, offset) => (root, offset),
            _ => (pointer, 0),
        }
    }

    /// The pointer that a pointer was computed from, into the same object.
    pub fn source(&self, pointer: Number) -> Number {
        let (root, _) = self.place(pointer);
        match self.made[root] {
            Made::Indexed(base, _) => base,
            _ => root,
        }
    }

    fn instruction(
        &mut self,
        program: &Program,
        memory: Option<&Whole>,
        inst: InstId,
        result: ValueId,
    ) {
        let ty = program.values[result].ty;
        let made = match program.insts[inst].inst {
            Inst::Binary { op, lhs, rhs } => {
                Made::Binary(op, ty, self.of(program, lhs), self.of(program, rhs))
            }
            Inst::Overflow { op, lhs, rhs } => {
                Made::Overflow(op, self.of(program, lhs), self.of(program, rhs))
            }
            Inst::IntCmp { pred, lhs, rhs } => {
                Made::Compare(pred, self.of(program, lhs), self.of(program, rhs))
            }
            Inst::Cast { op: CastOp::Bitcast, value } if program.operand_type(value) == ty => {
                let number = self.of(program, value);
                self.of_value.insert(result, number);
                return;
            }
            Inst::Cast { op, value } => Made::Cast(op, ty, self.of(program, value)),
            Inst::Pure { op, args } => {
                let args = program.operands(args).iter().map(|&arg| self.of(program, arg));
                Made::Pure(op, ty, args.collect())
            }
            Inst::Select { cond, then, els } => {
                let (then, els) = (self.of(program, then), self.of(program, els));
                Made::Select(self.of(program, cond), then, els)
            }
            Inst::Gep { base, offset, terms, .. } => {
                let base = self.of(program, base);
                let terms = program.term_pool.get(terms).to_vec();
                let terms = terms.iter().map(|t| (self.of(program, t.index), t.stride)).collect();
                match self.moved(base, offset, terms) {
                    Some(number) => {
                        self.values.entry(number).or_insert(result);
                        self.of_value.insert(result, number);
                        return;
                    }
                    None => Made::Value(result),
                }
            }
            Inst::Load { ptr, access } if !access.volatile && !access.atomic => {
                match memory.and_then(|whole| versions(program, whole, inst, ptr)) {
                    Some(versions) => {
                        let ptr = self.of(program, ptr);
                        if let Some(stored) = self.stored(program, memory, ptr, ty, &versions) {
                            self.of_value.insert(result, stored);
                            return;
                        }
                        Made::Load(ptr, ty, versions)
                    }
                    None => Made::Value(result),
                }
            }
            _ => Made::Value(result),
        };
        self.define(result, made);
    }

    fn moved(
        &mut self,
        base: Number,
        offset: i64,
        mut terms: Vec<(Number, u64)>,
    ) -> Option<Number> {
        let (root, before) = self.place(base);
        let offset = before.checked_add(offset)?;
        let root = match &self.made[root] {
            Made::Indexed(source, more) => {
                terms.extend(more.iter().copied());
                *source
            }
            _ => root,
        };
        terms.sort_unstable();
        let root = match terms.is_empty() {
            true => root,
            false => self.intern(Made::Indexed(root, terms.into())),
        };
        Some(if offset == 0 { root } else { self.intern(Made::Behind(root, offset)) })
    }

    /// What a load reads if the one version of memory is what a store through an equal pointer left.
    fn stored(
        &mut self,
        program: &Program,
        memory: Option<&Whole>,
        ptr: Number,
        ty: TypeId,
        versions: &[NodeId],
    ) -> Option<Number> {
        let [version] = *versions else { return None };
        let Node::Chi { at, .. } = memory?.graph.graph.nodes[version] else { return None };
        let Inst::Store { ptr: to, value, access } = program.insts[at].inst else { return None };
        let is_same = !access.volatile
            && program.operand_type(value) == ty
            && self.of_value.get(&to.value()?) == Some(&ptr);
        (is_same && value.constant().is_none_or(|c| is_fixed(program, c)))
            .then(|| self.of(program, value))
    }
}

/// Blocks so that a definition comes before its uses.
pub fn order(cfg: &Cfg) -> Vec<usize> {
    let mut order = Vec::with_capacity(cfg.len());
    if cfg.is_empty() {
        return order;
    }
    let mut seen = vec![false; cfg.len()];
    let mut path = vec![(0, 0)];
    seen[0] = true;
    while let Some((block, child)) = path.last_mut() {
        match cfg.successors(*block).get(*child) {
            Some(&next) => {
                *child += 1;
                if !std::mem::replace(&mut seen[next], true) {
                    path.push((next, 0));
                }
            }
            None => {
                order.push(*block);
                path.pop();
            }
        }
    }
    order.reverse();
    order
}

/// The versions of memory that a load reads; none if its pointer is unknown to the pointer analysis,
/// or others write there, too.
fn versions(program: &Program, whole: &Whole, inst: InstId, ptr: Operand) -> Option<Box<[NodeId]>> {
    let node = whole.graph.inst(program, inst)?;
    let before = whole.graph.graph.predecessors_by(node, Flow::Indirect);
    let mut versions: Vec<NodeId> = before.filter(|_| whole.is_own(program, ptr)).collect();
    versions.sort_unstable();
    (!versions.is_empty()).then(|| versions.into())
}

/// Whether a constant is the same at each use.
fn is_fixed(program: &Program, constant: ConstId) -> bool {
    matches!(
        program.consts.get(constant),
        Const::Int(_) | Const::Null | Const::Global { .. } | Const::Func(_) | Const::Float(_)
    )
}

/// Whether a call in the function may come back more than once.
pub fn returns_twice(program: &Program, func: FuncId) -> bool {
    let blocks = program.funcs[func].blocks.iter();
    let mut insts = blocks.flat_map(|block| program.blocks[block].insts.iter());
    insts.any(|inst| program.may_come_back_twice(inst))
}
