//! Witnesses of format 2.0, the YAML in which verifiers exchange what they found: for a program of which everything
//! holds, the invariants of its loops; for a violation, the inputs that lead to it.
//!
//! Only what the properties of the format's competition have a name for is told. Strings are written as JSON, which
//! is YAML, too. The time in it is that of the newest source file, so that equal scans give equal bytes.

use std::fmt::Write;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use serde_json::Value;
use sha2::{Digest, Sha256};

use super::{Invariant, Location, Obligation, Report, Sources, Target, TargetKind, Verdict};
use crate::config::Settings;

/// The property that a rule answers for.
fn property(rule: &str) -> Option<&'static str> {
    Some(match rule {
        "assertion" => "! call(reach_error())",
        "null-deref" | "out-of-bounds" | "use-after-free" => "valid-deref",
        "double-free" | "invalid-free" => "valid-free",
        "leak" => "valid-memtrack",
        "signed-overflow" => "! overflow",
        _ => return None,
    })
}

/// One witness for each program that is safe, and one for each violation.
pub fn render(report: &Report, sources: &Sources, settings: &Settings) -> String {
    let writer = Writer { report, sources, settings };
    let mut text = String::new();
    for target in report.targets.iter().filter(|target| target.kind == TargetKind::Program) {
        let of_it = |o: &&Obligation| o.targets.contains(&target.name);
        let all: Vec<&Obligation> = report.obligations.iter().filter(of_it).collect();
        let is_safe = |o: &&Obligation| o.verdict == Verdict::Safe && !o.is_assumed();
        if report.checked && target.failure.is_none() && all.iter().all(is_safe) {
            text += &writer.proof(target);
        }
        // What targets share is told with the way of the first.
        let is_its = |o: &&&Obligation| o.targets.first() == Some(&target.name);
        for obligation in all.iter().filter(is_its).filter(|o| o.verdict == Verdict::Unsafe) {
            text += &writer.violation(target, obligation);
        }
        // What is proved of a program is proved, whatever is open.
        text += &writer.states(target);
    }
    if text.is_empty() { "[]\n".to_owned() } else { text }
}

struct Writer<'w> {
    report: &'w Report,
    sources: &'w Sources,
    settings: &'w Settings,
}

