//! What symbols are to other units, and aliases: a function or global without body or content takes the
//! alias's place in the tables, so that a use of the name goes where linking sends the name.

use super::Lowering;
use crate::frontend::llvm::{LlvmLinkage, Opcode, TypeKind, Val, ValueKind};
use crate::ir::{Def, FuncAttrs, FuncId, Function, Global, GlobalId, IdRange, Linkage, Value};
use crate::link::{Alias, Binding, Symbol};

impl<'m> Lowering<'m> {
    pub(super) fn declare_aliases(&mut self) {
        let aliases: Vec<_> = self.reader.aliases().collect();
        for alias in aliases {
            let aliased = self.aliased(alias);
            let binding = aliased.map_or(Binding::Undefined, |_| binding(alias));
            let symbol = match alias.value_type().kind() {
                TypeKind::LLVMFunctionTypeKind => {
                    Symbol::Func(self.stand_in_function(alias, binding))
                }
                _ => Symbol::Global(self.stand_in_global(alias, binding)),
            };
            match aliased {
                Some((of, offset)) => self.unit.aliases.push(Alias { symbol, of, offset }),
                None => {
                    let note = format!("{}: an alias of what is not modelled", alias.name());
                    self.program.notes.push(note);
                }
            }
        }
    }

    /// The definition that an alias names, through other aliases, and how far behind its start.
    fn aliased(&mut self, alias: Val<'m>) -> Option<(Symbol, i64)> {
        let mut target = alias;
        let mut offset = 0i64;
        loop {
            target = match target.kind() {
                ValueKind::LLVMGlobalAliasValueKind => target.aliasee()?,
                ValueKind::LLVMFunctionValueKind => {
                    return Some((Symbol::Func(*self.funcs.get(&target)?), offset));
                }
                ValueKind::LLVMGlobalVariableValueKind => {
                    return Some((Symbol::Global(self.global(target)?), offset));
                }
                ValueKind::LLVMConstantExprValueKind
                    if target.const_opcode() == Opcode::LLVMGetElementPtr =>
                {
                    let (more, terms) = self.gep_parts(target)?;
                    if !terms.is_empty() {
                        return None;
                    }
                    offset = offset.wrapping_add(more);
                    target.operand(0)
                }
                _ => return None,
            };
        }
    }

    fn stand_in_function(&mut self, alias: Val<'m>, binding: Binding) -> FuncId {
        let ty = alias.value_type();
        let id = self.program.funcs.next_key();
        let first = self.program.values.next_key();
        for (index, param) in ty.param_types().into_iter().enumerate() {
            let def = Def::Param { func: id, index: index as u32 };
            let ty = self.ty(param);
            self.program.values.push(Value { ty, def, name: None.into() });
        }
        let function = Function {
            name: alias.name(),
            linkage: linkage(alias.linkage()),
            result: self.ty(ty.return_type()),
            params: IdRange::new(first, self.program.values.next_key()),
            variadic: ty.is_variadic(),
            blocks: IdRange::default(),
            attrs: FuncAttrs::default(),
            nonnull_params: 0,
            loc: None.into(),
        };
        self.program.funcs.push(function);
        self.unit.funcs.push(binding);
        self.funcs.insert(alias, id);
        id
    }

    fn stand_in_global(&mut self, alias: Val<'m>, binding: Binding) -> GlobalId {
        let ty = self.ty(alias.value_type());
        let id = self.program.globals.push(Global {
            name: alias.name(),
            ty,
            size: self.program.types.layout(ty).size,
            align: 1,
            linkage: linkage(alias.linkage()),
            constant: false,
            thread_local: false,
            init: None,
            var: None.into(),
        });
        self.unit.globals.push(binding);
        self.globals.insert(alias, id);
        id
    }
}

/// What a symbol is to other units.
pub(super) fn binding(symbol: Val<'_>) -> Binding {
    match symbol.linkage() {
        LlvmLinkage::LLVMInternalLinkage
        | LlvmLinkage::LLVMPrivateLinkage
        | LlvmLinkage::LLVMLinkerPrivateLinkage
        | LlvmLinkage::LLVMLinkerPrivateWeakLinkage => Binding::Local,
        LlvmLinkage::LLVMExternalWeakLinkage => Binding::UndefinedWeak,
        _ if symbol.is_declaration() => Binding::Undefined,
        LlvmLinkage::LLVMWeakAnyLinkage
        | LlvmLinkage::LLVMWeakODRLinkage
        | LlvmLinkage::LLVMLinkOnceAnyLinkage
        | LlvmLinkage::LLVMLinkOnceODRLinkage
        | LlvmLinkage::LLVMLinkOnceODRAutoHideLinkage => Binding::Weak,
        LlvmLinkage::LLVMAvailableExternallyLinkage => Binding::Inline,
        LlvmLinkage::LLVMCommonLinkage => Binding::Common,
        LlvmLinkage::LLVMExternalLinkage
        | LlvmLinkage::LLVMAppendingLinkage
        | LlvmLinkage::LLVMDLLImportLinkage
        | LlvmLinkage::LLVMDLLExportLinkage
        | LlvmLinkage::LLVMGhostLinkage => Binding::Strong,
    }
}

/// What the program says of a symbol once all units are in it.
pub(super) fn linkage(linkage: LlvmLinkage) -> Linkage {
    match linkage {
        LlvmLinkage::LLVMInternalLinkage
        | LlvmLinkage::LLVMPrivateLinkage
        | LlvmLinkage::LLVMLinkerPrivateLinkage
        | LlvmLinkage::LLVMLinkerPrivateWeakLinkage => Linkage::Internal,
        LlvmLinkage::LLVMWeakAnyLinkage
        | LlvmLinkage::LLVMWeakODRLinkage
        | LlvmLinkage::LLVMLinkOnceAnyLinkage
        | LlvmLinkage::LLVMLinkOnceODRLinkage
        | LlvmLinkage::LLVMLinkOnceODRAutoHideLinkage
        | LlvmLinkage::LLVMExternalWeakLinkage => Linkage::Weak,
        LlvmLinkage::LLVMExternalLinkage
        | LlvmLinkage::LLVMAvailableExternallyLinkage
        | LlvmLinkage::LLVMAppendingLinkage
        | LlvmLinkage::LLVMDLLImportLinkage
        | LlvmLinkage::LLVMDLLExportLinkage
        | LlvmLinkage::LLVMGhostLinkage
        | LlvmLinkage::LLVMCommonLinkage => Linkage::External,
    }
}
