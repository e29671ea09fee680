//! Libraries and functions without a body, as a user meets them: what is assumed is said, and mistakes are one line.

mod tool;

use tool::Place;

fn json(text: &str) -> serde_json::Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

const DIVIDES: &str = "int divide(int a, int b) { return a / b; }\n\
    int first(const char *s) { return s[0] == 0; }\n\
    static int hidden(int x) { return x; }\n\
    int shown(void) { return hidden(2); }\n";

#[test]
fn a_violation_under_assumptions_is_a_warning() {
    let place = Place::new();
    place.write("a.c", DIVIDES);
    let arguments = ["a.c", "--json=r.json", "--sarif=r.sarif", "--junit=r.xml", "--annotations"];
    let scan = place.scan(&arguments);
    assert_eq!(scan.code, Some(0), "{scan:?}");
    assert!(scan.out.contains("warning[div-by-zero]"), "{scan:?}");
    assert!(scan.out.contains("= assumes: `divide` may be called with any numbers"), "{scan:?}");
    assert!(scan.out.contains("::warning file=a.c"), "{scan:?}");
    assert!(scan.out.contains("entered from outside: "), "{scan:?}");
    assert!(!scan.out.contains("error["), "{scan:?}");
    let report = json(&place.read("r.json"));
    assert_eq!(report["verdict"], "unknown", "{report}");
    let obligations = report["obligations"].as_array().expect("obligations");
    let of = |rule: &str, function: &str| {
        let is_it =
            |o: &&serde_json::Value| o["rule"] == rule && o["location"]["function"] == function;
        obligations.iter().find(is_it).unwrap_or_else(|| panic!("{rule} {function}: {report}"))
    };
    assert_eq!(of("div-by-zero", "divide")["verdict"], "unsafe");
    let proved = of("null-deref", "first");
    assert_eq!(proved["verdict"], "safe", "{proved}");
    assert!(proved["assumes"].to_string().contains("`s` points to a text"), "{proved}");
    let entries = report["targets"][0]["entries"].as_array().expect("entries");
    let names: Vec<&str> = entries.iter().filter_map(|e| e["function"].as_str()).collect();
    assert!(names.contains(&"divide") && !names.contains(&"hidden"), "{names:?}");
    let sarif = json(&place.read("r.sarif"));
    let result = &sarif["runs"][0]["results"][0];
    assert_eq!(result["level"], "warning", "{result}");
    assert_eq!(result["properties"]["precision"], "medium", "{result}");
    assert!(!place.read("r.xml").contains("<failure"), "{}", place.read("r.xml"));
    for fail_on in ["--fail-on=warning", "--fail-on=unknown"] {
        assert_eq!(place.scan(&["a.c", fail_on]).code, Some(1), "{fail_on}");
    }
}

#[test]
fn what_needs_no_assumption_is_an_error() {
    let place = Place::new();
    place.write("a.c", "int f(void) { int a[2] = {0}; int i = 2; return a[i]; }\n");
    let scan = place.scan(&["a.c"]);
    assert_eq!(scan.code, Some(1), "{scan:?}");
    assert!(scan.out.contains("error[out-of-bounds]"), "{scan:?}");
}

#[test]
fn an_entry_with_parameters_is_given_them() {
    let place = Place::new();
    place.write("a.c", "static int f(int *p, int n) { return n > 3 ? *p / n : 0; }\nint main(void) { int x = 1; return f(&x, 2); }\n");
    let scan = place.scan(&["a.c", "--entry=f", "--json=-"]);
    let report = json(&scan.out);
    let obligations = report["obligations"].as_array().expect("obligations");
    let divisions = obligations.iter().filter(|o| o["rule"] == "div-by-zero");
    assert!(divisions.clone().count() > 0 && divisions.clone().all(|o| o["verdict"] == "safe"));
    // Nobody passes null, unless that is asked for.
    let nulls = |report: &serde_json::Value| {
        let all = report["obligations"].as_array().expect("obligations").clone();
        all.into_iter().find(|o| o["rule"] == "null-deref").expect("an access")["verdict"].clone()
    };
    assert_eq!(nulls(&report), "safe");
    let scan = place.scan(&["a.c", "--entry=f", "--null-arguments", "--json=-"]);
    assert_eq!(nulls(&json(&scan.out)), "unsafe");
    place.write("b.c", "static int f(void) { return 1; }\nint g(void) { return f(); }\n");
    place.scan(&["a.c", "b.c", "--entry=f"]).refused(&[
        "several functions are called `f`",
        "a.c:1",
        "b.c:1",
    ]);
    place.scan(&["a.c", "--entry=printf"]).refused(&["`printf`"]);
}

