//! What a function is given that nobody in the program calls: objects of the types that its parameters point to. What
//! lies in them is chosen when it is looked at; a pointer in them is null or leads to a new object, of its type.
//!
//! Invariants: what is known of such an object is what the entry assumes. Where nobody knows how large one is, an
//! access outside what its type covers leaves the model. That a pointer is null may be an arbitrary choice
//! ([`Source::Assumed`]) which must not be all that a violation rests on.

use super::machine::{Machine, Source, Step, gap, object};
use super::memory::{Background, Instance, Memory, Origin, Sure};
use super::state::State;
use super::value::Value;
use crate::entries::types::{self, Part};
use crate::entries::{Given, Globals, Null, Size};
use crate::ir::{CTypeId, FuncId, TypeId};
use crate::smt::{Answer, ExprId, Limits};

/// An object that a caller gives is at most this large.
const LARGEST: u64 = 1 << 40;

/// The number of an object that is no parameter's.
const NOBODYS: u32 = u32::MAX;

/// What callers give a pointer to.
#[derive(Debug, Clone, Copy)]
struct Behind {
    number: u32,
    to: Option<CTypeId>,
    null: Null,
    sure: Sure,
}

impl Machine<'_> {
    /// What the entry is given, if it is not `main`.
    pub(super) fn given_arguments(
        &mut self,
        state: &mut State,
        func: FuncId,
    ) -> Option<Step<Vec<Value>>> {
        let given = self.given.as_ref().filter(|given| given.func == func)?.params.clone()?;
        let params = self.program.funcs[func].params.iter();
        let types: Vec<TypeId> = params.map(|param| self.program.values[param].ty).collect();
        Some(self.arguments_of(state, &given, &types))
    }

    fn arguments_of(
        &mut self,
        state: &mut State,
        given: &[Given],
        types: &[TypeId],
    ) -> Step<Vec<Value>> {
        let mut args = Vec::new();
        // Numbers first: they say how large objects are.
        for (given, &ty) in given.iter().zip(types) {
            args.push(match given {
                Given::Any => Some(self.arbitrary(state, ty, Source::Input)?),
                Given::Object { .. } | Given::Text { .. } | Given::Function { .. } => None,
            });
        }
        for (number, given) in given.iter().enumerate() {
            let number = number as u32;
            let behind = |to, null| Behind { number, to, null, sure: Sure::All };
            let pointer = match *given {
                Given::Any => continue,
                Given::Text { null } => {
                    let text = self.text_from(state, Origin::Given(number))?;
                    self.or_null(state, text, behind(None, null))
                }
                Given::Function { null } => {
                    let size = self.pointer_const(1);
                    let made = object(Origin::Given(number), size, Background::Code);
                    let instance = state.memory.push(made);
                    let address = self.address(instance);
                    self.or_null(state, address, behind(None, null))
                }
                Given::Object { pointee, size, null } => {
                    let (bytes, open) = match size {
                        Size::AtLeast(bytes) => (self.pointer_const(bytes), true),
                        Size::Exactly(bytes) => (self.pointer_const(bytes), false),
                        Size::Times { param, unit } => {
                            let count = args.get(param as usize).cloned().flatten();
                            (self.counted(state, count, unit)?, false)
                        }
                    };
                    let sure = self.sure_of(pointee, Sure::All);
                    self.new_object(state, bytes, open, Behind { sure, ..behind(pointee, null) })
                }
            };
            args[number as usize] = Some(Value::Bits(pointer));
        }
        let all: Option<Vec<Value>> = args.into_iter().collect();
        all.map_or_else(|| gap("an argument that nobody gives"), Ok)
    }

    /// The size of so many elements. There are not fewer than none, and not more than fit into memory.
    fn counted(&mut self, state: &mut State, count: Option<Value>, unit: u64) -> Step<ExprId> {
        let Some(count) = count.and_then(|count| count.bits()) else {
            return gap("a length that is no number");
        };
        let width = self.smt.pool.width(count);
        let most = LARGEST.checked_div(unit).unwrap_or(LARGEST);
        let most = if width > 1 && width < 64 { most.min((1 << (width - 1)) - 1) } else { most };
        let most = self.smt.pool.constant(u128::from(most), width);
        let fits = self.smt.pool.ule(count, most);
        self.assume(state, fits)?;
        let count = self.smt.pool.resize(count, self.pointer_bits, false);
        let unit = self.pointer_const(unit);
        Ok(self.smt.pool.mul(count, unit))
    }

    fn new_object(
        &mut self,
        state: &mut State,
        size: ExprId,
        open: bool,
        behind: Behind,
    ) -> ExprId {
        let background = Background::Given { ty: behind.to, open, sure: behind.sure };
        let instance = state.memory.push(object(Origin::Given(behind.number), size, background));
        let address = self.address(instance);
        self.or_null(state, address, behind)
    }

    /// What is sure of the content of an object that is reached from one of which that much is.
    fn sure_of(&self, ty: Option<CTypeId>, parent: Sure) -> Sure {
        match parent {
            Sure::All if ty.is_some_and(|ty| types::is_record(self.program, ty)) => Sure::Pointers,
            other => other,
        }
    }

    fn or_null(&mut self, state: &mut State, address: ExprId, behind: Behind) -> ExprId {
        let source = match behind.null {
            Null::Never => return address,
            Null::Asked => Source::Assumed,
            Null::Maybe => Source::Input,
        };
        let exists = self.fresh(state, 1, source);
        if behind.sure == Sure::Nothing {
            self.doubt_value(state, exists);
        }
        let null = self.pointer_const(0);
        self.smt.pool.ite(exists, address, null)
    }

    /// Real executions may not have the value.
    fn doubt_value(&self, state: &mut State, value: ExprId) {
        state.uncertain.extend(self.smt.pool.free_vars(&[value]));
    }

    /// What lies in an object that was given, where nobody has written or looked yet.
    pub(super) fn given_content(
        &mut self,
        state: &mut State,
        instance: Instance,
        (ty, sure): (Option<CTypeId>, Sure),
        (offset, bytes): (u64, u32),
        is_pointer: bool,
    ) -> Step<ExprId> {
        let part =
            ty.map_or(Part::Plain, |ty| types::part(self.program, ty, offset, u64::from(bytes)));
        let pointer = match part {
            Part::Pointer(to) => Some(to),
            Part::Shared(to) if is_pointer => Some(to),
            Part::Plain | Part::Shared(_) => None,
            Part::Broken => return gap("a part of an address that the caller gives"),
        };
        let value = match pointer {
            Some(to) => self.given_pointer(state, to, sure)?,
            None if bytes <= 16 => {
                let value = self.fresh(state, bytes * 8, Source::Input);
                if sure != Sure::All {
                    self.doubt_value(state, value);
                }
                value
            }
            None => return gap("a read of more than 16 bytes that were never written"),
        };
        self.write(state, instance, offset, u64::from(bytes), value);
        Ok(value)
    }

    /// A pointer in an object that was given: null, or to an object of its own.
    fn given_pointer(
        &mut self,
        state: &mut State,
        to: Option<CTypeId>,
        parent: Sure,
    ) -> Step<ExprId> {
        let sure = self.sure_of(to, parent);
        let behind = Behind { number: NOBODYS, to, null: Null::Asked, sure };
        if to.is_some_and(|to| types::is_function(self.program, to)) {
            let size = self.pointer_const(1);
            let instance =
                state.memory.push(object(Origin::Given(NOBODYS), size, Background::Code));
            let address = self.address(instance);
            return Ok(self.or_null(state, address, behind));
        }
        let is_text =
            |to: CTypeId| types::is_char(self.program, to) && types::is_const(self.program, to);
        if sure == Sure::All && to.is_some_and(is_text) {
            let text = self.text_from(state, Origin::Given(NOBODYS))?;
            return Ok(self.or_null(state, text, behind));
        }
        let size = to.and_then(|to| types::size(self.program, to)).unwrap_or(0);
        let size = self.pointer_const(size);
        Ok(self.new_object(state, size, true, behind))
    }

    /// Variables that other functions may have changed hold anything of their type.
    pub(super) fn change_globals(&self, memory: &mut Memory) {
        let Some(Globals::Changed(changed)) = self.given.as_ref().map(|given| &given.globals)
        else {
            return;
        };
        for &global in changed {
            let var = self.program.globals[global].var.expand();
            let ty = var.and_then(|var| self.program.debug.vars[var].ty.expand());
            if let Some(object) = memory.get_mut(self.global_instance(global)) {
                object.background = Background::Given { ty, open: false, sure: Sure::Nothing };
            }
        }
    }

    /// What the caller gets is not lost when the entry returns.
    pub(super) fn hand_out(&mut self, state: &mut State, value: Option<&Value>) {
        let Some(value) = value.filter(|_| self.given.is_some()) else { return };
        let mut scalars = Vec::new();
        value.scalars(&mut scalars);
        let size = self.pointer_const(16 * scalars.len() as u64);
        let mut made = object(Origin::Given(NOBODYS), size, Background::Zero);
        for (index, bits) in (0..).zip(scalars) {
            let bytes = self.smt.pool.width(bits).div_ceil(8);
            let value = self.smt.pool.zext(bits, bytes * 8);
            made.cells.insert(16 * index, super::memory::Cell { bytes, value });
        }
        state.memory.push(made);
    }

    /// Whether nobody knows where the object ends.
    pub(super) fn is_open(&self, state: &State, instance: Instance) -> bool {
        state.memory.get(instance).is_some_and(|object| match object.background {
            _ if self.is_of_unknown_size(object.origin) => true,
            Background::Given { open, .. } => open,
            // That it is a text at all is only likely.
            Background::Text => object.origin == Origin::Given(NOBODYS),
            Background::Zero | Background::Uninit | Background::Init(_) => false,
            Background::Outside | Background::Arguments { .. } | Background::Code => false,
        })
    }

    /// `extern int table[];`: whoever defines it says how many elements there are.
    fn is_of_unknown_size(&self, origin: Origin) -> bool {
        let Origin::Global(global) = origin else { return false };
        let global = &self.program.globals[global];
        global.init.is_none() && global.size == 0
    }

    /// Goes on only if an access stays in what is known of an open object whenever `guard` holds.
    pub(super) fn stays_inside(
        &mut self,
        state: &State,
        instance: Instance,
        guard: ExprId,
        outside: ExprId,
    ) -> Step<()> {
        if !self.is_open(state, instance) || self.smt.pool.as_const(outside) == Some(0) {
            return Ok(());
        }
        let mut conditions = state.conditions();
        conditions.extend([guard, outside]);
        let limits = Limits { milliseconds: 1000, ..Limits::default() };
        match self.smt.check(&conditions, &limits) {
            Answer::Unsat(_) => Ok(()),
            Answer::Sat(_) | Answer::Unknown(_) => {
                gap("an access to more than one element of what the caller gives")
            }
        }
    }

    /// The smallest and the largest offset that the path allows: what lies beside them is of other types.
    pub(super) fn narrowed(
        &mut self,
        state: &State,
        offset: ExprId,
        (low, high, step): (u64, u64, u64),
    ) -> (u64, u64) {
        let conditions = state.conditions();
        let limits = Limits { milliseconds: 300, ..Limits::default() };
        let is_beyond = |machine: &mut Self, index: u64, below: bool| {
            let at = machine.pointer_const(low + index * step);
            let beyond = match below {
                true => machine.smt.pool.ult(offset, at),
                false => machine.smt.pool.ult(at, offset),
            };
            let mut all = conditions.clone();
            all.push(beyond);
            !matches!(machine.smt.check(&all, &limits), Answer::Unsat(_))
        };
        let count = (high - low) / step;
        // As many steps from below, and as few from above, as the path is sure not to need.
        let (mut first, mut last) = (0, count);
        let mut width = count;
        while width > 0 {
            let middle = first + width.div_ceil(2);
            if middle <= count && !is_beyond(self, middle, true) {
                first = middle;
            }
            width /= 2;
        }
        let mut width = count;
        while width > 0 {
            let middle = last.saturating_sub(width.div_ceil(2));
            if middle >= first && !is_beyond(self, middle, false) {
                last = middle;
            }
            width /= 2;
        }
        (low + first * step, low + last * step)
    }

    /// Whether a condition rests on a pointer's being null that callers may never give.
    pub(super) fn rests_on_assumed(&self, condition: ExprId) -> bool {
        let vars = self.smt.pool.free_vars(&[condition]);
        vars.into_iter().any(|v| matches!(self.source_of(v), Some((_, Source::Assumed))))
    }
}
