//! Proofs that somebody has tampered with: states in which a condition is added, lost or changed. Some say still what is
//! true. But the checker must not accept a claim that an execution breaks, whatever the states say.

use crate::generate::Program;
use crate::random::Random;

/// The lines of the states with something changed, in one of many ways.
pub fn tampered(random: &mut Random, witness: &str) -> Option<String> {
    let mut lines: Vec<String> = witness.lines().map(str::to_owned).collect();
    let first = lines.iter().position(|line| line.trim() == "- states: |")? + 1;
    let is_said = |(at, line): &(usize, &String)| *at >= first && line.starts_with("      ");
    let said = |lines: &[String], word: &str| -> Vec<usize> {
        let own = lines.iter().enumerate().filter(is_said);
        own.filter(|(_, line)| line.trim().starts_with(word)).map(|(at, _)| at).collect()
    };
    let states = said(&lines, "state");
    let terms = said(&lines, "t").into_iter().filter(|&at| lines[at].contains(" = "));
    let terms: Vec<usize> = terms.collect();
    let next = terms.len();
    match random.below(10) {
        // There is no such state; or more is said of it than holds.
        way @ 0..=2 => {
            let state = *pick(random, &states)?;
            let (a, b) = (random.below(next.max(1)), random.below(next.max(1)));
            let new = match way {
                0 => format!("      t{next} = const 1 0"),
                1 => format!("      t{next} = eq t{a} t{b}"),
                _ => format!("      t{next} = slt t{a} t{b}"),
            };
            // Behind the whole state: expressions may stand anywhere.
            let end = states.iter().copied().find(|&at| at > state);
            let end = end.unwrap_or_else(|| {
                let behind = |at: &usize| !lines[*at].starts_with("      ");
                (state..lines.len()).find(behind).unwrap_or(lines.len())
            });
            lines.insert(end, format!("      holds t{next}"));
            lines.insert(terms.last()? + 1, new);
        }
        // A number is another one.
        3 | 4 => {
            let consts: Vec<usize> =
                terms.into_iter().filter(|&at| lines[at].contains("= const")).collect();
            let at = *pick(random, &consts)?;
            let (rest, number) = lines[at].rsplit_once(' ')?;
            let number: u128 = number.parse().ok()?;
            let by = 1 + random.below(3) as u128;
            let new = if random.once_in(2) { number + by } else { number.saturating_sub(by) };
            lines[at] = format!("{rest} {new}");
        }
        // Something is not said.
        5 => {
            let all: Vec<usize> =
                ["cell", "holds", "value", "list", "array", "object", "last-read", "local"]
                    .iter()
                    .flat_map(|word| said(&lines, word))
                    .collect();
            lines.remove(*pick(random, &all)?);
        }
        // Two operands have changed places, or a comparison holds where it did not.
        6 => {
            let order: Vec<usize> = terms
                .into_iter()
                .filter(|&at| ["= slt", "= ult"].iter().any(|op| lines[at].contains(op)))
                .collect();
            let at = *pick(random, &order)?;
            let words: Vec<String> = lines[at].split_whitespace().map(str::to_owned).collect();
            let [name, _, op, a, b] = &words[..] else { return None };
            lines[at] = format!("      {name} = {op} {b} {a}");
        }
        // Lists are never empty, or demands are judged later.
        7 => {
            let lists = said(&lines, "list");
            let turns = said(&lines, "turns");
            match pick(random, &lists) {
                Some(&at) => lines[at] = lines[at].replace(" any ", " some "),
                None => lines[*pick(random, &turns)?] = format!("      turns {}", random.below(4)),
            }
        }
        // A value is that of another variable, or a cell holds it.
        8 => {
            let mut all = said(&lines, "value");
            all.extend(said(&lines, "cell"));
            let at = *pick(random, &all)?;
            let (rest, _) = lines[at].rsplit_once(' ')?;
            lines[at] = format!("{rest} t{}", random.below(next.max(1)));
        }
        // A function promises more.
        _ => {
            let after = said(&lines, "after");
            let at = *pick(random, &after)?;
            let (a, b) = (random.below(next.max(1)), random.below(next.max(1)));
            lines[at] = format!("{} t{next}", lines[at]);
            let new = match random.below(2) {
                0 => format!("      t{next} = const 1 0"),
                _ => format!("      t{next} = eq t{a} t{b}"),
            };
            lines.insert(terms.last()? + 1, new);
        }
    }
    Some(lines.join("\n") + "\n")
}

fn pick<'t, T>(random: &mut Random, from: &'t [T]) -> Option<&'t T> {
    (!from.is_empty()).then(|| &from[random.below(from.len())])
}

/// What became of the claims of some programs.
#[derive(Debug, Default)]
pub struct Tally {
    /// Claims that were proved, and those of them that the checker accepts as they are.
    pub proved: usize,
    pub accepted: usize,
    /// Files that were changed, and claims that are accepted by them.
    pub files: usize,
    pub survived: usize,
    /// Claims that fail, of the programs with a proof of something.
    pub broken: usize,
    pub wrong: Vec<String>,
}

impl Tally {
    pub fn add(&mut self, other: Tally) {
        self.proved += other.proved;
        self.accepted += other.accepted;
        self.files += other.files;
        self.survived += other.survived;
        self.broken += other.broken;
        self.wrong.extend(other.wrong);
    }

    /// Takes down what the checker says of a program.
    pub fn checked(
        &mut self,
        program: &Program,
        safe: &[u64],
        is_broken: impl Fn(usize) -> bool,
        kept: impl Fn() -> String,
    ) {
        for (claim, line) in program.claims.iter().enumerate() {
            if safe.contains(line) {
                self.survived += 1;
                if is_broken(claim) {
                    self.wrong.push(format!("{}:{line}: accepted", kept()));
                }
            }
        }
    }
}
