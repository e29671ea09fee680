//! What memory holds. An object's bytes are divided into cells of a pointer's size; an access touches the
//! cells its bytes fold to, so a pointer written in pieces, or half over another, is never lost.
//!
//! A pointer to several offsets ([`Place::Spread`], [`Place::Any`]) has a *gate* of its own: what is
//! written there reaches every cell it meets, and what those hold can be read there, without making
//! the cells one. Invariant: two gates, or a gate and a cell, that can touch the same byte are
//! connected, from the writing side of each to the reading side of the other.

use super::constraints::Node;
use super::graph::Graph;
use super::objects::{Location, LocationId, ObjectId, ObjectKind};
use super::shape::{Ground, Place, Shape, Spread};
use rustc_hash::{FxHashMap, FxHashSet};

/// A cell of a pointer's size, with all offsets it stands for.
#[derive(Debug, Clone, Copy)]
pub struct Cell {
    pub offset: i64,
    pub node: Node,
    pub reach: Spread,
}

/// Something that holds pointers and that copiers read: a cell by its offset, or a gate's writing side by
/// its place in the list.
#[derive(Debug, Clone, Copy)]
pub enum Piece {
    Cell(i64),
    Gate(usize),
}

/// Reads and writes of one width through one spread.
#[derive(Debug, Clone, Copy)]
pub struct Gate {
    pub spread: Spread,
    pub width: i64,
    pub write: Option<Node>,
    pub read: Option<Node>,
}

/// The content of an object.
#[derive(Debug, Clone, Default)]
pub struct Memory {
    /// By offset.
    pub cells: Vec<Cell>,
    pub gates: Vec<Gate>,
    /// Copiers that read from a place on.
    pub(super) readers: Vec<(u32, Place)>,
    pub escaped: bool,
}

pub(super) const EVERYWHERE: Spread = Spread { start: 0, span: i64::MAX, stride: 0, len: 1 };

/// All offsets that the bytes of the cell at `offset` stand for.
fn reach(shape: &Shape, ground: Ground<'_>, offset: i64) -> Spread {
    let last = offset.saturating_add(ground.grain - 1).min(ground.size - 1);
    let (first, last) = (shape.unfold(ground, offset.max(0)), shape.unfold(ground, last));
    if (first.span, first.stride, first.len) == (last.span, last.stride, last.len) {
        return first;
    }
    // The cell lies across the border of an array: everything from the lower to the higher end.
    let end = |spread: Spread| {
        (spread.len - 1).saturating_mul(spread.stride).saturating_add(spread.start + spread.span)
    };
    let start = first.start.min(last.start);
    Spread { start, span: end(first).max(end(last)) - start, stride: 0, len: 1 }
}

