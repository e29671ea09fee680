//! Sets of small numbers, shared: two sets are equal exactly if their ids are, so that a set held by
//! ten thousand nodes exists once and a union of two known sets is usually one look into a cache.
//!
//! A set is a sorted list of parts, each a block of 256 members found under its key; blocks are
//! shared between sets in the same way. Invariant: no part is empty, keys ascend strictly.
//! (Barbar & Sui, "Hash consed points-to sets", SAS 2021, with blocks shared as well.)

use cranelift_entity::{EntityRef, entity_impl};
use hashbrown::HashTable;
use rustc_hash::FxHashMap;

/// A set; meaningful only together with the [`Sets`] that made it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct SetId(u32);
entity_impl!(SetId, "set");

pub const EMPTY: SetId = SetId(0);

const WORDS: usize = 4;
const BLOCK_BITS: u32 = 64 * WORDS as u32;

type Block = [u64; WORDS];

#[derive(Clone, Copy, PartialEq, Eq)]
struct Part {
    key: u32,
    block: u32,
}

#[derive(Clone, Copy)]
struct Head {
    start: u32,
    len: u32,
    count: u32,
    hash: u64,
}

/// Remembers the last results; a slot is overwritten by the next that falls on it, so the memory is
/// bounded and the answer never depends on what is remembered.
///
/// A slot of zeros says that the empty set with itself gives the empty set, which is true of all that is remembered here:
/// so a new memo is zeros, which the system hands out when they are first looked at, and a small program pays for little.
struct Memo {
    slots: Vec<(u32, u32, u32)>,
}

impl Memo {
    fn new(bits: u32) -> Self {
        Memo { slots: vec![(0, 0, 0); 1 << bits] }
    }

    fn slot(&self, a: u32, b: u32) -> usize {
        let mixed = (u64::from(a) << 32 | u64::from(b)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        (mixed >> 32) as usize & (self.slots.len() - 1)
    }

    fn get(&self, a: u32, b: u32) -> Option<u32> {
        let (x, y, result) = self.slots[self.slot(a, b)];
        (x == a && y == b).then_some(result)
    }

    fn put(&mut self, a: u32, b: u32, result: u32) {
        let slot = self.slot(a, b);
        self.slots[slot] = (a, b, result);
    }

    fn clear(&mut self) {
        self.slots = vec![(0, 0, 0); self.slots.len()];
    }
}

/// All sets of one analysis.
pub struct Sets {
    blocks: Vec<Block>,
    block_index: HashTable<u32>,
    parts: Vec<Part>,
    heads: Vec<Head>,
    index: HashTable<u32>,
    unions: Memo,
    differences: Memo,
    scratch: Vec<Part>,
    /// Parts of sets that were looked at to make others: what time is spent on, but the same in every run.
    pub(super) work: u64,
}

impl std::fmt::Debug for Sets {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Sets({} sets, {} blocks)", self.heads.len(), self.blocks.len())
    }
}

fn mix(hash: u64, word: u64) -> u64 {
    (hash.rotate_left(23) ^ word).wrapping_mul(0x517C_C1B7_2722_0A95)
}

