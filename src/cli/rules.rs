//! What `--list-rules` and `--explain` print: the rules in the words of the rules themselves.

use anyhow::{Result, anyhow};

use crate::config::nearest;
use crate::rules::{RULES, Rule, Severity, rule};

/// One line for each rule.
pub fn list() -> String {
    let width = RULES.iter().map(|rule| rule.id.len()).max().unwrap_or(0);
    let line = |rule: &Rule| {
        let off = if rule.default { "" } else { " (only when named)" };
        format!("{:width$}  {:6}  {}{off}\n", rule.id, severity(rule), rule.summary)
    };
    RULES.iter().map(line).collect()
}

/// Everything there is to say about a rule.
pub fn explain(id: &str) -> Result<String> {
    let rule = rule(id).ok_or_else(|| unknown(id))?;
    let default = if rule.default { "on" } else { "off; name it with --rules" };
    let cwe: Vec<String> = rule.cwe.iter().map(|number| format!("CWE-{number}")).collect();
    let mut text = format!("{}: {}\n\n", rule.id, rule.summary);
    text += &format!("severity: {}\ndefault:  {default}\n", severity(rule));
    if !cwe.is_empty() {
        text += &format!("weakness: {}\n", cwe.join(", "));
    }
    text += &format!("\n{}\n", wrapped(rule.doc, 90));
    for (title, code) in [("Wrong", rule.bad), ("Right", rule.good)] {
        text += &format!("\n{title}:\n");
        code.lines().for_each(|line| text += &format!("    {line}\n"));
    }
    text += &format!("\nSilence one place with a comment: // cegas-ignore: {} why\n", rule.id);
    Ok(text)
}

fn severity(rule: &Rule) -> &'static str {
    match rule.severity {
        Severity::High => "high",
        Severity::Medium => "medium",
    }
}

/// The reference of the rules, as it stands in `docs/rules.md`.
#[cfg(test)]
fn reference() -> String {
    let mut text = "# Rules\n\nMade from the rules themselves (`src/rules/`): a test compares. The same is printed by \
                    `cegas-scan --explain RULE`.\n\n| rule | severity | default | weakness | |\n|---|---|---|---|---|\n"
        .to_owned();
    let weaknesses = |rule: &Rule| {
        let link = |n: &u32| format!("[CWE-{n}](https://cwe.mitre.org/data/definitions/{n}.html)");
        rule.cwe.iter().map(link).collect::<Vec<_>>().join(", ")
    };
    for rule in RULES {
        let (id, default) = (rule.id, if rule.default { "on" } else { "off" });
        let (severity, cwe) = (severity(rule), weaknesses(rule));
        text +=
            &format!("| [`{id}`](#{id}) | {severity} | {default} | {cwe} | {} |\n", rule.summary);
    }
    for Rule { id, doc, bad, good, .. } in RULES {
        text += &format!(
            "\n## {id}\n\n{doc}\n\nWrong:\n\n```c\n{bad}\n```\n\nRight:\n\n```c\n{good}\n```\n"
        );
    }
    text
}

/// That there is no such rule, with the one that was probably meant.
fn unknown(id: &str) -> anyhow::Error {
    match nearest(id, RULES.iter().map(|rule| rule.id)) {
        Some(near) => anyhow!("there is no rule `{id}`; did you mean `{near}`?"),
        None => anyhow!("there is no rule `{id}`; --list-rules shows them"),
    }
}

/// A paragraph in lines of at most so many characters, where words allow.
fn wrapped(paragraph: &str, width: usize) -> String {
    let mut lines = vec![String::new()];
    for word in paragraph.split_whitespace() {
        let Some(line) = lines.last_mut() else { break };
        if line.is_empty() {
            line.push_str(word);
        } else if line.chars().count() + 1 + word.chars().count() <= width {
            line.push(' ');
            line.push_str(word);
        } else {
            lines.push(word.to_owned());
        }
    }
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_reference_is_what_the_rules_say() {
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/rules.md");
        if std::env::var_os("CEGAS_UPDATE_DOCS").is_some() {
            std::fs::write(&path, reference()).unwrap();
        }
        let there = std::fs::read_to_string(path).unwrap_or_default();
        assert!(
            there == reference(),
            "docs/rules.md is out of date; CEGAS_UPDATE_DOCS=1 cargo test --lib the_reference makes it anew"
        );
    }

    #[test]
    fn every_rule_is_listed_and_explained() {
        assert_eq!(list().lines().count(), RULES.len());
        for rule in RULES {
            let text = explain(rule.id).unwrap();
            assert!(text.contains(rule.summary) && text.contains("Right:"), "{text}");
            assert!(text.lines().all(|line| line.chars().count() < 140), "{text}");
        }
    }
}
