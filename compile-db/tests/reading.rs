//! Reading compilation databases: every form they come in, and what a hostile one can try.

use compile_db::{Build, Error, LinkKind, Part, read};
use std::{fs, path::Path};
use tempfile::TempDir;

fn project(files: &[&str]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for file in files {
        let path = folder.path().join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, "int x;\n").unwrap();
    }
    folder
}

fn read_text(folder: &Path, json: impl AsRef<[u8]>) -> Result<Build, Error> {
    let path = folder.join("compile_commands.json");
    fs::write(&path, json).unwrap();
    read(&path)
}

/// A database with one command for a.c in the project's folder.
fn one(folder: &Path, command: &str) -> Build {
    let entry = serde_json::json!([{"directory": ".", "file": "a.c", "command": command}]);
    read_text(folder, entry.to_string()).unwrap()
}

fn flags(build: &Build, unit: usize) -> Vec<String> {
    build.units[unit].flags.iter().map(|flag| flag.to_string_lossy().into_owned()).collect()
}

#[test]
fn both_forms_give_the_same_unit() {
    let folder = project(&["src/a b.c"]);
    let json = r#"[
        {"directory": "src", "file": "a b.c", "arguments": ["cc", "-DN=\"a b\"", "-I", "../inc", "-O2", "-g", "-Wall", "-c", "a b.c"]},
        {"directory": "src", "file": "a b.c", "command": "cc -DN='\"a b\"' -I ../inc -O2 -g -Wall -c \"a b.c\" -o x.o"}]"#;
    let build = read_text(folder.path(), json).unwrap();
    let real = folder.path().canonicalize().unwrap();
    assert_eq!(build.units.len(), 2);
    assert_eq!(flags(&build, 0), ["-DN=\"a b\"", "-I../inc"]);
    assert_eq!(flags(&build, 1), flags(&build, 0));
    assert_eq!(build.units[0].source, real.join("src/a b.c"));
    assert_eq!(build.units[0].directory, real.join("src"));
    assert_eq!(build.units[0].output, Some(real.join("src/a b.o")));
    assert_eq!(build.units[1].output, Some(real.join("src/x.o")));
    assert!(build.notes.is_empty(), "{:?}", build.notes);
}

#[test]
fn one_file_several_times() {
    let folder = project(&["a.c"]);
    let entry = |macros: &str| {
        format!(r#"{{"directory": ".", "file": "a.c", "command": "cc {macros} -c a.c"}}"#)
    };
    let json = format!("[{}, {}, {}]", entry("-DA"), entry("-DB"), entry("-DA"));
    let build = read_text(folder.path(), json).unwrap();
    assert_eq!(build.units.len(), 2, "the exact repetition is merged, other macros are not");
}

#[test]
fn several_sources_and_linking_in_one_command() {
    let folder = project(&["a.c", "b.c", "c.cc"]);
    let build = one(folder.path(), "gcc -DX a.c b.c c.cc -o prog -lm");
    assert_eq!(build.units.len(), 2);
    assert_eq!(build.skipped.len(), 1);
    let [link] = &build.links[..] else { panic!("{:?}", build.links) };
    assert_eq!(link.kind, LinkKind::Executable);
    assert_eq!(link.parts, [Part::Unit(0), Part::Unit(1), Part::Skipped(0)]);
    assert_eq!(link.libraries, ["m"]);
}

#[test]
fn bear_splits_compile_and_link_and_lists_inner_calls() {
    let folder = project(&["a.c", "b.c"]);
    let json = r#"[
        {"directory": ".", "file": "a.c", "arguments": ["/usr/lib/llvm-19/bin/clang", "-cc1", "-triple", "x86_64-pc-linux-gnu",
            "-main-file-name", "a.c", "-D", "INNER", "-resource-dir", "/x", "-x", "c", "-o", "/tmp/a-1.o", "a.c"]},
        {"directory": ".", "file": "a.c", "arguments": ["clang", "-c", "-o", "prog", "a.c"], "output": "prog"},
        {"directory": ".", "file": "b.c", "arguments": ["clang", "-c", "-o", "prog", "b.c"], "output": "prog"}]"#;
    let build = read_text(folder.path(), json).unwrap();
    assert_eq!(build.units.len(), 2, "{:?}", build.units);
    assert_eq!(build.links.len(), 1);
    assert_eq!(build.links[0].parts, [Part::Unit(0), Part::Unit(1)]);
}

