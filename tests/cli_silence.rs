//! Silencing findings as a user does it: comments, baselines, and what the exit code says then.

mod tool;

use serde_json::Value;
use tool::Place;

/// Two assertions that fail, each in a function of its own.
const TWO: &str = "#include <assert.h>\n\
    static void one(int x) {\n    assert(x == 1);\n}\n\
    int main(int argc, char **argv) {\n    if (argc > 1) assert(argc == 1);\n    one(2);\n    return 0;\n}\n";

fn scan(place: &Place, more: &[&str]) -> tool::Ran {
    let mut arguments = vec!["--rules=assertion", "--sarif=r.sarif", "--json=r.json", "a.c"];
    arguments.extend(more);
    place.scan(&arguments)
}

fn results(place: &Place) -> usize {
    let log: Value = serde_json::from_str(&place.read("r.sarif")).expect("SARIF is JSON");
    log["runs"][0]["results"].as_array().map_or(0, Vec::len)
}

#[test]
fn a_comment_silences_its_line() {
    let place = Place::new();
    place.write("a.c", TWO);
    assert_eq!((scan(&place, &[]).code, results(&place)), (Some(1), 2));

    let ignored = TWO
        .replace("(x == 1);", "(x == 1); // cegas-ignore: assertion a test of the test")
        .replace(
            "    if (argc",
            "    /* cegas-ignore: assertion nobody passes arguments */\n    if (argc",
        );
    place.write("a.c", &ignored);
    let silent = scan(&place, &[]);
    assert_eq!((silent.code, results(&place)), (Some(0), 0), "{silent:?}");
    assert!(silent.out.contains("2 silenced"), "{silent:?}");
    let report: Value = serde_json::from_str(&place.read("r.json")).expect("JSON");
    assert_eq!(report["verdict"], "unsafe", "silence changes nothing about the program");
    assert_eq!(report["obligations"][0]["silenced"]["reason"], "a test of the test");

    scan(&place, &["--sarif-keep-suppressed"]);
    assert_eq!(results(&place), 2);
    let log: Value = serde_json::from_str(&place.read("r.sarif")).expect("JSON");
    let kept = &log["runs"][0]["results"][0]["suppressions"][0];
    assert_eq!(
        (&kept["kind"], &kept["justification"]),
        (&"inSource".into(), &"a test of the test".into())
    );
}

#[test]
fn a_comment_before_code_is_about_that_code() {
    let place = Place::new();
    let two = "#include <assert.h>\nint main(int argc, char **argv) {\n    \
        /* cegas-ignore: assertion known */ if (argc == 2) assert(argc != 2);\n    \
        if (argc == 3) assert(argc != 3);\n    return 0;\n}\n";
    place.write("a.c", two);
    let one = scan(&place, &[]);
    assert_eq!((one.code, results(&place)), (Some(1), 1), "{one:?}");
    assert!(one.out.contains("a.c:4:") && !one.out.contains("silences nothing"), "{one:?}");
    let report: Value = serde_json::from_str(&place.read("r.json")).expect("JSON");
    assert_eq!(report["obligations"][0]["silenced"]["reason"], "known");
}

#[test]
fn a_text_in_the_program_silences_nothing() {
    let place = Place::new();
    let ignored = TWO.replace(
        "    one(2);",
        "    puts(\"write // cegas-ignore: RULE reason\");\n    \
         (void)\"cegas-ignore\"; one(2);",
    );
    let ignored = ignored
        .replace("#include", "#include <stdio.h>\n#include")
        .replace("(x == 1);", "(x == 1 && \"cegas-ignore\"); // cegas-ignore: assertion behind it");
    place.write("a.c", &ignored);
    let scan = scan(&place, &[]);
    assert_eq!((scan.code, results(&place)), (Some(1), 1), "{scan:?}");
}

