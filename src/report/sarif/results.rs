//! Findings as SARIF's results, the worst first when there are more than readers take.

use std::collections::BTreeMap;

use serde::ser::{Serialize, SerializeSeq, Serializer};
use serde_sarif::sarif;

use super::super::fingerprint::{fingerprints, line_hashes};
use super::super::sources::Sources;
use super::super::{Obligation, Related, Report, Silenced, SilencedBy, Verdict};
use super::rules::sentence;
use super::{flow, message, place};
use crate::budgets::{SARIF_ALL_STEPS, SARIF_RESULTS, SARIF_STEPS};
use crate::config::{SarifKinds, Settings};
use crate::line::one_line;
use crate::rules::{RULES, Severity, rule};

/// Where in the fingerprints of a result each stands. Readers compare by name, so a changed way of
/// computing one needs another.
const GITHUB: &str = "primaryLocationLineHash";
const OWN: &str = "cegasFinding/v1";

/// What a result keeps of its flow when the steps of all are used up.
const LAST_STEPS: usize = 2;

/// The results that are asked for, in the order of the report.
#[derive(Clone, Copy, Debug)]
pub struct Results<'a> {
    pub report: &'a Report,
    pub sources: &'a Sources,
    pub settings: &'a Settings,
}

impl Serialize for Results<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Results { report, sources, settings } = *self;
        let names = fingerprints(report, sources);
        let mut kept: Vec<usize> = chosen(report, settings);
        kept.sort_by_key(|&index| report.obligations.get(index).map(weight));
        kept.truncate(SARIF_RESULTS);
        kept.sort_unstable();
        let mut lines: BTreeMap<&str, Vec<String>> = BTreeMap::new();
        let mut steps = SARIF_ALL_STEPS;
        let mut results = serializer.serialize_seq(Some(kept.len()))?;
        for index in kept {
            let Some(obligation) = report.obligations.get(index) else { continue };
            let at = &obligation.location;
            let hashes = lines
                .entry(&at.file)
                .or_insert_with(|| sources.text(&at.file).map_or_else(Vec::new, line_hashes));
            let line = usize::try_from(at.line.max(1) - 1).ok().and_then(|line| hashes.get(line));
            let prints = [(GITHUB, line), (OWN, names.get(&index))];
            let prints = prints.into_iter().filter_map(|(name, print)| Some((name, print?)));
            let prints = prints.map(|(name, print)| (name.to_owned(), print.clone())).collect();
            let most = SARIF_STEPS.min(steps.max(LAST_STEPS));
            steps = steps.saturating_sub(obligation.trace.len().min(most));
            results.serialize_element(&result(obligation, prints, most, sources))?;
        }
        results.end()
    }
}

/// How many results there is no room for, if any.
pub fn left_out(report: &Report, settings: &Settings) -> Option<usize> {
    chosen(report, settings).len().checked_sub(SARIF_RESULTS).filter(|count| *count > 0)
}

/// The obligations to be told. What several targets share is told once, with the first one's story.
fn chosen(report: &Report, settings: &Settings) -> Vec<usize> {
    let wanted = |obligation: &Obligation| match &obligation.verdict {
        Verdict::Unsafe => true,
        Verdict::Safe | Verdict::Unknown { .. } => settings.outputs.sarif_kinds == SarifKinds::All,
    };
    let mut seen = std::collections::BTreeSet::new();
    let told = |o: &Obligation| o.silenced.is_none() || settings.outputs.sarif_keep_suppressed;
    let all = report.obligations.iter().enumerate().filter(|(_, o)| wanted(o) && told(o));
    all.filter(|(_, o)| seen.insert((o.rule, &o.location, &o.message, order(&o.verdict))))
        .map(|(index, _)| index)
        .collect()
}

/// Light ones are kept longest.
fn weight(obligation: &Obligation) -> (u8, bool, bool) {
    let high = rule(obligation.rule).is_some_and(|rule| rule.severity == Severity::High);
    (order(&obligation.verdict), obligation.is_assumed(), !high)
}

