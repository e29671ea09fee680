//! Between two calls nobody but the function itself changes memory: the C library has variables of its own that any of
//! its functions may change, and what is outside the program runs only where it is called.
//!
//! An epoch is named by what begins it: the function's entry, a call, or a block where ways from different epochs meet.
//! Wherever an epoch is the current one, what begins it was passed on every way, and no call since.

use crate::ir::cfg::Cfg;
use crate::ir::{BlockId, Inst, InstId, Program};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Epoch {
    Entry,
    Behind(InstId),
    Meeting(BlockId),
}

impl Epoch {
    /// The one behind an instruction.
    pub fn behind(self, program: &Program, inst: InstId) -> Epoch {
        match program.insts[inst].inst {
            Inst::Call { .. }
            | Inst::Unsupported { .. }
            | Inst::Fence
            | Inst::AtomicRmw { .. }
            | Inst::CmpXchg { .. } => Epoch::Behind(inst),
            Inst::Binary { .. }
            | Inst::Overflow { .. }
            | Inst::IntCmp { .. }
            | Inst::FloatCmp { .. }
            | Inst::Cast { .. }
            | Inst::Pure { .. }
            | Inst::Select { .. }
            | Inst::Freeze { .. }
            | Inst::Phi { .. }
            | Inst::Extract { .. }
            | Inst::Insert { .. }
            | Inst::ExtractElement { .. }
            | Inst::InsertElement { .. }
            | Inst::Shuffle { .. }
            | Inst::Uninit
            | Inst::Alloca { .. }
            | Inst::Gep { .. }
            | Inst::Load { .. }
            | Inst::Store { .. }
            | Inst::MemCopy { .. }
            | Inst::MemSet { .. }
            | Inst::LifetimeStart { .. }
            | Inst::LifetimeEnd { .. }
            | Inst::StackSave
            | Inst::StackRestore { .. }
            | Inst::VaStart { .. }
            | Inst::VaEnd { .. }
            | Inst::VaCopy { .. }
            | Inst::VaArg { .. }
            | Inst::Check { .. }
            | Inst::Assume { .. }
            | Inst::Jump { .. }
            | Inst::Branch { .. }
            | Inst::Switch { .. }
            | Inst::IndirectJump { .. }
            | Inst::Return { .. }
            | Inst::Unreachable => self,
        }
    }
}

/// The epoch in which each block begins.
pub struct Epochs(Vec<Epoch>);

impl Epochs {
    pub fn new(program: &Program, cfg: &Cfg) -> Epochs {
        let order = super::numbers::order(cfg);
        let mut ins: Vec<Option<Epoch>> = vec![None; cfg.len()];
        let mut outs: Vec<Option<Epoch>> = vec![None; cfg.len()];
        let mut changed = true;
        // A block is in one epoch until another arrives, and then begins its own for good.
        while changed {
            changed = false;
            for &block in &order {
                let mut arriving = (block == 0).then_some(Epoch::Entry);
                for from in cfg.predecessors(block).iter().filter_map(|&from| outs[from]) {
                    arriving = match arriving {
                        Some(other) if other != from => Some(Epoch::Meeting(cfg.block(block))),
                        _ => Some(from),
                    };
                }
                let own = Some(Epoch::Meeting(cfg.block(block)));
                let here =
                    if ins[block].is_some() && ins[block] != arriving { own } else { arriving };
                let insts = program.blocks[cfg.block(block)].insts.iter();
                let out = here.map(|here| insts.fold(here, |epoch, i| epoch.behind(program, i)));
                changed |= ins[block] != here || outs[block] != out;
                (ins[block], outs[block]) = (here, out);
            }
        }
        Epochs(ins.into_iter().map(|epoch| epoch.unwrap_or(Epoch::Entry)).collect())
    }

    pub fn at(&self, block: usize) -> Epoch {
        self.0[block]
    }
}
