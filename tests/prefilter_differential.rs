//! What is settled without executing anything is really so: random functions that share pointers through
//! structs, globals, parameters and results, set up only part of what they allocate, free it, leave scopes, give up and
//! count are run under sanitizers, and where a run goes wrong the prefilter must have left the obligation open. Nothing keeps
//! the functions from errors, so that there are many. The same functions are also a library, of which the scan does not see who calls
//! it. `CEGAS_PREFILTER_DIFFERENTIAL=N` sets how many functions are made.

#[path = "differential/random.rs"]
mod random;
#[path = "differential/sharp.rs"]
mod sharp;

use random::Random;
use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Cases in one program, and runs of each.
const BATCH: usize = 40;
const RUNS: usize = 3;

const PRELUDE: &str = "#include <stdlib.h>\n#include <string.h>\n#include <time.h>\n\
    struct s { int n; int *data; struct s *next; int arr[4]; };\n\
    static volatile unsigned state;\n\
    static int input(void) { state = state * 1103515245u + 12345u; return (int)(state >> 16) % 8; }\n\
    static int by_value(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }\n\
    static struct s *make(int n) {\n  struct s *p = malloc(sizeof *p);\n  p->n = n;\n  p->data = 0;\n\
    \x20 p->next = 0;\n  memset(p->arr, 0, sizeof p->arr);\n  return p;\n}\n\
    static void *grab(unsigned items, unsigned size) { return malloc(items * size); }\n\
    static time_t times[2] = {60, 3000};\n";

/// What a program says of a library that it calls.
const OUTSIDE: &str = "#include <stdlib.h>\nstruct s;\nstruct s *make(int n);\n\
    int input(void);\nvoid begin(unsigned seed);\n";

struct Maker {
    random: Random,
    text: String,
    case: usize,
    /// Helpers that are there to be called.
    helpers: usize,
    depth: usize,
}

impl Maker {
    fn line(&mut self, line: &str) {
        let _ = writeln!(self.text, "{line}");
    }

    fn pointer(&mut self) -> String {
        let case = self.case;
        match self.random.below(7) {
            0..=2 => "p".to_owned(),
            3..=4 => "q".to_owned(),
            5 => format!("gp_{case}"),
            _ => "r".to_owned(),
        }
    }

    fn numbers(&mut self) -> String {
        let (pointer, case) = (self.pointer(), self.case);
        match self.random.below(5) {
            0..=1 => "a".to_owned(),
            2 => "b".to_owned(),
            3 => format!("{pointer}->data"),
            _ => format!("gq_{case}"),
        }
    }

    fn number(&mut self) -> String {
        let (case, pointer) = (self.case, self.pointer());
        match self.random.below(8) {
            0..=1 => "i".to_owned(),
            2 => "j".to_owned(),
            3 => format!("gi_{case}"),
            4 => format!("{pointer}->n"),
            5 => "input()".to_owned(),
            _ => format!("{}", self.random.below(5)),
        }
    }

    fn place(&mut self) -> String {
        let (pointer, numbers, number) = (self.pointer(), self.numbers(), self.number());
        let case = self.case;
        match self.random.below(8) {
            0..=1 => "i".to_owned(),
            2 => format!("gi_{case}"),
            3 => format!("{pointer}->n"),
            4 => format!("{numbers}[{number}]"),
            5 => format!("{pointer}->arr[{number}]"),
            6 => format!("*{numbers}"),
            _ => "j".to_owned(),
        }
    }

    fn condition(&mut self) -> String {
        let (pointer, other, number) = (self.pointer(), self.number(), self.number());
        let numbers = self.numbers();
        match self.random.below(9) {
            0..=1 => pointer,
            2 => format!("{pointer}->next"),
            6 => numbers,
            7 => format!("{pointer}->data"),
            8 => "t->tm_min < 3".to_owned(),
            3 => format!("{number} < {other}"),
            4 => format!("{number} >= 0 && {number} < 4"),
            _ => "input() > 3".to_owned(),
        }
    }

