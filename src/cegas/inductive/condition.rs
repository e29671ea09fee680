//! Conditions as C writes them: what stands in a witness, read.

use crate::smt::CInt;
use std::fmt;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Condition {
    Number(u128, CInt),
    Name(String),
    Member(Box<Condition>, String),
    Index(Box<Condition>, Box<Condition>),
    Unary(char, Box<Condition>),
    Binary(&'static str, Box<Condition>, Box<Condition>),
    Cast(CInt, Box<Condition>),
    Choice(Box<Condition>, Box<Condition>, Box<Condition>),
}

/// Brackets and operators nested deeper are not read.
const DEEPEST: u32 = 200;

/// The operators by how tightly they bind, the loosest first; longer ones before their beginnings.
const OPERATORS: &[&[&str]] = &[
    &["||"],
    &["&&"],
    &["|"],
    &["^"],
    &["&"],
    &["==", "!="],
    &["<=", ">=", "<", ">"],
    &["<<", ">>"],
    &["+", "-"],
    &["*", "/", "%"],
];

const INT: CInt = CInt { bits: 32, is_signed: true };

/// Reads a condition, as those that it joins by `&&`; `None` if it is not of the part of C that is understood here.
pub fn read(text: &str) -> Option<Vec<Condition>> {
    let mut reader = Reader { rest: text, depth: 0 };
    let condition = reader.choice()?;
    reader.space();
    let mut parts = Vec::new();
    let mut stack = vec![condition];
    while let Some(condition) = stack.pop() {
        match condition {
            Condition::Binary("&&", left, right) => stack.extend([*right, *left]),
            other => parts.push(other),
        }
    }
    reader.rest.is_empty().then_some(parts)
}

impl fmt::Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Condition::Number(value, _) => write!(f, "{value}"),
            Condition::Name(name) => write!(f, "{name}"),
            Condition::Member(whole, name) => write!(f, "{whole}.{name}"),
            Condition::Index(whole, index) => write!(f, "{whole}[{index}]"),
            Condition::Unary(op, inner) => write!(f, "{op}{inner}"),
            Condition::Binary(op, left, right) => write!(f, "({left} {op} {right})"),
            Condition::Cast(ty, inner) => match ty.name() {
                Some(name) => write!(f, "({name}){inner}"),
                None => write!(f, "{inner}"),
            },
            Condition::Choice(condition, then, other) => {
                write!(f, "({condition} ? {then} : {other})")
            }
        }
    }
}

struct Reader<'t> {
    rest: &'t str,
    depth: u32,
}

