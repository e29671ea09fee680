//! Memory errors: random functions that allocate, index, copy and free are run under AddressSanitizer, and
//! the tool must say the same of each: safe where the run is clean, violated with the sanitizer's kind of
//! error where it is not. Leaks are counted by the generator, which knows what it freed.
//! `CEGAS_MEMORY_DIFFERENTIAL=N` sets how many functions are made.

#[path = "differential/random.rs"]
mod random;

use random::Random;
use std::fmt::Write;
use std::path::Path;
use std::process::Command;

const RULES: &str = "null-deref,out-of-bounds,use-after-free,double-free,invalid-free";

const PRELUDE: &str = "#include <stdlib.h>\n#include <string.h>\n\
    static int same(int x) { return x; }\n\
    struct node { struct node *next; int value; char text[8]; };\n\
    static char global_text[24] = \"global\"; static int global_numbers[6];\n";

/// A buffer of a function: name, elements, whether it was allocated, and whether it still is.
struct Buffer {
    name: String,
    elements: usize,
    is_text: bool,
    is_heap: bool,
    is_live: bool,
}

struct Case {
    text: String,
    leaks: bool,
}

struct Maker {
    random: Random,
    text: String,
    buffers: Vec<Buffer>,
    names: usize,
}

impl Maker {
    fn line(&mut self, line: &str) {
        let _ = writeln!(self.text, "  {line}");
    }

    fn name(&mut self) -> String {
        self.names += 1;
        format!("b{}", self.names)
    }

    fn new_buffer(&mut self) {
        let name = self.name();
        let elements = 1 + self.random.below(9);
        let is_text = self.random.once_in(2);
        let ty = if is_text { "char" } else { "int" };
        let is_heap = !self.random.once_in(3);
        if is_heap {
            let how = match self.random.below(3) {
                0 => format!("calloc({elements}, sizeof({ty}))"),
                1 => format!("malloc(same({elements}) * sizeof({ty}))"),
                _ => format!("realloc(malloc(3), {elements} * sizeof({ty}))"),
            };
            self.line(&format!("{ty} *{name} = {how};"));
            self.line(&format!("memset({name}, 0, {elements} * sizeof({ty}));"));
        } else {
            self.line(&format!("{ty} {name}[{elements}] = {{0}};"));
        }
        self.buffers.push(Buffer { name, elements, is_text, is_heap, is_live: true });
    }

    /// An index inside the buffer, or with `wrong` one just outside.
    fn index(&mut self, elements: usize, wrong: bool) -> String {
        let index = match (wrong, self.random.once_in(2)) {
            (false, _) => self.random.below(elements) as i64,
            (true, true) => (elements + self.random.below(2)) as i64,
            (true, false) => -1,
        };
        match self.random.below(3) {
            0 => format!("{index}"),
            1 => format!("same({index})"),
            _ => format!("same({}) - {}", index + 3, 3),
        }
    }

    fn access(&mut self, which: usize, wrong: bool) {
        let (name, elements, is_text) = {
            let buffer = &self.buffers[which];
            (buffer.name.clone(), buffer.elements, buffer.is_text)
        };
        let index = self.index(elements, wrong);
        let unit = if is_text { 1 } else { 4 };
        match self.random.below(6) {
            0 => self.line(&format!("{name}[{index}] = 1;")),
            1 => self.line(&format!("if ({name}[{index}] == 77) global_numbers[0]++;")),
            2 => {
                let end = if wrong { elements + 1 } else { elements };
                self.line(&format!("for (int i = 0; i < same({end}); i++) {name}[i] = (char)i;"));
            }
            3 => {
                let count = elements + usize::from(wrong);
                self.line(&format!("memset({name}, 1, (size_t)same({}));", count * unit));
            }
            4 if is_text => {
                let length = if wrong { elements } else { elements - 1 };
                let text: String = "abcdefghijkl".chars().take(length).collect();
                self.line(&format!("strcpy({name}, \"{text}\");"));
            }
            _ => {
                let ty = if is_text { "char" } else { "int" };
                let pointer = self.name();
                let from = self.random.below(elements);
                self.line(&format!("{ty} *{pointer} = {name} + {from};"));
                self.line(&format!("{pointer}[({index}) - {from}] = 2;"));
            }
        }
    }

