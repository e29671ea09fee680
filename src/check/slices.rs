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

use super::memory::Shelf;
use super::models;
use super::places::{Names, Places, Told, depends_on_time, names_line, places};
use super::texts::{self, Texts};
use crate::cegas::{Explored, Rest, Verdict};
use crate::config::Settings;
use crate::ir::{Callee, Digest, FuncId, Inst, Program};
use crate::order::{FuncSet, Order};
use crate::pta::PointsTo;
use crate::report;
use crate::rules::{Demand, Obligation};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// The verdicts on the obligations of one function that are of one kind.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Record {
    told: Vec<Told>,
    /// The functions in which something of it stands.
    names: Vec<String>,
    /// All that is asked there was met.
    complete: bool,
    /// How much time there was, if more might have told more.
    time: Option<Duration>,
    /// Where the functions stood, if a text says so.
    lines: Option<Digest>,
}

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
    places: Places<'p>,
}

/// What is known, and what is left to ask.
pub(super) struct Recalled {
    pub told: Vec<report::Obligation>,
    pub complete: bool,
    pub points: FuncSet,
    pub kept: FuncSet,
    /// How many of the questions are known.
    pub count: usize,
    pub memory: Shelf<Record>,
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
            places: Places::new(program, settings),
        };
        slices.ask(answer, open);
        Some(slices)
    }

    /// The functions of which something may have to be told, and what that depends on.
    fn ask(&mut self, answer: &PointsTo, open: &[Obligation]) {
        let program = self.program;
        let marks = texts::asked(program, open);
        let is_model = |func: FuncId| models::is_model(program, func);
        let asks_kept = open.iter().any(|o| Sort::of(o) == Sort::Kept);
        let in_models = open.iter().any(|o| is_model(program.func_of(o.at)));
        let texts = Texts::new(program, &marks);
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
                        let new = (texts.together(funcs.iter()), texts.lines(funcs.iter()));
                        known.insert(funcs, new);
                        new
                    }
                };
                let own = marks[func].iter().copied().filter(|o| Sort::of(o) == sort);
                let own = texts::asked_at(program, own);
                let key = texts.key(func, [&[sort as u8], &text[..], &own]);
                questions.push(Question { func, sort, key, lines });
            }
        }
        self.questions = questions;
    }

    /// What is known of it all.
    pub fn recall(&self, memory: &Shelf<Record>) -> Recalled {
        let mut recalled = Recalled {
            told: Vec::new(),
            complete: true,
            points: FuncSet::default(),
            kept: FuncSet::default(),
            count: 0,
            memory: Shelf::default(),
        };
        for question in &self.questions {
            let record = memory.get(&question.key);
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
            recalled.memory.put(&question.key, record.clone());
        }
        recalled
    }

    /// A record's verdicts, with the places as they are now.
    fn told(&self, record: &Record) -> Option<Vec<report::Obligation>> {
        record.told.iter().map(|told| self.places.placed(told, &record.names)).collect()
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
            let told = told(obligation, verdict.clone());
            depends |= depends_on_time(&told);
            names_lines |= names_line(&told);
            texts.push(self.places.taken(told, places(obligation, verdict), &mut names)?);
        }
        Some(Record {
            told: texts,
            names: names.rows,
            complete,
            time: depends.then_some(self.settings.timeout),
            lines: names_lines.then_some(question.lines),
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
        memory: &mut Shelf<Record>,
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
            if memory.has(&question.key) {
                continue;
            }
            let all = by_question.remove(&(question.func, question.sort == Sort::Kept));
            let all = all.unwrap_or_default();
            if let Some(record) = self.record(question, explored, &all, &told) {
                memory.put(&question.key, record);
            }
        }
        debug_assert!(by_question.is_empty(), "something came up where nothing was asked");
        // That would be a bug of ours, and it would not be told again.
        if !by_question.is_empty() {
            memory.clear();
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
