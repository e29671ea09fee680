//! Calls tabulated by entry state. A call is entered in the state that its function can name: its arguments, the globals,
//! and what explicit addresses lead to from there, under numbers of their own. All callers that come in the same such state
//! share one exploration of it; where that returns is a row, and each caller goes on from each row. So a
//! recursion that comes back to its own entry state is one call that waits for itself: if no execution of it returns, it has
//! no row, and nobody goes on.
//!
//! Invariant: a row holds for whoever enters in that state. What a caller has and the callee cannot name is
//! as it was, unless the callee wrote through an address that is not explicit and may lead there: then it is ⊤.

use super::arg::NodeId;
use super::model::Model;
use crate::cegas::machine::Step;
use crate::cegas::memory::{Instance, Memory, Object, Origin};
use crate::cegas::persistent::{HashMap, OrdMap, Vector};
use crate::cegas::state::{Entry, Frame, State};
use crate::cegas::value::Value;
use crate::ir::FuncId;
use crate::library;
use crate::pta::ObjectKind;
use cranelift_entity::{PrimaryMap, entity_impl};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct ContextId(u32);
entity_impl!(ContextId, "c");

/// One function in one entry state.
pub(super) struct Context {
    pub func: FuncId,
    entry: State,
    /// The node whose call was the first to come here, of those that are still there.
    pub caller: Option<NodeId>,
    /// How many objects there are at the entry: their numbers mean something to callers.
    pub passed: usize,
    exits: Vec<Rc<Exit>>,
    waiting: Vec<Rc<Waiting>>,
}

/// Where a call returned: a row.
pub(super) struct Exit {
    pub node: NodeId,
    state: State,
    value: Option<Value>,
    pub written: Rc<Written>,
}

/// A call that goes on from each row.
pub(super) struct Waiting {
    pub node: NodeId,
    /// Behind the call, the callee's frame on top.
    state: State,
    /// The caller's number of each object at the entry.
    passed: Vec<Instance>,
    /// Since the caller itself was entered.
    pub written: Rc<Written>,
}

/// A way to go on from a call: whose, from which row.
pub(super) type Resumed = (Rc<Waiting>, Rc<Exit>);

/// What a call comes to.
pub(super) enum Entered {
    /// Nobody was here in this state: it is to be explored from there.
    New(ContextId, Box<State>),
    /// It goes on from the rows that are known, and from those to come.
    Known(Vec<Resumed>),
}

#[derive(Default)]
pub(super) struct Table {
    contexts: PrimaryMap<ContextId, Context>,
    of_func: BTreeMap<FuncId, Vec<ContextId>>,
}

impl Table {
    pub fn is_empty(&self) -> bool {
        self.contexts.is_empty()
    }

    pub fn get(&self, context: ContextId) -> &Context {
        &self.contexts[context]
    }

    /// A call of `func` from `node`; `state` is behind it, `entry` what the callee can name, `passed` whose it is.
    pub fn enter(
        &mut self,
        func: FuncId,
        node: NodeId,
        state: State,
        (entry, passed): (State, Vec<Instance>),
        written: Rc<Written>,
    ) -> Entered {
        let count = passed.len();
        let waiting = Rc::new(Waiting { node, state, passed, written });
        let known = self.of_func.entry(func).or_default();
        let same = |id: &&ContextId| is_same(&self.contexts[**id].entry, &entry);
        if let Some(&context) = known.iter().find(same) {
            let context = &mut self.contexts[context];
            context.caller.get_or_insert(node);
            context.waiting.push(Rc::clone(&waiting));
            let rows = context.exits.iter().map(|exit| (Rc::clone(&waiting), Rc::clone(exit)));
            return Entered::Known(rows.collect());
        }
        let context = self.contexts.push(Context {
            func,
            entry: entry.clone(),
            caller: Some(node),
            passed: count,
            exits: Vec::new(),
            waiting: vec![waiting],
        });
        known.push(context);
        Entered::New(context, Box::new(entry))
    }

