//! What is demanded where, and to whom it belongs: a demand inside the model of a library function is
//! answered for by the call in the user's code.

use super::machine::Machine;
use super::state::State;
use crate::ir::{Def, FuncId, InstId, Program};
use crate::library;
use crate::rules::{Demand, Obligation};
use rustc_hash::{FxHashMap, FxHashSet};

#[derive(Debug, Clone, Copy)]
pub struct Mark {
    pub rule: &'static str,
    pub demand: Demand,
}

#[derive(Debug, Default)]
pub struct Marks {
    by_inst: FxHashMap<InstId, Vec<Mark>>,
    models: FxHashSet<FuncId>,
    /// The rule that asks whether allocated memory is kept.
    pub kept: Option<&'static str>,
    /// Somebody asks about accesses, so none may happen unseen.
    pub accesses: bool,
    /// The allocations of variables that the program names, if it is asked what holds memory.
    pub variables: FxHashSet<InstId>,
    /// Something is demanded inside models, on behalf of callers that are met on the way.
    pub in_models: bool,
}

impl Marks {
    pub fn new(program: &Program, obligations: &[Obligation]) -> Marks {
        let mut marks = Marks {
            models: program.funcs.keys().filter(|&f| library::is_model(program, f)).collect(),
            ..Marks::default()
        };
        for &Obligation { rule, at, demand } in obligations {
            match demand {
                Demand::Kept => marks.kept = Some(rule),
                Demand::Access { .. } | Demand::Set(_) => marks.accesses = true,
                Demand::NotReached | Demand::NonZero(_) | Demand::Equal(..) => {}
                Demand::Free { .. }
                | Demand::Arguable(_)
                | Demand::Fits { .. }
                | Demand::Wraps { .. } => {}
            }
            marks.in_models |= marks.models.contains(&program.func_of(at));
            marks.by_inst.entry(at).or_default().push(Mark { rule, demand });
        }
        if marks.kept.is_some() {
            marks.variables = variables(program);
        }
        marks
    }

    pub fn at(&self, at: InstId) -> &[Mark] {
        self.by_inst.get(&at).map_or(&[], Vec::as_slice)
    }

    /// Whether a call asserts something: a function without a body does nothing else then.
    pub fn asserts(&self, at: InstId) -> bool {
        self.at(at).iter().any(|mark| match mark.demand {
            Demand::NotReached | Demand::NonZero(_) | Demand::Equal(..) => true,
            Demand::Access { .. }
            | Demand::Free { .. }
            | Demand::Kept
            | Demand::Set(_)
            | Demand::Arguable(_)
            | Demand::Fits { .. }
            | Demand::Wraps { .. } => false,
        })
    }

    pub fn is_model(&self, func: FuncId) -> bool {
        self.models.contains(&func)
    }
}

fn variables(program: &Program) -> FxHashSet<InstId> {
    let bindings = program.debug.bindings.iter().filter(|binding| binding.address);
    let made = bindings.filter_map(|binding| match program.values[binding.value.value()?].def {
        Def::Inst(inst) => Some(inst),
        Def::Param { .. } => None,
    });
    made.collect()
}

impl Machine<'_> {
    /// The instruction of the user's code that is being executed: inside models, the call of the
    /// outermost one.
    pub(super) fn site(&self, state: &State, at: InstId) -> InstId {
        let mut site = at;
        for frame in state.frames.iter().rev() {
            if !self.marks.is_model(frame.func) {
                break;
            }
            site = frame.call.unwrap_or(site);
        }
        site
    }
}
