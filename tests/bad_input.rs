//! Bad input gets a clear error, and what is good beside it is still analysed.

mod tool;

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::os::unix::ffi::OsStrExt;
use std::process::Command;

use serde_json::{Value, json};
use tool::{Place, Ran, ran};

const PROGRAM: &str = "int main(void) { return 0; }\n";

fn database(place: &Place, files: &[(&str, &[&str])]) {
    let entries = files.iter().map(|(file, flags)| {
        let output = format!("{file}.o");
        let mut arguments = vec!["cc", "-c", file, "-o", output.as_str()];
        arguments.extend(*flags);
        json!({ "directory": place.dir(), "file": file, "arguments": arguments })
    });
    place.write("compile_commands.json", &Value::Array(entries.collect()).to_string());
}

/// The unit was refused with these words, and the run told so with its exit code.
#[track_caller]
fn failed(scan: &Ran, words: &[&str]) {
    assert_eq!(scan.code, Some(3), "{scan:?}");
    let line = scan.out.lines().find(|line| line.contains("not analysed: "));
    for word in words {
        assert!(line.is_some_and(|line| line.contains(word)), "{word:?} is not in {scan:?}");
    }
}

#[test]
fn databases_that_are_none() {
    let place = Place::new();
    let dir = place.dir();
    place.scan(&["compile_commands.json"]).refused(&["compile_commands.json", "No such file"]);
    for (content, words) in [
        (b"".as_slice(), "no entries"),
        (b" \n\t", "no entries"),
        (b"[]", "no entries"),
        (b"[{\"directory\": \".\", \"file\": \"a.c\", \"command\": \"cc -c a.c\"}", ":1:"),
        (b"[{\"directory\": \".\",}]", ":1:"),
        (b"{\"a\": 1}", "an array of compile commands"),
        (b"\xff\xfe\x00[", "not a compilation database"),
        (b"\"text\"", "not a compilation database"),
        (b"[[[[[[[[", "not a compilation database"),
        (b"[{\"file\": \"b.cpp\", \"command\": \"c++ -c b.cpp\"}]", "b.cpp"),
        (b"[{\"file\": \"a.c\", \"command\": \"cc 'open\"}]", "a.c: its command has an open quote"),
        (b"[{\"file\": \"gone.c\", \"command\": \"cc -c gone.c\"}]", "gone.c"),
    ] {
        fs::write(dir.join("compile_commands.json"), content).expect("a file");
        place.scan::<&str>(&[]).refused(&[words]);
    }
    let deep = "[".repeat(1_000_000);
    place.write("compile_commands.json", &deep);
    place.scan::<&str>(&[]).refused(&["compile_commands.json:1:"]);
}

#[test]
fn paths_need_not_be_unicode() {
    let place = Place::new();
    let name = OsStr::from_bytes(b"caf\xe9 \xff.c");
    fs::write(place.dir().join(name), PROGRAM).expect("a file");
    let mut text =
        b"[{\"directory\": \".\", \"file\": \"caf\xe9 \xff.c\", \"arguments\": ".to_vec();
    text.extend(b"[\"cc\", \"-c\", \"caf\xe9 \xff.c\"]}]");
    fs::write(place.dir().join("compile_commands.json"), text).expect("a file");
    let scan = place.scan::<&str>(&[]);
    assert_eq!(scan.code, Some(0), "{scan:?}");
    assert!(scan.out.contains("1 function"), "{scan:?}");
}

#[test]
fn a_database_of_100_megabytes_is_read() {
    let place = Place::new();
    place.write("a.c", PROGRAM);
    let file = File::create(place.dir().join("compile_commands.json")).expect("a file");
    let mut file = BufWriter::new(file);
    let dir = place.dir();
    // As generated builds have it: few commands that matter, and thousands of flags in each.
    let defines: Vec<String> = (0..4000).map(|n| format!("-DSOME_LONG_NAME_{n}={n}")).collect();
    let skipped = json!({ "directory": dir, "file": "x.cpp", "arguments": ["c++", "-c", "x.cpp", "-o", "x.o"] });
    let long = json!({ "directory": dir, "file": "x.s", "command": format!("cc -c x.s {}", defines.join(" ")) });
    file.write_all(b"[").expect("room");
    for _ in 0..960 {
        write!(file, "{long},\n{skipped},\n").expect("room");
    }
    let entry = json!({ "directory": dir, "file": "a.c", "arguments": ["cc", "-c", "a.c"] });
    write!(file, "{entry}]").expect("room");
    file.flush().expect("room");
    let size = place.dir().join("compile_commands.json").metadata().expect("it is there").len();
    assert!(size > 100_000_000, "{size}");
    let scan = place.scan(&["--json=r.json"]);
    assert!(matches!(scan.code, Some(0 | 3)), "{scan:?}");
    let report: Value = serde_json::from_str(&place.read("r.json")).expect("a report");
    assert_eq!(report["targets"][0]["units"], json!(["a.c"]));
}