    /// The nodes that wait for `context` to return.
    pub fn waiting(&self, context: ContextId) -> impl Iterator<Item = NodeId> + '_ {
        self.contexts[context].waiting.iter().map(|waiting| waiting.node)
    }

    /// Forgets all calls but those that stay; nodes that are gone wait for nothing.
    pub fn keep(&mut self, stay: &BTreeSet<ContextId>, is_gone: impl Fn(NodeId) -> bool) {
        for (id, context) in self.contexts.iter_mut() {
            if stay.contains(&id) {
                context.waiting.retain(|waiting| !is_gone(waiting.node));
                context.caller = context.caller.filter(|&caller| !is_gone(caller));
            } else {
                // What is gone should take no memory.
                (context.exits, context.waiting) = (Vec::new(), Vec::new());
            }
        }
        self.of_func.values_mut().for_each(|known| known.retain(|id| stay.contains(id)));
    }

    /// An execution of `context` returns: those that wait for it, unless the row is an old one.
    pub fn exit(
        &mut self,
        context: ContextId,
        node: NodeId,
        state: State,
        value: Option<Value>,
        written: Rc<Written>,
    ) -> Vec<Resumed> {
        let context = &mut self.contexts[context];
        let is_old = |exit: &Rc<Exit>| {
            exit.value == value && written.is_within(&exit.written) && is_same(&exit.state, &state)
        };
        if context.exits.iter().any(is_old) {
            return Vec::new();
        }
        let exit = Rc::new(Exit { node, state, value, written });
        context.exits.push(Rc::clone(&exit));
        context.waiting.iter().map(|waiting| (Rc::clone(waiting), Rc::clone(&exit))).collect()
    }
}

/// Whether both say the same of values and memory.
fn is_same(a: &State, b: &State) -> bool {
    let same_frame = |(a, b): (&Frame, &Frame)| {
        a.func == b.func && a.at == b.at && a.values == b.values && a.locals == b.locals
    };
    a.frames.len() == b.frames.len()
        && a.pending == b.pending
        && a.closing == b.closing
        && a.frames.iter().zip(b.frames.iter()).all(same_frame)
        && a.memory.len() == b.memory.len()
        && (0..a.memory.len() as u32)
            .map(Instance)
            .all(|instance| a.memory.get(instance) == b.memory.get(instance))
}

