//! What functions without a body do: a table of summaries, and models written in C that are linked in
//! where a program uses them and does not define them itself.

pub mod summaries;

/// A library function written in C, as bitcode.
#[derive(Debug)]
pub struct Model {
    pub name: &'static str,
    /// The machine it is compiled for: x86 with pointers of that many bits.
    pub pointer_bits: u32,
    pub bitcode: &'static [u8],
}

const MODELS: &[Model] = include!(concat!(env!("OUT_DIR"), "/models.rs"));

/// The folder that the debug information of models names; `build.rs` puts it there.
pub const DIRECTORY: &str = "cegas";

/// The model of a function.
pub fn model(name: &str, pointer_bits: u32) -> Option<&'static Model> {
    MODELS.iter().find(|model| model.name == name && model.pointer_bits == pointer_bits)
}
