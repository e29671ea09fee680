//! Verdicts that are remembered: a scan after an edit says exactly what a scan from nothing says, and decides again
//! only what has changed.

mod tool;

use serde_json::json;
use std::collections::BTreeSet;
use tool::Place;

/// A small random generator (xorshift), so that a failure can be repeated by its seed.
struct Random(u64);

impl Random {
    fn below(&mut self, n: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % n
    }
}

/// One line each, so that an edit need not move the others.
fn function(number: u64, random: &mut Random) -> String {
    let (a, b, c) = (random.below(9), random.below(9), random.below(5) + 1);
    let body = match random.below(8) {
        0 => format!("int s = {a}; for (int i = 0; i < {c}; i++) s += x; return s;"),
        1 => format!("int t[{c}]; t[x & 7] = {a}; return x + {b};"),
        2 => format!(
            "int *p = malloc(4); *p = x; int r = *p + {a}; if (r != {b}) free(p); return r;"
        ),
        3 => format!("assert(x != {a}); return x * {c};"),
        4 => format!("return {a} / (x - {b});"),
        5 => format!(
            "int y = __VERIFIER_nondet_int(), z = __VERIFIER_nondet_int(); \
             if (y > x && z < y - {a}) assert(y * {c} != z + x); return y;"
        ),
        6 => format!(
            "char y = __VERIFIER_nondet_char(); int t[{c} + 4]; t[y & 3] = x; \
             assert(t[y & 3] != {a} || y < {b}); return y;"
        ),
        _ => format!("total += x + {a}; return total;"),
    };
    let call = match number {
        0 => String::new(),
        _ => format!("if (x > {b}) x = f{}(x - 1); ", random.below(number)),
    };
    format!("static int f{number}(int x) {{ {call}{body} }}\n")
}

/// Functions of which some are called, and how `main` calls them: one of them, or each after the other.
fn program(functions: &[String], called: u64, in_sequence: bool, comment: &str) -> String {
    let head = "#include <assert.h>\n#include <stdlib.h>\nint total;\n\
                extern int __VERIFIER_nondet_int(void);\nextern char __VERIFIER_nondet_char(void);\n";
    let call = |n: u64| match in_sequence {
        true => format!("    f{n}(argc);\n"),
        false => format!("    if (argc == {n}) return f{n}(argc);\n"),
    };
    let calls: String = (0..called).map(call).collect();
    format!(
        "{head}{}int main(int argc, char **argv) {{ /* {comment} */\n{calls}    return 0;\n}}\n",
        functions.concat()
    )
}

/// Who may come before whom, by the way these programs are made: a function calls at most one other, and that first.
struct Order {
    callee: Vec<Option<usize>>,
    called: usize,
    in_sequence: bool,
}

impl Order {
    fn new(functions: &[String], called: u64, in_sequence: bool) -> Self {
        let calls = |text: &String, n: usize| text.contains(&format!("= f{n}("));
        let callee = |text: &String| (0..functions.len()).find(|&n| calls(text, n));
        Order {
            callee: functions.iter().map(callee).collect(),
            called: called as usize,
            in_sequence,
        }
    }

    fn below(&self, of: usize) -> BTreeSet<usize> {
        let mut all: BTreeSet<usize> = [of].into();
        all.extend(self.callee[of].into_iter().flat_map(|callee| self.below(callee)));
        all
    }

    /// What has been run when a function is called.
    fn above(&self, of: usize) -> BTreeSet<usize> {
        let mut all = BTreeSet::new();
        for caller in (0..self.callee.len()).filter(|&n| self.callee[n] == Some(of)) {
            all.insert(caller);
            all.extend(self.above(caller));
        }
        if self.in_sequence && of < self.called {
            all.extend((0..of).flat_map(|earlier| self.below(earlier)));
        }
        all
    }

    fn before(&self, of: usize) -> BTreeSet<usize> {
        &self.below(of) | &self.above(of)
    }

