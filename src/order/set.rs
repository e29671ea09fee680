//! Sets of functions, as bits: there are as many of them as functions.

use crate::ir::FuncId;
use cranelift_entity::EntityRef;

#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct FuncSet {
    /// The last is not zero, so equal sets are equal.
    words: Vec<u64>,
}

impl FuncSet {
    /// Whether it was not there.
    pub fn insert(&mut self, func: FuncId) -> bool {
        let (word, bit) = (func.index() / 64, 1 << (func.index() % 64));
        if self.words.len() <= word {
            self.words.resize(word + 1, 0);
        }
        let is_new = self.words[word] & bit == 0;
        self.words[word] |= bit;
        is_new
    }

    pub fn contains(&self, func: FuncId) -> bool {
        let word = self.words.get(func.index() / 64).copied().unwrap_or(0);
        word >> (func.index() % 64) & 1 == 1
    }

    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// Adds all of another set; whether that is more.
    pub fn add(&mut self, other: &FuncSet) -> bool {
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

    pub fn meets(&self, other: &FuncSet) -> bool {
        self.words.iter().zip(&other.words).any(|(a, b)| a & b != 0)
    }

    /// Ascending.
    pub fn iter(&self) -> impl Iterator<Item = FuncId> + '_ {
        let words = self.words.iter().enumerate();
        words.flat_map(|(word, &bits)| {
            (0..64)
                .filter(move |bit| bits >> bit & 1 == 1)
                .map(move |bit| FuncId::new(word * 64 + bit))
        })
    }
}

impl FromIterator<FuncId> for FuncSet {
    fn from_iter<T: IntoIterator<Item = FuncId>>(funcs: T) -> Self {
        let mut set = FuncSet::default();
        funcs.into_iter().for_each(|func| _ = set.insert(func));
        set
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_holds_what_was_put_in() {
        let funcs = [3, 64, 200].map(FuncId::new);
        let mut set: FuncSet = funcs.into_iter().collect();
        assert_eq!(set.iter().collect::<Vec<_>>(), funcs);
        assert!(set.contains(funcs[1]) && !set.contains(FuncId::new(65)));
        assert!(!set.insert(funcs[2]) && set.insert(FuncId::new(0)));
        let other: FuncSet = [FuncId::new(0), FuncId::new(7)].into_iter().collect();
        assert!(set.add(&other) && !set.add(&other));
    }
}