    fn statement(&mut self) {
        let (p, q, a, n) = (self.pointer(), self.pointer(), self.numbers(), self.number());
        let case = self.case;
        match self.random.below(24) {
            0 => match self.random.below(6) {
                0 => self.line(&format!("{p} = make({n});")),
                1 => self.line(&format!("{p} = calloc(1, sizeof *{p});")),
                2 => self.line(&format!("{p} = grab(1, sizeof *{p});")),
                3 => self.line(&format!("{a} = grab({n}, sizeof *{a});")),
                _ => self.line(&format!("{p} = new_{case}({n});")),
            },
            1 => self.line(&format!("{p} = {q};")),
            2 => self.line(&format!("{p} = {q}->next;")),
            3 => self.line(&format!("{p}->next = {q};")),
            4 => self.line(&format!("{p}->data = {a};")),
            5 => self.line(&format!("{a} = {p}->arr + {n};")),
            6 => match self.random.below(3) {
                0 => self.line(&format!("{a} = grab(3, sizeof(int));")),
                1 => self.line("{ int *h = calloc(2, 4); a = realloc(h, 4 * (1 + (i & 3))); }"),
                _ => self.line(&format!("{a} = malloc(4 * sizeof(int));")),
            },
            7 => self.line(&format!("{a} = local;")),
            8 if self.random.once_in(2) => self.line(&format!("free({p});")),
            8 => self.line(&format!("if ({n} > 5) stop_{case}({n});")),
            9 if self.random.once_in(3) => self.line(&format!("{p} = 0;")),
            9 if self.random.once_in(2) => self.line(&format!("if (!{p}) stop_{case}({n});")),
            9 => self.line("t = localtime(&times[input() & 1]);"),
            10 => {
                let from = self.numbers();
                self.line(&format!("{a} = {from};"));
            }
            11..=15 => {
                let place = self.place();
                let other = self.number();
                let value = match self.random.below(8) {
                    4 => format!("({n} << 28) | {other}"),
                    5 => format!("(({n} & 255) >> 3) + ({other} ^ 3)"),
                    6 => format!("{n} / 2 * 800000000"),
                    0 => format!("{n} + {other}"),
                    1 => format!("{n} * 400000000"),
                    2 => format!("{a}[{n}]"),
                    3 => format!("1 << {n}"),
                    _ => n,
                };
                self.line(&format!("{place} = {value};"));
            }
            16..=17 if self.helpers > 0 => {
                let helper = self.random.below(self.helpers);
                let place = self.pointer();
                self.line(&format!("{place} = h{helper}_{case}({p}, {a}, {n});"));
            }
            18..=19 if self.depth < 3 => {
                let condition = self.condition();
                self.block(&format!("if ({condition}) {{"));
                if self.random.once_in(2) {
                    self.block("else {");
                }
            }
            20 if self.depth < 3 => {
                let end = 1 + self.random.below(5);
                self.block(&format!("for (int k = 0; k < {end}; k++) {{ i = k;"));
            }
            21 if self.depth < 3 => self.block("{ int inner[3]; inner[0] = 1; a = inner;"),
            22 if self.random.once_in(2) => {
                self.line("if (t->tm_min < 3) {");
                self.line(&format!("{p}->n = local[t->tm_min];"));
                self.statement();
                self.line("i = local[t->tm_min];\n}");
            }
            22 => self.line(&format!("qsort({p}->arr, 4, sizeof(int), by_value);")),
            23 => self.line(&format!("if ({n} > 9) return {p};")),
            _ => self.line(&format!("sink += {n};")),
        }
    }

    fn block(&mut self, head: &str) {
        self.line(head);
        self.depth += 1;
        for _ in 0..1 + self.random.below(3) {
            self.statement();
        }
        self.depth -= 1;
        self.line("}");
    }