    fn is_reached(&self, of: usize) -> bool {
        (0..self.called).any(|root| self.below(root).contains(&of))
    }

    /// Whether a verdict in one may depend on the other.
    fn depend(&self, one: usize, other: usize) -> bool {
        self.before(one).contains(&other) || self.before(other).contains(&one)
    }
}

/// A report without who came first to prove something, which a busy machine decides.
fn verdicts(report: &str) -> String {
    report
        .lines()
        .filter(|line| !line.trim().starts_with("\"proof\":"))
        .collect::<Vec<_>>()
        .join("\n")
}

/// The functions that a scan says it decides anew, or all.
fn anew(said: &str) -> Option<Vec<String>> {
    if said.contains(RECALLED) || said.contains("decides nothing anew") {
        return Some(Vec::new());
    }
    let (_, names) = said.split_once("a: decides anew in ")?;
    let names = names.lines().next()?;
    assert!(!names.contains(" more "), "{said}");
    Some(names.split(", ").map(str::to_owned).collect())
}

fn scan(place: &Place, more: &[&str]) -> (String, String) {
    let mut arguments = vec!["--json=r.json", "--progress=always", "a.c"];
    arguments.extend(more);
    let scan = place.scan(&arguments);
    assert!(matches!(scan.code, Some(0 | 1)), "{scan:?}");
    (place.read("r.json"), scan.err)
}

const RECALLED: &str = "a: nothing has changed";

#[test]
fn warm_says_what_cold_says() {
    let rounds = std::env::var("CEGAS_INCREMENTAL").ok().and_then(|n| n.parse().ok());
    let mut spared = 0;
    for seed in 1..=rounds.unwrap_or(8_u64) {
        let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let place = Place::new();
        let count = 3 + random.below(4);
        let in_sequence = random.below(2) == 0;
        let mut functions: Vec<String> = (0..count).map(|n| function(n, &mut random)).collect();
        let mut called = 1 + random.below(count);
        place.write("a.c", &program(&functions, called, in_sequence, "first"));
        let (first, said) = scan(&place, &[]);
        assert!(anew(&said).is_none(), "{said}");
        let (again, said) = scan(&place, &[]);
        assert!(again == first && said.contains(RECALLED), "seed {seed}: {said}");
        for edit in 0..4 {
            let at = random.below(count);
            let before = Order::new(&functions, called, in_sequence);
            let kind = random.below(4);
            match kind {
                0 => called = 1 + random.below(count),
                1 => functions[at as usize].insert(0, '\n'),
                _ => functions[at as usize] = function(at, &mut random),
            }
            let after = Order::new(&functions, called, in_sequence);
            let earlier = place.read("a.c");
            place.write("a.c", &program(&functions, called, in_sequence, "edited"));
            let (warm, said) = scan(&place, &[]);
            let (cold, _) = scan(&place, &["--no-cache"]);
            let (warm, cold) = (verdicts(&warm), verdicts(&cold));
            assert!(warm == cold, "seed {seed}, edit {edit}:\n{warm}\ncold:\n{cold}");
            let anew = anew(&said).expect("not the first");
            let at = at as usize;
            for other in 0..count as usize {
                let is_anew = anew.contains(&format!("f{other}"));
                let may_be = match kind {
                    0 => true,
                    // A line moves: only a text that names one is of no use.
                    1 => (0..count as usize)
                        .any(|n| functions[n].contains("malloc") && after.depend(n, other)),
                    _ => before.depend(at, other) || after.depend(at, other),
                };
                let texts = || format!("{earlier}\nedited:\n{}", place.read("a.c"));
                assert!(
                    may_be || !is_anew,
                    "seed {seed}, edit {edit}: f{other}: {said}\n{}",
                    texts()
                );
                spared += usize::from(!is_anew && after.is_reached(other));
            }
        }
    }
    assert!(spared > 20, "only {spared} functions were spared");
}

