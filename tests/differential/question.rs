//! What the tool is asked: a file of one or more programs, each followed by an assertion whose verdict
//! the real executions have settled.

use crate::generate::{Mode, PRELUDE, Program};
use crate::random::Random;
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

/// A file and what is true of its assertions.
#[derive(Debug)]
pub struct Question {
    pub name: String,
    pub text: String,
    /// Whether the assertion on each line holds.
    pub holds: BTreeMap<u64, bool>,
}

/// What came out for an assertion.
#[derive(Debug)]
pub enum Outcome {
    Right,
    Unknown(String),
    Wrong { line: u64, verdict: String },
}

const HEAD: &str = "#include <assert.h>\nunsigned char __VERIFIER_nondet_uchar(void);\n\
int __VERIFIER_nondet_int(void);\nvoid __VERIFIER_assume(int);\n";

/// Asks about `programs` in one file. Only the last assertion may fail: nothing lies behind it.
pub fn about(random: &mut Random, programs: &[(Program, Vec<u64>)]) -> Question {
    let mut text = format!("{HEAD}{PRELUDE}");
    for (program, _) in programs {
        text.push_str(&program.text);
    }
    text.push_str("int main(void) {\n");
    let mut holds = BTreeMap::new();
    for (index, (program, values)) in programs.iter().enumerate() {
        let is_last = index + 1 == programs.len();
        let (before, condition, truth) = claim(random, program, values, is_last);
        text.push_str(&format!("  {before}assert({condition});\n"));
        holds.insert(text.lines().count() as u64, truth);
    }
    text.push_str("  return 0;\n}\n");
    let first = programs.first().map_or(0, |(program, _)| program.id);
    Question { name: format!("question_{first}"), text, holds }
}

/// The inputs of a program, what is claimed of its checksum, and whether it is so.
fn claim(
    random: &mut Random,
    program: &Program,
    values: &[u64],
    may_fail: bool,
) -> (String, String, bool) {
    let (id, fail) = (program.id, may_fail && random.once_in(2));
    let Mode::Inputs { a_max, b_max } = program.mode else {
        let value = if fail { values[0] ^ (1 << random.below(64)) } else { values[0] };
        return (String::new(), format!("test_{id}() == {value}ull"), !fail);
    };
    let inputs = format!(
        "unsigned char a = __VERIFIER_nondet_uchar(); int b = __VERIFIER_nondet_int(); \
         __VERIFIER_assume(a <= {a_max}); __VERIFIER_assume(b >= -{b_max} && b <= {b_max}); "
    );
    let mask = *random.pick(&[7, 31, 255, u64::MAX]);
    let hit = |value: u64| values.iter().any(|&v| v & mask == value);
    let wanted = random.pick(values) & mask;
    let value = if fail {
        wanted
    } else {
        let near = (0..64).map(|bit| wanted ^ (1u64 << bit)).filter(|v| v & !mask == 0);
        near.into_iter().find(|&v| !hit(v)).unwrap_or(wanted)
    };
    (inputs, format!("(test_{id}(a, b) & {mask}ull) != {value}ull"), !hit(value))
}

/// Scans the file with one of the engines and compares.
pub fn ask(dir: &Path, question: &Question, engine: &str) -> Vec<Outcome> {
    let file = dir.join(format!("{}.c", question.name));
    let report = dir.join(format!("{}.json", question.name));
    std::fs::write(&file, &question.text).expect("a file");
    let output = Command::new(env!("CARGO_BIN_EXE_cegas-scan"))
        .args(["--no-cache", "-q", "-j", "1", "--rules", "assertion", "--timeout", "5", "--json"])
        .args([&report, &file])
        .args(["--engine", engine])
        .output()
        .expect("the tool runs");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let json = std::fs::read_to_string(&report).unwrap_or_else(|_| panic!("no report: {said}"));
    let json: serde_json::Value = serde_json::from_str(&json).expect("a report is JSON");
    let mut outcomes = Vec::new();
    let mut open = question.holds.clone();
    for obligation in json["obligations"].as_array().expect("obligations") {
        let line = obligation["location"]["line"].as_u64().unwrap_or(0);
        let verdict = obligation["verdict"].as_str().unwrap_or("none").to_owned();
        let Some(holds) = open.remove(&line) else {
            outcomes.push(Outcome::Wrong { line, verdict: format!("{verdict}, unasked") });
            continue;
        };
        outcomes.push(match (verdict.as_str(), holds) {
            ("unknown", _) => {
                let reason = obligation["reason"].to_string();
                let is_wrong = reason.contains("engines disagree");
                if is_wrong {
                    Outcome::Wrong { line, verdict: reason }
                } else {
                    Outcome::Unknown(reason)
                }
            }
            ("safe", true) | ("unsafe", false) => Outcome::Right,
            _ => Outcome::Wrong { line, verdict },
        });
    }
    outcomes.extend(open.keys().map(|&line| Outcome::Wrong { line, verdict: "none".into() }));
    outcomes
}
