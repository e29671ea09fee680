//! Which units make which program, and how that is known: `--dump=targets` for every kind of evidence.

mod tool;

use std::process::Command;

use serde_json::json;
use tool::{Place, ran};

/// A program, a library and the units between them, as CMake and as make build it.
fn project() -> Place {
    let place = Place::new();
    place.write("main.c", "int used(void);\nint main(void) { return used(); }\n");
    place.write("used.c", "int used(void) { return 1; }\n");
    place.write("unused.c", "int unused(void) { return 2; }\n");
    place
}

const CMAKE: &str = "cmake_minimum_required(VERSION 3.13)\nproject(demo C)\n\
    add_library(parts STATIC used.c unused.c)\nadd_executable(tool main.c)\n\
    target_link_libraries(tool parts)\n";

fn cmake(place: &Place, generator: &str) {
    place.write("CMakeLists.txt", CMAKE);
    let dir = place.dir();
    let mut configure = Command::new("cmake");
    configure.args(["-G", generator, "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON", "-S"]).arg(&dir);
    let ended = ran(configure.arg("-B").arg(dir.join("build")));
    assert_eq!(ended.code, Some(0), "{ended:?}");
}

/// The lines of the dump: a target with its evidence, and its units behind it.
fn dumped(place: &Place, arguments: &[&str]) -> Vec<String> {
    let arguments: Vec<&str> = ["--dump=targets"].iter().chain(arguments).copied().collect();
    let dump = place.scan(&arguments);
    assert_eq!(dump.code, Some(0), "{dump:?}");
    dump.out.lines().map(str::to_owned).collect()
}

/// The program `name` is there with this evidence and exactly these units.
#[track_caller]
fn shows(lines: &[String], name: &str, evidence: &str, units: &[&str]) {
    let at = lines.iter().position(|line| line.starts_with(&format!("{name} (")));
    let at = at.unwrap_or_else(|| panic!("no {name} in {lines:#?}"));
    assert!(lines[at].contains(evidence), "{evidence:?} is not in {lines:#?}");
    let found: Vec<&str> =
        lines[at + 1..].iter().map_while(|line| line.strip_prefix("    ")).collect();
    assert_eq!(found, units, "{lines:#?}");
}

#[test]
fn a_recorded_build() {
    let place = project();
    let rules = "tool: main.o libparts.a\n\t$(CC) -o tool main.o libparts.a\n\
                 libparts.a: used.o unused.o\n\t$(AR) rcs $@ $^\n";
    place.write("Makefile", rules);
    shows(&dumped(&place, &["--", "make", "-j2"]), "tool", "recorded", &["main.c", "used.c"]);
}

#[test]
fn cmakes_file_api() {
    let place = project();
    place.write("CMakeLists.txt", CMAKE);
    let lines = dumped(&place, &[]);
    shows(&lines, "tool", "CMake", &["main.c", "used.c"]);
    assert!(!place.dir().join("build").exists(), "the project is only read");
}

#[test]
fn cmakes_link_scripts() {
    let place = project();
    cmake(&place, "Unix Makefiles");
    shows(&dumped(&place, &[]), "tool", "link.txt", &["main.c", "used.c"]);
}

#[test]
fn a_ninja_file() {
    let place = project();
    if !Command::new("ninja").arg("--version").output().is_ok_and(|ninja| ninja.status.success()) {
        println!("not tried: ninja is not installed");
        return;
    }
    cmake(&place, "Ninja");
    shows(&dumped(&place, &["-p", "build"]), "tool", "build.ninja", &["main.c", "used.c"]);
}

#[test]
fn symbols_alone() {
    let place = project();
    let entries = ["main.c", "unused.c", "used.c"].map(
        |file| json!({ "directory": place.dir(), "file": file, "arguments": ["cc", "-c", file] }),
    );
    place.write("compile_commands.json", &json!(entries).to_string());
    let lines = dumped(&place, &[]);
    shows(&lines, "main", "symbols", &["main.c", "used.c"]);
    shows(&lines, "library", "no program", &["unused.c"]);
}

#[test]
fn a_build_configured_into_the_cache_stays_there() {
    let place = project();
    place.write("CMakeLists.txt", CMAKE);
    let first = place.scan(&["--json=first.json"]);
    let second = place.scan(&["--json=second.json"]);
    assert_eq!((first.code, first.out), (second.code, second.out));
    assert_eq!(place.read("first.json"), place.read("second.json"));
}

#[test]
fn a_build_configured_under_recording_works_afterwards() {
    let place = project();
    place.write("CMakeLists.txt", CMAKE);
    let script = "cmake -G 'Unix Makefiles' -B build && cmake --build build";
    shows(&dumped(&place, &["--", "sh", "-ec", script]), "tool", "recorded", &["main.c", "used.c"]);
    let mut again = Command::new("cmake");
    again.current_dir(place.dir()).args(["--build", "build", "--clean-first"]);
    let again = ran(&mut again);
    assert_eq!(again.code, Some(0), "{again:?}");
}
