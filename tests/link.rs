//! Programs of several files, linked as a C linker does: what each rule of linking decides is asserted in `main`,
//! the same files are compiled and run natively, and the verdict has to agree. The assertion's negation has to
//! be refuted, so that a program which does nothing passes no test.

mod tool;

use std::process::Command;
use tool::{Place, Ran};

/// The files of a program, without the one with `main`.
type Files<'a> = &'a [(&'a str, &'a str)];

/// Writes the files and one command that makes a program of them, in this order.
fn program(files: Files<'_>, flags: &[&str]) -> Place {
    let place = Place::new();
    for (name, text) in files {
        place.write(name, text);
    }
    let dir = place.dir();
    let names: Vec<&str> = files.iter().map(|(name, _)| *name).collect();
    let words = ["cc"].iter().chain(flags).chain(&names).chain(&["-o", "prog"]);
    let arguments: Vec<&str> = words.copied().collect();
    let entry =
        |file: &&str| serde_json::json!({ "directory": dir, "file": file, "arguments": arguments });
    let database: Vec<serde_json::Value> = names.iter().map(entry).collect();
    place.write("compile_commands.json", &serde_json::to_string(&database).expect("JSON"));
    place
}

fn scan(place: &Place, more: &[&str]) -> Ran {
    place.scan(&[&["--timeout", "20", "compile_commands.json"], more].concat())
}

/// How the program ends when it is run.
fn runs(place: &Place, files: Files<'_>, flags: &[&str]) -> bool {
    let mut clang = Command::new("clang-19");
    clang.current_dir(place.dir()).args(["-w", "-O0"]).args(flags);
    let built = clang.args(files.iter().map(|(name, _)| name)).args(["-o", "prog"]).output();
    let built = built.expect("clang-19 runs");
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    Command::new(place.dir().join("prog")).output().expect("the program runs").status.success()
}

/// `claim` holds in `main`, says the machine and says the tool.
#[track_caller]
fn holds_with(flags: &[&str], claim: &str, declared: &str, files: Files<'_>) {
    for (claim, expected) in [(claim.to_owned(), true), (format!("!({claim})"), false)] {
        let main = format!(
            "#include <assert.h>\n#include <stddef.h>\n{declared}\nint main(void) {{ assert({claim}); return 0; }}\n"
        );
        let all: Vec<(&str, &str)> = [files, &[("main.c", main.as_str())]].concat();
        let place = program(&all, flags);
        assert_eq!(runs(&place, &all, flags), expected, "natively: {claim}");
        let ran = scan(&place, &["--rules", "assertion"]);
        let verdict = if expected { "verdict: safe" } else { "verdict: unsafe" };
        assert!(ran.out.contains(verdict), "{claim}: {ran:?}");
    }
}

#[track_caller]
fn holds(claim: &str, declared: &str, files: Files<'_>) {
    holds_with(&[], claim, declared, files);
}

/// The text form of the whole program.
#[track_caller]
fn model(files: Files<'_>) -> String {
    let place = program(files, &[]);
    let dump = scan(&place, &["--dump=ir", "-q"]);
    assert_eq!(dump.code, Some(0), "{dump:?}");
    let again = scan(&place, &["--dump=ir", "-q", "-j1", "--no-cache"]);
    assert_eq!(dump.out, again.out, "with and without a cache, with one worker and several");
    dump.out
}

#[test]
fn a_strong_definition_beats_a_weak_one_wherever_it_stands() {
    let weak =
        ("weak.c", "__attribute__((weak)) int f(void) { return 1; } int g(void) { return f(); }");
    let strong = ("strong.c", "int f(void) { return 2; }");
    holds("f() == 2 && g() == 2", "int f(void); int g(void);", &[weak, strong]);
    holds("f() == 2 && g() == 2", "int f(void); int g(void);", &[strong, weak]);
}

#[test]
fn the_first_of_two_weak_definitions_stays() {
    let one =
        ("one.c", "__attribute__((weak)) int f(void) { return 1; } int g(void) { return f(); }");
    let two =
        ("two.c", "__attribute__((weak)) int f(void) { return 2; } int h(void) { return f(); }");
    holds(
        "f() == 1 && g() == 1 && h() == 1",
        "int f(void); int g(void); int h(void);",
        &[one, two],
    );
}

#[test]
fn weak_variables_give_way_with_their_contents() {
    let weak = ("weak.c", "__attribute__((weak)) int x = 1; int *where = &x;");
    let strong = ("strong.c", "int x = 2;");
    holds("x == 2 && *where == 2 && where == &x", "extern int x, *where;", &[weak, strong]);
}

#[test]
fn what_is_declared_weak_is_found() {
    let asks = ("asks.c", "__attribute__((weak)) int f(void); int has(void) { return f != 0; }");
    let there = ("there.c", "int f(void) { return 1; }");
    holds("has()", "int has(void);", &[asks, there]);
}

