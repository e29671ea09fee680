//! What earlier scans came to, by what it depends on: verdicts on functions of a program, and on entries of a library.

use super::{by_entry, slices};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Memory {
    pub(super) functions: Shelf<slices::Record>,
    pub(super) entries: Shelf<by_entry::Record>,
}

impl Memory {
    pub fn is_empty(&self) -> bool {
        self.functions.is_empty() && self.entries.is_empty()
    }
}

/// Scans after which a record that was of no use is forgotten.
const PATIENCE: u32 = 8;

/// Records by their keys.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Shelf<R> {
    records: FxHashMap<String, Kept<R>>,
}

#[derive(Debug, Serialize, Deserialize)]
struct Kept<R> {
    record: R,
    /// How many scans had no use for it.
    idle: u32,
}

impl<R> Default for Shelf<R> {
    fn default() -> Self {
        Shelf { records: FxHashMap::default() }
    }
}

impl<R> Shelf<R> {
    pub fn get(&self, key: &str) -> Option<&R> {
        Some(&self.records.get(key)?.record)
    }

    pub fn has(&self, key: &str) -> bool {
        self.records.contains_key(key)
    }

    /// Puts in what is of use now.
    pub fn put(&mut self, key: &str, record: R) {
        self.records.insert(key.to_owned(), Kept { record, idle: 0 });
    }

    /// What is worth keeping of an older shelf, behind what was of use now.
    pub fn keep(&mut self, older: Shelf<R>) {
        for (key, mut kept) in older.records {
            kept.idle += 1;
            if kept.idle < PATIENCE {
                self.records.entry(key).or_insert(kept);
            }
        }
    }

    pub fn is_empty(&self) -> bool {
        self.records.is_empty()
    }

    pub fn clear(&mut self) {
        self.records.clear();
    }
}
