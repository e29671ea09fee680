//! Real executions: which claims fail when a program is run with many inputs.

use crate::generate::{Program, TASK};
use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::Path;
use std::process::Command;

/// Executions of each program.
const RUNS: usize = 400;

/// The claims, by program and number, that some execution breaks before any other.
pub fn broken(dir: &Path, programs: &[Program]) -> BTreeSet<(usize, usize)> {
    let source = dir.join("batch.c");
    let program = dir.join("batch");
    std::fs::write(&source, batch(programs)).expect("a file");
    let output = Command::new("clang-19")
        .args(["-w", "-O1", "-o"])
        .arg(&program)
        .arg(&source)
        .output()
        .expect("clang-19 runs");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "a generated program does not compile:\n{said}");
    let output = Command::new(&program).output().expect("the programs run");
    assert!(output.status.success(), "a generated program crashes");
    let lines = String::from_utf8_lossy(&output.stdout).into_owned();
    let pair = |line: &str| {
        let mut words = line.split(' ').map_while(|word| word.parse().ok());
        Some((words.next()?, words.next()?))
    };
    lines.lines().filter_map(pair).collect()
}

/// All programs in one file; a claim that fails ends its execution.
fn batch(programs: &[Program]) -> String {
    let mut text = String::from(
        "#include <setjmp.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n\
         static jmp_buf out;\nstatic unsigned long long seed;\nstatic int style, program;\nstatic unsigned long used, asked;\n\
         static unsigned next(void) { seed = seed * 6364136223846793005ull + 1442695040888963407ull; \
         return (unsigned)(seed >> 33); }\n\
         unsigned __VERIFIER_nondet_uint(void) { unsigned v = next(); if (++asked > 5000) longjmp(out, 1); \
         switch (style % 5) { case 0: return v % 3; case 1: return v % 12; case 2: return v % 70; \
         case 3: return v % 4 ? v % 9 : v % 1500; default: return v % 2 ? v % 300 : v % 5; } }\n\
         static char nodes[1 << 20];\n\
         static void *taken(unsigned long n) { \
         if (used + 64 > sizeof nodes) longjmp(out, 1); used += 64; return nodes + used - 64; }\n\
         static void claim(int number, int holds) { \
         if (!holds) { printf(\"%d %d\\n\", program, number); longjmp(out, 1); } }\n",
    );
    for program in programs {
        let inside = program.text.split_once(TASK).map_or("", |(_, inside)| inside);
        let mut inside =
            inside.replace("int main(void)", &format!("int main_{}(void)", program.id));
        for claim in 0..program.claims.len() {
            let call = format!("__VERIFIER_assert(/*{claim}*/ ");
            inside = inside.replace(&call, &format!("claim({claim}, "));
        }
        // What is never freed goes with its execution.
        if !inside.contains("free(") {
            inside = inside.replace("malloc(", "taken(");
        }
        for name in ["push", "struct node", "rec_f", "rec_g", "cell"] {
            inside = inside.replace(name, &format!("{name}_{}", program.id));
        }
        text.push_str(&inside);
    }
    text.push_str("int main(void) {\n");
    for program in programs {
        let id = program.id;
        let _ = writeln!(
            text,
            "  program = {id}; for (style = 0; style < {RUNS}; style++) {{ \
             seed = style * 7919ull + {id}; used = asked = 0; if (!setjmp(out)) main_{id}(); }}"
        );
    }
    text.push_str("  return 0;\n}\n");
    text
}