/// A library: functions that the outside sees or not, variables that others may have set, and a type.
struct Library {
    functions: Vec<String>,
    visible: Vec<bool>,
    /// The length of an array in a struct, and what a variable holds at the start.
    length: u64,
    limit: u64,
}

impl Library {
    fn new(random: &mut Random) -> Library {
        let count = 3 + random.below(4);
        let functions = (0..count).map(|n| member(n, random)).collect();
        let visible = (0..count).map(|_| random.below(3) > 0).collect();
        Library { functions, visible, length: 2 + random.below(4), limit: random.below(6) }
    }

    fn text(&self) -> String {
        let functions = self.functions.iter().zip(&self.visible).map(|(text, visible)| {
            if *visible { text.replacen("static int", "int", 1) } else { text.clone() }
        });
        format!(
            "#include <assert.h>\n#include <stdlib.h>\nint total;\nstatic int limit = {};\n\
             struct s {{ int k; int t[{}]; struct s *next; }};\n\
             extern int __VERIFIER_nondet_int(void);\nextern char __VERIFIER_nondet_char(void);\n\
             int set_limit(int l) {{ limit = l; return l; }}\n{}",
            self.limit,
            self.length,
            functions.collect::<String>()
        )
    }
}

/// One of a library's functions: it may be given an object, or look at a variable.
fn member(number: u64, random: &mut Random) -> String {
    let plain = function(number, random);
    let (a, b) = (random.below(7), random.below(5));
    let body = match random.below(5) {
        0 => format!("struct s *p = q; if (p->next) return p->next->t[{a}]; return p->k;"),
        1 => format!("struct s *p = q; if (x >= 0 && x < limit) return p->t[x]; return {a};"),
        2 => format!("if (limit != {b}) return limit; return {a} / limit;"),
        _ => {
            let given = plain.replace("(int x)", "(int x, struct s *q)");
            // The call comes first, if there is one.
            let calls = usize::from(number > 0);
            return given.replacen("(x - 1);", "(x - 1, q);", calls);
        }
    };
    format!("static int f{number}(int x, struct s *q) {{ {body} }}\n")
}

#[test]
fn a_library_says_warm_what_it_says_cold() {
    let rounds = std::env::var("CEGAS_INCREMENTAL").ok().and_then(|n| n.parse().ok());
    let mut spared = 0;
    for seed in 1..=rounds.unwrap_or(6_u64) {
        let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let place = Place::new();
        let mut library = Library::new(&mut random);
        place.write("a.c", &library.text());
        scan(&place, &[]);
        for edit in 0..4 {
            let at = random.below(library.functions.len() as u64) as usize;
            let before = Order::new(&library.functions, 0, false);
            let kind = random.below(6);
            match kind {
                0 => library.length = 2 + random.below(4),
                1 => library.limit = random.below(6),
                2 => library.functions[at].insert(0, '\n'),
                _ => library.functions[at] = member(at as u64, &mut random),
            }
            let after = Order::new(&library.functions, 0, false);
            place.write("a.c", &library.text());
            let (warm, said) = scan(&place, &[]);
            let (cold, _) = scan(&place, &["--no-cache"]);
            let (warm, cold) = (verdicts(&warm), verdicts(&cold));
            assert!(warm == cold, "seed {seed}, edit {edit}:\n{warm}\ncold:\n{cold}");
            let anew = anew(&said).expect("not the first");
            for entry in (0..library.functions.len()).filter(|&n| library.visible[n]) {
                let is_anew = anew.contains(&format!("f{entry}"));
                let may_be = match kind {
                    0 | 1 => true,
                    2 => library.functions.iter().any(|text| text.contains("malloc")),
                    // What it is given is assumed where nobody inside calls it.
                    _ => before.depend(entry, at) || after.depend(entry, at),
                };
                assert!(
                    may_be || !is_anew,
                    "seed {seed}, edit {edit}: f{entry}: {said}\n{}",
                    library.text()
                );
                spared += usize::from(!is_anew);
            }
        }
    }
    assert!(spared > 20, "only {spared} entries were spared");
}

