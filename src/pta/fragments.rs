//! Pointers that are moved in pieces. A value narrower than a pointer may carry a part of one from
//! the load that read it to the place where the parts are joined again, as long as it stays in
//! registers. It is read from memory at exact places only, and stored to memory in two forms only:
//!
//! - a copy of the piece itself: what is loaded at an exact place and stored at an exact place (struct
//!   copies in 4-byte pieces);
//! - a copy loop: the addresses of the load and of the store move in step, by the same index or by equal
//!   increments in the same loop. The loop is then a `memmove` from where it began.
//!
//! A pointer taken apart into bytes whose way through memory is less regular than that (each byte passed
//! through a call, or filtered, or gathered bit by bit from a stream) is not followed: treating every byte as part of a pointer would let
//! the contents of all character buffers and whatever is mistaken for one flow together.

use super::constraints::{Node, Sink};
use super::generate::{Frame, Generator};
use super::objects::Step;
use crate::ir::{BinaryOp, CastOp, Def, GepTerm, Inst, InstId, Operand, PureOp, ValueId};
use rustc_hash::FxHashSet;

/// Two addresses from which a load and a store start to move in step.
struct Pair {
    to: (Operand, i64),
    from: (Operand, i64),
    /// They move upward only.
    forward: bool,
}

impl<'p> Generator<'p> {
    fn def(&self, operand: Operand) -> Option<(ValueId, InstId)> {
        let value = operand.value()?;
        match self.program.values[value].def {
            Def::Inst(inst) => Some((value, inst)),
            Def::Param { .. } => None,
        }
    }

    fn is_narrow(&self, operand: Operand) -> bool {
        self.bits(self.program.operand_type(operand)) < self.program.machine.pointer_bits
    }

    /// Stores a value that is narrower than a pointer.
    pub(super) fn write_fragment(&mut self, frame: &mut Frame<'_>, ptr: Operand, value: Operand) {
        let program = self.program;
        let Some(to) = self.pointer(frame, ptr) else {
            return;
        };
        let width = program.types.store_size(program.operand_type(value));
        let mut work = vec![value];
        let mut seen: FxHashSet<Operand> = FxHashSet::default();
        while let Some(operand) = work.pop() {
            if !seen.insert(operand) {
                continue;
            }
            if !self.is_narrow(operand) {
                // A part of a whole pointer.
                if let Some(from) = self.pointer(frame, operand) {
                    self.store(from, to, width as u32);
                }
                continue;
            }
            let Some((_, inst)) = self.def(operand) else {
                continue;
            };
            match *program.inst(inst) {
                Inst::Load { ptr: source, .. } => {
                    let loaded = program.types.store_size(program.operand_type(operand));
                    self.move_piece(frame, ptr, source, width.min(loaded));
                }
                Inst::Cast {
                    op: CastOp::Trunc | CastOp::ZExt | CastOp::SExt | CastOp::Bitcast,
                    value,
                }
                | Inst::Freeze { value } => work.push(value),
                Inst::Select { then, els, .. } => work.extend([then, els]),
                Inst::Phi { incoming } => {
                    work.extend(program.phi_pool.get(incoming).iter().map(|&(_, from)| from));
                }
                Inst::Binary { op, lhs, rhs } if is_bitwise(op) => work.extend([lhs, rhs]),
                Inst::Pure { op: PureOp::BSwap | PureOp::FShl | PureOp::FShr, args } => {
                    work.extend(program.operands(args));
                }
                _ => {}
            }
        }
    }

    /// `*ptr = *source` of `width` bytes.
    fn move_piece(&mut self, frame: &mut Frame<'_>, ptr: Operand, source: Operand, width: u64) {
        let pairs = self.in_step(ptr, source, 0).unwrap_or_default();
        if pairs.is_empty() {
            if let (Some(to), Some(from)) = (self.pointer(frame, ptr), self.pointer(frame, source))
            {
                self.copy_piece(to, from, width);
            }
            return;
        }
        for Pair { to, from, forward } in pairs {
            let nodes = (self.pointer(frame, to.0), self.pointer(frame, from.0));
            if let (Some(to_node), Some(from_node)) = nodes {
                let to = self.stepped(to_node, Step::by(to.1));
                let from = self.stepped(from_node, Step::by(from.1));
                self.copy_loop(to, from, forward);
            }
        }
    }

