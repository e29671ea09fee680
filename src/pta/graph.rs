//! The solver's graph: nodes with their sets, copy edges, and what hangs on pointers. Nodes that turn out
//! to be equal are merged and stand for each other from then on.
//!
//! Three sets a node: `all` it holds, what of it went along the edges (`sent`), and what of it the
//! accesses through it have seen (`seen`). Invariant: `sent ⊆ all`, `seen ⊆ all`; every successor holds
//! `sent`; an edge is added together with the whole set behind it.

use super::constraints::{CallId, Node, World};
use super::copiers::Copier;
use super::memory::{Memory, Piece};
use super::objects::{Location, LocationId, ObjectId, ObjectKind, Objects, Step};
use super::offline::Reduced;
use super::sets::{EMPTY, SetId, Sets};
use cranelift_entity::{EntityRef, SecondaryMap};
use rustc_hash::FxHashMap;

/// What is done with the pointers a node holds.
#[derive(Debug, Default, Clone)]
pub struct Uses {
    /// Where they go, moved by a step.
    pub steps: Vec<(Node, u32)>,
    /// `(value, width)`.
    pub loads: Vec<(Node, u32)>,
    pub stores: Vec<(Node, u32)>,
    pub copied_from: Vec<u32>,
    pub copied_to: Vec<u32>,
    pub calls: Vec<CallId>,
    /// Unknown code gets them.
    pub escape: bool,
}

impl Uses {
    pub(super) fn append_all(&mut self, other: &mut Uses) {
        self.steps.append(&mut other.steps);
        self.loads.append(&mut other.loads);
        self.stores.append(&mut other.stores);
        self.copied_from.append(&mut other.copied_from);
        self.copied_to.append(&mut other.copied_to);
        self.calls.append(&mut other.calls);
        self.escape |= other.escape;
    }

    /// Whether new pointers need more than being sent on.
    pub fn any_access(&self) -> bool {
        !self.loads.is_empty()
            || !self.stores.is_empty()
            || !self.copied_from.is_empty()
            || !self.copied_to.is_empty()
            || !self.calls.is_empty()
            || self.escape
    }
}

pub(super) const NO_USES: u32 = u32::MAX;

#[derive(Debug)]
pub struct Graph<'p> {
    pub objects: Objects<'p>,
    pub world: World,
    pub sets: Sets,
    pub(super) parent: Vec<Node>,
    pub(super) all: Vec<SetId>,
    pub(super) sent: Vec<SetId>,
    pub(super) seen: Vec<SetId>,
    /// Nodes whose pointers are only followed to data, and the functions, which these do not hold.
    pub(super) data: Vec<bool>,
    pub(super) functions: SetId,
    /// Sorted; may name merged nodes.
    pub(super) next: Vec<Vec<Node>>,
    pub(super) uses_of: Vec<u32>,
    pub(super) uses: Vec<Uses>,
    pub(super) steps: Vec<Step>,
    pub(super) known_steps: FxHashMap<Step, u32>,
    pub(super) stepped: FxHashMap<(SetId, u32), SetId>,
    pub(super) memory: SecondaryMap<ObjectId, Memory>,
    pub(super) copiers: Vec<Copier>,
    /// What the copiers have not been told about.
    pub(super) new_pieces: Vec<(ObjectId, Piece)>,
    pub(super) nothing: Node,
    /// Edges found but not yet there.
    pub(super) pending: Vec<(Node, Node)>,
    pub(super) edges: usize,
    pub(super) waves: usize,
    /// What was done so far beside the sets' own work.
    pub(super) work: u64,
    /// The most bytes held so far.
    pub(super) peak: usize,
    /// Something changed since the last look.
    pub(super) changed: bool,
}

