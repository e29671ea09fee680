//! Options as a user types them: help, version, mistakes, and paths that cannot be scanned.

mod tool;

use std::path::Path;

use tool::{Place, ran};

#[test]
fn help_helps() {
    let place = Place::new();
    for option in ["--help", "-h"] {
        let help = place.scan(&[option]);
        assert_eq!((help.code, help.err.as_str()), (Some(0), ""));
        for word in [
            "--build-dir",
            "--target",
            "--cflags",
            "--entry",
            "--jobs",
            "--timeout",
            "--rules",
            "--json",
            "--sarif",
            "--quiet",
            "--progress",
            "--dump",
            "--config",
            "--version",
            "-- make -j8",
            "cegas.toml",
            "Exit codes",
            "code you trust",
        ] {
            assert!(help.out.contains(word), "{word:?} is not in {option}:\n{}", help.out);
        }
        assert!(!help.out.contains('\u{1b}'), "no colours in a pipe");
    }
}

#[test]
fn cargo_has_its_own_help() {
    let place = Place::new();
    let program = Path::new(env!("CARGO_BIN_EXE_cargo-cegas"));
    let help = ran(place.command_of(program).args(["cegas", "--help"]));
    assert_eq!(help.code, Some(0));
    assert!(help.out.contains("cargo cegas [OPTIONS]"), "{}", help.out);
    assert!(!help.out.contains("--cflags"), "{}", help.out);
}

#[test]
fn version_names_llvm_and_z3() {
    let version = Place::new().scan(&["--version"]);
    assert_eq!(version.code, Some(0));
    let lines: Vec<_> = version.out.lines().collect();
    assert_eq!(lines.len(), 3, "{version:?}");
    assert_eq!(lines[0], concat!("cegas-scan ", env!("CARGO_PKG_VERSION")));
    assert!(lines[1].starts_with("LLVM 19."), "{version:?}");
    let z3 = lines[2].strip_prefix("Z3 ").and_then(|v| v.split('.').next());
    assert!(z3.is_some_and(|major| major.parse::<u32>().is_ok_and(|n| n >= 4)), "{version:?}");
}

#[test]
fn mistakes_get_one_line_with_a_way_out() {
    let place = Place::new();
    place.write("a.c", "int main(void) { return 0; }\n");
    place.write("a.cpp", "");
    place.write("a.h", "");
    place.write("fast.S", "");
    place.write("notes.txt", "");
    let cases: &[(&[&str], &[&str])] = &[
        (&["--jsn", "x"], &["'--jsn'", "'--json'"]),
        (&["--json"], &["--json", "value"]),
        (&["-j", "0"], &["'0'"]),
        (&["-j", "many"], &["many"]),
        (&["-j", "99999999"], &["jobs", "too many"]),
        (&["--timeout", "-1"], &["-1"]),
        (&["--timeout", "0"], &["timeout"]),
        (&["--timeout", "inf"], &["timeout"]),
        (&["--timeout", "soon"], &["soon"]),
        (&["--progress", "maybe"], &["maybe", "auto, always, never"]),
        (&["--dump", "soup"], &["soup", "targets"]),
        (&["--dump-format", "dot"], &["--dump"]),
        (&["--dump=ir", "--dump-format=dot", "a.c"], &["graph", "text only"]),
        (&["--rules", "nul-deref"], &["`nul-deref`", "did you mean `null-deref`?"]),
        (&["--rules", "speed"], &["`speed`", "assertion"]),
        (&["missing.c"], &["missing.c", "No such file"]),
        (&["a.cpp"], &["a.cpp", "C++"]),
        (&["a.h"], &["a.h", "header"]),
        (&["fast.S"], &["fast.S", "assembly"]),
        (&["notes.txt"], &["notes.txt", "compile_commands.json"]),
        (&["/dev/null"], &["/dev/null", "neither"]),
        (&[".", "a.c"], &["one project at a time"]),
        (&["-p", "nowhere"], &["nowhere", "build folder"]),
        (&["-p", "a.c"], &["a.c", "not a folder"]),
        (&["-p", ".", "a.c"], &["--build-dir"]),
        (&["--cflags=-DX"], &["--cflags", "C files"]),
        (&["--quiet", "--progress=always"], &["quiet", "progress"]),
        (&["--no-cache", "--cache-dir=c"], &["no-cache", "cache-dir"]),
        (&["--json=r", "--sarif=r"], &["--json and --sarif"]),
        (&["--json=-", "--sarif=-"], &["--json and --sarif"]),
        (&["--json=-", "--dump=targets"], &["standard output"]),
        (&["--json=a.c", "a.c"], &["a.c", "is scanned"]),
        (&["--"], &["build command"]),
        (&["a", "b", "--", "make"], &["one folder"]),
    ];
    for (arguments, words) in cases {
        place.scan(arguments).refused(words);
    }
    assert_eq!(place.read("a.c"), "int main(void) { return 0; }\n");
}

#[test]
fn a_hostile_name_cannot_write_to_the_terminal() {
    let place = Place::new();
    place.scan(&["a\u{1b}[2J\nb.c"]).refused(&["\\u{1b}[2J\\nb.c"]);
}
