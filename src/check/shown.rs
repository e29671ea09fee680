//! What `--dump` shows of deciding: what is settled at once, what the rest asks of the solver, and how Algorithm 2 goes.

use super::engines::{decide, is_assertion, undecided};
use super::{Marked, budget, entries_of, location, marked, options, wanted};
use crate::cancel::Cancel;
use crate::cegas::Task;
use crate::cegas::refine::{Decider, Question};
use crate::config::Settings;
use crate::entries::Entry;
use crate::ir::{self, Program};
use crate::library as models;
use crate::pta;
use crate::rules::{self, Obligation};

/// What is settled at once, by rule, and what is left, for `--dump=prefilter`.
pub fn left(program: &Program, settings: &Settings) -> String {
    let Marked { mut settled, given, open, .. } =
        marked(program, &entries_of(program, settings), settings);
    settled.extend(given);
    let own = |o: &&Obligation| !models::is_model(program, program.func_of(o.at));
    let count = |of: &[Obligation], rule: &str| {
        of.iter().filter(own).filter(|o| rule.is_empty() || o.rule == rule).count()
    };
    let mut text = format!("{}\n", program.name);
    let rules = settings.rules.iter().copied().map(|rule| (rule, rule));
    for (name, rule) in rules.chain([("all", "")]) {
        let (done, left) = (count(&settled, rule), count(&open, rule));
        if done + left > 0 {
            let share = 100.0 * done as f64 / (done + left) as f64;
            text += &format!("{name:>16}: {done} of {} settled ({share:.1} %)\n", done + left);
        }
    }
    for obligation in open.iter().filter(own) {
        let place = location(program, obligation.at, settings);
        let inst = ir::print_inst(program, obligation.at);
        let (file, line, rule) = (place.file, place.line, obligation.rule);
        text += &format!("{file}:{line}: {rule}: {}: {}\n", place.function, inst.trim());
    }
    text
}

/// What deciding all obligations from one entry takes of the solver, for `--dump=questions`.
pub fn questions(program: &Program, settings: &Settings, cancel: &Cancel) -> String {
    let entries = entries_of(program, settings);
    let [entry @ Entry { params: None, .. }] = &entries[..] else { return String::new() };
    let Marked { settled, open, .. } = marked(program, &entries, settings);
    let task = Task {
        program,
        entry,
        obligations: &open,
        options: options(settings),
        budget: budget(settings),
        cancel,
        rest: None,
        found: None,
        only: None,
    };
    let explored = decide(&task, settings, &mut String::new()).unwrap_or_else(|| undecided(&open));
    let (name, all) = (&program.name, settled.len() + open.len());
    let asked = explored.asked.told();
    format!("{name}: {} of {all} obligations need none; {asked}\n", settled.len())
}

/// How Algorithm 2 decides each assertion, for `--dump=cegas`: also those that are settled before.
pub fn story(program: &Program, settings: &Settings, cancel: &Cancel) -> String {
    let entries = entries_of(program, settings);
    let [Entry { func: entry, params: None, .. }] = entries[..] else { return String::new() };
    let obligations = wanted(program, settings);
    let points_to = pta::analyse(program, &pta::Options::default());
    let options = options(settings);
    let question = Question {
        program,
        entry,
        points_to: &points_to,
        obligations: &obligations,
        options,
        time: settings.timeout,
        cancel,
    };
    let mut decider = Decider::new(question);
    let mut text = String::new();
    for target in obligations.iter().filter(|o| is_assertion(program, o)) {
        let place = location(program, target.at, settings);
        let message = rules::message(program, target);
        text += &format!("{}:{}: {message}?\n", place.file, place.line);
        text += &decider.tell(*target);
    }
    text
}
