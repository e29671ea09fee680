//! Format strings of the `printf` and `scanf` families: which arguments they take and what is done
//! through them. A format that is not fully understood is no format: `None`.

use super::accesses::constant_text;
use crate::ir::{Operand, Program};

/// What a conversion does with its argument.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Use {
    /// A number or address, passed by value.
    Value,
    /// A string that is read, of characters this wide, at most so many.
    Text { unit: u64, limit: Option<u64> },
    /// A string that is read as far as another argument says, or to its end.
    Part,
    /// A place for a number of so many bytes that is written; made of few characters, it is not any number.
    Number { bytes: u64, few: bool },
    /// A place for a string that is written, at most so many characters and a zero.
    Line { unit: u64, limit: Option<u64> },
    /// A place for exactly so many characters; what was read before may have taken some that they cannot be.
    Characters { count: u64, few: bool },
}

struct Reader<'a> {
    rest: &'a [u8],
}

impl Reader<'_> {
    fn next(&mut self) -> Option<u8> {
        let (&first, rest) = self.rest.split_first()?;
        self.rest = rest;
        Some(first)
    }

    fn skip(&mut self, set: &[u8]) -> bool {
        let found = self.rest.first().is_some_and(|byte| set.contains(byte));
        if found {
            self.rest = &self.rest[1..];
        }
        found
    }

    fn number(&mut self) -> Option<u64> {
        let digits = self.rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let (number, rest) = self.rest.split_at(digits);
        self.rest = rest;
        std::str::from_utf8(number).ok()?.parse().ok()
    }

    /// The length modifier as the size of an integer.
    fn size(&mut self, long: u64) -> u64 {
        if self.skip(b"h") {
            return if self.skip(b"h") { 1 } else { 2 };
        }
        if self.skip(b"l") {
            return if self.skip(b"l") { 8 } else { long };
        }
        if self.skip(b"jLq") {
            return 8;
        }
        if self.skip(b"zt") { long } else { 4 }
    }
}

/// What `printf` does with its arguments after the format.
pub fn printf(format: &[u8], long: u64) -> Option<Vec<Use>> {
    let mut reader = Reader { rest: format };
    let mut uses = Vec::new();
    while let Some(byte) = reader.next() {
        if byte != b'%' {
            continue;
        }
        while reader.skip(b"-+ #0'") {}
        if reader.skip(b"*") {
            uses.push(Use::Value);
        } else {
            reader.number();
        }
        let (mut limit, mut is_given) = (None, false);
        if reader.skip(b".") {
            if reader.skip(b"*") {
                uses.push(Use::Value);
                is_given = true;
            } else {
                limit = Some(reader.number().unwrap_or(0));
            }
        }
        let wide = reader.rest.first() == Some(&b'l');
        let size = reader.size(long);
        match reader.next()? {
            b'%' => {}
            b'd' | b'i' | b'u' | b'o' | b'x' | b'X' | b'c' | b'p' => uses.push(Use::Value),
            b'f' | b'F' | b'e' | b'E' | b'g' | b'G' | b'a' | b'A' | b'C' => uses.push(Use::Value),
            b's' | b'S' if is_given => uses.push(Use::Part),
            b's' => uses.push(Use::Text { unit: if wide { 4 } else { 1 }, limit }),
            b'S' => uses.push(Use::Text { unit: 4, limit }),
            b'n' => uses.push(Use::Number { bytes: size, few: false }),
            _ => return None,
        }
    }
    Some(uses)
}

/// What `scanf` does with its arguments after the format.
pub fn scanf(format: &[u8], long: u64) -> Option<Vec<Use>> {
    let mut reader = Reader { rest: format };
    let mut uses = Vec::new();
    while let Some(byte) = reader.next() {
        if byte != b'%' {
            continue;
        }
        let before = reader.rest.len() + 1;
        let dropped = reader.skip(b"*");
        let width = reader.number();
        let wide = reader.rest.first() == Some(&b'l');
        let longest = reader.rest.first() == Some(&b'L');
        let size = reader.size(long);
        let done = match reader.next()? {
            b'%' => continue,
            b'd' | b'i' | b'u' | b'o' | b'x' | b'X' => {
                Use::Number { bytes: size, few: width.is_some() }
            }
            // How much was read so far does not count as read.
            b'p' | b'n' => return None,
            // Not every pattern of bits is a number of this type.
            b'f' | b'e' | b'g' | b'a' | b'E' | b'G' if longest => {
                Use::Number { bytes: if long == 8 { 16 } else { 12 }, few: true }
            }
            // `l` makes a double, no modifier a float.
            b'f' | b'e' | b'g' | b'a' | b'E' | b'G' => {
                Use::Number { bytes: if wide { 8 } else { 4 }, few: width.is_some() }
            }
            b'c' if !wide => {
                Use::Characters { count: width.unwrap_or(1), few: before < format.len() }
            }
            b's' => Use::Line { unit: if wide { 4 } else { 1 }, limit: width },
            b'[' => {
                // A set ends at the first `]` that is not its first character.
                reader.skip(b"^");
                reader.skip(b"]");
                while reader.next()? != b']' {}
                Use::Line { unit: 1, limit: width }
            }
            _ => return None,
        };
        if !dropped {
            uses.push(done);
        }
    }
    Some(uses)
}

/// The format of a call, if it is a constant.
pub fn of_call(program: &Program, args: &[Operand], index: usize) -> Option<Vec<u8>> {
    constant_text(program, *args.get(index)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conversions_are_read() {
        let text = |limit| Use::Text { unit: 1, limit };
        assert_eq!(printf(b"%d of %5.2f: %s\n", 8), Some(vec![Use::Value, Use::Value, text(None)]));
        assert_eq!(
            printf(b"%.3s%%%ls", 8),
            Some(vec![text(Some(3)), Use::Text { unit: 4, limit: None }])
        );
        assert_eq!(
            printf(b"%*d%n", 8),
            Some(vec![Use::Value, Use::Value, Use::Number { bytes: 4, few: false }])
        );
        assert_eq!(printf(b"%.*s", 8), Some(vec![Use::Value, Use::Part]));
        assert_eq!(printf(b"%y", 8), None);
        assert_eq!(scanf(b"%Lf", 8), Some(vec![Use::Number { bytes: 16, few: true }]));
        assert_eq!(
            scanf(b"%ld %3hd %*d %9s%[^]x]", 8),
            Some(vec![
                Use::Number { bytes: 8, few: false },
                Use::Number { bytes: 2, few: true },
                Use::Line { unit: 1, limit: Some(9) },
                Use::Line { unit: 1, limit: None },
            ])
        );
    }
}
