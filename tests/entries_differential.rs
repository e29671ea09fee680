//! Functions of a library, entered from outside: random ones are decided, and then run under sanitizers. What is found
//! is run with the values of its trace, as a caller would give them, and must fail; what is proved is run with
//! random arguments that keep to what is assumed, and must not.
//! `CEGAS_ENTRIES_DIFFERENTIAL=N` sets how many functions are made.

#[path = "differential/random.rs"]
mod random;

use random::Random;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;
use std::process::Command;

const RULES: &str = "null-deref,out-of-bounds,use-after-free,double-free,invalid-free,div-by-zero";

const PRELUDE: &str = "#include <stdlib.h>\n#include <string.h>\n\
    struct thing { int count; int table[6]; struct thing *next; int *cell; };\n";

const SIGNATURE: &str = "(struct thing *t, char *buf, size_t n, int x)";

fn statement(random: &mut Random) -> String {
    let (a, b) = (random.below(8), random.below(8));
    match random.below(14) {
        0 => format!("if (x < {a}) return 0;"),
        1 => format!("if (x > {a}) return 1;"),
        2 => format!("if (n < {a}) return 2;"),
        3 => format!("if (n > {a}) buf[{b}] = x;"),
        4 => format!("if (n == {a}) r += buf[{b}];"),
        5 => format!("t->table[x & {a}] = {b};"),
        6 => format!("if (x >= 0 && x < {a}) r += t->table[x];"),
        7 => format!("r += 100 / ((t->count & 7) - {a});"),
        8 => format!("if (t->next) r += t->next->count % ((x & 7) + {});", b % 2),
        9 => format!("if (!t->next) return t->next->table[{}];", a % 6),
        10 => format!("if (t->cell && x == {a}) {{ free(t->cell); t->cell = 0; }}"),
        11 => format!("if (x == {a}) free(t->cell);"),
        12 => format!("if (t->cell) *t->cell = {a};"),
        _ => format!("if (t->count == {a}) {{ t->count = {b}; r ^= t->table[t->count]; }}"),
    }
}

/// One body, each statement on a line of its own.
fn body(seed: u64) -> String {
    let mut random = Random::new(seed);
    let mut text = String::from("  int r = 0;\n  if (n > 6) return 0;\n  memset(buf, 1, n);\n");
    for _ in 0..2 + random.below(4) {
        let _ = writeln!(text, "  {}", statement(&mut random));
    }
    text + "  return r;\n"
}

/// What a trace says that the caller gives, as C.
fn setting(trace: &[serde_json::Value]) -> (String, String, String) {
    let mut numbers: BTreeMap<&str, String> = BTreeMap::new();
    let mut content = String::new();
    for step in trace {
        let text = step["text"].as_str().unwrap_or_default();
        if let Some(name @ ("n" | "x")) = step["change"]["name"].as_str() {
            let value = step["change"]["value"].as_str().unwrap_or("0");
            numbers.entry(name).or_insert_with(|| value.to_owned());
        }
        let Some((place, value)) = text.strip_prefix("given: ").and_then(|t| t.split_once(" = "))
        else {
            continue;
        };
        let number = value.split(' ').next().unwrap_or_default();
        if let Some(member) = place.strip_prefix("(*t).") {
            match (member, value.contains("caller gives")) {
                ("next" | "cell", true) => {}
                ("next", false) => content += "  t->next = 0;\n",
                ("cell", false) => content += "  t->cell = 0;\n",
                _ => _ = writeln!(content, "  t->{member} = {number};"),
            }
        } else if let Some(member) = place.strip_prefix("what the caller gives.") {
            let _ = writeln!(content, "  if (t->next) t->next->{member} = {number};");
        } else if let Some(rest) = place.strip_prefix("(*buf)") {
            let at = rest.trim_start_matches(" + ").split(' ').next().unwrap_or_default();
            let at = if at.is_empty() { "0" } else { at };
            let _ = writeln!(content, "  buf[{at}] = {number};");
        }
    }
    let mut number = |name: &str| numbers.remove(name).unwrap_or_else(|| "0".to_owned());
    (number("n"), number("x"), content)
}

