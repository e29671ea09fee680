//! Pointers that are moved in pieces. A value narrower than a pointer may carry a part of one from
//! the load that read it to the place where the parts are joined again, as long as it stays in
//! registers. It is read from memory at exact places only, and stored to memory in two forms only:
//!
//! - a copy of the piece itself: what is loaded at an exact place and stored at an exact place (struct
//!   copies in 4-byte pieces);
//! - a copy loop: the addresses of the load and of the store move in step, by the same index or by equal
//!   increments in the same loop. The loop is then a `memmove` from where it began; where the indices have something
//!   in common and are not the same, or the same loop counts both, from anywhere to anywhere. If less is stored than
//!   was loaded, it is no copy: what lies wherever the one leads may land wherever the other does, and nowhere else.
//!
//! A pointer taken apart into bytes whose way through memory is less regular than that (each byte passed
//! through a call, or filtered, or gathered bit by bit from a stream) is not followed: treating every byte as part of a pointer would let
//! the contents of all character buffers and whatever is mistaken for one flow together.

use super::constraints::{Node, Role, Sink};
use super::generate::{Frame, Generator};
use super::objects::Step;
use crate::ir::{BinaryOp, BlockId, CastOp, Def, GepTerm, Inst, InstId, Operand, PureOp, ValueId};
use rustc_hash::FxHashSet;

/// Operations in an index that are looked through.
const DEEPEST: u32 = 6;

