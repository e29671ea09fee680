//! Random programs over lists of nodes that nobody can count, with several pointers into them, and claims about where
//! the pointers lead.
//!
//! Invariants: every pointer is asked before it is followed; a loop that follows pointers, which may lead in a circle,
//! ends with an input. Claims stand on lines of their own.

use crate::generate::Program;
use crate::random::Random;
use crate::writer::{INPUT, Writer};

const DECLARED: &str = "void *malloc(unsigned long);\n";

struct Generator {
    random: Random,
    out: Writer,
    pointers: Vec<&'static str>,
    /// Nodes have a second pointer.
    has_back: bool,
    /// There is a node that nobody allocated.
    has_own: bool,
    reverses: bool,
    counters: usize,
}

/// A program of that number.
pub fn program(seed: u64, id: usize) -> Program {
    let mut random = Random::new(seed);
    let mut pointers = vec!["p", "q", "list"];
    if random.once_in(2) {
        pointers.push("r");
    }
    let (has_back, has_own, reverses) = (random.once_in(3), random.once_in(3), random.once_in(3));
    let mut generator = Generator {
        random,
        out: Writer::new(DECLARED),
        pointers,
        has_back,
        has_own,
        reverses,
        counters: 0,
    };
    generator.whole();
    generator.out.program(id)
}

impl Generator {
    fn whole(&mut self) {
        let (back, no_back) =
            if self.has_back { (" struct node *prev;", " n->prev = 0;") } else { ("", "") };
        self.out.line(&format!("struct node {{ unsigned v; struct node *next;{back} }};"));
        self.out.line(&format!(
            "static struct node *push(unsigned v, struct node *next) {{ struct node *n = \
             malloc(sizeof *n); n->v = v; n->next = next;{no_back} return n; }}"
        ));
        if self.reverses {
            self.out.line(&format!(
                "static struct node *rec_f(struct node *l) {{ struct node *r = 0; while (l && \
                 ({INPUT} & 7)) {{ struct node *t = l->next; l->next = r; r = l; l = t; }} return r; }}"
            ));
        }
        self.out.line("int main(void) {");
        self.out.indent = 1;
        for pointer in self.pointers.clone() {
            self.out.line(&format!("struct node *{pointer} = 0;"));
        }
        if self.has_own {
            self.out.line("struct node own = {0};");
        }
        self.out.line(&format!("unsigned x = 0, y = 1, n = {INPUT};"));
        if !self.random.once_in(4) {
            let value = *self.random.pick(&["0", "1", "x", INPUT]);
            self.out.line(&format!("while ({INPUT} & 3) list = push({value}, list);"));
            if self.random.once_in(2) {
                self.out.line("p = list; q = list;");
            }
        }
        for _ in 0..1 + self.random.below(3) {
            self.a_loop(0);
            if self.random.once_in(2) {
                self.claim();
            }
        }
        for _ in 0..1 + self.random.below(3) {
            self.claim();
        }
        if self.random.once_in(2) {
            let pointer = self.pointer();
            self.out.line(&format!("while ({pointer} && ({INPUT} & 15)) {{"));
            self.out.indent += 1;
            self.claim();
            self.out.line(&format!("{pointer} = {pointer}->next;"));
            self.out.indent -= 1;
            self.out.line("}");
            self.claim();
        }
        self.out.line("return 0;");
        self.out.indent = 0;
        self.out.line("}");
    }

