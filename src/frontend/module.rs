//! Modules of LLVM: read from bitcode or text, written back, linked. Owns what inkwell's context
//! would otherwise do on an error, which is to end the process.

use super::llvm::{LlvmLinkage, Reader, Val};
use super::llvm_extra::{self, Linker};
use crate::library;
use compile_db::Symbols;
use inkwell::context::Context;
use inkwell::memory_buffer::MemoryBuffer;
use inkwell::module::Module;
use rustc_hash::FxHashMap;

/// One unit's module, ready to be linked.
#[derive(Debug, Clone, Copy)]
pub struct Piece<'a> {
    /// For messages: the source file.
    pub name: &'a str,
    pub bitcode: &'a [u8],
}

#[derive(Debug, thiserror::Error)]
pub enum LinkError {
    #[error("{name}: {reason}")]
    Unreadable { name: String, reason: String },
    #[error(
        "{first} and {second} are compiled for different machines ({first_layout:?} and \
         {second_layout:?}) and cannot be one program"
    )]
    Layouts { first: String, second: String, first_layout: String, second_layout: String },
    #[error("{name}: cannot be linked: {reason}")]
    Link { name: String, reason: String },
    #[error("none of its units could be compiled")]
    Empty,
}

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

/// Links the pieces into one module. A symbol that two pieces define is kept from the first; the
/// other piece keeps its own as if it were `static`, and a note says so.
pub fn link<'ctx>(
    context: &'ctx Context,
    pieces: &[Piece<'_>],
    notes: &mut Vec<String>,
) -> Result<Module<'ctx>, LinkError> {
    let mut definitions: FxHashMap<String, usize> = FxHashMap::default();
    let whole = context.create_module("whole");
    let mut linker = Linker::new(&whole);
    let mut first_layout: Option<String> = None;
    for (index, piece) in pieces.iter().enumerate() {
        let module = read_verified(context, piece.name, piece.bitcode)
            .map_err(|reason| LinkError::Unreadable { name: piece.name.into(), reason })?;
        let reader = Reader::new(&module);
        let layout = reader.data_layout();
        for symbol in definitions_of(reader) {
            let name = symbol.name();
            match definitions.get(&name) {
                Some(&first) => {
                    notes.push(format!(
                        "`{name}` is defined in {} and again in {}; each keeps its own",
                        pieces[first].name, piece.name
                    ));
                    symbol.set_internal();
                }
                None => {
                    definitions.insert(name, index);
                }
            }
        }
        match &first_layout {
            None => {
                whole.set_triple(&module.get_triple());
                whole.set_data_layout(&module.get_data_layout());
                first_layout = Some(layout);
            }
            Some(first_layout) if *first_layout != layout => {
                return Err(LinkError::Layouts {
                    first: pieces[0].name.into(),
                    second: piece.name.into(),
                    first_layout: first_layout.clone(),
                    second_layout: layout,
                });
            }
            Some(_) => {}
        }
        linker.add(module).map_err(|reason| LinkError::Link { name: piece.name.into(), reason })?;
    }
    drop(linker);
    if first_layout.is_some() { Ok(whole) } else { Err(LinkError::Empty) }
}

/// Links the models of library functions that the program uses and does not define.
pub fn link_models<'ctx>(context: &'ctx Context, whole: &Module<'ctx>) -> Result<(), LinkError> {
    let mut linked: Vec<&str> = Vec::new();
    loop {
        let reader = Reader::new(whole);
        let (bits, layout) = (reader.pointer_bits(), reader.data_layout());
        let wanted: Vec<&library::Model> = reader
            .functions()
            .filter(|function| function.is_declaration() && function.has_uses())
            .filter_map(|function| library::model(&function.name(), bits))
            .filter(|model| !linked.contains(&model.name))
            .collect();
        if wanted.is_empty() {
            return Ok(());
        }
        let mut linker = Linker::new(whole);
        for model in wanted {
            linked.push(model.name);
            let unreadable = |reason| LinkError::Unreadable { name: model.name.into(), reason };
            let module = read_verified(context, model.name, model.bitcode).map_err(unreadable)?;
            // The models are for x86; another machine goes without.
            if Reader::new(&module).data_layout() != layout {
                continue;
            }
            super::prepare::prepare(&module);
            linker
                .add(module)
                .map_err(|reason| LinkError::Link { name: model.name.into(), reason })?;
        }
    }
}

/// What other units see, and must be defined once.
fn definitions_of<'m>(reader: Reader<'m>) -> impl Iterator<Item = Val<'m>> {
    let is_strong = |symbol: &Val<'m>| {
        !symbol.is_declaration() && symbol.linkage() == LlvmLinkage::LLVMExternalLinkage
    };
    reader.functions().chain(reader.globals()).chain(reader.aliases()).filter(is_strong)
}

/// The names a unit offers and needs, as a linker sees them.
pub fn symbols(module: &Module<'_>) -> Symbols {
    let reader = Reader::new(module);
    let mut symbols = Symbols::default();
    let all = reader.functions().chain(reader.globals()).chain(reader.aliases());
    for symbol in all {
        let name = symbol.name();
        if name.starts_with("llvm.") || name.starts_with(super::lower::UNINIT_PREFIX) {
            continue;
        }
        if symbol.is_declaration() {
            if symbol.has_uses() {
                symbols.undefined.push(name);
            }
            continue;
        }
        match symbol.linkage() {
            LlvmLinkage::LLVMExternalLinkage => symbols.defined.push(name),
            LlvmLinkage::LLVMCommonLinkage
            | LlvmLinkage::LLVMWeakAnyLinkage
            | LlvmLinkage::LLVMWeakODRLinkage
            | LlvmLinkage::LLVMLinkOnceAnyLinkage
            | LlvmLinkage::LLVMLinkOnceODRLinkage => symbols.weak.push(name),
            _ => {}
        }
    }
    symbols
}
