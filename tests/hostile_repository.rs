//! A repository that means harm is ordinary input: scanning it runs nothing of it, and writes nothing but
//! the cache and the outputs that were named.

mod tool;

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tool::{Place, ran};

const PROGRAM: &str = "int main(void) { return 0; }\n";

/// Every file below a folder with its content; links are named, not followed.
fn snapshot(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut files = BTreeMap::new();
    let mut open = vec![folder.to_owned()];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(&folder).expect("a folder").flatten() {
            let path = entry.path();
            let kind = entry.file_type().expect("a kind");
            if kind.is_dir() {
                open.push(path);
            } else {
                let content =
                    if kind.is_file() { fs::read(&path).expect("a file") } else { vec![] };
                files.insert(path, content);
            }
        }
    }
    files
}

/// A program that tells of itself when it is run.
fn trap(place: &Place, name: &str) -> String {
    let marker = place.dir().join("executed");
    let path = place.write(name, &format!("#!/bin/sh\necho {name} >> '{}'\n", marker.display()));
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("permissions");
    path.to_string_lossy().into_owned()
}

fn entry(place: &Place, number: usize, flags: &[&str]) -> Value {
    let file = format!("unit{number}.c");
    place.write(&file, &PROGRAM.replace("main", &format!("f{number}")));
    let output = format!("unit{number}.o");
    let mut arguments = vec!["cc", "-c", file.as_str(), "-o", output.as_str()];
    arguments.extend(flags);
    json!({ "directory": place.dir(), "file": file, "arguments": arguments })
}

#[test]
fn nothing_of_it_runs_and_nothing_is_written() {
    let place = Place::new();
    let outside = tempfile::tempdir().expect("a folder");
    let out = |name: &str| outside.path().join(name).to_string_lossy().into_owned();
    let evil = trap(&place, "evil.so");
    trap(&place, "tools/cc1");
    trap(&place, "tools/as");
    trap(&place, "tools/ld");
    let tools = place.dir().join("tools").to_string_lossy().into_owned();
    place.write("evil.cfg", &format!("-fplugin={evil}\n"));
    place.write("evil.specs", "*cc1:\n %(evil)\n");
    place.write("flags.rsp", &format!("-DOK=1 -fplugin={evil} '-o' {} @flags.rsp", out("rsp.o")));
    place.write("odd.rsp", "\"an open quote \\");
    fs::write(place.dir().join("binary.rsp"), b"\0\xff\xfe@@\n-B.").expect("a file");
    let plugin = format!("-fplugin={evil}");
    let pass = format!("-fpass-plugin={evil}");
    let config = format!("--config={}", place.dir().join("evil.cfg").display());
    let specs = format!("-specs={}", place.dir().join("evil.specs").display());
    let b = format!("-B{tools}");
    let written = ["mf.d", "mj.json", "time.json", "diag.dia", "stats", "index", "out.o", "wp.d"];
    let [mf, mj, time, dia, stats, index, object, wp] = written.map(&out);
    let wp = format!("-Wp,-MD,{wp}");
    let time = format!("-ftime-trace={time}");
    let stats = format!("-save-stats={stats}");
    let temps = "-save-temps=cwd";
    let cases: Vec<Vec<&str>> = vec![
        vec![&plugin],
        vec!["-Xclang", "-load", "-Xclang", &evil],
        vec!["-Xclang", "-plugin", "-Xclang", "evil", "-Xclang", &plugin],
        vec![&pass],
        vec![&b],
        vec!["-B", &tools],
        vec!["-wrapper", &evil],
        vec!["-no-integrated-cpp", "-fno-integrated-as", &b],
        vec![&config],
        vec!["--config", "evil.cfg"],
        vec![&specs],
        vec!["-specs", "evil.specs"],
        vec!["-fuse-ld=/bin/sh", "-ccc-gcc-name", &evil],
        vec!["@flags.rsp"],
        vec!["@odd.rsp"],
        vec!["@binary.rsp"],
        vec!["@/dev/zero"],
        vec!["@missing.rsp"],
        vec!["-MD", "-MF", &mf],
        vec!["-MJ", &mj],
        vec![&wp],
        vec!["-save-temps"],
        vec![temps],
        vec![&time],
        vec![&stats],
        vec!["--serialize-diagnostics", &dia],
        vec!["-index-store-path", &index],
        vec!["-o", &object],
        vec!["-include", "/dev/zero"],
        vec!["-imacros", "/dev/stdin"],
        vec!["-mllvm", "-load=evil.so"],
        vec!["-fcrash-diagnostics-dir=."],
        vec!["-fprofile-generate", "--coverage", "-ftest-coverage"],
        vec!["-fmodules", "-fmodules-cache-path=."],
        vec!["-dumpdir", "x", "-fdump-tree-all"],
        vec!["-###"],
        vec!["-E", "-o", &object],
        vec!["-D", "X=$(touch executed)", "-DY=`touch executed`", "-DZ=;touch executed"],
    ];
    let mut entries: Vec<Value> =
        cases.iter().enumerate().map(|(number, flags)| entry(&place, number, flags)).collect();
    let dir = place.dir();
    for command in [
        "cc -c main.c -o main.o; touch executed",
        "cc -c main.c -o main.o && touch executed",
        "cc -c main.c `touch executed` $(touch executed) > executed 2> executed | tee executed",
        "sh -c 'touch executed'",
        "touch executed",
        "./evil.so -c main.c",
    ] {
        entries.push(json!({ "directory": dir, "file": "main.c", "command": command }));
    }
    // Outputs that lead elsewhere are not followed, for nothing is written to them.
    let treasure = outside.path().join("treasure");
    fs::write(&treasure, "gold").expect("a file");
    for name in ["main.o", "unit0.o", "unit0.bc", "unit0.d"] {
        symlink(&treasure, dir.join(name)).expect("a link");
    }
    place.write("main.c", PROGRAM);
    place.write("crash.c", "#pragma clang __debug crash\n");
    entries
        .push(json!({ "directory": dir, "file": "crash.c", "arguments": ["cc", "-c", "crash.c"] }));
    place.write("compile_commands.json", &Value::Array(entries).to_string());

    let temporary = tempfile::tempdir().expect("a folder");
    let before = (snapshot(&dir), snapshot(outside.path()));
    let scan = ran(place.command().arg("--json=r.json").env("TMPDIR", temporary.path()));
    assert_eq!(scan.code, Some(3), "only the unit that crashes clang is lost: {scan:?}");
    let report: Value = serde_json::from_str(&place.read("r.json")).expect("a report");
    fs::remove_file(dir.join("r.json")).expect("the report is there");
    assert!(!dir.join("executed").exists(), "{}", place.read("executed"));
    assert!(before == (snapshot(&dir), snapshot(outside.path())), "{scan:?}");
    assert_eq!(snapshot(temporary.path()), BTreeMap::new());
    for word in
        ["-fplugin", "-load", "-B", "-wrapper", "--config", "-specs", "-save-temps", "/dev/zero"]
    {
        let noted =
            report["notes"].as_array().expect("notes").iter().any(|n| n.to_string().contains(word));
        assert!(noted, "no note about {word}: {}", report["notes"]);
    }
    let failed = report["failed"].as_array().expect("a list");
    assert_eq!(failed.len(), 1, "{report}");
    assert_eq!(failed[0]["file"], "crash.c");
}

