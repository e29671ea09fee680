//! Lists are found and folded: what nothing reads any more is forgotten, and a node whose address only the node
//! before it knows is folded with that one into a list ([`super::chain`]).
//!
//! Invariant: a state is covered by what it is folded to. The nodes have the same size and the link at the same
//! place; a value that they do not share becomes a placeholder, unless it is an address, which nothing else could
//! stand for; a fact is kept if the solver shows it of both sides.

use super::chain::{Substitution, gone};
use super::cover::Prover;
use super::machine::Machine;
use super::memory::{Background, Cell, Chain, Instance, Life, Object, Origin};
use super::state::State;
use super::value::Value;
use crate::cegas::persistent::{HashMap, OrdMap};
use crate::ir::{InstId, ValueId};
use crate::smt::{Answer, ExprId, Limits, VarId};
use rustc_hash::FxHashSet;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// The size of nodes, and where the link lies in them.
pub(super) type Class = (ExprId, u64);

/// Facts kept about a node.
const MOST_FACTS: usize = 40;

/// Guesses about nodes, and how many are combined two by two.
const MOST_GUESSES: usize = 200;
const MOST_PARTS: usize = 16;

/// One side of what is folded: the cells of a node, and what holds of them.
pub(super) struct Side {
    pub cells: OrdMap<u64, Cell>,
    pub holds: Vec<ExprId>,
}

