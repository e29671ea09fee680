//! Lists of any length, for proofs only: an object with a [`Chain`] stands for the nodes of a list, the first of
//! which has the object's address. No other value or cell of the state knows the address of a further node.
//!
//! The object's cells are those of each node, but for the link: a value that all nodes have, or a *placeholder*, one
//! variable for each place in a node, which stands for another value in each node. The chain's facts speak of
//! placeholders and of what was there before the loop; they hold of each node.
//!
//! A list is *unfolded* before an instruction looks at an address that it may be. If it is empty, its address is the
//! tail, everywhere; else its first node becomes an object of its own, and the link leads to the rest. Between them the
//! two states cover exactly the states that the list stands for.

use super::machine::{Machine, Source, Step, Stop};
use super::memory::{Cell, Chain, Instance, Object};
use super::state::State;
use super::value::Value;
use crate::ir::{Callee, Inst, InstId, Operand};
use crate::smt::{ExprId, Op, Sort, VarId};
use rustc_hash::FxHashMap;
use std::rc::Rc;

pub(super) type Substitution = FxHashMap<VarId, ExprId>;

impl Machine<'_> {
    /// The variable for a place in any node.
    pub(super) fn placeholder(&mut self, offset: u64, bytes: u32) -> ExprId {
        if let Some(&var) = self.placeholders.get(&(offset, bytes)) {
            return var;
        }
        let var = self.smt.pool.var(&format!("node+{offset}:{bytes}"), Sort::Bits(bytes * 8));
        self.known_before(var);
        self.placeholders.insert((offset, bytes), var);
        var
    }

    /// The list that has to be unfolded before `at` can be executed.
    pub(super) fn folded_at(&mut self, state: &State, at: InstId) -> Option<Instance> {
        if state.memory.chains().is_empty() {
            return None;
        }
        let mut looked_at = Vec::new();
        let program = self.program;
        let inst = &program.insts[at].inst;
        match *inst {
            // These pass a value on and do not look at it.
            Inst::Cast { .. }
            | Inst::Freeze { .. }
            | Inst::Phi { .. }
            | Inst::Return { .. }
            | Inst::Extract { .. }
            | Inst::Insert { .. } => {}
            Inst::Store { ptr, .. } => looked_at.push(ptr),
            Inst::Select { cond, .. } => looked_at.push(cond),
            Inst::Gep { terms, .. } => {
                looked_at.extend(program.term_pool.get(terms).iter().map(|term| term.index));
            }
            Inst::Call { callee: Callee::Direct(func), .. }
                if !program.funcs[func].blocks.is_empty() && self.marks.at(at).is_empty() => {}
            Inst::Binary { .. }
            | Inst::Overflow { .. }
            | Inst::IntCmp { .. }
            | Inst::FloatCmp { .. }
            | Inst::Pure { .. }
            | Inst::ExtractElement { .. }
            | Inst::InsertElement { .. }
            | Inst::Shuffle { .. }
            | Inst::Uninit
            | Inst::Alloca { .. }
            | Inst::Load { .. }
            | Inst::MemCopy { .. }
            | Inst::MemSet { .. }
            | Inst::AtomicRmw { .. }
            | Inst::CmpXchg { .. }
            | Inst::LifetimeStart { .. }
            | Inst::LifetimeEnd { .. }
            | Inst::StackSave
            | Inst::StackRestore { .. }
            | Inst::VaStart { .. }
            | Inst::VaEnd { .. }
            | Inst::VaCopy { .. }
            | Inst::VaArg { .. }
            | Inst::Fence
            | Inst::Check { .. }
            | Inst::Assume { .. }
            | Inst::Call { .. }
            | Inst::Jump { .. }
            | Inst::Branch { .. }
            | Inst::Switch { .. }
            | Inst::IndirectJump { .. }
            | Inst::Unreachable
            | Inst::Unsupported { .. } => {
                program.for_each_operand(inst, |operand| looked_at.push(operand));
            }
        }
        let values = &state.top()?.values;
        let bits = |operand: &Operand| match operand {
            Operand::Value(value) => values.get(value)?.bits(),
            Operand::Const(_) => None,
        };
        let looked_at: Vec<ExprId> = looked_at.iter().filter_map(bits).collect();
        looked_at.into_iter().find_map(|value| self.list_in(state, value))
    }

    /// The first list whose address occurs in a value.
    fn list_in(&mut self, state: &State, value: ExprId) -> Option<Instance> {
        if !self.speaks_of_addresses(value) {
            return None;
        }
        let vars = self.smt.pool.free_vars(&[value]);
        let instances = vars.into_iter().filter_map(|var| self.instance_of(var));
        instances.filter(|instance| state.memory.chains().contains(instance)).min()
    }

    /// The states that a list stands for: without a node, and with one before the rest.
    pub(super) fn unfold(&mut self, state: &State, instance: Instance) -> Step<Vec<State>> {
        let Some((object, chain)) = state
            .memory
            .get(instance)
            .and_then(|object| Some((object.clone(), object.chain.clone()?)))
        else {
            return Err(Stop::Gap("a list that is none".into()));
        };
        let mut states = Vec::new();
        if chain.may_be_empty {
            let mut empty = state.clone();
            empty.choices += 1;
            empty.memory.put(instance, gone(&object));
            let address = self.address(instance);
            let address = self.smt.pool.node(address).var();
            self.replace_everywhere(&mut empty, &[(address, chain.tail)].into_iter().collect());
            states.push(empty);
        }
        let mut first = state.clone();
        first.choices += 1;
        let rest = Chain { may_be_empty: true, ..(*chain).clone() };
        let rest = first.memory.push(Object { chain: Some(Rc::new(rest)), ..object.clone() });
        let rest = self.address(rest);
        let mut node = Object { chain: None, ..object };
        let mut values = Substitution::default();
        for (&offset, cell) in &node.cells {
            let placeholder = self.placeholder(offset, cell.bytes);
            let mut own = cell.value;
            if cell.value == placeholder {
                own = self.fresh(&mut first, cell.bytes * 8, Source::Widened);
                self.nodes.insert(self.smt.pool.node(own).var(), placeholder);
            }
            // A fact may speak of what all nodes share, too.
            values.insert(self.smt.pool.node(placeholder).var(), own);
        }
        for cell in node.cells.clone().iter() {
            let value = self.smt.pool.substitute(cell.1.value, &values);
            node.cells.insert(*cell.0, Cell { value, ..*cell.1 });
        }
        node.cells.insert(chain.link, Cell { bytes: self.pointer_bits / 8, value: rest });
        first.memory.put(instance, node);
        for &fact in &chain.facts {
            let fact = self.smt.pool.substitute(fact, &values);
            // A place that the node does not have stands for nothing here.
            if self.speaks_of_nodes(fact) {
                continue;
            }
            match self.assume(&mut first, fact) {
                Ok(()) => {}
                Err(Stop::End) => return Ok(states),
                Err(stop) => return Err(stop),
            }
        }
        states.push(first);
        Ok(states)
    }

    /// Puts expressions in the place of variables in all values and cells.
    pub(super) fn replace_everywhere(&mut self, state: &mut State, with: &Substitution) {
        let mut done = FxHashMap::default();
        for number in 0..state.frames.len() {
            let mut frame = state.frames[number].clone();
            for value in frame.values.clone().iter() {
                let new = self.replaced(value.1, with, &mut done);
                if new != *value.1 {
                    frame.values.insert(*value.0, new);
                }
            }
            frame.varargs =
                frame.varargs.iter().map(|value| self.replaced(value, with, &mut done)).collect();
            state.frames.set(number, frame);
        }
        for number in 0..state.memory.len() as u32 {
            let Some(object) = state.memory.get(Instance(number)) else { continue };
            let mut new = object.clone();
            for (&offset, &cell) in &object.cells.clone() {
                let value = self.smt.pool.substitute_memo(cell.value, with, &mut done);
                if value != cell.value {
                    new.cells.insert(offset, Cell { value, ..cell });
                }
            }
            if let Some(chain) = &new.chain {
                let tail = self.smt.pool.substitute_memo(chain.tail, with, &mut done);
                new.chain = Some(Rc::new(Chain { tail, ..(**chain).clone() }));
            }
            if state.memory.get(Instance(number)) != Some(&new) {
                state.memory.put(Instance(number), new);
            }
        }
        state.memory.forget_reads();
    }

    fn replaced(
        &mut self,
        value: &Value,
        with: &Substitution,
        done: &mut FxHashMap<ExprId, ExprId>,
    ) -> Value {
        match value {
            Value::Bits(bits) => Value::Bits(self.smt.pool.substitute_memo(*bits, with, done)),
            Value::Parts(parts) => {
                Value::Parts(parts.iter().map(|part| self.replaced(part, with, done)).collect())
            }
        }
    }

    /// The object that a value is the address of, for sure, and the offset.
    pub(super) fn pointee(&mut self, value: ExprId) -> Option<(Instance, i64)> {
        let node = self.smt.pool.node(value);
        let (base, offset) = match node.op {
            Op::Var => (node, 0),
            Op::Add => {
                let (a, b) = (node.child(0), node.child(1));
                let (base, offset) = match (self.smt.pool.as_const(a), self.smt.pool.as_const(b)) {
                    (Some(offset), None) => (b, offset),
                    (None, Some(offset)) => (a, offset),
                    _ => return None,
                };
                (self.smt.pool.node(base), offset as i64)
            }
            _ => return None,
        };
        let instance = (base.op == Op::Var).then(|| self.instance_of(base.var())).flatten()?;
        Some((instance, offset))
    }
}

/// What is left of an object that nothing knows any more.
pub(super) fn gone(object: &Object) -> Object {
    let mut gone = Object { chain: None, ..object.clone() };
    gone.renew(super::memory::Life::Ended);
    gone
}
