//! Algorithm 2 and the enumeration of paths, seen from outside: the story of `--dump=cegas`, the paths of
//! `--explain-path`, the verdicts of `--engine`, and assertions of other names.

#[path = "../tool/mod.rs"]
mod tool;

use tool::Place;

const RULES: &str = "--rules=assertion";

/// The verdict of a scan of `a.c`.
fn verdict(place: &Place, options: &[&str]) -> String {
    let mut arguments = vec![RULES, "--json=r.json", "a.c"];
    arguments.extend(options);
    let scan = place.scan(&arguments);
    let report: serde_json::Value =
        serde_json::from_str(&place.read("r.json")).unwrap_or_else(|_| panic!("{scan:?}"));
    report["verdict"].as_str().unwrap_or_default().to_owned()
}

fn place(text: &str) -> Place {
    let place = Place::new();
    place.write("a.c", text);
    place
}

/// What the first counterexample takes, what refutes it and what joins the precision is what the paper's Figure 4 says:
/// θ1∧θ2∧θ3∧θ5 falls at θ1 with i, a and p; ¬θ1∧θ2∧θ3∧θ5 at θ5 with k, b, p and a; then there is none.
#[test]
fn the_first_example_is_refined_as_in_the_paper() {
    let place = place(include_str!("figure1.c"));
    let scan = place.scan(&[RULES, "--assertions=error", "--dump=cegas", "a.c"]);
    assert_eq!((scan.code, scan.err.as_str()), (Some(0), ""), "{scan:?}");
    insta::assert_snapshot!("figure1", scan.out);
}

const ASIDE: &str = "\
extern void svf_assert(_Bool);
extern int __VERIFIER_nondet_int(void);
static int seen;
static void aside(void) { seen = 7; }
static int twice(int k) { return k + k; }
int main(void) {
  int a = 3, b = 0;
  aside();
  if (__VERIFIER_nondet_int()) b = 1;
  else b = 2;
  aside();
  svf_assert(twice(a) > 5);
  svf_assert(a + b < 6 && seen == 7);
}
";

/// What is tracked in `main` says nothing new of `aside`: what it returns is not explored again.
#[test]
fn calls_stay_that_a_refinement_does_not_concern() {
    let place = place(ASIDE);
    assert_eq!(verdict(&place, &["--engine=cegas"]), "safe");
    let story = place.scan(&[RULES, "--dump=cegas", "a.c"]).out;
    assert!(story.contains("  calls that stay: aside"), "{story}");
}

const CONTEXTS: &str = "\
extern void svf_assert(_Bool);
extern unsigned __VERIFIER_nondet_uint(void);
static unsigned next(unsigned p) {
  unsigned q = p + 1;
  return q;
}
int main(void) {
  unsigned x = __VERIFIER_nondet_uint();
  unsigned y;
  if (x > 10) {
    y = next(x);
  } else {
    y = 10;
  }
  y = next(y);
  svf_assert(y > x);
}
";

/// Two calls of one function have two of each of its variables; the path whose sum overflows fails.
#[test]
fn paths_are_explained_in_their_contexts() {
    let place = place(CONTEXTS);
    let scan = place.scan(&[RULES, "--engine=sse", "--explain-path", "a.c"]);
    assert_eq!(scan.code, Some(1), "{scan:?}");
    let end = scan.out.find("error[assertion]").unwrap_or_else(|| panic!("{scan:?}"));
    insta::assert_snapshot!("contexts", &scan.out[..end]);
}

#[test]
fn every_engine_knows_a_violation_and_a_proof() {
    let bad = place(CONTEXTS);
    let good = place(&CONTEXTS.replace("y > x", "y > x || x > 10"));
    for engine in ["auto", "cegas", "sse"] {
        let option = format!("--engine={engine}");
        assert_eq!(verdict(&bad, &[&option]), "unsafe", "{engine}");
        assert_eq!(verdict(&good, &[&option]), "safe", "{engine}");
    }
}

/// Paths that are not enumerated prove nothing.
#[test]
fn a_bound_is_no_proof() {
    let place = place(
        "extern void svf_assert(_Bool);
        extern unsigned __VERIFIER_nondet_uint(void);
        int main(void) {
          unsigned n = __VERIFIER_nondet_uint(), i = 0;
          while (i < n) i++;
          svf_assert(i != 1000);
        }",
    );
    assert_eq!(verdict(&place, &["--engine=sse"]), "unknown");
    let report = place.read("r.json");
    assert!(report.contains("turns of a loop"), "{report}");
}

