//! Random programs over arrays whose indices inputs choose: stacks, rings, counts, swaps, fills and copies of stretches, pointers
//! that walk as far as an input says, with claims about any element and about what was read.
//!
//! Invariants: an index is below its array's length, since it is asked or a remainder; every element is written before
//! anything is read. Claims stand on lines of their own.

use crate::generate::Program;
use crate::random::Random;
use crate::writer::{INPUT, Writer};

const DECLARED: &str = "void *memset(void *, int, unsigned long);\n\
void *memcpy(void *, const void *, unsigned long);\n";

struct Generator {
    random: Random,
    out: Writer,
    /// The lengths of `a` and `b`.
    lengths: [usize; 2],
    /// Members of a struct: what stands beside `a`.
    members: Vec<&'static str>,
}

/// A program of that number.
pub fn program(seed: u64, id: usize) -> Program {
    let mut random = Random::new(seed);
    let lengths = [*random.pick(&[4, 8, 10, 16, 24, 700]), *random.pick(&[8, 16, 700])];
    let members = match random.below(3) {
        0 => vec!["top", "h"],
        1 => vec!["h", "t", "x"],
        _ => Vec::new(),
    };
    let mut generator = Generator { random, out: Writer::new(DECLARED), lengths, members };
    generator.whole();
    generator.out.program(id)
}

impl Generator {
    fn array(&mut self) -> (&'static str, usize) {
        let which = usize::from(self.random.once_in(3));
        (["a", "b"][which], self.lengths[which])
    }

    fn value(&mut self) -> String {
        let (array, length) = self.array();
        match self.random.below(9) {
            0..=2 => self.random.below(4).to_string(),
            3 | 4 => format!("1 + ({INPUT} & 3)"),
            5 => format!("{INPUT} % 5"),
            6 => format!("{array}[{INPUT} % {length}]"),
            _ => "x".to_owned(),
        }
    }

    fn index(&mut self, length: usize) -> String {
        match self.random.below(7) {
            0..=2 => format!("{INPUT} % {length}"),
            3 => format!("h % {length}"),
            4 => format!("t % {length}"),
            5 if length.is_power_of_two() => format!("h & {}", length - 1),
            _ => self.random.below(length).to_string(),
        }
    }

    fn whole(&mut self) {
        let element = *self.random.pick(&["unsigned char", "unsigned", "unsigned short"]);
        let place = if self.random.once_in(3) { "static " } else { "" };
        let [a, b] = self.lengths;
        self.out.line("int main(void) {");
        self.out.indent = 1;
        let first = if self.random.once_in(2) { " = {0}" } else { " = {2, 1, 3}" };
        match (self.members.is_empty(), place) {
            (false, _) => self.structure(element, place),
            (true, "") => self.out.line(&format!("{element} a[{a}]{first}, b[{b}];")),
            (true, _) => {
                // There are many executions in one process.
                self.out.line(&format!("static {element} a[{a}], b[{b}];"));
                self.out.line("memset(a, 0, sizeof a);");
            }
        }
        let second = self.random.below(3);
        self.out.line(&match second {
            0 => "memset(b, 1, sizeof b);".to_owned(),
            1 => format!("for (unsigned i = 0; i < {b}; i++) b[i] = 1 + i % 3;"),
            _ => format!("for ({element} *p = b; p != b + {b}; p++) *p = 2;"),
        });
        self.out.line(&format!("unsigned n = {INPUT};"));
        for (name, value) in [("top", 0), ("h", 0), ("t", 0), ("x", 1)] {
            let ty = if self.members.contains(&name) { "" } else { "unsigned " };
            self.out.line(&format!("{ty}{name} = {value};"));
        }
        for _ in 0..1 + self.random.below(2) {
            self.a_loop(element);
        }
        for _ in 0..2 + self.random.below(2) {
            self.claim(true);
        }
        self.out.line("return 0;");
        self.out.indent = 0;
        self.out.line("}");
        for name in std::mem::take(&mut self.members) {
            self.out.line(&format!("#undef {name}"));
        }
        self.out.line("#undef a");
    }

    /// A struct with `a` between some members, of which the names without the struct's mean the members.
    fn structure(&mut self, element: &str, place: &str) {
        let [a, b] = self.lengths;
        let before = self.random.below(self.members.len() + 1);
        self.out.line(&format!("{place}struct {{"));
        for (number, name) in self.members.clone().iter().enumerate() {
            if number == before {
                self.out.line(&format!("  {element} a[{a}];"));
            }
            self.out.line(&format!("  unsigned {name};"));
        }
        if before == self.members.len() {
            self.out.line(&format!("  {element} a[{a}];"));
        }
        self.out.line(&format!("}} all = {{0}}; {place}{element} b[{b}];"));
        if !place.is_empty() {
            self.out.line("memset(&all, 0, sizeof all);");
        }
        for name in self.members.iter().chain(&["a"]) {
            self.out.line(&format!("#define {name} all.{name}"));
        }
    }

