//! The constraint language: nodes hold sets of locations, constraints say which must include which.
//! The generator writes constraints into lists; the solver adds more while it discovers callees. Both
//! are a [`Sink`], so that a call means the same whoever resolves it.

use super::objects::{ContextId, LocationId, ObjectId, Objects, Step};
use crate::ir::{FuncId, InstId, TypeId};
pub use crate::library::summaries::Slot;
use cranelift_entity::packed_option::PackedOption;
use cranelift_entity::{PrimaryMap, entity_impl};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;

/// Something that holds a set of locations: a value (or one part of an aggregate), the content of a
/// cell of memory, or a meeting point inside the analysis.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Node(u32);
entity_impl!(Node, "n");

/// The consecutive nodes of a value, one for each leaf of its type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Nodes {
    pub first: Node,
    pub len: u32,
}

impl Nodes {
    pub fn get(self, leaf: u32) -> Option<Node> {
        (leaf < self.len).then(|| Node::from_u32(self.first.as_u32() + leaf))
    }

    pub fn iter(self) -> impl Iterator<Item = Node> {
        (self.first.as_u32()..self.first.as_u32() + self.len).map(Node::from_u32)
    }
}

/// A call, in one context.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CallId(u32);
entity_impl!(CallId, "call");

/// One actual argument.
#[derive(Debug, Clone, Copy)]
pub struct Actual {
    /// None if it cannot hold a pointer.
    pub nodes: Option<Nodes>,
    /// None if unknown.
    pub ty: Option<TypeId>,
    /// The value of an integer constant.
    pub constant: Option<u64>,
}

/// How large an allocation is, as far as the call's arguments tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extent {
    Exactly(u64),
    /// `header + n * stride` bytes.
    Array {
        header: u64,
        stride: u64,
    },
    Unknown,
}

impl Extent {
    /// The size of `self` things of `other` bytes each.
    pub fn times(self, other: Extent) -> Extent {
        match (self, other) {
            (Extent::Exactly(a), Extent::Exactly(b)) => {
                a.checked_mul(b).map_or(Extent::Unknown, Extent::Exactly)
            }
            (Extent::Exactly(1), known) | (known, Extent::Exactly(1)) => known,
            (Extent::Exactly(stride), _) | (_, Extent::Exactly(stride)) if stride > 0 => {
                Extent::Array { header: 0, stride }
            }
            _ => Extent::Unknown,
        }
    }

    pub fn plus(self, other: Extent) -> Extent {
        match (self, other) {
            (Extent::Exactly(a), Extent::Exactly(b)) => {
                a.checked_add(b).map_or(Extent::Unknown, Extent::Exactly)
            }
            (Extent::Exactly(more), Extent::Array { header, stride })
            | (Extent::Array { header, stride }, Extent::Exactly(more)) => header
                .checked_add(more)
                .filter(|&header| header < 1 << 20)
                .map_or(Extent::Unknown, |header| Extent::Array { header, stride }),
            _ => Extent::Unknown,
        }
    }
}

#[derive(Debug, Clone)]
pub struct Call {
    pub inst: InstId,
    pub context: ContextId,
    pub args: Vec<Actual>,
    pub result: Option<Nodes>,
    /// Of the memory, should the callee allocate some: by argument.
    pub extents: Vec<Extent>,
    /// Made by a library with a function it was given to keep: unknown code may make it at any time.
    pub kept: bool,
}

/// Where a function expects its arguments and leaves its result.
#[derive(Debug, Clone, Default)]
pub struct Signature {
    pub params: Vec<Option<Nodes>>,
    pub result: Option<Nodes>,
    /// Holds the extra arguments of a variadic function.
    pub varargs: PackedOption<ObjectId>,
}

/// What the generator and the solver both know.
#[derive(Debug)]
pub struct World {
    pub calls: PrimaryMap<CallId, Call>,
    /// By function, of the copy that indirect calls reach; absent until it is generated.
    pub signatures: FxHashMap<FuncId, Signature>,
    /// Holds whatever unknown functions may know and hand out.
    pub escaped: Node,
    /// Models of library functions whose calls follow the summary.
    pub told: FxHashSet<FuncId>,
    pub slots: FxHashMap<Slot, Node>,
    /// Some code that nothing is known of may run.
    pub unknown_runs: bool,
    /// Who calls whom; library callbacks belong to the call of the library function.
    pub edges: FxHashSet<(InstId, FuncId)>,
    /// Calls that may run code we know nothing of.
    pub unknown_calls: BTreeSet<InstId>,
    /// Functions that unknown code may call.
    pub called_by_unknown: BTreeSet<FuncId>,
    /// Functions without a body or a summary that may be called.
    pub externals: BTreeSet<FuncId>,
    /// Callees that were dropped because C forbids such a call.
    pub filtered: BTreeSet<(InstId, FuncId)>,
    /// Copies of callees for one indirect call alone, used should it call them.
    pub own_copies: FxHashMap<(CallId, FuncId), Signature>,
    /// Calls already connected to a callee.
    pub connected: FxHashSet<(CallId, FuncId)>,
}

