//! Small constants by value. Counters go up one by one, and with this table so do the places looked at, which a
//! hash would strew over all memory.

use super::expr::ExprId;
use cranelift_entity::packed_option::PackedOption;

/// Values below this are in the table.
const MOST: usize = 1 << 20;

/// The widths that C counts in.
const WIDTHS: [u32; 5] = [1, 8, 16, 32, 64];

#[derive(Debug, Clone, Default)]
pub(super) struct Small([Vec<PackedOption<ExprId>>; WIDTHS.len()]);

impl Small {
    pub fn get(&self, value: u128, width: u32) -> Option<ExprId> {
        let (table, index) = place(value, width)?;
        self.0[table].get(index)?.expand()
    }

    pub fn insert(&mut self, value: u128, width: u32, e: ExprId) {
        let Some((table, index)) = place(value, width) else { return };
        let table = &mut self.0[table];
        // Not for the one large number among small ones.
        if index >= table.len() && index <= 2 * table.len() + 255 {
            table.resize(index + 1, None.into());
        }
        if let Some(slot) = table.get_mut(index) {
            *slot = e.into();
        }
    }
}

fn place(value: u128, width: u32) -> Option<(usize, usize)> {
    let index = usize::try_from(value).ok().filter(|&index| index < MOST)?;
    let table = WIDTHS.iter().position(|&w| w == width)?;
    Some((table, index))
}
