//! The graph as it is stored: nodes in a table, edges by their source and once more by their target.
//!
//! Invariant: no edge is there twice, and the edges of a node are ordered by their labels, so that those of one call are
//! found by bisection. (The head of [`super`] says why these are rows.)

use crate::ir::{BlockId, FuncId, InstId, ValueId};
use cranelift_entity::{EntityRef, PrimaryMap, entity_impl};

/// A definition or a use.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(u32);
entity_impl!(NodeId, "n");

/// Regions that one function never tells apart.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BundleId(u32);
entity_impl!(BundleId, "m");

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Node {
    /// An SSA value: a parameter or an instruction's result.
    Value(ValueId),
    /// An instruction without a result.
    Use(InstId),
    /// `m = χ(m)`: the instruction may write the bundle.
    Chi { at: InstId, bundle: BundleId },
    /// Memory where control flow joins.
    Phi { block: BlockId, bundle: BundleId },
    /// What a function is entered with.
    FormalIn { func: FuncId, bundle: BundleId },
    /// What a function leaves.
    FormalOut { func: FuncId, bundle: BundleId },
    /// What a call hands over.
    ActualIn { call: InstId, bundle: BundleId },
    /// What a call leaves.
    ActualOut { call: InstId, bundle: BundleId },
    /// Code that is not in the program.
    Outside,
}

/// What kind of value flow an edge is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Flow {
    /// From an SSA value's definition to its use.
    Direct,
    /// Through memory; the bundle is the target's, or the source's if the target is a value.
    Indirect,
    /// Into a function, from the call.
    Call(InstId),
    /// Out of a function, back to the call.
    Return(InstId),
}

/// A [`Flow`] in one word: the kind in the upper two bits, the call below.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Label(u32);

impl From<Flow> for Label {
    fn from(flow: Flow) -> Label {
        match flow {
            Flow::Direct => Label(0),
            Flow::Indirect => Label(1 << 30),
            Flow::Call(call) => Label(2 << 30 | call.as_u32()),
            Flow::Return(call) => Label(3 << 30 | call.as_u32()),
        }
    }
}

impl From<Label> for Flow {
    fn from(Label(label): Label) -> Flow {
        let call = InstId::from_u32(label & ((1 << 30) - 1));
        match label >> 30 {
            0 => Flow::Direct,
            1 => Flow::Indirect,
            2 => Flow::Call(call),
            _ => Flow::Return(call),
        }
    }
}

/// An edge on its way into the graph.
#[derive(Debug, Clone, Copy)]
pub(super) struct Edge {
    pub from: NodeId,
    pub to: NodeId,
    pub label: Label,
}

/// The edges of node `n` are `edges[starts[n]..starts[n + 1]]`, ordered by their labels.
#[derive(Debug, Clone, Default)]
struct Rows {
    starts: Vec<u32>,
    edges: Vec<(NodeId, Label)>,
}

impl Rows {
    fn new(nodes: usize, edges: &[Edge], ends: impl Fn(&Edge) -> (NodeId, NodeId)) -> Rows {
        let mut starts = vec![0u32; nodes + 1];
        for edge in edges {
            starts[ends(edge).0.index() + 1] += 1;
        }
        for n in 0..nodes {
            starts[n + 1] += starts[n];
        }
        let mut next = starts.clone();
        let mut rows = vec![(NodeId(0), Label(0)); edges.len()];
        for edge in edges {
            let (from, to) = ends(edge);
            let place = &mut next[from.index()];
            rows[*place as usize] = (to, edge.label);
            *place += 1;
        }
        for n in 0..nodes {
            rows[starts[n] as usize..starts[n + 1] as usize]
                .sort_unstable_by_key(|&(node, label)| (label, node));
        }
        Rows { starts, edges: rows }
    }

    fn of(&self, node: NodeId) -> &[(NodeId, Label)] {
        let (start, end) = (self.starts[node.index()], self.starts[node.index() + 1]);
        &self.edges[start as usize..end as usize]
    }

    fn with(&self, node: NodeId, label: Label) -> &[(NodeId, Label)] {
        let row = self.of(node);
        let start = row.partition_point(|edge| edge.1 < label);
        let end = row.partition_point(|edge| edge.1 <= label);
        &row[start..end]
    }
}

/// Nodes and edges, frozen.
#[derive(Debug, Clone)]
pub struct Graph {
    pub nodes: PrimaryMap<NodeId, Node>,
    out: Rows,
    into: Rows,
}

impl Graph {
    pub(super) fn new(mut nodes: PrimaryMap<NodeId, Node>, mut edges: Vec<Edge>) -> Graph {
        edges.sort_unstable_by_key(|edge| (edge.from, edge.to, edge.label));
        edges.dedup_by_key(|edge| (edge.from, edge.to, edge.label));
        nodes.shrink_to_fit();
        let out = Rows::new(nodes.len(), &edges, |edge| (edge.from, edge.to));
        let into = Rows::new(nodes.len(), &edges, |edge| (edge.to, edge.from));
        Graph { nodes, out, into }
    }

    pub fn edge_count(&self) -> usize {
        self.out.edges.len()
    }

    /// Where the node's value goes.
    pub fn successors(&self, node: NodeId) -> impl Iterator<Item = (NodeId, Flow)> + '_ {
        self.out.of(node).iter().map(|&(to, label)| (to, label.into()))
    }

    /// Where the node's value comes from.
    pub fn predecessors(&self, node: NodeId) -> impl Iterator<Item = (NodeId, Flow)> + '_ {
        self.into.of(node).iter().map(|&(from, label)| (from, label.into()))
    }

    /// The sources of the edges of one kind.
    pub fn predecessors_by(&self, node: NodeId, flow: Flow) -> impl Iterator<Item = NodeId> + '_ {
        self.into.with(node, flow.into()).iter().map(|edge| edge.0)
    }

    /// The targets of the edges of one kind.
    pub fn successors_by(&self, node: NodeId, flow: Flow) -> impl Iterator<Item = NodeId> + '_ {
        self.out.with(node, flow.into()).iter().map(|edge| edge.0)
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        let rows = |rows: &Rows| rows.starts.len() * 4 + rows.edges.len() * 8;
        self.nodes.len() * size_of::<Node>() + rows(&self.out) + rows(&self.into)
    }
}
