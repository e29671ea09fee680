//! Loops over arrays that are too large to be followed element by element. Each row is a program with arrays
//! `a` and `b` of `n` elements, `n` an input, and says whether its check always holds. One that does not must
//! never be called safe; those marked so must be proved.

use std::path::Path;
use std::process::Command;

enum Truth {
    /// Holds, and is to be proved.
    Proved,
    /// Fails for some input.
    Fails,
}

use Truth::{Fails, Proved};

const ROWS: &[(&str, Truth)] = &[
    ("for (i = 0; i < n; i++) a[i] = 7; for (i = 0; i < n; i++) check(a[i] == 7);", Proved),
    ("for (i = 1; i < n; i++) a[i] = 7; for (i = 0; i < n; i++) check(a[i] == 7);", Fails),
    ("for (i = 0; i < n - 1; i++) a[i] = 7; for (i = 0; i < n; i++) check(a[i] == 7);", Fails),
    ("for (i = 0; i < n; i++) a[i] = i; for (i = 0; i < n; i++) check(a[i] == i);", Proved),
    ("for (i = 0; i < n; i++) a[i] = i; for (i = 0; i < n; i++) check(a[i] == n);", Fails),
    (
        "for (i = 0; i < n; i++) a[i] = input(); for (i = 0; i < n; i++) b[i] = a[i];
         for (i = 0; i < n; i++) check(a[i] == b[i]);",
        Proved,
    ),
    (
        "for (i = 0; i < n; i++) a[i] = input(); for (i = 0; i < n; i++) b[i] = a[i];
         a[n / 2] = input(); for (i = 0; i < n; i++) check(a[i] == b[i]);",
        Fails,
    ),
    (
        "for (i = 0; i < n; i++) { a[i] = 3; if (i + 1 < n) a[i + 1] = 0; }
         for (i = 0; i < n; i++) check(a[i] >= 2);",
        Proved,
    ),
    (
        "for (i = 0; i < n; i++) { if (i > 0) a[i - 1] = 0; a[i] = 3; }
         for (i = 0; i < n; i++) check(a[i] >= 2);",
        Fails,
    ),
    (
        "j = 0; for (i = 0; i < n; i++) { a[i] = input(); if (a[i] >= 0) { b[j] = a[i]; j++; } }
         for (i = 0; i < j; i++) check(b[i] >= 0);",
        Proved,
    ),
    (
        "j = 0; for (i = 0; i < n; i++) { a[i] = input(); b[j] = a[i]; if (a[i] >= 0) j++; }
         for (i = 0; i <= j && i < n; i++) check(b[i] >= 0);",
        Fails,
    ),
    ("for (i = 0; i < n; i++) a[i] = 1; check(a[n - 1] + a[0] == 3);", Fails),
    (
        "for (i = 0; i < n; i++) a[i] = i; for (i = 0; i + 1 < n; i++) check(a[i] <= a[i + 1]);
         for (i = 0; i + 1 < n; i++) check(a[i + 1] - a[i] == 2);",
        Fails,
    ),
    (
        "for (i = 0; i < n; i++) a[i] = 5; ((char *)a)[j = 4 * (n - 1) + 1] = 1;
         for (i = 0; i < n; i++) check(a[i] == 5);",
        Fails,
    ),
];

/// There are so many elements that what fails is not found by following paths first.
fn program(body: &str) -> String {
    format!(
        "#include <stdlib.h>
         void reach_error(void);
         int __VERIFIER_nondet_int(void);
         static int input(void) {{ return __VERIFIER_nondet_int(); }}
         static void check(int holds) {{ if (!holds) reach_error(); }}
         int main(void) {{
             int i, j, n = input();
             if (n < 50000 || n > 100000) return 0;
             int *a = malloc(n * sizeof(int)), *b = malloc(n * sizeof(int));
             {body}
             return 0;
         }}"
    )
}

fn verdict(dir: &Path, body: &str, seconds: &str) -> String {
    let file = dir.join("array.c");
    std::fs::write(&file, program(body)).expect("written");
    let report = dir.join("report.json");
    let mut tool = Command::new(env!("CARGO_BIN_EXE_cegas-scan"));
    tool.args(["--no-cache", "-q", "--rules", "assertion", "--timeout", seconds, "--json"]);
    tool.arg(&report).arg(&file).output().expect("the tool runs");
    let json = std::fs::read_to_string(&report).expect("a report");
    let json: serde_json::Value = serde_json::from_str(&json).expect("a report is JSON");
    json["verdict"].as_str().unwrap_or_default().to_owned()
}

#[test]
fn what_holds_for_every_element_is_proved() {
    let dir = tempfile::tempdir().expect("a folder");
    for (body, _) in ROWS.iter().filter(|(_, truth)| matches!(truth, Proved)) {
        assert_eq!(verdict(dir.path(), body, "20"), "safe", "{body}");
    }
}

#[test]
fn what_fails_for_an_element_is_not_called_safe() {
    let dir = tempfile::tempdir().expect("a folder");
    for (body, _) in ROWS.iter().filter(|(_, truth)| matches!(truth, Fails)) {
        assert_ne!(verdict(dir.path(), body, "5"), "safe", "{body}");
    }
}
