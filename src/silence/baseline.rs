//! The baseline: a committed file with the findings that are known and accepted, each with a reason that
//! people write into it. Findings are recognised by fingerprints, so that moved lines do not matter.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::budgets::BASELINE_BYTES;
use crate::report::Report;

const TOOL: &str = "cegas-scan";

/// Raised when fingerprints are computed in another way, or a field changes its meaning.
const VERSION: u64 = 1;

/// Accepted findings, in the order of the file.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Baseline {
    tool: String,
    version: u64,
    findings: Vec<Accepted>,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
struct Accepted {
    file: String,
    function: String,
    rule: String,
    message: String,
    fingerprint: String,
    /// Why it is accepted; for people to fill in.
    #[serde(default)]
    reason: String,
}

impl Baseline {
    /// Reads a baseline, and refuses what is none or was written by another version.
    pub fn load(path: &Path) -> Result<Self> {
        let shown = path.display();
        let text = read(path).with_context(|| format!("cannot read the baseline {shown}"))?;
        let value: Value = serde_json::from_str(&text)
            .with_context(|| format!("{shown} is not a baseline of {TOOL}"))?;
        match value.get("tool").and_then(Value::as_str) {
            Some(TOOL) => {}
            Some(other) => bail!("{shown} is a baseline of {other}, not of {TOOL}"),
            None => bail!("{shown} is not a baseline of {TOOL}: it names no tool"),
        }
        match value.get("version").and_then(Value::as_u64) {
            Some(VERSION) => {}
            other => bail!(
                "{shown} is a baseline of version {}, this {TOOL} reads version {VERSION}; remove it and \
                 write it again with --write-baseline",
                other.map_or_else(|| "?".to_owned(), |n| n.to_string())
            ),
        }
        serde_json::from_value(value).with_context(|| format!("the baseline {shown} is damaged"))
    }

    /// What the report finds, with the reasons known so far. Comments in the source need no entry.
    pub fn of(report: &Report, names: &BTreeMap<usize, String>, known: &Self) -> Self {
        let known = known.reasons();
        let accepted = |(index, name): (&usize, &String)| {
            let found = report.obligations.get(*index).filter(|o| o.silenced.is_none())?;
            Some(Accepted {
                file: found.location.file.to_string(),
                function: found.location.function.to_string(),
                rule: found.rule.to_owned(),
                message: found.message.clone(),
                fingerprint: name.clone(),
                reason: known.get(name.as_str()).copied().unwrap_or_default().to_owned(),
            })
        };
        // What several targets share is one entry.
        let findings: BTreeSet<Accepted> = names.iter().filter_map(accepted).collect();
        let findings = findings.into_iter().collect();
        Self { tool: TOOL.to_owned(), version: VERSION, findings }
    }

    /// Why findings are accepted, by fingerprint. An earlier entry wins.
    pub fn reasons(&self) -> BTreeMap<&str, &str> {
        let entries = self.findings.iter().rev();
        entries.map(|known| (known.fingerprint.as_str(), known.reason.as_str())).collect()
    }

    /// How many entries are none of these.
    pub fn unmatched<'a>(&self, names: impl Iterator<Item = &'a String>) -> usize {
        let names: BTreeSet<&String> = names.collect();
        self.findings.iter().filter(|known| !names.contains(&known.fingerprint)).count()
    }

    /// This one's entries, then those of the other.
    pub fn joined(&self, other: &Self) -> Self {
        let findings = self.findings.iter().chain(&other.findings).cloned().collect();
        Self { findings, ..self.clone() }
    }

    /// This one, and what the other has of rules that were not looked at.
    pub fn with_rest(mut self, other: &Self, looked_at: impl Fn(&str) -> bool) -> Self {
        let known: BTreeSet<String> = self.findings.iter().map(|f| f.fingerprint.clone()).collect();
        let is_kept = |f: &&Accepted| !looked_at(&f.rule) && !known.contains(&f.fingerprint);
        self.findings.extend(other.findings.iter().filter(is_kept).cloned());
        self.findings.sort();
        self
    }

    pub fn text(&self) -> Result<String> {
        Ok(serde_json::to_string_pretty(self)? + "\n")
    }
}

/// A baseline is as hostile as the repository it lies in: no pipes, no gigabytes.
fn read(path: &Path) -> Result<String> {
    let there = fs::metadata(path)?;
    if !there.is_file() {
        bail!("not a regular file");
    }
    if there.len() > BASELINE_BYTES {
        bail!("larger than {BASELINE_BYTES} bytes; is this a baseline?");
    }
    Ok(fs::read_to_string(path)?)
}
