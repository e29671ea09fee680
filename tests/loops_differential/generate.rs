//! Random programs with loops that turn as often as an input says, and claims about what they compute.
//!
//! Invariants: arithmetic is unsigned; an index lies below its array's length because the loop's bound does;
//! every loop counts and every call that leads back is given less, so every execution ends. Claims stand on lines of
//! their own.

use crate::random::Random;
use crate::writer::Writer;

/// Where the part of a program begins that executions share with the tool.
pub const TASK: &str = "/* task */\n";

const DECLARED: &str = "void *malloc(unsigned long);\nvoid free(void *);\n";

#[derive(Debug)]
pub struct Program {
    pub id: usize,
    pub text: String,
    /// The line of each claim.
    pub claims: Vec<u64>,
}

struct Generator {
    random: Random,
    out: Writer,
    /// Variables that may be read, and those that may be written.
    read: Vec<String>,
    written: Vec<String>,
    /// An array and its length.
    array: Option<usize>,
    lists: bool,
    recursion: bool,
    counters: usize,
}

/// A program of that number.
pub fn program(seed: u64, id: usize) -> Program {
    let mut random = Random::new(seed);
    let array = random.once_in(2).then(|| *random.pick(&[4, 16, 300, 5000]));
    let lists = random.once_in(3);
    let recursion = random.once_in(3);
    let mut generator = Generator {
        random,
        out: Writer::new(DECLARED),
        read: Vec::new(),
        written: Vec::new(),
        array,
        lists,
        recursion,
        counters: 0,
    };
    generator.whole();
    generator.out.program(id)
}

impl Generator {
    fn whole(&mut self) {
        if self.lists {
            self.out.line("struct node { unsigned v; struct node *next; };");
            self.out.line(
                "static struct node *push(struct node *l, unsigned v) { struct node *n = \
                 malloc(sizeof *n); n->v = v; n->next = l; return n; }",
            );
        }
        if self.recursion {
            self.functions();
        }
        self.out.line("int main(void) {");
        self.out.indent = 1;
        if let Some(length) = self.array {
            let zero = if self.random.once_in(2) { " = {0}" } else { "" };
            self.out.line(&format!("unsigned a[{length}]{zero};"));
            if zero.is_empty() {
                self.out.line(&format!("for (unsigned k = 0; k < {length}; k++) a[k] = 7;"));
            }
        }
        if self.lists {
            self.out.line("struct node *list = 0;");
        }
        for name in ["n", "m"] {
            self.out.line(&format!("unsigned {name} = __VERIFIER_nondet_uint();"));
            self.read.push(name.to_owned());
        }
        if let Some(length) = self.array {
            self.out.line(&format!("if (n > {length}) n = {length};"));
        }
        for name in ["x", "y", "z"].into_iter().take(1 + self.random.below(3)) {
            let start = self.constant();
            self.out.line(&format!("unsigned {name} = {start};"));
            self.read.push(name.to_owned());
            self.written.push(name.to_owned());
        }
        if self.recursion {
            self.out.line("unsigned w = rec_f(n, m);");
            self.read.push("w".to_owned());
            self.claim();
        }
        for _ in 0..1 + self.random.below(2) {
            self.a_loop(0);
            self.claim();
        }
        for _ in 0..1 + self.random.below(3) {
            self.claim();
        }
        if self.lists {
            self.walk();
        }
        self.out.line("return 0;");
        self.out.indent = 0;
        self.out.line("}");
    }

    /// Two functions that call themselves or each other.
    fn functions(&mut self) {
        self.out.line("static unsigned rec_g(unsigned p, unsigned q);");
        let is_mutual = self.random.once_in(2);
        for (name, other) in [("rec_f", "rec_g"), ("rec_g", "rec_f")] {
            let callee = if is_mutual { other } else { name };
            self.out.line(&format!("static unsigned {name}(unsigned p, unsigned q) {{"));
            self.out.indent = 1;
            self.read = vec!["p".to_owned(), "q".to_owned()];
            let value = self.expression();
            self.out.line(&format!("if (p == 0) return {value};"));
            if self.random.once_in(3) {
                let (condition, value) = (self.condition(), self.expression());
                self.out.line(&format!("if ({condition}) return {value};"));
            }
            self.small_claim();
            let value = if self.random.once_in(2) { "q".to_owned() } else { self.expression() };
            let less = *self.random.pick(&["p - 1", "p - 1", "p / 2"]);
            self.out.line(&format!("unsigned r = {callee}({less}, {value});"));
            if less == "p / 2" && self.random.once_in(2) {
                self.out.line(&format!("r += {callee}(p / 2, q);"));
            }
            self.read.push("r".to_owned());
            self.small_claim();
            let value = self.expression();
            let value = if self.random.once_in(2) { format!("r + {value}") } else { value };
            self.out.line(&format!("return {value};"));
            self.out.indent = 0;
            self.out.line("}");
        }
        self.read.clear();
    }

    /// Sometimes a claim that speaks of no variable of `main`.
    fn small_claim(&mut self) {
        let (a, b) = (self.operand(), self.operand());
        let op = *self.random.pick(&["<=", ">=", "==", "!=", "<"]);
        if self.random.once_in(3) {
            self.check(&format!("{a} {op} {b}"));
        }
    }

