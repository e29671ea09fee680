//! The part of a program that executions from some functions can come to: what these refer to, and so on. Its
//! tables are those that linking it alone would make, so equal parts of different programs are equal.

use super::Piece;
use super::merge::Merger;
use super::needed::Needed;
use super::symbols::Symbols;
use super::unit::{Binding, Unit};
use crate::ir::{Const, FuncId, GlobalId, Program};
use std::sync::Arc;

/// The part that these functions and variables, the constructors and the destructors refer to.
pub fn part(program: &Program, funcs: &[FuncId], globals: &[GlobalId]) -> Program {
    let pieces = [Piece { name: program.name.clone(), unit: Arc::new(unit(program)) }];
    let mut symbols = Symbols::default();
    symbols.add(&pieces);
    let needed = Needed::by(&pieces, &symbols, funcs, globals);
    let mut merger = Merger::of_part(program, &pieces, &symbols, needed);
    for (name, constant) in &program.aliases {
        // Only functions are looked for by another name.
        if let Const::Func(func) = *program.consts.get(*constant) {
            merger.also_called(name, func);
        }
    }
    merger.merged()
}

/// The program as a unit of its own. What nobody gave a name is called by its place, which others must not change.
fn unit(program: &Program) -> Unit {
    let mut unit = Unit::new(program.clone());
    let tables = &mut unit.program;
    (tables.aliases, tables.notes) = (Vec::new(), Vec::new());
    tables.constructors = Vec::new();
    tables.destructors = Vec::new();
    let unnamed = program.globals.values().map(|global| program.is_unnamed(global));
    let own = tables.globals.values_mut().zip(unnamed).filter(|(_, is_unnamed)| *is_unnamed);
    own.for_each(|(global, _)| global.name.clear());
    let binding = |is_defined: bool| if is_defined { Binding::Strong } else { Binding::Undefined };
    for function in program.funcs.values() {
        unit.funcs.push(binding(!function.blocks.is_empty()));
    }
    for global in program.globals.values() {
        let shared = binding(global.init.is_some());
        unit.globals.push(if program.is_unnamed(global) { Binding::Local } else { shared });
    }
    let numbered = |list: &mut dyn Iterator<Item = FuncId>| (0..).zip(list).collect();
    unit.constructors = numbered(&mut program.constructors.iter().copied());
    // Of these the greatest number runs first.
    unit.destructors = numbered(&mut program.destructors.iter().rev().copied());
    unit
}
