//! SV-COMP property files (`.prp`): what to check and where to start, as verifiers agreed to write it.
//!
//! Invariant: a property is understood whole or refused. A part that no rule answers for is never left out
//! silently, since `safe` would then claim more than was looked at.

use std::path::Path;

use anyhow::{Context, Result, bail};

/// What a property file asks for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Property {
    /// The function executions start in.
    pub entry: String,
    /// Ids of the rules that answer for it.
    pub rules: Vec<&'static str>,
    /// The functions that must not be called; other assertions of the program are then no matter of it.
    pub forbidden: Vec<String>,
    /// All memory must be freed before the program ends, also what can still be reached.
    pub frees_all: bool,
    /// Where the rules differ from the property's wording.
    pub notes: Vec<String>,
}

/// Properties of the form `G name`, and the rules that cover them.
const NAMED: &[(&str, &[&str])] = &[
    ("valid-deref", &["null-deref", "out-of-bounds", "use-after-free"]),
    ("valid-free", &["double-free", "invalid-free"]),
    ("valid-memtrack", &["leak"]),
    ("valid-memcleanup", &["leak"]),
    ("!overflow", &["signed-overflow"]),
];

/// Functions whose call is an error by agreement; the rule `assertion` marks their calls.
const ERRORS: &[&str] = &["reach_error", "__VERIFIER_error"];

/// Reads a property file.
pub fn load(path: &Path) -> Result<Property> {
    let text = std::fs::read_to_string(path)
        .with_context(|| format!("cannot read the property {}", path.display()))?;
    parse(&text).with_context(|| format!("the property {}", path.display()))
}

fn parse(text: &str) -> Result<Property> {
    let mut property = Property::default();
    for (line, number) in text.lines().zip(1..) {
        if !line.trim().is_empty() {
            push(&mut property, line).with_context(|| format!("line {number}"))?;
        }
    }
    if property.rules.is_empty() {
        bail!("it has no line `CHECK( init(main()), LTL(G …) )`");
    }
    Ok(property)
}

/// Adds one `CHECK( init(ENTRY()), LTL(G WHAT) )`.
fn push(property: &mut Property, line: &str) -> Result<()> {
    // Space carries no meaning in this notation.
    let dense: String = line.split_whitespace().collect();
    let parts = dense
        .strip_prefix("CHECK(init(")
        .and_then(|rest| rest.strip_suffix("))"))
        .and_then(|rest| rest.split_once("()),LTL("));
    let Some((entry, formula)) = parts.filter(|(entry, _)| is_name(entry)) else {
        bail!("expected `CHECK( init(main()), LTL(G …) )`, found `{}`", line.trim());
    };
    if !property.entry.is_empty() && property.entry != entry {
        bail!("it starts in `{entry}`, but another line starts in `{}`", property.entry);
    }
    property.entry = entry.to_owned();
    let always = formula.strip_prefix('G').unwrap_or_default();
    let called = always.strip_prefix("!call(").and_then(|rest| rest.strip_suffix("())"));
    if let Some(function) = called.filter(|name| ERRORS.contains(name)) {
        property.rules.push("assertion");
        property.forbidden.push(function.to_owned());
        return Ok(());
    }
    let Some((name, rules)) = NAMED.iter().find(|(name, _)| *name == always) else {
        bail!(
            "`{formula}` cannot be checked; known are G ! call(reach_error()), G valid-deref, \
             G valid-free, G valid-memtrack, G valid-memcleanup and G ! overflow"
        );
    };
    property
        .rules
        .extend(rules.iter().filter(|id| !property.rules.contains(id)).collect::<Vec<_>>());
    if *name == "valid-memcleanup" {
        let note = "valid-memcleanup is checked as the rule `leak`: memory that is lost violates it, memory \
                    that is only still reachable when the program ends is `unknown`";
        property.notes.push(note.to_owned());
        property.frees_all = true;
    }
    Ok(())
}

fn is_name(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::rule;

    #[test]
    fn the_agreed_properties_are_understood() {
        for (formula, rules) in [
            ("G ! call(reach_error())", &["assertion"][..]),
            ("G ! call(__VERIFIER_error())", &["assertion"]),
            ("G valid-deref", &["null-deref", "out-of-bounds", "use-after-free"]),
            ("G valid-free", &["double-free", "invalid-free"]),
            ("G valid-memtrack", &["leak"]),
            ("G valid-memcleanup", &["leak"]),
            ("G ! overflow", &["signed-overflow"]),
        ] {
            let property = parse(&format!("CHECK( init(main()), LTL({formula}) )\n\n")).unwrap();
            assert_eq!((property.entry.as_str(), &*property.rules), ("main", rules), "{formula}");
            assert!(rules.iter().all(|id| rule(id).is_some()));
            assert_eq!(property.notes.is_empty(), formula != "G valid-memcleanup");
        }
    }

    #[test]
    fn several_lines_are_all_meant() {
        let lines = ["valid-free", "valid-deref", "valid-memtrack"]
            .map(|name| format!("CHECK( init(start()), LTL(G {name}) )\n"));
        let property = parse(&lines.concat()).unwrap();
        assert_eq!(property.entry, "start");
        assert_eq!(property.rules.len(), 6);
    }

    #[test]
    fn what_cannot_be_answered_is_refused() {
        for (text, words) in [
            ("", "no line"),
            ("hello", "expected `CHECK("),
            ("CHECK( init(main()), LTL(F end) )", "`Fend` cannot be checked"),
            ("CHECK( init(main()), LTL(G ! call(foo())) )", "cannot be checked"),
            ("CHECK( init(main()), LTL(G ! data-race) )", "cannot be checked"),
            (
                "CHECK( init(a()), LTL(G valid-free) )\nCHECK( init(b()), LTL(G valid-free) )",
                "another line starts in `a`",
            ),
        ] {
            let message = format!("{:#}", parse(text).unwrap_err());
            assert!(message.contains(words), "{message}");
        }
    }
}
