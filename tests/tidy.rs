//! The house rules, checked mechanically. Each check is tried on a sample that breaks it, so that a
//! check which can no longer fail is noticed.

use std::fs;
use std::path::{Path, PathBuf};

/// Files longer than this fail; from four fifths of it on they are listed as growing too long.
const MOST_LINES: usize = 500;

/// Names that say nothing about what is inside.
const EMPTY_NAMES: [&str; 9] =
    ["util", "utils", "common", "helper", "helpers", "manager", "misc", "stuff", "tools"];

/// A foreign library has one door: the text that betrays its use, and where that may stand.
const DOORS: &[(&str, &[&str])] = &[
    ("inkwell", &["src/frontend/"]),
    ("llvm_sys", &["src/frontend/"]),
    ("z3::", &["src/smt/"]),
    ("z3_sys", &["src/smt/"]),
    ("serde_sarif", &["src/report/"]),
    ("rayon", &["src/frontend/", "src/scan.rs", "src/scan/", "src/check/"]),
    ("petgraph", &["src/svfg/"]),
    ("cmake_file_api", &["compile-db/"]),
    ("clap", &["src/cli/", "src/config/"]),
    ("clap_complete", &["src/cli/"]),
    ("clap_mangen", &["src/cli/"]),
    ("annotate_snippets", &["src/report/"]),
    ("quick_xml", &["src/report/"]),
    ("toml::", &["src/config/"]),
    ("globset", &["src/config/"]),
    ("indicatif", &["src/progress.rs"]),
    ("signal_hook", &["src/cancel.rs"]),
];

/// Which parts a part may use, along the pipeline. A part that is not here has to be thought about.
const PARTS: &[(&str, &[&str])] = &[
    ("budgets", &[]),
    ("exit", &[]),
    ("line", &[]),
    ("versions", &["frontend", "smt"]),
    ("watch", &[]),
    ("cancel", &["exit"]),
    ("config", &["budgets", "rules"]),
    ("progress", &["config", "line"]),
    ("ir", &[]),
    ("revision", &[]),
    ("project", &["cancel", "config", "frontend", "revision"]),
    ("link", &["ir"]),
    ("frontend", &["budgets", "cancel", "ir", "library", "line", "link", "progress"]),
    ("library", &["ir"]),
    ("pta", &["budgets", "cancel", "ir", "library"]),
    ("svfg", &["budgets", "cancel", "ir", "library", "pta"]),
    ("rules", &["ir", "library", "pta", "svfg"]),
    ("sfg", &["budgets", "ir", "library", "pta", "rules", "svfg"]),
    ("smt", &["budgets", "cancel", "exit", "watch"]),
    ("prefilter", &["budgets", "cancel", "ir", "library", "pta", "rules", "smt", "svfg"]),
    ("order", &["ir", "library", "pta", "svfg"]),
    ("entries", &["ir", "library"]),
    (
        "cegas",
        &[
            "budgets", "cancel", "entries", "ir", "library", "order", "pta", "rules", "sfg", "smt",
            "svfg", "watch",
        ],
    ),
    ("dump", &["cancel", "check", "config", "ir", "pta", "rules", "sfg", "svfg"]),
    (
        "check",
        &[
            "budgets",
            "cancel",
            "cegas",
            "config",
            "entries",
            "ir",
            "library",
            "order",
            "prefilter",
            "progress",
            "pta",
            "report",
            "rules",
            "sfg",
            "svfg",
            "watch",
        ],
    ),
    ("report", &["budgets", "cegas", "config", "exit", "ir", "line", "rules", "versions"]),
    ("silence", &["budgets", "config", "report", "rules"]),
    (
        "cli",
        &["cancel", "config", "exit", "line", "progress", "report", "rules", "silence", "versions"],
    ),
];

