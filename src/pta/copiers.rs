//! Copying memory. What a `memcpy` reads meets at its offset from the start of the copy before it is
//! written, so that `s` sources and `d` destinations make `s + d` connections and not `s · d`.
//!
//! What is read at an unknown offset may land anywhere in the range that is written. A copy between very
//! many places is *blurred*: everything that lies in the ranges it reads lands anywhere in those it writes.

use super::constraints::{MemCopy, Node};
use super::graph::Graph;
use super::memory::{Gate, Piece};
use super::objects::{Location, LocationId, ObjectId, Step};
use super::shape::{Place, Spread};
use rustc_hash::FxHashSet;

/// So many ways from an offset to a target, or so many sources, are kept apart for one copy.
const MANY_WAYS: usize = 1 << 14;
const MANY_SOURCES: usize = 1 << 12;

#[derive(Debug, Clone)]
pub struct Copier {
    len: u64,
    around: bool,
    exact: bool,
    parts: Vec<(Step, Node)>,
    /// What may land anywhere in the range.
    loose: Option<Node>,
    blurred: bool,
    sources: FxHashSet<LocationId>,
    targets: Vec<LocationId>,
    known_targets: FxHashSet<LocationId>,
    /// What a blurred copy reads and writes.
    read: FxHashSet<LocationId>,
    written: FxHashSet<LocationId>,
}

/// Where a cell of the source lies, seen from the start of the copy.
enum Seen {
    Outside,
    /// At an offset, and again in each element of arrays.
    There(Step),
    Somewhere,
}

/// How often a stride fits in a copy of `len` bytes from an offset on, if it has a length.
fn turns(len: i64, offset: i64, stride: i64) -> Option<u64> {
    let from = len.checked_sub(offset).filter(|_| len < i64::MAX)?;
    u64::try_from(from).ok().map(|from| from.div_ceil(stride as u64))
}

