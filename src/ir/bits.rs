//! Sets of ids, as bits: for many sets that are often joined.

use cranelift_entity::EntityRef;
use std::marker::PhantomData;

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Bits<K> {
    /// The last is not zero, so equal sets are equal.
    words: Vec<u64>,
    of: PhantomData<K>,
}

impl<K> Default for Bits<K> {
    fn default() -> Self {
        Bits { words: Vec::new(), of: PhantomData }
    }
}

impl<K: EntityRef> Bits<K> {
    /// Whether it was not there.
    pub fn insert(&mut self, id: K) -> bool {
        let (word, bit) = (id.index() / 64, 1 << (id.index() % 64));
        if self.words.len() <= word {
            self.words.resize(word + 1, 0);
        }
        let is_new = self.words[word] & bit == 0;
        self.words[word] |= bit;
        is_new
    }

    pub fn remove(&mut self, id: K) {
        if let Some(word) = self.words.get_mut(id.index() / 64) {
            *word &= !(1 << (id.index() % 64));
        }
        while self.words.last() == Some(&0) {
            self.words.pop();
        }
    }

    pub fn contains(&self, id: K) -> bool {
        let word = self.words.get(id.index() / 64).copied().unwrap_or(0);
        word >> (id.index() % 64) & 1 == 1
    }

    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// Adds all of another set; whether that is more.
    pub fn add(&mut self, other: &Bits<K>) -> bool {
        if self.words.len() < other.words.len() {
            self.words.resize(other.words.len(), 0);
        }
        let mut more = false;
        for (own, &new) in self.words.iter_mut().zip(&other.words) {
            more |= new & !*own != 0;
            *own |= new;
        }
        more
    }

    pub fn meets(&self, other: &Bits<K>) -> bool {
        self.words.iter().zip(&other.words).any(|(a, b)| a & b != 0)
    }

    /// Ascending.
    pub fn iter(&self) -> impl Iterator<Item = K> + '_ {
        let words = self.words.iter().enumerate();
        words.flat_map(|(word, &bits)| {
            (0..64).filter(move |bit| bits >> bit & 1 == 1).map(move |bit| K::new(word * 64 + bit))
        })
    }
}

impl<K: EntityRef> FromIterator<K> for Bits<K> {
    fn from_iter<T: IntoIterator<Item = K>>(ids: T) -> Self {
        let mut set = Bits::default();
        ids.into_iter().for_each(|id| _ = set.insert(id));
        set
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::FuncId;

    #[test]
    fn a_set_holds_what_was_put_in() {
        let funcs = [3, 64, 200].map(FuncId::new);
        let mut set: Bits<FuncId> = funcs.into_iter().collect();
        assert_eq!(set.iter().collect::<Vec<_>>(), funcs);
        assert!(set.contains(funcs[1]) && !set.contains(FuncId::new(65)));
        assert!(!set.insert(funcs[2]) && set.insert(FuncId::new(0)));
        let other: Bits<FuncId> = [FuncId::new(0), FuncId::new(7)].into_iter().collect();
        assert!(set.add(&other) && !set.add(&other));
    }
}
