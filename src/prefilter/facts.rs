//! Facts about value numbers, and sets of them: what holds on every way to a place.

use super::numbers::Number;
use rustc_hash::FxHashMap;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Fact {
    /// The pointer is one into an object, not null or a number.
    Object(Number),
    /// It is null or points into an object.
    Sane(Number),
    /// It points to text that nobody ever writes to.
    Text(Number),
    /// The bytes from here to there behind the pointer were all set at some time since the function was entered.
    Filled(Number, i64, i64),
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
    /// A rule demanded before that it is not zero. It may be, since an execution goes on behind what some rules forbid,
    /// but then that rule was violated.
    Passed(Number, &'static str),
}

/// The facts of a function, numbered.
#[derive(Debug, Default)]
pub struct Universe {
    facts: Vec<Fact>,
    known: FxHashMap<Fact, usize>,
    bytes: FxHashMap<Number, Vec<usize>>,
    filled: FxHashMap<Number, Vec<usize>>,
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
            Fact::Filled(root, ..) => self.filled.entry(root).or_default().push(id),
            Fact::Object(_)
            | Fact::Sane(_)
            | Fact::Text(_)
            | Fact::Live(_)
            | Fact::Start(_)
            | Fact::Set(_)
            | Fact::Holds(..)
            | Fact::Passed(..) => {}
        }
        id
    }

    pub fn fact(&self, id: usize) -> Fact {
        self.facts[id]
    }

    /// The smallest range around all bytes that are known to lie in the object: it has no holes.
    pub fn hull(&self, root: Number, set: &Set) -> Option<(i64, i64)> {
        let ids = self.bytes.get(&root)?.iter().filter(|&&id| set.has(id));
        let ranges = ids.filter_map(|&id| bounds(self.facts[id]));
        ranges.reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)))
    }

    /// Whether all bytes of a range are known to have been set.
    pub fn are_filled(&self, root: Number, (lo, hi): (i64, i64), set: &Set) -> bool {
        let ids = self.filled.get(&root).into_iter().flatten().filter(|&&id| set.has(id));
        let mut known: Vec<(i64, i64)> = ids.filter_map(|&id| bounds(self.facts[id])).collect();
        known.sort_unstable();
        let reached = known.into_iter().fold(lo, |reached, (from, to)| match from <= reached {
            true => reached.max(to),
            false => reached,
        });
        reached >= hi
    }
}

fn bounds(fact: Fact) -> Option<(i64, i64)> {
    match fact {
        Fact::Bytes(_, lo, hi) | Fact::Filled(_, lo, hi) => Some((lo, hi)),
        Fact::Object(_)
        | Fact::Sane(_)
        | Fact::Text(_)
        | Fact::Live(_)
        | Fact::Start(_)
        | Fact::Set(_)
        | Fact::Holds(..)
        | Fact::Passed(..) => None,
    }
}

/// Some of them: their bits, 64 to a word, without the words that are empty.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Set(Vec<(usize, u64)>);

impl Set {
    fn word(&self, id: usize) -> Result<usize, usize> {
        self.0.binary_search_by_key(&(id / 64), |&(at, _)| at)
    }

    pub fn has(&self, id: usize) -> bool {
        self.word(id).is_ok_and(|at| self.0[at].1 >> (id % 64) & 1 == 1)
    }

    pub fn add(&mut self, id: usize) {
        match self.word(id) {
            Ok(at) => self.0[at].1 |= 1 << (id % 64),
            Err(at) => self.0.insert(at, (id / 64, 1 << (id % 64))),
        }
    }

    /// Keeps what is in the other, too.
    pub fn meet(&mut self, other: &Set) {
        let mut rest = other.0.iter().peekable();
        self.0.retain_mut(|(at, word)| {
            while rest.next_if(|(other, _)| other < at).is_some() {}
            *word &= rest.peek().filter(|(other, _)| other == at).map_or(0, |(_, other)| *other);
            *word != 0
        });
    }

    /// Keeps what is wanted.
    pub fn retain(&mut self, mut is_wanted: impl FnMut(usize) -> bool) {
        self.0.retain_mut(|(at, word)| {
            let mut left = *word;
            while left != 0 {
                let bit = left.trailing_zeros();
                left &= left - 1;
                if !is_wanted(*at * 64 + bit as usize) {
                    *word &= !(1 << bit);
                }
            }
            *word != 0
        });
    }
}
