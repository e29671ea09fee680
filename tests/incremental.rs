//! Verdicts that are remembered: a scan after an edit says exactly what a scan from nothing says, and decides again
//! only what has changed.

mod tool;

use serde_json::json;
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
    let body = match random.below(6) {
        0 => format!("int s = {a}; for (int i = 0; i < {c}; i++) s += x; return s;"),
        1 => format!("int t[{c}]; t[x & 7] = {a}; return x + {b};"),
        2 => format!(
            "int *p = malloc(4); *p = x; int r = *p + {a}; if (r != {b}) free(p); return r;"
        ),
        3 => format!("assert(x != {a}); return x * {c};"),
        4 => format!("return {a} / (x - {b});"),
        _ => format!("total += x + {a}; return total;"),
    };
    let call = match number {
        0 => String::new(),
        _ => format!("if (x > {b}) x = f{}(x - 1); ", random.below(number)),
    };
    format!("static int f{number}(int x) {{ {call}{body} }}\n")
}

/// Functions of which some are called, and how `main` calls them.
fn program(functions: &[String], called: u64, comment: &str) -> String {
    let head = "#include <assert.h>\n#include <stdlib.h>\nint total;\n";
    let calls: String =
        (0..called).map(|n| format!("    if (argc == {n}) return f{n}(argc);\n")).collect();
    format!(
        "{head}{}int main(int argc, char **argv) {{ /* {comment} */\n{calls}    return 0;\n}}\n",
        functions.concat()
    )
}

/// The functions that `main` comes to.
fn reached(functions: &[String], called: u64) -> Vec<bool> {
    let mut reached: Vec<bool> = (0..functions.len() as u64).map(|n| n < called).collect();
    // Functions call earlier ones only.
    for caller in (0..functions.len()).rev() {
        for callee in 0..caller {
            reached[callee] |=
                reached[caller] && functions[caller].contains(&format!("= f{callee}("));
        }
    }
    reached
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
    for seed in 1..=8_u64 {
        let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let place = Place::new();
        let count = 3 + random.below(4);
        let mut functions: Vec<String> = (0..count).map(|n| function(n, &mut random)).collect();
        let mut called = 1 + random.below(count);
        place.write("a.c", &program(&functions, called, "first"));
        let (first, said) = scan(&place, &[]);
        assert!(!said.contains(RECALLED), "{said}");
        let (again, said) = scan(&place, &[]);
        assert!(again == first && said.contains(RECALLED), "seed {seed}: {said}");
        for edit in 0..3 {
            let at = random.below(count);
            let mut moves_nothing_reached = false;
            match random.below(3) {
                0 => {
                    moves_nothing_reached = !reached(&functions, called)[at as usize];
                    functions[at as usize] = function(at, &mut random);
                }
                1 => called = 1 + random.below(count),
                _ => functions[at as usize].insert(0, '\n'),
            }
            place.write("a.c", &program(&functions, called, "edited"));
            let (warm, said) = scan(&place, &[]);
            assert!(!moves_nothing_reached || said.contains(RECALLED), "seed {seed}: {said}");
            let (cold, _) = scan(&place, &["--no-cache"]);
            assert!(warm == cold, "seed {seed}, edit {edit}:\n{warm}\ncold:\n{cold}");
        }
    }
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
