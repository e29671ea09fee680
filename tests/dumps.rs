//! `--dump` of the pointer analysis: sets, call graph, judged annotations, and their Graphviz forms.

mod tool;

use tool::Place;

const PROGRAM: &str = "\
void MAYALIAS(void *, void *); void NOALIAS(void *, void *); void MUSTALIAS(void *, void *);
int a, b, *p = &a, *q = &b;
static int *one(void) { return &a; }
static int *two(void) { return &b; }
int *(*choice[])(void) = { one, two };
int main(int argc, char **argv) {
  NOALIAS(p, q);
  MUSTALIAS(p, &a);
  MAYALIAS(choice[argc % 2](), q);
  WRONG
  return 0;
}
";

fn place(wrong: &str) -> Place {
    let place = Place::new();
    place.write("a.c", &PROGRAM.replace("WRONG", wrong));
    place
}

#[test]
fn annotations_are_judged() {
    let right = place("").scan(&["--dump=alias-checks", "a.c"]);
    assert_eq!((right.code, right.err.as_str()), (Some(0), ""), "{right:?}");
    // The second column is the demand query's.
    let first = |out: &str| -> Vec<String> {
        let column = |line: &str| line.split("  ").next().unwrap_or_default().to_owned();
        out.lines().map(column).collect()
    };
    let expected = ["ok NOALIAS a.c:7", "ok MUSTALIAS a.c:8", "ok MAYALIAS a.c:9"];
    assert_eq!(first(&right.out), expected);
    let wrong = place("MUSTALIAS(p, q);").scan(&["--dump=alias-checks", "a.c"]);
    assert_eq!(wrong.code, Some(1), "{wrong:?}");
    let last = first(&wrong.out).pop();
    assert_eq!(last.as_deref(), Some("FAIL MUSTALIAS a.c:10"), "{wrong:?}");
}

#[test]
fn sets_and_calls_are_shown() {
    let place = place("");
    let sets = place.scan(&["--dump=pta", "a.c"]);
    assert!(sets.code == Some(0) && sets.out.contains("global p"), "{sets:?}");
    let calls = place.scan(&["--dump=callgraph", "a.c"]);
    assert!(calls.out.contains("-> one, two"), "{calls:?}");
    for stage in ["--dump=pta", "--dump=callgraph"] {
        let dot = place.scan(&[stage, "--dump-format=dot", "a.c"]);
        assert!(dot.out.starts_with("digraph") && dot.out.ends_with("}\n"), "{dot:?}");
    }
    place.scan(&["--dump=ir", "--dump-format=dot", "a.c"]).refused(&["graph"]);
}

/// Most questions are settled before a solver is asked.
#[test]
fn questions_are_counted() {
    let place = Place::new();
    let text = "void svf_assert(_Bool); unsigned __VERIFIER_nondet_uint(void);\n\
                int main(void) { unsigned x = __VERIFIER_nondet_uint() % 8; svf_assert(x < 8); \
                if (x > 3) svf_assert(x * x != 17); return 0; }\n";
    place.write("a.c", text);
    let scan = place.scan(&["--rules=assertion", "--dump=questions", "a.c"]);
    assert_eq!(scan.code, Some(0), "{scan:?}");
    assert!(
        scan.out.contains(" questions, ") && scan.out.contains(" settled without Z3 ("),
        "{scan:?}"
    );
}

#[test]
fn what_is_missing_is_told_beside_the_dump() {
    let place = Place::new();
    place.write("a.c", "int main(void) { return 0; }\n");
    place.write("bad.c", "int x = ;\n");
    let scan = place.scan(&["--dump=ir", "--cflags=-fplugin=x.so", "a.c", "bad.c"]);
    assert_eq!(scan.code, Some(3), "{scan:?}");
    assert!(scan.err.contains("bad.c: not analysed: "), "{scan:?}");
    assert!(scan.err.contains("note: ") && scan.err.contains("-fplugin"), "{scan:?}");
    assert!(!scan.out.contains("not analysed") && scan.out.contains("main"), "{scan:?}");
    let quiet = place.scan(&["--quiet", "--dump=ir", "--cflags=-fplugin=x.so", "a.c", "bad.c"]);
    assert!(quiet.err.contains("bad.c") && !quiet.err.contains("-fplugin"), "{quiet:?}");
}

#[test]
fn evidence_cannot_write_to_the_terminal() {
    let place = Place::new();
    place.write("a.c", "int main(void) { return 0; }\n");
    let arguments = ["cc", "a.c", "-o", "pr\u{1b}[2J\n\u{7}og"];
    let entry =
        serde_json::json!([{"directory": place.dir(), "file": "a.c", "arguments": arguments}]);
    place.write("compile_commands.json", &entry.to_string());
    let scan = place.scan(&["--dump=targets"]);
    assert_eq!(scan.code, Some(0), "{scan:?}");
    assert!(scan.out.contains("og, completed by symbols)"), "{scan:?}");
    assert!(!scan.out.contains(['\u{1b}', '\u{7}']), "{scan:?}");
    assert_eq!(scan.out.lines().count(), 2, "{scan:?}");
}
