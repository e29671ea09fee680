//! Two states at one place made one: what differs becomes a choice.
//!
//! The merged state stands for the executions of both. A condition that holds on one of the paths and
//! not on the other says which is meant; where there is none, a fresh variable does. Each side's values and
//! assumptions count only under it, so it does not matter that two paths give the same name to different
//! arbitrary values. Only proofs may rest on it: the numbers of arbitrary values are no longer those of a
//! path, so nothing found behind it can be walked again.

use super::loops::Loops;
use super::machine::{Machine, Source, Step, gap};
use super::memory::{Background, Cell, Instance, Life, Object, Origin};
use super::state::{Frame, State};
use super::value::Value;
use crate::cegas::persistent::{HashMap, Vector};
use crate::ir::{BlockId, Def, ValueId};
use crate::smt::ExprId;
use imbl::ordmap::DiffItem;
use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};

/// The byte ranges (offset and length) in which two objects hold different cells; no longer than a cell,
/// and no cell of either begins or ends inside one.
pub(super) fn differences(a: &Object, b: &Object) -> Vec<(u64, u32)> {
    let mut ranges = Vec::new();
    let mut add = |start: u64, cell: &Cell| ranges.push((start, start + u64::from(cell.bytes)));
    for item in a.cells.diff(&b.cells) {
        match item {
            DiffItem::Add(start, cell) | DiffItem::Remove(start, cell) => add(*start, cell),
            DiffItem::Update { old: (start, old), new: (_, new) } => {
                add(*start, old);
                add(*start, new);
            }
        }
    }
    let bounds: BTreeSet<u64> = ranges.iter().flat_map(|&(start, end)| [start, end]).collect();
    let mut covered: BTreeSet<u64> = BTreeSet::new();
    for &(start, end) in &ranges {
        covered.extend(bounds.range(start..end));
    }
    let piece = |&start: &u64| {
        let end = bounds.range(start + 1..).next();
        end.map(|end| (start, (end - start) as u32))
    };
    covered.iter().filter_map(piece).collect()
}

