//! A C file as far as comments matter: where its lines begin, where its comments are, and where code is.
//!
//! Invariant: lines are counted as clang counts them, ended by `\n`, `\r\n` or `\r` alone. What is in quotes is code. Quotes that
//! do not end, as in `#error don't`, end with their line: what one line gets wrong does not spoil the next.

use std::ops::Range;

/// Where things are in a text.
#[derive(Debug, Default)]
pub struct Lexed {
    /// Where each line begins.
    pub starts: Vec<usize>,
    /// Without the end of the line, with `*/`.
    pub comments: Vec<Range<usize>>,
    /// Where the first and the last character of code stand in each line.
    code: Vec<Option<(usize, usize)>>,
}

impl Lexed {
    pub fn of(text: &str) -> Self {
        let bytes = text.as_bytes();
        let mut lexed = Self { starts: vec![0], ..Self::default() };
        for (at, byte) in bytes.iter().enumerate() {
            let ends = *byte == b'\n' || *byte == b'\r' && bytes.get(at + 1) != Some(&b'\n');
            lexed.starts.extend(ends.then_some(at + 1));
        }
        let mut at = 0;
        while let Some(&byte) = bytes.get(at) {
            let end = match (byte, bytes.get(at + 1)) {
                (b'/', Some(b'/')) => line_end(bytes, at),
                (b'/', Some(b'*')) => {
                    let close = text.get(at + 2..).and_then(|rest| rest.find("*/"));
                    close.map_or(bytes.len(), |close| at + 2 + close + 2)
                }
                (b'"', _) => {
                    at = quoted_end(bytes, at);
                    continue;
                }
                (b'\'', _) if !is_in_number(bytes, at) => {
                    at = quoted_end(bytes, at);
                    continue;
                }
                _ => {
                    at += 1;
                    continue;
                }
            };
            lexed.comments.push(at..end);
            at = end;
        }
        lexed.find_code(bytes);
        lexed
    }

    /// The line of a place, counted from zero.
    pub fn line(&self, at: usize) -> usize {
        self.starts.partition_point(|start| *start <= at).saturating_sub(1)
    }

    /// Whether code stands before a place, on its line.
    pub fn has_code_before(&self, at: usize) -> bool {
        self.code_beside(at).is_some_and(|(first, _)| first < at)
    }

    /// Whether code stands at a place or behind it, on its line.
    pub fn has_code_behind(&self, at: usize) -> bool {
        self.code_beside(at).is_some_and(|(_, last)| last >= at)
    }

    fn code_beside(&self, at: usize) -> Option<(usize, usize)> {
        *self.code.get(self.line(at))?
    }

    fn find_code(&mut self, bytes: &[u8]) {
        self.code = vec![None; self.starts.len()];
        let (mut line, mut at) = (0, 0);
        let end = bytes.len()..bytes.len();
        for comment in self.comments.iter().chain(std::iter::once(&end)) {
            for (at, byte) in bytes.iter().enumerate().take(comment.start).skip(at) {
                while self.starts.get(line + 1).is_some_and(|start| *start <= at) {
                    line += 1;
                }
                if !byte.is_ascii_whitespace()
                    && let Some(code) = self.code.get_mut(line)
                {
                    *code = Some((code.map_or(at, |(first, _)| first), at));
                }
            }
            at = comment.end;
        }
    }
}

/// Where the line ends; one that ends in a backslash goes on.
fn line_end(bytes: &[u8], mut at: usize) -> usize {
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'\\' => at += escaped(bytes, at),
            b'\n' | b'\r' => return at,
            _ => at += 1,
        }
    }
    at.min(bytes.len())
}

/// Behind the quote that matches the one at `at`.
fn quoted_end(bytes: &[u8], at: usize) -> usize {
    let quote = bytes.get(at);
    let mut next = at + 1;
    while let Some(byte) = bytes.get(next) {
        match byte {
            b'\\' => next += escaped(bytes, next),
            b'\n' | b'\r' => return next,
            byte if Some(byte) == quote => return next + 1,
            _ => next += 1,
        }
    }
    next.min(bytes.len())
}

/// How long a backslash is with what follows it: an end of a line may be two characters.
fn escaped(bytes: &[u8], at: usize) -> usize {
    if bytes.get(at + 1..at + 3) == Some(b"\r\n") { 3 } else { 2 }
}

/// No number is longer.
const DIGITS: usize = 80;

/// Whether the mark only divides digits, as in `1'000`.
fn is_in_number(bytes: &[u8], at: usize) -> bool {
    let word = |byte: &&u8| byte.is_ascii_alphanumeric() || b"_'.".contains(byte);
    let before =
        bytes.get(..at).unwrap_or_default().iter().rev().take(DIGITS).take_while(word).last();
    before.is_some_and(u8::is_ascii_digit) && bytes.get(at + 1).is_some_and(u8::is_ascii_hexdigit)
}
