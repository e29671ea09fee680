//! Proofs about loops against real executions: random programs whose loops turn as often as inputs say, over
//! numbers, arrays and lists, and functions that call themselves, and programs over nodes that are linked at random or share objects over pointers into arrays, over arrays whose indices inputs choose and over texts, with claims that hold in some executions. What an execution breaks must not be
//! proved. The checker of proofs is asked about the same programs with the invariants that were found: it must
//! not accept a claim that fails, either, and is of use only if it accepts much of what was proved.
//!
//! `CEGAS_LOOPS=20000 cargo test --release --test loops_differential -- --nocapture` asks about more programs
//! than the usual 60, `CEGAS_LOOPS_SEED=7` about others, `CEGAS_LOOPS_SECONDS=0.4` with another time for each than a second. A file that was judged wrongly stays in
//! `target/loops_differential/`.

mod counting;
mod generate;
mod indices;
mod pointers;
#[path = "../differential/random.rs"]
mod random;
mod recursive;
mod runs;
mod shapes;
mod shared;
mod tampered;
mod texts;
mod writer;

use counting::Counting;
use generate::Program;
use random::Random;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Programs compiled together.
const BATCH: usize = 40;

#[derive(Debug, Default)]
struct Tally {
    claims: usize,
    broken: usize,
    proved: usize,
    /// Claims of programs that were proved as a whole, and those of them that the checker accepts.
    given: usize,
    accepted: usize,
    unknown: usize,
    violated: usize,
    wrong: Vec<String>,
}

#[test]
fn what_an_execution_breaks_is_not_proved() {
    let count = number("CEGAS_LOOPS", 60) as usize;
    let mut random = Random::new(number("CEGAS_LOOPS_SEED", 1));
    let dir = tempfile::tempdir().expect("a temporary folder");
    let mut tally = Tally::default();
    for start in (0..count).step_by(BATCH) {
        let ids = start..(start + BATCH).min(count);
        let programs: Vec<Program> = ids.map(|id| generate::program(random.next(), id)).collect();
        let broken = runs::broken(dir.path(), &programs);
        std::thread::scope(|scope| {
            let halves = programs.chunks(programs.len().div_ceil(2));
            let dir = dir.path();
            let broken = &broken;
            let threads: Vec<_> =
                halves.map(|half| scope.spawn(move || judge_all(dir, half, broken))).collect();
            for thread in threads {
                tally.add(thread.join().expect("no thread fails"));
            }
        });
        if count > 1000 {
            println!("so far: {tally:?}");
        }
    }
    println!("{count} programs: {tally:?}");
    assert!(tally.wrong.is_empty(), "wrong verdicts:\n{}", tally.wrong.join("\n"));
    assert!(tally.proved * 10 > tally.claims, "too few proofs to mean anything: {tally:?}");
    assert!(tally.accepted * 3 > tally.given, "too few proofs are accepted: {tally:?}");
    assert!(tally.broken * 10 > tally.claims, "too few claims that fail: {tally:?}");
}

#[test]
fn what_an_execution_breaks_of_a_shape_is_not_proved() {
    judge_shapes("shapes", 80, shapes::program);
}

#[test]
fn what_an_execution_breaks_of_shared_objects_is_not_proved() {
    judge_shapes("shared objects", 60, shared::program);
}

#[test]
fn what_an_execution_breaks_of_pointers_is_not_proved() {
    judge_shapes("pointers", 60, pointers::program);
}

#[test]
fn what_an_execution_breaks_of_texts_is_not_proved() {
    judge_shapes("texts", 60, texts::program);
}

#[test]
fn what_an_execution_breaks_of_indices_is_not_proved() {
    judge_shapes("indices", 60, indices::program);
}

#[test]
fn what_an_execution_breaks_of_recursion_is_not_proved() {
    judge_shapes("recursion", 60, recursive::program);
}

