//! Random programs over lists whose nodes hold the addresses of objects that they share with each other and with
//! variables, and claims about which object it is and what it holds.
//!
//! Invariants: every pointer is asked before it is followed; no list leads in a circle. Claims stand on lines of their own.

use crate::generate::{Program, TASK};
use crate::random::Random;
use std::fmt::Write;

const HEAD: &str = "unsigned __VERIFIER_nondet_uint(void);\nvoid __VERIFIER_assert(int);\n\
void *malloc(unsigned long);\n";

const INPUT: &str = "__VERIFIER_nondet_uint()";

struct Generator {
    random: Random,
    text: String,
    indent: usize,
    claims: Vec<u64>,
    lists: Vec<&'static str>,
    cells: Vec<&'static str>,
    counters: usize,
}

/// A program of that number.
pub fn program(seed: u64, id: usize) -> Program {
    let mut random = Random::new(seed);
    let lists = if random.once_in(2) { vec!["l", "m"] } else { vec!["l"] };
    let cells = if random.once_in(2) { vec!["p", "q", "r"] } else { vec!["p", "q"] };
    let text = format!("{HEAD}{TASK}");
    let claims = Vec::new();
    let mut generator = Generator { random, text, indent: 0, claims, lists, cells, counters: 0 };
    generator.whole();
    Program { id, text: generator.text, claims: generator.claims }
}

impl Generator {
    fn line(&mut self, text: &str) {
        let indent = "  ".repeat(self.indent);
        let _ = writeln!(self.text, "{indent}{text}");
    }

    fn list(&mut self) -> &'static str {
        self.random.pick::<&str>(&self.lists)
    }

    fn cell(&mut self) -> &'static str {
        self.random.pick::<&str>(&self.cells)
    }

    fn value(&mut self) -> &'static str {
        self.random.pick::<&str>(&["0", "1", "1", "2", "x", "__VERIFIER_nondet_uint() & 1"])
    }

    fn whole(&mut self) {
        self.line("struct node { struct node *next; unsigned *d; };");
        self.line(
            "static unsigned *cell(unsigned v) { unsigned *c = malloc(sizeof *c); *c = v; return c; }",
        );
        self.line(
            "static struct node *push(unsigned *d, struct node *next) { struct node *n = \
             malloc(sizeof *n); n->d = d; n->next = next; return n; }",
        );
        self.line("int main(void) {");
        self.indent = 1;
        self.line(&format!("unsigned x = 0, n = {INPUT};"));
        for name in self.cells.clone() {
            let made = *self.random.pick(&["cell(1)", "cell(1)", "cell(0)", "0"]);
            self.line(&format!("unsigned *{name} = {made};"));
        }
        for name in self.lists.clone() {
            self.line(&format!("struct node *{name} = 0;"));
            if !self.random.once_in(5) {
                let held = self.cell();
                let held = *self.random.pick(&[held, held, "0", "cell(1)"]);
                self.line(&format!("while ({INPUT} & 3) {name} = push({held}, {name});"));
            }
        }
        for _ in 0..1 + self.random.below(3) {
            self.a_loop(0);
            if self.random.once_in(3) {
                self.claim(None);
            }
        }
        self.claim(None);
        self.claim(None);
        let list = self.list();
        self.line(&format!("for (struct node *i = {list}; i; i = i->next) {{"));
        self.indent += 1;
        self.claim(Some("i"));
        self.claim(Some("i"));
        self.indent -= 1;
        self.line("}");
        self.line("return 0;");
        self.indent = 0;
        self.line("}");
    }

    fn a_loop(&mut self, depth: usize) {
        self.counters += 1;
        let i = format!("i{}", self.counters);
        let list = self.list();
        let mut node = None;
        let head = match self.random.below(4) {
            0 | 1 => format!("while ({INPUT} & 3) {{"),
            2 => format!("for (unsigned {i} = 0; {i} < n; {i}++) {{"),
            _ => {
                node = Some(i.clone());
                format!("for (struct node *{i} = {list}; {i}; {i} = {i}->next) {{")
            }
        };
        self.line(&head);
        self.indent += 1;
        for _ in 0..1 + self.random.below(2) {
            self.statement(depth, node.as_deref());
        }
        if self.random.once_in(5) {
            self.claim(node.as_deref());
        }
        self.indent -= 1;
        self.line("}");
    }

    fn statement(&mut self, depth: usize, node: Option<&str>) {
        let (p, q, l, m) = (self.cell(), self.cell(), self.list(), self.list());
        let (node, value) = (node.unwrap_or(l), self.value());
        match self.random.below(18) {
            0 => self.line(&format!("{{ unsigned *t = {p}; {p} = {q}; {q} = t; }}")),
            1 => self.line(&format!("{p} = cell({value});")),
            2 => self.line(&format!("{p} = {q};")),
            3 | 4 => self.line(&format!("if ({p}) *{p} = {value};")),
            5 | 6 => {
                let held = *self.random.pick(&[p, p, q, "cell(1)", "0"]);
                let next = *self.random.pick(&[l, l, l, m, "0"]);
                self.line(&format!("{l} = push({held}, {next});"));
            }
            7 => {
                let held = *self.random.pick(&[p, p, "0", "cell(2)"]);
                self.line(&format!("if ({node}) {node}->d = {held};"));
            }
            8 | 9 => self.line(&format!("if ({node} && {node}->d) *{node}->d = {value};")),
            10 => self.line(&format!("if ({node}) {p} = {node}->d;")),
            11 => self.line(&format!("if ({l}) {l} = {l}->next;")),
            12 => self.line(&format!("if ({m}) {l} = {m}->next;")),
            13 => self.line(&format!("{{ struct node *t = {l}; {l} = {m}; {m} = t; }}")),
            14 => self.line(&format!("if ({node} && {node}->d == {p}) x = 2;")),
            15 if depth == 0 => self.a_loop(1),
            16 => {
                self.line(&format!("if ({INPUT} & 1) {{"));
                self.indent += 1;
                self.statement(1, Some(node));
                self.indent -= 1;
                self.line("}");
            }
            _ => self.line(&format!("if ({p} == {q}) x = 1;")),
        }
    }

    fn claim(&mut self, node: Option<&str>) {
        let (p, q, c) = (self.cell(), self.cell(), self.random.below(3));
        let l = node.unwrap_or_else(|| *self.random.pick(&self.lists));
        let text = match self.random.below(14) {
            0..=2 => format!("!{l} || {l}->d == {p}"),
            3 | 4 => format!("!{l} || {l}->d != {p}"),
            5..=7 => format!("!{l} || !{l}->d || *{l}->d == {c}"),
            8 => format!("!{p} || *{p} == {c}"),
            9 => format!("{p} != {q}"),
            10 => format!("!{l} || !{l}->next || {l}->next->d == {l}->d"),
            11 => format!("!{l} || {l}->d != 0"),
            12 => format!("!{l} || !{p} || !{l}->d || *{l}->d == *{p}"),
            _ => format!("x <= {c}"),
        };
        let number = self.claims.len();
        let text = format!("__VERIFIER_assert(/*{number}*/ {text});");
        match self.random.once_in(2) {
            // What does not hold keeps nothing from being looked at then.
            true => self.line(&format!("if ({INPUT} & 1) {{ {text} return 0; }}")),
            false => self.line(&text),
        }
        self.claims.push(self.text.lines().count() as u64);
    }
}
