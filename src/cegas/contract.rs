//! What might hold between what a function is given or finds in memory and what it returns or leaves there: a supply of
//! guesses for [`super::recursion`]. None of them is believed before it was shown.
//!
//! Sources: the constants of the program, what it is given and finds, their sums, differences and products, and the
//! conditions on parameters that the function itself looks at.

use super::machine::Machine;
use crate::ir::{BinaryOp, Const, Def, FuncId, Inst, Operand};
use crate::smt::ExprId;
use std::collections::BTreeMap;

/// Constants that results are compared with, the smallest first.
const MOST_CONSTANTS: usize = 24;

/// Conditions of the function under which other results are guessed.
const MOST_GUARDS: usize = 12;

/// What it is given and finds of which terms are made.
const MOST_GIVEN: usize = 6;

/// Terms that the result is compared with under conditions.
const MOST_TERMS: usize = 40;

/// What is guessed of a result and a term.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kinds {
    /// That they are equal.
    Equal,
    /// Every way in which they may compare.
    All,
}

impl Machine<'_> {
    /// Guesses for the result of `func`, or what it leaves in a place, made of what it is given.
    pub(super) fn contracts(
        &mut self,
        func: FuncId,
        (params, given): (&[Option<ExprId>], &[ExprId]),
        result: ExprId,
        constants: &BTreeMap<u32, Vec<u128>>,
        kinds: Kinds,
    ) -> Vec<ExprId> {
        let width = self.smt.pool.width(result);
        let terms = self.terms(func, given, width, constants);
        let mut found = Vec::new();
        for &term in &terms {
            match kinds {
                Kinds::Equal => found.push(self.smt.pool.eq(result, term)),
                Kinds::All => self.compared(&mut found, result, term),
            }
        }
        let guards = self.guards(func, params);
        for &guard in &guards {
            let not = self.smt.pool.not(guard);
            for &term in terms.iter().take(MOST_TERMS) {
                let pool = &mut self.smt.pool;
                let mut claims = vec![pool.eq(result, term)];
                if kinds == Kinds::All {
                    claims.extend([pool.sle(term, result), pool.sle(result, term)]);
                }
                for claim in claims {
                    let claim = pool.or(not, claim);
                    found.extend((pool.as_const(claim) != Some(1)).then_some(claim));
                }
            }
        }
        found.sort_unstable();
        found.dedup();
        found
    }

    /// What the result might be: the terms over parameters first.
    fn terms(
        &mut self,
        func: FuncId,
        given: &[ExprId],
        width: u32,
        constants: &BTreeMap<u32, Vec<u128>>,
    ) -> Vec<ExprId> {
        let steps = self.steps_of(func, width);
        let pool = &mut self.smt.pool;
        let fits: Vec<ExprId> =
            given.iter().copied().filter(|&p| pool.width(p) == width).take(MOST_GIVEN).collect();
        let mut terms = fits.clone();
        for (i, &p) in fits.iter().enumerate() {
            for &q in &fits[..i] {
                terms.extend([pool.add(p, q), pool.sub(p, q), pool.sub(q, p), pool.mul(p, q)]);
            }
        }
        let zero = pool.constant(0, width);
        let one = pool.constant(1, width);
        for &p in &fits {
            terms.push(pool.sub(zero, p));
            let parity = pool.and(p, one);
            terms.extend([parity, pool.sub(one, parity)]);
            for &step in &steps {
                let step = pool.constant(step, width);
                terms.extend([pool.add(p, step), pool.sub(p, step)]);
            }
        }
        let known = constants.get(&width).map(Vec::as_slice).unwrap_or_default();
        terms.extend([zero, one]);
        terms.extend(known.iter().take(MOST_CONSTANTS).map(|&value| pool.constant(value, width)));
        in_order(terms)
    }

    /// Constants that the function adds or subtracts.
    fn steps_of(&self, func: FuncId, width: u32) -> Vec<u128> {
        let mut steps = vec![1];
        let program = self.program;
        let blocks = program.funcs[func].blocks.iter();
        for inst in blocks.flat_map(|block| program.blocks[block].insts.iter()) {
            let Inst::Binary { op: BinaryOp::Add | BinaryOp::Sub, lhs, rhs } =
                program.insts[inst].inst
            else {
                continue;
            };
            for operand in [lhs, rhs] {
                if let Operand::Const(id) = operand
                    && let Const::Int(value) = program.consts.get(id)
                    && self.scalar_bits(program.consts.ty(id)) == Some(width)
                {
                    steps.push(*value);
                }
            }
        }
        steps.sort_unstable();
        steps.dedup();
        steps
    }

    /// The conditions on its parameters that the function looks at, and their opposites.
    fn guards(&mut self, func: FuncId, params: &[Option<ExprId>]) -> Vec<ExprId> {
        let program = self.program;
        let mut guards = Vec::new();
        let blocks = program.funcs[func].blocks.iter();
        for inst in blocks.flat_map(|block| program.blocks[block].insts.iter()) {
            let Inst::IntCmp { pred, lhs, rhs } = program.insts[inst].inst else { continue };
            let sides = (self.side(params, lhs), self.side(params, rhs));
            let (Some(a), Some(b)) = sides else { continue };
            if self.smt.pool.width(a) != self.smt.pool.width(b) {
                continue;
            }
            let holds = self.int_compare(pred, a, b);
            if self.smt.pool.as_const(holds).is_none() {
                guards.extend([holds, self.smt.pool.not(holds)]);
            }
        }
        let mut guards = in_order(guards);
        guards.truncate(MOST_GUARDS);
        guards
    }

    /// A parameter or a constant.
    fn side(&mut self, params: &[Option<ExprId>], operand: Operand) -> Option<ExprId> {
        match operand {
            Operand::Value(value) => match self.program.values[value].def {
                Def::Param { index, .. } => params.get(index as usize).copied().flatten(),
                Def::Inst(_) => None,
            },
            Operand::Const(id) => {
                let bits = self.scalar_bits(self.program.consts.ty(id))?;
                let Const::Int(value) = self.program.consts.get(id) else { return None };
                (bits <= 64).then(|| self.smt.pool.constant(*value, bits))
            }
        }
    }
}

/// Each once, in the order in which they came.
fn in_order(all: Vec<ExprId>) -> Vec<ExprId> {
    let mut seen = rustc_hash::FxHashSet::default();
    all.into_iter().filter(|&e| seen.insert(e)).collect()
}