const CALLS: &str = "#include <assert.h>\nint outside(int *p);\nint global;\n\
    int main(void) { int x = 3; global = 1; int r = outside(&x); assert(x == 3); assert(r != 9); return 0; }\n";

#[test]
fn functions_without_a_body_are_described_in_the_settings() {
    let place = Place::new();
    place.write("a.c", CALLS);
    let verdicts = |place: &Place| {
        let scan = place.scan(&["a.c", "--rules=assertion", "--json=-"]);
        let report = json(&scan.out);
        let obligations = report["obligations"].as_array().expect("obligations").clone();
        let all: Vec<String> = obligations
            .iter()
            .map(|o| o["verdict"].as_str().unwrap_or_default().to_owned())
            .collect();
        (all.join(" "), report["notes"].to_string())
    };
    let (undescribed, notes) = verdicts(&place);
    assert_eq!(undescribed, "unknown unknown");
    assert!(notes.contains("assumed: `outside` may change what it is given"), "{notes}");
    place.write("cegas.toml", "[[function]]\nname = 'outside'\ndoes = 'pure'\n");
    assert_eq!(verdicts(&place).0, "safe unknown");
    place.write("cegas.toml", "[[function]]\nname = 'outside'\ndoes = 'noreturn'\n");
    assert_eq!(verdicts(&place).0, "safe safe");
    place.write("cegas.toml", "[[function]]\nname = 'outside'\ndoes = 'havoc-args'\n");
    assert_eq!(verdicts(&place).0, "unknown unknown");
    place.write("model.c", "int outside(int *p) { *p = 3; return 9; }\n");
    place.write("cegas.toml", "[[function]]\nname = 'outside'\nmodel = 'model.c'\n");
    assert_eq!(verdicts(&place).0, "safe unsafe");
}

#[test]
fn settings_that_cannot_be_meant_are_one_line() {
    let place = Place::new();
    place.write("a.c", CALLS);
    place.write("broken.c", "int outside(int *p) { return }\n");
    place.write("other.c", "int another(void) { return 1; }\n");
    for (text, words) in [
        ("name = 'f'\n", &["`f`", "say what it does"][..]),
        ("name = 'f'\ndoes = 'magic'\n", &["cegas.toml:3", "magic"]),
        ("name = 'f g'\ndoes = 'pure'\n", &["name of a C function"]),
        ("name = 'f'\ndoes = 'noreturn'\nnonnull-return = true\n", &["contradict"]),
        ("name = 'f'\ndoes = 'pure'\nmodel = 'other.c'\n", &["`model` says all"]),
        ("name = ['f', 'f']\ndoes = 'pure'\n", &["`f` is described twice"]),
        ("name = 'f'\nmodel = 'nowhere.c'\n", &["no model file", "nowhere.c"]),
        ("name = 'outside'\nmodel = 'broken.c'\n", &["`outside` does not compile", "broken.c"]),
        ("name = 'outside'\nmodel = 'other.c'\n", &["does not define `outside`"]),
        ("name = 'f'\ndose = 'pure'\n", &["dose"]),
    ] {
        place.write("cegas.toml", &format!("[[function]]\n{text}"));
        place.scan(&["a.c"]).refused(words);
    }
    place.write("cegas.toml", "total-timeout = 0\n");
    place.scan(&["a.c"]).refused(&["total-timeout: 0"]);
}

