//! What is done to a unit's module before it is lowered: variables become values where they can, and
//! every event of the C program stays.
//!
//! Where a variable's life ends is such an event, which clang does not tell of all of them: `scopes.cpp` adds it.
//!
//! Promotion alone would turn an uninitialised variable into `undef`, which may be another value at each use.
//! C's variable is arbitrary but *one* value; so each scalar variable is first given a value at its
//! birth, the result of a call that the lowering knows, and stays one SSA value from then on.

use super::llvm_extra;
use super::lower::UNINIT_PREFIX;
use inkwell::attributes::{Attribute, AttributeLoc};
use inkwell::builder::Builder;
use inkwell::context::ContextRef;
use inkwell::module::Module;
use inkwell::types::BasicTypeEnum;
use inkwell::values::{
    AsValueRef, BasicValue, CallSiteValue, FunctionValue, InstructionOpcode, InstructionValue,
    PointerValue,
};
use rustc_hash::FxHashMap;

const LIFETIME_START: &str = "llvm.lifetime.start.p0";

/// Prepares `module` for lowering.
pub(super) fn prepare(module: &Module<'_>) {
    let optnone = Attribute::get_named_enum_kind_id("optnone");
    for function in module.get_functions().filter(|f| f.count_basic_blocks() > 0) {
        function.remove_enum_attribute(AttributeLoc::Function, optnone);
        llvm_extra::mark_scopes(function.as_value_ref());
        give_birth_values(module, function);
        llvm_extra::promote(function.as_value_ref());
    }
}

/// Stores an unknown value into each scalar variable where its life begins.
fn give_birth_values<'ctx>(module: &Module<'ctx>, function: FunctionValue<'ctx>) {
    let Some(entry) = function.get_first_basic_block() else { return };
    let mut variables = FxHashMap::default();
    for inst in entry.get_instructions() {
        if let Some((pointer, ty)) = scalar_variable(inst) {
            variables.insert(inst.as_value_ref(), (inst, pointer, ty, Vec::new()));
        }
    }
    if variables.is_empty() {
        return;
    }
    if module.get_function(LIFETIME_START).is_some() {
        for inst in function.get_basic_blocks().into_iter().flat_map(|b| b.get_instructions()) {
            if let Some(object) = lifetime_start(inst)
                && let Some((_, _, _, births)) = variables.get_mut(&object)
            {
                births.push(inst);
            }
        }
    }
    let context = module.get_context();
    let builder = context.create_builder();
    let mut made = 0;
    // In the order of the entry block: the output must not depend on addresses.
    for inst in entry.get_instructions() {
        let Some((alloca, pointer, ty, births)) = variables.remove(&inst.as_value_ref()) else {
            continue;
        };
        let births = if births.is_empty() { vec![alloca] } else { births };
        for birth in births {
            // LLVM's own numbers depend on what clang had named before, which is forgotten in bitcode.
            let name = if made == 0 { "uninit".to_owned() } else { format!("uninit{made}") };
            made += 1;
            store_unknown(module, context, &builder, birth, (pointer, ty), &name);
        }
    }
}

fn scalar_variable(inst: InstructionValue<'_>) -> Option<(PointerValue<'_>, BasicTypeEnum<'_>)> {
    if inst.get_opcode() != InstructionOpcode::Alloca {
        return None;
    }
    let ty = inst.get_allocated_type().ok()?;
    let is_scalar = matches!(
        ty,
        BasicTypeEnum::IntType(_) | BasicTypeEnum::FloatType(_) | BasicTypeEnum::PointerType(_)
    );
    let count = inst.get_operand(0)?.value()?.into_int_value().get_zero_extended_constant();
    (is_scalar && count == Some(1)).then_some((PointerValue::try_from(inst).ok()?, ty))
}

/// The object whose life begins at `inst`.
fn lifetime_start(inst: InstructionValue<'_>) -> Option<inkwell::llvm_sys::prelude::LLVMValueRef> {
    if inst.get_opcode() != InstructionOpcode::Call {
        return None;
    }
    let call = CallSiteValue::try_from(inst).ok()?;
    let callee = call.get_called_fn_value()?;
    if callee.get_name().to_bytes() != LIFETIME_START.as_bytes() {
        return None;
    }
    Some(inst.get_operand(1)?.value()?.as_value_ref())
}

fn store_unknown<'ctx>(
    module: &Module<'ctx>,
    context: ContextRef<'ctx>,
    builder: &Builder<'ctx>,
    birth: InstructionValue<'ctx>,
    (pointer, ty): (PointerValue<'ctx>, BasicTypeEnum<'ctx>),
    value_name: &str,
) {
    let Some(next) = birth.get_next_instruction() else { return };
    let name = format!("{UNINIT_PREFIX}{}", ty.print_to_string().to_string_lossy());
    let source = module.get_function(&name).unwrap_or_else(|| {
        let signature = match ty {
            BasicTypeEnum::IntType(ty) => ty.fn_type(&[], false),
            BasicTypeEnum::FloatType(ty) => ty.fn_type(&[], false),
            BasicTypeEnum::PointerType(ty) => ty.fn_type(&[], false),
            _ => context.void_type().fn_type(&[], false),
        };
        module.add_function(&name, signature, None)
    });
    builder.position_before(&next);
    builder.unset_current_debug_location();
    let Ok(call) = builder.build_call(source, &[], value_name) else { return };
    if let Some(value) = call.try_as_basic_value().basic() {
        // Cannot fail: the builder stands before an instruction of this function.
        let _ = builder.build_store(pointer, value.as_basic_value_enum());
    }
}
