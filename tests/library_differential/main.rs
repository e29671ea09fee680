//! What C and its library mean, against real executions: each snippet computes a number, is run natively under
//! sanitizers, and is then scanned with two assertions, that the number is what it was and that it is not. The first
//! must not be called violated, nor the second proved. `unknown` never contradicts.
//!
//! In `snippets.txt`, snippets are separated by `---`; what stands before a `===` belongs outside `main`.

#[path = "../tool/mod.rs"]
mod tool;

use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use tool::Place;

const HEADERS: &[&str] = &[
    "assert", "ctype", "errno", "float", "inttypes", "limits", "math", "setjmp", "stdarg",
    "stdbool", "stddef", "stdint", "stdio", "stdlib", "string", "strings", "wchar",
];

/// Scans at one time.
const THREADS: usize = 2;

fn program(snippet: &str) -> String {
    let (outside, inside) = snippet.split_once("\n===\n").unwrap_or(("", snippet));
    let headers: String = HEADERS.iter().map(|name| format!("#include <{name}.h>\n")).collect();
    format!(
        "{headers}{outside}\nextern int __VERIFIER_nondet_int(void);\n\
         int main(void) {{\n  long long r = 0;\n  {inside}\n\
         #ifdef SHOW\n  printf(\"%lld\\n\", r);\n#else\n  \
         if (__VERIFIER_nondet_int())\n    assert(r == VALUE);\n  else\n    assert(r != VALUE);\n\
         #endif\n  return 0;\n}}\n"
    )
}

/// What the snippet computes.
fn executed(source: &Path) -> String {
    let binary = source.with_extension("x");
    let flags = ["-w", "-DSHOW", "-fsanitize=undefined,address", "-fno-sanitize-recover=all"];
    let built =
        Command::new("clang-19").args(flags).arg(source).arg("-lm").arg("-o").arg(&binary).status();
    assert!(built.is_ok_and(|status| status.success()), "{}", fs::read_to_string(source).unwrap());
    let run =
        Command::new(&binary).env("ASAN_OPTIONS", "detect_leaks=0").output().expect("it runs");
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    String::from_utf8_lossy(&run.stdout).trim().to_owned()
}

/// What is said of the two assertions.
fn verdicts(snippet: &str) -> [String; 2] {
    let place = Place::new();
    let source = place.write("a.c", &program(snippet));
    let value = executed(&source);
    let value = format!("--cflags=-DVALUE=((long long)({value}ULL))");
    let scan = place.scan(&[
        "--no-cache",
        "-q",
        "--rules=assertion",
        "--timeout=5",
        "--json=r.json",
        &value,
        "a.c",
    ]);
    let report: serde_json::Value =
        serde_json::from_str(&place.read("r.json")).unwrap_or_else(|_| panic!("{scan:?}"));
    let told = report["obligations"].as_array().expect("obligations");
    assert_eq!(told.len(), 2, "{report}");
    [0, 1].map(|index| told[index]["verdict"].as_str().unwrap_or_default().to_owned())
}

#[test]
fn what_is_computed_is_what_is_said() {
    let snippets: Vec<&str> = include_str!("snippets.txt").split("\n---\n").collect();
    let (next, decided, wrong) = (AtomicUsize::new(0), AtomicUsize::new(0), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| {
                while let Some(snippet) = snippets.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let [holds, breaks] = verdicts(snippet);
                    if holds == "unsafe" || breaks == "safe" {
                        wrong
                            .lock()
                            .unwrap()
                            .push(format!("{snippet}\nholds: {holds}, breaks: {breaks}"));
                    }
                    let both = holds == "safe" && breaks == "unsafe";
                    decided.fetch_add(usize::from(both), Ordering::Relaxed);
                }
            });
        }
    });
    let wrong = wrong.into_inner().unwrap();
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
    let (decided, all) = (decided.into_inner(), snippets.len());
    assert!(decided * 4 > all * 3, "only {decided} of {all} are decided");
}
