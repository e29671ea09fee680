//! What other programs read: SARIF, JUnit, annotations, exit codes, properties, and the words of the rules.

mod tool;

use serde_json::{Value, json};
use tool::Place;

/// A loop that takes some steps to an assertion that fails.
fn long_way(turns: u32) -> String {
    format!(
        "#include <assert.h>\nint main(void) {{\n    int sum = 0;\n    for (int i = 0; i < {turns}; i++)\n        \
         sum += i;\n    assert(sum < 3);\n    return 0;\n}}\n"
    )
}

fn sarif(place: &Place, more: &[&str]) -> Value {
    let mut arguments = vec!["--rules=assertion,signed-overflow", "--sarif=r.sarif", "a.c"];
    arguments.extend(more);
    let scan = place.scan(&arguments);
    assert!(matches!(scan.code, Some(0 | 1)), "{scan:?}");
    serde_json::from_str(&place.read("r.sarif")).expect("SARIF is JSON")
}

#[test]
fn sarif_has_what_code_scanning_wants() {
    let place = Place::new();
    place.write("a.c", &long_way(3));
    let log = sarif(&place, &["--sarif-category=nightly"]);
    let run = &log["runs"][0];
    assert_eq!(run["automationDetails"]["id"], "nightly/");
    let root = run["originalUriBaseIds"]["%SRCROOT%"]["uri"].as_str().expect("a root");
    assert!(root.starts_with("file:///") && root.ends_with('/'), "{root}");
    assert_eq!(run["invocations"][0]["exitCode"], 1);
    for rule in run["tool"]["driver"]["rules"].as_array().expect("rules") {
        for path in ["shortDescription", "fullDescription", "help"] {
            assert!(rule[path]["text"].as_str().is_some_and(|text| !text.is_empty()), "{rule}");
        }
        assert!(rule["help"]["markdown"].is_string() && rule["name"] != rule["id"], "{rule}");
        let severity = rule["properties"]["security-severity"].as_str().expect("a string");
        assert!(severity.parse::<f64>().is_ok_and(|n| (0.1..=10.0).contains(&n)), "{rule}");
        assert_eq!(rule["properties"]["precision"], "very-high");
        let tags = rule["properties"]["tags"].as_array().expect("tags");
        assert!(tags.len() <= 10, "{rule}");
        assert!(
            tags.iter().any(|tag| tag.as_str().is_some_and(|t| t.starts_with("external/cwe/cwe-"))),
            "{rule}"
        );
    }
    let result = &run["results"][0];
    assert_eq!(run["results"].as_array().map(Vec::len), Some(1));
    let region = &result["locations"][0]["physicalLocation"]["region"];
    assert_eq!(region, &json!({ "startLine": 6, "startColumn": 5, "endLine": 6, "endColumn": 11 }));
    let prints = &result["partialFingerprints"];
    assert!(
        prints["primaryLocationLineHash"].as_str().is_some_and(|p| p.ends_with(":1")),
        "{prints}"
    );
    assert!(prints["cegasFinding/v1"].is_string(), "{prints}");
    let steps = &result["codeFlows"][0]["threadFlows"][0]["locations"];
    assert!(steps.to_string().contains("sum = 3"), "{steps}");
}

#[test]
fn sarif_says_what_explains_a_finding_and_what_is_assumed() {
    let place = Place::new();
    place.write(
        "a.c",
        "#include <stdlib.h>\nint outside(void);\nstruct s { int a; struct s *next; };\n\
         int main(int argc, char **argv) {\n    struct s *p = malloc(sizeof *p);\n    p->next = 0;\n    \
         if (argc == 3) return p->next->a;\n    struct s *q = argc == 4 ? NULL : p;\n    if (argc == 4) return q->a;\n    \
         free(p);\n    if (argc == 2) return p->a;\n    return argc > 9 ? outside() : 0;\n}\n",
    );
    place.scan(&["--rules=use-after-free,null-deref", "--sarif=r.sarif", "a.c"]);
    let log: Value = serde_json::from_str(&place.read("r.sarif")).expect("SARIF is JSON");
    let run = &log["runs"][0];
    let related: Vec<Vec<(String, i64)>> = run["results"]
        .as_array()
        .expect("results")
        .iter()
        .map(|result| {
            let all = result["relatedLocations"].as_array().cloned().unwrap_or_default();
            let one = |l: &Value| {
                let line = l["physicalLocation"]["region"]["startLine"].as_i64().unwrap_or(0);
                (l["message"]["text"].as_str().unwrap_or_default().to_owned(), line)
            };
            all.iter().map(one).collect()
        })
        .collect();
    let expected = [
        vec![("Null since here.".to_owned(), 6)],
        vec![("Null since here.".to_owned(), 9)],
        vec![("Allocated here.".to_owned(), 5), ("Freed here.".to_owned(), 10)],
    ];
    assert_eq!(related, expected);
    let told = run["invocations"][0]["toolExecutionNotifications"].to_string();
    assert!(told.contains("functions without a body") && told.contains("outside"), "{told}");
}

