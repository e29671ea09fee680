//! Verdicts as text without their places, which are named by function and number: where the functions stand may change.

use super::location;
use crate::cegas::{self, Verdict};
use crate::config::Settings;
use crate::ir::{FuncId, InstId, Program};
use crate::report::{self, Cause, Location};
use crate::rules::Obligation;
use cranelift_entity::EntityRef;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

/// A verdict as text, since there may be very many with long ways, and all its places in the order in which they stand
/// in it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Told {
    obligation: Vec<u8>,
    places: Vec<Place>,
}

/// An instruction by its function, a row of the record's names, and its number there.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(super) struct Place(u32, u32);

/// The functions that a record names, each once.
#[derive(Default)]
pub(super) struct Names {
    pub rows: Vec<String>,
    known: FxHashMap<FuncId, u32>,
}

impl Names {
    fn row(&mut self, func: FuncId, name: &str) -> u32 {
        *self.known.entry(func).or_insert_with(|| {
            self.rows.push(name.to_owned());
            self.rows.len() as u32 - 1
        })
    }
}

/// A program as it stands now.
pub(super) struct Places<'p> {
    program: &'p Program,
    settings: &'p Settings,
    by_name: FxHashMap<&'p str, FuncId>,
}

impl<'p> Places<'p> {
    pub fn new(program: &'p Program, settings: &'p Settings) -> Self {
        let by_name = program.funcs.iter().map(|(id, func)| (func.name.as_str(), id)).collect();
        Places { program, settings, by_name }
    }

    /// A verdict that was told, without its places.
    pub fn taken(
        &self,
        mut told: report::Obligation,
        at: Vec<InstId>,
        names: &mut Names,
    ) -> Option<Told> {
        let places = at.into_iter().map(|at| self.place(at, names)).collect();
        forget_places(&mut told);
        Some(Told { obligation: serde_json::to_vec(&told).ok()?, places })
    }

    /// The same with its places as they are now.
    pub fn placed(&self, told: &Told, names: &[String]) -> Option<report::Obligation> {
        let mut places = told.places.iter().map(|&place| {
            let at = self.inst(place, names)?;
            Some(location(self.program, at, self.settings))
        });
        let mut obligation: report::Obligation = serde_json::from_slice(&told.obligation).ok()?;
        obligation.location = places.next()??;
        for related in &mut obligation.related {
            related.location = places.next()??;
        }
        for step in &mut obligation.trace {
            step.location = places.next()??;
        }
        obligation.share_names();
        Some(obligation)
    }

    pub fn inst(&self, Place(name, number): Place, names: &[String]) -> Option<InstId> {
        let name = names.get(name as usize)?;
        let func = &self.program.funcs[*self.by_name.get(name.as_str())?];
        let (first, last) = (func.blocks.first()?, func.blocks.last()?);
        let first = self.program.blocks[first].insts.first()?;
        let inst = InstId::new(first.index() + number as usize);
        (inst <= self.program.blocks[last].insts.last()?).then_some(inst)
    }

    pub fn place(&self, at: InstId, names: &mut Names) -> Place {
        let id = self.program.func_of(at);
        let func = &self.program.funcs[id];
        let first = func.blocks.first().and_then(|block| self.program.blocks[block].insts.first());
        let number = at.index() - first.map_or(0, EntityRef::index);
        Place(names.row(id, &func.name), number as u32)
    }
}

/// The places that a verdict names, as [`Places::placed`] reads them.
pub(super) fn places(obligation: &Obligation, verdict: &Verdict) -> Vec<InstId> {
    let mut all = vec![obligation.at];
    if let Verdict::Unsafe(counterexample) = verdict {
        all.extend(counterexample.related.iter().map(|related| related.at));
        all.extend(counterexample.steps.iter().map(|step| step.at));
    }
    all
}

/// The places are put in again when it is recalled.
fn forget_places(obligation: &mut report::Obligation) {
    obligation.location = Location::default();
    obligation.related.iter_mut().for_each(|related| related.location = Location::default());
    obligation.trace.iter_mut().for_each(|step| step.location = Location::default());
}

/// Whether a text says on which line something stands.
pub(super) fn names_line(obligation: &report::Obligation) -> bool {
    let steps = obligation.trace.iter().map(|step| step.text.as_str());
    let related = obligation.related.iter().map(|related| related.text.as_str());
    steps.chain(related).any(cegas::names_line)
}

/// The objects of a way in the order in which they are met: how many others there are is not told.
pub(super) fn number_objects(trace: &mut [report::Step]) {
    let mut met: FxHashMap<u32, u32> = FxHashMap::default();
    for object in trace.iter_mut().filter_map(|step| step.change.as_mut()?.object.as_mut()) {
        let next = met.len() as u32;
        *object = *met.entry(*object).or_insert(next);
    }
}

/// Whether more time, or a faster machine, might have told more.
pub fn depends_on_time(obligation: &report::Obligation) -> bool {
    match obligation.verdict {
        report::Verdict::Safe | report::Verdict::Unsafe => false,
        report::Verdict::Unknown { cause, .. } => is_of_time(cause),
    }
}

/// Whether more time might have told more.
pub(super) fn is_of_time(cause: Cause) -> bool {
    match cause {
        Cause::Time | Cause::Memory | Cause::Solver | Cause::Unconfirmed => true,
        Cause::NotModelled | Cause::Doubt | Cause::StillReachable | Cause::Depth => false,
    }
}
