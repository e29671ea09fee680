//! Random C programs without undefined behaviour: one function `test_N` that computes a checksum, and
//! what it needs, all named with the program's number so that many fit into one file.
//!
//! Invariants: indices are masked, array lengths are powers of two, divisors are odd and small, signed
//! arithmetic that could overflow is done unsigned, floats become integers only inside a range that
//! fits. Expressions have no side effects; statements do.

use crate::pieces::{self, Piece};
use crate::random::Random;
use std::fmt::Write;

/// Whether a program has inputs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// It computes the same every time.
    Fixed,
    /// `test_N(a, b)` with `a` in `0..=a_max` and `b` in `-b_max..=b_max`.
    Inputs { a_max: u32, b_max: u32 },
}

/// An integer type: its name, its width, whether it is signed.
#[derive(Debug, Clone, Copy)]
pub struct Int(pub &'static str, pub u32, pub bool);

pub const INTS: &[Int] = &[
    Int("signed char", 8, true),
    Int("unsigned char", 8, false),
    Int("char", 8, true),
    Int("short", 16, true),
    Int("unsigned short", 16, false),
    Int("int", 32, true),
    Int("unsigned", 32, false),
    Int("long", 64, true),
    Int("unsigned long", 64, false),
    Int("long long", 64, true),
    Int("_Bool", 1, false),
];

/// Something that can be assigned to.
#[derive(Debug, Clone)]
pub struct Lvalue {
    pub text: String,
    pub ty: Kind,
}

#[derive(Debug, Clone, Copy)]
pub enum Kind {
    Int(Int),
    /// A bit-field promotes like its type, but holds less.
    Bits(Int),
    Float,
}

/// A program under construction.
#[derive(Debug)]
pub struct Generator {
    pub random: Random,
    pub id: usize,
    pub mode: Mode,
    pub floats: bool,
    /// Declarations and functions before `test_N`.
    pub top: String,
    pub body: String,
    /// At the end of the body: what must be freed.
    pub last: String,
    pub lvalues: Vec<Lvalue>,
    /// Scalars that may be read, but not written: loop counters.
    pub readable: Vec<String>,
    /// Pieces that a statement can use.
    pub pieces: Vec<Piece>,
    indent: usize,
    names: usize,
}

#[derive(Debug, Clone)]
pub struct Program {
    pub id: usize,
    pub mode: Mode,
    pub text: String,
}

pub fn program(seed: u64, id: usize, mode: Mode) -> Program {
    let mut random = Random::new(seed);
    let symbolic = mode != Mode::Fixed;
    let floats = if symbolic { random.once_in(12) } else { !random.once_in(3) };
    let mut g = Generator {
        random,
        id,
        mode,
        floats,
        top: String::new(),
        body: String::new(),
        last: String::new(),
        lvalues: Vec::new(),
        readable: Vec::new(),
        pieces: Vec::new(),
        indent: 1,
        names: 0,
    };
    if symbolic {
        g.readable.extend(["a".to_owned(), "b".to_owned()]);
    }
    pieces::declare(&mut g, if symbolic { 4 } else { 9 });
    let count = if symbolic { 3 + g.random.below(5) } else { 6 + g.random.below(12) };
    for _ in 0..count {
        g.statement(3);
    }
    g.checksum();
    let params = if symbolic { "unsigned char a, int b" } else { "void" };
    let Generator { top, body, last, .. } = g;
    let text = format!(
        "{top}static unsigned long long test_{id}({params}) {{\n  unsigned long long h = {id};\n\
         {body}{last}  return h;\n}}\n"
    );
    Program { id, mode, text }
}

impl Generator {
    /// A new name.
    pub fn name(&mut self, stem: &str) -> String {
        self.names += 1;
        format!("{stem}{}_{}", self.names, self.id)
    }

    pub fn line(&mut self, text: &str) {
        let _ = writeln!(self.body, "{}{text}", "  ".repeat(self.indent));
    }

    pub fn int_type(&mut self) -> Int {
        *self.random.pick(INTS)
    }

    fn checksum(&mut self) {
        for lvalue in self.lvalues.clone() {
            let Lvalue { text, ty } = lvalue;
            match ty {
                Kind::Int(_) | Kind::Bits(_) => {
                    self.line(&format!("h = h * 31 + (unsigned long long)({text});"));
                }
                Kind::Float => {
                    let number = as_integer(&text);
                    self.line(&format!("h = h * 31 + (unsigned long long)({number});"));
                }
            }
        }
    }

    /// A literal of some type.
    pub fn literal(&mut self) -> String {
        match self.random.below(9) {
            0 => format!("{}", self.random.below(256)),
            1 => format!("-{}", 1 + self.random.below(128)),
            2 => format!("{}u", self.random.next() as u32),
            3 => format!("0x{:x}ull", self.random.next()),
            4 => format!("{}l", self.random.next() as i32),
            5 => format!("'{}'", char::from(b'a' + self.random.below(26) as u8)),
            6 => (*self.random.pick(&["2147483647", "(-2147483647 - 1)", "0x7fffffffffffffffll"]))
                .to_owned(),
            _ => format!("{}", self.random.below(10)),
        }
    }

    /// Something integral that can be read.
    fn leaf(&mut self) -> String {
        let choices = self.lvalues.len() + self.readable.len() + 2;
        let n = self.random.below(choices);
        if n < self.lvalues.len() {
            let Lvalue { text, ty } = self.lvalues[n].clone();
            return match ty {
                Kind::Int(_) | Kind::Bits(_) => text,
                Kind::Float => as_integer(&text),
            };
        }
        match self.readable.get(n - self.lvalues.len()) {
            Some(name) => name.clone(),
            None => self.literal(),
        }
    }

    /// An expression of integer type.
    pub fn int(&mut self, depth: usize) -> String {
        if depth == 0 || self.random.once_in(5) {
            return self.leaf();
        }
        let (x, y) = (self.int(depth - 1), self.int(depth - 1));
        let unsigned = *self.random.pick(&["unsigned", "unsigned long", "unsigned long long"]);
        match self.random.below(20) {
            0..=2 => {
                let op = *self.random.pick(&["+", "-", "*"]);
                format!("(({unsigned})({x}) {op} ({unsigned})({y}))")
            }
            3 => {
                let op = *self.random.pick(&["+", "-", "*"]);
                format!("((int)(({x}) & 0x3ff) {op} (int)(({y}) & 0xfff))")
            }
            4 | 5 => format!("(({x}) {} ({y}))", self.random.pick(&["&", "|", "^"])),
            6 => format!("(~({x}))"),
            7 => format!("(({unsigned})({x}) << (({y}) & 31))"),
            8 => {
                let ty = *self.random.pick(&["int", "unsigned", "long", "unsigned long"]);
                format!("(({ty})({x}) >> (({y}) & 31))")
            }
            9 => {
                let ty = *self.random.pick(&["int", "unsigned", "long", "unsigned long"]);
                let op = *self.random.pick(&["/", "%"]);
                let sign = *self.random.pick(&["", "-"]);
                // An odd divisor is not zero, and -1 meets no smallest number because of the shift.
                format!("((({ty})({x}) >> 1) {op} {sign}({ty})((({y}) & 0x3f) | 1))")
            }
            10 | 11 => {
                let op = *self.random.pick(&["<", "<=", ">", ">=", "==", "!="]);
                format!("(({x}) {op} ({y}))")
            }
            12 => format!("(({x}) {} ({y}))", self.random.pick(&["&&", "||"])),
            13 => format!("(!({x}))"),
            14 => {
                let z = self.int(depth - 1);
                format!("(({x}) ? ({y}) : ({z}))")
            }
            15..=17 => format!("(({})({x}))", self.int_type().0),
            18 if self.floats => {
                let (p, q) = (self.float(depth - 1), self.float(depth - 1));
                format!("({p} {} {q})", self.random.pick(&["<", "<=", ">", ">=", "==", "!="]))
            }
            18 => format!("(-({unsigned})({x}))"),
            _ if self.floats => as_integer(&self.float(depth - 1)),
            _ => format!("(({x}) == ({y}) ? {} : {})", self.literal(), self.literal()),
        }
    }

    /// An expression of floating type.
    pub fn float(&mut self, depth: usize) -> String {
        let held: Vec<String> = self
            .lvalues
            .iter()
            .filter(|lvalue| matches!(lvalue.ty, Kind::Float))
            .map(|lvalue| lvalue.text.clone())
            .collect();
        if depth == 0 || self.random.once_in(4) {
            return match self.random.below(4) {
                0 => format!("{}.{}f", self.random.below(100), self.random.below(1000)),
                1 => format!("{}.{}e-3", self.random.below(100), self.random.below(1000)),
                _ if !held.is_empty() => self.random.pick(&held).clone(),
                _ => format!("{}.0", self.random.below(9)),
            };
        }
        let (x, y) = (self.float(depth - 1), self.float(depth - 1));
        match self.random.below(8) {
            0..=3 => format!("({x} {} {y})", self.random.pick(&["+", "-", "*", "/"])),
            4 => format!("(-{x})"),
            5 => format!("(({}){x})", self.random.pick(&["float", "double"])),
            6 => {
                let value = self.int(depth - 1);
                let via = *self.random.pick(&["int", "unsigned", "long", "unsigned long"]);
                let ty = *self.random.pick(&["float", "double"]);
                format!("(({ty})({via})({value}))")
            }
            _ => format!("({x} < {y} ? {x} : {y})"),
        }
    }

    /// A condition, short-circuit now and then.
    pub fn condition(&mut self) -> String {
        match self.random.below(3) {
            0 => {
                let (x, y) = (self.int(1), self.int(1));
                format!("({x}) && !({y})")
            }
            _ => self.int(2),
        }
    }

    pub fn block(&mut self, depth: usize, most: usize) {
        self.indent += 1;
        for _ in 0..=self.random.below(most) {
            self.statement(depth);
        }
        self.indent -= 1;
    }

    pub fn statement(&mut self, depth: usize) {
        let choice = self.random.below(if depth == 0 { 8 } else { 16 });
        match choice {
            0..=3 => self.assignment(),
            4..=7 => pieces::use_one(self),
            8 | 9 => {
                let condition = self.condition();
                self.line(&format!("if ({condition}) {{"));
                self.block(depth - 1, 2);
                if self.random.once_in(2) {
                    self.line("} else {");
                    self.block(depth - 1, 2);
                }
                self.line("}");
            }
            10..=12 => self.repetition(depth),
            13 => self.switch(depth),
            14 => {
                let label = self.name("skip");
                let condition = self.condition();
                self.line(&format!("if ({condition}) goto {label};"));
                self.statement(depth - 1);
                self.line(&format!("{label}:;"));
            }
            _ => {
                let value = self.int(2);
                self.line(&format!("h = (h ^ (unsigned long long)({value})) * 1099511628211ull;"));
            }
        }
    }

    fn repetition(&mut self, depth: usize) {
        let counter = self.name("i");
        let most = if self.mode == Mode::Fixed { 6 } else { 3 };
        let bound = 1 + self.random.below(most);
        let (open, close) = match self.random.below(3) {
            0 => (
                format!("for (int {counter} = 0; {counter} < {bound}; {counter}++) {{"),
                "}".into(),
            ),
            1 => (
                format!("{{ unsigned {counter} = {bound}; while ({counter}--) {{"),
                "}}".to_owned(),
            ),
            _ => (
                format!("{{ long {counter} = -{bound}; do {{"),
                format!("}} while (++{counter} < 0); }}"),
            ),
        };
        self.line(&open);
        self.readable.push(counter.clone());
        self.block(depth - 1, 2);
        if self.random.once_in(3) {
            let condition = self.condition();
            let jump = if open.contains("do {") { "break" } else { "continue" };
            self.line(&format!("  if ({condition}) {jump};"));
            self.assignment();
        }
        self.readable.retain(|name| *name != counter);
        self.line(&close);
    }

    fn switch(&mut self, depth: usize) {
        let value = self.int(2);
        self.line(&format!("switch (({value}) & 7) {{"));
        for case in 0..3 {
            let label = case * 2 + self.random.below(2);
            self.line(&format!("case {label}:;"));
            self.statement(depth - 1);
            if self.random.once_in(2) {
                self.line("break;");
            }
        }
        self.line("default:;");
        self.statement(depth - 1);
        self.line("}");
    }

    /// A plain or compound assignment, alone or after a comma.
    fn assignment(&mut self) {
        if self.lvalues.is_empty() {
            return;
        }
        let first = self.assign_expression();
        if self.random.once_in(5) {
            let second = self.assign_expression();
            self.line(&format!("{first}, {second};"));
        } else {
            self.line(&format!("{first};"));
        }
    }

    fn assign_expression(&mut self) -> String {
        let Lvalue { text, ty } = self.random.pick(&self.lvalues.clone()).clone();
        let int = match ty {
            Kind::Float => {
                let op = *self.random.pick(&["=", "=", "+=", "-=", "*="]);
                return format!("{text} {op} {}", self.float(2));
            }
            Kind::Int(int) | Kind::Bits(int) => int,
        };
        let value = self.int(3);
        let Int(_, bits, signed) = int;
        match self.random.below(8) {
            0 => format!("{text} {} ({value})", self.random.pick(&["^=", "|=", "&="])),
            1 if !signed && bits >= 32 => {
                format!("{text} {} ({value})", self.random.pick(&["+=", "-=", "*="]))
            }
            2 if !signed && bits >= 32 => format!("{text} <<= (({value}) & 31)"),
            3 if bits > 1 => {
                let masked = if bits < 32 { 7 } else { 31 };
                format!("{text} >>= (({value}) & {masked})")
            }
            4 if bits <= 16 => {
                let op = *self.random.pick(&["+=", "-=", "*="]);
                format!("{text} {op} (int)(({value}) & 0x1ff)")
            }
            5 if bits < 32 || !signed => {
                (*self.random.pick(&[format!("{text}++"), format!("--{text}")])).clone()
            }
            _ => format!("{text} = ({value})"),
        }
    }
}

/// What every file of programs begins with.
pub const PRELUDE: &str = "#include <stdarg.h>\n#include <stdlib.h>\n#include <string.h>\n\
static int whole(double d) { return d > -1e6 && d < 1e6 ? (int)d : 77; }\n";

/// A float as an integer, inside the range where the cast is defined.
pub fn as_integer(float: &str) -> String {
    format!("whole({float})")
}
