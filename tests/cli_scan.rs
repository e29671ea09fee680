//! Whole scans as a user runs them: exit codes, reports, recorded builds, and equal bytes for equal scans.

mod tool;

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tool::{Place, ran};

const GOOD: &str =
    "int add(int a, int b) { return a + b; }\nint main(void) { return add(1, 2); }\n";

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|e| panic!("{e}: {text}"))
}

/// A database that compiles each of these files in the project's folder.
fn database(place: &Place, files: &[&str]) {
    let dir = place.dir();
    let entries = files.iter().map(|file| {
        let output = format!("{file}.o");
        json!({ "directory": dir, "file": file, "arguments": ["cc", "-c", file, "-o", output] })
    });
    let text = Value::Array(entries.collect()).to_string();
    place.write("compile_commands.json", &text);
}

/// The demo project, copied.
fn demo() -> Place {
    let place = Place::new();
    let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("integration/demo");
    for name in ["Makefile", "kv.h", "main.c", "parse.c", "selftest.c", "table.c"] {
        place.write(name, &fs::read_to_string(from.join(name)).expect("the demo is there"));
    }
    place
}

#[test]
fn a_program_is_modelled() {
    let place = Place::new();
    place.write("a.c", GOOD);
    let scan = place.scan(&["a.c"]);
    assert_eq!((scan.code, scan.err.as_str()), (Some(0), ""), "{scan:?}");
    assert!(scan.out.contains("2 functions"), "{scan:?}");
    assert!(scan.out.contains("verdict: safe"), "{scan:?}");
    assert_eq!(place.names(), ["a.c"], "nothing is written beside the sources");

    let quiet = place.scan(&["--quiet", "a.c"]);
    assert_eq!((quiet.code, quiet.out.as_str()), (Some(0), ""), "{quiet:?}");
}

/// Code that the scan does not see may do anything, so what it sees is not called safe.
#[test]
fn a_program_with_unseen_code_is_not_safe() {
    let place = Place::new();
    let outside =
        "static int a;\n__asm__(\".globl f\\nf: ret\");\nint main(void) { return 7 / (a + 1); }\n";
    place.write("assembly.c", outside);
    let loader = "static int a;\nstatic void early(void) { a = -1; }\n\
        __attribute__((section(\".init_array\"), used)) static void (*run)(void) = early;\n\
        int main(void) { return 7 / (a + 1); }\n";
    place.write("loader.c", loader);
    for (file, note) in [("assembly.c", "assembly at file level"), ("loader.c", "the loader runs")]
    {
        let scan = place.scan(&[file]);
        let all = format!("{}{}", scan.out, scan.err);
        assert!(all.contains(note), "{all}");
        assert!(all.contains("verdict: unknown"), "{all}");
    }
}

#[test]
fn each_main_among_named_files_is_a_program() {
    let place = Place::new();
    let program = |wanted: u32| {
        format!(
            "#include <assert.h>\nint shared(void);\nint main(void) {{ assert(shared() == {wanted}); return 0; }}\n"
        )
    };
    place.write("agood.c", &program(1));
    place.write("bad.c", &program(2));
    place.write("shared.c", "int shared(void) { return 1; }\n");
    let scan = place.scan(&["--rules=assertion", "--json=r.json", "agood.c", "bad.c", "shared.c"]);
    assert_eq!(scan.code, Some(1), "{scan:?}");
    assert!(scan.out.contains("error[assertion]") && scan.out.contains("bad.c:3:"), "{scan:?}");
    let report = json(&place.read("r.json"));
    let targets: Vec<_> = report["targets"].as_array().expect("a list").iter().collect();
    let told: Vec<_> = targets.iter().map(|t| (&t["name"], &t["kind"], &t["units"])).collect();
    let expected = [
        (&json!("agood"), &json!("program"), &json!(["agood.c", "shared.c"])),
        (&json!("bad"), &json!("program"), &json!(["bad.c", "shared.c"])),
    ];
    assert_eq!(told, expected);

    let one = place.scan(&["--rules=assertion", "--target=agood", "agood.c", "bad.c", "shared.c"]);
    assert_eq!(one.code, Some(0), "{one:?}");
    let whole = place.scan(&["--rules=assertion", "agood.c", "shared.c"]);
    assert_eq!(whole.code, Some(0), "{whole:?}");
    assert!(whole.out.contains("agood (program, 2 units; evidence: the files you named)"));
}

