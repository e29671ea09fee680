//! Objects that are told apart by the call they were made for alone, and no longer by what they hold.
//!
//! Copies of allocation wrappers give what each of their calls makes a name of its own. Where pointers get mixed up so
//! much that such objects are one place each and all hold the same, whoever has a pointer to one found there has one to
//! each: the names say nothing any more, but every set lists them all. They become one object, as they would have been
//! without the copies.
//!
//! Invariant: no set holds a location of an object that another stands for; what such an object holds is the node of the
//! one that stands for it, so that accesses known from before are still right. An object that is one place has one location,
//! "anywhere in it". Objects of different origins stay apart, whatever they hold: what was just made is in few sets.

use super::constraints::Node;
use super::graph::Graph;
use super::memory::EVERYWHERE;
use super::objects::{LocationId, ObjectId, ObjectKind};
use super::sets::SetId;
use crate::ir::InstId;
use rustc_hash::FxHashMap;

/// Where in the program an object is made, whatever the calls on the way there and whichever function made it.
fn origin(kind: ObjectKind) -> Option<InstId> {
    match kind {
        ObjectKind::Alloca { site, .. } | ObjectKind::Heap { site, .. } => Some(site),
        ObjectKind::Unknown
        | ObjectKind::Literals
        | ObjectKind::Arguments
        | ObjectKind::ArgumentStrings
        | ObjectKind::Global(_)
        | ObjectKind::Func(_)
        | ObjectKind::Static(_)
        | ObjectKind::Varargs { .. } => None,
    }
}

impl Graph<'_> {
    /// Makes one object of those of one origin that are one place and have one node for what they hold. Adds to `instead`
    /// what their locations are called from now on.
    pub(super) fn join_twins(&mut self, instead: &mut FxHashMap<LocationId, ObjectId>) {
        let mut first: FxHashMap<(InstId, Node), ObjectId> = FxHashMap::default();
        for (object, site) in self.candidates() {
            let Some(content) = self.only_content(object) else { continue };
            let keep = *first.entry((site, content)).or_insert(object);
            if keep != object {
                self.join(object, keep, instead);
            }
        }
    }

    /// The same at the end, of those that hold equal sets: what is equal in a solution stays equal in it.
    pub(super) fn join_equals(&mut self) {
        let mut first: FxHashMap<(InstId, SetId), ObjectId> = FxHashMap::default();
        let mut instead = FxHashMap::default();
        for (object, site) in self.candidates() {
            let Some(content) = self.only_content(object) else { continue };
            let keep = *first.entry((site, self.held(content))).or_insert(object);
            if let Some(other) = self.only_content(keep).filter(|_| keep != object) {
                self.merge_all(&[other, content]);
                self.join(object, keep, &mut instead);
            }
        }
        self.rename(instead);
    }

    /// Objects that are one place, by where they are made.
    fn candidates(&self) -> Vec<(ObjectId, InstId)> {
        let objects = self.objects.objects.iter();
        let made = objects.filter_map(|(object, data)| Some((object, origin(data.kind)?)));
        let is_one = |&(object, _): &(ObjectId, InstId)| {
            self.is_flat(object) && self.objects.stand_in(object) == object
        };
        made.filter(is_one).collect()
    }

    /// From here on `keep` is also what `object` was.
    fn join(
        &mut self,
        object: ObjectId,
        keep: ObjectId,
        instead: &mut FxHashMap<LocationId, ObjectId>,
    ) {
        instead.insert(self.objects.any(object), keep);
        self.objects.replace(object, keep);
        if self.objects.objects[keep].size != self.objects.objects[object].size {
            self.objects.objects[keep].size = None;
        }
        let escaped = self.memory[object].escaped;
        self.memory[keep].escaped |= escaped;
    }

    /// Puts the location "anywhere in it" of an object in the place of others in all sets.
    pub(super) fn rename(&mut self, instead: FxHashMap<LocationId, ObjectId>) {
        if instead.is_empty() {
            return;
        }
        let instead = instead
            .into_iter()
            .map(|(location, object)| (location.as_u32(), self.objects.any(object).as_u32()))
            .collect();
        self.collect(&instead);
    }

    /// The node of all that an object that is one place holds, if what is written there and what is read is one.
    fn only_content(&mut self, object: ObjectId) -> Option<Node> {
        let gate = self.memory[object].gates.iter().find(|gate| gate.spread == EVERYWHERE)?;
        let (read, write) = (gate.read?, gate.write?);
        let (read, write) = (self.find(read), self.find(write));
        (read == write).then_some(read)
    }
}
