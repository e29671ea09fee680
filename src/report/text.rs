//! The report for people: findings, targets with the size of their models, and what could not be done.

use std::collections::BTreeSet;
use std::io::{self, Write};

use anstyle::{AnsiColor, Style};

use super::alike::{SHOWN, alike, some};
use super::{Obligation, Overall, Report, Sources, Target, Verdict, diagnostic, ledger};
use crate::config::Settings;
use crate::line::one_line;

const STRONG: Style = Style::new().bold();
const DOUBT: Style = AnsiColor::Yellow.on_default().bold();

/// Prints the report on standard output, in colour if that is a terminal.
pub fn print(report: &Report, sources: &Sources, settings: &Settings) -> io::Result<()> {
    let mut out = anstream::stdout().lock();
    out.write_all(render(report, sources, settings).as_bytes())?;
    out.flush()
}

/// The report as text with colours.
pub fn render(report: &Report, sources: &Sources, settings: &Settings) -> String {
    let mut text = String::new();
    let mut told = BTreeSet::new();
    // What a program itself does takes precedence over what a caller from outside might do.
    let (assumed, plain): (Vec<_>, Vec<_>) = report.findings().partition(|o| o.is_assumed());
    for finding in plain.into_iter().chain(assumed) {
        // What several targets share is told once.
        if told.insert((finding.rule, &finding.location, &finding.message)) {
            text += &diagnostic::render(finding, sources);
        }
    }
    push_failed(&mut text, report);
    if settings.quiet {
        return text;
    }
    push_unknown(&mut text, report);
    push_remarks(&mut text, report);
    if !text.is_empty() && !text.ends_with("\n\n") {
        text.push('\n');
    }
    for target in &report.targets {
        push_target(&mut text, target);
    }
    let table = ledger::table(report);
    if !table.is_empty() {
        text += &format!("\n{table}");
    }
    push_summary(&mut text, report);
    if let Some(step) = ledger::next_step(report, settings) {
        text += &format!("{step}\n");
    }
    text
}

/// Prints on standard error what went wrong or is left out: a dump has standard output to itself, and does not tell.
pub fn warn(report: &Report, settings: &Settings) -> io::Result<()> {
    let mut text = String::new();
    push_failed(&mut text, report);
    for target in &report.targets {
        if let Some(failure) = &target.failure {
            let (name, failure) = (one_line(&target.name), one_line(failure));
            text += &format!("{STRONG}{name}{STRONG:#}: {DOUBT}no model{DOUBT:#}: {failure}\n");
        }
    }
    if !settings.quiet {
        push_remarks(&mut text, report);
    }
    anstream::stderr().lock().write_all(text.as_bytes())
}

fn push_failed(text: &mut String, report: &Report) {
    for (files, error) in alike(report.failed.iter().map(|f| (f.file.as_str(), f.error.as_str()))) {
        let error = one_line(error);
        *text += &format!("{STRONG}{files}{STRONG:#}: {DOUBT}not analysed{DOUBT:#}: {error}\n");
    }
}

fn push_remarks(text: &mut String, report: &Report) {
    let skipped = report.skipped.iter().map(|s| (s.file.as_str(), s.reason.as_str()));
    for (files, reason) in alike(skipped) {
        *text += &format!("{files}: skipped: {}\n", one_line(reason));
    }
    let notes = report.notes.iter().map(|n| (n.about.as_deref().unwrap_or(""), n.text.as_str()));
    for (about, note) in alike(notes) {
        let colon = if about.is_empty() { "" } else { ": " };
        *text += &format!("{about}{colon}note: {}\n", one_line(note));
    }
}

/// What could not be decided, and why: the first few, the JSON report has all.
fn push_unknown(text: &mut String, report: &Report) {
    let unknown: Vec<_> = report
        .obligations
        .iter()
        .filter(|o| o.silenced.is_none())
        .filter_map(|o| match &o.verdict {
            Verdict::Unknown { reason, .. } => Some((o, reason)),
            Verdict::Safe | Verdict::Unsafe => None,
        })
        .collect();
    // Several rules ask about one place, and mostly for the same reason get no answer.
    let mut groups: Vec<(&Obligation, &str, usize, BTreeSet<&str>)> = Vec::new();
    for (obligation, reason) in &unknown {
        match groups.last_mut() {
            Some((first, why, count, rules))
                if first.location == obligation.location && *why == reason.as_str() =>
            {
                *count += 1;
                rules.insert(obligation.rule);
            }
            _ => groups.push((obligation, reason, 1, BTreeSet::from([obligation.rule]))),
        }
    }
    groups.truncate(SHOWN);
    let told: usize = groups.iter().map(|(_, _, count, _)| count).sum();
    for (obligation, reason, _, rules) in groups {
        let at = &obligation.location;
        let place = one_line(&format!("{}:{}:{}", at.file, at.line, at.column));
        let rules = rules.into_iter().collect::<Vec<_>>().join(", ");
        let reason = one_line(reason);
        *text +=
            &format!("{STRONG}{place}{STRONG:#}: {DOUBT}unknown{DOUBT:#}: {reason} [{rules}]\n");
    }
    if unknown.len() > told {
        *text += &format!("... and {} more unknown\n", unknown.len() - told);
    }
}

