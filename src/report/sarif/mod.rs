//! SARIF 2.1.0 as GitHub's code scanning wants it: one run, findings with the way that leads to them, and a
//! notification for everything that could not be done.

mod flow;
mod place;
mod results;
mod rules;

use std::collections::BTreeMap;
use std::io::{BufWriter, Write};

use anyhow::Result;
use serde::Serialize;
use serde_sarif::sarif;

use super::Report;
use super::sources::Sources;
use crate::budgets::SARIF_RESULTS;
use crate::config::Settings;
use crate::line::one_line;
use crate::versions::Versions;
use results::Results;

const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";

/// So many functions without a body are named for each target.
const ASSUMED: usize = 100;

/// Where to learn more about the tool. Microsoft's validator wants one; a name that leads nowhere is better than an
/// address that belongs to somebody else. The package's homepage takes its place as soon as there is one.
const HOME: &str = match env!("CARGO_PKG_HOMEPAGE") {
    home if home.is_empty() => "urn:cegas:cegas-scan",
    home => home,
};

/// Writes the report as SARIF text.
pub fn write(
    report: &Report,
    sources: &Sources,
    settings: &Settings,
    versions: &Versions,
    out: &mut dyn Write,
) -> Result<()> {
    let root = sarif::ArtifactLocation::builder().uri(place::folder(&settings.root)).build();
    // What follows the last slash names the run and may be empty; what precedes it is the category.
    let id = format!("{}/", settings.outputs.sarif_category.trim_end_matches('/'));
    let run = sarif::Run::builder()
        .tool(sarif::Tool::builder().driver(driver(versions)).build())
        .automation_details(sarif::RunAutomationDetails::builder().id(id).build())
        .original_uri_base_ids(BTreeMap::from([(place::ROOT.to_owned(), root)]))
        .invocations(vec![invocation(report, settings)])
        .column_kind("unicodeCodePoints")
        .build();
    let results = Results { report, sources, settings };
    let log = Log { schema: SCHEMA, version: "2.1.0", runs: [Run { rest: run, results }] };
    // Words are small; a buffer of our own gathers them before they cross the border to `out`.
    let mut out = BufWriter::with_capacity(1 << 16, out);
    serde_json::to_writer_pretty(&mut out, &log)?;
    out.write_all(b"\n")?;
    Ok(out.flush()?)
}

/// A SARIF log whose results are made while they are written: thousands of them at once, with all that
/// they could say but do not, would fill the memory.
#[derive(Serialize)]
struct Log<'a> {
    #[serde(rename = "$schema")]
    schema: &'static str,
    version: &'static str,
    runs: [Run<'a>; 1],
}

#[derive(Serialize)]
struct Run<'a> {
    #[serde(flatten)]
    rest: sarif::Run,
    results: Results<'a>,
}

fn driver(versions: &Versions) -> sarif::ToolComponent {
    let own = env!("CARGO_PKG_VERSION");
    sarif::ToolComponent::builder()
        .name("cegas-scan")
        .full_name(format!("cegas-scan {own} (LLVM {}, Z3 {})", versions.llvm, versions.z3))
        .version(own)
        .semantic_version(own)
        .information_uri(HOME)
        .rules(rules::all())
        .build()
}

fn invocation(report: &Report, settings: &Settings) -> sarif::Invocation {
    let failed = report.failed.iter().map(|unit| {
        notification("error", format!("Not analysed: {}", unit.error), Some(&unit.file))
    });
    let without = report.targets.iter().filter_map(|target| {
        let failure = target.failure.as_ref()?;
        let text = format!("No model of the {} {}: {failure}", target.kind.name(), target.name);
        Some(notification("error", text, None))
    });
    let skipped = report
        .skipped
        .iter()
        .map(|unit| notification("note", format!("Skipped: {}", unit.reason), Some(&unit.file)));
    let notes = report.notes.iter().map(|note| {
        let about = note.about.as_deref().map_or(String::new(), |about| format!("{about}: "));
        notification("note", format!("{about}{}", note.text), None)
    });
    let assumed = report.targets.iter().filter_map(|target| {
        let names = &target.model.as_ref()?.externals;
        let shown = names.iter().take(ASSUMED).map(String::as_str).collect::<Vec<_>>().join(", ");
        let more = match names.len().saturating_sub(ASSUMED) {
            0 => String::new(),
            rest => format!(" and {rest} more"),
        };
        let text = format!(
            "{}: functions without a body, which do what the C library says or else anything: {shown}{more}",
            target.name
        );
        (!names.is_empty()).then(|| notification("note", text, None))
    });
    let cut = results::left_out(report, settings).map(|count| {
        let text = format!(
            "{count} more results are not in this file, since readers take {SARIF_RESULTS} at most; the JSON report has them"
        );
        notification("warning", text, None)
    });
    let told = failed.chain(without).chain(cut).chain(skipped).chain(assumed).chain(notes);
    sarif::Invocation::builder()
        // The scan as such went well whenever there is a report; what was left out is told below.
        .execution_successful(true)
        .exit_code(report.exit(settings) as i64)
        .tool_execution_notifications(told.collect::<Vec<_>>())
        .build()
}

fn notification(level: &str, text: String, file: Option<&str>) -> sarif::Notification {
    let notification = sarif::Notification::builder().level(level).message(message(&text));
    match file {
        Some(file) => notification.locations(vec![place::file(file)]).build(),
        None => notification.build(),
    }
}

fn message(text: &str) -> sarif::Message {
    sarif::Message::builder().text(one_line(text)).build()
}