#[test]
fn statics_of_one_name_stay_apart() {
    let one = (
        "one.c",
        "static int n = 1; static int f(void) { return n; } int one(void) { return f(); }",
    );
    let two = (
        "two.c",
        "static int n = 2; static int f(void) { return n; } int two(void) { return f(); }",
    );
    holds("one() == 1 && two() == 2", "int one(void); int two(void);", &[one, two]);
    let text = model(&[one, two, ("main.c", "int one(void); int main(void) { return one(); }")]);
    for name in ["@f(", "@f.1(", "@n:", "@n.1:"] {
        assert!(text.contains(name), "{name} is not in:\n{text}");
    }
}

#[test]
fn a_static_gives_its_printed_name_to_what_others_see() {
    let own = ("own.c", "static int f(void) { return 1; } int one(void) { return f(); }");
    let seen = ("seen.c", "int f(void) { return 2; }");
    holds("one() == 1 && f() == 2", "int one(void); int f(void);", &[own, seen]);
}

#[test]
fn of_common_variables_the_largest_is_the_one() {
    let small = ("small.c", "int shared; int *first(void) { return &shared; }");
    let large = ("large.c", "int shared[4]; int *all(void) { return shared; }");
    let claim = "all() == first() && (all()[3] = 7, all()[3] == 7)";
    for files in [[small, large], [large, small]] {
        holds_with(&["-fcommon"], claim, "int *all(void), *first(void);", &files);
    }
    let aligned = ("aligned.c", "__attribute__((aligned(64))) int shared;");
    let place = program(
        &[aligned, small, large, ("main.c", "int main(void) { return 0; }")],
        &["-fcommon"],
    );
    let dump = scan(&place, &["--dump=ir", "-q"]).out;
    assert!(dump.contains("@shared: [4 x i32] size 16 align 64 external"), "{dump}");
}

#[test]
fn a_definition_beats_a_common_one_and_a_common_one_a_weak_one() {
    let common = ("common.c", "int x; int *common(void) { return &x; }");
    let defined = ("defined.c", "int x = 5;");
    let weak = ("weak.c", "__attribute__((weak)) int x = 6;");
    for files in [[common, defined], [defined, common]] {
        holds_with(
            &["-fcommon"],
            "*common() == 5 && &x == common()",
            "extern int x, *common(void);",
            &files,
        );
    }
    for files in [[common, weak], [weak, common]] {
        holds_with(
            &["-fcommon"],
            "*common() == 0 && &x == common()",
            "extern int x, *common(void);",
            &files,
        );
    }
}

