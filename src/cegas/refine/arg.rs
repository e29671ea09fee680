//! The abstract reachability graph: `reached` and `waitlist` of Algorithm 2, as a tree with covering edges.
//!
//! Invariant: a node is expanded, covered by another that is not covered itself, or in the waitlist. What is pruned is gone
//! together with what relied on it.

use super::abstraction::is_covered;
use super::segment::Way;
use crate::cegas::state::State;
use crate::cegas::verdict::Reason;
use crate::ir::InstId;
use cranelift_entity::{EntityRef, PrimaryMap, entity_impl};
use rustc_hash::FxHashMap;
use std::cmp::Reverse;
use std::collections::BTreeSet;

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct NodeId(u32);
entity_impl!(NodeId, "n");

pub(super) struct Node {
    pub parent: Option<(NodeId, Way)>,
    pub state: State,
    children: Vec<NodeId>,
    covered_by: Option<NodeId>,
    /// How often the path to it has been at its place before.
    turns: u32,
    is_gone: bool,
}

/// A place: the call stack.
type Key = Vec<InstId>;

#[derive(Default)]
pub(super) struct Arg {
    nodes: PrimaryMap<NodeId, Node>,
    reached: FxHashMap<Key, Vec<NodeId>>,
    /// The fewest turns of a loop first, then the newest.
    waitlist: BTreeSet<(u32, Reverse<NodeId>)>,
    /// Nodes from which an execution leaves what the model knows: while there is one, nothing is proved.
    left: Vec<(NodeId, Reason)>,
    /// How often calls nested too deep, also where the graph was cut since.
    pub too_deep: u32,
}

fn key(state: &State) -> Key {
    state.frames.iter().map(|frame| frame.at).collect()
}

impl Arg {
    /// Line 2: `reached := {(b₀, π₀)}; waitlist := {(b₀, π₀)}`.
    pub fn new(first: State) -> Arg {
        let mut arg = Arg::default();
        arg.push(None, first);
        arg
    }

    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id]
    }

    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Line 5: choose and remove.
    pub fn choose(&mut self) -> Option<NodeId> {
        self.waitlist.pop_first().map(|(_, Reverse(id))| id)
    }

    /// From this node the model was left.
    pub fn leave(&mut self, id: NodeId, reason: Reason) {
        self.too_deep += u32::from(matches!(reason, Reason::Depth { .. }));
        self.left.push((id, reason));
    }

    /// Why the graph does not have every execution in it.
    pub fn why_incomplete(&self) -> Option<&Reason> {
        self.left.first().map(|(_, reason)| reason)
    }

    /// Lines 9–12: a new abstract state, unless it is covered.
    pub fn push(&mut self, parent: Option<(NodeId, Way)>, state: State) {
        let key = key(&state);
        let turns = self.turns(parent.map(|(id, _)| id), &key);
        let node =
            Node { parent, state, children: Vec::new(), covered_by: None, turns, is_gone: false };
        let id = self.nodes.push(node);
        if let Some((parent, _)) = parent {
            self.nodes[parent].children.push(id);
        }
        self.settle(id);
    }

    /// Puts a node where it belongs: under another that covers it, or to those that wait.
    fn settle(&mut self, id: NodeId) {
        let state = &self.nodes[id].state;
        let here = self.reached.entry(key(state)).or_default();
        let covers = |&other: &NodeId| other != id && is_covered(state, &self.nodes[other].state);
        match here.iter().copied().find(covers) {
            Some(other) => self.nodes[id].covered_by = Some(other),
            None => {
                if !here.contains(&id) {
                    here.push(id);
                }
                self.waitlist.insert((self.nodes[id].turns, Reverse(id)));
            }
        }
    }

    fn turns(&self, mut from: Option<NodeId>, key: &Key) -> u32 {
        while let Some(id) = from {
            let node = &self.nodes[id];
            let ats = node.state.frames.iter().map(|frame| &frame.at);
            if node.state.frames.len() == key.len() && ats.eq(key.iter()) {
                return node.turns + 1;
            }
            from = node.parent.map(|(parent, _)| parent);
        }
        0
    }

    /// The nodes from the root to `id`.
    pub fn path(&self, id: NodeId) -> Vec<NodeId> {
        let mut path = vec![id];
        let mut at = id;
        while let Some((parent, _)) = self.nodes[at].parent {
            path.push(parent);
            at = parent;
        }
        path.reverse();
        path
    }

    /// Cuts off what grew from `pivot`, which gets another state, and wakes what was covered by it.
    pub fn prune(&mut self, pivot: NodeId, state: State) {
        let mut gone = BTreeSet::from([pivot]);
        let mut open = std::mem::take(&mut self.nodes[pivot].children);
        while let Some(id) = open.pop() {
            gone.insert(id);
            open.append(&mut self.nodes[id].children);
        }
        for &id in &gone {
            self.waitlist.remove(&(self.nodes[id].turns, Reverse(id)));
            if let Some(here) = self.reached.get_mut(&key(&self.nodes[id].state)) {
                here.retain(|&other| other != id);
            }
            self.nodes[id].is_gone = id != pivot;
            // What is gone should take no memory.
            self.nodes[id].state = state.clone();
        }
        self.left.retain(|(id, _)| !gone.contains(id));
        self.nodes[pivot].covered_by = None;
        self.settle(pivot);
        let all = 0..self.nodes.len();
        for id in all.map(NodeId::new) {
            let node = &mut self.nodes[id];
            if !node.is_gone && node.covered_by.is_some_and(|by| gone.contains(&by)) {
                node.covered_by = None;
                self.settle(id);
            }
        }
    }
}
