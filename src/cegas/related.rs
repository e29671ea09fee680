//! The places that explain a violation besides the way to it: where the object was made, where it was freed,
//! where a pointer became null. They are found while the path is walked again, so they are of that execution.

use super::address::{Base, Place};
use super::machine::Machine;
use super::memory::{Instance, Origin};
use super::state::State;
use crate::ir::{BinaryOp, Callee, CheckKind, Def, Inst, InstId, Operand, OverflowOp, ValueId};
use crate::library::accesses::Extent;
use crate::rules::bad_shift::{self, Shift};
use crate::rules::{Demand, Fault};
use crate::smt::value::signed;
use rustc_hash::FxHashMap;

/// A place and what happened there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Related {
    pub at: InstId,
    pub text: String,
}

/// What a walk remembers for the end.
#[derive(Debug, Default)]
pub(super) struct Past {
    freed: FxHashMap<Instance, InstId>,
    stored: FxHashMap<(Instance, u128), InstId>,
    /// Where a variable was last told to be this value.
    bound: FxHashMap<ValueId, InstId>,
}

impl Past {
    pub(super) fn bind(&mut self, value: Operand, at: InstId) {
        if let Operand::Value(value) = value {
            self.bound.insert(value, at);
        }
    }
}

impl Machine<'_> {
    /// Takes down what an instruction is about to do; gives the name of what it frees.
    pub(super) fn take_down(
        &mut self,
        past: &mut Past,
        state: &State,
        at: InstId,
    ) -> Option<String> {
        match self.program.insts[at].inst {
            Inst::Store { ptr, .. } if !self.marks.is_model(self.program.func_of(at)) => {
                let (instance, offset) = self.aim(state, ptr)?;
                past.stored.insert((instance, offset), at);
                None
            }
            Inst::Call { callee: Callee::Direct(func), args } => {
                let name = self.program.funcs[func].name.as_str();
                if !matches!(name, "free" | "realloc") {
                    return None;
                }
                let pointer = *self.program.operands(args).first()?;
                let (instance, _) = self.aim(state, pointer)?;
                past.freed.entry(instance).or_insert(self.site(state, at));
                self.object_name(state, instance)
            }
            _ => None,
        }
    }

    /// What explains that the demand of this number is not met.
    pub(super) fn related(
        &mut self,
        past: &Past,
        state: &State,
        at: InstId,
        number: usize,
    ) -> Vec<Related> {
        let pointer = match self.marks.at(at).get(number).map(|mark| mark.demand) {
            Some(Demand::Access { pointer, fault: Fault::Null, .. }) => {
                let from = self.null_from(past, state, pointer);
                let related = from.map(|at| Related { at, text: "null since here".to_owned() });
                return related.into_iter().collect();
            }
            Some(Demand::Access { pointer, .. } | Demand::Free { pointer, .. }) => pointer,
            Some(_) | None => return Vec::new(),
        };
        let Some((instance, _)) = self.aim(state, pointer) else { return Vec::new() };
        let made = match state.memory.get(instance).map(|object| object.origin) {
            Some(Origin::Heap(at)) => Some((at, "allocated here")),
            Some(Origin::Local(at)) => Some((self.declared(at), "the variable lives here")),
            Some(Origin::Global(_) | Origin::Func(_) | Origin::Varargs(_))
            | Some(Origin::Argument | Origin::Given(_))
            | None => None,
        };
        let freed = past.freed.get(&instance).map(|&at| (at, "freed here"));
        let told = |(at, text): (InstId, &str)| Related { at, text: text.to_owned() };
        made.into_iter().chain(freed).map(told).collect()
    }

    /// Where a variable is declared: the room for it is made at the start of its function.
    fn declared(&self, made: InstId) -> InstId {
        let program = self.program;
        let Some(value) = program.insts[made].result.expand().map(Operand::Value) else {
            return made;
        };
        let is_told = |inst: &InstId| program.insts[*inst].loc.is_some();
        let mut bindings = program.debug.bindings.iter();
        if let Some(binding) = bindings.find(|b| b.address && b.value == value) {
            let insts = program.blocks[program.insts[binding.at].block].insts;
            let mut behind = insts.iter().skip_while(|&inst| inst < binding.at);
            return behind.find(is_told).unwrap_or(made);
        }
        let blocks = program.funcs[program.func_of(made)].blocks;
        let mut insts = blocks.iter().flat_map(|block| program.blocks[block].insts.iter());
        let is_used = |inst: &InstId| {
            let mut is_used = false;
            program.for_each_operand(&program.insts[*inst].inst, |o| is_used |= o == value);
            is_used && is_told(inst)
        };
        insts.find(is_used).unwrap_or(made)
    }

    /// The numbers that make a violation one: an index, an offset, a sum that does not fit.
    pub(super) fn missed(&mut self, state: &State, at: InstId, number: usize) -> Option<String> {
        let demand = self.marks.at(at).get(number)?.demand;
        match self.program.insts[at].inst {
            Inst::Check { cond, kind: CheckKind::ArrayBounds } => {
                return self.index_of(state, cond);
            }
            Inst::Check { cond, kind: CheckKind::SignedOverflow } => {
                return self.sum_of(state, cond);
            }
            Inst::Check { kind: CheckKind::Shift, .. } => return self.shift_of(state, at),
            _ => {}
        }
        let Demand::Access { pointer, fault: Fault::Outside, extent } = demand else { return None };
        let (instance, offset) = self.aim(state, pointer)?;
        let offset = signed(offset, self.pointer_bits);
        let size = self.smt.pool.as_const(state.memory.get(instance)?.size)?;
        let name = self.object_name(state, instance)?;
        let what = match extent {
            Extent::Bytes(1) => "the byte".to_owned(),
            Extent::Bytes(bytes) => format!("{bytes} bytes"),
            Extent::Times(..) | Extent::Text { .. } | Extent::Open { .. } | Extent::Hidden => {
                "bytes".to_owned()
            }
        };
        let of = if size == 1 { "byte" } else { "bytes" };
        Some(format!("access to {what} at offset {offset} of {name}, which has {size} {of}"))
    }

    /// The index that a comparison with the length of an array is of.
    fn index_of(&mut self, state: &State, compared: Operand) -> Option<String> {
        let &Inst::IntCmp { lhs, rhs, .. } = self.program.defined_by(compared)? else {
            return None;
        };
        let (index, _) = self.known_number(state, lhs)?;
        let (length, _) = self.known_number(state, rhs)?;
        Some(format!("the index is {index}, and the array has {length} elements"))
    }

    /// The arithmetic that a check for overflow is of.
    fn sum_of(&mut self, state: &State, fits: Operand) -> Option<String> {
        let &Inst::Binary { op: BinaryOp::Xor, lhs, .. } = self.program.defined_by(fits)? else {
            return None;
        };
        let &Inst::Overflow { op, lhs, rhs } = self.program.defined_by(lhs)? else { return None };
        let op = match op {
            OverflowOp::SAdd => "+",
            OverflowOp::SSub => "-",
            OverflowOp::SMul => "*",
            OverflowOp::UAdd | OverflowOp::USub | OverflowOp::UMul => return None,
        };
        let (a, bits) = self.known_number(state, lhs)?;
        let (b, _) = self.known_number(state, rhs)?;
        Some(format!("{a} {op} {b} does not fit {bits} bits"))
    }

    /// The shift that the check before it is of.
    fn shift_of(&mut self, state: &State, check: InstId) -> Option<String> {
        let Shift { op, value, by, .. } = bad_shift::checked(self.program, check)?;
        let (value, bits) = self.known_number(state, value)?;
        let (by, _) = self.known_number(state, by)?;
        if !(0..i128::from(bits)).contains(&by) {
            return Some(format!("a value of {bits} bits is shifted by {by}"));
        }
        let is_left = op == BinaryOp::Shl;
        is_left.then(|| match value {
            ..0 => format!("{value} is negative, and shifted to the left"),
            _ => format!("{value} << {by} does not fit {bits} bits"),
        })
    }

    /// An operand's value and width.
    fn known_number(&mut self, state: &State, operand: Operand) -> Option<(i128, u32)> {
        // Looking at an undefined value makes an arbitrary one, which must not shift the others.
        let bits = self.bits(&mut state.clone(), operand).ok()?;
        let width = self.smt.pool.width(bits);
        Some((signed(self.smt.pool.as_const(bits)?, width), width))
    }

    /// The one object a pointer points into, and the offset there.
    fn aim(&mut self, state: &State, pointer: Operand) -> Option<(Instance, u128)> {
        // Looking at an undefined value makes an arbitrary one, which must not shift the others.
        let pointer = self.bits(&mut state.clone(), pointer).ok()?;
        let places = self.places(pointer);
        let [Place { base: Base::Object(instance), offset, .. }] = places[..] else { return None };
        Some((instance, self.smt.pool.as_const(offset)?))
    }

    /// Where the pointer became null: a variable's assignment, else the store that a load reads, else where the
    /// value comes from.
    fn null_from(&mut self, past: &Past, state: &State, pointer: Operand) -> Option<InstId> {
        let mut value = pointer.value()?;
        loop {
            if let Some(&at) = past.bound.get(&value) {
                return Some(at);
            }
            let Def::Inst(at) = self.program.values[value].def else { return None };
            value = match self.program.insts[at].inst {
                Inst::Gep { base, .. } => base.value()?,
                Inst::Freeze { value } => value.value()?,
                Inst::Load { ptr, .. } => {
                    let place = self.aim(state, ptr)?;
                    return past.stored.get(&place).copied();
                }
                _ => return Some(at),
            };
        }
    }
}
