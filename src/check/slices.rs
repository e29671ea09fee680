//! What the verdicts on the obligations of one function depend on, and verdicts that are known from an earlier scan.
//!
//! An execution up to an obligation runs only functions that may come before it ([`Order`]). What it does is said by
//! their text, by the contents of the variables they mention and by the machine; so a verdict holds as long as these
//! are the same, whatever else the program has become. Whether memory is lost is decided at the end of an execution: that
//! depends on what may come after the allocation, too. What stands on other lines now is told with
//! those lines; a text that names a line is not told again if lines have moved.
//!
//! Invariant: what is recalled is what would be decided, but for what time and memory allow: such a verdict is
//! taken again when there is not more time than it was given.

use super::{location, models};
use crate::cegas::{self, Explored, Rest, Verdict};
use crate::config::Settings;
use crate::ir::{self, Callee, Digest, FuncId, Inst, InstId, Program};
use crate::order::{FuncSet, Order};
use crate::pta::PointsTo;
use crate::report::{self, Cause, Location};
use crate::rules::{Demand, Obligation};
use cranelift_entity::{EntityRef, SecondaryMap};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// What earlier scans came to, by what it depends on.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Memory {
    records: FxHashMap<String, Record>,
}

/// Scans after which a record that was of no use is forgotten.
const PATIENCE: u32 = 8;

impl Memory {
    /// What is worth keeping of an older memory, behind what was of use now.
    pub fn keep(&mut self, older: Memory) {
        for (key, mut record) in older.records {
            record.idle += 1;
            if record.idle < PATIENCE {
                self.records.entry(key).or_insert(record);
            }
        }
    }

    pub fn is_empty(&self) -> bool {
        self.records.is_empty()
    }
}

/// The verdicts on the obligations of one function that are of one kind.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Record {
    told: Vec<Told>,
    /// The functions in which something of it stands.
    names: Vec<String>,
    /// All that is asked there was met.
    complete: bool,
    /// How much time there was, if more might have told more.
    time: Option<Duration>,
    /// Where the functions stood, if a text says so.
    lines: Option<Digest>,
    /// How many scans had no use for it.
    idle: u32,
}

/// A verdict as text, since there may be very many with long ways, and all its places in the order in which they stand
/// in it.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Told {
    obligation: Vec<u8>,
    places: Vec<Place>,
}

/// An instruction by its function, a row of the record's names, and its number there.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
struct Place(u32, u32);

/// Whether a function's obligations are about what it allocates, or hold where they stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sort {
    Point,
    Kept,
}

impl Sort {
    fn of(obligation: &Obligation) -> Sort {
        if matches!(obligation.demand, Demand::Kept) { Sort::Kept } else { Sort::Point }
    }
}

/// One function and what is asked there.
struct Question {
    func: FuncId,
    sort: Sort,
    key: String,
    /// Where the functions stand that it depends on.
    lines: Digest,
}

pub(super) struct Slices<'p> {
    program: &'p Program,
    settings: &'p Settings,
    pub order: Order,
    questions: Vec<Question>,
    by_name: FxHashMap<&'p str, FuncId>,
}

/// What is known, and what is left to ask.
pub(super) struct Recalled {
    pub told: Vec<report::Obligation>,
    pub complete: bool,
    pub points: FuncSet,
    pub kept: FuncSet,
    /// How many of the questions are known.
    pub count: usize,
    pub memory: Memory,
}

impl Recalled {
    pub fn asks_nothing(&self) -> bool {
        self.points.is_empty() && self.kept.is_empty()
    }
}

impl<'p> Slices<'p> {
    /// None if there is no one order of events.
    pub fn new(
        program: &'p Program,
        settings: &'p Settings,
        answer: &PointsTo,
        entry: FuncId,
        open: &[Obligation],
    ) -> Option<Self> {
        let order = Order::new(program, answer, entry)?;
        let mut slices = Slices {
            program,
            settings,
            order,
            questions: Vec::new(),
            by_name: program.funcs.iter().map(|(id, func)| (func.name.as_str(), id)).collect(),
        };
        slices.ask(answer, open);
        Some(slices)
    }

