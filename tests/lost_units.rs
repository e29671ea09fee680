//! Nothing that a build compiles is lost without a word: what is not analysed is told, and the exit code says so.

mod tool;

use serde_json::json;
use tool::Place;

const PROGRAM: &str = "int main(void) { return 0; }\n";

#[test]
fn every_target_can_be_chosen_by_its_name() {
    let place = Place::new();
    place.write("m.c", "int main(void) { return EXTRA; }\n");
    place.write("library.c", PROGRAM);
    place.write("rest.c", "int rest(void) { return 0; }\n");
    let entry = |file: &str, flag: &str| json!({"directory": place.dir(), "file": file, "arguments": ["gcc", flag, "-c", file]});
    let mut entries: Vec<_> = (0..3).map(|n| entry("m.c", &format!("-DEXTRA={n}"))).collect();
    entries.extend([entry("library.c", "-O2"), entry("rest.c", "-O2")]);
    place.write("compile_commands.json", &json!(entries).to_string());
    let all = place.scan(&["--dump=targets"]);
    for name in ["m", "m-2", "m-3", "library", "library-2"] {
        assert!(all.out.lines().any(|line| line.starts_with(&format!("{name} ("))), "{all:?}");
        let one = place.scan(&["--dump=targets", "--target", name]);
        assert_eq!((one.code, one.out.lines().count()), (Some(0), 2), "{one:?}");
    }
}

#[test]
fn flags_that_ask_for_no_object_lose_the_file() {
    let place = Place::new();
    place.write("a.c", PROGRAM);
    let scan = place.scan(&["--cflags=-E", "a.c"]);
    assert_eq!(scan.code, Some(3), "{scan:?}");
    assert!(scan.out.contains("a.c: not analysed: the flags given for it"), "{scan:?}");
    assert!(scan.out.contains("\na (library, 0 units"), "{scan:?}");
}

#[test]
fn c_without_a_usable_command_is_a_failed_unit() {
    let place = Place::new();
    place.write("a.c", PROGRAM);
    for lost in [
        json!({"directory": place.dir(), "file": "b.c", "command": ""}),
        json!({"directory": place.dir(), "file": "b.c", "command": "gcc 'open"}),
        json!({"directory": place.dir(), "file": "b.c"}),
        json!({}),
    ] {
        let good = json!({"directory": place.dir(), "file": "a.c", "command": "cc -c a.c"});
        place.write("compile_commands.json", &json!([good, lost]).to_string());
        let scan = place.scan::<&str>(&[]);
        assert_eq!(scan.code, Some(3), "{scan:?}");
        let told = |line: &str| {
            let name = line.split(": not analysed: ").next().filter(|name| *name != line);
            matches!(name, Some("b.c" | "compile_commands.json"))
        };
        assert!(scan.out.lines().any(told), "{scan:?}");
    }
}

#[test]
fn a_program_of_unseen_objects_is_not_passed_over() {
    let place = Place::new();
    place.write("main.c", PROGRAM);
    place.write("seen.c", PROGRAM);
    let hidden =
        "PATH=/usr/bin:/bin /usr/bin/cc -c main.c && cc main.o -o prog && cc seen.c -o seen";
    let scan = place.scan(&["--", "sh", "-e", "-c", hidden]);
    assert_eq!(scan.code, Some(3), "{scan:?}");
    assert!(scan.out.contains("verdict: unknown"), "{scan:?}");
    assert!(scan.out.contains("1 object or library"), "{scan:?}");
    assert!(scan.out.contains("main.o is not in the model"), "{scan:?}");
}

#[test]
fn deep_brackets_are_no_reason_to_fail() {
    let place = Place::new();
    let deep = format!("{}0{}", "(".repeat(400), ")".repeat(400));
    place.write("a.c", &format!("int main(void) {{ return {deep}; }}\n"));
    let scan = place.scan(&["a.c"]);
    assert_eq!(scan.code, Some(0), "{scan:?}");
}

#[test]
fn an_ifunc_is_called_that() {
    let place = Place::new();
    let text = "static int one(void) { return 1; }\n\
        static int (*choose(void))(void) { return one; }\n\
        int f(void) __attribute__((ifunc(\"choose\")));\n\
        int main(void) { return f() - 1; }\n";
    place.write("a.c", text);
    let scan = place.scan(&["--timeout=1", "a.c"]);
    assert!(scan.out.contains("an ifunc") && !scan.out.contains("ValueKind"), "{scan:?}");
}

#[test]
fn a_build_without_c_says_what_the_remark_is_about() {
    let place = Place::new();
    place.write(
        "compile_commands.json",
        &json!([{"directory": place.dir(), "command": "gcc @none -E"}]).to_string(),
    );
    place.scan::<&str>(&[]).refused(&["no target with C code", "@none: this response file"]);
}