fn push_target(text: &mut String, target: &Target) {
    let units = counted(target.units.len(), "unit");
    let (name, kind) = (one_line(&target.name), target.kind.name());
    let evidence = one_line(&target.evidence);
    *text += &format!("{STRONG}{name}{STRONG:#} ({kind}, {units}; evidence: {evidence})\n");
    if let Some(failure) = &target.failure {
        *text += &format!("  {DOUBT}no model{DOUBT:#}: {}\n", one_line(failure));
    }
    if !target.entries.is_empty() {
        let names = target.entries.iter().map(|entry| one_line(&entry.function));
        *text += &format!("  entered from outside: {}\n", some(names, target.entries.len()));
    }
    let Some(model) = &target.model else { return };
    *text += &format!(
        "  {}, {}, {}, {}\n",
        counted(model.functions, "function"),
        counted(model.blocks, "block"),
        counted(model.instructions, "instruction"),
        counted(model.globals, "global"),
    );
    if !model.externals.is_empty() {
        let names = model.externals.iter().map(|n| one_line(n));
        *text += &format!("  without a body: {}\n", some(names, model.externals.len()));
    }
    if !model.unsupported.is_empty() {
        let uses = model.unsupported.iter().map(|(what, n)| format!("{} ({n})", one_line(what)));
        *text += &format!("  not modelled: {}\n", some(uses, model.unsupported.len()));
    }
}

fn push_summary(text: &mut String, report: &Report) {
    let mut verdict = report.verdict().name().to_owned();
    if report.verdict() == Overall::Safe && report.obligations.iter().any(Obligation::is_assumed) {
        verdict += ", if callers do as is assumed of them";
    }
    let targets = counted(report.targets.len(), "target");
    *text += &format!("\n{STRONG}verdict: {verdict}{STRONG:#} ({targets}");
    if report.obligations.is_empty() && !report.checked {
        let modelled = report.targets.iter().any(|target| target.model.is_some());
        *text += match (report.targets.is_empty(), modelled) {
            (true, _) => ", nothing to scan",
            (false, true) => ", models built, nothing checked",
            (false, false) => ", nothing checked",
        };
    } else {
        let count = |wanted: fn(&Verdict) -> bool| {
            report.obligations.iter().filter(|o| wanted(&o.verdict)).count()
        };
        *text += &format!(
            ", {} proved, {} violated, {} unknown",
            count(|v| matches!(v, Verdict::Safe)),
            report.violated().filter(|o| !o.is_assumed()).count(),
            count(|v| matches!(v, Verdict::Unknown { .. })),
        );
        let assumed = report.violated().filter(|o| o.is_assumed()).count();
        if assumed > 0 {
            *text += &format!(", {assumed} violated under assumptions");
        }
        let silenced = report.obligations.iter().filter(|o| o.silenced.is_some()).count();
        if silenced > 0 {
            *text += &format!(", {silenced} silenced");
        }
        if !report.checked {
            *text += ", not everything was looked for";
        }
    }
    for (n, what) in [(report.failed.len(), "not analysed"), (report.skipped.len(), "skipped")] {
        if n > 0 {
            *text += &format!(", {} {what}", counted(n, "unit"));
        }
    }
    let missing: BTreeSet<&String> = report.targets.iter().flat_map(|t| &t.missing).collect();
    if !missing.is_empty() {
        *text += &format!(", {} not in the model", counted(missing.len(), "object"));
    }
    *text += ")\n";
}

/// `1 unit`, `2 units`.
fn counted(n: usize, what: &str) -> String {
    if n == 1 { format!("1 {what}") } else { format!("{n} {what}s") }
}
