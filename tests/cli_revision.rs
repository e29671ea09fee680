//! `--diff-base`: only what is new since a revision is told, and today's files are left alone.

mod tool;

use serde_json::{Value, json};
use std::path::Path;
use tool::{Place, Ran, ran};

/// An assertion that fails in a header's function, and one in the program.
const HEADER: &str = "#include <assert.h>\nstatic void check(int x) {\n    assert(x == 1);\n}\n";
const PROGRAM: &str = "#include \"check.h\"\n#include \"made.h\"\nint main(int argc, char **argv) {\n    \
     if (argc > 1) check(MADE);\n    return 0;\n}\n";

fn git(place: &Place, arguments: &[&str]) {
    let who = ["-c", "user.name=x", "-c", "user.email=x@example.org"];
    let done = ran(place.command_of(Path::new("git")).args(who).args(arguments));
    assert_eq!(done.code, Some(0), "{done:?}");
}

/// A repository with a header that the build makes, in a folder that git does not know.
fn repository() -> Place {
    let place = Place::new();
    place.write("src/check.h", HEADER);
    place.write("src/a.c", PROGRAM);
    place.write("out/gen/made.h", "#define MADE 2\n");
    place.write(".gitignore", "/out/\n/compile_commands.json\n/r.*\n");
    git(&place, &["init", "-q"]);
    git(&place, &["add", "-A"]);
    git(&place, &["commit", "-q", "-m", "first"]);
    database(&place, &["src/a.c"]);
    place
}

/// One command runs in the build's folder and names files from there, as meson does.
fn database(place: &Place, files: &[&str]) {
    let root = place.dir();
    let entries: Vec<Value> = files
        .iter()
        .map(|file| {
            let arguments = ["cc", "-c", "-I../src", "-Igen", &format!("../{file}")].map(str::to_owned);
            json!({ "directory": root.join("out"), "file": format!("../{file}"), "arguments": arguments })
        })
        .collect();
    place.write("compile_commands.json", &json!(entries).to_string());
}

fn scan(place: &Place, more: &[&str]) -> (Ran, Vec<Value>) {
    let mut arguments = vec!["--rules=assertion", "--json=r.json"];
    arguments.extend(more);
    let scan = place.scan(&arguments);
    assert!(matches!(scan.code, Some(0 | 1)), "{scan:?}");
    let report: Value = serde_json::from_str(&place.read("r.json")).expect("JSON");
    let all = report["obligations"].as_array().expect("a list").iter();
    let new = all.filter(|o| o["verdict"] == "unsafe" && o["silenced"].is_null());
    let new = new.cloned().collect();
    (scan, new)
}

#[test]
fn only_what_is_new_is_told() {
    let place = repository();
    let (all, found) = scan(&place, &[]);
    assert_eq!((all.code, found.len()), (Some(1), 1), "{all:?}");
    let (same, found) = scan(&place, &["--diff-base=HEAD"]);
    assert_eq!((same.code, found.len()), (Some(0), 0), "{same:?}");
    assert!(same.out.contains("1 silenced"), "{same:?}");

    // Moved lines are no news, another assertion is; the same header was another one then.
    place.write("src/check.h", &format!("\n\n{HEADER}"));
    let more = "    if (argc > 2) assert(argc == 9);\n    if (argc > 1)";
    place.write("src/a.c", &PROGRAM.replace("    if (argc > 1)", more));
    let (new, found) = scan(&place, &["--diff-base=HEAD"]);
    assert_eq!((new.code, found.len()), (Some(1), 1), "{new:?}");
    assert_eq!(found[0]["location"]["line"], 4, "{found:?}");
    assert_eq!(place.read("src/check.h"), format!("\n\n{HEADER}"), "today's files are left alone");
    let status = ran(place.command_of(Path::new("git")).args(["status", "--porcelain"]));
    assert_eq!(status.out, " M src/a.c\n M src/check.h\n");

    git(&place, &["commit", "-q", "-a", "-m", "second"]);
    assert_eq!(scan(&place, &["--diff-base=HEAD"]).1.len(), 0);
    assert_eq!(scan(&place, &["--diff-base=HEAD~1"]).1.len(), 1);
}

