//! One unit as the linker is given it: its own tables, and what each function and global in them is to
//! other units. What an object file is to a C linker.
//!
//! Invariants: ids are the unit's own; a string literal may have no name; `program.aliases`,
//! `constructors` and `destructors` are empty, since the ones here say more. A function or global
//! that an alias stands for has neither body nor content, and no alias is of another alias.

use crate::ir::{FuncId, GlobalId, Program};
use cranelift_entity::PrimaryMap;
use serde::{Deserialize, Serialize};

/// What a symbol is to other units. Of those with one name the greatest stands for all.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Binding {
    /// `static`: no other unit sees it.
    Local,
    /// Used here; if nobody defines it, its address is null.
    UndefinedWeak,
    /// Used here, defined elsewhere.
    Undefined,
    /// A copy of what is defined elsewhere, there for inlining.
    Inline,
    /// A definition that gives way to another.
    Weak,
    /// A variable without an initialiser (`-fcommon`): the largest of them is the one.
    Common,
    Strong,
}

impl Binding {
    pub fn is_definition(self) -> bool {
        match self {
            Binding::UndefinedWeak | Binding::Undefined => false,
            Binding::Local
            | Binding::Inline
            | Binding::Weak
            | Binding::Common
            | Binding::Strong => true,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Symbol {
    Func(FuncId),
    Global(GlobalId),
}

/// Another name for the place `offset` bytes into what its own unit defines as `of`.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub struct Alias {
    pub symbol: Symbol,
    pub of: Symbol,
    pub offset: i64,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Unit {
    pub program: Program,
    pub funcs: PrimaryMap<FuncId, Binding>,
    pub globals: PrimaryMap<GlobalId, Binding>,
    pub aliases: Vec<Alias>,
    /// Of use to somebody we do not see (`__attribute__((used))`).
    pub used: Vec<Symbol>,
    /// With their priorities; the smallest runs first.
    pub constructors: Vec<(u64, FuncId)>,
    /// With their priorities; the largest runs first.
    pub destructors: Vec<(u64, FuncId)>,
}

impl Unit {
    pub fn new(program: Program) -> Self {
        Unit {
            program,
            funcs: PrimaryMap::new(),
            globals: PrimaryMap::new(),
            aliases: Vec::new(),
            used: Vec::new(),
            constructors: Vec::new(),
            destructors: Vec::new(),
        }
    }

    /// Functions first, then globals, each in the order of its table.
    pub fn symbols(&self) -> impl Iterator<Item = Symbol> + use<'_> {
        let funcs = self.program.funcs.keys().map(Symbol::Func);
        funcs.chain(self.program.globals.keys().map(Symbol::Global))
    }

    pub fn name(&self, symbol: Symbol) -> &str {
        match symbol {
            Symbol::Func(func) => &self.program.funcs[func].name,
            Symbol::Global(global) => &self.program.globals[global].name,
        }
    }

    pub fn binding(&self, symbol: Symbol) -> Binding {
        match symbol {
            Symbol::Func(func) => self.funcs[func],
            Symbol::Global(global) => self.globals[global],
        }
    }

    /// What the symbol is another name of.
    pub fn alias(&self, symbol: Symbol) -> Option<&Alias> {
        self.aliases.iter().find(|alias| alias.symbol == symbol)
    }
}
