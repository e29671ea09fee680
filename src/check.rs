//! Deciding what the rules marked in one program, and putting it as the report says it.

mod alone;
mod by_entry;
mod cuts;
mod engines;
mod invariants;
mod library;
mod memory;
mod places;
mod portfolio;
mod published;
mod shown;
mod slices;
mod texts;

use self::engines::{decide, without_bug};
use crate::cancel::Cancel;
use crate::cegas::{self, Budget, Explored, Proof, Reason, Task, Verdict};
use crate::config::{Engine, Settings};
use crate::entries::{self, Entry};
use crate::ir::{Callee, FuncId, Global, GlobalId, Inst, InstId, Linkage, Program};
use crate::library as models;
use crate::prefilter::{self, Split};
use crate::progress::Stage;
use crate::pta::PointsTo;
use crate::report;
use crate::rules::{self, Obligation};
pub use memory::Memory;
pub use places::depends_on_time;
use published::published;
use rustc_hash::FxHashSet;
use serde::{Deserialize, Serialize};
pub use shown::{left, questions, story};
use slices::Slices;
use std::sync::Mutex;

/// What came out for one program.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Checked {
    pub obligations: Vec<report::Obligation>,
    /// Everything the chosen rules ask was looked for.
    pub complete: bool,
    /// The functions that were assumed to be called from outside, and what was assumed of their callers.
    pub entries: Vec<report::Entry>,
    /// A bug of ours cut the work short.
    pub failed: bool,
    /// The paths that `--explain-path` asks for.
    pub paths: String,
    /// What the proofs rest on, if it was asked for.
    pub invariants: Vec<report::Invariant>,
    /// The same as sets of whole states.
    pub states: Vec<report::States>,
    /// The functions that executions may come to.
    #[serde(skip)]
    pub reached: Vec<String>,
}

