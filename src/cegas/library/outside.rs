//! Functions nobody knows: any result, and whatever they can reach may be changed.
//!
//! What it really does is not arbitrary, so whatever depends on its result or on what it may have changed is in
//! doubt, unless all it does is to return some number. Whether it comes back at all is not known, either, so the
//! whole path goes on in doubt, unless every execution comes to the call (what follows would be dead code otherwise) or the user
//! says what it does ([`FuncAttrs`](crate::ir::FuncAttrs)). It may keep what it is given, and change it again when the
//! next such function is called. It is assumed to free nothing, to call back no function but those whose address is one of its arguments (then
//! the path leaves the model), and to change no variable of the program that neither it nor another one was given.

use crate::cegas::machine::{Inputs, Machine, Source, Step, gap, object};
use crate::cegas::memory::{Background, Instance, Life, Origin};
use crate::cegas::persistent::OrdMap;
use crate::cegas::state::State;
use crate::cegas::value::Value;
use crate::ir::{FuncId, InstId, List, Operand, TypeId};
use crate::library::summaries;
use crate::smt::{ExprId, Op};
use std::collections::BTreeSet;

/// Why something is in doubt behind a call of the function.
pub(in crate::cegas) fn what_it_does(name: &str) -> String {
    format!("what `{name}` does, which has no body")
}

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
        let is_scalar = result.is_none_or(|ty| self.scalar_bits(ty).is_some());
        let is_described = attrs.args_only && is_scalar;
        if let (false, Some(func)) = (is_described, self.handed_over(state, &reached)) {
            let given = &self.program.funcs[func].name;
            return gap(format!("`{name}`, which is given `{given}` and may call it"));
        }
        // Of what the system has, everybody knows that it does not give just any number.
        let is_of_system = summaries::effects(name).is_some();
        let is_input = self.program.operands(args).is_empty() && is_number && !is_of_system;
        // An execution with drawn inputs has made its choices unseen.
        let is_drawn =
            self.replay.as_ref().is_some_and(|replay| matches!(replay.inputs, Inputs::Drawn(_)));
        let is_trusted = state.choices == 0 && is_scalar && !is_drawn;
        if !is_described && !is_input {
            match is_trusted {
                true if state.trusted.contains(&func) => {}
                true => state.trusted.push_back(func),
                false => state.doubt(&what_it_does(name)),
            }
            reached.extend(state.exposed.iter());
            reached.extend(self.outside_variables(state));
        }
        self.change_all(state, reached)?;
        match result {
            Some(ty) if is_input && !is_described => {
                Ok(Some(self.arbitrary(state, ty, Source::Input)?))
            }
            _ => self.described_result(state, func, result),
        }
    }

    /// A function of the program among these objects.
    fn handed_over(&self, state: &State, reached: &BTreeSet<Instance>) -> Option<FuncId> {
        let origins =
            reached.iter().filter_map(|&instance| Some(state.memory.get(instance)?.origin));
        origins.into_iter().find_map(|origin| match origin {
            Origin::Func(func) if !self.program.funcs[func].blocks.is_empty() => Some(func),
            _ => None,
        })
    }

    /// The variables that are defined outside the program.
    fn outside_variables(&self, state: &State) -> Vec<Instance> {
        let globals = self.program.globals.iter().filter(|(_, global)| global.init.is_none());
        let instances = globals.map(|(id, _)| self.global_instance(id));
        let is_changed = |instance: &Instance| {
            state.memory.get(*instance).is_some_and(|object| !object.cells.is_empty())
        };
        instances.filter(is_changed).collect()
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
    pub(super) fn change_all(
        &mut self,
        state: &mut State,
        mut reached: BTreeSet<Instance>,
    ) -> Step<()> {
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
            state.exposed.insert(instance);
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
    pub(super) fn mentioned(&mut self, value: ExprId, into: &mut BTreeSet<Instance>) {
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
