//! Equal scans give equal bytes: whatever the number of workers, the run, and the state of the cache.

mod tool;

use serde_json::json;
use tool::Place;

/// A build with several programs, a library, doubled symbols, dropped flags, findings, and units that fail.
fn project() -> Place {
    let place = Place::new();
    let mut entries = Vec::new();
    let mut add = |name: &str, text: &str, flag: &str| {
        place.write(name, text);
        let arguments = ["cc", "-c", name, flag];
        entries.push(json!({ "directory": place.dir(), "file": name, "arguments": arguments }));
    };
    for n in 0..6 {
        let main = format!(
            "#include <assert.h>\nint part{n}(int);\nint twice(int x) {{ return 2 * x; }}\n\
             int main(int argc, char **argv) {{ assert(part{n}(twice({n})) != 4); return 0; }}\n"
        );
        add(&format!("main{n}.c"), &main, &format!("-DN={n}"));
        let part = format!(
            "static int once(int x) {{ return x; }}\nint twice(int x) {{ return x + x; }}\n\
             int part{n}(int x) {{ return once(x) - twice(0); }}\n"
        );
        add(&format!("part{n}.c"), &part, "-fplugin=evil.so");
        add(&format!("broken{n}.c"), "int f( { }\n", "-mystery-flag");
        add(&format!("alone{n}.c"), &format!("int alone{n}(void) {{ return {n}; }}\n"), "-O2");
    }
    add("view.cpp", "", "-O2");
    place.write("compile_commands.json", &json!(entries).to_string());
    place
}

#[test]
fn whatever_the_workers_the_run_and_the_cache() {
    let place = project();
    let scan = |more: &[&str]| {
        let arguments = ["--json=r.json", "--sarif=r.sarif", "--html=r.html", "--rules=assertion"];
        let arguments: Vec<&str> = arguments.iter().chain(more).copied().collect();
        let scan = place.scan(&arguments);
        (scan.code, scan.out, place.read("r.json"), place.read("r.sarif"), place.read("r.html"))
    };
    let cold = scan(&["-j4"]);
    assert_eq!(cold.0, Some(1), "{cold:?}");
    assert!(cold.1.contains("main2.c:4:"), "{cold:?}");
    for word in ["broken3.c: not analysed", "`twice` is defined", "-fplugin"] {
        assert!(cold.1.contains(word), "{word:?} is not in {}", cold.1);
    }
    for more in [&["-j1"][..], &["-j4"], &["-j1", "--no-cache"], &["-j3", "--no-cache"]] {
        let again = scan(more);
        assert!(again == cold, "{more:?}:\n{}\nbefore:\n{}", again.1, cold.1);
    }
}

#[test]
fn dumps_too() {
    let place = project();
    for stage in ["--dump=ir", "--dump=targets"] {
        let cold = place.scan(&[stage, "-j4", "--no-cache"]);
        assert!(cold.out.contains("main5"), "{cold:?}");
        for jobs in ["-j1", "-j4", "-j2"] {
            let again = place.scan(&[stage, jobs]);
            assert!(again.out == cold.out && again.code == cold.code, "{stage} {jobs}: {again:?}");
        }
    }
}

/// A project scanned with a compiler that tells of its calls, in place of the real one.
struct Told {
    place: Place,
    compiler: std::path::PathBuf,
}

impl Told {
    /// `call` runs the real compiler: `exec REAL "$@"` for one that is as it should be.
    fn new(sources: &[(&str, &str)], flags: &[&str], call: &str) -> Told {
        let place = Place::new();
        let entry = |&(file, text): &(&str, &str)| {
            place.write(file, text);
            let arguments = [&["cc", "-c", file], flags].concat();
            json!({ "directory": place.dir(), "file": file, "arguments": arguments })
        };
        let entries: Vec<_> = sources.iter().map(entry).collect();
        place.write("compile_commands.json", &json!(entries).to_string());
        let real = ["/usr/lib/llvm-19/bin/clang", "/usr/bin/clang-19"];
        let real = real.iter().find(|path| std::path::Path::new(path).exists()).expect("clang 19");
        let script = "#!/bin/sh\nfor last; do :; done\necho \"${last##*/}\" >> \"${0%/*}/calls\"\n";
        let call = call.replace("REAL", real);
        let compiler = place.write("clang", &format!("{script}{call}\n"));
        let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        std::fs::set_permissions(&compiler, mode).expect("permissions");
        Told { place, compiler }
    }