    /// The functions of which something may have to be told, and what that depends on.
    fn ask(&mut self, answer: &PointsTo, open: &[Obligation]) {
        let program = self.program;
        let mut marks: SecondaryMap<FuncId, Vec<&Obligation>> = SecondaryMap::new();
        open.iter().for_each(|o| marks[program.func_of(o.at)].push(o));
        let is_model = |func: FuncId| models::is_model(program, func);
        let asks_kept = open.iter().any(|o| Sort::of(o) == Sort::Kept);
        let in_models = open.iter().any(|o| is_model(program.func_of(o.at)));
        let texts = ir::digests(program);
        // What is asked inside a model is answered by its callers.
        let parts: SecondaryMap<FuncId, Option<Digest>> = {
            let mut parts = texts.clone();
            for func in program.funcs.keys().filter(|&func| is_model(func)) {
                let text = parts[func].unwrap_or_default();
                parts[func] = Some(digest([&text[..], &asked_at(program, &marks[func], None)]));
            }
            parts
        };
        let name = |func: &FuncId| program.funcs[*func].name.as_bytes();
        // What runs before and after `main`, in its order.
        let (first, last) = (program.constructors.iter(), program.destructors.iter());
        let around = digest(first.map(name).chain([&b"main"[..]]).chain(last.map(name)));
        let mut known: FxHashMap<FuncSet, (Digest, Digest)> = FxHashMap::default();
        let mut questions = Vec::new();
        let user = answer.reachable.iter().copied().filter(|&func| !is_model(func));
        for func in user.filter(|&func| !program.funcs[func].blocks.is_empty()) {
            for sort in [Sort::Point, Sort::Kept] {
                // More may come up where a model is called, or anything that allocates.
                let may_meet = match sort {
                    Sort::Point => in_models && self.order.callees_of(func).any(is_model),
                    Sort::Kept => asks_kept && may_allocate(program, func),
                };
                if !may_meet && !marks[func].iter().any(|o| Sort::of(o) == sort) {
                    continue;
                }
                let funcs = match sort {
                    Sort::Point => self.order.before(func).clone(),
                    Sort::Kept => self.order.around(func),
                };
                let (text, lines) = match known.get(&funcs) {
                    Some(known) => *known,
                    None => {
                        let new = (together(&parts, &funcs), self.lines(&funcs));
                        known.insert(funcs, new);
                        new
                    }
                };
                let own = asked_at(program, &marks[func], Some(sort));
                let key = digest([&[sort as u8], name(&func), &around, &text, &own]);
                let key = key.iter().map(|byte| format!("{byte:02x}")).collect();
                questions.push(Question { func, sort, key, lines });
            }
        }
        self.questions = questions;
    }

    /// Where these functions stand.
    fn lines(&self, funcs: &FuncSet) -> Digest {
        let mut all: Vec<Vec<u8>> = Vec::new();
        for func in funcs.iter() {
            let function = &self.program.funcs[func];
            let Some(loc) = function.loc.expand().map(|loc| &self.program.debug.locs[loc]) else {
                continue;
            };
            let file = self.program.debug.files[loc.file].path();
            let mut text = file.as_os_str().as_encoded_bytes().to_vec();
            text.extend(format!(" {} {}", loc.line, function.name).bytes());
            all.push(text);
        }
        all.sort_unstable();
        digest(all.iter().map(Vec::as_slice))
    }

    /// What is known of it all.
    pub fn recall(&self, memory: &Memory) -> Recalled {
        let mut recalled = Recalled {
            told: Vec::new(),
            complete: true,
            points: FuncSet::default(),
            kept: FuncSet::default(),
            count: 0,
            memory: Memory::default(),
        };
        for question in &self.questions {
            let record = memory.records.get(&question.key);
            let record = record.filter(|r| r.time.is_none_or(|time| self.settings.timeout <= time));
            let record = record.filter(|r| r.lines.is_none_or(|lines| lines == question.lines));
            let told = record.and_then(|record| Some((record, self.told(record)?)));
            let Some((record, told)) = told else {
                let asked = match question.sort {
                    Sort::Point => &mut recalled.points,
                    Sort::Kept => &mut recalled.kept,
                };
                asked.insert(question.func);
                continue;
            };
            recalled.complete &= record.complete;
            recalled.told.extend(told);
            recalled.count += 1;
            let record = Record { idle: 0, ..record.clone() };
            recalled.memory.records.insert(question.key.clone(), record);
        }
        recalled
    }

    /// A record's verdicts, with the places as they are now.
    fn told(&self, record: &Record) -> Option<Vec<report::Obligation>> {
        record.told.iter().map(|told| self.placed(told, &record.names)).collect()
    }