impl<'p> Graph<'p> {
    pub fn new(objects: Objects<'p>, world: World, reduced: Reduced) -> Self {
        let nodes = reduced.place.len();
        let known_steps = reduced.steps.iter().cloned().zip(0..).collect();
        let mut graph = Graph {
            objects,
            world,
            sets: Sets::new(),
            parent: reduced.place,
            all: vec![EMPTY; nodes],
            sent: vec![EMPTY; nodes],
            seen: vec![EMPTY; nodes],
            data: reduced.data,
            functions: EMPTY,
            next: vec![Vec::new(); nodes],
            uses_of: vec![NO_USES; nodes],
            uses: Vec::new(),
            steps: reduced.steps,
            known_steps,
            stepped: FxHashMap::default(),
            memory: SecondaryMap::new(),
            copiers: Vec::new(),
            new_pieces: Vec::new(),
            nothing: reduced.nothing,
            pending: Vec::new(),
            edges: 0,
            waves: 0,
            work: 0,
            peak: 0,
            changed: true,
        };
        let constraints = reduced.constraints;
        let locations = graph.objects.locations.iter();
        let is_function =
            |at: &Location| matches!(graph.objects.objects[at.object].kind, ObjectKind::Func(_));
        let functions = locations.filter(|(_, at)| is_function(at)).map(|(id, _)| id.as_u32());
        let functions: Vec<u32> = functions.collect();
        graph.functions = graph.sets.from_sorted(&functions);
        let escaped = graph.find(graph.world.escaped);
        graph.uses(escaped).escape = true;
        for (node, location) in constraints.addresses {
            graph.add(node, location);
        }
        for (from, to, step) in reduced.stepping {
            graph.uses(from).steps.push((to, step));
        }
        for (pointer, value, width) in constraints.loads {
            graph.uses(pointer).loads.push((value, width));
        }
        for (pointer, value, width) in constraints.stores {
            graph.uses(pointer).stores.push((value, width));
        }
        for (target, call) in constraints.calls {
            graph.uses(target).calls.push(call);
        }
        for copy in constraints.memory_copies {
            graph.add_copier(copy);
        }
        graph.pending = constraints.copies;
        for (node, location) in constraints.fills {
            graph.store_at(location, node, 1);
        }
        for (object, offset, width, location) in constraints.initial {
            graph.hold(object, offset, width, location);
        }
        graph
    }

    pub(super) fn new_node(&mut self) -> Node {
        let node = Node::new(self.parent.len());
        self.parent.push(node);
        self.data.push(false);
        self.all.push(EMPTY);
        self.sent.push(EMPTY);
        self.seen.push(EMPTY);
        self.next.push(Vec::new());
        self.uses_of.push(NO_USES);
        node
    }

    /// The node that stands for `node` now.
    pub fn find(&mut self, node: Node) -> Node {
        let mut node = node;
        loop {
            let parent = self.parent[node.index()];
            if parent == node {
                return node;
            }
            let above = self.parent[parent.index()];
            self.parent[node.index()] = above;
            node = above;
        }
    }

    /// What a node holds.
    pub fn held(&mut self, node: Node) -> SetId {
        let node = self.find(node);
        self.all[node.index()]
    }

    pub(super) fn uses(&mut self, node: Node) -> &mut Uses {
        let node = self.find(node);
        let slot = &mut self.uses_of[node.index()];
        if *slot == NO_USES {
            *slot = self.uses.len() as u32;
            self.uses.push(Uses::default());
        }
        &mut self.uses[*slot as usize]
    }

    /// `location ∈ node`.
    pub(super) fn add(&mut self, node: Node, location: LocationId) {
        let one = self.sets.singleton(location.as_u32());
        self.include(node, one);
    }

    /// `set ⊆ node`.
    pub(super) fn include(&mut self, node: Node, set: SetId) {
        let node = self.find(node);
        if node == self.nothing {
            return;
        }
        let set = if self.data[node.index()] { self.without_functions(set) } else { set };
        let old = self.all[node.index()];
        let new = self.sets.union(old, set);
        if new != old {
            self.all[node.index()] = new;
            self.changed = true;
        }
    }

    fn without_functions(&mut self, set: SetId) -> SetId {
        self.sets.difference(set, self.functions)
    }

    /// An edge, as soon as the next batch is added.
    pub(super) fn edge(&mut self, from: Node, to: Node) {
        let (from, to) = (self.find(from), self.find(to));
        if from != to && from != self.nothing && to != self.nothing {
            self.pending.push((from, to));
        }
    }