impl Machine<'_> {
    /// All of them in as few states as possible: those that parted last are merged first. When it is time to stop,
    /// the others stay as they are.
    pub(super) fn merge_all(
        &mut self,
        loops: &Loops,
        states: Vec<State>,
        is_over: impl Fn() -> bool,
    ) -> Vec<State> {
        // What was merged is gone, and what came of it is at the end; so a pair keeps its place in the order.
        let mut states: Vec<Option<State>> = states.into_iter().map(Some).collect();
        let mut pairs: BinaryHeap<(usize, Reverse<usize>, usize)> = BinaryHeap::new();
        let mut paired = 0;
        loop {
            while paired < states.len() {
                if is_over() {
                    return states.into_iter().flatten().collect();
                }
                let new = states[paired].as_ref();
                let pair = |i: usize| Some((common(states[i].as_ref()?, new?), Reverse(i), paired));
                pairs.extend((0..paired).filter_map(pair));
                paired += 1;
            }
            let Some((_, Reverse(i), j)) = pairs.pop().filter(|_| !is_over()) else {
                return states.into_iter().flatten().collect();
            };
            let (Some(a), Some(b)) = (&states[i], &states[j]) else { continue };
            if let Some(merged) = self.merge(loops, a, b) {
                (states[i], states[j]) = (None, None);
                states.push(Some(merged));
            }
        }
    }

    fn merge(&mut self, loops: &Loops, a: &State, b: &State) -> Option<State> {
        if !is_alike(a, b) {
            return None;
        }
        let (mut a, mut b) = (a.clone(), b.clone());
        a.fresh = a.fresh.max(b.fresh);
        b.fresh = a.fresh;
        let kept = common(&a, &b);
        let (which, first, second) = self.selector(&mut a, &b, kept);
        let first = self.smt.pool.and_all(&first);
        let second = self.smt.pool.and_all(&second);
        let holds = self.smt.pool.ite(which, first, second);

        b.fresh = a.fresh;
        let before = a.memory.len().min(b.memory.len());
        let mut number = 0;
        // Looking at what callers give makes objects, which have to be merged, too.
        while number < a.memory.len().min(b.memory.len()) {
            self.merge_object(&mut a, &mut b, which, Instance(number as u32)).ok()?;
            number += 1;
        }
        if !(before..number).all(|made| same_made(&a, &b, Instance(made as u32))) {
            return None;
        }
        let mut merged = a.clone();
        merged.memory.forget_reads();
        if b.memory.len() > a.memory.len() {
            for number in a.memory.len()..b.memory.len() {
                let object = b.memory.get(Instance(number as u32))?.clone();
                merged.memory.push(object);
            }
        }
        let top = a.frames.len() - 1;
        let mut frames = Vector::new();
        for (depth, (x, y)) in a.frames.iter().zip(b.frames.iter()).enumerate() {
            let at = (depth == top).then_some((loops, x.block));
            if self.lists_differ(&a, &b, x, y) {
                return None;
            }
            frames.push_back(self.merge_frame(which, x, y, at)?);
        }
        merged.frames = frames;
        merged.assumed = a.assumed.take(kept);
        if self.smt.pool.as_const(holds) != Some(1) {
            merged.assumed.push_back(holds);
        }
        self.merge_deferred(which, &a, &b, &mut merged);
        merged.last_read = match (a.last_read, b.last_read) {
            (None, None) => None,
            (first, second) => {
                let always = self.smt.pool.bool(true);
                let (first, second) = (first.unwrap_or(always), second.unwrap_or(always));
                Some(self.smt.pool.ite(which, first, second))
            }
        };
        merged.anchored = a.anchored.max(b.anchored);
        merged.uncertain = a.uncertain.clone().union(b.uncertain.clone());
        merged.exposed = a.exposed.clone().union(b.exposed.clone());
        merged.choices = a.choices.max(b.choices) + 1;
        merged.fresh = a.fresh.max(b.fresh);
        merged.doubt("paths that were joined");
        Some(merged)
    }

    fn merge_deferred(&mut self, which: ExprId, a: &State, b: &State, merged: &mut State) {
        let same = |(x, y): &(&ExprId, &ExprId)| x == y;
        let kept = a.deferred.iter().zip(&b.deferred).take_while(same).count();
        let rest = |state: &State| state.deferred.iter().skip(kept).copied().collect();
        let (first, second): (Vec<ExprId>, Vec<ExprId>) = (rest(a), rest(b));
        let first = self.smt.pool.and_all(&first);
        let second = self.smt.pool.and_all(&second);
        let holds = self.smt.pool.ite(which, first, second);
        merged.deferred = a.deferred.take(kept);
        if self.smt.pool.as_const(holds) != Some(1) {
            merged.deferred.push_back(holds);
        }
    }

    /// A condition that tells which of the two is meant, and what each assumed beside it.
    fn selector(
        &mut self,
        a: &mut State,
        b: &State,
        kept: usize,
    ) -> (ExprId, Vec<ExprId>, Vec<ExprId>) {
        let mut first: Vec<ExprId> = a.assumed.iter().skip(kept).copied().collect();
        let mut second: Vec<ExprId> = b.assumed.iter().skip(kept).copied().collect();
        if let (Some(&x), Some(&y)) = (first.first(), second.first()) {
            let not = self.smt.pool.not(x);
            if y == not {
                first.remove(0);
                second.remove(0);
                return (x, first, second);
            }
            let both = self.smt.pool.and(x, y);
            if self.smt.pool.as_const(both) == Some(0) {
                first.remove(0);
                return (x, first, second);
            }
        }
        (self.fresh(a, 1, Source::Selected), first, second)
    }

    /// Makes the object the same in both: the first's if `which`, else the second's.
    fn merge_object(
        &mut self,
        a: &mut State,
        b: &mut State,
        which: ExprId,
        instance: Instance,
    ) -> Step<()> {
        let (Some(x), Some(y)) = (a.memory.get(instance), b.memory.get(instance)) else {
            return Ok(());
        };
        if std::ptr::eq(x, y) || x.life != Life::Live {
            return Ok(());
        }
        for (offset, bytes) in differences(x, y) {
            let bytes = u64::from(bytes);
            let then = self.read(a, instance, offset, bytes, false)?;
            // What nobody had looked at yet is chosen on each side for itself.
            b.fresh = b.fresh.max(a.fresh);
            let other = self.read(b, instance, offset, bytes, false)?;
            a.fresh = a.fresh.max(b.fresh);
            if self.leads_to_lists(a, then) || self.leads_to_lists(b, other) {
                return gap("lists of different shape");
            }
            let value = self.smt.pool.ite(which, then, other);
            self.write(a, instance, offset, bytes, value);
        }
        Ok(())
    }

    /// Whether a pointer leads to a list, or to something made in the loop under way: what lists are made of is
    /// matched pointer by pointer.
    fn leads_to_lists(&mut self, state: &State, value: ExprId) -> bool {
        if !self.speaks_of_addresses(value) {
            return false;
        }
        let vars = self.smt.pool.free_vars(&[value]);
        let mut instances = vars.into_iter().filter_map(|var| self.instance_of(var));
        instances.any(|instance| {
            let object = state.memory.get(instance);
            object.is_some_and(|object| {
                let is_young = instance.0 >= self.young && matches!(object.origin, Origin::Heap(_));
                is_young || object.chain.is_some()
            })
        })
    }

    fn lists_differ(&mut self, a: &State, b: &State, x: &Frame, y: &Frame) -> bool {
        if x.values.ptr_eq(&y.values) {
            return false;
        }
        let differs = |(id, value): (&ValueId, &Value)| match (value, y.values.get(id)) {
            (Value::Bits(one), Some(Value::Bits(other))) if one != other => Some((*one, *other)),
            _ => None,
        };
        let pairs: Vec<(ExprId, ExprId)> = x.values.iter().filter_map(differs).collect();
        pairs
            .into_iter()
            .any(|(one, other)| self.leads_to_lists(a, one) || self.leads_to_lists(b, other))
    }

    /// Values that are not known to be computed on every way to here are dead.
    fn merge_frame(
        &mut self,
        which: ExprId,
        a: &Frame,
        b: &Frame,
        at: Option<(&Loops, BlockId)>,
    ) -> Option<Frame> {
        let mut frame = a.clone();
        let program = self.program;
        let is_live = |value: ValueId| match (program.values[value].def, at) {
            (Def::Inst(inst), Some((loops, block))) => {
                loops.dominates(program.insts[inst].block, block)
            }
            (Def::Param { .. }, _) | (Def::Inst(_), None) => true,
        };
        if !a.values.ptr_eq(&b.values) {
            let mut values = HashMap::new();
            for (&id, x) in &a.values {
                if let Some(y) = b.values.get(&id)
                    && is_live(id)
                {
                    values.insert(id, self.merge_value(which, x, y)?);
                }
            }
            frame.values = values;
        }
        Some(frame)
    }

    fn merge_value(&mut self, which: ExprId, a: &Value, b: &Value) -> Option<Value> {
        if a == b {
            return Some(a.clone());
        }
        match (a, b) {
            (Value::Bits(x), Value::Bits(y)) => Some(Value::Bits(self.smt.pool.ite(which, *x, *y))),
            (Value::Parts(x), Value::Parts(y)) if x.len() == y.len() => {
                let parts = x.iter().zip(y.iter()).map(|(x, y)| self.merge_value(which, x, y));
                Some(Value::Parts(parts.collect::<Option<Vec<Value>>>()?.into()))
            }
            _ => None,
        }
    }
}

