//! The reading door to LLVM: small copyable handles over a module that is not changed while they live (`'m`), so that
//! lowering is safe code. inkwell owns contexts and modules; its value enums cost allocations that one would notice.

use super::llvm_extra::{self, Meta, Record};
use inkwell::llvm_sys::core::*;
use inkwell::llvm_sys::debuginfo::{LLVMGetSubprogram, LLVMInstructionGetDebugLoc};
use inkwell::llvm_sys::prelude::*;
use inkwell::llvm_sys::target::*;
pub use inkwell::llvm_sys::{
    LLVMAtomicOrdering as Ordering, LLVMAtomicRMWBinOp as RmwBinOp, LLVMIntPredicate,
    LLVMLinkage as LlvmLinkage, LLVMOpcode as Opcode, LLVMRealPredicate, LLVMTypeKind as TypeKind,
    LLVMValueKind as ValueKind, LLVMVisibility,
};
use inkwell::module::Module as InkwellModule;
use std::{ffi::c_char, marker::PhantomData};

/// A value: constant, argument, instruction, function or global.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Val<'m>(LLVMValueRef, PhantomData<&'m ()>);

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Ty<'m>(LLVMTypeRef, PhantomData<&'m ()>);

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Blk<'m>(LLVMBasicBlockRef, PhantomData<&'m ()>);

/// A module being read.
#[derive(Debug, Clone, Copy)]
pub struct Reader<'m> {
    module: LLVMModuleRef,
    layout: LLVMTargetDataRef,
    of: PhantomData<&'m ()>,
}

/// The numbers LLVM gave to the attributes we ask for.
#[derive(Debug, Clone, Copy)]
pub struct AttributeKind(u32);

/// Where an attribute sits.
#[derive(Debug, Clone, Copy)]
pub enum Place {
    Function,
    Result,
    Param(u32),
}

impl Place {
    fn index(self) -> u32 {
        match self {
            Place::Function => u32::MAX,
            Place::Result => 0,
            Place::Param(i) => i + 1,
        }
    }
}

pub(super) fn text(data: *const c_char, len: usize) -> String {
    if data.is_null() {
        return String::new();
    }
    // SAFETY: LLVM hands out `len` readable bytes that live as long as the module.
    let bytes = unsafe { std::slice::from_raw_parts(data.cast::<u8>(), len) };
    String::from_utf8_lossy(bytes).into_owned()
}

// SAFETY of the `unsafe` blocks below: every handle was made by LLVM for the module that `'m`
// borrows, and each function is called only on the kind of value its name says; the callers' match
// on `kind`/`opcode` is what guarantees it.

impl<'m> Reader<'m> {
    pub fn new(module: &'m InkwellModule<'_>) -> Self {
        let module = module.as_mut_ptr();
        // SAFETY: the layout belongs to the module.
        let layout = unsafe { LLVMGetModuleDataLayout(module) };
        Reader { module, layout, of: PhantomData }
    }

    pub fn functions(self) -> impl Iterator<Item = Val<'m>> {
        let first = unsafe { LLVMGetFirstFunction(self.module) };
        chain(first, |f| unsafe { LLVMGetNextFunction(f) })
    }

    pub fn globals(self) -> impl Iterator<Item = Val<'m>> {
        let first = unsafe { LLVMGetFirstGlobal(self.module) };
        chain(first, |g| unsafe { LLVMGetNextGlobal(g) })
    }

    pub fn aliases(self) -> impl Iterator<Item = Val<'m>> {
        let first = unsafe { LLVMGetFirstGlobalAlias(self.module) };
        chain(first, |g| unsafe { LLVMGetNextGlobalAlias(g) })
    }

    pub fn ifuncs(self) -> impl Iterator<Item = Val<'m>> {
        let first = unsafe { LLVMGetFirstGlobalIFunc(self.module) };
        chain(first, |g| unsafe { LLVMGetNextGlobalIFunc(g) })
    }

    pub fn module_asm(self) -> String {
        let mut len = 0;
        let data = unsafe { LLVMGetModuleInlineAsm(self.module, &mut len) };
        text(data, len)
    }

    pub fn triple(self) -> String {
        let data = unsafe { LLVMGetTarget(self.module) };
        c_text(data)
    }

    pub fn data_layout(self) -> String {
        let data = unsafe { LLVMGetDataLayoutStr(self.module) };
        c_text(data)
    }

    pub fn pointer_bits(self) -> u32 {
        unsafe { LLVMPointerSize(self.layout) * 8 }
    }

    pub fn big_endian(self) -> bool {
        unsafe { LLVMByteOrder(self.layout) == LLVMByteOrdering::LLVMBigEndian }
    }

    /// Size, store size and alignment of a sized type.
    pub fn layout_of(self, ty: Ty<'m>) -> (u64, u64, u32) {
        unsafe {
            (
                LLVMABISizeOfType(self.layout, ty.0),
                LLVMStoreSizeOfType(self.layout, ty.0),
                LLVMABIAlignmentOfType(self.layout, ty.0),
            )
        }
    }

    pub fn offset_of(self, ty: Ty<'m>, field: u32) -> u64 {
        unsafe { LLVMOffsetOfElement(self.layout, ty.0, field) }
    }
}

