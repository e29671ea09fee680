//! One page that holds everything: the findings with their traces to step through, the code they go through,
//! the values at each step, and the ledger. It loads nothing, so it can be mailed, kept and opened anywhere.
//!
//! Invariant: foreign text reaches the page as data only. It stands in one JSON element in which no `<`
//! occurs, and the script puts it into the document as text. The page's own policy forbids the network.

mod code;

use std::collections::BTreeMap;
use std::io::{self, Write};

use anyhow::Result;
use serde::Serialize;

use super::alike::alike;
use super::ledger::{self, Row, TargetRow};
use super::{Cause, Location, Obligation, Report, Sources, Verdict, way};
use crate::budgets::{HTML_ALL_STEPS, HTML_FINDINGS, HTML_STEPS, HTML_UNKNOWN};
use crate::config::Settings;
use crate::line::one_line;
use crate::rules::rule;
use crate::versions::Versions;
use code::Code;

const PAGE: &str = include_str!("page.html");
const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

/// Everything the page shows.
#[derive(Serialize)]
struct Data<'a> {
    tool: String,
    verdict: &'static str,
    /// What would decide most of what is open.
    next: Option<String>,
    findings: Vec<Finding<'a>>,
    /// Findings for which there was no room.
    left_out: usize,
    unknown: Vec<Unknown<'a>>,
    unknown_left_out: usize,
    rules: BTreeMap<&'static str, About>,
    by_rule: Vec<RuleRow>,
    by_target: Vec<TargetRow<'a>>,
    causes: BTreeMap<Cause, &'static str>,
    /// What could not be done and what else to know, as lines.
    notes: Vec<String>,
    code: Code,
}

#[derive(Serialize)]
struct Finding<'a> {
    rule: &'static str,
    message: String,
    at: Place<'a>,
    targets: Vec<&'a str>,
    related: Vec<Explaining<'a>>,
    steps: Vec<Shown<'a>>,
}

#[derive(Serialize)]
struct Place<'a> {
    file: &'a str,
    line: u32,
    function: &'a str,
}

/// A step: its number in the whole trace, and what the page says of it.
#[derive(Serialize)]
struct Shown<'a> {
    number: usize,
    /// How many steps before it are not shown.
    #[serde(skip_serializing_if = "is_none")]
    left_out: usize,
    #[serde(flatten)]
    at: Place<'a>,
    depth: u32,
    text: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    change: Option<&'a super::Change>,
}

fn is_none(count: &usize) -> bool {
    *count == 0
}

/// A place that explains a finding.
#[derive(Serialize)]
struct Explaining<'a> {
    #[serde(flatten)]
    at: Place<'a>,
    text: &'a str,
}

#[derive(Serialize)]
struct Unknown<'a> {
    rule: &'static str,
    at: Place<'a>,
    reason: String,
}

#[derive(Serialize)]
struct About {
    summary: &'static str,
    doc: &'static str,
    good: &'static str,
}

#[derive(Serialize)]
struct RuleRow {
    rule: &'static str,
    #[serde(flatten)]
    row: Row,
}

/// The report as one page.
pub fn write(
    report: &Report,
    sources: &Sources,
    settings: &Settings,
    versions: &Versions,
    out: &mut dyn Write,
) -> Result<()> {
    let mut rest = PAGE;
    // In the order in which they stand; what is put in is not looked at again.
    for (mark, text) in [("{style}", Some(STYLE)), ("{data}", None), ("{script}", Some(SCRIPT))] {
        let (before, after) = rest.split_once(mark).unwrap_or((rest, ""));
        out.write_all(before.as_bytes())?;
        match text {
            Some(text) => out.write_all(text.as_bytes())?,
            None => {
                let data = data(report, sources, settings, versions);
                serde_json::to_writer(Quoted(out), &data)?;
            }
        }
        rest = after;
    }
    Ok(out.write_all(rest.as_bytes())?)
}

/// JSON that can neither end the element it stands in nor begin a comment there.
struct Quoted<'o>(&'o mut dyn Write);