impl Prover<'_, '_, '_> {
    /// Forgets values that nothing reads any more.
    pub(super) fn forget_values(&mut self, state: &mut State) {
        let top = state.frames.len().saturating_sub(1);
        for depth in 0..state.frames.len() {
            let mut frame = state.frames[depth].clone();
            let next = if depth < top { InstId::from_u32(frame.at.as_u32() + 1) } else { frame.at };
            let program = self.machine.program;
            let live = self.liveness(frame.func).at(program, frame.block, next);
            let known = |id: &ValueId| Some((*id, frame.values.get(id)?.clone()));
            let values: HashMap<ValueId, Value> = live.iter().filter_map(known).collect();
            frame.values = values;
            state.frames.set(depth, frame);
        }
    }

    /// Forgets values that nothing reads any more, and allocated objects that nothing reaches.
    fn trim(&mut self, state: &mut State) {
        self.forget_values(state);
        let known = self.machine.known_addresses(state);
        for number in 0..state.memory.len() as u32 {
            let instance = Instance(number);
            let Some(object) = state.memory.get(instance) else { continue };
            if matches!(object.origin, Origin::Heap(_))
                && !known.contains_key(&instance)
                && object.life != Life::Ended
            {
                self.loses |= object.life == Life::Live;
                let object = gone(object);
                state.memory.put(instance, object);
            }
        }
    }

    /// Folds all lists of the state, and learns of their kinds.
    pub(super) fn fold_lists(&mut self, state: &mut State) {
        self.trim(state);
        self.learn_links(state);
        let classes = self.classes.clone();
        self.fold(state, &classes);
    }

    /// Folds every list of these kinds.
    fn fold(&mut self, state: &mut State, classes: &BTreeSet<Class>) {
        while let Some((first, second, link)) = self.foldable(state, classes) {
            let (Some(a), Some(b)) = (state.memory.get(first), state.memory.get(second)) else {
                return;
            };
            let (a, b) = (a.clone(), b.clone());
            let Some(tail) = next(&b, link) else { return };
            let is_empty = |object: &Object| object.chain.as_ref().is_some_and(|c| c.may_be_empty);
            let may_be_empty = is_empty(&a) && is_empty(&b);
            let (one, other) = (side(state, &a, link), side(state, &b, link));
            let guesses = self.guesses(&a, &b);
            let limits = self.limits();
            let Some((cells, facts)) =
                self.machine.common_node(&[one, other], &guesses, u32::MAX, &limits)
            else {
                return;
            };
            let chain = Chain { link, tail, may_be_empty, facts };
            let background = a.background;
            let folded = Object { cells, background, chain: Some(Rc::new(chain)), ..a };
            state.memory.put(first, folded);
            state.memory.put(second, gone(&b));
        }
    }

    /// What may hold of all nodes: what holds of those of either list, and what was missed before.
    pub(super) fn guesses(&mut self, a: &Object, b: &Object) -> Vec<ExprId> {
        let facts = |object: &Object| {
            object.chain.as_ref().map(|chain| chain.facts.clone()).unwrap_or_default()
        };
        let mut all = facts(a);
        all.extend(facts(b));
        all.extend(self.node_guesses.iter().copied());
        all
    }

    /// Guesses about nodes from conditions that were in the way of a proof.
    pub(super) fn guess_of_nodes(&mut self, conditions: &[ExprId]) {
        let nodes = self.machine.nodes.clone();
        let places = nodes.values().map(|&place| self.machine.smt.pool.node(place).var());
        let places: FxHashSet<VarId> = places.collect();
        let pool = &mut self.machine.smt.pool;
        let said: Vec<ExprId> = conditions.iter().map(|&e| pool.substitute(e, &nodes)).collect();
        let mut guesses = self.machine.said_in(&said, &places, |_, _| true);
        // What led to the violation does not come together.
        let own = self.machine.own(said, &places, |_, _| true);
        let parts = guesses.iter().copied().chain(own).take(MOST_PARTS).collect::<Vec<_>>();
        for (i, &one) in parts.iter().enumerate() {
            for &other in &parts[..i] {
                let both = self.machine.smt.pool.and(one, other);
                guesses.push(self.machine.smt.pool.not(both));
            }
        }
        for guess in guesses {
            if self.node_guesses.len() < MOST_GUESSES && !self.node_guesses.contains(&guess) {
                self.node_guesses.push(guess);
            }
        }
    }

    /// Two nodes, or lists, that can be folded, and the link.
    fn foldable(
        &mut self,
        state: &State,
        classes: &BTreeSet<Class>,
    ) -> Option<(Instance, Instance, u64)> {
        let known = self.machine.known_addresses(state);
        for number in 0..state.memory.len() as u32 {
            let first = Instance(number);
            let Some(a) = state.memory.get(first).filter(|object| is_node(object)) else {
                continue;
            };
            for &(size, link) in classes {
                if a.size != size {
                    continue;
                }
                let Some(to) = next(a, link) else { continue };
                let Some((second, 0)) = self.machine.pointee(to) else { continue };
                let Some(b) = state.memory.get(second).filter(|object| is_node(object)) else {
                    continue;
                };
                let tail = next(b, link).map(|tail| self.machine.smt.pool.width(tail));
                if second == first
                    || b.size != size
                    || (a.background, b.background) != (Background::Uninit, Background::Uninit)
                    || tail != Some(self.machine.pointer_bits)
                    || known.get(&second) != Some(&1)
                    || self.machine.stride(state, first).is_some()
                    || self.machine.stride(state, second).is_some()
                {
                    continue;
                }
                let is_known = self.keeps_known && self.machine.are_told_apart(a, b, link);
                let (one, other) = (side(state, a, link), side(state, b, link));
                if !is_known
                    && self.machine.has_common_node(&one, &other)
                    && !(self.keeps_known && self.never_hold_the_same(&one, &other))
                {
                    return Some((first, second, link));
                }
            }
        }
        None
    }

    /// Whether one of two nodes holds a constant where the other holds something, but never that.
    fn never_hold_the_same(&mut self, one: &Side, other: &Side) -> bool {
        let limits = self.limits();
        one.cells.iter().any(|(offset, a)| {
            let Some(b) = other.cells.get(offset).filter(|b| b.bytes == a.bytes) else {
                return false;
            };
            let pool = &mut self.machine.smt.pool;
            let holds = match (pool.as_const(a.value), pool.as_const(b.value)) {
                (Some(_), None) => &other.holds,
                (None, Some(_)) => &one.holds,
                _ => return false,
            };
            let mut question = holds.clone();
            question.push(pool.eq(a.value, b.value));
            matches!(self.machine.smt.check(&question, &limits), Answer::Unsat(_))
        })
    }

    /// Learns what lists there are from a state.
    fn learn_links(&mut self, state: &State) {
        for number in 0..state.memory.len() as u32 {
            let Some(a) = state.memory.get(Instance(number)).filter(|o| is_node(o)) else {
                continue;
            };
            for (&offset, cell) in &a.cells {
                if let Some((to, 0)) = self.machine.pointee(cell.value)
                    && to != Instance(number)
                    && state.memory.get(to).is_some_and(|b| is_node(b) && b.size == a.size)
                {
                    self.classes.insert((a.size, offset));
                }
            }
        }
    }
}

