//! C text to a model, in this process.

use cegas::frontend::clang::Clang;
use cegas::frontend::module::Piece;
use cegas::ir::Program;

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
    let (bitcode, _) = cegas::frontend::unit::prepared("a.c", &bytes).expect("bitcode");
    let pieces = [Piece { name: "a.c", bitcode: &bitcode }];
    cegas::frontend::link_and_lower("a", &pieces).expect("a model")
}
