//! Measuring a model for the report.

use super::Model;
use crate::ir::{Const, Inst, Program};
use std::path::Path;

impl Model {
    pub fn of(program: &Program) -> Model {
        let mut model = Model {
            functions: program.funcs.values().filter(|f| !f.blocks.is_empty()).count(),
            blocks: program.blocks.len(),
            instructions: program.insts.len(),
            globals: program.globals.len(),
            ..Model::default()
        };
        let mut count = |what| {
            *model.unsupported.entry(program.texts.get(what).to_owned()).or_default() += 1;
        };
        for data in program.insts.values() {
            if let Inst::Unsupported { what, .. } = data.inst {
                count(what);
            }
        }
        for (_, _, constant) in program.consts.iter() {
            if let Const::Unsupported(what) = *constant {
                count(what);
            }
        }
        let externals = program.funcs.values().filter(|f| {
            f.blocks.is_empty()
                && !f.name.starts_with("__VERIFIER_")
                && !f.name.starts_with("__cegas_")
        });
        model.externals = externals.map(|f| f.name.clone()).collect();
        model.externals.sort();
        model
    }
}

/// A path as reports name it: relative to the root if it lies below.
pub fn shown_path(path: &Path, root: &Path) -> String {
    path.strip_prefix(root).unwrap_or(path).to_string_lossy().into_owned()
}