#[test]
fn an_edit_asks_only_what_it_can_change() {
    let place = Place::new();
    let text = |first: &str, second: &str| {
        format!(
            "#include <assert.h>\n#include <stdlib.h>\n\
             static int first(int x) {{ {first} }}\n\
             static int second(int x) {{ {second} }}\n\
             int main(int argc, char **argv) {{ if (argc > 3) return first(argc); return second(argc); }}\n"
        )
    };
    // Hopeless: what time cut off is not tried again for as long.
    let hard = "unsigned n = (unsigned)x, k = 0; while (n != 1) { n = n % 2 ? 3 * n + 1 : n / 2; k++; } assert(k != 77777); return 0;";
    place.write("a.c", &text(hard, "assert(x != 9); return x;"));
    let scan = |timeout: &str| scan(&place, &["--rules=assertion", timeout]);
    assert_eq!(anew(&scan("--timeout=2").1), None);
    place.write("a.c", &text(hard, "assert(x != 2); return x;"));
    let (told, said) = scan("--timeout=2");
    assert_eq!(anew(&said), Some(vec!["second".to_owned()]), "{said}");
    let told: serde_json::Value = serde_json::from_str(&told).unwrap();
    let verdicts: Vec<_> =
        told["obligations"].as_array().unwrap().iter().map(|o| &o["verdict"]).collect();
    assert_eq!(verdicts, ["unknown", "unsafe"], "{told}");
    place.write("a.c", &text(hard, "assert(x != 1); return x;"));
    let (_, said) = scan("--timeout=1");
    assert_eq!(anew(&said), Some(vec!["second".to_owned()]), "less time decides no more: {said}");
    place.write("a.c", &text(hard, "assert(x != 0); return x;"));
    let (_, said) = scan("--timeout=3");
    assert_eq!(anew(&said), Some(vec!["first".to_owned(), "second".to_owned()]), "{said}");
}

#[test]
fn what_is_left_out_of_the_model_is_no_matter_to_what_comes_not_after_it() {
    let place = Place::new();
    let text = "#include <assert.h>\n\
        static int odd(int x) { __asm__ volatile(\"nop\" : \"+r\"(x)); assert(x == 5); return x; }\n\
        static int even(int x) { int y = x & 7; assert(y * y < 50); return y; }\n\
        int main(int argc, char **argv) { int r = even(argc); if (r) return odd(argc); return even(r); }\n";
    place.write("a.c", text);
    let (told, _) = scan(&place, &["--rules=assertion"]);
    let told: serde_json::Value = serde_json::from_str(&told).unwrap();
    let verdicts: Vec<_> =
        told["obligations"].as_array().unwrap().iter().map(|o| &o["verdict"]).collect();
    assert_eq!(verdicts, ["unknown", "safe"], "{told}");
}

#[test]
fn what_verdicts_depend_on_is_decided_again() {
    let place = Place::new();
    let text =
        "#include <stdlib.h>\nint main(void) { int *p = malloc(4); *p = 1; free(p); return 0; }\n";
    place.write("a.c", text);
    let recalls = |more: &[&str]| scan(&place, more).1.contains(RECALLED);
    assert!(!recalls(&[]) && recalls(&[]));
    assert!(recalls(&["--timeout=3"]), "what was decided in time needs no more of it");
    assert!(!recalls(&["--malloc-may-fail"]) && !recalls(&["--rules=leak"]));
    assert!(!recalls(&["--no-cache"]) && recalls(&[]));
    place.write("a.c", &text.replace("return 0; }", "return 0; } // a comment that moves nothing"));
    assert!(recalls(&[]));
    place.write("a.c", &format!("\n{text}"));
    assert!(!recalls(&[]), "places are part of verdicts");
}

