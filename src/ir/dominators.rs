//! Dominators of one function: Lengauer & Tarjan, "A fast algorithm for finding dominators in a
//! flowgraph" (TOPLAS 1979), with simple path compression: O(edges · log blocks) on every graph. The
//! iterative algorithm of Cooper, Harvey and Kennedy is quadratic on a long chain of blocks that all
//! jump to one exit, which is what generated C looks like. Nothing here recurses.

use super::cfg::Cfg;
use super::ids::BlockId;

const NONE: usize = usize::MAX;

/// Which block lies on every path from the entry to another.
#[derive(Debug, Clone)]
pub struct Dominators {
    /// By the block's number in the [`Cfg`]; `NONE` for the entry and the unreachable.
    idom: Vec<usize>,
    /// The subtree of a block in the dominator tree is `enter..leave`; empty if it is unreachable.
    enter: Vec<usize>,
    leave: Vec<usize>,
}

/// The depth-first spanning tree. Vertices are named by their place in its preorder.
struct Tree {
    /// The block of each vertex.
    vertex: Vec<usize>,
    /// The vertex of each block, `NONE` if it is unreachable.
    order: Vec<usize>,
    parent: Vec<usize>,
}

impl Tree {
    fn new(cfg: &Cfg) -> Tree {
        let mut tree =
            Tree { vertex: Vec::new(), order: vec![NONE; cfg.len()], parent: Vec::new() };
        if cfg.is_empty() {
            return tree;
        }
        tree.visit(0, NONE);
        let mut stack = vec![(0, 0)];
        while let Some((vertex, next)) = stack.last_mut() {
            let (from, index) = (*vertex, *next);
            *next += 1;
            match cfg.successors(tree.vertex[from]).get(index) {
                Some(&to) if tree.order[to] == NONE => stack.push((tree.visit(to, from), 0)),
                Some(_) => {}
                None => _ = stack.pop(),
            }
        }
        tree
    }

    fn visit(&mut self, block: usize, parent: usize) -> usize {
        let vertex = self.vertex.len();
        self.order[block] = vertex;
        self.vertex.push(block);
        self.parent.push(parent);
        vertex
    }
}

/// The forest of the paper's `LINK` and `EVAL`.
struct Forest {
    ancestor: Vec<usize>,
    label: Vec<usize>,
    semi: Vec<usize>,
    path: Vec<usize>,
}

impl Forest {
    /// The vertex of minimal semidominator on the path from the root of `v`'s tree down to `v`.
    fn eval(&mut self, v: usize) -> usize {
        if self.ancestor[v] == NONE {
            return v;
        }
        let mut at = v;
        while self.ancestor[self.ancestor[at]] != NONE {
            self.path.push(at);
            at = self.ancestor[at];
        }
        while let Some(below) = self.path.pop() {
            let above = self.ancestor[below];
            if self.semi[self.label[above]] < self.semi[self.label[below]] {
                self.label[below] = self.label[above];
            }
            self.ancestor[below] = self.ancestor[above];
        }
        self.label[v]
    }
}

impl Dominators {
    pub fn new(cfg: &Cfg) -> Dominators {
        let tree = Tree::new(cfg);
        let idom = immediate_dominators(cfg, &tree);
        let count = idom.len();

        // An immediate dominator comes before its block in preorder, so one pass up sums the sizes
        // of the subtrees and one pass down hands out their places.
        let mut size = vec![1; count];
        for w in (1..count).rev() {
            size[idom[w]] += size[w];
        }
        let mut enter = vec![0; count];
        let mut next = vec![1; count];
        for w in 1..count {
            enter[w] = next[idom[w]];
            next[idom[w]] += size[w];
            next[w] = enter[w] + 1;
        }

        let mut dominators = Dominators {
            idom: vec![NONE; cfg.len()],
            enter: vec![0; cfg.len()],
            leave: vec![0; cfg.len()],
        };
        for (w, &block) in tree.vertex.iter().enumerate() {
            if w > 0 {
                dominators.idom[block] = tree.vertex[idom[w]];
            }
            dominators.enter[block] = enter[w];
            dominators.leave[block] = enter[w] + size[w];
        }
        dominators
    }

    pub fn is_reachable(&self, number: usize) -> bool {
        self.enter[number] < self.leave[number]
    }

    /// Whether every path from the entry to `below` goes through `above`; a block dominates itself.
    pub fn dominates(&self, above: usize, below: usize) -> bool {
        self.is_reachable(below)
            && (self.enter[above]..self.leave[above]).contains(&self.enter[below])
    }

    /// The closest dominator; none for the entry and for what is unreachable.
    pub fn immediate(&self, cfg: &Cfg, block: BlockId) -> Option<BlockId> {
        let idom = self.idom[cfg.number(block)];
        (idom != NONE).then(|| cfg.block(idom))
    }
}

/// Of each vertex, as a vertex.
fn immediate_dominators(cfg: &Cfg, tree: &Tree) -> Vec<usize> {
    let count = tree.vertex.len();
    let mut forest = Forest {
        ancestor: vec![NONE; count],
        label: (0..count).collect(),
        semi: (0..count).collect(),
        path: Vec::new(),
    };
    let mut idom = vec![0; count];
    // The buckets are linked lists: the first vertex of each, and the next one after each vertex.
    let mut bucket = vec![NONE; count];
    let mut bucket_next = vec![NONE; count];
    for w in (1..count).rev() {
        for &from in cfg.predecessors(tree.vertex[w]) {
            let v = tree.order[from];
            if v != NONE {
                let u = forest.eval(v);
                forest.semi[w] = forest.semi[w].min(forest.semi[u]);
            }
        }
        let semi = forest.semi[w];
        bucket_next[w] = std::mem::replace(&mut bucket[semi], w);
        let parent = tree.parent[w];
        forest.ancestor[w] = parent;
        let mut v = std::mem::replace(&mut bucket[parent], NONE);
        while v != NONE {
            let u = forest.eval(v);
            idom[v] = if forest.semi[u] < forest.semi[v] { u } else { parent };
            v = bucket_next[v];
        }
    }
    for w in 1..count {
        if idom[w] != forest.semi[w] {
            idom[w] = idom[idom[w]];
        }
    }
    idom
}
