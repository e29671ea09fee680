//! The pointer analysis against real executions: random programs full of pointers are run, each pointer that an
//! execution shows is looked up among the live objects, and that object must be in the computed set.
//!
//! `CEGAS_PTA_DIFFERENTIAL=10000 cargo test --release --test pta_differential -- --nocapture` runs more than the
//! usual 200 programs, `CEGAS_PTA_DIFFERENTIAL_SEED=7` others. A file with a disagreement stays in
//! `target/pta_differential/`.

mod generate;
#[path = "../differential/random.rs"]
mod random;

use cegas::cancel::Cancel;
use cegas::frontend::cache::Cache;
use cegas::frontend::clang::Clang;
use cegas::frontend::models::Models;
use cegas::frontend::unit::Compiler;
use cegas::frontend::{self, Source};
use cegas::ir::{Callee, Const, Inst, Operand, Program};
use cegas::pta::{self, Location, Object, ObjectKind, Place, PointsTo, Precision, Spread};
use random::Random;
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Programs in one file: clang starts once for all of them.
const BATCH: usize = 25;

/// At an observation, a pointer pointed into the object of this name (or line, if it is on the heap).
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Fact {
    observation: usize,
    name: String,
    line: u32,
    offset: i64,
}

fn number(name: &str, otherwise: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(otherwise)
}

/// Programs in one file, all run by its `main`.
fn batch(random: &mut Random, count: usize) -> String {
    let (mut text, mut main) = (generate::PRELUDE.to_owned(), String::new());
    let mut observations = 0;
    for number in 0..count {
        let (program, next) = generate::program(random, number, observations);
        text += &program;
        main += &format!("run_{number}(); ");
        observations = next;
    }
    text + &format!("int main(void) {{ {main}return 0; }}\n")
}

/// What an execution shows.
fn executed(source: &Path) -> BTreeSet<Fact> {
    let program = source.with_extension("");
    let mut clang = Command::new("clang-19");
    let built = clang.args(["-w", "-O0", "-DNATIVE", "-o"]).arg(&program).arg(source).output();
    let built = built.expect("clang-19 runs");
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    let run = Command::new(&program).output().expect("the programs run");
    assert!(run.status.success(), "{} ends with {}", source.display(), run.status);
    let fact = |line: &str| {
        let mut words = line.split(' ');
        Some(Fact {
            observation: words.next()?.parse().ok()?,
            name: words.next()?.to_owned(),
            line: words.next()?.parse().ok()?,
            offset: words.next()?.parse().ok()?,
        })
    };
    let text = String::from_utf8_lossy(&run.stdout).into_owned();
    text.lines().map(|line| fact(line).unwrap_or_else(|| panic!("{line}"))).collect()
}

fn model(source: &Path) -> Program {
    let build = compile_db::from_files(&[&source.to_owned()], &[] as &[OsString], Path::new("/"));
    let (clang, cache, cancel) = (Clang::find().expect("clang"), Cache::none(), Cancel::never());
    let sources: Vec<Source> = build.units.into_iter().map(Source::C).collect();
    let compiler = Compiler::new(&clang, &cache, &cancel);
    let compiled = cegas::frontend::compile(&sources, &compiler, |_| {});
    let unit = compiled.into_iter().next().expect("one unit").unwrap_or_else(|e| panic!("{e}"));
    let program = frontend::model("batch", &[("batch.c", &unit)], &compiler, &Models::default());
    program.unwrap_or_else(|error| panic!("{error}"))
}

/// The pointers that are observed, by the observation's number.
fn observed(program: &Program) -> BTreeMap<usize, Vec<Operand>> {
    let mut all: BTreeMap<usize, Vec<Operand>> = BTreeMap::new();
    for (_, data) in program.insts.iter() {
        let Inst::Call { callee: Callee::Direct(func), args } = data.inst else { continue };
        let &[id, pointer] = program.operands(args) else { continue };
        if program.funcs[func].name == "observe"
            && let Some(constant) = id.constant()
            && let Const::Int(number) = program.consts.get(constant)
        {
            all.entry(*number as usize).or_default().push(pointer);
        }
    }
    all
}

/// Whether the abstract object stands for the one that was seen.
fn is_named(program: &Program, object: &Object, fact: &Fact) -> bool {
    match object.kind {
        ObjectKind::Global(global) => program.globals[global].name == fact.name,
        ObjectKind::Func(func) => program.funcs[func].name == fact.name,
        ObjectKind::Alloca { site, .. } => {
            let name = program.insts[site].result.expand().map(|value| program.values[value].name);
            let name = name.and_then(|name| name.expand()).map(|name| program.texts.get(name));
            name == Some(&fact.name)
        }
        ObjectKind::Heap { site, .. } => {
            fact.name == "heap" && program.loc(site).is_some_and(|loc| loc.line == fact.line)
        }
        ObjectKind::Unknown
        | ObjectKind::Literals
        | ObjectKind::Arguments
        | ObjectKind::ArgumentStrings
        | ObjectKind::Static(_)
        | ObjectKind::Varargs { .. } => false,
    }
}