impl Writer<'_> {
    /// The invariants of a program that is safe.
    fn proof(&self, target: &Target) -> String {
        let properties = self.properties();
        if properties.is_empty() {
            return String::new();
        }
        let mut content = String::new();
        let of_it = |invariant: &&Invariant| invariant.target == target.name;
        for invariant in self.report.invariants.iter().filter(of_it) {
            let is_loop = |place: &&Location| self.is_keyword(place);
            let Some(place) = invariant.places.iter().find(is_loop) else { continue };
            let bracketed = |condition: &String| match invariant.conditions.len() {
                1 => condition.clone(),
                _ => format!("({condition})"),
            };
            let all: Vec<String> = invariant.conditions.iter().map(bracketed).collect();
            content += "  - invariant:\n      type: loop_invariant\n";
            content += &location(place, 6);
            _ = writeln!(content, "      value: {}", quoted(&all.join(" && ")));
            content += "      format: c_expression\n";
        }
        self.entry("invariant_set", target, &properties, &content)
    }

    fn properties(&self) -> Vec<&'static str> {
        let rules = self.settings.rules.iter();
        let mut properties: Vec<&str> = rules.filter_map(|rule| property(rule)).collect();
        properties.dedup();
        properties
    }

    /// The same as whole states.
    fn states(&self, target: &Target) -> String {
        let mut content = String::new();
        for states in self.report.states.iter().filter(|states| states.target == target.name) {
            content += "  - states: |\n";
            states.lines.lines().for_each(|line| _ = writeln!(content, "      {line}"));
        }
        if content.is_empty() {
            return content;
        }
        self.entry("state_set", target, &self.properties(), &content)
    }

    /// The inputs that lead to a violation, and where it is.
    fn violation(&self, target: &Target, obligation: &Obligation) -> String {
        let Some(property) = property(obligation.rule) else { return String::new() };
        let mut content = String::new();
        // What was read later does not belong to the next call, if some calls in between are not known.
        for step in obligation.trace.iter().take_while(|step| step.left_out == 0) {
            let Some(value) = &step.input else { continue };
            let Some(place) = self.end_of_call(&step.location) else { continue };
            content += "  - segment:\n    - waypoint:\n        type: function_return\n";
            content += "        action: follow\n";
            content += &location(&place, 8);
            let value = quoted(&format!("\\result == {value}"));
            _ = write!(content, "        constraint:\n          value: {value}\n");
            content += "          format: acsl_expression\n";
        }
        content += "  - segment:\n    - waypoint:\n        type: target\n        action: follow\n";
        content += &location(&obligation.location, 8);
        self.entry("violation_sequence", target, &[property], &content)
    }

    fn entry(&self, kind: &str, target: &Target, properties: &[&str], content: &str) -> String {
        let check = |property: &&str| format!("CHECK( init(main()), LTL(G {property}) )");
        let specification = properties.iter().map(check).collect::<Vec<_>>().join("\n");
        let bits = target.model.as_ref().map_or(64, |model| model.pointer_bits);
        let data_model = if bits == 32 { "ILP32" } else { "LP64" };
        let mut task = String::new();
        _ = writeln!(task, "      input_files:");
        for file in &target.units {
            _ = writeln!(task, "      - {}", quoted(file));
        }
        _ = writeln!(task, "      input_file_hashes:");
        for file in &target.units {
            let bytes = self.sources.bytes(file).unwrap_or_default();
            let hash = format!("{:x}", Sha256::digest(bytes));
            _ = writeln!(task, "        {}: {}", quoted(file), quoted(&hash));
        }
        _ = writeln!(task, "      specification: {}", quoted(&specification));
        _ = writeln!(task, "      data_model: {data_model}\n      language: C");
        let mut text = format!("- entry_type: {kind}\n  metadata:\n    format_version: \"2.0\"\n");
        let stamp = [kind, &task, content].concat();
        _ = writeln!(text, "    uuid: {}", quoted(&uuid(&stamp)));
        let time = humantime::format_rfc3339_seconds(self.newest(target));
        _ = writeln!(text, "    creation_time: {}", quoted(&time.to_string()));
        let version = quoted(env!("CARGO_PKG_VERSION"));
        _ = writeln!(text, "    producer:\n      name: cegas-scan\n      version: {version}");
        text += "    task:\n";
        text += &task;
        match content {
            "" => text + "  content: []\n",
            _ => text + "  content:\n" + content,
        }
    }

    fn newest(&self, target: &Target) -> SystemTime {
        let changed = |file: &String| {
            let path = self.settings.root.join(Path::new(file));
            std::fs::metadata(path).and_then(|there| there.modified()).ok()
        };
        target.units.iter().filter_map(changed).max().unwrap_or(UNIX_EPOCH)
    }

    /// Whether the keyword of a loop stands there.
    fn is_keyword(&self, place: &Location) -> bool {
        let Some(rest) = self.sources.rest_of_line(place) else { return false };
        let word: String = rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
        matches!(word.as_str(), "while" | "for" | "do")
    }

    /// Where the bracket closes of the call that begins there.
    fn end_of_call(&self, place: &Location) -> Option<Location> {
        let rest = self.sources.rest_of_line(place)?;
        let name =
            rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).filter(|&end| end > 0)?;
        let mut depth = 0u32;
        for (index, c) in rest.char_indices().skip_while(|(index, _)| *index < name) {
            match c {
                '(' => depth += 1,
                ')' if depth == 1 => {
                    let column = place.column + u32::try_from(index).ok()?;
                    return Some(Location { column, ..place.clone() });
                }
                ')' => depth = depth.checked_sub(1)?,
                ' ' | '\t' => {}
                _ if depth == 0 => return None,
                _ => {}
            }
        }
        None
    }
}

fn location(place: &Location, indent: usize) -> String {
    let Location { file, line, column, function } = place;
    let (file, function) = (quoted(file), quoted(function));
    let space = " ".repeat(indent);
    let mut text = format!("{space}location:\n{space}  file_name: {file}\n{space}  line: {line}\n");
    if *column > 0 {
        text += &format!("{space}  column: {column}\n");
    }
    text + &format!("{space}  function: {function}\n")
}

fn quoted(text: &str) -> String {
    Value::from(text).to_string()
}

/// A number for what it says.
fn uuid(text: &str) -> String {
    let mut hash: [u8; 16] = [0; 16];
    hash.copy_from_slice(&blake3::hash(text.as_bytes()).as_bytes()[..16]);
    // Version 8 is for numbers that were made in one's own way.
    hash[6] = hash[6] & 0x0f | 0x80;
    hash[8] = hash[8] & 0x3f | 0x80;
    let hex: String = hash.iter().map(|byte| format!("{byte:02x}")).collect();
    [&hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..]].join("-")
}