    /// The units that a scan compiles, and what it says.
    fn scan(&self, arguments: &[&str]) -> (Vec<String>, tool::Ran) {
        let mut command = self.place.command();
        let scan = tool::ran(command.env("CEGAS_CLANG", &self.compiler).args(arguments));
        assert_eq!(scan.code, Some(0), "{scan:?}");
        let path = self.place.dir().join("calls");
        let mut calls: Vec<String> = std::fs::read_to_string(&path)
            .map_or_else(|_| Vec::new(), |text| text.lines().map(str::to_owned).collect());
        let _ = std::fs::remove_file(path);
        calls.sort();
        (calls, scan)
    }

    fn calls(&self) -> Vec<String> {
        self.scan(&[]).0
    }
}

const AS_IT_IS: &str = "exec REAL \"$@\"";
const NONE: [&str; 0] = [];

#[test]
fn a_touched_header_recompiles_its_users_alone() {
    let sources = [
        ("a.c", "#include \"h.h\"\nint a(void) { return H; }\n"),
        ("b.c", "int b(void) { return 0; }\n"),
    ];
    let told = Told::new(&sources, &[], AS_IT_IS);
    told.place.write("h.h", "#define H 1\n");
    assert_eq!(told.calls(), ["a.c", "b.c"]);
    assert_eq!(told.calls(), NONE, "a second run compiles nothing");
    told.place.write("h.h", "#define H 2\n");
    assert_eq!(told.calls(), ["a.c"]);
    told.place.write("h.h", "#define H 1\n");
    assert_eq!(told.calls(), NONE, "what was compiled once is remembered");
}

#[test]
fn a_header_that_appears_recompiles_those_who_looked_for_it() {
    let a = "#include \"h.h\"\n#include <sys/h.h>\nint a(void) { return H; }\n";
    let b = "#if __has_include(\"maybe.h\")\nint b(void) { return 31; }\n#else\nint b(void) { return 32; }\n#endif\n";
    let sources = [("a.c", a), ("b.c", b), ("c.c", "int c;\n")];
    let told = Told::new(&sources, &["-Ifirst", "-Iabsent", "-Isecond"], AS_IT_IS);
    let (place, gone) =
        (&told.place, |name: &str| std::fs::remove_file(told.place.dir().join(name)));
    place.write("first/other.h", "");
    place.write("second/h.h", "#define H 1\n");
    place.write("second/sys/h.h", "");
    assert_eq!(told.calls(), ["a.c", "b.c", "c.c"]);
    place.write("first/unrelated.h", "");
    assert_eq!(told.calls(), NONE, "nobody asked for it");
    // Each is found before the one that was read: on the path, in a folder that was not there, beside the source.
    let rounds = [
        ("first/sys/h.h", "#undef H\n#define H 77\n"),
        ("absent/h.h", "#define H 78\n"),
        ("first/h.h", "#define H 79\n"),
        ("h.h", "#define H 80\n"),
    ];
    for (name, text) in rounds {
        place.write(name, text);
        let (calls, scan) = told.scan(&["--dump=ir"]);
        // Every call of a compiler looks whether the folders of its path are there.
        let all = ["a.c", "b.c", "c.c"];
        assert_eq!(calls, if name.contains("absent") { &all[..] } else { &all[..1] }, "{name}");
        let value = format!("return i32 {}", &text[text.len() - 3..].trim_end());
        assert!(scan.out.contains(&value), "{name}: {}", scan.out);
        if name.contains("sys") {
            std::fs::remove_dir_all(place.dir().join("first/sys")).expect("it was there");
            assert_eq!(told.calls(), NONE, "{name}: as before, and that is remembered");
        }
    }
    place.write("maybe.h", "");
    let (calls, scan) = told.scan(&["--dump=ir"]);
    assert!(calls == ["b.c"] && scan.out.contains("return i32 31"), "{calls:?} {}", scan.out);
    gone("maybe.h").expect("it was there");
    assert_eq!(told.calls(), NONE, "as before, and that is remembered");
}

#[test]
fn a_compiler_that_cannot_be_followed_is_called_each_time() {
    for call in ["exec env -u LD_PRELOAD REAL \"$@\"", "CEGAS_LOOKUPS=/dev/full exec REAL \"$@\""] {
        let told = Told::new(&[("a.c", "int main(void) { return 0; }\n")], &[], call);
        for _ in 0..2 {
            let (calls, scan) = told.scan(&[]);
            assert_eq!(calls, ["a.c"], "{call}");
            assert!(scan.out.contains("cannot be followed"), "{call}: {scan:?}");
        }
    }
}
