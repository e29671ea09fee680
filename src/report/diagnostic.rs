//! One finding as rustc would show it: the message, the line of source, the way to it in numbered steps.

use annotate_snippets::{AnnotationKind, Level, Origin, Renderer, Snippet};

use super::{Obligation, Sources, Step, way};
use crate::line::one_line;

/// The finding with colours, ending in an empty line if its way is told.
pub fn render(finding: &Obligation, sources: &Sources) -> String {
    let at = &finding.location;
    let message = one_line(&finding.message);
    let level = if finding.is_assumed() { Level::WARNING } else { Level::ERROR };
    let title = level.primary_title(message).id(finding.rule);
    let path = one_line(&at.file);
    let line = usize::try_from(at.line).unwrap_or_default();
    let group = match sources.line(&at.file, at.line) {
        Some(text) => {
            let text = visible(text);
            let columns = sources.columns(at).unwrap_or_default();
            let label = match at.function.as_str() {
                "" => String::new(),
                function => format!("in {}", one_line(function)),
            };
            let span = bytes(&text, columns.start)..bytes(&text, columns.end);
            let annotation = AnnotationKind::Primary.span(span).label(label);
            let snippet = Snippet::source(text).line_start(line).path(path);
            title.element(snippet.annotation(annotation))
        }
        None => {
            let column = usize::try_from(at.column).unwrap_or_default();
            let place = if path.is_empty() { "(no place in the source)".to_owned() } else { path };
            title.element(Origin::path(place).line(line).char_column(column))
        }
    };
    let mut text = Renderer::styled().render(&[group]);
    text.push('\n');
    for related in finding.related.iter().filter(|related| !related.location.file.is_empty()) {
        let at = &related.location;
        let place = one_line(&format!("{}:{}: {}", at.file, at.line, related.text));
        text += &format!("  = note: {place}\n");
    }
    for assumed in &finding.assumes {
        text += &format!("  = assumes: {}\n", one_line(assumed));
    }
    push_trace(&mut text, &finding.trace);
    text
}

/// A line of source without anything that could act on the terminal, each character in its place.
pub(super) fn visible(line: &str) -> String {
    let plain =
        |c: char| if c == '\t' || one_line(&format!("{c}x")).starts_with(c) { c } else { '?' };
    line.chars().map(plain).collect()
}

/// Where a character stands.
fn bytes(text: &str, column: usize) -> usize {
    text.char_indices().nth(column).map_or(text.len(), |(at, _)| at)
}

/// So many steps of a long trace are shown from its beginning, and as many from its end.
const SHOWN_STEPS: usize = 12;

fn push_trace(text: &mut String, trace: &[Step]) {
    for told in way::fold(trace.iter(), SHOWN_STEPS, SHOWN_STEPS) {
        let (step, all) = (told.step, told.left_out());
        *text += &match (told.folded, told.unknown) {
            (0, 0) => String::new(),
            (folded, 0) => format!("    ... {folded} more (in the JSON report)\n"),
            (0, _) => format!("    ... {all} more (in no report)\n"),
            (folded, _) => format!("    ... {all} more ({folded} of them in the JSON report)\n"),
        };
        let at = &step.location;
        let indent = "  ".repeat(step.depth.saturating_sub(1).min(10) as usize);
        let what = one_line(&format!("{}:{}: {indent}{}", at.file, at.line, step.text));
        *text += &format!("    {:>3}. {what}\n", told.number);
    }
    if !trace.is_empty() {
        text.push('\n');
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Location, Verdict};
    use super::*;

    fn shown(source: &str, column: u32) -> String {
        let location = Location { file: "a.c".into(), line: 1, column, function: "f".into() };
        let step = Step {
            location: location.clone(),
            depth: 2,
            text: "x = 1".into(),
            change: None,
            input: None,
            left_out: 0,
        };
        let finding = Obligation {
            proof: None,
            rule: "leak",
            verdict: Verdict::Unsafe,
            location,
            message: "it is lost".into(),
            targets: Vec::new(),
            assumes: Vec::new(),
            silenced: None,
            related: Vec::new(),
            trace: vec![step; 30],
        };
        let text = render(&finding, &Sources::from_texts(&[("a.c", source)]));
        anstream::adapter::strip_str(&text).to_string()
    }

    #[test]
    fn the_line_is_shown_and_the_middle_folded() {
        let text = shown("  p = 0;\n", 3);
        let head = "error[leak]: it is lost\n --> a.c:1:3\n  |\n1 |   p = 0;\n  |   ^ in f\n      1. a.c:1:   x = 1\n";
        assert!(text.starts_with(head), "{text}");
        assert!(text.contains("    ... 6 more (in the JSON report)\n     19. "), "{text}");
    }

    #[test]
    fn no_source_reaches_the_terminal_as_a_command() {
        for source in ["\u{1b}[2J\tx\u{202e}é", "", "\u{0}"] {
            for column in 0..9 {
                let text = shown(source, column);
                assert!(!text.contains(['\u{1b}', '\u{202e}', '\u{0}']), "{text:?}");
            }
        }
    }
}
