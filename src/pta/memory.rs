//! What memory holds. An object's bytes are divided into cells of a pointer's size; an access touches the
//! cells its bytes fold to, so a pointer written in pieces, or half over another, is never lost. The
//! place [`Place::Any`] has two nodes of its own: what is written there reaches every cell of the
//! object, and what any cell holds can be read there, without making the cells one.

use super::constraints::Node;
use super::graph::Graph;
use super::objects::{Location, LocationId, ObjectId, ObjectKind, Step};
use super::shape::{Place, Shape};
use rustc_hash::FxHashSet;

/// The content of an object.
#[derive(Debug, Clone, Default)]
pub struct Memory {
    /// By offset.
    pub cells: Vec<(i64, Node)>,
    /// What is written anywhere, and what can be read anywhere.
    pub any: Option<(Node, Node)>,
    /// Copiers that read from an offset on.
    readers: Vec<(u32, i64)>,
    pub escaped: bool,
}

/// A `memcpy`: what is read meets at an offset from its start before it is written, so that `s` sources
/// and `d` destinations make `s + d` connections and not `s · d`.
#[derive(Debug, Clone)]
pub struct Copier {
    len: u64,
    parts: Vec<(Step, Node)>,
    /// What may land anywhere.
    spread: Option<Node>,
    sources: FxHashSet<LocationId>,
    targets: Vec<LocationId>,
    known_targets: FxHashSet<LocationId>,
}

/// More cells than this in memory without a type make it one place.
const MANY_CELLS: usize = 256;

