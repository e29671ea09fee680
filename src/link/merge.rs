//! The units' tables appended to each other: the steps, and what the functions and globals become.

use super::code::Code;
use super::ids::Ids;
use super::names::PrintedNames;
use super::needed::Needed;
use super::rows::Rows;
use super::symbols::{Home, Symbols};
use super::unit::{Symbol, Unit};
use super::{Binding, Piece};
use crate::ir::{
    Block, Def, FileId, FuncId, IdRange, InstId, Linkage, Machine, Program, SourceFile, Value,
};
use cranelift_entity::EntityRef;
use rustc_hash::{FxHashMap, FxHashSet};

pub(super) struct Merger<'p> {
    pub out: Program,
    pub pieces: &'p [Piece],
    pub symbols: &'p Symbols,
    pub needed: Needed<'p>,
    /// What is taken over of each piece's tables.
    pub rows: Vec<Rows>,
    names: PrintedNames,
    /// Of functions of the first piece.
    other_names: Vec<(String, FuncId)>,
    pub files: FxHashMap<SourceFile, FileId>,
    pub ids: Vec<Ids>,
    next_inst: usize,
}

impl<'p> Merger<'p> {
    /// The first `units` of the pieces are the user's.
    pub fn new(
        name: &str,
        machine: Machine,
        pieces: &'p [Piece],
        units: usize,
        symbols: &'p Symbols,
    ) -> Self {
        let rows = pieces.iter().map(|piece| Rows::all(&piece.unit.program)).collect();
        Self::of(
            Program::new(name, machine),
            pieces,
            symbols,
            Needed::new(pieces, units, symbols),
            rows,
        )
    }

    /// For the part of a program that these functions need; the program is the only piece.
    pub fn of_part(
        program: &Program,
        pieces: &'p [Piece],
        symbols: &'p Symbols,
        needed: Needed<'p>,
    ) -> Self {
        let rows = vec![Rows::used(program, &needed)];
        let out = Program::new(&program.name, program.machine.clone());
        Self::of(out, pieces, symbols, needed, rows)
    }

    fn of(
        out: Program,
        pieces: &'p [Piece],
        symbols: &'p Symbols,
        needed: Needed<'p>,
        rows: Vec<Rows>,
    ) -> Self {
        Merger {
            out,
            pieces,
            symbols,
            needed,
            rows,
            other_names: Vec::new(),
            names: PrintedNames::new(symbols.shared.iter().map(|shared| shared.name.as_str())),
            files: FxHashMap::default(),
            ids: Vec::new(),
            next_inst: 0,
        }
    }

    /// The first piece's function has this name, too.
    pub fn also_called(&mut self, name: &str, func: FuncId) {
        self.other_names.push((name.to_owned(), func));
    }

    pub fn merged(mut self) -> Program {
        for (index, piece) in self.pieces.iter().enumerate() {
            self.append_tables(index, &piece.unit.program);
            self.declare(index, &piece.unit);
        }
        for (index, piece) in self.pieces.iter().enumerate() {
            self.append_constants(index, &piece.unit.program);
            self.initialise(index, &piece.unit.program);
            Code::new(&mut self, index, &piece.unit.program).append();
        }
        self.append_aliases();
        self.run_order();
        let mut notes = FxHashSet::default();
        let of_units = self.pieces.iter().flat_map(|piece| &piece.unit.program.notes);
        let all = of_units.chain(&self.symbols.notes);
        self.out.notes = all.filter(|note| notes.insert(*note)).cloned().collect();
        self.out
    }

