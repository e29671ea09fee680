//! Modules of LLVM, read from bitcode or text. Owns what inkwell's context would otherwise do on an error,
//! which is to end the process.

use super::llvm_extra;
use inkwell::context::Context;
use inkwell::memory_buffer::MemoryBuffer;
use inkwell::module::Module;

/// Reads bitcode that clang or [`read`] in another process has verified.
pub fn read_verified<'ctx>(
    context: &'ctx Context,
    name: &str,
    bitcode: &[u8],
) -> Result<Module<'ctx>, String> {
    llvm_extra::trust_bitcode();
    read(context, name, bitcode)
}

/// Reads bitcode or LLVM's text form.
pub fn read<'ctx>(
    context: &'ctx Context,
    name: &str,
    bytes: &[u8],
) -> Result<Module<'ctx>, String> {
    // LLVM wants a zero after the buffer, which only a copy has.
    let buffer = MemoryBuffer::create_from_memory_range_copy(bytes, name);
    if is_bitcode(bytes) {
        let module = Module::parse_bitcode_from_buffer(&buffer, context);
        module.map_err(|message| explain(&message.to_string_lossy()))
    } else if bytes.trim_ascii().is_empty() {
        // To LLVM that is a program with nothing in it; to the user it is a file that was lost.
        Err("the file is empty".to_owned())
    } else {
        let module = context.create_module_from_ir(buffer);
        module.map_err(|message| {
            let message = message.to_string_lossy();
            format!("neither bitcode nor LLVM's text form: {}", first_line(&message))
        })
    }
}

/// Of what LLVM says.
pub(super) fn first_line(message: &str) -> &str {
    message.trim().lines().next().unwrap_or_default()
}

pub fn is_bitcode(bytes: &[u8]) -> bool {
    bytes.starts_with(b"BC\xC0\xDE") || bytes.starts_with(b"\xDE\xC0\x17\x0B")
}

/// LLVM's message about bitcode, with the way out.
fn explain(message: &str) -> String {
    let first = first_line(message);
    let producer = first.split_once("Producer: '").and_then(|(_, rest)| rest.split('\'').next());
    match producer {
        Some(producer) if !producer.starts_with("LLVM19") => format!(
            "{first}; it was written by {producer}, this tool reads LLVM 19 and older: compile with \
             clang-19"
        ),
        _ => format!("the bitcode is damaged, cut short or of a newer LLVM than 19: {first}"),
    }
}
