//! Lowering: one prepared LLVM module to one [`link::Unit`](crate::link::Unit). The module is only
//! read; when this returns, nothing of LLVM is left.
//!
//! Order: names (functions, globals, labels) first, so that constants can refer to them; then
//! initialisers, of `static` globals once they are met; then bodies, block by block in reverse post-order, where every use but a phi's comes
//! after its definition. A construct without a meaning becomes `Unsupported`, never an error.

mod calls;
mod cfg;
mod consts;
mod debug;
mod insts;
mod memory;
mod negated;
mod ops;
mod symbols;
mod types;
mod unchecked;

pub(super) use ops::UNINIT_PREFIX;

use super::llvm::{self, AttributeKind, Blk, Place, Reader, Ty, Val, ValueKind};
use super::llvm_extra::{Meta, Record};
use crate::ir::{
    Block, BlockId, CTypeId, ConstId, Def, FILE_ASSEMBLY, FileId, FuncAttrs, FuncId, Function,
    Global, GlobalId, IdRange, Inst, InstData, InstId, LocId, Machine, Operand, Program,
    RUN_BY_LOADER, TypeId, Value, ValueId, VarId,
};
use crate::link::{Binding, Symbol, Unit};
use cfg::Plan;
use cranelift_entity::EntityRef;
use cranelift_entity::packed_option::PackedOption;
use inkwell::module::Module;
use ops::Intrinsic;
use rustc_hash::{FxHashMap, FxHashSet};
use std::ffi::CStr;

/// What signed addition, subtraction, multiplication and negation do where the result does not fit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Overflow {
    /// As C has it: undefined, so it is checked.
    Undefined,
    /// As `-fwrapv` has it: defined, so there is nothing to check. A quotient that does not fit still traps.
    Wraps,
}

/// Sections whose functions the loader runs, before `main` or after it; numbers may follow their names.
const RUN_FROM: &[&[u8]] =
    &[b".preinit_array", b".init_array", b".fini_array", b".ctors", b".dtors", b".init", b".fini"];

/// Lowers a module that `prepare` has worked on.
pub fn lower(module: &Module<'_>, name: &str, overflow: Overflow) -> Unit {
    let reader = Reader::new(module);
    let mut lowering = Lowering::new(reader, name, overflow);
    lowering.declare();
    let is_run = |name: &CStr| RUN_FROM.iter().any(|run| name.to_bytes().starts_with(run));
    if module.get_globals().any(|global| global.get_section().is_some_and(is_run)) {
        lowering.program.notes.push(RUN_BY_LOADER.into());
    }
    lowering.lists();
    lowering.initialise();
    lowering.bodies();
    lowering.initialise();
    lowering.finish()
}

struct Attributes {
    byval: AttributeKind,
    noreturn: AttributeKind,
    returns_twice: AttributeKind,
    memory: AttributeKind,
    nonnull: AttributeKind,
}

