//! Libraries that are judged in the programs of the same build: callers that are known take precedence over those that
//! are assumed.

use super::{Modelled, Outcome, Settings};
use crate::ir::{Linkage, Program};
use crate::library;
use compile_db::{Target, TargetKind};
use std::collections::BTreeSet;

/// Names that fit into a note.
const FEW: usize = 3;

/// What the programs of a build have of a library.
#[derive(Debug, Default)]
pub(super) struct Inner {
    pub programs: Vec<String>,
    /// They have all of it.
    pub is_whole: bool,
    /// The functions of the units that they have.
    pub functions: BTreeSet<String>,
}

/// What the programs have of a library. Nothing if the library is to be entered from outside.
pub(super) fn inner(
    target: &Target,
    targets: &[Target],
    compiled: &[Outcome],
    settings: &Settings,
) -> Inner {
    let is_inner = match target.kind {
        TargetKind::StaticLibrary | TargetKind::Objects => true,
        TargetKind::Program | TargetKind::SharedLibrary => false,
    };
    // A dump judges nothing.
    let is_judged = settings.dump.is_none();
    if !is_judged || !is_inner || !settings.targets.is_empty() || !settings.entries.is_empty() {
        return Inner::default();
    }
    let programs = || targets.iter().filter(|other| other.kind == TargetKind::Program);
    let is_linked = |unit: &&usize| programs().any(|program| program.units.contains(unit));
    let linked: Vec<usize> = target.units.iter().filter(is_linked).copied().collect();
    let users = programs().filter(|p| p.units.iter().any(|unit| linked.contains(unit)));
    let units = linked.iter().filter_map(|&unit| compiled.get(unit)?.as_ref().ok());
    let names = units.flat_map(|unit| unit.symbols.defined.iter().chain(&unit.symbols.weak));
    Inner {
        programs: users.map(|program| program.name.clone()).collect(),
        is_whole: !linked.is_empty() && linked.len() == target.units.len(),
        functions: names.cloned().collect(),
    }
}

/// The functions of a library that others can call.
pub(super) fn visible(program: &Program) -> Vec<String> {
    let is_visible = |(id, func): &(_, &crate::ir::Function)| {
        func.linkage != Linkage::Internal
            && !func.blocks.is_empty()
            && !library::is_model(program, *id)
    };
    program.funcs.iter().filter(is_visible).map(|(_, func)| func.name.clone()).collect()
}

/// Finds out whether the programs come to all functions of the libraries that are judged in them: such a library
/// has been looked at as a whole.
pub(super) fn settle(targets: &[Target], models: &mut [Modelled]) {
    let reached: Vec<(&str, BTreeSet<String>)> = targets
        .iter()
        .zip(models.iter_mut())
        .map(|(target, model)| {
            (target.name.as_str(), std::mem::take(&mut model.checked.reached).into_iter().collect())
        })
        .collect();
    for (target, model) in targets.iter().zip(models) {
        if model.judged_in.is_empty() || model.size.is_err() {
            continue;
        }
        let users = reached.iter().filter(|(name, _)| model.judged_in.iter().any(|p| p == name));
        let users: Vec<_> = users.map(|(_, reached)| reached).collect();
        let is_called = |name: &String| users.iter().any(|reached| reached.contains(name));
        model.uncalled.retain(|name| !is_called(name));
        let is_looked_at = model.is_judged_whole || model.checked.complete;
        model.checked.complete = is_looked_at && model.uncalled.is_empty();
        model.notes.push(note(&target.name, model));
    }
}

fn note(library: &str, model: &Modelled) -> String {
    let its = if model.is_judged_whole { "its code" } else { "what programs have of it" };
    let (programs, uncalled) = (model.judged_in.join(", "), &model.uncalled);
    let few: Vec<&str> = uncalled.iter().take(FEW).map(String::as_str).collect();
    let but = match uncalled.len() {
        0 => String::new(),
        n if n <= FEW => format!(", which do not come to {}", few.join(", ")),
        n => format!(", which do not come to {} and {} more functions", few.join(", "), n - FEW),
    };
    format!("{its} is judged in {programs}{but}; --target {library} enters it from outside")
}