/// Asks about the claims of programs over memory, by proofs only.
fn judge_shapes(kind: &str, usual: u64, generate: fn(u64, usize) -> Program) {
    let count = number("CEGAS_LOOPS", usual) as usize;
    let mut random = Random::new(number("CEGAS_LOOPS_SEED", 1));
    let dir = tempfile::tempdir().expect("a temporary folder");
    let (mut claims, mut proved, mut fail, mut wrong) = (0, 0, 0, Vec::new());
    for start in (0..count).step_by(BATCH) {
        let ids = start..(start + BATCH).min(count);
        let programs: Vec<Program> = ids.map(|id| generate(random.next(), id)).collect();
        let broken = runs::broken(dir.path(), &programs);
        fail += broken.len();
        let safe = |half: &[Program]| -> Vec<BTreeSet<u64>> {
            let ask = |p: &Program| judged(dir.path(), p, &p.text, &["--engine", "proofs"]);
            let safe = |(line, verdict): (u64, String)| (verdict == "safe").then_some(line);
            half.iter().map(|p| ask(p).into_iter().filter_map(safe).collect()).collect()
        };
        let (first, second) = programs.split_at(programs.len() / 2);
        let (mut lines, others) = std::thread::scope(|scope| {
            let others = scope.spawn(|| safe(second));
            (safe(first), others.join().expect("no thread fails"))
        });
        lines.extend(others);
        for (program, safe) in programs.iter().zip(lines) {
            for (claim, line) in program.claims.iter().enumerate() {
                claims += 1;
                proved += usize::from(safe.contains(line));
                if safe.contains(line) && broken.contains(&(program.id, claim)) {
                    wrong.push(format!("{}:{line}", keep(program).display()));
                }
            }
        }
    }
    println!(
        "{count} programs over {kind}: {claims} claims, {proved} proved, {fail} fail, {wrong:?}"
    );
    assert!(wrong.is_empty(), "wrong proofs:\n{}", wrong.join("\n"));
    assert!(proved * 4 > claims, "too few proofs to mean anything: {proved} of {claims}");
    assert!(fail * 10 > claims, "too few claims that fail: {fail} of {claims}");
}

/// The states that proofs rest on, as they are and with changes, given to the checker with all claims.
#[test]
fn what_an_execution_breaks_is_not_accepted_whatever_is_said() {
    type Generate = fn(u64, usize) -> Program;
    let kinds: [Generate; 6] = [
        generate::program,
        shapes::program,
        shared::program,
        pointers::program,
        indices::program,
        recursive::program,
    ];
    let count = number("CEGAS_LOOPS", 40) as usize;
    let mut random = Random::new(number("CEGAS_LOOPS_SEED", 1) + 1000);
    let dir = tempfile::tempdir().expect("a temporary folder");
    let mut tally = tampered::Tally::default();
    for start in (0..count).step_by(BATCH) {
        let ids = start..(start + BATCH).min(count);
        let programs: Vec<(Program, u64)> =
            ids.map(|id| (kinds[id % kinds.len()](random.next(), id), random.next())).collect();
        let (programs, seeds): (Vec<Program>, Vec<u64>) = programs.into_iter().unzip();
        let broken = runs::broken(dir.path(), &programs);
        std::thread::scope(|scope| {
            let half = programs.len().div_ceil(2);
            let (dir, broken) = (dir.path(), &broken);
            let threads: Vec<_> = programs
                .chunks(half)
                .zip(seeds.chunks(half))
                .map(|(programs, seeds)| scope.spawn(move || tamper(dir, programs, seeds, broken)))
                .collect();
            for thread in threads {
                tally.add(thread.join().expect("no thread fails"));
            }
        });
        println!("so far: {tally:?}");
    }
    assert!(tally.wrong.is_empty(), "accepted wrongly:\n{}", tally.wrong.join("\n"));
    assert!(tally.accepted * 10 > tally.proved * 7, "too few proofs are accepted: {tally:?}");
    assert!(tally.files > count, "too few changes to mean anything: {tally:?}");
}

/// Files that are changed for each program.
const CHANGES: u32 = 4;

