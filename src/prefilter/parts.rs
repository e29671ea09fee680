//! Which bytes of an object the value-flow graph follows. Those between its cells, such as padding, have no versions:
//! nothing is known of them unless the object holds something from the start.

use super::memory::is_initialised;
use super::whole::Whole;
use crate::pta::ObjectId;
use crate::svfg::cells::CellId;
use cranelift_entity::SecondaryMap;
use std::ops::Range;

#[derive(Debug)]
pub struct Parts {
    /// The cells of each object, which are consecutive.
    cells: SecondaryMap<ObjectId, Range<u32>>,
}

impl Parts {
    pub fn new(whole: &Whole) -> Parts {
        let mut cells: SecondaryMap<ObjectId, Range<u32>> = SecondaryMap::new();
        for (id, cell) in &whole.graph.cells {
            let of = &mut cells[cell.object];
            if of.start == of.end {
                of.start = id.as_u32();
            }
            of.end = id.as_u32() + 1;
        }
        Parts { cells }
    }

    /// Whether cells make up the whole object, or it holds something from the start.
    pub fn are_all_of(&self, whole: &Whole, object: ObjectId) -> bool {
        let data = &whole.points_to.objects[object];
        let size = data.size.and_then(|size| i64::try_from(size).ok());
        is_initialised(data.kind)
            || self.is_undivided(whole, object)
            || size.is_some_and(|size| self.hold(whole, object, 0, size))
    }

    /// Whether the bytes `start..end` of the object lie in cells.
    pub fn hold(&self, whole: &Whole, object: ObjectId, start: i64, end: i64) -> bool {
        if self.is_undivided(whole, object) {
            return true;
        }
        let mut reached = start;
        for cell in self.cells[object].clone().map(|id| whole.graph.cells[CellId::from_u32(id)]) {
            if cell.start <= reached {
                reached = reached.max(cell.end);
            }
        }
        reached >= end
    }

    fn is_undivided(&self, whole: &Whole, object: ObjectId) -> bool {
        let of = &self.cells[object];
        of.len() == 1 && whole.graph.cells[CellId::from_u32(of.start)].end == 0
    }
}
