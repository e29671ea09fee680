//! What of the units gets into the program: what other units or the loader may see, and whatever that
//! refers to. Left out are definitions that gave way to others, what only they need, and declarations that
//! nobody uses any more.

use super::Piece;
use super::symbols::{Home, Symbols};
use super::unit::Symbol;
use crate::ir::{Callee, Const, ConstId, FuncId, GlobalId, Inst, Operand, Program};
use cranelift_entity::EntitySet;

/// Of one unit.
#[derive(Debug, Default)]
struct Marks {
    funcs: EntitySet<FuncId>,
    globals: EntitySet<GlobalId>,
    consts: EntitySet<ConstId>,
}

#[derive(Debug)]
pub(super) struct Needed<'p> {
    pieces: &'p [Piece],
    symbols: &'p Symbols,
    marks: Vec<Marks>,
    work: Vec<Home>,
    /// All of it, in the order in which it was found to be needed.
    pub order: Vec<Home>,
}

impl<'p> Needed<'p> {
    /// The first `units` of the pieces are the user's; the others are there to be used.
    pub fn new(pieces: &'p [Piece], units: usize, symbols: &'p Symbols) -> Self {
        let mut needed = Needed::nothing(pieces, symbols);
        for (index, piece) in pieces.iter().enumerate().take(units) {
            let unit = &piece.unit;
            let listed = unit.constructors.iter().chain(&unit.destructors);
            listed.for_each(|&(_, func)| needed.name(index, Symbol::Func(func)));
            unit.used.iter().for_each(|&symbol| needed.name(index, symbol));
        }
        for shared in symbols.shared.iter().filter(|shared| shared.home.unit < units) {
            if shared.binding.is_definition() {
                needed.name(shared.home.unit, shared.home.symbol);
            }
        }
        needed.all_parts()
    }

    /// Of the only piece, what these need, and what runs without being called.
    pub fn by(
        pieces: &'p [Piece],
        symbols: &'p Symbols,
        funcs: &[FuncId],
        globals: &[GlobalId],
    ) -> Self {
        let mut needed = Needed::nothing(pieces, symbols);
        for piece in pieces {
            let listed = piece.unit.constructors.iter().chain(&piece.unit.destructors);
            let funcs = funcs.iter().copied().chain(listed.map(|&(_, func)| func));
            funcs.for_each(|func| needed.name(0, Symbol::Func(func)));
            globals.iter().for_each(|&global| needed.name(0, Symbol::Global(global)));
        }
        needed.all_parts()
    }

    fn nothing(pieces: &'p [Piece], symbols: &'p Symbols) -> Self {
        let marks = pieces.iter().map(|_| Marks::default()).collect();
        Needed { pieces, symbols, marks, work: Vec::new(), order: Vec::new() }
    }

    fn all_parts(mut self) -> Self {
        while let Some(home) = self.work.pop() {
            self.parts(home);
        }
        self
    }

    pub fn contains(&self, of: Home) -> bool {
        let marks = &self.marks[of.unit];
        match of.symbol {
            Symbol::Func(func) => marks.funcs.contains(func),
            Symbol::Global(global) => marks.globals.contains(global),
        }
    }

    pub fn constants(&self, unit: usize) -> &EntitySet<ConstId> {
        &self.marks[unit].consts
    }

    /// Marks what stands for the name that the unit uses.
    fn name(&mut self, unit: usize, symbol: Symbol) {
        let home = self.symbols.home(Home { unit, symbol });
        // An alias is of a definition of its own unit, whatever becomes of that one's name.
        let alias = self.pieces[home.unit].unit.alias(home.symbol);
        let home = alias.map_or(home, |alias| Home { symbol: alias.of, ..home });
        let marks = &mut self.marks[home.unit];
        let new = match home.symbol {
            Symbol::Func(func) => marks.funcs.insert(func),
            Symbol::Global(global) => marks.globals.insert(global),
        };
        if new {
            self.order.push(home);
            self.work.push(home);
        }
    }

    /// Marks what a body or an initialiser refers to.
    fn parts(&mut self, of: Home) {
        let program = &self.pieces[of.unit].unit.program;
        match of.symbol {
            Symbol::Global(global) => {
                let relocs = program.globals[global].init.iter().flat_map(|init| &init.relocs);
                relocs.for_each(|&(_, target)| self.constant(of.unit, target));
            }
            Symbol::Func(func) => {
                let blocks = program.funcs[func].blocks.iter();
                let insts = blocks.flat_map(|block| program.blocks[block].insts.iter());
                insts.clone().for_each(|inst| self.inst(of.unit, program, program.inst(inst)));
                if let (Some(first), Some(last)) = (insts.clone().next(), insts.last()) {
                    let bindings = program.debug.bindings_between(first, last);
                    bindings.iter().for_each(|binding| self.operand(of.unit, binding.value));
                }
            }
        }
    }

    fn inst(&mut self, unit: usize, program: &Program, inst: &Inst) {
        program.for_each_operand(inst, |operand| self.operand(unit, operand));
        if let Inst::Call { callee: Callee::Direct(callee), .. } = *inst {
            self.name(unit, Symbol::Func(callee));
        }
        if let Inst::Switch { cases, .. } = *inst {
            program.case_pool.get(cases).iter().for_each(|&(c, _)| self.constant(unit, c));
        }
    }

    fn operand(&mut self, unit: usize, operand: Operand) {
        if let Operand::Const(constant) = operand {
            self.constant(unit, constant);
        }
    }

    /// Constants are made of ones with smaller ids, so this ends; they nest as deeply as the front end lets them.
    fn constant(&mut self, unit: usize, constant: ConstId) {
        if !self.marks[unit].consts.insert(constant) {
            return;
        }
        let pieces = self.pieces;
        let constant = pieces[unit].unit.program.consts.get(constant);
        match *constant {
            Const::Global { global, .. } => self.name(unit, Symbol::Global(global)),
            Const::Func(func) => self.name(unit, Symbol::Func(func)),
            // A label is of use to its own function only.
            _ => {}
        }
        constant.for_each_part(|part| self.constant(unit, part));
    }
}
