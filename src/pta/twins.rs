//! Objects that are told apart by the call they were made for alone, and no longer by what they hold.
//!
//! Copies of allocation wrappers give what each of their calls makes a name of its own. Where pointers get mixed up so
//! much that such objects are one place each and all hold the same, whoever has a pointer to one found there has one to
//! each: the names say nothing any more, but every set lists them all. They become one object, as they would have been
//! without the copies.
//!
//! Invariant: no set holds a location of an object that another stands for; what such an object holds is the node of the
//! one that stands for it, so that accesses known from before are still right.

use super::graph::Graph;
use super::memory::EVERYWHERE;
use super::objects::{LocationId, ObjectId, ObjectKind};
use crate::ir::{FuncId, InstId};
use super::constraints::Node;
use rustc_hash::FxHashMap;

/// Where in the program an object is made, whatever the calls on the way there.
fn origin(kind: ObjectKind) -> Option<(InstId, Option<FuncId>)> {
    match kind {
        ObjectKind::Alloca { site, .. } => Some((site, None)),
        ObjectKind::Heap { site, by, .. } => Some((site, Some(by))),
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
    /// Makes one object of those of one origin that are one place and hold the same. Adds to `instead` what their
    /// locations are called from now on.
    pub(super) fn join_twins(&mut self, instead: &mut FxHashMap<LocationId, ObjectId>) {
        let mut first: FxHashMap<(InstId, Option<FuncId>, Node), ObjectId> = FxHashMap::default();
        let objects: Vec<ObjectId> = self.objects.objects.keys().collect();
        let mut joined: FxHashMap<ObjectId, ObjectId> = FxHashMap::default();
        for object in objects {
            let Some((site, by)) = origin(self.objects.objects[object].kind) else { continue };
            if !self.is_flat(object) || self.objects.stand_in(object) != object {
                continue;
            }
            let Some(content) = self.only_content(object) else { continue };
            let keep = *first.entry((site, by, content)).or_insert(object);
            if keep != object {
                joined.insert(object, keep);
                self.objects.replace(object, keep);
                let escaped = self.memory[object].escaped;
                self.memory[keep].escaped |= escaped;
            }
        }
        if joined.is_empty() {
            return;
        }
        for (location, data) in self.objects.locations.iter() {
            if let Some(&keep) = joined.get(&data.object) {
                instead.insert(location, keep);
            }
        }
    }

    /// The node of all that an object that is one place holds, if what is written there and what is read is one.
    fn only_content(&mut self, object: ObjectId) -> Option<Node> {
        let gate = self.memory[object].gates.iter().find(|gate| gate.spread == EVERYWHERE)?;
        let (read, write) = (gate.read?, gate.write?);
        let (read, write) = (self.find(read), self.find(write));
        (read == write).then_some(read)
    }
}
