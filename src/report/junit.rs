//! JUnit XML, which every build server shows: one suite for each target, one case for each rule at each
//! function. A violation is a failure; what is unknown, or violated only under assumptions, is skipped with the reason.

use std::collections::BTreeMap;
use std::io::Write;

use anyhow::Result;
use quick_xml::Writer;
use quick_xml::events::{BytesText, Event};

use super::way::{self, Told};
use super::{Obligation, Report, Verdict};
use crate::line::one_line;

/// A case of a suite: the file, the function and the rule.
type Case<'a> = (&'a str, &'a str, &'a str);

/// Writes the report as JUnit XML.
pub fn write(report: &Report, out: &mut dyn Write) -> Result<()> {
    let mut suites: BTreeMap<&str, BTreeMap<Case<'_>, Vec<&Obligation>>> = BTreeMap::new();
    for target in &report.targets {
        suites.entry(&target.name).or_default();
    }
    for obligation in &report.obligations {
        let at = &obligation.location;
        for target in &obligation.targets {
            let case = (at.file.as_str(), at.function.as_str(), obligation.rule);
            suites.entry(target).or_default().entry(case).or_default().push(obligation);
        }
    }
    out.write_all(b"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n")?;
    let mut writer = Writer::new_with_indent(out, b' ', 2);
    writer
        .create_element("testsuites")
        .with_attribute(("name", "cegas-scan"))
        .write_inner_content(|writer| {
            for (name, cases) in &suites {
                suite(writer, name, cases)?;
            }
            not_analysed(writer, report)
        })?;
    Ok(writer.into_inner().write_all(b"\n")?)
}

type Xml<'o> = Writer<&'o mut dyn Write>;

fn suite(
    writer: &mut Xml<'_>,
    name: &str,
    cases: &BTreeMap<Case<'_>, Vec<&Obligation>>,
) -> std::io::Result<()> {
    let count = |wanted: fn(&Obligation) -> bool| {
        let with = cases.values().filter(|all| all.iter().any(|o| wanted(o)));
        with.count()
    };
    let failures = count(is_finding);
    let skipped = cases
        .values()
        .filter(|all| !all.iter().any(|o| is_finding(o)) && all.iter().any(|o| is_unknown(o)))
        .count();
    writer
        .create_element("testsuite")
        .with_attribute(("name", one_line(name).as_str()))
        .with_attribute(("tests", cases.len().to_string().as_str()))
        .with_attribute(("failures", failures.to_string().as_str()))
        .with_attribute(("skipped", skipped.to_string().as_str()))
        .write_inner_content(|writer| {
            for ((file, function, rule), obligations) in cases {
                let element = writer
                    .create_element("testcase")
                    .with_attribute(("classname", one_line(file).as_str()))
                    .with_attribute(("name", one_line(&format!("{function}: {rule}")).as_str()));
                outcome(element, obligations)?;
            }
            Ok(())
        })?;
    Ok(())
}

fn is_finding(obligation: &Obligation) -> bool {
    obligation.verdict == Verdict::Unsafe
        && !obligation.is_assumed()
        && obligation.silenced.is_none()
}

/// Also what is violated only if callers do as is assumed of them.
fn is_unknown(obligation: &Obligation) -> bool {
    obligation.verdict != Verdict::Safe && !is_finding(obligation) && obligation.silenced.is_none()
}

/// Every violation is told; of what is unknown the first reason.
fn outcome(
    case: quick_xml::writer::ElementWriter<'_, &mut dyn Write>,
    obligations: &[&Obligation],
) -> std::io::Result<()> {
    let unknown = obligations.iter().filter(|o| is_unknown(o)).find_map(|o| match &o.verdict {
        Verdict::Unknown { reason, .. } => Some(format!("unknown: {reason}")),
        Verdict::Unsafe => Some(format!("{}, assuming: {}", o.message, o.assumes.join("; "))),
        Verdict::Safe => None,
    });
    if obligations.iter().any(|o| is_finding(o)) {
        case.write_inner_content(|writer| {
            for finding in obligations.iter().filter(|o| is_finding(o)) {
                let at = &finding.location;
                let place = format!("{}:{}:{}", at.file, at.line, at.column);
                let steps = way::fold(finding.trace.iter(), STEPS, STEPS).into_iter().map(step);
                let text = one_line(&place) + &steps.collect::<String>();
                writer
                    .create_element("failure")
                    .with_attribute(("type", finding.rule))
                    .with_attribute(("message", one_line(&finding.message).as_str()))
                    .write_text_content(BytesText::new(&text))?;
            }
            Ok(())
        })?;
    } else if let Some(reason) = unknown {
        case.write_inner_content(|writer| {
            let reason = one_line(&reason);
            writer
                .create_element("skipped")
                .with_attribute(("message", reason.as_str()))
                .write_empty()?;
            Ok(())
        })?;
    } else {
        case.write_empty()?;
    }
    Ok(())
}

/// So many steps from the beginning of a trace, and as many from its end.
const STEPS: usize = 50;

/// A line for the step, and one for those left out before it.
fn step(told: Told<'_>) -> String {
    let left_out = match told.left_out() {
        0 => String::new(),
        count => format!("\n      ... {count} more"),
    };
    let at = &told.step.location;
    let text = format!("{}:{}: {}", at.file, at.line, told.step.text);
    format!("{left_out}\n{:>4}. {}", told.number, one_line(&text))
}

/// Units without a model are errors of a suite of their own.
fn not_analysed(writer: &mut Xml<'_>, report: &Report) -> std::io::Result<()> {
    if report.failed.is_empty() {
        return Ok(());
    }
    let count = report.failed.len().to_string();
    writer
        .create_element("testsuite")
        .with_attribute(("name", "not analysed"))
        .with_attribute(("tests", count.as_str()))
        .with_attribute(("errors", count.as_str()))
        .write_inner_content(|writer| {
            for failed in &report.failed {
                writer
                    .create_element("testcase")
                    .with_attribute(("classname", one_line(&failed.file).as_str()))
                    .with_attribute(("name", "compile"))
                    .write_inner_content(|writer| {
                        writer
                            .create_element("error")
                            .with_attribute(("message", one_line(&failed.error).as_str()))
                            .write_empty()?;
                        Ok(())
                    })?;
            }
            Ok(())
        })?;
    writer.write_event(Event::Text(BytesText::new("")))
}