    fn free(&mut self, which: usize) {
        let name = self.buffers[which].name.clone();
        self.line(&format!("free({name});"));
        self.buffers[which].is_live = false;
    }

    /// A list that is built, summed up and freed again.
    fn list(&mut self, wrong: bool) {
        let count = 1 + self.random.below(4);
        let (head, sum) = (self.name(), self.name());
        self.line(&format!("struct node *{head} = 0; int {sum} = 0;"));
        self.line(&format!("for (int i = 0; i < {count}; i++) {{"));
        self.line("  struct node *n = malloc(sizeof *n);");
        self.line(&format!("  n->value = i; n->next = {head}; {head} = n; }}"));
        let stop = if wrong && self.random.once_in(2) { "n->next->value >= 0" } else { "n" };
        self.line(&format!(
            "for (struct node *n = {head}; {stop}; n = n->next) {sum} += n->value;"
        ));
        let careless = wrong && stop == "n";
        self.line(&format!("while ({head}) {{ struct node *n = {head};"));
        self.line(&match careless {
            true => format!("  free(n); {head} = n->next; }}"),
            false => format!("  {head} = n->next; free(n); }}"),
        });
    }

    /// One of the errors that are not an index.
    fn plant(&mut self) {
        let heap: Vec<usize> = self.live(true);
        match (self.random.below(6), heap.first().copied()) {
            (0, Some(which)) => {
                self.free(which);
                let name = self.buffers[which].name.clone();
                self.line(&format!("{name}[0] = 3;"));
            }
            (1, Some(which)) => {
                self.free(which);
                self.free(which);
            }
            (2, Some(which)) => {
                let name = self.buffers[which].name.clone();
                self.line(&format!("free({name} + same(1));"));
            }
            (3, _) => self.line("free(global_text);"),
            (4, _) => {
                let pointer = self.name();
                self.line(&format!("int *{pointer}; {{ int inner = 4; {pointer} = &inner; }}"));
                self.line(&format!("*{pointer} = 5;"));
            }
            _ => {
                let pointer = self.name();
                self.line(&format!("struct node *{pointer} = same(0) ? malloc(24) : 0;"));
                self.line(&format!("{pointer}->value = 1;"));
            }
        }
    }

    fn live(&self, heap: bool) -> Vec<usize> {
        let wanted = |b: &Buffer| b.is_live && (b.is_heap || !heap);
        (0..self.buffers.len()).filter(|&i| wanted(&self.buffers[i])).collect()
    }
}

fn case(seed: u64) -> Case {
    let mut maker =
        Maker { random: Random::new(seed), text: String::new(), buffers: Vec::new(), names: 0 };
    maker.line(&format!("// {seed}"));
    maker.new_buffer();
    maker.new_buffer();
    let steps = 2 + maker.random.below(5);
    let error_at = if maker.random.once_in(2) { maker.random.below(steps) } else { usize::MAX };
    for step in 0..steps {
        let wrong = step == error_at;
        let live = maker.live(false);
        let which = live.get(maker.random.below(live.len())).copied();
        match (maker.random.below(7), which) {
            (0, _) => maker.list(wrong),
            (1, _) if wrong => maker.plant(),
            (1, Some(which)) if maker.buffers[which].is_heap => maker.free(which),
            (2, _) => maker.new_buffer(),
            (_, Some(which)) => maker.access(which, wrong),
            (_, None) => maker.new_buffer(),
        }
    }
    // What is left is freed, but for one buffer now and then.
    let kept = maker.random.once_in(3);
    let left = maker.live(true);
    for &which in left.iter().skip(usize::from(kept)) {
        maker.free(which);
    }
    Case { text: maker.text, leaks: kept && !left.is_empty() }
}