/// Decides every obligation of `program` that the chosen rules see and that is not known from before, and tells
/// verdicts as they land. The memory is what is known from before, then what is worth remembering.
pub fn check(
    program: &Program,
    settings: &Settings,
    memory: &mut Memory,
    deciding: &Stage,
    cancel: &Cancel,
) -> Checked {
    let entries = entries_of(program, settings);
    let entry = match &entries[..] {
        [] => return Checked::default(),
        [only] if only.params.is_none() => only.func,
        several => return from_entries(program, several, settings, memory, deciding, cancel),
    };
    let Marked { mut settled, mut open, points_to, .. } = marked(program, &entries, settings);
    // Facts are not written down: where proofs are, another is looked for, and they are what is left without one.
    let by_facts = match settings.outputs.proofs {
        Some(_) => asked_again(program, &mut settled, &mut open),
        None => Vec::new(),
    };
    let mut paths = String::new();
    let in_user_code = |o: &Obligation| !models::is_model(program, program.func_of(o.at));
    settled.retain(in_user_code);
    // Invariants are told of all loops.
    let by_function = settings.engine == Engine::Auto && settings.outputs.proofs.is_none();
    let points_to = points_to.filter(|_| by_function);
    let slices = points_to.and_then(|all| Slices::new(program, settings, &all, entry, &open));
    let mut recalled = slices.as_ref().map(|slices| slices.recall(&memory.functions));
    // Calls of models become obligations when they are met on the way, so there may be more in the end.
    let known = open.iter().filter(|o| in_user_code(o)).count();
    deciding.more(settled.len() + known);
    deciding.steps(settled.len());
    if let (Some(slices), Some(recalled)) = (&slices, &recalled) {
        deciding.steps(recalled.told.len().min(known));
        deciding.say(&anew(program, &slices.anew(recalled), memory.functions.is_empty()));
    }
    let found = |obligation: &Obligation| {
        deciding.steps(1);
        deciding.say(&landed(program, obligation, settings));
    };
    let rest = slices.as_ref().zip(recalled.as_ref()).map(|(slices, known)| slices.rest(known));
    let (explored, failed) = match &recalled {
        Some(recalled) if recalled.asks_nothing() => (Explored::of(Vec::new(), true), false),
        _ => {
            let task = Task {
                program,
                entry: &Entry::plain(entry),
                obligations: &open,
                options: options(settings),
                budget: budget(settings),
                cancel,
                rest: rest.as_ref(),
                found: Some(&found),
                only: None,
            };
            match decide(&task, settings, &mut paths) {
                Some(explored) => (explored, false),
                None => (without_bug(&task, settings), true),
            }
        }
    };
    let explored = known_by_facts(explored, &by_facts);
    // What is unknown for a bug of ours is told of everything.
    recalled = recalled.filter(|_| !failed);
    let mut complete = explored.is_complete;
    let mut reported: Vec<report::Obligation> = Vec::new();
    if let (Some(slices), Some(recalled)) = (&slices, recalled) {
        complete = recalled.complete && slices.is_complete(&explored, &recalled);
        let mut learned = recalled.memory;
        if !cancel.is_wished() {
            let told = |o: &Obligation, verdict| told(program, o, verdict, settings);
            slices.learn(&mut learned, &explored, told);
        }
        learned.keep(std::mem::take(&mut memory.functions));
        memory.functions = learned;
        reported = recalled.told;
    }
    let violated = |(_, verdict): &&(Obligation, Verdict)| matches!(verdict, Verdict::Unsafe(_));
    let violated = explored.verdicts.iter().filter(violated).count();
    deciding.more((explored.verdicts.len() + reported.len()).saturating_sub(known));
    deciding.steps(explored.verdicts.len() - violated);
    let settled = settled.into_iter();
    let told = settled
        .map(|obligation| (obligation, Verdict::Safe(Proof::Local)))
        .chain(explored.verdicts)
        .map(|(obligation, verdict)| told(program, &obligation, verdict, settings));
    reported.extend(told);
    in_order(&mut reported);
    Checked {
        obligations: reported,
        complete,
        entries: Vec::new(),
        failed,
        paths,
        invariants: invariants::told(program, explored.invariants, settings),
        states: invariants::states(program, explored.written),
        reached: Vec::new(),
    }
}

/// The assertions that facts settle, which are open again.
fn asked_again(
    program: &Program,
    settled: &mut Vec<Obligation>,
    open: &mut Vec<Obligation>,
) -> Vec<Obligation> {
    let by_facts: Vec<Obligation> =
        settled.extract_if(.., |o| engines::is_assertion(program, o)).collect();
    open.extend(&by_facts);
    open.sort_by_key(|obligation| obligation.at);
    by_facts
}

/// What no other proof was found of holds by facts.
fn known_by_facts(mut explored: Explored, by_facts: &[Obligation]) -> Explored {
    for (obligation, verdict) in &mut explored.verdicts {
        if matches!(verdict, Verdict::Unknown(_)) && by_facts.contains(obligation) {
            *verdict = Verdict::Safe(Proof::Local);
        }
    }
    explored
}

/// What is decided again, in one line.
fn anew(program: &Program, names: &[&str], is_first: bool) -> String {
    let few = names.iter().take(FEW).copied().collect::<Vec<_>>().join(", ");
    let (name, count) = (&program.name, names.len());
    match count {
        0 => format!("{name}: what has changed decides nothing anew"),
        _ if is_first => format!("{name}: {count} functions to decide"),
        1..=FEW => format!("{name}: decides anew in {few}"),
        _ => format!("{name}: decides anew in {few} and {} more functions", count - FEW),
    }
}

/// Names that fit into one line.
const FEW: usize = 8;

