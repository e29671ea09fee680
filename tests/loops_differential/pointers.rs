//! Random programs in which loops put pointers at variables and at elements of arrays, by indices that are read, counted
//! or kept, and claims about where they are and what lies there.
//!
//! Invariants: a pointer leads into an object or is null, and is asked before it is followed. Claims stand on lines of
//! their own.

use crate::generate::Program;
use crate::random::Random;
use crate::writer::{INPUT, Writer};

struct Generator {
    random: Random,
    out: Writer,
    loops: usize,
}

/// A program of that number.
pub fn program(seed: u64, id: usize) -> Program {
    let random = Random::new(seed);
    let out = Writer::new("");
    let mut generator = Generator { random, out, loops: 0 };
    generator.whole();
    generator.out.program(id)
}

impl Generator {
    fn whole(&mut self) {
        self.out.line("int main(void) {");
        self.out.indent = 1;
        self.out.line("int x = 0, y = 0, a[8] = {0}, b[4] = {0}, v = 0;");
        let second = *self.random.pick(&["0", "&x", "a", "&b[1]"]);
        self.out.line(&format!("int *p = 0, *q = {second};"));
        self.out.line(&format!("unsigned i = 0, j = 0, k = 0, n = {INPUT};"));
        if self.random.once_in(2) {
            self.out.line("for (int t = 0; t < 8; t++) a[t] = 1;");
        }
        for _ in 0..1 + self.random.below(2) {
            self.a_loop(0);
            if self.random.once_in(2) {
                self.claim();
            }
        }
        if self.random.once_in(2) {
            self.out.line(&format!("j = {INPUT};"));
        }
        for _ in 0..3 {
            self.claim();
        }
        self.out.line("return 0;");
        self.out.indent = 0;
        self.out.line("}");
    }

    fn pointer(&mut self) -> &'static str {
        self.random.pick::<&str>(&["p", "q"])
    }

    fn index(&mut self, count: usize) -> String {
        let constant = self.random.below(count);
        match self.random.below(6) {
            0 | 1 => format!("{INPUT} % {count}"),
            2 => format!("i % {count}"),
            3 => format!("j % {count}"),
            4 => format!("k % {count}"),
            _ => constant.to_string(),
        }
    }

    fn place(&mut self) -> String {
        let (of_a, of_b) = (self.index(8), self.index(4));
        match self.random.below(7) {
            0 => "&x".to_owned(),
            1 => "&y".to_owned(),
            2..=4 => format!("&a[{of_a}]"),
            5 => format!("&b[{of_b}]"),
            _ => "0".to_owned(),
        }
    }

    fn condition(&mut self) -> String {
        let (p, of_a) = (self.pointer(), self.index(8));
        match self.random.below(9) {
            0 | 1 => format!("{INPUT} & 1"),
            2 => "i == 0".to_owned(),
            3 => "i > 2".to_owned(),
            4 => "p == q".to_owned(),
            5 => format!("{p} == &x"),
            6 => format!("!{p}"),
            7 => "i == j".to_owned(),
            _ => format!("{p} == &a[{of_a}]"),
        }
    }

    fn a_loop(&mut self, depth: usize) {
        self.loops += 1;
        let t = format!("t{}", self.loops);
        let head = match self.random.below(3) {
            0 => format!("while ({INPUT} & 3) {{"),
            1 => format!("while ({INPUT} & 7) {{"),
            _ => format!("for (unsigned {t} = 0; {t} < n; {t}++) {{"),
        };
        self.out.line(&head);
        self.out.indent += 1;
        if self.random.once_in(2) {
            self.out.line(&format!("k = {INPUT};"));
        }
        for _ in 0..1 + self.random.below(3) {
            self.statement(depth);
        }
        if self.random.once_in(5) {
            self.claim();
        }
        self.out.indent -= 1;
        self.out.line("}");
    }

    fn statement(&mut self, depth: usize) {
        let (p, place) = (self.pointer(), self.place());
        match self.random.below(16) {
            0..=4 => self.out.line(&format!("{p} = {place};")),
            5 => {
                let value = *self.random.pick(&["0", "1", "2", "v"]);
                self.out.line(&format!("if ({p}) *{p} = {value};"));
            }
            6 => self.out.line(&format!("if ({p}) v = *{p};")),
            7 => {
                let change = *self.random.pick(&["i++", "j++", "j = i", "i = 1", "i = i & 3"]);
                self.out.line(&format!("{change};"));
            }
            8..=10 => {
                let condition = self.condition();
                self.out.line(&format!("if ({condition}) {{"));
                self.out.indent += 1;
                self.statement(depth + 1);
                self.out.indent -= 1;
                if self.random.once_in(2) {
                    self.out.line("} else {");
                    self.out.indent += 1;
                    self.statement(depth + 1);
                    self.out.indent -= 1;
                }
                self.out.line("}");
            }
            11 => self.out.line(&format!("if ({p} >= a && {p} < a + 7) {p}++;")),
            12 => self.out.line("{ int *t = p; p = q; q = t; }"),
            13 if depth == 0 => self.a_loop(1),
            14 => {
                let of_a = self.index(8);
                self.out.line(&format!("a[{of_a}] = v;"));
            }
            _ => {
                let condition = self.condition();
                self.out.line(&format!("{p} = {condition} ? {place} : {p};"));
            }
        }
    }

    fn claim(&mut self) {
        let (p, place, c) = (self.pointer(), self.place(), self.random.below(3));
        let (of_a, of_b) = (self.index(8), self.index(4));
        let text = match self.random.below(12) {
            0 => format!("{p} == {place}"),
            1 | 2 => format!("{p} != {place}"),
            3 => format!("!{p} || *{p} == {c}"),
            4 => format!("!{p} || *{p} >= 0"),
            5 => "p != q".to_owned(),
            6 | 7 => format!("!{p} || {p} == &x || {p} == &y || {p} == &a[{of_a}]"),
            8 => format!("!{p} || {p} == &x || {p} == &y || ({p} >= a && {p} < a + 8)"),
            9 => format!("{p} != &b[{of_b}]"),
            10 => format!("a[{of_a}] == {c}"),
            _ => format!("x == {c}"),
        };
        let aside = self.random.once_in(2);
        self.out.claim(&text, aside);
    }
}
