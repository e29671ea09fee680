//! Bindings of llvm_extra.cpp and scopes.cpp: what LLVM's C interface does not tell. Unsafe stays here and in
//! `llvm.rs`; the structs mirror the C++ ones field by field.

use inkwell::llvm_sys::prelude::{LLVMMetadataRef, LLVMValueRef};

#[repr(C)]
#[derive(Clone, Copy)]
struct RawText {
    data: *const u8,
    len: usize,
}

#[repr(C)]
#[derive(Clone, Copy)]
struct RawRecord {
    variable: LLVMMetadataRef,
    value: LLVMValueRef,
    is_declare: u8,
    is_plain: u8,
}

#[repr(C)]
struct RawNode {
    kind: u32,
    tag: u32,
    line: u32,
    encoding: u32,
    size_bits: u64,
    offset_bits: u64,
    value: i64,
    bit_field: u8,
    name: RawText,
    base: LLVMMetadataRef,
    file: LLVMMetadataRef,
    elements: usize,
}

unsafe extern "C" {
    fn cegas_debug_records(inst: LLVMValueRef, out: *mut RawRecord, capacity: usize) -> usize;
    fn cegas_debug_node(node: LLVMMetadataRef, out: *mut RawNode);
    fn cegas_debug_element(node: LLVMMetadataRef, i: usize) -> LLVMMetadataRef;
    fn cegas_global_variable(global: LLVMValueRef) -> LLVMMetadataRef;
    fn cegas_constant_words(constant: LLVMValueRef, out: *mut u64, capacity: usize) -> usize;
    fn cegas_constant_bytes(constant: LLVMValueRef, len: *mut usize) -> *const u8;
    fn cegas_mark_scopes(function: LLVMValueRef);
    fn cegas_promote(function: LLVMValueRef);
    fn cegas_trust_bitcode();
}

/// A debug-info node; compared and hashed by identity.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Meta(LLVMMetadataRef);

impl Meta {
    pub fn new(raw: LLVMMetadataRef) -> Option<Meta> {
        (!raw.is_null()).then_some(Meta(raw))
    }