fn tamper(
    dir: &Path,
    programs: &[Program],
    seeds: &[u64],
    broken: &BTreeSet<(usize, usize)>,
) -> tampered::Tally {
    let mut tally = tampered::Tally::default();
    for (program, seed) in programs.iter().zip(seeds) {
        let mut random = Random::new(*seed);
        let witness = dir.join(format!("tampered_{}.yml", program.id));
        let option = witness.to_str().expect("a plain name");
        let safe = |options: &[&str]| -> Vec<u64> {
            let all = judged(dir, program, &program.text, options).into_iter();
            all.filter(|(_, verdict)| verdict == "safe").map(|(line, _)| line).collect()
        };
        let is_broken = |claim: usize| broken.contains(&(program.id, claim));
        let mut proved = safe(&["--engine", "proofs", "--proofs", option]);
        let text = std::fs::read_to_string(&witness).unwrap_or_default();
        if !text.contains("state_set") {
            continue;
        }
        tally.broken += (0..program.claims.len()).filter(|&claim| is_broken(claim)).count();
        let accepted = safe(&["--check-proofs", option]);
        proved.retain(|line| program.claims.contains(line));
        tally.proved += proved.len();
        tally.accepted += proved.iter().filter(|line| accepted.contains(line)).count();
        let kept = |text: &str| {
            let path = keep(program);
            std::fs::write(path.with_extension("yml"), text).expect("a file");
            path.display().to_string()
        };
        for (claim, line) in program.claims.iter().enumerate() {
            if accepted.contains(line) && is_broken(claim) {
                tally.wrong.push(format!("{}:{line}: accepted as it is", kept(&text)));
            }
        }
        for _ in 0..CHANGES {
            let Some(changed) = tampered::tampered(&mut random, &text) else { continue };
            std::fs::write(&witness, &changed).expect("a file");
            let accepted = safe(&["--check-proofs", option]);
            tally.files += 1;
            tally.checked(program, &accepted, is_broken, || kept(&changed));
        }
    }
    tally
}

/// Of one claim in each program the opposite is asked, half of the time.
#[test]
fn turns_taken_at_once_are_all_taken() {
    let count = number("CEGAS_LOOPS", 120) as usize;
    let mut random = Random::new(number("CEGAS_LOOPS_SEED", 1));
    let dir = tempfile::tempdir().expect("a temporary folder");
    let (mut right, mut unknown, mut wrong) = (0, 0, Vec::new());
    for start in (0..count).step_by(BATCH) {
        let ids = start..(start + BATCH).min(count);
        let programs: Vec<Counting> = ids.map(|id| counting::program(&mut random, id)).collect();
        let results = Counting::results(dir.path(), &programs);
        for (program, mut values) in programs.iter().zip(results) {
            let at = random.below(values.len());
            let is_broken = random.once_in(2);
            values[at] ^= u64::from(is_broken);
            let (text, lines) = program.claiming(&values);
            let asked = Program { id: program.id, text, claims: lines.clone() };
            let verdicts = judged(dir.path(), &asked, &asked.text, &[]);
            for (index, line) in lines.iter().enumerate() {
                // Behind a claim that fails there is no execution.
                let holds = !(is_broken && index == at);
                let told = verdicts.iter().find(|(at, _)| at == line);
                match (told.map(|(_, verdict)| verdict.as_str()), holds) {
                    (Some("safe"), true) | (Some("unsafe"), false) => right += 1,
                    (Some("unknown"), _) => unknown += 1,
                    (other, _) => {
                        wrong.push(format!("{}:{line}: {other:?}", keep(&asked).display()));
                    }
                }
            }
        }
    }
    println!("{count} programs that count: {right} right, {unknown} unknown, {wrong:?} wrong");
    assert!(wrong.is_empty(), "wrong verdicts:\n{}", wrong.join("\n"));
    assert!(right > 4 * unknown, "too few answers to mean anything: {right}, {unknown} unknown");
}

impl Tally {
    fn add(&mut self, other: Tally) {
        self.claims += other.claims;
        self.broken += other.broken;
        self.proved += other.proved;
        self.given += other.given;
        self.accepted += other.accepted;
        self.unknown += other.unknown;
        self.violated += other.violated;
        self.wrong.extend(other.wrong);
    }
}

fn number(name: &str, otherwise: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(otherwise)
}

