//! Csmith's programs, where it is installed: their checksum becomes an assertion.

use crate::Tally;
use crate::native;
use crate::question::Question;
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

const HEADERS: &str = "/usr/include/csmith";

const SMALL: &[&str] = &[
    "--max-funcs",
    "3",
    "--max-block-depth",
    "2",
    "--max-block-size",
    "3",
    "--max-expr-complexity",
    "4",
    "--max-array-dim",
    "2",
    "--max-array-len-per-dim",
    "4",
    "--no-argc",
    "--no-volatiles",
];

/// It leaves a file behind where it runs, even if it only tells its version.
fn csmith(dir: &Path) -> Command {
    let mut csmith = Command::new("csmith");
    csmith.current_dir(dir);
    csmith
}

#[test]
fn csmith_agrees() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let is_there = csmith(dir.path()).arg("--version").output().is_ok();
    if !is_there || !Path::new(HEADERS).exists() {
        println!(
            "skipped: csmith or its headers are not installed (packages csmith, libcsmith-dev)"
        );
        return;
    }
    let count = crate::number("CEGAS_DIFFERENTIAL", 300) / 15;
    let first = crate::number("CEGAS_DIFFERENTIAL_SEED", 1) * 100_000;
    let mut tally = Tally::default();
    let questions: Vec<Question> = (first..first + count)
        .filter_map(|seed| {
            tally.programs += 1;
            let question = question(dir.path(), seed);
            tally.discarded += usize::from(question.is_none());
            question
        })
        .collect();
    crate::ask_all(dir.path(), &questions, "auto", &mut tally);
    tally.print("csmith");
    assert!(tally.wrong.is_empty(), "wrong verdicts:\n{}", tally.wrong.join("\n"));
}

/// A program with its checksum claimed; of every third the claim is wrong.
fn question(dir: &Path, seed: u64) -> Option<Question> {
    let output = csmith(dir).args(SMALL).args(["--seed", &seed.to_string()]).output();
    let text = String::from_utf8(output.ok()?.stdout).ok()?;
    let native = dir.join("csmith.c");
    std::fs::write(&native, &text).ok()?;
    let checked = checksum(dir, &native, &["-O0", "-fsanitize=undefined", "-fsanitize-trap=all"])?;
    if checksum(dir, &native, &["-O2"])? != checked {
        return None;
    }
    let holds = !seed.is_multiple_of(3);
    let claimed = if holds { checked } else { checked ^ 1 };
    // The macro at the end prints the checksum; it is claimed instead.
    let print = text.lines().position(|line| line.contains("platform_main_end("))?;
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    lines[print] = format!("    assert((crc32_context ^ 0xFFFFFFFFUL) == {claimed}u);");
    lines.insert(0, "#include <assert.h>".to_owned());
    let holds = BTreeMap::from([(print as u64 + 2, holds)]);
    let text = lines.join("\n").replace("\"csmith.h\"", &format!("\"{HEADERS}/csmith.h\""));
    Some(Question { name: format!("csmith_{seed}"), text, holds })
}

fn checksum(dir: &Path, source: &Path, flags: &[&str]) -> Option<u32> {
    let program = dir.join("csmith");
    native::compile(source, &program, &[&["-I", HEADERS], flags].concat()).ok()?;
    let output = Command::new("timeout").arg("5").arg(&program).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    let digits = text.trim().strip_prefix("checksum = ")?;
    u32::from_str_radix(digits, 16).ok().filter(|_| output.status.success())
}
