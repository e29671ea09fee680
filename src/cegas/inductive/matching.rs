//! The look for what the variables and objects of a written state are in another state, pointer by pointer.
//!
//! Invariant: objects of the written state are taken for different objects.

use super::instance::Arrived;
use crate::cegas::address::{Base, Place};
use crate::cegas::machine::Machine;
use crate::cegas::memory::{Background, Instance, Life, Piece};
use crate::cegas::state::State;
use crate::smt::{ExprId, Op, VarId};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;

/// Pairs looked at before a search is given up, and matchings that are checked as a whole.
const MOST_STEPS: u32 = 4_000;
const MOST_LEAVES: u32 = 6;

/// Variables of so few bits may say which of several pointers is meant.
const TAG_BITS: u32 = 8;
const MOST_TAGS: u128 = 16;

/// An expression of the written state, and what it has to be equal to.
pub(super) type Pair = (ExprId, ExprId);

/// What would make two states comparable.
pub(super) enum Wish {
    /// Each of these values under its condition, in place of this one.
    Places(ExprId, Vec<(ExprId, ExprId)>),
    /// The list, unfolded.
    List(Instance),
}

/// What a list says of a node that was taken for one of its nodes.
#[derive(Clone)]
pub(super) struct Fact {
    pub said: ExprId,
    /// What the places of the node hold.
    pub node: FxHashMap<VarId, ExprId>,
    /// What holds of it, beside the state's own conditions.
    pub premises: Vec<ExprId>,
}

#[derive(Clone, Default)]
pub(super) struct Matching {
    pub binding: FxHashMap<VarId, ExprId>,
    /// The objects of the written state, and what they are taken for.
    pub met: FxHashMap<Instance, Instance>,
    /// The other state's objects that were taken.
    pub taken: BTreeSet<Instance>,
    /// Lists without nodes.
    pub empty: BTreeSet<Instance>,
    /// What is left to be shown.
    pub equal: Vec<Pair>,
    pub facts: Vec<Fact>,
    /// Numbers whose parts are not all known yet.
    later: Vec<Pair>,
}

pub(super) struct Search<'s, 'p> {
    pub machine: &'s mut Machine<'p>,
    pub general: State,
    pub arrived: Arrived,
    /// Objects below this number are there from the start.
    pub first: u32,
    pub wish: Option<Wish>,
    pub leaves: u32,
    pub steps: u32,
    rigid: FxHashSet<VarId>,
}

impl<'s, 'p> Search<'s, 'p> {
    pub fn new(machine: &'s mut Machine<'p>, general: State, arrived: Arrived) -> Self {
        let first = (machine.program.globals.len() + machine.program.funcs.len()) as u32;
        let element = machine.ghosts.as_ref().map(|ghosts| ghosts.index);
        let rigid = machine.placeholders.values().copied().chain(element);
        let rigid = rigid.map(|e| machine.smt.pool.node(e).var()).collect();
        let (steps, leaves) = (MOST_STEPS, MOST_LEAVES);
        Search { machine, general, arrived, first, wish: None, leaves, steps, rigid }
    }

