//! Solving, in waves (Pereira & Berlin, "Wave propagation and deep propagation for pointer analysis",
//! CGO 2009): merge the cycles of copy edges; send what is new along the edges in topological order;
//! look at what the accesses through pointers have not seen, which finds more edges; again, until
//! nothing changes. Everything is visited in the order of node numbers, so the answer and the way to
//! it are the same in every run.

use super::calls;
use super::constraints::{CallId, MemCopy, Node, Role, Sink, World};
use super::graph::{Graph, NO_USES, Uses};
use super::objects::{LocationId, ObjectKind, Objects, Step};
use super::sets::{EMPTY, SetId};
use super::tarjan::components;
use super::{Options, Spent};
use cranelift_entity::EntityRef;
use rustc_hash::FxHashMap;

impl<'p> Sink<'p> for Graph<'p> {
    fn objects(&mut self) -> &mut Objects<'p> {
        &mut self.objects
    }
    fn world(&mut self) -> &mut World {
        &mut self.world
    }
    fn fresh(&mut self, _: Role) -> Node {
        self.new_node()
    }
    fn address(&mut self, node: Node, location: LocationId) {
        self.add(node, location);
    }
    fn copy(&mut self, from: Node, to: Node) {
        self.edge(from, to);
    }
    fn step(&mut self, from: Node, to: Node, step: Step) {
        if step.is_nothing() {
            return self.edge(from, to);
        }
        let step = self.step_id(step);
        let from = self.find(from);
        self.uses(from).steps.push((to, step));
        let moved = self.moved(self.sent[from.index()], step);
        self.include(to, moved);
    }
    fn load(&mut self, from: Node, to: Node, width: u32) {
        self.uses(from).loads.push((to, width));
        self.each_seen(from, |graph, location| graph.load_at(location, to, width));
    }
    fn store(&mut self, from: Node, to: Node, width: u32) {
        self.uses(to).stores.push((from, width));
        self.each_seen(to, |graph, location| graph.store_at(location, from, width));
    }
    fn fill(&mut self, from: Node, location: LocationId) {
        self.store_at(location, from, 1);
    }
    fn copy_memory(&mut self, to: Node, from: Node, len: Option<u64>) {
        let len = len.unwrap_or(u64::MAX);
        let id = self.add_copier(MemCopy { to, from, len, around: false, exact: false });
        self.each_seen(from, |graph, location| graph.copy_from(id, location));
        self.each_seen(to, |graph, location| graph.copy_to(id, location));
    }
    fn call(&mut self, target: Node, call: CallId) {
        self.uses(target).calls.push(call);
        self.each_seen(target, |graph, location| graph.reach(call, location));
    }
}

