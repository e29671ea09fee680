//! What all random programs share: lines with their indent, and claims on lines of their own.

use crate::generate::{Program, TASK};
use std::fmt::Write;

/// An input, as the programs ask for it.
pub const INPUT: &str = "__VERIFIER_nondet_uint()";

pub struct Writer {
    text: String,
    pub indent: usize,
    claims: Vec<u64>,
}

impl Writer {
    /// A program that declares these functions beside those for inputs and claims.
    pub fn new(declared: &str) -> Writer {
        let text = format!(
            "unsigned __VERIFIER_nondet_uint(void);\nvoid __VERIFIER_assert(int);\n{declared}{TASK}"
        );
        Writer { text, indent: 0, claims: Vec::new() }
    }

    pub fn line(&mut self, text: &str) {
        let indent = "  ".repeat(self.indent);
        let _ = writeln!(self.text, "{indent}{text}");
    }

    /// A claim. If it is made `aside`, what does not hold keeps nothing from being looked at behind it.
    pub fn claim(&mut self, condition: &str, aside: bool) {
        let number = self.claims.len();
        let text = format!("__VERIFIER_assert(/*{number}*/ {condition});");
        match aside {
            true => self.line(&format!("if ({INPUT} & 1) {{ {text} return 0; }}")),
            false => self.line(&text),
        }
        self.claims.push(self.text.lines().count() as u64);
    }

    pub fn program(self, id: usize) -> Program {
        Program { id, text: self.text, claims: self.claims }
    }
}
