//! Reads instructions.

use super::line::Line;
use super::{Parser, Read};
use crate::ir::ids::List;
use crate::ir::inst::{Access, BinaryOp, Callee, CastOp, CheckKind, GepTerm, Inst, Operand};
use crate::ir::words::{ACCESS_FLAGS, Opcode, Word};

impl Parser {
    /// What comes after the result.
    pub(super) fn inst(&mut self, line: &mut Line<'_>) -> Read<Inst> {
        let word = line.peek_word();
        if let Some(op) = BinaryOp::from_word(word) {
            line.word("an operation")?;
            let [lhs, rhs] = self.operands(line)?;
            return Ok(Inst::Binary { op, lhs, rhs });
        }
        if let Some(op) = CastOp::from_word(word) {
            line.word("a cast")?;
            return Ok(Inst::Cast { op, value: self.operand(line)? });
        }
        Ok(match line.table_word("an instruction")? {
            Opcode::Overflow => {
                let op = line.table_word("the operation that may overflow")?;
                let [lhs, rhs] = self.operands(line)?;
                Inst::Overflow { op, lhs, rhs }
            }
            Opcode::IntCmp => {
                let pred = line.table_word("a predicate on integers")?;
                let [lhs, rhs] = self.operands(line)?;
                Inst::IntCmp { pred, lhs, rhs }
            }
            Opcode::FloatCmp => {
                let pred = line.table_word("a predicate on floats")?;
                let [lhs, rhs] = self.operands(line)?;
                Inst::FloatCmp { pred, lhs, rhs }
            }
            Opcode::Pure => {
                let op = line.table_word("a pure operation")?;
                let mut args = Vec::new();
                if !line.at_end() && !line.peek("!") {
                    args.push(self.operand(line)?);
                    while line.eat(",") {
                        args.push(self.operand(line)?);
                    }
                }
                Inst::Pure { op, args: self.program.operand_pool.push(args) }
            }
            Opcode::Select => {
                let [cond, then, els] = self.operands(line)?;
                Inst::Select { cond, then, els }
            }
            Opcode::Freeze => Inst::Freeze { value: self.operand(line)? },
            Opcode::Phi => {
                let incoming = line.list(("[", "]"), |line| {
                    let block = line.id()?;
                    line.require(":")?;
                    Ok((block, self.operand(line)?))
                })?;
                Inst::Phi { incoming: self.program.phi_pool.push(incoming) }
            }
            Opcode::Extract => {
                let aggregate = self.operand(line)?;
                Inst::Extract { aggregate, path: self.path(line)? }
            }
            Opcode::Insert => {
                let [aggregate, value] = self.operands(line)?;
                Inst::Insert { aggregate, value, path: self.path(line)? }
            }
            Opcode::ExtractElement => {
                let [vector, index] = self.operands(line)?;
                Inst::ExtractElement { vector, index }
            }
            Opcode::InsertElement => {
                let [vector, value, index] = self.operands(line)?;
                Inst::InsertElement { vector, value, index }
            }
            Opcode::Shuffle => {
                let [lhs, rhs] = self.operands(line)?;
                Inst::Shuffle { lhs, rhs, mask: self.path(line)? }
            }
            Opcode::Uninit => Inst::Uninit,
            Opcode::Alloca => {
                let elem = self.ty(line)?;
                line.require(",")?;
                let count = self.operand(line)?;
                Inst::Alloca { elem, count, align: align(line)? }
            }
            Opcode::Load => {
                let ptr = self.operand(line)?;
                Inst::Load { ptr, access: access(line)? }
            }
            Opcode::Store => {
                let [ptr, value] = self.operands(line)?;
                Inst::Store { ptr, value, access: access(line)? }
            }
            Opcode::Gep => self.gep(line)?,
            opcode @ (Opcode::MemCpy | Opcode::MemMove) => {
                let [dst, src, len] = self.operands(line)?;
                let overlap = opcode == Opcode::MemMove;
                let volatile = line.eat_word("volatile");
                Inst::MemCopy { dst, src, len, overlap, volatile }
            }
            Opcode::MemSet => {
                let [dst, byte, len] = self.operands(line)?;
                Inst::MemSet { dst, byte, len, volatile: line.eat_word("volatile") }
            }
            Opcode::AtomicRmw => {
                let op = line.table_word("an atomic operation")?;
                let [ptr, value] = self.operands(line)?;
                Inst::AtomicRmw { op, ptr, value }
            }
            Opcode::CmpXchg => {
                let [ptr, expected, new] = self.operands(line)?;
                Inst::CmpXchg { ptr, expected, new, weak: line.eat_word("weak") }
            }
            Opcode::Fence => Inst::Fence,
            Opcode::LifetimeStart => Inst::LifetimeStart { object: self.operand(line)? },
            Opcode::LifetimeEnd => Inst::LifetimeEnd { object: self.operand(line)? },
            Opcode::StackSave => Inst::StackSave,
            Opcode::StackRestore => Inst::StackRestore { saved: self.operand(line)? },
            Opcode::VaStart => Inst::VaStart { list: self.operand(line)? },
            Opcode::VaEnd => Inst::VaEnd { list: self.operand(line)? },
            Opcode::VaCopy => {
                let [dst, src] = self.operands(line)?;
                Inst::VaCopy { dst, src }
            }
            Opcode::VaArg => Inst::VaArg { list: self.operand(line)? },
            Opcode::Call => {
                let callee = if line.peek("@") {
                    Callee::Direct(self.func(line)?)
                } else {
                    Callee::Indirect(self.operand(line)?)
                };
                Inst::Call { callee, args: self.args(line)? }
            }
            Opcode::Check => {
                let cond = self.operand(line)?;
                line.require(",")?;
                let kind = if line.eat_word("other") {
                    CheckKind::Other(line.int()?)
                } else {
                    line.table_word("a kind of check")?
                };
                Inst::Check { cond, kind }
            }
            Opcode::Assume => Inst::Assume { cond: self.operand(line)? },
            Opcode::Unsupported => {
                let what = self.program.texts.intern(&line.string()?);
                Inst::Unsupported { what, args: self.args(line)? }
            }
            Opcode::Jump => Inst::Jump { to: line.id()? },
            Opcode::Branch => {
                let cond = self.operand(line)?;
                line.require(",")?;
                let then = line.id()?;
                line.require(",")?;
                let els = line.id()?;
                let negated = line.eat(",");
                if negated {
                    line.require_word("negated")?;
                }
                Inst::Branch { cond, then, els, negated }
            }
            Opcode::Switch => {
                let value = self.operand(line)?;
                line.require(",")?;
                let cases = line.list(("[", "]"), |line| {
                    let case = self.constant(line)?;
                    line.require("->")?;
                    Ok((case, line.id()?))
                })?;
                line.require(",")?;
                let cases = self.program.case_pool.push(cases);
                Inst::Switch { value, cases, default: line.id()? }
            }
            Opcode::IndirectJump => {
                let address = self.operand(line)?;
                line.require(",")?;
                let targets = line.list(("[", "]"), |line| line.id())?;
                Inst::IndirectJump { address, targets: self.program.block_pool.push(targets) }
            }
            Opcode::Return => {
                let none = line.at_end() || line.peek("!");
                Inst::Return { value: if none { None } else { Some(self.operand(line)?) } }
            }
            Opcode::Unreachable => Inst::Unreachable,
        })
    }