const RELATED: &str = "\
extern void svf_assert(_Bool);
extern int __VERIFIER_nondet_int(void);
static int limit, *where = &limit;
static void set(int to) { *where = to; }
static int least(int a) { return a < limit ? a : limit; }
int main(void) {
  int n = __VERIFIER_nondet_int();
  set(n);
  while (__VERIFIER_nondet_int()) {
    int got = least(__VERIFIER_nondet_int());
    svf_assert(got <= n);
    svf_assert(got < limit || got == n);
  }
}
";

/// What relates inputs is refuted by predicates, over memory behind a pointer and what a function returned. Why the first
/// path is: least(n') was n' < limit, and the violation n < n'; nothing is known of n' before, but n < limit follows.
#[test]
fn inputs_that_exclude_each_other_are_refuted_by_predicates() {
    let place = place(RELATED);
    let story = place.scan(&[RULES, "--dump=cegas", "a.c"]).out;
    for predicate in ["n < limit at a.c:9", "n < a at a.c:5", "n < got at a.c:11"] {
        assert!(story.contains(&format!("joins the precision: {predicate}")), "{story}");
    }
    assert_eq!(verdict(&place, &["--engine=cegas"]), "safe");
    let place = self::place(&RELATED.replace("? a : limit", "? a : limit + 1"));
    assert_eq!(verdict(&place, &["--engine=cegas"]), "unsafe");
}

/// What one assertion needed is tried first for the next.
#[test]
fn predicates_come_back_for_other_assertions() {
    let place = place(&RELATED.replace("got < limit || got == n", "got <= n && got - 1 < n"));
    let story = place.scan(&[RULES, "--dump=cegas", "a.c"]).out;
    assert!(story.contains("by predicates that were found before"), "{story}");
    assert!(story.ends_with("safe\n"), "{story}");
}

/// A predicate on one path says nothing of another that comes to the same place.
#[test]
fn predicates_of_one_path_do_not_prove_another() {
    let related = "extern void svf_assert(_Bool);
        extern int __VERIFIER_nondet_int(void);
        int main(void) {
          int a = __VERIFIER_nondet_int(), b = __VERIFIER_nondet_int(), turns = 0;
          if (a < b) turns = 1;
          else if (WHEN) turns = 2;
          else return 0;
          while (__VERIFIER_nondet_int()) turns++;
          if (b <= a) svf_assert(turns < 0);
        }";
    for (when, expected) in [("b > a", "safe"), ("b == a", "unsafe")] {
        let place = place(&related.replace("WHEN", when));
        assert_eq!(verdict(&place, &["--engine=cegas"]), expected, "{when}");
    }
}

/// Algorithm 2 alone proves what no enumeration of paths can: nothing is tracked, so the loop closes at once.
#[test]
fn a_loop_that_does_not_matter_is_left_after_one_turn() {
    let place = place(
        "extern void svf_assert(_Bool);
        extern unsigned __VERIFIER_nondet_uint(void);
        int flag;
        int main(void) {
          unsigned i = 0, sum = 0;
          flag = 1;
          while (__VERIFIER_nondet_uint() > 3) sum += i++;
          svf_assert(flag);
        }",
    );
    let scan = place.scan(&[RULES, "--dump=cegas", "a.c"]);
    assert!(scan.out.ends_with("\n  no path leads to a violation\nsafe\n"), "{}", scan.out);
    assert!(!scan.out.contains("sum"), "{}", scan.out);
}

#[test]
fn functions_of_other_names_assert() {
    let place = place(
        "extern int my_check(int); extern void fatal(void);
        int main(int argc, char **argv) {
          int x = argc > 1 ? 2 : 3;
          my_check(x > 2);
          my_check(x == 3);
          if (x < 3) fatal();
        }",
    );
    assert_eq!(verdict(&place, &["--assertions=my_check"]), "unsafe");
    // Where the first check holds, so does the second, and x is three.
    for engine in ["--engine=auto", "--engine=cegas", "--engine=sse"] {
        let scan =
            place.scan(&[RULES, "--assertions=my_check,fatal", "--json=r.json", engine, "a.c"]);
        let report: serde_json::Value = serde_json::from_str(&place.read("r.json")).expect("JSON");
        let verdicts: Vec<&str> = report["obligations"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(|o| o["verdict"].as_str())
            .collect();
        assert_eq!(verdicts, ["unsafe", "safe", "safe"], "{engine} {scan:?}");
    }
    place.write("cegas.toml", "assertions = ['fatal', 'my_check']\n");
    assert_eq!(verdict(&place, &[]), "unsafe");
}

#[test]
fn options_that_do_not_go_together_are_refused() {
    let place = place("int main(void) { return 0; }");
    place.scan(&["--explain-path", "a.c"]).refused(&["--engine=sse"]);
    place
        .scan(&["--explain-path", "--engine=sse", "--json=-", "a.c"])
        .refused(&["standard output"]);
    place.scan(&["--engine=magic", "a.c"]).refused(&["cegas", "sse"]);
}
