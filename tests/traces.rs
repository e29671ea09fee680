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
fn an_offset_and_the_size_it_misses() {
    let out = printed(
        "#include <stdlib.h>\nint main(void) {\n  int *p = malloc(3 * sizeof(int));\n  \
         for (int i = 0; i <= 3; i++) p[i] = i;\n  free(p);\n  return 0;\n}\n",
    );
    let told = "access to 4 bytes at offset 12 of heap object of a.c:3, which has 12 bytes";
    assert!(out.contains(told), "{out}");
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