    /// Whether a store of a loaded integer or pointer belongs to a copy loop; if so, writes the copy.
    pub(super) fn copies_words(
        &mut self,
        frame: &mut Frame<'_>,
        ptr: Operand,
        value: Operand,
    ) -> bool {
        let Some((_, inst)) = self.def(value) else {
            return false;
        };
        let Inst::Load { ptr: source, .. } = *self.program.inst(inst) else {
            return false;
        };
        if self.program.is_pointer(value) || self.in_step(ptr, source, 0).is_none() {
            return false;
        }
        self.move_piece(frame, ptr, source, 0);
        true
    }

    /// Where the two addresses start, if they move in step: then their distance stays what it is there.
    fn in_step(&self, a: Operand, b: Operand, depth: u32) -> Option<Vec<Pair>> {
        let program = self.program;
        let ((a_value, a_inst), (b_value, b_inst)) = (self.def(a)?, self.def(b)?);
        if a == b || depth > 3 {
            return None;
        }
        match (*program.inst(a_inst), *program.inst(b_inst)) {
            (
                Inst::Gep { base: a_base, offset: a_offset, terms: a_terms, .. },
                Inst::Gep { base: b_base, offset: b_offset, terms: b_terms, .. },
            ) => {
                let terms = program.term_pool.get(a_terms);
                if terms != program.term_pool.get(b_terms) {
                    return None;
                }
                match self.in_step(a_base, b_base, depth + 1) {
                    Some(mut pairs) => {
                        for pair in &mut pairs {
                            pair.to.1 = pair.to.1.wrapping_add(a_offset);
                            pair.from.1 = pair.from.1.wrapping_add(b_offset);
                            pair.forward &= terms.is_empty();
                        }
                        Some(pairs)
                    }
                    None if terms.is_empty() => None,
                    None => {
                        let (to, from) = ((a_base, a_offset), (b_base, b_offset));
                        Some(vec![Pair { to, from, forward: false }])
                    }
                }
            }
            (Inst::Phi { incoming: a_in }, Inst::Phi { incoming: b_in })
                if program.insts[a_inst].block == program.insts[b_inst].block =>
            {
                let mut pairs = Vec::new();
                let (mut turns, mut forward) = (0, true);
                for &(from, x) in program.phi_pool.get(a_in) {
                    let others = program.phi_pool.get(b_in).iter();
                    let y = others.clone().find(|(block, _)| *block == from)?.1;
                    match (self.increment(x, a_value), self.increment(y, b_value)) {
                        (Some(by), Some(other)) if by == other => {
                            turns += 1;
                            forward &= by.0 > 0 && by.1.is_empty();
                        }
                        _ => pairs.push(Pair { to: (x, 0), from: (y, 0), forward: true }),
                    }
                }
                pairs.iter_mut().for_each(|pair| pair.forward = forward);
                (turns > 0).then_some(pairs)
            }
            _ => None,
        }
    }

    /// By how much `operand` is ahead of `start`, if that is how it is computed.
    fn increment(&self, operand: Operand, start: ValueId) -> Option<(i64, &'p [GepTerm])> {
        let (_, inst) = self.def(operand)?;
        match *self.program.inst(inst) {
            Inst::Gep { base, offset, terms, .. } if base == Operand::Value(start) => {
                let program: &'p crate::ir::Program = self.program;
                Some((offset, program.term_pool.get(terms)))
            }
            _ => None,
        }
    }

    fn copy_loop(&mut self, to: Node, from: Node, forward: bool) {
        let (len, around) = (u64::MAX, !forward);
        let copy = super::constraints::MemCopy { to, from, len, around, exact: false };
        self.constraints.memory_copies.push(copy);
    }

    fn copy_piece(&mut self, to: Node, from: Node, len: u64) {
        let copy = super::constraints::MemCopy { to, from, len, around: false, exact: true };
        self.constraints.memory_copies.push(copy);
    }
}

fn is_bitwise(op: BinaryOp) -> bool {
    use BinaryOp::{AShr, And, LShr, Or, Shl, Xor};
    matches!(op, And | Or | Xor | Shl | LShr | AShr)
}
