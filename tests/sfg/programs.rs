//! Random C programs for cutting: variables that matter for some assertions and not for others, reached through
//! pointers, structs and calls; loops that end, may end or do not; executions that stop early.
//!
//! Invariants: no undefined behaviour but what an assertion or a check may find (arithmetic is unsigned or
//! small); loops run a few rounds or for ever without choosing.

use crate::random::Random;
use std::fmt::Write;

const HEAD: &str = "#include <assert.h>\n#include <stdlib.h>\n#include <stdio.h>\n\
int __VERIFIER_nondet_int(void);\nvoid __VERIFIER_assume(int);\nvoid svf_assert(int);\n\
struct pair { int a, b; int *to; };\n\
static int g0, g1 = 1, g2 = 2;\nstatic int ga[4] = {1, 2};\nstatic struct pair gp = {3, 4, &g2};\n\
static int *gq = &g1;\n";

#[derive(Debug)]
struct Writer<'r> {
    random: &'r mut Random,
    text: String,
    indent: usize,
    /// What may be read and written here.
    places: Vec<String>,
    /// Functions that may be called from here.
    callees: usize,
    inputs: usize,
    names: usize,
    asserts: usize,
    /// Nothing is reached through a pointer, so that much can be cut.
    plain: bool,
}

pub fn program(random: &mut Random) -> String {
    let plain = random.once_in(2);
    let mut w = Writer {
        plain,
        random,
        text: HEAD.to_owned(),
        indent: 1,
        places: Vec::new(),
        callees: 0,
        inputs: 0,
        names: 0,
        asserts: 0,
    };
    for number in 0..3 {
        w.function(number);
    }
    let _ = writeln!(w.text, "int main(void) {{");
    w.line("int a = __VERIFIER_nondet_int(), b = __VERIFIER_nondet_int();");
    w.line("__VERIFIER_assume(a >= 0 && a <= 3 && b >= 0 && b <= 7);");
    w.body(12, &["a", "b", "a", "b"]);
    let _ = writeln!(
        w.text,
        "  svf_assert(g0 != 3);\n  svf_assert(u < 5);\n  assert(gp.b != 5);\n  return 0;\n}}"
    );
    w.text
}

