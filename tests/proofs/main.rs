//! Witnesses: what a proof says of loops is accepted by the checker, which knows nothing of how it was found; what is
//! wrong, or true but not enough, is not.

mod states;

use std::fs;
use std::path::Path;
use std::process::Command;

struct Outcome {
    verdict: String,
    reasons: String,
}

/// Scans a file; options first.
fn scan(dir: &Path, file: &Path, options: &[&str]) -> Outcome {
    let report = dir.join("report.json");
    let output = Command::new(env!("CARGO_BIN_EXE_cegas-scan"))
        .args(["--no-cache", "-q", "--json"])
        .arg(&report)
        .args(with_usual(options))
        .arg(file)
        .output()
        .expect("the tool runs");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let json = fs::read_to_string(&report).unwrap_or_else(|_| panic!("no report: {said}"));
    let json: serde_json::Value = serde_json::from_str(&json).expect("a report is JSON");
    let obligations = json["obligations"].as_array().expect("obligations");
    let reasons = obligations.iter().filter_map(|o| o["reason"].as_str());
    Outcome {
        verdict: json["verdict"].as_str().unwrap_or_default().to_owned(),
        reasons: reasons.collect::<Vec<_>>().join("; "),
    }
}

/// What is asked, and how long, unless the options say otherwise.
fn with_usual<'o>(options: &[&'o str]) -> Vec<&'o str> {
    let mut all = options.to_vec();
    for (option, usual) in [("--rules", "assertion"), ("--timeout", "10")] {
        if !options.contains(&option) {
            all.extend([option, usual]);
        }
    }
    all
}

fn source(name: &str) -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/proofs").join(name)
}

/// What the checker says with other invariants than those found.
fn checked(witness: &str) -> Outcome {
    let dir = tempfile::tempdir().expect("a folder");
    let path = dir.path().join("w.yml");
    fs::write(&path, witness).expect("a file");
    let option = path.to_str().expect("a plain name");
    scan(dir.path(), &source("counted.c"), &["--check-proofs", option])
}

fn witness() -> String {
    let dir = tempfile::tempdir().expect("a folder");
    let path = dir.path().join("w.yml");
    let option = path.to_str().expect("a plain name");
    let found = scan(dir.path(), &source("counted.c"), &["--proofs", option]);
    assert_eq!(found.verdict, "safe", "{}", found.reasons);
    let text = fs::read_to_string(path).expect("a witness");
    // By conditions in C alone.
    text.split("- entry_type: state_set").next().unwrap_or_default().to_owned()
}

/// The values of the invariants, by the line of the loop.
fn values(witness: &str) -> Vec<(u64, String)> {
    let yaml: serde_yaml_ng::Value = serde_yaml_ng::from_str(witness).expect("YAML");
    let entry = &yaml[0];
    assert_eq!(entry["entry_type"].as_str(), Some("invariant_set"));
    assert_eq!(entry["metadata"]["format_version"].as_str(), Some("2.0"));
    assert_eq!(entry["metadata"]["task"]["data_model"].as_str(), Some("LP64"));
    let content = entry["content"].as_sequence().expect("invariants").iter();
    let one = |item: &serde_yaml_ng::Value| {
        let invariant = &item["invariant"];
        assert_eq!(invariant["format"].as_str(), Some("c_expression"));
        let line = invariant["location"]["line"].as_u64().expect("a line");
        (line, invariant["value"].as_str().expect("a condition").to_owned())
    };
    content.map(one).collect()
}

