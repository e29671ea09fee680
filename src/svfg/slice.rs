//! Slices with matched calls and returns: a value that enters a function at one call does not leave it at
//! another. A path may go up into any caller of where it started, and down into callees only to come
//! back where it went in (Reps, Horwitz & Sagiv, "Precise interprocedural dataflow analysis via graph
//! reachability", POPL 1995, on demand).
//!
//! Invariant: a slice holds every node on a matched path. If that would take more than [`MOST`] steps, calls
//! are no longer matched, and the slice says so.

use super::Svfg;
use super::graph::{Flow, Graph, Node, NodeId};
use crate::ir::{BlockId, Def, InstId, Operand, Program};
use cranelift_entity::EntitySet;
use rustc_hash::{FxHashMap, FxHashSet};

/// The most pairs of a function's border and a node in it that one slice looks at.
const MOST: usize = 20_000_000;

#[derive(Debug, Clone)]
pub struct Slice {
    pub nodes: EntitySet<NodeId>,
    /// Calls and returns are matched.
    pub matched: bool,
}

impl Slice {
    pub fn contains(&self, node: NodeId) -> bool {
        self.nodes.contains(node)
    }

    /// The instructions of the slice, ascending; a parameter belongs to none.
    pub fn insts(&self, program: &Program, svfg: &Svfg) -> Vec<InstId> {
        let mut found: Vec<InstId> = self
            .nodes
            .iter()
            .filter_map(|node| match svfg.graph.nodes[node] {
                Node::Value(value) => match program.values[value].def {
                    Def::Inst(inst) => Some(inst),
                    Def::Param { .. } => None,
                },
                Node::Use(inst) | Node::Chi { at: inst, .. } => Some(inst),
                Node::ActualIn { call, .. } | Node::ActualOut { call, .. } => Some(call),
                Node::Phi { .. }
                | Node::FormalIn { .. }
                | Node::FormalOut { .. }
                | Node::Outside => None,
            })
            .collect();
        found.sort_unstable();
        found.dedup();
        found
    }

    /// The blocks where memory of the slice joins.
    pub fn joins(&self, svfg: &Svfg) -> Vec<BlockId> {
        let mut found: Vec<BlockId> = self
            .nodes
            .iter()
            .filter_map(|node| match svfg.graph.nodes[node] {
                Node::Phi { block, .. } => Some(block),
                _ => None,
            })
            .collect();
        found.sort_unstable();
        found.dedup();
        found
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Direction {
    Backward,
    Forward,
}

/// How an edge crosses the border of a function, seen in the direction of the slice.
enum Cross {
    No,
    /// Into a callee.
    Down(InstId),
    /// Out to a caller.
    Up,
}

impl Direction {
    fn edges(self, graph: &Graph, node: NodeId) -> Vec<(NodeId, Flow)> {
        match self {
            Direction::Backward => graph.predecessors(node).collect(),
            Direction::Forward => graph.successors(node).collect(),
        }
    }

    /// The neighbours in the caller at this call.
    fn up(self, graph: &Graph, node: NodeId, call: InstId) -> Vec<NodeId> {
        match self {
            Direction::Backward => graph.predecessors_by(node, Flow::Call(call)).collect(),
            Direction::Forward => graph.successors_by(node, Flow::Return(call)).collect(),
        }
    }

    fn cross(self, flow: Flow) -> Cross {
        match (self, flow) {
            (_, Flow::Direct | Flow::Indirect) => Cross::No,
            (Direction::Backward, Flow::Return(call)) => Cross::Down(call),
            (Direction::Backward, Flow::Call(_)) => Cross::Up,
            (Direction::Forward, Flow::Call(call)) => Cross::Down(call),
            (Direction::Forward, Flow::Return(_)) => Cross::Up,
        }
    }
}

/// Where a stretch of a path began: outside of all calls it went into, or at a callee's border.
type Root = Option<NodeId>;

struct Walk<'g> {
    graph: &'g Graph,
    direction: Direction,
    seen: FxHashSet<(Root, NodeId)>,
    waiting: Vec<(Root, NodeId)>,
    /// Who went down at a border, and at which call.
    entered: FxHashMap<NodeId, Vec<(Root, InstId)>>,
    /// The nodes with edges up that were reached from a border.
    exits: FxHashMap<NodeId, Vec<NodeId>>,
    slice: EntitySet<NodeId>,
}

impl Walk<'_> {
    fn add(&mut self, root: Root, node: NodeId) {
        if self.seen.insert((root, node)) {
            self.slice.insert(node);
            self.waiting.push((root, node));
        }
    }

    /// `false` if it took too long.
    fn run(&mut self, most: usize) -> bool {
        while let Some((root, node)) = self.waiting.pop() {
            if self.seen.len() > most {
                return false;
            }
            let mut leaves = false;
            for (next, flow) in self.direction.edges(self.graph, node) {
                match self.direction.cross(flow) {
                    Cross::No => self.add(root, next),
                    Cross::Down(call) => self.go_down(root, next, call),
                    Cross::Up if root.is_none() => self.add(None, next),
                    Cross::Up => leaves = true,
                }
            }
            if let (Some(border), true) = (root, leaves) {
                self.go_up(border, node);
            }
        }
        true
    }