    fn constant(&mut self) -> u32 {
        *self.random.pick(&[0, 0, 0, 1, 1, 2, 3, 5, 10, 100])
    }

    fn operand(&mut self) -> String {
        if self.random.once_in(3) {
            return format!("{}u", self.constant());
        }
        self.random.pick(&self.read.clone()).clone()
    }

    fn expression(&mut self) -> String {
        let (a, b) = (self.operand(), self.operand());
        match self.random.below(9) {
            0..=2 => format!("{a} + {b}"),
            3 => format!("{a} - {b}"),
            4 => format!("{a} * 2"),
            5 => format!("({a} & 3)"),
            6 => format!("({a} % 3)"),
            _ => a,
        }
    }

    fn condition(&mut self) -> String {
        let (a, b) = (self.expression(), self.operand());
        let op = *self.random.pick(&["<", "<=", ">", "==", "!="]);
        match self.random.below(4) {
            0 => "__VERIFIER_nondet_uint() & 1".to_owned(),
            1 => format!("({a}) % 2"),
            _ => format!("{a} {op} {b}"),
        }
    }

    /// A loop that counts to an input or a constant.
    fn a_loop(&mut self, depth: usize) {
        let counter = format!("i{}", self.counters);
        self.counters += 1;
        let bound = match self.array {
            _ if depth > 0 => format!("{}", 1 + self.random.below(4)),
            Some(length) if self.random.once_in(3) => length.to_string(),
            _ => "n".to_owned(),
        };
        self.out
            .line(&format!("for (unsigned {counter} = 0; {counter} < {bound}; {counter}++) {{"));
        self.out.indent += 1;
        self.read.push(counter.clone());
        for _ in 0..1 + self.random.below(4) {
            self.statement(depth, &counter);
        }
        if self.random.once_in(3) {
            self.claim();
        }
        self.read.pop();
        self.out.indent -= 1;
        self.out.line("}");
    }

    fn statement(&mut self, depth: usize, counter: &str) {
        let target = self.random.pick(&self.written.clone()).clone();
        match self.random.below(14) {
            0..=3 => {
                let op = *self.random.pick(&["+=", "+=", "-=", "="]);
                let value = self.operand();
                self.out.line(&format!("{target} {op} {value};"));
            }
            4 => {
                let value = self.expression();
                self.out.line(&format!("{target} = {value};"));
            }
            5 | 6 => {
                let condition = self.condition();
                self.out.line(&format!("if ({condition}) {{"));
                self.out.indent += 1;
                self.statement(depth + 1, counter);
                self.out.indent -= 1;
                if self.random.once_in(2) {
                    self.out.line("} else {");
                    self.out.indent += 1;
                    self.statement(depth + 1, counter);
                    self.out.indent -= 1;
                }
                self.out.line("}");
            }
            7 if depth == 0 => self.a_loop(1),
            8 => {
                let condition = self.condition();
                let what = *self.random.pick(&["break", "continue"]);
                self.out.line(&format!("if ({condition}) {what};"));
            }
            9..=11 if self.array.is_some() && depth == 0 => {
                if self.random.once_in(3) {
                    self.out.line(&format!("{target} = a[{counter}];"));
                } else {
                    let value = self.expression();
                    self.out.line(&format!("a[{counter}] = {value};"));
                }
            }
            12 | 13 if self.lists && depth == 0 => {
                let value = self.expression();
                self.out.line(&format!("list = push(list, {value});"));
            }
            _ => self.out.line(&format!("{target}++;")),
        }
    }

    fn claim(&mut self) {
        let (a, b) = (self.operand(), self.operand());
        let c = self.constant();
        let op = *self.random.pick(&["<=", ">=", "==", "!=", "<"]);
        let text = match self.random.below(8) {
            0 | 1 => format!("{a} {op} {b}"),
            2 => format!("{a} {op} {c}u"),
            3 => format!("{a} {op} {b} + {c}u"),
            4 => format!("{a} % 2 == {}", c % 2),
            5 => format!("{a} == 2 * {b}"),
            6 => format!("{a} {op} {c}u || {b} == {c}u"),
            _ => match self.array {
                Some(_) => format!("m >= n || a[m] {op} {c}u"),
                None => format!("{a} + {b} {op} n + {c}u"),
            },
        };
        self.check(&text);
    }

    fn check(&mut self, condition: &str) {
        self.out.claim(condition, false);
    }

    /// Through a list, with a claim about each node, and its end.
    fn walk(&mut self) {
        let frees = self.random.once_in(2);
        self.out.line("unsigned length = 0;");
        self.out.line("while (list) {");
        self.out.indent += 1;
        self.read.push("length".to_owned());
        self.read.push("list->v".to_owned());
        if self.random.once_in(2) {
            let condition = self.condition();
            let target = self.random.pick(&self.written.clone()).clone();
            self.out.line(&format!("if ({condition}) {target} = list->v;"));
        }
        self.claim();
        self.read.pop();
        self.out.line("struct node *next = list->next;");
        if frees {
            self.out.line("free(list);");
        }
        self.out.line("list = next;");
        self.out.line("length++;");
        self.out.indent -= 1;
        self.out.line("}");
        self.claim();
        self.read.pop();
    }
}
