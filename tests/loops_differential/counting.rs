//! Loops that turn often and mostly count, in each other and left in the middle: what a whole execution computes is known
//! from running it, so each claim about it is right or wrong. Many turns are taken at once here, and a proof of a
//! wrong claim would be one of turns that were not all taken.
//!
//! Invariants: arithmetic is unsigned; every loop has a counter of its own that only it changes.

use crate::random::Random;
use std::fmt::Write;
use std::path::Path;
use std::process::Command;

const TYPES: &[&str] = &["unsigned", "unsigned char", "unsigned short", "unsigned long"];

/// How often a loop turns at most, by how deep it lies in others.
const TURNS: &[&[u32]] = &[&[70, 300, 5000, 20_000], &[1, 2, 3, 40], &[1, 2, 3]];

pub struct Counting {
    pub id: usize,
    /// What stands outside of the function, and its body.
    outside: String,
    body: String,
    /// The names of its variables.
    names: Vec<String>,
}

pub fn program(random: &mut Random, id: usize) -> Counting {
    let mut counting = Counting { id, outside: String::new(), body: String::new(), names: vec![] };
    for number in 0..2 + random.below(3) {
        let name = format!("v{number}_{id}");
        let (ty, start) = (random.pick(TYPES), constant(random));
        if random.once_in(4) {
            let _ = writeln!(counting.outside, "static {ty} {name} = {start};");
        } else {
            let _ = writeln!(counting.body, "  {ty} {name} = {start};");
        }
        counting.names.push(name);
    }
    let mut loops = 0;
    for _ in 0..1 + random.below(2) {
        counting.turns(random, 0, &mut loops);
    }
    counting
}

fn constant(random: &mut Random) -> u32 {
    *random.pick(&[0, 1, 2, 3, 5, 7, 10, 63, 100, 127, 255, 256, 1000, 65_535])
}

impl Counting {
    /// A loop.
    fn turns(&mut self, random: &mut Random, depth: usize, loops: &mut usize) {
        *loops += 1;
        let counter = format!("i{loops}");
        let (most, step) = (random.pick(TURNS[depth]), 1 + random.below(3));
        let indent = "  ".repeat(depth + 1);
        let is_last = random.once_in(3);
        let head = match is_last {
            true => format!("{{ unsigned {counter} = 0; do {{"),
            false => {
                format!("for (unsigned {counter} = 0; {counter} < {most}; {counter} += {step}) {{")
            }
        };
        let _ = writeln!(self.body, "{indent}{head}");
        for _ in 0..1 + random.below(4) {
            match random.below(10) {
                0 | 1 if depth + 1 < TURNS.len() => self.turns(random, depth + 1, loops),
                2 => self.line(random, &indent, "break;"),
                3 => self.line(random, &indent, "continue;"),
                4 => {
                    let change = self.change(random);
                    self.line(random, &indent, &change);
                }
                _ => {
                    let change = self.change(random);
                    let _ = writeln!(self.body, "{indent}  {change}");
                }
            }
        }
        let tail = match is_last {
            true => format!("}} while (({counter} += {step}) < {most}); }}"),
            false => "}".to_owned(),
        };
        let _ = writeln!(self.body, "{indent}{tail}");
    }

    /// Something that is done under a condition.
    fn line(&mut self, random: &mut Random, indent: &str, what: &str) {
        let a = random.pick(&self.names).clone();
        let b = match random.once_in(3) {
            true => random.pick(&self.names).clone(),
            false => constant(random).to_string(),
        };
        let op = random.pick(&["<", ">", "<=", ">=", "!=", "=="]);
        let _ = writeln!(self.body, "{indent}  if ({a} {op} {b}) {what}");
    }

    fn change(&self, random: &mut Random) -> String {
        let name = random.pick(&self.names);
        match random.below(8) {
            0 => format!("{name} = {};", random.pick(&self.names)),
            1 => format!("{name} ^= {};", 1 + random.below(3)),
            2 => format!("{name} = {};", constant(random)),
            3 | 4 => format!("{name} -= {};", 1 + random.below(5)),
            _ => format!("{name} += {};", random.pick(&[1, 2, 3, 5, 7, 100])),
        }
    }

    /// What an execution of each computes, by variable.
    pub fn results(dir: &Path, programs: &[Counting]) -> Vec<Vec<u64>> {
        let mut text = "#include <stdio.h>\n".to_owned();
        for Counting { id, outside, body, names } in programs {
            let _ = write!(text, "{outside}static void run_{id}(void) {{\n{body}");
            for name in names {
                let _ = writeln!(text, "  printf(\"%lu \", (unsigned long){name});");
            }
            text += "  printf(\"\\n\");\n}\n";
        }
        text += "int main(void) {\n";
        programs.iter().for_each(|p| text += &format!("  run_{}();\n", p.id));
        text += "  return 0;\n}\n";
        let (source, program) = (dir.join("counting.c"), dir.join("counting"));
        std::fs::write(&source, text).expect("a file");
        let mut clang = Command::new("clang-19");
        let built = clang.args(["-w", "-O1", "-o"]).arg(&program).arg(&source).output();
        let built = built.expect("clang-19 runs");
        assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
        let run = Command::new(&program).output().expect("the programs run");
        let numbers = |line: &str| line.split(' ').flat_map(str::parse).collect();
        String::from_utf8_lossy(&run.stdout).lines().map(numbers).collect()
    }

    /// The program with a claim about each variable; the lines of the claims.
    pub fn claiming(&self, values: &[u64]) -> (String, Vec<u64>) {
        let Counting { outside, body, names, .. } = self;
        let mut text = format!("void __VERIFIER_assert(int);\n{outside}int main(void) {{\n{body}");
        let mut lines = Vec::new();
        for (name, value) in names.iter().zip(values) {
            lines.push(text.lines().count() as u64 + 1);
            let _ = writeln!(text, "  __VERIFIER_assert({name} == {value}ul);");
        }
        (text + "  return 0;\n}\n", lines)
    }
}
