//! The account at the end: what came of the obligations of each rule and of each target, and what would help
//! most cheaply.

use std::collections::BTreeMap;

use serde::Serialize;

use super::{Cause, Obligation, Report, Verdict};
use crate::config::Settings;
use crate::line::one_line;
use crate::rules::RULES;

/// What came of some obligations.
#[derive(Debug, Default, PartialEq, Eq, Serialize)]
pub struct Row {
    pub proved: usize,
    pub violated: usize,
    /// Violated, but only if callers from outside do as is assumed of them.
    #[serde(skip_serializing_if = "is_none")]
    pub assumed: usize,
    /// Why the others are not decided, with how often.
    pub unknown: BTreeMap<Cause, usize>,
    /// Violated or unknown, but not to be told.
    pub silenced: usize,
}

impl Row {
    pub fn undecided(&self) -> usize {
        self.unknown.values().sum()
    }

    fn count(&mut self, obligation: &Obligation) {
        match &obligation.verdict {
            Verdict::Safe => self.proved += 1,
            Verdict::Unsafe if obligation.is_assumed() => self.assumed += 1,
            Verdict::Unsafe => self.violated += 1,
            Verdict::Unknown { cause, .. } => *self.unknown.entry(*cause).or_default() += 1,
        }
        self.silenced += usize::from(obligation.silenced.is_some());
    }
}

fn is_none(count: &usize) -> bool {
    *count == 0
}

/// A target's row, and why it says nothing if it was not analysed.
#[derive(Debug, Serialize)]
pub struct TargetRow<'a> {
    pub target: &'a str,
    #[serde(flatten)]
    pub row: Row,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub not_analysed: Option<String>,
    /// Where the code of a library is judged instead.
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    pub judged_in: &'a [String],
}

impl TargetRow<'_> {
    /// What else there is to say of the target.
    fn remarks(&self) -> Vec<String> {
        let mut remarks = Vec::new();
        if !self.judged_in.is_empty() {
            remarks.push(format!("judged in {}", one_line(&self.judged_in.join(", "))));
        }
        remarks.extend(self.not_analysed.iter().map(|why| format!("not analysed: {why}")));
        remarks
    }
}

/// The rows of the rules that had something to decide, in the order of `RULES`.
pub fn by_rule(report: &Report) -> Vec<(&'static str, Row)> {
    let mut rows: BTreeMap<&str, Row> = BTreeMap::new();
    for obligation in &report.obligations {
        rows.entry(obligation.rule).or_default().count(obligation);
    }
    RULES.iter().filter_map(|rule| Some((rule.id, rows.remove(rule.id)?))).collect()
}

/// The rows of all targets, in the order of the report.
pub fn by_target(report: &Report) -> Vec<TargetRow<'_>> {
    let mut rows: BTreeMap<&str, Row> = BTreeMap::new();
    for obligation in &report.obligations {
        for target in &obligation.targets {
            rows.entry(target).or_default().count(obligation);
        }
    }
    let targets = report.targets.iter().map(|target| {
        let row = rows.remove(target.name.as_str());
        let not_analysed = match (&target.failure, target.uncalled.len()) {
            (Some(_), _) => Some("no model".to_owned()),
            (None, 0) => None,
            (None, 1) => Some("1 function that no program comes to".to_owned()),
            (None, n) => Some(format!("{n} functions that no program comes to")),
        };
        let (target, judged_in) = (&target.name, &target.judged_in[..]);
        TargetRow { target, row: row.unwrap_or_default(), not_analysed, judged_in }
    });
    targets.collect()
}

/// The tables: one line for each rule, then one for each target if there are several.
pub fn table(report: &Report) -> String {
    let mut text = String::new();
    let rules = by_rule(report);
    if !rules.is_empty() {
        let rows: Vec<_> =
            rules.iter().map(|(id, row)| ((*id).to_owned(), row, Vec::new())).collect();
        push_table(&mut text, "rule", &rows);
    }
    let targets = by_target(report);
    if targets.len() > 1 && targets.iter().any(|t| t.row != Row::default()) {
        let rows: Vec<_> =
            targets.iter().map(|t| (one_line(t.target), &t.row, t.remarks())).collect();
        text.push('\n');
        push_table(&mut text, "target", &rows);
    }
    text
}

fn push_table(text: &mut String, title: &str, rows: &[(String, &Row, Vec<String>)]) {
    let names = rows.iter().map(|(name, ..)| name.chars().count());
    let width = names.max().unwrap_or(0).max(title.len());
    *text += &format!("{title:width$}  proved  violated  unknown\n");
    for (name, row, remarks) in rows {
        let mut reasons: Vec<String> =
            row.unknown.iter().map(|(cause, count)| format!("{} {count}", cause.name())).collect();
        if row.assumed > 0 {
            reasons.push(format!("violated under assumptions {}", row.assumed));
        }
        if row.silenced > 0 {
            reasons.push(format!("silenced {}", row.silenced));
        }
        reasons.extend_from_slice(remarks);
        let (proved, violated, unknown) = (row.proved, row.violated, row.undecided());
        let line = format!(
            "{name:width$}  {proved:>6}  {violated:>8}  {unknown:>7}  {}",
            reasons.join(", ")
        );
        *text += line.trim_end();
        text.push('\n');
    }
}

/// What would decide most of what is open at the least cost, in one line.
pub fn next_step(report: &Report, settings: &Settings) -> Option<String> {
    let mut causes: BTreeMap<Cause, usize> = BTreeMap::new();
    for obligation in report.obligations.iter().filter(|o| o.silenced.is_none()) {
        if let Verdict::Unknown { cause, .. } = obligation.verdict {
            *causes.entry(cause).or_default() += 1;
        }
    }
    // The order of `Cause` is the order of cost; the user pays in time before anything else.
    let Some((cause, count)) = causes.into_iter().next() else { return without_entry(report) };
    let name = cause.name();
    let what = match cause {
        Cause::Time => format!("try --timeout {}", longer(settings.timeout.as_secs_f64())),
        Cause::Memory => "try -j1, or one target at a time with --target NAME".to_owned(),
        Cause::NotModelled => {
            "scan the whole program, or give the functions named above a body".to_owned()
        }
        Cause::Doubt => "look at these first: each is a suspected violation".to_owned(),
        Cause::StillReachable => "free it before the program ends, or say why not to".to_owned(),
        Cause::Depth => "bound the recursion, or start nearer with --entry FUNCTION".to_owned(),
        Cause::Solver | Cause::Unconfirmed => {
            "start nearer to them with --entry FUNCTION".to_owned()
        }
    };
    Some(format!("{count} unknown: {name}; {what}"))
}

/// Six times the time, in a round number of seconds.
fn longer(seconds: f64) -> u64 {
    // Seconds are at most a week's, so nothing is lost.
    let more = (seconds * 6.0).ceil() as u64;
    if more > 10 { more.div_ceil(10) * 10 } else { more.max(1) }
}

/// A library with functions that nobody calls.
fn without_entry(report: &Report) -> Option<String> {
    let library = report.targets.iter().find(|target| !target.uncalled.is_empty())?;
    let name = one_line(&library.name);
    Some(format!("{name} has functions that no program comes to; try --target {name}"))
}

#[cfg(test)]
mod tests {
    use super::longer;

    #[test]
    fn more_time_is_a_round_number() {
        assert_eq!([10.0, 0.1, 1.0, 2.5, 60.0].map(longer), [60, 1, 6, 20, 360]);
    }
}
