//! Numbers of a pointer's width that are calculated with. Where fields of several structs meet in one set, nearly
//! every count and length of a program seems to hold some pointer, and if each sum of two of them were a pointer
//! to anywhere, all fields would soon hold everything. So arithmetic keeps pointers only where one is *seen*:
//! converted in the same function, held by a variable that is named (a union's member, say), or read where
//! the result is written (`u->number += n`). Adding a constant and masking bits always keeps them. All other arithmetic sends the pointers it may have met to one node,
//! *computed*, and every conversion from a number that is not seen to come from a pointer takes all of it.
//!
//! What is lost: a number calculated from two others that are reached through pointers, stored in yet another
//! place, and read back there as a pointer without a conversion.

use super::constraints::{Nodes, Sink};
use super::generate::Generator;
use crate::ir::{BinaryOp, CastOp, Const, Def, Inst, Operand, Program, ValueId};
use rustc_hash::FxHashSet;

impl Generator<'_> {
    /// Whether the result of this arithmetic is a number unless somebody converts it.
    pub(super) fn is_calculation(&self, result: ValueId, op: BinaryOp, args: [Operand; 2]) -> bool {
        let program = self.program;
        let masks = matches!(op, BinaryOp::And | BinaryOp::Or | BinaryOp::Xor)
            && args.iter().any(|arg| arg.constant().is_some());
        let kept = |from: Origin| match from {
            Origin::Pointer => true,
            Origin::Loaded(ptr) => {
                is_named(program, ptr) || self.written.contains(&(result, place(program, ptr)))
            }
            Origin::Constant | Origin::Elsewhere => false,
        };
        !masks && !args.iter().any(|&arg| origins(program, arg).into_iter().any(kept))
    }

    /// The conversion of `value` gives all that numbers were computed from, unless it is seen to be a pointer.
    pub(super) fn take_computed(&mut self, value: Operand, to: Nodes) {
        let program = self.program;
        let seen = |from: &Origin| matches!(from, Origin::Pointer | Origin::Constant);
        if !origins(program, value).iter().all(seen) {
            let computed = self.world.computed;
            to.iter().for_each(|to| self.copy(computed, to));
        }
    }
}

/// A place as an instruction names it: an address and an offset from it.
pub(super) type Named = (Operand, i64);

fn place(program: &Program, ptr: Operand) -> Named {
    match ptr.value().map(|value| program.values[value].def) {
        Some(Def::Inst(inst)) => match *program.inst(inst) {
            Inst::Gep { base, offset, terms, .. } if program.term_pool.get(terms).is_empty() => {
                (base, offset)
            }
            _ => (ptr, 0),
        },
        _ => (ptr, 0),
    }
}

/// Which numbers are calculated to be written to which places.
pub(super) fn written(program: &Program) -> FxHashSet<(ValueId, Named)> {
    let mut written = FxHashSet::default();
    for data in program.insts.values() {
        let Inst::Store { ptr, value, .. } = data.inst else {
            continue;
        };
        let to = place(program, ptr);
        let mut work = vec![value];
        while let Some(operand) = work.pop() {
            let Some(value) = operand.value() else {
                continue;
            };
            let Def::Inst(inst) = program.values[value].def else {
                continue;
            };
            if let Inst::Binary { lhs, rhs, .. } = *program.inst(inst)
                && written.insert((value, to))
            {
                work.extend([lhs, rhs]);
            }
        }
    }
    written
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Origin {
    /// A pointer that was converted.
    Pointer,
    Constant,
    /// What lies at this address.
    Loaded(Operand),
    /// A caller, a callee.
    Elsewhere,
}

/// What a number is made of, as far as its function shows.
fn origins(program: &Program, operand: Operand) -> Vec<Origin> {
    let mut found = Vec::new();
    let mut work = vec![operand];
    let mut seen: FxHashSet<ValueId> = FxHashSet::default();
    while let Some(operand) = work.pop() {
        let Some(value) = operand.value() else {
            found.push(constant(program, operand));
            continue;
        };
        if !seen.insert(value) {
            continue;
        }
        let Def::Inst(inst) = program.values[value].def else {
            found.push(Origin::Elsewhere);
            continue;
        };
        match *program.inst(inst) {
            Inst::Cast { op: CastOp::PtrToInt, .. } => found.push(Origin::Pointer),
            Inst::Cast { value, .. } | Inst::Freeze { value } => work.push(value),
            Inst::Binary { lhs, rhs, .. } => work.extend([lhs, rhs]),
            Inst::Select { then, els, .. } => work.extend([then, els]),
            Inst::Phi { incoming } => {
                work.extend(program.phi_pool.get(incoming).iter().map(|&(_, from)| from));
            }
            Inst::Load { ptr, .. } => found.push(Origin::Loaded(ptr)),
            _ => found.push(Origin::Elsewhere),
        }
    }
    found
}

fn constant(program: &Program, operand: Operand) -> Origin {
    match operand.constant().map(|constant| program.consts.get(constant)) {
        Some(Const::Expr(_) | Const::Global { .. } | Const::Func(_)) => Origin::Pointer,
        _ => Origin::Constant,
    }
}

/// Whether the address is one of a variable.
fn is_named(program: &Program, ptr: Operand) -> bool {
    let mut at = ptr;
    loop {
        let Some(value) = at.value() else {
            return constant(program, at) == Origin::Pointer;
        };
        let Def::Inst(inst) = program.values[value].def else {
            return false;
        };
        match *program.inst(inst) {
            Inst::Alloca { .. } => return true,
            Inst::Gep { base, .. } => at = base,
            _ => return false,
        }
    }
}