/// The same from functions that are called from outside.
fn from_entries(
    program: &Program,
    entries: &[Entry],
    settings: &Settings,
    memory: &mut Memory,
    deciding: &Stage,
    cancel: &Cancel,
) -> Checked {
    let Marked { settled, given, open, .. } = marked(program, entries, settings);
    deciding.more(settled.len() + given.len() + open.len());
    deciding.steps(settled.len() + given.len());
    let said = Mutex::new(FxHashSet::default());
    let found = |obligation: &Obligation| {
        let line = landed(program, obligation, settings);
        if said.lock().is_ok_and(|mut said| said.insert(line.clone())) {
            deciding.say(&line);
        }
    };
    let question = library::Question {
        program,
        settings,
        entries,
        obligations: &open,
        options: options(settings),
        budget: budget(settings),
        found: &found,
        deciding,
        cancel,
    };
    let decided = library::decide(question, &mut memory.entries);
    deciding.steps(open.len());
    let settled = settled.iter().filter(|o| !models::is_model(program, program.func_of(o.at)));
    let mut reported: Vec<report::Obligation> =
        settled.map(|o| told(program, o, Verdict::Safe(Proof::Local), settings)).collect();
    for obligation in given.iter().filter(|o| !models::is_model(program, program.func_of(o.at))) {
        let func = program.func_of(obligation.at);
        let entry = entries.iter().find(|entry| entry.func == func);
        let assumes = entry.map_or_else(Vec::new, |entry| entry.assumes.clone());
        let told = told(program, obligation, Verdict::Safe(Proof::Local), settings);
        reported.push(report::Obligation { assumes, ..told });
    }
    reported.extend(decided.judged);
    in_order(&mut reported);
    let entries = entries.iter().map(|entry| report::Entry {
        function: program.funcs[entry.func].name.clone(),
        assumes: entry.assumes.clone(),
    });
    Checked {
        obligations: reported,
        complete: decided.is_complete,
        entries: entries.collect(),
        failed: decided.failed,
        paths: String::new(),
        // What holds of a loop however its function is entered is not known here.
        invariants: Vec::new(),
        states: Vec::new(),
        reached: Vec::new(),
    }
}

/// As reports list them.
pub fn in_order(obligations: &mut [report::Obligation]) {
    obligations.sort_by(|a, b| {
        let places = (&a.location, a.rule).cmp(&(&b.location, b.rule));
        places.then_with(|| (&a.verdict, &a.message).cmp(&(&b.verdict, &b.message)))
    });
}

/// What of a program is there whether or not the program itself refers to it.
#[derive(Debug, Default)]
pub struct Roots {
    /// Where executions start; nothing if the program has no such place.
    pub funcs: Vec<FuncId>,
    /// What others see of a library, and so whatever it leads to.
    pub globals: Vec<GlobalId>,
}

pub fn roots(program: &Program, settings: &Settings) -> Roots {
    let entries = entries_of(program, settings);
    let is_library = entries.iter().any(|entry| entry.of_library);
    let is_seen = |&(_, global): &(GlobalId, &Global)| global.linkage != Linkage::Internal;
    let seen = program.globals.iter().filter(is_seen).map(|(id, _)| id);
    Roots {
        funcs: entries.into_iter().map(|entry| entry.func).collect(),
        globals: seen.filter(|_| is_library).collect(),
    }
}

/// The obligations of functions that are not in the part of the program that executions can come to: they hold,
/// since nothing ever happens there.
pub fn never_reached(
    program: &Program,
    part: &Program,
    settings: &Settings,
) -> Vec<report::Obligation> {
    let in_part: FxHashSet<&str> = part.funcs.values().map(|func| func.name.as_str()).collect();
    let is_left_out = |o: &Obligation| {
        let func = program.func_of(o.at);
        !in_part.contains(program.funcs[func].name.as_str()) && !models::is_model(program, func)
    };
    let mut obligations = rules::mark(program, &settings.rules, &settings.assertions);
    obligations.retain(|o| is_wanted(program, o, settings) && is_left_out(o));
    let proved = |o: &Obligation| told(program, o, Verdict::Safe(Proof::Local), settings);
    obligations.iter().map(proved).collect()
}

