//! Remarks that say the same about several things, such as the thousand generated files that are not there yet.
//!
//! Invariant: in the order in which they were first said; JSON and SARIF keep each of them apart.

use std::collections::HashMap;

use crate::line::one_line;

/// So few are told each on a line of its own.
const APART: usize = 3;

/// So many names of a long list are shown; the JSON report has all of them.
pub const SHOWN: usize = 8;

/// What is said, each with the names of what it is said about, all on one line.
pub fn alike<'a>(remarks: impl Iterator<Item = (&'a str, &'a str)>) -> Vec<(String, &'a str)> {
    let mut groups: Vec<(Vec<&str>, usize, &str)> = Vec::new();
    let mut known: HashMap<&str, usize> = HashMap::new();
    for (about, text) in remarks {
        let group = *known.entry(text).or_insert_with(|| {
            groups.push((Vec::new(), 0, text));
            groups.len() - 1
        });
        let (names, count, _) = &mut groups[group];
        *count += 1;
        if names.len() < SHOWN {
            names.push(about);
        }
    }
    let lines = |(names, count, text): (Vec<&str>, usize, &'a str)| {
        let names = names.into_iter().map(one_line);
        let lines: Vec<String> =
            if count <= APART { names.collect() } else { vec![some(names, count)] };
        lines.into_iter().map(move |line| (line, text))
    };
    groups.into_iter().flat_map(lines).collect()
}

/// The first few of a list, and how many more there are.
pub fn some(names: impl Iterator<Item = String>, all: usize) -> String {
    let mut text = names.take(SHOWN).collect::<Vec<_>>().join(", ");
    if all > SHOWN {
        text += &format!(" and {} more", all - SHOWN);
    }
    text
}
