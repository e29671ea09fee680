//! Going over expressions: what is reachable, which variables occur, substitution. Nothing here
//! recurses, because expressions can be as deep as a program's run is long.

use super::expr::{ExprId, Op, Pool, VarId};
use rustc_hash::{FxHashMap, FxHashSet};

impl Pool {
    /// Everything the roots are made of, children before parents, the roots included.
    pub fn reachable(&self, roots: &[ExprId]) -> Vec<ExprId> {
        let mut seen = FxHashSet::default();
        let mut order = Vec::new();
        let mut stack = roots.to_vec();
        while let Some(e) = stack.pop() {
            if seen.insert(e) {
                order.push(e);
                stack.extend(self.node(e).children());
            }
        }
        // Ids ascend from children to parents.
        order.sort_unstable();
        order
    }

    /// The number of distinct nodes.
    pub fn size(&self, e: ExprId) -> usize {
        self.reachable(&[e]).len()
    }

    /// The variables that occur, in their order.
    pub fn free_vars(&self, roots: &[ExprId]) -> Vec<VarId> {
        let nodes = self.reachable(roots).into_iter().map(|e| self.node(e));
        let mut vars: Vec<VarId> = nodes.filter(|n| n.op == Op::Var).map(|n| n.var()).collect();
        vars.sort_unstable();
        vars
    }

    /// Replaces variables by expressions, all at once: what is put in is not looked at again.
    pub fn substitute(&mut self, e: ExprId, with: &FxHashMap<VarId, ExprId>) -> ExprId {
        let mut done = FxHashMap::default();
        self.substitute_memo(e, with, &mut done)
    }

    /// As [`Pool::substitute`]; `done` keeps results from one root to the next.
    pub fn substitute_memo(
        &mut self,
        e: ExprId,
        with: &FxHashMap<VarId, ExprId>,
        done: &mut FxHashMap<ExprId, ExprId>,
    ) -> ExprId {
        let mut stack = vec![e];
        while let Some(&e) = stack.last() {
            if done.contains_key(&e) {
                stack.pop();
                continue;
            }
            let n = self.node(e);
            let waiting = stack.len();
            stack.extend(n.children().filter(|c| !done.contains_key(c)));
            if stack.len() > waiting {
                continue;
            }
            stack.pop();
            let new = if n.op == Op::Var {
                *with.get(&n.var()).unwrap_or(&e)
            } else {
                let mut children = [e; 3];
                let mut changed = false;
                for (slot, c) in children.iter_mut().zip(n.children()) {
                    *slot = *done.get(&c).unwrap_or(&c);
                    changed |= *slot != c;
                }
                if changed { self.rebuild(e, &children[..n.arity()]) } else { e }
            };
            done.insert(e, new);
        }
        *done.get(&e).unwrap_or(&e)
    }
}