/// A violation in one line, as soon as it is known.
fn landed(program: &Program, obligation: &Obligation, settings: &Settings) -> String {
    let at = location(program, obligation.at, settings);
    let what = rules::message(program, obligation);
    format!("{}:{}: violated: {what} [{}]", at.file, at.line, obligation.rule)
}

/// Everything that is asked.
fn wanted(program: &Program, settings: &Settings) -> Vec<Obligation> {
    let mut obligations = rules::mark(program, &settings.rules, &settings.assertions);
    obligations.retain(|obligation| is_wanted(program, obligation, settings));
    obligations
}

/// The obligations that are settled at once, and those that are open.
fn marked(program: &Program, entries: &[Entry], settings: &Settings) -> Marked {
    let obligations = wanted(program, settings);
    // The machine knows by its mark that such a function does nothing else.
    let (named, other): (Vec<Obligation>, _) =
        obligations.into_iter().partition(|o| is_named_outside(program, o, settings));
    let is_main = match entries {
        [only] => only.params.is_none() && program.funcs[only.func].name == "main",
        _ => false,
    };
    let options =
        prefilter::Options { from_main: is_main, malloc_may_fail: settings.malloc_may_fail };
    // When no time is left at all, nothing is begun.
    if settings.target_time.is_some_and(|time| time.is_zero()) {
        return Marked { open: [other, named].concat(), ..Marked::default() };
    }
    // What is given is to do without us.
    if settings.given.is_some() {
        return Marked { open: [other, named].concat(), ..Marked::default() };
    }
    let Split { settled, open, points_to } = prefilter::split(program, other, options);
    let (given, mut open) =
        prefilter::split_given(program, open, options, &promised(program, entries));
    open.extend(named);
    open.sort_by_key(|obligation| obligation.at);
    Marked { settled, given, open, points_to }
}

/// What is settled at once, also with what callers are assumed to give, and what is open.
#[derive(Default)]
struct Marked {
    settled: Vec<Obligation>,
    given: Vec<Obligation>,
    open: Vec<Obligation>,
    points_to: Option<PointsTo>,
}

/// What is assumed of the parameters of entries that nobody in the program calls.
fn promised(program: &Program, entries: &[Entry]) -> Vec<prefilter::Promised> {
    let inside = entries::called_inside(program);
    let open = entries.iter().filter(|e| e.params.is_some() && !inside.contains(e.func));
    open.map(|entry| prefilter::Promised { func: entry.func, params: entry.promises() }).collect()
}

/// Whether it is a call of a function without a body that only the user calls an assertion.
fn is_named_outside(program: &Program, obligation: &Obligation, settings: &Settings) -> bool {
    let Inst::Call { callee: Callee::Direct(func), .. } = program.insts[obligation.at].inst else {
        return false;
    };
    let function = &program.funcs[func];
    function.blocks.is_empty() && settings.assertions.contains(&function.name)
}

/// Where executions start.
fn entries_of(program: &Program, settings: &Settings) -> Vec<Entry> {
    let options = entries::Options { null_arguments: settings.null_arguments };
    let mut all = entries::entries(program, &settings.entries, options, || published(program));
    let is_model =
        |name: &str| settings.functions.iter().any(|f| f.model.is_some() && f.name == name);
    let is_none = |name: &str| is_model(name) || settings.judged_elsewhere.contains(name);
    all.retain(|entry| !entry.of_library || !is_none(&program.funcs[entry.func].name));
    all
}

fn options(settings: &Settings) -> cegas::Options {
    let Settings { malloc_may_fail, frees_all, .. } = *settings;
    let tells_invariants = settings.outputs.proofs.is_some();
    cegas::Options { malloc_may_fail, frees_all, tells_invariants }
}

/// The part of the time that what counts its work may always take.
const GRACE: f64 = 0.1;

fn budget(settings: &Settings) -> Budget {
    let time = settings.timeout;
    let grace = time.mul_f64(GRACE);
    Budget { time, nominal: time, grace, waiting: 100_000, expressions: 40_000_000 }
}