/// What ends the process on the spot if it is wrong, and where that may stand: whoever gets there has broken an invariant of
/// ours that no input can break. Everything else gives an error, or `unknown`.
const PANICS: [&str; 3] = [".expect(", "panic!(", "unreachable!("];
const MAY_PANIC: [&str; 4] = [
    // Each symbol that is appended was given its place before.
    "src/link/consts.rs",
    // Expressions have the sorts that their makers gave them; what a panic here leaves open is unknown.
    "src/smt/simplify/array.rs",
    "src/smt/simplify/derived.rs",
    "src/smt/z3/term.rs",
];

/// The one page that shows the whole pipeline, and the programs, may use everything.
const WHOLE: [&str; 4] = ["scan", "lib", "main", "bin"];

/// Where a file lies, with `/` between folders, and what is in it.
struct Source<'a> {
    path: &'a str,
    text: &'a str,
}

impl Source<'_> {
    /// The lines of code with their numbers: no comments, and nothing from the unit tests on.
    fn code(&self) -> impl Iterator<Item = (usize, &str)> {
        let lines = self.text.lines().enumerate();
        let code = lines.take_while(|(_, line)| line.trim() != "#[cfg(test)]");
        code.map(|(n, line)| (n + 1, line.split("//").next().unwrap_or_default()))
    }

    fn is_test(&self) -> bool {
        self.path.contains("tests/") || self.path.ends_with("/tests.rs")
    }

    /// The part of the crate it belongs to.
    fn part(&self) -> Option<&str> {
        let inside = self.path.strip_prefix("src/")?;
        inside.split('/').next()?.split('.').next()
    }
}

/// Whether `word` stands in the code as a name of its own.
fn names(code: &str, word: &str) -> bool {
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    code.match_indices(word).any(|(at, _)| {
        let before = code.get(..at).and_then(|s| s.chars().next_back());
        let after = code.get(at + word.len()..).and_then(|s| s.chars().next());
        !before.is_some_and(is_name) && (word.ends_with(':') || !after.is_some_and(is_name))
    })
}

fn head(source: &Source<'_>) -> Vec<String> {
    let good = source.text.starts_with("//! ");
    if good { vec![] } else { vec!["does not begin with a `//!` line that says what it is".into()] }
}

fn length(source: &Source<'_>) -> Vec<String> {
    let lines = source.text.lines().count();
    if lines <= MOST_LINES {
        return vec![];
    }
    vec![format!("has {lines} lines; split it by ideas, the most is {MOST_LINES}")]
}

fn module_names(source: &Source<'_>) -> Vec<String> {
    let parts = source.path.trim_end_matches(".rs").split('/');
    let empty = parts.filter(|part| EMPTY_NAMES.contains(part));
    empty.map(|part| format!("`{part}` says nothing; name it after what it holds")).collect()
}

fn doors(source: &Source<'_>) -> Vec<String> {
    let mut found = Vec::new();
    for (number, code) in source.code().filter(|_| !source.is_test()) {
        for (library, places) in DOORS {
            if names(code, library) && !places.iter().any(|place| source.path.starts_with(place)) {
                found.push(format!("line {number}: {library} is used outside {places:?}"));
            }
        }
    }
    found
}

fn directions(source: &Source<'_>) -> Vec<String> {
    let Some(part) = source.part().filter(|part| !WHOLE.contains(part)) else { return vec![] };
    let Some((_, allowed)) = PARTS.iter().find(|(name, _)| *name == part) else {
        return vec![format!("the part `{part}` is new: say in tests/tidy.rs what it may use")];
    };
    if source.is_test() {
        return vec![];
    }
    let mut found = Vec::new();
    for (number, code) in source.code() {
        for after in code.split("crate::").skip(1) {
            for used in used_parts(after) {
                if used != part && !allowed.contains(&used) {
                    found.push(format!("line {number}: `{part}` must not use `{used}`"));
                }
            }
        }
    }
    found
}

