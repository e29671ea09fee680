//! C files that state their verdicts: every assertion's line in `tests/cases/*.c` ends in `// SAFE: rule`,
//! `// BUG: rule` or `// UNKNOWN: rule`. An obligation without such a comment fails, and so does a comment
//! without its obligation. Lines `// FLAGS: …` and `// RULES: …` at the top give flags for the compiler and
//! other rules than `assertion`; with other rules, a line may say what is wrong with one of its
//! obligations and leave out those that are safe. `// OPTIONS: …` gives options of the tool.

use rayon::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What is said of the obligations of a line: rule and verdict.
type Claims = BTreeMap<u64, Vec<(String, String)>>;

const MARKS: &[(&str, &str)] =
    &[("// SAFE: ", "safe"), ("// BUG: ", "unsafe"), ("// UNKNOWN: ", "unknown")];

fn expected(text: &str) -> Claims {
    let mut claims = Claims::new();
    for (line, number) in text.lines().zip(1..) {
        for (mark, verdict) in MARKS {
            for part in line.split(mark).skip(1) {
                let rule = part.split_whitespace().next().unwrap_or_default().to_owned();
                claims.entry(number).or_default().push((rule, (*verdict).to_owned()));
            }
        }
    }
    claims
}

fn found(file: &Path, text: &str, dir: &Path) -> Claims {
    let report = dir.join("report.json");
    let mut tool = Command::new(env!("CARGO_BIN_EXE_cegas-scan"));
    let said = |key: &str| {
        let head = text.lines().take_while(|line| line.starts_with("// "));
        head.filter_map(|line| line.strip_prefix(key)).next().unwrap_or_default().split_whitespace()
    };
    let rules = said("// RULES: ").next().unwrap_or("assertion");
    if !said("// OPTIONS: ").any(|option| option.starts_with("--timeout")) {
        tool.arg("--timeout=10");
    }
    tool.args(["--no-cache", "-q", "-j1", "--rules", rules, "--json"]);
    tool.arg(&report).arg(file).args(said("// OPTIONS: "));
    tool.args(said("// FLAGS: ").map(|flag| format!("--cflags={flag}")));
    let has_rules = said("// RULES: ").next().is_some();
    let output = tool.output().expect("the tool runs");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let json = fs::read_to_string(&report).unwrap_or_else(|_| panic!("{file:?}: {said}"));
    let json: serde_json::Value = serde_json::from_str(&json).expect("a report is JSON");
    let mut claims = Claims::new();
    for obligation in json["obligations"].as_array().expect("obligations") {
        let line = obligation["location"]["line"].as_u64().unwrap_or(0);
        let word = |key: &str| obligation[key].as_str().unwrap_or_default().to_owned();
        claims.entry(line).or_default().push((word("rule"), word("verdict")));
    }
    if has_rules {
        // Every access has several obligations: what is not safe must be said, what is safe may be.
        let claimed = expected(text);
        for (line, found) in &mut claims {
            found.sort();
            found.dedup();
            let here = claimed.get(line).map_or(&[][..], Vec::as_slice);
            found.retain(|claim| claim.1 != "safe" || here.contains(claim));
        }
        claims.retain(|_, found| !found.is_empty());
    }
    claims
}

#[test]
fn verdicts_are_as_the_files_say() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases");
    let mut files: Vec<PathBuf> =
        fs::read_dir(folder).expect("cases").flatten().map(|entry| entry.path()).collect();
    files.retain(|file| file.extension().is_some_and(|end| end == "c"));
    files.sort();
    assert!(!files.is_empty(), "no cases");
    let wrong: Vec<String> = files.par_iter().flat_map(|file| disagreements(file)).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Where a file says something else than what is found.
fn disagreements(file: &Path) -> Vec<String> {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let text = fs::read_to_string(file).expect("a case");
    let (expected, found) = (expected(&text), found(file, &text, dir.path()));
    let lines: BTreeSet<u64> = expected.keys().chain(found.keys()).copied().collect();
    let differs = |line: &u64| {
        let (said, came) = (expected.get(line), found.get(line));
        let text = || format!("{}:{line}: said {said:?}, found {came:?}", file.display());
        (said != came).then(text)
    };
    lines.iter().filter_map(differs).collect()
}
