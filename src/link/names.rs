//! Printed names: what other units see keeps its name, what is a unit's own gets a number where the
//! name is taken. Names are for people; after linking, nothing is found by them.

use rustc_hash::{FxHashMap, FxHashSet};

#[derive(Debug, Default)]
pub(super) struct PrintedNames {
    taken: FxHashSet<String>,
    /// The number to try next behind a name.
    next: FxHashMap<String, u32>,
}

impl PrintedNames {
    /// The names that are not to be given to anything else.
    pub fn new<'a>(shared: impl Iterator<Item = &'a str>) -> Self {
        PrintedNames { taken: shared.map(str::to_owned).collect(), next: FxHashMap::default() }
    }

    /// The name, or `name.1`, `name.2` … if it is taken.
    pub fn own(&mut self, name: &str) -> String {
        if self.taken.insert(name.to_owned()) {
            return name.to_owned();
        }
        let number = self.next.entry(name.to_owned()).or_insert(0);
        loop {
            *number += 1;
            let numbered = format!("{name}.{number}");
            if self.taken.insert(numbered.clone()) {
                return numbered;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_taken_name_gets_the_next_free_number() {
        let mut names = PrintedNames::new(["f", "g.1"].into_iter());
        let given: Vec<String> = ["f", "f", "g", "g", "f.1"].map(|name| names.own(name)).into();
        assert_eq!(given, ["f.1", "f.2", "g", "g.2", "f.1.1"]);
    }
}
