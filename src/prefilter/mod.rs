//! Settling obligations without executing anything: what follows from the definitions of values, from the
//! branches that lead to a place, and from what a pointer is made of.
//!
//! Invariant: a proof here is a proof. Nothing is assumed of callers or of memory; arithmetic wraps as the
//! model's does. An obligation that an execution can only violate after it violated another one of the same
//! rule, where it ends, is settled by that one. What is not settled goes on to the engine.

mod earlier;
mod guards;
mod lives;
mod objects;
mod ranges;

use crate::ir::{Def, FuncId, Inst, InstId, Operand, Program};
use crate::rules::{Demand, Extent, Fault, Obligation};
use earlier::Earlier;
use guards::Guards;
use lives::Lives;
use objects::Base;
use ranges::Ranges;
use rustc_hash::FxHashMap;

/// Splits obligations into those that are settled and the rest.
pub fn split(
    program: &Program,
    obligations: Vec<Obligation>,
) -> (Vec<Obligation>, Vec<Obligation>) {
    let mut functions: FxHashMap<FuncId, Facts<'_>> = FxHashMap::default();
    obligations.into_iter().partition(|obligation| {
        let func = program.func_of(obligation.at);
        let facts = functions.entry(func).or_insert_with(|| Facts::new(program, func));
        facts.settles(obligation)
    })
}

/// What is known inside one function.
struct Facts<'p> {
    program: &'p Program,
    guards: Guards<'p>,
    lives: Lives,
    earlier: Earlier,
}

impl<'p> Facts<'p> {
    fn new(program: &'p Program, func: FuncId) -> Self {
        let guards = Guards::new(program, func);
        Facts { program, guards, lives: Lives::default(), earlier: Earlier::default() }
    }

    fn settles(&mut self, obligation: &Obligation) -> bool {
        self.holds(obligation) || self.earlier.covers(self.program, &self.guards, obligation)
    }

    fn holds(&mut self, obligation: &Obligation) -> bool {
        let block = self.program.insts[obligation.at].block;
        let ranges = Ranges::new(self.program, &self.guards);
        match obligation.demand {
            Demand::NonZero(operand) | Demand::Arguable(operand) => {
                ranges.truth(operand, block) == Some(true)
            }
            Demand::Equal(a, b) => a == b && a.value().is_some(),
            Demand::Access { pointer, extent, fault } => {
                let Some((base, offset)) = objects::resolve(&ranges, pointer, block) else {
                    return false;
                };
                match fault {
                    Fault::Null => true,
                    Fault::Dead => match base {
                        Base::Global(_) => true,
                        Base::Local(made) => self.lives.is_alive(self.program, made, obligation.at),
                    },
                    Fault::Outside => {
                        let length = match extent {
                            Extent::Bytes(bytes) => i128::from(bytes),
                            Extent::Times(count, unit) => {
                                let count = ranges.of(count, block).not_negative();
                                match count.and_then(|c| c.hi.checked_mul(i128::from(unit))) {
                                    Some(most) => most,
                                    None => return false,
                                }
                            }
                            Extent::Text { .. } => return false,
                        };
                        let size = objects::size(self.program, base);
                        size.is_some_and(|size| {
                            offset.lo >= 0 && offset.hi + length <= i128::from(size)
                        })
                    }
                }
            }
            Demand::Set(operand) => is_set(self.program, operand, 8),
            Demand::NotReached
            | Demand::Free { .. }
            | Demand::Kept
            | Demand::Fits { .. }
            | Demand::Wraps { .. } => false,
        }
    }
}

/// Whether a value is made of constants and addresses only.
fn is_set(program: &Program, operand: Operand, depth: u32) -> bool {
    let Some(value) = operand.value() else {
        let constant = operand.constant().map(|constant| program.consts.get(constant));
        return constant.is_some_and(|constant| {
            use crate::ir::Const;
            matches!(constant, Const::Int(_) | Const::Null | Const::Global { .. } | Const::Func(_))
        });
    };
    let Def::Inst(inst) = program.values[value].def else { return false };
    let all = |operands: &[Operand]| {
        depth > 0 && operands.iter().all(|&operand| is_set(program, operand, depth - 1))
    };
    match program.insts[inst].inst {
        Inst::Alloca { .. } => true,
        Inst::Gep { base, terms, .. } => {
            let indices: Vec<Operand> =
                program.term_pool.get(terms).iter().map(|term| term.index).collect();
            all(&[base]) && all(&indices)
        }
        Inst::Binary { lhs, rhs, .. } | Inst::IntCmp { lhs, rhs, .. } => all(&[lhs, rhs]),
        Inst::Cast { value, .. } => all(&[value]),
        _ => false,
    }
}

/// The instruction that defines a value.
fn definition(program: &Program, operand: Operand) -> Option<(InstId, Inst)> {
    match program.values[operand.value()?].def {
        Def::Inst(inst) => Some((inst, program.insts[inst].inst)),
        Def::Param { .. } => None,
    }
}