/// Runs a driver; whether the sanitizers complain.
fn fails(dir: &Path, text: &str, arguments: &[String]) -> bool {
    let (source, program) = (dir.join("driver.c"), dir.join("driver"));
    std::fs::write(&source, text).expect("a file");
    let flags = ["-w", "-O0", "-g", "-fsanitize=address,bounds,integer-divide-by-zero"];
    let built = Command::new("clang-19")
        .args(flags)
        .args(["-fno-sanitize-recover=all", "-o"])
        .args([&program, &source])
        .output()
        .expect("clang-19 runs");
    assert!(built.status.success(), "{}\n{text}", String::from_utf8_lossy(&built.stderr));
    let mut command = Command::new(&program);
    let output = command.args(arguments).env("ASAN_OPTIONS", "detect_leaks=0").output();
    !output.expect("the driver runs").status.success()
}

const GIVE: &str = "static struct thing *give(void) {\n\
    \x20 struct thing *t = calloc(1, sizeof *t);\n\
    \x20 t->next = calloc(1, sizeof *t); t->cell = malloc(sizeof(int)); *t->cell = 1;\n\
    \x20 return t;\n}\n";

#[test]
fn what_is_said_of_entries_is_what_callers_see() {
    let count = std::env::var("CEGAS_ENTRIES_DIFFERENTIAL").ok().and_then(|n| n.parse().ok());
    let count: usize = count.unwrap_or(30);
    let dir = tempfile::tempdir().expect("a temporary folder");
    let dir = dir.path();
    let bodies: Vec<String> = (0..count).map(|seed| body(seed as u64)).collect();
    let mut library = PRELUDE.to_owned();
    for (index, body) in bodies.iter().enumerate() {
        let _ = write!(library, "int case_{index}{SIGNATURE} {{\n{body}}}\n");
    }
    std::fs::write(dir.join("library.c"), &library).expect("a file");
    let report = dir.join("r.json");
    let output = Command::new(env!("CARGO_BIN_EXE_cegas-scan"))
        .args(["-q", "--no-cache", "--timeout=20", "--rules", RULES, "--json"])
        .args([&report, &dir.join("library.c")])
        .output()
        .expect("the tool runs");
    let json = std::fs::read_to_string(&report).unwrap_or_else(|_| panic!("{output:?}"));
    let json: serde_json::Value = serde_json::from_str(&json).expect("a report is JSON");
    let obligations = json["obligations"].as_array().expect("obligations");
    let (mut wrong, mut found, mut proved) = (Vec::new(), 0, 0);
    for (index, body) in bodies.iter().enumerate() {
        let name = format!("case_{index}");
        let own: Vec<_> =
            obligations.iter().filter(|o| o["location"]["function"] == name.as_str()).collect();
        for finding in own.iter().filter(|o| o["verdict"] == "unsafe") {
            assert!(finding["assumes"].as_array().is_some_and(|a| !a.is_empty()), "{finding}");
            let (n, x, content) = setting(finding["trace"].as_array().expect("a trace"));
            let driver = format!(
                "{library}{GIVE}int main(void) {{\n  struct thing *t = give(); size_t n = {n}ul; int x = {x};\n\
                 \x20 char *buf = malloc(n);\n{content}  return 0 & {name}(t, buf, n, x);\n}}\n"
            );
            found += 1;
            if !fails(dir, &driver, &[]) {
                wrong.push(format!(
                    "found {}, but it runs:\n{body}{n} {x}\n{content}{finding}",
                    finding["rule"]
                ));
            }
        }
        if own.iter().all(|o| o["verdict"] == "safe") {
            proved += 1;
            let driver = format!(
                "{library}{GIVE}int main(void) {{\n  for (int k = 0; k < 20000; k++) {{\n    srand(k);\n\
                 \x20   struct thing *t = give(); size_t n = rand() % 8; int x = rand() % 20 - 6;\n\
                 \x20   char *buf = malloc(n);\n    t->count = rand() % 12;\n\
                 \x20   if (rand() % 3 == 0) {{ free(t->next); t->next = 0; }} else t->next->count = rand();\n\
                 \x20   if (rand() % 3 == 0) {{ free(t->cell); t->cell = 0; }}\n\
                 \x20   {name}(t, buf, n, x);\n  }}\n  return 0;\n}}\n"
            );
            if fails(dir, &driver, &[]) {
                wrong.push(format!("proved, but it fails:\n{body}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}\n{} wrong", wrong.join("\n"), wrong.len());
    assert!(found * 5 >= count && proved > 0, "{found} found, {proved} proved of {count}");
}
