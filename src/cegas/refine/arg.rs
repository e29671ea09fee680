//! The abstract reachability graph: `reached` and `waitlist` of Algorithm 2, as a tree with covering edges.
//!
//! Invariant: a node is expanded, covered by another that is not covered itself, or in the waitlist. What is pruned is gone
//! together with what relied on it.

use super::abstraction::is_covered;
use super::predicates::Label;
use super::segment::Way;
use super::table::{ContextId, Table, Written};
use crate::cegas::state::State;
use crate::cegas::verdict::Reason;
use crate::ir::{FuncId, InstId};
use cranelift_entity::{EntityRef, PrimaryMap, entity_impl};
use rustc_hash::FxHashMap;
use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::rc::Rc;

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct NodeId(u32);
entity_impl!(NodeId, "n");

/// How a node comes after its parent.
#[derive(Clone, Copy)]
pub(super) enum Link {
    Way(Way),
    /// A call that returned as it does at this node of its own.
    Call {
        func: FuncId,
        exit: NodeId,
    },
}

/// What is known of the predicates at a node, and how many were asked then.
#[derive(Clone, Default)]
pub(super) struct Known {
    pub label: Label,
    pub asked: usize,
}

pub(super) struct Node {
    pub parent: Option<(NodeId, Link)>,
    /// The call that it belongs to, if that is looked at apart from its callers.
    pub context: Option<ContextId>,
    /// Since that call was entered.
    pub written: Rc<Written>,
    pub state: State,
    pub known: Known,
    children: Vec<NodeId>,
    covered_by: Option<NodeId>,
    /// How often the path to it has been at its place before.
    turns: u32,
    is_gone: bool,
}

/// Whether what one label says follows from another.
pub(super) type Implies<'a> = &'a mut dyn FnMut(&Label, &Label) -> bool;

/// A place: the call that is looked at, and the call stack in it.
type Key = (Option<ContextId>, Vec<InstId>);

/// Steps of a path: one in which calls are put together from rows may be as long as its recursion is deep.
const LONGEST_PATH: usize = 200_000;

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
    /// Nodes that were cut off.
    gone: usize,
}

fn key(context: Option<ContextId>, state: &State) -> Key {
    (context, state.frames.iter().map(|frame| frame.at).collect())
}