/// Two addresses from which a load and a store start to move in step.
type Pair = (Operand, i64, Operand, i64);

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
                    self.move_piece(frame, ptr, source, width, loaded);
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

    /// Stores `width` bytes, at `ptr`, of the `loaded` ones at `source`.
    fn move_piece(
        &mut self,
        frame: &mut Frame<'_>,
        ptr: Operand,
        source: Operand,
        width: u64,
        loaded: u64,
    ) {
        let pairs = self.in_step(ptr, source, 0).unwrap_or_default();
        if let Some((to, from)) = self.at_related(ptr, source).filter(|_| pairs.is_empty()) {
            if width < loaded {
                let (to, from) = (self.pointer(frame, ptr), self.pointer(frame, source));
                if let (Some(to), Some(from)) = (to, from) {
                    let held = self.fresh(Role::Inner);
                    self.load(from, held, self.word());
                    self.store(held, to, self.word());
                }
            } else if let (Some(to), Some(from)) =
                (self.pointer(frame, to), self.pointer(frame, from))
            {
                let to = self.stepped(to, Step::anywhere());
                let from = self.stepped(from, Step::anywhere());
                self.copy_around(to, from);
            }
            return;
        }
        if pairs.is_empty() {
            if let (Some(to), Some(from)) = (self.pointer(frame, ptr), self.pointer(frame, source))
            {
                self.copy_piece(to, from, width.min(loaded));
            }
            return;
        }
        for (to, to_offset, from, from_offset) in pairs {
            if let (Some(to), Some(from)) = (self.pointer(frame, to), self.pointer(frame, from)) {
                let to = self.stepped(to, Step::by(to_offset));
                let from = self.stepped(from, Step::by(from_offset));
                self.copy_around(to, from);
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
        self.move_piece(frame, ptr, source, 0, 0);
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
                if !self.are_same(terms, program.term_pool.get(b_terms)) {
                    return None;
                }
                match self.in_step(a_base, b_base, depth + 1) {
                    Some(mut pairs) => {
                        for pair in &mut pairs {
                            pair.1 = pair.1.wrapping_add(a_offset);
                            pair.3 = pair.3.wrapping_add(b_offset);
                        }
                        Some(pairs)
                    }
                    None if terms.is_empty() => None,
                    None => Some(vec![(a_base, a_offset, b_base, b_offset)]),
                }
            }
            (Inst::Phi { incoming: a_in }, Inst::Phi { incoming: b_in })
                if program.insts[a_inst].block == program.insts[b_inst].block =>
            {
                let mut pairs = Vec::new();
                let mut turns = 0;
                for &(from, x) in program.phi_pool.get(a_in) {
                    let others = program.phi_pool.get(b_in).iter();
                    let y = others.clone().find(|(block, _)| *block == from)?.1;
                    match (self.increment(x, a_value), self.increment(y, b_value)) {
                        (Some(by), Some(other)) if by == other => turns += 1,
                        _ => pairs.push((x, 0, y, 0)),
                    }
                }
                (turns > 0).then_some(pairs)
            }
            _ => None,
        }
    }

    /// Where two addresses start that are moved by indices with something in common, or by counters of one loop.
    fn at_related(&self, a: Operand, b: Operand) -> Option<(Operand, Operand)> {
        let ((a_base, ours), (b_base, theirs)) = (self.moved_by(a)?, self.moved_by(b)?);
        let counted = |by: &FxHashSet<ValueId>| -> FxHashSet<BlockId> {
            by.iter().filter_map(|&value| self.counts_in(value)).collect()
        };
        let is_related =
            !ours.is_disjoint(&theirs) || !counted(&ours).is_disjoint(&counted(&theirs));
        is_related.then_some((a_base, b_base))
    }

    /// Where an address starts, and what moves it.
    fn moved_by(&self, operand: Operand) -> Option<(Operand, FxHashSet<ValueId>)> {
        let (value, inst) = self.def(operand)?;
        let mut by = FxHashSet::default();
        match *self.program.inst(inst) {
            Inst::Gep { base, terms, .. } => {
                let terms = self.program.term_pool.get(terms).iter();
                terms.for_each(|term| self.made_of(term.index, 0, &mut by));
                Some((base, by))
            }
            Inst::Phi { .. } => {
                by.insert(value);
                Some((operand, by))
            }
            _ => None,
        }
    }

    /// The head of the loop in each turn of which a value is moved by so much.
    fn counts_in(&self, value: ValueId) -> Option<BlockId> {
        let program = self.program;
        let own = Operand::Value(value);
        let (_, inst) = self.def(own)?;
        let Inst::Phi { incoming } = *program.inst(inst) else { return None };
        let is_next = |&(_, from): &(BlockId, Operand)| match program.defined_by(from) {
            Some(&Inst::Binary { op: BinaryOp::Add | BinaryOp::Sub, lhs, rhs }) => {
                lhs == own && rhs.constant().is_some()
            }
            Some(&Inst::Gep { base, .. }) => base == own,
            _ => false,
        };
        program.phi_pool.get(incoming).iter().any(is_next).then(|| program.insts[inst].block)
    }

    /// The values that an index is computed from.
    fn made_of(&self, index: Operand, depth: u32, into: &mut FxHashSet<ValueId>) {
        let Some(value) = index.value() else { return };
        let inst = self.def(index).map(|(_, inst)| *self.program.inst(inst));
        match inst {
            Some(Inst::Cast { value, .. } | Inst::Freeze { value }) if depth < DEEPEST => {
                self.made_of(value, depth + 1, into);
            }
            Some(Inst::Binary { lhs, rhs, .. }) if depth < DEEPEST => {
                self.made_of(lhs, depth + 1, into);
                self.made_of(rhs, depth + 1, into);
            }
            _ => _ = into.insert(value),
        }
    }

    /// Whether these indices are computed in the same way from the same values: each use of a counter that is
    /// narrower than a pointer makes it wider anew.
    fn are_same(&self, a: &[GepTerm], b: &[GepTerm]) -> bool {
        let is_same = |(x, y): (&GepTerm, &GepTerm)| {
            (x.stride, x.count) == (y.stride, y.count) && self.is_same(x.index, y.index, 0)
        };
        a.len() == b.len() && a.iter().zip(b).all(is_same)
    }

    fn is_same(&self, a: Operand, b: Operand, depth: u32) -> bool {
        if a == b {
            return true;
        }
        let (Some((_, a_inst)), Some((_, b_inst))) = (self.def(a), self.def(b)) else {
            return false;
        };
        let program = self.program;
        let is_one_type = program.operand_type(a) == program.operand_type(b);
        match (*program.inst(a_inst), *program.inst(b_inst)) {
            _ if depth >= DEEPEST || !is_one_type => false,
            (Inst::Cast { op, value }, Inst::Cast { op: other, value: with }) => {
                op == other && self.is_same(value, with, depth + 1)
            }
            (Inst::Freeze { value }, Inst::Freeze { value: with }) => {
                self.is_same(value, with, depth + 1)
            }
            (Inst::Binary { op, lhs, rhs }, Inst::Binary { op: other, lhs: x, rhs: y }) => {
                op == other && self.is_same(lhs, x, depth + 1) && self.is_same(rhs, y, depth + 1)
            }
            _ => false,
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

    fn copy_around(&mut self, to: Node, from: Node) {
        let len = u64::MAX;
        let copy = super::constraints::MemCopy { to, from, len, around: true, exact: false };
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
