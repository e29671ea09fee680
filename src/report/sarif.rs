//! SARIF 2.1.0: one run, with a notification for everything that could not be done.

use std::collections::BTreeMap;
use std::os::unix::ffi::OsStrExt;

use anyhow::Result;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_encode};
use serde_sarif::sarif;

use super::{Location, Obligation, Report};
use crate::config::Settings;
use crate::line::one_line;
use crate::rules::RULES;
use crate::versions::Versions;

const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";

/// What relative paths are relative to.
const ROOT: &str = "%SRCROOT%";

/// What stands for itself in the path of a URI.
const PATH: &AsciiSet =
    &NON_ALPHANUMERIC.remove(b'/').remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// The report as SARIF text.
pub fn render(report: &Report, settings: &Settings, versions: &Versions) -> Result<String> {
    let root = format!("file://{}/", percent_encode(settings.root.as_os_str().as_bytes(), PATH));
    let root = sarif::ArtifactLocation::builder().uri(root).build();
    let run = sarif::Run::builder()
        .tool(sarif::Tool::builder().driver(driver(versions)).build())
        .original_uri_base_ids(BTreeMap::from([(ROOT.to_owned(), root)]))
        .invocations(vec![invocation(report)])
        .column_kind("utf16CodeUnits")
        .results(report.violated().map(result).collect::<Vec<_>>())
        .build();
    let log = sarif::Sarif::builder().version("2.1.0").schema(SCHEMA).runs(vec![run]).build();
    Ok(serde_json::to_string_pretty(&log)? + "\n")
}

fn driver(versions: &Versions) -> sarif::ToolComponent {
    let own = env!("CARGO_PKG_VERSION");
    let rules = RULES.iter().map(|rule| {
        let summary = sarif::MultiformatMessageString::builder().text(rule.summary).build();
        sarif::ReportingDescriptor::builder().id(rule.id).short_description(summary).build()
    });
    sarif::ToolComponent::builder()
        .name("cegas-scan")
        .full_name(format!("cegas-scan {own} (LLVM {}, Z3 {})", versions.llvm, versions.z3))
        .version(own)
        .semantic_version(own)
        .rules(rules.collect::<Vec<_>>())
        .build()
}

fn invocation(report: &Report) -> sarif::Invocation {
    let failed = report.failed.iter().map(|unit| {
        notification("error", format!("not analysed: {}", unit.error), Some(&unit.file))
    });
    let without = report.targets.iter().filter_map(|target| {
        let failure = target.failure.as_ref()?;
        let text = format!("no model of the {} {}: {failure}", target.kind.name(), target.name);
        Some(notification("error", text, None))
    });
    let skipped = report
        .skipped
        .iter()
        .map(|unit| notification("note", format!("skipped: {}", unit.reason), Some(&unit.file)));
    let notes = report.notes.iter().map(|note| {
        let about = note.about.as_deref().map_or(String::new(), |about| format!("{about}: "));
        notification("note", format!("{about}{}", note.text), None)
    });
    sarif::Invocation::builder()
        // The scan as such went well whenever there is a report; what was left out is told below.
        .execution_successful(true)
        .exit_code(report.exit() as i64)
        .tool_execution_notifications(
            failed.chain(without).chain(skipped).chain(notes).collect::<Vec<_>>(),
        )
        .build()
}

fn notification(level: &str, text: String, file: Option<&str>) -> sarif::Notification {
    let notification = sarif::Notification::builder().level(level).message(message(&text));
    match file {
        Some(file) => {
            let place =
                sarif::PhysicalLocation::builder().artifact_location(artifact(file)).build();
            let place = sarif::Location::builder().physical_location(place).build();
            notification.locations(vec![place]).build()
        }
        None => notification.build(),
    }
}

fn result(finding: &Obligation) -> sarif::Result {
    let index = RULES.iter().position(|rule| rule.id == finding.rule);
    let result = sarif::Result::builder()
        .rule_id(finding.rule)
        .level(sarif::ResultLevel::Error)
        .message(message(&finding.message))
        .locations(vec![location(&finding.location)]);
    match index.and_then(|i| i64::try_from(i).ok()) {
        Some(index) => result.rule_index(index).build(),
        None => result.build(),
    }
}

fn location(at: &Location) -> sarif::Location {
    // A line is needed by every reader; the first one stands for "not known".
    let region = sarif::Region::builder().start_line(i64::from(at.line.max(1)));
    let region = match at.column {
        0 => region.build(),
        column => region.start_column(i64::from(column)).build(),
    };
    let place = sarif::PhysicalLocation::builder()
        .artifact_location(artifact(&at.file))
        .region(region)
        .build();
    sarif::Location::builder().physical_location(place).build()
}

fn artifact(file: &str) -> sarif::ArtifactLocation {
    let path = percent_encode(file.as_bytes(), PATH);
    if file.starts_with('/') {
        return sarif::ArtifactLocation::builder().uri(format!("file://{path}")).build();
    }
    sarif::ArtifactLocation::builder().uri(path.to_string()).uri_base_id(ROOT).build()
}

fn message(text: &str) -> sarif::Message {
    sarif::Message::builder().text(one_line(text)).build()
}