    fn placed(&self, told: &Told, names: &[String]) -> Option<report::Obligation> {
        let mut places = told.places.iter().map(|&place| {
            let at = self.inst(place, names)?;
            Some(location(self.program, at, self.settings))
        });
        let mut obligation: report::Obligation = serde_json::from_slice(&told.obligation).ok()?;
        obligation.location = places.next()??;
        for related in &mut obligation.related {
            related.location = places.next()??;
        }
        for step in &mut obligation.trace {
            step.location = places.next()??;
        }
        obligation.share_names();
        Some(obligation)
    }

    fn inst(&self, Place(name, number): Place, names: &[String]) -> Option<InstId> {
        let name = names.get(name as usize)?;
        let func = &self.program.funcs[*self.by_name.get(name.as_str())?];
        let (first, last) = (func.blocks.first()?, func.blocks.last()?);
        let first = self.program.blocks[first].insts.first()?;
        let inst = InstId::new(first.index() + number as usize);
        (inst <= self.program.blocks[last].insts.last()?).then_some(inst)
    }

    fn place(&self, at: InstId, names: &mut Names) -> Place {
        let id = self.program.func_of(at);
        let func = &self.program.funcs[id];
        let first = func.blocks.first().and_then(|block| self.program.blocks[block].insts.first());
        let number = at.index() - first.map_or(0, EntityRef::index);
        Place(names.row(id, &func.name), number as u32)
    }

    /// What is remembered of verdicts.
    fn record(
        &self,
        question: &Question,
        explored: &Explored,
        all: &[&(Obligation, Verdict)],
        told: &impl Fn(&Obligation, Verdict) -> report::Obligation,
    ) -> Option<Record> {
        let mut names = Names::default();
        let complete = is_complete_in(explored, question.func);
        let (mut depends, mut names_lines) = (!complete, false);
        let mut texts = Vec::with_capacity(all.len());
        for (obligation, verdict) in all {
            let at = places(obligation, verdict);
            let places = at.into_iter().map(|at| self.place(at, &mut names)).collect();
            let mut told = told(obligation, verdict.clone());
            depends |= depends_on_time(&told);
            names_lines |= names_line(&told);
            forget_places(&mut told);
            texts.push(Told { obligation: serde_json::to_vec(&told).ok()?, places });
        }
        Some(Record {
            told: texts,
            names: names.rows,
            complete,
            time: depends.then_some(self.settings.timeout),
            lines: names_lines.then_some(question.lines),
            idle: 0,
        })
    }

    /// What the exploration is asked.
    pub fn rest(&self, recalled: &Recalled) -> Rest<'_> {
        match recalled.count {
            0 => Rest::everything(&self.order),
            _ => {
                let (points, kept) = (recalled.points.clone(), recalled.kept.clone());
                Rest::of(&self.order, self.program, points, kept)
            }
        }
    }

    /// Whether everything was met in the functions that were asked about.
    pub fn is_complete(&self, explored: &Explored, recalled: &Recalled) -> bool {
        let mut asked = recalled.points.iter().chain(recalled.kept.iter());
        asked.all(|func| is_complete_in(explored, func))
    }

    /// Adds what came out to what is worth remembering.
    pub fn learn(
        &self,
        memory: &mut Memory,
        explored: &Explored,
        told: impl Fn(&Obligation, Verdict) -> report::Obligation,
    ) {
        let program = self.program;
        let mut by_question: FxHashMap<(FuncId, bool), Vec<&(Obligation, Verdict)>> =
            FxHashMap::default();
        for one in &explored.verdicts {
            let key = (program.func_of(one.0.at), Sort::of(&one.0) == Sort::Kept);
            by_question.entry(key).or_default().push(one);
        }
        for question in &self.questions {
            if memory.records.contains_key(&question.key) {
                continue;
            }
            let all = by_question.remove(&(question.func, question.sort == Sort::Kept));
            let all = all.unwrap_or_default();
            if let Some(record) = self.record(question, explored, &all, &told) {
                memory.records.insert(question.key.clone(), record);
            }
        }
        debug_assert!(by_question.is_empty(), "something came up where nothing was asked");
        // That would be a bug of ours, and it would not be told again.
        if !by_question.is_empty() {
            memory.records.clear();
        }
    }

    /// The names of the functions that are decided anew, for people.
    pub fn anew(&self, recalled: &Recalled) -> Vec<&'p str> {
        let asked = recalled.points.iter().chain(recalled.kept.iter());
        let mut names: Vec<&str> =
            asked.map(|func| self.program.funcs[func].name.as_str()).collect();
        names.sort_unstable();
        names.dedup();
        names
    }
}

