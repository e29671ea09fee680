//! No text makes the parser panic, and no program it reads makes the verifier or printer panic.

use crate::{EVERYTHING, parse, program};
use cegas::ir;

/// xorshift64*: the same mutations every time.
struct Dice(u64);

impl Dice {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) as usize % bound.max(1)
    }

    fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.below(from.len())]
    }
}

const SCRAPS: &[&str] = &[
    "v0",
    "v7",
    "v999999",
    "v4294967293",
    "v4294967294",
    "v4294967295",
    "v4294967296",
    "b1",
    "b99",
    "c0",
    "c4",
    "c999",
    "t0",
    "t18",
    "t99",
    "f1",
    "#f9",
    "#g0",
    "@last",
    "@limit",
    "@\"\"",
    "i32",
    "i0",
    "i4294967295",
    "ptr",
    "f64",
    "0",
    "-1",
    "18446744073709551616",
    "0x",
    "0xg",
    "1e999",
    "-9223372036854775808",
    "9223372036854775808",
    "[",
    "]",
    "{",
    "}",
    "(",
    ")",
    "<",
    ">",
    ",",
    ":",
    "=",
    "!",
    "!l99",
    ";",
    "\"",
    "\\",
    "\\u{",
    "b\"",
    "...",
    "->",
    "-",
    "+",
    " ",
    "\n",
    "é",
    "\0",
    "[1000000000000 x i8]",
    "zero",
    "undef",
    "phi [b0: v1]",
    "bind var0 = v0",
    "}\n",
    "b5:\n",
];

/// Replaces one token or piece of a line by something else, or moves, drops or repeats a line.
fn mutate(dice: &mut Dice, text: &str) -> String {
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    for _ in 0..1 + dice.below(3) {
        let at = dice.below(lines.len());
        let other = dice.below(lines.len());
        match dice.below(6) {
            0 => lines.swap(at, other),
            1 => _ = lines.remove(at),
            2 => lines.insert(other, lines[at].clone()),
            3 => lines.truncate(at + 1),
            4 => {
                let mut tokens: Vec<&str> = lines[at].split(' ').collect();
                let token = dice.below(tokens.len());
                tokens[token] = dice.pick(SCRAPS);
                lines[at] = tokens.join(" ");
            }
            _ => {
                let chars: Vec<char> = lines[at].chars().collect();
                let (from, len) = (dice.below(chars.len()), dice.below(4));
                let to = (from + len).min(chars.len());
                let head: String = chars[..from.min(to)].iter().collect();
                let tail: String = chars[to..].iter().collect();
                lines[at] = format!("{head}{}{tail}", dice.pick(SCRAPS));
            }
        }
        if lines.is_empty() {
            break;
        }
    }
    lines.join("\n")
}

#[test]
fn mutated_programs_are_read_or_refused() {
    let mut dice = Dice(0x5eed);
    let (mut read, mut valid) = (0, 0);
    for _ in 0..1500 {
        let text = mutate(&mut dice, EVERYTHING);
        let Ok(program) = ir::parse(&text) else { continue };
        read += 1;
        let printed = ir::print(&program);
        if ir::verify(&program).is_ok() {
            valid += 1;
            assert_eq!(ir::print(&parse(&printed)), printed);
        }
    }
    // The mutations are worth something only if they reach all three outcomes.
    assert!(valid > 20 && read > valid + 20 && read < 1400, "{valid} valid of {read} read");
}

#[test]
fn truncated_programs_are_read_or_refused() {
    for (end, _) in EVERYTHING.char_indices().step_by(29) {
        if let Ok(program) = ir::parse(&EVERYTHING[..end]) {
            let _ = ir::verify(&program);
            let _ = ir::print(&program);
        }
    }
}

#[test]
fn nesting_does_not_exhaust_the_stack() {
    let deep = "t0 {".repeat(1_000_000);
    assert!(
        ir::parse(&format!(
            "program \"\"\nmachine \"\" layout \"\" pointer 64 little\nconst c0 = {deep}"
        ))
        .is_err()
    );
    let deep = "[1 x ".repeat(1_000_000);
    assert!(
        ir::parse(&format!(
            "program \"\"\nmachine \"\" layout \"\" pointer 64 little\ntype t0 = {deep}"
        ))
        .is_err()
    );
}

