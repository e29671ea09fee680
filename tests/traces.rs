//! What a trace tells a person: the values that matter at its end, and names that mean something.

mod tool;

use tool::Place;

/// What is printed for a program of one file.
fn printed(text: &str) -> String {
    let place = Place::new();
    place.write("a.c", text);
    let scan = place.scan(&["a.c", "--no-cache", "-q"]);
    assert_eq!(scan.code, Some(1), "{scan:?}");
    scan.out
}

#[test]
fn an_index_and_the_length_it_misses() {
    let out = printed(
        "#include <stdio.h>\n#include <string.h>\nint main(void) {\n  char line[64];\n  \
         if (!fgets(line, sizeof line, stdin)) return 0;\n  return line[strlen(line) - 1] == 10;\n}\n",
    );
    assert!(out.contains("the index is -1, and the array has 64 elements"), "{out}");
}

#[test]
fn conditions_are_told_as_they_are_written() {
    let out = printed(
        "#include <assert.h>\nextern int __VERIFIER_nondet_int(void);\nint main(void) {\n  \
         int n = __VERIFIER_nondet_int();\n  if (!n)\n    return 0;\n  if (n < 5 || !(n < 6))\n    return 0;\n  \
         assert(!(n == 5));\n  return 0;\n}\n",
    );
    let told = |line: &str| {
        let at = out.lines().filter(|step| step.contains(&format!(" a.c:{line}: the condition")));
        at.map(|step| step.rsplit(' ').next().unwrap_or_default()).collect::<Vec<_>>()
    };
    assert_eq!(told("5"), ["false"], "{out}");
    assert_eq!(told("7"), ["false", "false"], "{out}");
    assert_eq!(told("9"), ["false"], "{out}");
}

#[test]
fn an_offset_and_the_size_it_misses() {
    let out = printed(
        "#include <stdlib.h>\nint main(void) {\n  int *p = malloc(3 * sizeof(int));\n  \
         for (int i = 0; i <= 3; i++) p[i] = i;\n  free(p);\n  return 0;\n}\n",
    );
    let told = "access to 4 bytes at offset 12 of heap object of a.c:3, which has 12 bytes";
    assert!(out.contains(told), "{out}");
}

#[test]
fn a_sum_that_does_not_fit() {
    let out = printed(
        "extern int __VERIFIER_nondet_int(void);\nint main(void) {\n  int a = 2147483600;\n  \
         for (int i = 0; i < 100; i++) a += 10;\n  return a;\n}\n",
    );
    assert!(out.contains("2147483640 + 10 does not fit 32 bits"), "{out}");
}

#[test]
fn a_shift_that_goes_wrong() {
    let out = printed(
        "extern int __VERIFIER_nondet_int(void);\nint main(void) {\n  int a = __VERIFIER_nondet_int();\n  \
         if (a == -3) return a << 2;\n  if (a == 5) return a << 30;\n  \
         if (a == 40) return 1u << a;\n  return 0;\n}\n",
    );
    for told in
        ["-3 is negative, and shifted to the left", "5 << 30 does not fit 32 bits", "shifted by 40"]
    {
        assert!(out.contains(told), "{told}: {out}");
    }
}

#[test]
fn what_is_not_set_is_not_told_as_if_it_were() {
    let out = printed(
        "#include <assert.h>\nint main(int argc, char **argv) {\n  int n;\n  int *p = 0;\n  \
         if (argc > 1) n = 1;\n  assert(n == 1);\n  return *p;\n}\n",
    );
    assert!(out.contains("(never set)"), "{out}");
    let first = out.lines().find(|line| line.contains("argc =")).unwrap_or_default();
    assert!(first.trim_end().ends_with("argc = 1"), "a parameter begins with its argument: {out}");
}

#[test]
fn what_the_system_gives_is_not_the_arguments_of_main() {
    let out = printed(
        "#include <stdio.h>\n#include <stdlib.h>\nint main(void) {\n  char *home = getenv(\"HOME\");\n  \
         FILE *f = fopen(\"x\", \"r\");\n  int *p = 0;\n  if (home && f) return *p;\n  return 0;\n}\n",
    );
    assert!(out.contains("home -> &a text from outside"), "{out}");
    assert!(out.contains("f -> &an object of the system"), "{out}");
}

#[test]
fn an_input_is_told_in_the_words_of_its_type() {
    let place = Place::new();
    place.write(
        "a.c",
        "#include <assert.h>\n#include <stdio.h>\nextern double __VERIFIER_nondet_double(void);\n\
         extern float __VERIFIER_nondet_float(void);\nextern unsigned char __VERIFIER_nondet_uchar(void);\n\
         extern unsigned long __VERIFIER_nondet_ulong(void);\nextern _Bool __VERIFIER_nondet_bool(void);\n\
         extern short __VERIFIER_nondet_short(void);\nint main(void) {\n\
         double d = __VERIFIER_nondet_double();\nfloat f = __VERIFIER_nondet_float();\n\
         unsigned char c = __VERIFIER_nondet_uchar();\nunsigned long l = __VERIFIER_nondet_ulong();\n\
         _Bool b = __VERIFIER_nondet_bool();\nputs(\"a result that nobody takes\");\n\
         assert(!(d == 1.5 && f == 0.25f && c == 250 && l == -1ul && b && __VERIFIER_nondet_short() == -7));\n\
         return 0;\n}\n",
    );
    let scan = place.scan(&["a.c", "--no-cache", "-q", "--proofs=w.yml", "--json=r.json"]);
    assert_eq!(scan.code, Some(1), "{scan:?}");
    for told in ["a.c:10: input: 1.5", "a.c:10: d = 1.5", "a.c:12: c = 250", "a.c:14: b = 1"] {
        assert!(scan.out.contains(told), "{told}: {}", scan.out);
    }
    assert!(!scan.out.contains("a.c:15: input"), "{}", scan.out);
    let wanted = ["1.5", "0.25f", "250", "18446744073709551615U", "1", "-7"];
    let witness = place.read("w.yml");
    let results =
        witness.lines().filter_map(|line| line.trim().strip_prefix("value: \"\\\\result == "));
    let results: Vec<_> = results.map(|rest| rest.trim_end_matches('"')).collect();
    assert_eq!(results, wanted, "{witness}");
    let report: serde_json::Value = serde_json::from_str(&place.read("r.json")).unwrap();
    let found = report["obligations"].as_array().unwrap().iter();
    let trace = found.filter_map(|o| o["trace"].as_array()).flatten();
    let inputs: Vec<_> = trace.filter_map(|step| step["input"].as_str()).collect();
    assert_eq!(inputs, wanted);
}

#[test]
fn memory_is_told_in_the_words_of_its_type() {
    let out = printed(
        "#include <assert.h>\nstruct s { double ratio; unsigned char level; unsigned count; };\n\
         static void fill(int *out) { *out = 7; }\nint main(void) {\n  int got;\n  struct s s;\n  \
         double *d = (double[1]){2.5};\n  s.ratio = 1.5;\n  s.level = 250;\n  s.count = 4000000000u;\n  \
         fill(&got);\n  assert(got != 7 || *d != 2.5);\n  return (int)s.ratio;\n}\n",
    );
    for told in ["s.ratio = 1.5", "s.level = 250", "s.count = 4000000000", "got = 7", "(never set)"]
    {
        assert!(out.contains(told), "{told}: {out}");
    }
}
