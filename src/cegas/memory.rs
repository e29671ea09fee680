//! Memory as a set of object instances, each with byte-exact cells.
//!
//! A pointer is an expression: the address variable of an instance plus an offset. Cells of an
//! instance never overlap; a read or write that straddles cells is split into bytes, never guessed.
//! All maps are structurally shared, so that a state is cheap to copy.

use crate::cegas::persistent::{OrdMap, Vector};
use crate::ir::{CTypeId, FuncId, GlobalId, InstId};
use crate::smt::{ExprId, Pool};
use std::rc::Rc;

/// The number of an instance in its state; the same number in two states may be two objects.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Instance(pub u32);

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Origin {
    Global(GlobalId),
    Func(FuncId),
    /// A variable of a function, made by an alloca.
    Local(InstId),
    Heap(InstId),
    /// The arguments after the named ones.
    Varargs(InstId),
    /// What `main` is given, or the system.
    Argument,
    /// What an entry is given as the parameter of this number, or finds behind one.
    Given(u32),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Life {
    Live,
    Freed,
    /// Its scope or its function has ended.
    Ended,
    /// Its scope has ended and was entered again, see `reentry`.
    Replaced,
}

/// What lies where nothing was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Background {
    Zero,
    /// Arbitrary, but stable once read.
    Uninit,
    /// The initialiser of a global.
    Init(GlobalId),
    /// Defined outside the program.
    Outside,
    /// A text from outside: its only zero is its last byte.
    Text,
    /// So many pointers to such texts, and a null.
    Arguments {
        count: ExprId,
    },
    /// Anything of a type, chosen by a caller.
    Given {
        ty: Option<CTypeId>,
        /// Nobody knows how many elements there are.
        open: bool,
        sure: Sure,
    },
    /// A function that nobody knows.
    Code,
}

/// What of an object that callers give is surely as arbitrary as it is taken to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Sure {
    All,
    /// Whether pointers are null: the members of a struct may keep to rules that its type does not tell.
    Pointers,
    /// A variable that functions of the library change, and what it leads to.
    Nothing,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cell {
    pub bytes: u32,
    /// `8 * bytes` bits wide.
    pub value: ExprId,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Object {
    pub origin: Origin,
    pub life: Life,
    /// In bytes, as wide as a pointer.
    pub size: ExprId,
    pub background: Background,
    pub cells: OrdMap<u64, Cell>,
    /// It stands for a list of any length; the cells are those of each node but for the link.
    pub chain: Option<Rc<Chain>>,
}

/// What is known of a list of objects each of which holds the address of the next one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chain {
    /// Where in a node the address of the next one lies.
    pub link: u64,
    /// What the last node holds there. If there is no node, the address of the list means this.
    pub tail: ExprId,
    pub may_be_empty: bool,
    /// What holds of the cells of each node, see `chain`.
    pub facts: Vec<ExprId>,
}

#[derive(Debug, Clone, Default)]
pub struct Memory {
    objects: Vector<Rc<Object>>,
    /// The objects that stand for lists.
    chains: Vector<Instance>,
    /// What was read from elements that are not followed, and has not changed since.
    reads: Vector<Read>,
}

/// An access, and the value it got.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Read {
    instance: Instance,
    offset: ExprId,
    bytes: u64,
    value: ExprId,
}

/// Reads that are remembered.
const MOST_READS: usize = 8;

/// A part of an object's content.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Piece {
    /// Bytes of a cell, from `from` on.
    Of { cell: Cell, from: u32, bytes: u32 },
    /// Nothing was written here.
    Background { offset: u64, bytes: u32 },
}

impl Memory {
    pub fn push(&mut self, object: Object) -> Instance {
        let instance = Instance(self.objects.len() as u32);
        if object.chain.is_some() {
            self.chains.push_back(instance);
        }
        self.objects.push_back(Rc::new(object));
        instance
    }

    pub fn objects(&self) -> impl Iterator<Item = &Object> {
        self.objects.iter().map(|object| &**object)
    }

    pub fn len(&self) -> usize {
        self.objects.len()
    }

    pub fn is_empty(&self) -> bool {
        self.objects.is_empty()
    }

    /// Drops the objects made last, so that `count` are left.
    pub fn truncate(&mut self, count: usize) {
        self.objects.truncate(count);
        self.chains.retain(|chain| (chain.0 as usize) < count);
    }

    pub fn get(&self, instance: Instance) -> Option<&Object> {
        self.objects.get(instance.0 as usize).map(|object| &**object)
    }

    /// Puts another object in its place.
    pub fn put(&mut self, instance: Instance, object: Object) {
        self.chains.retain(|&chain| chain != instance);
        if object.chain.is_some() {
            self.chains.push_back(instance);
        }
        if let Some(old) = self.objects.get_mut(instance.0 as usize) {
            *old = Rc::new(object);
        }
    }

