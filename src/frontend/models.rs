//! The models of library functions as units: each is lowered when a program first needs it, once a scan.

use super::{Overflow, unit};
use crate::ir::Machine;
use crate::library;
use crate::link::Unit;
use rustc_hash::FxHashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// By name and bits of a pointer.
type Lowered = FxHashMap<(&'static str, u32), Option<Arc<Unit>>>;

/// The models that were asked for so far.
#[derive(Debug, Default)]
pub struct Models {
    lowered: Mutex<Lowered>,
}

impl Models {
    /// The model of a function on that machine.
    pub fn get(&self, name: &str, machine: &Machine) -> Option<Arc<Unit>> {
        let model = library::model(name, machine.pointer_bits)?;
        let key = (model.name, model.pointer_bits);
        // The map is whole between any two operations on it, whoever panicked.
        let known = || self.lowered.lock().unwrap_or_else(PoisonError::into_inner);
        let before = known().get(&key).cloned();
        // Two programs may lower the same one at once; what comes out is the same.
        let unit = before.unwrap_or_else(|| {
            let unit =
                unit::lowered(model.name, model.bitcode, Overflow::Undefined).ok().map(Arc::new);
            known().entry(key).or_insert(unit).clone()
        });
        // The models are for x86; another machine goes without.
        unit.filter(|unit| unit.program.machine.data_layout == machine.data_layout)
    }
}
