//! Allocating and freeing.

use crate::cegas::address::{Base, Place};
use crate::cegas::machine::{Machine, Source, Step, Stop, gap, object};
use crate::cegas::memory::{Background, Instance, Life, Origin};
use crate::cegas::state::State;
use crate::cegas::step::{Flow, Outcome};
use crate::cegas::value::Value;
use crate::ir::{Callee, Inst, InstId, List, Operand};
use crate::library::accesses::ALLOCATES_UNSEEN;
use crate::smt::ExprId;

impl Machine<'_> {
    /// An allocation succeeds, or has two outcomes if it may fail. Where losing memory is asked about,
    /// `realloc` may fail in any case, but what is found then is in doubt: everybody knows
    /// `p = realloc(p, n)`, and nobody should hear that it is safe.
    pub(super) fn allocation(
        &mut self,
        state: &mut State,
        at: InstId,
        is_realloc: bool,
    ) -> Step<Flow> {
        let is_watched = is_realloc && self.marks.kept.is_some();
        if !self.options.malloc_may_fail && !is_watched {
            self.finish(state, at, Outcome::Granted)?;
            return Ok(Flow::Stay);
        }
        let granted = self.fresh(state, 1, Source::Input);
        let refused = self.smt.pool.not(granted);
        Ok(Flow::Outcomes(vec![(granted, Outcome::Granted), (refused, Outcome::Refused)]))
    }

    /// Ends the call of an allocating function and goes on behind it.
    pub fn finish(&mut self, state: &mut State, at: InstId, outcome: Outcome) -> Step<()> {
        let data = self.program.insts[at];
        let Inst::Call { callee, args } = data.inst else { return gap("a call") };
        let value = match outcome {
            Outcome::Granted => self.granted(state, at, callee, args)?,
            Outcome::Refused => {
                if !self.options.malloc_may_fail {
                    state.doubt("whether realloc fails (see --malloc-may-fail)");
                }
                Value::Bits(self.pointer_const(0))
            }
        };
        if let Some(result) = data.result.expand() {
            state.set(result, value);
        }
        self.advance(state)
    }

    fn granted(
        &mut self,
        state: &mut State,
        at: InstId,
        callee: Callee,
        args: List<Operand>,
    ) -> Step<Value> {
        let name = match callee {
            Callee::Direct(func) => self.program.funcs[func].name.as_str(),
            // The callee is known, but not by name here: all but these three have the size first.
            Callee::Indirect(_) => return gap("an allocation through a pointer"),
        };
        let (size, background) = match name {
            "calloc" => {
                let (count, size) =
                    (self.argument(state, args, 0)?, self.argument(state, args, 1)?);
                (self.smt.pool.mul(count, size), Background::Zero)
            }
            "realloc" => {
                let (old, size) = (self.argument(state, args, 0)?, self.argument(state, args, 1)?);
                return self.reallocate(state, at, old, size);
            }
            "aligned_alloc" | "memalign" => (self.argument(state, args, 1)?, Background::Uninit),
            _ => (self.argument(state, args, 0)?, Background::Uninit),
        };
        let most = (1 << (self.pointer_bits - 1)) - 1;
        if self.smt.pool.as_const(size).is_some_and(|size| size > most) {
            return gap("an allocation of more than there can be");
        }
        let instance = self.allocate(state, at, size, background);
        Ok(Value::Bits(self.address(instance)))
    }

    /// Whether a function may leave memory to the caller that nobody follows, and it matters whether that is freed.
    pub(super) fn allocates_unseen(
        &mut self,
        state: &mut State,
        name: &str,
        args: List<Operand>,
    ) -> Step<bool> {
        let known = ALLOCATES_UNSEEN.iter().find(|(unseen, _)| *unseen == name);
        let Some(&(_, room)) = known.filter(|_| self.marks.kept.is_some()) else {
            return Ok(false);
        };
        let Some(room) = room else { return Ok(true) };
        let room = self.argument(state, args, room)?;
        let places = self.places(room);
        Ok(!places.iter().all(|place| matches!(place.base, Base::Object(_))))
    }

    /// What is asked for is more than nothing and, in the end, a number.
    pub(super) fn settle_sizes(
        &mut self,
        state: &mut State,
        name: &str,
        args: List<Operand>,
    ) -> Step<()> {
        let [first, second, ..] = *self.program.operands(args) else { return Ok(()) };
        let (a, b) = (self.bits(state, first)?, self.bits(state, second)?);
        let a = self.smt.pool.resize(a, self.pointer_bits, false);
        let b = self.smt.pool.resize(b, self.pointer_bits, false);
        match name {
            "calloc" => {
                let overflows = self.smt.pool.umul_overflow(a, b);
                let by = if matches!(first, Operand::Value(_)) { first } else { second };
                if self.tell(state, by, overflows)? {
                    return gap("a calloc whose size overflows");
                }
            }
            "realloc" => {
                self.tell_apart(state, args, 0)?;
                let nothing = self.pointer_const(0);
                let is_nothing = self.smt.pool.eq(b, nothing);
                if self.tell(state, second, is_nothing)? {
                    return gap("a realloc to nothing");
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn allocate(
        &mut self,
        state: &mut State,
        at: InstId,
        size: ExprId,
        background: Background,
    ) -> Instance {
        let size = self.smt.pool.resize(size, self.pointer_bits, false);
        let site = self.site(state, at);
        state.memory.push(object(Origin::Heap(site), size, background))
    }

    /// `realloc`: a new object with what the old one held; the old one is gone.
    fn reallocate(
        &mut self,
        state: &mut State,
        at: InstId,
        old: ExprId,
        size: ExprId,
    ) -> Step<Value> {
        let new = self.allocate(state, at, size, Background::Uninit);
        if self.smt.pool.as_const(old) == Some(0) {
            return Ok(Value::Bits(self.address(new)));
        }
        let places = self.places(old);
        let [Place { base: Base::Object(instance), .. }] = places[..] else {
            return gap("a realloc of one of several objects");
        };
        if self.is_open(state, instance) {
            return gap("a realloc of what the caller gives");
        }
        if state.memory.get(instance).is_some_and(|object| object.life == Life::Live) {
            self.move_content(state, instance, new)?;
        }
        self.release(state, old)?;
        Ok(Value::Bits(self.address(new)))
    }

    /// Copies what one heap object holds to one that is new.
    fn move_content(&mut self, state: &mut State, old: Instance, new: Instance) -> Step<()> {
        let size = |state: &State, instance| state.memory.get(instance).map(|object| object.size);
        let sizes = (size(state, old), size(state, new));
        let (Some(held), Some(bytes)) = sizes else { return gap("an object that is not") };
        if let (Some(held), Some(bytes)) =
            (self.smt.pool.as_const(held), self.smt.pool.as_const(bytes))
        {
            let len = self.pointer_const(held.min(bytes) as u64);
            let (from, to) = (self.address(old), self.address(new));
            return self.copy_range(state, to, from, len);
        }
        // Of an array of which one element is followed, the cells are that element's.
        let is_plain = self.stride(state, old).is_none() && self.stride(state, new).is_none();
        let Some(object) = state.memory.get(old) else { return gap("an object that is not") };
        if !is_plain || object.background != Background::Uninit || object.chain.is_some() {
            return gap("a realloc of an object of unknown size");
        }
        // What does not fit any more is not looked at, except for what it keeps from being lost.
        let cells = object.cells.clone();
        if self.marks.kept.is_some() {
            for (&offset, cell) in &cells {
                let end = self.pointer_const(offset.saturating_add(u64::from(cell.bytes)));
                let is_outside = self.smt.pool.ult(bytes, end);
                if self.speaks_of_addresses(cell.value) && !self.is_excluded(state, is_outside) {
                    return gap("a realloc that may leave out a pointer");
                }
            }
        }
        if let Some(object) = state.memory.get_mut(new) {
            object.cells = cells;
        }
        Ok(())
    }

    /// `free`: of null it is nothing, of anything but the start of a live heap object it is the end.
    pub(super) fn release(&mut self, state: &mut State, pointer: ExprId) -> Step<()> {
        let places = self.places(pointer);
        let [Place { base, offset, .. }] = places[..] else {
            return gap("a free of one of several objects");
        };
        let zero = self.pointer_const(0);
        let is_moved = self.smt.pool.ne(offset, zero);
        match base {
            Base::Object(instance) => {
                let Some(object) = state.memory.get(instance) else { return Err(Stop::End) };
                let (origin, life) = (object.origin, object.life);
                // What a caller gives to be freed was allocated.
                let is_given = matches!(origin, Origin::Given(_));
                if is_given && !self.is_never(state, is_moved) {
                    return gap("a free of a part of what the caller gives");
                }
                let is_heap = is_given || matches!(origin, Origin::Heap(_));
                if !is_heap || life != Life::Live {
                    return Err(Stop::End);
                }
                let at_start = self.smt.pool.not(is_moved);
                self.assume(state, at_start)?;
                let Some(object) = state.memory.get_mut(instance) else { return Err(Stop::End) };
                object.life = Life::Freed;
                object.cells.clear();
                Ok(())
            }
            Base::Number if self.is_never(state, is_moved) => Ok(()),
            Base::Number if self.smt.pool.as_const(offset).is_none() => {
                gap("a free of an address that is not known")
            }
            Base::Number | Base::Junk => Err(Stop::End),
            Base::Mixed => gap("a free of a computed address"),
        }
    }
}