#[test]
fn a_compiler_in_the_repository_is_not_found() {
    let place = Place::new();
    place.write("a.c", PROGRAM);
    trap(&place, "clang-19");
    // An empty word in PATH is the current folder, to a shell.
    let path = format!(":.:{}", std::env::var("PATH").expect("a PATH"));
    let scan = ran(place.command().arg("a.c").env("PATH", path));
    assert_eq!(scan.code, Some(0), "{scan:?}");
    assert!(!place.dir().join("executed").exists(), "{scan:?}");
}

#[test]
fn a_source_that_never_ends_is_one_failed_unit() {
    let place = Place::new();
    let fifo = std::process::Command::new("mkfifo").arg(place.dir().join("pipe")).status();
    assert!(fifo.is_ok_and(|status| status.success()));
    let endless = "#if __INCLUDE_LEVEL__ < 60\n#include \"slow.c\"\n#include \"slow.c\"\n#endif\n";
    place.write("slow.c", endless);
    place.write("fifo.c", "#include \"pipe\"\n");
    place.write("has.c", "#if __has_include(\"pipe\")\n#endif\nint has;\n");
    place.write("embed.c", "char embed[] = {\n#embed \"pipe\"\n};\n");
    place.write("zero.c", "#include \"/dev/zero\"\nint zero;\n");
    place.write("self.c", "#include \"self.c\"\n");
    place.write("good.c", PROGRAM);
    let names = ["slow.c", "fifo.c", "has.c", "embed.c", "zero.c", "self.c", "good.c"];
    let entries = names.map(
        |file| json!({ "directory": place.dir(), "file": file, "arguments": ["cc", "-c", file] }),
    );
    place.write("compile_commands.json", &json!(entries).to_string());
    let start = Instant::now();
    let scan = ran(place.command().args(["-j4", "--json=r.json"]).env("CEGAS_COMPILE_TIME", "2"));
    assert!(start.elapsed() < Duration::from_secs(60), "{:?}", start.elapsed());
    assert_eq!(scan.code, Some(3), "{scan:?}");
    assert!(scan.out.contains("slow.c: not analysed: clang was ended after 2 s"), "{scan:?}");
    // A clang that is a process of its own opens pipes, and is ended like a slow one.
    let ended = scan.out.contains("fifo.c: not analysed: clang was ended after 2 s");
    assert!(ended || scan.out.contains("Operation not supported"), "{scan:?}");
    let report: Value = serde_json::from_str(&place.read("r.json")).expect("a report");
    assert_eq!(report["targets"][0]["units"], json!(["good.c"]), "{report}");
}

#[test]
fn a_report_never_goes_through_a_planted_link_to_another_name() {
    // The user names the output; a link there is the user's own and is followed, its content replaced whole.
    let place = Place::new();
    place.write("a.c", PROGRAM);
    place.write("real.json", "old");
    symlink(place.dir().join("real.json"), place.dir().join("r.json")).expect("a link");
    let scan = place.scan(&["--json=r.json", "a.c"]);
    assert_eq!(scan.code, Some(0), "{scan:?}");
    assert!(place.dir().join("r.json").is_symlink());
    assert!(place.read("real.json").contains("verdict"));
    // A settings file that the repository brings may not name outputs.
    place.write("cegas.toml", "json = \"/tmp/cegas-must-not-be-written.json\"\n");
    let scan = place.scan(&["a.c"]);
    assert!(!Path::new("/tmp/cegas-must-not-be-written.json").exists(), "{scan:?}");
}
