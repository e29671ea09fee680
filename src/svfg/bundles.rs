//! The bundles of one function: regions that all its loads, stores and calls touch together. Memory SSA
//! follows bundles, so a function that calls what changes half the program pays for a few of them, not
//! for each region.
//!
//! Invariant: the bundles divide the regions that the function touches. If there are so many that the function would
//! need more than [`MOST`] μ and χ, calls no longer tell regions apart, and at last nothing does.

use super::graph::BundleId;
use super::regions::Partition;
use crate::ir::FuncId;
use crate::pta::sets::{EMPTY, SetId, Sets};
use cranelift_entity::PrimaryMap;
use rustc_hash::{FxHashMap, FxHashSet};

/// The most μ and χ of one function.
const MOST: usize = 200_000;

#[derive(Debug, Clone, Copy)]
pub struct Bundle {
    pub func: FuncId,
    /// Its regions.
    pub regions: SetId,
}

/// What a function's accesses touch: sets of regions, with how often each occurs.
#[derive(Debug, Default)]
pub struct Uses {
    /// By its own loads and stores.
    pub own: Vec<SetId>,
    /// By calls, and at its end.
    pub calls: Vec<SetId>,
}

/// The bundles of one function, numbered from 0, and which of them each set touches.
#[derive(Debug, Default)]
pub struct Local {
    pub bundles: Vec<BundleId>,
    touched: FxHashMap<SetId, Vec<u32>>,
}

impl Local {
    /// The bundles that share regions with the set, ascending.
    pub fn touched(&self, set: SetId) -> &[u32] {
        self.touched.get(&set).map_or(&[], Vec::as_slice)
    }
}

/// Makes bundles; holds the tables that every function uses again.
#[derive(Debug)]
pub struct Bundler {
    partition: Partition,
    pub bundles: PrimaryMap<BundleId, Bundle>,
    /// Functions that were looked at coarsely.
    pub coarse: Vec<FuncId>,
}

impl Bundler {
    pub fn new(regions: usize) -> Self {
        Bundler {
            partition: Partition::new(regions),
            bundles: PrimaryMap::new(),
            coarse: Vec::new(),
        }
    }

    /// Divides what `func` touches.
    pub fn divide(&mut self, func: FuncId, uses: &Uses, sets: &mut Sets) -> Local {
        let distinct = |lists: &[&Vec<SetId>]| {
            let mut seen = FxHashSet::default();
            let all = lists.iter().flat_map(|list| list.iter().copied());
            all.filter(|&set| set != EMPTY && seen.insert(set)).collect::<Vec<SetId>>()
        };
        let every = distinct(&[&uses.own, &uses.calls]);
        let fine = [every.clone(), distinct(&[&uses.own]), Vec::new()];
        let last = fine.len() - 1;
        for (level, telling) in fine.into_iter().enumerate() {
            for &set in &telling {
                self.partition.refine(sets.iter(set));
            }
            let classes = self.classes(&every, sets);
            let count = |set: &SetId| classes.touched.get(set).map_or(0, Vec::len);
            let cost: usize = uses.own.iter().chain(&uses.calls).map(count).sum();
            for &set in &every {
                self.partition.reset(sets.iter(set));
            }
            if cost <= MOST || level == last {
                if level > 0 {
                    self.coarse.push(func);
                }
                return self.name(func, classes, sets);
            }
        }
        Local::default()
    }

    /// The classes by the first region of each, and which of them each set touches.
    fn classes(&self, every: &[SetId], sets: &Sets) -> Classes {
        let mut number: FxHashMap<u32, u32> = FxHashMap::default();
        let mut classes = Classes::default();
        let mut seen: FxHashSet<u32> = FxHashSet::default();
        for &set in every {
            let mut touched = Vec::new();
            let mut last = u32::MAX;
            for region in sets.iter(set) {
                let class = self.partition.class(region);
                let next = classes.members.len() as u32;
                let index = *number.entry(class).or_insert(next);
                if index == next {
                    classes.members.push(Vec::new());
                }
                if seen.insert(region) {
                    classes.members[index as usize].push(region);
                }
                if index != last {
                    touched.push(index);
                    last = index;
                }
            }
            touched.sort_unstable();
            touched.dedup();
            classes.touched.insert(set, touched);
        }
        classes
    }

    fn name(&mut self, func: FuncId, classes: Classes, sets: &mut Sets) -> Local {
        let mut bundles = Vec::with_capacity(classes.members.len());
        for mut members in classes.members {
            members.sort_unstable();
            let regions = sets.from_sorted(&members);
            bundles.push(self.bundles.push(Bundle { func, regions }));
        }
        Local { bundles, touched: classes.touched }
    }
}

#[derive(Debug, Default)]
struct Classes {
    members: Vec<Vec<u32>>,
    touched: FxHashMap<SetId, Vec<u32>>,
}
