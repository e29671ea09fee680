//! The names of things: typed indices into the program's flat tables, printed as in the text form
//! (`f3` a function, `b12` a block, `v7` a value …). An id is only meaningful together with the
//! [`Program`](super::Program) that made it.

use cranelift_entity::{EntityRef, entity_impl};
use serde::{Deserialize, Serialize};
use std::marker::PhantomData;

macro_rules! id {
    ($(#[$doc:meta])* $name:ident, $prefix:literal) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        pub struct $name(u32);
        entity_impl!($name, $prefix);
    };
}

id!(/// A function, with or without a body.
    FuncId, "f");
id!(/// A basic block; the blocks of a function are consecutive, its entry first.
    BlockId, "b");
id!(/// An instruction; the instructions of a block are consecutive, its terminator last.
    InstId, "i");
id!(/// An SSA value: a parameter or an instruction's result.
    ValueId, "v");
id!(/// An interned constant.
    ConstId, "c");
id!(/// An interned machine type.
    TypeId, "t");
id!(/// A global variable.
    GlobalId, "g");
id!(/// An interned string.
    TextId, "s");
id!(/// A source file.
    FileId, "file");
id!(/// A source location.
    LocId, "l");
id!(/// A variable as the C source names it.
    VarId, "var");
id!(/// A type as the C source names it.
    CTypeId, "ct");

/// A run of consecutive ids.
#[derive(Serialize, Deserialize)]
pub struct IdRange<T> {
    start: u32,
    end: u32,
    #[serde(skip)]
    of: PhantomData<fn() -> T>,
}

impl<T> Clone for IdRange<T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for IdRange<T> {}
impl<T> PartialEq for IdRange<T> {
    fn eq(&self, other: &Self) -> bool {
        (self.start, self.end) == (other.start, other.end)
    }
}
impl<T> Eq for IdRange<T> {}
impl<T> Default for IdRange<T> {
    fn default() -> Self {
        IdRange { start: 0, end: 0, of: PhantomData }
    }
}

impl<T: EntityRef> IdRange<T> {
    /// The ids from `start` up to, but not including, `end`.
    pub fn new(start: T, end: T) -> Self {
        debug_assert!(start.index() <= end.index());
        IdRange { start: start.index() as u32, end: end.index() as u32, of: PhantomData }
    }

    /// The first index and the one after the last, for the verifier: a damaged program's range may
    /// end before it starts.
    pub(super) fn bounds(self) -> (u32, u32) {
        (self.start, self.end)
    }

    pub fn len(self) -> usize {
        (self.end - self.start) as usize
    }

    pub fn is_empty(self) -> bool {
        self.start == self.end
    }

    pub fn first(self) -> Option<T> {
        (!self.is_empty()).then(|| T::new(self.start as usize))
    }

    pub fn last(self) -> Option<T> {
        (!self.is_empty()).then(|| T::new(self.end as usize - 1))
    }

    pub fn get(self, index: usize) -> Option<T> {
        (index < self.len()).then(|| T::new(self.start as usize + index))
    }

    pub fn contains(self, id: T) -> bool {
        (self.start as usize..self.end as usize).contains(&id.index())
    }

    pub fn iter(self) -> impl DoubleEndedIterator<Item = T> + ExactSizeIterator + Clone {
        (self.start as usize..self.end as usize).map(T::new)
    }
}

impl<T: EntityRef + std::fmt::Debug> std::fmt::Debug for IdRange<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match (self.first(), self.last()) {
            (Some(first), Some(last)) => write!(f, "{first:?}..={last:?}"),
            _ => write!(f, "(none)"),
        }
    }
}

/// A list that lies in one of the program's pools: what an instruction with a variable number of
/// parts carries, so that every instruction has the same small size.
#[derive(Serialize, Deserialize)]
pub struct List<T> {
    pub(super) start: u32,
    pub(super) len: u32,
    #[serde(skip)]
    pub(super) of: PhantomData<fn() -> T>,
}

impl<T> Clone for List<T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for List<T> {}
impl<T> Default for List<T> {
    fn default() -> Self {
        List { start: 0, len: 0, of: PhantomData }
    }
}
impl<T> std::fmt::Debug for List<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "[{}; {}]", self.start, self.len)
    }
}

impl<T> List<T> {
    pub fn len(self) -> usize {
        self.len as usize
    }

    pub fn is_empty(self) -> bool {
        self.len == 0
    }
}

/// Where the lists of one kind lie.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Pool<T>(Vec<T>);

impl<T> Default for Pool<T> {
    fn default() -> Self {
        Pool(Vec::new())
    }
}

impl<T> Pool<T> {
    /// Adds a list.
    pub fn push(&mut self, items: impl IntoIterator<Item = T>) -> List<T> {
        let start = self.0.len();
        self.0.extend(items);
        List { start: start as u32, len: (self.0.len() - start) as u32, of: PhantomData }
    }

    /// The list's items. A list that lies outside the pool (only a damaged program has one) is empty.
    pub fn get(&self, list: List<T>) -> &[T] {
        let start = list.start as usize;
        self.0.get(start..start + list.len as usize).unwrap_or(&[])
    }

    /// Whether the list lies inside this pool.
    pub fn holds(&self, list: List<T>) -> bool {
        list.start as usize + list.len as usize <= self.0.len()
    }

    /// The list's items, to be changed while the program is built.
    pub fn get_mut(&mut self, list: List<T>) -> &mut [T] {
        let start = list.start as usize;
        self.0.get_mut(start..start + list.len as usize).unwrap_or(&mut [])
    }

    pub fn shrink_to_fit(&mut self) {
        self.0.shrink_to_fit();
    }
}