    /// One thing that setting up an object may do, in no good order, or not at all.
    fn set_up(&mut self, nested: bool) {
        let case = self.case;
        match self.random.below(10) {
            0..=1 => self.line("p->n = n;"),
            2 => self.line("p->data = 0;"),
            3 => self.line("p->next = 0;"),
            4 => self.line("memset(p->arr, 0, sizeof p->arr);"),
            5 if self.random.once_in(3) => self.line("memset(p, 0, sizeof *p);"),
            6 => self.line(&format!("gp_{case} = p;")),
            7 if self.random.once_in(2) => self.line(&format!("if (gp_{case}->n > n) n++;")),
            8 if self.random.once_in(2) => self.line("if (n > 4) return p;"),
            9 if nested => self.line(&format!("set_{case}(p, n);")),
            _ => self.line("if (!p) return 0;"),
        }
    }

    /// Functions that allocate and set up some of it, and one that gives up, perhaps not always.
    fn makers(&mut self) {
        let case = self.case;
        let end = if self.random.once_in(2) { "exit(0);" } else { "if (n > 3) exit(0);" };
        self.line(&format!("static void stop_{case}(int n) {{ {end} }}"));
        self.line(&format!("static struct s *set_{case}(struct s *p, int n) {{"));
        for _ in 0..1 + self.random.below(5) {
            self.set_up(false);
        }
        self.line("return p;\n}");
        self.line(&format!("static struct s *new_{case}(int n) {{"));
        self.line("struct s *p = malloc(sizeof *p);");
        for _ in 0..2 + self.random.below(8) {
            self.set_up(true);
        }
        self.line("return p;\n}");
    }

    /// `struct s *name(struct s *p, int *a, int i)` with a random body.
    fn function(&mut self, name: &str) {
        self.line(&format!("static struct s *{name}(struct s *p, int *a, int i) {{"));
        self.line("struct s *q = p, *r;");
        self.line("struct tm *t = localtime(&times[0]);");
        self.line("int *b = a, j = 2, sink = 0, local[3] = {1, 2, 3};");
        if !self.random.once_in(6) {
            self.line("r = make(1);");
        }
        for _ in 0..3 + self.random.below(8) {
            self.statement();
        }
        self.line("if (sink == 12345) return 0;");
        let result = self.pointer();
        self.line(&format!("return {result};"));
        self.line("}");
    }
}

/// The functions of one case; the last one is where it begins. Most of what a chaos of statements does is open, so every
/// other case is one short function instead that does one thing, right or slightly wrong.
fn case(seed: u64, case: usize) -> String {
    let (random, text) = (Random::new(seed), String::new());
    let mut maker = Maker { random, text, case, helpers: 0, depth: 0 };
    maker.line(&format!("// {seed}"));
    if seed % 2 == 1 {
        maker.text += &sharp::case(&mut maker.random, case);
        maker.line(&format!(
            "static struct s *first_{case}(struct s *p, int *a, int i) {{ return p; }}"
        ));
        maker.line(&format!("static void case_{case}(void) {{"));
        maker.line(&format!("sharp_{case}(input(), input() > 3 ? calloc(3, 4) : 0);\n}}"));
        return maker.text;
    }
    let first = maker.random.once_in(2);
    maker
        .line(&format!("static struct s *gp_{case}; static int *gq_{case}; static int gi_{case};"));
    maker.makers();
    for helper in 0..maker.random.below(3) {
        maker.function(&format!("h{helper}_{case}"));
        maker.helpers += 1;
    }
    maker.function(&format!("first_{case}"));
    maker.line(&format!("static int sharp_{case}(int i, int *a) {{ return i; }}"));
    maker.line(&format!("static void case_{case}(void) {{"));
    maker.line(&format!("gp_{case} = make(3);"));
    maker.line(&format!("gq_{case} = gp_{case}->arr;"));
    let given = if first { format!("gq_{case}") } else { "malloc(12)".to_owned() };
    maker.line(&format!("first_{case}(make(2), {given}, input());"));
    maker.line("}");
    maker.text
}