impl Graph<'_> {
    pub(super) fn add_copier(&mut self, copy: MemCopy) -> u32 {
        let MemCopy { to, from, len, around, .. } = copy;
        // Less than a pointer is a piece of one.
        let exact = copy.exact || len < self.grain() as u64;
        let id = self.copiers.len() as u32;
        self.copiers.push(Copier {
            len,
            around,
            exact,
            parts: Vec::new(),
            loose: None,
            blurred: false,
            sources: FxHashSet::default(),
            targets: Vec::new(),
            known_targets: FxHashSet::default(),
            read: FxHashSet::default(),
            written: FxHashSet::default(),
        });
        self.uses(from).copied_from.push(id);
        self.uses(to).copied_to.push(id);
        id
    }

    /// Whether the copier looks at exact places only, and this is none (nor an object that is one place).
    fn skips(&self, id: u32, location: LocationId) -> bool {
        let Location { object, place } = self.objects.locations[location];
        self.copiers[id as usize].exact && !matches!(place, Place::At(_)) && !self.is_flat(object)
    }

    pub(super) fn is_exact(&self, id: u32) -> bool {
        self.copiers[id as usize].exact
    }

    fn copier(&mut self, id: u32) -> &mut Copier {
        &mut self.copiers[id as usize]
    }

    /// Tells the copiers about cells and gates made since; what they write may make more.
    pub(super) fn settle(&mut self) {
        while let Some((object, piece)) = self.new_pieces.pop() {
            for (copier, place) in self.memory[object].readers.clone() {
                // A blurred copy reads the object as a whole.
                if !self.copier(copier).blurred {
                    self.read_piece(copier, place, object, piece);
                }
            }
        }
    }

    pub(super) fn copy_from(&mut self, id: u32, location: LocationId) {
        let Location { object, place } = self.objects.locations[location];
        if !self.has_memory(object) || self.skips(id, location) {
            return;
        }
        if self.copier(id).blurred {
            return self.read_range(id, location);
        }
        if !self.copier(id).sources.insert(location) || self.blur(id) {
            return;
        }
        if self.is_flat(object) {
            let all = self.all_of(object);
            return self.read_somewhere(id, all);
        }
        self.memory[object].readers.push((id, place));
        let cells = self.memory[object].cells.iter().map(|cell| Piece::Cell(cell.offset));
        let gates = (0..self.memory[object].gates.len()).map(Piece::Gate);
        for piece in cells.chain(gates).collect::<Vec<_>>() {
            self.read_piece(id, place, object, piece);
        }
    }

    /// A blurred copy reads all that it may read from the location on.
    fn read_range(&mut self, id: u32, location: LocationId) {
        let loose = self.loose(id);
        for place in self.range(id, location) {
            if self.copier(id).read.insert(place) {
                let width = self.piece(id);
                self.load_at(place, loose, width);
            }
        }
    }

    /// The bytes that a blurred copy reads or writes at a time.
    fn piece(&self, id: u32) -> u32 {
        self.copiers[id as usize].len.min(self.grain() as u64) as u32
    }

    /// Where the pieces lie that a blurred copy from or to the location moves.
    fn range(&mut self, id: u32, location: LocationId) -> Vec<LocationId> {
        let Location { object, place } = self.objects.locations[location];
        let Copier { len, around, .. } = self.copiers[id as usize];
        let more = (len - u64::from(self.piece(id))).saturating_add(1);
        if around || len == u64::MAX || matches!(place, Place::Any) {
            return vec![self.objects.any(object)];
        }
        let mut places = Vec::new();
        let step = match more {
            1 => Step::default(),
            _ => Step { offset: 0, terms: vec![(1, Some(more))], any: false },
        };
        self.objects.landed(location, &step, &mut places);
        places
    }

    fn loose(&mut self, id: u32) -> Node {
        if let Some(node) = self.copier(id).loose {
            return node;
        }
        let node = self.new_node();
        self.copier(id).loose = Some(node);
        node
    }

    /// What is read at an unknown distance from the start of the copy.
    pub(super) fn read_somewhere(&mut self, id: u32, from: Node) {
        let node = match self.copier(id).loose {
            Some(node) => node,
            None => {
                let node = self.new_node();
                self.copier(id).loose = Some(node);
                for target in self.copier(id).targets.clone() {
                    self.land_somewhere(id, node, target);
                }
                node
            }
        };
        self.edge(from, node);
    }

    fn read_piece(&mut self, id: u32, place: Place, object: ObjectId, piece: Piece) {
        let memory = &self.memory[object];
        let (node, seen) = match piece {
            Piece::Cell(offset) => {
                let cells = &memory.cells;
                let Ok(at) = cells.binary_search_by_key(&offset, |cell| cell.offset) else {
                    return;
                };
                let cell = cells[at];
                let len = i64::try_from(self.copiers[id as usize].len).unwrap_or(i64::MAX);
                let around = self.copiers[id as usize].around;
                let outside = match place {
                    Place::Spread(spread) => {
                        !spread.meets(len, cell.reach, self.grain()) && !around
                    }
                    Place::At(_) | Place::Any => false,
                };
                let seen = match outside {
                    true => Seen::Outside,
                    false => self.seen(id, place, object, offset),
                };
                (cell.node, seen)
            }
            Piece::Gate(at) => {
                let Some((gate, node)) = memory.gates.get(at).and_then(|g| Some((g, g.write?)))
                else {
                    return;
                };
                (node, self.seen_gate(id, place, *gate))
            }
        };
        match seen {
            Seen::Outside => {}
            Seen::Somewhere => self.read_somewhere(id, node),
            Seen::There(step) => {
                let part = match self.copier(id).parts.iter().find(|part| part.0 == step) {
                    Some(&(_, part)) => part,
                    None => {
                        let part = self.new_node();
                        self.copier(id).parts.push((step.clone(), part));
                        if self.blur(id) {
                            return;
                        }
                        for target in self.copier(id).targets.clone() {
                            self.land(&step, part, target);
                        }
                        part
                    }
                };
                self.edge(node, part);
            }
        }
    }

    fn seen_gate(&self, id: u32, place: Place, gate: Gate) -> Seen {
        let len = i64::try_from(self.copiers[id as usize].len).unwrap_or(i64::MAX);
        let from = match place {
            Place::At(start) => Spread { start, span: 1, stride: 0, len: 1 },
            Place::Spread(spread) => spread,
            Place::Any => return Seen::Somewhere,
        };
        let &Copier { around, exact, .. } = &self.copiers[id as usize];
        if !from.meets(len, gate.spread, gate.width) && !around {
            return Seen::Outside;
        }
        if exact {
            return Seen::Outside; // written at no exact place
        }
        if from.span > 1 || gate.spread.span > 1 {
            return Seen::Somewhere;
        }
        let apart = gate.spread.start - from.start;
        let period = match (from.len > 1, gate.spread.len > 1) {
            (false, false) => return Seen::There(Step::by(apart)),
            (true, false) => from.stride,
            (false, true) => gate.spread.stride,
            (true, true) if from.stride == gate.spread.stride => from.stride,
            (true, true) => return Seen::Somewhere,
        };
        let mut step = Step::by(apart.rem_euclid(period));
        if len > period {
            step.terms.push((period as u64, turns(len, step.offset, period)));
        }
        Seen::There(step)
    }

    fn seen(&self, id: u32, place: Place, object: ObjectId, offset: i64) -> Seen {
        let ground = self.objects.ground(object);
        let shape = &self.objects.objects[object].shape;
        let len = i64::try_from(self.copiers[id as usize].len).unwrap_or(i64::MAX);
        let arrays = shape.arrays_at(ground, offset);
        let mut step;
        match place {
            Place::Any => return Seen::Somewhere,
            Place::Spread(spread) => {
                if spread.span > 1 || spread.len == 1 || !arrays.is_empty() {
                    return Seen::Somewhere;
                }
                let from = offset - spread.start;
                step = Step::by(from);
                if from > -ground.grain {
                    step.offset = from.rem_euclid(spread.stride);
                    if step.offset + ground.grain > spread.stride {
                        step.offset -= spread.stride; // lies across an element's start
                    }
                }
                if len > spread.stride {
                    let count = turns(len, step.offset, spread.stride);
                    step.terms.push((spread.stride as u64, count));
                }
            }
            Place::At(start) => {
                step = Step::by(offset - start);
                let end = start.saturating_add(len);
                let around = shape.arrays_at(ground, start);
                for array in arrays.into_iter().filter(|array| array.len > 1) {
                    if around.contains(&array) {
                        // From an element on: only this element, or those after it, too?
                        if end <= array.start.saturating_add(array.stride) {
                            continue;
                        }
                        if step.offset <= -ground.grain && !self.copiers[id as usize].around {
                            step.offset += array.stride;
                        }
                    }
                    // An endless array tells nothing about the target.
                    let count = u64::try_from(array.len).ok().filter(|&count| count < 1 << 32);
                    let count = count.or_else(|| turns(len, step.offset, array.stride));
                    step.terms.push((array.stride as u64, count));
                }
            }
        }
        let around = self.copiers[id as usize].around;
        if (step.offset <= -ground.grain && !around) || step.offset >= len {
            return Seen::Outside;
        }
        Seen::There(step)
    }

    pub(super) fn copy_to(&mut self, id: u32, location: LocationId) {
        if self.skips(id, location) {
            return;
        }
        if self.copier(id).blurred {
            return self.blot(id, location);
        }
        if !self.copier(id).known_targets.insert(location) {
            return;
        }
        self.copier(id).targets.push(location);
        if self.blur(id) {
            return;
        }
        if let Some(node) = self.copier(id).loose {
            self.land_somewhere(id, node, location);
        }
        for (step, node) in self.copier(id).parts.clone() {
            self.land(&step, node, location);
        }
    }

    /// Blurs a copy that has become too large; tells whether it is blurred.
    fn blur(&mut self, id: u32) -> bool {
        let copier = self.copier(id);
        let ways = copier.parts.len() * copier.targets.len();
        if copier.blurred || (ways <= MANY_WAYS && copier.sources.len() <= MANY_SOURCES) {
            return copier.blurred;
        }
        copier.blurred = true;
        let parts = std::mem::take(&mut copier.parts);
        let targets = std::mem::take(&mut copier.targets);
        let sources = copier.sources.iter().map(|&source| source.as_u32());
        let sources = std::collections::BTreeSet::from_iter(sources);
        for (_, part) in parts {
            self.read_somewhere(id, part);
        }
        for source in sources {
            self.read_range(id, LocationId::from_u32(source));
        }
        for target in targets {
            self.blot(id, target);
        }
        true
    }

    /// A blurred copy writes all that it may write from the location on.
    fn blot(&mut self, id: u32, location: LocationId) {
        let loose = self.loose(id);
        for place in self.range(id, location) {
            if self.copier(id).written.insert(place) {
                let width = self.piece(id);
                self.store_at(place, loose, width);
            }
        }
    }

    /// Lands somewhere in the range that is written.
    fn land_somewhere(&mut self, id: u32, node: Node, target: LocationId) {
        let Location { object, place } = self.objects.locations[target];
        let len = self.copier(id).len;
        let place = match (place, i64::try_from(len)) {
            (Place::At(start), Ok(len)) if start >= 0 => {
                Step { offset: 0, terms: vec![(1, u64::try_from(len.max(2)).ok())], any: false }
            }
            _ => {
                let any = self.objects.any(object);
                return self.store_at(any, node, 1);
            }
        };
        self.land(&place, node, target);
    }

    fn land(&mut self, step: &Step, node: Node, target: LocationId) {
        let mut places = Vec::new();
        self.objects.landed(target, step, &mut places);
        let grain = self.grain() as u32;
        for place in places {
            self.store_at(place, node, grain);
        }
    }
}