    /// Whether the unit's symbol is in the program, and under which name; `None` for the name: it is
    /// the unit's own.
    fn presence(&self, of: Home) -> Option<Option<&'p str>> {
        let shared = self.symbols.shared(of).filter(|shared| shared.home == of);
        self.needed.contains(of).then_some(shared.map(|shared| shared.name.as_str()))
    }

    /// Gives the functions and globals of a unit their ids, and the blocks their places.
    fn declare(&mut self, index: usize, unit: &Unit) {
        let from = &unit.program;
        let (funcs, globals) = self.rows[index].symbols();
        for func in funcs {
            let function = &from.funcs[func];
            let Some(name) = self.presence(Home { unit: index, symbol: Symbol::Func(func) }) else {
                continue;
            };
            let mut new = function.clone();
            new.name = self.printed(name, &function.name, &mut new.linkage);
            let id = self.out.funcs.next_key();
            let ids = &mut self.ids[index];
            ids.funcs[func] = Some(id).into();
            let first = self.out.values.next_key();
            for (index, param) in function.params.iter().enumerate() {
                let value = &from.values[param];
                let def = Def::Param { func: id, index: index as u32 };
                let name = value.name.map(|name| ids.texts[name]).into();
                let ty = ids.types[value.ty];
                ids.values[param] = self.out.values.push(Value { ty, def, name });
            }
            new.params = IdRange::new(first, self.out.values.next_key());
            new.result = ids.types[function.result];
            new.loc = ids.loc(function.loc);
            let first = self.out.blocks.next_key();
            for block in function.blocks.iter() {
                let end = self.next_inst + from.blocks[block].insts.len();
                let insts = IdRange::new(InstId::new(self.next_inst), InstId::new(end));
                self.out.blocks.push(Block { func: id, insts });
                self.next_inst = end;
            }
            new.blocks = IdRange::new(first, self.out.blocks.next_key());
            self.out.funcs.push(new);
        }
        for global in globals {
            let old = &from.globals[global];
            let home = Home { unit: index, symbol: Symbol::Global(global) };
            let Some(name) = self.presence(home) else { continue };
            let mut new = old.clone();
            let id = self.out.globals.next_key();
            // clang's string literals have no name; ours are unique and stable.
            let unnamed = || format!(".unnamed.{}", id.index());
            let old_name = if old.name.is_empty() { &unnamed() } else { &old.name };
            new.name = self.printed(name, old_name, &mut new.linkage);
            if let Some(shared) = self.symbols.shared(home)
                && shared.binding == Binding::Common
            {
                new.align = shared.align;
            }
            let ids = &mut self.ids[index];
            new.ty = ids.types[old.ty];
            new.var = old.var.map(|var| ids.var(var)).into();
            new.init = None;
            self.out.globals.push(new);
            ids.globals[global] = Some(id).into();
        }
    }

    fn printed(&mut self, shared: Option<&str>, name: &str, linkage: &mut Linkage) -> String {
        match shared {
            Some(name) => name.to_owned(),
            None => {
                *linkage = Linkage::Internal;
                self.names.own(name)
            }
        }
    }

    /// Other names for what the program has.
    fn append_aliases(&mut self) {
        for (index, piece) in self.pieces.iter().enumerate() {
            for alias in &piece.unit.aliases {
                if self.ids[index].placed(alias.of).is_none() {
                    continue;
                }
                let home = Home { unit: index, symbol: alias.symbol };
                let name = match self.symbols.shared(home) {
                    Some(shared) if shared.home == home => shared.name.clone(),
                    Some(_) => continue,
                    None => self.names.own(piece.unit.name(alias.symbol)),
                };
                let place = self.place(index, alias.symbol);
                let ty = self.pointer_type();
                let target = self.address(ty, place);
                self.out.aliases.push((name, target));
            }
        }
        for (name, func) in std::mem::take(&mut self.other_names) {
            if let Some(func) = self.ids.first().and_then(|ids| ids.func(func)) {
                let ty = self.pointer_type();
                let target = self.address(ty, (Symbol::Func(func), 0));
                self.out.aliases.push((name, target));
            }
        }
    }

    /// Constructors and destructors by priority; of one priority, the first unit's constructors come
    /// first and its destructors last.
    fn run_order(&mut self) {
        let ordered = |of: fn(&Unit) -> &[(u64, FuncId)]| {
            let mut all: Vec<(u64, FuncId)> = Vec::new();
            for (index, piece) in self.pieces.iter().enumerate() {
                for &(priority, func) in of(&piece.unit) {
                    if let (Symbol::Func(func), 0) = self.place(index, Symbol::Func(func)) {
                        all.push((priority, func));
                    }
                }
            }
            all.sort_by_key(|&(priority, _)| priority);
            all.into_iter().map(|(_, func)| func).collect::<Vec<_>>()
        };
        let constructors = ordered(|unit| &unit.constructors);
        let mut destructors = ordered(|unit| &unit.destructors);
        destructors.reverse();
        self.out.constructors = constructors;
        self.out.destructors = destructors;
    }
}
