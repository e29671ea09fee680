//! One line of text and how far it is read: the parser's eyes. Blanks between tokens mean nothing, and
//! a `;` outside quotes ends the line.

use super::ParseError;
use crate::ir::print::is_bare;
use cranelift_entity::EntityRef;
use std::fmt::{self, Display, Write};
use std::str::FromStr;

#[derive(Debug, Clone)]
pub(super) struct Line<'t> {
    text: &'t str,
    /// How many bytes are read.
    at: usize,
    /// From 1.
    pub(super) number: usize,
}

type Read<T> = Result<T, ParseError>;

impl<'t> Line<'t> {
    pub(super) fn new(text: &'t str, number: usize) -> Self {
        Line { text, at: 0, number }
    }

    /// What is wrong at the next token.
    pub(super) fn error(&self, message: impl Into<String>) -> ParseError {
        let rest = self.text.get(self.at..).unwrap_or("").trim_start();
        let read = self.text.get(..self.text.len() - rest.len()).unwrap_or(self.text);
        ParseError { line: self.number, column: read.chars().count() + 1, message: message.into() }
    }

    fn expected<T>(&self, what: impl Display) -> Read<T> {
        let found = match self.text.get(self.at..).and_then(|rest| rest.chars().next()) {
            None | Some(';') => "the line ends".to_owned(),
            Some(_) if !self.rest_word().is_empty() => format!("found `{}`", self.rest_word()),
            Some(other) => format!("found `{}`", other.escape_debug()),
        };
        Err(self.error(format!("expected {what}, but {found}")))
    }