impl Model<'_> {
    /// Whether calls of it are tabulated. Inside models of library functions, the calls below say whose an allocation is.
    pub fn is_tabulated(&self, func: FuncId) -> bool {
        let program = self.machine.program;
        self.tabulates && !program.funcs[func].variadic && !library::is_model(program, func)
    }

    /// What the function that was just entered can name, under its own numbers, and the number here of each of its objects.
    pub fn restricted(&mut self, state: &State) -> Option<(State, Vec<Instance>)> {
        let top = state.top()?;
        let mut reached: BTreeSet<Instance> = BTreeSet::new();
        let mut open: Vec<Instance> = Vec::new();
        for value in top.values.values() {
            self.names_in(value, &mut open);
        }
        for number in 0..state.memory.len() as u32 {
            let origin = state.memory.get(Instance(number))?.origin;
            if matches!(origin, Origin::Global(_) | Origin::Func(_)) {
                open.push(Instance(number));
            }
        }
        while let Some(instance) = open.pop() {
            if reached.insert(instance)
                && let Some(object) = state.memory.get(instance)
            {
                for cell in object.cells.values() {
                    open.extend(self.pointed(cell.value).map(|(instance, _)| instance));
                }
            }
        }
        let passed: Vec<Instance> = reached.into_iter().collect();
        let mut to = vec![None; state.memory.len()];
        for (number, instance) in passed.iter().enumerate() {
            to[instance.0 as usize] = Some(Instance(number as u32));
        }
        let mut own = State::new(Memory::default(), state.pending.clone(), state.closing.clone());
        for &instance in &passed {
            let object = self.renamed_object(state.memory.get(instance)?, &to)?;
            own.memory.push(object);
        }
        let mut frame = self.renamed_frame(top, &to)?;
        // One entry state, whoever calls; that it was called at all says that it returns to somebody.
        frame.call = Some(frame.at);
        // The machine looks there for calls that repeat themselves, which the table does better.
        let nothing = Entry { args: Vec::new(), memory: Memory::default(), choices: u32::MAX };
        frame.entry = Rc::new(nothing);
        own.frames.push_back(frame);
        Some((own, passed))
    }

    /// A state from which a function returns, as a row has it.
    pub fn row(&mut self, mut state: State, value: Option<Value>) -> (State, Option<Value>) {
        self.abstraction(&mut state, None);
        for number in 0..state.memory.len() as u32 {
            let Some(object) = state.memory.get(Instance(number)) else { continue };
            let open: Vec<u64> = object
                .cells
                .iter()
                .filter(|(_, cell)| !self.is_explicit(cell.value))
                .map(|(&offset, _)| offset)
                .collect();
            if open.is_empty() {
                continue;
            }
            // One name for ⊤, so that rows can be compared.
            let mut cells = object.cells.clone();
            for offset in open {
                let Some(&(mut cell)) = cells.get(&offset) else { continue };
                let sort = crate::smt::Sort::Bits(cell.bytes * 8);
                cell.value = self.machine.smt.pool.var("any cell of a row", sort);
                cells.insert(offset, cell);
            }
            if let Some(object) = state.memory.get_mut(Instance(number)) {
                object.cells = cells;
            }
        }
        let value = value.filter(|value| self.is_explicit_value(value));
        (state, value)
    }

    /// The caller's state behind a call that returned as the row says.
    pub fn resumed(&mut self, waiting: &Waiting, exit: &Exit) -> Step<Option<State>> {
        let mut state = waiting.state.clone();
        let Some(callee) = state.frames.pop_back() else { return Ok(None) };
        let before = state.memory.len();
        let passed: BTreeSet<Instance> = waiting.passed.iter().copied().collect();
        for instance in (0..before as u32).map(Instance).filter(|i| !passed.contains(i)) {
            let origin = state.memory.get(instance).map(|object| object.origin);
            if origin.is_some_and(|origin| exit.written.meets(self, origin)) {
                self.forget(&mut state, instance);
            }
        }
        let made = exit.state.memory.len().saturating_sub(waiting.passed.len());
        let new = (0..made).map(|number| Instance((before + number) as u32));
        let to: Vec<Option<Instance>> =
            waiting.passed.iter().copied().chain(new).map(Some).collect();
        for (number, place) in to.iter().enumerate() {
            let object = exit.state.memory.get(Instance(number as u32));
            let object = object.and_then(|object| self.renamed_object(object, &to));
            let (Some(object), Some(place)) = (object, *place) else { return Ok(None) };
            if (place.0 as usize) < before {
                state.memory.put(place, object);
            } else {
                state.memory.push(object);
            }
        }
        let frame = exit.state.top().and_then(|frame| self.renamed_frame(frame, &to));
        let Some(mut frame) = frame else { return Ok(None) };
        frame.call = callee.call;
        frame.entry = callee.entry;
        state.frames.push_back(frame);
        state.pending = exit.state.pending.clone();
        state.closing = exit.state.closing.clone();
        let value = exit.value.as_ref().and_then(|value| self.renamed(value, &to));
        self.machine.leave(&mut state, value)?;
        Ok(Some(state))
    }

    fn names_in(&mut self, value: &Value, into: &mut Vec<Instance>) {
        match value {
            Value::Bits(bits) => into.extend(self.pointed(*bits).map(|(instance, _)| instance)),
            Value::Parts(parts) => parts.iter().for_each(|part| self.names_in(part, into)),
        }
    }

    /// The same value with the other numbers. Nothing if it names an object that has none.
    fn renamed(&mut self, value: &Value, to: &[Option<Instance>]) -> Option<Value> {
        match value {
            Value::Bits(bits) => {
                let Some((instance, offset)) = self.pointed(*bits) else {
                    return Some(value.clone());
                };
                let address = self.machine.address(*to.get(instance.0 as usize)?.as_ref()?);
                let pool = &mut self.machine.smt.pool;
                let width = pool.width(address);
                let offset = pool.constant(u128::from(offset), width);
                Some(Value::Bits(pool.add(address, offset)))
            }
            Value::Parts(parts) => {
                let parts = parts.iter().map(|part| self.renamed(part, to));
                Some(Value::Parts(parts.collect::<Option<_>>()?))
            }
        }
    }

    fn renamed_object(&mut self, object: &Object, to: &[Option<Instance>]) -> Option<Object> {
        let mut cells = OrdMap::new();
        for (&offset, &(mut cell)) in &object.cells {
            let Value::Bits(value) = self.renamed(&Value::Bits(cell.value), to)? else {
                return None;
            };
            cell.value = value;
            cells.insert(offset, cell);
        }
        Some(Object { cells, ..object.clone() })
    }

    fn renamed_frame(&mut self, frame: &Frame, to: &[Option<Instance>]) -> Option<Frame> {
        let mut values = HashMap::new();
        for (&id, value) in &frame.values {
            values.insert(id, self.renamed(value, to)?);
        }
        let local = |instance: &Instance| to.get(instance.0 as usize).copied().flatten();
        let locals: Vector<_> = frame.locals.iter().map(local).collect::<Option<_>>()?;
        Some(Frame { values, locals, ..frame.clone() })
    }
}

/// What was written through addresses that are not explicit: it may be anywhere that Andersen's analysis says.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Written {
    kinds: BTreeSet<ObjectKind>,
    all: bool,
}

impl Written {
    pub fn add(&mut self, kinds: &BTreeSet<ObjectKind>) {
        self.kinds.extend(kinds.iter().copied());
    }

    pub fn add_all(&mut self) {
        self.all = true;
    }

    pub fn join(&mut self, other: &Written) {
        self.add(&other.kinds);
        self.all |= other.all;
    }

    pub fn is_within(&self, other: &Written) -> bool {
        other.all || !self.all && self.kinds.is_subset(&other.kinds)
    }

    fn meets(&self, model: &Model<'_>, origin: Origin) -> bool {
        self.all || model.may_be(&self.kinds, origin)
    }
}