#[test]
fn an_inner_call_alone_is_translated() {
    let folder = project(&["a.c"]);
    let build = one(
        folder.path(),
        "clang -cc1 -triple i386-pc-linux-gnu -emit-obj -main-file-name a.c -target-cpu x86-64 \
         -resource-dir /r -internal-isystem /usr/include -I inc -D X=1 -std=gnu11 -o a.o -x c a.c",
    );
    assert_eq!(build.units.len(), 1);
    assert_eq!(flags(&build, 0), ["--target=i386-pc-linux-gnu", "-Iinc", "-DX=1", "-std=gnu11"]);
    assert!(build.notes.is_empty(), "{:?}", build.notes);
}

#[test]
fn other_languages_and_missing_files_are_listed() {
    let folder = project(&["a.c", "x.cpp", "y.S", "odd.inc"]);
    let json = r#"[
        {"directory": ".", "file": "x.cpp", "command": "g++ -c x.cpp"},
        {"directory": ".", "file": "a.c", "command": "g++ -c a.c"},
        {"directory": ".", "file": "y.S", "command": "gcc -c y.S"},
        {"directory": ".", "file": "gen.c", "command": "gcc -c gen.c"},
        {"directory": "gone", "file": "../a.c", "command": "gcc -c ../a.c"},
        {"directory": ".", "file": "a.c", "command": "gcc 'open"},
        {"directory": ".", "file": "a.c"},
        {"directory": ".", "file": "/dev/zero", "command": "gcc -xc -c /dev/zero"},
        {"directory": ".", "file": "odd.inc", "command": "gcc -x c -c odd.inc"}]"#;
    let build = read_text(folder.path(), json).unwrap();
    assert_eq!(build.units.len(), 1);
    assert_eq!(flags(&build, 0), ["-x", "c"]);
    let mut reasons: Vec<&str> = build.skipped.iter().map(|skip| skip.reason.as_str()).collect();
    reasons.sort();
    assert_eq!(
        reasons,
        [
            "C++ is not analysed",
            "C++ is not analysed",
            "a device, not a file",
            "assembly is not analysed",
            "its command has an open quote",
            "its entry has neither arguments nor a command",
            "not there; if the build generates it, build the project first",
            "the folder its command ran in is not there",
        ]
    );
}

#[test]
fn c_without_a_usable_command_is_lost_and_told() {
    let folder = project(&["a.c", "b.c", "c.c", "x.cpp"]);
    let json = r#"[
        {"directory": ".", "file": "a.c", "command": ""},
        {"directory": ".", "file": "b.c", "command": "gcc 'open"},
        {"directory": ".", "file": "c.c", "arguments": []},
        {"directory": ".", "file": "x.cpp", "command": ""},
        {}]"#;
    let build = read_text(folder.path(), json).unwrap();
    let told = |skipped: &compile_db::Skipped| {
        let name = skipped.file.file_name().unwrap().to_string_lossy().into_owned();
        (name, skipped.reason.clone(), skipped.is_c)
    };
    let told: Vec<_> = build.skipped.iter().map(told).collect();
    let row = |name: &str, reason: &str, is_c| (name.to_owned(), reason.to_owned(), is_c);
    let nothing = "its entry has neither arguments nor a command";
    assert_eq!(
        told,
        [
            row("a.c", "its command is empty", true),
            row("b.c", "its command has an open quote", true),
            row("c.c", nothing, true),
            row("x.cpp", "its command is empty", false),
            row("compile_commands.json", &format!("entry 5 names no file: {nothing}"), true),
        ]
    );
}

#[test]
fn shared_memory_is_a_folder_like_any_other() {
    let Ok(folder) = tempfile::tempdir_in("/dev/shm") else {
        return println!("skipped: there is no /dev/shm to write to");
    };
    fs::create_dir(folder.path().join("inc")).unwrap();
    fs::write(folder.path().join("a.c"), "int x;").unwrap();
    let build = one(folder.path(), "gcc -Iinc -c a.c");
    assert_eq!(flags(&build, 0), ["-Iinc"], "{build:?}");
}

