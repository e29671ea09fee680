//! Units to one program, on our own tables: what a C linker does, without files and addresses.
//!
//! Each unit comes with tables of its own ([`unit`]). First it is settled which symbol stands for each
//! name ([`symbols`]), and what is still missing is asked of the models of library functions. Then,
//! for what is needed of it all ([`needed`]), the tables are appended to each other with every id changed ([`merge`]): types, texts and constants
//! are interned, the rest moves up. Bodies come last ([`code`]); whether a call fits its callee is
//! decided there again, since the callee may be another unit's now.
//!
//! Order: units in the order given, then models in the order of their first use; inside a unit, that of
//! its tables. A symbol comes where it is defined, or else where it is declared best.

mod code;
mod names;
mod needed;
mod rows;
mod symbols;
mod consts;
mod ids;
mod merge;
mod part;
pub mod unit;

pub use part::part;
pub use unit::{Alias, Binding, Symbol, Unit};

use crate::ir::{Machine, Program};
use merge::Merger;
use std::sync::Arc;
use symbols::Symbols;

/// A unit and what messages call it.
#[derive(Debug, Clone)]
pub struct Piece {
    pub name: String,
    pub unit: Arc<Unit>,
}

#[derive(Debug, thiserror::Error)]
pub enum LinkError {
    #[error("{name}: {reason}")]
    Unreadable { name: String, reason: String },
    #[error(
        "{first} and {second} are compiled for different machines ({first_layout:?} and \
         {second_layout:?}) and cannot be one program"
    )]
    Layouts { first: String, second: String, first_layout: String, second_layout: String },
    #[error("it has no unit that could be compiled")]
    Empty,
    #[error("the model is malformed, which is a bug in cegas-scan: {first}")]
    Malformed { first: String },
}

/// The program that the pieces make together; `model` is asked for each function that is used and
/// that nobody defines.
pub fn link(
    name: &str,
    mut pieces: Vec<Piece>,
    model: impl Fn(&str, &Machine) -> Option<Arc<Unit>>,
) -> Result<Program, LinkError> {
    let machine = same_machine(&pieces)?;
    let units = pieces.len();
    let mut symbols = Symbols::default();
    for count in 1..=units {
        symbols.add(&pieces[..count]);
    }
    // A model may need another one: its names come behind those that are known.
    let mut next = 0;
    while let Some(shared) = symbols.shared.get(next) {
        next += 1;
        let missing =
            !shared.binding.is_definition() && matches!(shared.home.symbol, Symbol::Func(_));
        if missing && let Some(unit) = model(&shared.name, &machine) {
            pieces.push(Piece { name: shared.name.clone(), unit });
            symbols.add(&pieces);
        }
    }
    Ok(Merger::new(name, machine, &pieces, units, &symbols).merged())
}

fn same_machine(pieces: &[Piece]) -> Result<Machine, LinkError> {
    let machine_of = |piece: &Piece| piece.unit.program.machine.clone();
    let Some(first) = pieces.first() else { return Err(LinkError::Empty) };
    let machine = machine_of(first);
    for second in pieces {
        let layout = &second.unit.program.machine.data_layout;
        if *layout != machine.data_layout {
            return Err(LinkError::Layouts {
                first: first.name.clone(),
                second: second.name.clone(),
                first_layout: machine.data_layout,
                second_layout: layout.clone(),
            });
        }
    }
    Ok(machine)
}
