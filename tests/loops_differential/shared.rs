//! Random programs over lists whose nodes hold the addresses of objects that they share with each other and with
//! variables, and claims about which object it is and what it holds.
//!
//! Invariants: every pointer is asked before it is followed; no list leads in a circle. Claims stand on lines of their own.

use crate::generate::Program;
use crate::random::Random;
use crate::writer::{INPUT, Writer};

const DECLARED: &str = "void *malloc(unsigned long);\n";

struct Generator {
    random: Random,
    out: Writer,
    lists: Vec<&'static str>,
    cells: Vec<&'static str>,
    counters: usize,
}

/// A program of that number.
pub fn program(seed: u64, id: usize) -> Program {
    let mut random = Random::new(seed);
    let lists = if random.once_in(2) { vec!["l", "m"] } else { vec!["l"] };
    let cells = if random.once_in(2) { vec!["p", "q", "r"] } else { vec!["p", "q"] };
    let out = Writer::new(DECLARED);
    let mut generator = Generator { random, out, lists, cells, counters: 0 };
    generator.whole();
    generator.out.program(id)
}

impl Generator {
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
        self.out.line("struct node { struct node *next; unsigned *d; };");
        self.out.line(
            "static unsigned *cell(unsigned v) { unsigned *c = malloc(sizeof *c); *c = v; return c; }",
        );
        self.out.line(
            "static struct node *push(unsigned *d, struct node *next) { struct node *n = \
             malloc(sizeof *n); n->d = d; n->next = next; return n; }",
        );
        self.out.line("int main(void) {");
        self.out.indent = 1;
        self.out.line(&format!("unsigned x = 0, n = {INPUT};"));
        for name in self.cells.clone() {
            let made = *self.random.pick(&["cell(1)", "cell(1)", "cell(0)", "0"]);
            self.out.line(&format!("unsigned *{name} = {made};"));
        }
        for name in self.lists.clone() {
            self.out.line(&format!("struct node *{name} = 0;"));
            if !self.random.once_in(5) {
                let held = self.cell();
                let held = *self.random.pick(&[held, held, "0", "cell(1)"]);
                self.out.line(&format!("while ({INPUT} & 3) {name} = push({held}, {name});"));
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
        self.out.line(&format!("for (struct node *i = {list}; i; i = i->next) {{"));
        self.out.indent += 1;
        self.claim(Some("i"));
        self.claim(Some("i"));
        self.out.indent -= 1;
        self.out.line("}");
        self.out.line("return 0;");
        self.out.indent = 0;
        self.out.line("}");
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
        self.out.line(&head);
        self.out.indent += 1;
        for _ in 0..1 + self.random.below(2) {
            self.statement(depth, node.as_deref());
        }
        if self.random.once_in(5) {
            self.claim(node.as_deref());
        }
        self.out.indent -= 1;
        self.out.line("}");
    }

    fn statement(&mut self, depth: usize, node: Option<&str>) {
        let (p, q, l, m) = (self.cell(), self.cell(), self.list(), self.list());
        let (node, value) = (node.unwrap_or(l), self.value());
        match self.random.below(18) {
            0 => self.out.line(&format!("{{ unsigned *t = {p}; {p} = {q}; {q} = t; }}")),
            1 => self.out.line(&format!("{p} = cell({value});")),
            2 => self.out.line(&format!("{p} = {q};")),
            3 | 4 => self.out.line(&format!("if ({p}) *{p} = {value};")),
            5 | 6 => {
                let held = *self.random.pick(&[p, p, q, "cell(1)", "0"]);
                let next = *self.random.pick(&[l, l, l, m, "0"]);
                self.out.line(&format!("{l} = push({held}, {next});"));
            }
            7 => {
                let held = *self.random.pick(&[p, p, "0", "cell(2)"]);
                self.out.line(&format!("if ({node}) {node}->d = {held};"));
            }
            8 | 9 => self.out.line(&format!("if ({node} && {node}->d) *{node}->d = {value};")),
            10 => self.out.line(&format!("if ({node}) {p} = {node}->d;")),
            11 => self.out.line(&format!("if ({l}) {l} = {l}->next;")),
            12 => self.out.line(&format!("if ({m}) {l} = {m}->next;")),
            13 => self.out.line(&format!("{{ struct node *t = {l}; {l} = {m}; {m} = t; }}")),
            14 => self.out.line(&format!("if ({node} && {node}->d == {p}) x = 2;")),
            15 if depth == 0 => self.a_loop(1),
            16 => {
                self.out.line(&format!("if ({INPUT} & 1) {{"));
                self.out.indent += 1;
                self.statement(1, Some(node));
                self.out.indent -= 1;
                self.out.line("}");
            }
            _ => self.out.line(&format!("if ({p} == {q}) x = 1;")),
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
        let aside = self.random.once_in(2);
        self.out.claim(&text, aside);
    }
}