/// The first names after `crate::`, one or a braced list of them. What is not a part is a name at
/// the root of the crate, which does not exist.
fn used_parts(after: &str) -> Vec<&str> {
    let name =
        |text: &str| text.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(text.len());
    match after.strip_prefix('{') {
        None => vec![&after[..name(after)]],
        Some(list) => {
            let list = list.split('}').next().unwrap_or_default();
            list.split(',').map(str::trim).map(|item| &item[..name(item)]).collect()
        }
    }
}

fn unfinished(source: &Source<'_>) -> Vec<String> {
    let marks = ["todo!", "unimplemented!", "dbg!", "#[ignore"];
    let mut found = Vec::new();
    for (number, line) in source.text.lines().enumerate() {
        // This file has to name them.
        for mark in marks.iter().filter(|_| source.path != "tests/tidy.rs") {
            if line.contains(mark) {
                found.push(format!("line {}: {mark} is not finished work", number + 1));
            }
        }
    }
    for (number, code) in source.code().filter(|_| !source.is_test()) {
        if code.contains(".unwrap()") && !source.path.starts_with("examples/") {
            found.push(format!(
                "line {number}: .unwrap() panics on input; give an error, or expect a reason"
            ));
        }
    }
    found
}

fn panics(source: &Source<'_>) -> Vec<String> {
    let is_product = source.path.starts_with("src/") || source.path.starts_with("compile-db/src/");
    if !is_product || source.is_test() || MAY_PANIC.contains(&source.path) {
        return vec![];
    }
    let panics = |code: &str| PANICS.iter().find(|panic| code.contains(**panic));
    let found = source.code().filter_map(|(number, code)| Some((number, panics(code)?)));
    found.map(|(number, panic)| format!("line {number}: {panic} may end the scan")).collect()
}

/// Applies to every text of the repository: nothing may lean on the machine it was written on.
fn foreign_words(source: &Source<'_>) -> Vec<String> {
    let words = [concat!("/wo", "rk/"), concat!("/tmp/", "wt"), concat!("/ro", "ot/")];
    let lines = source.text.lines().enumerate();
    lines
        .filter_map(|(n, line)| Some((n, words.iter().find(|word| line.contains(**word))?)))
        .map(|(n, word)| format!("line {}: `{word}` is a place on somebody's machine", n + 1))
        .collect()
}

/// A dependency has a comment that says who uses it and why.
fn dependencies(source: &Source<'_>) -> Vec<String> {
    let mut found = Vec::new();
    let (mut inside, mut explained) = (false, false);
    for line in source.text.lines() {
        if line.starts_with('[') {
            inside = line.contains("dependencies]");
            explained = false;
        } else if line.starts_with('#') {
            explained = true;
        } else if line.trim().is_empty() {
            explained = false;
        } else if inside && !explained && !line.starts_with([' ', ']', '}']) {
            found.push(format!("`{line}` does not say who uses it and why"));
        }
    }
    found
}

type Check = fn(&Source<'_>) -> Vec<String>;

const FOR_RUST: &[Check] = &[head, length, module_names, doors, directions, unfinished, panics];

fn complaints(source: &Source<'_>) -> Vec<String> {
    let mut checks: Vec<Check> = vec![foreign_words];
    if source.path.ends_with(".rs") {
        checks.extend(FOR_RUST);
    }
    if source.path.ends_with("Cargo.toml") {
        checks.push(dependencies);
    }
    let found = checks.iter().flat_map(|check| check(source));
    found.map(|complaint| format!("{}: {complaint}", source.path)).collect()
}

/// All texts of the repository, sorted, without what builds leave behind.
fn texts(root: &Path) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut folders = vec![PathBuf::new()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(root.join(&folder)).expect("readable folder").flatten() {
            let name = entry.file_name();
            let path = folder.join(&name);
            let kind = entry.file_type().expect("known kind");
            let built = ["target", ".git", ".deps", "cegas.sarif", "node_modules", "__pycache__"];
            if built.iter().any(|skip| name == *skip) {
                continue;
            }
            if kind.is_dir() {
                folders.push(path);
            } else if kind.is_file()
                && let Ok(text) = fs::read_to_string(root.join(&path))
            {
                found.push((path.to_string_lossy().into_owned(), text));
            }
        }
    }
    found.sort();
    found
}

