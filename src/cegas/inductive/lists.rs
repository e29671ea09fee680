//! Lists of a written state: each is taken for nodes and lists one behind the other, each with what the list says of its
//! nodes, or for nothing if it may be empty.

use super::matching::{Fact, Matching, Pair, Search};
use crate::cegas::address::{Base, Place};
use crate::cegas::memory::{Chain, Instance, Life, Object, Origin, Piece};
use crate::smt::{ExprId, VarId};
use rustc_hash::FxHashMap;
use std::rc::Rc;

impl Search<'_, '_> {
    /// An address of the written state that is a list's.
    pub(super) fn list(
        &mut self,
        (list, offset): (Instance, ExprId),
        chain: &Rc<Chain>,
        theirs: Place,
        agenda: Vec<Pair>,
        matching: Matching,
    ) -> Option<bool> {
        if let Some(&known) = matching.met.get(&list) {
            let mut agenda = agenda;
            (theirs.base == Base::Object(known)).then_some(())?;
            agenda.push((offset, theirs.offset));
            return self.solve(agenda, matching);
        }
        if let (Base::Object(other), false) = (theirs.base, matching.empty.contains(&list)) {
            let (mut tried, mut more) = (matching.clone(), agenda.clone());
            tried.met.insert(list, other);
            more.push((offset, theirs.offset));
            if let Some(found) = self.take(list, chain, other, false, more, tried) {
                return Some(found);
            }
        }
        if chain.may_be_empty {
            let (mut tried, mut more) = (matching, agenda);
            tried.empty.insert(list);
            let behind = self.machine.smt.pool.add(chain.tail, offset);
            let theirs = self.value_of(theirs)?;
            more.push((behind, theirs));
            return self.solve(more, tried);
        }
        None
    }

    /// Takes a node, or a list, for the next part of a list, and goes on behind it.
    fn take(
        &mut self,
        list: Instance,
        chain: &Rc<Chain>,
        other: Instance,
        has_node: bool,
        mut agenda: Vec<Pair>,
        mut matching: Matching,
    ) -> Option<bool> {
        self.steps = self.steps.checked_sub(1)?;
        let is_new = other.0 >= self.first && matching.taken.insert(other);
        is_new.then_some(())?;
        let (next, is_node) = self.node(list, chain, other, &mut agenda, &mut matching)?;
        let has_node = has_node || is_node;
        if has_node || chain.may_be_empty {
            let mut more = agenda.clone();
            more.push((chain.tail, next));
            if let Some(found) = self.solve(more, matching.clone()) {
                return Some(found);
            }
        }
        let (next, 0) = self.machine.pointee(next)? else { return None };
        self.take(list, chain, next, has_node, agenda, matching)
    }

    /// Whether an object fits what a list says of its nodes: the address behind it, and whether it surely is a node.
    fn node(
        &mut self,
        list: Instance,
        chain: &Rc<Chain>,
        other: Instance,
        agenda: &mut Vec<Pair>,
        matching: &mut Matching,
    ) -> Option<(ExprId, bool)> {
        let ours = self.general.memory.get(list)?.clone();
        let theirs = self.arrived.state.memory.get(other)?.clone();
        let is_heap = |object: &Object| matches!(object.origin, Origin::Heap(_));
        let is_alike = is_heap(&ours)
            && is_heap(&theirs)
            && theirs.life == Life::Live
            && ours.background == theirs.background
            && self.machine.stride(&self.general, list).is_none()
            && self.machine.stride(&self.arrived.state, other).is_none();
        is_alike.then_some(())?;
        agenda.push((ours.size, theirs.size));
        let bytes = self.machine.pointer_bits / 8;
        let (next, premises) = match &theirs.chain {
            Some(own) => ((own.link == chain.link).then_some(own.tail)?, own.facts.clone()),
            None => (self.read(other, chain.link, bytes, true)?, Vec::new()),
        };
        let mut node = FxHashMap::default();
        for (&offset, cell) in &ours.cells {
            let placeholder = self.machine.placeholder(offset, cell.bytes);
            let own = theirs.cells.get(&offset).filter(|own| own.bytes == cell.bytes);
            let value = match (own, &theirs.chain) {
                (Some(own), _) => own.value,
                (None, None) => self.read(other, offset, cell.bytes, false)?,
                (None, Some(_)) => return None,
            };
            if cell.value == placeholder {
                (!self.machine.speaks_of_addresses(value)).then_some(())?;
            } else {
                // What all nodes share is no value that each has for itself.
                let is_own =
                    self.machine.speaks_of_nodes(cell.value) || self.machine.speaks_of_nodes(value);
                (!is_own).then_some(())?;
                agenda.push((cell.value, value));
            }
            node.insert(self.machine.smt.pool.node(placeholder).var(), value);
        }
        let link = chain.link..chain.link + u64::from(bytes);
        for (&offset, cell) in &theirs.cells {
            let is_said = ours.pieces(offset, u64::from(cell.bytes));
            let is_link = link.contains(&offset);
            let is_known = is_said.iter().all(|piece| matches!(piece, Piece::Of { .. }));
            (is_link || is_known || self.may_be_unset(cell.value, cell.bytes)).then_some(())?;
        }
        for &said in &chain.facts {
            // A place that the node does not have stands for nothing when the list is unfolded.
            let mut vars = self.machine.smt.pool.free_vars(&[said]);
            vars.retain(|var| self.is_node_place(*var));
            if vars.iter().all(|var| node.contains_key(var)) {
                let (node, premises) = (node.clone(), premises.clone());
                matching.facts.push(Fact { said, node, premises });
            }
        }
        Some((next, theirs.chain.as_ref().is_none_or(|own| !own.may_be_empty)))
    }

    fn is_node_place(&self, var: VarId) -> bool {
        let pool = &self.machine.smt.pool;
        self.machine.placeholders.values().any(|&place| pool.node(place).var() == var)
    }
}
