//! The control flow graph of one function: who follows and who precedes each block, each neighbour
//! once however many switch cases lead there, in ascending order of the predecessors.

use super::ids::{BlockId, FuncId};
use super::program::Program;
use cranelift_entity::EntityRef;

/// Blocks are numbered inside the function from 0, the entry; [`Cfg::block`] and [`Cfg::number`]
/// convert.
#[derive(Debug, Clone)]
pub struct Cfg {
    first: usize,
    successors: Adjacency,
    predecessors: Adjacency,
}

/// The neighbours of node `n` are `edges[starts[n]..starts[n + 1]]`.
#[derive(Debug, Clone)]
struct Adjacency {
    starts: Vec<usize>,
    edges: Vec<usize>,
}

impl Adjacency {
    fn new(count: usize, edges: &[(usize, usize)]) -> Adjacency {
        let mut starts = vec![0; count + 1];
        edges.iter().for_each(|&(from, _)| starts[from + 1] += 1);
        (0..count).for_each(|node| starts[node + 1] += starts[node]);
        let mut next = starts.clone();
        let mut targets = vec![0; edges.len()];
        for &(from, to) in edges {
            targets[next[from]] = to;
            next[from] += 1;
        }
        Adjacency { starts, edges: targets }
    }

    fn of(&self, node: usize) -> &[usize] {
        &self.edges[self.starts[node]..self.starts[node + 1]]
    }
}

impl Cfg {
    /// Edges out of the function (only a damaged program has them) are left out.
    pub fn new(program: &Program, func: FuncId) -> Cfg {
        let blocks = program.funcs[func].blocks;
        let first = blocks.first().map_or(0, |entry| entry.index());
        let count = blocks.len();

        let mut successors = Adjacency { starts: vec![0], edges: Vec::new() };
        let mut indegree = vec![0; count];
        // The last block that was seen to lead to a node, so that repetition costs no search.
        let mut seen_from = vec![usize::MAX; count];
        for (number, block) in blocks.iter().enumerate() {
            if let Some(last) = program.terminator(block) {
                program.for_each_successor(program.inst(last), |to| {
                    if blocks.contains(to) {
                        let to = to.index() - first;
                        if seen_from[to] != number {
                            seen_from[to] = number;
                            indegree[to] += 1;
                            successors.edges.push(to);
                        }
                    }
                });
            }
            successors.starts.push(successors.edges.len());
        }

        let mut starts = Vec::with_capacity(count + 1);
        let mut total = 0;
        for degree in indegree {
            starts.push(total);
            total += degree;
        }
        starts.push(total);
        let mut next = starts.clone();
        let mut edges = vec![0; total];
        for from in 0..count {
            for &to in successors.of(from) {
                edges[next[to]] = from;
                next[to] += 1;
            }
        }
        Cfg { first, successors, predecessors: Adjacency { starts, edges } }
    }

    /// A graph of `count` nodes from its edges, which must not repeat; node 0 is where it is entered.
    pub fn from_edges(count: usize, edges: &[(usize, usize)]) -> Cfg {
        let back: Vec<(usize, usize)> = edges.iter().map(|&(from, to)| (to, from)).collect();
        Cfg {
            first: 0,
            successors: Adjacency::new(count, edges),
            predecessors: Adjacency::new(count, &back),
        }
    }

    /// How many blocks there are.
    pub fn len(&self) -> usize {
        self.successors.starts.len() - 1
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub fn number(&self, block: BlockId) -> usize {
        block.index() - self.first
    }

    pub fn block(&self, number: usize) -> BlockId {
        BlockId::new(self.first + number)
    }

    pub fn successors(&self, number: usize) -> &[usize] {
        self.successors.of(number)
    }

    pub fn predecessors(&self, number: usize) -> &[usize] {
        self.predecessors.of(number)
    }
}