#[test]
fn what_is_found_is_accepted_and_nothing_else() {
    let witness = witness();
    let values = values(&witness);
    let text = fs::read_to_string(source("counted.c")).expect("a source");
    for (line, _) in &values {
        let keyword = text.lines().nth(*line as usize - 1).expect("a line").trim();
        let is_loop = ["while", "for", "do"].iter().any(|word| keyword.starts_with(word));
        assert!(is_loop, "line {line}: {keyword}");
    }
    let accepted = checked(&witness);
    assert_eq!(accepted.verdict, "safe", "{}\n{witness}", accepted.reasons);

    let (_, first) = values.iter().find(|(line, _)| *line == 21).expect("the loop that counts");
    let with = |condition: &str| {
        let quoted = |text: &str| serde_json::Value::from(text).to_string();
        witness.replace(&quoted(first), &quoted(condition))
    };
    // True, but nothing follows from it.
    let empty = values.iter().fold(witness.clone(), |text, (_, value)| {
        text.replace(&serde_json::Value::from(value.as_str()).to_string(), "\"1\"")
    });
    let weak = checked(&empty);
    assert_eq!(weak.verdict, "unknown");
    assert!(weak.reasons.contains("does not follow"), "{}", weak.reasons);
    // What later loops rest on is missing.
    let weak = checked(&with("i <= n"));
    assert!(weak.reasons.contains("where its loop is entered"), "{}", weak.reasons);
    // True each time, but not because it was true before.
    let lucky = checked(&with("i <= n && sum <= 300000U"));
    assert_eq!(lucky.verdict, "unknown");
    assert!(lucky.reasons.contains("after a turn"), "{}", lucky.reasons);
    // False.
    let wrong = checked(&with("i < n"));
    assert!(wrong.reasons.contains("where its loop is entered: (i < n)"), "{}", wrong.reasons);
    // About nothing.
    let strange = checked(&with("nobody == 1"));
    assert!(strange.reasons.contains("is not known: (nobody == 1)"), "{}", strange.reasons);
    let garbled = checked(&with("i <= "));
    assert_eq!(garbled.verdict, "unknown");
}

#[test]
fn an_own_invariant_is_as_good() {
    let by_hand = "(unsigned int)state.turns == i && sum == 3U * i && i <= n && n <= 100000U \
                   && state.left == (int)(n - i) && (low % 4) == 0";
    let witness = witness();
    let (_, first) = values(&witness).into_iter().find(|(line, _)| *line == 21).expect("a loop");
    let quoted = |text: &str| serde_json::Value::from(text).to_string();
    let accepted = checked(&witness.replace(&quoted(&first), &quoted(by_hand)));
    assert_eq!(accepted.verdict, "safe", "{}", accepted.reasons);
}

#[test]
fn a_violation_names_the_inputs_and_the_place() {
    let dir = tempfile::tempdir().expect("a folder");
    let file = dir.path().join("bad.c");
    let text = fs::read_to_string(source("counted.c")).expect("a source");
    fs::write(&file, text.replace("sum != 3 * n", "sum == 3 * 7")).expect("a file");
    let path = dir.path().join("w.yml");
    let found = scan(dir.path(), &file, &["--proofs", path.to_str().expect("a plain name")]);
    assert_eq!(found.verdict, "unsafe");
    let written = fs::read_to_string(&path).expect("a witness");
    let yaml: serde_yaml_ng::Value = serde_yaml_ng::from_str(&written).expect("YAML");
    assert_eq!(yaml[0]["entry_type"].as_str(), Some("violation_sequence"));
    let segments = yaml[0]["content"].as_sequence().expect("segments");
    let waypoint = |index: usize| &segments[index]["segment"][0]["waypoint"];
    assert_eq!(waypoint(0)["type"].as_str(), Some("function_return"));
    assert_eq!(waypoint(0)["constraint"]["value"].as_str(), Some("\\result == 7"));
    let column = waypoint(0)["location"]["column"].as_u64().expect("a column") as usize;
    let line = waypoint(0)["location"]["line"].as_u64().expect("a line") as usize;
    assert_eq!(text.lines().nth(line - 1).map(|line| &line[column - 1..column]), Some(")"));
    assert_eq!(waypoint(segments.len() - 1)["type"].as_str(), Some("target"));
}

#[test]
fn a_witness_that_cannot_be_read_is_one_line() {
    let dir = tempfile::tempdir().expect("a folder");
    let path = dir.path().join("w.yml");
    for (text, what) in [("{", "witness"), ("[]\n", "invariant_set"), ("- 1\n", "witness")] {
        fs::write(&path, text).expect("a file");
        let output = Command::new(env!("CARGO_BIN_EXE_cegas-scan"))
            .arg("--check-proofs")
            .args([&path, &source("counted.c")])
            .output()
            .expect("the tool runs");
        assert_eq!(output.status.code(), Some(2));
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(said.contains(what) && said.lines().count() == 1, "{said}");
    }
}