/// The rule that the sanitizer's report speaks of; `None` for a clean run.
fn native(program: &Path, index: usize) -> Option<&'static str> {
    let output = Command::new(program)
        .arg(index.to_string())
        .env("ASAN_OPTIONS", "detect_leaks=0:detect_stack_use_after_return=1")
        .output()
        .expect("the program runs");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    if output.status.success() {
        return None;
    }
    let kinds = [
        ("use-after", "use-after-free"),
        ("attempting double-free", "double-free"),
        ("attempting free on address", "invalid-free"),
        ("buffer-overflow", "out-of-bounds"),
        ("buffer-underflow", "out-of-bounds"),
        ("SEGV on unknown address 0x0000000", "null-deref"),
    ];
    let kind = kinds.iter().find(|(text, _)| said.contains(text));
    Some(kind.unwrap_or_else(|| panic!("case {index}: {said}")).1)
}

/// The verdict on one case, and the rules that are violated.
fn verdict(dir: &Path, index: usize, rules: &str) -> (String, Vec<String>) {
    let report = dir.join("r.json");
    let output = Command::new(env!("CARGO_BIN_EXE_cegas-scan"))
        .args(["-q", "--timeout=20", "--rules", rules, "--entry"])
        .arg(format!("case_{index}"))
        .arg("--json")
        .args([&report, &dir.join("batch.c")])
        .env("XDG_CACHE_HOME", dir)
        .output()
        .expect("the tool runs");
    let json = std::fs::read_to_string(&report).unwrap_or_else(|_| panic!("{output:?}"));
    let json: serde_json::Value = serde_json::from_str(&json).expect("a report is JSON");
    let obligations = json["obligations"].as_array().expect("obligations");
    let violated = obligations.iter().filter(|o| o["verdict"] == "unsafe");
    let rules = violated.map(|o| o["rule"].as_str().unwrap_or_default().to_owned()).collect();
    (json["verdict"].as_str().unwrap_or_default().to_owned(), rules)
}

#[test]
fn memory_errors_are_those_of_executions() {
    let count = std::env::var("CEGAS_MEMORY_DIFFERENTIAL").ok().and_then(|n| n.parse().ok());
    let count: usize = count.unwrap_or(80);
    let dir = tempfile::tempdir().expect("a temporary folder");
    let dir = dir.path();
    let mut wrong = Vec::new();
    let mut decided = 0;
    for first in (0..count).step_by(80) {
        let cases: Vec<Case> = (first..count.min(first + 80)).map(|n| case(n as u64)).collect();
        let mut text = PRELUDE.to_owned();
        for (index, case) in cases.iter().enumerate() {
            let _ = write!(text, "void case_{index}(void) {{\n{}}}\n", case.text);
        }
        text += "int main(int argc, char **argv) {\n  switch (atoi(argv[1])) {\n";
        for index in 0..cases.len() {
            let _ = writeln!(text, "  case {index}: case_{index}(); break;");
        }
        text += "  }\n  return 0;\n}\n";
        let source = dir.join("batch.c");
        std::fs::write(&source, text).expect("a file");
        let program = dir.join("batch");
        let flags = ["-w", "-O0", "-g", "-fsanitize=address", "-o"];
        let built = Command::new("clang-19").args(flags).args([&program, &source]).output();
        let built = built.expect("clang-19 runs");
        let said = String::from_utf8_lossy(&built.stderr);
        assert!(built.status.success(), "`make test` installs what this needs: {said}");
        for (index, case) in cases.iter().enumerate() {
            let real = native(&program, index);
            let (told, rules) = verdict(dir, index, RULES);
            let agrees = match (told.as_str(), real) {
                ("safe", None) => true,
                ("unsafe", Some(rule)) => rules.iter().any(|found| found == rule),
                ("unknown", _) => continue,
                _ => false,
            };
            decided += 1;
            if !agrees {
                wrong.push(format!("{told} {rules:?}, really {real:?}:\n{}", case.text));
            }
            if real.is_none() {
                let (told, _) = verdict(dir, index, "leak");
                let real = if case.leaks { "unsafe" } else { "safe" };
                if told != real && told != "unknown" {
                    wrong.push(format!("leak: {told}, really {real}:\n{}", case.text));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}\n{} disagreements", wrong.join("\n"), wrong.len());
    assert!(decided * 10 >= count * 9, "only {decided} of {count} decided");
}
