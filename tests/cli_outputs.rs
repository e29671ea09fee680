//! Reports that cannot be written are refused before the work, and nothing is destroyed.

mod tool;

use std::fs;
use std::os::unix::fs::PermissionsExt;

use tool::Place;

const PROGRAM: &str = "int main(void) { return 0; }\n";

#[test]
fn unwritable_outputs_are_refused() {
    let place = Place::new();
    place.write("a.c", PROGRAM);
    place.write("old.json", "old");
    fs::create_dir(place.dir().join("folder")).expect("a folder");
    let old = place.dir().join("old.json");
    fs::set_permissions(&old, fs::Permissions::from_mode(0o444)).expect("permissions");
    for option in ["--json", "--sarif", "--html", "--junit"] {
        for (name, reason) in [
            ("missing/r.json", "No such file"),
            ("folder", "folder"),
            ("old.json", "read-only"),
            ("a.c/r.json", "Not a directory"),
        ] {
            place.scan(&[option, name, "a.c"]).refused(&["cannot write", name, reason]);
        }
    }
    assert_eq!(place.read("old.json"), "old");
    assert_eq!(place.names(), ["a.c", "folder", "old.json"]);
    assert!(!place.cache().exists(), "nothing was compiled");
}

#[test]
fn what_the_scan_reads_is_not_replaced() {
    let place = Place::new();
    place.write("a.c", &format!("#include \"b.h\"\n{PROGRAM}"));
    place.write("b.h", "int b;\n");
    fs::create_dir(place.dir().join("d")).expect("a folder");
    for name in ["b.h", "d/../b.h", "a.c"] {
        place.scan(&["--json", name, "a.c"]).refused(&["no report can be written over it"]);
    }
    let twice = ["--json=d/../x", "--sarif=x", "a.c"];
    place.scan(&twice).refused(&["--json and --sarif name the same output"]);
    assert_eq!(place.read("b.h"), "int b;\n");
}
