//! Foreign text made fit for one line of a terminal.

/// Text with every control character written out, so that neither a file's name nor a compiler's
/// message can break a line, colour the terminal or move its cursor.
pub fn one_line(text: &str) -> String {
    // The two that reorder a line's visible text count as control characters here.
    let hidden =
        |c: char| c.is_control() || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    let mut line = String::with_capacity(text.len());
    for c in text.trim_end().chars() {
        if hidden(c) { line.extend(c.escape_default()) } else { line.push(c) }
    }
    line
}