#[test]
fn only_the_targets_of_an_edited_unit_are_decided_again() {
    let place = Place::new();
    let text =
        "#include <assert.h>\nint main(int argc, char **argv) { assert(argc != 7); return 0; }\n";
    let names = ["one.c", "two.c"];
    names.iter().for_each(|name| drop(place.write(name, text)));
    write_database(&place, &names);
    let scan = || place.scan(&["--progress=always", "--json=r.json"]).err;
    let recalled =
        |said: &str| names.map(|n| said.contains(&format!("{}: nothing has changed", &n[..3])));
    assert_eq!(recalled(&scan()), [false, false]);
    place.write("two.c", &text.replace('7', "8"));
    assert_eq!(recalled(&scan()), [true, false]);
    assert_eq!(recalled(&scan()), [true, true]);
}

fn write_database(place: &Place, files: &[&str]) {
    let entry = |file: &&str| json!({ "directory": place.dir(), "file": file, "arguments": ["cc", "-c", file] });
    let entries: Vec<_> = files.iter().map(entry).collect();
    place.write("compile_commands.json", &json!(entries).to_string());
}

#[test]
fn only_programs_that_come_to_an_edited_function_are_decided_again() {
    let place = Place::new();
    let both = |one: &str, two: &str| {
        let head = "#include <assert.h>\n#include <stdio.h>\nint count;\n";
        format!("{head}int first(int x) {{ {one} }}\nint second(int x) {{ {two} }}\n")
    };
    let user = |name: &str| format!("int {name}(int);\nint main(void) {{ return {name}(4); }}\n");
    place.write("one.c", &user("first"));
    place.write("two.c", &user("second"));
    let (one, two) = ("assert(x == 4); puts(\"a\"); return x;", "assert(x == 5); return 3;");
    place.write("shared.c", &both(one, two));
    let names = ["one.c", "two.c", "shared.c"];
    write_database(&place, &names);
    let scan = |more: &[&str]| {
        let mut arguments = vec!["--progress=always", "--json=r.json"];
        arguments.extend(more);
        let said = place.scan(&arguments).err;
        let recalled = ["one", "two"].map(|n| said.contains(&format!("{n}: nothing has changed")));
        (recalled, place.read("r.json"))
    };
    assert_eq!(scan(&[]).0, [false, false]);
    // New constants, texts and types come first in the unit's tables, and must not change what is behind them.
    let other = "struct { short a[7]; } s = { { 4, x } }; count += s.a[1]; puts(\"b\"); return 4;";
    for (one, two, recalled) in [
        (one, other, [true, false]),
        ("assert(x == 4 + 0 * count); return x;", other, [false, true]),
        (one, two, [true, true]),
    ] {
        place.write("shared.c", &both(one, two));
        let (told, warm) = scan(&[]);
        assert_eq!(told, recalled, "{one} {two}");
        let (_, cold) = scan(&["--no-cache"]);
        assert!(warm == cold, "{warm}\n{cold}");
    }
}

#[test]
fn what_no_execution_comes_to_is_proved() {
    let place = Place::new();
    let text = "#include <assert.h>\nstatic void never(int x) { assert(x == 5); }\n\
                void (*unused)(int) = never;\nint other(void) { never(4); return 0; }\n\
                int used(int x) { assert(x == 5); return x; }\nint (*taken)(int) = used;\n\
                int main(void) { return taken(4); }\n";
    place.write("a.c", text);
    let (report, _) = scan(&place, &["--rules=assertion"]);
    let report: serde_json::Value = serde_json::from_str(&report).unwrap();
    let verdicts: Vec<_> =
        report["obligations"].as_array().unwrap().iter().map(|o| &o["verdict"]).collect();
    assert_eq!(verdicts, ["safe", "unsafe"], "{report}");
}
