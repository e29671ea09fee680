//! How what versions of memory lose is handed on along the value-flow graph.
//!
//! Invariant: a version has no fact that one of those that it comes from lacks, except while that one is waiting to
//! hand it on. Facts are only ever lost, so the order does not matter, and the work is the number of edges times the few
//! facts that can be lost.

use super::known::Known;
use super::memory::Memory;
use crate::ir::FuncId;
use crate::svfg::{Flow, Node, NodeId};
use cranelift_entity::EntityRef;
use rustc_hash::FxHashSet;

/// A version's range changes so often, then it is not followed any more.
const MOST_CHANGES: u8 = 4;

impl Memory<'_> {
    /// Hands on what these nodes have, as long as some version behind them loses something by it. Tells the functions that
    /// read such a version.
    ///
    /// A version only ever loses facts, and few times, and each time each of its successors is looked at once: what a version
    /// comes from is never gone through again.
    pub(super) fn propagate(&mut self, mut waiting: Vec<NodeId>) -> Vec<FuncId> {
        let (program, whole) = (self.program, self.whole);
        let graph = &whole.graph.graph;
        let mut told: FxHashSet<FuncId> = FxHashSet::default();
        while let Some(node) = waiting.pop() {
            self.is_waiting[node.index()] = false;
            let known = self.known[node.index()];
            if let (Node::ActualIn { call, bundle }, false) = (graph.nodes[node], known.kept)
                && let Some(behind) =
                    self.around.get(&(call, bundle)).and_then(|a| a.behind.expand())
            {
                self.lower(behind, Known { kept: false, ..Known::ALL }, &mut waiting);
            }
            for (next, flow) in graph.successors(node) {
                match graph.nodes[next] {
                    Node::Value(value) => _ = told.insert(program.func_of_value(value)),
                    Node::Use(inst) => {
                        // A copy of memory hands on what it reads.
                        told.insert(program.func_of(inst));
                        for chi in graph.successors_by(next, Flow::Direct) {
                            self.rewritten(chi, &mut waiting);
                        }
                    }
                    Node::Outside => {}
                    Node::FormalIn { .. } => {
                        self.lower(next, Known { kept: true, ..known }, &mut waiting);
                    }
                    Node::Chi { .. }
                    | Node::Phi { .. }
                    | Node::FormalOut { .. }
                    | Node::ActualIn { .. } => {
                        if flow == Flow::Indirect {
                            self.lower(next, known, &mut waiting);
                        }
                    }
                    Node::ActualOut { call, .. } => {
                        if matches!(flow, Flow::Indirect) || flow == Flow::Return(call) {
                            self.lower(next, known, &mut waiting);
                        }
                    }
                }
            }
        }
        let mut told: Vec<FuncId> = told.into_iter().collect();
        told.sort_unstable();
        told
    }

    /// What an instruction writes has changed.
    pub(super) fn rewritten(&mut self, chi: NodeId, waiting: &mut Vec<NodeId>) {
        if let Node::Chi { at, bundle } = self.whole.graph.graph.nodes[chi] {
            let written = self.written(at, bundle);
            self.lower(chi, Known { kept: written.set, ..written }, waiting);
        }
    }

    /// A version has no more facts than this.
    pub(super) fn lower(&mut self, node: NodeId, most: Known, waiting: &mut Vec<NodeId>) {
        let at = node.index();
        let before = self.known[at];
        let mut known = before.meet(most);
        if known == before {
            return;
        }
        if known.range != before.range || known.offset != before.offset {
            self.changes[at] = self.changes[at].saturating_add(1);
            if self.changes[at] > MOST_CHANGES {
                known = known.widened(before);
            }
        }
        self.known[at] = known;
        if !std::mem::replace(&mut self.is_waiting[at], true) {
            waiting.push(node);
        }
    }
}
