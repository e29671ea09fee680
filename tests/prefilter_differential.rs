//! What is settled without executing anything is really so: random functions that share pointers through
//! structs, globals, parameters and results, free them, leave scopes and count are run under sanitizers, and
//! where a run goes wrong the prefilter must have left the obligation open. Nothing keeps the functions from
//! errors, so that there are many. `CEGAS_PREFILTER_DIFFERENTIAL=N` sets how many functions are made, and
//! `CEGAS_PREFILTER_FIRST=M` with which seed to begin.

#[path = "differential/beside.rs"]
mod beside;
#[path = "differential/random.rs"]
mod random;

use random::Random;
use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fmt::Write;
use std::path::Path;
use std::process::Command;

/// Cases in one program, and runs of each.
const BATCH: usize = 40;
const RUNS: usize = 3;
/// Seconds: a wild store may leave a loop without an end.
const LONGEST: &str = "20";

const PRELUDE: &str = "#include <stddef.h>\n#include <stdlib.h>\n#include <string.h>\n\
    struct s { int n; int *data; struct s *next; int arr[4]; };\n\
    static volatile unsigned state;\n\
    static int input(void) { state = state * 1103515245u + 12345u; return (int)(state >> 16) % 8; }\n\
    static const int table[4] = {3, 1, 2, 5};\n\
    static const char *const words[3] = {\"one\", 0, \"three\"};\n\
    static const char *const all_words[2] = {\"one\", \"two\"};\n\
    static void stop(void) { exit(0); }\n\
    static void stop_perhaps(int n) { if (n > 3) exit(0); }\n\
    static void *get(unsigned n, unsigned size) { return malloc(n * size); }\n\
    static void *get_cut(unsigned char size) { return malloc(size); }\n\
    static void touch(struct s *p) { if (input() > 3) p->n = 2; }\n\
    static int by_value(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }\n\
    static struct s *make(int n) {\n  struct s *p = malloc(sizeof *p);\n  p->n = n;\n  p->data = 0;\n\
    \x20 p->next = 0;\n  memset(p->arr, 0, sizeof p->arr);\n  return p;\n}\n";

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
        match self.random.below(6) {
            0..=1 => pointer,
            2 => format!("{pointer}->next"),
            3 => format!("{number} < {other}"),
            4 => format!("{number} >= 0 && {number} < 4"),
            _ => "input() > 3".to_owned(),
        }
    }

    fn statement(&mut self) {
        let (p, q, a, n) = (self.pointer(), self.pointer(), self.numbers(), self.number());
        let case = self.case;
        match self.random.below(56) {
            24..=39 => self.statement_of_late(&p, &q, &a, &n),
            40..=55 => self.statement_beside(&p, &q, &a, &n),
            0 => self.line(&format!("{p} = make({n});")),
            1 => self.line(&format!("{p} = {q};")),
            2 => self.line(&format!("{p} = {q}->next;")),
            3 => self.line(&format!("{p}->next = {q};")),
            4 => self.line(&format!("{p}->data = {a};")),
            5 => self.line(&format!("{a} = {p}->arr + {n};")),
            6 => self.line(&format!("{a} = malloc(4 * sizeof(int));")),
            7 => self.line(&format!("{a} = local;")),
            8 if self.random.once_in(2) => self.line(&format!("free({p});")),
            9 if self.random.once_in(3) => self.line(&format!("{p} = 0;")),
            10 => {
                let from = self.numbers();
                self.line(&format!("{a} = {from};"));
            }
            11..=15 => {
                let place = self.place();
                let other = self.number();
                let value = match self.random.below(5) {
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

    /// `struct s *name(struct s *p, int *a, int i)` with a random body.
    fn function(&mut self, name: &str) {
        self.line(&format!("static struct s *{name}(struct s *p, int *a, int i) {{"));
        self.line("struct s *q = p, *r;");
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

/// The functions of one case; the last one is where it begins.
fn case(seed: u64, case: usize) -> String {
    let (random, text) = (Random::new(seed), String::new());
    let mut maker = Maker { random, text, case, helpers: 0, depth: 0 };
    maker.line(&format!("// {seed}"));
    let first = maker.random.once_in(2);
    maker
        .line(&format!("static struct s *gp_{case}; static int *gq_{case}; static int gi_{case};"));
    for helper in 0..maker.random.below(3) {
        maker.function(&format!("h{helper}_{case}"));
        maker.helpers += 1;
    }
    maker.function(&format!("first_{case}"));
    maker.line(&format!("static void case_{case}(void) {{"));
    maker.line(&format!("gp_{case} = make(3);"));
    maker.line(&format!("gq_{case} = gp_{case}->arr;"));
    let given = if first { format!("gq_{case}") } else { "malloc(12)".to_owned() };
    maker.line(&format!("first_{case}(make(2), {given}, input());"));
    maker.line("}");
    maker.text
}

/// The rules one of which must be open, and the line.
type Wrong = (&'static [&'static str], usize);

/// What a sanitizer says of one run.
fn run(program: &Path, index: usize, seed: usize) -> Option<Wrong> {
    let symbolizer = "/usr/lib/llvm-19/bin/llvm-symbolizer";
    let output = Command::new("timeout")
        .args([OsStr::new(LONGEST), program.as_os_str()])
        .args([index.to_string(), seed.to_string()])
        .env("ASAN_OPTIONS", "detect_leaks=0:detect_stack_use_after_return=1")
        .env("ASAN_SYMBOLIZER_PATH", symbolizer)
        .env("MSAN_SYMBOLIZER_PATH", symbolizer)
        .output()
        .expect("the program runs");
    if output.status.success() {
        return None;
    }
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let kinds: [(&str, &[&str]); 10] = [
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
        ("SEGV", &["null-deref", "out-of-bounds"]),
    ];
    let rules = kinds.iter().find(|(text, _)| said.contains(text)).map(|(_, rules)| *rules);
    // A wild store may break the loader or the sanitizer itself: then nothing is said of the place.
    let rules = rules?;
    // A wild pointer may end the sanitizer, too, before it says where.
    let place = said.split("batch.c:").nth(1)?;
    let digits: String = place.chars().take_while(char::is_ascii_digit).collect();
    Some((rules, digits.parse().expect("a line")))
}

/// The lines at which something that was never set decided, was an address or was given to a function, in the order of the run.
/// The rule asks about arguments as MemorySanitizer's eager checks do, and what it asks later is answered by that.
fn unset(program: &Path, (index, seed): (usize, usize)) -> Vec<usize> {
    let output = Command::new("timeout")
        .args([OsStr::new(LONGEST), program.as_os_str()])
        .args([index.to_string(), seed.to_string()])
        .env("MSAN_OPTIONS", "halt_on_error=0")
        .env("MSAN_SYMBOLIZER_PATH", "/usr/lib/llvm-19/bin/llvm-symbolizer")
        .output()
        .expect("the program runs");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let told = said.split("use-of-uninitialized-value").skip(1).filter_map(|report| {
        let place = report.split("batch.c:").nth(1)?;
        let digits: String = place.chars().take_while(char::is_ascii_digit).collect();
        digits.parse::<usize>().ok()
    });
    told.collect()
}

/// Whether a line does nothing but hand back what it reads; several ways back meet where the function ends.
fn is_result(code: &str) -> bool {
    code == "}" || code.starts_with("return") || code.starts_with("static int by_value")
}

fn compile(source: &Path, program: &Path, sanitizers: &[&str]) {
    let built = Command::new("clang-19")
        .args(["-w", "-O0", "-g"])
        .args(sanitizers)
        .arg("-o")
        .args([program, source])
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

#[test]
fn what_is_settled_does_not_go_wrong() {
    let count = std::env::var("CEGAS_PREFILTER_DIFFERENTIAL").ok().and_then(|n| n.parse().ok());
    let count: usize = count.unwrap_or(BATCH);
    let seed = std::env::var("CEGAS_PREFILTER_FIRST").ok().and_then(|n| n.parse().ok());
    let seed: usize = seed.unwrap_or(0);
    let dir = tempfile::tempdir().expect("a temporary folder");
    let dir = dir.path();
    let mut wrong = Vec::new();
    let mut seen = 0;
    for first in (0..count).step_by(BATCH) {
        let cases = BATCH.min(count - first);
        let mut text = PRELUDE.to_owned();
        for index in 0..cases {
            text += &case((seed + first + index) as u64, index);
        }
        text += "int main(int argc, char **argv) {\n  state = atoi(argv[2]);\n";
        text += "  switch (atoi(argv[1])) {\n";
        for index in 0..cases {
            let _ = writeln!(text, "  case {index}: case_{index}(); break;");
        }
        text += "  }\n  return 0;\n}\n";
        let source = dir.join("batch.c");
        std::fs::write(&source, &text).expect("a file");
        let (asan, msan, eager) = (dir.join("asan"), dir.join("msan"), dir.join("eager"));
        let checks = "-fsanitize=address,signed-integer-overflow,shift,bounds";
        compile(&source, &asan, &[checks, "-fno-sanitize-recover=all"]);
        compile(&source, &msan, &["-fsanitize=memory", "-fno-sanitize-memory-param-retval"]);
        compile(&source, &eager, &["-fsanitize=memory", "-fsanitize-recover=memory"]);
        let (open, sum) = left(dir);
        eprintln!("{sum}");
        for index in 0..cases {
            for run_seed in 0..RUNS {
                let code = |line: usize| text.lines().nth(line - 1).unwrap_or_default().trim();
                let mut tell = |rules: &[&str], line: usize| {
                    let seed = seed + first + index;
                    wrong.push(format!("seed {seed}: {rules:?} at {line}: {}", code(line)));
                };
                let is_open = |rules: &[&str], line: usize| {
                    rules.iter().any(|rule| open.contains(&(line, (*rule).to_owned())))
                };
                let told = run(&asan, index, run_seed);
                if let Some((rules, line)) = told {
                    seen += 1;
                    if !is_open(rules, line) {
                        tell(rules, line);
                    }
                    continue;
                }
                // The first violation in a run is open. A result that was never set is nothing that the rule asks about.
                let asked = ["uninit-read"];
                let unset = unset(&eager, (index, run_seed));
                let first = unset.iter().find(|&&line| !is_result(code(line)));
                seen += usize::from(first.is_some());
                if let Some(&line) = first.filter(|&&line| !is_open(&asked, line)) {
                    tell(&asked, line);
                }
                // Results are followed further without eager checks.
                if let Some((rules, line)) = run(&msan, index, run_seed) {
                    let mut before = unset.iter().take_while(|&&told| told != line);
                    if !is_open(rules, line) && !before.any(|&told| is_open(&asked, told)) {
                        tell(rules, line);
                    }
                }
            }
        }
    }
    let all = wrong.join("\n");
    assert!(wrong.is_empty(), "{all}\n{} settled wrongly, of {seen} errors", wrong.len());
    assert!(seen * 3 >= count, "only {seen} runs of {count} functions went wrong");
    eprintln!("{seen} errors of {count} functions, none of them settled");
}
