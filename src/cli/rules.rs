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
    fn every_rule_is_listed_and_explained() {
        assert_eq!(list().lines().count(), RULES.len());
        for rule in RULES {
            let text = explain(rule.id).unwrap();
            assert!(text.contains(rule.summary) && text.contains("Right:"), "{text}");
            assert!(text.lines().all(|line| line.chars().count() < 140), "{text}");
        }
    }
}
