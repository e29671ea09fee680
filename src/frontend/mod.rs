//! From C to the model: clang per unit (cached, in parallel), LLVM's linker per target, and the
//! lowering to [`ir::Program`](crate::ir::Program). The only part that knows LLVM.

pub mod llvm_extra;
pub mod llvm;
pub mod lower;
pub mod prepare;
pub mod module;

use crate::ir::Program;
use inkwell::context::Context;
use module::{LinkError, Piece};

/// Links the pieces and lowers the whole; what is worth knowing goes into the program's notes.
pub fn model(name: &str, pieces: &[Piece<'_>]) -> Result<Program, LinkError> {
    let context = Context::create();
    let mut notes = Vec::new();
    let module = module::link(&context, pieces, &mut notes)?;
    let mut program = lower::lower(&module, name);
    program.notes.extend(notes);
    Ok(program)
}

/// Bitcode or LLVM text of any origin, made ready for linking.
pub fn prepared(name: &str, bytes: &[u8]) -> Result<Vec<u8>, String> {
    let context = Context::create();
    let module = module::read(&context, name, bytes)?;
    prepare::prepare(&module);
    Ok(module.write_bitcode_to_memory().as_slice().to_vec())
}
