//! GitHub's workflow commands: findings that appear beside the changed lines of a pull request.

use std::collections::BTreeSet;

use super::{Report, Sources};
use crate::line::one_line;

/// One line for each finding.
pub fn render(report: &Report, sources: &Sources) -> String {
    let (mut text, mut told) = (String::new(), BTreeSet::new());
    for finding in report.findings() {
        let at = &finding.location;
        let place = match (at.file.as_str(), at.line) {
            ("", _) => String::new(),
            (file, line) => {
                let column = sources.columns(at).map_or(at.column as usize, |c| c.start + 1);
                let column = if column > 0 { format!("col={column},") } else { String::new() };
                format!("file={},line={},{column}", property(file), line.max(1))
            }
        };
        let title = property(&format!("cegas-scan: {}", finding.rule));
        let (level, message) = match finding.is_assumed() {
            true => {
                let assumed = finding.assumes.join("; ");
                ("warning", format!("{} (assuming: {assumed})", finding.message))
            }
            false => ("error", finding.message.clone()),
        };
        let line = format!("::{level} {place}title={title}::{}\n", data(&message));
        // What several targets share is told once.
        if !told.contains(&line) {
            text += &line;
            told.insert(line);
        }
    }
    text
}

/// A text that cannot end its command: a name or a message of a hostile project must not start another.
fn data(text: &str) -> String {
    one_line(text).replace('%', "%25")
}

fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}