#[test]
fn another_unit_finds_an_alias_by_its_name() {
    let defines = (
        "defines.c",
        "static int real(int x) { return x + 1; } int other(int x) __attribute__((alias(\"real\")));
         int pair[2] = { 3, 4 }; extern int same[2] __attribute__((alias(\"pair\")));",
    );
    let uses = (
        "uses.c",
        "extern int same[2]; int *second = &same[1]; int other(int); int use(void) { return other(*second); }",
    );
    holds(
        "use() == 5 && other(1) == 2 && same[0] == 3 && pair[1] == 4",
        "int use(void); int other(int); extern int same[2], pair[2];",
        &[uses, defines],
    );
    holds(
        "use() == 5 && other(1) == 2 && same[0] == 3 && pair[1] == 4",
        "int use(void); int other(int); extern int same[2], pair[2];",
        &[defines, uses],
    );
}

#[test]
fn a_weak_alias_gives_way_to_a_definition() {
    let aliased = (
        "aliased.c",
        "int __f(void) { return 1; } extern int f(void) __attribute__((weak, alias(\"__f\")));
         int inside(void) { return f(); } int (*pointer)(void) = f;",
    );
    let own = ("own.c", "int f(void) { return 2; }");
    let declared = "int f(void); int __f(void); int inside(void); extern int (*pointer)(void);";
    holds("f() == 1 && inside() == 1 && pointer() == 1", declared, &[aliased]);
    for files in [[aliased, own], [own, aliased]] {
        holds("f() == 2 && inside() == 2 && pointer() == 2 && __f() == 1", declared, &files);
    }
}

#[test]
fn an_alias_is_of_the_definition_even_if_that_one_loses_its_name() {
    let aliased = (
        "aliased.c",
        "__attribute__((weak)) int f(void) { return 1; } extern int kept(void) __attribute__((alias(\"f\")));",
    );
    let own = ("own.c", "int f(void) { return 2; }");
    holds("f() == 2 && kept() == 1", "int f(void); int kept(void);", &[aliased, own]);
}

#[test]
fn an_array_without_a_length_has_the_length_of_its_definition() {
    let uses = ("uses.c", "extern int a[]; int last(void) { return a[3]; }");
    let defines = ("defines.c", "int a[4] = { 1, 2, 3, 4 };");
    holds("last() == 4", "int last(void);", &[uses, defines]);
    let text = model(&[uses, ("more.c", "extern int a[4]; int main(void) { return a[0]; }")]);
    assert!(text.contains("@a: [4 x i32] size 16"), "the declaration that says more:\n{text}");
}

#[test]
fn thread_locals_and_constants_are_what_their_definition_says() {
    let uses =
        ("uses.c", "extern _Thread_local int t; extern int c; int sum(void) { return t + c; }");
    let defines = ("defines.c", "_Thread_local int t = 3; const int c = 4;");
    holds("sum() == 7", "int sum(void);", &[uses, defines]);
    let text =
        model(&[uses, defines, ("main.c", "int sum(void); int main(void) { return sum(); }")]);
    for words in
        ["@t: i32 size 4 align 4 external thread_local", "@c: i32 size 4 align 4 external constant"]
    {
        assert!(text.contains(words), "{words} is not in:\n{text}");
    }
}

#[test]
fn a_declaration_of_another_type_makes_an_indirect_call() {
    let defines = (
        "defines.c",
        "int f(int x, int y) { return x + y; } void nothing(void) {} int one(void) { return 1; }",
    );
    let files = [
        (
            "main.c",
            "int f(int); int nothing(void); int one(int); int main(void) { f(1); nothing(); return one(7); }",
        ),
        defines,
    ];
    for files in [files, [files[1], files[0]]] {
        let text = model(&files);
        for call in ["call ptr @f(i32 1)", "= call ptr @nothing()", "call @one(i32 7)"] {
            assert!(text.contains(call), "{call} is not in:\n{text}");
        }
    }
}

#[test]
fn an_old_style_declaration_calls_the_definition_of_another_unit() {
    let uses = ("uses.c", "int f(); int (*pointer)() = f; int use(void) { return f(1, 2); }");
    let defines = ("defines.c", "int f(int x, int y) { return x * 10 + y; }");
    holds_with(
        &["-std=gnu11"],
        "use() == 12 && pointer(3, 4) == 34",
        "int use(void); extern int (*pointer)();",
        &[uses, defines],
    );
}

#[test]
fn a_variable_may_be_declared_as_a_function() {
    let uses = ("uses.c", "void thing(void); void *where(void) { return (void *)thing; }");
    let defines = ("defines.c", "int thing = 3;");
    holds("*(int *)where() == 3", "void *where(void);", &[uses, defines]);
}

#[test]
fn constructors_run_by_priority_across_units() {
    let order = ("order.c", "int order[4]; int count;");
    let late = (
        "late.c",
        "extern int order[4], count;
         __attribute__((constructor(300))) static void third(void) { order[count++] = 3; }
         __attribute__((constructor)) static void last(void) { order[count++] = 4; }",
    );
    let early = (
        "early.c",
        "extern int order[4], count;
         __attribute__((constructor(200))) static void second(void) { order[count++] = 2; }
         __attribute__((constructor(150))) static void first(void) { order[count++] = 1; }",
    );
    let claim = "count == 4 && order[0] == 1 && order[1] == 2 && order[2] == 3 && order[3] == 4";
    holds(claim, "extern int order[4], count;", &[late, early, order]);
    let destructor = |name: &str, priority: u32| {
        format!("__attribute__((destructor({priority}))) static void {name}(void) {{}}")
    };
    let (a, b) = (destructor("a", 200) + &destructor("c", 150), destructor("b", 300));
    let text = model(&[("a.c", &a), ("b.c", &b), ("main.c", "int main(void) { return 0; }")]);
    assert!(text.contains("destructor @b\ndestructor @a\ndestructor @c\n"), "{text}");
}

#[test]
fn a_symbol_defined_twice_stays_with_each_definer() {
    let one = ("one.c", "int f(void) { return 1; } int x = 1; int one(void) { return f() + x; }");
    let two = ("two.c", "int f(void) { return 2; } int x = 2; int two(void) { return f() + x; }");
    let main = (
        "main.c",
        "#include <assert.h>\nint one(void); int two(void); int f(void);
         int main(void) { assert(one() == 2 && two() == 4 && f() == 1); return 0; }",
    );
    let place = program(&[one, two, main], &[]);
    let ran = scan(&place, &["--rules", "assertion"]);
    assert!(ran.out.contains("verdict: safe"), "{ran:?}");
    for name in ["f", "x"] {
        let note = format!("`{name}` is defined in one.c and again in two.c; each keeps its own");
        assert!(ran.err.contains(&note) || ran.out.contains(&note), "{note} is not in {ran:?}");
    }
}

#[test]
fn a_second_copy_that_nobody_uses_stays_away() {
    let one = ("one.c", "int f(void) { return 1; }");
    let two = ("two.c", "static int inner(void) { return 2; } int f(void) { return inner(); }");
    let text = model(&[one, two, ("main.c", "int f(void); int main(void) { return f(); }")]);
    assert!(!text.contains("@f.1") && !text.contains("@inner"), "{text}");
}

#[test]
fn a_weak_body_that_gave_way_takes_along_what_only_it_needs() {
    let weak = (
        "weak.c",
        "void only_here(void); static int n; static int helper(void) { return ++n; }
         __attribute__((weak)) int f(int x) {
             static void *labels[] = { &&a, &&b };
             only_here(); goto *labels[x & 1]; a: return helper(); b: return 0; }",
    );
    let strong = ("strong.c", "int f(int x) { return x; }");
    let text = model(&[weak, strong, ("main.c", "int f(int); int main(void) { return f(0); }")]);
    for name in ["@only_here", "@helper", "@n:", "@f.labels"] {
        assert!(!text.contains(name), "{name} is in:\n{text}");
    }
}

#[test]
fn a_model_used_from_two_units_is_there_once() {
    let one = (
        "one.c",
        "#include <string.h>\nint one(const char *s) { return strcmp(s, \"one\") == 0; }",
    );
    let two = (
        "two.c",
        "#include <string.h>\nint two(const char *s) { return strcmp(s, \"two\") == 0; }",
    );
    holds(
        "one(\"one\") && two(\"two\") && !one(\"two\")",
        "int one(const char *), two(const char *);",
        &[one, two],
    );
    let main = ("main.c", "int one(const char *); int main(int c, char **v) { return one(v[0]); }");
    let text = model(&[one, two, main]);
    assert_eq!(text.lines().filter(|l| l.starts_with("func ") && l.contains("@strcmp")).count(), 1);
}

#[test]
fn a_function_of_the_users_own_is_not_replaced_by_a_model() {
    let own = ("own.c", "int strcmp(const char *a, const char *b) { return 42; }");
    let uses = (
        "uses.c",
        "int strcmp(const char *, const char *); int use(void) { return strcmp(\"a\", \"a\"); }",
    );
    holds_with(&["-fno-builtin"], "use() == 42", "int use(void);", &[uses, own]);
}

#[test]
fn a_model_may_need_another_one() {
    let uses = (
        "uses.c",
        "#include <stdio.h>\nchar text[8]; int use(int n) { return sprintf(text, \"%d\", n); }",
    );
    holds(
        "use(12) == 2 && text[0] == '1' && text[1] == '2' && text[2] == 0",
        "int use(int); extern char text[8];",
        &[uses],
    );
    let text = model(&[uses, ("main.c", "int use(int); int main(void) { return use(1); }")]);
    assert!(text.contains("@vsnprintf("), "{text}");
}

#[test]
fn units_for_different_machines_are_no_program() {
    let place = Place::new();
    let dir = place.dir();
    for (name, text) in [
        ("a.c", "int f(void) { return 1; }"),
        ("b.c", "int f(void); int main(void) { return f(); }"),
    ] {
        place.write(name, text);
    }
    let entry = |file: &str, flag: &str| serde_json::json!({ "directory": dir, "file": file, "arguments": ["cc", flag, "-c", file] });
    let database = serde_json::json!([entry("a.c", "-m32"), entry("b.c", "-m64")]);
    place.write("compile_commands.json", &database.to_string());
    let ran = scan(&place, &[]);
    let said = format!("{}{}", ran.out, ran.err);
    assert!(said.contains("a.c") && said.contains("compiled for different machines"), "{ran:?}");
}

#[test]
fn a_damaged_unit_in_the_cache_is_made_anew() {
    let files = [
        ("one.c", "int f(void) { return 1; }"),
        ("main.c", "int f(void); int main(void) { return f(); }"),
    ];
    let place = program(&files, &[]);
    let first = scan(&place, &["--dump=ir", "-q"]);
    let mut damaged = 0;
    let mut folders = vec![place.cache()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("a folder").flatten() {
            let path = entry.path();
            let text = path.to_string_lossy().into_owned();
            if path.is_dir() {
                folders.push(path);
            } else if text.contains("/units/") || text.contains("/programs/") {
                let mut bytes = std::fs::read(&path).expect("an entry");
                let end = bytes.len() * 2 / 3;
                bytes.truncate(end);
                bytes[end / 2] ^= 0x55;
                std::fs::write(&path, bytes).expect("written");
                damaged += 1;
            }
        }
    }
    assert_eq!(damaged, 3, "two units and a program");
    let second = scan(&place, &["--dump=ir", "-q"]);
    assert_eq!((first.code, first.out), (second.code, second.out));
}