impl Arg {
    /// Line 2: `reached := {(b₀, π₀)}; waitlist := {(b₀, π₀)}`.
    pub fn new(first: State) -> Arg {
        let mut arg = Arg::default();
        arg.resume(None, None, first, Rc::default());
        arg
    }

    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id]
    }

    pub fn len(&self) -> usize {
        self.nodes.len() - self.gone
    }

    pub fn is_gone(&self, id: NodeId) -> bool {
        self.nodes[id].is_gone
    }

    /// All that are there.
    pub fn nodes(&self) -> impl Iterator<Item = &Node> {
        self.nodes.values().filter(|node| !node.is_gone)
    }

    /// The calls in which something is still to be explored, or was left out.
    pub fn unfinished(&self) -> impl Iterator<Item = ContextId> + '_ {
        let waiting = self.waitlist.iter().map(|&(_, Reverse(id))| id);
        let left = self.left.iter().map(|&(id, _)| id);
        waiting.chain(left).filter_map(|id| self.nodes[id].context)
    }

    /// Cuts off everything but finished calls that stay, and begins again.
    pub fn restart(&mut self, stay: &BTreeSet<ContextId>, first: State) {
        let stays = |context: Option<ContextId>| context.is_some_and(|c| stay.contains(&c));
        for node in self.nodes.values_mut().filter(|node| !node.is_gone && !stays(node.context)) {
            node.is_gone = true;
            self.gone += 1;
            // What is gone should take no memory.
            node.state = first.clone();
            node.children = Vec::new();
        }
        self.reached.retain(|(context, _), _| stays(*context));
        self.waitlist.clear();
        self.left.clear();
        self.resume(None, None, first, Rc::default());
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

    /// The first state of a call that is looked at apart from its callers.
    pub fn enter(&mut self, context: ContextId, state: State) {
        self.resume(None, Some(context), state, Rc::default());
    }

    /// A state where calls are looked at apart: there are no predicates then.
    pub fn resume(
        &mut self,
        parent: Option<(NodeId, Link)>,
        context: Option<ContextId>,
        state: State,
        written: Rc<Written>,
    ) {
        let nothing = &mut |_: &Label, weaker: &Label| weaker.is_empty();
        self.push(parent, context, state, written, Known::default(), nothing);
    }

    /// Lines 9–12: a new abstract state, unless it is covered.
    pub fn push(
        &mut self,
        parent: Option<(NodeId, Link)>,
        context: Option<ContextId>,
        state: State,
        written: Rc<Written>,
        known: Known,
        implies: Implies<'_>,
    ) {
        let (_, ats) = key(context, &state);
        let turns = self.turns(parent.map(|(id, _)| id), &ats);
        let node = Node {
            parent,
            context,
            written,
            state,
            known,
            children: Vec::new(),
            covered_by: None,
            turns,
            is_gone: false,
        };
        let id = self.nodes.push(node);
        if let Some((parent, _)) = parent {
            self.nodes[parent].children.push(id);
        }
        self.settle(id, implies);
    }

    /// Puts a node where it belongs: under another that covers it, or to those that wait.
    fn settle(&mut self, id: NodeId, implies: Implies<'_>) {
        let Node { ref state, ref known, context, ref written, .. } = self.nodes[id];
        let here = self.reached.entry(key(context, state)).or_default();
        let covers = |&other: &NodeId| {
            let weaker = &self.nodes[other];
            other != id
                && is_covered(state, &weaker.state)
                && written.is_within(&weaker.written)
                && implies(&known.label, &weaker.known.label)
        };
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

    /// A node that was chosen knows more. Whether it is still to be looked at, with nothing that covers it.
    pub fn relabel(&mut self, id: NodeId, known: Known, implies: Implies<'_>) -> bool {
        let place = key(self.nodes[id].context, &self.nodes[id].state);
        if let Some(here) = self.reached.get_mut(&place) {
            here.retain(|&other| other != id);
        }
        self.nodes[id].known = known;
        self.settle(id, implies);
        // What it covered knows less than it now.
        self.wake(&BTreeSet::from([id]), implies);
        self.waitlist.remove(&(self.nodes[id].turns, Reverse(id)))
    }

    /// Nodes that were covered by these have to find another, or be looked at.
    fn wake(&mut self, gone: &BTreeSet<NodeId>, implies: Implies<'_>) {
        for id in (0..self.nodes.len()).map(NodeId::new) {
            let node = &mut self.nodes[id];
            if !node.is_gone && node.covered_by.is_some_and(|by| gone.contains(&by)) {
                node.covered_by = None;
                self.settle(id, implies);
            }
        }
    }

    fn turns(&self, mut from: Option<NodeId>, key: &[InstId]) -> u32 {
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

    /// How control goes from the start to `id`, with every call in it from its entry to its return. `None` if that is
    /// too long.
    pub fn ways(&self, id: NodeId, table: &Table) -> Option<Vec<Way>> {
        let mut ways = Vec::new();
        self.ways_to(id, table, true, &mut ways)?;
        Some(ways)
    }

    /// From the start of the program, or of the call that `id` belongs to.
    fn ways_to(&self, id: NodeId, table: &Table, whole: bool, into: &mut Vec<Way>) -> Option<()> {
        let mut links = Vec::new();
        let mut at = id;
        let first = loop {
            match self.nodes[at].parent {
                Some((parent, link)) => {
                    links.push(link);
                    at = parent;
                }
                None => break at,
            }
        };
        if let Some(context) = self.nodes[first].context.filter(|_| whole) {
            let context = table.get(context);
            self.ways_to(context.caller?, table, true, into)?;
            into.push(Way::Enter(context.func));
        }
        for link in links.into_iter().rev() {
            match link {
                Link::Way(way) => into.push(way),
                Link::Call { func, exit } => {
                    into.push(Way::Enter(func));
                    self.ways_to(exit, table, false, into)?;
                    into.push(Way::Return);
                }
            }
            if into.len() > LONGEST_PATH {
                return None;
            }
        }
        Some(())
    }

    /// Cuts off what grew from `pivot`, which gets another state, and wakes what was covered by it.
    pub fn prune(&mut self, pivot: NodeId, state: State, known: Known, implies: Implies<'_>) {
        let mut gone = BTreeSet::from([pivot]);
        let mut open = std::mem::take(&mut self.nodes[pivot].children);
        while let Some(id) = open.pop() {
            gone.insert(id);
            open.append(&mut self.nodes[id].children);
        }
        for &id in &gone {
            self.waitlist.remove(&(self.nodes[id].turns, Reverse(id)));
            let place = key(self.nodes[id].context, &self.nodes[id].state);
            if let Some(here) = self.reached.get_mut(&place) {
                here.retain(|&other| other != id);
            }
            self.nodes[id].is_gone = id != pivot;
            // What is gone should take no memory.
            self.nodes[id].state = state.clone();
        }
        self.gone += gone.len() - 1;
        self.left.retain(|(id, _)| !gone.contains(id));
        self.nodes[pivot].covered_by = None;
        self.nodes[pivot].known = known;
        self.settle(pivot, implies);
        self.wake(&gone, implies);
    }
}