    /// The objects that stand for lists.
    pub fn chains(&self) -> &Vector<Instance> {
        &self.chains
    }

    pub fn get_mut(&mut self, instance: Instance) -> Option<&mut Object> {
        if !self.reads.is_empty() {
            self.reads.retain(|read| read.instance != instance);
        }
        self.objects.get_mut(instance.0 as usize).map(Rc::make_mut)
    }

    /// What the same access got before, if the object was not touched since.
    pub fn read_before(&self, instance: Instance, offset: ExprId, bytes: u64) -> Option<ExprId> {
        let same =
            |read: &&Read| (read.instance, read.offset, read.bytes) == (instance, offset, bytes);
        self.reads.iter().find(same).map(|read| read.value)
    }

    pub fn remember(&mut self, instance: Instance, offset: ExprId, bytes: u64, value: ExprId) {
        if self.reads.len() >= MOST_READS {
            self.reads.pop_front();
        }
        self.reads.push_back(Read { instance, offset, bytes, value });
    }

    /// What was read before says nothing about another state.
    pub fn forget_reads(&mut self) {
        self.reads = Vector::new();
    }

    /// Whether the first `count` objects are the same in both.
    pub fn same_prefix(&self, other: &Memory, count: usize) -> bool {
        self.len() >= count
            && other.len() >= count
            && self
                .objects
                .iter()
                .zip(other.objects.iter())
                .take(count)
                .all(|(a, b)| Rc::ptr_eq(a, b) || a == b)
    }

    pub fn same(&self, other: &Memory) -> bool {
        self.len() == other.len() && self.same_prefix(other, self.len())
    }
}

impl Object {
    /// The object's life begins or ends here: what it held is gone.
    pub fn renew(&mut self, life: Life) {
        self.life = life;
        self.cells = OrdMap::new();
        self.background = Background::Uninit;
    }

    /// What lies at `offset`, `bytes` long, in ascending order.
    pub fn pieces(&self, offset: u64, bytes: u64) -> Vec<Piece> {
        let end = offset + bytes;
        let mut pieces = Vec::new();
        let mut at = offset;
        let before = self.cells.range(..offset).next_back();
        let first = before.filter(|(start, cell)| **start + u64::from(cell.bytes) > offset);
        for (&start, &cell) in first.into_iter().chain(self.cells.range(offset..end)) {
            if at < start {
                pieces.push(Piece::Background { offset: at, bytes: (start - at) as u32 });
                at = start;
            }
            let stop = end.min(start + u64::from(cell.bytes));
            let from = (at - start) as u32;
            pieces.push(Piece::Of { cell, from, bytes: (stop - at) as u32 });
            at = stop;
        }
        if at < end {
            pieces.push(Piece::Background { offset: at, bytes: (end - at) as u32 });
        }
        pieces
    }

    /// Puts a cell at `offset`; what it covers in part is cut.
    pub fn write(&mut self, pool: &mut Pool, offset: u64, cell: Cell) {
        self.clear(pool, offset, u64::from(cell.bytes));
        self.cells.insert(offset, cell);
    }

    /// Makes room: no cell lies in the range any more; those that reach into it are cut.
    pub fn clear(&mut self, pool: &mut Pool, offset: u64, bytes: u64) {
        let end = offset + bytes;
        if let Some((&start, &cell)) = self.cells.range(..offset).next_back()
            && start + u64::from(cell.bytes) > offset
        {
            self.cut(pool, start, cell, offset, end);
        }
        let inside: Vec<(u64, Cell)> =
            self.cells.range(offset..end).map(|(&s, &c)| (s, c)).collect();
        for (start, cell) in inside {
            self.cut(pool, start, cell, offset, end);
        }
    }

    fn cut(&mut self, pool: &mut Pool, start: u64, cell: Cell, from: u64, to: u64) {
        self.cells.remove(&start);
        let stop = start + u64::from(cell.bytes);
        if start < from {
            let bytes = (from - start) as u32;
            let value = part(pool, cell, 0, bytes);
            self.cells.insert(start, Cell { bytes, value });
        }
        if to < stop {
            let bytes = (stop - to) as u32;
            let value = part(pool, cell, (to - start) as u32, bytes);
            self.cells.insert(to, Cell { bytes, value });
        }
    }
}

/// Some bytes of a cell, little end first.
pub fn part(pool: &mut Pool, cell: Cell, from: u32, bytes: u32) -> ExprId {
    if from == 0 && bytes == cell.bytes {
        cell.value
    } else {
        pool.extract(cell.value, from * 8, bytes * 8)
    }
}
