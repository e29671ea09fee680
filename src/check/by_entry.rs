//! What was said from the entries of a library, known from an earlier scan.
//!
//! An execution from an entry runs what the entry can come to, after the constructors. What it does is said by the text of
//! these functions, by the contents of the variables they mention and by what the entry is given; so what was said holds
//! as long as these are the same, and the same is asked there.
//!
//! Invariant: what is recalled is what would be said, but for what time and memory allow: that is taken again when
//! there is not more time than it was given. An obligation is known by the place where it was marked, since ids change.

use super::library::{Answer, Answers, Said, Unsure};
use super::models;
use super::places::{Names, Place, Places, Told, is_of_time, names_line};
use super::texts::{self, Asked, Texts};
use crate::config::Settings;
use crate::entries::{Entry, Given, Globals, Reach};
use crate::ir::{Digest, FuncId, InstId, Program};
use crate::report::Cause;
use crate::rules::{Demand, Obligation};
use cranelift_entity::{EntitySet, SecondaryMap};
use rustc_hash::{FxHashMap, FxHashSet};
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// What was said from one entry.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Record {
    /// The functions, rules and reasons that it names.
    names: Vec<String>,
    rules: Vec<String>,
    reasons: Vec<(String, Cause)>,
    full: Coded,
    configured: Option<Coded>,
    /// How much time there was, if more might have told more.
    time: Option<Duration>,
    /// Where the functions stood, if a text says so.
    lines: Option<Digest>,
}

/// Answers, most of which are the same.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Coded {
    is_complete: bool,
    /// What is said of all that is asked and not listed.
    common: Code,
    listed: Vec<(Which, Code)>,
    violated: Vec<(Which, Told)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
enum Code {
    NotSpoken,
    Safe,
    /// For the reason in that row.
    Unknown(u32),
}

/// An obligation: where it stands, and where what it demands was marked, as which of those of its rule.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
struct Which {
    at: Place,
    marked: Place,
    rule: u32,
    number: u32,
}

/// A program and what is asked there.
pub(super) struct ByEntry<'a> {
    program: &'a Program,
    settings: &'a Settings,
    asked: Asked<'a>,
    /// What is demanded at each place for each rule, in the order in which it was marked.
    demands: FxHashMap<(InstId, &'a str), Vec<&'a Obligation>>,
    /// What is asked in each function.
    questions: SecondaryMap<FuncId, Digest>,
    texts: Texts<'a>,
    places: Places<'a>,
    /// What runs before and after all.
    around: EntitySet<FuncId>,
}

/// What the answers from an entry depend on.
pub(super) struct Question {
    pub key: String,
    lines: Digest,
}

impl<'a> ByEntry<'a> {
    pub fn new(
        program: &'a Program,
        settings: &'a Settings,
        open: &'a [Obligation],
        reach: &Reach<'_>,
    ) -> Self {
        let asked = texts::asked(program, open);
        let texts = Texts::new(program, &asked);
        let mut around = EntitySet::new();
        for &func in program.constructors.iter().chain(&program.destructors) {
            around.extend(reach.funcs(func).iter());
        }
        let mut demands: FxHashMap<(InstId, &str), Vec<&Obligation>> = FxHashMap::default();
        open.iter().for_each(|o| demands.entry((o.at, o.rule)).or_default().push(o));
        let mut questions = SecondaryMap::new();
        for (func, function) in &program.funcs {
            let here = texts::asked_at(program, asked[func].iter().copied());
            questions[func] = texts::digest([function.name.as_bytes(), &here]);
        }
        let places = Places::new(program, settings);
        ByEntry { program, settings, asked, demands, questions, texts, places, around }
    }

    pub fn question(&self, entry: &Entry, reached: &EntitySet<FuncId>) -> Question {
        let mut all = reached.clone();
        all.extend(self.around.iter());
        let name = |func: FuncId| self.program.funcs[func].name.as_bytes();
        let mut funcs: Vec<FuncId> = reached.iter().collect();
        funcs.sort_by_key(|&func| name(func));
        let asked = texts::digest(funcs.iter().map(|&func| &self.questions[func][..]));
        let text = self.texts.together(all.iter());
        let described = self.described(entry);
        let key = self.texts.key(entry.func, [described.as_bytes(), &text, &asked]);
        Question { key, lines: self.texts.lines(all.iter()) }
    }

    /// What an entry is given. The types of parameters are part of the function's text.
    fn described(&self, entry: &Entry) -> String {
        let mut text = format!("{} {:?}\n", entry.of_library, entry.assumes);
        for given in entry.params.iter().flatten() {
            text += &match given {
                Given::Object { pointee, size, null } => {
                    format!("{} {size:?} {null:?}\n", pointee.is_some())
                }
                other => format!("{other:?}\n"),
            };
        }
        match &entry.globals {
            Globals::Initial => text += "initial",
            Globals::Changed(changed) => {
                let names = changed.iter().map(|&global| &self.program.globals[global].name);
                let mut names: Vec<&String> = names.collect();
                names.sort_unstable();
                text += &format!("{names:?}");
            }
        }
        text
    }

