//! Handlers of signals. Nobody knows when they run, so a path that sets one leaves the model. An execution during which
//! no signal arrives is a real one all the same: it is followed for its violations, and nothing is proved by it.

use crate::cegas::machine::{Machine, Source, Step, gap};
use crate::cegas::state::State;
use crate::cegas::step::Flow;
use crate::cegas::value::Value;
use crate::ir::{Callee, Inst, InstId, List, Operand, TypeId};
use std::collections::BTreeSet;

/// The functions that set one.
pub(super) const HANDLERS: &[&str] = &["signal", "bsd_signal", "__sysv_signal", "sigaction"];

/// No signal has this number; among those that have a handler it stands for one that is not known.
const ANY: u128 = 0;

/// Signals that have a handler on Linux, but for those that cannot be caught.
fn can_be_handled(signal: u128) -> bool {
    const KILL: u128 = 9;
    const STOP: u128 = 19;
    (1..=31).contains(&signal) && signal != KILL && signal != STOP
}

impl Machine<'_> {
    /// Whether a handler is set there.
    pub(in crate::cegas) fn sets_handler(&self, at: InstId) -> bool {
        match self.program.insts[at].inst {
            Inst::Call { callee: Callee::Direct(func), .. } => {
                HANDLERS.contains(&self.program.funcs[func].name.as_str())
            }
            _ => false,
        }
    }

    /// Executes an instruction of which signals are the only trouble.
    pub(in crate::cegas) fn step_undisturbed(
        &mut self,
        state: &mut State,
        at: InstId,
    ) -> Step<Flow> {
        let before = std::mem::replace(&mut self.undisturbed, true);
        let flow = self.step(state, at);
        self.undisturbed = before;
        flow
    }

    /// Sets a handler that never runs.
    pub(super) fn handler(
        &mut self,
        state: &mut State,
        name: &str,
        args: List<Operand>,
        result: Option<TypeId>,
    ) -> Step<Option<Value>> {
        if !self.undisturbed && self.replay.is_none() {
            return gap(format!("the function `{name}`"));
        }
        let Some(ty) = result else {
            return gap(format!("`{name}` declared with an unusual type"));
        };
        let signal = self.argument(state, args, 0)?;
        let signal = self.smt.pool.as_const(signal).filter(|&signal| can_be_handled(signal));
        // Which one it was is not known where it is no constant: it may be any that is asked for later.
        let is_new = state.handled.insert(signal.unwrap_or(ANY)).is_none();
        let is_first = is_new && !state.handled.contains(&ANY);
        if name == "sigaction" {
            let old = self.argument(state, args, 2)?;
            let mut reached = BTreeSet::new();
            self.mentioned(old, &mut reached);
            self.change_all(state, reached)?;
            if signal.is_some() {
                let bits = self.scalar_bits(ty).unwrap_or(32);
                return Ok(Some(Value::Bits(self.smt.pool.constant(0, bits))));
            }
        }
        let value = self.arbitrary(state, ty, Source::Input)?;
        let Some(old) = value.bits() else {
            return gap(format!("`{name}` declared with an unusual type"));
        };
        if is_first && name != "sigaction" {
            // Whoever starts a program decides whether it ignores a signal (1) or not (0).
            let ignored = self.smt.pool.constant(1, self.smt.pool.width(old));
            let is_either = self.smt.pool.ule(old, ignored);
            self.assume(state, is_either)?;
        } else {
            state.uncertain.extend(self.smt.pool.free_vars(&[old]));
        }
        Ok(Some(value))
    }
}