#[test]
fn a_file_that_git_does_not_know_is_new() {
    let place = repository();
    place.write("src/b.c", &PROGRAM.replace("check(MADE)", "assert(argc == MADE)"));
    database(&place, &["src/a.c", "src/b.c"]);
    for _ in 0..2 {
        let (new, found) = scan(&place, &["--diff-base=HEAD"]);
        assert_eq!((new.code, found.len()), (Some(1), 1), "{new:?}");
        assert_eq!(found[0]["location"]["file"], "src/b.c");
        git(&place, &["add", "src/b.c"]);
    }
}

#[test]
fn code_that_could_not_be_scanned_then_is_all_new() {
    let place = repository();
    place.write("src/a.c", "int main( {\n");
    git(&place, &["commit", "-q", "-a", "-m", "broken"]);
    place.write("src/a.c", PROGRAM);
    let (new, found) = scan(&place, &["--diff-base=HEAD"]);
    assert_eq!((new.code, found.len()), (Some(1), 1), "{new:?}");
    assert!(new.out.contains("counts as new"), "{new:?}");
}

#[test]
fn no_repository_and_no_such_revision_are_refused() {
    let place = Place::new();
    place.write("a.c", "int main(void) { return 0; }\n");
    place.write("r.json", "old");
    let scan = |rev: &str| place.scan(&[&format!("--diff-base={rev}"), "--json=r.json", "a.c"]);
    scan("HEAD").refused(&["not in a git repository", "--diff-base"]);
    git(&place, &["init", "-q"]);
    for rev in ["HEAD", "no-such", "--help", "", "a b"] {
        scan(rev).refused(&["no revision", &format!("`{rev}`")]);
    }
    assert_eq!(place.read("r.json"), "old");
}

#[test]
fn a_submodule_belongs_to_the_revision() {
    let place = Place::new();
    let bad = "#include <assert.h>\nstatic void check(int x) {\n    assert(x == 1);\n}\n";
    place.write("../lib/check.h", bad);
    let lib = place.dir().with_file_name("lib");
    let inside = |arguments: &[&str]| {
        let lib = lib.to_string_lossy();
        git(&place, &[&["-C", &lib], arguments].concat());
    };
    inside(&["init", "-q"]);
    inside(&["add", "-A"]);
    inside(&["commit", "-q", "-m", "first"]);
    git(&place, &["init", "-q"]);
    let add = ["-c", "protocol.file.allow=always", "submodule", "--quiet", "add"];
    git(&place, &[&add[..], &[&lib.to_string_lossy(), "lib"]].concat());
    let program =
        "#include \"lib/check.h\"\nint main(int argc, char **argv) {\n    check(argc);\n}\n";
    place.write("a.c", program);
    git(&place, &["add", "-A"]);
    git(&place, &["commit", "-q", "-m", "first"]);
    let (all, found) = scan(&place, &["a.c"]);
    assert_eq!((all.code, found.len()), (Some(1), 1), "{all:?}");
    let (same, found) = scan(&place, &["--diff-base=HEAD", "a.c"]);
    assert_eq!((same.code, found.len()), (Some(0), 0), "{same:?}");
    // What is new in the submodule is new.
    place.write("lib/check.h", &bad.replace("x == 1", "x == 3"));
    let (new, found) = scan(&place, &["--diff-base=HEAD", "a.c"]);
    assert_eq!((new.code, found.len()), (Some(1), 1), "{new:?}");
}

#[test]
fn a_folder_beside_the_repository_stays_where_it_is() {
    let place = repository();
    place.write("../beside/made.h", "#define MADE 3\n");
    let arguments = ["cc", "-c", "-I../src", "-I../../beside", "../src/a.c"];
    let unit = json!({ "directory": place.dir().join("out"), "file": "../src/a.c", "arguments": arguments });
    place.write("compile_commands.json", &json!([unit]).to_string());
    assert_eq!(scan(&place, &[]).1.len(), 1);
    let (same, found) = scan(&place, &["--diff-base=HEAD"]);
    assert_eq!((same.code, found.len()), (Some(0), 0), "{same:?}");
}