impl Graph<'_> {
    fn each_seen(&mut self, node: Node, mut act: impl FnMut(&mut Self, LocationId)) {
        let node = self.find(node);
        let seen: Vec<u32> = self.sets.iter(self.seen[node.index()]).collect();
        seen.into_iter().for_each(|member| act(self, LocationId::from_u32(member)));
    }

    /// Solves the constraints, or gives up when the budget is spent.
    pub fn solve(&mut self, options: &Options) -> Result<(), Spent> {
        let mut live = 0;
        loop {
            self.add_pending();
            let mut order = self.order();
            if self.flatten() {
                order = self.order();
            }
            self.changed = false;
            self.propagate(&order, options)?;
            self.look();
            self.settle();
            self.waves += 1;
            if !self.changed && self.pending.is_empty() {
                return Ok(());
            }
            if self.sets.len() > 2 * live + 400_000 {
                live = self.collect(&FxHashMap::default());
            }
            self.check(options)?;
        }
    }

    fn check(&mut self, options: &Options) -> Result<(), Spent> {
        let bytes = self.bytes();
        self.peak = self.peak.max(bytes);
        if bytes > options.memory {
            return Err(Spent::Memory);
        }
        if self.done() > options.work {
            return Err(Spent::Work);
        }
        Ok(())
    }

    /// The work done so far.
    pub(super) fn done(&self) -> u64 {
        self.work + self.sets.work
    }

    /// Drops sets that no node holds any more, and replaces members of the others.
    pub(super) fn collect(&mut self, instead: &FxHashMap<u32, u32>) -> usize {
        let live = self.all.iter().chain(&self.sent).chain(&self.seen).copied();
        let table = self.sets.compact(live, instead);
        for list in [&mut self.all, &mut self.sent, &mut self.seen] {
            list.iter_mut().for_each(|set| *set = table[set.index()]);
        }
        self.stepped.clear();
        self.sets.len()
    }

    /// The nodes in an order in which edges mostly lead forward, after merging cycles of copies.
    fn order(&mut self) -> Vec<Node> {
        let nodes = self.parent.len();
        for index in 0..nodes {
            let root = self.find(Node::new(index));
            self.parent[index] = root;
        }
        let parent = &self.parent;
        let is_root = |node: Node| parent[node.index()] == node;
        self.edges = 0;
        for (index, next) in self.next.iter_mut().enumerate() {
            if next.iter().any(|&to| !is_root(to)) {
                next.iter_mut().for_each(|to| *to = parent[to.index()]);
                next.sort_unstable();
                next.dedup();
                next.retain(|&to| to.index() != index);
            }
            self.edges += next.len();
        }
        self.work += (nodes + self.edges) as u64;
        let mut order: Vec<Node> = Vec::with_capacity(nodes);
        let mut cycles: Vec<(usize, usize)> = Vec::new();
        let successor = |node: u32, at: usize| self.successor(node, at);
        components(nodes, successor, |component| {
            if let [_, _, ..] = component {
                cycles.push((order.len(), order.len() + component.len()));
            }
            order.extend(component.iter().map(|&node| Node::from_u32(node)));
        });
        for (from, to) in cycles {
            self.untangle(&mut order[from..to]);
        }
        order.reverse();
        order.retain(|&node| self.parent[node.index()] == node);
        order
    }

    /// Where copies, then steps, lead.
    fn successor(&self, node: u32, at: usize) -> Option<u32> {
        let next = &self.next[node as usize];
        if let Some(to) = next.get(at) {
            return Some(to.as_u32());
        }
        let uses = self.uses_of[node as usize];
        let steps = &self.uses.get(uses as usize)?.steps;
        steps.get(at - next.len()).map(|(to, _)| self.parent[to.index()].as_u32())
    }

    /// A component of copies and steps: merges what copies alone connect, and lets steps that go around
    /// go around any number of times. Orders the component, what copies lead to first.
    fn untangle(&mut self, component: &mut [Node]) {
        self.unwind(component);
        let mut local: FxHashMap<Node, u32> = FxHashMap::default();
        local.extend(component.iter().copied().zip(0..));
        let mut order = Vec::with_capacity(component.len());
        let mut groups: Vec<Vec<u32>> = Vec::new();
        let next = |node: u32, at: usize| {
            let to = self.next[component[node as usize].index()].get(at)?;
            Some(local.get(to).copied().unwrap_or(node))
        };
        components(component.len(), next, |group| {
            if let [_, _, ..] = group {
                groups.push(group.to_vec());
            }
            order.extend(group.iter().map(|&at| component[at as usize]));
        });
        for group in groups {
            let nodes = group.iter().map(|&at| component[at as usize]);
            let mut sorted: Vec<Node> = nodes.collect();
            sorted.sort_unstable();
            self.merge_all(&sorted);
        }
        component.copy_from_slice(&order);
    }

    /// If going around the component moves a pointer, the greatest step that explains all ways around
    /// may be taken any number of times.
    fn unwind(&mut self, component: &[Node]) {
        let has_steps = |node: &Node| {
            let uses = self.uses_of[node.index()];
            uses != NO_USES && !self.uses[uses as usize].steps.is_empty()
        };
        if !component.iter().any(has_steps) {
            return;
        }
        let mut height: FxHashMap<Node, Option<i64>> = FxHashMap::default();
        height.extend(component.iter().map(|&node| (node, None)));
        let mut stride: u64 = 0;
        let mut work = vec![component[0]];
        height.insert(component[0], Some(0));
        while let Some(node) = work.pop() {
            let here = height[&node].unwrap_or(0);
            let mut go = |to: Node, by: i64| match height.get(&to) {
                None => {}
                Some(None) => {
                    height.insert(to, Some(here.wrapping_add(by)));
                    work.push(to);
                }
                Some(Some(there)) => {
                    stride = gcd(stride, here.wrapping_add(by).abs_diff(*there));
                }
            };
            self.next[node.index()].iter().for_each(|&to| go(to, 0));
            if let Some(uses) = self.uses.get(self.uses_of[node.index()] as usize) {
                for &(to, step) in &uses.steps {
                    go(self.parent[to.index()], self.steps[step as usize].offset);
                }
            }
        }
        if stride == 0 {
            return;
        }
        for &node in component {
            let index = self.uses_of[node.index()] as usize;
            let count = self.uses.get(index).map_or(0, |uses| uses.steps.len());
            for at in 0..count {
                let (to, step) = self.uses[index].steps[at];
                let mut new = self.steps[step as usize].clone();
                let free = |&(each, count): &(u64, Option<u64>)| {
                    count.is_none() && each != 0 && stride.is_multiple_of(each)
                };
                let inside = height.contains_key(&self.parent[to.index()]);
                if !inside || new.any || new.terms.iter().any(free) {
                    continue;
                }
                new.terms.push((stride, None));
                let id = self.step_id(new);
                self.uses[index].steps[at].1 = id;
                let moved = self.moved(self.sent[node.index()], id);
                self.include(to, moved);
            }
        }
    }

    fn propagate(&mut self, order: &[Node], options: &Options) -> Result<(), Spent> {
        for (count, &node) in order.iter().enumerate() {
            if count % 4096 == 4095 {
                self.check(options)?;
            }
            let n = node.index();
            if self.all[n] == self.sent[n] || self.parent[n] != node {
                continue;
            }
            let new = self.sets.difference(self.all[n], self.sent[n]);
            self.sent[n] = self.all[n];
            let next = std::mem::take(&mut self.next[n]);
            self.work += next.len() as u64;
            for &to in &next {
                self.include(to, new);
            }
            self.next[n] = next;
            let uses = self.uses_of[n];
            let count = self.uses.get(uses as usize).map_or(0, |uses| uses.steps.len());
            for at in 0..count {
                let Some(&(to, step)) = self.uses[uses as usize].steps.get(at) else {
                    break; // merged meanwhile: the merged node is sent again
                };
                let moved = self.moved(new, step);
                self.include(to, moved);
            }
        }
        Ok(())
    }

    /// Looks at the pointers that accesses have not seen.
    fn look(&mut self) {
        for index in 0..self.parent.len() {
            let node = Node::new(index);
            let uses = self.uses_of[index];
            if uses == NO_USES || self.parent[index] != node || self.all[index] == self.seen[index]
            {
                continue;
            }
            let new = self.sets.difference(self.all[index], self.seen[index]);
            self.seen[index] = self.all[index];
            if !self.uses[uses as usize].any_access() {
                continue;
            }
            let mut uses = std::mem::take(&mut self.uses[uses as usize]);
            self.simplify(&mut uses);
            self.access(&uses, new, self.all[index]);
            // What was added meanwhile has seen all.
            let now = self.uses(node);
            std::mem::swap(now, &mut uses);
            let mut added = uses;
            self.uses(node).append_all(&mut added);
        }
    }

    /// Names each access once: those of merged nodes are often the same.
    fn simplify(&mut self, uses: &mut Uses) {
        for list in [&mut uses.loads, &mut uses.stores] {
            list.iter_mut().for_each(|(node, _)| *node = self.find(*node));
            list.sort_unstable();
            list.dedup();
        }
    }

    /// Accesses through the `new` pointers among `all`. Where a pointer goes anywhere in an object, one to an
    /// exact place there adds nothing but for accesses to parts of pointers, which look at exact
    /// places only.
    fn access(&mut self, uses: &Uses, new: SetId, all: SetId) {
        let members: Vec<u32> = self.sets.iter(new).collect();
        let grain = self.grain();
        let each = uses.loads.len() + uses.stores.len() + uses.calls.len();
        let each = each + 8 * (uses.copied_from.len() + uses.copied_to.len());
        self.work += (members.len() * (1 + 2 * each)) as u64;
        for location in members.into_iter().map(LocationId::from_u32) {
            let around = self.objects.around(location);
            let covered = around.is_some_and(|any| self.sets.contains(all, any.as_u32()));
            for &(to, width) in &uses.loads {
                if !covered || i64::from(width) < grain {
                    self.load_at(location, to, width);
                }
            }
            if !covered {
                for &(from, width) in &uses.stores {
                    self.store_at(location, from, width);
                }
            }
            for &copier in &uses.copied_from {
                if !covered || self.is_exact(copier) {
                    self.copy_from(copier, location);
                }
            }
            for &copier in &uses.copied_to {
                if !covered || self.is_exact(copier) {
                    self.copy_to(copier, location);
                }
            }
            for &call in &uses.calls {
                self.reach(call, location);
            }
            if uses.escape {
                self.escape(location);
            }
        }
    }

    /// An indirect call may call what lies at the location.
    fn reach(&mut self, call: CallId, location: LocationId) {
        let object = self.objects.locations[location].object;
        match self.objects.objects[object].kind {
            ObjectKind::Func(func) => calls::resolve(self, call, func),
            ObjectKind::Unknown => {
                let call = self.world.calls[call].clone();
                calls::unknown(self, &call);
            }
            // Data is not called.
            ObjectKind::Literals
            | ObjectKind::Arguments
            | ObjectKind::ArgumentStrings
            | ObjectKind::Global(_)
            | ObjectKind::Alloca { .. }
            | ObjectKind::Heap { .. }
            | ObjectKind::Static(_)
            | ObjectKind::Varargs { .. } => {}
        }
    }

    /// Unknown code has a pointer to the object: it may read and write all of it, hand out pointers
    /// into it, and call it.
    fn escape(&mut self, location: LocationId) {
        let object = self.objects.locations[location].object;
        if std::mem::replace(&mut self.memory[object].escaped, true) {
            return;
        }
        let escaped = self.world.escaped;
        if let ObjectKind::Func(func) = self.objects.objects[object].kind {
            self.world.called_by_unknown.insert(func);
            let Some(signature) = self.world.signatures.get(&func).cloned() else {
                return;
            };
            for node in signature.params.iter().flatten().flat_map(|nodes| nodes.iter()) {
                self.edge(escaped, node);
            }
            for node in signature.result.iter().flat_map(|nodes| nodes.iter()) {
                self.edge(node, escaped);
            }
            if let Some(extra) = signature.varargs.expand() {
                let place = self.objects.any(extra);
                self.store_at(place, escaped, 1);
            }
            return;
        }
        let any = self.objects.any(object);
        self.add(escaped, any);
        let all = self.all_of(object);
        self.edge(all, escaped);
        self.store_at(any, escaped, 1);
    }

    /// Integers of unknown origin that become pointers point to unknown memory. Tells where.
    pub fn unknown_integers<T: Copy>(&mut self, casts: &[(T, Node)]) -> Vec<T> {
        let unknown = self.objects.any(self.objects.unknown);
        let empty = |graph: &mut Self, node: Node| graph.held(node) == EMPTY;
        let found: Vec<(T, Node)> =
            casts.iter().copied().filter(|&(_, node)| empty(self, node)).collect();
        for &(_, node) in &found {
            self.add(node, unknown);
        }
        found.into_iter().map(|(inst, _)| inst).collect()
    }
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}