fn order(verdict: &Verdict) -> u8 {
    match verdict {
        Verdict::Unsafe => 0,
        Verdict::Unknown { .. } => 1,
        Verdict::Safe => 2,
    }
}

fn result(
    obligation: &Obligation,
    prints: BTreeMap<String, String>,
    most_steps: usize,
    sources: &Sources,
) -> sarif::Result {
    let (kind, level, text) = match &obligation.verdict {
        Verdict::Unsafe if obligation.is_assumed() => {
            let assumed = obligation.assumes.join("; ");
            let text = format!("{} This assumes: {assumed}.", sentence(&obligation.message));
            (sarif::ResultKind::Fail, sarif::ResultLevel::Warning, text)
        }
        Verdict::Unsafe => {
            (sarif::ResultKind::Fail, sarif::ResultLevel::Error, sentence(&obligation.message))
        }
        Verdict::Unknown { reason, .. } => {
            let text = format!("It is not known whether {}: {reason}.", obligation.message);
            (sarif::ResultKind::Open, sarif::ResultLevel::None, text)
        }
        Verdict::Safe => {
            let text = format!("Proved that it does not happen: {}.", obligation.message);
            (sarif::ResultKind::Pass, sarif::ResultLevel::None, text)
        }
    };
    // Readers refuse a result without a place; the last step that has one is the nearest.
    let steps = obligation.trace.iter().rev().map(|step| &step.location);
    let mut places = std::iter::once(&obligation.location).chain(steps);
    let at = places.find(|at| !at.file.is_empty()).unwrap_or(&obligation.location);
    let function = sarif::LogicalLocation::builder().name(at.function.as_str()).kind("function");
    let location = sarif::Location::builder()
        .physical_location(place::place(at, sources))
        .logical_locations(vec![function.build()])
        .build();
    let index = RULES.iter().position(|rule| rule.id == obligation.rule).unwrap_or_default();
    let mut result = sarif::Result::builder()
        .rule_id(obligation.rule)
        .rule_index(i64::try_from(index).unwrap_or_default())
        .kind(kind)
        .level(level)
        .message(message(&text))
        .locations(vec![location])
        .build();
    let flows = flow::flows(&obligation.trace, most_steps, sources);
    result.code_flows = Some(flows).filter(|flows| !flows.is_empty());
    result.related_locations = related(obligation, sources);
    result.suppressions = obligation.silenced.as_ref().map(|silenced| vec![suppression(silenced)]);
    result.properties = obligation.is_assumed().then(|| properties(&obligation.assumes));
    result.partial_fingerprints = Some(prints).filter(|prints| !prints.is_empty());
    result
}

/// What is said under an assumption is less precise than its rule.
fn properties(assumes: &[String]) -> sarif::PropertyBag {
    let assumes: Vec<String> = assumes.iter().map(|text| one_line(text)).collect();
    let more: BTreeMap<String, serde_json::Value> = BTreeMap::from([
        ("precision".to_owned(), serde_json::json!("medium")),
        ("assumes".to_owned(), serde_json::json!(assumes)),
    ]);
    sarif::PropertyBag::builder().additional_properties(more).build()
}

/// The places that explain the result, as far as they have one.
fn related(obligation: &Obligation, sources: &Sources) -> Option<Vec<sarif::Location>> {
    let known = obligation.related.iter().filter(|related| !related.location.file.is_empty());
    let location = |(index, related): (usize, &Related)| {
        sarif::Location::builder()
            .id(i64::try_from(index + 1).unwrap_or(i64::MAX))
            .physical_location(place::place(&related.location, sources))
            .message(message(&sentence(&related.text)))
            .build()
    };
    let all: Vec<_> = known.enumerate().map(location).collect();
    (!all.is_empty()).then_some(all)
}

fn suppression(silenced: &Silenced) -> sarif::Suppression {
    let kind = match silenced.by {
        SilencedBy::Comment => "inSource",
        SilencedBy::Baseline | SilencedBy::Settings | SilencedBy::Revision => "external",
    };
    let suppression = sarif::Suppression::builder().kind(kind);
    match silenced.reason.as_str() {
        "" => suppression.build(),
        reason => suppression.justification(one_line(reason)).build(),
    }
}
