//! Random programs over texts: arrays that are filled by loops, in which stores put a zero here or there, for sure or perhaps, once or
//! again, and loops that look for it, with claims about where they come to.
//!
//! Invariants: an index is below its array's length, since every loop and every store asks. Claims stand on lines of their own.

use crate::generate::Program;
use crate::random::Random;
use crate::writer::{INPUT, Writer};

/// Too long to be followed element by element.
const LENGTH: usize = 400;

struct Generator {
    random: Random,
    out: Writer,
}

/// A program of that number.
pub fn program(seed: u64, id: usize) -> Program {
    let random = Random::new(seed);
    let mut generator = Generator { random, out: Writer::new("") };
    generator.whole();
    generator.out.program(id)
}

impl Generator {
    fn whole(&mut self) {
        let element = *self.random.pick(&["unsigned char", "int", "short"]);
        self.out.line(&format!("static void cell({element} *p, unsigned at) {{ p[at] = 0; }}"));
        self.out.line("int main(void) {");
        self.out.indent = 1;
        self.out.line(&format!("{element} s[{LENGTH}], t[{LENGTH}];"));
        self.out.line(&format!("unsigned i = 0, j = 0, n = {INPUT}, m = {INPUT}, k = {INPUT};"));
        let least = *self.random.pick(&[1, LENGTH / 2]);
        self.out.line(&format!("if (n >= {LENGTH} || m >= {LENGTH} || k >= {LENGTH}) return 0;"));
        if self.random.once_in(3) {
            self.out.line(&format!("if (n < {least}) return 0;"));
        }
        for array in ["s", "t"] {
            let value = *self.random.pick(&["1", INPUT, "1 + (x & 3)", "x != m"]);
            self.out
                .line(&format!("for (unsigned x = 0; x < {LENGTH}; x++) {array}[x] = {value};"));
        }
        self.end("s", "n");
        self.end("t", "m");
        for _ in 0..self.random.below(3) {
            self.change();
        }
        self.scan();
        for _ in 0..2 + self.random.below(2) {
            self.claim();
        }
        self.out.line("return 0;");
        self.out.indent = 0;
        self.out.line("}");
    }

    /// A zero at a text's end, as a rule.
    fn end(&mut self, array: &str, at: &str) {
        let text = match self.random.below(8) {
            0..=3 => format!("{array}[{at}] = 0;"),
            4 | 5 => format!("cell({array}, {at});"),
            6 => format!("if ({INPUT} & 1) {array}[{at}] = 0; else {array}[k] = 0;"),
            _ => format!("if ({INPUT} & 7) {array}[{at}] = 0;"),
        };
        self.out.line(&text);
    }

    /// Something else that is written.
    fn change(&mut self) {
        let array = *self.random.pick(&["s", "t"]);
        let at = *self.random.pick(&["n", "m", "k", "0", "7"]);
        let text = match self.random.below(6) {
            0 => format!("{array}[{at}] = 1;"),
            1 => format!("{array}[{at}] = 0;"),
            2 => format!("cell({array}, {at});"),
            3 => format!("for (unsigned x = 0; x < {at}; x++) {array}[x] = 2;"),
            4 => format!("for (unsigned x = 0; x < {LENGTH}; x++) if (x != {at}) {array}[x] = 3;"),
            _ => format!("if ({INPUT} & 1) {array}[{at}] = 5;"),
        };
        self.out.line(&text);
    }

    fn scan(&mut self) {
        let text = match self.random.below(7) {
            0 => format!("while (i < {LENGTH} && s[i] != 0) i++;"),
            1 => format!("while (i < {LENGTH} && s[i] != 0 && s[i] == t[i]) i++;"),
            2 => format!("for (; i < {LENGTH}; i++) if (s[i] == 0 || t[i] == 0) break;"),
            3 => format!(
                "while (i < {LENGTH} && s[i]) {{ j = 0; while (j < {LENGTH} && t[j] && t[j] != s[i]) j++; i++; }}"
            ),
            4 => format!("while (j < {LENGTH} && t[j]) j++; while (i < j && s[i]) i++;"),
            5 => format!("while (i < {LENGTH} && (t[i] = s[i]) != 0) i++;"),
            _ => format!("while (i < {LENGTH} && s[i]) i++; while (j < {LENGTH} && t[j]) j++;"),
        };
        self.out.line(&text);
    }

    fn claim(&mut self) {
        let bound = *self.random.pick(&["n", "m", "k"]);
        let text = match self.random.below(9) {
            0..=2 => format!("i <= {bound}"),
            3 | 4 => format!("j <= {bound}"),
            5 => format!("i < {LENGTH}"),
            6 => format!("j < {LENGTH}"),
            7 => format!("i >= {LENGTH} || s[i] == 0"),
            _ => format!("i <= {bound} || j <= {bound}"),
        };
        self.out.claim(&text, true);
    }
}