/// A property that forbids calls asks about nothing else that the rule `assertion` marks.
fn is_wanted(program: &Program, obligation: &Obligation, settings: &Settings) -> bool {
    if settings.forbidden.is_empty() || obligation.rule != rules::assertion::RULE.id {
        return true;
    }
    let is_forbidden = |func: FuncId| settings.forbidden.contains(&program.funcs[func].name);
    // What such a function itself asserts is reached also by a call through a pointer.
    let inside = is_forbidden(program.func_of(obligation.at));
    let Inst::Call { callee: Callee::Direct(func), .. } = program.insts[obligation.at].inst else {
        return inside;
    };
    inside || is_forbidden(func)
}

fn told(
    program: &Program,
    obligation: &Obligation,
    verdict: Verdict,
    settings: &Settings,
) -> report::Obligation {
    let (mut trace, mut related, mut proof) = (Vec::new(), Vec::new(), None);
    let verdict = match verdict {
        Verdict::Safe(by) => {
            // Which one came first depends on the machine: it is told where evidence is asked for.
            let is_asked = settings.outputs.proofs.is_some() || settings.given.is_some();
            proof = is_asked.then_some(match by {
                Proof::Exhaustive { .. } => report::Proof::Exhaustive,
                Proof::Covered | Proof::Inductive => report::Proof::Invariants,
                Proof::Refined { .. } => report::Proof::Refinement,
                Proof::Local => report::Proof::Facts,
            });
            report::Verdict::Safe
        }
        Verdict::Unsafe(counterexample) => {
            let step = |step: cegas::TraceStep| report::Step {
                location: location(program, step.at, settings),
                depth: step.depth,
                text: step.text,
                change: step.change.map(|change| report::Change {
                    name: change.name,
                    value: change.value,
                    object: change.object,
                    function: change.func.map(|func| program.funcs[func].name.clone()),
                }),
                input: step.input,
                left_out: step.left_out,
            };
            let place = |place: cegas::Related| report::Related {
                location: location(program, place.at, settings),
                text: place.text,
            };
            related = counterexample.related.into_iter().map(place).collect();
            trace = counterexample.steps.into_iter().map(step).collect();
            places::number_objects(&mut trace);
            report::Verdict::Unsafe
        }
        Verdict::Unknown(reason) => {
            report::Verdict::Unknown { reason: reason.to_string(), cause: cause(&reason) }
        }
    };
    let mut told = report::Obligation {
        rule: obligation.rule,
        verdict,
        proof,
        location: location(program, obligation.at, settings),
        message: rules::message(program, obligation),
        targets: vec![program.name.clone()],
        assumes: Vec::new(),
        silenced: None,
        related,
        trace,
    };
    told.share_names();
    told
}

fn cause(reason: &Reason) -> report::Cause {
    match reason {
        Reason::Time => report::Cause::Time,
        Reason::Memory => report::Cause::Memory,
        Reason::Depth { .. } | Reason::Bound { .. } => report::Cause::Depth,
        Reason::Unsupported { .. } => report::Cause::NotModelled,
        Reason::Doubt { .. } => report::Cause::Doubt,
        Reason::Solver { .. } => report::Cause::Solver,
        Reason::StillReachable => report::Cause::StillReachable,
        Reason::Replay | Reason::Relation | Reason::Unproved { .. } => report::Cause::Unconfirmed,
    }
}

fn location(program: &Program, at: InstId, settings: &Settings) -> report::Location {
    let func = &program.funcs[program.func_of(at)];
    let function = func.name.as_str().into();
    // What the compiler made up has no line of its own.
    let declared = || func.loc.expand().map(|loc| &program.debug.locs[loc]);
    let Some(loc) = program.loc(at).filter(|loc| loc.line > 0).or_else(declared) else {
        return report::Location { function, ..report::Location::default() };
    };
    let path = program.debug.files[loc.file].path();
    let file = report::below_root(&path, &settings.root).into();
    report::Location { file, line: loc.line, column: loc.column, function }
}
