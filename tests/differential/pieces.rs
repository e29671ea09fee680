//! The parts of C beyond expressions that a random program may have: each is declared once, adds what
//! can be assigned to, and knows statements that use it.

use crate::generate::{Generator, INTS, Int, Kind, Lvalue, Mode};

/// Something declared that statements can use.
#[derive(Debug, Clone)]
pub enum Piece {
    /// A pointer into an array of 8, at most 4 behind its start, and a pointer to that pointer.
    Pointer {
        name: String,
        to: String,
        array: String,
    },
    /// Two arrays of 8 of one type.
    Arrays {
        a: String,
        b: String,
        ty: &'static str,
    },
    Structs {
        a: String,
        b: String,
        change: String,
    },
    Union {
        name: String,
    },
    Recursion {
        name: String,
    },
    Varargs {
        name: String,
    },
    Table {
        name: String,
    },
    Counter {
        name: String,
    },
    Text {
        name: String,
    },
    Heap {
        name: String,
        ty: &'static str,
    },
}

pub fn declare(g: &mut Generator, most: usize) {
    scalar(g);
    scalar(g);
    if g.floats {
        let ty = *g.random.pick(&["float", "double"]);
        let name = g.name("f");
        let value = g.random.below(50);
        g.line(&format!("{ty} {name} = {value}.25;"));
        g.lvalues.push(Lvalue { text: name, ty: Kind::Float });
    }
    for _ in 0..1 + g.random.below(most) {
        match g.random.below(12) {
            0 | 1 => scalar(g),
            2 => arrays(g),
            3 => pointer(g),
            4 => structs(g),
            5 => union(g),
            6 => recursion(g),
            7 => varargs(g),
            8 => table(g),
            9 => counter(g),
            10 => text(g),
            _ => heap(g),
        }
    }
}

fn add(g: &mut Generator, text: String, ty: Int) {
    g.lvalues.push(Lvalue { text, ty: Kind::Int(ty) });
}

fn scalar(g: &mut Generator) {
    let ty = g.int_type();
    let value = g.literal();
    if g.random.once_in(2) {
        let name = g.name("v");
        g.line(&format!("{} {name} = {value};", ty.0));
        add(g, name, ty);
    } else {
        let name = g.name("g");
        g.top.push_str(&format!("static {} {name} = ({})({value});\n", ty.0, ty.0));
        add(g, name, ty);
    }
}

fn arrays(g: &mut Generator) {
    let ty = g.int_type();
    let (a, b, c) = (g.name("a"), g.name("b"), g.name("c"));
    let (x, y, z) = (g.random.below(99), g.random.below(99), g.random.below(99));
    g.top.push_str(&format!("static {} {a}[8] = {{{x}, {y}, [5] = {z}}};\n", ty.0));
    g.line(&format!("{} {b}[8] = {{{y}, 1, 2, {z}}};", ty.0));
    g.line(&format!("{} {c}[2][4] = {{{{{x}}}, {{3, {y}}}}};", ty.0));
    let (i, j) = (g.random.below(8), g.int(1));
    add(g, format!("{a}[{i}]"), ty);
    add(g, format!("{b}[({j}) & 7]"), ty);
    add(g, format!("{c}[({j}) & 1][{}]", i & 3), ty);
    g.pieces.push(Piece::Arrays { a, b, ty: ty.0 });
}

fn pointer(g: &mut Generator) {
    let ty = g.int_type();
    let (array, name, to) = (g.name("p"), g.name("q"), g.name("pp"));
    let (x, y) = (g.random.below(99), g.random.below(4));
    g.top.push_str(&format!("static {} {array}[8] = {{{x}, 7, 1}};\n", ty.0));
    g.top.push_str(&format!("static {} *{name} = {array} + {y};\n", ty.0));
    g.line(&format!("{} **{to} = &{name};", ty.0));
    let index = g.int(1);
    add(g, format!("*{name}"), ty);
    add(g, format!("(*{to})[({index}) & 3]"), ty);
    g.readable.push(format!("({name} - {array})"));
    g.pieces.push(Piece::Pointer { name, to, array });
}

