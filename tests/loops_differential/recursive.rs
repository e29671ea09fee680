//! Random programs over functions that call themselves and change memory on the way: variables of the program, of `main` and of
//! the calls themselves, through pointers that they are given, find and leave, with claims inside and behind the calls.
//!
//! Invariants: every call that leads back is given less; a call that leads back twice is given half; no pointer leads to
//! a variable that is gone, since what keeps one is set anew before `main` uses it. Claims stand on lines of their own.

use crate::generate::Program;
use crate::random::Random;
use crate::writer::{INPUT, Writer};

/// What there is beside inputs and claims.
const VARIABLES: &str = "static unsigned cell_g, cell_h, cell_a[4];
static struct cell_pair { unsigned a, b; } cell_s;
static unsigned *cell_q;";

struct Generator {
    random: Random,
    out: Writer,
    is_mutual: bool,
    /// Whether calls may keep the addresses of their own variables.
    keeps_own: bool,
}

/// A program of that number.
pub fn program(seed: u64, id: usize) -> Program {
    let mut random = Random::new(seed);
    let (is_mutual, keeps_own) = (random.once_in(3), random.once_in(6));
    let mut generator = Generator { random, out: Writer::new(""), is_mutual, keeps_own };
    generator.whole();
    generator.out.program(id)
}

impl Generator {
    fn whole(&mut self) {
        for line in VARIABLES.lines() {
            self.out.line(line);
        }
        self.out.line("static unsigned rec_g(unsigned n, unsigned *p);");
        self.function("rec_f", if self.is_mutual { "rec_g" } else { "rec_f" });
        self.function("rec_g", if self.is_mutual { "rec_f" } else { "rec_g" });
        self.out.line("int main(void) {");
        self.out.indent = 1;
        let (x, g, h) = (self.constant(), self.constant(), self.constant());
        self.out.line(&format!("unsigned n = {INPUT}, x = {x}, y = 1, r = 0;"));
        self.out.line(&format!("cell_g = {g}; cell_h = {h}; cell_s.a = {g}; cell_s.b = 0;"));
        self.out.line("cell_q = &cell_h;");
        self.out.line("for (unsigned i = 0; i < 4; i++) cell_a[i] = i;");
        if self.random.once_in(3) {
            let place = *self.random.pick(&["x", "cell_g", "cell_s.a"]);
            self.out.line(&format!("{place} = {INPUT};"));
        }
        for _ in 0..1 + self.random.below(2) {
            let place = *self.random.pick(&["x", "x", "y", "cell_g", "cell_s.b", "cell_a[1]"]);
            let name = *self.random.pick(&["rec_f", "rec_f", "rec_g"]);
            let given = *self.random.pick(&["n", "n", "r", "4"]);
            // Else a loop would take long.
            let few = format!("{INPUT} % 7");
            match self.random.below(5) {
                0 => self.out.line(&format!("while ({INPUT} & 3) r = {name}({few}, &{place});")),
                _ => self.out.line(&format!("r = {name}({given} % 2000, &{place});")),
            }
            self.out.line("cell_q = &cell_h;");
            for _ in 0..1 + self.random.below(3) {
                self.claim(&["x", "y", "r", "cell_g", "cell_s.b", place], true);
            }
        }
        self.out.line("return 0;");
        self.out.indent = 0;
        self.out.line("}");
    }

