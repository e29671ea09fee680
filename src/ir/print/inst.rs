//! Instructions as text: `[result =] opcode operands`.

use super::Printer;
use crate::ir::ids::{InstId, List};
use crate::ir::inst::{Access, Callee, CheckKind, Inst, Operand};
use crate::ir::words::{ACCESS_FLAGS, Opcode, Word};
use std::fmt;

impl Printer<'_, '_> {
    pub(super) fn inst(&mut self, id: InstId) -> fmt::Result {
        let Some(data) = self.program.insts.get(id) else {
            return write!(self.out, "{id}");
        };
        if let Some(result) = data.result.expand() {
            self.definition(result)?;
            self.out.write_str(" = ")?;
        }
        let program = self.program;
        match data.inst {
            Inst::Binary { op, lhs, rhs } => self.words(&[op.word()], &[lhs, rhs]),
            Inst::Overflow { op, lhs, rhs } => {
                self.words(&[Opcode::Overflow.word(), op.word()], &[lhs, rhs])
            }
            Inst::IntCmp { pred, lhs, rhs } => {
                self.words(&[Opcode::IntCmp.word(), pred.word()], &[lhs, rhs])
            }
            Inst::FloatCmp { pred, lhs, rhs } => {
                self.words(&[Opcode::FloatCmp.word(), pred.word()], &[lhs, rhs])
            }
            Inst::Cast { op, value } => self.words(&[op.word()], &[value]),
            Inst::Pure { op, args } => {
                self.words(&[Opcode::Pure.word(), op.word()], program.operands(args))
            }
            Inst::Select { cond, then, els } => self.plain(Opcode::Select, &[cond, then, els]),
            Inst::Freeze { value } => self.plain(Opcode::Freeze, &[value]),
            Inst::Phi { incoming } => {
                self.plain(Opcode::Phi, &[])?;
                self.out.write_char(' ')?;
                self.list(('[', ']'), program.phi_pool.get(incoming), |p, &(block, value)| {
                    p.block(block)?;
                    p.out.write_str(": ")?;
                    p.operand(value)
                })
            }
            Inst::Extract { aggregate, path } => {
                self.plain(Opcode::Extract, &[aggregate])?;
                self.path(path)
            }
            Inst::Insert { aggregate, value, path } => {
                self.plain(Opcode::Insert, &[aggregate, value])?;
                self.path(path)
            }
            Inst::ExtractElement { vector, index } => {
                self.plain(Opcode::ExtractElement, &[vector, index])
            }
            Inst::InsertElement { vector, value, index } => {
                self.plain(Opcode::InsertElement, &[vector, value, index])
            }
            Inst::Shuffle { lhs, rhs, mask } => {
                self.plain(Opcode::Shuffle, &[lhs, rhs])?;
                self.path(mask)
            }
            Inst::Uninit => self.plain(Opcode::Uninit, &[]),

            Inst::Alloca { elem, count, align } => {
                write!(self.out, "{} ", Opcode::Alloca.word())?;
                self.ty(elem)?;
                self.out.write_str(", ")?;
                self.operand(count)?;
                write!(self.out, ", align {align}")
            }
            Inst::Load { ptr, access } => {
                self.plain(Opcode::Load, &[ptr])?;
                self.access(access)
            }
            Inst::Store { ptr, value, access } => {
                self.plain(Opcode::Store, &[ptr, value])?;
                self.access(access)
            }
            Inst::Gep { base, offset, terms, inbounds } => {
                self.out.write_str(Opcode::Gep.word())?;
                self.flag(inbounds, "inbounds")?;
                self.out.write_char(' ')?;
                self.operand(base)?;
                write!(self.out, ", {offset}")?;
                for term in program.term_pool.get(terms) {
                    self.out.write_str(", ")?;
                    self.operand(term.index)?;
                    write!(self.out, " * {}", term.stride)?;
                    if let Some(count) = term.count {
                        write!(self.out, " of {count}")?;
                    }
                }
                Ok(())
            }
            Inst::MemCopy { dst, src, len, overlap, volatile } => {
                let opcode = if overlap { Opcode::MemMove } else { Opcode::MemCpy };
                self.plain(opcode, &[dst, src, len])?;
                self.flag(volatile, "volatile")
            }
            Inst::MemSet { dst, byte, len, volatile } => {
                self.plain(Opcode::MemSet, &[dst, byte, len])?;
                self.flag(volatile, "volatile")
            }
            Inst::AtomicRmw { op, ptr, value } => {
                self.words(&[Opcode::AtomicRmw.word(), op.word()], &[ptr, value])
            }
            Inst::CmpXchg { ptr, expected, new, weak } => {
                self.plain(Opcode::CmpXchg, &[ptr, expected, new])?;
                self.flag(weak, "weak")
            }
            Inst::Fence => self.plain(Opcode::Fence, &[]),
            Inst::LifetimeStart { object } => self.plain(Opcode::LifetimeStart, &[object]),
            Inst::LifetimeEnd { object } => self.plain(Opcode::LifetimeEnd, &[object]),
            Inst::StackSave => self.plain(Opcode::StackSave, &[]),
            Inst::StackRestore { saved } => self.plain(Opcode::StackRestore, &[saved]),
            Inst::VaStart { list } => self.plain(Opcode::VaStart, &[list]),
            Inst::VaEnd { list } => self.plain(Opcode::VaEnd, &[list]),
            Inst::VaCopy { dst, src } => self.plain(Opcode::VaCopy, &[dst, src]),
            Inst::VaArg { list } => self.plain(Opcode::VaArg, &[list]),

            Inst::Call { callee, args } => {
                write!(self.out, "{} ", Opcode::Call.word())?;
                match callee {
                    Callee::Direct(func) => self.func_name(func)?,
                    Callee::Indirect(target) => self.operand(target)?,
                }
                self.args(self.told_args(callee, args))
            }
            Inst::Check { cond, kind } => {
                self.plain(Opcode::Check, &[cond])?;
                write!(self.out, ", {}", kind.word())?;
                match kind {
                    CheckKind::Other(number) => write!(self.out, " {number}"),
                    _ => Ok(()),
                }
            }
            Inst::Assume { cond } => self.plain(Opcode::Assume, &[cond]),
            Inst::Unsupported { what, args } => {
                let what = program.texts.get(what);
                write!(self.out, "{} {what:?}", Opcode::Unsupported.word())?;
                self.args(program.operands(args))
            }

            Inst::Jump { to } => {
                write!(self.out, "{} ", Opcode::Jump.word())?;
                self.block(to)
            }
            Inst::Branch { cond, then, els, negated } => {
                self.plain(Opcode::Branch, &[cond])?;
                self.out.write_str(", ")?;
                self.block(then)?;
                self.out.write_str(", ")?;
                self.block(els)?;
                self.out.write_str(if negated { ", negated" } else { "" })
            }
            Inst::Switch { value, cases, default } => {
                self.plain(Opcode::Switch, &[value])?;
                self.out.write_str(", ")?;
                self.list(('[', ']'), program.case_pool.get(cases), |p, &(case, to)| {
                    p.constant(case)?;
                    p.out.write_str(" -> ")?;
                    p.block(to)
                })?;
                self.out.write_str(", ")?;
                self.block(default)
            }
            Inst::IndirectJump { address, targets } => {
                self.plain(Opcode::IndirectJump, &[address])?;
                self.out.write_str(", ")?;
                let targets = program.block_pool.get(targets);
                self.list(('[', ']'), targets, |p, &to| p.block(to))
            }
            Inst::Return { value: None } => self.plain(Opcode::Return, &[]),
            Inst::Return { value: Some(value) } => self.plain(Opcode::Return, &[value]),
            Inst::Unreachable => self.plain(Opcode::Unreachable, &[]),
        }
    }