#[test]
fn a_comment_that_silences_nothing_is_told() {
    let place = Place::new();
    place.write(
        "a.c",
        "#include <assert.h>\nint main(void) {\n    // cegas-ignore: assertion it was wrong once\n    \
         assert(1 + 1 == 2);\n    int x = 1; // cegas-ignore: leak not checked here\n    assert(x);\n    return 0;\n}\n",
    );
    let scan = scan(&place, &[]);
    assert_eq!(scan.code, Some(0), "{scan:?}");
    assert!(
        scan.out.contains("a.c:3: note: `cegas-ignore: assertion` silences nothing"),
        "{scan:?}"
    );
    assert!(!scan.out.contains("cegas-ignore: leak"), "that rule was not looked at: {scan:?}");
    let part = place.scan(&["--rules=assertion", "--entry=main", "a.c"]);
    assert!(!part.out.contains("silences nothing"), "it may be right about the rest: {part:?}");
}

#[test]
fn a_malformed_comment_is_refused() {
    let place = Place::new();
    for (comment, words) in [
        ("// cegas-ignore: asertion x", "did you mean `assertion`?"),
        ("// cegas-ignore: assertion", "reason"),
        ("// cegas-ignore assertion x", "expected"),
    ] {
        place.write("a.c", &TWO.replace("(x == 1);", &format!("(x == 1); {comment}")));
        place.write("r.json", "old");
        scan(&place, &[]).refused(&["a.c:3: ", words]);
        assert_eq!(place.read("r.json"), "old");
    }
}

#[test]
fn comments_in_headers_without_code_are_read() {
    let place = Place::new();
    place.write("a.c", &format!("#include \"inc/b.h\"\n{TWO}"));
    place.write("inc/b.h", "// cegas-ignore: assertion nothing is here\n");
    let unused = scan(&place, &[]);
    assert_eq!((unused.code, results(&place)), (Some(1), 2), "{unused:?}");
    let note = "inc/b.h:1: note: `cegas-ignore: assertion` silences nothing";
    assert!(unused.out.contains(note), "{unused:?}");
    place.write("r.json", "old");
    place.write("inc/b.h", "// cegas-ignore: asertion x\n");
    scan(&place, &[]).refused(&["inc/b.h:1: ", "did you mean `assertion`?"]);
    assert_eq!(place.read("r.json"), "old");
}

#[test]
fn the_settings_file_silences_paths_and_rules() {
    let place = Place::new();
    place.write("lib/b.h", "#include <assert.h>\nstatic void two(int x) { assert(x == 7); }\n");
    let more = TWO
        .replace("static void one", "#include \"lib/b.h\"\nstatic void one")
        .replace("    if (argc", "    if (argc > 3) two(1);\n    if (argc");
    place.write("a.c", &more);
    assert_eq!((scan(&place, &[]).code, results(&place)), (Some(1), 3));
    let ignore = |path: &str, rules: &str| {
        let text = format!("[[ignore]]\npath = '{path}'\nrules = {rules}\nreason = 'not ours'\n");
        place.write("cegas.toml", &text);
    };
    ignore("lib/**", "['assertion', 'leak']");
    assert_eq!((scan(&place, &[]).code, results(&place)), (Some(1), 2));
    let report: Value = serde_json::from_str(&place.read("r.json")).expect("JSON");
    let silenced = report["obligations"].as_array().expect("a list").iter();
    let silenced: Vec<_> = silenced.filter(|o| !o["silenced"].is_null()).collect();
    assert_eq!(silenced.len(), 1);
    assert_eq!(silenced[0]["silenced"]["by"], "settings");
    assert_eq!(silenced[0]["location"]["file"], "lib/b.h");

    ignore("other", "'assertion'");
    let unused = scan(&place, &[]);
    assert_eq!(results(&place), 3);
    let note = "cegas.toml: note: the ignore of `other` silences nothing; remove it";
    assert!(unused.out.contains(note), "{unused:?}");
    ignore("lib", "'leak'");
    assert_eq!(results(&place), 3);
    assert!(!scan(&place, &[]).out.contains("silences nothing"), "that rule was not looked at");

    ignore("lib", "'leek'");
    scan(&place, &[]).refused(&["cegas.toml", "ignore `lib`", "did you mean `leak`?"]);
    ignore("[", "[]");
    scan(&place, &[]).refused(&["cegas.toml", "ignore `[`"]);
    place.write("cegas.toml", "[[ignore]]\npath = 'lib'\n");
    scan(&place, &[]).refused(&["cegas.toml:1", "reason"]);
}

