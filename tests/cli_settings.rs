//! `cegas.toml` as a user writes it: found upward, checked, and overruled by the command line.

mod tool;

use tool::Place;

#[test]
fn mistakes_name_file_line_and_the_right_key() {
    let cases: &[(&str, &[&str])] = &[
        ("jobs = 2\n\nbuild-dri = 'x'\n", &["cegas.toml:3:", "`build-dri`", "`build-dir`"]),
        ("colour = true\n", &["cegas.toml:1:", "`colour`", "known keys", "timeout"]),
        ("jobs = 'two'\n", &["cegas.toml:1:", "two"]),
        ("jobs = -1\n", &["cegas.toml:1:"]),
        ("\nprogress = 'maybe'\n", &["cegas.toml:2:", "maybe"]),
        ("rules = 3\n", &["cegas.toml:1:", "string"]),
        ("rules = ['leek']\n", &["`leek`", "`leak`"]),
        ("jobs = 2\njobs = 3\n", &["cegas.toml:2:", "duplicate"]),
        ("jobs 2\n", &["cegas.toml:1:"]),
        ("timeout = 0\n", &["timeout"]),
        ("quiet = true\nprogress = 'always'\n", &["cegas.toml", "quiet", "progress"]),
        ("no-cache = true\ncache-dir = 'c'\n", &["cegas.toml", "no-cache", "cache-dir"]),
        ("json = '../r.json'\n", &["cegas.toml", "../r.json", "outside"]),
        ("sarif = '/var/lib/x'\n", &["cegas.toml", "outside"]),
        ("cache-dir = 'c'\n", &["cegas.toml", "--cache-dir", "--config"]),
        ("build-dir = 'nowhere'\n", &["nowhere", "build folder"]),
    ];
    for (text, words) in cases {
        let place = Place::new();
        place.write("cegas.toml", text);
        place.scan::<&str>(&[]).refused(words);
    }
}

#[test]
fn a_file_is_found_upward_and_a_named_one_replaces_it() {
    let place = Place::new();
    place.write("cegas.toml", "colour = 1\n");
    place.write("src/deep/a.c", "int main(void) { return 0; }\n");
    place.write("other.toml", "flavour = 1\n");
    place.scan(&["src/deep/a.c"]).refused(&["`colour`"]);
    place.scan(&["src/deep"]).refused(&["`colour`"]);
    place.scan(&["--config=other.toml", "src/deep"]).refused(&["other.toml:1:", "`flavour`"]);
    place.scan(&["--config=none.toml", "src/deep"]).refused(&["none.toml", "No such file"]);
    place.scan(&["--config=src", "src/deep"]).refused(&["src", "regular file"]);
}

#[test]
fn a_settings_file_that_is_no_text_is_refused() {
    let place = Place::new();
    std::fs::write(place.dir().join("cegas.toml"), b"jobs = \xff\n").expect("a file");
    place.scan::<&str>(&[]).refused(&["cegas.toml", "UTF-8"]);
    place.write("cegas.toml", &"# long\n".repeat(200_000));
    place.scan::<&str>(&[]).refused(&["cegas.toml", "larger"]);
}

#[test]
fn a_file_that_was_found_replaces_nothing_but_reports() {
    let program = "int main(void) { return 0; }\n";
    for (name, text) in [("a.c", program), ("package.json", "{ \"name\": \"mine\" }\n")] {
        for key in ["json", "sarif", "html", "junit", "proofs"] {
            let place = Place::new();
            place.write("b.c", program);
            place.write(name, text);
            place.write("cegas.toml", &format!("{key} = \"{name}\"\n"));
            place.scan(&["b.c"]).refused(&["cegas.toml", name, "command line"]);
            assert_eq!(place.read(name), text);
        }
    }
    // An earlier report is replaced, and so is anything that the user names.
    let place = Place::new();
    place.write("b.c", program);
    let outputs =
        "json = 'r.json'\nsarif = 'r.sarif'\nhtml = 'r.html'\njunit = 'r.xml'\nproofs = 'r.yml'\n";
    place.write("cegas.toml", &format!("sarif-category = 'mine'\n{outputs}"));
    for _ in 0..2 {
        assert_eq!(place.scan(&["b.c"]).code, Some(0));
    }
    place.write("r.json", "old");
    assert_eq!(place.scan(&["--config=cegas.toml", "b.c"]).code, Some(0));
    assert!(place.read("r.json").contains("verdict"));
}