    /// What is known of an entry: with every value that variables may have, and as they are configured.
    pub fn recall(
        &self,
        record: &Record,
        question: &Question,
        reached: &EntitySet<FuncId>,
    ) -> Option<(Answers, Option<Answers>)> {
        if record.time.is_some_and(|time| self.settings.timeout > time)
            || record.lines.is_some_and(|lines| lines != question.lines)
        {
            return None;
        }
        let full = self.answers(&record.full, record, reached)?;
        let configured = match &record.configured {
            Some(coded) => Some(self.answers(coded, record, reached)?),
            None => None,
        };
        Some((full, configured))
    }

    fn answers(
        &self,
        coded: &Coded,
        record: &Record,
        reached: &EntitySet<FuncId>,
    ) -> Option<Answers> {
        let mut known: FxHashMap<(InstId, &str, u32), Option<Answer>> = FxHashMap::default();
        let mut all: Vec<(Obligation, Answer)> = Vec::new();
        let listed = coded.listed.iter().map(|(which, code)| (which, self.answer(*code, record)));
        let violated = coded.violated.iter().map(|(which, told)| {
            let told = Box::new(self.places.placed(told, &record.names)?);
            Some((which, Some(Answer::Unsafe { told, at: Vec::new() })))
        });
        for one in listed.map(|(which, answer)| Some((which, answer?))).chain(violated) {
            let (which, answer) = one?;
            let obligation = self.obligation(which, record)?;
            let at = self.places.inst(which.at, &record.names)?;
            if obligation.at == at {
                known.insert((at, obligation.rule, which.number), answer);
            } else if let Some(answer) = answer {
                all.push((Obligation { at, ..obligation }, answer));
            }
        }
        let mut met = FxHashSet::default();
        for marked in self.own(reached) {
            let key = (marked.at, marked.rule, self.number(marked)?);
            let answer = match known.get(&key) {
                Some(answer) => {
                    met.insert(key);
                    answer.clone()
                }
                None => self.answer(coded.common, record)?,
            };
            all.extend(answer.map(|answer| (*marked, answer)));
        }
        // All that is listed is asked.
        (met.len() == known.len()).then_some(Answers { all, is_complete: coded.is_complete })
    }

    /// What a code says, if it says anything; nothing at all for a damaged one.
    fn answer(&self, code: Code, record: &Record) -> Option<Option<Answer>> {
        Some(match code {
            Code::NotSpoken => None,
            Code::Safe => Some(Answer::Safe),
            Code::Unknown(row) => {
                let (reason, cause) = record.reasons.get(row as usize)?.clone();
                Some(Answer::Unknown(Unsure { reason, cause }))
            }
        })
    }

    /// The obligations that are asked in what an entry can come to.
    fn own(&self, reached: &EntitySet<FuncId>) -> impl Iterator<Item = &'a Obligation> {
        let own: Vec<&'a Obligation> = reached
            .iter()
            .filter(|&func| !models::is_model(self.program, func))
            .flat_map(|func| self.asked[func].iter().copied())
            .collect();
        own.into_iter()
    }

    /// What was marked there.
    fn obligation(&self, which: &Which, record: &Record) -> Option<Obligation> {
        let at = self.places.inst(which.marked, &record.names)?;
        let rule = record.rules.get(which.rule as usize)?;
        let here = self.demands.get(&(at, rule.as_str()))?;
        here.get(which.number as usize).map(|o| **o)
    }

    /// Which of those at its place it is.
    fn number(&self, marked: &Obligation) -> Option<u32> {
        let here = self.demands.get(&(marked.at, marked.rule))?;
        here.iter().position(|o| o.demand == marked.demand).map(|number| number as u32)
    }

    /// What is worth remembering of what was said.
    pub fn record(&self, said: &Said<'_>, question: &Question) -> Option<Record> {
        let full = said.full.as_ref()?;
        let mut coder = Coder {
            of: self,
            reached: &said.reached,
            marked_inside: FxHashMap::default(),
            names: Names::default(),
            rules: Vec::new(),
            reasons: Vec::new(),
            names_lines: false,
        };
        let coded = coder.coded(full)?;
        let configured = match &said.configured {
            Some((_, answers)) => Some(coder.coded(answers)?),
            None => None,
        };
        let is_complete = full.is_complete && configured.as_ref().is_none_or(|c| c.is_complete);
        let depends = !is_complete || coder.reasons.iter().any(|(_, cause)| is_of_time(*cause));
        // What a limit for all targets left to this one is not known to the next scan.
        if depends && self.settings.target_time.is_some() {
            return None;
        }
        Some(Record {
            names: coder.names.rows,
            rules: coder.rules,
            reasons: coder.reasons,
            full: coded,
            configured,
            time: depends.then_some(self.settings.timeout),
            lines: coder.names_lines.then_some(question.lines),
        })
    }
}