fn c_text(data: *const c_char) -> String {
    if data.is_null() {
        return String::new();
    }
    // SAFETY: LLVM's C strings end with a zero.
    unsafe { std::ffi::CStr::from_ptr(data) }.to_string_lossy().into_owned()
}

fn chain<'m>(
    first: LLVMValueRef,
    next: impl Fn(LLVMValueRef) -> LLVMValueRef,
) -> impl Iterator<Item = Val<'m>> {
    let some = |v: LLVMValueRef| (!v.is_null()).then_some(v);
    std::iter::successors(some(first), move |&v| some(next(v))).map(|v| Val(v, PhantomData))
}

pub fn attribute_kind(name: &str) -> AttributeKind {
    AttributeKind(unsafe { LLVMGetEnumAttributeKindForName(name.as_ptr().cast(), name.len()) })
}

impl<'m> Ty<'m> {
    fn new(raw: LLVMTypeRef) -> Self {
        Ty(raw, PhantomData)
    }

    pub fn kind(self) -> TypeKind {
        unsafe { LLVMGetTypeKind(self.0) }
    }

    pub fn int_bits(self) -> u32 {
        unsafe { LLVMGetIntTypeWidth(self.0) }
    }

    pub fn is_sized(self) -> bool {
        unsafe { LLVMTypeIsSized(self.0) != 0 }
    }

    pub fn address_space(self) -> u32 {
        unsafe { LLVMGetPointerAddressSpace(self.0) }
    }

    pub fn element(self) -> Ty<'m> {
        Ty::new(unsafe { LLVMGetElementType(self.0) })
    }

    pub fn array_len(self) -> u64 {
        unsafe { LLVMGetArrayLength2(self.0) }
    }

    pub fn vector_len(self) -> u32 {
        unsafe { LLVMGetVectorSize(self.0) }
    }

    pub fn field_count(self) -> u32 {
        unsafe { LLVMCountStructElementTypes(self.0) }
    }

    pub fn field(self, i: u32) -> Ty<'m> {
        Ty::new(unsafe { LLVMStructGetTypeAtIndex(self.0, i) })
    }

    pub fn return_type(self) -> Ty<'m> {
        Ty::new(unsafe { LLVMGetReturnType(self.0) })
    }

    /// Of a function type.
    pub fn param_types(self) -> Vec<Ty<'m>> {
        let count = unsafe { LLVMCountParamTypes(self.0) } as usize;
        let mut raw = vec![std::ptr::null_mut(); count];
        // SAFETY: LLVM writes `count` types.
        unsafe { LLVMGetParamTypes(self.0, raw.as_mut_ptr()) };
        raw.into_iter().map(Ty::new).collect()
    }

    pub fn is_variadic(self) -> bool {
        unsafe { LLVMIsFunctionVarArg(self.0) != 0 }
    }

    pub fn print(self) -> String {
        unsafe {
            let raw = LLVMPrintTypeToString(self.0);
            let printed = c_text(raw);
            LLVMDisposeMessage(raw);
            printed
        }
    }
}

impl<'m> Blk<'m> {
    pub fn instructions(self) -> impl Iterator<Item = Val<'m>> {
        let first = unsafe { LLVMGetFirstInstruction(self.0) };
        chain(first, |i| unsafe { LLVMGetNextInstruction(i) })
    }

    pub fn terminator(self) -> Option<Val<'m>> {
        Val::new(unsafe { LLVMGetBasicBlockTerminator(self.0) })
    }
}

impl<'m> Val<'m> {
    fn new(raw: LLVMValueRef) -> Option<Self> {
        (!raw.is_null()).then_some(Val(raw, PhantomData))
    }

    pub fn kind(self) -> ValueKind {
        unsafe { LLVMGetValueKind(self.0) }
    }

    pub fn opcode(self) -> Opcode {
        unsafe { LLVMGetInstructionOpcode(self.0) }
    }

    pub fn const_opcode(self) -> Opcode {
        unsafe { LLVMGetConstOpcode(self.0) }
    }

