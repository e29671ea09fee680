//! The clang inside the tool and the installed one make the same of a unit: tables, files, messages. `CEGAS_CLANG` names
//! the installed one.

mod tool;

use tool::{Place, ran};

const INSTALLED: &str = "/usr/lib/llvm-19/bin/clang";

/// What a scan prints and says with either of them.
fn both(place: &Place, arguments: &[&str]) -> [(Option<i32>, String, String); 2] {
    [None, Some(INSTALLED)].map(|named| {
        let mut command = place.command();
        command.args(arguments).arg("--no-cache");
        if let Some(named) = named {
            command.env("CEGAS_CLANG", named);
        }
        let scan = ran(&mut command);
        (scan.code, scan.out.clone(), scan.err.clone())
    })
}

#[test]
fn both_make_the_same_model() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/frontend/");
    let mut sources: Vec<_> = std::fs::read_dir(folder)
        .expect("cases")
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|e| e == "c"))
        .collect();
    sources.sort();
    assert!(!sources.is_empty());
    let place = Place::new();
    for source in &sources {
        let name = source.file_name().and_then(|name| name.to_str()).expect("a name");
        place.write(name, &std::fs::read_to_string(source).expect("a case"));
        for flags in [&[][..], &["--cflags=-m32"], &["--cflags=-std=gnu89", "--cflags=-fwrapv"]] {
            let mut arguments = vec!["--dump=ir", name];
            arguments.extend(flags);
            let [own, installed] = both(&place, &arguments);
            assert!(own == installed, "{name} {flags:?}: {} {}", own.2, installed.2);
        }
    }
}

#[test]
fn both_refuse_in_the_same_words() {
    let place = Place::new();
    for (name, text, flag) in [
        ("syntax.c", "int main(void) { return }\n", "-DX"),
        ("missing.c", "#include \"nowhere.h\"\nint main(void) { return 0; }\n", "-DX"),
        ("type.c", "struct s; int main(void) { struct s x; return 0; }\n", "-DX"),
        ("flag.c", "int main(void) { return 0; }\n", "-std=c1"),
    ] {
        place.write(name, text);
        let [own, installed] = both(&place, &[name, &format!("--cflags={flag}")]);
        assert_eq!(own, installed, "{name}");
        assert_ne!(own.0, Some(0), "{name}");
    }
}

/// What needs more than the front end is left to the installed clang.
#[test]
fn what_is_not_plain_is_compiled_too() {
    let place = Place::new();
    place.write("a.c", "int main(void) { return 0; }\n");
    for flag in ["-fcoverage-mapping", "-fprofile-instr-generate", "-fopenmp"] {
        let [own, installed] = both(&place, &["a.c", "--dump=ir", &format!("--cflags={flag}")]);
        assert_eq!(own, installed, "{flag}");
    }
}

/// A header that appears earlier on the include path is noticed, whoever compiled.
#[test]
fn a_header_that_appears_is_noticed() {
    let place = Place::new();
    place.write("late/value.h", "#define VALUE 1\n");
    place.write("a.c", "#include <value.h>\nint value = VALUE; int main(void) { return 0; }\n");
    let dump = || place.scan(&["--dump=ir", "--cflags=-Iearly", "--cflags=-Ilate", "a.c"]).out;
    std::fs::create_dir_all(place.dir().join("early")).expect("a folder");
    let before = dump();
    assert_eq!(before, dump());
    place.write("early/value.h", "#define VALUE 2\n");
    assert_ne!(before, dump());
}
