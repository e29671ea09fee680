//! Functions nobody knows: any result, and whatever they can reach may be changed.
//!
//! What it really does is not arbitrary, so the path goes on in doubt, unless all it does is to return some
//! number, or the user says what it does ([`FuncAttrs`](crate::ir::FuncAttrs)): then only its result is in doubt. It is assumed to free nothing, to
//! keep no pointer, to call nothing back, and to change no variable that it is not given.

use crate::cegas::machine::{Machine, Source, Step, gap, object};
use crate::cegas::memory::{Background, Instance, Life, Origin};
use crate::cegas::persistent::OrdMap;
use crate::cegas::state::State;
use crate::cegas::value::Value;
use crate::ir::{FuncId, InstId, List, Operand, TypeId};
use crate::smt::{ExprId, Op};
use std::collections::BTreeSet;

impl Machine<'_> {
    pub(super) fn unknown_function(
        &mut self,
        state: &mut State,
        func: FuncId,
        args: List<Operand>,
        result: Option<TypeId>,
    ) -> Step<Option<Value>> {
        let (name, attrs) = (&self.program.funcs[func].name, self.program.funcs[func].attrs);
        if attrs.readnone {
            return self.described_result(state, func, result);
        }
        let mut reached = BTreeSet::new();
        for &arg in self.program.operands(args) {
            match self.operand(state, arg)? {
                Value::Bits(bits) => self.mentioned(bits, &mut reached),
                Value::Parts(_) => return gap(format!("`{name}`, which is given a struct")),
            }
        }
        // What is given nothing and returns a number is an input.
        let is_number =
            result.is_some_and(|ty| self.scalar_bits(ty).is_some() && !self.is_pointer_type(ty));
        let is_described =
            attrs.args_only && result.is_none_or(|ty| self.scalar_bits(ty).is_some());
        if (!self.program.operands(args).is_empty() || !is_number) && !is_described {
            state.doubt(&format!("what `{name}` does, which has no body"));
        }
        self.change_all(state, reached)?;
        if is_described {
            return self.described_result(state, func, result);
        }
        match result {
            Some(ty) => Ok(Some(self.arbitrary(state, ty, Source::Input)?)),
            None => Ok(None),
        }
    }

    /// What a function returns of which only that is not known.
    fn described_result(
        &mut self,
        state: &mut State,
        func: FuncId,
        result: Option<TypeId>,
    ) -> Step<Option<Value>> {
        let Some(ty) = result else { return Ok(None) };
        let value = self.arbitrary(state, ty, Source::Input)?;
        let mut scalars = Vec::new();
        value.scalars(&mut scalars);
        state.uncertain.extend(self.smt.pool.free_vars(&scalars));
        if self.program.funcs[func].attrs.returns_nonnull
            && self.is_pointer_type(ty)
            && let [pointer] = scalars[..]
        {
            let null = self.pointer_const(0);
            let exists = self.smt.pool.ne(pointer, null);
            self.assume(state, exists)?;
        }
        Ok(Some(value))
    }

    /// Everything reachable from these objects holds something else now.
    fn change_all(&mut self, state: &mut State, mut reached: BTreeSet<Instance>) -> Step<()> {
        let mut waiting: Vec<Instance> = reached.iter().copied().collect();
        while let Some(instance) = waiting.pop() {
            let Some(object) = state.memory.get(instance) else { continue };
            if object.chain.is_some() {
                return gap("a list given to a function without a body");
            }
            let held: Vec<ExprId> = object.cells.values().map(|cell| cell.value).collect();
            if let Background::Init(_) = object.background
                && self.holds_pointers(state, instance)
            {
                return gap("a table of pointers given to a function without a body");
            }
            let mut more = BTreeSet::new();
            held.into_iter().for_each(|value| self.mentioned(value, &mut more));
            waiting.extend(more.into_iter().filter(|&next| reached.insert(next)));
        }
        for instance in reached {
            let Some(object) = state.memory.get(instance) else { continue };
            let is_fixed = match object.origin {
                Origin::Global(global) => self.program.globals[global].constant,
                Origin::Func(_) => true,
                Origin::Local(_) | Origin::Heap(_) | Origin::Varargs(_) => false,
                Origin::Argument | Origin::Given(_) => false,
            };
            if is_fixed || object.life != Life::Live {
                continue;
            }
            if let Some(object) = state.memory.get_mut(instance) {
                object.cells = OrdMap::new();
                object.background = Background::Outside;
            }
        }
        Ok(())
    }

    /// Whether the initialiser of a global has addresses in it.
    fn holds_pointers(&self, state: &State, instance: Instance) -> bool {
        let origin = state.memory.get(instance).map(|object| object.origin);
        let Some(Origin::Global(global)) = origin else { return false };
        self.program.globals[global].init.as_ref().is_some_and(|init| !init.relocs.is_empty())
    }

    /// The objects whose addresses occur in a value.
    fn mentioned(&mut self, value: ExprId, into: &mut BTreeSet<Instance>) {
        if !self.speaks_of_addresses(value) {
            return;
        }
        for e in self.smt.pool.reachable(&[value]) {
            let node = self.smt.pool.node(e);
            if node.op == Op::Var {
                into.extend(self.instance_of(node.var()));
            }
        }
    }

    /// `alloca`: memory that ends with the function that asked for it.
    pub(super) fn local(&mut self, state: &mut State, at: InstId, size: ExprId) -> Value {
        let size = self.smt.pool.resize(size, self.pointer_bits, false);
        let instance = state.memory.push(object(Origin::Local(at), size, Background::Uninit));
        if let Some(frame) = state.top_mut() {
            frame.locals.push_back(instance);
        }
        Value::Bits(self.address(instance))
    }
}