    /// The variables that mean the same in every state.
    pub fn rigid(&self) -> impl Iterator<Item = VarId> + '_ {
        self.rigid.iter().copied()
    }

    /// Whether a variable means the same in every state.
    pub fn is_rigid(&self, var: VarId) -> bool {
        self.rigid.contains(&var)
    }

    /// The other state's variables by number and width.
    pub fn numbered(&mut self) -> FxHashMap<(u32, u32), ExprId> {
        let state = &self.arrived.state;
        let mut all = state.conditions();
        for frame in &state.frames {
            frame.values.values().for_each(|value| value.scalars(&mut all));
        }
        for number in 0..state.memory.len() as u32 {
            let cells = state.memory.get(Instance(number)).map(|object| &object.cells);
            all.extend(cells.into_iter().flat_map(|cells| cells.values().map(|cell| cell.value)));
        }
        let pool = &self.machine.smt.pool;
        let mut found = FxHashMap::default();
        for var in pool.free_vars(&all) {
            if let Some((number, _)) = self.machine.source_of(var).filter(|_| !self.is_rigid(var)) {
                let e = pool.var_expr(var);
                found.insert((number, pool.width(e)), e);
            }
        }
        found
    }

    /// A matching with which everything holds: whether memory is lost in it.
    pub fn solve(&mut self, mut agenda: Vec<Pair>, mut matching: Matching) -> Option<bool> {
        loop {
            let Some((ours, theirs)) = agenda.pop() else {
                let Some(pair) = matching.later.pop() else { return self.shown(&matching) };
                return self.late(pair, matching);
            };
            self.steps = self.steps.checked_sub(1)?;
            let theirs = *self.arrived.chosen.get(&theirs).unwrap_or(&theirs);
            if self.machine.smt.pool.width(ours) != self.machine.smt.pool.width(theirs) {
                return None;
            }
            let is_pointer =
                self.machine.speaks_of_addresses(ours) || self.machine.speaks_of_addresses(theirs);
            if is_pointer {
                return self.pointers(ours, theirs, agenda, matching);
            }
            self.number(ours, theirs, &mut matching)?;
        }
    }

    /// Two numbers that have to be equal.
    fn number(&mut self, ours: ExprId, theirs: ExprId, matching: &mut Matching) -> Option<()> {
        let pool = &self.machine.smt.pool;
        let node = pool.node(ours);
        if let (Some(one), Some(other)) = (pool.as_const(ours), pool.as_const(theirs)) {
            return (one == other).then_some(());
        }
        match node.op {
            Op::Var if self.is_rigid(node.var()) => matching.equal.push((ours, theirs)),
            Op::Var => match matching.binding.get(&node.var()) {
                Some(&known) if known == theirs => {}
                Some(_) => matching.equal.push((ours, theirs)),
                None => _ = matching.binding.insert(node.var(), theirs),
            },
            Op::Const => matching.equal.push((ours, theirs)),
            _ => matching.later.push((ours, theirs)),
        }
        Some(())
    }

    fn unbound(&self, e: ExprId, matching: &Matching) -> Vec<VarId> {
        let mut vars = self.machine.smt.pool.free_vars(&[e]);
        vars.retain(|var| !matching.binding.contains_key(var) && !self.is_rigid(*var));
        vars
    }

    /// A number made of others, when all that is simple is known.
    fn late(&mut self, (ours, theirs): Pair, mut matching: Matching) -> Option<bool> {
        self.steps = self.steps.checked_sub(1)?;
        if !self.unbound(ours, &matching).is_empty() {
            let node = self.machine.smt.pool.node(ours);
            if node.op == Op::Ite {
                let tags = self.tags(node.child(0), &matching);
                for (side, tag) in [(node.child(1), tags[1]), (node.child(2), tags[0])] {
                    let Some((var, tag)) = tag else { continue };
                    let mut tried = matching.clone();
                    tried.binding.insert(var, tag);
                    if let Some(found) = self.solve(vec![(side, theirs)], tried) {
                        return Some(found);
                    }
                }
                if tags.iter().any(Option::is_some) {
                    return None;
                }
            }
            self.guess(ours, theirs, &mut matching, 0);
        }
        matching.equal.push((ours, theirs));
        self.solve(Vec::new(), matching)
    }

    /// What the only open variable of a condition has to be for it to fail and to hold, if it is a tag.
    fn tags(&mut self, cond: ExprId, matching: &Matching) -> [Option<(VarId, ExprId)>; 2] {
        let [var] = self.unbound(cond, matching)[..] else { return [None; 2] };
        let bits = self.machine.smt.pool.width(self.machine.smt.pool.var_expr(var));
        let mut found = [None; 2];
        if bits > TAG_BITS {
            return found;
        }
        let known = self.machine.smt.pool.substitute(cond, &matching.binding);
        for value in 0..MOST_TAGS.min(1 << bits) {
            let tag = self.machine.smt.pool.constant(value, bits);
            let with = FxHashMap::from_iter([(var, tag)]);
            let holds = self.machine.smt.pool.substitute(known, &with);
            if let Some(side) = self.machine.smt.pool.as_const(holds) {
                found[usize::from(side != 0)].get_or_insert((var, tag));
            }
        }
        found
    }

    /// Takes variables for what stands in their place, where two expressions are made alike.
    fn guess(&mut self, ours: ExprId, theirs: ExprId, matching: &mut Matching, depth: u32) {
        let pool = &self.machine.smt.pool;
        let (a, b) = (pool.node(ours), pool.node(theirs));
        if a.op == Op::Var && !self.is_rigid(a.var()) {
            if a.width() == b.width() && !self.machine.speaks_of_addresses(theirs) {
                matching.binding.entry(a.var()).or_insert(theirs);
            }
        } else if a.op == b.op && depth < 30 {
            let mut others: Vec<ExprId> = b.children().collect();
            let mine: Vec<ExprId> = a.children().collect();
            // Which of two comes first depends on when they were made.
            let is_const = |e: ExprId| pool.op(e) == Op::Const;
            if mine.len() == 2
                && is_const(mine[0]) != is_const(others[0])
                && is_const(mine[0]) == is_const(others[1])
            {
                others.reverse();
            }
            for (one, other) in mine.into_iter().zip(others) {
                self.guess(one, other, matching, depth + 1);
            }
        }
    }

    fn pointers(
        &mut self,
        ours: ExprId,
        theirs: ExprId,
        agenda: Vec<Pair>,
        matching: Matching,
    ) -> Option<bool> {
        let at = self.machine.places(theirs);
        let [at] = at[..] else {
            let mut cases = Vec::new();
            for place in at {
                let value = self.value_of(place)?;
                cases.push((place.guard, value));
            }
            self.wish.get_or_insert(Wish::Places(theirs, cases));
            return None;
        };
        let places = self.machine.places(ours);
        let is_only = places.len() == 1;
        for place in places {
            let mut tried = matching.clone();
            if !is_only {
                let guard = self.machine.smt.pool.substitute(place.guard, &tried.binding);
                match (self.machine.smt.pool.as_const(guard), self.tags(guard, &tried)[1]) {
                    (Some(0), _) => continue,
                    (Some(_), _) => {}
                    (None, Some((var, tag))) => _ = tried.binding.insert(var, tag),
                    (None, None) => {
                        let always = self.machine.smt.pool.bool(true);
                        tried.equal.push((place.guard, always));
                    }
                }
            }
            if let Some(found) = self.place(place, at, agenda.clone(), tried) {
                return Some(found);
            }
        }
        None
    }

    pub fn value_of(&mut self, place: Place) -> Option<ExprId> {
        match place.base {
            Base::Object(instance) => {
                let base = self.machine.address(instance);
                Some(self.machine.smt.pool.add(base, place.offset))
            }
            Base::Number | Base::Junk => Some(place.offset),
            Base::Mixed => None,
        }
    }

    fn place(
        &mut self,
        ours: Place,
        theirs: Place,
        mut agenda: Vec<Pair>,
        mut matching: Matching,
    ) -> Option<bool> {
        let list = |state: &State, instance: Instance| state.memory.get(instance)?.chain.clone();
        match (ours.base, theirs.base) {
            (Base::Object(one), _) if let Some(chain) = list(&self.general, one) => {
                self.list((one, ours.offset), &chain, theirs, agenda, matching)
            }
            (Base::Object(_) | Base::Number | Base::Junk, Base::Object(other))
                if list(&self.arrived.state, other).is_some() =>
            {
                self.wish.get_or_insert(Wish::List(other));
                None
            }
            (Base::Object(one), Base::Object(other)) => {
                self.meet(one, other, &mut matching, &mut agenda).then_some(())?;
                agenda.push((ours.offset, theirs.offset));
                self.solve(agenda, matching)
            }
            (Base::Number | Base::Junk, Base::Number | Base::Junk) => {
                agenda.push((ours.offset, theirs.offset));
                self.solve(agenda, matching)
            }
            _ => None,
        }
    }

    /// Whether it makes no difference to take a value for one that was never set: one that cannot be a pointer.
    pub fn may_be_unset(&mut self, value: ExprId, bytes: u32) -> bool {
        !self.machine.speaks_of_addresses(value)
            && (bytes * 8 != self.machine.pointer_bits
                || self.machine.smt.pool.as_const(value).is_some())
    }

    pub fn read(
        &mut self,
        of: Instance,
        offset: u64,
        bytes: u32,
        is_pointer: bool,
    ) -> Option<ExprId> {
        let state = &mut self.arrived.state;
        self.machine.read(state, of, offset, u64::from(bytes), is_pointer).ok()
    }

    /// Takes two objects for the same one: what they hold has to be equal.
    pub fn meet(
        &mut self,
        one: Instance,
        other: Instance,
        matching: &mut Matching,
        agenda: &mut Vec<Pair>,
    ) -> bool {
        match matching.met.get(&one) {
            Some(&known) => return known == other,
            None if (one.0 < self.first || other.0 < self.first) && one != other => return false,
            None if !matching.taken.insert(other) => return false,
            None => _ = matching.met.insert(one, other),
        }
        self.same_objects(one, other, agenda).is_some()
    }

    fn same_objects(
        &mut self,
        one: Instance,
        other: Instance,
        agenda: &mut Vec<Pair>,
    ) -> Option<()> {
        let ours = self.general.memory.get(one)?.clone();
        let theirs = self.arrived.state.memory.get(other)?.clone();
        let is_alike = (ours.origin, ours.life) == (theirs.origin, theirs.life)
            && ours.chain.is_none()
            && theirs.chain.is_none();
        is_alike.then_some(())?;
        agenda.push((ours.size, theirs.size));
        match (ours.background, theirs.background) {
            (Background::Arguments { count: a }, Background::Arguments { count: b }) => {
                agenda.push((a, b));
            }
            (a, b) => (a == b).then_some(())?,
        }
        if ours.life != Life::Live {
            return Some(());
        }
        for (&offset, cell) in &ours.cells {
            let is_pointer = self.machine.speaks_of_addresses(cell.value);
            let value = self.read(other, offset, cell.bytes, is_pointer)?;
            agenda.push((cell.value, value));
        }
        for (&offset, cell) in &theirs.cells {
            for piece in ours.pieces(offset, u64::from(cell.bytes)) {
                let Piece::Background { offset, bytes } = piece else { continue };
                let value = self.read(other, offset, bytes, false)?;
                let may_be_left_out = match ours.background {
                    Background::Outside => !self.machine.speaks_of_addresses(value),
                    Background::Uninit => self.may_be_unset(value, bytes),
                    Background::Zero | Background::Init(_) => {
                        let mut copy = self.general.clone();
                        let fresh = copy.fresh;
                        let own =
                            self.machine.read(&mut copy, one, offset, u64::from(bytes), false);
                        agenda.push((own.ok()?, value));
                        // What nobody knows of an array's first content was made just now.
                        copy.fresh == fresh
                    }
                    Background::Text
                    | Background::Arguments { .. }
                    | Background::Given { .. }
                    | Background::Code => false,
                };
                may_be_left_out.then_some(())?;
            }
        }
        Some(())
    }
}