impl Writer<'_> {
    fn line(&mut self, text: &str) {
        let _ = writeln!(self.text, "{}{text}", "  ".repeat(self.indent));
    }

    fn function(&mut self, number: usize) {
        let _ = writeln!(self.text, "static int f{number}(int x, int *p) {{");
        self.body(4, &["x", "*p"]);
        let result = self.value();
        let _ = writeln!(self.text, "  return ({result}) & 7;\n}}");
        self.callees = number + 1;
    }

    fn body(&mut self, statements: usize, more: &[&str]) {
        let globals = ["g0", "g1", "g2", "ga[1]", "ga[3]", "gp.a", "gp.b", "*gp.to", "*gq"];
        let plain = self.plain;
        let all = globals.iter().chain(more).filter(|place| !plain || !place.starts_with('*'));
        self.places = all.map(|&place| place.to_owned()).collect();
        for name in ["u", "v", "w"] {
            let value = self.random.below(6);
            self.line(&format!("int {name} = {value};"));
            self.places.push(name.to_owned());
        }
        let target = (*self.random.pick(&["u", "v", "g0", "ga[2]", "gp.a"])).to_owned();
        self.line(&format!("int *q = &{target};"));
        self.line("struct pair s = {1, 2, &w};");
        self.places.extend(["s.a".to_owned(), "s.b".to_owned()]);
        if !self.plain {
            self.places.extend(["*q".to_owned(), "*s.to".to_owned()]);
        }
        for _ in 0..statements {
            self.statement(2);
        }
    }

    fn place(&mut self) -> String {
        self.random.pick(&self.places).clone()
    }

    fn value(&mut self) -> String {
        let (a, b) = (self.place(), self.place());
        match self.random.below(6) {
            0 => format!("{}", self.random.below(9)),
            1 => a,
            2 => format!("({a} & 3) + ({b} & 3)"),
            3 => format!("({a} ^ {b}) & 15"),
            4 => format!("({a} & 7) * 2 - 1"),
            _ => format!("{a} == {b}"),
        }
    }

    fn condition(&mut self) -> String {
        let (place, number) = (self.place(), self.random.below(6));
        let op = *self.random.pick(&["==", "!=", "<", ">", "<="]);
        match self.random.below(3) {
            0 => format!("({place} & {}) {op} {}", 1 + self.random.below(3), number & 3),
            _ => format!("{place} {op} {number}"),
        }
    }

    fn address(&mut self) -> String {
        let places: Vec<&String> = self.places.iter().filter(|place| *place != "x").collect();
        format!("&{}", self.random.pick(&places))
    }

    fn statement(&mut self, depth: usize) {
        match self.random.below(24) {
            0..=6 => {
                let (to, value) = (self.place(), self.value());
                self.line(&format!("{to} = {value};"));
            }
            7 => {
                let from = self.address();
                let to = *self.random.pick(&["q", "s.to", "gq", "gp.to"]);
                // Nothing outlives what it points to: globals take globals only.
                let local = ["&u", "&v", "&w", "&s", "&*"].iter().any(|l| from.starts_with(l));
                if !(local && to.starts_with('g')) && from != "&*q" {
                    self.line(&format!("{to} = {from};"));
                }
            }
            8 if self.inputs < 3 => {
                self.inputs += 1;
                let to = self.place();
                self.line(&format!("{to} = __VERIFIER_nondet_int();"));
                self.line(&format!("__VERIFIER_assume({to} >= 0 && {to} <= 3);"));
            }
            9..=11 if depth > 0 => {
                let condition = self.condition();
                self.line(&format!("if ({condition}) {{"));
                self.block(depth);
                if self.random.once_in(2) {
                    self.line("} else {");
                    self.block(depth);
                }
                self.line("}");
            }
            12 | 13 if depth > 0 => self.count(depth),
            14 if self.random.once_in(2) => self.stop(),
            15 | 16 if self.callees > 0 => {
                let (callee, value) = (self.random.below(self.callees), self.value());
                let (to, address) = (self.place(), self.address());
                match self.random.below(3) {
                    0 => self.line(&format!("f{callee}({value}, {address});")),
                    _ => self.line(&format!("{to} = f{callee}({value}, {address});")),
                }
            }
            17 if !self.plain => {
                self.names += 1;
                let (name, value, to) = (format!("h{}", self.names), self.value(), self.place());
                self.line(&format!("int *{name} = malloc(sizeof(int));"));
                self.line(&format!("*{name} = {value};"));
                self.line(&format!("{to} = *{name};"));
                self.line(&format!("free({name});"));
            }
            18 => {
                let value = self.value();
                self.line(&format!("printf(\"%d\\n\", {value});"));
            }
            19 => {
                let (a, b, to) = (self.place(), self.place(), self.place());
                self.line(&format!("{to} = ({a} & 7) / (({b} & 3) | 1);"));
            }
            _ if self.asserts < 6 => {
                self.asserts += 1;
                // Behind the one, executions go on; behind the other, they do not.
                let ask = if self.random.once_in(4) { "assert" } else { "svf_assert" };
                let (place, number) = (self.place(), self.random.below(8));
                let op = *self.random.pick(&["!=", "!=", "<", ">"]);
                self.line(&format!("{ask}({place} {op} {number});"));
            }
            _ => {
                let to = self.place();
                self.line(&format!("{to} ^= 1;"));
            }
        }
    }

    fn block(&mut self, depth: usize) {
        self.indent += 1;
        for _ in 0..1 + self.random.below(2) {
            self.statement(depth - 1);
        }
        self.indent -= 1;
    }

    /// A loop that counts; its bound may be a variable's.
    fn count(&mut self, depth: usize) {
        self.names += 1;
        let name = format!("i{}", self.names);
        let bound = match self.random.below(3) {
            0 => format!("({} & 3)", self.place()),
            _ => format!("{}", 1 + self.random.below(3)),
        };
        match self.random.below(3) {
            0 => self.line(&format!("for (int {name} = 0; {name} < {bound}; {name}++) {{")),
            1 => self.line(&format!("for (int {name} = {bound}; {name} > 0; {name} -= 1) {{")),
            _ => {
                self.line(&format!("int {name} = {bound};"));
                self.line(&format!("while ({name}-- > 0) {{"));
            }
        }
        self.block(depth);
        self.line("}");
    }

    /// Something that may keep the execution from going on.
    fn stop(&mut self) {
        let condition = self.condition();
        let ways = ["exit(1);", "abort();", "for (;;) {}", "return 0;", "while (g1 == g1) {}"];
        let way = *self.random.pick(&ways);
        match if self.plain { 2 } else { self.random.below(4) } {
            0 => self.line(&format!("__VERIFIER_assume({condition});")),
            1 => {
                // Null, and so the end of the execution, if the condition holds.
                self.names += 1;
                let name = format!("n{}", self.names);
                self.line(&format!("int *{name} = ({condition}) ? 0 : &g0; *{name} = 1;"));
            }
            _ => self.line(&format!("if ({condition}) {{ {way} }}")),
        }
    }
}
