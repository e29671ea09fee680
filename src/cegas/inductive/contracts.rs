//! Contracts: what recursive functions return and leave in memory, shown by induction over how deep calls nest.
//!
//! A contract names what a call is given and finds in some places of memory, what it returns and leaves in such places, what
//! must hold before, and what holds after a call that comes back. It is shown in a *context*: the state of the first call that
//! it is used for, with any numbers for what the contract names. The body is followed from there, once; calls inside
//! that are instances of the context are passed. Where the body ends, memory must be the context's but for the places
//! that are left, with nothing new in it, and what is promised must hold. A call is an instance if all that the function can
//! name is equal to the context's, or is a number that the contract names. Of functions that only compute
//! ([`crate::cegas::plain`]), memory is not compared.

use super::follow::Halt;
use super::{Checker, Reason, refused};
use crate::cegas::machine::Source;
use crate::cegas::memory::{Instance, Life, Object, Origin};
use crate::cegas::state::State;
use crate::cegas::value::Value;
use crate::cegas::written::{Contract, Spot};
use crate::ir::{Callee, FuncId, Inst, InstId};
use crate::smt::{ExprId, Op, VarId};
use rustc_hash::{FxHashMap, FxHashSet};

/// Contexts of all contracts together.
const MOST_CONTEXTS: usize = 40;

/// A contract in the state of the first call that it is used for.
#[derive(Clone)]
pub(super) struct Context {
    contract: usize,
    only_computes: bool,
    /// What held before that call; it is also about the rest of memory.
    holds: FxHashSet<ExprId>,
    /// The function has just been entered.
    general: State,
    /// What the contract's variables are in it.
    binding: Binding,
    finds: Vec<Place>,
    leaves: Vec<Place>,
}

/// Bytes of an object, and the contract's variable for what lies there.
#[derive(Clone, Copy)]
struct Place {
    instance: Instance,
    offset: u64,
    bytes: u32,
    var: ExprId,
}

type Binding = FxHashMap<VarId, ExprId>;

