//! The tool against real executions: random programs without undefined behaviour are run, what they
//! compute becomes an assertion, and the verdict must not contradict the run. `unknown` never does.
//!
//! `CEGAS_DIFFERENTIAL=20000 cargo test --release --test differential -- --nocapture` asks about more
//! programs than the usual 300, `CEGAS_DIFFERENTIAL_SEED=7` about others. A file that was judged wrongly
//! stays in `target/differential/`.

mod csmith;
mod generate;
mod native;
mod pieces;
mod question;
mod random;

use generate::{Mode, Program};
use question::{Outcome, Question};
use random::Random;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Programs compiled together.
const BATCH: usize = 50;
/// Programs without inputs asked about in one file.
const TOGETHER: usize = 4;
/// Scans at one time.
const THREADS: usize = 2;

/// What all questions came to.
#[derive(Debug, Default)]
pub struct Tally {
    programs: usize,
    discarded: usize,
    right: usize,
    unknown: BTreeMap<String, usize>,
    wrong: Vec<String>,
}

impl Tally {
    fn add(&mut self, question: &Question, outcomes: Vec<Outcome>) {
        for outcome in outcomes {
            match outcome {
                Outcome::Right => self.right += 1,
                Outcome::Unknown(why) => *self.unknown.entry(why).or_default() += 1,
                Outcome::Wrong { line, verdict } => {
                    let kept = keep(question);
                    self.wrong.push(format!("{}:{line}: {verdict}", kept.display()));
                }
            }
        }
    }

    fn print(&self, what: &str) {
        let unknown: usize = self.unknown.values().sum();
        println!(
            "{what}: {} programs, {} discarded, {} right, {unknown} unknown, {} wrong",
            self.programs,
            self.discarded,
            self.right,
            self.wrong.len()
        );
        let mut reasons: Vec<_> = self.unknown.iter().collect();
        reasons.sort_by_key(|&(why, count)| (std::cmp::Reverse(*count), why));
        for (why, count) in reasons.into_iter().take(12) {
            println!("  {count} {why}");
        }
    }
}

/// Keeps the file for whoever looks into it.
fn keep(question: &Question) -> PathBuf {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).with_file_name("differential");
    std::fs::create_dir_all(&dir).expect("a folder");
    let path = dir.join(format!("{}.c", question.name));
    std::fs::write(&path, &question.text).expect("a file");
    path
}

fn number(name: &str, otherwise: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(otherwise)
}

/// Asks all questions, on a few threads; the answers come in the questions' order.
fn ask_all(dir: &Path, questions: &[Question], engine: &str, tally: &mut Tally) {
    let next = AtomicUsize::new(0);
    let answers = Mutex::new(BTreeMap::new());
    std::thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| {
                while let Some((index, question)) = {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    questions.get(index).map(|question| (index, question))
                } {
                    let outcomes = question::ask(dir, question, engine);
                    answers.lock().expect("no thread failed").insert(index, outcomes);
                }
            });
        }
    });
    for (index, outcomes) in answers.into_inner().expect("no thread failed") {
        tally.add(&questions[index], outcomes);
    }
}

fn mode(random: &mut Random) -> Mode {
    if random.once_in(3) {
        Mode::Inputs { a_max: 1 + random.below(6) as u32, b_max: 1 + random.below(3) as u32 }
    } else {
        Mode::Fixed
    }
}

#[test]
fn verdicts_agree_with_executions() {
    let tally = compare("auto", number("CEGAS_DIFFERENTIAL", 300) as usize);
    assert!(tally.right * 2 > tally.programs, "too few answers to mean anything: {tally:?}");
}

/// Abstraction refinement, which proves by what it does not know, and the enumeration of paths.
#[test]
fn other_engines_agree_with_executions() {
    let count = number("CEGAS_DIFFERENTIAL", 300) as usize / 6;
    let refined = compare("cegas", count);
    assert!(refined.right * 2 > refined.programs, "too few answers to mean anything: {refined:?}");
    let enumerated = compare("sse", count / 2);
    assert!(enumerated.right > 0, "no answers: {enumerated:?}");
}

/// Asks an engine about so many programs.
fn compare(engine: &str, count: usize) -> Tally {
    let seed = number("CEGAS_DIFFERENTIAL_SEED", 1);
    let mut random = Random::new(seed);
    let dir = tempfile::tempdir().expect("a temporary folder");
    let mut tally = Tally::default();
    for start in (0..count).step_by(BATCH) {
        let ids = start..(start + BATCH).min(count);
        let programs: Vec<Program> = ids
            .map(|id| {
                let mode = mode(&mut random);
                generate::program(random.next(), id, mode)
            })
            .collect();
        tally.programs += programs.len();
        let results = native::results(dir.path(), &programs);
        tally.discarded += results.iter().filter(|result| result.is_none()).count();
        let answered = programs.into_iter().zip(results).filter_map(|(p, r)| Some((p, r?)));
        let (fixed, inputs): (Vec<_>, Vec<_>) =
            answered.partition(|(program, _)| program.mode == Mode::Fixed);
        let mut questions = Vec::new();
        questions.extend(fixed.chunks(TOGETHER).map(|chunk| question::about(&mut random, chunk)));
        questions.extend(inputs.chunks(1).map(|chunk| question::about(&mut random, chunk)));
        ask_all(dir.path(), &questions, engine, &mut tally);
        if count > 1000 {
            tally.print("so far");
        }
    }
    tally.print(&format!("random programs, {engine}"));
    assert!(tally.wrong.is_empty(), "wrong verdicts:\n{}", tally.wrong.join("\n"));
    tally
}