impl Reader<'_> {
    fn space(&mut self) {
        self.rest = self.rest.trim_start();
    }

    fn take(&mut self, token: &str) -> bool {
        self.space();
        let rest = self.rest.strip_prefix(token);
        rest.inspect(|rest| self.rest = rest).is_some()
    }

    fn choice(&mut self) -> Option<Condition> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return None;
        }
        let condition = self.binary(0)?;
        let whole = if self.take("?") {
            let then = self.choice()?;
            if !self.take(":") {
                return None;
            }
            let other = self.choice()?;
            Condition::Choice(Box::new(condition), Box::new(then), Box::new(other))
        } else {
            condition
        };
        self.depth -= 1;
        Some(whole)
    }

    fn binary(&mut self, level: usize) -> Option<Condition> {
        let Some(operators) = OPERATORS.get(level) else { return self.unary() };
        let mut left = self.binary(level + 1)?;
        while let Some(op) = self.operator(operators) {
            let right = self.binary(level + 1)?;
            left = Condition::Binary(op, Box::new(left), Box::new(right));
        }
        Some(left)
    }

    fn operator(&mut self, operators: &[&'static str]) -> Option<&'static str> {
        self.space();
        let found = operators.iter().find(|op| {
            let Some(rest) = self.rest.strip_prefix(**op) else { return false };
            // `&` is not the beginning of `&&`, nor `<` that of `<<` or `<=`.
            match **op {
                "&" => !rest.starts_with('&'),
                "|" => !rest.starts_with('|'),
                "<" | ">" => !rest.starts_with(**op) && !rest.starts_with('='),
                _ => true,
            }
        })?;
        self.rest = &self.rest[found.len()..];
        Some(found)
    }

    fn unary(&mut self) -> Option<Condition> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return None;
        }
        self.space();
        let op = self.rest.chars().next().filter(|c| matches!(c, '!' | '~' | '-' | '+'));
        let read = if let Some(op) = op {
            self.rest = &self.rest[1..];
            Condition::Unary(op, Box::new(self.unary()?))
        } else if let Some(ty) = self.cast() {
            Condition::Cast(ty, Box::new(self.unary()?))
        } else {
            self.postfix()?
        };
        self.depth -= 1;
        Some(read)
    }

    /// A type in brackets.
    fn cast(&mut self) -> Option<CInt> {
        let inside = self.rest.strip_prefix('(')?;
        let (name, rest) = inside.split_once(')')?;
        let ty = type_of(name)?;
        self.rest = rest;
        Some(ty)
    }

    fn postfix(&mut self) -> Option<Condition> {
        let mut whole = if self.take("(") {
            let inside = self.choice()?;
            if !self.take(")") {
                return None;
            }
            inside
        } else if self.rest.starts_with(|c: char| c.is_ascii_digit()) {
            self.number()?
        } else {
            Condition::Name(self.name()?)
        };
        loop {
            if self.take("[") {
                let index = self.choice()?;
                if !self.take("]") {
                    return None;
                }
                whole = Condition::Index(Box::new(whole), Box::new(index));
            } else if self.take(".") {
                whole = Condition::Member(Box::new(whole), self.name()?);
            } else {
                return Some(whole);
            }
        }
    }

    fn name(&mut self) -> Option<String> {
        self.space();
        let is_inside = |c: char| c.is_alphanumeric() || c == '_';
        let end = self.rest.find(|c| !is_inside(c)).unwrap_or(self.rest.len());
        let (name, rest) = self.rest.split_at(end);
        self.rest = rest;
        (!name.is_empty() && !name.starts_with(|c: char| c.is_ascii_digit()))
            .then(|| name.to_owned())
    }

    fn number(&mut self) -> Option<Condition> {
        let end = self.rest.find(|c: char| !c.is_alphanumeric()).unwrap_or(self.rest.len());
        let (text, rest) = self.rest.split_at(end);
        self.rest = rest;
        let text = text.to_ascii_lowercase();
        let digits = text.trim_end_matches(['u', 'l']);
        let suffix = &text[digits.len()..];
        let (value, is_decimal) = match digits.strip_prefix("0x") {
            Some(hex) => (u64::from_str_radix(hex, 16).ok()?, false),
            None if digits.len() > 1 && digits.starts_with('0') => {
                (u64::from_str_radix(digits, 8).ok()?, false)
            }
            None => (digits.parse().ok()?, true),
        };
        let (mut is_signed, is_long) = (!suffix.contains('u'), suffix.contains('l'));
        let fits = |bits: u32| value <= u64::MAX >> (64 - bits);
        let bits = match is_signed {
            true if !is_long && fits(31) => 32,
            true if !is_decimal && !is_long && fits(32) => {
                is_signed = false;
                32
            }
            false if !is_long && fits(32) => 32,
            _ => 64,
        };
        is_signed &= bits == 32 || fits(63);
        Some(Condition::Number(u128::from(value), CInt { bits, is_signed }))
    }
}

fn type_of(name: &str) -> Option<CInt> {
    let words: Vec<&str> = name.split_whitespace().collect();
    let has = |word: &str| words.contains(&word);
    let known = ["signed", "unsigned", "char", "short", "int", "long"];
    if words.is_empty() || !words.iter().all(|word| known.contains(word)) {
        return None;
    }
    let longs = words.iter().filter(|word| **word == "long").count();
    let bits = match (has("char"), has("short"), longs) {
        (true, ..) => 8,
        (_, true, _) => 16,
        (.., 0) => INT.bits,
        // How wide a single `long` is depends on the machine.
        (.., 1) => return None,
        _ => 64,
    };
    Some(CInt { bits, is_signed: !has("unsigned") })
}