/// Whether objects that were made by looking at others are of one kind. Texts from outside are.
fn same_made(a: &State, b: &State, made: Instance) -> bool {
    match (a.memory.get(made), b.memory.get(made)) {
        (Some(x), Some(y)) => {
            (x.origin, x.background, x.life) == (y.origin, y.background, y.life)
                && (x.size == y.size || x.background == Background::Text)
        }
        _ => true,
    }
}

/// How many assumptions the two share from the start.
fn common(a: &State, b: &State) -> usize {
    a.assumed.iter().zip(b.assumed.iter()).take_while(|(x, y)| x == y).count()
}

/// Whether the two stand at one place, with stacks and objects of the same shape. What is over is over: an
/// object that nobody can access any more needs no shape.
fn is_alike(a: &State, b: &State) -> bool {
    let same_frame = |(x, y): (&Frame, &Frame)| {
        (x.func, x.block, x.at, x.call) == (y.func, y.block, y.at, y.call)
            && x.locals == y.locals
            && x.varargs == y.varargs
    };
    let same_object =
        |number: u32| match (a.memory.get(Instance(number)), b.memory.get(Instance(number))) {
            (Some(x), Some(y)) => {
                std::ptr::eq(x, y)
                    || (x.life == y.life
                        && (x.life == Life::Ended
                            || (x.origin, x.size, x.background, &x.chain)
                                == (y.origin, y.size, y.background, &y.chain)
                                && (x.chain.is_none() || x.cells == y.cells)))
            }
            _ => true,
        };
    !a.frames.is_empty()
        && a.frames.len() == b.frames.len()
        && a.pending == b.pending
        && a.closing == b.closing
        && a.frames.iter().zip(b.frames.iter()).all(same_frame)
        && (0..a.memory.len().min(b.memory.len()) as u32).all(same_object)
}