    pub fn ty(self) -> Ty<'m> {
        Ty::new(unsafe { LLVMTypeOf(self.0) })
    }

    pub fn name(self) -> String {
        let mut len = 0;
        let data = unsafe { LLVMGetValueName2(self.0, &mut len) };
        text(data, len)
    }

    pub fn operand_count(self) -> u32 {
        unsafe { LLVMGetNumOperands(self.0) as u32 }
    }

    /// The `i`-th operand; the value's opcode says how many there are.
    pub fn operand(self, i: u32) -> Val<'m> {
        debug_assert!(i < self.operand_count());
        Val(unsafe { LLVMGetOperand(self.0, i) }, PhantomData)
    }

    pub fn has_uses(self) -> bool {
        unsafe { !LLVMGetFirstUse(self.0).is_null() }
    }

    pub fn is_const_int(self) -> bool {
        self.kind() == ValueKind::LLVMConstantIntValueKind
    }

    /// Of an integer constant of at most 64 bits.
    pub fn const_i64(self) -> i64 {
        unsafe { LLVMConstIntGetSExtValue(self.0) }
    }

    pub fn const_u64(self) -> u64 {
        unsafe { LLVMConstIntGetZExtValue(self.0) }
    }

    pub fn const_words(self) -> Vec<u64> {
        llvm_extra::constant_words(self.0)
    }

    pub fn const_bytes(self) -> Option<&'m [u8]> {
        llvm_extra::constant_bytes(self.0)
    }

    pub fn aggregate_element(self, i: u32) -> Option<Val<'m>> {
        Val::new(unsafe { LLVMGetAggregateElement(self.0, i) })
    }

    pub fn is_null(self) -> bool {
        unsafe { LLVMIsNull(self.0) != 0 }
    }

    pub fn block_address(self) -> (Val<'m>, Blk<'m>) {
        unsafe {
            (
                Val(LLVMGetBlockAddressFunction(self.0), PhantomData),
                Blk(LLVMGetBlockAddressBasicBlock(self.0), PhantomData),
            )
        }
    }

    pub fn aliasee(self) -> Option<Val<'m>> {
        Val::new(unsafe { LLVMAliasGetAliasee(self.0) })
    }

    pub fn is_declaration(self) -> bool {
        unsafe { LLVMIsDeclaration(self.0) != 0 }
    }

    pub fn is_hidden(self) -> bool {
        unsafe { LLVMGetVisibility(self.0) != LLVMVisibility::LLVMDefaultVisibility }
    }

    pub fn linkage(self) -> LlvmLinkage {
        unsafe { LLVMGetLinkage(self.0) }
    }

    pub fn value_type(self) -> Ty<'m> {
        Ty::new(unsafe { LLVMGlobalGetValueType(self.0) })
    }

    pub fn initializer(self) -> Option<Val<'m>> {
        Val::new(unsafe { LLVMGetInitializer(self.0) })
    }

    pub fn is_constant_global(self) -> bool {
        unsafe { LLVMIsGlobalConstant(self.0) != 0 }
    }

    pub fn is_thread_local(self) -> bool {
        unsafe { LLVMIsThreadLocal(self.0) != 0 }
    }

    pub fn alignment(self) -> u32 {
        unsafe { LLVMGetAlignment(self.0) }
    }

    pub fn params(self) -> impl Iterator<Item = Val<'m>> {
        let first = unsafe { LLVMGetFirstParam(self.0) };
        chain(first, |p| unsafe { LLVMGetNextParam(p) })
    }

    pub fn blocks(self) -> impl Iterator<Item = Blk<'m>> {
        let some = |b: LLVMBasicBlockRef| (!b.is_null()).then_some(b);
        let first = some(unsafe { LLVMGetFirstBasicBlock(self.0) });
        std::iter::successors(first, move |&b| some(unsafe { LLVMGetNextBasicBlock(b) }))
            .map(|b| Blk(b, PhantomData))
    }

    /// The integer or presence of a function's or a call's attribute.
    pub fn attribute(self, place: Place, kind: AttributeKind) -> Option<u64> {
        unsafe {
            let (at, kind) = (place.index(), kind.0);
            let attribute = match self.kind() {
                ValueKind::LLVMFunctionValueKind => LLVMGetEnumAttributeAtIndex(self.0, at, kind),
                _ => LLVMGetCallSiteEnumAttribute(self.0, at, kind),
            };
            (!attribute.is_null()).then(|| LLVMGetEnumAttributeValue(attribute))
        }
    }

    pub fn subprogram(self) -> Option<Meta> {
        Meta::new(unsafe { LLVMGetSubprogram(self.0) })
    }

    pub fn debug_variable(self) -> Option<Meta> {
        llvm_extra::global_variable(self.0)
    }

    pub fn debug_loc(self) -> Option<Meta> {
        Meta::new(unsafe { LLVMInstructionGetDebugLoc(self.0) })
    }

    pub fn debug_records(self, out: &mut Vec<Record>) {
        llvm_extra::debug_records(self.0, out);
    }

    pub fn record_value(record: &Record) -> Val<'m> {
        Val(record.value, PhantomData)
    }

    pub fn successor_count(self) -> u32 {
        unsafe { LLVMGetNumSuccessors(self.0) }
    }

    pub fn successor(self, i: u32) -> Blk<'m> {
        Blk(unsafe { LLVMGetSuccessor(self.0, i) }, PhantomData)
    }

    pub fn is_conditional(self) -> bool {
        unsafe { LLVMIsConditional(self.0) != 0 }
    }

    pub fn int_predicate(self) -> LLVMIntPredicate {
        unsafe { LLVMGetICmpPredicate(self.0) }
    }

    pub fn float_predicate(self) -> LLVMRealPredicate {
        unsafe { LLVMGetFCmpPredicate(self.0) }
    }

    /// The block an instruction stands in.
    pub fn block(self) -> Blk<'m> {
        Blk(unsafe { LLVMGetInstructionParent(self.0) }, PhantomData)
    }

    pub fn incoming(self) -> impl Iterator<Item = (Blk<'m>, Val<'m>)> {
        let count = unsafe { LLVMCountIncoming(self.0) };
        (0..count).map(move |i| unsafe {
            (
                Blk(LLVMGetIncomingBlock(self.0, i), PhantomData),
                Val(LLVMGetIncomingValue(self.0, i), PhantomData),
            )
        })
    }

    pub fn indices(self) -> &'m [u32] {
        unsafe {
            let count = LLVMGetNumIndices(self.0) as usize;
            std::slice::from_raw_parts(LLVMGetIndices(self.0), count)
        }
    }

    pub fn shuffle_mask(self) -> Vec<i32> {
        unsafe {
            let count = LLVMGetNumMaskElements(self.0);
            (0..count).map(|i| LLVMGetMaskValue(self.0, i)).collect()
        }
    }

    pub fn gep_source_type(self) -> Ty<'m> {
        Ty::new(unsafe { LLVMGetGEPSourceElementType(self.0) })
    }

    pub fn is_inbounds(self) -> bool {
        unsafe { LLVMIsInBounds(self.0) != 0 }
    }

    pub fn allocated_type(self) -> Ty<'m> {
        Ty::new(unsafe { LLVMGetAllocatedType(self.0) })
    }

    pub fn is_volatile(self) -> bool {
        unsafe { LLVMGetVolatile(self.0) != 0 }
    }

    pub fn is_atomic(self) -> bool {
        unsafe { LLVMGetOrdering(self.0) != Ordering::LLVMAtomicOrderingNotAtomic }
    }

    pub fn is_weak_cmpxchg(self) -> bool {
        unsafe { LLVMGetWeak(self.0) != 0 }
    }

    pub fn rmw_op(self) -> RmwBinOp {
        unsafe { LLVMGetAtomicRMWBinOp(self.0) }
    }

    pub fn callee(self) -> Val<'m> {
        Val(unsafe { LLVMGetCalledValue(self.0) }, PhantomData)
    }

    pub fn arg_count(self) -> u32 {
        unsafe { LLVMGetNumArgOperands(self.0) }
    }

    /// How many parameters the call's own function type names.
    pub fn fixed_arg_count(self) -> u32 {
        unsafe { LLVMCountParamTypes(LLVMGetCalledFunctionType(self.0)) }
    }

    /// The type that a `byval` argument's copy has.
    pub fn byval_type(self, arg: u32, byval: AttributeKind) -> Option<Ty<'m>> {
        unsafe {
            let attribute = LLVMGetCallSiteEnumAttribute(self.0, arg + 1, byval.0);
            (!attribute.is_null()).then(|| Ty::new(LLVMGetTypeAttributeValue(attribute)))
        }
    }

    /// An assembler template, and where its operands lie, as LLVM writes it: `=r,0,~{memory}`.
    pub fn inline_asm(self) -> (String, String) {
        let mut len = 0;
        let template = text(unsafe { LLVMGetInlineAsmAsmString(self.0, &mut len) }, len);
        (template, text(unsafe { LLVMGetInlineAsmConstraintString(self.0, &mut len) }, len))
    }
}