#[test]
fn a_baseline_survives_moved_lines() {
    let place = Place::new();
    place.write("a.c", TWO);
    let first = scan(&place, &["--write-baseline=b.json"]);
    assert_eq!(
        (first.code, results(&place)),
        (Some(0), 0),
        "what is accepted is no finding: {first:?}"
    );
    let baseline = place.read("b.json");
    assert!(
        baseline.contains("\"tool\": \"cegas-scan\"") && !baseline.contains("\"line\""),
        "{baseline}"
    );

    place.write(
        "a.c",
        &TWO.replace("static", "\n\n\nstatic").replace("    assert(x", "  assert( x"),
    );
    let moved = scan(&place, &["--baseline=b.json"]);
    assert_eq!((moved.code, results(&place)), (Some(0), 0), "{moved:?}");

    place.write(
        "a.c",
        &TWO.replace("    if (argc", "    if (argc > 7) assert(argc > 9);\n    if (argc"),
    );
    let new = scan(&place, &["--baseline=b.json"]);
    assert_eq!((new.code, results(&place)), (Some(1), 1), "{new:?}");

    let reason = baseline.replacen("\"reason\": \"\"", "\"reason\": \"old code\"", 1);
    place.write("b.json", &reason);
    scan(&place, &["--baseline=b.json", "--write-baseline=b.json"]);
    let written = place.read("b.json");
    assert!(written.contains("old code") && written.contains("argc > 9"), "{written}");

    place.write("a.c", "int main(void) { return 0; }\n");
    let fixed = scan(&place, &["--baseline=b.json"]);
    assert!(fixed.out.contains("3 of the baseline's findings are no longer there"), "{fixed:?}");

    place.write("e.json", "");
    assert_eq!(scan(&place, &["--write-baseline=e.json"]).code, Some(0), "an empty file is none");
    assert!(place.read("e.json").contains("\"tool\": \"cegas-scan\""));

    let entries = || place.read("b.json").matches("\"fingerprint\"").count();
    for partly in ["--rules=leak", "--entry=main"] {
        place.scan(&[partly, "--write-baseline=b.json", "a.c"]);
        assert_eq!(entries(), 3, "{partly}: what was not looked at stays");
    }
    scan(&place, &["--write-baseline=b.json"]);
    assert_eq!(entries(), 0);
}

#[test]
fn a_foreign_baseline_is_refused() {
    let place = Place::new();
    place.write("a.c", TWO);
    for (text, words) in [
        ("{\"tool\": \"other\", \"version\": 1}", "of other"),
        ("{\"tool\": \"cegas-scan\", \"version\": 99, \"findings\": []}", "version 99"),
        ("{\"tool\": \"cegas-scan\", \"version\": 1, \"findings\": 3}", "damaged"),
        ("[]", "names no tool"),
        ("int x;", "not a baseline"),
    ] {
        place.write("b.json", text);
        scan(&place, &["--baseline=b.json"]).refused(&["b.json", words]);
        scan(&place, &["--write-baseline=b.json"]).refused(&["b.json", words]);
        assert_eq!(place.read("b.json"), text, "nothing is destroyed");
    }
    scan(&place, &["--baseline=/dev/zero"]).refused(&["/dev/zero", "not a regular file"]);
    scan(&place, &["--baseline=missing.json"]).refused(&["missing.json", "No such file"]);
    scan(&place, &["--write-baseline=no/b.json"]).refused(&["cannot write", "no/b.json"]);
    scan(&place, &["--write-baseline=r.json"]).refused(&["--json and --write-baseline"]);
    scan(&place, &["--write-baseline=-"]).refused(&["--write-baseline needs the name of a file"]);
}