    /// The unread text, from the next token on.
    fn rest(&mut self) -> &'t str {
        let rest = self.text.get(self.at..).unwrap_or("");
        let trimmed = rest.trim_start();
        self.at += rest.len() - trimmed.len();
        trimmed
    }

    /// The plain characters at the very place we are.
    fn rest_word(&self) -> &'t str {
        let rest = self.text.get(self.at..).unwrap_or("");
        let len = rest.bytes().take_while(|&byte| is_bare(byte)).count();
        rest.get(..len).unwrap_or("")
    }

    pub(super) fn at_end(&mut self) -> bool {
        matches!(self.rest().bytes().next(), None | Some(b';'))
    }

    pub(super) fn end(&mut self) -> Read<()> {
        if self.at_end() { Ok(()) } else { self.expected("the end of the line") }
    }

    /// The next word, a keyword or id, without reading it; empty if there is none.
    pub(super) fn peek_word(&mut self) -> &'t str {
        let rest = self.rest();
        if rest.starts_with(|first: char| first.is_ascii_alphabetic()) {
            self.rest_word()
        } else {
            ""
        }
    }

    pub(super) fn word(&mut self, what: impl Display) -> Read<&'t str> {
        let word = self.peek_word();
        if word.is_empty() {
            return self.expected(what);
        }
        self.at += word.len();
        Ok(word)
    }

    pub(super) fn eat_word(&mut self, word: &str) -> bool {
        let found = self.peek_word() == word;
        if found {
            self.at += word.len();
        }
        found
    }

    pub(super) fn require_word(&mut self, word: &str) -> Read<()> {
        if self.eat_word(word) { Ok(()) } else { self.expected(format_args!("`{word}`")) }
    }

    /// A word of one of the tables.
    pub(super) fn table_word<T: crate::ir::words::Word>(&mut self, what: &str) -> Read<T> {
        match T::from_word(self.peek_word()) {
            Some(found) => {
                self.at += self.rest_word().len();
                Ok(found)
            }
            None => self.expected(what),
        }
    }

    pub(super) fn peek(&mut self, mark: &str) -> bool {
        self.rest().starts_with(mark)
    }

    pub(super) fn eat(&mut self, mark: &str) -> bool {
        let found = self.peek(mark);
        if found {
            self.at += mark.len();
        }
        found
    }

    pub(super) fn require(&mut self, mark: &str) -> Read<()> {
        if self.eat(mark) { Ok(()) } else { self.expected(format_args!("`{mark}`")) }
    }

    /// Items between commas and inside the brackets.
    pub(super) fn list<T>(
        &mut self,
        (open, close): (&str, &str),
        mut item: impl FnMut(&mut Self) -> Read<T>,
    ) -> Read<Vec<T>> {
        self.require(open)?;
        let mut items = Vec::new();
        if self.eat(close) {
            return Ok(items);
        }
        loop {
            items.push(item(self)?);
            if self.eat(close) {
                return Ok(items);
            }
            self.require(",")?;
        }
    }

    /// The digits of a number: decimal with or without fraction and exponent, or hexadecimal.
    pub(super) fn number(&mut self) -> Read<&'t str> {
        let rest = self.rest();
        let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
        let mut len = digits(rest);
        if len == 0 {
            return self.expected("a number");
        }
        if let Some(hex) = rest.strip_prefix("0x") {
            len = 2 + hex.bytes().take_while(u8::is_ascii_hexdigit).count();
        } else {
            if let Some(fraction) = rest.get(len..).and_then(|rest| rest.strip_prefix('.')) {
                len += 1 + digits(fraction);
            }
            if let Some(exponent) = rest.get(len..).and_then(|rest| rest.strip_prefix('e')) {
                let sign = usize::from(exponent.starts_with(['-', '+']));
                len += 1 + sign + digits(exponent.get(sign..).unwrap_or(""));
            }
        }
        self.at += len;
        Ok(rest.get(..len).unwrap_or(""))
    }

    /// A decimal integer that fits its type.
    pub(super) fn int<T: FromStr>(&mut self) -> Read<T> {
        self.rest();
        let start = self.clone();
        let signed = self.eat("-");
        let digits = self.number()?;
        let text = if signed { format!("-{digits}").parse() } else { digits.parse() };
        text.map_err(|_| start.error(format!("`{digits}` is no integer that fits here")))
    }

    /// An integer in hexadecimal.
    pub(super) fn hex(&mut self) -> Read<u128> {
        self.rest();
        let start = self.clone();
        let digits = self.number()?;
        let value = digits.strip_prefix("0x").map(|digits| u128::from_str_radix(digits, 16));
        value
            .and_then(Result::ok)
            .ok_or_else(|| start.error(format!("`{digits}` is no hexadecimal number of 128 bits")))
    }

    /// An id, if the next word is one of that kind.
    pub(super) fn try_id<T: EntityRef + Display>(&mut self) -> Option<T> {
        let word = self.peek_word();
        let digits = word.bytes().rev().take_while(u8::is_ascii_digit).count();
        let digits = word.get(word.len() - digits..)?;
        // The ids kept out mean `none` and the end of a range up to the last id.
        let index: u32 = digits.parse().ok().filter(|&index| index < u32::MAX - 1)?;
        let id = T::new(index as usize);
        // The id's own way to print itself says which word it is; nothing else knows its prefix.
        let mut rest = Unwritten(word);
        let same = write!(rest, "{id}").is_ok() && rest.0.is_empty();
        self.at += if same { word.len() } else { 0 };
        same.then_some(id)
    }

    pub(super) fn id<T: EntityRef + Display>(&mut self) -> Read<T> {
        match self.try_id() {
            Some(id) => Ok(id),
            None => self.expected(format_args!("an id like `{}`", T::new(0))),
        }
    }

    /// An id that must be the given one: tables are written in order.
    pub(super) fn label<T: EntityRef + Display>(&mut self, next: usize) -> Read<T> {
        let before = self.clone();
        let id: T = self.id()?;
        if id.index() == next {
            Ok(id)
        } else {
            Err(before.error(format!("expected `{}`, the next id in order", T::new(next))))
        }
    }

    /// A name after its sigil, bare or quoted.
    pub(super) fn name(&mut self, sigil: &str) -> Read<String> {
        self.require(sigil)?;
        if self.text.get(self.at..).is_some_and(|rest| rest.starts_with('"')) {
            return self.string();
        }
        let word = self.rest_word();
        if word.is_empty() {
            return self.expected("a name");
        }
        self.at += word.len();
        Ok(word.to_owned())
    }

    /// A quoted string, escaped as Rust's `{:?}` does.
    pub(super) fn string(&mut self) -> Read<String> {
        self.require("\"")?;
        let mut text = String::new();
        loop {
            match self.character()? {
                '"' => return Ok(text),
                '\\' => match self.character()? {
                    'n' => text.push('\n'),
                    'r' => text.push('\r'),
                    't' => text.push('\t'),
                    '0' => text.push('\0'),
                    'u' => text.push(self.code_point()?),
                    plain @ ('\\' | '"' | '\'') => text.push(plain),
                    other => return Err(self.bad_escape(other)),
                },
                plain => text.push(plain),
            }
        }
    }

    /// Quoted bytes, escaped as Rust's `escape_ascii` does.
    pub(super) fn bytes(&mut self) -> Read<Vec<u8>> {
        self.require("b\"")?;
        let mut bytes = Vec::new();
        loop {
            match self.character()? {
                '"' => return Ok(bytes),
                '\\' => match self.character()? {
                    'n' => bytes.push(b'\n'),
                    'r' => bytes.push(b'\r'),
                    't' => bytes.push(b'\t'),
                    'x' => bytes.push(self.hex_byte()?),
                    plain @ ('\\' | '"' | '\'') => bytes.push(plain as u8),
                    other => return Err(self.bad_escape(other)),
                },
                plain if plain.is_ascii() => bytes.push(plain as u8),
                other => return Err(self.error(format!("bytes are ASCII, `{other}` is not"))),
            }
        }
    }

    fn character(&mut self) -> Read<char> {
        let next = self.text.get(self.at..).and_then(|rest| rest.chars().next());
        let next = next.ok_or_else(|| self.error("the quotes are never closed"))?;
        self.at += next.len_utf8();
        Ok(next)
    }

    fn hex_byte(&mut self) -> Read<u8> {
        let digits = self.text.get(self.at..self.at + 2);
        let digits = digits.filter(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()));
        let byte = digits.and_then(|digits| u8::from_str_radix(digits, 16).ok());
        self.at += digits.map_or(0, str::len);
        byte.ok_or_else(|| self.error("expected two hexadecimal digits after `\\x`"))
    }

    fn code_point(&mut self) -> Read<char> {
        let rest = self.text.get(self.at..).unwrap_or("");
        let digits = rest.strip_prefix('{').and_then(|rest| rest.split_once('}'));
        let point = digits.and_then(|(digits, _)| u32::from_str_radix(digits, 16).ok());
        let found = point.and_then(char::from_u32);
        self.at += digits.map_or(0, |(digits, _)| digits.len() + 2);
        found.ok_or_else(|| self.error("expected a code point like `\\u{e9}`"))
    }

    fn bad_escape(&self, escape: char) -> ParseError {
        self.error(format!("there is no escape `\\{}`", escape.escape_debug()))
    }
}

/// Compares what is written with a text, and keeps what is left of it.
struct Unwritten<'t>(&'t str);

impl Write for Unwritten<'_> {
    fn write_str(&mut self, written: &str) -> fmt::Result {
        self.0 = self.0.strip_prefix(written).ok_or(fmt::Error)?;
        Ok(())
    }
}