fn structs(g: &mut Generator) {
    let tag = g.name("s");
    let mut fields = String::new();
    let mut parts = Vec::new();
    for n in 0..2 + g.random.below(4) {
        let ty = g.int_type();
        match g.random.below(4) {
            0 if ty.1 > 1 => {
                let bits = 1 + g.random.below(ty.1.min(32) as usize);
                // Plain `char` is signed here, and so is a bit-field of it.
                fields.push_str(&format!("{} m{n} : {bits}; ", ty.0));
                parts.push((format!("m{n}"), Kind::Bits(Int(ty.0, bits as u32, ty.2))));
            }
            1 => {
                fields.push_str(&format!("{} m{n}[4]; ", ty.0));
                parts.push((format!("m{n}[{}]", g.random.below(4)), Kind::Int(ty)));
            }
            2 => {
                fields.push_str(&format!("struct {{ char pad; {} in; }} m{n}; ", ty.0));
                parts.push((format!("m{n}.in"), Kind::Int(ty)));
            }
            _ => {
                fields.push_str(&format!("{} m{n}; ", ty.0));
                parts.push((format!("m{n}"), Kind::Int(ty)));
            }
        }
    }
    let (a, b, change) = (g.name("x"), g.name("y"), g.name("change"));
    let (first, kind) = parts[0].clone();
    let packed = if g.random.once_in(4) { "__attribute__((packed)) " } else { "" };
    g.top.push_str(&format!("struct {packed}{tag} {{ {fields}}};\n"));
    g.top.push_str(&format!("static struct {tag} {a};\n"));
    let op = if matches!(kind, Kind::Bits(_)) { "^" } else { "|" };
    g.top.push_str(&format!(
        "static struct {tag} {change}(struct {tag} s, int k) {{\n  s.{first} = s.{first} {op} k;\n  \
         {a}.{first} = s.{first};\n  return s;\n}}\n"
    ));
    g.line(&format!("struct {tag} {b} = {{0}};"));
    g.line(&format!("struct {tag} *to{b} = &{a};"));
    for (n, (part, kind)) in parts.into_iter().enumerate() {
        let text = match n % 3 {
            0 => format!("{a}.{part}"),
            1 => format!("{b}.{part}"),
            _ => format!("to{b}->{part}"),
        };
        g.lvalues.push(Lvalue { text, ty: kind });
    }
    g.pieces.push(Piece::Structs { a, b, change });
}

fn union(g: &mut Generator) {
    let (tag, name) = (g.name("u"), g.name("w"));
    let value = g.random.next();
    let float = if g.floats { "float f[2]; " } else { "" };
    g.top.push_str(&format!(
        "union {tag} {{ unsigned long l; unsigned i[2]; short s[4]; signed char c[8]; {float}\
         struct {{ unsigned lo : 13; int mid : 11; unsigned long hi : 33; }} b; }};\n\
         static union {tag} {name} = {{ 0x{value:x}ul }};\n"
    ));
    let (i, c) = (g.random.below(2), g.int(1));
    add(g, format!("{name}.i[{i}]"), INTS[6]);
    add(g, format!("{name}.s[{}]", g.id % 4), INTS[3]);
    add(g, format!("{name}.c[({c}) & 7]"), INTS[0]);
    g.lvalues.push(Lvalue { text: format!("{name}.b.mid"), ty: Kind::Bits(Int("int", 11, true)) });
    let hi = Kind::Bits(Int("unsigned long", 33, false));
    g.lvalues.push(Lvalue { text: format!("{name}.b.hi"), ty: hi });
    g.pieces.push(Piece::Union { name });
}

fn recursion(g: &mut Generator) {
    let name = g.name("rec");
    let (ty, k) = (g.int_type(), g.random.below(200));
    let op = *g.random.pick(&["+", "^", "*", "-"]);
    g.top.push_str(&format!(
        "static unsigned {name}(int n, {0} x) {{\n  if (n <= 0) return x;\n  \
         if (x & 1) return {name}(n - 1, ({0})(x ^ {k})) {op} (unsigned)x;\n  \
         return {name}(n - 2, ({0})((unsigned)x * 3u + {k}u)) {op} 5u;\n}}\n",
        ty.0
    ));
    g.pieces.push(Piece::Recursion { name });
}

fn varargs(g: &mut Generator) {
    let name = g.name("va");
    g.top.push_str(&format!(
        "static unsigned long long {name}(const char *f, ...) {{\n  unsigned long long r = 0;\n  \
         va_list ap;\n  va_start(ap, f);\n  for (; *f; f++) switch (*f) {{\n  \
         case 'i': r = r * 7 + (unsigned)va_arg(ap, int); break;\n  \
         case 'l': r = r * 7 + va_arg(ap, unsigned long); break;\n  \
         case 'd': r = r * 7 + (unsigned)whole(va_arg(ap, double)); break;\n  \
         case 'p': r = r * 7 + *va_arg(ap, unsigned char *); break;\n  }}\n  \
         va_end(ap);\n  return r;\n}}\n"
    ));
    g.pieces.push(Piece::Varargs { name });
}

fn table(g: &mut Generator) {
    let name = g.name("tab");
    let (k, m) = (g.random.below(100), g.random.below(30));
    g.top.push_str(&format!(
        "static long one{name}(int x, short y) {{ return x ^ y; }}\n\
         static long two{name}(int x, short y) {{ return (long)x * y + {k}; }}\n\
         static long three{name}(int x, short y) {{ return y > x ? x >> {m} : y; }}\n\
         static long (*const {name}[4])(int, short) = \
         {{one{name}, two{name}, three{name}, one{name}}};\n"
    ));
    g.pieces.push(Piece::Table { name });
}

fn counter(g: &mut Generator) {
    let name = g.name("count");
    let (ty, start) = (g.int_type(), g.random.below(300));
    g.top.push_str(&format!(
        "static int {name}(int by) {{ static {0} calls = ({0}){start}; \
         calls = ({0})((unsigned)calls + (unsigned)by); return (int)calls; }}\n",
        ty.0
    ));
    g.pieces.push(Piece::Counter { name });
}

