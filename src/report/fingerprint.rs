//! Names for findings that outlive edits around them: GitHub's hash of a line with what follows it, and
//! our own, which knows neither line numbers nor neighbours.

use std::collections::BTreeMap;

use super::sources::Sources;
use super::{Obligation, Report, Verdict};

/// How many characters a line's hash looks at, and the base of its polynomial: GitHub's numbers.
const WINDOW: usize = 100;
const BASE: u64 = 37;

/// What stands for the end of the file.
const END: u16 = 0xffff;

/// `primaryLocationLineHash` of every line, as code scanning computes it: the polynomial over the hundred
/// characters from the line's beginning on, spaces and tabs left out, and which of the lines of equal
/// hash it is.
pub fn line_hashes(text: &str) -> Vec<String> {
    let mut dense: Vec<u16> = Vec::with_capacity(text.len() + WINDOW);
    let mut before = 0;
    for unit in text.encode_utf16() {
        match char::from_u32(u32::from(unit)) {
            Some(' ' | '\t') => {}
            Some('\n') if before == u16::from(b'\r') => {}
            Some('\r') => dense.push(u16::from(b'\n')),
            Some(_) | None => dense.push(unit),
        }
        before = unit;
    }
    dense.push(END);
    let ends = dense.iter().enumerate().filter(|(_, unit)| **unit == u16::from(b'\n'));
    let starts: Vec<usize> = std::iter::once(0).chain(ends.map(|(at, _)| at + 1)).collect();
    let mut seen: BTreeMap<u64, u32> = BTreeMap::new();
    let hash = |start: usize| {
        let window = dense.iter().skip(start).copied().chain(std::iter::repeat(0)).take(WINDOW);
        let hash =
            window.fold(0_u64, |hash, unit| hash.wrapping_mul(BASE).wrapping_add(u64::from(unit)));
        let count = seen.entry(hash).or_default();
        *count += 1;
        format!("{hash:x}:{count}")
    };
    starts.into_iter().map(hash).collect()
}

/// A fingerprint for each violated obligation of the report, by its index: from the rule, the file, the
/// function, the message and the line's text, and which of the equal ones it is. Several targets share
/// the fingerprint of what they share.
pub fn fingerprints(report: &Report, sources: &Sources) -> BTreeMap<usize, String> {
    let mut places: BTreeMap<String, Vec<(u32, u32)>> = BTreeMap::new();
    let mut found = BTreeMap::new();
    for (index, obligation) in report.obligations.iter().enumerate() {
        if obligation.verdict != Verdict::Unsafe {
            continue;
        }
        let key = key(obligation, sources);
        let place = (obligation.location.line, obligation.location.column);
        let equal = places.entry(key.clone()).or_default();
        let ordinal = equal.iter().position(|other| *other == place).unwrap_or_else(|| {
            equal.push(place);
            equal.len() - 1
        });
        found.insert(index, format!("{key}:{}", ordinal + 1));
    }
    found
}

fn key(obligation: &Obligation, sources: &Sources) -> String {
    let at = &obligation.location;
    let line: String =
        sources.line(&at.file, at.line).unwrap_or_default().split_whitespace().collect();
    let mut hasher = blake3::Hasher::new();
    for part in [obligation.rule, &at.file, &at.function, &obligation.message, &line] {
        hasher.update(part.as_bytes());
        // A character that no part holds keeps the parts apart.
        hasher.update(&[0]);
    }
    hasher.finalize().to_hex().chars().take(16).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_hash_as_github_hashes_them() {
        // The empty rest of a file is its end alone: 65535 · 37^99.
        assert_eq!(line_hashes(""), ["c129715d7a2bc9a3:1"]);
        let lines = line_hashes("int a;\n\tint  b;\r\nint b;\rint é;\n");
        assert_eq!(lines, EXPECTED);
        assert_eq!(line_hashes("inta;\nint b ;\nint b;\nint é;\r\n"), EXPECTED);
        let many = line_hashes(&"x = 1; /* a long line that is repeated */\n".repeat(9));
        assert_eq!(many.len(), 10);
        assert!(many[0].ends_with(":1") && many[4].ends_with(":5"), "{many:?}");
        assert_eq!(many[0].split(':').next(), many[4].split(':').next());
        assert_ne!(many[0].split(':').next(), many[8].split(':').next(), "the end is near");
    }

    const EXPECTED: [&str; 5] = [
        "a1f6fd1fba891909:1",
        "6020fe60d055cdc8:1",
        "5ad01ec773b85876:1",
        "5ab222e5a8857b14:1",
        "c129715d7a2bc9a3:1",
    ];
}
