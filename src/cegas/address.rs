//! What a pointer points to: the instances it may mean, each under a guard, with the byte offset. This
//! is where "strong" and "weak" are decided: one place whose guard is true is a strong update.

use super::demand::is_unset;
use super::machine::{Machine, Source, Step, Stop};
use super::memory::{Background, Instance, Life, Origin};
use super::state::State;
use crate::ir::{IntPredicate, ValueId};
use crate::smt::value::mask;
use crate::smt::{ExprId, Op};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Base {
    Object(Instance),
    /// An integer that is no address: null, or made up.
    Number,
    /// An uninitialised pointer.
    Junk,
    /// Something computed from addresses that is none.
    Mixed,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Place {
    /// Holds when this is the place meant.
    pub guard: ExprId,
    pub base: Base,
    /// Into the object; the whole value where there is none.
    pub offset: ExprId,
}

/// A pointer with more places than this is not taken apart.
const MOST_PLACES: usize = 64;

/// No object lies in the first or the last bytes of memory, so many of each.
const PAGE: u128 = 4096;

impl Machine<'_> {
    pub(super) fn places(&mut self, pointer: ExprId) -> Vec<Place> {
        let whole = self.smt.pool.bool(true);
        let zero = self.smt.pool.constant(0, self.smt.pool.width(pointer));
        let mut places = Vec::new();
        let mut stack = vec![(whole, pointer, zero)];
        while let Some((guard, e, rest)) = stack.pop() {
            if places.len() + stack.len() > MOST_PLACES {
                places.push(Place { guard, base: Base::Mixed, offset: e });
                continue;
            }
            let node = self.smt.pool.node(e);
            match node.op {
                Op::Ite => {
                    let cond = node.child(0);
                    let not = self.smt.pool.not(cond);
                    let then = self.smt.pool.and(guard, cond);
                    let other = self.smt.pool.and(guard, not);
                    stack.push((other, node.child(2), rest));
                    stack.push((then, node.child(1), rest));
                }
                Op::Add if self.speaks_of_addresses(e) || self.is_choice_sum(e) => {
                    let (a, b) = (node.child(0), node.child(1));
                    let a_leads = self.speaks_of_addresses(a) || self.contains_choice(a);
                    let b_leads = self.speaks_of_addresses(b);
                    if self.speaks_of_addresses(a) && b_leads {
                        places.push(Place { guard, base: Base::Mixed, offset: e });
                        continue;
                    }
                    let (lead, other) = if b_leads || !a_leads { (b, a) } else { (a, b) };
                    let rest = self.smt.pool.add(rest, other);
                    stack.push((guard, lead, rest));
                }
                _ => places.push(self.place_of(guard, e, rest)),
            }
        }
        let no = self.smt.pool.bool(false);
        places.retain(|place| place.guard != no);
        places
    }

    /// Demands that the value be one place only: the execution is followed for each.
    pub(super) fn split(&mut self, state: &State, value: ValueId) -> Step<()> {
        let known = state.top().and_then(|frame| frame.values.get(&value)?.bits());
        let Some(pointer) = known else { return Ok(()) };
        let places = self.places(pointer);
        if places.len() < 2 || places.iter().any(|place| place.base == Base::Mixed) {
            return Ok(());
        }
        let mut ways = Vec::new();
        for place in places {
            let at = match place.base {
                Base::Object(instance) => {
                    let base = self.address(instance);
                    self.smt.pool.add(base, place.offset)
                }
                Base::Number | Base::Junk | Base::Mixed => place.offset,
            };
            ways.push((place.guard, at));
        }
        Err(Stop::Split(value, ways))
    }

    fn contains_choice(&self, e: ExprId) -> bool {
        self.smt.pool.op(e) == Op::Ite
    }

    /// A sum one side of which is a choice between pointers or null.
    fn is_choice_sum(&self, e: ExprId) -> bool {
        let node = self.smt.pool.node(e);
        node.children().any(|child| self.smt.pool.op(child) == Op::Ite)
    }

    fn place_of(&mut self, guard: ExprId, e: ExprId, rest: ExprId) -> Place {
        let node = self.smt.pool.node(e);
        if node.op == Op::Var
            && let Some(instance) = self.instance_of(node.var())
        {
            return Place { guard, base: Base::Object(instance), offset: rest };
        }
        let offset = self.smt.pool.add(e, rest);
        let base = if self.speaks_of_addresses(offset) {
            Base::Mixed
        } else if self.is_junk(offset) {
            Base::Junk
        } else {
            Base::Number
        };
        Place { guard, base, offset }
    }

    /// Whether the value was computed from one that was never set.
    fn is_junk(&self, e: ExprId) -> bool {
        let mut vars = self.smt.pool.free_vars(&[e]).into_iter();
        vars.any(|var| self.source_of(var).is_some_and(|(_, source)| is_unset(source)))
    }

    /// Compares two scalars of which at least one speaks of addresses.
    pub(super) fn compare_addresses(
        &mut self,
        state: &mut State,
        pred: IntPredicate,
        a: ExprId,
        b: ExprId,
    ) -> ExprId {
        let mut result = self.smt.pool.bool(false);
        for left in self.places(a) {
            for right in self.places(b) {
                let both = self.smt.pool.and(left.guard, right.guard);
                let answer = self.compare_places(state, pred, left, right);
                let holds = self.smt.pool.and(both, answer);
                result = self.smt.pool.or(result, holds);
            }
        }
        result
    }

    fn compare_places(
        &mut self,
        state: &mut State,
        pred: IntPredicate,
        a: Place,
        b: Place,
    ) -> ExprId {
        let equality = matches!(pred, IntPredicate::Eq | IntPredicate::Ne);
        match (a.base, b.base) {
            (Base::Object(x), Base::Object(y)) if x == y => {
                // Inside one object, addresses are in the order of offsets.
                self.int_compare(as_signed(pred), a.offset, b.offset)
            }
            (Base::Number | Base::Junk, Base::Number | Base::Junk) => {
                self.int_compare(pred, a.offset, b.offset)
            }
            (Base::Object(x), Base::Object(y))
                if equality
                    && self.is_inside(state, x, a.offset)
                    && self.is_inside(state, y, b.offset) =>
            {
                self.smt.pool.bool(pred == IntPredicate::Ne)
            }
            (Base::Object(_), Base::Junk) | (Base::Junk, Base::Object(_)) if equality => {
                self.smt.pool.bool(pred == IntPredicate::Ne)
            }
            (Base::Object(x), Base::Number)
                if let Some(known) = self.against_number(state, pred, (x, a.offset), b.offset) =>
            {
                self.smt.pool.bool(known)
            }
            (Base::Number, Base::Object(y))
                if let Some(known) =
                    self.against_number(state, pred.mirrored(), (y, b.offset), a.offset) =>
            {
                self.smt.pool.bool(known)
            }
            _ => {
                state.doubt("how addresses of different objects compare");
                self.fresh(state, 1, Source::Unspecified)
            }
        }
    }

    /// How a place in an object compares with a number, if that is known.
    fn against_number(
        &mut self,
        state: &State,
        pred: IntPredicate,
        place: (Instance, ExprId),
        number: ExprId,
    ) -> Option<bool> {
        let is_above = self.is_above(state, place, number)?;
        match pred {
            IntPredicate::Eq => Some(false),
            IntPredicate::Ne => Some(true),
            IntPredicate::UGt | IntPredicate::UGe => Some(is_above),
            IntPredicate::ULt | IntPredicate::ULe => Some(!is_above),
            // As a signed number, an address may be on either side of zero.
            IntPredicate::SGt | IntPredicate::SGe | IntPredicate::SLt | IntPredicate::SLe => None,
        }
    }

    /// Whether a place in an object lies above a number, if that is known: nothing lies in the first page of
    /// memory, where null is, or in the last one, where `(void *)-1` and its like are.
    fn is_above(
        &mut self,
        state: &State,
        (instance, offset): (Instance, ExprId),
        number: ExprId,
    ) -> Option<bool> {
        let number = self.smt.pool.as_const(number)?;
        if number == 0 {
            // Whatever the offset is: null is told from pointers that were moved.
            return Some(true);
        }
        let is_above = number < PAGE;
        let is_below = number > mask(self.pointer_bits) - PAGE;
        let object = state.memory.get(instance)?;
        if object.background == Background::Code {
            // It may be any function, or what callers say instead of one.
            return None;
        }
        let is_within = self.smt.pool.ule(offset, object.size);
        let is_known = (is_above || is_below) && self.smt.pool.as_const(is_within) == Some(1);
        is_known.then_some(is_above)
    }

    /// Whether the offset surely lies inside a live object, not just behind its end.
    fn is_inside(&mut self, state: &State, instance: Instance, offset: ExprId) -> bool {
        let Some(object) = state.memory.get(instance) else { return false };
        let (size, origin, life) = (object.size, object.origin, object.life);
        if object.background == Background::Code {
            // It may be any function.
            return false;
        }
        let inside = self.smt.pool.ult(offset, size);
        // A function has one address only; an empty object has one, too.
        let at_start = self.smt.pool.as_const(offset) == Some(0);
        life == Life::Live
            && (self.smt.pool.as_const(inside) == Some(1)
                || (at_start && !matches!(origin, Origin::Varargs(_))))
    }
}

fn as_signed(pred: IntPredicate) -> IntPredicate {
    match pred {
        IntPredicate::UGt => IntPredicate::SGt,
        IntPredicate::UGe => IntPredicate::SGe,
        IntPredicate::ULt => IntPredicate::SLt,
        IntPredicate::ULe => IntPredicate::SLe,
        other => other,
    }
}