#[test]
fn reports_have_the_promised_fields() {
    let place = Place::new();
    place.write("a.c", GOOD);
    let scan = place.scan(&["--json=r.json", "--sarif=r.sarif", "a.c"]);
    assert_eq!(scan.code, Some(0), "{scan:?}");
    let report = json(&place.read("r.json"));
    assert_eq!(report["version"], 1);
    assert_eq!(report["verdict"], "safe");
    let obligations = report["obligations"].as_array().expect("a list");
    let told: Vec<_> =
        obligations.iter().map(|o| (o["rule"].clone(), o["verdict"].clone())).collect();
    let expected = ["signed-overflow", "uninit-read"].map(|rule| (json!(rule), json!("safe")));
    assert_eq!(told, expected, "{report}");
    assert_eq!(report["targets"][0]["kind"], "program");
    assert_eq!(report["targets"][0]["units"], json!(["a.c"]));
    let sarif = json(&place.read("r.sarif"));
    assert_eq!(sarif["version"], "2.1.0");
    assert_eq!(sarif["runs"][0]["tool"]["driver"]["name"], "cegas-scan");
    assert_eq!(sarif["runs"][0]["invocations"][0]["exitCode"], 0);

    let piped = place.scan(&["--json=-", "a.c"]);
    assert_eq!(json(&piped.out), report, "standard output has the report and nothing else");
}

#[test]
fn exit_codes_follow_the_verdict() {
    let place = Place::new();
    let program = |condition: &str| {
        format!(
            "#include <assert.h>\nint main(void) {{ int x = 2; assert({condition}); return 0; }}\n"
        )
    };
    place.write("wrong.c", &program("x == 3"));
    place.write("right.c", &program("x == 2"));
    let wrong = place.scan(&["--rules=assertion", "--json=r.json", "wrong.c"]);
    assert_eq!(wrong.code, Some(1), "{wrong:?}");
    assert!(wrong.out.contains("--> wrong.c:2:"), "{wrong:?}");
    let report = json(&place.read("r.json"));
    assert_eq!(report["verdict"], "unsafe");
    assert_eq!(report["obligations"][0]["rule"], "assertion");
    assert_eq!(report["obligations"][0]["location"]["line"], 2);
    let right = place.scan(&["--rules=assertion", "--json=r.json", "right.c"]);
    assert_eq!(right.code, Some(0), "{right:?}");
    assert_eq!(json(&place.read("r.json"))["verdict"], "safe");
    let all = place.scan(&["--json=r.json", "right.c"]);
    assert_eq!((all.code, &json(&place.read("r.json"))["verdict"]), (Some(0), &json!("safe")));
}

#[test]
fn a_unit_that_does_not_compile_does_not_stop_the_others() {
    let place = Place::new();
    place.write("good.c", GOOD);
    place.write("bad.c", "int f(void) { return missing; }\n");
    database(&place, &["good.c", "bad.c", "gone.c"]);
    let scan = place.scan(&["--json=r.json"]);
    assert_eq!(scan.code, Some(3), "{scan:?}");
    assert!(scan.out.contains("bad.c: not analysed: "), "{scan:?}");
    assert!(scan.out.contains("missing"), "clang's first error: {scan:?}");
    let report = json(&place.read("r.json"));
    assert_eq!(report["complete"], false);
    let failed = report["failed"].as_array().expect("a list");
    assert!(failed.iter().any(|unit| unit["file"] == "bad.c"), "{report}");
    let targets = report["targets"].as_array().expect("a list");
    assert!(targets.iter().any(|target| target["units"] == json!(["good.c"])), "{report}");
}

#[test]
fn a_recorded_build_is_scanned_target_by_target() {
    let place = demo();
    let scan = place.scan(&["--json=r.json", "--timeout=120", "--", "make", "-j2"]);
    assert_eq!(scan.code, Some(1), "{scan:?}");
    assert!(
        scan.out.contains("the assertion `table->count < KV_ENTRIES_MAX` can fail"),
        "{scan:?}"
    );
    assert!(scan.out.contains("1. selftest.c:"), "the story of it: {scan:?}");
    assert!(place.dir().join("kvtool").is_file(), "the build did what it always does");
    let report = json(&place.read("r.json"));
    let targets = report["targets"].as_array().expect("a list");
    let program = targets.iter().find(|t| t["name"] == "kvtool").expect("the program");
    assert_eq!(program["units"], json!(["main.c", "table.c", "parse.c"]), "{program}");
    assert!(program["model"]["functions"].as_u64().is_some_and(|n| n >= 10), "{program}");
    // What a new user sees first: each of the demo's bugs, and everything else proved.
    let obligations = report["obligations"].as_array().expect("a list");
    let found = obligations.iter().filter(|o| o["verdict"] != "safe");
    let found: Vec<_> =
        found.map(|o| (&o["rule"], &o["location"]["file"], &o["verdict"])).collect();
    let parse = json!("parse.c");
    let wanted = [("out-of-bounds", &parse), ("leak", &parse), ("assertion", &json!("table.c"))];
    assert_eq!(found.len(), wanted.len(), "{found:?}");
    for (rule, file) in wanted {
        assert!(found.contains(&(&json!(rule), file, &json!("unsafe"))), "{rule}: {found:?}");
    }
}