    fn pointer(&mut self) -> &'static str {
        self.random.pick::<&str>(&self.pointers)
    }

    fn condition(&mut self) -> String {
        let (p, q, c) = (self.pointer(), self.pointer(), self.random.below(4));
        match self.random.below(9) {
            0..=2 => format!("{INPUT} & 1"),
            3 => p.to_owned(),
            4 => format!("!{p}"),
            5 => format!("{p} == {q}"),
            6 => format!("{p} && {p}->v == {c}"),
            7 => format!("x == {c}"),
            _ => format!("{p} != {q}"),
        }
    }

    fn a_loop(&mut self, depth: usize) {
        let pointer = self.pointer();
        let kind = self.random.below(4);
        let head = match kind {
            0 => format!("while ({INPUT} & 1) {{"),
            1 => {
                self.counters += 1;
                let i = format!("i{}", self.counters);
                format!("for (unsigned {i} = 0; {i} < n; {i}++) {{")
            }
            _ => format!("while ({pointer} && ({INPUT} & {})) {{", 1 + 2 * kind),
        };
        self.out.line(&head);
        self.out.indent += 1;
        for _ in 0..1 + self.random.below(3) {
            self.statement(depth);
        }
        if kind > 1 {
            self.out.line(&format!("if ({pointer}) {pointer} = {pointer}->next;"));
        }
        self.out.indent -= 1;
        self.out.line("}");
    }

    fn statement(&mut self, depth: usize) {
        let (p, q) = (self.pointer(), self.pointer());
        match self.random.below(16) {
            0 => self.out.line(&format!("{p} = {q};")),
            1 => self.out.line(&format!("{p} = 0;")),
            2..=4 => {
                let value = *self.random.pick(&["0", "x", INPUT, "1"]);
                let next = *self.random.pick(&[p, q, p, q, "0"]);
                self.out.line(&format!("{p} = push({value}, {next});"));
            }
            5 => self.out.line(&format!("if ({p}) {p} = {p}->next;")),
            6 => self.out.line(&format!("if ({p}) {q} = {p}->next;")),
            7 => {
                let to = *self.random.pick(&[q, "0", p]);
                self.out.line(&format!("if ({p}) {p}->next = {to};"));
            }
            8 => {
                let value = *self.random.pick(&["0", "1", "x", "y"]);
                self.out.line(&format!("if ({p}) {p}->v = {value};"));
            }
            9 if self.has_back => {
                let text = match self.random.below(3) {
                    0 => format!("if ({p}) {p}->prev = {q};"),
                    1 => format!("if ({p}) {q} = {p}->prev;"),
                    _ => format!("if ({p} && {p}->next) {p}->next->prev = {p};"),
                };
                self.out.line(&text);
            }
            9 if self.has_own => self.out.line(&format!("{p} = &own;")),
            10 => {
                let change = *self.random.pick(&["x++", "y = 0", "x += y", "y = x"]);
                self.out.line(&format!("{change};"));
            }
            11 | 12 => {
                let condition = self.condition();
                self.out.line(&format!("if ({condition}) {{"));
                self.out.indent += 1;
                self.statement(depth + 1);
                self.out.indent -= 1;
                if self.random.once_in(3) {
                    self.out.line("} else {");
                    self.out.indent += 1;
                    self.statement(depth + 1);
                    self.out.indent -= 1;
                }
                self.out.line("}");
            }
            13 if depth == 0 => self.a_loop(1),
            14 if self.reverses => self.out.line(&format!("{p} = rec_f({q});")),
            _ => self.out.line(&format!("if ({p}) x = {p}->v;")),
        }
    }

    fn claim(&mut self) {
        let (p, q, c) = (self.pointer(), self.pointer(), self.random.below(3));
        let text = match self.random.below(12) {
            0 => format!("{p} == {q}"),
            1 => format!("{p} != {q}"),
            2 => format!("!{p}"),
            3 => format!("{p} != 0"),
            4 => format!("!{p} || {p}->v == {c}"),
            5 => format!("!{p} || {p}->v != {c}"),
            6 => format!("!{p} || !{p}->next"),
            7 => format!("!{p} || {p}->next != {q}"),
            8 => format!("{p} || !{q}"),
            9 if self.has_back => format!("!{p} || !{p}->next || {p}->next->prev == {p}"),
            10 if self.has_own => format!("{p} != &own"),
            _ => format!("!{p} || {p}->v <= {c}"),
        };
        self.out.claim(&text, false);
    }
}