    fn go_down(&mut self, root: Root, border: NodeId, call: InstId) {
        let entered = self.entered.entry(border).or_default();
        if entered.contains(&(root, call)) {
            return;
        }
        entered.push((root, call));
        self.add(Some(border), border);
        for exit in self.exits.get(&border).cloned().unwrap_or_default() {
            for next in self.direction.up(self.graph, exit, call) {
                self.add(root, next);
            }
        }
    }

    fn go_up(&mut self, border: NodeId, exit: NodeId) {
        self.exits.entry(border).or_default().push(exit);
        for (root, call) in self.entered.get(&border).cloned().unwrap_or_default() {
            for next in self.direction.up(self.graph, exit, call) {
                self.add(root, next);
            }
        }
    }
}

fn slice(graph: &Graph, from: &[NodeId], direction: Direction, most: usize) -> Slice {
    let mut walk = Walk {
        graph,
        direction,
        seen: FxHashSet::default(),
        waiting: Vec::new(),
        entered: FxHashMap::default(),
        exits: FxHashMap::default(),
        slice: EntitySet::with_capacity(graph.nodes.len()),
    };
    from.iter().for_each(|&node| walk.add(None, node));
    if walk.run(most) {
        return Slice { nodes: walk.slice, matched: true };
    }
    Slice { nodes: reach(graph, from, direction), matched: false }
}

/// Without matching.
fn reach(graph: &Graph, from: &[NodeId], direction: Direction) -> EntitySet<NodeId> {
    let mut found = EntitySet::with_capacity(graph.nodes.len());
    let mut waiting: Vec<NodeId> = from.to_vec();
    while let Some(node) = waiting.pop() {
        if found.insert(node) {
            waiting.extend(direction.edges(graph, node).into_iter().map(|edge| edge.0));
        }
    }
    found
}

impl Svfg {
    /// What the operands of an instruction come from.
    pub fn backward(&self, program: &Program, inst: InstId) -> Slice {
        let mut from = Vec::new();
        program.for_each_operand(program.inst(inst), |operand| {
            if let Operand::Value(value) = operand {
                from.extend(self.value(value));
            }
        });
        self.backward_from(&from)
    }

    pub fn backward_from(&self, from: &[NodeId]) -> Slice {
        slice(&self.graph, from, Direction::Backward, MOST)
    }

    /// What the result of an instruction, an allocation for one, gets to.
    pub fn forward(&self, program: &Program, inst: InstId) -> Slice {
        let from: Vec<NodeId> = self.inst(program, inst).into_iter().collect();
        slice(&self.graph, &from, Direction::Forward, MOST)
    }
}

#[cfg(test)]
mod tests {
    use super::super::graph::Edge;
    use super::*;
    use crate::ir::ValueId;
    use cranelift_entity::PrimaryMap;

    /// `a → f(p) → r → b` at one call, `c → f(p) → r → d` at another.
    fn two_calls() -> Graph {
        let mut nodes = PrimaryMap::new();
        for n in 0..6 {
            nodes.push(Node::Value(ValueId::from_u32(n)));
        }
        let edge = |from, to, flow: Flow| Edge {
            from: NodeId::from_u32(from),
            to: NodeId::from_u32(to),
            label: flow.into(),
        };
        let (first, second) = (InstId::from_u32(7), InstId::from_u32(8));
        let edges = vec![
            edge(0, 2, Flow::Call(first)),
            edge(1, 2, Flow::Call(second)),
            edge(2, 3, Flow::Direct),
            edge(3, 4, Flow::Return(first)),
            edge(3, 5, Flow::Return(second)),
        ];
        Graph::new(nodes, edges)
    }

    fn numbers(slice: &Slice) -> Vec<u32> {
        slice.nodes.iter().map(|node| node.as_u32()).collect()
    }

    #[test]
    fn calls_and_returns_match() {
        let graph = two_calls();
        let of = |from, direction| slice(&graph, &[NodeId::from_u32(from)], direction, 100);
        assert_eq!(numbers(&of(4, Direction::Backward)), [0, 2, 3, 4]);
        assert_eq!(numbers(&of(1, Direction::Forward)), [1, 2, 3, 5]);
        // From inside the callee, both callers are open.
        assert_eq!(numbers(&of(3, Direction::Backward)), [0, 1, 2, 3]);
        assert_eq!(numbers(&of(2, Direction::Forward)), [2, 3, 4, 5]);
    }

    #[test]
    fn a_spent_budget_gives_more_not_less() {
        let graph = two_calls();
        let slice = slice(&graph, &[NodeId::from_u32(4)], Direction::Backward, 2);
        assert!(!slice.matched);
        assert_eq!(numbers(&slice), [0, 1, 2, 3, 4]);
    }
}