#[test]
fn a_scan_ends_in_time_with_a_whole_report() {
    let place = Place::new();
    let mut text = String::from("unsigned next(unsigned);\n");
    for number in 0..6 {
        text += &format!(
            "int loop_{number}(unsigned n) {{ unsigned s = 1; for (unsigned i = 0; i < n; i++) s = s * s + i; return 10 / (s != {number}); }}\n"
        );
    }
    place.write("a.c", &text);
    let start = std::time::Instant::now();
    let scan = place.scan(&["a.c", "--timeout=60", "--total-timeout=3", "--json=-", "-j1"]);
    assert!(start.elapsed().as_secs() < 40, "{:?}", start.elapsed());
    let report = json(&scan.out);
    let functions: std::collections::BTreeSet<&str> = report["obligations"]
        .as_array()
        .expect("obligations")
        .iter()
        .filter_map(|o| o["location"]["function"].as_str())
        .collect();
    assert_eq!(functions.len(), 6, "{report}");
}

#[test]
fn a_library_that_programs_of_the_build_use_is_judged_in_them() {
    let place = Place::new();
    place.write("half.c", "int half(int n) { return 10 / n; }\n");
    place.write("main.c", "int half(int n);\nint main(void) { return half(2); }\n");
    let build = "set -e; cc -c half.c main.c; ar rcs libhalf.a half.o; cc -o app main.o libhalf.a";
    let scan = || {
        let scan = place.scan(&["--json=r.json", "--", "sh", "-c", build]);
        let report: serde_json::Value = serde_json::from_str(&place.read("r.json")).unwrap();
        let libraries = report["targets"].as_array().unwrap().iter();
        let library = libraries.clone().find(|t| t["kind"] == "library").unwrap().clone();
        (scan, report["verdict"].clone(), library)
    };
    let (said, verdict, library) = scan();
    assert_eq!((said.code, verdict), (Some(0), "safe".into()), "{said:?}");
    assert_eq!(library["judged_in"], serde_json::json!(["app"]));
    assert!(library.get("uncalled").is_none(), "{library}");
    assert!(said.out.contains("libhalf.a       0         0        0  judged in app\n"), "{said:?}");
    let dump = place.scan(&["--dump=targets", "--", "sh", "-c", build]);
    assert!(dump.code == Some(0) && !dump.err.contains("judged in"), "{dump:?}");
    // What no program calls was not looked at.
    place.write(
        "half.c",
        "int half(int n) { return 10 / n; }\nint third(int n) { return 9 / n; }\n",
    );
    let (said, verdict, library) = scan();
    assert_eq!((said.code, verdict), (Some(0), "unknown".into()), "{said:?}");
    assert_eq!(library["uncalled"], serde_json::json!(["third"]));
    assert!(said.out.contains("judged in app, which do not come to third;"), "{said:?}");
    assert!(said.out.contains("no program comes to; try --target libhalf.a"), "{said:?}");
    // A violation in it is one of the program.
    place.write("main.c", "int half(int n);\nint main(void) { return half(0); }\n");
    let (said, verdict, _) = scan();
    assert_eq!((said.code, verdict), (Some(1), "unsafe".into()), "{said:?}");
}

#[test]
fn a_library_that_programs_use_a_part_of_is_entered_from_outside_for_the_rest() {
    let place = Place::new();
    place.write("half.c", "int half(int n) { return 10 / n; }\n");
    place.write("other.c", "int half(int n);\nint other(int n) { return half(5) / n; }\n");
    place.write("main.c", "int half(int n);\nint main(void) { return half(2); }\n");
    let build = "set -e; cc -c half.c other.c main.c; ar rcs libhalf.a half.o other.o; \
                 cc -o app main.o libhalf.a";
    let scan = place.scan(&["--json=r.json", "--rules=div-by-zero", "--", "sh", "-c", build]);
    let report: serde_json::Value = serde_json::from_str(&place.read("r.json")).unwrap();
    let verdicts: std::collections::BTreeSet<(&str, &str)> = report["obligations"]
        .as_array()
        .expect("obligations")
        .iter()
        .filter_map(|o| Some((o["location"]["function"].as_str()?, o["verdict"].as_str()?)))
        .collect();
    // All callers of `half` are known, and none of `other`'s.
    let expected = [("half", "safe"), ("other", "unsafe")];
    assert_eq!(verdicts, expected.into_iter().collect(), "{scan:?}");
    assert!(scan.out.contains("what programs have of it is judged in app;"), "{scan:?}");
}