impl Write for Quoted<'_> {
    fn write(&mut self, json: &[u8]) -> io::Result<usize> {
        let mut plain = json;
        while let Some(at) = plain.iter().position(|byte| matches!(byte, b'<' | b'>' | b'&')) {
            self.0.write_all(&plain[..at])?;
            write!(self.0, "\\u{:04x}", plain[at])?;
            plain = &plain[at + 1..];
        }
        self.0.write_all(plain)?;
        Ok(json.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

fn data<'a>(
    report: &'a Report,
    sources: &Sources,
    settings: &Settings,
    versions: &Versions,
) -> Data<'a> {
    let (findings, left_out) = findings(report);
    let (unknown, unknown_left_out) = unknown(report);
    let places = findings.iter().flat_map(|f| {
        let steps = f.steps.iter().map(|step| &step.at);
        let related = f.related.iter().map(|related| &related.at);
        std::iter::once(&f.at).chain(related).chain(steps).map(|at| (at.file, at.line))
    });
    let code = Code::around(places, sources);
    let rules = findings.iter().filter_map(|f| rule(f.rule));
    let own = env!("CARGO_PKG_VERSION");
    let causes = report.obligations.iter().filter_map(|o| match o.verdict {
        Verdict::Unknown { cause, .. } => Some((cause, cause.name())),
        Verdict::Safe | Verdict::Unsafe => None,
    });
    Data {
        tool: format!("cegas-scan {own} (LLVM {}, Z3 {})", versions.llvm, versions.z3),
        verdict: report.verdict().name(),
        next: ledger::next_step(report, settings),
        rules: rules
            .map(|r| (r.id, About { summary: r.summary, doc: r.doc, good: r.good }))
            .collect(),
        by_rule: ledger::by_rule(report)
            .into_iter()
            .map(|(rule, row)| RuleRow { rule, row })
            .collect(),
        by_target: ledger::by_target(report),
        causes: causes.collect(),
        notes: notes(report),
        findings,
        left_out,
        unknown,
        unknown_left_out,
        code,
    }
}

/// What is told once for several targets is shown once, with the first one's story.
fn findings(report: &Report) -> (Vec<Finding<'_>>, usize) {
    let mut told = std::collections::BTreeSet::new();
    let mut steps = HTML_ALL_STEPS;
    let mut left_out = 0;
    let mut shown = Vec::new();
    for found in report.findings() {
        if !told.insert((found.rule, &found.location, &found.message)) {
            continue;
        }
        if shown.len() == HTML_FINDINGS {
            left_out += 1;
            continue;
        }
        let most = HTML_STEPS.min(steps);
        steps -= found.trace.len().min(most);
        shown.push(Finding {
            rule: found.rule,
            message: match found.is_assumed() {
                true => {
                    let assumed = found.assumes.join("; ");
                    one_line(&format!("{} (assuming: {assumed})", found.message))
                }
                false => one_line(&found.message),
            },
            at: place(&found.location),
            targets: found.targets.iter().map(String::as_str).collect(),
            related: found
                .related
                .iter()
                .map(|related| Explaining { at: place(&related.location), text: &related.text })
                .collect(),
            steps: trace(found, most),
        });
    }
    (shown, left_out)
}

/// At most so many steps, the middle left out.
fn trace(found: &Obligation, most: usize) -> Vec<Shown<'_>> {
    let told = way::fold(found.trace.iter(), most.div_ceil(2), most / 2).into_iter();
    told.map(|told| Shown {
        number: told.number,
        left_out: told.left_out(),
        at: place(&told.step.location),
        depth: told.step.depth,
        text: one_line(&told.step.text),
        change: told.step.change.as_ref(),
    })
    .collect()
}

fn unknown(report: &Report) -> (Vec<Unknown<'_>>, usize) {
    let all = report.obligations.iter().filter(|o| o.silenced.is_none());
    let all = all.filter_map(|o| match &o.verdict {
        Verdict::Unknown { reason, .. } => {
            Some(Unknown { rule: o.rule, at: place(&o.location), reason: one_line(reason) })
        }
        Verdict::Safe | Verdict::Unsafe => None,
    });
    let mut all: Vec<_> = all.collect();
    let left_out = all.len().saturating_sub(HTML_UNKNOWN);
    all.truncate(HTML_UNKNOWN);
    (all, left_out)
}

fn notes(report: &Report) -> Vec<String> {
    let failed = alike(report.failed.iter().map(|f| (f.file.as_str(), f.error.as_str())));
    let failed = failed.into_iter().map(|(files, error)| format!("{files}: not analysed: {error}"));
    let targets = report.targets.iter().filter_map(|target| {
        let failure = target.failure.as_ref()?;
        Some(format!("{}: no model: {failure}", target.name))
    });
    let skipped = alike(report.skipped.iter().map(|s| (s.file.as_str(), s.reason.as_str())));
    let skipped = skipped.into_iter().map(|(files, reason)| format!("{files}: skipped: {reason}"));
    let notes = report.notes.iter().map(|n| (n.about.as_deref().unwrap_or(""), n.text.as_str()));
    let notes = alike(notes).into_iter().map(|(about, text)| match about.as_str() {
        "" => text.to_owned(),
        about => format!("{about}: {text}"),
    });
    failed.chain(targets).chain(skipped).chain(notes).map(|line| one_line(&line)).collect()
}

fn place(at: &Location) -> Place<'_> {
    Place { file: &at.file, line: at.line, function: &at.function }
}
