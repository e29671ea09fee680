//! Debug locations and files, which LLVM's C interface does tell; the rest is in `llvm_extra`.

use super::llvm::text;
use super::llvm_extra::Meta;
use inkwell::llvm_sys::debuginfo::*;

// SAFETY of the `unsafe` blocks below: a `Meta` is a node of the module being read, and each function
// is called only on the kind of node its name says.

pub fn location_line(location: Meta) -> u32 {
    unsafe { LLVMDILocationGetLine(location.raw()) }
}

pub fn location_column(location: Meta) -> u32 {
    unsafe { LLVMDILocationGetColumn(location.raw()) }
}

pub fn location_scope(location: Meta) -> Option<Meta> {
    Meta::new(unsafe { LLVMDILocationGetScope(location.raw()) })
}

pub fn location_inlined_at(location: Meta) -> Option<Meta> {
    Meta::new(unsafe { LLVMDILocationGetInlinedAt(location.raw()) })
}

pub fn scope_file(scope: Meta) -> Option<Meta> {
    Meta::new(unsafe { LLVMDIScopeGetFile(scope.raw()) })
}

pub fn file_name(file: Meta) -> String {
    let mut len = 0;
    let data = unsafe { LLVMDIFileGetFilename(file.raw(), &mut len) };
    text(data, len as usize)
}

pub fn file_directory(file: Meta) -> String {
    let mut len = 0;
    let data = unsafe { LLVMDIFileGetDirectory(file.raw(), &mut len) };
    text(data, len as usize)
}
