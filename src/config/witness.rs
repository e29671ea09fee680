//! Witnesses that are given: what somebody says of the loops of a program, in the YAML of format 2.0.

use std::path::Path;

use anyhow::{Context, Result, bail};
use serde::Deserialize;

/// What a witness says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Given {
    pub conditions: Vec<GivenCondition>,
    /// Sets of whole states, in lines of our own.
    pub states: Vec<String>,
}

/// A condition that is said to hold each time a loop's head is met.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GivenCondition {
    /// As the witness names it.
    pub file: String,
    /// Where the loop's keyword stands.
    pub line: u32,
    /// Counted from one; nothing if the witness does not say.
    pub column: Option<u32>,
    /// The condition, in C.
    pub condition: String,
}

#[derive(Deserialize)]
struct Entry {
    entry_type: String,
    #[serde(default)]
    content: Vec<Item>,
}

#[derive(Deserialize)]
struct Item {
    invariant: Option<Invariant>,
    states: Option<String>,
}

#[derive(Deserialize)]
struct Invariant {
    r#type: String,
    location: Place,
    value: String,
    format: String,
}

#[derive(Deserialize)]
struct Place {
    file_name: String,
    line: u32,
    column: Option<u32>,
}

/// Reads what a witness says of loops.
pub fn load(path: &Path) -> Result<Given> {
    let text = std::fs::read_to_string(path)
        .with_context(|| format!("cannot read the witness {}", path.display()))?;
    read(&text).with_context(|| format!("the witness {}", path.display()))
}

fn read(text: &str) -> Result<Given> {
    let entries: Vec<Entry> = serde_yaml_ng::from_str(text)?;
    let is_known = |entry: &Entry| matches!(&*entry.entry_type, "invariant_set" | "state_set");
    if !entries.iter().any(is_known) {
        bail!("it has no entry of type invariant_set or state_set");
    }
    let mut given = Given::default();
    for entry in entries {
        match entry.entry_type.as_str() {
            "invariant_set" => {
                for invariant in entry.content.into_iter().filter_map(|item| item.invariant) {
                    given.conditions.push(condition(invariant)?);
                }
            }
            "state_set" => {
                given.states.extend(entry.content.into_iter().filter_map(|item| item.states));
            }
            _ => {}
        }
    }
    Ok(given)
}

fn condition(invariant: Invariant) -> Result<GivenCondition> {
    let Invariant { r#type: kind, location, value: condition, format } = invariant;
    if kind != "loop_invariant" || format != "c_expression" {
        bail!("an invariant of type {kind} in format {format}; only loops in C are understood");
    }
    let Place { file_name: file, line, column } = location;
    Ok(GivenCondition { file, line, column, condition })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loops_and_nothing_else() {
        let text = r#"
- entry_type: invariant_set
  metadata: {format_version: "2.0"}
  content:
  - invariant:
      type: loop_invariant
      location: {file_name: "a.c", line: 3, column: 5, function: main}
      value: "i <= n"
      format: c_expression
"#;
        let states = "- entry_type: state_set\n  content:\n  - states: |\n      t0 = element\n";
        let both = read(&(text.to_owned() + states)).unwrap();
        assert_eq!(both.states, ["t0 = element\n"]);
        let given = read(text).unwrap();
        assert_eq!((&given.conditions, given.states.len()), (&both.conditions, 0));
        let given = given.conditions;
        assert_eq!(given.len(), 1);
        assert_eq!((given[0].line, given[0].column), (3, Some(5)));
        assert_eq!(given[0].condition, "i <= n");
        assert!(read("[]").unwrap_err().to_string().contains("no entry"));
        assert!(read(&text.replace("loop_invariant", "location_invariant")).is_err());
        assert!(read("{").is_err());
    }
}
