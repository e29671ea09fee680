//! What a place in the source points to: the columns of the word that begins there.

use std::ops::Range;

/// The characters of `line` that a finding at `column` is about, counted from zero: the name, number or
/// operator that begins there. Clang counts columns in bytes from one; zero means the whole line.
pub fn columns(line: &str, column: u32) -> Range<usize> {
    let length = line.chars().count();
    let blank = line.chars().take_while(|c| c.is_whitespace()).count();
    let whole = blank.min(length)..line.trim_end().chars().count().max(blank);
    let Some(byte) = usize::try_from(column).ok().and_then(|column| column.checked_sub(1)) else {
        return not_empty(whole);
    };
    // A column beyond the line or inside a character comes from a `#line` that tells stories.
    let Some(before) = line.get(..byte).filter(|before| before.len() < line.len()) else {
        return not_empty(whole);
    };
    let start = before.chars().count();
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    let rest = line.get(byte..).unwrap_or_default();
    let named = rest.chars().take_while(|c| is_name(*c)).count();
    let operator = rest.chars().take_while(|c| "+-*/%<>=!&|^".contains(*c)).count();
    start..start + named.max(operator).max(1)
}

fn not_empty(range: Range<usize>) -> Range<usize> {
    range.start..range.end.max(range.start + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_points_to_its_word() {
        assert_eq!(columns("  assert(x);", 3), 2..8);
        assert_eq!(columns("\ta << b", 4), 3..5);
        assert_eq!(columns("é = a[1];", 7), 5..6, "bytes become characters");
        assert_eq!(columns("  x = 1; ", 0), 2..8, "no column is the line");
        assert_eq!(columns("é", 2), 0..1, "inside a character");
        assert_eq!(columns("x", 99), 0..1);
        assert_eq!(columns("", 0), 0..1);
        assert_eq!(columns("", 1), 0..1);
    }
}