#[test]
fn bitcode_without_checks_is_checked_for_what_it_shows() {
    let place = Place::new();
    place.write(
        "a.c",
        "int main(int argc, char **argv) { (void)argv; int n = 7 / (argc - 1); return n + argc; }\n",
    );
    for (flags, overflow) in [("", 0), ("-fsanitize=undefined -fsanitize-trap=undefined", 1)] {
        let mut clang = Command::new("clang-19");
        clang.args(["-g", "-emit-llvm", "-c", "a.c", "-o", "a.bc"]).args(flags.split_whitespace());
        assert!(clang.current_dir(place.dir()).status().is_ok_and(|status| status.success()));
        let scan = place.scan(&["--json=r.json", "a.bc"]);
        assert_eq!(scan.code, Some(1), "{scan:?}");
        assert!(scan.out.contains("error[div-by-zero]"), "{scan:?}");
        let report = json(&place.read("r.json"));
        let obligations = report["obligations"].as_array().expect("a list");
        let divisions = obligations.iter().filter(|o| o["rule"] == "div-by-zero");
        assert_eq!(divisions.count(), 1, "asked once: {report}");
        assert_eq!(scan.out.contains("are not looked for"), overflow == 0, "{scan:?}");
    }
}

#[test]
fn what_a_build_says_does_not_mix_with_a_report() {
    let place = demo();
    let scan = place.scan(&["--json=-", "--", "make"]);
    assert_eq!(json(&scan.out)["verdict"], "unsafe", "{scan:?}");
    assert!(scan.err.contains("-o kvtool"), "{scan:?}");
}

#[test]
fn a_build_that_fails_is_a_failure() {
    let place = Place::new();
    let scan = place.scan(&["--", "false"]);
    assert_eq!(scan.code, Some(2), "{scan:?}");
    place.scan(&["--", "no-such-build-tool"]).refused(&["no-such-build-tool"]);
    place.scan(&["--", "true"]).refused(&["called no compiler", "clean it"]);
}

#[test]
fn equal_scans_give_equal_bytes() {
    let place = demo();
    database(&place, &["main.c", "table.c", "parse.c"]);
    // A rule that is decided here long before its time is over: what time cuts off may differ.
    let arguments = |jobs: &str| {
        ["--rules=signed-overflow", "--json=r.json", "--sarif=r.sarif", jobs].map(str::to_owned)
    };
    let mut seen = Vec::new();
    for jobs in ["-j1", "-j4", "-j4"] {
        let scan = place.scan(&arguments(jobs));
        assert_eq!(scan.code, Some(0), "{scan:?}");
        seen.push((scan.out, place.read("r.json"), place.read("r.sarif")));
    }
    let cold = place.command().args(arguments("-j2")).arg("--no-cache").output().expect("it runs");
    let out = String::from_utf8_lossy(&cold.stdout).into_owned();
    seen.push((out, place.read("r.json"), place.read("r.sarif")));
    assert!(seen.windows(2).all(|pair| pair[0] == pair[1]));
    let dumps = ["-j1", "-j4"].map(|jobs| place.scan(&["--dump=ir", jobs]));
    assert_eq!(dumps[0].out, dumps[1].out);
    assert!(dumps[0].out.contains("kv_put"), "{:?}", dumps[0]);
}

#[test]
fn targets_are_listed_and_chosen() {
    let place = Place::new();
    place.write("one.c", GOOD);
    place.write("two.c", "int main(void) { return 2; }\n");
    database(&place, &["one.c", "two.c"]);
    let dump = place.scan(&["--dump=targets"]);
    assert_eq!(dump.code, Some(0), "{dump:?}");
    assert!(dump.out.contains("one") && dump.out.contains("two"), "{dump:?}");
    let chosen = place.scan(&["--json=-", "--target=two"]);
    let report = json(&chosen.out);
    assert_eq!(report["targets"].as_array().map(Vec::len), Some(1), "{report}");
    place.scan(&["--target=three"]).refused(&["`three`", "one", "two"]);
    place.scan(&["--entry=nowhere"]).refused(&["`nowhere`"]);
}

