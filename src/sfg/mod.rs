//! The spatial flow graph of one obligation: the control flow automaton cut down to what can influence the obligation,
//! with its value flow (the paper's M = {Gc, Gs}, Definition 1).
//!
//! - [`before`]: what can come before the obligation at all.
//! - [`ends`], [`loops`]: what may keep an execution from going on.
//! - [`control`]: who decides whether control gets somewhere.
//! - [`closure`]: what all of these and the obligation are computed from.
//! - [`apply`]: the cut as a program with the same ids.
//!
//! Invariant: the cut keeps the outcome exactly. An execution of the program gets to the obligation if and only if one
//! of the cut does, with the same values in what it demands. So whatever may end an execution or go on for ever
//! before the obligation stays, unless it is proved that it does not; what is dropped returns, changes nothing
//! that is kept, and decides nothing.
//!
//! The graph behind it must be built without fields ([`crate::svfg::Options`]), because the engine goes on after an
//! index outside of an inner array. Programs that start threads, install handlers or jump between
//! functions are not cut, nor is anything for obligations about leaks and values never set.

pub mod apply;
pub mod before;
pub mod closure;
pub mod control;
pub mod dump;
pub mod ends;
pub mod loops;

use crate::ir::{BlockId, FuncId, Inst, InstId, Program};
use crate::library;
use crate::pta::PointsTo;
use crate::rules::{Demand, Obligation};
use crate::svfg::Svfg;
pub use apply::Exit;
use before::Before;
pub use before::{Callers, callers};
use closure::{Closure, Ground, Relevant};
use control::Join;
use cranelift_entity::EntitySet;
use rustc_hash::FxHashMap;

/// What is left of a program for one obligation.
#[derive(Debug)]
pub struct Sfg {
    pub at: InstId,
    pub relevant: Relevant,
    /// Blocks from which the obligation may still be reached.
    pub before: EntitySet<BlockId>,
    /// Where control meets again behind a block whose decision may be dropped.
    joins: FxHashMap<BlockId, Join>,
    /// The functions that are cut.
    pub funcs: Vec<FuncId>,
}

/// Cuts programs; what does not depend on the obligation is computed once.
#[derive(Debug)]
pub struct Cutter<'a> {
    ground: Ground<'a>,
    in_sequence: bool,
}

impl<'a> Cutter<'a> {
    pub fn new(
        program: &'a Program,
        answer: &'a PointsTo,
        svfg: &'a Svfg,
        callers: &'a Callers,
    ) -> Self {
        let out =
            |func: &FuncId| library::OUT_OF_SEQUENCE.contains(&program.funcs[*func].name.as_str());
        let called = program.insts.values().any(|data| match data.inst {
            Inst::Call { callee: crate::ir::Callee::Direct(func), .. } => out(&func),
            _ => false,
        });
        let pointed = program.insts.keys().any(|inst| answer.callees(inst).funcs.iter().any(out));
        Cutter {
            ground: Ground::new(program, answer, svfg, callers),
            in_sequence: !called && !pointed,
        }
    }

    /// The spatial flow graph of an obligation; none if the program cannot be cut.
    pub fn cut(&self, obligation: &Obligation) -> Option<Sfg> {
        let Ground { program, answer, callers, controls, .. } = &self.ground;
        let runs = answer.reachable.binary_search(&program.func_of(obligation.at)).is_ok();
        // What becomes of an allocation, and what was never set, are not questions about values.
        let askable = !matches!(obligation.demand, Demand::Kept | Demand::Set(_));
        if !self.in_sequence || !runs || !askable {
            return None;
        }
        let before = Before::new(program, callers, obligation.at, &program.constructors);
        let relevant = Closure::run(&self.ground, &before, obligation);
        let mut joins = FxHashMap::default();
        for &func in &answer.reachable {
            for block in program.funcs[func].blocks.iter() {
                joins.insert(block, controls[&func].join(block));
            }
        }
        let funcs = answer.reachable.clone();
        Some(Sfg { at: obligation.at, relevant, before: before.blocks, joins, funcs })
    }
}