#[test]
fn flags_that_change_the_meaning_are_kept_or_told() {
    let folder = project(&["a.c"]);
    let kept = [
        ("-m32 -malign-double", "-m32 -malign-double"),
        ("-malign-double -mno-align-double", ""),
        ("-malign-functions=16 -mcpu=nocona", ""),
        (
            "--target=arm-linux-gnueabi -mcpu=cortex-m3",
            "--target=arm-linux-gnueabi -mcpu=cortex-m3",
        ),
        ("--include-directory=inc --include-directory more", "-Iinc -Imore"),
        ("--define-macro=A=1 --define-macro B --undefine-macro=C", "-DA=1 -DB -UC"),
        ("--include=x.h", "-Xclang -include -Xclang x.h"),
        ("--define-macro= -DX", "-DX"),
        ("-finput-charset=UTF-8 -fno-trigraphs", "-fno-trigraphs"),
        ("-Xclang -fcolor-diagnostics --", ""),
    ];
    for (given, expected) in kept {
        let build = one(folder.path(), &format!("gcc {given} -c a.c"));
        assert_eq!(flags(&build, 0).join(" "), expected, "{given}");
        assert!(build.notes.is_empty(), "{given}: {:?}", build.notes);
    }
    let told = [
        ("-Ofast", "strict rules"),
        ("-mavx512er", "clang has nothing"),
        ("-finput-charset=latin1", "clang has nothing"),
        ("-malign-power", "not known"),
        ("-Xclang -vectorize-loops", "not known"),
        ("-Xclang -load", "load or run"),
        ("-Xclang -add-plugin", "load or run"),
    ];
    for (given, word) in told {
        let build = one(folder.path(), &format!("gcc {given} -c a.c"));
        assert_eq!(flags(&build, 0), [""; 0], "{given}");
        assert!(build.notes[0].text.contains(word), "{given}: {:?}", build.notes);
    }
}

#[test]
fn a_precompiled_header_is_part_of_no_program() {
    let folder = project(&["a.c", "pre.h", "pre.h.c"]);
    let json = r#"[
        {"directory": ".", "file": "pre.h.c", "command": "gcc -x c-header -o pre.h.gch -c pre.h.c"},
        {"directory": ".", "file": "pre.h", "command": "clang -Xclang -emit-pch pre.h -o pre.h.pch"},
        {"directory": ".", "file": "a.c", "command": "gcc -include pre.h -c a.c"}]"#;
    let build = read_text(folder.path(), json).unwrap();
    assert_eq!((build.units.len(), build.skipped.len()), (1, 0), "{:?}", build.skipped);
}

#[test]
fn launchers_and_gcc_spellings() {
    let folder = project(&["a.c"]);
    let build = one(
        folder.path(),
        "ccache arm-linux-gnueabi-gcc-12 -std=gnu99 -fplan9-extensions -fno-hosted -Wp,-MD,a.d,-DW=1 \
         -Xpreprocessor -DY -nostdinc -isystem /usr/lib/gcc/x86_64-linux-gnu/12/include -m32 -funroll-loops \
         -MMD -MF a.d -include config.h -fvisibility=hidden -c a.c",
    );
    assert_eq!(
        flags(&build, 0),
        [
            "--target=arm-linux-gnueabi",
            "-std=gnu99",
            "-fms-extensions",
            "-ffreestanding",
            "-DW=1",
            "-DY",
            "-nostdlibinc",
            "-m32",
            "-Xclang",
            "-include",
            "-Xclang",
            "config.h",
            "-fvisibility=hidden",
        ]
    );
    assert_eq!(build.notes.len(), 1, "{:?}", build.notes);
}

#[test]
fn dangerous_flags_are_dropped_with_a_note() {
    let folder = project(&["a.c"]);
    fs::write(folder.path().join("evil.rsp"), "-fplugin=./rsp.so -DFROM_RSP").unwrap();
    let dangerous = [
        "-fplugin=./evil.so",
        "-fplugin-arg-evil-x=1",
        "-fpass-plugin=./evil.so",
        "-Xclang -load -Xclang ./evil.so",
        "-Xclang -plugin -Xclang run",
        "-B.",
        "-B ./tools",
        "-wrapper ./run,--args",
        "--config evil.cfg",
        "--config=evil.cfg",
        "-specs=evil.specs",
        "-include /dev/stdin",
        "-I/dev",
        "-isystem /proc/self",
        "-imacros /dev/zero",
        "-fuse-ld=./ld",
        "-dumpdir /etc/",
        "-save-temps",
        "-save-temps=obj",
        "-ftime-trace=/etc/x",
        "-fprofile-generate=/etc",
        "-fprofile-use=x",
        "--serialize-diagnostics /etc/x",
        "-fmodules-cache-path=/etc",
        "-fmodule-file=evil.pcm",
        "-fcrash-diagnostics-dir=/etc",
        "-foptimization-record-file=/etc/x",
        "-fstack-usage",
        "-mllvm -load=./evil.so",
        "-ccc-gcc-name ./run",
        "--gcc-toolchain=.",
        "-ivfsoverlay x.yaml",
        "-fdump-tree-all=/etc/x",
        "-aux-info /etc/x",
        "--coverage",
        "-resource-dir .",
        "-index-store-path /etc",
        "-include-pch evil.pch",
        "--unknown-flag",
        "-fsanitize-ignorelist=/dev/zero",
        "-gen-reproducer=always",
    ];
    for flag in dangerous {
        let build = one(folder.path(), &format!("gcc -DSAFE {flag} -c a.c"));
        assert_eq!(build.units.len(), 1, "{flag}");
        assert_eq!(flags(&build, 0), ["-DSAFE"], "{flag}");
        assert!(!build.notes.is_empty(), "{flag} dropped without a note");
    }
    let build = one(folder.path(), "gcc -D '' -U '' -I '' -DSAFE -c a.c -D");
    assert_eq!(flags(&build, 0), ["-DSAFE"], "no kept flag may take the next one for its value");
    let quiet = "-MD -MF /etc/x -MJ /etc/y -o /etc/z -gsplit-dwarf -Wa,-o,/etc/x -fno-integrated-as -O3 -flto";
    let build = one(folder.path(), &format!("gcc -DSAFE {quiet} -c a.c"));
    assert_eq!(flags(&build, 0), ["-DSAFE"]);
    let build =
        one(folder.path(), "gcc @evil.rsp @/dev/zero -Wp,-include,@evil.rsp -I@evil.rsp -c a.c");
    let kept = flags(&build, 0);
    assert_eq!(
        kept,
        ["-DFROM_RSP", "-Xclang", "-include", "-Xclang", "./@evil.rsp", "-I@evil.rsp"],
        "an argument that starts with @ would be expanded by clang"
    );
    assert_eq!(build.notes.len(), 2, "{:?}", build.notes);
}