/// Turns answers into a record.
struct Coder<'c, 'a> {
    of: &'c ByEntry<'a>,
    reached: &'c EntitySet<FuncId>,
    /// What is demanded inside models, by rule, when it was asked for.
    marked_inside: FxHashMap<&'static str, Vec<&'a Obligation>>,
    names: Names,
    rules: Vec<String>,
    reasons: Vec<(String, Cause)>,
    names_lines: bool,
}

impl<'a> Coder<'_, 'a> {
    fn coded(&mut self, answers: &Answers) -> Option<Coded> {
        // What is violated has no code.
        type Codes = Vec<(Demand, Option<Code>)>;
        let mut codes: FxHashMap<(InstId, &str), Codes> = FxHashMap::default();
        let (mut listed, mut violated) = (Vec::new(), Vec::new());
        for (obligation, answer) in &answers.all {
            let code = match answer {
                Answer::Safe => Some(Code::Safe),
                Answer::Unknown(unsure) => Some(Code::Unknown(self.reason(unsure))),
                Answer::Unsafe { told, at } => {
                    self.names_lines |= names_line(told);
                    let which = self.which(obligation)?;
                    let told =
                        self.of.places.taken((**told).clone(), at.clone(), &mut self.names)?;
                    violated.push((which, told));
                    None
                }
            };
            if self.is_marked(obligation) {
                let here = codes.entry((obligation.at, obligation.rule)).or_default();
                here.push((obligation.demand, code));
            } else if let Some(code) = code {
                listed.push((self.which(obligation)?, code));
            }
        }
        let coded = |marked: &'a Obligation| {
            let mut here = codes.get(&(marked.at, marked.rule)).into_iter().flatten();
            let known = here.find(|(demand, _)| *demand == marked.demand);
            Some((marked, known.map_or(Some(Code::NotSpoken), |(_, code)| *code)?))
        };
        let own: Vec<(&Obligation, Code)> = self.of.own(self.reached).filter_map(coded).collect();
        let mut counts: FxHashMap<Code, usize> = FxHashMap::default();
        own.iter().for_each(|(_, code)| *counts.entry(*code).or_default() += 1);
        let common = counts.into_iter().max_by_key(|&(code, count)| (count, code));
        let common = common.map_or(Code::NotSpoken, |(code, _)| code);
        for (marked, code) in own {
            if code != common {
                listed.push((self.which(marked)?, code));
            }
        }
        Some(Coded { is_complete: answers.is_complete, common, listed, violated })
    }

    fn is_marked(&self, obligation: &Obligation) -> bool {
        self.of.number(obligation).is_some()
    }

    /// Where what it demands was marked: where it stands, or in a model that it calls.
    fn which(&mut self, obligation: &Obligation) -> Option<Which> {
        let marked = if self.is_marked(obligation) {
            *obligation
        } else {
            let (of, reached) = (self.of, self.reached);
            let inside = self.marked_inside.entry(obligation.rule).or_insert_with(|| {
                let models = reached.iter().filter(|&func| models::is_model(of.program, func));
                let marked = models.flat_map(|func| of.asked[func].iter().copied());
                marked.filter(|o| o.rule == obligation.rule).collect()
            });
            **inside.iter().find(|o| o.demand == obligation.demand)?
        };
        let number = self.of.number(&marked)?;
        let rule =
            row(&mut self.rules, |known| known == obligation.rule, || obligation.rule.to_owned());
        Some(Which {
            at: self.of.places.place(obligation.at, &mut self.names),
            marked: self.of.places.place(marked.at, &mut self.names),
            rule,
            number,
        })
    }

    fn reason(&mut self, unsure: &Unsure) -> u32 {
        let Unsure { reason, cause } = unsure;
        let is_known = |(known, why): &(String, Cause)| known == reason && why == cause;
        row(&mut self.reasons, is_known, || (reason.clone(), *cause))
    }
}

/// The row of something, which is new if no row is it.
fn row<T>(rows: &mut Vec<T>, is_it: impl Fn(&T) -> bool, new: impl FnOnce() -> T) -> u32 {
    let known = rows.iter().position(is_it);
    known.unwrap_or_else(|| {
        rows.push(new());
        rows.len() - 1
    }) as u32
}