/// How a node may be treated before solving.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// A pointer of the program: its set is part of the answer.
    Pointer,
    /// A number that may carry a pointer, or a part of one: dropped if nothing comes of it.
    Carrier,
    /// Complete once written.
    Inner,
    /// May be given more while solving.
    Open,
}

/// [`Role`] as kept: a number's node may be open, too.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Traits {
    pub carrier: bool,
    pub open: bool,
}

pub trait Sink<'p> {
    fn objects(&mut self) -> &mut Objects<'p>;
    fn world(&mut self) -> &mut World;
    fn fresh(&mut self, role: Role) -> Node;
    /// `location ∈ node`.
    fn address(&mut self, node: Node, location: LocationId);
    /// `from ⊆ to`.
    fn copy(&mut self, from: Node, to: Node);
    /// `from + step ⊆ to`.
    fn step(&mut self, from: Node, to: Node, step: Step);
    /// `*from ⊆ to`, of `width` bytes.
    fn load(&mut self, from: Node, to: Node, width: u32);
    /// `from ⊆ *to`, of `width` bytes.
    fn store(&mut self, from: Node, to: Node, width: u32);
    /// `from ⊆` what `location` holds.
    fn fill(&mut self, from: Node, location: LocationId);
    /// Copies `len` bytes, or an unknown number.
    fn copy_memory(&mut self, to: Node, from: Node, len: Option<u64>);
    /// Calls whatever functions `target` points to.
    fn call(&mut self, target: Node, call: CallId);

    /// The node that holds `from + step`.
    fn stepped(&mut self, from: Node, step: Step) -> Node {
        if step.is_nothing() {
            return from;
        }
        let to = self.fresh(Role::Inner);
        self.step(from, to, step);
        to
    }

    fn slot(&mut self, slot: Slot) -> Node {
        if let Some(&node) = self.world().slots.get(&slot) {
            return node;
        }
        let node = self.fresh(Role::Open);
        self.world().slots.insert(slot, node);
        if slot.is_foreign() {
            let escaped = self.world().escaped;
            self.copy(escaped, node);
            if self.world().unknown_runs {
                self.copy(node, escaped);
            }
        }
        node
    }

    /// Code that nothing is known of may run: it may be a part of any library, and ask for what that was given.
    fn unknown_runs(&mut self) {
        if std::mem::replace(&mut self.world().unknown_runs, true) {
            return;
        }
        let escaped = self.world().escaped;
        let mut slots: Vec<(Slot, Node)> =
            self.world().slots.iter().map(|(&s, &n)| (s, n)).collect();
        slots.sort_unstable();
        for (_, node) in slots.into_iter().filter(|(slot, _)| slot.is_foreign()) {
            self.copy(node, escaped);
        }
    }
}

#[derive(Debug, Clone, Copy)]
pub struct MemCopy {
    pub to: Node,
    pub from: Node,
    /// `u64::MAX` if unknown.
    pub len: u64,
    /// Bytes before the two addresses are copied as well.
    pub around: bool,
    /// Only from and to exact places.
    pub exact: bool,
}

/// A constraint of each kind, in the order they were written.
#[derive(Debug, Default)]
pub struct Constraints {
    pub traits: PrimaryMap<Node, Traits>,
    pub addresses: Vec<(Node, LocationId)>,
    pub copies: Vec<(Node, Node)>,
    pub steps: Vec<(Node, Node, Step)>,
    /// `(pointer, value, width)`.
    pub loads: Vec<(Node, Node, u32)>,
    pub stores: Vec<(Node, Node, u32)>,
    pub fills: Vec<(Node, LocationId)>,
    pub memory_copies: Vec<MemCopy>,
    pub calls: Vec<(Node, CallId)>,
    /// What memory holds when the program starts: `(object, offset, width, location)`.
    pub initial: Vec<(ObjectId, i64, u32, LocationId)>,
}
