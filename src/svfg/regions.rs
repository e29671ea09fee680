//! Regions: cells that every access of the program touches together or not at all. Nothing is lost by
//! following a region instead of its cells one by one, and there are far fewer of them.
//!
//! Invariant: the regions divide the cells; a region's cells have one owner (the function whose
//! variables they are) or none.

use super::cells::{CellId, Cells, Extent};
use crate::ir::{FuncId, InstId};
use crate::pta::sets::{SetId, Sets};
use cranelift_entity::{PrimaryMap, SecondaryMap, entity_impl};
use rustc_hash::FxHashMap;

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RegionId(u32);
entity_impl!(RegionId, "r");

#[derive(Debug, Clone, Default)]
pub struct Region {
    pub cells: Vec<CellId>,
    pub owner: Option<FuncId>,
}

/// What one instruction itself reads and writes, as sets of regions.
#[derive(Debug, Clone, Copy)]
pub struct Event {
    pub inst: InstId,
    pub reads: SetId,
    pub writes: SetId,
    pub overwrites: bool,
}

/// Refines a division: each class is split into what lies inside and outside of each set.
#[derive(Debug, Default)]
pub struct Partition {
    /// The class of each member; what was never seen is in class 0.
    class: Vec<u32>,
    /// The class that members of a class go to while one set is looked at, and for which set.
    split: Vec<(u32, u32)>,
    round: u32,
}

impl Partition {
    pub fn new(members: usize) -> Self {
        Partition { class: vec![0; members], split: vec![(0, 0)], round: 0 }
    }

    pub fn refine(&mut self, set: impl Iterator<Item = u32>) {
        self.round += 1;
        for member in set {
            let old = self.class[member as usize] as usize;
            if self.split[old].1 != self.round {
                self.split[old] = (self.split.len() as u32, self.round);
                self.split.push((0, 0));
            }
            self.class[member as usize] = self.split[old].0;
        }
    }

    pub fn class(&self, member: u32) -> u32 {
        self.class[member as usize]
    }

    /// Makes `members` unseen again, and with them everything, if they are all that was seen.
    pub fn reset(&mut self, members: impl Iterator<Item = u32>) {
        members.for_each(|member| self.class[member as usize] = 0);
        self.split.clear();
        self.split.push((0, 0));
        self.round = 0;
    }
}

/// Divides the cells, and says what each extent touches.
pub fn divide(
    cells: &Cells<'_>,
    extents: &[Extent],
    sets: &mut Sets,
) -> (PrimaryMap<RegionId, Region>, FxHashMap<Extent, SetId>) {
    let mut partition = Partition::new(cells.cells.len());
    let mut owned: FxHashMap<FuncId, Vec<u32>> = FxHashMap::default();
    for cell in cells.cells.keys() {
        if let Some(owner) = cells.owner(cell) {
            owned.entry(owner).or_default().push(cell.as_u32());
        }
    }
    let mut owned: Vec<_> = owned.into_iter().collect();
    owned.sort_unstable();
    owned.iter().for_each(|(_, cells)| partition.refine(cells.iter().copied()));
    let touched: Vec<Vec<CellId>> = extents.iter().map(|&extent| cells.touched(extent)).collect();
    for list in &touched {
        partition.refine(list.iter().map(|cell| cell.as_u32()));
    }

    // Regions are numbered by their first cell, whatever the order of the splits was.
    let mut regions: PrimaryMap<RegionId, Region> = PrimaryMap::new();
    let mut of_class: FxHashMap<u32, RegionId> = FxHashMap::default();
    let mut of_cell: SecondaryMap<CellId, RegionId> = SecondaryMap::with_default(RegionId(0));
    for cell in cells.cells.keys() {
        let class = partition.class(cell.as_u32());
        let region = *of_class.entry(class).or_insert_with(|| {
            regions.push(Region { cells: Vec::new(), owner: cells.owner(cell) })
        });
        regions[region].cells.push(cell);
        of_cell[cell] = region;
    }
    let mut known = FxHashMap::default();
    for (&extent, list) in extents.iter().zip(&touched) {
        let mut members: Vec<u32> = list.iter().map(|&cell| of_cell[cell].as_u32()).collect();
        members.sort_unstable();
        members.dedup();
        known.insert(extent, sets.from_sorted(&members));
    }
    (regions, known)
}