/// The rules one of which must be open, and the line; then those of the calls around it.
type Wrong = (&'static [&'static str], Vec<usize>);

/// What a sanitizer says of one run.
fn run(program: &Path, index: usize, seed: usize) -> Option<Wrong> {
    let symbolizer = "/usr/lib/llvm-19/bin/llvm-symbolizer";
    let output = Command::new(program)
        .args([index.to_string(), seed.to_string()])
        .env("TZ", "UTC")
        .env("ASAN_OPTIONS", "detect_leaks=0:detect_stack_use_after_return=1")
        .env("ASAN_SYMBOLIZER_PATH", symbolizer)
        .env("MSAN_SYMBOLIZER_PATH", symbolizer)
        .output()
        .expect("the program runs");
    if output.status.success() {
        return None;
    }
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let kinds: [(&str, &[&str]); 11] = [
        // A wild store hit the stack.
        ("stack-overflow", &[]),
        ("signed integer overflow", &["signed-overflow"]),
        ("out of bounds for type", &["out-of-bounds"]),
        ("shift", &["bad-shift", "signed-overflow"]),
        ("attempting double-free", &["double-free"]),
        ("attempting free on address", &["invalid-free"]),
        ("use-after", &["use-after-free"]),
        ("-overflow on address", &["out-of-bounds"]),
        ("-underflow on address", &["out-of-bounds"]),
        ("use-of-uninitialized-value", &["uninit-read"]),
        // Wild or null.
        ("SEGV", &["null-deref", "out-of-bounds", "invalid-free"]),
    ];
    let rules = kinds.iter().find(|(text, _)| said.contains(text)).map(|(_, rules)| *rules);
    // A wild store may break the loader or the sanitizer itself: then nothing is said of the place.
    let rules = rules.filter(|rules| !rules.is_empty())?;
    // A wild pointer may end the sanitizer, too, before it says where.
    let stack = said.split("\n\n").find(|part| part.contains("batch.c:"))?;
    let line = |place: &str| {
        let digits: String = place.chars().take_while(char::is_ascii_digit).collect();
        digits.parse().expect("a line")
    };
    Some((rules, stack.split("batch.c:").skip(1).map(line).collect()))
}

fn compile(sources: &[PathBuf], program: &Path, sanitizers: &[&str]) {
    let built = Command::new("clang-19")
        .args(["-w", "-O0", "-g"])
        .args(sanitizers)
        .arg("-o")
        .arg(program)
        .args(sources)
        .output()
        .expect("clang-19 runs");
    let said = String::from_utf8_lossy(&built.stderr);
    assert!(built.status.success(), "`make test` installs what this needs: {said}");
}

/// The obligations that are left, as line and rule, and how many there are in all.
fn left(dir: &Path) -> (BTreeSet<(usize, String)>, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_cegas-scan"))
        .args(["-q", "--dump=prefilter"])
        .arg(dir.join("batch.c"))
        .env("XDG_CACHE_HOME", dir)
        .output()
        .expect("the tool runs");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let open = text.lines().filter_map(|line| {
        let mut parts = line.split("batch.c:").nth(1)?.split(": ");
        Some((parts.next()?.parse().ok()?, parts.next()?.to_owned()))
    });
    let open = open.collect();
    let sum = text.lines().find(|line| line.trim_start().starts_with("all: "));
    (open, sum.unwrap_or_else(|| panic!("{output:?}")).trim().to_owned())
}