impl Machine<'_> {
    /// Whether two nodes, or lists, are both known too well to be made one.
    fn are_told_apart(&self, a: &Object, b: &Object, link: u64) -> bool {
        self.is_all_known(a, link) && self.is_all_known(b, link) || self.holds_other_constants(a, b)
    }

    /// Whether everything that a plain node holds but for the link is a constant.
    fn is_all_known(&self, node: &Object, link: u64) -> bool {
        let mut cells = node.cells.iter().filter(|&(&offset, _)| offset != link);
        node.chain.is_none() && cells.all(|(_, cell)| self.smt.pool.as_const(cell.value).is_some())
    }

    /// Whether two objects hold different constants at one place.
    pub(super) fn holds_other_constants(&self, a: &Object, b: &Object) -> bool {
        let known = |cell: &Cell| Some((cell.bytes, self.smt.pool.as_const(cell.value)?));
        let differs = |(offset, cell): (&u64, &Cell)| {
            let pair = known(cell).zip(b.cells.get(offset).and_then(known));
            pair.is_some_and(|(one, other)| one != other)
        };
        a.cells.iter().any(differs)
    }

    /// How many values and cells know the address of each object.
    pub(super) fn known_addresses(&mut self, state: &State) -> BTreeMap<Instance, u32> {
        let mut known: BTreeMap<Instance, u32> = BTreeMap::new();
        let mut reached: Vec<Instance> = Vec::new();
        let mut values: Vec<ExprId> = Vec::new();
        for frame in &state.frames {
            frame.values.values().for_each(|value| value.scalars(&mut values));
            frame.varargs.iter().for_each(|value| value.scalars(&mut values));
        }
        for number in 0..state.memory.len() as u32 {
            let Some(object) = state.memory.get(Instance(number)) else { continue };
            if !matches!(object.origin, Origin::Heap(_)) && object.life != Life::Ended {
                values.extend(object.cells.values().map(|cell| cell.value));
            }
        }
        loop {
            for value in values.drain(..) {
                if !self.speaks_of_addresses(value) {
                    continue;
                }
                for var in self.smt.pool.free_vars(&[value]) {
                    let Some(instance) = self.instance_of(var) else { continue };
                    let count = known.entry(instance).or_insert(0);
                    *count += 1;
                    if *count == 1 {
                        reached.push(instance);
                    }
                }
            }
            let Some(instance) = reached.pop() else { return known };
            let Some(object) = state.memory.get(instance) else { continue };
            if matches!(object.origin, Origin::Heap(_)) {
                values.extend(object.cells.values().map(|cell| cell.value));
                values.extend(object.chain.as_ref().map(|chain| chain.tail));
            }
        }
    }

    /// Whether two nodes differ only in what a placeholder can stand for.
    pub(super) fn has_common_node(&mut self, one: &Side, other: &Side) -> bool {
        let offsets: BTreeSet<u64> = one.cells.keys().chain(other.cells.keys()).copied().collect();
        offsets.into_iter().all(|offset| match (one.cells.get(&offset), other.cells.get(&offset)) {
            (Some(a), Some(b)) => {
                let is_plain =
                    !self.speaks_of_addresses(a.value) && !self.speaks_of_addresses(b.value);
                a.bytes == b.bytes && (a.value == b.value || is_plain)
            }
            // Nobody wrote it: it may be anything.
            (Some(a), None) | (None, Some(a)) => !self.speaks_of_addresses(a.value),
            (None, None) => true,
        })
    }

    /// The cells that all these nodes have, and what holds of each. Values that they share count as such only if they
    /// are made of variables before number `stable`.
    pub(super) fn common_node(
        &mut self,
        sides: &[Side],
        guesses: &[ExprId],
        stable: u32,
        limits: &Limits,
    ) -> Option<(OrdMap<u64, Cell>, Vec<ExprId>)> {
        let (first, others) = sides.split_first()?;
        let mut cells = OrdMap::new();
        for (&offset, cell) in &first.cells {
            let mut same = self.is_stable(cell.value, stable);
            let mut is_everywhere = true;
            for other in others {
                match other.cells.get(&offset) {
                    Some(b) if b.bytes != cell.bytes => return None,
                    Some(b) => same &= b.value == cell.value,
                    None => is_everywhere = false,
                }
            }
            if !is_everywhere {
                continue;
            }
            if !same && self.speaks_of_addresses(cell.value) {
                return None;
            }
            let value = if same { cell.value } else { self.placeholder(offset, cell.bytes) };
            cells.insert(offset, Cell { value, ..*cell });
        }
        let mut facts = Vec::new();
        for &guess in guesses {
            // An address may be another object's in the state that it is compared with.
            if facts.len() >= MOST_FACTS
                || facts.contains(&guess)
                || !self.is_stable(guess, stable)
                || self.speaks_of_addresses(guess)
            {
                continue;
            }
            if sides.iter().all(|side| self.holds_of(side, &cells, guess, limits)) {
                facts.push(guess);
            }
        }
        Some((cells, facts))
    }

    /// Whether an expression has only variables from before number `stable`, beside placeholders.
    pub(super) fn is_stable(&mut self, e: ExprId, stable: u32) -> bool {
        let places = self.places_of_nodes();
        let vars = self.smt.pool.free_vars(&[e]);
        vars.into_iter().all(|var| match self.source_of(var) {
            _ if places.contains(&var) => true,
            Some((number, _)) => number < stable,
            None => self.instance_of(var).is_some(),
        })
    }

    /// Whether a placeholder occurs in it.
    pub(super) fn speaks_of_nodes(&mut self, e: ExprId) -> bool {
        let places = self.places_of_nodes();
        self.smt.pool.free_vars(&[e]).iter().any(|var| places.contains(var))
    }

    fn places_of_nodes(&self) -> FxHashSet<VarId> {
        self.placeholders.values().map(|&place| self.smt.pool.node(place).var()).collect()
    }

    /// Whether the solver shows a fact about placeholders of one side's node.
    pub(super) fn holds_of(
        &mut self,
        side: &Side,
        cells: &OrdMap<u64, Cell>,
        fact: ExprId,
        limits: &Limits,
    ) -> bool {
        let mut values = Substitution::default();
        for (&offset, cell) in cells {
            let placeholder = self.placeholder(offset, cell.bytes);
            if let Some(own) = side.cells.get(&offset).filter(|own| own.bytes == cell.bytes) {
                values.insert(self.smt.pool.node(placeholder).var(), own.value);
            }
        }
        // What is not in the node cannot be spoken of.
        let vars = self.smt.pool.free_vars(&[fact]);
        let places = self.places_of_nodes();
        if vars.iter().any(|var| places.contains(var) && !values.contains_key(var)) {
            return false;
        }
        let own = self.smt.pool.substitute(fact, &values);
        match self.smt.pool.as_const(own) {
            Some(value) => value == 1,
            None if side.holds.contains(&own) => true,
            None => {
                let mut question = side.holds.clone();
                question.push(self.smt.pool.not(own));
                matches!(self.smt.check(&question, limits), Answer::Unsat(_))
            }
        }
    }
}

/// Whether it can be a node of a list, or is a list.
pub(super) fn is_node(object: &Object) -> bool {
    matches!(object.origin, Origin::Heap(_)) && object.life == Life::Live
}

/// What the last node of a list, or the only one, holds at the link.
pub(super) fn next(object: &Object, link: u64) -> Option<ExprId> {
    match &object.chain {
        Some(chain) => (chain.link == link).then_some(chain.tail),
        None => object.cells.get(&link).map(|cell| cell.value),
    }
}

/// The node without its link, and what is known of its values.
pub(super) fn side(state: &State, object: &Object, link: u64) -> Side {
    let mut holds = state.conditions();
    holds.extend(object.chain.iter().flat_map(|chain| chain.facts.iter().copied()));
    let mut cells = object.cells.clone();
    cells.remove(&link);
    Side { cells, holds }
}
