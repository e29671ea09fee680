//! The cut as a program: with the same ids, so that obligations, places and names stay what they are. What is not
//! needed becomes an instruction that does nothing, a decision that is not needed a jump to where its ways meet, and
//! a block from which the obligation cannot be reached the end of the execution.
//!
//! The verifier's rule that every block can be reached does not hold for the result.

use super::Sfg;
use super::control::Join;
use crate::ir::{BlockId, Const, ConstId, FuncId, Inst, InstId, Operand, Program, Type, TypeId};
use cranelift_entity::EntitySet;
use rustc_hash::FxHashMap;

/// How a block ends in the cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// As in the program.
    Same,
    Jump(BlockId),
    /// It returns, with nothing anybody needs.
    Return,
    /// The execution ends there.
    End,
}

/// Some value of the type.
fn nothing(program: &mut Program, ty: TypeId) -> ConstId {
    let value = match program.types.get(ty) {
        Type::Int(bits) if *bits <= 128 => Const::Int(0),
        Type::Float(_) => Const::Float(0),
        Type::Ptr => Const::Null,
        Type::Struct { .. } | Type::Array { .. } | Type::Vector { .. } => Const::Zero,
        _ => Const::Undef,
    };
    program.consts.intern(ty, value)
}

impl Sfg {
    /// How `block` ends.
    pub fn exit(&self, program: &Program, block: BlockId) -> Exit {
        if !self.before.contains(block) {
            return Exit::End;
        }
        let Some(last) = program.terminator(block) else { return Exit::End };
        let decides = matches!(
            program.inst(last),
            Inst::Branch { .. } | Inst::Switch { .. } | Inst::IndirectJump { .. }
        );
        if !decides || self.relevant.insts.contains(last) {
            return Exit::Same;
        }
        match self.joins.get(&block) {
            Some(Join::Block(to)) => Exit::Jump(*to),
            Some(Join::Return) => Exit::Return,
            Some(Join::Nowhere) | None => Exit::End,
        }
    }

    /// The program cut down to what can influence the obligation.
    pub fn program(&self, program: &Program) -> Program {
        let mut cut = program.clone();
        for &func in &self.funcs {
            self.function(program, &mut cut, func);
        }
        cut
    }

    fn function(&self, program: &Program, cut: &mut Program, func: FuncId) {
        let Some(entry) = program.funcs[func].blocks.first() else { return };
        for block in program.funcs[func].blocks.iter() {
            let Some(last) = program.terminator(block) else { continue };
            let result = program.funcs[func].result;
            cut.insts[last].inst = match self.exit(program, block) {
                Exit::End => Inst::Unreachable,
                Exit::Jump(to) => Inst::Jump { to },
                Exit::Return => self.empty_return(cut, result),
                Exit::Same => match *program.inst(last) {
                    Inst::Return { value: Some(_) } if !self.relevant.results.contains(func) => {
                        self.empty_return(cut, result)
                    }
                    other => other,
                },
            };
        }
        // Who can still be reached, and from where.
        let mut live: EntitySet<BlockId> = EntitySet::new();
        let mut from: FxHashMap<BlockId, Vec<BlockId>> = FxHashMap::default();
        let mut waiting = vec![entry];
        while let Some(block) = waiting.pop() {
            if live.insert(block) {
                for next in cut.successors(block) {
                    from.entry(next).or_default().push(block);
                    waiting.push(next);
                }
            }
        }
        for block in program.funcs[func].blocks.iter() {
            let alive = live.contains(block) && self.before.contains(block);
            let mut preds = from.remove(&block).unwrap_or_default();
            preds.sort_unstable();
            for inst in program.blocks[block].insts.iter() {
                self.inst(program, cut, inst, alive, &preds);
            }
        }
    }

    fn empty_return(&self, cut: &mut Program, result: TypeId) -> Inst {
        let value = match cut.types.get(result) {
            Type::Void => None,
            _ => Some(Operand::Const(nothing(cut, result))),
        };
        Inst::Return { value }
    }

    fn inst(
        &self,
        program: &Program,
        cut: &mut Program,
        inst: InstId,
        alive: bool,
        preds: &[BlockId],
    ) {
        let data = program.insts[inst];
        if data.inst.is_terminator() {
            if !alive {
                cut.insts[inst].inst = Inst::Unreachable;
            }
            return;
        }
        let needed = alive && self.relevant.insts.contains(inst);
        if let (Inst::Phi { incoming }, true) = (data.inst, alive) {
            let old = program.phi_pool.get(incoming);
            let ty = data.result.expand().map(|value| program.values[value].ty);
            let Some(none) = ty.map(|ty| Operand::Const(nothing(cut, ty))) else { return };
            let operand = |pred: &BlockId| {
                let given = old.iter().find(|(from, _)| from == pred).filter(|_| needed);
                (*pred, given.map_or(none, |(_, operand)| *operand))
            };
            let incoming = cut.phi_pool.push(preds.iter().map(operand).collect::<Vec<_>>());
            cut.insts[inst].inst = Inst::Phi { incoming };
            return;
        }
        if needed {
            if let Inst::Call { .. } = data.inst {
                self.arguments(program, cut, inst);
            }
            return;
        }
        cut.insts[inst].inst = match data.result.expand() {
            Some(result) => {
                let value = nothing(cut, program.values[result].ty);
                Inst::Freeze { value: Operand::Const(value) }
            }
            None => Inst::Fence,
        };
    }

    /// What a callee does not need is not computed any more.
    fn arguments(&self, program: &Program, cut: &mut Program, call: InstId) {
        let Inst::Call { callee, args } = program.insts[call].inst else { return };
        let kept = |operand: &Operand| match operand {
            Operand::Const(_) => true,
            Operand::Value(value) => match program.values[*value].def {
                crate::ir::Def::Param { .. } => self.relevant.params.contains(*value),
                crate::ir::Def::Inst(inst) => self.relevant.insts.contains(inst),
            },
        };
        let operands = program.operands(args).to_vec();
        if operands.iter().all(kept) {
            return;
        }
        let given: Vec<Operand> = operands
            .iter()
            .map(|operand| match kept(operand) {
                true => *operand,
                false => Operand::Const(nothing(cut, program.operand_type(*operand))),
            })
            .collect();
        let args = cut.operand_pool.push(given);
        cut.insts[call].inst = Inst::Call { callee, args };
    }
}