/// Asks about the claims of some programs: by proofs only, by Algorithm 2 first, and as users do.
fn judge_all(dir: &Path, programs: &[Program], broken: &BTreeSet<(usize, usize)>) -> Tally {
    let mut tally = Tally::default();
    for (index, program) in programs.iter().enumerate() {
        let engine = ["proofs", "cegas", "proofs", "auto"][index % 4];
        let witness = dir.join(format!("loops_{}.yml", program.id));
        let witness = witness.to_str().expect("a plain name");
        let verdicts = judged(dir, program, &program.text, &["--engine", engine]);
        let of = |verdicts: &[(u64, String)], line: &u64| {
            verdicts.iter().find(|(at, _)| at == line).map(|(_, verdict)| verdict.clone())
        };
        let mut checked = Vec::new();
        if index % 3 == 0 {
            // A witness speaks of whole programs: without what is not proved.
            let is_open = |line: u64| {
                program.claims.contains(&line) && of(&verdicts, &line).as_deref() != Some("safe")
            };
            let lines = program.text.lines().zip(1..);
            let proved = lines.map(|(text, line)| if is_open(line) { "" } else { text });
            let proved = proved.collect::<Vec<_>>().join("\n") + "\n";
            judged(dir, program, &proved, &["--engine", engine, "--proofs", witness]);
            if std::fs::read_to_string(witness).is_ok_and(|text| text.contains("invariant_set")) {
                checked = judged(dir, program, &proved, &["--check-proofs", witness]);
            }
        }
        for (claim, line) in program.claims.iter().enumerate() {
            let is_broken = broken.contains(&(program.id, claim));
            tally.claims += 1;
            tally.broken += usize::from(is_broken);
            if let Some(checked) = of(&checked, line) {
                tally.given += 1;
                tally.accepted += usize::from(checked == "safe");
                if checked == "safe" && is_broken {
                    let kept = keep(program);
                    tally.wrong.push(format!("{}:{line}: accepted by the checker", kept.display()));
                }
            }
            match of(&verdicts, line).as_deref() {
                Some("safe") if is_broken => {
                    let kept = keep(program);
                    tally.wrong.push(format!("{}:{line}: proved by {engine}", kept.display()));
                }
                Some("disagree") => {
                    let kept = keep(program);
                    tally.wrong.push(format!("{}:{line}: two engines disagree", kept.display()));
                }
                Some("safe") => tally.proved += 1,
                Some("unsafe") => tally.violated += 1,
                _ => tally.unknown += 1,
            }
        }
    }
    tally
}

fn judged(dir: &Path, program: &Program, text: &str, options: &[&str]) -> Vec<(u64, String)> {
    let file = dir.join(format!("loops_{}.c", program.id));
    let report = dir.join(format!("loops_{}.json", program.id));
    std::fs::write(&file, text).expect("a file");
    let seconds = std::env::var("CEGAS_LOOPS_SECONDS").unwrap_or("1".to_owned());
    let output = Command::new(env!("CARGO_BIN_EXE_cegas-scan"))
        .args(["--no-cache", "-q", "-j", "1", "--rules", "assertion", "--timeout", &seconds])
        .arg("--json")
        .args([&report, &file])
        .args(options)
        .output()
        .expect("the tool runs");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let json = std::fs::read_to_string(&report).unwrap_or_else(|_| panic!("no report: {said}"));
    let json: serde_json::Value = serde_json::from_str(&json).expect("a report is JSON");
    let obligations = json["obligations"].as_array().expect("obligations");
    let one = |o: &serde_json::Value| {
        let disagree = o["reason"].to_string().contains("engines disagree");
        let verdict = if disagree { "disagree" } else { o["verdict"].as_str()? };
        Some((o["location"]["line"].as_u64()?, verdict.to_owned()))
    };
    obligations.iter().filter_map(one).collect()
}

/// Keeps the file for whoever looks into it.
fn keep(program: &Program) -> PathBuf {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).with_file_name("loops_differential");
    std::fs::create_dir_all(&dir).expect("a folder");
    let path = dir.join(format!("loops_{}.c", program.id));
    std::fs::write(&path, &program.text).expect("a file");
    path
}
