//! The rules as SARIF describes them, all taken from `RULES`.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use serde_sarif::sarif;

use crate::rules::{RULES, Rule, Severity};

/// GitHub takes no more tags on a rule.
const TAGS: usize = 10;

/// All rules, in the order to which `ruleIndex` refers.
pub fn all() -> Vec<sarif::ReportingDescriptor> {
    RULES.iter().map(descriptor).collect()
}

fn descriptor(rule: &Rule) -> sarif::ReportingDescriptor {
    let text = |text: String| sarif::MultiformatMessageString::builder().text(text).build();
    let level = sarif::ReportingConfiguration::builder().level("error").enabled(rule.default);
    sarif::ReportingDescriptor::builder()
        .id(rule.id)
        .name(name(rule.id))
        .short_description(text(sentence(rule.summary)))
        .full_description(text(rule.doc.to_owned()))
        .help(
            sarif::MultiformatMessageString::builder()
                .text(help(rule))
                .markdown(markdown(rule))
                .build(),
        )
        .default_configuration(level.build())
        .properties(properties(rule))
        .build()
}

fn properties(rule: &Rule) -> sarif::PropertyBag {
    let weaknesses = rule.cwe.iter().map(|number| format!("external/cwe/cwe-{number:03}"));
    let general = ["security", "correctness"].into_iter().map(str::to_owned);
    let tags: Vec<String> = general.chain(weaknesses).take(TAGS).collect();
    // On CVSS' scale, by which GitHub calls an alert high from 7.0 and medium from 4.0 on.
    let severity = match rule.severity {
        Severity::High => "8.0",
        Severity::Medium => "5.5",
    };
    let more: BTreeMap<String, Value> = BTreeMap::from([
        ("security-severity".to_owned(), json!(severity)),
        // A finding is an execution that was walked again.
        ("precision".to_owned(), json!("very-high")),
        ("problem.severity".to_owned(), json!("error")),
    ]);
    sarif::PropertyBag::builder().tags(tags).additional_properties(more).build()
}

fn help(rule: &Rule) -> String {
    let (bad, good, id) = (rule.bad, rule.good, rule.id);
    format!("{}\n\nWrong:\n{bad}\n\nRight:\n{good}\n\nSilence: // cegas-ignore: {id} why", rule.doc)
}

fn markdown(rule: &Rule) -> String {
    let (bad, good, id) = (rule.bad, rule.good, rule.id);
    format!(
        "{}\n\n**Wrong**\n\n```c\n{bad}\n```\n\n**Right**\n\n```c\n{good}\n```\n\n\
         Silence one place with `// cegas-ignore: {id} why` on the line or the line above.",
        rule.doc
    )
}

/// `null-deref` as `CegasNullDeref`: a name must differ from the id, also for `leak`.
fn name(id: &str) -> String {
    std::iter::once("cegas").chain(id.split('-')).map(capital).collect()
}

fn capital(word: &str) -> String {
    let mut chars = word.chars();
    chars.next().map_or_else(String::new, |c| c.to_uppercase().chain(chars).collect())
}

/// Words as a sentence.
pub fn sentence(words: &str) -> String {
    let words = capital(words);
    if words.ends_with(['.', '!', '?']) { words } else { words + "." }
}