#[test]
fn errors_name_the_place_and_the_way_out() {
    let error = |rows: &str| {
        let prelude = "program \"\"\nmachine \"\" layout \"\" pointer 64 little\ntype t0 = i8 size 1 store 1 align 1\n";
        ir::parse(&format!("{prelude}{rows}")).unwrap_err().to_string()
    };
    for (rows, expected) in [
        ("hello", "line 4, column 1: `hello` starts no statement"),
        ("note x", "line 4, column 6: expected `\"`, but found `x`"),
        ("note \"x", "line 4, column 8: the quotes are never closed"),
        ("note \"\\q\"", "line 4, column 9: there is no escape `\\q`"),
        ("type t2 = ptr size 8 store 8 align 8", "line 4, column 6: t2 says"),
        ("type t1 = i8 size 1 store 1 align 1", "line 4, column 6: t1 says the same as t0"),
        ("type t1 = [4 x i16] size 8 store 8 align 2", "line 4, column 16: this type has no row"),
        ("const c0 = i8 256", "line 4, column 15: this number does not fit its type"),
        ("const c0 = i8 -129", "line 4, column 15: this number does not fit its type"),
        (
            "const c1 = i8 1",
            "line 4, column 7: c1 says the same as c0, or the ids before it have a gap",
        ),
        ("const c0 = i8 @x", "line 4, column 15: nothing is called @x"),
        ("alias @x = i8 {i8 1}", "line 4, column 15: expected a number, but found `{`"),
        ("func f1 @f() -> i8 external", "line 4, column 6: expected `f0`, the next id in order"),
        ("func f0 @f() -> i8 extern", "line 4, column 20: expected a linkage, but found `extern`"),
        (
            "func f0 @f(v0: i8, v2: i8) -> i8 external",
            "line 4, column 20: the parameters of a function are consecutive values",
        ),
        ("func f0 @f(..., v0: i8) -> i8 external", "line 4, column 17: `...` comes last"),
        ("func f0 @f() -> i8 external {\n", "line 4, column 1: the last function is never closed"),
        (
            "func f0 @f() -> i8 external {\nreturn\n}",
            "line 5, column 1: expected a block's label, as in `b0:`, before an instruction",
        ),
        (
            "func f0 @f() -> i8 external {\nb0:\nbind var0 = i8 1\n}",
            "line 7, column 1: expected an instruction after `bind`",
        ),
        (
            "func f0 @f() -> i8 external {\nb0:\nfrobnicate v1\n}",
            "line 6, column 1: expected an instruction, but found `frobnicate`",
        ),
        (
            "func f0 @f() -> i8 external {\nb0:\nv1: i8 = uninit\n}",
            "line 6, column 1: v1 is defined, but v0 is not; values are numbered without gap",
        ),
        (
            "func f0 @f(v0: i8) -> i8 external {\nb0:\nv0: i8 = uninit\n}",
            "line 6, column 1: v0 is defined twice",
        ),
        (
            "func f0 @f() -> i8 external {\nb0:\njump b4294967295\n}",
            "line 6, column 6: expected an id like `b0`, but found `b4294967295`",
        ),
        (
            "func f0 @f() -> i8 external {\nb0:\nreturn i8 1 2\n}",
            "line 6, column 13: expected the end of the line, but found `2`",
        ),
        (
            "global g0 @x: i8 size 1 align 1 external = b\"\\x4\"",
            "line 4, column 48: expected two hexadecimal digits after `\\x`",
        ),
        (
            "global g0 @x: i8 size 1 align 99999999999 external",
            "line 4, column 31: `99999999999` is no integer that fits here",
        ),
    ] {
        let found = error(rows);
        assert!(found.starts_with(expected), "found    {found}\nexpected {expected}\nin {rows}");
    }
    assert_eq!(
        ir::parse("").unwrap_err().to_string(),
        "line 1, column 1: expected `program`, but the line ends"
    );
}

/// A huge type is a type like any other: nothing of its size is allocated.
#[test]
fn absurd_counts_are_only_numbers() {
    let p = program(
        "type t13 = [1000000000000 x i8] size 1000000000000 store 1000000000000 align 1
global g0 @big: t13 size 1000000000000 align 1 internal = b\"\"
const c0 = i8 1
const c1 = t13 {c0}
",
    );
    let found = ir::verify(&p).unwrap_err();
    assert_eq!(
        found[0].to_string(),
        "const c1 of type [1000000000000 x i8]: has 1 elements, its type 1000000000000"
    );
}
