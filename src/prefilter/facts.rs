//! Facts about value numbers, and sets of them: what holds on every way to a place.

use super::numbers::Number;
use rustc_hash::FxHashMap;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Fact {
    /// The pointer is one into an object, not null or a number.
    Object(Number),
    /// The bytes from here to there behind the pointer lie in its object.
    Bytes(Number, i64, i64),
    /// The object it points to is alive.
    Live(Number),
    /// It is null or the start of something that was allocated.
    Start(Number),
    /// It depends on nothing that was never set, as far as was told before.
    Set(Number),
    /// The condition has this value.
    Holds(Number, bool),
}

/// The facts of a function, numbered.
#[derive(Debug, Default)]
pub struct Universe {
    facts: Vec<Fact>,
    known: FxHashMap<Fact, usize>,
    bytes: FxHashMap<Number, Vec<usize>>,
    lives: Vec<(Number, usize)>,
}

impl Universe {
    pub fn find(&self, fact: Fact) -> Option<usize> {
        self.known.get(&fact).copied()
    }

    pub fn intern(&mut self, fact: Fact) -> usize {
        if let Some(id) = self.find(fact) {
            return id;
        }
        let id = self.facts.len();
        self.facts.push(fact);
        self.known.insert(fact, id);
        match fact {
            Fact::Bytes(root, ..) => self.bytes.entry(root).or_default().push(id),
            Fact::Live(source) => self.lives.push((source, id)),
            Fact::Object(_) | Fact::Start(_) | Fact::Set(_) | Fact::Holds(..) => {}
        }
        id
    }

    /// All that was ever said to be alive.
    pub fn lives(&self) -> &[(Number, usize)] {
        &self.lives
    }

    /// The smallest range around all bytes that are known to lie in the object: it has no holes.
    pub fn hull(&self, root: Number, set: &Set) -> Option<(i64, i64)> {
        let ids = self.bytes.get(&root)?.iter().filter(|&&id| set.has(id));
        let ranges = ids.map(|&id| match self.facts[id] {
            Fact::Bytes(_, lo, hi) => (lo, hi),
            Fact::Object(_) | Fact::Live(_) | Fact::Start(_) | Fact::Set(_) | Fact::Holds(..) => {
                (0, 0)
            }
        });
        ranges.reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)))
    }
}

/// Some of them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Set {
    words: Vec<u64>,
    /// No execution comes here.
    is_dead: bool,
}

impl Set {
    pub fn has(&self, id: usize) -> bool {
        self.words.get(id / 64).is_some_and(|word| word >> (id % 64) & 1 == 1)
    }

    pub fn add(&mut self, id: usize) {
        if self.words.len() <= id / 64 {
            self.words.resize(id / 64 + 1, 0);
        }
        self.words[id / 64] |= 1 << (id % 64);
    }

    pub fn remove(&mut self, id: usize) {
        if let Some(word) = self.words.get_mut(id / 64) {
            *word &= !(1 << (id % 64));
        }
    }

    pub fn is_dead(&self) -> bool {
        self.is_dead
    }

    /// Nothing is behind here.
    pub fn end(&mut self) {
        self.is_dead = true;
    }

    /// Keeps what is in the other, too.
    pub fn meet(&mut self, other: &Set) {
        if other.is_dead {
            return;
        }
        if self.is_dead {
            *self = other.clone();
            return;
        }
        self.words.truncate(other.words.len());
        self.words.iter_mut().zip(&other.words).for_each(|(word, other)| *word &= other);
        while self.words.last() == Some(&0) {
            self.words.pop();
        }
    }
}
