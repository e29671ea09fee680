//! Structurally shared collections: a copy costs nothing, a change copies the way to it. One thread works on a
//! state, so counts need not be atomic; keys are small numbers, so a simple hash will do.

use imbl::shared_ptr::RcK;
use imbl::{GenericHashMap, GenericHashSet, GenericOrdMap, GenericVector};
use rustc_hash::FxBuildHasher;

pub type HashMap<K, V> = GenericHashMap<K, V, FxBuildHasher, RcK>;
pub type HashSet<K> = GenericHashSet<K, FxBuildHasher, RcK>;
pub type OrdMap<K, V> = GenericOrdMap<K, V, RcK>;
pub type Vector<T> = GenericVector<T, RcK>;