    fn plain(&mut self, opcode: Opcode, operands: &[Operand]) -> fmt::Result {
        self.words(&[opcode.word()], operands)
    }

    /// The words, then the operands between commas.
    fn words(&mut self, words: &[&str], operands: &[Operand]) -> fmt::Result {
        for (index, word) in words.iter().enumerate() {
            if index > 0 {
                self.out.write_char(' ')?;
            }
            self.out.write_str(word)?;
        }
        for (index, &operand) in operands.iter().enumerate() {
            self.out.write_str(if index == 0 { " " } else { ", " })?;
            self.operand(operand)?;
        }
        Ok(())
    }

    fn args(&mut self, args: &[Operand]) -> fmt::Result {
        self.list(('(', ')'), args, |p, &arg| p.operand(arg))
    }

    /// `, [0, 2]`; an undefined lane is `undef`.
    fn path(&mut self, path: List<u32>) -> fmt::Result {
        self.out.write_str(", ")?;
        let path = self.program.index_pool.get(path);
        self.list(('[', ']'), path, |p, index| match index {
            &u32::MAX => p.out.write_str("undef"),
            index => write!(p.out, "{index}"),
        })
    }

    fn access(&mut self, mut access: Access) -> fmt::Result {
        write!(self.out, ", align {}", access.align)?;
        for (word, flag) in ACCESS_FLAGS {
            self.flag(*flag(&mut access), word)?;
        }
        Ok(())
    }

    fn flag(&mut self, set: bool, word: &str) -> fmt::Result {
        if set { write!(self.out, " {word}") } else { Ok(()) }
    }
}