    fn gep(&mut self, line: &mut Line<'_>) -> Read<Inst> {
        let inbounds = line.eat_word("inbounds");
        let base = self.operand(line)?;
        line.require(",")?;
        let offset = line.int()?;
        let mut terms = Vec::new();
        while line.eat(",") {
            let index = self.operand(line)?;
            line.require("*")?;
            let stride = line.int()?;
            let count = if line.eat_word("of") { Some(line.int()?) } else { None };
            terms.push(GepTerm { index, stride, count });
        }
        Ok(Inst::Gep { base, offset, terms: self.program.term_pool.push(terms), inbounds })
    }

    /// That many operands between commas.
    fn operands<const N: usize>(&mut self, line: &mut Line<'_>) -> Read<[Operand; N]> {
        let first = self.operand(line)?;
        let mut operands = [first; N];
        for operand in operands.iter_mut().skip(1) {
            line.require(",")?;
            *operand = self.operand(line)?;
        }
        Ok(operands)
    }

    fn args(&mut self, line: &mut Line<'_>) -> Read<List<Operand>> {
        let args = line.list(("(", ")"), |line| self.operand(line))?;
        Ok(self.program.operand_pool.push(args))
    }

    /// `, [0, 2]`; an undefined lane is `undef`.
    fn path(&mut self, line: &mut Line<'_>) -> Read<List<u32>> {
        line.require(",")?;
        let path =
            line.list(
                ("[", "]"),
                |line| {
                    if line.eat_word("undef") { Ok(u32::MAX) } else { line.int() }
                },
            )?;
        Ok(self.program.index_pool.push(path))
    }
}

fn align(line: &mut Line<'_>) -> Read<u32> {
    line.require(",")?;
    line.require_word("align")?;
    line.int()
}

fn access(line: &mut Line<'_>) -> Read<Access> {
    let mut access = Access { align: align(line)?, ..Access::default() };
    for (word, flag) in ACCESS_FLAGS {
        *flag(&mut access) = line.eat_word(word);
    }
    Ok(access)
}