impl Graph<'_> {
    fn grain(&self) -> i64 {
        i64::from(self.objects.program.machine.pointer_bits.max(8) / 8)
    }

    fn has_memory(&self, object: ObjectId) -> bool {
        !matches!(self.objects.objects[object].kind, ObjectKind::Func(_) | ObjectKind::Literals)
    }

    /// The nodes of [`Place::Any`].
    pub(super) fn anywhere(&mut self, object: ObjectId) -> (Node, Node) {
        if object == self.objects.unknown {
            return (self.world.escaped, self.world.escaped);
        }
        if let Some(nodes) = self.memory[object].any {
            return nodes;
        }
        let inward = self.new_node();
        if self.objects.objects[object].shape == Shape::Flat {
            self.memory[object].any = Some((inward, inward));
            return (inward, inward);
        }
        let outward = self.new_node();
        self.memory[object].any = Some((inward, outward));
        self.edge(inward, outward);
        for (_, cell) in self.memory[object].cells.clone() {
            self.edge(inward, cell);
            self.edge(cell, outward);
        }
        (inward, outward)
    }

    fn cell(&mut self, object: ObjectId, key: i64) -> Node {
        if self.objects.objects[object].shape == Shape::Flat {
            return self.anywhere(object).0;
        }
        let at = match self.memory[object].cells.binary_search_by_key(&key, |cell| cell.0) {
            Ok(at) => return self.memory[object].cells[at].1,
            Err(at) => at,
        };
        let grown = matches!(self.objects.objects[object].shape, Shape::Grown { .. });
        if grown && self.memory[object].cells.len() >= MANY_CELLS {
            self.flatten(object);
            return self.anywhere(object).0;
        }
        let node = self.new_node();
        self.memory[object].cells.insert(at, (key, node));
        if let Some((inward, outward)) = self.memory[object].any {
            self.edge(inward, node);
            self.edge(node, outward);
        }
        if !self.memory[object].readers.is_empty() {
            self.new_cells.push((object, key, node));
        }
        node
    }

    /// Tells the copiers about cells made since; what they write may make more.
    pub(super) fn settle(&mut self) {
        while let Some((object, key, node)) = self.new_cells.pop() {
            for (copier, start) in self.memory[object].readers.clone() {
                self.read_cell(copier, start, object, key, node);
            }
        }
    }

    /// Makes the object one place.
    fn flatten(&mut self, object: ObjectId) {
        let (inward, outward) = self.anywhere(object);
        self.objects.objects[object].shape = Shape::Flat;
        let mut one = self.merge(inward, outward);
        for (_, cell) in std::mem::take(&mut self.memory[object].cells) {
            one = self.merge(one, cell);
        }
        self.memory[object].any = Some((one, one));
        for (copier, _) in std::mem::take(&mut self.memory[object].readers) {
            self.read_anywhere(copier, one);
        }
    }

    /// Brings the cells up to the object's new shape.
    pub(super) fn refold(&mut self, object: ObjectId) {
        let ground = self.objects.ground(object);
        for (key, cell) in self.memory[object].cells.clone() {
            let shape = self.objects.objects[object].shape.clone();
            let mut own = false;
            let last = key.saturating_add(ground.grain).min(ground.size);
            for byte in key..last {
                let to = shape.fold(ground, byte).div_euclid(ground.grain) * ground.grain;
                if to == key {
                    own = true;
                } else {
                    let target = self.cell(object, to);
                    self.merge(cell, target);
                }
            }
            if !own {
                self.memory[object].cells.retain(|&(at, _)| at != key);
            }
        }
    }

    /// The cells that `width` bytes at a location touch.
    fn touched(&mut self, object: ObjectId, offset: i64, width: u32) -> Vec<Node> {
        let ground = self.objects.ground(object);
        let mut keys: Vec<i64> = Vec::with_capacity(2);
        let end = offset.saturating_add(i64::from(width)).min(ground.size);
        let shape = &self.objects.objects[object].shape;
        for byte in offset.max(0)..end {
            let key = shape.fold(ground, byte).div_euclid(ground.grain) * ground.grain;
            if !keys.contains(&key) {
                keys.push(key);
            }
        }
        keys.into_iter().map(|key| self.cell(object, key)).collect()
    }

    fn place(&mut self, location: LocationId) -> Location {
        let location = self.objects.canonical(location);
        self.objects.locations[location]
    }

    /// `to ⊇` what `width` bytes at the location hold.
    pub(super) fn load_at(&mut self, location: LocationId, to: Node, width: u32) {
        let Location { object, place } = self.place(location);
        if !self.has_memory(object) {
            return;
        }
        match place {
            Place::Any => {
                let (_, outward) = self.anywhere(object);
                self.edge(outward, to);
            }
            Place::At(offset) => {
                for cell in self.touched(object, offset, width) {
                    self.edge(cell, to);
                }
            }
        }
    }

    /// What the location holds `⊇ from`.
    pub(super) fn store_at(&mut self, location: LocationId, from: Node, width: u32) {
        let Location { object, place } = self.place(location);
        if !self.has_memory(object) || self.objects.objects[object].constant {
            return;
        }
        match place {
            Place::Any => {
                let (inward, _) = self.anywhere(object);
                self.edge(from, inward);
            }
            Place::At(offset) => {
                for cell in self.touched(object, offset, width) {
                    self.edge(from, cell);
                }
            }
        }
    }

    /// The object holds `location` when the program starts.
    pub(super) fn hold(&mut self, object: ObjectId, offset: i64, width: u32, location: LocationId) {
        if self.objects.objects[object].shape == Shape::Flat {
            let (inward, _) = self.anywhere(object);
            self.add(inward, location);
            return;
        }
        for cell in self.touched(object, offset, width) {
            self.add(cell, location);
        }
    }

    pub(super) fn add_copier(&mut self, to: Node, from: Node, len: u64) -> u32 {
        let id = self.copiers.len() as u32;
        self.copiers.push(Copier {
            len,
            parts: Vec::new(),
            spread: None,
            sources: FxHashSet::default(),
            targets: Vec::new(),
            known_targets: FxHashSet::default(),
        });
        self.uses(from).copied_from.push(id);
        self.uses(to).copied_to.push(id);
        id
    }

    fn copier(&mut self, id: u32) -> &mut Copier {
        &mut self.copiers[id as usize]
    }

    pub(super) fn copy_from(&mut self, id: u32, location: LocationId) {
        if !self.copier(id).sources.insert(location) {
            return;
        }
        let Location { object, place } = self.place(location);
        if !self.has_memory(object) {
            return;
        }
        match place {
            Place::Any => {
                let (_, outward) = self.anywhere(object);
                self.read_anywhere(id, outward);
            }
            Place::At(start) => {
                self.memory[object].readers.push((id, start));
                for (key, cell) in self.memory[object].cells.clone() {
                    self.read_cell(id, start, object, key, cell);
                }
            }
        }
    }

    fn read_anywhere(&mut self, id: u32, from: Node) {
        let spread = match self.copier(id).spread {
            Some(node) => node,
            None => {
                let node = self.new_node();
                self.copier(id).spread = Some(node);
                for target in self.copier(id).targets.clone() {
                    self.land_anywhere(node, target);
                }
                node
            }
        };
        self.edge(from, spread);
    }

    /// A cell of the source, if it lies in the range. One inside arrays stands for a cell of each
    /// element.
    fn read_cell(&mut self, id: u32, start: i64, object: ObjectId, key: i64, cell: Node) {
        let ground = self.objects.ground(object);
        let shape = &self.objects.objects[object].shape;
        let start = shape.fold(ground, start);
        let len = i64::try_from(self.copiers[id as usize].len).unwrap_or(i64::MAX);
        let end = start.saturating_add(len);
        let around_start = shape.arrays_at(ground, start);
        let mut step = Step::by(key - start);
        for array in shape.arrays_at(ground, key) {
            if around_start.contains(&array) {
                // From an element on: only this element, or those after it, too?
                if end > array.start.saturating_add(array.stride) {
                    if step.offset <= -ground.grain {
                        step.offset += array.stride;
                    }
                    step.terms.push((array.stride as u64, None));
                }
            } else if array.len > 1 {
                step.terms.push((array.stride as u64, u64::try_from(array.len).ok()));
            }
        }
        let outside = step.offset <= -ground.grain || step.offset >= len;
        if outside {
            return;
        }
        for term in &mut step.terms {
            // A length that only says "to the end" tells nothing about the target.
            term.1 = term.1.filter(|&len| len < 1 << 32);
        }
        let node = match self.copier(id).parts.iter().find(|part| part.0 == step) {
            Some(&(_, node)) => node,
            None => {
                let node = self.new_node();
                self.copier(id).parts.push((step.clone(), node));
                for target in self.copier(id).targets.clone() {
                    self.land(&step, node, target);
                }
                node
            }
        };
        self.edge(cell, node);
    }

    pub(super) fn copy_to(&mut self, id: u32, location: LocationId) {
        if !self.copier(id).known_targets.insert(location) {
            return;
        }
        self.copier(id).targets.push(location);
        if let Some(node) = self.copier(id).spread {
            self.land_anywhere(node, location);
        }
        for (step, node) in self.copier(id).parts.clone() {
            self.land(&step, node, location);
        }
    }

    fn land_anywhere(&mut self, node: Node, target: LocationId) {
        let object = self.objects.locations[target].object;
        let any = self.objects.any(object);
        self.store_at(any, node, 1);
    }

    fn land(&mut self, step: &Step, node: Node, target: LocationId) {
        let target = self.objects.canonical(target);
        let object = self.objects.locations[target].object;
        let mut places = Vec::new();
        if self.objects.step(target, step, &mut places) {
            self.refold(object);
        }
        let grain = self.grain() as u32;
        for place in places {
            self.store_at(place, node, grain);
        }
    }
}