/// Whether a call in a function may turn out to allocate. What does so for certain is marked there, and what the user's
/// own functions allocate is told in them.
fn may_allocate(program: &Program, func: FuncId) -> bool {
    let blocks = program.funcs[func].blocks.iter();
    let mut insts = blocks.flat_map(|block| program.blocks[block].insts.iter());
    insts.any(|inst| match program.insts[inst].inst {
        Inst::Call { callee: Callee::Direct(callee), .. } => models::is_model(program, callee),
        Inst::Call { callee: Callee::Indirect(_), .. } => true,
        _ => false,
    })
}

fn is_complete_in(explored: &Explored, func: FuncId) -> bool {
    explored.is_complete || explored.ahead.as_ref().is_some_and(|ahead| !ahead.contains(func))
}

/// The places that a verdict names, as [`Slices::placed`] reads them.
fn places(obligation: &Obligation, verdict: &Verdict) -> Vec<InstId> {
    let mut all = vec![obligation.at];
    if let Verdict::Unsafe(counterexample) = verdict {
        all.extend(counterexample.related.iter().map(|related| related.at));
        all.extend(counterexample.steps.iter().map(|step| step.at));
    }
    all
}

/// The places are put in again when it is recalled.
fn forget_places(obligation: &mut report::Obligation) {
    obligation.location = Location::default();
    obligation.related.iter_mut().for_each(|related| related.location = Location::default());
    obligation.trace.iter_mut().for_each(|step| step.location = Location::default());
}

/// The functions that a record names, each once.
#[derive(Default)]
struct Names {
    rows: Vec<String>,
    known: FxHashMap<FuncId, u32>,
}

impl Names {
    fn row(&mut self, func: FuncId, name: &str) -> u32 {
        *self.known.entry(func).or_insert_with(|| {
            self.rows.push(name.to_owned());
            self.rows.len() as u32 - 1
        })
    }
}

/// Whether a text says on which line something stands.
fn names_line(obligation: &report::Obligation) -> bool {
    let steps = obligation.trace.iter().map(|step| step.text.as_str());
    let related = obligation.related.iter().map(|related| related.text.as_str());
    steps.chain(related).any(cegas::names_line)
}

/// Whether more time, or a faster machine, might have told more.
pub fn depends_on_time(obligation: &report::Obligation) -> bool {
    match obligation.verdict {
        report::Verdict::Safe | report::Verdict::Unsafe => false,
        report::Verdict::Unknown { cause, .. } => match cause {
            Cause::Time | Cause::Memory | Cause::Solver | Cause::Unconfirmed => true,
            Cause::NotModelled | Cause::Doubt | Cause::StillReachable | Cause::Depth => false,
        },
    }
}

/// What is asked in a function, of one sort or of all.
fn asked_at(program: &Program, asked: &[&Obligation], sort: Option<Sort>) -> Vec<u8> {
    let mut text = Vec::new();
    for obligation in asked.iter().filter(|o| sort.is_none_or(|sort| Sort::of(o) == sort)) {
        let func = &program.funcs[program.func_of(obligation.at)];
        let first = func.blocks.first().and_then(|block| program.blocks[block].insts.first());
        let number = obligation.at.index() - first.map_or(0, EntityRef::index);
        text.extend(format!("{number} {}\n", obligation.rule).bytes());
    }
    text
}

/// What these functions are, whatever their ids.
fn together(parts: &SecondaryMap<FuncId, Option<Digest>>, funcs: &FuncSet) -> Digest {
    let mut all: Vec<Digest> = funcs.iter().filter_map(|func| parts[func]).collect();
    all.sort_unstable();
    digest(all.iter().map(|one| &one[..]))
}

/// Of parts with their lengths, so that no two lists run together.
fn digest<'a>(parts: impl IntoIterator<Item = &'a [u8]>) -> Digest {
    let mut hasher = blake3::Hasher::new();
    for part in parts {
        hasher.update(&(part.len() as u64).to_le_bytes());
        hasher.update(part);
    }
    *hasher.finalize().as_bytes()
}

/// The objects of a way in the order in which they are met: how many others there are is not told.
pub(super) fn number_objects(trace: &mut [report::Step]) {
    let mut met: FxHashMap<u32, u32> = FxHashMap::default();
    for object in trace.iter_mut().filter_map(|step| step.change.as_mut()?.object.as_mut()) {
        let next = met.len() as u32;
        *object = *met.entry(*object).or_insert(next);
    }
}