#[test]
fn a_unit_that_does_not_compile_is_told_with_clangs_first_error() {
    let place = Place::new();
    place.write("good.c", PROGRAM);
    place.write(
        "bad.c",
        "int x = 1;\nint f(void) { return first; }\nint g(void) { return second; }\n",
    );
    place.write("header.c", "#include \"not-there.h\"\n");
    place.write("picture.c", "\u{89}PNG\r\n\u{1a}\n");
    database(&place, &[("good.c", &[]), ("bad.c", &[]), ("header.c", &[]), ("picture.c", &[])]);
    let scan = place.scan(&["--json=r.json"]);
    assert_eq!(scan.code, Some(3), "{scan:?}");
    assert!(
        scan.out.contains("bad.c:2:22: error: use of undeclared identifier 'first'"),
        "{scan:?}"
    );
    assert!(!scan.out.contains("second"), "{scan:?}");
    assert!(scan.out.contains("'not-there.h' file not found"), "{scan:?}");
    assert!(scan.out.contains("picture.c: not analysed"), "{scan:?}");
    let report: Value = serde_json::from_str(&place.read("r.json")).expect("a report");
    assert_eq!(report["targets"][0]["units"], json!(["good.c"]));
    // Nothing is left then, but the reason is not lost.
    database(&place, &[("bad.c", &[]), ("header.c", &[])]);
    failed(&place.scan::<&str>(&[]), &["bad.c", "'first'"]);
}

#[test]
fn without_clang_the_user_hears_how_to_get_it() {
    let place = Place::new();
    place.write("a.c", PROGRAM);
    let nowhere = place.dir().join("nowhere");
    let mut command = place.command();
    command.arg("a.c").env("PATH", &nowhere).env("CEGAS_CLANG", nowhere.join("clang"));
    ran(&mut command).refused(&["CEGAS_CLANG names", "nowhere/clang", "apt-get install clang-19"]);
}

fn bitcode(place: &Place) -> Vec<u8> {
    place.write("a.c", PROGRAM);
    let made = Command::new("clang-19")
        .args(["-g", "-emit-llvm", "-c", "a.c", "-o", "a.bc"])
        .current_dir(place.dir())
        .status();
    assert!(made.is_ok_and(|status| status.success()));
    let whole = place.scan(&["a.bc"]);
    assert_eq!(whole.code, Some(0), "{whole:?}");
    fs::read(place.dir().join("a.bc")).expect("bitcode")
}

#[test]
fn bitcode_that_is_cut_short_or_damaged() {
    let place = Place::new();
    let whole = bitcode(&place);
    let path = place.dir().join("cut.bc");
    let lengths = (0..24).chain((24..whole.len()).step_by(whole.len() / 12 + 1));
    for length in lengths.chain([whole.len() - 4, whole.len() - 1]) {
        fs::write(&path, &whole[..length]).expect("a file");
        let scan = place.scan(&["cut.bc"]);
        failed(&scan, &["cut.bc"]);
    }
    // A bit that is turned may be a comment's or a count's: the tool stays alive and says what it thinks.
    for at in (4..whole.len()).step_by(whole.len() / 25) {
        let mut damaged = whole.clone();
        damaged[at] ^= 0x41;
        fs::write(&path, damaged).expect("a file");
        let scan = place.scan(&["cut.bc"]);
        assert!(matches!(scan.code, Some(0 | 2 | 3)), "byte {at}: {scan:?}");
    }
}

#[test]
fn files_that_only_call_themselves_bitcode() {
    let place = Place::new();
    for (name, content, words) in [
        ("text.bc", "hello\n", "neither bitcode nor LLVM's text form"),
        ("empty.bc", "", "the file is empty"),
        ("empty.ll", "\n", "the file is empty"),
        ("wrong.ll", "define i32 @f() { ret i64 0 }\n", "wrong.ll:1:"),
        ("c.ll", PROGRAM, "neither bitcode"),
    ] {
        place.write(name, content);
        failed(&place.scan(&[name]), &[name, words]);
    }
    fs::write(place.dir().join("noise.bc"), b"BC\xC0\xDEnoise noise noise").expect("a file");
    failed(&place.scan(&["noise.bc"]), &["noise.bc", "damaged, cut short or of a newer LLVM"]);
}