    pub fn raw(self) -> LLVMMetadataRef {
        self.0
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NodeKind {
    Nothing,
    BasicType,
    DerivedType,
    CompositeType,
    FunctionType,
    Variable,
    Subprogram,
    Enumerator,
    Subrange,
}

/// A debug-info node, flattened; which fields mean something depends on the kind.
#[derive(Debug, Clone)]
pub struct Node {
    pub kind: NodeKind,
    /// DWARF's tag of a type.
    pub tag: u32,
    pub line: u32,
    /// A base type's DWARF encoding; a local variable's argument number.
    pub encoding: u32,
    pub size_bits: u64,
    pub offset_bits: u64,
    /// An enumerator's value; a subrange's count, -1 if unknown.
    pub value: i64,
    pub bit_field: bool,
    pub name: String,
    /// The type of a variable, derived type or array.
    pub base: Option<Meta>,
    pub file: Option<Meta>,
    pub elements: usize,
}

/// A `#dbg_value` or `#dbg_declare` record.
#[derive(Debug, Clone, Copy)]
pub struct Record {
    pub variable: Meta,
    pub value: LLVMValueRef,
    pub is_declare: bool,
}

/// The plain debug records before `inst`, appended to `out`.
pub(super) fn debug_records(inst: LLVMValueRef, out: &mut Vec<Record>) {
    const EMPTY: RawRecord = RawRecord {
        variable: std::ptr::null_mut(),
        value: std::ptr::null_mut(),
        is_declare: 0,
        is_plain: 0,
    };
    let mut buffer = [EMPTY; 16];
    // SAFETY: the C++ side writes at most `capacity` records.
    let count = unsafe { cegas_debug_records(inst, buffer.as_mut_ptr(), buffer.len()) };
    let mut large = Vec::new();
    let records = if count <= buffer.len() {
        &buffer[..count]
    } else {
        large.resize(count, EMPTY);
        // SAFETY: as above.
        unsafe { cegas_debug_records(inst, large.as_mut_ptr(), large.len()) };
        &large[..]
    };
    for record in records {
        if let (Some(variable), 1, false) =
            (Meta::new(record.variable), record.is_plain, record.value.is_null())
        {
            out.push(Record { variable, value: record.value, is_declare: record.is_declare != 0 });
        }
    }
}

pub fn debug_node(node: Meta) -> Node {
    let mut raw = std::mem::MaybeUninit::<RawNode>::zeroed();
    // SAFETY: the C++ side fills the whole struct; all-zero is a valid value of it.
    let raw = unsafe {
        cegas_debug_node(node.0, raw.as_mut_ptr());
        raw.assume_init()
    };
    let kind = match raw.kind {
        1 => NodeKind::BasicType,
        2 => NodeKind::DerivedType,
        3 => NodeKind::CompositeType,
        4 => NodeKind::FunctionType,
        5 => NodeKind::Variable,
        6 => NodeKind::Subprogram,
        7 => NodeKind::Enumerator,
        8 => NodeKind::Subrange,
        _ => NodeKind::Nothing,
    };
    Node {
        kind,
        tag: raw.tag,
        line: raw.line,
        encoding: raw.encoding,
        size_bits: raw.size_bits,
        offset_bits: raw.offset_bits,
        value: raw.value,
        bit_field: raw.bit_field != 0,
        name: text(raw.name),
        base: Meta::new(raw.base),
        file: Meta::new(raw.file),
        elements: raw.elements,
    }
}

fn text(raw: RawText) -> String {
    if raw.data.is_null() {
        return String::new();
    }
    // SAFETY: a StringRef into the module, which outlives this call.
    let bytes = unsafe { std::slice::from_raw_parts(raw.data, raw.len) };
    String::from_utf8_lossy(bytes).into_owned()
}

pub fn debug_element(node: Meta, i: usize) -> Option<Meta> {
    // SAFETY: total for any node.
    Meta::new(unsafe { cegas_debug_element(node.0, i) })
}

pub(super) fn global_variable(global: LLVMValueRef) -> Option<Meta> {
    // SAFETY: total for any value.
    Meta::new(unsafe { cegas_global_variable(global) })
}

/// The words of an integer or floating constant, least significant first.
pub(super) fn constant_words(constant: LLVMValueRef) -> Vec<u64> {
    let mut words = vec![0; 2];
    // SAFETY: the C++ side writes at most `capacity` words.
    let count = unsafe { cegas_constant_words(constant, words.as_mut_ptr(), words.len()) };
    let fits = count <= words.len();
    words.resize(count, 0);
    if !fits {
        // SAFETY: as above.
        unsafe { cegas_constant_words(constant, words.as_mut_ptr(), words.len()) };
    }
    words
}

/// The bytes of a constant array of plain data, in this machine's byte order.
pub(super) fn constant_bytes<'m>(constant: LLVMValueRef) -> Option<&'m [u8]> {
    let mut len = 0;
    // SAFETY: the bytes belong to the context, which outlives every reader of this module.
    unsafe {
        let data = cegas_constant_bytes(constant, &mut len);
        (!data.is_null()).then(|| std::slice::from_raw_parts(data, len))
    }
}

/// Marks where the lives of variables begin and end that clang does not mark.
pub(super) fn mark_scopes(function: LLVMValueRef) {
    // SAFETY: total for any value; no handle into the function's body is alive here.
    unsafe { cegas_mark_scopes(function) }
}

/// Turns the variables of a function that never leave it into SSA values.
pub(super) fn promote(function: LLVMValueRef) {
    // SAFETY: total for any value; no handle into the function's body is alive here.
    unsafe { cegas_promote(function) }
}

/// Reading bitcode no longer verifies it; for modules that were verified when they were made.
pub(super) fn trust_bitcode() {
    static ONCE: std::sync::Once = std::sync::Once::new();
    // SAFETY: sets one option of LLVM's, before any reader that is to see it starts.
    ONCE.call_once(|| unsafe { cegas_trust_bitcode() });
}