/// The functions from the first seed on, as a program, or as a library and a program that calls it.
fn texts(first: usize, cases: usize, library: bool) -> (String, Option<String>) {
    let mut text = PRELUDE.to_owned();
    for index in 0..cases {
        text += &case((first + index) as u64, index);
    }
    let mut main = "int main(int argc, char **argv) {\n".to_owned();
    main += if library { "  begin(atoi(argv[2]));\n" } else { "  state = atoi(argv[2]);\n" };
    main += "  switch (atoi(argv[1])) {\n";
    for index in 0..cases {
        let call = match library {
            true => format!(
                "first_{index}(make(2), calloc(3, 4), input()), \
                 sharp_{index}(input(), input() > 3 ? calloc(3, 4) : 0)"
            ),
            false => format!("case_{index}()"),
        };
        let _ = writeln!(main, "  case {index}: {call}; break;");
    }
    main += "  }\n  return 0;\n}\n";
    if !library {
        return (text + &main, None);
    }
    for seen in ["struct s *make", "int input", "struct s *first_", "int sharp_"] {
        text = text.replace(&format!("static {seen}"), seen);
    }
    text += "void begin(unsigned seed) { state = seed; }\n";
    let mut outside = OUTSIDE.to_owned();
    for index in 0..cases {
        let _ = writeln!(outside, "struct s *first_{index}(struct s *p, int *a, int i);");
        let _ = writeln!(outside, "int sharp_{index}(int i, int *a);");
    }
    (text, Some(outside + &main))
}

#[test]
fn what_is_settled_does_not_go_wrong() {
    compare(false);
}

#[test]
fn what_is_settled_of_a_library_does_not_go_wrong() {
    compare(true);
}

fn compare(library: bool) {
    let count = std::env::var("CEGAS_PREFILTER_DIFFERENTIAL").ok().and_then(|n| n.parse().ok());
    let count: usize = count.unwrap_or(BATCH);
    let start = std::env::var("CEGAS_PREFILTER_FIRST").ok().and_then(|n| n.parse().ok());
    let start: usize = start.unwrap_or(0);
    let dir = tempfile::tempdir().expect("a temporary folder");
    let dir = dir.path();
    let mut wrong = Vec::new();
    let mut seen = 0;
    for first in (start..start + count).step_by(BATCH) {
        let cases = BATCH.min(start + count - first);
        let (text, outside) = texts(first, cases, library);
        let mut sources = vec![dir.join("batch.c")];
        std::fs::write(&sources[0], &text).expect("a file");
        if let Some(outside) = outside {
            std::fs::create_dir_all(dir.join("outside")).expect("a folder");
            sources.push(dir.join("outside/main.c"));
            std::fs::write(&sources[1], outside).expect("a file");
        }
        let (asan, msan) = (dir.join("asan"), dir.join("msan"));
        let checks = "-fsanitize=address,signed-integer-overflow,shift,bounds";
        compile(&sources, &asan, &[checks, "-fno-sanitize-recover=all"]);
        compile(&sources, &msan, &["-fsanitize=memory", "-fno-sanitize-memory-param-retval"]);
        let (open, sum) = left(dir);
        eprintln!("{sum}");
        for index in 0..cases {
            for seed in 0..RUNS {
                let found = run(&asan, index, seed).or_else(|| run(&msan, index, seed));
                let Some((rules, lines)) = found else { continue };
                let line = lines[0];
                seen += 1;
                // What is given to a function and was never set is wrong where it is given.
                let is_given = |lines: &[usize]| {
                    lines.iter().any(|&at| open.contains(&(at, "uninit-read".to_owned())))
                };
                // Behind an address that was never set anything may come, and only one sanitizer sees that it was not.
                let is_behind = || match rules {
                    ["uninit-read"] => is_given(&lines),
                    _ => run(&msan, index, seed)
                        .is_some_and(|(_, before)| before[0] == line && is_given(&before)),
                };
                let is_open = rules.iter().any(|rule| open.contains(&(line, (*rule).to_owned())));
                if !is_open && !is_behind() {
                    let code = text.lines().nth(line - 1).unwrap_or_default();
                    wrong.push(format!("seed {}: {rules:?} at {line}: {code}", first + index));
                }
            }
        }
    }
    let all = wrong.join("\n");
    assert!(wrong.is_empty(), "{all}\n{} settled wrongly, of {seen} errors", wrong.len());
    assert!(seen * 3 >= count, "only {seen} runs of {count} functions went wrong");
    eprintln!("{seen} errors of {count} functions, none of them settled");
}