#[test]
fn the_repository_is_tidy() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut all = Vec::new();
    let mut seen = 0;
    for (path, text) in texts(root) {
        let source = Source { path: &path, text: &text };
        all.extend(complaints(&source));
        let lines = text.lines().count();
        if path.ends_with(".rs") {
            seen += 1;
            if lines > MOST_LINES * 4 / 5 {
                println!("{path} is growing long: {lines} lines");
            }
        }
    }
    assert!(seen > 20, "only {seen} files were found");
    assert!(all.is_empty(), "{} complaints:\n{}", all.len(), all.join("\n"));
}

#[test]
fn every_check_can_fail() {
    let long = "//! x\n".repeat(MOST_LINES + 1);
    let elsewhere = format!("//! a file\nconst HERE: &str = \"{}main\";\n", concat!("/wo", "rk/"));
    let bad = [
        ("src/ir/a.rs", "use std::fs;\n", "does not begin"),
        ("src/ir/a.rs", &long, "split it by ideas"),
        ("src/ir/utils.rs", "//! x\n", "says nothing"),
        ("src/common/mod.rs", "//! x\n", "says nothing"),
        ("src/pta/a.rs", "//! x\nuse inkwell::context::Context;\n", "inkwell is used outside"),
        ("src/cegas/a.rs", "//! x\nlet s = z3::Solver::new();\n", "z3:: is used outside"),
        ("src/ir/a.rs", "//! x\nuse rayon::prelude::*;\n", "rayon is used outside"),
        ("src/ir/a.rs", "//! x\nuse crate::frontend::model;\n", "`ir` must not use `frontend`"),
        (
            "src/pta/a.rs",
            "//! x\nuse crate::{ir::Program, cegas::State};\n",
            "must not use `cegas`",
        ),
        ("src/ir/a.rs", "//! x\nlet a = b.expect(\"a reason\");\n", "may end the scan"),
        ("src/novel/mod.rs", "//! x\n", "`novel` is new"),
        ("src/ir/a.rs", "//! x\nfn f() { todo!() }\n", "not finished"),
        ("tests/a.rs", "//! x\n#[ignore = \"slow\"]\n", "not finished"),
        ("src/ir/a.rs", "//! x\nlet a = b.unwrap();\n", "panics on input"),
        ("README.md", &elsewhere, "somebody's machine"),
        (
            "Cargo.toml",
            "[dependencies]\n# a: why\na = \"1\"\n\nb = \"1\"\n",
            "`b = \"1\"` does not say",
        ),
    ];
    for (path, text, words) in bad {
        let found = complaints(&Source { path, text });
        assert!(found.iter().any(|c| c.contains(words)), "{path}: {words}: {found:?}");
    }
}

#[test]
fn good_files_pass() {
    let good = [
        ("src/pta/a.rs", "//! x\nuse crate::ir::Program; // not crate::cegas\n"),
        ("src/smt/a.rs", "//! x\nuse z3::Solver;\n"),
        ("src/cli/a.rs", "//! x\nlet z3 = versions.z3;\nlet inkwells = 1;\n"),
        ("src/ir/a.rs", "//! x\n#[cfg(test)]\nmod tests { fn f() { a.unwrap(); } }\n"),
        ("src/scan.rs", "//! x\nuse rayon::prelude::*;\nuse crate::cegas::check;\n"),
        ("Cargo.toml", "[dependencies]\n# a, b: why\na = \"1\"\nb = { version = \"2\" }\n"),
    ];
    for (path, text) in good {
        assert_eq!(complaints(&Source { path, text }), Vec::<String>::new());
    }
}