    fn function(&mut self, name: &str, other: &str) {
        self.out.line(&format!("static unsigned {name}(unsigned n, unsigned *p) {{"));
        self.out.indent = 1;
        let own = self.random.once_in(3);
        self.out.line("unsigned r = 0;");
        let (first, last) = (self.value(), self.value());
        if own {
            self.out.line(&format!("unsigned own = {first};"));
        }
        self.out.line(&format!("if (n == 0) return {last};"));
        for _ in 0..1 + self.random.below(2) {
            self.statement();
        }
        let (places, own) = match own {
            true => (vec!["own", "p[0]", "cell_g", "cell_h"], "&own"),
            false => (vec!["p[0]", "cell_g", "cell_h", "cell_s.a", "cell_s.b"], "p"),
        };
        if self.random.once_in(2) {
            self.claim(&places, false);
        }
        if self.keeps_own && own == "&own" {
            self.out.line("cell_q = &own;");
        }
        let is_twice = self.random.once_in(4);
        let less = *self.random.pick(&["n - 1", "n - 1", "n / 2"]);
        let less = if is_twice { "n / 2" } else { less };
        for _ in 0..1 + usize::from(is_twice) {
            let given = *self.random.pick(&["p", "p", "p", own, "&cell_g", "cell_q"]);
            if self.random.once_in(4) {
                let asked = self.condition();
                self.out.line(&format!("if ({asked})"));
            }
            self.out.line(&format!("r = {other}({less}, {given});"));
            if self.random.once_in(2) {
                self.statement();
            }
        }
        if self.random.once_in(2) {
            self.claim(&places, false);
        }
        if self.keeps_own {
            self.out.line("cell_q = &cell_h;");
        }
        let value = self.value();
        let value = *self.random.pick(&["r", "r + 1", "n", &value]);
        self.out.line(&format!("return {value};"));
        self.out.indent = 0;
        self.out.line("}");
    }

    fn constant(&mut self) -> u32 {
        *self.random.pick(&[0, 0, 1, 2, 5, 10])
    }

    fn value(&mut self) -> String {
        let constant = self.constant().to_string();
        let some = ["n", "*p", "cell_g", "cell_h", "cell_s.a", "cell_a[n % 4]", "*cell_q", INPUT];
        if self.random.once_in(2) { constant } else { (*self.random.pick(&some)).to_owned() }
    }

    fn condition(&mut self) -> String {
        let (value, constant) = (self.value(), self.constant());
        let op = *self.random.pick(&["<", ">", "==", "!="]);
        match self.random.below(4) {
            0 => format!("{INPUT} & 1"),
            1 => "p == &cell_g".to_owned(),
            _ => format!("{value} {op} {constant}"),
        }
    }

    fn statement(&mut self) {
        let value = self.value();
        let asked = self.condition();
        let text = match self.random.below(14) {
            0 | 1 => "cell_g++;".to_owned(),
            2 => "++*p;".to_owned(),
            3 => format!("*p += {value};"),
            4 => format!("*p = {value};"),
            5 => "{ cell_s.a--; cell_s.b++; }".to_owned(),
            6 => format!("if ({asked}) cell_h = {value};"),
            7 => format!("if ({asked}) ++*p;"),
            8 => format!("cell_a[n % 4] = {value};"),
            9 => format!("cell_h = {value};"),
            10 => "if (cell_g > cell_h) cell_h = cell_g;".to_owned(),
            11 => format!("*cell_q = {value};"),
            12 => format!("for (unsigned i = 0; i < {}; i++) cell_h++;", 1 + self.random.below(3)),
            _ => "{ cell_g++; cell_h += 2; }".to_owned(),
        };
        self.out.line(&text);
    }

    fn claim(&mut self, places: &[&str], is_in_main: bool) {
        let (a, b) = (*self.random.pick(places), *self.random.pick(places));
        let c = self.constant();
        let op = *self.random.pick(&["<=", ">=", "==", "==", "!=", "<"]);
        let text = match self.random.below(10) {
            0 | 1 => format!("{a} {op} {c}"),
            2 => format!("{a} {op} {b}"),
            3 => "cell_s.a + cell_s.b == cell_g".to_owned(),
            4 => format!("{a} == {b} + {c}"),
            5 => format!("{a} {op} n"),
            6 => format!("cell_a[{}] {op} {c}", self.random.below(4)),
            7 => format!("*cell_q {op} {c}"),
            8 => format!("{a} + n {op} {b} + {c}"),
            _ => format!("cell_h {op} 2 * cell_g"),
        };
        // Inside, a claim that is made aside would end the call only.
        self.out.claim(&text, is_in_main && self.random.once_in(2));
    }
}