impl Checker<'_> {
    /// Goes on behind a call if a contract tells what it returns and leaves.
    pub(super) fn passes(
        &mut self,
        state: &mut State,
        at: InstId,
        func: FuncId,
    ) -> Result<bool, Halt> {
        if self.contracts.iter().all(|contract| contract.func != func)
            || !self.is_open(state, at)?
        {
            return Ok(false);
        }
        let mut inside = state.clone();
        if self.machine.enter(&mut inside, at, func).is_err() {
            return Ok(false);
        }
        for number in 0..self.contexts.len() {
            let context = self.contexts[number].clone();
            if self.contracts[context.contract].func != func {
                continue;
            }
            if let Some(binding) = self.instance(&context, &inside).map_err(Halt::Reason)? {
                self.pass(state, at, &context, binding)?;
                return Ok(true);
            }
        }
        for number in 0..self.contracts.len() {
            let is_of_call = self.contracts[number].func == func && self.speaks_of(number, at);
            if !is_of_call || self.contexts.len() >= MOST_CONTEXTS {
                continue;
            }
            let Some(context) = self.context(number, &inside) else { continue };
            if let Some(binding) = self.instance(&context, &inside).map_err(Halt::Reason)? {
                self.bodies.push((self.contexts.len(), context.general.clone()));
                self.contexts.push(context.clone());
                self.pass(state, at, &context, binding)?;
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Whether the call is to one function that is known, and what it is given or may find is open: else it ends by itself.
    fn is_open(&mut self, state: &mut State, at: InstId) -> Result<bool, Halt> {
        let program = self.machine.program;
        let Inst::Call { callee: Callee::Direct(func), args } = program.insts[at].inst else {
            return Ok(false);
        };
        let mut is_open = false;
        for &operand in program.operands(args) {
            let arg = self.machine.bits(state, operand)?;
            is_open |= self.machine.is_open_number(arg);
        }
        let only_computes = self.machine.plain(func).is_some();
        Ok(is_open || !only_computes && self.machine.has_open_numbers(state))
    }

    /// The context that the state of a call makes of a contract.
    fn context(&mut self, number: usize, inside: &State) -> Option<Context> {
        let contract = self.contracts[number].clone();
        let program = self.machine.program;
        let only_computes = self.machine.plain(contract.func).is_some();
        let mut general = inside.clone();
        let mut holds = FxHashSet::default();
        if only_computes {
            (general.assumed, general.deferred) = Default::default();
            // An array's element that is followed is still one of those that there are.
            general.assumed.extend(self.machine.ghost_index());
        } else {
            holds.extend(inside.conditions());
        }
        general.choices += 1;
        general.memory.forget_reads();
        if self.machine.has_ghosts() {
            general.last_read = Some(self.machine.fresh(&mut general, 1, Source::Widened));
        }
        let mut binding = Binding::default();
        for (param, given) in program.funcs[contract.func].params.iter().zip(&contract.given) {
            if let &Some(given) = given {
                let any = self.any(&mut general, given, &mut binding);
                general.set(param, Value::Bits(any));
            }
        }
        let finds = self.places(inside, &contract.finds)?;
        for place in &finds {
            let any = self.any(&mut general, place.var, &mut binding);
            self.put(&mut general, *place, any);
        }
        let leaves = self.places(inside, &contract.leaves)?;
        if only_computes && !(finds.is_empty() && leaves.is_empty()) {
            return None;
        }
        for &fact in &contract.before {
            let image = self.machine.smt.pool.substitute(fact, &binding);
            general.assumed.push_back(image);
        }
        let contract = number;
        Some(Context { contract, only_computes, holds, general, binding, finds, leaves })
    }

    /// Any number in the place of a contract's variable.
    fn any(&mut self, state: &mut State, var: ExprId, binding: &mut Binding) -> ExprId {
        let width = self.machine.smt.pool.width(var);
        let any = self.machine.fresh(state, width, Source::Widened);
        binding.insert(self.machine.smt.pool.node(var).var(), any);
        any
    }

    /// Where the places of a contract are; nothing if that is not clear.
    fn places(&mut self, state: &State, spots: &[Spot]) -> Option<Vec<Place>> {
        let mut places: Vec<Place> = Vec::new();
        for &Spot { origin, offset, bytes, var } in spots {
            let numbers = 0..state.memory.len() as u32;
            let is_there = |instance: &Instance| {
                let object = state.memory.get(*instance);
                object.is_some_and(|o| (o.origin, o.life) == (origin, Life::Live))
            };
            let mut found = numbers.map(Instance).filter(is_there);
            let (Some(instance), None) = (found.next(), found.next()) else { return None };
            let object = state.memory.get(instance)?;
            let size = u64::try_from(self.machine.smt.pool.as_const(object.size)?).ok()?;
            let end = offset.checked_add(u64::from(bytes)).filter(|end| *end <= size)?;
            let is_apart = |other: &Place| {
                other.instance != instance
                    || end <= other.offset
                    || other.offset + u64::from(other.bytes) <= offset
            };
            (object.chain.is_none() && places.iter().all(is_apart)).then_some(())?;
            places.push(Place { instance, offset, bytes, var });
        }
        Some(places)
    }

    fn put(&mut self, state: &mut State, place: Place, value: ExprId) {
        let Place { instance, offset, bytes, .. } = place;
        self.machine.write(state, instance, offset, u64::from(bytes), value);
    }

    /// What lies there, if it is a number.
    fn number_at(&mut self, state: &mut State, place: Place) -> Option<ExprId> {
        let Place { instance, offset, bytes, .. } = place;
        let value = self.machine.read(state, instance, offset, u64::from(bytes), false).ok()?;
        (!self.machine.speaks_of_addresses(value)).then_some(value)
    }

    /// What the contract's variables are in a call that has just begun, if it is an instance of the context.
    fn instance(&mut self, context: &Context, inside: &State) -> Result<Option<Binding>, Reason> {
        let contract = self.contracts[context.contract].clone();
        let Some(binding) = self.bound(context, &contract, inside) else { return Ok(None) };
        for &fact in &contract.before {
            let image = self.machine.smt.pool.substitute(fact, &binding);
            let not = self.machine.smt.pool.not(image);
            if !self.is_refuted(inside, not)? {
                return Ok(None);
            }
        }
        Ok(Some(binding))
    }

    fn bound(&mut self, context: &Context, contract: &Contract, inside: &State) -> Option<Binding> {
        let general = &context.general;
        let (ours, theirs) = (general.top()?, inside.top()?);
        let mut binding = Binding::default();
        let params = self.machine.program.funcs[contract.func].params.iter();
        for (param, given) in params.zip(&contract.given) {
            let (one, other) = (ours.values.get(&param)?, theirs.values.get(&param)?);
            match given {
                Some(given) => {
                    let value = other.bits().filter(|&v| !self.machine.speaks_of_addresses(v))?;
                    binding.insert(self.machine.smt.pool.node(*given).var(), value);
                }
                None => (one == other).then_some(())?,
            }
        }
        (theirs.locals.is_empty() && theirs.varargs.is_empty()).then_some(())?;
        if context.only_computes {
            return Some(binding);
        }
        let known: FxHashSet<ExprId> = inside.conditions().into_iter().collect();
        let is_same = context.holds.is_subset(&known) && general.is_alike_outside(inside);
        is_same.then_some(())?;
        let mut masked = inside.clone();
        for &place in &context.finds {
            let value = self.number_at(&mut masked, place)?;
            let var = self.machine.smt.pool.node(place.var).var();
            binding.insert(var, value);
            let any = *context.binding.get(&var)?;
            self.put(&mut masked, place, any);
        }
        let is_held =
            |object: &Object| object.life == Life::Live && matches!(object.origin, Origin::Heap(_));
        is_equal(general, &masked, is_held).then_some(binding)
    }

    /// Behind the call.
    fn pass(
        &mut self,
        state: &mut State,
        at: InstId,
        context: &Context,
        mut binding: Binding,
    ) -> Result<(), Halt> {
        // It may never come back.
        self.keeps_at_head(state).map_err(Halt::Reason)?;
        // What is lost where the program ends inside depends on who calls.
        self.loses |= !context.only_computes;
        let contract = self.contracts[context.contract].clone();
        for &place in &context.leaves {
            let any = self.any(state, place.var, &mut binding);
            self.put(state, place, any);
        }
        if let Some(value) = self.machine.program.insts[at].result.expand() {
            let ty = self.machine.program.values[value].ty;
            let result = self.machine.arbitrary(state, ty, Source::Widened)?;
            if let (Some(returns), Some(bits)) = (contract.returns, result.bits()) {
                binding.insert(self.machine.smt.pool.node(returns).var(), bits);
            }
            state.set(value, result);
        }
        if !context.only_computes {
            state.memory.forget_reads();
            state.choices += 1;
            if self.machine.has_ghosts() {
                state.last_read = Some(self.machine.fresh(state, 1, Source::Widened));
            }
        }
        for &fact in &contract.after {
            let image = self.machine.smt.pool.substitute(fact, &binding);
            self.machine.assume(state, image)?;
        }
        self.machine.advance(state)?;
        Ok(())
    }

    /// Whether a contract speaks of numbers that the call is given, finds, returns and leaves, and of nothing else.
    fn speaks_of(&self, number: usize, at: InstId) -> bool {
        let contract = &self.contracts[number];
        let (program, pool) = (self.machine.program, &self.machine.smt.pool);
        let params: Vec<_> = program.funcs[contract.func].params.iter().collect();
        let fits = |(param, given): (&crate::ir::ValueId, &Option<ExprId>)| {
            let ty = program.values[*param].ty;
            let is_number = !self.machine.is_pointer_type(ty);
            given.is_none_or(|var| {
                is_number && self.machine.scalar_bits(ty) == Some(pool.width(var))
            })
        };
        // A pointer that comes back would have to be that of an object.
        let result = program.insts[at].result.expand().map(|value| program.values[value].ty);
        let is_number = result.is_none_or(|ty| {
            let bits = self.machine.scalar_bits(ty).filter(|_| !self.machine.is_pointer_type(ty));
            bits.is_some() && contract.returns.is_none_or(|var| Some(pool.width(var)) == bits)
        });
        let of_spot = |spot: &Spot| (spot.var, 8 * spot.bytes);
        let spots = contract.finds.iter().chain(&contract.leaves).map(of_spot);
        let is_wide = |(var, bits): (ExprId, u32)| pool.width(var) == bits;
        let is_plain = contract.given.len() == params.len()
            && params.iter().zip(&contract.given).all(fits)
            && is_number
            && (result.is_some() || contract.returns.is_none())
            && spots.clone().all(is_wide);
        let before = contract.given.iter().flatten().copied();
        let before: Vec<ExprId> = before.chain(contract.finds.iter().map(|s| s.var)).collect();
        let mut all = before.clone();
        all.extend(contract.leaves.iter().map(|spot| spot.var).chain(contract.returns));
        if !is_plain || all.iter().any(|&e| pool.op(e) != Op::Var) {
            return false;
        }
        let is_known = |known: &[ExprId], facts: &[ExprId]| {
            let known: FxHashSet<VarId> = known.iter().map(|&e| pool.node(e).var()).collect();
            pool.free_vars(facts).iter().all(|var| known.contains(var))
        };
        let once: FxHashSet<ExprId> = all.iter().copied().collect();
        once.len() == all.len()
            && is_known(&before, &contract.before)
            && is_known(&all, &contract.after)
    }

    /// Whether what a contract says holds where its body has ended.
    pub(super) fn keeps_promise(&mut self, state: &State, number: usize) -> Result<(), Reason> {
        let context = self.contexts[number].clone();
        let Some(binding) = self.left(&context, state) else {
            return refused("a function leaves another memory than its contract says");
        };
        for fact in self.contracts[context.contract].after.clone() {
            let image = self.machine.smt.pool.substitute(fact, &binding);
            let not = self.machine.smt.pool.not(image);
            if !self.is_refuted(state, not)? {
                return refused("a contract does not hold where its function returns");
            }
        }
        Ok(())
    }

    /// What the contract's variables are where the body has ended.
    fn left(&mut self, context: &Context, state: &State) -> Option<Binding> {
        let mut binding = context.binding.clone();
        // The result lies in the caller, one instruction back.
        let frame = state.top()?;
        let at = InstId::from_u32(frame.at.as_u32().checked_sub(1)?);
        if let Some(value) = self.machine.program.insts[at].result.expand() {
            let result = frame.values.get(&value)?.bits()?;
            (!self.machine.speaks_of_addresses(result)).then_some(())?;
            if let Some(returns) = self.contracts[context.contract].returns {
                binding.insert(self.machine.smt.pool.node(returns).var(), result);
            }
        }
        if context.only_computes {
            return Some(binding);
        }
        let (mut masked, mut general) = (state.clone(), context.general.clone());
        for &place in &context.leaves {
            let value = self.number_at(&mut masked, place)?;
            binding.insert(self.machine.smt.pool.node(place.var).var(), value);
            // Whatever was there before: it is not compared.
            for state in [&mut masked, &mut general] {
                self.put(state, place, place.var);
            }
        }
        let is_alike = context.general.is_alike_outside(state);
        let is_live = |object: &Object| object.life == Life::Live;
        (is_alike && is_equal(&general, &masked, is_live)).then_some(binding)
    }
}

/// Whether memory is the same, and nothing that counts is new in the other.
fn is_equal(one: &State, other: &State, counts: impl Fn(&Object) -> bool) -> bool {
    let known = one.memory.len() as u32;
    let same = |number| one.memory.get(Instance(number)) == other.memory.get(Instance(number));
    let is_new = |number| other.memory.get(Instance(number)).is_some_and(&counts);
    (0..known).all(same) && !(known..other.memory.len() as u32).any(is_new)
}