#[test]
fn paths_are_relative_whatever_the_way_to_them() {
    let place = Place::new();
    place.write("src/a.c", &long_way(3));
    let link = place.dir().with_file_name("link");
    std::os::unix::fs::symlink(place.dir(), &link).expect("a link");
    let arguments = ["cc", "-c", "../src/a.c"];
    let entry =
        json!({ "directory": link.join("src"), "file": "../src/a.c", "arguments": arguments });
    place.write("compile_commands.json", &json!([entry]).to_string());
    let scan = place.scan(&["--rules=assertion", "--sarif=r.sarif"]);
    assert_eq!(scan.code, Some(1), "{scan:?}");
    let log: Value = serde_json::from_str(&place.read("r.sarif")).expect("SARIF is JSON");
    let at = &log["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"];
    assert_eq!(at, &json!({ "uri": "src/a.c", "uriBaseId": "%SRCROOT%" }));
}

#[test]
fn the_root_is_where_the_files_are() {
    let place = Place::new();
    let bad = "#include <assert.h>\nint main(int argc, char **argv) {\n    assert(argc == 1);\n}\n";
    place.write("s/src/a.c", bad);
    place.write("s/cegas.toml", "rules = 'assertion'\n");
    place.write("elsewhere/b.c", "");
    let root = |folder: &str, arguments: &[&str]| {
        let mut command = place.command();
        command.current_dir(place.dir().join(folder)).arg("--sarif=-").args(arguments);
        let scan = tool::ran(&mut command);
        assert_eq!(scan.code, Some(1), "{scan:?}");
        let log: Value = serde_json::from_str(&scan.out).expect("SARIF is JSON");
        let run = &log["runs"][0];
        assert_eq!(run["results"].as_array().map(Vec::len), Some(1), "cegas.toml is found");
        let place = &run["results"][0]["locations"][0]["physicalLocation"];
        let uri = place["artifactLocation"]["uri"].as_str().expect("a URI").to_owned();
        assert_eq!(place["region"]["startColumn"], 5, "the line is read");
        (run["originalUriBaseIds"]["%SRCROOT%"]["uri"].as_str().expect("a URI").to_owned(), uri)
    };
    let folder = |name: &str| format!("file://{}/", place.dir().join(name).display());
    let beside = root("elsewhere", &["../s/src/a.c"]);
    assert_eq!(beside, (folder("s/src"), "a.c".to_owned()));
    // A repository is the root for who stands above it, too, and its settings count there.
    std::fs::create_dir(place.dir().join("s/.git")).expect("a folder");
    let expected = (folder("s"), "src/a.c".to_owned());
    assert_eq!(root("elsewhere", &["../s/src/a.c"]), expected);
    assert_eq!(root(".", &["s/src/a.c"]), expected);
}

#[test]
fn a_linked_folder_is_told_by_its_real_name() {
    let place = Place::new();
    place.write("real/a.c", &format!("#include \"a.h\"\n{}", long_way(3)));
    place.write("real/a.h", "static int unused(void) { return 1; }\n");
    std::os::unix::fs::symlink("real", place.dir().join("link")).expect("a link");
    let scan = place.scan(&["link/a.c", "--rules=assertion", "--sarif=r.sarif", "--json=r.json"]);
    assert_eq!(scan.code, Some(1), "{scan:?}");
    assert!(scan.out.contains("--> real/a.c:"), "{scan:?}");
    for report in ["r.sarif", "r.json"] {
        let text = place.read(report);
        assert!(text.contains("\"real/a.c\"") && !text.contains("\"link/a.c\""), "{text}");
    }
}

