//! C text to a model, in this process.

use cegas::frontend::clang::Clang;
use cegas::frontend::models::Models;
use cegas::ir::Program;
use cegas::link::{self, Piece};
use std::sync::Arc;

/// The model of one C file.
pub fn program(text: &str) -> Program {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let (source, output) = (dir.path().join("a.c"), dir.path().join("a.bc"));
    std::fs::write(&source, text).expect("a file");
    let clang = Clang::find().expect("clang is there");
    let depfile = dir.path().join("a.d");
    let ran = clang.command(dir.path(), &[], &source, &output, &depfile).output().expect("clang");
    assert!(ran.status.success(), "{}\n{text}", String::from_utf8_lossy(&ran.stderr));
    let bytes = std::fs::read(&output).expect("bitcode");
    let unit = cegas::frontend::unit::lowered("a.c", &bytes, cegas::frontend::Overflow::Undefined)
        .expect("bitcode");
    let pieces = vec![Piece { name: "a.c".into(), unit: Arc::new(unit) }];
    let models = Models::default();
    link::link("a", pieces, |name, machine| models.get(name, machine)).expect("a model")
}
