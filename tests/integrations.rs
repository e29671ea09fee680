//! What comes with the tool for other tools: the pre-commit hook's script and the CMake package.

mod tool;

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::json;
use tool::{Place, Ran, ran};

const GOOD: &str = "#include <assert.h>\nint main(void) { int x = 1; assert(x == 1); return 0; }\n";
const BAD: &str = "#include <assert.h>\nint main(void) { int x = 1; assert(x == 2); return 0; }\n";

fn ours(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("integration").join(path)
}

fn hook(place: &Place, arguments: &[&str]) -> Ran {
    let mut command = place.command_of(&ours("pre-commit/scan-staged"));
    ran(command.args(arguments).env("CEGAS_SCAN", env!("CARGO_BIN_EXE_cegas-scan")))
}

#[test]
fn the_hook_scans_the_targets_of_the_staged_files() {
    let place = Place::new();
    place.write("good one.c", GOOD);
    place.write("bad.c", &format!("#include \"inc/some.h\"\n{BAD}"));
    place.write("inc/some.h", "#include <stddef.h>\n");
    place.write("inc/none.h", "");
    place.write("other.c", "int f(void) { return 0; }\n");
    let missing = hook(&place, &["bad.c"]);
    assert_eq!(missing.code, Some(2), "{missing:?}");
    assert!(missing.err.contains("cmake -DCMAKE_EXPORT_COMPILE_COMMANDS=ON"), "{missing:?}");
    let entries = ["good one.c", "bad.c"].map(
        |file| json!({ "directory": place.dir(), "file": file, "arguments": ["cc", "-c", file] }),
    );
    place.write("compile_commands.json", &json!(entries).to_string());
    let good = hook(&place, &["--rules=assertion", "good one.c"]);
    assert_eq!(good.code, Some(0), "{good:?}");
    let bad = hook(&place, &["--rules=assertion", "-q", "bad.c", "good one.c"]);
    assert_eq!(bad.code, Some(1), "{bad:?}");
    assert!(bad.out.contains("error[assertion]"), "{bad:?}");
    let header = hook(&place, &["--rules=assertion", "inc/some.h"]);
    assert_eq!(header.code, Some(1), "{header:?}");
    assert!(header.out.contains("(1 target,"), "only the target that reads it: {header:?}");
    for nowhere in ["other.c", "inc/none.h"] {
        let none = hook(&place, &["--fail-on=unknown", nowhere]);
        assert_eq!(none.code, Some(0), "{none:?}");
        assert!(
            none.out.contains(&format!("{nowhere}: note: it belongs to no target")),
            "{none:?}"
        );
        assert!(none.out.contains("verdict: unknown (0 targets, nothing to scan)"), "{none:?}");
    }
    let wrong = hook(&place, &["--rules=nonsense", "bad.c"]);
    assert_eq!((wrong.code, wrong.err.lines().count()), (Some(2), 1), "{wrong:?}");
}

#[test]
fn what_a_broken_unit_reads_is_not_known() {
    let place = Place::new();
    place.write("good.c", GOOD);
    place.write("bad.c", &format!("#include \"some.h\"\n{BAD}"));
    place.write("some.h", "int broken(\n");
    let units = ["good.c", "bad.c"].map(
        |file| json!({ "directory": place.dir(), "file": file, "output": format!("{file}.o"), "arguments": ["cc", file, "-o", file.trim_end_matches(".c")] }),
    );
    place.write("compile_commands.json", &json!(units).to_string());
    let scan = place.scan(&["--rules=assertion", "--affected-by=some.h"]);
    assert_eq!(scan.code, Some(3), "{scan:?}");
    assert!(scan.out.contains("bad.c: not analysed"), "{scan:?}");
    assert!(!scan.out.contains("belongs to no target"), "{scan:?}");
}

#[test]
fn cmake_projects_get_a_scan_for_each_target() {
    let place = Place::new();
    place.write("good.c", GOOD);
    place.write("bad.c", BAD);
    place.write(
        "CMakeLists.txt",
        "cmake_minimum_required(VERSION 3.18)\nproject(demo C)\nadd_executable(good good.c)\n\
         find_package(Cegas REQUIRED)\nadd_executable(bad bad.c)\n\
         cegas_add_scan(good OPTIONS --rules=assertion)\n\
         cegas_add_scan(bad OPTIONS --rules=assertion --json=report.json)\n",
    );
    let cmake = |arguments: &[&str]| ran(place.command_of(Path::new("cmake")).args(arguments));
    let package = format!("-DCegas_DIR={}", ours("cmake").display());
    let program = format!("-DCegas_SCAN={}", env!("CARGO_BIN_EXE_cegas-scan"));
    let configured = cmake(&["-S", ".", "-B", "out", &package, &program]);
    assert_eq!(configured.code, Some(0), "{configured:?}");
    let good = cmake(&["--build", "out", "--target", "good-cegas"]);
    assert_eq!(good.code, Some(0), "{good:?}");
    assert!(good.out.contains("verdict: safe (1 target,"), "{good:?}");
    let all = cmake(&["--build", "out", "--target", "cegas"]);
    assert_ne!(all.code, Some(0), "{all:?}");
    assert!(all.out.contains("error[assertion]") && all.out.contains("bad.c:2:"), "{all:?}");
}