#[test]
fn a_very_long_way_is_counted_right() {
    let place = Place::new();
    place.write("a.c", &long_way(1500));
    let reports = ["--json=r.json", "--junit=r.xml", "--sarif=r.sarif", "--html=r.html"];
    let scan = place.scan(&[&["--rules=assertion", "a.c"], &reports[..]].concat());
    assert_eq!(scan.code, Some(1), "{scan:?}");
    let report: Value = serde_json::from_str(&place.read("r.json")).expect("JSON");
    let found = report["obligations"].as_array().expect("a list");
    let found = found.iter().find(|o| o["verdict"] == "unsafe").expect("a finding");
    let trace = found["trace"].as_array().expect("a trace");
    assert_eq!(trace.len(), 1000);
    let left_out: u64 = trace.iter().filter_map(|step| step["left_out"].as_u64()).sum();
    assert!(left_out > 1000, "{left_out}");
    let all = left_out + 999;
    assert!(scan.out.contains(&format!("    {all}. a.c:6: ")), "{all} {}", scan.out);
    let more = format!("    ... {} more (975 of them in the JSON report)", all - 24);
    assert!(scan.out.contains(&more), "{more} {}", scan.out);
    let xml = place.read("r.xml");
    assert!(xml.contains(&format!("... {} more", all - 100)), "{xml}");
    assert!(xml.contains(&format!("{all}. a.c:6: ")), "{xml}");
    let sarif = place.read("r.sarif");
    assert!(sarif.contains(&format!("({left_out} steps left out) ")), "{left_out}");
    assert!(sarif.contains(&format!("\"executionOrder\": {all}")));
    assert!(place.read("r.html").contains(&format!("\"number\":{all},")));
}

