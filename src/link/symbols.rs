//! Who defines what: the rules by which one of the symbols with one name stands for all, as a C linker
//! has them, with one kindness: of two plain definitions, which a linker refuses, each unit keeps its own.

use super::Piece;
use super::unit::{Binding, Symbol, Unit};
use crate::ir::{FuncId, GlobalId};
use cranelift_entity::SecondaryMap;
use rustc_hash::FxHashMap;

/// A symbol of one of the units.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Home {
    /// By its place in the list of pieces.
    pub unit: usize,
    pub symbol: Symbol,
}

/// A name that units share.
#[derive(Debug)]
pub(super) struct Shared {
    pub name: String,
    /// The symbol that stands for all of this name.
    pub home: Home,
    pub binding: Binding,
    /// The largest alignment that a common symbol is asked for.
    pub align: u32,
}

/// Which shared name each symbol of one unit goes by; none if it is the unit's own.
#[derive(Debug, Default)]
struct Names {
    funcs: SecondaryMap<FuncId, Option<u32>>,
    globals: SecondaryMap<GlobalId, Option<u32>>,
}

/// The names met so far, in the order in which they were first met.
#[derive(Debug, Default)]
pub(super) struct Symbols {
    pub shared: Vec<Shared>,
    by_name: FxHashMap<String, u32>,
    units: Vec<Names>,
    pub notes: Vec<String>,
}

impl Symbols {
    /// Takes in the symbols of the last of the pieces; those before have been taken in.
    pub fn add(&mut self, pieces: &[Piece]) {
        let unit = self.units.len();
        let mut names = Names::default();
        for symbol in pieces[unit].unit.symbols() {
            let name = self.settle(pieces, Home { unit, symbol });
            match symbol {
                Symbol::Func(func) => names.funcs[func] = name,
                Symbol::Global(global) => names.globals[global] = name,
            }
        }
        self.units.push(names);
    }

    /// Decides whether the symbol stands for its name from now on. `None`: it is its unit's own.
    fn settle(&mut self, pieces: &[Piece], home: Home) -> Option<u32> {
        let unit = &pieces[home.unit].unit;
        let binding = unit.binding(home.symbol);
        if binding == Binding::Local {
            return None;
        }
        let name = unit.name(home.symbol);
        let Some(&index) = self.by_name.get(name) else {
            let index = self.shared.len() as u32;
            self.by_name.insert(name.to_owned(), index);
            let align = alignment(unit, home.symbol);
            self.shared.push(Shared { name: name.to_owned(), home, binding, align });
            return Some(index);
        };
        let shared = &mut self.shared[index as usize];
        let first = &pieces[shared.home.unit];
        let better = match (shared.binding, binding) {
            (Binding::Strong, Binding::Strong) => {
                let (first, second) = (&first.name, &pieces[home.unit].name);
                self.notes.push(format!(
                    "`{name}` is defined in {first} and again in {second}; each keeps its own"
                ));
                return None;
            }
            (Binding::Common, Binding::Common) => {
                shared.align = shared.align.max(alignment(unit, home.symbol));
                size(unit, home.symbol) > size(&first.unit, shared.home.symbol)
            }
            (Binding::Undefined, Binding::Undefined)
            | (Binding::UndefinedWeak, Binding::UndefinedWeak) => {
                says_more(unit, home.symbol, &first.unit, shared.home.symbol)
            }
            (before, now) => {
                if now > before {
                    shared.align = alignment(unit, home.symbol);
                }
                now > before
            }
        };
        if better {
            (shared.home, shared.binding) = (home, binding);
        }
        Some(index)
    }

    /// The shared name the symbol goes by.
    pub fn shared(&self, of: Home) -> Option<&Shared> {
        let names = &self.units[of.unit];
        let index = match of.symbol {
            Symbol::Func(func) => names.funcs[func],
            Symbol::Global(global) => names.globals[global],
        };
        index.map(|index| &self.shared[index as usize])
    }

    /// The symbol that stands for this one.
    pub fn home(&self, of: Home) -> Home {
        self.shared(of).map_or(of, |shared| shared.home)
    }
}

fn size(unit: &Unit, symbol: Symbol) -> u64 {
    match symbol {
        Symbol::Func(_) => 0,
        Symbol::Global(global) => unit.program.globals[global].size,
    }
}

fn alignment(unit: &Unit, symbol: Symbol) -> u32 {
    match symbol {
        Symbol::Func(_) => 1,
        Symbol::Global(global) => unit.program.globals[global].align,
    }
}

/// Whether a declaration tells more than another: `int f(int)` more than `int f()`, `extern int a[4]`
/// more than `extern int a[]`.
fn says_more(unit: &Unit, symbol: Symbol, than: &Unit, other: Symbol) -> bool {
    match (symbol, other) {
        (Symbol::Func(func), Symbol::Func(other)) => {
            let says_nothing = |unit: &Unit, func: FuncId| {
                let func = &unit.program.funcs[func];
                func.variadic && func.params.is_empty()
            };
            says_nothing(than, other) && !says_nothing(unit, func)
        }
        (Symbol::Global(_), Symbol::Global(_)) => size(unit, symbol) > size(than, other),
        (Symbol::Func(_), Symbol::Global(_)) | (Symbol::Global(_), Symbol::Func(_)) => false,
    }
}