#[test]
fn a_database_that_is_none() {
    let folder = project(&["a.c"]);
    let message = |json: &str| read_text(folder.path(), json).unwrap_err().to_string();
    assert!(message("").contains("no entries"));
    assert!(message(" \n").contains("no entries"));
    assert!(message("[]").contains("no entries"));
    assert!(message("[\n  {\"directory\": 3}\n]").contains(":2:17: not a compilation database: "));
    assert!(message("[{\"directory\": \".\"").contains(":1:18: "));
    assert!(message("{}").contains("expected an array of compile commands"));
    assert!(message("[{}] x").contains("trailing characters"));
    assert!(message(&"[".repeat(100_000)).contains("not a compilation database"));
    let missing = read(&folder.path().join("none.json")).unwrap_err().to_string();
    assert!(missing.contains("none.json"), "{missing}");
    assert!(read(Path::new("/dev/zero")).is_err());
    assert!(read(folder.path()).is_err());
}

#[test]
fn paths_may_hold_any_bytes() {
    use std::os::unix::ffi::OsStrExt;
    let folder = project(&[]);
    let name = std::ffi::OsStr::from_bytes(b"caf\xe9 \n.c");
    fs::write(folder.path().join(name), "int x;").unwrap();
    let json = b"\xef\xbb\xbf[{\"directory\": \".\", \"file\": \"caf\xe9 \\n.c\", \"arguments\": [\"cc\", \"-DX=\xe9\", \"-c\", \"caf\xe9 \\n.c\"]}]";
    let build = read_text(folder.path(), json).unwrap();
    assert_eq!(build.units.len(), 1, "{build:?}");
    assert_eq!(build.units[0].source.file_name(), Some(name));
    assert_eq!(build.units[0].flags[0].as_bytes(), b"-DX=\xe9");
}

/// No mutation of a valid database may panic or let a flag through that is not allowed.
#[test]
fn mutated_databases_are_survived() {
    let folder = project(&["a.c", "b.c"]);
    let seed = br#"[{"directory": ".", "file": "a.c", "command": "cc -DA='x y' -Iinc @r -Wl,-o,x -c a.c -o a.o", "output": "a.o"},
        {"directory": ".", "file": "b.c", "arguments": ["ccache", "cc", "-x", "c", "-fplugin=e", "b.c", "-o", "p"]}]"#;
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut random = move |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state % below as u64) as usize
    };
    let pieces: [&[u8]; 12] = [
        b"\"",
        b"\\",
        b"'",
        b"-o",
        b" -x ",
        b"@",
        b"\xff",
        b"-Xclang ",
        b"[",
        b"-include ",
        b"-",
        b"\\u0000",
    ];
    for _ in 0..800 {
        let mut json = seed.to_vec();
        for _ in 0..=random(4) {
            let at = random(json.len());
            match random(3) {
                0 => drop(json.remove(at)),
                1 => json[at] = random(256) as u8,
                _ => drop(json.splice(at..at, pieces[random(pieces.len())].iter().copied())),
            }
        }
        if let Ok(build) = read_text(folder.path(), &json) {
            for flag in build.units.iter().flat_map(|unit| &unit.flags) {
                let flag = flag.to_string_lossy();
                assert!(!flag.starts_with('@') && !flag.starts_with("-fplugin"), "{flag}");
            }
        }
    }
}