/// Puts another text in place of one of the same length, both in the six-bit letters of bitcode's strings.
fn replace_char6(bytes: &mut [u8], from: &str, to: &str) -> bool {
    let letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._";
    let bits = |text: &str| -> Vec<bool> {
        let codes = text.chars().map(|c| letters.find(c).expect("a letter of char6"));
        codes.flat_map(|code| (0..6).map(move |bit| code >> bit & 1 == 1)).collect()
    };
    let (from, to) = (bits(from), bits(to));
    let get = |bytes: &[u8], at: usize| bytes[at / 8] >> (at % 8) & 1 == 1;
    let here = (0..bytes.len() * 8 - from.len())
        .find(|&start| from.iter().enumerate().all(|(i, &bit)| get(bytes, start + i) == bit));
    let Some(start) = here else { return false };
    for (i, &bit) in to.iter().enumerate() {
        let (at, mask) = ((start + i) / 8, 1 << ((start + i) % 8));
        bytes[at] = if bit { bytes[at] | mask } else { bytes[at] & !mask };
    }
    true
}

#[test]
fn bitcode_of_a_newer_llvm_names_the_way_out() {
    let place = Place::new();
    let mut newer = bitcode(&place);
    assert!(replace_char6(&mut newer, "LLVM19", "LLVM27"), "the producer is written in it");
    // Something that this LLVM does not know: try places until it stumbles over one as over a newer format.
    let told = (200..newer.len()).step_by(newer.len() / 60).find_map(|at| {
        let mut strange = newer.clone();
        strange[at] ^= 0x7f;
        fs::write(place.dir().join("newer.bc"), strange).expect("a file");
        let scan = place.scan(&["newer.bc"]);
        scan.out.contains("LLVM27").then_some(scan)
    });
    let scan = told.expect("some damage is told as a version");
    failed(&scan, &["newer.bc", "LLVM 19 and older", "clang-19"]);
}

#[test]
fn units_for_different_machines_are_named() {
    let place = Place::new();
    place.write("a.c", "int f(void);\nint main(void) { return f(); }\n");
    place.write("b.c", "int f(void) { return 0; }\n");
    database(&place, &[("a.c", &["-m32"]), ("b.c", &["-m64"])]);
    let scan = place.scan::<&str>(&[]);
    assert_eq!(scan.code, Some(3), "{scan:?}");
    assert!(scan.out.contains("a.c and b.c are compiled for different machines"), "{scan:?}");
}

#[test]
fn a_symbol_defined_twice_is_noted_and_the_run_goes_on() {
    let place = Place::new();
    place.write("a.c", "int g(void) { return 1; }\nint f(void);\nint x = 1;\nint main(void) { return f() + g() + x; }\n");
    place.write("b.c", "int x = 2;\nint g(void) { return 2; }\nint f(void) { return g() + x; }\n");
    let scan = place.scan(&["a.c", "b.c"]);
    assert_eq!(scan.code, Some(0), "{scan:?}");
    for name in ["g", "x"] {
        let note = format!("`{name}` is defined in a.c and again in b.c; each keeps its own");
        assert!(scan.out.contains(&note), "{scan:?}");
    }
    assert!(scan.out.contains("4 functions"), "both are there: {scan:?}");
    let dump = place.scan(&["--dump=ir", "a.c", "b.c"]).out;
    assert_eq!(
        dump.lines().filter(|line| line.starts_with("global ") && line.contains("@x")).count(),
        2,
        "{dump}"
    );
}

#[test]
fn odd_paths_everywhere() {
    let place = Place::new();
    let folder = "söme dir\nwith line\tand tab";
    place.write(&format!("{folder}/inc $x/h 'ä'.h"), "#define VALUE 3\n");
    place.write(
        &format!("{folder}/m\u{1F600}in \".c"),
        "#include \"h 'ä'.h\"\nint main(void) { return VALUE; }\n",
    );
    let dir = place.dir().join(folder);
    let file = "m\u{1F600}in \".c";
    let arguments = ["cc", "-Iinc $x", "-c", file, "-o", "o ut.o"];
    let database = json!([{ "directory": dir, "file": file, "arguments": arguments }]);
    place.write(&format!("{folder}/compile_commands.json"), &database.to_string());
    let json = dir.join("re\nport.json");
    for warm in [false, true] {
        let scan = ran(place.command().arg("--json").arg(&json).arg(&dir));
        assert_eq!(scan.code, Some(0), "warm: {warm}, {scan:?}");
        let report: Value =
            serde_json::from_slice(&fs::read(&json).expect("it is there")).expect("JSON");
        assert_eq!(report["targets"][0]["units"], json!([file]));
        assert!(scan.out.contains("1 function"), "{scan:?}");
    }
    // The header is really read each time.
    place.write(&format!("{folder}/inc $x/h 'ä'.h"), "#error changed\n");
    failed(&ran(place.command().arg(&dir)), &["changed"]);
}
