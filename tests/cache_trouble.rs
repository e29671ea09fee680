//! A cache in any state costs time, never an answer: damaged, read-only, full, shared, interrupted.

mod tool;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::json;
use tool::{Place, Ran, ran};

fn project(units: usize) -> Place {
    let place = Place::new();
    let mut entries = Vec::new();
    for n in 0..units {
        let (file, next) = (format!("u{n}.c"), n + 1);
        let last = next == units;
        let body = if last { "return n;".to_owned() } else { format!("return f{next}(n + 1);") };
        let text = format!("int f{next}(int n);\nint f{n}(int n) {{ {body} }}\n");
        let main = if n == 0 { "int main(void) { return f0(0); }\n" } else { "" };
        place.write(&file, &format!("{text}{main}"));
        entries.push(
            json!({ "directory": place.dir(), "file": file, "arguments": ["cc", "-c", file] }),
        );
    }
    place.write("compile_commands.json", &json!(entries).to_string());
    place
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        if entry.path().is_dir() {
            found.extend(files(&entry.path()))
        } else {
            found.push(entry.path())
        }
    }
    found
}

/// What lies in the cache on its way somewhere.
fn on_the_way(place: &Place) -> Vec<String> {
    let entries = fs::read_dir(place.cache().join("cegas/v1/tmp")).into_iter().flatten().flatten();
    entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect()
}