/// The table looks at the topmost and the lowest bits: spread what [`mix`] left in the middle.
fn finish(hash: u64) -> u64 {
    (hash ^ (hash >> 32)).wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

fn block_hash(block: &Block) -> u64 {
    finish(block.iter().fold(0, |hash, &word| mix(hash, word)))
}

fn parts_hash(parts: &[Part]) -> u64 {
    let word = |part: &Part| u64::from(part.key) << 32 | u64::from(part.block);
    finish(parts.iter().fold(parts.len() as u64, |hash, part| mix(hash, word(part))))
}

impl Default for Sets {
    fn default() -> Self {
        Sets::new()
    }
}

impl Sets {
    pub fn new() -> Self {
        let mut sets = Sets {
            blocks: Vec::new(),
            block_index: HashTable::new(),
            parts: Vec::new(),
            heads: Vec::new(),
            index: HashTable::new(),
            unions: Memo::new(18),
            differences: Memo::new(16),
            scratch: Vec::new(),
            work: 0,
        };
        sets.intern(&[]);
        sets
    }

    /// Distinct sets made so far.
    pub fn len(&self) -> usize {
        self.heads.len()
    }

    pub fn is_empty(&self) -> bool {
        false
    }

    /// Bytes held, roughly.
    pub fn bytes(&self) -> usize {
        self.blocks.capacity() * size_of::<Block>()
            + self.parts.capacity() * size_of::<Part>()
            + self.heads.capacity() * size_of::<Head>()
            + (self.index.capacity() + self.block_index.capacity()) * 5
            + (self.unions.slots.len() + self.differences.slots.len()) * 12
    }

    /// How many members the set has.
    pub fn count(&self, set: SetId) -> usize {
        self.heads[set.index()].count as usize
    }

    fn parts(&self, set: SetId) -> &[Part] {
        let head = self.heads[set.index()];
        &self.parts[head.start as usize..(head.start + head.len) as usize]
    }

    fn block(&mut self, block: Block) -> u32 {
        let hash = block_hash(&block);
        if let Some(&id) = self.block_index.find(hash, |&id| self.blocks[id as usize] == block) {
            return id;
        }
        let id = self.blocks.len() as u32;
        self.blocks.push(block);
        let blocks = &self.blocks;
        self.block_index.insert_unique(hash, id, |&id| block_hash(&blocks[id as usize]));
        id
    }

    fn intern(&mut self, parts: &[Part]) -> SetId {
        let hash = parts_hash(parts);
        let same = |&id: &u32| {
            let head = &self.heads[id as usize];
            head.hash == hash
                && self.parts[head.start as usize..(head.start + head.len) as usize] == *parts
        };
        if let Some(&id) = self.index.find(hash, same) {
            return SetId(id);
        }
        let ones = |part: &Part| {
            self.blocks[part.block as usize].iter().map(|word| word.count_ones()).sum::<u32>()
        };
        let head = Head {
            start: self.parts.len() as u32,
            len: parts.len() as u32,
            count: parts.iter().map(ones).sum(),
            hash,
        };
        let id = self.heads.len() as u32;
        self.parts.extend_from_slice(parts);
        self.heads.push(head);
        let heads = &self.heads;
        self.index.insert_unique(hash, id, |&id| heads[id as usize].hash);
        SetId(id)
    }

    pub fn singleton(&mut self, member: u32) -> SetId {
        self.from_sorted(&[member])
    }

    /// The set of ascending `members`; repetitions do no harm.
    pub fn from_sorted(&mut self, members: &[u32]) -> SetId {
        let mut parts = std::mem::take(&mut self.scratch);
        parts.clear();
        let mut at = 0;
        while let Some(&first) = members.get(at) {
            let key = first / BLOCK_BITS;
            let mut block = [0; WORDS];
            while let Some(&member) = members.get(at).filter(|&&m| m / BLOCK_BITS == key) {
                let bit = member % BLOCK_BITS;
                block[(bit / 64) as usize] |= 1 << (bit % 64);
                at += 1;
            }
            parts.push(Part { key, block: self.block(block) });
        }
        let set = self.intern(&parts);
        self.scratch = parts;
        set
    }

    pub fn contains(&self, set: SetId, member: u32) -> bool {
        let (key, bit) = (member / BLOCK_BITS, member % BLOCK_BITS);
        let parts = self.parts(set);
        parts.binary_search_by_key(&key, |part| part.key).is_ok_and(|at| {
            self.blocks[parts[at].block as usize][(bit / 64) as usize] & (1 << (bit % 64)) != 0
        })
    }

    /// The members, ascending.
    pub fn iter(&self, set: SetId) -> impl Iterator<Item = u32> + '_ {
        self.parts(set).iter().flat_map(move |part| {
            let block = self.blocks[part.block as usize];
            (0..WORDS).flat_map(move |word| {
                let base = part.key * BLOCK_BITS + word as u32 * 64;
                let mut bits = block[word];
                std::iter::from_fn(move || {
                    (bits != 0).then(|| {
                        let bit = bits.trailing_zeros();
                        bits &= bits - 1;
                        base + bit
                    })
                })
            })
        })
    }

    /// `a ∪ b`.
    pub fn union(&mut self, a: SetId, b: SetId) -> SetId {
        if a == b || b == EMPTY {
            return a;
        }
        if a == EMPTY {
            return b;
        }
        let (low, high) = if a < b { (a.0, b.0) } else { (b.0, a.0) };
        if let Some(result) = self.unions.get(low, high) {
            return SetId(result);
        }
        let result = self.merge(a, b);
        self.unions.put(low, high, result.0);
        result
    }

    fn merge(&mut self, a: SetId, b: SetId) -> SetId {
        let mut merged = std::mem::take(&mut self.scratch);
        merged.clear();
        let (mut at_a, mut at_b) = (self.heads[a.index()].start, self.heads[b.index()].start);
        let end_a = at_a + self.heads[a.index()].len;
        let end_b = at_b + self.heads[b.index()].len;
        self.work += u64::from(self.heads[a.index()].len + self.heads[b.index()].len);
        let (mut is_a, mut is_b) = (true, true);
        while at_a < end_a && at_b < end_b {
            let (x, y) = (self.parts[at_a as usize], self.parts[at_b as usize]);
            match x.key.cmp(&y.key) {
                std::cmp::Ordering::Less => {
                    merged.push(x);
                    is_b = false;
                    at_a += 1;
                }
                std::cmp::Ordering::Greater => {
                    merged.push(y);
                    is_a = false;
                    at_b += 1;
                }
                std::cmp::Ordering::Equal => {
                    let block = self.join(x.block, y.block);
                    is_a &= block == x.block;
                    is_b &= block == y.block;
                    merged.push(Part { key: x.key, block });
                    at_a += 1;
                    at_b += 1;
                }
            }
        }
        is_a &= at_b == end_b;
        is_b &= at_a == end_a;
        let result = if is_a {
            a
        } else if is_b {
            b
        } else {
            merged.extend_from_slice(&self.parts[at_a as usize..end_a as usize]);
            merged.extend_from_slice(&self.parts[at_b as usize..end_b as usize]);
            self.intern(&merged)
        };
        self.scratch = merged;
        result
    }

    fn join(&mut self, a: u32, b: u32) -> u32 {
        if a == b {
            return a;
        }
        let (x, y) = (self.blocks[a as usize], self.blocks[b as usize]);
        let block: Block = std::array::from_fn(|word| x[word] | y[word]);
        if block == x {
            a
        } else if block == y {
            b
        } else {
            self.block(block)
        }
    }

    /// `a \ b`.
    pub fn difference(&mut self, a: SetId, b: SetId) -> SetId {
        if b == EMPTY || a == EMPTY {
            return a;
        }
        if a == b {
            return EMPTY;
        }
        if let Some(result) = self.differences.get(a.0, b.0) {
            return SetId(result);
        }
        self.work += u64::from(self.heads[a.index()].len);
        let mut left = std::mem::take(&mut self.scratch);
        left.clear();
        let (start_b, len_b) = (self.heads[b.index()].start, self.heads[b.index()].len);
        let mut at_b = start_b;
        for at in 0..self.heads[a.index()].len {
            let x = self.parts[(self.heads[a.index()].start + at) as usize];
            while at_b < start_b + len_b && self.parts[at_b as usize].key < x.key {
                at_b += 1;
            }
            let y = self.parts.get(at_b as usize).filter(|_| at_b < start_b + len_b).copied();
            match y.filter(|y| y.key == x.key) {
                None => left.push(x),
                Some(y) if y.block == x.block => {}
                Some(y) => {
                    let (p, q) = (self.blocks[x.block as usize], self.blocks[y.block as usize]);
                    let block: Block = std::array::from_fn(|word| p[word] & !q[word]);
                    if block != [0; WORDS] {
                        let block = self.block(block);
                        left.push(Part { key: x.key, block });
                    }
                }
            }
        }
        let result = self.intern(&left);
        self.scratch = left;
        self.differences.put(a.0, b.0, result.0);
        result
    }

    /// `a ∩ b`.
    pub fn intersection(&mut self, a: SetId, b: SetId) -> SetId {
        if a == b {
            return a;
        }
        let outside = self.difference(a, b);
        self.difference(a, outside)
    }

    /// Gives back the memory of results remembered: the sets are complete.
    pub fn forget_results(&mut self) {
        self.unions = Memo::new(0);
        self.differences = Memo::new(0);
        self.blocks.shrink_to_fit();
        self.parts.shrink_to_fit();
        self.heads.shrink_to_fit();
    }

    /// Forgets every set that is not `live` and gives the others new ids: `table[old]` is the new.
    /// A member for which `instead` has another is replaced by it.
    pub fn compact(
        &mut self,
        live: impl Iterator<Item = SetId>,
        instead: &FxHashMap<u32, u32>,
    ) -> Vec<SetId> {
        let mut keep = vec![false; self.heads.len()];
        live.for_each(|set| keep[set.index()] = true);
        let mut fresh = Sets::new();
        fresh.work = self.work + self.parts.len() as u64;
        let mut table = vec![EMPTY; self.heads.len()];
        let mut blocks = vec![u32::MAX; self.blocks.len()];
        let (mut parts, mut members) = (Vec::new(), Vec::new());
        for (old, _) in keep.iter().enumerate().filter(|&(_, &kept)| kept) {
            parts.clear();
            for &Part { key, block } in self.parts(SetId(old as u32)) {
                let known = &mut blocks[block as usize];
                if *known == u32::MAX {
                    *known = fresh.block(self.blocks[block as usize]);
                }
                parts.push(Part { key, block: *known });
            }
            let set = SetId(old as u32);
            let replaced = !instead.is_empty() && self.iter(set).any(|m| instead.contains_key(&m));
            table[old] = if replaced {
                members.clear();
                members.extend(self.iter(set).map(|m| instead.get(&m).copied().unwrap_or(m)));
                members.sort_unstable();
                fresh.from_sorted(&members)
            } else {
                fresh.intern(&parts)
            };
        }
        std::mem::swap(&mut fresh.unions, &mut self.unions);
        std::mem::swap(&mut fresh.differences, &mut self.differences);
        fresh.unions.clear();
        fresh.differences.clear();
        *self = fresh;
        table
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    /// A small generator, the same in every run.
    fn numbers(seed: u64) -> impl FnMut(u32) -> u32 {
        let mut state = seed;
        move |below| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 33) as u32 % below
        }
    }

    #[test]
    fn operations_agree_with_tree_sets() {
        let mut next = numbers(7);
        let mut sets = Sets::new();
        let mut known: Vec<(SetId, BTreeSet<u32>)> = vec![(EMPTY, BTreeSet::new())];
        for round in 0..2000 {
            let a = known[next(known.len() as u32) as usize].clone();
            let b = known[next(known.len() as u32) as usize].clone();
            let (id, model): (SetId, BTreeSet<u32>) = match next(4) {
                0 => {
                    let range = 10 + next(3000);
                    let model: BTreeSet<u32> = (0..next(20)).map(|_| next(range)).collect();
                    let sorted: Vec<u32> = model.iter().copied().collect();
                    (sets.from_sorted(&sorted), model)
                }
                1 => (sets.difference(a.0, b.0), a.1.difference(&b.1).copied().collect()),
                2 => (sets.intersection(a.0, b.0), a.1.intersection(&b.1).copied().collect()),
                _ => (sets.union(a.0, b.0), a.1.union(&b.1).copied().collect()),
            };
            assert!(sets.iter(id).eq(model.iter().copied()), "round {round}");
            assert_eq!(sets.count(id), model.len());
            for (other, other_model) in &known {
                assert_eq!(*other == id, *other_model == model);
            }
            if known.len() < 200 {
                known.push((id, model));
            }
            if round % 500 == 499 {
                let table = sets.compact(known.iter().map(|(id, _)| *id), &FxHashMap::default());
                known.iter_mut().for_each(|(id, _)| *id = table[id.index()]);
            }
        }
    }

    #[test]
    fn replacing_members() {
        let mut sets = Sets::new();
        let (a, b) = (sets.from_sorted(&[1, 2, 700]), sets.from_sorted(&[3]));
        let table = sets.compact([a, b].into_iter(), &[(2, 9), (700, 9)].into_iter().collect());
        assert!(sets.iter(table[a.index()]).eq([1, 9]));
        assert!(sets.iter(table[b.index()]).eq([3]));
    }

    #[test]
    fn membership() {
        let mut sets = Sets::new();
        let set = sets.from_sorted(&[1, 63, 64, 255, 256, 100_000]);
        assert!([1, 63, 64, 255, 256, 100_000].iter().all(|&m| sets.contains(set, m)));
        assert!([0, 2, 65, 257, 99_999].iter().all(|&m| !sets.contains(set, m)));
    }
}