fn text(g: &mut Generator) {
    let name = g.name("t");
    let start = g.random.below(2);
    g.line(&format!("const char *{name} = \"cegas \\x80\\377!\" + {start};"));
    let index = g.int(1);
    g.readable.push(format!("{name}[({index}) & 7]"));
    let words = g.name("word");
    g.line(&format!("char {words}[16] = \"ab{}\";", g.id));
    add(g, format!("{words}[{}]", g.id % 16), INTS[2]);
    g.pieces.push(Piece::Text { name: words });
}

fn heap(g: &mut Generator) {
    let ty = g.int_type();
    let name = g.name("h");
    let call = match g.random.below(2) {
        0 => format!("calloc(8, sizeof({}))", ty.0),
        _ => format!("malloc(8 * sizeof({}))", ty.0),
    };
    g.line(&format!("{} *{name} = {call};", ty.0));
    if call.starts_with("malloc") {
        g.line(&format!("for (int i = 0; i < 8; i++) {name}[i] = ({})(i * 37);", ty.0));
    }
    let index = g.int(1);
    add(g, format!("{name}[({index}) & 7]"), ty);
    g.last.push_str(&format!("  free({name});\n"));
    g.pieces.push(Piece::Heap { name, ty: ty.0 });
}

/// A statement that uses one of the pieces.
pub fn use_one(g: &mut Generator) {
    if g.pieces.is_empty() {
        let value = g.int(2);
        return g.line(&format!("h += (unsigned long long)({value});"));
    }
    let piece = g.random.pick(&g.pieces.clone()).clone();
    let (x, y) = (g.int(2), g.int(2));
    let n = g.random.below(4);
    let text = match piece {
        Piece::Pointer { name, to, array } => match n {
            0 => format!("{name} = {array} + (({x}) & 3);"),
            1 => format!("*{to} = &{array}[({x}) & 3];"),
            2 => format!("if ({name} > {array} && (({x}) & 1)) --{name};"),
            _ => format!("h = h * 5 + ({name} < {array} + 2) + (&{array}[8] - {name});"),
        },
        Piece::Arrays { a, b, ty } => {
            let count = 1 + g.random.below(4);
            match n {
                0 => format!("memcpy({a} + {n}, {b} + 2, {count} * sizeof({ty}));"),
                1 => format!("memmove({a} + 1, {a} + {}, {count} * sizeof({ty}));", count - 1),
                2 => format!("memset({b} + 3, {}, {count} * sizeof({ty}));", zero_for(ty, g)),
                _ => format!("{a}[({x}) & 7] = {b}[({y}) & 7];"),
            }
        }
        Piece::Structs { a, b, change } => match n {
            0 => format!("{b} = {a};"),
            1 => format!("{b} = {change}({b}, (int)({x}));"),
            2 => format!("memcpy(&{a}, &{b}, sizeof {a});"),
            _ => format!("to{b} = ({x}) & 1 ? &{a} : &{b};"),
        },
        Piece::Union { name } => match n {
            0 => format!("{name}.l = (unsigned long)({x});"),
            1 => format!("{name}.b.lo = ({x}), {name}.b.mid = (int)(({y}) & 0x3ff);"),
            _ => format!("h = h * 3 + {name}.l + {name}.b.lo;"),
        },
        Piece::Recursion { name } => {
            let depth = if g.mode == Mode::Fixed { 9 } else { 3 };
            format!("h += {name}({depth}, ({x}));")
        }
        Piece::Varargs { name } => match n {
            0 => format!("h += {name}(\"il\", (int)({x}), (unsigned long)({y}));"),
            1 => format!("h += {name}(\"liil\", (unsigned long)({x}), 3, (short)-4, 5ul);"),
            2 => {
                let byte = g.random.below(250);
                format!(
                    "{{ unsigned char byte = {byte}; h += {name}(\"pi\", &byte, (int)({x})); }}"
                )
            }
            _ => format!("h += {name}(\"didl\", 2.5, (int)({x}), (double)7.25f, 9ul);"),
        },
        Piece::Table { name } => {
            format!("h ^= (unsigned long)({name}[({x}) & 3]((int)({y}), (short)({x})));")
        }
        Piece::Counter { name } => format!("h = h * 3 + (unsigned){name}((int)({x}));"),
        Piece::Text { name } => match n {
            0 => format!("strcpy({name}, \"hello\"); h += strlen({name});"),
            1 => format!("memcpy({name} + 2, \"xyz\", 4);"),
            _ => format!("for (char *c = {name}; *c; c++) h = h * 3 + (unsigned char)*c;"),
        },
        Piece::Heap { name, ty } => match n {
            0 => format!("memset({name}, 0, 4 * sizeof({ty}));"),
            1 => format!("memmove({name} + 1, {name}, 6 * sizeof({ty}));"),
            _ => format!("{name}[({x}) & 7] = ({ty})({y});"),
        },
    };
    g.line(&text);
}

/// A byte to fill with: a truth value may only be 0 or 1.
fn zero_for(ty: &str, g: &mut Generator) -> usize {
    if ty == "_Bool" { g.random.below(2) } else { g.random.below(256) }
}
