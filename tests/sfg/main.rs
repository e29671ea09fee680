//! The cut keeps the outcome: random programs are checked whole and cut down, obligation by obligation, and
//! what is decided of the whole must be decided in the same way of the cut.
//!
//! `CEGAS_CUTS=2000 cargo test --release --test sfg -- --nocapture` looks at more programs than the usual 60,
//! `CEGAS_CUTS_SEED=7` at others.

#[path = "../compiled/mod.rs"]
mod compiled;
mod programs;
#[path = "../differential/random.rs"]
mod random;

use cegas::cancel::Cancel;
use cegas::cegas::{Budget, Options, Reason, Task, Verdict};
use cegas::entries::Entry;
use cegas::ir::{Inst, InstId, Operand, Program};
use cegas::rules::{self, Obligation};
use cegas::{pta, sfg, svfg};
use random::Random;
use std::time::Duration;

/// Obligations looked at in one program.
const EACH: usize = 8;

fn number(name: &str, otherwise: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(otherwise)
}

fn verdict(program: &Program, obligation: &Obligation) -> Option<Verdict> {
    // Ample, so that the machine's speed decides nothing: what is hard ends by the number of paths.
    let budget = Budget {
        time: Duration::from_secs(20),
        nominal: Duration::from_secs(20),
        waiting: 300,
        expressions: 300_000,
    };
    let entry = program.func_by_name("main").expect("a main");
    let task = Task {
        program,
        entry: &Entry::plain(entry),
        obligations: &[*obligation],
        options: Options::default(),
        budget,
        cancel: &Cancel::never(),
        rest: None,
        found: None,
        only: None,
    };
    let explored = task.explore();
    // One inside a model of a library function is put to the calls.
    explored.verdicts.into_iter().find(|(o, _)| o.at == obligation.at).map(|(_, verdict)| verdict)
}

fn word(verdict: &Verdict) -> String {
    match verdict {
        Verdict::Safe(_) => "safe".to_owned(),
        Verdict::Unsafe(_) => "unsafe".to_owned(),
        Verdict::Unknown(Reason::Time | Reason::Memory) => "spent".to_owned(),
        Verdict::Unknown(reason) => format!("unknown: {reason}"),
    }
}

/// Instructions that do something.
fn doing(program: &Program) -> usize {
    let nothing = |inst: &Inst| {
        let constant = |operand: Operand| operand.constant().is_some();
        matches!(inst, Inst::Fence | Inst::Unreachable)
            || matches!(inst, Inst::Freeze { value } if constant(*value))
    };
    program.insts.values().filter(|data| !nothing(&data.inst)).count()
}

#[derive(Debug, Default)]
struct Tally {
    compared: usize,
    safe: usize,
    unsafe_: usize,
    unknown: usize,
    kept: usize,
    of: usize,
}

/// Compares whole and cut for some obligations of one program.
fn compare(text: &str, random: &mut Random, tally: &mut Tally) {
    let program = compiled::program(text);
    let answer = pta::analyse(&program, &pta::Options::default());
    let graph = svfg::build(&program, &answer, svfg::Options { fields: false });
    let callers = sfg::callers(&program, &answer);
    let cutter = sfg::Cutter::new(&program, &answer, &graph, &callers);
    let all: Vec<&'static str> = rules::RULES.iter().map(|rule| rule.id).collect();
    let obligations = rules::mark(&program, &all, &[]);
    let mut chosen: Vec<&Obligation> =
        obligations.iter().filter(|obligation| obligation.rule == "assertion").collect();
    if !obligations.is_empty() {
        chosen.extend((0..EACH).map(|_| random.pick(&obligations)));
    }
    let mut seen: Vec<InstId> = Vec::new();
    for obligation in chosen {
        if seen.contains(&obligation.at) {
            continue;
        }
        seen.push(obligation.at);
        let Some(cut) = cutter.cut(obligation) else { continue };
        let Some(whole) = verdict(&program, obligation) else { continue };
        let smaller = cut.program(&program);
        let less = verdict(&smaller, obligation).expect("the same obligation");
        tally.compared += 1;
        tally.kept += doing(&smaller);
        tally.of += doing(&program);
        let told = || {
            let line = program.loc(obligation.at).map_or(0, |loc| loc.line);
            format!(
                "{} in line {line}: {} but cut {}\n{text}",
                obligation.rule,
                word(&whole),
                word(&less)
            )
        };
        match (&whole, &less) {
            (Verdict::Safe(_), Verdict::Safe(_)) => tally.safe += 1,
            (Verdict::Unsafe(_), Verdict::Unsafe(_)) => tally.unsafe_ += 1,
            // The cut may decide more, as it has less to follow.
            (Verdict::Unknown(_), _) => tally.unknown += 1,
            _ => panic!("{}", told()),
        }
    }
}

#[test]
fn the_cut_keeps_the_outcome() {
    let count = number("CEGAS_CUTS", 60);
    let mut random = Random::new(number("CEGAS_CUTS_SEED", 1));
    let mut tally = Tally::default();
    for _ in 0..count {
        let text = programs::program(&mut random);
        compare(&text, &mut random, &mut tally);
    }
    println!("{tally:?}");
    assert!(tally.safe * 4 > tally.compared && tally.unsafe_ * 20 > tally.compared, "{tally:?}");
    assert!(tally.kept * 4 < tally.of * 3, "nothing was cut: {tally:?}");
}
