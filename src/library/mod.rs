//! What functions without a body do: a table of summaries, and models written in C that are linked in
//! where a program uses them and does not define them itself.

pub mod accesses;
pub mod foreign;
pub mod format;
pub mod summaries;

use crate::ir::{FuncId, Program};

/// A library function written in C, as bitcode.
#[derive(Debug)]
pub struct Model {
    pub name: &'static str,
    /// The machine it is compiled for: x86 with pointers of that many bits.
    pub pointer_bits: u32,
    pub bitcode: &'static [u8],
}

const MODELS: &[Model] = include!(concat!(env!("OUT_DIR"), "/models.rs"));

/// Functions after which code runs out of sequence.
pub const OUT_OF_SEQUENCE: &[&str] = &[
    "atexit",
    "at_quick_exit",
    "on_exit",
    "__cxa_atexit",
    "signal",
    "bsd_signal",
    "__sysv_signal",
    "sigaction",
    "pthread_create",
    "thrd_create",
    "clone",
    "timer_create",
    "setjmp",
    "_setjmp",
    "__sigsetjmp",
    "sigsetjmp",
    "longjmp",
    "siglongjmp",
    "pthread_key_create",
    "tss_create",
    "pthread_atfork",
    "fork",
    "vfork",
];

/// The folder that the debug information of models names; `build.rs` puts it there.
pub const DIRECTORY: &str = "cegas";

/// The model of a function.
pub fn model(name: &str, pointer_bits: u32) -> Option<&'static Model> {
    MODELS.iter().find(|model| model.name == name && model.pointer_bits == pointer_bits)
}

/// Whether the function's body is a model of ours.
pub fn is_model(program: &Program, func: FuncId) -> bool {
    let function = &program.funcs[func];
    let Some(block) = function.blocks.first() else { return false };
    let loc = program.blocks[block].insts.iter().find_map(|inst| program.loc(inst));
    loc.is_some_and(|loc| program.debug.files[loc.file].directory == DIRECTORY)
}