struct Lowering<'m> {
    reader: Reader<'m>,
    program: Program,
    /// What the module's symbols are to others; its own program is put in at the end.
    unit: Unit,
    attributes: Attributes,
    overflow: Overflow,

    types: FxHashMap<Ty<'m>, TypeId>,
    consts: FxHashMap<Val<'m>, ConstId>,
    funcs: FxHashMap<Val<'m>, FuncId>,
    globals: FxHashMap<Val<'m>, GlobalId>,
    intrinsics: FxHashMap<Val<'m>, Intrinsic>,
    pending_inits: Vec<(GlobalId, Val<'m>)>,
    plans: Vec<(Val<'m>, FuncId, Plan<'m>)>,
    labels: FxHashMap<Blk<'m>, BlockId>,

    // Of the function being lowered.
    block: BlockId,
    current_loc: PackedOption<LocId>,
    values: FxHashMap<Val<'m>, Operand>,
    /// The two results of an operation with overflow.
    pairs: FxHashMap<Val<'m>, (Operand, Operand)>,
    phis: Vec<(InstId, Val<'m>)>,
    /// Divisors that the compiler's own checks ask about, and where.
    divisors: FxHashSet<(BlockId, Val<'m>)>,
    /// The copies of `byval` arguments, by call and argument.
    copies: FxHashMap<(Val<'m>, u32), Operand>,

    locs: FxHashMap<Meta, LocId>,
    files: FxHashMap<Meta, FileId>,
    vars: FxHashMap<Meta, VarId>,
    ctypes: FxHashMap<Meta, CTypeId>,
    pending_ctypes: Vec<(CTypeId, Meta)>,
    records: Vec<Record>,
}

impl<'m> Lowering<'m> {
    fn new(reader: Reader<'m>, name: &str, overflow: Overflow) -> Self {
        let machine = Machine {
            triple: reader.triple(),
            data_layout: reader.data_layout(),
            pointer_bits: reader.pointer_bits(),
            big_endian: reader.big_endian(),
        };
        let attributes = Attributes {
            byval: llvm::attribute_kind("byval"),
            noreturn: llvm::attribute_kind("noreturn"),
            returns_twice: llvm::attribute_kind("returns_twice"),
            memory: llvm::attribute_kind("memory"),
            nonnull: llvm::attribute_kind("nonnull"),
        };
        Lowering {
            reader,
            unit: Unit::new(Program::new(name, machine.clone())),
            program: Program::new(name, machine),
            attributes,
            overflow,
            types: FxHashMap::default(),
            consts: FxHashMap::default(),
            funcs: FxHashMap::default(),
            globals: FxHashMap::default(),
            intrinsics: FxHashMap::default(),
            pending_inits: Vec::new(),
            plans: Vec::new(),
            labels: FxHashMap::default(),
            block: BlockId::new(0),
            current_loc: None.into(),
            values: FxHashMap::default(),
            pairs: FxHashMap::default(),
            phis: Vec::new(),
            divisors: FxHashSet::default(),
            copies: FxHashMap::default(),
            locs: FxHashMap::default(),
            files: FxHashMap::default(),
            vars: FxHashMap::default(),
            ctypes: FxHashMap::default(),
            pending_ctypes: Vec::new(),
            records: Vec::new(),
        }
    }

    /// Gives every function, global and block its id. What is declared and not used stays away.
    fn declare(&mut self) {
        let unused = |symbol: Val<'m>| symbol.is_declaration() && !symbol.has_uses();
        let functions: Vec<_> = self.reader.functions().filter(|&func| !unused(func)).collect();
        for &func in &functions {
            if let Some(intrinsic) = ops::intrinsic(&func.name()) {
                self.intrinsics.insert(func, intrinsic);
            }
        }
        for func in functions {
            if !self.intrinsics.contains_key(&func) {
                self.declare_function(func);
            }
        }
        // An ifunc is a function whose body the loader chooses: one without a body here.
        let ifuncs: Vec<_> = self.reader.ifuncs().collect();
        for ifunc in ifuncs {
            let name = ifunc.name();
            self.program.notes.push(format!("{name}: resolved by the loader (ifunc)"));
        }
        let globals: Vec<_> = self.reader.globals().filter(|&global| !unused(global)).collect();
        for global in globals {
            if symbols::binding(global) != Binding::Local {
                self.global(global);
            }
        }
        // Versions of symbols change nothing that is executed.
        let does_something = |line: &str| !line.is_empty() && !line.starts_with(".symver");
        if self.reader.module_asm().split(['\n', ';']).map(str::trim).any(does_something) {
            self.program.notes.push(FILE_ASSEMBLY.into());
        }
        self.declare_aliases();
    }

    fn declare_function(&mut self, func: Val<'m>) {
        let ty = func.value_type();
        let id = self.program.funcs.next_key();
        self.funcs.insert(func, id);
        let first = self.program.values.next_key();
        let mut nonnull_params = 0;
        for (index, param) in func.params().enumerate() {
            let ty = self.ty(param.ty());
            let name = self.name_of(param);
            let def = Def::Param { func: id, index: index as u32 };
            self.program.values.push(Value { ty, def, name });
            let place = Place::Param(index as u32);
            if index < 64 && func.attribute(place, self.attributes.nonnull).is_some() {
                nonnull_params |= 1 << index;
            }
        }
        let params = IdRange::new(first, self.program.values.next_key());
        let plan = self.plan(func);
        let first_block = self.program.blocks.next_key();
        for chain in plan.chains() {
            let block = Block { func: id, insts: IdRange::default() };
            let block = self.program.blocks.push(block);
            self.labels.extend(chain.iter().map(|&llvm| (llvm, block)));
        }
        let blocks = IdRange::new(first_block, self.program.blocks.next_key());
        debug_assert_eq!(blocks.len(), plan.len());
        let function = Function {
            name: func.name(),
            linkage: symbols::linkage(func.linkage()),
            result: self.ty(ty.return_type()),
            params,
            variadic: ty.is_variadic(),
            blocks,
            attrs: self.func_attrs(func),
            nonnull_params,
            loc: self.function_loc(func),
        };
        self.program.funcs.push(function);
        self.unit.funcs.push(symbols::binding(func));
        if !blocks.is_empty() {
            self.plans.push((func, id, plan));
        }
    }

    fn func_attrs(&self, func: Val<'m>) -> FuncAttrs {
        let has = |kind| func.attribute(Place::Function, kind).is_some();
        // Two bits for each kind of memory: 1 reads, 2 writes.
        let memory = func.attribute(Place::Function, self.attributes.memory);
        FuncAttrs {
            noreturn: has(self.attributes.noreturn),
            returns_twice: has(self.attributes.returns_twice),
            readnone: memory == Some(0),
            readonly: memory.is_some_and(|effects| effects & 0b10_1010 == 0),
            returns_nonnull: func.attribute(Place::Result, self.attributes.nonnull).is_some(),
            args_only: false,
            hidden: func.is_hidden(),
        }
    }

    /// A global variable; none if the compiler made it for itself. What is `static` comes into the tables when
    /// something refers to it: sanitizers leave much behind that nothing does.
    fn global(&mut self, global: Val<'m>) -> Option<GlobalId> {
        if let Some(&id) = self.globals.get(&global) {
            return Some(id);
        }
        let name = global.name();
        if name.starts_with("llvm.") {
            return None;
        }
        let ty = self.ty(global.value_type());
        let layout = self.program.types.layout(ty);
        let ours = Global {
            name,
            ty,
            size: layout.size,
            align: global.alignment().max(1),
            linkage: symbols::linkage(global.linkage()),
            constant: global.is_constant_global(),
            thread_local: global.is_thread_local(),
            init: None,
            var: self.global_var(global),
        };
        let id = self.program.globals.push(ours);
        self.unit.globals.push(symbols::binding(global));
        self.globals.insert(global, id);
        if let Some(init) = global.initializer() {
            self.pending_inits.push((id, init));
        }
        Some(id)
    }

    /// What the module says about its symbols as a whole.
    fn lists(&mut self) {
        let globals: Vec<_> = self.reader.globals().collect();
        for global in globals {
            let Some(table) = global.initializer() else { continue };
            match global.name().as_str() {
                "llvm.global_ctors" => self.unit.constructors = self.listed(table),
                "llvm.global_dtors" => self.unit.destructors = self.listed(table),
                "llvm.used" | "llvm.compiler.used" => self.used(table),
                _ => {}
            }
        }
    }

    /// What `llvm.used` lists.
    fn used(&mut self, table: Val<'m>) {
        let symbols = (0..u32::MAX).map_while(|i| table.aggregate_element(i));
        for symbol in symbols.collect::<Vec<_>>() {
            let symbol = match symbol.kind() {
                ValueKind::LLVMFunctionValueKind => {
                    self.funcs.get(&symbol).copied().map(Symbol::Func)
                }
                ValueKind::LLVMGlobalVariableValueKind => self.global(symbol).map(Symbol::Global),
                _ => None,
            };
            self.unit.used.extend(symbol);
        }
    }

    /// What globals hold at the start, and the globals that they refer to.
    fn initialise(&mut self) {
        let mut next = 0;
        while let Some(&(id, init)) = self.pending_inits.get(next) {
            let init = self.initializer(init);
            self.program.globals[id].init = Some(init);
            next += 1;
        }
        self.pending_inits.clear();
    }

    /// The functions of `llvm.global_ctors` or `_dtors` with their priorities.
    fn listed(&mut self, table: Val<'m>) -> Vec<(u64, FuncId)> {
        let mut entries = Vec::new();
        for i in 0..u32::MAX {
            let Some(entry) = table.aggregate_element(i) else { break };
            let parts = (entry.aggregate_element(0), entry.aggregate_element(1));
            let (Some(priority), Some(func)) = parts else { break };
            if func.kind() == ValueKind::LLVMFunctionValueKind
                && let Some(&func) = self.funcs.get(&func)
            {
                entries.push((priority.const_u64(), func));
            }
        }
        entries
    }

    fn bodies(&mut self) {
        for (func, id, plan) in std::mem::take(&mut self.plans) {
            self.values.clear();
            self.pairs.clear();
            self.copies.clear();
            self.divisors.clear();
            for (param, value) in func.params().zip(self.program.funcs[id].params.iter()) {
                self.values.insert(param, Operand::Value(value));
            }
            for (chain, block) in plan.chains().zip(self.program.funcs[id].blocks.iter()) {
                self.block = block;
                let first = self.program.insts.next_key();
                if Some(block) == self.program.funcs[id].blocks.first() {
                    self.make_copies(&plan);
                }
                self.lower_chain(chain);
                let insts = IdRange::new(first, self.program.insts.next_key());
                self.program.blocks[block].insts = insts;
            }
            self.finish_phis();
        }
    }

    fn finish(mut self) -> Unit {
        self.finish_ctypes();
        // Records are met in instruction order already, but for those moved to a later instruction.
        self.program.debug.bindings.sort_by_key(|binding| binding.at);
        let program = &mut self.program;
        program.operand_pool.shrink_to_fit();
        program.phi_pool.shrink_to_fit();
        program.term_pool.shrink_to_fit();
        program.insts.shrink_to_fit();
        program.values.shrink_to_fit();
        self.unit.program = self.program;
        self.unit
    }

    fn label(&self, func: Val<'m>, block: Blk<'m>) -> Option<BlockId> {
        debug_assert_eq!(func.kind(), ValueKind::LLVMFunctionValueKind);
        self.labels.get(&block).copied()
    }

    fn name_of(&mut self, value: Val<'m>) -> PackedOption<crate::ir::TextId> {
        let name = value.name();
        if name.is_empty() { None.into() } else { Some(self.program.texts.intern(&name)).into() }
    }

    /// Appends an instruction without a result.
    fn emit(&mut self, inst: Inst) -> InstId {
        let data = InstData { inst, block: self.block, result: None.into(), loc: self.current_loc };
        self.program.insts.push(data)
    }

    /// Appends an instruction with a result of type `ty`.
    fn emit_value(&mut self, inst: Inst, ty: TypeId) -> ValueId {
        let id = self.emit(inst);
        let value = self.program.values.push(Value { ty, def: Def::Inst(id), name: None.into() });
        self.program.insts[id].result = value.into();
        value
    }
}
