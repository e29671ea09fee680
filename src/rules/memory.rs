//! Where a program touches memory, for the rules that ask about it: accesses by instructions and by
//! library functions on the caller's behalf, calls that free, calls that allocate, and the values that
//! decide what happens next.

use super::{Demand, Extent, Fault, FreeFault, Obligation};
use crate::ir::debug::Binding;
use crate::ir::{CType, Callee, Def, Inst, InstId, Operand, Program, ValueId};
use crate::library::{accesses as library, is_model};
use rustc_hash::FxHashSet;

/// The same demand of every access.
pub(super) fn accesses(program: &Program, rule: &'static str, fault: Fault) -> Vec<Obligation> {
    let mut found = Vec::new();
    for at in program.insts.keys() {
        for (pointer, extent) in touched(program, at) {
            let demand = Demand::Access { pointer, extent, fault };
            found.push(Obligation { rule, at, demand });
        }
    }
    found
}

/// The ranges of memory that an instruction reads or writes.
pub fn touched(program: &Program, at: InstId) -> Vec<(Operand, Extent)> {
    let data = &program.insts[at];
    let size = |ty| Extent::Bytes(program.types.store_size(ty));
    let result = || data.result.expand().map(|value| size(program.values[value].ty));
    match data.inst {
        Inst::Load { ptr, .. } | Inst::AtomicRmw { ptr, .. } => {
            result().map(|extent| (ptr, extent)).into_iter().collect()
        }
        Inst::Store { ptr, value, .. } | Inst::CmpXchg { ptr, new: value, .. } => {
            vec![(ptr, size(program.operand_type(value)))]
        }
        Inst::MemCopy { dst, src, len, .. } => {
            vec![(src, Extent::Times(len, 1)), (dst, Extent::Times(len, 1))]
        }
        Inst::MemSet { dst, len, .. } => vec![(dst, Extent::Times(len, 1))],
        Inst::Call { callee: Callee::Direct(func), args } => {
            let function = &program.funcs[func];
            let args = program.operands(args);
            if function.blocks.is_empty() {
                library::of_call(program, &function.name, args)
            } else if is_model(program, func) {
                library::streams(&function.name, args).collect()
            } else {
                Vec::new()
            }
        }
        Inst::Call { callee: Callee::Indirect(_), .. }
        | Inst::Binary { .. }
        | Inst::Overflow { .. }
        | Inst::IntCmp { .. }
        | Inst::FloatCmp { .. }
        | Inst::Cast { .. }
        | Inst::Pure { .. }
        | Inst::Select { .. }
        | Inst::Freeze { .. }
        | Inst::Phi { .. }
        | Inst::Extract { .. }
        | Inst::Insert { .. }
        | Inst::ExtractElement { .. }
        | Inst::InsertElement { .. }
        | Inst::Shuffle { .. }
        | Inst::Uninit
        | Inst::Alloca { .. }
        | Inst::Gep { .. }
        | Inst::LifetimeStart { .. }
        | Inst::LifetimeEnd { .. }
        | Inst::StackSave
        | Inst::StackRestore { .. }
        | Inst::VaStart { .. }
        | Inst::VaEnd { .. }
        | Inst::VaCopy { .. }
        | Inst::VaArg { .. }
        | Inst::Fence
        | Inst::Check { .. }
        | Inst::Assume { .. }
        | Inst::Unsupported { .. }
        | Inst::Jump { .. }
        | Inst::Branch { .. }
        | Inst::Switch { .. }
        | Inst::IndirectJump { .. }
        | Inst::Return { .. }
        | Inst::Unreachable => Vec::new(),
    }
}

/// What library functions read: texts, and what they write out.
pub(super) fn read_outside(program: &Program) -> Vec<(InstId, Operand, Extent)> {
    let calls = library_calls(program).filter(|(at, ..)| !is_model(program, program.func_of(*at)));
    let read = calls.flat_map(|(at, name, _)| {
        let writes_out = library::WRITES_OUT.contains(&name);
        let is_read = move |extent: &Extent| match extent {
            Extent::Text { .. } | Extent::Hidden => true,
            Extent::Open { least, .. } => *least == 0,
            Extent::Times(..) => writes_out,
            Extent::Bytes(_) => false,
        };
        let touched = touched(program, at).into_iter().filter(move |(_, extent)| is_read(extent));
        touched.map(move |(pointer, extent)| (at, pointer, extent))
    });
    read.collect()
}