fn wait_until(what: impl Fn() -> bool) {
    let limit = Instant::now() + Duration::from_secs(60);
    while !what() {
        assert!(Instant::now() < limit, "it takes too long");
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn a_damaged_cache_gives_the_same_answer() {
    let place = project(3);
    let first = place.scan(&["--dump=ir"]);
    assert_eq!(first.code, Some(0), "{first:?}");
    let entries = files(&place.cache());
    assert!(entries.len() >= 7, "{entries:?}");
    type Damage = fn(&[u8]) -> Vec<u8>;
    let damages: [Damage; 3] = [
        |bytes| bytes.iter().map(|byte| byte ^ 0x55).collect(),
        |bytes| bytes[..bytes.len() / 2].to_vec(),
        |_| Vec::new(),
    ];
    for damage in damages {
        for entry in &entries {
            fs::write(entry, damage(&fs::read(entry).expect("an entry"))).expect("an entry");
        }
        assert_eq!(place.scan(&["--dump=ir"]).out, first.out);
        assert_eq!(files(&place.cache()).len(), entries.len(), "each was replaced by a good one");
    }
    // Folders where files should be, and the other way round.
    for entry in &entries {
        fs::remove_file(entry).expect("an entry");
        fs::create_dir(entry).expect("a folder");
    }
    assert_eq!(place.scan(&["--dump=ir"]).out, first.out);
    fs::remove_dir_all(place.cache()).expect("the cache");
    fs::write(place.cache(), "in the way").expect("a file");
    let scan = place.scan::<&str>(&[]);
    assert_eq!(scan.code, Some(0), "{scan:?}");
    assert!(scan.out.contains("going on without it"), "{scan:?}");
}

#[test]
fn a_unit_that_the_cache_has_lost_is_made_again() {
    let place = project(3);
    let first = place.scan(&["--dump=ir"]);
    let cache = place.cache().join("cegas/v1");
    let damages: [fn(&Path) -> std::io::Result<()>; 2] =
        [|unit| fs::remove_file(unit), |unit| fs::write(unit, "not a unit")];
    for damage in damages {
        // Without the program, a unit's tables are wanted; its manifest says that they are there.
        fs::remove_dir_all(cache.join("programs")).expect("programs");
        let units = files(&cache.join("units"));
        assert_eq!(units.len(), 3, "{units:?}");
        units.iter().for_each(|unit| damage(unit).expect("a unit"));
        let again = place.scan(&["--dump=ir"]);
        assert_eq!((again.code, again.out), (first.code, first.out.clone()), "{}", again.err);
    }
}

fn is_root() -> bool {
    Command::new("id").arg("-u").output().is_ok_and(|id| id.stdout == b"0\n")
}

#[test]
fn a_read_only_cache_is_used_as_far_as_it_goes() {
    let place = project(2);
    let warm = place.scan(&["--dump=ir"]);
    assert!(ran(Command::new("chmod").args(["-R", "a+rX,a-w"]).arg(place.cache())).code == Some(0));
    let scan = |arguments: &[&str]| -> Option<Ran> {
        if !is_root() {
            return Some(place.scan(arguments));
        }
        // Permissions do not stop root, so somebody else has to look.
        let program = env!("CARGO_BIN_EXE_cegas-scan");
        let mut command = place.command_of(Path::new("setpriv"));
        command.args(["--reuid=65534", "--regid=65534", "--clear-groups", program]).args(arguments);
        let top = place.dir().parent().expect("a folder").to_owned();
        assert!(ran(Command::new("chmod").arg("a+rx").args([&top, &place.dir()])).code == Some(0));
        command.output().ok()?;
        let version = place
            .command_of(Path::new("setpriv"))
            .args(["--reuid=65534", "--regid=65534", "--clear-groups", program, "--version"])
            .output();
        version.is_ok_and(|v| v.status.success()).then(|| ran(&mut command))
    };
    let Some(again) = scan(&["--dump=ir"]) else {
        println!("not tried: another user cannot run the tool here");
        return;
    };
    assert_eq!((again.code, &again.out), (Some(0), &warm.out), "{again:?}");
    place.write("u1.c", "int f1(int n) { return n + 5; }\n");
    let changed = scan(&[]).expect("it ran before");
    assert_eq!(changed.code, Some(0), "{changed:?}");
    assert!(
        changed.out.contains("Permission denied") && changed.out.contains("going on without it"),
        "{changed:?}"
    );
    assert!(ran(Command::new("chmod").args(["-R", "u+w"]).arg(place.cache())).code == Some(0));
}

#[test]
fn a_full_disk_under_the_cache_costs_a_note() {
    let place = project(3);
    fs::create_dir(place.cache()).expect("a folder");
    let script = r#"mount -t tmpfs -o size=4k none "$1" && shift && exec "$@""#;
    let mut command = place.command_of(Path::new("unshare"));
    command.args(["-rm", "sh", "-c", script, "sh"]).arg(place.cache());
    if !command.args(["true"]).output().is_ok_and(|tried| tried.status.success()) {
        println!("not tried: no small file system can be mounted here");
        return;
    }
    let mut command = place.command_of(Path::new("unshare"));
    command.args(["-rm", "sh", "-c", script, "sh"]).arg(place.cache());
    let scan = ran(command.arg(env!("CARGO_BIN_EXE_cegas-scan")));
    assert_eq!(scan.code, Some(0), "{scan:?}");
    assert!(scan.out.contains("No space left on device"), "{scan:?}");
    assert!(scan.out.contains("going on without it"), "{scan:?}");
    assert!(scan.out.contains("4 functions"), "{scan:?}");
}

#[test]
fn scans_at_once_share_a_cache() {
    let place = project(8);
    let start = || {
        let mut command = place.command();
        command.arg("--dump=ir").stdout(Stdio::piped()).stderr(Stdio::piped());
        command.spawn().expect("the tool runs")
    };
    let outputs: Vec<_> = [(); 3]
        .map(|()| start())
        .into_iter()
        .map(|scan| scan.wait_with_output().expect("it ends"))
        .collect();
    for output in &outputs {
        assert!(output.status.success(), "{output:?}");
        assert!(output.stdout == outputs[0].stdout && output.stderr.is_empty(), "{output:?}");
    }
    assert_eq!(on_the_way(&place), Vec::<String>::new());
}

/// How many processes have this text in their command line.
fn processes(text: &str) -> usize {
    let all = fs::read_dir("/proc").expect("a list of processes").flatten();
    let calls = all.filter_map(|process| fs::read(process.path().join("cmdline")).ok());
    calls.filter(|call| String::from_utf8_lossy(call).contains(text)).count()
}

fn signal(name: &str, process: u32) {
    let sent = Command::new("kill").args([format!("-{name}"), process.to_string()]).status();
    assert!(sent.is_ok_and(|status| status.success()));
}

#[test]
fn an_interrupted_scan_leaves_no_half_of_anything() {
    let place = project(3);
    let endless = "#if __INCLUDE_LEVEL__ < 60\n#include \"u1.c\"\n#include \"u1.c\"\n#endif\n";
    let good = place.read("u1.c");
    place.write("u1.c", endless);
    let compiler = format!("{}/u1.c", place.dir().display());
    for name in ["INT", "TERM"] {
        let mut scan = place.command().stderr(Stdio::null()).spawn().expect("the tool runs");
        wait_until(|| processes(&compiler) > 0);
        signal(name, scan.id());
        assert_eq!(scan.wait().expect("it ends").code(), Some(130));
        wait_until(|| processes(&compiler) == 0);
        assert_eq!(on_the_way(&place), Vec::<String>::new());
    }
    place.write("u1.c", &good);
    let scan = place.scan(&["--dump=ir"]);
    let cold = place.scan(&["--dump=ir", "--no-cache"]);
    assert_eq!((scan.code, &scan.out), (Some(0), &cold.out));
}

#[test]
fn an_interrupt_reaches_a_scan_whose_solver_works() {
    let place = Place::new();
    // One such question is given up after a second or two of a fast machine.
    let mut program =
        "#include <assert.h>\nextern int __VERIFIER_nondet_int(void);\nint main(void) {\n"
            .to_owned();
    for number in 1..=16 {
        program += &format!(
            "{{ long a = __VERIFIER_nondet_int(), b = __VERIFIER_nondet_int(), c = __VERIFIER_nondet_int();\n\
             if (a > {number} && b > 1 && c > 1 && a < 1000000 && b < 1000000 && c < 1000000)\n\
             assert(a * a * a + b * b * b != c * c * c); }}\n"
        );
    }
    place.write("a.c", &format!("{program}return 0;\n}}\n"));
    let mut call = place.command();
    call.args(["a.c", "--no-cache", "--timeout=60", "--rules=assertion"]);
    let mut scan = call.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("the tool runs");
    // Long enough for the solver to be at work; if it is not yet, the interrupt must end the scan as well.
    std::thread::sleep(Duration::from_secs(3));
    assert!(scan.try_wait().expect("a child").is_none(), "the question is too easy for this test");
    signal("INT", scan.id());
    let asked = Instant::now();
    let status = scan.wait().expect("a child");
    assert_eq!(status.code(), Some(130));
    assert!(asked.elapsed() < Duration::from_secs(15), "{:?}", asked.elapsed());
}

#[test]
fn an_interrupted_recording_ends_the_build() {
    let place = Place::new();
    // A duration nobody else sleeps for is a name that /proc can be searched for.
    let marker = format!("sleep 3600.{}", std::process::id());
    place.write("Makefile", &format!("all:\n\t@sh -c '{marker}; true'\n"));
    let asleep = marker.replace(' ', "\0");
    for name in ["INT", "TERM"] {
        let mut command = place.command();
        let mut scan = command.args(["--", "make"]).stderr(Stdio::null()).spawn().expect("it runs");
        wait_until(|| processes(&asleep) > 0);
        signal(name, scan.id());
        assert_eq!(scan.wait().expect("it ends").code(), Some(130));
        wait_until(|| processes(&asleep) == 0);
        assert_eq!(on_the_way(&place), Vec::<String>::new());
    }
}