#[test]
fn a_folder_without_a_build_is_answered_with_what_to_do() {
    let place = Place::new();
    place.scan::<&str>(&[]).refused(&["compile_commands.json", "cegas-scan -- make"]);
    place.write("compile_commands.json", "[]");
    place.scan::<&str>(&[]).refused(&["compile_commands.json"]);
    place.write("compile_commands.json", "");
    place.scan::<&str>(&[]).refused(&["compile_commands.json"]);
    place.write("compile_commands.json", "[{\"file\": 3}]");
    place.scan::<&str>(&[]).refused(&["compile_commands.json:1:"]);
}

#[test]
fn odd_names_are_just_names() {
    let place = Place::new();
    for name in ["with space/ä ö.c", "new\nline.c", "-dash.c", "quo'te\".c", "$(touch hacked).c"]
    {
        place.write(name, GOOD);
        let path = place.dir().join(name);
        let scan = ran(place.command().arg("--json=r.json").arg(&path));
        assert_eq!(scan.code, Some(0), "{name:?}: {scan:?}");
        assert_eq!(json(&place.read("r.json"))["targets"][0]["units"], json!([name]));
    }
    assert!(!place.dir().join("hacked").exists());
}

#[test]
fn cargo_cegas_scans_what_build_scripts_compile() {
    let place = Place::new();
    place.write("native/add.c", "int add(int a, int b) { return a + b; }\n");
    place.write("src/lib.rs", "");
    place.write(
        "Cargo.toml",
        "[package]\nname = \"demo\"\nversion = \"0.1.0\"\nedition = \"2021\"\n",
    );
    // As the crate `cc` does it, without the crate: tests fetch nothing.
    let build = r#"
use std::process::Command;
fn main() {
    let out = std::env::var("OUT_DIR").unwrap();
    let object = format!("{out}/add.o");
    let cc = std::env::var("CC").unwrap_or("cc".into());
    assert!(Command::new(cc).args(["-c", "native/add.c", "-o", &object]).status().unwrap().success());
    let library = format!("{out}/libadd.a");
    let ar = std::env::var("AR").unwrap_or("ar".into());
    assert!(Command::new(ar).args(["rcs", &library, &object]).status().unwrap().success());
}
"#;
    place.write("build.rs", build);
    let program = Path::new(env!("CARGO_BIN_EXE_cargo-cegas"));
    let scan = ran(place.command_of(program).args(["cegas", "--json=r.json", "--", "--offline"]));
    assert_eq!(scan.code, Some(0), "{scan:?}");
    let report = json(&place.read("r.json"));
    let targets = report["targets"].as_array().expect("a list");
    assert!(targets.iter().any(|t| t["units"] == json!(["native/add.c"])), "{report}");
    assert!(!place.dir().join("target").exists(), "the crate's own target folder is left alone");
}

#[test]
fn ctrl_c_leaves_no_compiler_behind() {
    let place = Place::new();
    // Its preprocessing never ends: each level includes the file twice.
    let endless = "#if __INCLUDE_LEVEL__ < 60\n#include \"slow.c\"\n#include \"slow.c\"\n#endif\n";
    place.write("slow.c", endless);
    let folder = place.dir().to_string_lossy().into_owned();
    let compilers = || {
        let processes = fs::read_dir("/proc").expect("a list of processes").flatten();
        let calls = processes.filter_map(|p| fs::read(p.path().join("cmdline")).ok());
        let calls = calls.map(|call| String::from_utf8_lossy(&call).into_owned());
        calls.filter(|call| call.contains("clang") && call.contains(&folder)).count()
    };
    let wait_until = |what: &dyn Fn() -> bool| {
        let limit = Instant::now() + Duration::from_secs(30);
        while !what() {
            assert!(Instant::now() < limit, "it takes too long");
            std::thread::sleep(Duration::from_millis(20));
        }
    };
    let path = place.dir().join("slow.c");
    let mut scan = place.command().arg(&path).spawn().expect("the tool runs");
    wait_until(&|| compilers() > 0);
    let pid = scan.id().to_string();
    let killed = std::process::Command::new("kill").args(["-INT", &pid]).status();
    assert!(killed.is_ok_and(|status| status.success()));
    assert_eq!(scan.wait().expect("it ends").code(), Some(130));
    wait_until(&|| compilers() == 0);
}