#[test]
fn a_hook_without_the_tool_says_so() {
    let place = Place::new();
    let mut command = Command::new(ours("pre-commit/scan-staged"));
    let ran = ran(command.arg("a.c").current_dir(place.dir()).env("CEGAS_SCAN", "no-such-tool"));
    assert_eq!(ran.code, Some(2), "{ran:?}");
    assert!(ran.err.contains("not in PATH"), "{ran:?}");
}

#[test]
fn a_library_made_before_the_package_was_found_is_in_the_model() {
    let place = Place::new();
    place.write("half.c", "int half(int n) { return 10 / (n - 1); }\n");
    place.write("main.c", "int half(int n);\nint main(void) { return half(1); }\n");
    place.write("late/late.c", "int late(int n) { return 10 / (n - 2); }\n");
    place.write("late/CMakeLists.txt", "add_library(late STATIC late.c)\n");
    place.write("second.c", "int late(int n);\nint main(void) { return late(2); }\n");
    place.write(
        "CMakeLists.txt",
        "cmake_minimum_required(VERSION 3.18)\nproject(demo C)\nadd_library(half STATIC half.c)\n\
         add_executable(first main.c)\ntarget_link_libraries(first half)\nfind_package(Cegas REQUIRED)\n\
         cegas_add_scan(first)\nadd_executable(second second.c)\ncegas_add_scan(second)\n\
         add_subdirectory(late)\ntarget_link_libraries(second late)\n",
    );
    let cmake = |arguments: &[&str]| ran(place.command_of(Path::new("cmake")).args(arguments));
    let package = format!("-DCegas_DIR={}", ours("cmake").display());
    let program = format!("-DCegas_SCAN={}", env!("CARGO_BIN_EXE_cegas-scan"));
    let configured = cmake(&["-S", ".", "-B", "out", &package, &program]);
    assert_eq!(configured.code, Some(0), "{configured:?}");
    for (target, place) in [("first-cegas", "half.c:1"), ("second-cegas", "late.c:1")] {
        let built = cmake(&["--build", "out", "--target", target]);
        assert_ne!(built.code, Some(0), "{built:?}");
        assert!(built.out.contains("error[div-by-zero]") && built.out.contains(place), "{built:?}");
    }
}

#[test]
fn a_target_is_scanned_by_its_name_whatever_its_file_is_called() {
    let place = Place::new();
    place.write("src/util.c", "int half(int n) { return 10 / (n - n); }\n");
    place.write("main.c", BAD);
    place.write("src/CMakeLists.txt", "add_library(util STATIC util.c)\ncegas_add_scan(util)\n");
    place.write(
        "CMakeLists.txt",
        "cmake_minimum_required(VERSION 3.18)\nproject(demo C)\nfind_package(Cegas REQUIRED)\n\
         add_subdirectory(src)\nadd_executable(tool main.c)\n\
         set_target_properties(tool PROPERTIES OUTPUT_NAME other)\ncegas_add_scan(tool)\n",
    );
    let cmake = |arguments: &[&str]| ran(place.command_of(Path::new("cmake")).args(arguments));
    let package = format!("-DCegas_DIR={}", ours("cmake").display());
    let program = format!("-DCegas_SCAN={}", env!("CARGO_BIN_EXE_cegas-scan"));
    let mut generators = vec!["Unix Makefiles"];
    if Command::new("ninja").arg("--version").output().is_ok() {
        generators.push("Ninja");
    }
    for generator in generators {
        // What CMake tells of its targets is there from the second time on.
        for _ in 0..2 {
            let configured =
                cmake(&["-G", generator, "-S", ".", "-B", generator, &package, &program]);
            assert_eq!(configured.code, Some(0), "{configured:?}");
            for (target, found) in [("util-cegas", "util.c:1"), ("tool-cegas", "main.c:2")] {
                let built = cmake(&["--build", generator, "--target", target]);
                assert!(built.out.contains(found), "{generator}: {built:?}");
                assert!(built.out.contains("(1 target,"), "{generator}: {built:?}");
            }
        }
    }
}