    fn a_loop(&mut self, element: &str) {
        if self.random.once_in(4) {
            return self.walk(element);
        }
        let head = *self.random.pick(&["while (n > 0) {", "while (n-- > 0) {"]);
        self.out.line(head);
        self.out.indent += 1;
        if !head.contains("--") {
            self.out.line(&format!("n = {INPUT};"));
        }
        for _ in 0..1 + self.random.below(3) {
            if self.random.once_in(2) {
                let asked = *self.random.pick(&["x > 1", "__VERIFIER_nondet_uint() & 1", "h == t"]);
                self.out.line(&format!("if ({asked})"));
            }
            self.statement();
        }
        if self.random.once_in(3) {
            self.claim(false);
        }
        self.out.indent -= 1;
        self.out.line("}");
        // Else it would be the largest number, and the next loop would turn for minutes.
        if head.contains("--") {
            self.out.line("n = 0;");
        }
    }

    /// A pointer through an array, as far as an input says.
    fn walk(&mut self, element: &str) {
        let (array, length) = self.array();
        let value = self.value();
        self.out
            .line(&format!("{{ unsigned m = {INPUT} % {}; {element} *p = {array};", length + 1));
        let end = format!("{array} + m");
        let text = match self.random.below(4) {
            0 => format!("for (; p != {end}; p++) *p = {value};"),
            1 => format!("while (p < {end}) *p++ = {value};"),
            2 => format!("p = {end}; while (p > {array}) *--p = {value};"),
            _ => format!("for (unsigned i = 0; i < m; i++) {{ x = *p; *p++ = {value}; }}"),
        };
        self.out.line(&format!("  {text}"));
        if self.random.once_in(2) {
            let limit = self.random.below(length + 1);
            let text = *self.random.pick(&["p == {a} + m", "p <= {a} + {l}", "p - {a} < {l}"]);
            let text = text.replace("{a}", array).replace("{l}", &limit.to_string());
            self.out.claim(&text, true);
        }
        self.out.line("}");
    }

    fn statement(&mut self) {
        let (array, length) = self.array();
        let (at, value) = (self.index(length), self.value());
        let top = self.lengths[0];
        let text = match self.random.below(13) {
            0 | 1 => format!("{{ if (top < {top}) a[top++] = {value}; }}"),
            2 => "{ if (top > 0) x = a[--top]; }".to_owned(),
            3 => format!("{{ {array}[h % {length}] = {value}; h++; }}"),
            4 => format!("{{ x = {array}[t % {length}]; t = (t + 1) % {length}; }}"),
            5 => format!("{{ unsigned k = {at}; if ({array}[k] < 3) {array}[k]++; }}"),
            6 => format!(
                "{{ unsigned i = {at}, j = {INPUT} % {length}, s = {array}[i]; {array}[i] = {array}[j]; {array}[j] = s; }}"
            ),
            7 => {
                let count = self.random.below(self.lengths[0].min(self.lengths[1]) + 1);
                let (to, from) = if self.random.once_in(2) { ("a", "b") } else { ("b", "a") };
                let start = if count > 0 { self.random.below(2) } else { 0 };
                let size = format!("{} * sizeof *a", count - start);
                let shift = if self.random.once_in(3) { 0 } else { start };
                format!("memcpy({to} + {start}, {from} + {shift}, {size});")
            }
            8 => {
                let start = self.random.below(length);
                let count = self.random.below(length - start + 1);
                format!("memset({array} + {start}, {}, {count} * sizeof *a);", self.random.below(2))
            }
            9 => format!("x = {array}[{at}];"),
            _ => format!("{array}[{at}] = {value};"),
        };
        self.out.line(&text);
    }

    fn claim(&mut self, is_last: bool) {
        let (array, length) = self.array();
        let (at, c) = (self.index(length), self.random.below(6));
        let op = *self.random.pick(&["<=", "<=", ">=", "==", "!="]);
        let text = match self.random.below(7) {
            0..=2 => format!("{array}[{at}] {op} {c}"),
            3 => format!("x {op} {c}"),
            4 => format!("top <= {}", self.lengths[0]),
            5 => format!("top == 0 || a[top - 1] {op} {c}"),
            _ => format!("a[{0}] == b[{0}]", self.random.below(4)),
        };
        let aside = is_last || self.random.once_in(2);
        self.out.claim(&text, aside);
    }
}