    /// Adds the edges found so far; what is behind them flows at once.
    pub(super) fn add_pending(&mut self) {
        let mut pending = std::mem::take(&mut self.pending);
        self.work += pending.len() as u64;
        for edge in &mut pending {
            *edge = (self.find(edge.0), self.find(edge.1));
        }
        pending.sort_unstable();
        pending.dedup();
        for group in pending.chunk_by(|a, b| a.0 == b.0) {
            let from = group[0].0;
            let mut next = std::mem::take(&mut self.next[from.index()]);
            let old = next.len();
            for &(_, to) in group {
                if to != from && next[..old].binary_search(&to).is_err() {
                    next.push(to);
                }
            }
            if next.len() > old {
                let set = self.all[from.index()];
                for &to in &next[old..] {
                    self.include(to, set);
                }
                self.edges += next.len() - old;
                self.changed = true;
                next.sort_unstable();
            }
            self.next[from.index()] = next;
        }
        pending.clear();
        if self.pending.is_empty() {
            self.pending = pending; // keep the space
        }
    }

    /// Makes them all one node.
    pub(super) fn merge_all(&mut self, nodes: &[Node]) {
        let mut roots: Vec<Node> = nodes.iter().map(|&node| self.find(node)).collect();
        roots.sort_unstable();
        roots.dedup();
        let [keep, ref others @ ..] = roots[..] else {
            return;
        };
        if others.is_empty() {
            return;
        }
        others.iter().for_each(|&other| self.absorb(keep, other));
        let next = &mut self.next[keep.index()];
        next.sort_unstable();
        next.dedup();
        self.changed = true;
    }

    fn absorb(&mut self, keep: Node, other: Node) {
        let (k, o) = (keep.index(), other.index());
        self.parent[o] = keep;
        if self.data[o] != self.data[k] {
            // Only what is equal, and of one kind, is in a cycle with data; else nothing may be left out.
            self.data[k] = false;
            self.sent[k] = EMPTY;
        }
        self.all[k] = self.sets.union(self.all[k], self.all[o]);
        self.sent[k] = self.sets.intersection(self.sent[k], self.sent[o]);
        self.seen[k] = self.sets.intersection(self.seen[k], self.seen[o]);
        let mut moved = std::mem::take(&mut self.next[o]);
        self.next[k].append(&mut moved);
        if self.uses_of[o] != NO_USES {
            let mut moved = std::mem::take(&mut self.uses[self.uses_of[o] as usize]);
            if self.uses_of[k] == NO_USES {
                self.uses_of[k] = self.uses_of[o];
                self.uses[self.uses_of[k] as usize] = moved;
            } else {
                self.uses[self.uses_of[k] as usize].append_all(&mut moved);
            }
            self.uses_of[o] = NO_USES;
        }
    }

    pub(super) fn step_id(&mut self, step: Step) -> u32 {
        if let Some(&id) = self.known_steps.get(&step) {
            return id;
        }
        let id = self.steps.len() as u32;
        self.steps.push(step.clone());
        self.known_steps.insert(step, id);
        id
    }

    /// The locations of `set`, moved by a step.
    pub(super) fn moved(&mut self, set: SetId, step: u32) -> SetId {
        if set == EMPTY {
            return EMPTY;
        }
        if let Some(&known) = self.stepped.get(&(set, step)) {
            return known;
        }
        let data = match self.steps[step as usize].is_in_data() {
            true => self.without_functions(set),
            false => set,
        };
        let members: Vec<u32> = self.sets.iter(data).collect();
        self.work += 4 * members.len() as u64;
        let mut out = Vec::with_capacity(members.len());
        let step_data = self.steps[step as usize].clone();
        for member in members {
            let location = LocationId::from_u32(member);
            self.objects.step(location, &step_data, &mut out);
        }
        let mut members: Vec<u32> = out.iter().map(|location| location.as_u32()).collect();
        members.sort_unstable();
        members.dedup();
        let result = self.sets.from_sorted(&members);
        self.stepped.insert((set, step), result);
        result
    }

    /// Bytes held, roughly.
    pub(super) fn bytes(&self) -> usize {
        let node = 4 * 5 + size_of::<Vec<Node>>();
        self.sets.bytes()
            + self.parent.len() * node
            + self.edges * 6
            + self.pending.capacity() * 8
            + self.stepped.len() * 16
            + self.uses.len() * size_of::<Uses>()
            + self.objects.locations.len() * 48
    }
}
