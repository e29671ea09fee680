//! Our own JSON: everything the report knows, under a version that changes when a reader would break.

use std::collections::BTreeMap;
use std::io::{BufWriter, Write};

use anyhow::Result;
use serde::Serialize;

use super::ledger::{self, Row, TargetRow};
use super::{Failed, Note, Obligation, Overall, Report, Skipped, Target};
use crate::versions::Versions;

/// Raised when a field is removed or changes its meaning; new fields do not raise it.
const VERSION: u32 = 1;

#[derive(Serialize)]
struct Document<'a> {
    version: u32,
    tool: Tool<'a>,
    verdict: Overall,
    /// Whether every unit and target could be analysed.
    complete: bool,
    ledger: Ledger<'a>,
    obligations: &'a [Obligation],
    targets: &'a [Target],
    failed: &'a [Failed],
    skipped: &'a [Skipped],
    notes: &'a [Note],
}

/// What came of the obligations, counted.
#[derive(Serialize)]
struct Ledger<'a> {
    rules: BTreeMap<&'static str, Row>,
    targets: Vec<TargetRow<'a>>,
}

#[derive(Serialize)]
struct Tool<'a> {
    name: &'static str,
    version: &'static str,
    llvm: &'a str,
    z3: &'a str,
}

/// Writes the report as JSON text, piece by piece: as one text, that of very many findings would fill the memory.
pub fn write(report: &Report, versions: &Versions, out: &mut dyn Write) -> Result<()> {
    let document = Document {
        version: VERSION,
        tool: Tool {
            name: "cegas-scan",
            version: env!("CARGO_PKG_VERSION"),
            llvm: &versions.llvm,
            z3: &versions.z3,
        },
        verdict: report.verdict(),
        complete: !report.is_partial(),
        ledger: Ledger {
            rules: ledger::by_rule(report).into_iter().collect(),
            targets: ledger::by_target(report),
        },
        obligations: &report.obligations,
        targets: &report.targets,
        failed: &report.failed,
        skipped: &report.skipped,
        notes: &report.notes,
    };
    // Words are small; a buffer of our own gathers them before they cross the border to `out`.
    let mut out = BufWriter::with_capacity(1 << 16, out);
    serde_json::to_writer_pretty(&mut out, &document)?;
    out.write_all(b"\n")?;
    Ok(out.flush()?)
}
