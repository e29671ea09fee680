//! What real executions say: many programs compiled into one file, run one by one. A program that a
//! sanitizer stops, or that differs between optimisation levels, has no answer.

use crate::generate::{Mode, PRELUDE, Program};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

/// Undefined behaviour traps; this needs no library of the compiler's.
const CHECKED: &[&str] = &["-O0", "-fsanitize=undefined", "-fsanitize-trap=all"];

/// Only where the compiler's libraries are installed.
const ADDRESSES: &str = "-fsanitize=address";

/// The checksums of each program, one for every combination of inputs; `None` where there is no answer.
pub fn results(dir: &Path, programs: &[Program]) -> Vec<Option<Vec<u64>>> {
    let source = dir.join("batch.c");
    fs::write(&source, batch(programs)).expect("a file");
    let mut flags = CHECKED.to_vec();
    if has_address_sanitizer(dir) {
        flags.push(ADDRESSES);
    }
    let checked = run(dir, &source, "checked", &flags);
    let fast = run(dir, &source, "fast", &["-O2"]);
    let answer = |program: &Program| {
        let answer = checked.get(&program.id)?;
        let count = combinations(program.mode);
        (fast.get(&program.id) == Some(answer) && answer.len() == count).then(|| answer.clone())
    };
    programs.iter().map(answer).collect()
}

pub fn has_address_sanitizer(dir: &Path) -> bool {
    let source = dir.join("probe.c");
    fs::write(&source, "int main(void) { return 0; }\n").expect("a file");
    compile(&source, &dir.join("probe"), &[ADDRESSES]).is_ok()
}

/// What the compiler says if it fails.
pub fn compile(source: &Path, program: &Path, flags: &[&str]) -> Result<(), String> {
    let mut compiler = Command::new("clang-19");
    let output = compiler.args(["-w", "-o"]).arg(program).args(flags).arg(source).output();
    let output = output.expect("clang-19 runs");
    if output.status.success() {
        return Ok(());
    }
    Err(String::from_utf8_lossy(&output.stderr).into_owned())
}

/// Every run is a process of its own: statics are fresh, and one that is stopped stops no other.
fn batch(programs: &[Program]) -> String {
    let mut text =
        format!("#include <stdio.h>\n#include <unistd.h>\n#include <sys/wait.h>\n{PRELUDE}");
    for program in programs {
        text.push_str(&program.text);
    }
    text.push_str(
        "#define RUN(id, call) do { fflush(stdout); if (!fork()) { printf(\"%d %llu\\n\", id, call); \
         fflush(stdout); _exit(0); } wait(0); } while (0)\nint main(void) {\n",
    );
    for program in programs {
        let id = program.id;
        text.push_str(&match program.mode {
            Mode::Fixed => format!("  RUN({id}, test_{id}());\n"),
            Mode::Inputs { a_max, b_max } => format!(
                "  for (int a = 0; a <= {a_max}; a++) for (int b = -{b_max}; b <= {b_max}; b++) \
                 RUN({id}, test_{id}(a, b));\n"
            ),
        });
    }
    text.push_str("  return 0;\n}\n");
    text
}

fn combinations(mode: Mode) -> usize {
    match mode {
        Mode::Fixed => 1,
        Mode::Inputs { a_max, b_max } => ((a_max + 1) * (2 * b_max + 1)) as usize,
    }
}

/// What the programs print, by program.
fn run(dir: &Path, source: &Path, name: &str, flags: &[&str]) -> BTreeMap<usize, Vec<u64>> {
    let program = dir.join(name);
    if let Err(said) = compile(source, &program, flags) {
        panic!("a generated program does not compile:\n{said}");
    }
    let output = Command::new(&program).output().expect("the programs run");
    let mut results: BTreeMap<usize, Vec<u64>> = BTreeMap::new();
    for line in String::from_utf8_lossy(&output.stdout).lines() {
        let mut words = line.split(' ').map_while(|word| word.parse::<u64>().ok());
        if let (Some(id), Some(value)) = (words.next(), words.next()) {
            results.entry(id as usize).or_default().push(value);
        }
    }
    results
}
