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

#[test]
fn a_touched_header_recompiles_its_users_alone() {
    let place = Place::new();
    place.write("h.h", "#define H 1\n");
    place.write("a.c", "#include \"h.h\"\nint a(void) { return H; }\n");
    place.write("b.c", "int b(void) { return 0; }\n");
    let entries = ["a.c", "b.c"].map(
        |file| json!({ "directory": place.dir(), "file": file, "arguments": ["cc", "-c", file] }),
    );
    place.write("compile_commands.json", &json!(entries).to_string());
    // A compiler that tells of its calls, in place of the real one.
    let real = ["/usr/lib/llvm-19/bin/clang", "/usr/bin/clang-19"];
    let real = real.iter().find(|path| std::path::Path::new(path).exists()).expect("clang 19");
    let script = "#!/bin/sh\nfor last; do :; done\necho \"${last##*/}\" >> \"${0%/*}/calls\"\n";
    let compiler = place.write("clang", &format!("{script}exec {real} \"$@\"\n"));
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(&compiler, mode).expect("permissions");
    let calls = || {
        let scan = tool::ran(place.command().env("CEGAS_CLANG", &compiler));
        assert_eq!(scan.code, Some(0), "{scan:?}");
        let path = place.dir().join("calls");
        let mut calls: Vec<String> = std::fs::read_to_string(&path)
            .map_or_else(|_| Vec::new(), |text| text.lines().map(str::to_owned).collect());
        let _ = std::fs::remove_file(path);
        calls.sort();
        calls
    };
    assert_eq!(calls(), ["a.c", "b.c"]);
    assert_eq!(calls(), Vec::<String>::new(), "a second run compiles nothing");
    place.write("h.h", "#define H 2\n");
    assert_eq!(calls(), ["a.c"]);
    place.write("h.h", "#define H 1\n");
    assert_eq!(calls(), Vec::<String>::new(), "what was compiled once is remembered");
}
