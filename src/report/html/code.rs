//! The code a page shows: whole files if they are small, else the surroundings of what the page tells of.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::super::Sources;
use super::super::diagnostic::visible;

/// Files of up to so many lines are shown whole.
const WHOLE: usize = 2_000;

/// Of others, so many lines before and after each place.
const AROUND: u32 = 40;

/// For each file the stretches that are shown: the number of the first line, and the lines.
#[derive(Debug, Default, Serialize)]
#[serde(transparent)]
pub struct Code {
    files: BTreeMap<String, Vec<(u32, Vec<String>)>>,
}

impl Code {
    /// The code at these places, as far as there is any.
    pub fn around<'a>(places: impl Iterator<Item = (&'a str, u32)>, sources: &Sources) -> Self {
        let mut lines: BTreeMap<&str, BTreeSet<u32>> = BTreeMap::new();
        for (file, line) in places {
            lines.entry(file).or_default().insert(line);
        }
        let mut files = BTreeMap::new();
        for (file, lines) in lines {
            let Some(text) = sources.lines(file) else { continue };
            let all = u32::try_from(text.len()).unwrap_or(u32::MAX);
            let wanted: BTreeSet<u32> = match text.len() <= WHOLE {
                true => (1..=all).collect(),
                false => {
                    let near =
                        |line: u32| line.saturating_sub(AROUND)..=line.saturating_add(AROUND);
                    let inside = |line: &u32| (1..=all).contains(line);
                    lines.into_iter().flat_map(near).filter(inside).collect()
                }
            };
            files.insert(file.to_owned(), stretches(&wanted, &text));
        }
        Self { files }
    }
}

fn stretches(wanted: &BTreeSet<u32>, text: &[&str]) -> Vec<(u32, Vec<String>)> {
    let mut found: Vec<(u32, Vec<String>)> = Vec::new();
    let mut expected = 0;
    for &number in wanted {
        let Some(line) = text.get(number as usize - 1) else { continue };
        match found.last_mut() {
            Some((_, lines)) if number == expected => lines.push(visible(line)),
            _ => found.push((number, vec![visible(line)])),
        }
        expected = number + 1;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_files_are_whole_and_large_ones_are_cut_to_what_matters() {
        let large: String = (1..=WHOLE + 500).map(|n| format!("line {n}\n")).collect();
        let sources = Sources::from_texts(&[("a.c", "one\ntwo\u{202e}\n"), ("b.c", &large)]);
        let places =
            [("a.c", 2), ("b.c", 1), ("b.c", 300), ("b.c", 310), ("b.c", 9_999), ("c.c", 1)];
        let code = Code::around(places.into_iter(), &sources);
        assert_eq!(code.files.len(), 2);
        assert_eq!(code.files["a.c"], [(1, vec!["one".to_owned(), "two?".to_owned()])]);
        let [(1, first), (260, second)] = &code.files["b.c"][..] else { panic!("{code:?}") };
        assert_eq!((first.len(), second.len()), (41, 91));
        assert_eq!(second.first().map(String::as_str), Some("line 260"));
    }
}