#[test]
fn a_source_that_is_no_utf_8_is_pointed_to_right() {
    let place = Place::new();
    let source = b"#include <assert.h>\nint main(void) {\n    /* \xe4\xf6\xfc */ assert(0);\n}\n";
    std::fs::write(place.dir().join("a.c"), source).expect("a file");
    let log = sarif(&place, &["--annotations"]);
    let at = &log["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["region"];
    assert_eq!(at, &json!({ "startLine": 3, "startColumn": 15, "endLine": 3, "endColumn": 21 }));
    let scan = place.scan(&["--rules=assertion", "--annotations", "a.c"]);
    assert!(scan.out.contains("file=a.c,line=3,col=15,title="), "{scan:?}");
}

#[test]
fn a_moved_line_keeps_its_fingerprint() {
    let place = Place::new();
    let print = |text: &str| {
        place.write("a.c", text);
        sarif(&place, &[])["runs"][0]["results"][0]["partialFingerprints"].clone()
    };
    let before = print(&long_way(3));
    let after = print(&long_way(3).replace("int main", "\n\n/* moved */ int main"));
    assert_eq!(before["cegasFinding/v1"], after["cegasFinding/v1"]);
    assert_eq!(before["primaryLocationLineHash"], after["primaryLocationLineHash"]);
    let other = print(&long_way(3).replace("sum < 3", "sum < 2"));
    assert_ne!(before["cegasFinding/v1"], other["cegasFinding/v1"]);
}

#[test]
fn all_kinds_are_told_on_demand() {
    let place = Place::new();
    place.write("a.c", &long_way(3));
    let log = sarif(&place, &["--sarif-kinds=all"]);
    let results = log["runs"][0]["results"].as_array().expect("results");
    let pass = results.iter().find(|r| r["kind"] == "pass").expect("something is proved");
    assert_eq!(pass["level"], "none");
    assert!(results.iter().any(|r| r["kind"] == "fail" && r["level"] == "error"));
}

/// The data of a page, as its script reads it.
fn page_data(page: &str) -> Value {
    let (_, after) = page.split_once("id=\"data\">").expect("the data");
    let (data, _) = after.split_once("</script>").expect("its end");
    serde_json::from_str(data).expect("JSON")
}

#[test]
fn the_page_holds_everything_and_hostile_text_is_data() {
    let place = Place::new();
    let hostile = "</script><script>alert(1)</script><!--";
    let text = long_way(3).replace("int main", &format!("/* {hostile} */\nint main"));
    place.write("a.c", &text.replace("sum < 3", &format!("sum < 3 && \"{hostile}\"")));
    let scan = place.scan(&["--rules=assertion,signed-overflow", "--html=r.html", "a.c"]);
    assert_eq!(scan.code, Some(1), "{scan:?}");
    let page = place.read("r.html");
    assert_eq!(page.matches("<script").count(), 2, "the data and our own");
    assert!(!page.contains("http://") && !page.contains("https://"), "nothing is fetched");
    assert!(page.contains("prefers-color-scheme: dark") && page.contains("default-src 'none'"));
    let data = page_data(&page);
    assert_eq!(data["verdict"], "unsafe");
    let finding = &data["findings"][0];
    assert_eq!((&finding["rule"], &finding["at"]["line"]), (&json!("assertion"), &json!(7)));
    assert!(finding["message"].as_str().is_some_and(|m| m.contains(hostile)), "{finding}");
    let steps = finding["steps"].as_array().expect("steps");
    let sum = steps.iter().rev().find(|step| step["change"]["name"] == "sum").expect("a sum");
    assert_eq!(
        (&sum["change"]["value"], &sum["change"]["function"]),
        (&json!("3"), &json!("main"))
    );
    assert_eq!(data["code"]["a.c"][0][1][1], format!("/* {hostile} */"));
    assert_eq!(data["by_rule"][0]["violated"], 1);
    assert_eq!(data["by_target"][0]["target"], "a");
}

#[test]
fn junit_and_annotations_tell_the_findings() {
    let place = Place::new();
    place.write("a<&>,b.c", &long_way(3).replace("sum < 3", "sum < 3 && \"a<b\""));
    let scan = place.scan(&["--rules=assertion", "--junit=r.xml", "--annotations", "a<&>,b.c"]);
    assert_eq!(scan.code, Some(1), "{scan:?}");
    let xml = place.read("r.xml");
    assert!(xml.contains("<failure type=\"assertion\"") && xml.contains("failures=\"1\""), "{xml}");
    assert!(xml.contains("a&lt;&amp;&gt;,b.c") && !xml.contains("a<b"), "{xml}");
    let line = "::error file=a<&>%2Cb.c,line=6,col=5,title=cegas-scan%3A assertion::the assertion";
    assert!(scan.out.starts_with(line), "{scan:?}");
    place.scan(&["--annotations", "--json=-", "a<&>,b.c"]).refused(&["--annotations"]);
}

#[test]
fn the_exit_code_is_the_users_choice() {
    let place = Place::new();
    place.write("bad.c", &long_way(3));
    place.write("good.c", &long_way(2));
    place.write(
        "open.c",
        "int unknown(int); int main(void) { int x = 1; return unknown(x + 1) + 1; }\n",
    );
    let code = |arguments: &[&str]| place.scan(arguments).code;
    assert_eq!(code(&["--rules=assertion", "--exit-zero", "bad.c"]), Some(0));
    assert_eq!(code(&["--rules=assertion", "--fail-on=unknown", "good.c"]), Some(0));
    assert_eq!(code(&["--rules=signed-overflow", "--fail-on=unknown", "open.c"]), Some(1));
    assert_eq!(
        code(&["--rules=signed-overflow", "--fail-on=unknown", "--exit-zero", "open.c"]),
        Some(0)
    );
    assert_eq!(code(&["--rules=assertion", "--fail-on=warning", "good.c"]), Some(0));
    assert_eq!(code(&["--rules=signed-overflow", "open.c"]), Some(0));
    assert_eq!(code(&["--rules=signed-overflow", "--fail-on=warning", "open.c"]), Some(1));
    place.scan(&["--fail-on=never", "good.c"]).refused(&["never", "error, warning, unknown"]);
}

#[test]
fn a_property_chooses_rules_and_entry() {
    let place = Place::new();
    let program = "#include <assert.h>\nvoid reach_error(void) { assert(0); }\n\
        int main(void) { int x = 1; if (x != 1) reach_error(); assert(x == 2); return 0; }\n\
        int start(void) { reach_error(); return 0; }\n";
    place.write("a.c", program);
    let property = |name: &str, entry: &str, what: &str| {
        place.write(name, &format!("CHECK( init({entry}()), LTL(G {what}) )\n"));
    };
    property("reach.prp", "main", "! call(reach_error())");
    let safe = place.scan(&["--property=reach.prp", "--json=-", "a.c"]);
    assert_eq!(safe.code, Some(0), "another assertion is not what was asked: {safe:?}");
    let report: Value = serde_json::from_str(&safe.out).expect("JSON");
    assert_eq!(report["verdict"], "safe");
    property("start.prp", "start", "! call(reach_error())");
    assert_eq!(place.scan(&["--property=start.prp", "a.c"]).code, Some(1));
    property("clean.prp", "main", "valid-memcleanup");
    let clean = place.scan(&["--property=clean.prp", "a.c"]);
    assert!(clean.out.contains("checked as the rule `leak`"), "{clean:?}");
    let program = "#include <stdlib.h>\nchar *p;\n\
        int main(void) { p = malloc(4); exit(0); }\n";
    place.write("b.c", program);
    let left = place.scan(&["--property=clean.prp", "b.c"]);
    assert!(left.out.contains("still reachable"), "{left:?}");
    assert!(place.scan(&["--rules=leak", "b.c"]).out.contains("verdict: safe"));

    let refused = |arguments: &[&str], words: &[&str]| place.scan(arguments).refused(words);
    refused(&["--property=reach.prp", "--rules=leak", "a.c"], &["--rules contradicts --property"]);
    refused(&["--property=reach.prp", "--entry=start", "a.c"], &["--entry contradicts --property"]);
    refused(&["--property=missing.prp", "a.c"], &["missing.prp", "No such file"]);
    property("end.prp", "main", "data-race");
    refused(&["--property=end.prp", "a.c"], &["end.prp", "line 1", "cannot be checked"]);
    let same = place.scan(&["--property=reach.prp", "--rules=assertion", "--entry=main", "a.c"]);
    assert_eq!(same.code, Some(0), "{same:?}");
}

#[test]
fn a_property_sees_calls_through_pointers() {
    let place = Place::new();
    place.write(
        "a.c",
        "#include <assert.h>\nvoid reach_error(void) { assert(0); }\n\
         int main(void) { void (*f)(void) = reach_error; f(); return 0; }\n",
    );
    place.write("p.prp", "CHECK( init(main()), LTL(G ! call(reach_error())) )\n");
    let scan = place.scan(&["--property=p.prp", "a.c"]);
    assert_eq!(scan.code, Some(1), "{scan:?}");
}

#[test]
fn verdicts_are_told_as_they_land() {
    let place = Place::new();
    place.write("a.c", &long_way(3));
    let scan = place.scan(&["--rules=assertion,signed-overflow", "--progress=always", "a.c"]);
    let at = |words: &str| scan.err.find(words).unwrap_or_else(|| panic!("{words:?}: {scan:?}"));
    let landed = at("a.c:6: violated: the assertion `sum < 3` can fail [assertion]\n");
    assert!(at("cegas-scan: deciding\n") < landed && landed < at("cegas-scan: deciding: 3 of 3, "));
    assert!(!scan.out.contains("violated: the assertion"), "the report is not touched: {scan:?}");
}

#[test]
fn a_trace_shows_literals_as_c_writes_them() {
    let place = Place::new();
    let text = "#include <assert.h>\nint main(int argc, char **argv) {\n    const char *p = \"a\\\"b\";\n    \
                const char *q = p + 1;\n    assert(argc == 7 || q == p);\n    return 0;\n}\n";
    place.write("a.c", text);
    let scan = place.scan(&["--rules=assertion", "a.c"]);
    assert!(scan.out.contains("p = \"a\\\"b\"\n"), "{}", scan.out);
    assert!(scan.out.contains("q = \"a\\\"b\" + 1\n"), "{}", scan.out);
}

#[test]
fn rules_are_listed_and_explained() {
    let place = Place::new();
    let list = place.scan(&["--list-rules"]);
    assert_eq!(list.code, Some(0));
    assert!(list.out.lines().any(|line| line.starts_with("null-deref ")), "{list:?}");
    let leak = place.scan(&["--explain=leak"]);
    for word in ["severity: ", "default:  on", "CWE-401", "Wrong:", "Right:", "cegas-ignore: leak"]
    {
        assert!(leak.out.contains(word), "{word:?}: {leak:?}");
    }
    place.scan(&["--explain=leek"]).refused(&["did you mean `leak`?"]);
    place.scan(&["--explain=everything"]).refused(&["--list-rules"]);
}

#[test]
fn shells_and_man_are_served() {
    let place = Place::new();
    for shell in ["bash", "zsh", "fish"] {
        let text = place.scan(&[&format!("--completions={shell}")]);
        assert!(text.code == Some(0) && text.out.contains("sarif"), "{text:?}");
    }
    let man = place.scan(&["--man"]);
    assert!(
        man.code == Some(0) && man.out.contains(".TH") && man.out.contains("write\\-baseline"),
        "{man:?}"
    );
}

#[test]
fn what_targets_share_is_one_obligation() {
    let place = Place::new();
    place.write("half.c", "int half(int n) { return 10 / (n - 1); }\n");
    place.write("main.c", "int half(int n);\nint main(void) { return half(1); }\n");
    place.write("fine.c", "int half(int n);\nint main(void) { return half(3); }\n");
    place.write(
        "Makefile",
        "all:\n\t$(CC) -o one main.c half.c\n\t$(CC) -o two main.c half.c\n\t$(CC) -o three fine.c half.c\n",
    );
    let scan = place.scan(&["--no-cache", "--json=r.json", "--proofs=w.yml", "--", "make"]);
    assert_eq!(scan.code, Some(1), "{scan:?}");
    assert!(scan.out.contains(" 1 violated, 0 unknown)"), "{}", scan.out);
    let row = |name: &str| scan.out.lines().rfind(|line| line.starts_with(name));
    let numbers = |name: &str| row(name)?.split_whitespace().nth(2).map(str::to_owned);
    assert_eq!(
        ["one  ", "two  ", "three"].map(numbers),
        ["1", "1", "0"].map(|n| Some(n.to_owned()))
    );
    let report: serde_json::Value = serde_json::from_str(&place.read("r.json")).unwrap();
    let all = report["obligations"].as_array().unwrap();
    let violated: Vec<_> = all.iter().filter(|o| o["verdict"] == "unsafe").collect();
    assert_eq!(violated.len(), 1, "{violated:?}");
    assert_eq!(violated[0]["targets"], serde_json::json!(["one", "two"]));
    assert!(
        all.iter().any(|o| o["verdict"] == "safe" && o["targets"] == serde_json::json!(["three"]))
    );
}

#[test]
fn a_program_with_an_object_of_unknown_origin_is_not_safe() {
    let place = Place::new();
    place.write("half.c", "int half(int n) { return 10 / (n - 1); }\n");
    place.write("main.c", "int half(int n);\nint main(void) { return half(1) == 0; }\n");
    place.write("Makefile", "app: main.c half.o\n\t$(CC) -o $@ main.c half.o\n");
    let made = tool::ran(place.command_of(std::path::Path::new("make")).arg("half.o"));
    assert_eq!(made.code, Some(0), "{made:?}");
    let scan = place.scan(&["--no-cache", "--json=r.json", "--", "make"]);
    assert_eq!(scan.code, Some(3), "{scan:?}");
    assert!(
        scan.out.contains("verdict: unknown") && scan.out.contains("1 object not in the model")
    );
    let report: serde_json::Value = serde_json::from_str(&place.read("r.json")).unwrap();
    assert_eq!(report["complete"], false);
    assert_eq!(report["targets"][0]["missing"], serde_json::json!(["half.o"]));
}