fn contains(program: &Program, answer: &PointsTo, pointer: Operand, fact: &Fact) -> bool {
    answer.members(answer.set_of(pointer)).any(|location| {
        let Location { object, place } = answer.locations[location];
        let there = match place {
            Place::Any => true,
            Place::At(offset) => offset == answer.fold(program, object, fact.offset),
            Place::Spread(spread) => {
                let one = |start| Spread { start, span: 1, stride: 0, len: 1 };
                let folded = answer.fold(program, object, fact.offset);
                [fact.offset, folded].iter().any(|&at| spread.meets(1, one(at), 1))
            }
        };
        there && is_named(program, &answer.objects[object], fact)
    })
}

/// The facts that the answer denies.
fn denied(program: &Program, answer: &PointsTo, facts: &BTreeSet<Fact>) -> Vec<Fact> {
    let pointers = observed(program);
    let holds = |fact: &Fact| {
        let pointers = pointers.get(&fact.observation).map_or(&[][..], Vec::as_slice);
        pointers.iter().any(|&pointer| contains(program, answer, pointer, fact))
    };
    facts.iter().filter(|fact| !holds(fact)).cloned().collect()
}

/// The facts of an execution that the analysis denies, and how many it was asked about.
fn disagreements(source: &Path) -> (Vec<Fact>, usize) {
    let facts = executed(source);
    let program = model(source);
    let answer = pta::analyse(&program, &pta::Options::default());
    (denied(&program, &answer, &facts), facts.len())
}

fn keep(text: &str, name: &str) -> PathBuf {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).with_file_name("pta_differential");
    std::fs::create_dir_all(&dir).expect("a folder");
    let path = dir.join(name);
    std::fs::write(&path, text).expect("a file");
    path
}

#[test]
fn executions_stay_inside_the_computed_sets() {
    let count = number("CEGAS_PTA_DIFFERENTIAL", 200) as usize;
    let seed = number("CEGAS_PTA_DIFFERENTIAL_SEED", 1);
    let mut random = Random::new(seed);
    let dir = tempfile::tempdir().expect("a temporary folder");
    let (mut wrong, mut facts) = (Vec::new(), 0);
    for start in (0..count).step_by(BATCH) {
        let text = batch(&mut random, BATCH.min(count - start));
        let source = dir.path().join("batch.c");
        std::fs::write(&source, &text).expect("a file");
        let (denied, asked) = disagreements(&source);
        facts += asked;
        if let Some(first) = denied.first() {
            let kept = keep(&text, &format!("seed{seed}-{start}.c"));
            wrong.push(format!("{}: {} facts, such as {first:?}", kept.display(), denied.len()));
        }
        if count > 1000 {
            println!("{} programs, {facts} facts, {} files wrong", start + BATCH, wrong.len());
        }
    }
    println!("{count} programs, {facts} facts, {} files wrong", wrong.len());
    assert!(wrong.is_empty(), "pointers that the analysis denies:\n{}", wrong.join("\n"));
    assert!(facts > 20 * count, "too few facts to mean anything: {facts}");
}

/// Every case in `cases/` was once answered wrongly, or is there to be never so.
#[test]
fn cases_stay_inside_the_computed_sets() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/pta_differential/cases");
    let dir = tempfile::tempdir().expect("a temporary folder");
    let mut names: Vec<PathBuf> = std::fs::read_dir(&folder)
        .expect("the cases")
        .map(|entry| entry.expect("an entry").path())
        .collect();
    names.sort();
    for path in names {
        let source = dir.path().join("case.c");
        let body = std::fs::read_to_string(&path).expect("a case");
        std::fs::write(&source, format!("{}{body}", generate::PRELUDE)).expect("a file");
        let (denied, asked) = disagreements(&source);
        assert!(denied.is_empty() && asked > 0, "{}: {denied:?} of {asked}", path.display());
    }
}

/// A spent budget makes the answer coarser, not wrong; and what is computed depends on the program alone.
#[test]
fn budgets_and_repetition() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let source = dir.path().join("batch.c");
    std::fs::write(&source, batch(&mut Random::new(5), 4)).expect("a file");
    let (facts, program) = (executed(&source), model(&source));
    let dumps = [(); 2].map(|()| {
        let answer = pta::analyse(&program, &pta::Options::default());
        assert_eq!(answer.precision, Precision::Fields);
        pta::dump::points_to_text(&program, &answer)
            + &pta::dump::call_graph_text(&program, &answer)
    });
    assert!(dumps[0] == dumps[1], "two runs differ");
    let coarse = pta::by_objects(&program);
    assert_eq!((coarse.precision, denied(&program, &coarse, &facts)), (Precision::Objects, vec![]));
    for options in [
        pta::Options { work: 0, ..pta::Options::default() },
        pta::Options { memory: 0, ..pta::Options::default() },
    ] {
        let answer = pta::analyse(&program, &options);
        assert_eq!(answer.precision, Precision::Nothing);
        assert_eq!(denied(&program, &answer, &facts), []);
    }
}
