//! Scopes that the compiler did not mark are found by what its debug info tells: bitcode without any marks is judged as
//! the C that it came from.

mod tool;

use serde_json::Value;
use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;
use tool::Place;

/// What was said of each line and column: rule and verdict.
type Said = BTreeSet<(u64, u64, String, String)>;

fn verdicts(place: &Place, file: &str) -> Said {
    let rules = "use-after-free,uninit-read";
    let report = ["--json", "report.json", "--timeout=20", "--no-cache"];
    let ran = place.scan(&[&["--rules", rules, file][..], &report].concat());
    assert!(matches!(ran.code, Some(0..=2)), "{ran:?}");
    let report: Value = serde_json::from_str(&place.read("report.json")).expect("a report");
    let said = report["obligations"].as_array().expect("a list").iter().map(|said| {
        let place = &said["location"];
        let number = |name: &str| place[name].as_u64().expect("a number");
        let text = |name: &str| said[name].as_str().expect("a text").to_owned();
        (number("line"), number("column"), text("rule"), text("verdict"))
    });
    said.collect()
}

fn judged_alike(text: &str) -> Said {
    let place = Place::new();
    place.write("a.c", text);
    let plain = ["-O0", "-g", "-fno-discard-value-names", "-w", "-emit-llvm", "-c", "a.c"];
    let clang = Command::new("clang-19").args(plain).current_dir(place.dir()).status();
    assert!(clang.expect("clang runs").success());
    let module = verdicts(&place, "a.bc");
    assert!(!module.is_empty());
    assert_eq!(verdicts(&place, "a.c"), module);
    module
}

#[test]
fn cases_of_scopes() {
    let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/cases"));
    for name in ["memory_scopes_again.c", "memory_scopes_unmarked.c"] {
        let text = std::fs::read_to_string(folder.join(name)).expect("the case is there");
        let said = judged_alike(&text);
        assert!(said.iter().any(|(.., verdict)| verdict == "unknown"), "{said:?}");
    }
}

/// No block is left too early, and none is entered while it runs.
#[test]
fn every_way_through_blocks() {
    let said = judged_alike(
        "extern int __VERIFIER_nondet_int(void);
         extern void __VERIFIER_assume(int);
         static int add(int *sum, const int *more) { return *sum += *more; }
         int main(void) {
           int total = 0, n = __VERIFIER_nondet_int();
           __VERIFIER_assume(n >= 0 && n < 4);
           for (int i = 0; i < n; i++) {
             int pair[2] = {i, 1}, *p = pair;
             if (i == 1) { int x = 2; p = &x; add(&total, p); continue; }
             for (int j = 0; ; j++) {
               int y = j, *q = &y;
               if (add(q, p) > 2) break;
               switch (*q) {
               case 0: { int z = 3; add(q, &z); break; }
               case 1: add(&total, &(int){*p}); /* fall through */
               default: if (y > 1) goto out; else *p += 1;
               }
               do { int w = *p; if (w > 1) { add(&w, q); break; } p = &pair[1]; } while (add(&y, p) < 2);
               total += ({ int v = *q; int *r = &v; (*r)++; v > 2 ? v : *r; });
             }
             add(&total, p);
             while (total > 9) { const int one = -1; if (add(&total, &one) == 7) return pair[0]; }
           }
         out:
           return total > 0 ? total : n;
         }",
    );
    assert!(said.iter().all(|(.., verdict)| verdict == "safe"), "{said:?}");
}
