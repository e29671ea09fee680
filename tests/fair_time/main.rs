//! One obligation that nobody decides in time does not take the time of the others.

#[path = "../tool/mod.rs"]
mod tool;

use std::time::{Duration, Instant};
use tool::Place;

#[test]
fn the_others_are_decided() {
    let place = Place::new();
    place.write("a.c", include_str!("one_hard.c"));
    // With one worker and with several: each gets its part.
    for jobs in ["-j1", "-j4"] {
        let arguments =
            ["--no-cache", "--rules=assertion", "--timeout=5", jobs, "--json=r.json", "a.c"];
        let scan = place.scan(&arguments);
        let report: serde_json::Value =
            serde_json::from_str(&place.read("r.json")).unwrap_or_else(|_| panic!("{scan:?}"));
        let obligations = report["obligations"].as_array().expect("obligations");
        assert_eq!(obligations.len(), 11);
        let open = obligations.iter().filter(|o| o["verdict"] != "safe");
        let open: Vec<_> = open.map(|o| o["location"]["line"].as_u64()).collect();
        assert_eq!(open, [Some(16)], "{jobs}");
    }
}

#[test]
fn ways_that_meet_again_take_no_longer_than_they_may() {
    let (mut functions, mut cases) = (String::new(), String::new());
    for n in 0..2000 {
        functions +=
            &format!("static void f{n}(void) {{ total = {n} / __VERIFIER_nondet_int(); }}\n");
        cases += &format!("case {n}: f{n}(); break;\n");
    }
    let place = Place::new();
    let head = "extern int __VERIFIER_nondet_int(void);\nint total;\n";
    let main = format!("switch (__VERIFIER_nondet_int()) {{\n{cases}}}\nreturn 0;");
    place.write("a.c", &format!("{head}{functions}int main(void) {{ {main} }}\n"));
    let began = Instant::now();
    let scan = place.scan(&["--no-cache", "--timeout=2", "--quiet", "a.c"]);
    assert!(matches!(scan.code, Some(0 | 1)), "{scan:?}");
    assert!(began.elapsed() < Duration::from_secs(25), "{:?}", began.elapsed());
}

/// Z3 hears of no limit while it lays out a division.
#[test]
fn so_many_divisions_take_no_longer_than_they_may() {
    let place = Place::new();
    let program = "extern short __VERIFIER_nondet_short(void);
int main(void)
{
    short v = __VERIFIER_nondet_short();
    for (long i = 2; i != 1; i -= 2)
        v /= 3;
    return v;
}
";
    place.write("a.c", program);
    let began = Instant::now();
    let scan = place.scan(&["--no-cache", "--engine=proofs", "--timeout=2", "--quiet", "a.c"]);
    assert!(matches!(scan.code, Some(0 | 1)), "{scan:?}");
    assert!(began.elapsed() < Duration::from_secs(25), "{:?}", began.elapsed());
}