/// The direct calls of functions that the library knows, with the name and the arguments.
pub(super) fn library_calls(program: &Program) -> impl Iterator<Item = (InstId, &str, &[Operand])> {
    program.insts.iter().filter_map(|(at, data)| {
        let Inst::Call { callee: Callee::Direct(func), args } = data.inst else { return None };
        let function = &program.funcs[func];
        let is_library = function.blocks.is_empty() || is_model(program, func);
        is_library.then(|| (at, function.name.as_str(), program.operands(args)))
    })
}

pub(super) fn frees(program: &Program, rule: &'static str, fault: FreeFault) -> Vec<Obligation> {
    let freed = |(at, name, args): (InstId, &str, &[Operand])| {
        let pointer = *args.first().filter(|_| library::FREES.contains(&name))?;
        Some(Obligation { rule, at, demand: Demand::Free { pointer, fault } })
    };
    library_calls(program).filter_map(freed).collect()
}

/// Calls outside the models: what a model allocates belongs to its caller.
pub(super) fn allocations(program: &Program, rule: &'static str) -> Vec<Obligation> {
    let allocates = |name: &str| {
        library::ALLOCATES.contains(&name)
            || library::ALLOCATES_UNSEEN.iter().any(|(unseen, _)| *unseen == name)
    };
    library_calls(program)
        .filter(|(at, name, _)| allocates(name) && !is_model(program, program.func_of(*at)))
        .map(|(at, ..)| Obligation { rule, at, demand: Demand::Kept })
        .collect()
}

/// The values that decide a branch, an address, what a function is given or what the program returns to the system.
pub(super) fn deciding(program: &Program) -> Vec<(InstId, Operand)> {
    let scalars = scalar_parameters(program);
    let mut found = Vec::new();
    for (at, data) in &program.insts {
        match data.inst {
            // What `a ? b : c` chooses is decided by a branch or, if both are simple, by a select.
            Inst::Branch { cond, .. } | Inst::Select { cond, .. } => found.push((at, cond)),
            Inst::Switch { value, .. } => found.push((at, value)),
            Inst::IndirectJump { address, .. } => found.push((at, address)),
            Inst::Call { callee, args } => {
                if let Callee::Indirect(target) = callee {
                    found.push((at, target));
                }
                let args = program.operands(args).iter().enumerate();
                let given = args.filter(|&(index, _)| match callee {
                    Callee::Indirect(_) => false,
                    Callee::Direct(func) => {
                        let function = &program.funcs[func];
                        let param = function.params.get(index);
                        function.blocks.is_empty() || param.is_some_and(|p| scalars.contains(&p))
                    }
                });
                found.extend(given.map(|(_, &arg)| (at, arg)));
            }
            Inst::Return { value: Some(value) }
                if program.funcs[program.func_of(at)].name == "main" =>
            {
                found.push((at, value));
            }
            _ => found.extend(touched(program, at).into_iter().map(|(ptr, _)| (at, ptr))),
        }
    }
    found.retain(|(_, operand)| matches!(operand, Operand::Value(_)));
    found
}

/// Parameters that are one number or pointer in C. A struct may be passed in registers with its
/// padding, which nobody sets.
fn scalar_parameters(program: &Program) -> FxHashSet<ValueId> {
    let debug = &program.debug;
    let is_scalar = |ty| {
        let plain = debug.plain(ty).map(|ty| &debug.ctypes[ty]);
        matches!(plain, Some(CType::Base { .. } | CType::Pointer { .. } | CType::Enum { .. }))
    };
    let of_scalars = debug
        .bindings
        .iter()
        .filter(|binding| debug.vars[binding.var].ty.expand().is_some_and(is_scalar));
    let (places, values): (Vec<&Binding>, Vec<&Binding>) =
        of_scalars.partition(|binding| binding.address);
    let places: FxHashSet<ValueId> = places.iter().filter_map(|b| b.value.value()).collect();
    let mut found: FxHashSet<ValueId> = values.iter().filter_map(|b| b.value.value()).collect();
    // One whose address is taken is put into a variable first.
    for data in program.insts.values() {
        if let Inst::Store { ptr: Operand::Value(place), value: Operand::Value(value), .. } =
            data.inst
            && places.contains(&place)
            && matches!(program.values[value].def, Def::Param { .. })
        {
            found.insert(value);
        }
    }
    found
}