impl Graph<'_> {
    pub(super) fn grain(&self) -> i64 {
        i64::from(self.objects.program.machine.pointer_bits.max(8) / 8)
    }

    pub(super) fn has_memory(&self, object: ObjectId) -> bool {
        !matches!(self.objects.objects[object].kind, ObjectKind::Func(_) | ObjectKind::Literals)
    }

    pub(super) fn is_flat(&self, object: ObjectId) -> bool {
        self.objects.objects[object].shape == Shape::Flat
    }

    fn cell(&mut self, object: ObjectId, offset: i64) -> Node {
        let cells = &self.memory[object].cells;
        let at = match cells.binary_search_by_key(&offset, |cell| cell.offset) {
            Ok(at) => return cells[at].node,
            Err(at) => at,
        };
        let ground = self.objects.ground(object);
        let reach = reach(&self.objects.objects[object].shape, ground, offset);
        let node = self.new_node();
        self.memory[object].cells.insert(at, Cell { offset, node, reach });
        for gate in self.memory[object].gates.clone() {
            if gate.spread.meets(gate.width, reach, ground.grain) {
                gate.write.into_iter().for_each(|write| self.edge(write, node));
                gate.read.into_iter().for_each(|read| self.edge(node, read));
            }
        }
        if !self.memory[object].readers.is_empty() {
            self.new_pieces.push((object, Piece::Cell(offset)));
        }
        node
    }

    /// The gate's place in the object's list.
    fn gate(&mut self, object: ObjectId, spread: Spread, width: u32) -> usize {
        // Everywhere is everywhere, however wide the access.
        let width = if spread == EVERYWHERE { 1 } else { i64::from(width) };
        let gates = &mut self.memory[object].gates;
        let known = gates.iter().position(|gate| gate.spread == spread && gate.width == width);
        known.unwrap_or_else(|| {
            gates.push(Gate { spread, width, write: None, read: None });
            gates.len() - 1
        })
    }

    /// The node for writing through a spread.
    pub(super) fn write_gate(&mut self, object: ObjectId, spread: Spread, width: u32) -> Node {
        if object == self.objects.unknown {
            return self.world.escaped;
        }
        let at = self.gate(object, spread, width);
        let gate = self.memory[object].gates[at];
        if let Some(node) = gate.write {
            return node;
        }
        let node = self.new_node();
        self.memory[object].gates[at].write = Some(node);
        if !self.memory[object].readers.is_empty() {
            self.new_pieces.push((object, Piece::Gate(at)));
        }
        if self.is_flat(object) {
            self.memory[object].gates[at].read = Some(node);
            return node;
        }
        let grain = self.grain();
        for cell in self.memory[object].cells.clone() {
            if gate.spread.meets(gate.width, cell.reach, grain) {
                self.edge(node, cell.node);
            }
        }
        for other in self.memory[object].gates.clone() {
            if gate.spread.meets(gate.width, other.spread, other.width) {
                other.read.into_iter().for_each(|read| self.edge(node, read));
            }
        }
        node
    }

    /// The node for reading through a spread.
    pub(super) fn read_gate(&mut self, object: ObjectId, spread: Spread, width: u32) -> Node {
        if object == self.objects.unknown || self.is_flat(object) {
            return self.write_gate(object, spread, width);
        }
        let at = self.gate(object, spread, width);
        let gate = self.memory[object].gates[at];
        if let Some(node) = gate.read {
            return node;
        }
        let node = self.new_node();
        self.memory[object].gates[at].read = Some(node);
        let grain = self.grain();
        for cell in self.memory[object].cells.clone() {
            if gate.spread.meets(gate.width, cell.reach, grain) {
                self.edge(cell.node, node);
            }
        }
        for other in self.memory[object].gates.clone() {
            if gate.spread.meets(gate.width, other.spread, other.width) {
                other.write.into_iter().for_each(|write| self.edge(write, node));
            }
        }
        node
    }

    /// The cells that `width` bytes at an offset touch.
    fn touched(&mut self, object: ObjectId, offset: i64, width: u32) -> Vec<Node> {
        let ground = self.objects.ground(object);
        let mut cells: Vec<i64> = Vec::with_capacity(2);
        let end = offset.saturating_add(i64::from(width)).min(ground.size);
        let shape = &self.objects.objects[object].shape;
        for byte in offset.max(0)..end {
            let cell = shape.fold(ground, byte).div_euclid(ground.grain) * ground.grain;
            if !cells.contains(&cell) {
                cells.push(cell);
            }
        }
        cells.into_iter().map(|offset| self.cell(object, offset)).collect()
    }

    /// `to ⊇` what `width` bytes at the location hold. Parts of pointers are read at exact places only
    /// (see [`fragments`](super::fragments)), and in objects that are one place.
    pub(super) fn load_at(&mut self, location: LocationId, to: Node, width: u32) {
        let Location { object, place } = self.objects.locations[location];
        let exact = matches!(place, Place::At(_)) || self.is_flat(object);
        if !self.has_memory(object) || (i64::from(width) < self.grain() && !exact) {
            return;
        }
        let from = match place {
            _ if self.is_flat(object) => self.read_gate(object, EVERYWHERE, width),
            Place::Any => self.read_gate(object, EVERYWHERE, width),
            Place::Spread(spread) => self.read_gate(object, spread, width),
            Place::At(offset) => {
                for cell in self.touched(object, offset, width) {
                    self.edge(cell, to);
                }
                return;
            }
        };
        self.edge(from, to);
    }

    /// What the location holds `⊇ from`.
    pub(super) fn store_at(&mut self, location: LocationId, from: Node, width: u32) {
        let Location { object, place } = self.objects.locations[location];
        if !self.has_memory(object) || self.objects.objects[object].constant {
            return;
        }
        let to = match place {
            _ if self.is_flat(object) => self.write_gate(object, EVERYWHERE, width),
            Place::Any => self.write_gate(object, EVERYWHERE, width),
            Place::Spread(spread) => self.write_gate(object, spread, width),
            Place::At(offset) => {
                for cell in self.touched(object, offset, width) {
                    self.edge(from, cell);
                }
                return;
            }
        };
        self.edge(from, to);
    }

    /// Makes one place of every object that is crowded, or in which whatever is read anywhere is written
    /// everywhere: all its cells hold the same already. Their locations become one in all sets.
    pub(super) fn flatten(&mut self) -> bool {
        let crowded = std::mem::take(&mut self.objects.crowded);
        let mut flat: FxHashSet<ObjectId> =
            crowded.into_iter().filter(|&object| !self.is_flat(object)).collect();
        for object in self.objects.objects.keys() {
            let gates = self.memory.get(object).map_or(&[][..], |memory| &memory.gates);
            let all = gates.iter().find(|gate| gate.spread == EVERYWHERE);
            if let Some((read, write)) = all.and_then(|gate| Some((gate.read?, gate.write?)))
                && !self.is_flat(object)
                && self.find(read) == self.find(write)
            {
                flat.insert(object);
            }
        }
        let mut objects: Vec<ObjectId> = flat.iter().copied().collect();
        objects.sort_unstable();
        for &object in &objects {
            self.objects.objects[object].shape = Shape::Flat;
            let memory = std::mem::take(&mut self.memory[object]);
            let gates =
                memory.gates.iter().flat_map(|gate| gate.read.into_iter().chain(gate.write));
            let cells = memory.cells.iter().map(|cell| cell.node);
            let nodes: Vec<Node> = gates.chain(cells).collect();
            self.merge_all(&nodes);
            let one = nodes.first().copied().unwrap_or_else(|| self.new_node());
            let gate = Gate { spread: EVERYWHERE, width: 1, write: Some(one), read: Some(one) };
            self.memory[object].gates.push(gate);
            self.memory[object].escaped = memory.escaped;
            for (copier, _) in memory.readers {
                self.read_somewhere(copier, one);
            }
        }
        let mut instead = FxHashMap::default();
        for location in self.objects.locations.keys() {
            let Location { object, place } = self.objects.locations[location];
            if place != Place::Any && flat.contains(&object) {
                instead.insert(location, object);
            }
        }
        self.join_twins(&mut instead);
        let found = !instead.is_empty() || !objects.is_empty();
        self.rename(instead);
        found
    }

    /// The object holds `location` when the program starts.
    pub(super) fn hold(&mut self, object: ObjectId, offset: i64, width: u32, location: LocationId) {
        if self.is_flat(object) {
            let all = self.write_gate(object, EVERYWHERE, width);
            return self.add(all, location);
        }
        for cell in self.touched(object, offset, width) {
            self.add(cell, location);
        }
    }

    /// Everything the object holds can be read there.
    pub(super) fn all_of(&mut self, object: ObjectId) -> Node {
        self.read_gate(object, EVERYWHERE, 1)
    }
}
